"""Masked tensors, each of whose numbers is there or is not: functions of them, their gradients, masks that differ."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of

from . import reference_pointwise as right

_SINCE = ("2.0", "torch.masked.masked_tensor")
# A column of which nothing is there; no such row.
MASK = [[1, 1, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1], [1, 1, 0, 0, 0, 1], [0, 0, 0, 1, 1, 1]]


def _same(np, x, mask):
    return mask


def shares(np, x, mask, axis):
    power = np.where(mask, np.exp(x), 0)
    return power / np.maximum(power.sum(axis, keepdims=True), 1e-30)


def _sums(np, x, mask):
    x = np.where(mask, x, 0)
    return [x.sum(), x.sum(0), x.sum(1, keepdims=True), x.sum((0, 1)), x.sum(-1)]


def _sums_that_are(np, x, mask):
    return [mask.any(), mask.any(0), mask.any(1, keepdims=True), mask.any(), mask.any(-1)]


def _point(name):
    return (lambda t, f, x: f(x), right.of("torch." + name), _same)


# What is called of a masked tensor x of 4x6, what it gives, and the masks of that: both of what is there before.
FORMS = {
    "torch.Tensor.sin": _point("sin"),
    "torch.log": _point("log"),
    "torch.sigmoid": _point("sigmoid"),
    "torch.Tensor.sum": (
        lambda t, f, x: [f(x), f(x, 0), f(x, dim=1, keepdim=True), f(x, (0, 1)), f(x, -1)], _sums, _sums_that_are),
    "torch.nn.functional.softmax": (
        lambda t, f, x: [f(x, -1), f(x, 1)], lambda np, x, mask: [shares(np, x, mask, 1)] * 2, lambda np, x, mask: [mask] * 2),
    "torch.stack": (
        lambda t, f, x: [f([x, x * 2], axis) for axis in (0, 1, -1)],
        lambda np, x, mask: [np.stack([x, 2 * x], axis) for axis in (0, 1, -1)],
        lambda np, x, mask: [np.stack([mask, mask], axis) for axis in (0, 1, -1)]),
    "torch.Tensor.view": (
        lambda t, f, x: [f(x, 2, 12), f(x, -1)], lambda np, x, mask: [x.reshape(2, 12), x.reshape(-1)],
        lambda np, x, mask: [mask.reshape(2, 12), mask.reshape(-1)]),
    "torch.Tensor.expand_as": (
        lambda t, f, x: [f(x, t.fw.ones((2, 4, 6), device=t.device)), f(x, x)], lambda np, x, mask: [np.stack([x, x]), x],
        lambda np, x, mask: [np.stack([mask, mask]), mask]),
    "torch.chunk": (
        lambda t, f, x: [*f(x, 3, 1), *f(x, 2)], lambda np, x, mask: [*np.split(x, 3, 1), *np.split(x, 2)],
        lambda np, x, mask: [*np.split(mask, 3, 1), *np.split(mask, 2)]),
    "torch.Tensor.type_as": (
        lambda t, f, x: [f(x, t.fw.ones(1, dtype=t.fw.float64, device=t.device)), f(x, x)], lambda np, x, mask: [x, x],
        lambda np, x, mask: [mask, mask]),
    "torch.Tensor.add_": (
        lambda t, f, x: [f(x * 1, x), f(x * 1, x.get_data())], lambda np, x, mask: [2 * x] * 2, lambda np, x, mask: [mask] * 2),
}  # fmt: skip
each = each_of(FORMS)


def _listed(made):
    return list(made) if isinstance(made, (tuple, list)) else [made]


def found(made):
    """What is there, zeros elsewhere; and the masks."""
    made = _listed(made)
    dense = [(one.get_data().to_dense(), one.get_mask().to_dense()) for one in made]
    return [data.masked_fill(~mask, 0) for data, mask in dense], [mask for _, mask in dense]


def _of_masked(form):
    def reference(np, x, mask, **_):
        call = form[1]
        made = call(np, x) if form[2] is _same else call(np, x, mask)
        masks = _listed(form[2](np, x, mask))
        return [np.where(there, one, 0) for one, there in zip(_listed(made), masks)], masks

    return reference


@each(FORMS, _of_masked, dtypes="f32 f64", since=_SINCE)
def of_masked_numbers(t, dtype, function):
    """What is not there counts for nothing: the sum of nothing is not there, and a share is one of what is."""
    f, masked = t.get(function), t.get("torch.masked.masked_tensor")
    x, mask = t.uniform((4, 6), dtype, 0.5, 2), t.const(MASK, "bool")
    return t.call(lambda x, mask: found(FORMS[function][0](t, f, masked(x, mask))), x, mask)


def _of_sparse(form):
    def reference(np, x, mask, layout):
        there = [mask.any()] if form[2] is _sums_that_are else [mask]
        made = _listed(form[1](np, x) if form[2] is _same else form[1](np, x, mask))[:1]
        return [np.where(there[0], made[0], 0)], there

    return reference


@each(["torch.Tensor.sin", "torch.log", "torch.sigmoid", "torch.Tensor.sum"], _of_sparse, dtypes="f32", layout=["coo", "csr"], since=_SINCE)  # fmt: skip
def of_sparse_masked_numbers(t, dtype, layout, function):
    """Both the numbers and the mask are sparse: of all of them, in the places of the mask."""
    f, masked = t.get(function), t.get("torch.masked.masked_tensor")
    x, mask = t.uniform((4, 6), dtype, 0.5, 2), t.const(MASK, "bool")

    def run(x, mask):
        mask = mask.to_sparse_coo().coalesce() if layout == "coo" else mask.to_sparse_csr()
        return found(f(masked(x.sparse_mask(mask), mask)))

    return t.call(run, x, mask)


# The slope of the weighted sum w of what a masked tensor gives, where it is there.
SLOPES = {
    "torch.Tensor.sin": lambda np, x, w, mask: w * np.cos(x),
    "torch.log": lambda np, x, w, mask: w / x,
    "torch.Tensor.sum": lambda np, x, w, mask: np.ones_like(x) + w[:1],
    "torch.nn.functional.softmax": lambda np, x, w, mask: _share_slope(np, shares(np, x, mask, 1), np.where(mask, w, 0)),
    "torch.Tensor.view": lambda np, x, w, mask: w,
}  # fmt: skip
each_slope = each_of(SLOPES)


def _share_slope(np, share, w):
    return share * (w - (w * share).sum(1, keepdims=True))


@each_slope(SLOPES, lambda slope: lambda np, x, w, mask: [np.where(mask, slope(np, x, w, mask), 0), mask], dtypes="f32 f64", since=_SINCE)  # fmt: skip
def gradient_of_masked_numbers(t, dtype, function):
    """It is masked as the numbers are; that of the numbers below is none where they are not there."""
    f, masked = t.get(function), t.get("torch.masked.masked_tensor")
    x, w, mask = t.uniform((4, 6), dtype, 0.5, 2), t.uniform((4, 6), dtype, 1, 2), t.const(MASK, "bool")  # fmt: skip

    def run(x, w, mask):
        leaf = masked(x, mask, requires_grad=True)
        if function == "torch.Tensor.sum":
            f(leaf).backward()
            (f(leaf, 0) * w[0]).sum().backward()
        elif function == "torch.Tensor.view":
            (f(leaf, 2, 12) * w.view(2, 12)).sum().backward()
        else:
            made = f(leaf, -1) if function.endswith("softmax") else f(leaf)
            (made * w).sum().backward()
        made, masks = found(leaf.grad)
        return [*made, *masks]

    return t.call(run, x, w, mask)


@case("torch.Tensor.add_", core=False, reference="none", since=_SINCE)
def not_by_another_mask(t):
    """Two masks that differ are refused; nothing is written then."""
    masked, x, mask = t.get("torch.masked.masked_tensor"), t.randn((4, 6), "f32"), t.const(MASK, "bool")  # fmt: skip
    one, other, kept = masked(x, mask), masked(x, ~mask), t.host(x).copy()
    t.raises(ValueError, t.call, "torch.Tensor.add_", one, other)
    t.expect(bool((t.host(one.get_data()) == kept).all()), "nothing is written")
