"""A tensor in f32, as a number of Python, and beside another one: Tensor.float, Tensor.item, equal."""

from seamark_suites.case import case

from .reference import with_gradient

INF, NAN = float("inf"), float("nan")


# --- Tensor.float


@case(
    "torch.Tensor.float",
    dtypes="f32 bf16 i64 i32 bool",
    shapes="64x33",
    name="forward",
    reference=lambda np, x: x * 1.0,
)
@case(
    "torch.Tensor.float",
    dtypes="f16 f64 i16 i8 u8",
    shapes="64x33",
    core=False,
    name="forward",
    reference=lambda np, x: x * 1.0,
)
@case(
    "torch.Tensor.float",
    dtypes="f32 bf16 i64",
    shapes="scalar 0 3x0x2",
    core=False,
    trivial=True,
    name="forward",
    reference=lambda np, x: x * 1.0,
)
def as_float(t, dtype, shape):
    x = t.randn(shape, dtype)
    made = t.call("torch.Tensor.float", x)
    t.expect(made.dtype is t.fw.float32, "f32")
    t.expect(dtype == "f64" or bool((t.host(made) == t.host(x)).all()), "the very same numbers")
    return made


@case(
    "torch.Tensor.float",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(lambda np, x: x, lambda np, w, x: w),
)
@case(
    "torch.Tensor.float",
    dtypes="f16 f64",
    grad=True,
    core=False,
    reference=with_gradient(lambda np, x: x, lambda np, w, x: w),
)
def gradient(t, dtype):
    """It comes back in the input's dtype."""
    made, slopes = t.call("torch.Tensor.float", t.randn((6, 5), dtype))
    t.expect(slopes[0].dtype is t.dtype(dtype), "a gradient in the input's dtype")
    return made, slopes


@case("torch.Tensor.float", dtypes="f32", core=False, reference=lambda np, x: x)
def is_the_same_tensor(t, dtype):
    """Of f32 there is nothing to do."""
    x = t.randn((4, 5), dtype)
    made = t.call("torch.Tensor.float", x)
    t.expect(made is x, "the tensor itself")
    return made


@case("torch.Tensor.float", dtypes="f64 i64", core=False, reference=lambda np, x: (x * 1.0, x * 0))
def is_a_copy(t, dtype):
    """Of another dtype it is a copy."""
    x = t.randn((4, 5), dtype)
    made = t.call("torch.Tensor.float", x)
    x.zero_()
    return made, x


@case("torch.Tensor.float", dtypes="f64", core=False, reference=lambda np, x: x.astype("float32"))
def ends_of_f64(t, dtype):
    """What is too large becomes infinite, what is too small zero; NaN and the sign of zero stay."""
    x = t.const([1e39, -1e39, 1e-50, 3.4e38, NAN, INF, -0.0, 1 + 2**-30], dtype)
    made = t.call("torch.Tensor.float", x)
    values = t.host(made)
    t.expect(values[2] == 0 and bool(t.np.isinf(values[:2]).all()), "zero and infinities")
    t.expect(bool(t.np.signbit(values[6])) and values[7] == 1, "minus zero; one")
    return made


@case("torch.Tensor.float", dtypes="i64", core=False, reference=lambda np, x: x.astype("float32"))
def rounds_large_integers(t, dtype):
    """Beyond 24 bits to the nearest, a tie to even."""
    x = t.const([2**24 + 1, 2**24 + 3, 2**40 + 1, -(2**31) - 1, 2**62], dtype)
    made = t.call("torch.Tensor.float", x)
    t.expect(t.host(made)[:2].tolist() == [2**24, 2**24 + 4], "ties to even")
    return made


@case(
    "torch.Tensor.float",
    dtypes="bf16 i64",
    core=False,
    reference=lambda np, x, image: (x * 1.0, x.T * 1.0, image * 1.0),
)
def layouts(t, dtype):
    """Gaps, a transpose, channels last: the order of the axes stays."""
    x, image = t.randn((6, 9), dtype, noncontiguous=True), t.randn((2, 3, 4, 5), dtype)
    last = image.contiguous(memory_format=t.fw.channels_last)
    made = [t.call("torch.Tensor.float", y) for y in (x, x.mT, last)]
    t.expect(made[2].is_contiguous(memory_format=t.fw.channels_last), "channels last")
    return made


@case("torch.Tensor.float", dtypes="bf16", core=False, reference=lambda np, x: x)
def in_a_format(t, dtype):
    last = t.fw.channels_last
    made = t.call("torch.Tensor.float", t.randn((2, 3, 4, 5), dtype), memory_format=last)
    t.expect(made.is_contiguous(memory_format=last), "channels last")
    return made


@case("torch.Tensor.float", dtypes="bf16", core=False, reference=lambda np, *xs: list(xs))
def floats_of_three_sizes(t, dtype):
    return [t.call("torch.Tensor.float", t.randn((n, 7), dtype)) for n in (5, 8, 13)]


@case(
    "torch.Tensor.float",
    dtypes="bf16 i32",
    shapes="2048x2048",
    large=True,
    reference=lambda np, x: x * 1.0,
)
def floats_of_many(t, dtype, shape):
    return t.call("torch.Tensor.float", t.randn(shape, dtype))


@case("torch.Tensor.float", dtypes="c64 c128", core=False, reference=lambda np, x: x.real)
def drops_the_imaginary_part(t, dtype):
    """With a warning."""
    import warnings

    x = t.randn((20,), dtype)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        t.fw.set_warn_always(True)
        try:
            made = t.call("torch.Tensor.float", x)
        finally:
            t.fw.set_warn_always(False)
    t.expect(any("imaginary" in str(one.message) for one in seen), "a warning")
    return made


@case("torch.Tensor.float", dtypes="f8e4m3 f8e5m2", core=False, reference=lambda np, x: x)
def of_eight_bits(t, dtype):
    """Each number of eight bits is one of f32; zeros keep their sign, NaN stays."""
    x = t.const(
        [1.0, -1.5, 0.015625, 448.0 if "m3" in dtype else 57344.0, -7.0, 0.0, -0.0, NAN], "f32"
    )
    made = t.call("torch.Tensor.float", x.to(t.dtype(dtype)))
    t.expect(made.dtype is t.fw.float32 and bool(t.np.signbit(t.host(made)[6])), "f32; minus zero")
    return made


@case("torch.Tensor.float", core=False, reference="none")
def float_refuses(t):
    x = t.randn((2, 3), "bf16")
    t.raises(RuntimeError, t.call, "torch.Tensor.float", x, memory_format=t.fw.channels_last)


# --- Tensor.item

KINDS = {"f": float, "b": float, "c": complex, "i": int, "u": int}


@case(
    "torch.Tensor.item",
    dtypes="f32 bf16 i64 i32",
    shapes="scalar 1 1x1x1",
    reference=lambda np, x: x.reshape(()),
)
@case(
    "torch.Tensor.item",
    dtypes="f16 f64 i8 u8 c64 c128",
    shapes="scalar",
    core=False,
    reference=lambda np, x: x,
)
def item(t, dtype, shape):
    """A number of Python's own kind."""
    made = t.call("torch.Tensor.item", t.uniform(shape, dtype, 1, 9))
    t.expect(type(made) is KINDS[dtype[0]], "a %s" % KINDS[dtype[0]].__name__)
    return made


@case("torch.Tensor.item", dtypes="bool", reference="none")
def booleans(t, dtype):
    yes, no = t.const(True, dtype), t.const([False], dtype)
    t.expect(t.call("torch.Tensor.item", yes) is True, "True")
    t.expect(t.call("torch.Tensor.item", no) is False, "False")


@case("torch.Tensor.item", core=False, reference="none")
def exact_numbers(t):
    """All digits of large integers, of f64 and of f32."""
    for value, dtype in (
        (2**62 + 1, "i64"),
        (-(2**63), "i64"),
        (0.1, "f64"),
        (5e-324, "f64"),
        (255, "u8"),
    ):
        found = t.call("torch.Tensor.item", t.const(value, dtype))
        t.expect(found == value, "%r, got %r" % (value, found))
    found = t.call("torch.Tensor.item", t.const(0.1, "f32"))
    t.expect(found == 0.10000000149011612, "f32's digits, got %r" % found)


@case("torch.Tensor.item", dtypes="f32 f64 bf16", core=False, reference="none")
def no_number(t, dtype):
    item = lambda value: t.call("torch.Tensor.item", t.const(value, dtype))  # noqa: E731
    found = item(NAN)
    t.expect(type(found) is float and found != found, "NaN")
    t.expect(item(INF) == INF and item(-INF) == -INF, "infinities")
    t.expect(str(item(-0.0)) == "-0.0", "minus zero")


@case(
    "torch.Tensor.item",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [x.sum(), x[2, 3], x.T[1, 2], x.max()],
)
def of_results(t, dtype):
    """Waits for what is still computed, and takes an element of a view."""
    x = t.uniform((6, 9), dtype, 1, 2, noncontiguous=True)
    return [t.call("torch.Tensor.item", y) for y in (x.sum(), x[2, 3], x.mT[1, 2], x.max())]


@case(
    "torch.Tensor.item",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [(x**2).sum() * 1.0, 2 * x],
)
def of_a_loss(t, dtype):
    """The number of a loss that has a graph, before and after the backward pass."""
    x = t.uniform((5,), dtype, 1, 2, grad=True)
    loss = (x**2).sum()
    before = t.call("torch.Tensor.item", loss)
    loss.backward()
    t.expect(t.call("torch.Tensor.item", loss) == before, "the same number after")
    return [before, x.grad]


@case("torch.Tensor.item", dtypes="f32", core=False, reference="none")
def after_a_change(t, dtype):
    """The number of now."""
    x = t.const(1.0, dtype)
    for want in (1.0, 2.0, 4.0):
        t.expect(t.call("torch.Tensor.item", x) == want, "%g" % want)
        x.mul_(2)


@case("torch.Tensor.item", core=False, reference="none")
def item_refuses(t):
    """Several numbers, or none."""
    t.raises((RuntimeError, ValueError), t.call, "torch.Tensor.item", t.randn((2,), "f32"))
    t.raises((RuntimeError, ValueError), t.call, "torch.Tensor.item", t.randn((0,), "f32"))


# --- equal: the same size and the same elements


@case("torch.equal", dtypes="f32 bf16 i64 i32 bool", shapes="64x33", reference="none")
@case("torch.equal", dtypes="f16 f64 u8 c64", shapes="64x33", core=False, reference="none")
def equal(t, dtype, shape):
    """One number that differs, the first or the last, is enough."""
    x = t.randn(shape, dtype)
    t.expect(t.call("torch.equal", x, x.clone()) is True, "equal to a copy")
    for place in ((0, 0), (-1, -1), (30, 17)):
        y = x.clone()
        y[place] = ~y[place] if dtype == "bool" else y[place] + 1
        t.expect(t.call("torch.equal", x, y) is False, "another number at %s" % (place,))


@case("torch.equal", dtypes="f32 i64", core=False, reference="none")
def another_size(t, dtype):
    """What would broadcast is not equal."""
    x = t.randn((1, 6), dtype)
    for y in (x[0], x.mT, x.expand(2, 6), x[:, :5], x[None]):
        t.expect(t.call("torch.equal", x, y) is False, "not of the size %s" % (tuple(y.shape),))
    t.expect(t.call("torch.equal", x, x[None][0]) is True, "of the same size")


@case("torch.equal", dtypes="f32 f64 bf16", core=False, reference="none")
def nan_and_zeros(t, dtype):
    """NaN is not equal, to itself neither; zeros of both signs are; infinities by their sign."""
    same = lambda x, y: t.call("torch.equal", t.const(x, dtype), t.const(y, dtype))  # noqa: E731
    t.expect(same([1.0, NAN], [1.0, NAN]) is False, "NaN differs from NaN")
    t.expect(same([0.0, -0.0], [-0.0, 0.0]) is True, "zeros of both signs")
    t.expect(same([INF, -INF], [INF, -INF]) is True, "infinities")
    t.expect(same([INF, 1.0], [-INF, 1.0]) is False, "infinities of other signs")
    x = t.const([NAN, 1.0], dtype)
    t.expect(t.call("torch.equal", x, x) is False, "a tensor with NaN, and itself")


@case("torch.equal", dtypes="f32 i64", core=False, reference="none")
def of_views(t, dtype):
    """Layout does not count."""
    x, y = t.randn((9, 14), dtype, noncontiguous=True), t.randn((4, 1), dtype)
    same = lambda x, y: t.call("torch.equal", x, y)  # noqa: E731
    t.expect(same(x, x.contiguous()) is True and same(x.mT, x.mT.contiguous()) is True, "the same")
    t.expect(same(y.expand(4, 3), y.repeat(1, 3)) is True, "a broadcast column and its copy")
    t.expect(same(x, x.flip(0)) is False, "other numbers")


@case("torch.equal", dtypes="f32", core=False, reference="none")
def of_little(t, dtype):
    """Scalars, and nothing."""
    x, none = t.randn((), dtype), t.randn((0, 3), dtype)
    t.expect(t.call("torch.equal", x, x.clone()) is True, "two scalars")
    t.expect(t.call("torch.equal", x, x + 1) is False, "two other scalars")
    t.expect(t.call("torch.equal", x, x[None]) is False, "a scalar and a vector")
    t.expect(t.call("torch.equal", none, none.clone()) is True, "two empty tensors")
    t.expect(t.call("torch.equal", none, none.mT) is False, "two empty tensors of other sizes")


@case("torch.equal", dtypes="f32", core=False, reference="none")
def equal_of_three_sizes(t, dtype):
    for n in (5, 8, 13):
        x = t.randn((n, 7), dtype)
        t.expect(t.call("torch.equal", x, x * 1) is True, "equal")
        t.expect(t.call("torch.equal", x, x * -1) is False, "not equal")


@case("torch.equal", dtypes="f32", shapes="2048x2048", large=True, reference="none")
def equal_of_many(t, dtype, shape):
    """Only the last number differs."""
    x = t.randn(shape, dtype)
    y = x.clone()
    t.expect(t.call("torch.equal", x, y) is True, "equal")
    y[-1, -1] += 1
    t.expect(t.call("torch.equal", x, y) is False, "another last number")


@case("torch.equal", core=False, reference="none")
def equal_of_rare_kinds(t):
    """Unsigned integers of each width, numbers of eight bits: the last and the first number count."""
    fw, same = t.fw, lambda x, y: t.call("torch.equal", x, y)
    whole = t.randint((7, 9), "i64", 0, 9)
    for name in ("uint16", "uint32", "uint64", "float8_e4m3fn", "float8_e5m2"):
        x = whole.to(getattr(fw, name))
        t.expect(same(x, whole.to(x.dtype)) is True, "equal in %s" % name)
        for place in ((0, 0), (-1, -1)):
            other = whole.clone()
            other[place] += 9
            t.expect(same(x, other.to(x.dtype)) is False, "not equal in %s" % name)


@case("torch.equal", dtypes="f32 f64 c64 f16", core=False, reference="none")
def equal_of_negatives_and_parts(t, dtype):
    """A minus that is not yet computed counts; parts of one memory, with the same numbers at other places and of one place; NaN in one memory."""
    same, x = lambda x, y: t.call("torch.equal", x, y), t.randn((6, 40), dtype)
    z = t.randn((50,), "c128" if dtype == "f64" else "c64")
    t.expect(same(z.conj().imag, -z.imag) is True, "a negative and the same")
    t.expect(same(z.conj().imag, z.imag) is False, "a negative of one memory")
    t.expect(same(z.conj().imag, z.conj().imag) is True, "two negatives")
    twice = t.fw.cat([x, x], 1)
    t.expect(same(twice[:, :40], twice[:, 40:]) is True, "the same numbers elsewhere in the memory")
    t.expect(same(twice[:, :40], twice[:, 1:41]) is False, "numbers beside them")
    t.expect(same(twice[:, ::2], x.repeat(1, 2)[:, ::2]) is True, "gaps")
    twice[-1, -2] = NAN
    t.expect(same(twice[:, ::2], twice[:, ::2]) is False, "NaN at the end of gaps, and itself")
    t.expect(same(twice[:, 1::2], twice[:, 1::2]) is True, "no NaN between")


@case("torch.Tensor.float", core=False, reference="none")
def floats_of_every_half(t):
    """Each of the 65536 patterns of f16 and of bf16: exact, subnormal ones too; NaN stays NaN, zeros keep their sign."""
    np, bits = t.np, t.np.arange(-(2**15), 2**15).astype("int16")
    wide = {"f16": bits.view("float16").astype("float32")}
    wide["bf16"] = (bits.astype("int32") << 16).view("float32")
    for name, want in wide.items():
        x = t.const(bits, "i16").view(t.dtype(name))
        made = t.host(t.call("torch.Tensor.float", x))
        same = (made == want) | (np.isnan(made) & np.isnan(want))
        t.expect(bool(same.all()), "of %s %d differ" % (name, (~same).sum()))
        t.expect(bool((np.signbit(made) == np.signbit(want))[~np.isnan(want)].all()), "the signs")


@case("torch.Tensor.float", core=False, reference=lambda np, whole: [whole % 2**bits * 1.0 for bits in (8, 16, 32)])  # fmt: skip
def floats_of_unsigned(t):
    """Of unsigned integers of each width, the largest, too."""
    fw, whole = t.fw, t.const([0, 7, 255, 2**16 - 1, 2**32 - 1, 2**31, 2**24 - 1], "i64")
    kinds = fw.uint8, fw.uint16, fw.uint32
    return [t.call("torch.Tensor.float", whole.to(kind)) for kind in kinds]


@case("torch.Tensor.float", dtypes="f64 i64 bf16", core=False, reference=lambda np, x, kept: [x * kept * 1.0] * 2)  # fmt: skip
def floats_of_sparse(t, dtype):
    """What is sparse stays so, by places and by rows."""
    x, fw = t.randn((5, 7), dtype) * t.randn((5, 7), "bool"), t.fw
    made = [t.call("torch.Tensor.float", one) for one in (x.to_sparse(), x.to_sparse_csr())]
    t.expect([one.layout for one in made] == [fw.sparse_coo, fw.sparse_csr], "sparse results")
    t.expect(all(one.dtype is fw.float32 for one in made), "f32")
    return [one.to_dense() for one in made]


@case("torch.Tensor.float", dtypes="f64", core=False, reference=lambda np, ties, x, small: [
      ties.astype("float32"), x.astype("float32"), (small * 2.0**-126).astype("float32") * 2.0**126])  # fmt: skip
def rounds_f64_to_the_nearest(t, dtype):
    """To the very number of f32: a tie to even, subnormal ones, the step to infinity; many numbers."""
    steps, most = t.np.arange(-9, 10), 2.0**128 - 2.0**104
    ties = [1 + steps * 2.0**-24, steps * 2.0**-150, [1e-40, -3e-42, most, -most, most + 2.0**103, most + 2.0**102, 1 + 2**-24 + 2**-52]]  # fmt: skip
    x = t.const(t.np.concatenate(ties), dtype), t.randn((3, 701), dtype), t.randn((2000,), dtype)
    made = [t.call("torch.Tensor.float", one) for one in (x[0], x[1], x[2] * 2.0**-126)]
    for found, given in zip(made, (x[0], x[1], x[2] * 2.0**-126)):
        wanted = t.host(given).astype("float32")
        differ = int((t.host(found) != wanted).sum())
        t.expect(differ == 0, "the nearest number, %d differ" % differ)
    return [made[0], made[1], made[2] * 2.0**126]


@case("torch.Tensor.float", dtypes="c64 c128", core=False, reference=lambda np, x: [
      (x * (2 - 3j)).real, (2 + 3j) * np.linspace(0.5, 1.5, 20)])  # fmt: skip
def gradient_of_complex_numbers(t, dtype):
    """The gradient has no imaginary part before the factor, whose conjugate turns it."""
    x = t.randn((20,), dtype, grad=True)
    made = t.call("torch.Tensor.float", x * (2 - 3j))
    ramp = t.fw.linspace(0.5, 1.5, 20, device=t.device)
    return [made.detach(), t.fw.autograd.grad((made * ramp).sum(), x)[0]]


@case("torch.Tensor.float", dtypes="f32", core=False, reference=lambda np, x, y: x / 8)
def real_parts_of_complex_halves(t, dtype):
    """Eighths, which two halves have exactly."""
    x, y = (t.randint((6, 33), dtype, -99, 99) for _ in "ri")
    return t.call("torch.Tensor.float", ((x + 1j * y) / 8).to(t.dtype("c32")))
