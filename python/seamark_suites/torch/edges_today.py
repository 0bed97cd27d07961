"""What matters at the edges of equal, gather, linspace, unbind, sigmoid and normal_: views, dtypes, axes, second slopes, draws."""

from seamark_suites.case import case

from .reference import with_gradient

# --- equal


@case("torch.equal", dtypes="f32", core=False, reference="none")
def views_of_one_memory(t, dtype):
    """Memory that is shared says nothing: the same numbers in another order differ."""
    x = t.const([[1.0, 2.0], [3.0, 4.0]], dtype)
    for one, other, wanted in (
        (x, x.mT, False),
        (x, x.mT.mT, True),
        (x[:1], x[1:], False),
        (x, x.view(4), False),
    ):
        found = t.call("torch.equal", one, other)
        t.expect(found is wanted, "%s, got %r" % (wanted, found))


@case("torch.equal", dtypes="c64", core=False, reference="none")
def conjugates_and_imaginary_parts(t, dtype):
    x = t.const([1 + 2j, 3 - 1j], dtype)
    t.expect(t.call("torch.equal", x, x.conj()) is False, "a conjugate differs")
    t.expect(t.call("torch.equal", x, x.conj().conj()) is True, "twice is the same")
    t.expect(
        t.call("torch.equal", x, t.const([1 + 2j, 3 + 1j], dtype)) is False, "imaginary parts count"
    )


@case("torch.equal", pair=["i32 f32", "f32 f64", "f16 bf16", "i8 u8", "i64 bool", "i64 c64", "f32 c128"], core=False, reference="none")  # fmt: skip
def equal_of_two_dtypes(t, pair):
    """Documented: the dtype says nothing, only size and numbers do; in either order."""
    first, second = (t.dtype(one) for one in pair.split())
    whole = t.randint((9, 14), "i64", 0, 2 if "bool" in pair else 9)

    def both(x, y):
        return {t.call("torch.equal", x, y), t.call("torch.equal", y, x)}

    x = whole.to(first)
    t.expect(both(x, whole.to(second)) == {True}, "the same numbers")
    for place in ((0, 0), (-1, -1)):
        other = whole.clone()
        other[place] = (other[place] + 1) % 9 if "bool" not in pair else 1 - other[place]
        t.expect(both(x, other.to(second)) == {False}, "another number at %s" % (place,))
    for y in (whole[:1], whole.mT, whole[:, :13], whole[None]):
        t.expect(both(x, y.to(second)) == {False}, "another size")
    if pair in ("i32 f32", "i64 c64"):
        half = whole.to(second)
        half[3, 4] += 0.5
        t.expect(both(x, half) == {False}, "a half more")


@case("torch.equal", core=False, reference="none")
def equal_of_steps(t):
    """Quantized: the same steps of one size are equal; other steps are not, nor are the same numbers by another scale or zero point."""
    fw, x = t.fw, t.randint((7, 9), "f32", 0, 9)
    by = lambda x, *how: fw.quantize_per_tensor(x, *how, fw.quint8)  # noqa: E731
    steps = by(x / 2, 0.5, 10)
    other = x.clone()
    other[-1, -1] += 1
    for y, wanted in ((by(x / 2, 0.5, 10), True), (by(other / 2, 0.5, 10), False), (by(x / 2, 0.25, 10), False), (by(x / 4, 0.25, 10), False)):  # fmt: skip
        found = t.call("torch.equal", steps, y)
        t.expect(found is wanted, "%s, got %r" % (wanted, found))


# --- gather


@case(
    "torch.gather",
    dtypes="f32 f64",
    core=False,
    reference=lambda np, x, index, v: [
        np.take_along_axis(x, index.astype(int), 1),
        2 * _scatter(np, x, index, v),
    ],
)
def gradient_of_the_gradient(t, dtype):
    """gather's own backward is differentiated: of the sum of gather(x)^2 v, by x twice."""
    x = t.randn((4, 5), dtype, grad=True)
    index = t.const([[0, 3], [1, 1], [4, 0], [2, 2]], "i64")
    v = t.uniform((4, 2), dtype, 0.5, 1.5)
    made = t.call("torch.gather", x, 1, index)
    first = t.fw.autograd.grad(((made**2) * v).sum(), x, create_graph=True)[0]
    return [made, t.fw.autograd.grad(first.sum(), x)[0]]


def _scatter(np, x, index, v):
    found = np.zeros_like(x)
    for row, columns in enumerate(index.astype(int)):
        for at, column in enumerate(columns):
            found[row, column] += v[row, at]
    return found


# --- linspace


@case(
    "torch.linspace",
    dtypes="i64 i32",
    core=False,
    reference=lambda np: [np.trunc(np.linspace(0, 10, 4)), np.trunc(np.linspace(-3, 3, 5))],
)
def whole_numbers_are_cut(t, dtype):
    make = {"dtype": t.dtype(dtype), "device": t.device}
    return [t.call("torch.linspace", 0, 10, 4, **make), t.call("torch.linspace", -3, 3, 5, **make)]


@case("torch.linspace", dtypes="f32", core=False, reference=lambda np, a, b: np.linspace(a, b, 7))
def between_two_tensors(t, dtype):
    return t.call(
        "torch.linspace",
        t.const(-2.0, dtype),
        t.const(3.0, dtype),
        7,
        dtype=t.dtype(dtype),
        device=t.device,
    )


@case("torch.linspace", dtypes="f32", core=False, reference=lambda np: np.linspace(0, 1, 5))
def that_takes_a_gradient(t, dtype):
    made = t.call(
        "torch.linspace", 0, 1, 5, dtype=t.dtype(dtype), device=t.device, requires_grad=True
    )
    t.expect(made.requires_grad and made.is_leaf, "a leaf with a gradient")
    return made


# --- unbind


@case(
    "torch.Tensor.unbind",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x: [*x, *[x[:, :, n] for n in range(4)], *[x[:, n] for n in range(3)]],
)
def along_other_axes(t, dtype):
    x = t.randn((2, 3, 4), dtype)
    first, last, middle = (
        t.call("torch.Tensor.unbind", x),
        t.call("torch.Tensor.unbind", x, -1),
        t.call("torch.Tensor.unbind", x, dim=1),
    )
    return [*first, *last, *middle]


@case(
    "torch.Tensor.unbind",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [*x, np.where(np.arange(3)[:, None] == 1, 2 * x, 0)],
)
def a_part_that_is_not_used(t, dtype):
    x = t.randn((3, 4), dtype, grad=True)
    parts = t.call("torch.Tensor.unbind", x)
    return [*parts, t.fw.autograd.grad((parts[1] ** 2).sum(), x)[0]]


@case(
    "torch.Tensor.unbind",
    dtypes="f32 bf16 i64 c64",
    core=False,
    reference=lambda np, x, y: [*x, *y.T],
)
def into_numbers(t, dtype):
    """A vector gives numbers without axes; columns of a matrix with gaps."""
    x, y = t.randn((4,), dtype), t.randn((3, 4), dtype)
    made = [*t.call("torch.Tensor.unbind", x), *t.call("torch.Tensor.unbind", y, dim=-1)]
    t.expect([one.dim() for one in made] == [0] * 4 + [1] * 4, "numbers, and columns")
    t.expect(isinstance(t.call("torch.Tensor.unbind", x), tuple), "a tuple")
    return made


@case("torch.Tensor.unbind", dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
      lambda np, x, y: [*x, *y.swapaxes(0, 1)], lambda np, w, x, y: (np.stack(w[:4]), np.stack(w[4:], 1))))  # fmt: skip
def gradient_of_numbers_and_planes(t, dtype):
    """Of the numbers of a vector, and along the middle of three axes."""
    unbind = t.get("torch.Tensor.unbind")
    return t.call(lambda x, y: [*unbind(x), *unbind(y, 1)], t.randn((4,), dtype), t.randn((2, 3, 4), dtype))  # fmt: skip


@case("torch.Tensor.unbind", dtypes="c64 c128", core=False, reference=lambda np, x, y, v, w: [*x, *y.swapaxes(0, 1), v, w])  # fmt: skip
def gradient_of_complex_parts(t, dtype):
    """What comes back into a part is its gradient, and not the conjugate of it."""
    unbind = t.get("torch.Tensor.unbind")
    x, y = t.randn((4,), dtype, grad=True), t.randn((2, 3, 4), dtype, grad=True)
    made = t.call(lambda x, y: [*unbind(x), *unbind(y, 1)], x, y)
    v, w = t.randn((4,), dtype), t.randn((2, 3, 4), dtype)
    pulls = [*(v[n] for n in range(4)), *(w[:, n] for n in range(3))]
    return [*(one.detach() for one in made), *t.fw.autograd.grad(made, [x, y], pulls)]


@case("torch.Tensor.unbind", core=False, reference="none")
def a_number_has_no_axis(t):
    t.refuses("torch.Tensor.unbind", t.randn((), "f32"))


# --- sigmoid


def _saturated(np, x):
    y = 1 / (1 + np.exp(-x))
    return [y, y * (1 - y)]


@case("torch.Tensor.sigmoid", dtypes="f32 f64", core=False, reference=_saturated)
def far_from_zero(t, dtype):
    """Where it is flat: the slope is small, and neither side overflows."""
    x = t.const([-30.0, -12.0, -5.0, 5.0, 12.0], dtype, grad=True)
    made = t.call("torch.Tensor.sigmoid", x)
    return [made, t.fw.autograd.grad(made.sum(), x)[0]]


# --- normal_


@case("torch.Tensor.normal_", dtypes="f32 f64", core=False, random=True, reference="none")
def the_shape_of_the_bell(t, dtype):
    """Two thirds within one deviation, one in twenty beyond two: no uniform draw has both."""
    x = t.call("torch.Tensor.normal_", t.fw.zeros(401, 251, dtype=t.dtype(dtype), device=t.device))
    size = abs(t.host(x))
    t.statistics(size < 1, mean=0.682689, std=0.465435)
    t.statistics(size > 2, mean=0.0455, std=0.2084)
    t.statistics(x, mean=0, std=1)


@case("torch.Tensor.normal_", dtypes="f32", core=False, random=True, reference="none")
def a_seed_draws_them_again(t, dtype):
    def drawn(count):
        return t.host(
            t.call("torch.Tensor.normal_", t.fw.zeros(count, dtype=t.dtype(dtype), device=t.device))
        ).copy()

    for count in (7, 500):
        t.fw.manual_seed(11)
        first, second = drawn(count), drawn(count)
        t.fw.manual_seed(11)
        again = drawn(count)
        t.expect(
            bool((first == again).all()) and bool((first != second).any()),
            "the same after the same seed",
        )
    t.statistics(first, mean=0, std=1)


@case("torch.Tensor.normal_", dtypes="f32", core=False, trivial=True, reference="none")
def without_a_deviation(t, dtype):
    x = t.call("torch.Tensor.normal_", t.randn((40,), dtype), 2.0, 0.0)
    t.expect(bool((t.host(x) == 2).all()), "the mean alone")
    t.raises(RuntimeError, t.call, "torch.Tensor.normal_", t.randn((3,), dtype, grad=True))


# --- linspace

LINE = "torch.linspace"


@case(LINE, dtypes="f32 f64 c64", core=False, reference=lambda np, *given: [
      np.linspace(-3, 10, 40).reshape(8, 5), np.linspace(1, 2, 9), np.zeros((8, 4))])  # fmt: skip
def line_into_columns(t, dtype):
    """out= that is a part of a tensor, with as many numbers; every other row."""
    whole, rows = (t.fw.zeros(size, dtype=t.dtype(dtype), device=t.device) for size in ((8, 9), (18,)))  # fmt: skip
    made = t.call(LINE, -3, 10, 40, out=whole[:, 4:])
    t.call(LINE, 1, 2, 9, out=rows[::2])
    t.expect(not t.host(rows[1::2]).any(), "nothing between")
    return [made, rows[::2], whole[:, :4]]


@case(LINE, dtypes="i8 u8 i16 i32 i64", core=False, reference=lambda np, *ends: [
      *(np.linspace(*one, n).astype("int64") for one, n in zip(ends[0].reshape(-1, 2), (6, 18)))])  # fmt: skip
def over_all_integers(t, dtype):
    """From the least to the largest in whole steps; between neighbours."""
    least, most = {"u8": (0, 255), "i8": (-128, 127), "i16": (-(2**15), 2**15 - 1)}.get(dtype, (-(2**24), 2**24 - 4))  # fmt: skip
    ends = t.const([[least, most], [-7 if least else 7, 10 if least else 24]], "i64")
    asked = {"dtype": t.dtype(dtype), "device": t.device}
    return [t.call(LINE, *one, n, **asked) for one, n in zip(t.host(ends).tolist(), (6, 18))]


@case(
    LINE,
    dtypes="i64 f64 f32 i32 c64",
    core=False,
    reference=lambda np: np.linspace(-300000, 100000, 400001),
)
def by_steps_of_one(t, dtype):
    """400001 numbers, that several threads share."""
    return t.call(LINE, -300000, 100000, 400001, dtype=t.dtype(dtype), device=t.device)


@case(LINE, core=False, reference="none")
def dtypes_of_lines(t):
    """Fractions, integers and mixtures give the default dtype, complex ends its complex one, in tensors, too; truths are no dtype."""
    fw, at = t.fw, {"device": t.device}
    n, z = fw.tensor(3, **at), fw.tensor(1 + 2j, **at)
    for ends, want in (((0, 2), 0), ((0.5, 2), 0), ((2, 0.5), 0), ((n, 5), 0), ((n.double(), 5.5), 0), ((1j, 2), 1), ((2, 3j), 1), ((2.5, 3j), 1),
                       ((z, 5), 1), ((n, z), 1)):  # fmt: skip
        made = t.call(LINE, *ends, 3, **at)
        t.expect(made.dtype is (fw.complex64 if want else fw.float32), "got %s" % made)
        first, last = (complex(t.host(end)) if fw.is_tensor(end) else end for end in ends)
        right = [first, (first + last) / 2, last]
        t.expect(bool((abs(t.host(made) - right) < 1e-6).all()), "%s, got %s" % (right, made))
    t.raises((RuntimeError, NotImplementedError), t.call, LINE, 0, 1, 3, dtype=fw.bool, **at)
    t.raises(TypeError, t.call, LINE, 0, 1, None, **at)
    t.raises(RuntimeError, t.call, LINE, 0, z, 3, dtype=fw.float32, **at)


@case(LINE, dtypes="f32 f64", core=False, reference=lambda np: [np.linspace(-3, 10, 41)] * 2)
def between_tiny_and_huge_ends(t, dtype):
    """Scaled back exactly."""
    far = 60 if dtype == "f32" else 480
    asked = {"dtype": t.dtype(dtype), "device": t.device}
    made = [t.call(LINE, -3 * 2.0**k, 10 * 2.0**k, 41, **asked) for k in (far, -far)]
    return [one * 2.0**-k for one, k in zip(made, (far, -far))]


def _lines(lowest, fractions):
    """PyTorch's own samples, and more with fractional ends, but those that go below."""
    made = [(start, end, n) for start in (-2.0, 0, 4.3, 50) for end in (-3, 0, 1, 4, 50) for n in (0, 1, 50)]  # fmt: skip
    made += [(0, 7, 50), (0, 4.7, 23), (50, 4.7, 50), (4.9, 0.9, 40), (-2.6, -9.8, 50), (9.8, -9.8, 37)]  # fmt: skip
    fractional = lambda one: any(end != int(end) for end in one[:2])  # noqa: E731
    return [one for one in made if min(one[:2]) >= lowest and fractional(one) == fractions]


def _cut(np, lowest, fractions):
    """In integers alone: both ends are cut, then each number, toward zero."""
    made = []
    for start, end, n in _lines(lowest, fractions):
        parts, first = max(n - 1, 1), int(start)
        numbers = first * parts + np.arange(n) * (int(end) - first)
        made.append(np.sign(numbers) * (abs(numbers) // parts))
    return made


@case(
    LINE, dtypes="i8 i16 i32 i64", lowest=[-10], fractions=[False, True], core=False, reference=_cut
)
@case(LINE, dtypes="u8", lowest=[0], fractions=[False, True], core=False, reference=_cut)
def whole_numbers_cut_downwards(t, dtype, lowest, fractions):
    """Lines in both directions and across zero: fractional ends are cut first, and each number toward zero."""
    line, asked = t.get(LINE), {"dtype": t.dtype(dtype), "device": t.device}
    return t.call(lambda: [line(*one, **asked) for one in _lines(lowest, fractions)])
