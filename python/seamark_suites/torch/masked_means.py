"""Masked tensors (torch.masked.masked_tensor): abs, cos, exp, mean and views of them, and what they give the numbers below."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of

from .masked_tensors import found

T, MEAN = "torch.Tensor.", "torch.mean"
_SINCE = ("2.0", "torch.masked.masked_tensor")
# A row of which nothing is there.
MASK = [[1, 1, 0, 0, 1, 1], [0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 0, 0], [0, 1, 0, 1, 1, 1]]


def _point(name):
    return (lambda t, f, x: [f(x), getattr(x, name + "_")()],
            lambda np, x: [getattr(np, name)(x)] * 2, lambda np, x, mask: [mask] * 2)  # fmt: skip


def _moves(np, x):
    return [x.reshape(2, 12), x.reshape(-1), x.reshape(4, 2, 3)]


# What is called of a masked tensor x of 4x6, what it gives, and the masks of that.
FORMS = {
    **{"torch." + name: _point(name) for name in ("abs", "cos", "exp")},
    "torch.split": (
        lambda t, f, x: [*f(x, 4, 1), *f(x, 3)], lambda np, x: [x[:, :4], x[:, 4:], x[:3], x[3:]],
        lambda np, x, mask: [mask[:, :4], mask[:, 4:], mask[:3], mask[3:]]),
    T + "transpose": (
        lambda t, f, x: [f(x, 0, 1), f(x, -1, 0)], lambda np, x: [x.T] * 2, lambda np, x, mask: [mask.T] * 2),
    T + "expand": (
        lambda t, f, x: [f(x, 2, 4, 6), f(x, 2, -1, -1)], lambda np, x: [np.stack([x, x])] * 2,
        lambda np, x, mask: [np.stack([mask, mask])] * 2),
    T + "reshape": (
        lambda t, f, x: [f(x, 2, 12), f(x, -1), f(x, (4, 2, -1))], _moves, lambda np, x, mask: _moves(np, mask)),
}  # fmt: skip


each = each_of(FORMS)


def _of_masked(form):
    def reference(np, x, mask, **_):
        masks = form[2](np, x, mask)
        return [np.where(there, one, 0) for one, there in zip(form[1](np, x), masks)], masks

    return reference


@each(FORMS, _of_masked, dtypes="f32 f64 f16", since=_SINCE)
def where_it_is_there(t, dtype, function):
    """What is there changes or moves, and its mask with it."""
    f, masked = t.get(function), t.get("torch.masked.masked_tensor")
    x, mask = t.uniform((4, 6), dtype, -2, 2), t.const(MASK, "bool")
    return t.call(lambda x, mask: found(FORMS[function][0](t, f, masked(x, mask))), x, mask)


POINTS = ["torch.abs", "torch.cos", "torch.exp"]


@each(POINTS, lambda form: lambda np, x, mask, layout: ([np.where(mask, form[1](np, x)[0], 0)], [mask]),
                dtypes="f32", layout=["coo", "csr"], since=_SINCE)  # fmt: skip
def where_it_is_stored(t, dtype, layout, function):
    """Numbers and mask are sparse: of what is stored."""
    f, masked = t.get(function), t.get("torch.masked.masked_tensor")

    def run(x, mask):
        mask = mask.to_sparse_coo().coalesce() if layout == "coo" else mask.to_sparse_csr()
        return found([f(masked(x.sparse_mask(mask), mask))])

    return t.call(run, t.uniform((4, 6), dtype, -2, 2), t.const(MASK, "bool"))


# The slope of the sum of what a function of x gives, each with its weight of w.
SLOPES = {
    "torch.abs": lambda np, x, w: w * np.sign(x),
    "torch.cos": lambda np, x, w: -w * np.sin(x),
    "torch.exp": lambda np, x, w: w * np.exp(x),
    T + "reshape": lambda np, x, w: w,
}
each_slope = each_of(SLOPES)


@each_slope(SLOPES, lambda slope: lambda np, x, w, mask: ([np.where(mask, slope(np, x, w), 0)], [mask]), dtypes="f32 f64", since=_SINCE)  # fmt: skip
def slope_where_it_is_there(t, dtype, function):
    """It is masked as the numbers are."""
    f, masked = t.get(function), t.get("torch.masked.masked_tensor")
    x, w, mask = t.uniform((4, 6), dtype, -2, 2), t.uniform((4, 6), dtype, 1, 2), t.const(MASK, "bool")  # fmt: skip

    def run(x, w, mask):
        leaf = masked(x, mask, requires_grad=True)
        if function == T + "reshape":
            (f(leaf, 2, 12) * w.reshape(2, 12)).sum().backward()
        else:
            (f(leaf) * w).sum().backward()
        return found([leaf.grad])

    return t.call(run, x, w, mask)


def _means(np, x, mask):
    """Of what is there: of all, along each axis, of both; and where any is."""
    held = np.where(mask, x, 0)
    made = [held.sum() / mask.sum(), *(held.sum(axis) / np.maximum(mask.sum(axis), 1) for axis in (0, 1))]  # fmt: skip
    whole = [made[0], made[1], made[2][:, None], made[0], made[1]]
    there = mask.any(), mask.any(0), mask.any(1)[:, None], mask.any(), mask.any(0)
    return whole, [np.asarray(one) for one in there]


@case(MEAN, dtypes="f32 f64", core=False, since=_SINCE, reference=_means)
def of_what_is_not_masked(t, dtype):
    """Of all, along an axis, keeping it, of both, in a wider dtype: the mean of nothing is not there."""
    f, masked = t.get(MEAN), t.get("torch.masked.masked_tensor")
    x, mask = t.uniform((4, 6), dtype, -2, 2), t.const(MASK, "bool")

    def run(x, mask):
        x = masked(x, mask)
        wide = f(x, 0, dtype=t.fw.float64)
        t.expect(wide.dtype is t.fw.float64, "f64")
        return found([f(x), f(x, 0), f(x, dim=1, keepdim=True), f(x, (0, 1)), wide])

    return t.call(run, x, mask)


@case(MEAN, dtypes="f32", layout=["coo", "csr"], core=False, since=_SINCE, reference=lambda
      np, x, mask, layout: ([(x * mask).sum() / mask.sum()], [np.asarray(True)]))  # fmt: skip
def of_what_is_stored(t, dtype, layout):
    masked = t.get("torch.masked.masked_tensor")

    def run(x, mask):
        mask = mask.to_sparse_coo().coalesce() if layout == "coo" else mask.to_sparse_csr()
        return found([t.get(MEAN)(masked(x.sparse_mask(mask), mask))])

    return t.call(run, t.uniform((4, 6), dtype, -2, 2), t.const(MASK, "bool"))


def _shares(np, mask, axis):
    count = mask.sum(axis, keepdims=True)
    return np.where(mask, 1 / np.maximum(count, 1), 0)


@case(MEAN, dtypes="f32 f64", core=False, since=_SINCE, reference=lambda np, x, mask: [
      _shares(np, mask, None), mask, _shares(np, mask, 1), mask, _shares(np, mask, None), mask])  # fmt: skip
def share_of_what_is_there(t, dtype):
    """Each that is there has an equal share; by as_masked_tensor the numbers below get it; what does not learn raises."""
    x, mask, made = t.uniform((4, 6), dtype, -2, 2), t.const(MASK, "bool"), t.fw.masked
    leaf, row, below = made.masked_tensor(x, mask, requires_grad=True), made.masked_tensor(x, mask, requires_grad=True), x.clone().requires_grad_()  # fmt: skip
    t.call(MEAN, leaf).backward()
    t.call(MEAN, row, 1).sum().backward()
    t.call(MEAN, made.as_masked_tensor(below, mask)).backward()
    t.expect(x.grad is None, "no slope of the numbers that were copied")
    for still in (made.masked_tensor(x, mask), made.as_masked_tensor(x, mask)):
        t.raises(RuntimeError, t.call(MEAN, still).backward)
    data, masks = found([leaf.grad, row.grad, below.grad])
    return [one for pair in zip(data, masks) for one in pair]
