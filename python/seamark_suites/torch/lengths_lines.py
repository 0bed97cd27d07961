"""Lengths by x.norm() and lines by torch.linspace, as PyTorch's own tests of them are: NaN, many ones, no numbers, all integers."""

from seamark_suites.case import case

NORM, LINE, INF, NAN = "torch.Tensor.norm", "torch.linspace", float("inf"), float("nan")


# --- norm


PAIRS = [(a, b) for a in (0.0, NAN, 1.0) for b in (0.0, NAN, 1.0)]


@case(NORM, dtypes="f32 f64", core=False, reference=lambda np, *drawn: [
      np.array([f(one) for one in PAIRS]) for f in (np.max, np.min)] * 2)  # fmt: skip
def of_pairs_with_none(t, dtype):
    """The greatest and the least of two numbers of which either is NaN: of all numbers, and along an axis."""
    pairs = [t.const(one, dtype) for one in PAIRS]
    whole = [t.fw.stack([t.call(NORM, one, p) for one in pairs]) for p in (INF, -INF)]
    return whole + [t.call(NORM, t.const(PAIRS, dtype), p, 1) for p in (INF, -INF)]


@case(NORM, dtypes="f32 f64", core=False, trivial=True, reference=lambda np, ones: [
      np.array(100.0), np.array([100.0]), np.array(200.0), np.array([200.0]), np.array(200.0)])  # fmt: skip
def of_many_ones(t, dtype):
    """Ten thousand, and four times as many: all digits, the axis kept or not, of ones with gaps."""
    ones = t.const(t.np.ones(80000), dtype)
    given = [(ones[:10000], False), (ones[:10000], True), (ones[:40000], False), (ones[:40000], True)]  # fmt: skip
    made = [t.call(NORM, one, keepdim=keep) for one, keep in given]
    return [*made, t.call(NORM, ones[::2])]


@case(NORM, dtypes="f32 bf16 f64 f16", core=False, reference=lambda np, x: [
      made for y in (x[:, :, ::2], x[::2, :, ::3]) for made in (np.sqrt((y**2).sum(-1)), abs(y).sum(-1), np.sqrt((y**2).sum()))])  # fmt: skip
def along_an_axis_with_gaps(t, dtype):
    x = t.randn((3, 5, 40), dtype)
    views = x[:, :, ::2], x[::2, :, ::3]
    return [t.call(NORM, y, *one) for y in views for one in ((2, -1), (1, -1), (2,))]


SIZES = [(0,), (0, 0), (0, 5), (4, 0), (0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 3), (5, 3, 2, 1, 3)]
FEW = [(4, 3), (3, 2, 4)]


def _axes(size):
    """All axes, each, and each two of them."""
    n = len(size)
    return [None, *range(-n, n), *((a, b) for a in range(n) for b in range(a + 1, n))]


def _long(np, x, axes, keep):
    return np.sqrt((x**2).sum(axes, keepdims=keep))


@case(NORM, dtypes="f32 f64", core=False, trivial=True, reference=lambda np, *drawn: [
      _long(np, x, axes, keep) for x in drawn for axes in _axes(x.shape) for keep in (False, True)] * 2)  # fmt: skip
def the_same_by_both_names(t, dtype):
    """By 2 and by "fro" along each axis, each two and all, of sizes of nothing, too."""
    drawn = [t.randn(size, dtype) for size in (*SIZES, *FEW)]
    asked = [(x, axes, keep) for x in drawn for axes in _axes(x.shape) for keep in (False, True)]
    return [t.call(NORM, x, p, axes, keep) for p in (2, "fro") for x, axes, keep in asked]


@case(NORM, dtypes="f32 c64", core=False, reference=lambda np, x, y: [
      np.sqrt((abs(x / 8 + 1j * y / 8) ** 2).sum(0)), abs(x / 8 + 1j * y / 8).max(1)])  # fmt: skip
def of_complex_halves(t, dtype):
    """Their lengths are halves."""
    x, y = t.randint((4, 6), "f32", 1, 9), t.randint((4, 6), "f32", 1, 9)
    z = ((x + 1j * y) / 8).to(t.dtype("c32"))
    made = [t.call(NORM, z, 2, 0), t.call(NORM, z, INF, 1)]
    t.expect(all(one.dtype is t.dtype("f16") for one in made), "f16")
    return made


# --- linspace


def _asked(t, dtype):
    return {"dtype": t.dtype(dtype), "device": t.device}


ENDS = -0.0316082797944545745849609375, 0.0315315723419189453125
COUNTS = 1, 2, 3, 5, 11, 256, 257, 2**20


@case(LINE, dtypes="f32 f64 c64 c128", core=False, reference=lambda np, turn: [np.linspace(
      ENDS[0] + 0.8888888888j * turn, ENDS[1] + 0.444444444444j * turn, n) if turn else np.linspace(*ENDS, n) for n in COUNTS])  # fmt: skip
def as_numpy_draws_lines(t, dtype):
    """By few steps, by one more than a block, by a million; both ends are exact."""
    turn = int(dtype.startswith("c"))
    t.const(turn, "i64")
    first, last = ENDS[0] + 0.8888888888j * turn, ENDS[1] + 0.444444444444j * turn
    first, last = (first, last) if turn else (first.real, last.real)
    made = [t.call(LINE, first, last, n, **_asked(t, dtype)) for n in COUNTS]
    for one in made:
        found, kind = t.host(one), {"f32": "float32", "f64": "float64", "c64": "complex64", "c128": "complex128"}[dtype]  # fmt: skip
        right = t.np.array([first, last]).astype(kind)
        t.expect(found[0] == right[0] and (len(found) == 1 or found[-1] == right[1]), "the ends")
    return made


@case(LINE, dtypes="f32 f64 f16 bf16 c64", core=False, reference=lambda np: [
      np.arange(401) / 2 - 100, np.arange(10, 21), np.array([2, 1, 0]), np.arange(1991) + 10])  # fmt: skip
def by_halves_and_ones(t, dtype):
    """From -100 by halves, whole steps up and down: each is the nearest that the dtype has."""
    few = dtype in ("f16", "bf16")
    ends = (-100, 100, 401), (10, 20, 11), (2, 0, 3), (10, 2000, 1991)
    made = [t.call(LINE, *one, **_asked(t, dtype)) for one in ends]
    return made[:3] + [t.fw.arange(10, 2001, device=t.device) if few else made[3]]


@case(LINE, dtypes="i32 i64 i16 u8 i8", core=False, reference="none")
def across_all_integers(t, dtype):
    """From the least to near the most in fourteen steps, none of which is lost to an overflow."""
    info = t.fw.iinfo(t.dtype(dtype))
    last = info.max & ~0xFFF if info.bits > 16 else info.max
    made = [int(one) for one in t.host(t.call(LINE, info.min, last, 15, **_asked(t, dtype)))]
    step, slack = (last - info.min) / 14, 2 + 2 ** (info.bits - 22)
    t.expect(made[0] == info.min and abs(made[-1] - last) <= slack, "both ends, got %s" % made)
    found = [b - a for a, b in zip(made, made[1:])]
    t.expect(all(abs(one - step) <= slack for one in found), "equal steps, got %s" % found)


@case(LINE, dtypes="f32 f64 i64 i32 c64", core=False, reference=lambda np, x: [np.arange(9000), np.arange(9000), np.array([[0, 0, 1], [0, 2, 3]])])  # fmt: skip
def into_turned_axes(t, dtype):
    """out= whose axes lie in another order, a thousand by three by three, and a part of rows."""
    given = (t.randn((3, 3, 1000), "f32") * 3).to(t.dtype(dtype)).permute(2, 0, 1)
    whole = t.fw.zeros((2, 3), **_asked(t, dtype))
    made = t.call(LINE, 0, 8999, 9000, out=given)
    t.expect(made.stride() == (1, 3000, 1000), "its own order")
    plain = t.call(LINE, 0, 8999, 9000, **_asked(t, dtype))
    t.call(LINE, 0, 3, 4, out=whole.narrow(1, 1, 2), dtype=t.dtype(dtype))
    return [given.flatten(), plain, whole]


@case(LINE, dtypes="c64 c128 f32", core=False, reference="none")
def a_million_that_grow(t, dtype):
    """Real and imaginary parts grow at each step."""
    end = 999999 + (999999j if dtype.startswith("c") else 0)
    made = t.host(t.call(LINE, 0, end, 1000000, **_asked(t, dtype)))
    for part in (made.real, made.imag) if dtype.startswith("c") else (made,):
        t.expect(bool((t.np.diff(part) > 0).all()), "growing numbers")
        t.expect(part[0] == 0 and part[-1] == 999999, "both ends")


@case(LINE, core=False, reference="none")
def ends_that_learn(t):
    """A line does not learn, though its ends do."""
    one, two = t.const(0.0, "f32").requires_grad_(), t.const(3.0, "f32").requires_grad_()
    for ends in ((one, two), (one, 3.0), (0.0, two)):
        for count in (0, 1, 2):
            made = t.call(LINE, *ends, count, device=t.device)
            t.expect(not made.requires_grad and made.grad_fn is None, "no graph")
            t.expect(t.host(made).tolist() == [0, 3][:count], "its numbers, got %s" % made)
