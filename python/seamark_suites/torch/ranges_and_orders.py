"""Numbers over the whole range of their dtype, and tensors whose axes lie in memory in any order."""

import warnings
from itertools import permutations

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from . import methods, pointwise, values_and_kinds
from . import reference_pointwise as right
from .methods import free, like
from .pointwise import each
from .reference import with_gradient

INF, NAN = float("inf"), float("nan")
T = "torch.Tensor."

# --- functions of one number; first what other functions of this kind are asked

WAVES, ALL = "sin cos Tensor.cos", "sin cos Tensor.cos log Tensor.log abs"


def _of_lengths(function):
    return lambda np, x: [
        right.of(free(function))(np, x[1 : n + 1]) for n in values_and_kinds.LENGTHS
    ]


each(ALL, _of_lengths, dtypes="f64 f16 c64", core=False)(values_and_kinds.lengths_beside_a_vector)
each("abs", _of_lengths, dtypes="i8 i32", core=False)(values_and_kinds.lengths_beside_a_vector)
each("abs", lambda _: lambda np, x, kept: [abs(x * kept)] * 2, dtypes="c64", core=False)(
    values_and_kinds.of_sparse_numbers
)
each("Tensor.cos Tensor.log", like(right.of), dtypes="f16 f64", core=False)(methods.special_values)
each("sin cos abs", right.of, dtypes="f16", core=False)(pointwise.special_values)


def _scaled(function):
    return lambda np, x, scale: right.of(free(function))(np, x * scale)


@each(WAVES, _scaled, dtypes="f32 f64 f16 bf16", core=False)
def over_many_turns(t, dtype, function):
    """Of both signs, from a thousandth to some hundreds."""
    scale = t.const([[2.0**k] for k in range(-10, 7)], dtype)
    return t.call(function, t.randn((17, 25), dtype) * scale)


@each("log Tensor.log abs", _scaled, dtypes="f32 f64 f16 bf16", core=False)
def over_the_whole_range(t, dtype, function):
    """Of each size that the dtype has with all digits."""
    least, most = {"f16": (-14, 15), "f64": (-1022, 1023)}.get(dtype, (-126, 127))
    scale = t.const([[2.0**k] for k in range(least, most, (most - least) // 28)], dtype)
    x = t.uniform((29, 25), dtype, 1, 2) * scale[:29]
    made = t.call(function, -x if function == "torch.abs" else x)
    t.expect(function != "torch.abs" or bool((t.host(made) == t.host(x)).all()), "exactly")
    return made


@each(ALL, like(right.of), dtypes="i8 i64", core=False)
def of_integers_of_both_signs(t, dtype, function):
    """Logarithms of negative ones are NaN."""
    return t.call(function, t.randint((67,), dtype, -99, 99))


@each(WAVES, lambda function: lambda np, x, y: right.of(free(function))(np, x.real + 1j * y.real),
      dtypes="c64 c128", core=False, rtol={"c64": 1e-5})  # of both parts' errors # fmt: skip
def of_strips(t, dtype, function):
    """Real parts of many turns, imaginary ones that grow to e^9."""
    x, y = t.uniform((40, 5), dtype, -50, 50), t.uniform((40, 5), dtype, -9, 9)
    return t.call(function, t.fw.complex(x.real, y.real))


@case(
    "torch.abs", dtypes="f32 f64 bf16 f16", core=False, trivial=True, reference=lambda np, x: abs(x)
)
def zeros_of_either_sign(t, dtype):
    """129 zeros, of which every other has a sign, and not one when it is taken."""
    made = t.call("torch.abs", t.const([-0.0, 0.0] * 64 + [-0.0], dtype))
    t.expect(not t.np.signbit(t.host(made)).any(), "no sign")
    return made


@case("torch.abs", dtypes="c64 c128", core=False, reference=lambda np, x: [abs(x)] * 4)
def sizes_whose_squares_are_none(t, dtype):
    """Beyond what squares hold, and below: each is scaled back exactly."""
    far = 100 if dtype == "c64" else 900
    size, x = t.get("torch.abs"), t.randn((30, 7), dtype)
    return t.call(lambda x: [size(x * 2.0**k) * 2.0**-k for k in (far, far // 2, -far // 2, -far)], x)  # fmt: skip


@case("torch.abs", dtypes="c64 c128", core=False, rtol={"c64": 1e-5}, reference=lambda np, x, w, v: (
      abs(x), w.real * x / abs(x), (w.real / abs(x)) * (v - x * (x.conj() * v).real / abs(x) ** 2)))  # fmt: skip
def second_order_of_sizes(t, dtype):
    """The direction of a number turns with what is across it."""
    x = t.uniform((20,), dtype, 0.5, 2, grad=True)
    w, v = t.uniform((20,), dtype, 0.5, 2), t.uniform((20,), dtype, 0.5, 2)
    made = t.call("torch.abs", x)
    first = t.fw.autograd.grad((w.real * made).sum(), x, create_graph=True)[0]
    return made, first, t.fw.autograd.grad((v.conj() * first).real.sum(), x)[0]


# --- add_, mul_

SUMS = "Tensor.add_ Tensor.mul_"


def _two(function):
    return (lambda x, y: x + y) if function.endswith("add_") else (lambda x, y: x * y)


def _wrapped(kind):
    def reference(function):
        two, cut = _two(function), lambda made: made.astype(kind)
        return lambda np, x, y: [
            cut(two(*(one.astype("int64") for one in pair)))
            for pair in ((x, y), (x, np.asarray(101)), (x.T, y.T))
        ]

    return reference


def wraps_around(t, dtype, function):
    """Integers beyond the last go on with the first."""
    bits = int(dtype[1:])
    low, high = (0, 256) if dtype == "u8" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    x, y = t.randint((9, 67), dtype, low, high), t.randint((9, 67), dtype, low, high)
    pairs = (x.clone(), y), (x.clone(), 101), (x.clone().mT, y.mT)
    return [t.call(function, *pair) for pair in pairs]


for one, kind in (("i8", "int8"), ("i16", "int16"), ("i32", "int32"), ("i64", "int64"), ("u8", "uint8")):  # fmt: skip
    each(SUMS, _wrapped(kind), dtypes=one, core=False)(wraps_around)


def _of_each_length(function):
    two = _two(function)
    return lambda np, x, y: [
        np.concatenate([x[:1], two(x[1 : n + 1], y[2 : n + 2]), x[n + 1 :]])
        for n in values_and_kinds.LENGTHS
    ]


@each(SUMS, _of_each_length, dtypes="f32 bf16 f16 c64 i16", core=False)
def changes_each_length(t, dtype, function):
    """Less and more than a register takes, from addresses that are not aligned; what lies beside stays."""
    change, x, y = t.get(function), t.randn((70,), dtype), t.randn((70,), dtype)

    def run(x, y):
        made = [x.clone() for _ in values_and_kinds.LENGTHS]
        for one, n in zip(made, values_and_kinds.LENGTHS):
            change(one[1 : n + 1], y[2 : n + 2])
        return made

    return t.call(run, x, y)


@each(SUMS, lambda function: lambda np, z, x, whole, yes: [
      _two(function)(z, one) for one in (x, whole, yes, 2.5, 1 - 2j)] + [_two(function)(whole, yes)], dtypes="c64 c128", core=False)  # fmt: skip
def takes_narrower_kinds(t, dtype, function):
    """Complex numbers take fractions, integers, truths and numbers of Python; integers take truths."""
    z, x = t.randn((6, 9), dtype), t.randn((9,), "f64")
    whole, yes = t.randint((6, 9), "i8", -9, 9), t.randn((6, 1), "bool")
    made = [t.call(function, z.clone(), one) for one in (x, whole, yes, 2.5, 1 - 2j)]
    t.expect(all(one.dtype is z.dtype for one in made), "the dtype of the tensor")
    return [*made, t.call(function, whole.clone(), yes)]


@each(SUMS, core=False)
def refuses_wider_kinds(t, function):
    """Fractions in integers, of a tensor with axes or without; integers in truths; complex numbers in real ones."""
    whole, yes, x = t.randint((3,), "i64", 1, 9), t.randn((3,), "bool"), t.randn((3,), "f32")
    for one, other in ((whole, x), (whole, x[0]), (yes, 1), (yes, 0.5), (x, 1j), (whole, 1j)):
        t.raises(RuntimeError, t.call, function, one, other)
    if function == T + "add_":
        t.raises(RuntimeError, t.call, function, x, x.clone(), alpha=True)
        t.raises(RuntimeError, t.call, function, whole, whole.clone(), alpha=1j)


@each(SUMS, lambda function: lambda np, x, y: np.array(
      [INF, INF, -INF, 65504, 0, 2] if function == T + "add_" else [INF, INF, -INF, 65504, 0, -2.0**-24]), dtypes="f16", core=False)  # fmt: skip
def ends_of_half(t, dtype, function):
    """What rounds to more than the largest is infinite; the least is a number."""
    least = 2.0**-24
    given = {
        T + "add_": ([65504, 65504, -65504, 65504, least, 1], [65504, 16, -32, 8, -least, 1]),
        T + "mul_": ([65504, 4096, -4096, 32752, least, least], [2, 16, 16, 2, 0.25, -1]),
    }[function]
    return t.call(function, *(t.const(one, dtype) for one in given))


def _twice_and_by_one(function):
    two = _two(function)
    return lambda np, x, n: two(two(2 * x, 2 * x if function == T + "add_" else x), n)


@each(SUMS, lambda function: with_gradient(_twice_and_by_one(function)), dtypes="f32 f64 c64", grad=True, core=False, rtol={"c64": 1e-5})  # fmt: skip
def changed_by_itself(t, dtype, function):
    """A sum by itself, a product by what it is made of; then by one number, which gets the sum of the slopes."""
    change = t.get(function)

    def run(x, n):
        made = 2 * x
        return change(change(made, made if function == T + "add_" else x), n)

    return t.call(run, t.uniform((4, 5), dtype, 0.5, 1.5), t.uniform((), dtype, 0.5, 1.5))


@each(SUMS, lambda function: lambda np, x, kept, y, also: [_two(function)(x * kept, y * also) if function == T + "mul_" else x * kept + 3 * (y * also),
      x * kept * 2 if function == T + "mul_" else x * kept + y * also], dtypes="f32 f64 c64", core=False)  # fmt: skip
def of_two_sparse_ones(t, dtype, function):
    """Of what is kept in other places; a sum of what is kept by rows, a multiple."""
    x, kept, y, also = (t.randn((5, 6), one) for one in (dtype, "bool", dtype, "bool"))
    one, other = (x * kept).to_sparse(), (y * also).to_sparse()
    if function == T + "mul_":
        made = [t.call(function, one.clone(), other), t.call(function, one.clone(), 2)]
    else:
        rows = (x * kept).to_sparse_csr(), (y * also).to_sparse_csr()
        made = [t.call(function, one, other, alpha=3), t.call(function, *rows)]
    t.expect(all(one.layout is not t.fw.strided for one in made), "sparse results")
    return [one.to_dense() for one in made]


# --- sum

SUM, ORDERS = T + "sum", list(permutations(range(3)))
AXES = [0, 1, 2, (0, 1), (0, 2), (1, 2), (0, 1, 2)]


@case(SUM, dtypes="f32 f64 i64 bf16 c64", core=False, reference=lambda np, x: [
      x.transpose(order).sum(axes) for order in ORDERS for axes in AXES])  # fmt: skip
def in_any_order(t, dtype):
    """Of three axes, whichever lies innermost, along each and along several; one is no multiple of a register."""
    total, x = t.get(SUM), t.uniform((5, 6, 67), dtype, 1, 9)
    return t.call(lambda x: [total(x.permute(order), axes) for order in ORDERS for axes in AXES], x)


@case(SUM, core=False, reference=lambda np, x, whole: [
      x.sum(1), whole.sum().astype("uint8"), whole.sum(1).astype("int8"), x.sum()])  # fmt: skip
def in_a_narrower_dtype(t):
    """Sums that f16 does not hold on the way, but at the end; integers of eight bits wrap around."""
    fw, x = (
        t.fw,
        t.const(
            [[6e4, 51200, -6e4, -4e4, 8], [-6e4, -6e4, 6e4, 2e4, 1e4], [6e4, 0, 0, 4, 0]], "f32"
        ),
    )
    whole = t.randint((40, 30), "u8", 0, 256)
    made = [
        t.call(SUM, x, 1, dtype=fw.float16),
        t.call(SUM, whole, dtype=fw.uint8),
        t.call(SUM, whole, 1, dtype=fw.int8),
        t.call(SUM, x.half()),
    ]
    found, want = [one.dtype for one in made], [fw.float16, fw.uint8, fw.int8, fw.float16]
    t.expect(found == want, "the dtypes %s, got %s" % (want, found))
    return made


@case(SUM, dtypes="f32 bf16 c64", grad=True, core=False, reference=with_gradient(
      lambda np, x: x.sum((0, 2)), lambda np, w, x: w[None, :, None]))  # fmt: skip
def gradient_through_a_dtype(t, dtype):
    """dtype= is wider: the gradient is in the dtype of the input."""
    wide = t.fw.complex128 if dtype == "c64" else t.fw.float64
    made = t.call(lambda x: x.sum((0, 2), dtype=wide), t.randn((3, 4, 5), dtype))
    return made


@case(SUM, core=False, reference="none")
def sum_of_many_axes(t):
    """Of 64 axes some are summed; of 65 none can be."""
    x = t.const([1.5, 2.0, 4.0], "f32")
    made = t.call(SUM, x.reshape((1,) * 63 + (3,)), (0, 5, -1))
    t.expect(
        made.ndim == 61 and float(t.host(made).sum()) == 7.5, "7.5 with 61 axes, got %s" % made
    )
    t.raises((RuntimeError, IndexError), t.call, SUM, x[:1].reshape((1,) * 65), 0)


MANY_AXES = [(2, 3, 3, 3, 3, 2, 2, 3, 2, 3, 2, 3, 3), (4,) * 9, (1, 32770)]


@case(SUM, dtypes="f32 f64 i64", core=False, reference=lambda np, *xs: [
      made for x in xs for made in (x.sum(), *(x.sum(axis) for axis in range(x.ndim)))])  # fmt: skip
def of_many_axes(t, dtype):
    """Zeros and ones, which several threads share: exact along each of up to thirteen axes."""
    drawn = [t.randint(size, dtype, 0, 2) for size in MANY_AXES]
    return [made for x in drawn for made in (t.call(SUM, x), *(t.call(SUM, x, axis) for axis in range(x.ndim)))]  # fmt: skip


@case(SUM, dtypes="f32 bf16 f16 i32", core=False, reference=lambda np, x: [
      x[(slice(None, None, 2),) * 5].sum(axes) for axes in (None, 0, 1, 2, 3, 4, (0, 4), (1, 3))])  # fmt: skip
def of_gaps_along_each_axis(t, dtype):
    """Every other number of five axes."""
    x = t.uniform((6, 5, 4, 8, 34), dtype, 1, 9)[(slice(None, None, 2),) * 5]
    return [t.call(SUM, x), *(t.call(SUM, x, axes) for axes in (0, 1, 2, 3, 4, (0, 4), (1, 3)))]


KINDS = ["i16", "i32", "i64", "f32", "f64", "c64", "c128"]


@case(SUM, dtypes="u8 i16 i64 f32 c64", core=False, reference=lambda np, x: [
      made for to in KINDS for made in ((x if to[0] == "c" else x.real).sum(), (x if to[0] == "c" else x.real).sum(1))])  # fmt: skip
def in_each_dtype(t, dtype):
    """From each kind to each: a wider, a narrower, a complex one; the real part of complex numbers."""
    x, made = t.randint((5, 7), dtype, 1, 9), []
    x = x * (1 + 2j) - 2j * x if dtype == "c64" else x
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the imaginary part is gone is warned of
        for to in KINDS:
            found = [t.call(SUM, x, dtype=t.dtype(to)), t.call(SUM, x, 1, dtype=t.dtype(to))]
            t.expect(all(one.dtype is t.dtype(to) for one in found), "sums in " + to)
            made += found
    return made


@case(SUM, dtypes="c64 c128", core=False, reference=lambda np, x, y: [made for n in ENDS for made in (x.real.sum() + n, y.real.sum())])  # fmt: skip
def of_parts_that_are_none(t, dtype):
    """What one part has of NaN and infinities does not reach the other."""
    x, y, made = t.randn((9,), dtype), t.randn((9,), dtype), []
    for number in ENDS:
        parts = t.fw.cat([x.real, t.fw.full_like(x.real[:1], number)]), t.fw.cat([y.real, x.real[:1] * 0])  # fmt: skip
        found = t.call(SUM, t.fw.complex(*parts))
        made += [found.real, found.imag]
    return made


ENDS = [0.0, 1.0, NAN, INF, -INF]


# --- permute, reshape

PERMUTE, RESHAPE = T + "permute", T + "reshape"
FOURS = list(permutations(range(4)))


def _permuted_pull(np, w, x):
    return sum(one.transpose(np.argsort(order)) for one, order in zip(w, FOURS))


@case(PERMUTE, dtypes="f32 c64", grad=True, core=False, rtol={"f32": 1e-5, "c64": 1e-5},
      reference=with_gradient(lambda np, x: [x.transpose(order) for order in FOURS], _permuted_pull))  # of 24 weights # fmt: skip
def each_order_of_four(t, dtype):
    """A view whose strides are those of the input in that order."""
    permute, x = t.get(PERMUTE), t.randn((2, 3, 4, 5), dtype)
    for order in FOURS[1::5]:
        made, strides = permute(x, order), x.stride()
        t.expect(
            made.stride() == tuple(strides[axis] for axis in order), "the strides of the input"
        )
    return t.call(lambda x: [permute(x, order) for order in FOURS], x)


@case(PERMUTE, dtypes="f32 i64", core=False, reference=lambda np, x, kept: [(x * kept).transpose(2, 0, 1), (x * kept).transpose(2, 0, 1)])  # fmt: skip
def of_a_sparse_one(t, dtype):
    """The places move, and no zero is stored; axes as a torch.Size of the free function's argument, too."""
    x, kept = t.randn((3, 4, 5), dtype), t.randn((3, 4, 5), "bool")
    sparse = (x * kept).to_sparse()
    made = t.call(PERMUTE, sparse, 2, 0, 1), t.call(PERMUTE, sparse, t.fw.Size([-1, 0, -2]))
    t.expect(all(one.is_sparse and one._nnz() == sparse._nnz() for one in made), "as many numbers")
    return [one.to_dense() for one in made]


def _views(x, row):
    """What is reshaped and to which size, where the strides allow a view."""
    return [
        (x, (24, 10)), (x[:, :, ::2], (24, 5)), (x[:, ::2], (2, 2, 3, 2, 5)), (x[1:3], (-1,)), (x[:, 2:4], (4, 20)), (x[..., None][:, :1], (4, 10)),
        (row, (12, 5)), (row, (2, 2, 3, 5)), (x, (4, 1, 6, 10, 1)), (x[:, :, 3], (24,)),
    ]  # fmt: skip


def _turned(x):
    """Where they do not."""
    return [(x[:, 1:3, ::3], (-1,)), (x.swapaxes(1, 2), (4, 60)), (x.swapaxes(0, 1), (3, 8, 10)), (x[:, :5], (10, 20)), (x[:0], (1, -1))]  # fmt: skip


@case(RESHAPE, dtypes="f32 i64 c64", core=False, reference=lambda np, x, row: [
      *(one.reshape(size) for one, size in _views(x, np.broadcast_to(row, (4, 3, 5)))), *(one.reshape(size) for one, size in _turned(x))])  # fmt: skip
def shares_where_it_can(t, dtype):
    """A view wherever the strides allow it: of gaps, a part, what is broadcast; else a copy."""
    x, row = t.randn((4, 6, 10), dtype), t.randn((5,), dtype)
    made = [t.call(RESHAPE, *one) for one in _views(x, row.expand(4, 3, 5))]
    found = [one._is_view() for one in made]
    t.expect(all(found), "views, got %s" % found)
    return made + [t.call(RESHAPE, *one) for one in _turned(x)]


@case(RESHAPE, dtypes="f32 f64 bf16", grad=True, core=False, reference=with_gradient(
      lambda np, x: [one.reshape(size) for one, size in _turned(x)],
      affine_pull(lambda np, x: [one.reshape(size) for one, size in _turned(x)])))  # fmt: skip
def gradient_of_copies(t, dtype):
    reshape = t.get(RESHAPE)
    return t.call(lambda x: [reshape(*one) for one in _turned(x)], t.randn((4, 6, 10), dtype))


# --- type_as, expand_as

TYPE_AS, EXPAND_AS = T + "type_as", T + "expand_as"


@case(TYPE_AS, core=False, reference="none")
def to_rare_kinds(t):
    """Unsigned integers of each width take what wraps around; numbers of eight bits the nearest, a tie the even one."""
    fw, whole = t.fw, t.const([-1, 2**33 + 5, 70000, 7], "i64")
    for bits in 8, 16, 32, 64:
        made = t.call(TYPE_AS, whole, fw.zeros(1, dtype=getattr(fw, "uint%d" % bits), device=t.device))  # fmt: skip
        want = [n % 2**bits for n in (-1, 2**33 + 5, 70000, 7)] if bits < 64 else whole.tolist()
        t.expect(made.long().tolist() == want, "%s of %d bits, got %s" % (want, bits, made))
    x = t.const([1.0625, 1.1875, -3.25, 0.3, -0.0, NAN], "f32")
    for name, want in (("float8_e4m3fn", [1, 1.25, -3.25, 0.3125]), ("float8_e5m2", [1, 1.25, -3, 0.3125])):  # fmt: skip
        made = t.call(TYPE_AS, x, fw.zeros(1, device=t.device).to(getattr(fw, name))).float()
        values = t.host(made)
        t.expect(values[:4].tolist() == want, "%s in %s, got %s" % (want, name, made))
        t.expect(bool(t.np.signbit(values[4]) and t.np.isnan(values[5])), "minus zero, NaN")


@case(TYPE_AS, dtypes="f32 f64", core=False, reference=lambda np, x, v: [x, v])
def of_what_learns(t, dtype):
    """The other's wish for a gradient is not taken over, its dtype is; the gradient is in the dtype of the input."""
    x, v, fw = t.randn((4, 5), dtype), t.randn((4, 5), dtype), t.fw
    other = fw.float64 if dtype == "f32" else fw.float32
    learns = fw.ones(2, dtype=other, device=t.device, requires_grad=True)
    made = t.call(TYPE_AS, x, learns)
    t.expect(made.dtype is other and not made.requires_grad, "no gradient")
    leaf = x.clone().requires_grad_()
    (slope,) = fw.autograd.grad((t.call(TYPE_AS, leaf, learns) * v.to(other)).sum(), leaf)
    t.expect(slope.dtype is x.dtype, "a gradient in the dtype of the input")
    return [made.to(x.dtype), slope]


@case(TYPE_AS, dtypes="f32 i64", core=False, reference=lambda np, x, kept: x * kept)
def of_what_is_sparse(t, dtype):
    """A sparse tensor stays one; a dense one becomes none."""
    x, kept, fw = t.randn((4, 5), dtype), t.randn((4, 5), "bool"), t.fw
    other = fw.eye(2, dtype=fw.float64, device=t.device).to_sparse()
    made = t.call(TYPE_AS, (x * kept).to_sparse(), other)
    t.expect(made.is_sparse and made.dtype is fw.float64, "sparse, of the other's dtype")
    t.raises(RuntimeError, t.call, TYPE_AS, x, other)
    return made.to_dense()


@case(EXPAND_AS, dtypes="f32 i64", core=False, reference=lambda np, x, one, like: [
      np.broadcast_to(x, (5, 5, 5)), np.broadcast_to(one, (1, 1)), one, like])  # fmt: skip
def shares_what_it_expands(t, dtype):
    """Of two axes of one; of a number to one of two axes; to the same size, which is a view too; the other is only asked for its size."""
    x, one, like = t.randn((5, 1, 1), dtype), t.randn((), dtype), t.randn((5, 5, 5), dtype)
    made = [t.call(EXPAND_AS, x, like), t.call(EXPAND_AS, one, like[:1, :1, 0]), t.call(EXPAND_AS, one, one), t.call(EXPAND_AS, like, like)]  # fmt: skip
    t.expect(all(each._is_view() for each in made), "views")
    t.expect(made[0].stride()[1:] == (0, 0), "no step along what is repeated")
    asked = t.fw.ones((5, 2, 3), device=t.device, requires_grad=True)
    t.expect(not t.call(EXPAND_AS, x, asked).requires_grad, "no gradient of the other")
    return made


# --- BatchNorm2d

BATCH = "torch.nn.BatchNorm2d"


def _batch_and_gradients(np, x, weight, bias):
    """Of an order of axes each: the result and the gradients of its product with eighths from -1 to 1."""
    axes, far = (0, 2, 3), (np.arange(x.size).reshape(x.shape) % 17 - 8) / 8
    wide = (1, -1, 1, 1)
    deviation = np.sqrt(x.var(axes, keepdims=True) + 1e-5)
    plain = (x - x.mean(axes, keepdims=True)) / deviation
    pulled = far - far.mean(axes, keepdims=True) - plain * (far * plain).mean(axes, keepdims=True)
    slope = pulled * weight.reshape(wide) / deviation
    return [plain * weight.reshape(wide) + bias.reshape(wide), slope, (far * plain).sum(axes), far.sum(axes)]  # fmt: skip


@case(BATCH, dtypes="f32 f64 bf16 f16", core=False, rtol={"f32": 1e-4, "bf16": 1.6e-2, "f16": 2e-3}, atol={"f32": 1e-4, "bf16": 4e-3, "f16": 1e-3}, reference=lambda np, x, weight, bias: [
      *_batch_and_gradients(np, x, weight, bias), *_batch_and_gradients(np, x[::2].swapaxes(2, 3), weight, bias), np.zeros((2, 67))])  # sums of 360 numbers # fmt: skip
def batch_in_any_order(t, dtype):
    """Channels that lie innermost, one more than a register takes; gaps with a transpose; no images give no slope to the
    parameters. Of halves the layer is in f32."""
    fw, x, half = t.fw, t.randn((12, 67, 5, 6), dtype), dtype in ("bf16", "f16")
    layer, made = t.construct(BATCH, 67, dtype="f32" if half else dtype), []
    order = {"memory_format": fw.channels_last}
    for given in (x.contiguous(**order), x[::2].transpose(2, 3)):
        layer.zero_grad()
        given = given.detach().requires_grad_()
        out = t.call(layer, given)
        pull = (fw.arange(out.numel(), device=t.device).reshape(out.shape) % 17 - 8) / 8
        out.backward(pull.to(out.dtype))
        t.expect(given.grad.dtype is given.dtype, "a gradient in the dtype of the input")
        if len(given) == 12:
            t.expect(out.is_contiguous(**order), "channels last")
        made += [out.detach(), given.grad, layer.weight.grad.clone(), layer.bias.grad.clone()]
    layer.zero_grad()
    none = x[:0].detach().requires_grad_()
    t.call(layer, none).sum().backward()
    t.expect(none.grad.shape == none.shape, "nothing for nothing")
    return [*made, fw.stack([layer.weight.grad, layer.bias.grad])]
