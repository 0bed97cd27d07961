"""Kinds of numbers, and ways to say them, that functions meet beside the usual: conjugates that are not yet computed, half
slopes, lengths beside a vector's, the default dtype, sizes, bounds and data of another kind."""

from seamark_agent.harness import Skip

from seamark_suites.case import case
from seamark_suites.reference import with_gradient
from seamark_suites.transformed import plain

from . import casting, creation, creation_like, pointwise
from . import reference_pointwise as right
from .creation import value_of
from .creation_like import made_by
from .methods import free, like
from .transformed import FORMS, called
from .transformed import each as each_form

INF, NAN = float("inf"), float("nan")
each = pointwise.each

# --- functions of one number

POINTS = "abs sin Tensor.exp Tensor.sin Tensor.sqrt"
SMOOTH = "sin Tensor.exp Tensor.sin Tensor.sqrt"
MORE = " exp log cos sigmoid Tensor.log Tensor.cos Tensor.sigmoid"

# What the function that is no method is asked.
each("Tensor.exp", like(right.of), dtypes="f32", core=False)(pointwise.end_of_the_range)
each("Tensor.exp", dtypes="f16", core=False)(pointwise.half_overflows)
each("Tensor.exp", like(right.of), dtypes="c64 c128", core=False)(pointwise.turns)
each("Tensor.sin Tensor.cos", like(right.of), dtypes="f32 f64", core=False)(pointwise.far_from_zero)
each("Tensor.sqrt", like(right.slopes_at), dtypes="f32 f64", core=False)(pointwise.slope_at_zero)
each("Tensor.log", like(right.slopes_at), dtypes="f32 f64", core=False)(pointwise.slope_at_the_edge)
each("Tensor.log Tensor.sqrt", like(right.of), dtypes="c64 c128", core=False)(pointwise.branch_cut)
each("Tensor.log", like(right.of), dtypes="c64 c128", core=False)(pointwise.great_and_infinite)


@each(POINTS + MORE, like(right.gradient_of), dtypes="f16", grad=True, core=False,
      rtol={"f16": 3e-3})  # weight, slope and result are rounded in turn # fmt: skip
def gradient_in_half(t, dtype, function):
    return t.call(function, pointwise.drawn(t, free(function), (9, 7), dtype))


@each(SMOOTH + MORE, like(right.of), dtypes="i8 i16", core=False)
def small_integers_give_floats(t, dtype, function):
    made = t.call(function, t.randint((64,), dtype, 0, 80))
    t.expect(made.dtype is t.fw.get_default_dtype(), "the default dtype")
    return made


LENGTHS = 1, 7, 9, 31, 66


@each(POINTS + MORE, lambda function: lambda np, x: [right.of(free(function))(np, x[1 : n + 1]) for n in LENGTHS],
      dtypes="f32 bf16", core=False)  # fmt: skip
def lengths_beside_a_vector(t, dtype, function):
    """Less and more than a register takes, from an address that is not aligned."""
    x = pointwise.drawn(t, free(function), (67,), dtype)
    return [t.call(function, x[1 : n + 1]) for n in LENGTHS]


@each(POINTS + MORE, like(right.of), dtypes="f32 c64", core=False)
def as_the_input_lies(t, dtype, function):
    """Channels last stay so."""
    x = pointwise.drawn(t, free(function), (2, 3, 4, 5), dtype)
    made = t.call(function, x.contiguous(memory_format=t.fw.channels_last))
    t.expect(made.stride() == (60, 1, 15, 3), "the strides of the input")
    return made


@each("abs sin Tensor.sin Tensor.sqrt", lambda function: lambda np, x, kept: [right.of(free(function))(np, x * kept)] * 2,
      dtypes="f32 f64", core=False)  # fmt: skip
def of_sparse_numbers(t, dtype, function):
    """Zero stays zero: what is stored is computed, by places and by rows."""
    x = t.uniform((5, 6), dtype, 0.5, 3) * t.randn((5, 6), "bool")
    sparse = x.to_sparse(), x.to_sparse_csr()
    made = [t.call(function, one) for one in sparse]
    t.expect([one.layout for one in made] == [one.layout for one in sparse], "sparse results")
    return [one.to_dense() for one in made]


EDGES = [complex(INF, 0), complex(-INF, 1), complex(0, INF), complex(1, -INF), complex(INF, INF), complex(NAN, 0),
         complex(2, NAN), -0.5 + 0.25j]  # fmt: skip


@each(POINTS + " exp log cos Tensor.log Tensor.cos", like(right.of), dtypes="c64 c128", core=False)
def infinite_parts(t, dtype, function):
    """C99: a number with an infinite part is infinite, whatever the other part is."""
    return t.call(function, t.const(EDGES, dtype))


@case("torch.abs", dtypes="i8 i16 i32 i64", core=False, reference="none")
def least_integers(t, dtype):
    """Of the least integer there is no positive one: it stays. The next has one."""
    least = -(2 ** (int(dtype[1:]) - 1))
    made = t.host(t.call("torch.abs", t.const([least, least + 1, -1, 7], dtype)))
    t.expect(made.tolist() == [least, -least - 1, 1, 7], "got %s" % made)


@case("torch.abs", dtypes="c64", core=False, reference=lambda np, x: (abs(x), abs(x), abs(x)))
def sizes_into_out(t, dtype):
    """Of complex numbers into real ones; what is given grows to the size."""
    x, real = t.randn((4, 5), dtype), t.dtype("f32")
    given, none = (t.fw.zeros(size, dtype=real, device=t.device) for size in ((4, 5), (0,)))
    t.call("torch.abs", x, out=none)
    return t.call("torch.abs", x, out=given), given, none


# --- what is moved or computed of a conjugate that is not yet computed

LAZY = (
    "stack einsum gather mean abs Tensor.unsqueeze Tensor.transpose Tensor.view Tensor.reshape"
    " Tensor.flatten Tensor.squeeze Tensor.expand Tensor.repeat Tensor.chunk Tensor.unbind"
)


def _of_both(form):
    return lambda np, *drawn: plain(form)(np, *drawn) + plain(form)(np, *(x.imag for x in drawn))


@each_form(["torch." + name for name in LAZY.split()], _of_both, dtypes="c64", rtol={"c64": 1e-5})
def of_lazy_conjugates(t, dtype, function):
    """A conjugate is a view with a mark, and its imaginary part is one with a minus; both must be heeded."""
    run = called(t, function, dtype)
    drawn = [t.uniform(shape, dtype, 0.5, 2).conj_physical() for shape in FORMS[function][2]]
    lazy = [x.conj() for x in drawn]
    marked = all(x.is_conj() and x.imag.is_neg() for x in lazy)
    t.expect(marked or str(t.device) != "cpu", "marks, and nothing computed")
    return t.call(run, *lazy) + t.call(run, *(x.imag for x in lazy))


# --- equal, gather, Embedding: kinds, and numbers out of the range

each("equal", dtypes="i8 i16 c128", shapes="64x33", core=False)(casting.equal)


@case("torch.gather", dtypes="f32 i64", core=False, trivial=True, reference=lambda np, x, index, none: [
      np.take_along_axis(x, index.astype(int), 1), np.zeros(0)])  # fmt: skip
def by_narrow_numbers(t, dtype):
    """An index of i32; one of bytes where it has no number."""
    x, index = t.randn((5, 8), dtype), t.randint((5, 3), "i32", 0, 8)
    return [
        t.call("torch.gather", x, 1, index),
        t.call("torch.gather", x[0], 0, t.randint((0,), "u8", 0, 1)),
    ]


def _on_the_host_alone(t):
    if str(t.device) != "cpu" or t.compiled:
        raise Skip("a device need not look at the numbers of an index")


@case("torch.gather", core=False, reference="none")
@case("torch.nn.Embedding", core=False, reference="none")
@case("torch.nn.CrossEntropyLoss", core=False, reference="none")
def numbers_out_of_the_range(t, function):
    """An index beyond the last and, where none counts from the end, below zero."""
    _on_the_host_alone(t)
    x = t.randn((4, 3), "f32")
    for wrong in (3, -1):
        if function == "torch.gather":
            index = t.const([[0], [1], [wrong], [2]], "i64")
            t.raises((RuntimeError, IndexError), t.call, function, x, 1, index)
        elif function == "torch.nn.Embedding":
            layer = t.construct(function, 3, 4)
            t.raises((RuntimeError, IndexError), t.call, layer, t.const([0, wrong], "i64"))
        else:
            target = t.const([0, 1, wrong, 2], "i64")
            t.raises((RuntimeError, IndexError), t.call, t.get(function)(), x, target)


# --- clamp

CLAMP = "torch.clamp"


@case(CLAMP, dtypes="i64 i32", core=False, reference=lambda np, x, low, high: [
      np.clip(x, low, high), np.maximum(x, low), np.clip(x, -2.5, 2.5)])  # fmt: skip
def bounds_of_another_kind(t, dtype):
    """Fractions as bounds of integers make floats of them, as tensors and as numbers."""
    x = t.randint((6, 7), dtype, -9, 10)
    low, high = t.uniform((7,), "f32", -6, -2), t.uniform((6, 1), "f32", 2, 6)
    made = [
        t.call(CLAMP, x, low, high),
        t.call(CLAMP, x, min=low),
        t.call(CLAMP, x, -2.5, 2.5),
    ]
    t.expect(all(one.dtype is t.fw.float32 for one in made), "f32")
    return made


@case(CLAMP, dtypes="f32 bf16", core=False, reference=lambda np, x, low, high, tall: [
      np.clip(x, low, high), np.minimum(x, tall)])  # fmt: skip
def bounds_of_integers(t, dtype):
    """Whole bounds of floats, and bounds with more axes than what is bounded: the result has theirs."""
    x, low, high = (
        t.randn((7,), dtype),
        t.const([-1] * 7, "i64"),
        t.randint((7,), "i32", 0, 2),
    )
    made = t.call(CLAMP, x, low, high), t.call(CLAMP, x, max=t.randn((3, 1), dtype))
    t.expect(made[0].dtype is x.dtype, "the dtype of the floats")
    return list(made)


@case(CLAMP, dtypes="i64", core=False, reference="none")
def bounds_beyond_f64(t, dtype):
    """All digits of large integers stay."""
    x = t.const([2**60 + 1, -(2**60) - 1, 2**62, 5], dtype)
    made = t.host(t.call(CLAMP, x, -(2**60) + 1, 2**61 + 1)).tolist()
    t.expect(made == [2**60 + 1, -(2**60) + 1, 2**61 + 1, 5], "got %s" % made)


@case(CLAMP, dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
      right.clamp, lambda np, w, x, low, high: (
          w * [1, 0, 0, 1, 1, 0], w * [0, 1, 0, 0, 0, 0], w * [0, 0, 1, 0, 0, 1])))  # fmt: skip
def slopes_of_bounds(t, dtype):
    """Inside the number has the slope, outside the bound that replaces it; on a bound the number; crossed, the upper."""
    low, high = [-1.0, -1.0, -1.0, -1.0, -1.0, 3.0], [1.0, 1.0, 1.0, 1.0, 1.0, 2.0]
    x = t.const([0.5, -2.0, 4.0, -1.0, 1.0, 2.5], dtype, grad=True)
    return t.call(CLAMP, x, t.const(low, dtype, grad=True), t.const(high, dtype, grad=True))


@case(CLAMP, dtypes="f32", core=False, reference=lambda np, x, v: (
      np.clip(x, -0.5, 1), 2 * np.clip(x, -0.5, 1) * (abs(x - 0.25) <= 0.75), 2 * v * (abs(x - 0.25) <= 0.75)))  # fmt: skip
def clamped_twice(t, dtype):
    """The slope of the slope of the squares."""
    x, v = t.uniform((40,), dtype, -2, 2, grad=True), t.randn((40,), dtype)
    made = t.call(CLAMP, x, -0.5, 1)
    first = t.fw.autograd.grad((made**2).sum(), x, create_graph=True)[0]
    return made, first, t.fw.autograd.grad((first * v).sum(), x)[0]


@case(CLAMP, core=False, reference="none")
def bounds_that_do_not_go_together(t):
    """A number and a tensor; None twice; a result in a dtype that has no fractions; 300 for i8."""
    x, bound = t.randn((3,), "f32"), t.randn((3,), "f32")
    t.raises(TypeError, t.call, CLAMP, x, 0, bound)
    t.raises(RuntimeError, t.call, CLAMP, x, None, None)
    t.raises(RuntimeError, t.call, CLAMP, x, 0, 1, out=t.randint((3,), "i64", 0, 5))
    t.raises(RuntimeError, t.call, CLAMP, t.randint((3,), "i8", 0, 5), 0, 300)


# --- as_tensor

AS_TENSOR = "torch.as_tensor"


@case(AS_TENSOR, core=False, reference="none")
def of_other_sequences(t):
    """Ranges, tuples, lists of tensors and of arrays."""
    np, one = t.np, lambda number: t.fw.tensor(number)
    for data, want, dtype in (
        (range(3, 6), [3, 4, 5], t.fw.int64),
        (((1, 2), [3, 4]), [[1, 2], [3, 4]], t.fw.int64),
        ([one(1.5), one(2.5)], [1.5, 2.5], t.fw.float32),
        ([np.array([1.0, 2.0]), np.array([3.0, 4.0])], [[1, 2], [3, 4]], t.fw.float64),
        ([True, 2.5], [1, 2.5], t.fw.float32),
        (2**62 + 1, 2**62 + 1, t.fw.int64),
    ):
        made = t.call(AS_TENSOR, data, device=t.device)
        t.expect(made.dtype is dtype, "%s of %r, got %s" % (dtype, data, made.dtype))
        t.expect(t.host(made).tolist() == want, "%r of %r, got %r" % (want, data, made))


@case(AS_TENSOR, dtypes="f32 i64", core=False, reference=lambda np, x: [x.T, x[:, ::2], x[1:3], x])
def of_views_of_arrays(t, dtype):
    """A transpose, gaps, an offset, and an array in Fortran's order."""
    x = t.host(t.randn((5, 6), dtype)).astype("float32" if dtype == "f32" else "int64")
    views = x.T, x[:, ::2], x[1:3], t.np.asfortranarray(x)
    return [t.call(AS_TENSOR, one, dtype=t.dtype(dtype), device=t.device) for one in views]


@case(AS_TENSOR, core=False, reference="none")
def in_a_narrower_dtype(t):
    """Fractions are cut, what is not zero is true, what is too large for f32 is infinite."""
    fw = t.fw
    for data, dtype, want in (
        ([2.75, -2.75], fw.int64, [2, -2]),
        ([0, 0.5, -3], fw.bool, [False, True, True]),
        ([1e40, -1e40], fw.float32, [INF, -INF]),
        ([3, 4], fw.complex64, [3, 4]),
        ([1.1], fw.float64, [1.1]),
    ):
        made = t.call(AS_TENSOR, data, dtype=dtype, device=t.device)
        t.expect(made.dtype is dtype and t.host(made).tolist() == want, "%r, got %r" % (want, made))


@case(AS_TENSOR, core=False, reference="none")
def data_of_no_number(t):
    """None, text among numbers, a dictionary, an array of objects, integers of more than 64 bits, complex for real."""
    kinds = (TypeError, RuntimeError, ValueError)
    for data in (None, [None], [1, "a"], {1: 2}, t.np.array([object()]), 2**63, [2**70]):
        t.raises(kinds, t.call, AS_TENSOR, data, device=t.device)
    t.raises(kinds, t.call, AS_TENSOR, 1j, dtype=t.fw.float32, device=t.device)
    t.raises(kinds, t.call, AS_TENSOR, 300, dtype=t.fw.uint8, device=t.device)


# --- ones, full, eye, linspace, zeros_like, ones_like, empty_like, randn

LIKES = "zeros_like ones_like empty_like"

each("ones", creation.filled(1), dtypes="i8 i16 c128", trivial=True, core=False)(creation.one_number)  # fmt: skip
each("zeros_like ones_like full_like", creation_like.same_number, dtypes="i16 c128", shapes="64x33",
     trivial=True, core=False)(creation_like.like)  # fmt: skip
case("torch.empty_like", dtypes="i8 i16 c128", shapes="64x33", core=False,
     reference=lambda np, x: x)(creation_like.empty_like)  # fmt: skip
case("torch.eye", dtypes="i8 i16 c128", size=[(8, 5)], core=False,
     reference=lambda np, size: np.eye(*size))(creation.eye)  # fmt: skip


def _exactly(t, made, dtype, want):
    t.expect(made.dtype is dtype, "%s, got %s" % (dtype, made.dtype))
    t.expect(t.host(made).tolist() == want, "%r, got %r" % (want, made))


@case("torch.full", core=False, reference="none")
def every_kind_of_value(t):
    """Small and complex dtypes, all digits of large integers, cut fractions, truths of what is not zero, minus zero."""
    fw = t.fw
    for value, dtype, want in (
        (-100, fw.int8, -100),
        (-3000, fw.int16, -3000),
        (1e-300 - 2j, fw.complex128, 1e-300 - 2j),
        (2**62 + 1, fw.int64, 2**62 + 1),
        (-2.75, fw.int64, -2),
        (0.5, fw.bool, True),
        (0, fw.bool, False),
        (3, fw.complex64, 3),
    ):
        made = t.call("torch.full", (2, 2), value, dtype=dtype, device=t.device)
        _exactly(t, made, dtype, [[want] * 2] * 2)
    minus = t.host(t.call("torch.full", (5,), -0.0, device=t.device))
    t.expect(bool(t.np.signbit(minus).all()) and not minus.any(), "minus zero")


@case("torch.full", core=False, reference="none")
def a_tensor_as_value(t):
    """One number in a tensor gives its dtype; what is given as out= must be of the dtype that is asked for."""
    make, fw = "torch.full", t.fw
    for value, dtype in ((2.5, fw.float32), (7, fw.int64), (True, fw.bool)):
        made = t.call(make, (2,), fw.tensor(value), device=t.device)
        _exactly(t, made, dtype, [value] * 2)
    given = t.randint((2,), "i64", 0, 5)
    t.raises(RuntimeError, t.call, make, (2,), 3, out=given, dtype=fw.float32)
    t.raises(RuntimeError, t.call, make, (2,), 1j, dtype=fw.float32, device=t.device)


@each("randn", core=False, random=True)
@each("ones full", core=False)
def sizes_in_other_ways(t, function):
    """A list, a torch.Size, a keyword, NumPy's integers, tensors of one integer each."""
    value, two, fw = value_of(function, 1), t.fw.tensor(2), t.fw
    for size in ([2, 3], fw.Size([2, 3]), (t.np.int64(2), t.np.int32(3)), (two, 3)):
        made = t.call(function, size, *value, dtype=fw.float32, device=t.device)
        t.expect(made.shape == (2, 3) and made.is_contiguous(), "2x3 of %r" % (size,))
    more = {"fill_value": 1} if value else {}
    made = t.call(function, size=(2, 3), dtype=fw.float32, device=t.device, **more)
    t.expect(made.shape == (2, 3), "2x3 of the keyword")
    if function != "torch.randn":
        t.expect(t.host(made).tolist() == [[1] * 3] * 2, "ones")
    given = fw.zeros((0,), device=t.device)
    t.expect(t.call(function, (2, 3), *value, out=given) is given, "the given tensor")
    t.expect(given.shape == (2, 3), "a given tensor that has grown")


# Arguments, and the numbers that they give.
PLAIN = {
    "torch.ones": (((2,),), [1, 1]),
    "torch.full": (((2,), 1.5), [1.5, 1.5]),
    "torch.eye": ((2,), [[1, 0], [0, 1]]),
    "torch.linspace": ((0, 1, 3), [0, 0.5, 1]),
    "torch.as_tensor": (([1.5, 2.5],), [1.5, 2.5]),
    "torch.randn": ((200,), None),
}


@each("randn", core=False, random=True)
@each("ones full eye linspace as_tensor", core=False)
def by_another_default_dtype(t, function):
    """set_default_dtype counts for what has no dtype of its own, complex numbers too."""
    args, want = PLAIN[function]
    make, fw = (lambda *args: t.call(function, *args, device=t.device)), t.fw

    def check(made, dtype):
        if want is None:
            t.statistics(made, mean=0, std=1)
        _exactly(t, made, dtype, t.host(made).tolist() if want is None else want)

    fw.set_default_dtype(fw.float64)
    try:
        check(make(*args), fw.float64)
        if function == "torch.full":
            _exactly(t, make((2,), 1j), fw.complex128, [1j, 1j])
        if function == "torch.as_tensor":
            _exactly(t, make([1j, 2]), fw.complex128, [1j, 2])
    finally:
        fw.set_default_dtype(fw.float32)
    check(make(*args), fw.float32)


@each(LIKES + " full_like", core=False)
def elsewhere(t, function):
    """On the device meta there are sizes alone; on the CPU the numbers."""
    x, more = t.randn((4, 6), "f32"), creation_like.number(function)
    here = t.call(function, x, *more, device=x.device)
    t.expect(here.device == x.device and here.shape == (4, 6), "where the input is")
    made = t.get(function)(x.mT, *more, device="meta")
    t.expect(made.is_meta and made.shape == (6, 4), "the size alone")
    there = t.get(function)(x, *more, device="cpu", dtype=t.fw.int32)
    t.expect(there.device.type == "cpu" and there.dtype is t.fw.int32, "i32 on the CPU")
    value = creation_like.NUMBERS.get(function)
    for one in (here, there):
        t.expect(value is None or bool((t.host(one) == value).all()), "its numbers")


@each("zeros_like empty_like", core=False)
def of_what_is_sparse(t, function):
    """Nothing is stored; a dense one is asked for by layout=."""
    x = t.const([[0.0, 2.0], [3.0, 0.0]], "f32").to_sparse()
    made = t.call(function, x)
    t.expect(made.layout is t.fw.sparse_coo and made._nnz() == 0, "sparse, and no number")
    t.expect(made.shape == (2, 2) and not t.host(made.to_dense()).any(), "zeros")
    dense = t.call(function, x, layout=t.fw.strided)
    t.expect(dense.layout is t.fw.strided and dense.shape == (2, 2), "dense")
    t.expect(function != "torch.zeros_like" or not t.host(dense).any(), "zeros there, too")


def _beside(function):
    value = {"torch.zeros_like": 0, "torch.ones_like": 1}.get(function, 2.5)
    return lambda np, x, v: [x + value, x * value + x, v * value + v]


@each(LIKES, _beside, dtypes="f32", core=False, since=("2.0", "torch.func"))
def in_transformed_functions(t, dtype, function):
    """In a batch each example has its own; along a direction it does not change."""
    make, x, v = t.get(function), t.randn((3, 4), dtype), t.randn((3, 4), dtype)

    def like(x):
        return make(x).fill_(2.5) if function == "torch.empty_like" else make(x)

    func = t.fw.func
    made = t.call(func.vmap(lambda x: x + like(x), in_dims=1, out_dims=1), x)
    return [made, *t.call(lambda x, v: func.jvp(lambda x: x * like(x) + x, (x,), (v,)), x, v)]


@case("torch.empty_like", dtypes="f32", core=False, reference=lambda np, x: [x, x])
def takes_no_wish_over(t, dtype):
    """No gradient of the input's; volumes stay channels last, and channels first by request."""
    x = t.randn((2, 3, 2, 4, 5), dtype, grad=True)
    last = x.detach().contiguous(memory_format=t.fw.channels_last_3d)
    t.expect(not t.call("torch.empty_like", x).requires_grad, "no gradient")
    make = made_by(t, "torch.empty_like")
    made = t.call(make, last)
    other = t.call(make, last, memory_format=t.fw.contiguous_format)
    t.expect(made.stride() == last.stride(), "channels last")
    t.expect(other.stride() == x.stride(), "channels first")
    return [made, other]


@case("torch.linspace", dtypes="u8 i8 i16", core=False, reference=lambda np: [
      np.linspace(0, 120, 5), np.linspace(100, 2, 8)])  # fmt: skip
def small_whole_steps(t, dtype):
    asked = {"dtype": t.dtype(dtype), "device": t.device}
    return [t.call("torch.linspace", *ends, **asked) for ends in ((0, 120, 5), (100, 2, 8))]


@case("torch.linspace", dtypes="f32 f64", core=False, reference=lambda np, a, b: [
      np.linspace(a, 5, 7), np.linspace(-5, b, 7), np.linspace(a, b, 1), np.linspace(a, b, 0)])  # fmt: skip
def between_a_tensor_and_a_number(t, dtype):
    """Either end may be a tensor without axes, a whole one, too."""
    a, b = t.const(-1.5, dtype), t.const(7, "i64")
    asked = {"dtype": t.dtype(dtype), "device": t.device}
    ends = (a, 5, 7), (-5, b, 7), (a, b, 1), (a, b, 0)
    return [t.call("torch.linspace", *one, **asked) for one in ends]


@case("torch.linspace", core=False, reference="none")
def ends_that_are_none(t):
    """Vectors as ends; integers that ask for a gradient; out= of another dtype than the asked one."""
    make, ends = "torch.linspace", t.randn((2,), "f32")
    t.raises(RuntimeError, t.call, make, ends, ends, 3)
    asked = {"dtype": t.fw.int64, "device": t.device, "requires_grad": True}
    t.raises(RuntimeError, t.call, make, 0, 3, 4, **asked)
    given = t.randn((4,), "f32")
    t.raises(RuntimeError, t.call, make, 0, 3, 4, out=given, dtype=t.fw.float64)


@case("torch.eye", dtypes="f32", core=False, reference=lambda np: [np.eye(2, 3), np.eye(3)])
def by_keyword_and_grown(t, dtype):
    """n= and m=; what is given as out= takes the size."""
    given = t.fw.ones((2, 5), dtype=t.dtype(dtype), device=t.device)
    made = t.call("torch.eye", n=2, m=3, dtype=t.dtype(dtype), device=t.device)
    t.call("torch.eye", 3, out=given)
    return [made, given]
