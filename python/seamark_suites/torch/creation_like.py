"""Tensors like another one, and memory that nobody has written yet."""

from seamark_suites.case import case

from .pointwise import each

FILLED = "zeros_like ones_like full_like"
ALL = FILLED + " empty_like"
EMPTY = "empty empty_like"
NUMBERS = {"torch.zeros_like": 0, "torch.ones_like": 1, "torch.full_like": 3}


def number(function):
    """The arguments behind the tensor."""
    return (3,) if function == "torch.full_like" else ()


def made_by(t, function):
    """The function; where it leaves the numbers open, with the input's written to them."""
    fw = t.fw
    if function != "torch.empty_like":
        return function
    return lambda x, **options: fw.empty_like(x, **options).copy_(x)


def numbers_of_each(function):
    value = NUMBERS.get(function)
    return lambda np, *xs: [x if value is None else np.full(x.shape, value) for x in xs]


def same_number(function):
    return lambda np, x, **params: np.full(x.shape, NUMBERS[function])


@each(FILLED, same_number, dtypes="f32 bf16 i64 i32", shapes="64x33", trivial=True)
@each(FILLED, same_number, dtypes="f16 f64 i8 u8 c64", shapes="64x33", trivial=True, core=False)
@each("zeros_like ones_like", same_number, dtypes="bool", shapes="64x33", trivial=True)
@each(FILLED, same_number, dtypes="f32", shapes="scalar 0 3x0x2", trivial=True, core=False)
def like(t, dtype, shape, function):
    x = t.randn(shape, dtype)
    made = t.call(function, x, *number(function))
    t.expect(made.dtype is x.dtype and made.device == x.device, "the dtype and device of the input")
    return made


@each(FILLED, same_number, dtypes="f32 i64", to=["f64", "i32", "bf16"], trivial=True, core=False)
def in_another_dtype(t, dtype, to, function):
    made = t.call(function, t.randn((6, 5), dtype), *number(function), dtype=t.dtype(to))
    t.expect(made.dtype is t.dtype(to), "the asked dtype")
    return made


@each(
    FILLED,
    lambda function: lambda np, x: (np.full(x.shape, NUMBERS[function]), x),
    dtypes="f32 i64",
    core=False,
)
def leaves_the_input(t, dtype, function):
    """Another memory: what is written to the new tensor does not show in the old one."""
    x = t.randn((6, 5), dtype)
    made = t.call(function, x, *number(function))
    kept = made.clone()
    made.fill_(7)
    return kept, x


@each(ALL, numbers_of_each, dtypes="f32", trivial=True, core=False)
def keeps_the_strides(t, dtype, function):
    """Documented: preserve_format keeps the order of a dense tensor's axes, and closes gaps."""
    x, spaced = t.randn((4, 6), dtype), t.randn((4, 6), dtype, noncontiguous=True)
    images, row = t.randn((2, 3, 4, 5), dtype), t.randn((1, 6), dtype)
    last = images.contiguous(memory_format=t.fw.channels_last)
    likes = x, spaced, last, row.expand(4, 6), x.mT
    made = [t.call(made_by(t, function), like, *number(function)) for like in likes]
    found = [one.stride() for one in made]
    want = [(6, 1), (6, 1), (60, 1, 15, 3), (6, 1), (1, 6)]
    t.expect(found == want, "strides %s, got %s" % (want, found))
    t.expect(bool((t.host(made[4]) == t.host(made[0]).T).all()), "the transpose of the first")
    return made[0], made[1], made[2], made[3][:1]


@each(ALL, numbers_of_each, dtypes="f32", trivial=True, core=False)
def in_another_format(t, dtype, function):
    fw, x, y = t.fw, t.randn((2, 3, 4, 5), dtype), t.randn((5, 4), dtype)
    make, more = made_by(t, function), number(function)
    last = t.call(make, x, *more, memory_format=fw.channels_last)
    ordered = t.call(make, y.mT, *more, memory_format=fw.contiguous_format)
    t.expect(last.is_contiguous(memory_format=fw.channels_last), "channels last")
    t.expect(ordered.is_contiguous() and tuple(ordered.shape) == (4, 5), "in order")
    return last, ordered.mT


@each(FILLED, dtypes="f32", core=False)
def gradient_only_when_asked(t, dtype, function):
    """The input's wish for a gradient is not taken over."""
    x, w = t.randn((3,), dtype, grad=True), t.const([1.0, -2.0, 3.0], dtype)
    t.expect(not t.call(function, x, *number(function)).requires_grad, "no gradient")
    made = t.call(function, x, *number(function), requires_grad=True)
    (w * (made + 1) ** 2).sum().backward()
    want = 2 * (NUMBERS[function] + 1) * t.host(w)
    t.expect(made.is_leaf and bool((t.host(made.grad) == want).all()), "a leaf that learns")
    t.expect(x.grad is None, "nothing for the input")


@each(FILLED, lambda function: lambda np, *xs: [np.full(x.shape, NUMBERS[function]) for x in xs],
      dtypes="f32", trivial=True, core=False)  # fmt: skip
def like_three_sizes(t, dtype, function):
    return [t.call(function, t.randn((n, 7), dtype), *number(function)) for n in (5, 8, 13)]


@each(FILLED, same_number, dtypes="f32", shapes="2048x2048", trivial=True, large=True)
def like_many(t, dtype, shape, function):
    return t.call(function, t.randn(shape, dtype), *number(function))


@each(FILLED, core=False)
def like_refuses(t, function):
    """Integers have no gradient."""
    asked = {"dtype": t.fw.int64, "requires_grad": True}
    t.raises(RuntimeError, t.call, function, t.randn((2,), "f32"), *number(function), **asked)


@case(
    "torch.full_like",
    dtypes="bool",
    value=True,
    trivial=True,
    reference=lambda np, x, value: np.full((6, 5), value),
)
@case("torch.full_like", dtypes="f32 bf16", value=[float("nan"), float("-inf"), 1e30], trivial=True, core=False,
      reference=lambda np, x, value: np.full((6, 5), value))  # fmt: skip
def full_of_a_value(t, dtype, value):
    return t.call("torch.full_like", t.randn((6, 5), dtype), value)


@case("torch.full_like", core=False, reference="none")
def full_like_refuses(t):
    """What the dtype of the input cannot hold."""
    t.raises(RuntimeError, t.call, "torch.full_like", t.randn((2,), "u8"), 300)
    t.raises(RuntimeError, t.call, "torch.full_like", t.randn((2,), "f16"), 1e6)
    t.raises(RuntimeError, t.call, "torch.full_like", t.randn((2,), "f32"), 1j)


# --- empty: its numbers are those that are written


@case("torch.empty", dtypes="f32 bf16 i64 bool", shapes="64x33", reference=lambda np, x: x)
@case(
    "torch.empty",
    dtypes="f16 f64 i32 u8 c64",
    shapes="64x33",
    core=False,
    reference=lambda np, x: x,
)
@case(
    "torch.empty",
    dtypes="f32",
    shapes="scalar 0 3x0x2",
    core=False,
    trivial=True,
    reference=lambda np, x: x,
)
def empty(t, dtype, shape):
    """Memory that keeps what is written to it."""
    fw, asked = t.fw, {"dtype": t.dtype(dtype), "device": t.device}
    made = t.call(lambda x: fw.empty(shape, **asked).copy_(x), t.randn(shape, dtype))
    t.expect(made.dtype is t.dtype(dtype), "the asked dtype")
    return made


@case("torch.empty_like", dtypes="f32 bf16 i64 bool", shapes="64x33", reference=lambda np, x: x)
@case(
    "torch.empty_like",
    dtypes="f16 f64 i32 u8 c64",
    shapes="64x33",
    core=False,
    reference=lambda np, x: x,
)
@case(
    "torch.empty_like",
    dtypes="f32",
    shapes="scalar 0 3x0x2",
    core=False,
    trivial=True,
    reference=lambda np, x: x,
)
def empty_like(t, dtype, shape):
    fw = t.fw
    made = t.call(lambda x: fw.empty_like(x).copy_(x), t.randn(shape, dtype))
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the input")
    return made


@case("torch.empty_like", dtypes="f32 i64", to=["f64", "i32"], core=False, reference=lambda
      np, x, to: x if to == "f64" else np.trunc(x))  # fmt: skip
def empty_in_another_dtype(t, dtype, to):
    x = t.randint((6, 5), dtype, -40, 40)
    made = t.call(made_by(t, "torch.empty_like"), x, dtype=t.dtype(to))
    t.expect(made.dtype is t.dtype(to) and made.device == x.device, "the dtype, and the device")
    return made


@each(EMPTY, lambda function: lambda np, x, y: (x, y), dtypes="f32", core=False)
def each_its_own(t, dtype, function):
    """Two tensors that live at once share no memory."""
    fw, device = t.fw, t.device

    def both(x, y):
        if function == "torch.empty":
            made = [fw.empty(50, 7, dtype=x.dtype, device=device) for _ in range(2)]
        else:
            made = [fw.empty_like(x) for _ in range(2)]
        return made[0].copy_(x), made[1].copy_(y)

    return t.call(both, t.randn((50, 7), dtype), t.randn((50, 7), dtype))


@case("torch.empty", core=False, reference="none")
def empty_defaults(t):
    fw, device = t.fw, t.device
    made = t.call(lambda: fw.empty(3, 4, device=device).fill_(3))
    t.expect(made.dtype is fw.get_default_dtype(), "the default dtype")
    t.expect(not made.requires_grad and made.stride() == (4, 1), "a plain contiguous tensor")
    t.expect(bool((t.host(made) == 3).all()), "what was written")
    for size in ((2, 3), ([2, 3],), ((2, 3),), (fw.Size([2, 3]),)):
        t.expect(tuple(fw.empty(*size, device=device).shape) == (2, 3), "2x3")


@case("torch.empty", dtypes="f32", core=False, reference=lambda np, x: x)
def empty_channels_last(t, dtype):
    fw, x = t.fw, t.randn((2, 3, 4, 5), dtype)
    asked = {"dtype": x.dtype, "device": t.device, "memory_format": fw.channels_last}
    made = t.call(lambda x: fw.empty((2, 3, 4, 5), **asked).copy_(x), x)
    t.expect(made.stride() == (60, 1, 15, 3), "channels last in memory")
    t.raises(RuntimeError, t.call, "torch.empty", (2, 3, 4), **asked)
    return made


@each(EMPTY, lambda function: lambda np, x, w: 2 * x * w, dtypes="f32", core=False)
def a_leaf_to_be_filled(t, dtype, function):
    """As parameters are made: memory first, numbers later, without a graph."""
    x, w = t.randn((5, 3), dtype), t.randn((5, 3), dtype)
    asked = {"dtype": x.dtype, "device": t.device, "requires_grad": True}
    made = t.call(function, (5, 3) if function == "torch.empty" else x, **asked)
    with t.fw.no_grad():
        made.copy_(x)
    (made * made * w).sum().backward()
    t.expect(made.is_leaf, "a leaf")
    return made.grad


@case("torch.empty", dtypes="f32", core=False, reference=lambda np, x: x)
def empty_into_out(t, dtype):
    """out= gives the same tensor in its place."""
    x, given = t.randn((3, 4), dtype), t.fw.zeros((3, 4), device=t.device, dtype=t.dtype(dtype))
    made = t.call("torch.empty", (3, 4), out=given)
    t.expect(made is given, "the given tensor")
    made.copy_(x)
    return given


@each(EMPTY, dtypes="f32 i64", core=False, since=("2.2", "torch.utils.deterministic"))
def filled_when_deterministic(t, dtype, function):
    """Documented: under deterministic algorithms floats are NaN and integers the largest there is."""
    fw, x = t.fw, t.randn((40, 5), dtype)
    before = fw.are_deterministic_algorithms_enabled()
    fw.use_deterministic_algorithms(True)
    try:
        size = ((40, 5),) if function == "torch.empty" else (x,)
        made = t.call(function, *size, dtype=x.dtype, device=t.device)
    finally:
        fw.use_deterministic_algorithms(before)
    values = t.host(made)
    right = values == 2**63 - 1 if dtype == "i64" else t.np.isnan(values)
    t.expect(bool(right.all()), "NaN, or the largest integer")


@each(EMPTY, lambda function: lambda np, *xs: list(xs), dtypes="f32", core=False)
def empty_of_three_sizes(t, dtype, function):
    fw, device, made = t.fw, t.device, []

    def fill(x):
        size = x if function == "torch.empty_like" else x.shape
        make = fw.empty_like if function == "torch.empty_like" else fw.empty
        return make(size, dtype=x.dtype, device=device).copy_(x)

    for n in (5, 8, 13):
        made.append(t.call(fill, t.randn((n, 7), dtype)))
    return made


@case("torch.empty", core=False, reference="none")
def empty_refuses(t):
    t.raises(RuntimeError, t.call, "torch.empty", -1, 3, device=t.device)
    asked = {"dtype": t.fw.int64, "device": t.device, "requires_grad": True}
    t.raises(RuntimeError, t.call, "torch.empty", 2, **asked)


@case("torch.empty_like", core=False, reference="none")
def empty_like_refuses(t):
    asked = {"dtype": t.fw.int64, "requires_grad": True}
    t.raises(RuntimeError, t.call, "torch.empty_like", t.randn((2,), "f32"), **asked)
    x = t.randn((2, 3), "f32")
    t.raises(RuntimeError, t.call, "torch.empty_like", x, memory_format=t.fw.channels_last)


# --- seldom used arguments of empty and full_like


@case("torch.empty", dtypes="i8 i16 c128 f8e4m3", core=False, reference="none")
def filled_with_more_kinds(t, dtype):
    """What is written stays, at both ends of it."""
    made = t.call(lambda: t.fw.empty((5, 7), dtype=t.dtype(dtype), device=t.device).fill_(3))
    made[4, 6] = 5
    values = t.host(made.to(t.dtype("f32" if dtype[0] == "f" else dtype)))
    t.expect(values[4, 6] == 5 and bool((values.reshape(-1)[:-1] == 3).all()), "3, and 5 at the end")  # fmt: skip


@case("torch.empty", core=False, reference="none")
def empty_of_another_default_dtype(t):
    before = t.fw.get_default_dtype()
    t.fw.set_default_dtype(t.fw.float16)
    try:
        made = t.call(lambda: t.fw.empty(2, device=t.device).fill_(3))
    finally:
        t.fw.set_default_dtype(before)
    t.expect(made.dtype is t.fw.float16 and t.host(made).tolist() == [3, 3], "the default dtype")


@case("torch.empty", core=False, reference="none")
def empty_by_other_arguments(t):
    """size= and layout=; more than there can be, a dtype other than that of out=, a format that is none."""
    asked = {"size": (2, 3), "layout": t.fw.strided, "device": t.device}
    made = t.call(lambda: t.fw.empty(**asked).fill_(3))
    t.expect(made.is_contiguous() and t.host(made).tolist() == [[3] * 3] * 2, "2x3 in order")
    given = t.randn((2, 3), "f32")
    t.raises(RuntimeError, t.call, "torch.empty", 2**62, 2**62, device=t.device)
    t.raises(RuntimeError, t.call, "torch.empty", 2, 3, out=given, dtype=t.fw.int64)
    t.raises(
        RuntimeError, t.call, "torch.empty", 2, device=t.device, memory_format=t.fw.preserve_format
    )


@case("torch.empty", core=False, reference="none")
def empty_into_another_size(t):
    given = t.randn((6,), "f32")
    t.expect(t.call("torch.empty", 2, 3, out=given) is given, "the given tensor")
    t.expect(tuple(given.shape) == (2, 3), "2x3 in its place")


@case("torch.empty", core=False, reference="none")
def empty_in_a_sparse_layout(t):
    made = t.call("torch.empty", 2, 3, layout=t.fw.sparse_coo, device=t.device)
    t.expect(made.is_sparse and tuple(made.shape) == (2, 3) and made._nnz() == 0, "a sparse tensor")


@case("torch.full_like", core=False, trivial=True, reference=lambda np, x, whole, yes: [
      np.full(5, 1.0), np.full(5, 3), np.full(5, -3), np.full(5, 2**53 + 1), np.full(5, True),
      np.full(5, 1 - 2j), np.full(5, -0.0), np.full(5, 7)])  # fmt: skip
def full_of_other_kinds(t):
    """Truth for a number; the whole part of a fraction; all digits; a complex dtype."""
    x, whole, yes = t.randn((5,), "f32"), t.randn((5,), "i64"), t.randn((5,), "bool")
    made = [
        t.call("torch.full_like", x, True),
        t.call("torch.full_like", whole, 3.75),
        t.call("torch.full_like", whole, -3.75),
        t.call("torch.full_like", whole, 2**53 + 1),
        t.call("torch.full_like", yes, 3),
        t.call("torch.full_like", x, 1 - 2j, dtype=t.fw.complex64),
        t.call("torch.full_like", x, fill_value=-0.0),
        t.call("torch.full_like", x, 7, dtype=t.fw.int16, layout=t.fw.strided, device=t.device),
    ]
    t.expect(bool(t.np.signbit(t.host(made[6])).all()), "minus zero")
    t.expect(t.host(made[3]).tolist() == [2**53 + 1] * 5, "all digits")
    t.expect(made[7].dtype is t.fw.int16 and made[7].device == x.device, "as asked")
    return made


@case("torch.full_like", core=False, trivial=True, reference=lambda np, x: np.full(5, 2.5))
def full_of_a_tensor_of_one_number(t):
    return t.call("torch.full_like", t.randn((5,), "f32"), t.fw.tensor(2.5))


@case("torch.full_like", dtypes="f32", core=False, reference=lambda np, x: x + 2.5)
def full_over_a_batch(t, dtype):
    """Within vmap, of one example."""
    full = t.get("torch.full_like")
    return t.call(t.get("torch.vmap")(lambda x: x + full(x, 2.5)), t.randn((3, 4), dtype))


@case("torch.full_like", core=False, reference="none")
def full_like_refuses_several(t):
    """Two numbers, one that has a gradient, integers that the dtype does not hold."""
    x = t.randn((2,), "f32")
    t.raises(TypeError, t.call, "torch.full_like", x, t.fw.ones(2))
    t.raises(TypeError, t.call, "torch.full_like", x, t.fw.ones((), requires_grad=True))
    t.raises(RuntimeError, t.call, "torch.full_like", t.randn((2,), "i32"), 2**40)


@case("torch.full_like", core=False, reference="none", since=("2.3", "torch.uint16"))
def negatives_of_unsigned_kinds(t):
    """A negative number of unsigned kinds counts from the end, as far as they reach; signed ones keep it."""
    fw = t.fw
    for dtype, value, want in (
        (fw.uint8, -5, 251),
        (fw.uint8, -255, 1),
        (fw.uint16, -5, 65531),
        (fw.uint32, -5, 2**32 - 5),
        (fw.bool, -1, True),
        (fw.int16, -5, -5),
        (fw.complex128, -5, -5),
    ):
        made = t.call("torch.full_like", fw.ones(3, dtype=dtype, device=t.device), value)
        t.expect(made.dtype is dtype, "%s, got %s" % (dtype, made.dtype))
        t.expect(t.host(made).tolist() == [want] * 3, "%s of %s, got %s" % (want, value, made))
    for dtype, value in (fw.uint8, -256), (fw.uint16, -(2**16)), (fw.int8, -129):
        x = fw.ones(3, dtype=dtype, device=t.device)
        t.raises(RuntimeError, t.call, "torch.full_like", x, value)


@each(ALL, core=False)
def in_a_layout(t, function):
    """Dense by layout= of what is dense or sparse; of what is stored by rows the layout stays, with the places of numbers."""
    fw, more, value = t.fw, number(function), NUMBERS.get(function)
    x = t.const([[1.0, 0.0], [0.0, 2.0]], "f32")
    for like in (x, x.to_sparse()):
        made = t.call(function, like, *more, layout=fw.strided)
        t.expect(made.layout is fw.strided and made.shape == (2, 2), "dense")
        t.expect(value is None or bool((t.host(made) == value).all()), "%s everywhere" % value)
    made = t.call(function, x.to_sparse_csr(), *more)
    t.expect(made.layout is fw.sparse_csr and made.shape == (2, 2), "by rows")
    if value is not None:
        want = [value] * 2 if value else []
        t.expect(t.host(made.values()).tolist() == want, "%s, got %s" % (want, made))


ENDS = {
    "whole": [("i64", -(2**63)), ("i64", 2**63 - 1), ("i8", -128), ("u8", 255)],
    "fractions": [("f64", 1e308), ("f16", 65504.0), ("f16", float("inf")), ("bf16", 2.0**-126), ("c128", 1e308 - 1j)],
    "eight bits": [("f8e5m2", 57344.0), ("f8e4m3", -448.0)],
}  # fmt: skip


@case("torch.full_like", kind=list(ENDS), core=False, reference="none")
def full_to_the_ends(t, kind):
    """The least and the largest of each kind, as what is broadcast; a leaf of complex numbers."""
    fw, x = t.fw, t.randn((3, 1), "f32")
    for name, value in ENDS[kind]:
        dtype = t.dtype(name)
        made = t.call("torch.full_like", x.expand(3, 40), value, dtype=dtype)
        t.expect(made.dtype is dtype and made.stride() == (40, 1), "40x1 strides of %s" % dtype)
        found = set(t.host(made.double() if "8e" in name else made).reshape(-1).tolist())
        t.expect(found == {value}, "%s of %s alone, got %s" % (value, dtype, found))
    leaf = t.call("torch.full_like", x, 2j, dtype=fw.complex64, requires_grad=True)
    t.expect(leaf.is_leaf and leaf.requires_grad, "a leaf that asks for a gradient")
