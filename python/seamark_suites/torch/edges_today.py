"""What matters at the edges of equal, gather, linspace, unbind, sigmoid and normal_: views, dtypes, axes, second slopes, draws."""

from seamark_suites.case import case

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
