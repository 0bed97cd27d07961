"""What is asked of methods by seldom used arguments, and what they refuse: add_, mul_, masked_fill, zero_, new_zeros, type_as,
numpy, t, expand_as."""

import warnings

from seamark_suites.case import case

from .methods_in_place import OF, SUMS
from .pointwise import INF, NAN, each
from .reference import with_gradient

# --- add_, mul_


@each(SUMS, lambda function: lambda np, x, y, wide, base, given: [
      OF[function](np, x, y.conj()), OF[function](np, base.conj(), given), OF[function](np, base, given.conj()),
      OF[function](np, x.T, wide)], dtypes="c64 c128", core=False)  # fmt: skip
def changed_by_lazy_views(t, dtype, function):
    """By a conjugate; a conjugate itself, whose memory then has the conjugate of the result; by real numbers of a wider dtype."""
    x, y, wide = t.randn((4, 3), dtype), t.randn((4, 3), dtype), t.randn((3, 4), "f64")
    base, given = t.randn((5,), dtype), t.randn((5,), dtype)
    turned = x.clone().mT
    made = t.call(function, base.conj(), given)
    return [t.call(function, x, y.conj()), made, base, t.call(function, turned, other=wide)]


@each(SUMS, core=False)
def change_refuses_overlaps(t, function):
    """Memory that is read while it is written; complex numbers in real ones; text, nothing."""
    x = t.randn((5,), "f32")
    t.raises(RuntimeError, t.call, function, x[1:], x[:-1])
    t.raises(RuntimeError, t.call, function, x, t.randn((5,), "c64"))
    t.raises(TypeError, t.call, function, x, "1")
    t.raises(TypeError, t.call, function, x)


@each(SUMS, lambda function: lambda np, one, other, x, y: [OF[function](np, one, other), OF[function](np, x, y)],
      dtypes="f32 i64", core=False)  # fmt: skip
def changed_in_other_memory(t, dtype, function):
    """Of no axes, which a vector does not widen; channels last by a plain tensor, and it stays so."""
    one, other = t.randint((), dtype, 2, 9), t.randint((), dtype, 2, 9)
    x, y = t.randn((2, 3, 4, 5), dtype), t.randn((2, 3, 4, 5), dtype)
    t.raises(RuntimeError, t.call, function, one, y[0, 0, 0])
    last = x.contiguous(memory_format=t.fw.channels_last)
    made = t.call(function, last, y)
    t.expect(made.is_contiguous(memory_format=t.fw.channels_last), "channels last")
    return [t.call(function, one, other), made]


# --- masked_fill

FILL = "torch.Tensor.masked_fill"


@case(FILL, dtypes="f32 i64 c64", core=False, reference=lambda np, x, row, one, yes, value: [
      np.where(row, 10, x), np.full((), 10), one, np.where(yes, value, x), x, np.where(row, 10, one),
      np.where(row, value, np.broadcast_to(x[:1], (5, 3)))])  # fmt: skip
def by_a_row_or_one_truth(t, dtype):
    """A mask of one row, of one truth; one number, which a larger mask widens; a value in a tensor; rows that are one in memory."""
    x, row = t.randn((4, 3), dtype), t.const([True, False, True], "bool")
    one, yes, value = t.const(3, dtype), t.const(True, "bool"), t.const(-2, dtype)
    return [
        t.call(FILL, x, row, 10),
        t.call(FILL, one, yes, 10),
        t.call(FILL, one, ~yes, 10),
        t.call(FILL, x, yes, value),
        t.call(FILL, x, ~yes, value=10),
        t.call(FILL, one, mask=row, value=10),
        t.call(FILL, x[:1].expand(5, 3), row, value),
    ]


@case(FILL, dtypes="f32 c64", grad=True, core=False, reference=with_gradient(
      lambda np, x, mask: np.where(mask, 0.5, x), lambda np, w, x, mask: (w * ~mask).sum(0), of=[0]))  # fmt: skip
def gradient_of_what_is_broadcast(t, dtype):
    return t.call(FILL, t.randn((5,), dtype), t.randn((4, 5), "bool"), 0.5)


@case(FILL, dtypes="i8 i16 bool", core=False, reference=lambda np, x, mask, value: [
      np.where(mask, np.asarray(1).astype(x.dtype), x), np.where(mask, value.astype(x.dtype), x)])  # fmt: skip
def fills_small_kinds(t, dtype):
    """The dtype stays, whatever that of the value."""
    x, mask, value = t.randn((40,), dtype), t.randn((40,), "bool"), t.const(0, "i64")
    made = [t.call(FILL, x, mask, 1), t.call(FILL, x, mask, value)]
    t.expect(all(one.dtype is x.dtype for one in made), "the dtype of the tensor")
    return made


@case(FILL, core=False, reference="none")
def fill_refuses_what_it_cannot_hold(t):
    """A complex value of real numbers, of integers; text; no value."""
    x, mask = t.randn((2, 3), "f32"), t.const([True, False, True], "bool")
    t.raises(RuntimeError, t.call, FILL, x, mask, 1j)
    t.raises(RuntimeError, t.call, FILL, t.randn((2, 3), "i64"), mask, t.const(1j, "c64"))
    t.raises(TypeError, t.call, FILL, x, mask, "1")
    t.raises(TypeError, t.call, FILL, x, mask)


# --- zero_

ZERO = "torch.Tensor.zero_"


def _rest_doubled(np, x):
    return np.where(np.arange(5)[:, None] % 2 == 0, 0, 2 * x)


@case(ZERO, dtypes="f32 f64 c64", grad=True, core=False, reference=with_gradient(
      _rest_doubled, lambda np, w, x: np.where(np.arange(5)[:, None] % 2 == 0, 0, 2 * w)))  # fmt: skip
def cuts_a_part_of_the_graph(t, dtype):
    """What is set to zero has no gradient, the rest goes on."""
    zero = t.get(ZERO)

    def run(x):
        made = 2 * x
        zero(made[::2])
        return made

    return t.call(run, t.randn((5, 3), dtype))


@case(ZERO, dtypes="f32 bf16", core=False, reference=lambda np, x, w: [w, x])
def starts_gradients_anew(t, dtype):
    """As before the next step: what a gradient had is gone, and the leaf stays."""
    x, w = t.uniform((4, 3), dtype, 1, 2, grad=True), t.uniform((4, 3), dtype, 1, 2)
    (x * x).sum().backward()
    held = x.grad
    t.expect(t.call(ZERO, x.grad) is held, "the gradient itself")
    t.expect(not t.host(held).any(), "zeros")
    (x * w).sum().backward()
    return [x.grad, x.detach()]


@case(ZERO, dtypes="i8 i16 i32 c128", core=False, reference=lambda np, x, y, one, *rest: [
      np.concatenate([x[:, :1], 0 * x[:, 1:3], x[:, 3:]], 1), np.where(np.arange(6) < 2, 0, y), 0 * one])  # fmt: skip
def zeros_in_other_memory(t, dtype):
    """Channels of channels last, columns of a transpose, one number, nothing; a leaf under no_grad; the version counts."""
    x, y = t.randn((2, 4, 3, 5), dtype), t.randn((4, 6), dtype)
    one, none = t.const(7, dtype), t.randn((0, 3), dtype)
    last = x.contiguous(memory_format=t.fw.channels_last)
    before = last._version
    for part in (last[:, 1:3], y.mT[:2]):
        t.expect(t.call(ZERO, part) is part, "the tensor itself")
    t.expect(last._version > before, "a change that is known")
    t.expect(last.is_contiguous(memory_format=t.fw.channels_last), "channels last")
    t.expect(tuple(t.call(ZERO, none).shape) == (0, 3), "nothing of nothing")
    leaf = t.randn((3,), "f32", grad=True)
    with t.fw.no_grad():
        t.expect(t.call(ZERO, leaf) is leaf, "the leaf itself")
    t.expect(leaf.requires_grad and not t.host(leaf).any(), "a leaf of zeros")
    return [last, y, t.call(ZERO, one)]


@case(ZERO, dtypes="f32", core=False, reference=lambda np, *xs: [np.where(np.arange(7) < 3, 0, x) for x in xs])  # fmt: skip
def zeros_of_three_sizes(t, dtype):
    made = [t.randn((n, 7), dtype) for n in (5, 8, 13)]
    for x in made:
        part = x[:, :3]
        t.expect(t.call(ZERO, part) is part, "the tensor itself")
    return made


# --- new_zeros

NEW = "torch.Tensor.new_zeros"


@case(NEW, dtypes="f16 i8 i16 i32 c128", core=False, reference="none")
def new_zeros_of_each_size(t, dtype):
    """Of a transpose, of a number, of nothing: in order, and no memory of another."""
    x = t.randn((5, 4), dtype)
    likes = x.mT, x[0, 0], x[:0]
    sizes = ((), ()), ((0,), (0,)), ((2, 0), (2, 0)), (([3, 4],), (3, 4)), ((t.fw.Size([4, 2]),), (4, 2)), ((1, 1, 12), (1, 1, 12))  # fmt: skip
    for like in likes:
        for args, want in sizes:
            made = t.call(NEW, like, *(args or ((),)))
            t.expect(tuple(made.shape) == want and made.is_contiguous(), "%s in order" % (want,))
            t.expect(made.dtype is x.dtype and made.device == x.device, "as the tensor")
            t.expect(not t.host(made).any(), "zeros")
    first, second = t.call(NEW, x, 300), t.call(NEW, x, 300)
    first.fill_(3)
    t.expect(not t.host(second).any() and bool((t.host(first) == 3).all()), "memory of its own")


@case(NEW, dtypes="f32 bf16 i64", core=False, reference=lambda np, x: np.pad(x, ((1, 1), (0, 0))))
def holds_a_part(t, dtype):
    """As padding is made: rows are written into it."""
    new = t.get(NEW)

    def run(x):
        made = new(x, (6, 3))
        made[1:5] = x
        return made

    return t.call(run, t.randn((4, 3), dtype))


@case(NEW, dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
      lambda np, x: np.pad(2 * x, ((1, 1), (0, 0))), lambda np, w, x: 2 * w[1:-1]))  # fmt: skip
def holds_a_part_with_a_gradient(t, dtype):
    new = t.get(NEW)

    def run(x):
        made = new(x, 6, 3)
        made[1:5] = 2 * x
        return made

    return t.call(run, t.randn((4, 3), dtype))


@case(NEW, dtypes="f32", core=False, reference=lambda np, *xs: [
      *(np.concatenate([x, np.zeros((2, 4))]) for x in xs[:3]), np.pad(xs[3], ((0, 0), (0, 2)))])  # fmt: skip
def joined_of_three_sizes(t, dtype):
    """One size after another, and within vmap."""
    new, cat = t.get(NEW), t.fw.cat
    made = [t.call(lambda x: cat([x, new(x, (2, 4))]), t.randn((n, 4), dtype)) for n in (5, 8, 13)]
    every = t.get("torch.vmap")(lambda x: cat([x, new(x, 2)]))
    return [*made, t.call(every, t.randn((3, 4), dtype))]


@case(NEW, core=False, reference="none")
def new_zeros_elsewhere(t):
    """On another device and in another dtype; a fraction as a size, integers that ask for a gradient."""
    x = t.randn((3,), "f32", grad=True)
    made = t.call(NEW, x, (2, 2), dtype=t.fw.float64, device="cpu")
    t.expect(made.device.type == "cpu" and made.dtype is t.fw.float64, "f64 on the host")
    t.expect(made.tolist() == [[0, 0], [0, 0]] and not made.requires_grad, "plain zeros")
    t.raises(TypeError, t.call, NEW, x, 2.5)
    t.raises(TypeError, t.call, NEW, x)
    t.raises(RuntimeError, t.call, NEW, x, 2, dtype=t.fw.int64, requires_grad=True)


# --- type_as

TYPE_AS = "torch.Tensor.type_as"
# What lies between two numbers of the dtype, and what it becomes: of two that are as near the even one.
ROUNDED = {
    "bf16": ([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-12, -1 - 2**-8, 3.4e38], [1, 1 + 2**-6, 1 + 2**-7, -1, INF]),
    "f16": ([1 + 2**-11, 1 + 3 * 2**-11, 65519, 65520, -1e6, 2**-25], [1, 1 + 2**-9, 65504, INF, -INF, 0]),
    "f32": ([2**24 + 1, 2**24 + 3, -(2**24) - 1, 2**40], [2**24, 2**24 + 4, -(2**24), 2**40]),
}  # fmt: skip


@case(TYPE_AS, dtypes="bf16 f16 f32", core=False, reference="none")
def rounds_to_even(t, dtype):
    """f32 to the halves, int64 to f32: beyond the largest is infinity."""
    given, want = ROUNDED[dtype]
    x = t.const(given, "i64" if dtype == "f32" else "f32")
    made = t.call(TYPE_AS, x, t.const([1.0], dtype))
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the other")
    found = t.host(made).tolist()
    t.expect(found == want, "%s, got %s" % (want, found))


@case(TYPE_AS, core=False, reference=lambda np, x, yes, z, *others: [
      np.array([True, True, True, False, False, True]), yes * 1.0, yes * 1, x + 0j, z.real])  # fmt: skip
def to_and_from_other_kinds(t):
    """Truth: of NaN, too, of no zero; numbers of truth; complex numbers of real ones, of which the real part is left."""
    x = t.const([NAN, INF, -1e-30, 0.0, -0.0, 2.0], "f32")
    yes, z = t.const([True, False, True, True], "bool"), t.randn((9,), "c64")
    others = [t.const([1], one) for one in ("bool", "f16", "i8", "c64", "f32")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [
            t.call(TYPE_AS, one, other) for one, other in zip((x, yes, yes, x, z), others)
        ]  # that the imaginary part is gone is warned of
    t.expect([one.dtype for one in made] == [one.dtype for one in others], "dtypes of the others")
    return made


@case(TYPE_AS, dtypes="f32 i64", core=False, trivial=True, reference=lambda np, x, one, none, y: [x.T, x[:, ::2], one, none, np.broadcast_to(x[:1], (3, 4))])  # fmt: skip
def keeps_sizes_and_order(t, dtype):
    """A transpose stays one; gaps are closed; one number, nothing, what is broadcast."""
    x, one, none = t.randn((5, 4), dtype), t.randn((), dtype), t.randn((3, 0), dtype)
    other = t.const([[1.0]], "f64")
    made = [t.call(TYPE_AS, y, other) for y in (x.mT, x[:, ::2], one, none, x[:1].expand(3, 4))]
    t.expect(made[0].stride() == (1, 4) and made[1].is_contiguous(), "the order of the axes")
    return made


@case(TYPE_AS, dtypes="f32", core=False, reference=lambda np, *xs: [np.trunc(x) for x in xs[1:]])
def of_three_sizes_to_integers(t, dtype):
    other = t.const([1], "i32")
    return [t.call(TYPE_AS, t.uniform((n, 7), dtype, -9, 9), other) for n in (5, 8, 13)]


@case(TYPE_AS, core=False, reference="none")
def to_where_the_other_is(t):
    """From the host to the other's device; a copy where something changes; a dtype, a list, nothing raise."""
    other, host = t.randn((2,), "f64"), t.fw.arange(4.0)
    made = t.call(TYPE_AS, host, other)
    t.expect(made.device == other.device and made.dtype is other.dtype, "device and dtype")
    t.expect(t.host(made).tolist() == [0, 1, 2, 3], "the numbers")
    made.fill_(7)
    t.expect(host.tolist() == [0, 1, 2, 3], "a copy")
    t.expect(bool((t.host(made) == 7).all()), "what was written")
    made = t.call(TYPE_AS, host, t.fw.ones(2, dtype=t.fw.float64, device="meta"))
    t.expect(made.is_meta and made.shape == (4,) and made.dtype is t.fw.float64, "its size, on meta")  # fmt: skip
    for wrong in ((t.fw.float64,), ([1.0],), ()):
        t.raises(TypeError, t.call, TYPE_AS, host, *wrong)


# --- numpy

NUMPY = "torch.Tensor.numpy"


def _written(np, x):
    made = x.copy()
    made[1, ::2] = 7
    made[2] = 8
    return [made, made[1:, ::2]]


@case(NUMPY, dtypes="f32 i32 i16 i8 c128", host_only=True, core=False, reference=_written)
def written_on_either_side(t, dtype):
    """Documented: what is written to the array shows in the tensor, and the other way; of a part, with gaps."""
    x = t.randn((4, 6), dtype)
    array = t.call(NUMPY, x[1:, ::2])
    names = {"f32": "float32", "c128": "complex128"}
    t.expect(
        str(array.dtype) == names.get(dtype, "int" + dtype[1:]), "the dtype, got %s" % array.dtype
    )
    array[0] = 7
    x[2] = 8
    return [x, t.fw.from_numpy(array)]


@case(NUMPY, dtypes="f32 bool", host_only=True, core=False, reference="none")
def arrays_of_little(t, dtype):
    """One number, nothing, a row that is broadcast."""
    x = t.randn((3, 4), dtype)
    for one in (x[1, 2], x[:0], x[:, :0], x[:1].expand(5, 4)):
        made = t.call(NUMPY, one)
        t.expect(
            type(made) is t.np.ndarray and made.shape == tuple(one.shape), "an array of its size"
        )
        t.expect(made.tolist() == one.tolist(), "its numbers")
    t.expect(t.call(NUMPY, x[:1].expand(5, 4)).strides[0] == 0, "no step between the rows")


@case(NUMPY, host_only=True, core=False, reference="none")
def numpy_refuses_what_is_not_there(t):
    """Lazy conjugates and negatives, which force=True computes; what has no memory in order; sparse and bf16 with force, too."""
    x = t.randn((4,), "c64")
    for lazy, want in ((x.conj(), t.host(x).conj()), (x.conj().imag, -t.host(x).imag)):
        t.raises(RuntimeError, t.call, NUMPY, lazy)
        t.expect(bool((t.call(NUMPY, lazy, force=True) == want).all()), "the numbers, by force")
    for wrong in (t.fw.ones(3, device="meta"), t.fw.eye(3).to_sparse()):
        t.raises((TypeError, RuntimeError, NotImplementedError), t.call, NUMPY, wrong)
    for sparse in (t.fw.eye(3).to_sparse(), t.fw.eye(3).to_sparse_csr()):
        t.raises(TypeError, t.call, NUMPY, sparse, force=True)
    t.raises(TypeError, t.call, NUMPY, t.randn((3,), "bf16"), force=True)
    t.raises(TypeError, t.call, NUMPY, t.randn((3,), "f32"), True)


@case(NUMPY, dtypes="f32 i64", core=False, reference="none")
def by_force_from_the_device(t, dtype):
    """force=True: from any device, out of a graph; without it the tensor is on the host, or refused."""
    x = t.randn((5, 6), dtype, grad=dtype == "f32")
    want = 2 * t.host(x)
    made = t.call(NUMPY, (2 * x).mT, force=True)
    t.expect(type(made) is t.np.ndarray and made.shape == (6, 5), "an array")
    t.expect(bool((made == want.T).all()), "the numbers")
    if x.device.type != "cpu":
        t.raises(TypeError, t.call, NUMPY, x.detach())


# --- t, expand_as

T, EXPAND_AS = "torch.Tensor.t", "torch.Tensor.expand_as"


@case(T, dtypes="f32 c64", grad=True, core=False, reference=with_gradient(
      lambda np, x, y, z: [x.T, y, z], lambda np, w, x, y, z: (w[0].T, w[1], w[2])))  # fmt: skip
def gradient_of_each_rank(t, dtype):
    """Of a matrix, a vector, a number."""
    turn = t.get(T)
    given = [t.randn(shape, dtype) for shape in ((3, 4), (5,), ())]
    return t.call(lambda *all: [turn(one) for one in all], *given)


@case(T, dtypes="f32 c64", core=False, reference=lambda np, x, y: [
      np.where(np.arange(3) == 1, 7, x.T), np.where(np.arange(3)[:, None] == 1, 7, x), y.conj().T, y])  # fmt: skip
def written_through(t, dtype):
    """What is written to the view shows in the matrix; of a conjugate, twice."""
    x, y = t.randn((3, 4), dtype), t.randn((2, 5), dtype)
    made = t.call(T, x)
    made[:, 1] = 7
    return [made, x, t.call(T, y.conj()), t.call(T, t.call(T, y))]


@case(T, dtypes="f32", core=False, reference=lambda np, x: x.T)
def exchanges_the_strides(t, dtype):
    x = t.randn((3, 4), dtype)
    made = t.call(T, x)
    t.expect(made.stride() == (1, 4) and made._base is x, "a view with the strides exchanged")
    return made


@case(T, dtypes="f32 i64", core=False, reference=lambda np, x, kept: (x * kept).T)
def of_a_sparse_matrix(t, dtype):
    made = t.call(T, (t.randn((4, 6), dtype) * t.randn((4, 6), "bool")).to_sparse())
    t.expect(made.is_sparse and tuple(made.shape) == (6, 4), "a sparse matrix")
    return made.to_dense()


@case(T, core=False, reference="none")
def t_takes_no_arguments(t):
    t.raises(TypeError, t.call, T, t.randn((2, 3), "f32"), 0)
    t.raises(TypeError, t.call, T, [[1.0]])


@case(EXPAND_AS, dtypes="f32 i64 bool", core=False, trivial=True, reference=lambda np, x, one, row, y, *likes: [
      np.broadcast_to(one, (2, 3)), row, np.zeros((0, 3)), np.broadcast_to(x[:, ::2][:, None], (4, 5, 3)), np.broadcast_to(y.T, (2, 1, 4)),
      one])  # fmt: skip
def of_little_and_of_views(t, dtype):
    """One number, the same size, to nothing; of gaps with an axis between, of a transpose; to the size of a number."""
    x, one, row, y = (t.randn(shape, dtype) for shape in ((4, 6), (), (1, 3), (4, 1)))
    sizes = (2, 3), (1, 3), (0, 3), (4, 5, 3), (2, 1, 4), ()
    likes = [t.randn(size, "f32") for size in sizes]
    given = one, row, row, x[:, ::2][:, None], y.mT, one
    return [t.call(EXPAND_AS, *pair) for pair in zip(given, likes)]


@case(EXPAND_AS, dtypes="f64 c64 f16", grad=True, core=False, reference=with_gradient(
      lambda np, x, one, like: [np.broadcast_to(x, (3, 2, 4)), np.broadcast_to(one, (3, 2, 4))],
      lambda np, w, x, one, like: (w[0].sum(0, keepdims=True).sum(2, keepdims=True)[0], w[1].sum()), of=[0, 1]))  # fmt: skip
def gradient_of_a_number_and_a_column(t, dtype):
    """What was repeated is summed."""
    widen = t.get(EXPAND_AS)
    x, one, like = t.randn((2, 1), dtype), t.randn((), dtype), t.randn((3, 2, 4), "i64")
    return t.call(lambda x, one, like: [widen(x, like), widen(one, like)], x, one, like)


@case(EXPAND_AS, dtypes="f32", core=False, reference=lambda np, *xs: [
      np.broadcast_to(x, y.shape) for x, y in zip(xs[::2], xs[1::2])])  # fmt: skip
def expanded_to_three_sizes(t, dtype):
    sizes = [(n, 7) for n in (5, 8, 13)]
    return [t.call(EXPAND_AS, t.randn((7,), dtype), t.randn(size, dtype)) for size in sizes]


@case(
    EXPAND_AS, dtypes="f32", core=False, reference=lambda np, x, y: np.broadcast_to(2 * x, (3, 4))
)
def follows_what_it_views(t, dtype):
    """What is written to the tensor shows in each place; several places of one number are not written."""
    x, y = t.randn((3, 1), dtype), t.randn((3, 4), dtype)
    made = t.call(EXPAND_AS, x, y)
    x.mul_(2)
    t.raises(RuntimeError, made.add_, 1)
    return made


@case(EXPAND_AS, core=False, reference="none")
def expand_as_refuses(t):
    """Fewer axes, another size, a list, a size."""
    x = t.randn((2, 3), "f32")
    t.raises(RuntimeError, t.call, EXPAND_AS, x, t.randn((3,), "f32"))
    t.raises(RuntimeError, t.call, EXPAND_AS, x, t.randn((0, 3), "f32"))
    for wrong in (([1.0],), ((2, 3),), ()):
        t.raises(TypeError, t.call, EXPAND_AS, x, *wrong)


@case(FILL, core=False, reference="none")
def fills_what_the_dtype_holds(t):
    """A number beyond the dtype is refused, in a tensor too; a fraction loses its digits in integers; bytes are no mask."""
    mask, wide = t.const([True, False, True], "bool"), t.fw.tensor(1e40, dtype=t.fw.float64)
    beyond = (
        ("u8", 300),
        ("i8", -129),
        ("i16", 2**15),
        ("f16", 1e6),
        ("f32", 1e40),
        ("f32", wide),
        ("i64", NAN),
    )
    for kind, wrong in beyond:
        t.raises(RuntimeError, t.call, FILL, t.const([1, 2, 3], kind), mask, wrong)
    t.raises(RuntimeError, t.call, FILL, t.const([1, 2, 3], "f32"), mask.to(t.fw.uint8), 1)
    for kind, value, want in (("i64", 2.75, 2), ("i8", -128, -128), ("bool", 3, 1), ("i64", 2**62 + 1, 2**62 + 1), ("u8", 255, 255)):  # fmt: skip
        for one in (value, t.fw.tensor(value, device=t.device)):
            made = t.call(FILL, t.const([1, 0, 1], kind), mask, one)
            t.expect(t.host(made).tolist() == [want, 0, want], "%r in %s" % (value, kind))
