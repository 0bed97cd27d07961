"""Numbers chosen by a condition, an index, their size: where, gather, topk."""

from seamark_suites.case import case

from . import reference_indexing as right
from .reference import with_gradient

INF, NAN = float("inf"), float("nan")


# --- where


@case("torch.where", dtypes="f32 bf16", grad=True, name="gradient", reference=with_gradient(
    right.where, lambda np, w, c, x, y: (w * c, w * ~c)))  # fmt: skip
@case("torch.where", dtypes="f64 c64", grad=True, core=False, name="gradient", reference=with_gradient(
    right.where, lambda np, w, c, x, y: (w * c, w * ~c)))  # fmt: skip
@case(
    "torch.where",
    dtypes="f16 f64 u8 i8 c64 c128",
    core=False,
    name="forward",
    reference=right.where,
)
@case("torch.where", dtypes="f32 bf16 i64 i32 bool", name="forward", reference=right.where)
def either(t, dtype):
    chosen = t.randn((20, 9), "bool")
    return t.call("torch.where", chosen, t.randn((20, 9), dtype), t.randn((20, 9), dtype))


@case("torch.where", dtypes="f32 i64", grad=True, core="f32", reference=with_gradient(
    right.where,
    lambda np, w, c, x, y: ((w * c).sum((0, 1)), (w * ~c).sum((1, 2)).reshape(3, 1, 1))))  # fmt: skip
def three_that_broadcast(t, dtype):
    chosen = t.randn((5, 1), "bool")
    return t.call("torch.where", chosen, t.randn((7,), dtype), t.randn((3, 1, 1), dtype))


@case("torch.where", dtypes="f32 bf16 i64", core="f32 i64", reference=lambda
      np, x: [np.where(x > 0, x, -1), np.where(x > 0, 2, x), np.where(x > 0, 1, 0)])  # fmt: skip
def numbers_for_tensors(t, dtype):
    """A number on either side takes the tensor's dtype; of two integers the result is int64."""
    x = t.randn((40,), dtype)
    made = [
        t.call("torch.where", x > 0, x, -1),
        t.call("torch.where", x > 0, 2, x),
        t.call("torch.where", x > 0, 1, 0),
    ]
    t.expect(made[0].dtype is made[1].dtype is x.dtype, "the dtype of the tensor")
    t.expect(made[2].dtype is t.fw.int64, "int64")
    return made


@case(
    "torch.where", dtypes="f32", core=False, reference=lambda np, mask, x: np.where(mask, x, -INF)
)
def masks_with_infinity(t, dtype):
    """As attention does."""
    mask = t.randn((6, 6), "bool")
    return t.call("torch.where", mask, t.randn((6, 6), dtype), -INF)


@case(
    "torch.where",
    dtypes="f32",
    core=False,
    since=("1.13", "promotion of dtypes"),
    reference=lambda np, c, x, whole, exact: [
        np.where(c, x, whole),
        np.where(c, x, exact),
        np.where(c, whole, exact[0]),
    ],
)
def promotes(t, dtype):
    """The wider dtype of both; a tensor without axes counts only where its kind is higher."""
    chosen, x = t.randn((30,), "bool"), t.randn((30,), dtype)
    whole, exact = t.randn((30,), "i64"), t.randint((30,), "f64", -9, 9)
    made = [
        t.call("torch.where", chosen, x, whole),
        t.call("torch.where", chosen, x, exact),
        t.call("torch.where", chosen, whole, exact[0]),
    ]
    found = [one.dtype for one in made]
    t.expect(found == [t.fw.float32, t.fw.float64, t.fw.float64], "the dtypes, got %s" % found)
    return made


@case("torch.where", dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
    right.where, lambda np, w, c, x, y: (w * c, w * ~c)))  # fmt: skip
def what_is_not_chosen(t, dtype):
    """NaN and infinity on the other side leave no trace, in the gradient neither."""
    chosen = t.const([True, False, True, False], "bool")
    x = t.const([1.0, NAN, 3.0, INF], dtype, grad=True)
    return t.call("torch.where", chosen, x, t.const([NAN, 2.0, -INF, 4.0], dtype, grad=True))


@case("torch.where", dtypes="f32 f64", core=False, reference=lambda np, x, w: [
      np.where(x > 0, x**2, x**3), np.where(x > 0, 2 * x, 3 * x**2), w * np.where(x > 0, 2, 6 * x)])  # fmt: skip
def pieces_twice(t, dtype):
    """The slope of the slope of a function in two pieces."""
    x, w = t.randn((30,), dtype, grad=True), t.randn((30,), dtype)
    made = t.call(lambda x: t.fw.where(x > 0, x**2, x**3), x)
    first = t.fw.autograd.grad(made.sum(), x, create_graph=True)[0]
    return made, first, t.fw.autograd.grad((first * w).sum(), x)[0]


@case(
    "torch.where",
    dtypes="bool f32 i64",
    core=False,
    reference=lambda np, x: list(np.nonzero(x > 0)),
)
def places(t, dtype):
    """With the condition alone: the places where it holds, an index for each axis."""
    x = t.randn((6, 7), dtype)
    made = t.call("torch.where", x if dtype == "bool" else x > 0)
    t.expect(type(made) is tuple and made[0].dtype is t.fw.int64, "a tuple of indices")
    t.expect(bool((t.host(x[made]) > 0).all()), "which index the tensor")
    return list(made)


@case("torch.where", core=False, trivial=True, reference=lambda np, *xs: [
      [np.array([0])], [np.zeros(0)], [np.zeros(0), np.zeros(0)]])  # fmt: skip
def places_of_little(t):
    """Of a true scalar, a false one, of nothing."""
    given = t.const(True, "bool"), t.const(False, "bool"), t.randn((0, 3), "bool")
    return [list(t.call("torch.where", x)) for x in given]


@case("torch.where", dtypes="f32 i64", core=False, reference=lambda np, x, y: (
      np.where((x > 0).T, x.T, np.broadcast_to(y, (14, 9))), np.where(x > 0, x, 0)))  # fmt: skip
def where_strided(t, dtype):
    x, y = t.randn((9, 14), dtype, noncontiguous=True), t.randn((9,), dtype)
    return t.call("torch.where", x.mT > 0, x.mT, y.expand(14, 9)), t.call(
        "torch.where", x > 0, x, 0
    )


@case(
    "torch.where",
    dtypes="f32",
    shapes="scalar 0 3x0x2",
    trivial=True,
    core=False,
    reference=lambda np, x: np.where(x > 5, x, 1),
)
def where_of_little(t, dtype, shape):
    x = t.randn(shape, dtype)
    return t.call("torch.where", x > 5, x, t.fw.ones_like(x))


@case("torch.where", dtypes="f32", core=False, since=("2.0", "the argument out"), reference=lambda
      np, c, x, y: (np.where(c, x, y),) * 2)  # fmt: skip
def where_into_out(t, dtype):
    chosen, x, y = t.randn((5, 8), "bool"), t.randn((5, 8), dtype), t.randn((5, 8), dtype)
    given = t.fw.zeros_like(x)
    return t.call("torch.where", chosen, x, y, out=given), given


@case(
    "torch.where",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [np.where(x > 0, x, 0) for x in xs],
)
def where_of_three_sizes(t, dtype):
    made = []
    for n in (5, 8, 13):
        x = t.randn((n, 7), dtype)
        made.append(t.call("torch.where", x > 0, x, 0.0))
    return made


@case(
    "torch.where",
    dtypes="f32",
    shapes="2048x1024",
    large=True,
    reference=lambda np, x, y: np.maximum(x, y),
)
def where_of_many(t, dtype, shape):
    x, y = t.randn(shape, dtype), t.randn(shape, dtype)
    return t.call("torch.where", x > y, x, y)


@case("torch.where", core=False, reference="none")
def where_refuses(t):
    """Integers as a condition, shapes that do not fit."""
    chosen, x = t.randn((3,), "bool"), t.randn((3,), "f32")
    t.raises(RuntimeError, t.call, "torch.where", t.randn((3,), "i64"), x, x)
    t.raises(RuntimeError, t.call, "torch.where", chosen, t.randn((4,), "f32"), x)


# --- gather


@case("torch.gather", dtypes="f32", dim=[0, 1, -1], grad=True, name="gradient",
      reference=with_gradient(right.gathered, right.gathered_pull))  # fmt: skip
@case("torch.gather", dtypes="bf16", dim=[1], grad=True, name="gradient",
      reference=with_gradient(right.gathered, right.gathered_pull))  # fmt: skip
@case("torch.gather", dtypes="f64 c64", dim=[1], grad=True, core=False, name="gradient",
      reference=with_gradient(right.gathered, right.gathered_pull))  # fmt: skip
@case(
    "torch.gather",
    dtypes="f16 f64 i8 u8 c64",
    dim=[1],
    core=False,
    name="forward",
    reference=right.gathered,
)
@case("torch.gather", dtypes="bf16 i64 i32 bool", dim=[1], name="forward", reference=right.gathered)
@case("torch.gather", dtypes="f32", dim=[0, 1, -1], name="forward", reference=right.gathered)
def gather(t, dtype, dim):
    """The index is of the input's shape, or smaller; some numbers are taken several times."""
    x, index = t.randn((5, 5, 6), dtype), t.randint((4, 5, 5), "i64", 0, 5)
    return t.call("torch.gather", x, dim, index)


@case(
    "torch.gather",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x, index: right.gathered(np, x, index, 1),
)
def longer_than_the_input(t, dtype):
    """Along the axis itself the index may be longer."""
    return t.call("torch.gather", t.randn((4, 3), dtype), 1, t.randint((4, 20), "i64", 0, 3))


@case("torch.gather", dtypes="f32", core=False, reference=lambda np, x: np.sort(x, 1))
def sorts_by_an_index(t, dtype):
    """Takes what argsort says."""
    x = t.distinct((6, 9), dtype)
    return t.call("torch.gather", x, 1, x.argsort(1))


@case(
    "torch.gather",
    dtypes="f32",
    core=False,
    reference=lambda np, x, label: x[np.arange(8), label][:, None],
)
def picks_a_label(t, dtype):
    """One number a row, as losses take it."""
    x, label = t.randn((8, 5), dtype), t.randint((8,), "i64", 0, 5)
    return t.call("torch.gather", x, dim=1, index=label[:, None])


@case("torch.gather", dtypes="f32 c64", core=False, reference=lambda np, x, index: [
      right.gathered(np, x.T, index, 0), right.gathered(np, x, index[:, :1].repeat(9, 1), 0)])  # fmt: skip
def gathers_strided(t, dtype):
    """From a transpose, and by an index that is broadcast."""
    x, index = t.randn((6, 9), dtype, noncontiguous=True), t.randint((4, 6), "i64", 0, 6)
    row = index[:, :1].expand(4, 9)
    return [t.call("torch.gather", x.mT, 0, index), t.call("torch.gather", x, 0, row)]


@case("torch.gather", dtypes="f32", core=False, reference=lambda np, x, index, w: (
      right.gathered(np, x, index, 1), right.gathered_pull(np, w, x, index, 1)))  # fmt: skip
def sparse_gradient(t, dtype):
    """sparse_grad: the gradient is a sparse tensor with the same numbers."""
    x, index = t.randn((5, 8), dtype, grad=True), t.randint((5, 3), "i64", 0, 8)
    made = t.call("torch.gather", x, 1, index, sparse_grad=True)
    (slope,) = t.fw.autograd.grad((made * t.randn((5, 3), dtype)).sum(), x)
    t.expect(slope.layout is t.fw.sparse_coo, "a sparse gradient")
    return made, slope.to_dense()


@case(
    "torch.gather",
    dtypes="f32",
    core=False,
    reference=lambda np, x, index, w: [
        3 * right.gathered(np, x, index, 1) ** 2,
        right.gathered_pull(np, w * 6 * right.gathered(np, x, index, 1), x, index, 1),
    ],
)
def gather_twice(t, dtype):
    """The slope of the slope of the cube of what is taken, and each number once."""
    x, index = t.randn((4, 6), dtype, grad=True), t.randint((4, 3), "i64", 0, 6)
    made = t.call("torch.gather", x, 1, index)
    first = t.fw.autograd.grad((made**3).sum(), made, create_graph=True)[0]
    return [first, t.fw.autograd.grad((first * t.randn((4, 3), dtype)).sum(), x)[0]]


@case(
    "torch.gather",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np, x, one: [np.zeros((5, 0)), np.zeros((0, 5)), one, one],
)
def gathers_little(t, dtype):
    """By an index without elements; from a scalar."""
    x, one = t.randn((5, 8), dtype), t.randn((), dtype)
    none = t.fw.zeros((5, 0), dtype=t.fw.int64, device=t.device)
    zero = t.fw.zeros((), dtype=t.fw.int64, device=t.device)
    given = (x, 1, none), (x, 0, none.reshape(0, 5)), (one, 0, zero), (one, -1, zero)
    return [t.call("torch.gather", *args) for args in given]


@case(
    "torch.gather",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x, index: (right.gathered(np, x, index, 1),) * 2,
)
def gathers_into_out(t, dtype):
    given = t.fw.zeros((5, 3), dtype=t.dtype(dtype), device=t.device)
    x, index = t.randn((5, 8), dtype), t.randint((5, 3), "i64", 0, 8)
    return t.call("torch.gather", x, 1, index, out=given), given


@case("torch.gather", dtypes="f32", core=False, reference=lambda np, *given: [
      right.gathered(np, x, index, 0) for x, index in zip(given[::2], given[1::2])])  # fmt: skip
def gathers_three_sizes(t, dtype):
    return [
        t.call("torch.gather", t.randn((n, 7), dtype), 0, t.randint((4, 7), "i64", 0, n))
        for n in (5, 8, 13)
    ]


@case(
    "torch.gather",
    dtypes="f32",
    large=True,
    reference=lambda np, x, index: np.take_along_axis(x, index, 1),
)
def gathers_many(t, dtype):
    x, index = t.randn((1024, 2048), dtype), t.randint((1024, 2048), "i64", 0, 2048)
    return t.call("torch.gather", x, 1, index)


@case("torch.gather", core=False, reference="none")
def gather_refuses(t):
    """A floating index, another number of axes, an index larger along another axis, no such axis."""
    x, index = t.randn((4, 6), "f32"), t.randint((4, 3), "i64", 0, 4)
    t.raises(RuntimeError, t.call, "torch.gather", x, 1, index.float())
    t.raises(RuntimeError, t.call, "torch.gather", x, 1, index[0])
    t.raises(RuntimeError, t.call, "torch.gather", x, 1, index.repeat(2, 1))
    t.raises(IndexError, t.call, "torch.gather", x, 2, index)
    given = t.fw.zeros((4, 3), dtype=t.fw.int64, device=t.device)
    t.raises(RuntimeError, t.call, "torch.gather", x, 1, index, out=given)


# --- topk


@case(
    "torch.topk",
    dtypes="f32 bf16",
    dim=[-1],
    grad=True,
    reference=with_gradient(
        lambda np, x, dim: right.topk(np, x, 5, dim),
        lambda np, w, x, dim: right.topk_pull(np, w, x, 5, dim),
    ),
)
@case(
    "torch.topk",
    dtypes="f64",
    dim=[-1, 0],
    grad=True,
    core=False,
    reference=with_gradient(
        lambda np, x, dim: right.topk(np, x, 5, dim),
        lambda np, w, x, dim: right.topk_pull(np, w, x, 5, dim),
    ),
)
def gradient(t, dtype, dim):
    return t.call("torch.topk", t.distinct((7, 18), dtype), 5, dim)


@case(
    "torch.topk",
    dtypes="f16 f64 i8",
    dim=[-1],
    core=False,
    name="forward",
    reference=lambda np, x, dim: right.topk(np, x, 5),
)
@case(
    "torch.topk",
    dtypes="f32 bf16 i64 i32",
    dim=[-1, 0],
    name="forward",
    reference=lambda np, x, dim: right.topk(np, x, 5, dim),
)
def topk(t, dtype, dim):
    """Values and their places, the greatest first."""
    made = t.call("torch.topk", t.distinct((7, 18), dtype), 5, dim)
    t.expect(made.values is made[0] and made.indices is made[1], "a named tuple")
    t.expect(made.indices.dtype is t.fw.int64, "int64 places")
    return tuple(made)


@case(
    "torch.topk",
    dtypes="f32 bf16 i64 u8",
    core="f32",
    reference=lambda np, x: right.topk(np, x, 4, 1, False),
)
def smallest(t, dtype):
    return tuple(t.call("torch.topk", t.distinct((6, 30), dtype), 4, dim=1, largest=False))


@case(
    "torch.topk",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [np.sort(x, 1)[:, -6:], np.sort(x, 1)[:, -6:]],
)
def in_any_order(t, dtype):
    """sorted=False leaves the order open: the same values, at the places that are said."""
    x = t.distinct((5, 40), dtype)
    values, places = t.call("torch.topk", x, 6, sorted=False)
    return [values.sort(1)[0], x.gather(1, places).sort(1)[0]]


@case(
    "torch.topk",
    dtypes="f32 i64",
    k=[0, 1, 9],
    trivial=True,
    core=False,
    reference=lambda np, x, k: right.topk(np, x, k),
)
def none_one_all(t, dtype, k):
    return tuple(t.call("torch.topk", t.distinct((4, 9), dtype), k))


@case("torch.topk", dtypes="f32 i64", core=False, reference=lambda np, x: np.sort(x, 1)[:, :-6:-1])
def with_ties(t, dtype):
    """Of equal numbers either may come first: the values are the same, and the places have them."""
    x = t.randint((6, 50), dtype, 0, 30)
    values, places = t.call("torch.topk", x, 5)
    t.expect(bool((t.host(x.gather(1, places)) == t.host(values)).all()), "values at their places")
    t.expect(all(len(set(row)) == 5 for row in t.host(places).tolist()), "each place once")
    return values


@case("torch.topk", dtypes="f32 bf16", core=False, reference=lambda np, x: (
      np.array([NAN, INF, 2]), np.array([1, 4, 0]), np.array([-INF, -1, 0.5]), np.array([2, 5, 3])))  # fmt: skip
def nan_counts_as_greatest(t, dtype):
    x = t.const([2.0, NAN, -INF, 0.5, INF, -1.0], dtype)
    return (*t.call("torch.topk", x, 3), *t.call("torch.topk", x, 3, largest=False))


@case(
    "torch.topk",
    dtypes="f32",
    core=False,
    reference=lambda np, x, one: (*right.topk(np, x.T, 3, 0), one, np.zeros(())),
)
def topk_strided_and_scalar(t, dtype):
    x, one = t.distinct((7, 11), dtype, noncontiguous=True), t.randn((), dtype)
    return (*t.call("torch.topk", x.mT, 3, 0), *t.call("torch.topk", one, 1))


@case("torch.topk", dtypes="f32", core=False, reference=lambda np, x: right.topk(np, x, 3) * 2)
def topk_into_out(t, dtype):
    values = t.fw.zeros((6, 3), dtype=t.dtype(dtype), device=t.device)
    places = t.fw.zeros((6, 3), dtype=t.fw.int64, device=t.device)
    made = t.call("torch.topk", t.distinct((6, 20), dtype), 3, out=(values, places))
    return (*made, values, places)


@case(
    "torch.topk",
    dtypes="f32",
    core=False,
    reference=lambda np, *xs: [right.topk(np, x, 3, 0) for x in xs],
)
def topk_of_three_sizes(t, dtype):
    return [tuple(t.call("torch.topk", t.distinct((n, 7), dtype), 3, 0)) for n in (5, 8, 13)]


@case(
    "torch.topk",
    dtypes="f32",
    large=True,
    reference=lambda np, x: np.sort(np.partition(x, -16, 1)[:, -16:], 1)[:, ::-1],
)
def topk_of_many(t, dtype):
    """The values alone: of 4096 floats in a row some are equal."""
    return t.call("torch.topk", t.randn((1024, 4096), dtype), 16)[0]


@case("torch.topk", core=False, reference="none")
def topk_refuses(t):
    """More than there are, a negative number, no such axis, complex numbers."""
    x = t.randn((4, 6), "f32")
    t.raises(RuntimeError, t.call, "torch.topk", x, 7)
    t.raises(RuntimeError, t.call, "torch.topk", x, -1)
    t.raises(IndexError, t.call, "torch.topk", x, 2, 2)
    t.raises((RuntimeError, NotImplementedError), t.call, "torch.topk", t.randn((4,), "c64"), 1)
