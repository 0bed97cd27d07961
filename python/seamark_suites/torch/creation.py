"""Tensors of given numbers: arange, linspace, ones, full, eye, empty."""

from seamark_suites.case import case

from .pointwise import each

INF, NAN = float("inf"), float("nan")


# --- arange


@case("torch.arange", dtypes="f32 bf16 i64 i32", reference=lambda np: np.arange(100))
@case("torch.arange", dtypes="f16 f64 i16 u8", core=False, reference=lambda np: np.arange(100))
def arange(t, dtype):
    made = t.call("torch.arange", 100, dtype=t.dtype(dtype), device=t.device)
    t.expect(made.dtype is t.dtype(dtype), "the asked dtype")
    return made


@case("torch.arange", dtypes="f32 i64", ends=[(3, 20), (-5, 12, 4), (9, -7, -3)], reference=lambda
      np, ends: np.arange(*ends))  # fmt: skip
def from_to_by(t, dtype, ends):
    """The end does not belong to it."""
    return t.call("torch.arange", *ends, dtype=t.dtype(dtype), device=t.device)


@case("torch.arange", dtypes="f32 f64", core="f32", ends=[(0, 2, 0.25), (1.5, -2, -0.5), (0.5, 8.1)], reference=lambda
      np, ends: np.arange(*ends))  # fmt: skip
def fractional(t, dtype, ends):
    return t.call("torch.arange", *ends, dtype=t.dtype(dtype), device=t.device)


@case("torch.arange", dtypes="f64", core=False, reference=lambda np: np.arange(1000) * 0.1)
def many_small_steps(t, dtype):
    """Each number is the start and a multiple of the step: errors do not add up."""
    return t.call("torch.arange", 0, 99.95, 0.1, dtype=t.dtype(dtype), device=t.device)


@case("torch.arange", core=False, reference=lambda np: 2**40 + np.arange(-2, 3))
def beyond_32_bits(t):
    return t.call("torch.arange", 2**40 - 2, 2**40 + 3, device=t.device)


@case("torch.arange", core=False, reference="none")
def infers_a_dtype(t):
    """Documented: int64 of integers, the default dtype where one is a float."""
    whole, part = (
        t.call("torch.arange", 5, device=t.device),
        t.call("torch.arange", 0, 2.5, device=t.device),
    )
    mixed = t.call("torch.arange", 1, 4, 1.0, device=t.device)
    t.expect(whole.dtype is t.fw.int64 and t.host(whole).tolist() == [0, 1, 2, 3, 4], "int64")
    t.expect(part.dtype is t.fw.float32 and t.host(part).tolist() == [0, 1, 2], "floats")
    t.expect(mixed.dtype is t.fw.float32 and t.host(mixed).tolist() == [1, 2, 3], "floats")


@case(
    "torch.arange",
    dtypes="f32 i64",
    trivial=True,
    core=False,
    reference=lambda np: [np.zeros(0), np.zeros(1)],
)
def none_and_one(t, dtype):
    ends = (3, 3), (0, 1, 5)
    return [t.call("torch.arange", *one, dtype=t.dtype(dtype), device=t.device) for one in ends]


@case("torch.arange", dtypes="f32 i32", core=False, reference=lambda np: (np.arange(6),) * 2)
def arange_into_out(t, dtype):
    given = t.fw.zeros((6,), dtype=t.dtype(dtype), device=t.device)
    return t.call("torch.arange", 6, out=given), given


@case(
    "torch.arange",
    dtypes="f32",
    core=False,
    reference=lambda np, w: (np.arange(4), 2 * np.arange(4) * w),
)
def asks_for_a_gradient(t, dtype):
    w = t.randn((4,), dtype)
    made = t.call("torch.arange", 4.0, device=t.device, requires_grad=True)
    (made * made * w).sum().backward()
    return made, made.grad


@case("torch.arange", core=False, reference=lambda np: [np.arange(n) for n in (5, 8, 13)])
def three_lengths(t):
    return [t.call("torch.arange", n, device=t.device) for n in (5, 8, 13)]


@case("torch.arange", dtypes="f32", large=True, reference=lambda np: np.arange(1 << 22))
def long_range(t, dtype):
    return t.call("torch.arange", 1 << 22, dtype=t.dtype(dtype), device=t.device)


@case("torch.arange", core=False, reference="none")
def arange_refuses(t):
    """No step, a step away from the end, no end, integers that ask for a gradient."""
    for ends in ((1, 5, 0), (1, 5, -1), (5, 1), (0, INF), (NAN,)):
        t.raises(RuntimeError, t.call, "torch.arange", *ends, device=t.device)
    t.raises(RuntimeError, t.call, "torch.arange", 5, device=t.device, requires_grad=True)


# --- linspace


@case("torch.linspace", dtypes="f32", reference=lambda np: np.linspace(-3, 10, 50))
@case("torch.linspace", dtypes="f64", core=False, reference=lambda np: np.linspace(-3, 10, 50))
@case(
    "torch.linspace",
    dtypes="f16 bf16",
    core=False,
    reference=lambda np: np.linspace(-3, 10, 50),
    cpu_fails="the step is rounded to the dtype, and multiples of it add up the error",
)
def linspace(t, dtype):
    """Both ends belong to it."""
    made = t.call("torch.linspace", -3, 10, 50, dtype=t.dtype(dtype), device=t.device)
    t.expect(t.host(made)[[0, -1]].tolist() == [-3, 10], "the ends exactly")
    return made


@case("torch.linspace", dtypes="f32 bf16", reference=lambda np: np.linspace(2.5, -7.5, 21))
@case("torch.linspace", dtypes="f16", core=False, reference=lambda np: np.linspace(2.5, -7.5, 21))
def linspace_downwards(t, dtype):
    """By steps of a half, that every dtype has."""
    return t.call("torch.linspace", 2.5, -7.5, steps=21, dtype=t.dtype(dtype), device=t.device)


@case(
    "torch.linspace",
    dtypes="c64 c128",
    core=False,
    reference=lambda np: np.linspace(1 - 2j, 5 + 3j, 9),
)
def along_a_line(t, dtype):
    """Between complex numbers."""
    return t.call("torch.linspace", 1 - 2j, 5 + 3j, 9, dtype=t.dtype(dtype), device=t.device)


@case("torch.linspace", dtypes="i64 i32", core=False, reference=lambda np: np.arange(-4, 21, 6))
def whole_steps(t, dtype):
    return t.call("torch.linspace", -4, 20, 5, dtype=t.dtype(dtype), device=t.device)


@case("torch.linspace", dtypes="f32", trivial=True, core=False, reference=lambda
      np: [np.zeros(0), np.array([3]), np.array([3, 7]), np.full(4, 2)])  # fmt: skip
def few_steps(t, dtype):
    """Documented: no step is an empty tensor, one is the start."""
    asked = (3, 7, 0), (3, 7, 1), (3, 7, 2), (2, 2, 4)
    return [t.call("torch.linspace", *one, dtype=t.dtype(dtype), device=t.device) for one in asked]


@case("torch.linspace", core=False, reference="none")
def linspace_defaults(t):
    made = t.call("torch.linspace", 0, 4, 5, device=t.device)
    t.expect(made.dtype is t.fw.get_default_dtype(), "the default dtype, of integers too")
    t.expect(t.host(made).tolist() == [0, 1, 2, 3, 4] and not made.requires_grad, "five numbers")
    made = t.call("torch.linspace", 1j, 3j, 3, device=t.device)
    t.expect(made.dtype is t.fw.complex64, "complex of complex ends")
    t.expect(t.host(made).tolist() == [1j, 2j, 3j], "three complex numbers")


@case(
    "torch.linspace", dtypes="f32 f64", core=False, reference=lambda np: (np.linspace(1, 2, 7),) * 2
)
def linspace_into_out(t, dtype):
    given = t.fw.zeros((7,), dtype=t.dtype(dtype), device=t.device)
    return t.call("torch.linspace", 1, 2, 7, out=given), given


@case("torch.linspace", dtypes="f32", core=False, reference=lambda np: np.linspace(-1, 1, 1001))
def mirrored(t, dtype):
    """What is left of the middle mirrors what is right of it."""
    made = t.call("torch.linspace", -1, 1, 1001, dtype=t.dtype(dtype), device=t.device)
    values = t.host(made)
    t.expect(bool((abs(values + values[::-1]) < 1e-7).all()), "the negative at the other end")
    t.expect(bool((t.np.diff(values) > 0).all()), "growing numbers")
    return made


@case("torch.linspace", core=False, reference=lambda np: [np.linspace(0, 1, n) for n in (5, 8, 13)])
def linspace_of_three_lengths(t):
    return [t.call("torch.linspace", 0, 1, n, device=t.device) for n in (5, 8, 13)]


@case("torch.linspace", dtypes="f32", large=True, reference=lambda np: np.linspace(-5, 11, 1 << 22))
def long_line(t, dtype):
    return t.call("torch.linspace", -5, 11, 1 << 22, dtype=t.dtype(dtype), device=t.device)


@case("torch.linspace", core=False, reference="none")
def linspace_refuses(t):
    t.raises(RuntimeError, t.call, "torch.linspace", 0, 1, -1, device=t.device)
    t.raises(RuntimeError, t.call, "torch.linspace", 0, 1j, 3, dtype=t.fw.float32, device=t.device)


# --- ones, full: one number everywhere. VALUES: what a full tensor of the dtype gets.

VALUES = {"bool": True, "c64": 2 - 3j, "i64": -(2**40), "i32": -70000, "u8": 200}


def filled(value):
    """The reference of a tensor that has one value; of ones whatever the value is said to be."""

    def reference(function):
        one = function in ("torch.ones", "torch.ones_like")
        zero = function == "torch.zeros_like"
        return lambda np, *like, **params: np.full(
            params.get("size", like[0].shape if like else (64, 33)),
            1 if one else 0 if zero else value,
        )

    return reference


def sizes_of_rows(function):
    """Rows of their own number, or of ones."""
    value = (lambda n: 1) if function == "torch.ones" else (lambda n: n)
    return lambda np: [np.full((n, 3), value(n)) for n in (2, 5, 9)]


def value_of(function, value):
    """The arguments behind the shape."""
    return (value,) if function in ("torch.full", "torch.full_like") else ()


@each("ones full", filled(3.25), dtypes="f32 bf16", trivial=True)
@each("ones full", filled(3.25), dtypes="f16 f64", trivial=True, core=False)
@each("ones", filled(1), dtypes="i64 i32 bool", trivial=True)
@each("ones", filled(1), dtypes="u8 c64", trivial=True, core=False)
def one_number(t, dtype, function):
    made = t.call(
        function, (64, 33), *value_of(function, 3.25), dtype=t.dtype(dtype), device=t.device
    )
    t.expect(made.dtype is t.dtype(dtype), "the asked dtype")
    return made


@case("torch.full", dtypes="i64", trivial=True, reference=lambda np: np.full((9, 4), -(2**40)))
@case("torch.full", dtypes="i32", trivial=True, reference=lambda np: np.full((9, 4), -70000))
@case("torch.full", dtypes="bool", trivial=True, reference=lambda np: np.full((9, 4), True))
@case(
    "torch.full", dtypes="u8", trivial=True, core=False, reference=lambda np: np.full((9, 4), 200)
)
@case(
    "torch.full",
    dtypes="c64",
    trivial=True,
    core=False,
    reference=lambda np: np.full((9, 4), 2 - 3j),
)
def of_another_kind(t, dtype):
    return t.call("torch.full", (9, 4), VALUES[dtype], dtype=t.dtype(dtype), device=t.device)


@each(
    "ones full",
    filled(-2.5),
    dtypes="f32",
    size=[(), (0,), (3, 0, 2), (1, 1, 1, 1, 1, 2)],
    trivial=True,
    core=False,
)
def of_odd_sizes(t, dtype, size, function):
    return t.call(function, size, *value_of(function, -2.5), dtype=t.dtype(dtype), device=t.device)


@case("torch.ones", core=False, reference="none")
def ways_to_say_a_size(t):
    """Numbers, a list, a tuple, the size of another tensor."""
    x = t.randn((2, 3), "f32")
    for size in ((2, 3), ([2, 3],), ((2, 3),), (x.shape,), (x.size(0), x.size(1))):
        made = t.call("torch.ones", *size, device=t.device)
        t.expect(tuple(made.shape) == (2, 3) and bool((t.host(made) == 1).all()), "2x3 ones")


@case("torch.ones", core=False, reference="none")
def ones_defaults(t):
    """The default dtype, no gradient, and memory in order."""
    made = t.call("torch.ones", 3, 4, device=t.device)
    t.expect(made.dtype is t.fw.get_default_dtype(), "the default dtype")
    t.expect(not made.requires_grad and made.stride() == (4, 1), "a plain contiguous tensor")
    t.expect(bool((t.host(made) == 1).all()), "ones")


@case("torch.full", core=False, reference="none")
def full_infers_a_dtype(t):
    """Documented since 1.7: a boolean gives bool, an integer int64, the others a default dtype."""
    fw = t.fw
    for value, dtype in ((True, fw.bool), (7, fw.int64), (7.5, fw.float32), (1j, fw.complex64)):
        made = t.call("torch.full", (2, 3), value, device=t.device)
        t.expect(made.dtype is dtype and bool((t.host(made) == value).all()), "%s" % dtype)


@case(
    "torch.full",
    dtypes="f32 bf16",
    core=False,
    reference=lambda np: [np.full(3, one) for one in (NAN, INF, -INF, 1e30)],
    trivial=True,
)
def not_a_number(t, dtype):
    """As masks of attention are made."""
    given = NAN, INF, -INF, 1e30
    return [t.call("torch.full", (3,), one, dtype=t.dtype(dtype), device=t.device) for one in given]


@case(
    "torch.full", dtypes="f32", core=False, reference=lambda np: np.where(np.tri(3) == 0, -INF, 0)
)
def causal_mask(t, dtype):
    made = t.call("torch.full", (3, 3), -INF, dtype=t.dtype(dtype), device=t.device)
    return t.fw.triu(made, 1)


@each("ones full", dtypes="f32", core=False)
def learns(t, dtype, function):
    """A leaf that asks for a gradient, and gets it."""
    given = {"dtype": t.dtype(dtype), "device": t.device, "requires_grad": True}
    made = t.call(function, (3,), *value_of(function, 2.5), **given)
    w = t.const([1.0, -2.0, 3.0], dtype)
    (made * made * w).sum().backward()
    value = 2.5 if function == "torch.full" else 1
    t.expect(made.is_leaf, "a leaf")
    t.expect(bool((t.host(made.grad) == 2 * value * t.host(w)).all()), "the gradient of the leaf")


@case(
    "torch.ones",
    dtypes="f32 i64",
    trivial=True,
    core=False,
    reference=lambda np: (np.ones((3, 4)),) * 2,
)
@case(
    "torch.full",
    dtypes="f32 i64",
    trivial=True,
    core=False,
    reference=lambda np: (np.full((3, 4), 5),) * 2,
)
def filled_into_out(t, dtype, function):
    given = t.fw.zeros((3, 4), dtype=t.dtype(dtype), device=t.device)
    return t.call(function, (3, 4), *value_of(function, 5), out=given), given


@case(
    "torch.ones",
    dtypes="f32 i64",
    trivial=True,
    core=False,
    reference=lambda np: (np.ones((3, 4)),) * 2,
)
@case(
    "torch.full",
    dtypes="f32 i64",
    trivial=True,
    core=False,
    reference=lambda np: (np.full((3, 4), 5),) * 2,
)
def filled_into_gaps(t, dtype, function):
    """Every other row of the given tensor is written, no more."""
    rows = t.fw.zeros((6, 4), dtype=t.dtype(dtype), device=t.device)
    made = t.call(function, (3, 4), *value_of(function, 5), out=rows[::2])
    t.expect(not t.host(rows[1::2]).any(), "nothing between the rows")
    return made, rows[::2]


@each("ones full", sizes_of_rows, dtypes="f32", trivial=True, core=False)
def filled_of_three_sizes(t, dtype, function):
    return [
        t.call(function, (n, 3), *value_of(function, n), dtype=t.dtype(dtype), device=t.device)
        for n in (2, 5, 9)
    ]


@each("ones full", filled(0.1), dtypes="f32", size=[(2048, 2048)], trivial=True, large=True)
def fills_many(t, dtype, size, function):
    return t.call(function, size, *value_of(function, 0.1), dtype=t.dtype(dtype), device=t.device)


@each("ones full", core=False)
def filled_refuses(t, function):
    """Negative sizes, integers that ask for a gradient."""
    value = value_of(function, 1)
    t.raises(RuntimeError, t.call, function, (-1, 3), *value, device=t.device)
    asked = {"dtype": t.fw.int64, "device": t.device, "requires_grad": True}
    t.raises(RuntimeError, t.call, function, (2,), *value, **asked)


@case("torch.full", core=False, reference="none")
def what_does_not_fit_the_dtype(t):
    """300 is no byte, 1e40 no f32, a million no f16."""
    for value, dtype in ((300, "u8"), (1e40, "f32"), (1e6, "f16")):
        asked = {"dtype": t.dtype(dtype), "device": t.device}
        t.raises(RuntimeError, t.call, "torch.full", (2,), value, **asked)


# --- eye


@case(
    "torch.eye",
    dtypes="f32 bf16 i64 bool",
    size=[(7,), (5, 8)],
    reference=lambda np, size: np.eye(*size),
)
@case(
    "torch.eye",
    dtypes="f16 f64 c64 i32 u8",
    core=False,
    size=[(8, 5)],
    reference=lambda np, size: np.eye(*size),
)
def eye(t, dtype, size):
    made = t.call("torch.eye", *size, dtype=t.dtype(dtype), device=t.device)
    t.expect(made.dtype is t.dtype(dtype), "the asked dtype")
    return made


@case("torch.eye", dtypes="f32", core=False, trivial=True, size=[(0,), (0, 3), (3, 0), (1,), (1, 4)],
      reference=lambda np, size: np.eye(*size))  # fmt: skip
def eye_of_nothing_or_one(t, dtype, size):
    return t.call("torch.eye", *size, dtype=t.dtype(dtype), device=t.device)


@case("torch.eye", core=False, reference="none")
def eye_defaults(t):
    made = t.call("torch.eye", 2, device=t.device)
    t.expect(made.dtype is t.fw.get_default_dtype() and not made.requires_grad, "a plain tensor")
    t.expect(t.host(made).tolist() == [[1, 0], [0, 1]], "the identity")


@case(
    "torch.eye", dtypes="f32", core=False, reference=lambda np, x: (np.eye(3), x + x.T * np.eye(3))
)
def eye_learns(t, dtype):
    x = t.randn((3, 3), dtype)
    made = t.call("torch.eye", 3, dtype=t.dtype(dtype), device=t.device, requires_grad=True)
    (made * made * x / 2).sum().backward()
    return made, x + made.grad


@case("torch.eye", dtypes="f32 i64 bool", core=False, reference=lambda np: (np.eye(3, 4),) * 2)
def eye_into_out(t, dtype):
    """What stood there is gone."""
    given = t.fw.ones((3, 4), dtype=t.dtype(dtype), device=t.device)
    return t.call("torch.eye", 3, 4, out=given), given


@case("torch.eye", dtypes="f32", core=False, reference=lambda np, x: x)
def leaves_a_matrix_as_it_is(t, dtype):
    x = t.randn((6, 6), dtype)
    return x @ t.call("torch.eye", 6, dtype=t.dtype(dtype), device=t.device)


@case("torch.eye", core=False, reference=lambda np: [np.eye(n) for n in (2, 5, 9)])
def eye_of_three_sizes(t):
    return [t.call("torch.eye", n, device=t.device) for n in (2, 5, 9)]


@case("torch.eye", dtypes="f32", large=True, reference=lambda np: np.eye(2048))
def eye_of_many(t, dtype):
    return t.call("torch.eye", 2048, dtype=t.dtype(dtype), device=t.device)


@case("torch.eye", core=False, reference="none")
def eye_refuses(t):
    t.raises(RuntimeError, t.call, "torch.eye", -1, device=t.device)
    t.raises(RuntimeError, t.call, "torch.eye", 3, -1, device=t.device)
