"""The limits of dtypes: torch.finfo."""

from seamark_suites.case import case
from seamark_suites.reference import with_gradient

INF = float("inf")


# --- torch.finfo

# Bits of the whole number and of the significand behind the point, the largest exponent, the smallest normal one.
FORMATS = {
    "f32": (32, 23, 127, -126),
    "bf16": (16, 7, 127, -126),
    "f16": (16, 10, 15, -14),
    "f64": (64, 52, 1023, -1022),
    "c64": (32, 23, 127, -126),
    "f8e4m3": (8, 3, 8, -6),
    "f8e5m2": (8, 2, 15, -14),
}


def _limits(np, numbers):
    """Bits, eps, the largest number, the smallest normal one."""
    bits, digits, top, bottom = FORMATS[numbers]
    # The pattern of all ones is NaN in f8e4m3.
    largest = 448.0 if numbers == "f8e4m3" else (2 - 2.0**-digits) * 2.0**top
    return [bits, 2.0**-digits, largest, -largest, 2.0**bottom, 2.0**bottom]


@case("torch.finfo", numbers=["f32", "bf16", "f16", "f64"], host_only=True, reference=_limits)
@case("torch.finfo", numbers=["c64", "f8e4m3", "f8e5m2"], core=False, host_only=True, reference=_limits)  # fmt: skip
def limits_of(t, numbers):
    """As the formats have them, exactly; a complex number has those of its parts."""
    found = t.call("torch.finfo", t.dtype(numbers))
    want = _limits(t.np, numbers)
    made = [found.bits, found.eps, found.max, found.min, found.smallest_normal, found.tiny]
    t.expect(made == want, "exactly %s, got %s" % (want, made))
    t.expect(type(found.max) is float and type(found.bits) is int, "numbers of Python")
    return made


@case("torch.finfo", host_only=True, core=False, reference="none")
def of_the_default_dtype(t):
    """Without an argument; its name; the decimal digits."""
    fw = t.fw
    t.expect(t.call("torch.finfo").dtype == "float32", "the default dtype")
    t.expect(t.call("torch.finfo").eps == t.call("torch.finfo", fw.float32).eps, "its limits")
    for dtype, resolution in ((fw.float32, 1e-6), (fw.float64, 1e-15), (fw.float16, 1e-3)):
        found = t.call("torch.finfo", dtype)
        t.expect(abs(found.resolution / resolution - 1) < 1e-6, "%g" % resolution)
        t.expect("torch." + found.dtype == str(dtype), "the name %s" % found.dtype)
    t.expect(t.call("torch.finfo", fw.float16) == t.call("torch.finfo", fw.float16), "equal")
    t.expect(t.call("torch.finfo", fw.float16) != t.call("torch.finfo", fw.bfloat16), "others")


@case("torch.finfo", host_only=True, core=False, reference="none")
def of_another_default_dtype(t):
    """f64 where that is the default; complex numbers of f64; the digits and the text of bf16."""
    fw = t.fw
    before = fw.get_default_dtype()
    fw.set_default_dtype(fw.float64)
    try:
        t.expect(t.call("torch.finfo").bits == 64, "the default dtype's")
    finally:
        fw.set_default_dtype(before)
    wide, half = t.call("torch.finfo", fw.complex128), t.call("torch.finfo", type=fw.bfloat16)
    t.expect([wide.bits, wide.eps, wide.max] == _limits(t.np, "f64")[:3], "those of f64")
    t.expect(wide.dtype == "float64" and half.dtype == "bfloat16", "the names")
    t.expect(abs(half.resolution - 0.01) < 1e-9, "two digits, got %g" % half.resolution)
    t.expect("max=3.38953e+38" in repr(half) and "dtype=bfloat16" in repr(half), repr(half))


# eps, the largest and the smallest normal number of formats of eight bits that have no infinities.
EIGHT = {
    "float8_e4m3fnuz": (2.0**-3, 240.0, 2.0**-7),
    "float8_e5m2fnuz": (2.0**-2, 57344.0, 2.0**-15),
}


@case("torch.finfo", numbers="float8_e4m3fnuz", host_only=True, core=False, reference="none",
      since=("2.2", "the dtype"))  # fmt: skip
@case("torch.finfo", numbers="float8_e5m2fnuz", host_only=True, core=False, reference="none", since=("2.2", "the dtype"),
      cpu_fails="eps is 1/8, and the next number after 1 is 1.25")  # fmt: skip
def of_eight_bits_without_infinities(t, numbers):
    found = t.call("torch.finfo", getattr(t.fw, numbers))
    made = found.eps, found.max, found.smallest_normal
    want = EIGHT[numbers]
    t.expect(made == want and found.bits == 8, "%s, got %s" % (want, made))


@case("torch.finfo", host_only=True, core=False, reference="none")
def finfo_refuses(t):
    """Integers have iinfo."""
    for wrong in (t.fw.int64, t.fw.uint8, t.fw.bool, "float32", 3, None):
        t.raises(TypeError, t.call, "torch.finfo", wrong)


@case("torch.finfo", dtypes="f32 bf16", reference="none")
@case("torch.finfo", dtypes="f16 f64", core=False, reference="none")
def hold_on_the_device(t, dtype):
    """The device computes with these limits: one more step overflows, half a step is lost."""
    one, two = t.const([1.0, -1.0, 1.0, 1.0], dtype), t.const([2.0, 2.0, 2.0, 2.0], dtype)

    def run(one, two):
        found = t.fw.finfo(one.dtype)
        large, step = one * found.max, one + found.eps
        return large, large * two, step - one, (one + found.eps / 4) - one, one * found.tiny

    large, over, step, lost, tiny = map(t.host, t.call(run, one, two))
    _, eps, largest, _, smallest, _ = _limits(t.np, dtype)
    signs = t.np.array([1.0, -1, 1, 1])
    t.expect(bool((large == signs * largest).all()), "the largest number, got %s" % large)
    t.expect(bool((over == signs * INF).all()), "infinity beyond it, got %s" % over)
    t.expect(bool((step == [eps] * 4).all()), "a step of eps, got %s" % step)
    t.expect(bool((lost[[0, 2, 3]] == 0).all()), "a quarter of a step is lost, got %s" % lost)
    t.expect(bool((tiny == signs * smallest).all()), "the smallest normal number, got %s" % tiny)


def _masked(np, x, mask):
    weights = np.where(mask, 0, np.exp(x))
    return weights / weights.sum(-1, keepdims=True)


def _masked_pull(np, w, x, mask):
    p = _masked(np, x, mask)
    return p * (w - (w * p).sum(-1, keepdims=True))


@case("torch.finfo", dtypes="f32 bf16", shapes="8x9", reference=_masked)
@case(
    "torch.finfo",
    dtypes="f32",
    shapes="8x9",
    grad=True,
    name="masks_scores_with_a_gradient",
    reference=with_gradient(_masked, _masked_pull),
)
@case("torch.finfo", dtypes="f16 f64", shapes="8x9", core=False, reference=_masked)
def masks_scores(t, dtype, shape):
    """The lowest number stands where attention must not look; the weights there are zero."""
    x = t.randn(shape, dtype)
    mask = t.const(t.np.triu(t.np.ones(shape), 1), "bool")

    def run(x, mask):
        return x.masked_fill(mask, t.fw.finfo(x.dtype).min).softmax(-1)

    return t.call(run, x, mask)


def _unit(np, x, zero):
    norms = [np.sqrt((one * one).sum(-1, keepdims=True)) for one in (x, zero)]
    return [one / np.maximum(norm, 1e-38) for one, norm in zip((x, zero), norms)]


@case("torch.finfo", dtypes="f32 bf16", core=False, reference=_unit)
def keeps_from_zero(t, dtype):
    """tiny below a division: zero by its own norm is zero, not NaN."""
    x, zero = t.uniform((4, 6), dtype, 1, 2), t.const(t.np.zeros((2, 6)), dtype)

    def run(x):
        norm = (x * x).sum(-1, keepdim=True).sqrt()
        return x / norm.clamp(min=t.fw.finfo(x.dtype).tiny)

    return [t.call(run, one) for one in (x, zero)]


# The decimal digits that a format has for sure.
DIGITS = {"f32": 6, "f64": 15, "f16": 3, "bf16": 2, "c64": 6, "c128": 15, "f8e4m3": 0, "f8e5m2": 0}


@case("torch.finfo", numbers=list(DIGITS), host_only=True, core=False, reference="none")
def digits_and_names(t, numbers):
    """resolution, dtype and text of each format; that of the parts of complex ones; the same where it is the default."""
    fw, dtype = t.fw, t.dtype(numbers)
    found = t.call("torch.finfo", dtype)
    want = 10.0 ** -DIGITS[numbers]
    t.expect(abs(found.resolution / want - 1) < 1e-6, "%g, got %g" % (want, found.resolution))
    part = {"c64": "float32", "c128": "float64"}.get(numbers, str(dtype).replace("torch.", ""))
    t.expect(found.dtype == part, "%s, got %s" % (part, found.dtype))
    t.expect(found.smallest_normal == found.tiny and found.min == -found.max, "its ends")
    text = repr(found)
    for piece in (
        "resolution=",
        "min=-",
        "max=",
        "eps=",
        "smallest_normal=",
        "tiny=",
        "dtype=" + part,
    ):
        t.expect(piece in text, "%s in %s" % (piece, text))
    if numbers in ("f32", "f64", "f16", "bf16"):
        before = fw.get_default_dtype()
        fw.set_default_dtype(dtype)
        try:
            t.expect(t.call("torch.finfo") == found, "the same without an argument")
        finally:
            fw.set_default_dtype(before)
    t.expect(t.call("torch.finfo", dtype) == found and found != 3, "equal to itself alone")
