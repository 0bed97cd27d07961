"""Masked tensors, number by number: exp, sin, clamp and where of what is there, shares of it, their gradients."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of

from .masked_tensors import found, shares

_SINCE = ("2.0", "torch.masked.masked_tensor")
# A column of which nothing is there; no such row.
MASK = [[0, 1, 0, 1, 0, 1], [1, 0, 0, 0, 1, 1], [0, 1, 0, 1, 1, 0], [1, 0, 0, 0, 1, 1]]
EXP, SOFTMAX = "torch.Tensor.exp", "torch.Tensor.softmax"
# What is called of a masked tensor of 4x6 and what it gives of the numbers; the slope of w times that.
FORMS = {
    EXP: (lambda f, x: [f(x)], lambda np, x, mask: [np.exp(x)], lambda np, x, w, mask: w * np.exp(x)),
    "torch.sin": (lambda f, x: [f(x)], lambda np, x, mask: [np.sin(x)], lambda np, x, w, mask: w * np.cos(x)),
    "torch.clamp": (lambda f, x: [f(x, 0.8, 1.5), f(x, 0.8)], lambda np, x, mask: [np.clip(x, 0.8, 1.5), np.maximum(x, 0.8)], None),
    SOFTMAX: (
        lambda f, x: [f(x, -1), f(x, 0), f(x, dim=1)],
        lambda np, x, mask: [shares(np, x, mask, axis) for axis in (1, 0, 1)],
        lambda np, x, w, mask: _slope(np, shares(np, x, mask, 1), np.where(mask, w, 0))),
}  # fmt: skip
POINTS = [EXP, "torch.sin", "torch.clamp"]
each = each_of(FORMS)


def _slope(np, share, w):
    return share * (w - (w * share).sum(1, keepdims=True))


def _masked(form, first=False):
    def reference(np, x, mask, **_):
        made = form[1](np, x, mask)[: 1 if first else None]
        return [np.where(mask, one, 0) for one in made], [mask] * len(made)

    return reference


@each(FORMS, _masked, dtypes="f32 f64", since=_SINCE)
def of_what_is_there(t, dtype, function):
    """What is not there stays so, and has no share."""
    f, masked = t.get(function), t.get("torch.masked.masked_tensor")
    x, mask = t.uniform((4, 6), dtype, 0.5, 2), t.const(MASK, "bool")
    return t.call(lambda x, mask: found(FORMS[function][0](f, masked(x, mask))), x, mask)


@each(POINTS, lambda form: _masked(form, True), dtypes="f32", layout=["coo", "csr"], since=_SINCE)
def of_what_is_there_and_sparse(t, dtype, layout, function):
    """The numbers and the mask are sparse."""
    f, masked = t.get(function), t.get("torch.masked.masked_tensor")
    x, mask = t.uniform((4, 6), dtype, 0.5, 2), t.const(MASK, "bool")

    def run(x, mask):
        mask = mask.to_sparse_coo().coalesce() if layout == "coo" else mask.to_sparse_csr()
        return found(FORMS[function][0](f, masked(x.sparse_mask(mask), mask))[:1])

    return t.call(run, x, mask)


@each([EXP, "torch.sin", SOFTMAX], lambda form: lambda np, x, w, mask: [np.where(mask, form[2](np, x, w, mask), 0), mask], dtypes="f32 f64", since=_SINCE)  # fmt: skip
def slopes_of_what_is_there(t, dtype, function):
    """They are masked as the numbers are."""
    f, masked = t.get(function), t.get("torch.masked.masked_tensor")
    x, w, mask = t.uniform((4, 6), dtype, 0.5, 2), t.uniform((4, 6), dtype, 1, 2), t.const(MASK, "bool")  # fmt: skip

    def run(x, w, mask):
        leaf = masked(x, mask, requires_grad=True)
        (FORMS[function][0](f, leaf)[0] * w).sum().backward()
        made, masks = found([leaf.grad])
        return [*made, *masks]

    return t.call(run, x, w, mask)


def _either(np, x, y, mask, chosen):
    there = np.where(chosen, mask, ~mask)
    made = np.where(there, np.where(chosen, np.exp(x), y), 0), np.where(mask, np.exp(x), y)
    return [*made], [there, there | True], [np.where(mask, np.exp(x), 0), np.where(mask, 0, 1)]


@case("torch.where", dtypes="f32 f64", core=False, since=_SINCE, reference=_either)
def either_of_two_masked(t, dtype):
    """A number is there where it is in the one that is chosen. Of two whose masks are each other's rest all are, and each has its slope."""
    f, masked = t.get("torch.where"), t.get("torch.masked.masked_tensor")
    x, y = t.uniform((4, 6), dtype, 0.5, 2), t.uniform((4, 6), dtype, 0.5, 2)
    mask, chosen = t.const(MASK, "bool"), t.randn((4, 6), "bool")

    def run(x, y, mask, chosen):
        one, other = masked(x, mask, requires_grad=True), masked(y, ~mask, requires_grad=True)
        both = f(mask, t.fw.exp(one), other)
        both.sum().backward()
        made = f(chosen, t.fw.exp(one), other)
        return [*found([made, both]), found([one.grad, other.grad])[0]]

    return t.call(run, x, y, mask, chosen)


@case("torch.Tensor.numpy", core=False, reference="none", since=_SINCE)
def no_array_of_masked_numbers(t):
    """Of another kind of tensor there is none, by force neither."""
    x = t.get("torch.masked.masked_tensor")(t.fw.ones(2), t.fw.tensor([True, False]))
    t.raises((RuntimeError, TypeError), t.call, "torch.Tensor.numpy", x)
