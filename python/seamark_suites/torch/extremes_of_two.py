"""Extremes of two tensors of any dtypes, infinities beside NaN; of all numbers, under the transformations."""

import itertools

from seamark_suites.reference import floating
from seamark_suites.transformed import placed

from . import reference_indexing as right
from .pointwise import each

INF, NAN = float("inf"), float("nan")
EXTREMES = "max min"


@each(EXTREMES, lambda function: lambda np, x, y: [right.of_two(function)(np, x, y)] * 2, dtypes="f16 bf16 f32 f64", core=False)  # fmt: skip
def infinities_of_two(t, dtype, function):
    """Infinities against each other, NaN and numbers, in both orders, with out=, too; more of them than a register holds."""
    pairs = list(itertools.product([INF, -INF, NAN, 1.5, -2.0], repeat=2)) * 3
    x, y = (t.const(list(side), dtype) for side in zip(*pairs))
    given = t.fw.zeros((len(pairs),), dtype=x.dtype, device=t.device)
    made = t.call(function, x, y)
    t.expect(t.call(function, x, y, out=given) is given, "the given tensor")
    return [made, given]


# Two dtypes, and that of the result.
PAIRS = [
    "i32 i64 i64", "u8 i8 i16", "u8 i64 i64", "bool i64 i64", "bool u8 u8", "f16 f32 f32", "f16 bf16 f32", "i64 f16 f16", "i64 f32 f32",
    "bool f32 f32", "f32 f64 f64",
]  # fmt: skip


def _both_orders(function):
    def reference(np, *drawn, pair):
        eighths = pair.split()[2][0] == "f"
        x, y = (one / 8 if eighths and floating(one) else one for one in drawn)
        return [right.of_two(function)(np, x, y)] * 2

    return reference


@each(EXTREMES, _both_orders, pair=PAIRS, core=False)
def of_two_other_dtypes(t, pair, function):
    """In either order the dtype that holds both."""
    first, second, wanted = pair.split()
    ends = {"u8": (0, 256), "i8": (-128, 128), "bool": (0, 2)}
    x, y = (t.randint(shape, kind, *ends.get(kind, (-90, 90))) for shape, kind in (((9, 1), first), ((23,), second)))  # fmt: skip
    if wanted[0] == "f":
        x, y = (one / 8 if one.is_floating_point() else one for one in (x, y))
    made = [t.call(function, x, y), t.call(function, y, x)]
    t.expect(all(one.dtype is t.dtype(wanted) for one in made), "%s, got %s" % (wanted, made))
    return made


def _transformed(function):
    find = function[6:]

    def reference(np, whole, along, batch):
        x, rows = placed(0, whole), batch.reshape(len(batch), -1)
        best = getattr(x, find)()
        at = x == best
        return [
            [best, along[at].sum(), 2 * best * at, 2 * along * at],
            [getattr(rows, find)(1), rows == getattr(rows, find)(1)[:, None]],
        ]

    return reference


@each(EXTREMES, _transformed, dtypes="f32 f64", core=False, since=("2.0", "torch.func"))
def of_all_under_transformations(t, dtype, function):
    """Of all numbers: forward mode, the gradient of the square and its own along a direction, a batch and its gradients."""
    find, func, slope = t.get(function), t.fw.func, t.fw.autograd.grad
    x, along = placed(0, t.distinct((3, 4), dtype)), t.randn((3, 4), dtype)

    def derived(x, along):
        best, moved = func.jvp(find, (x,), (along,))
        x = x.detach().requires_grad_()
        first = slope(find(x) ** 2, x, create_graph=True)[0]
        return [best, moved, first.detach(), slope((first * along).sum(), x)[0]]

    def batched(rows):
        return [func.vmap(find)(rows), func.vmap(func.grad(find))(rows).flatten(1)]

    return [t.call(derived, x, along), t.call(batched, t.distinct((5, 3, 4), dtype))]


def _equal_shares(np, *xs):
    return [np.isnan(x) / np.isnan(x).sum() for x in xs]


@each(EXTREMES, lambda function: _equal_shares, dtypes="f32 f64 bf16", core=False)
def several_nan_share_the_gradient(t, dtype, function):
    """Of nothing but NaN, of two beside numbers and infinities, of a matrix."""
    rows = [NAN] * 3, [1.0, NAN, 3.0, NAN, INF, -INF], [[2.0, NAN], [NAN, -1.0], [NAN, NAN]]
    given = [t.const(row, dtype, grad=True) for row in rows]
    made = [t.call(function, x) for x in given]
    t.expect(all(t.np.isnan(t.host(one.detach().float())) for one in made), "NaN of each")
    return [t.fw.autograd.grad(one, x)[0] for one, x in zip(made, given)]


@each(EXTREMES, core=False)
def no_axis_that_is_none(t, function):
    x = t.randn((3, 4), "f32")
    t.raises(TypeError, t.call, function, x, None)
    t.raises(TypeError, t.call, function, x, dim=None)
