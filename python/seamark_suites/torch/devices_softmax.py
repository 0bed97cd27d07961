"""More of torch.device, normal_ and softmax."""

import warnings

from seamark_suites.case import case, each
from seamark_suites.reference import with_gradient

from .transformed import softmax

INF, NAN = float("inf"), float("nan")
NORMAL, SOFTMAX = "torch.Tensor.normal_", "torch.nn.functional.softmax"


# --- device


@case(
    "torch.device",
    core=False,
    host_only=True,
    reference="none",
    since=("2.0", "set_default_device"),
)
def by_default(t):
    """set_default_device counts until it is taken back, within a context the context's; a module is made there."""
    torch, device = t.fw, t.call(t.get, "torch.device")
    try:
        torch.set_default_device(device("meta"))
        t.expect(torch.ones(2).device.type == "meta", "by default")
        t.expect(torch.nn.Linear(2, 2).weight.device.type == "meta", "a module's, too")
        with device("cpu"):
            t.expect(torch.ones(2).device.type == "cpu", "the context's")
    finally:
        torch.set_default_device(None)
    t.expect(torch.ones(2).device.type == "cpu", "as before")


@case(
    "torch.device", core=False, host_only=True, reference="none", since=("2.6", "torch.accelerator")
)
def an_index_alone(t):
    """Of the accelerator that there is; where there is none, it is refused."""
    here = t.fw.accelerator.current_accelerator()
    if here is None:
        t.raises(RuntimeError, t.call, "torch.device", 0)
    else:
        made = t.call("torch.device", 0)
        t.expect((made.type, made.index) == (here.type, 0), "the accelerator's, got %r" % made)
    t.raises(RuntimeError, t.call, "torch.device", -1)


@case("torch.device", core=False, host_only=True, reference="none")
def by_keyword(t):
    """type= and index=; the host has an index, too; neither is changed."""
    made = t.call("torch.device", type="cuda", index=1)
    t.expect((made.type, made.index) == ("cuda", 1), "cuda and 1, got %r" % made)
    t.expect(t.call("torch.device", "cpu", 0).index == 0, "an index of the host")
    t.raises((AttributeError, TypeError), setattr, made, "index", 2)
    t.raises(TypeError, t.call, "torch.device", "cuda", "1")
    t.raises(TypeError, t.call, "torch.device")


# --- normal_


@case(NORMAL, dtypes="c64 c128", core=False, random=True, reference="none")
def of_complex_numbers(t, dtype):
    """Each part has half of the variance."""
    made = t.call(NORMAL, t.const(t.np.zeros((200, 300)), dtype), 0.0, 2.0)
    parts = t.fw.view_as_real(made)
    for part in (parts[..., 0], parts[..., 1]):
        t.statistics(part, mean=0.0, std=2**0.5)


@case(NORMAL, dtypes="f32 bf16", core=False, random=True, reference="none")
def by_a_generator(t, dtype):
    """One with the same seed draws them again, and leaves the default one alone."""
    x, torch = t.const(t.np.zeros((30, 7)), dtype), t.fw
    torch.manual_seed(3)
    before = torch.randn(4)
    torch.manual_seed(3)

    def drawn(seed):
        return t.host(
            t.call(
                NORMAL, x.clone(), 1.0, 3.0, generator=torch.Generator(t.device).manual_seed(seed)
            )
        )

    first, again, other = drawn(5), drawn(5), drawn(6)
    t.expect(
        bool((first == again).all()) and bool((first != other).any()),
        "the same of the same seed alone",
    )
    t.expect(
        str(t.device) != "cpu" or bool((torch.randn(4) == before).all()),
        "the default one as it was",
    )


@case(NORMAL, dtypes="f32", core=False, random=True, reference="none")
def draws_over_a_graph(t, dtype):
    """What is drawn over has no gradient, the rest has its own."""
    x = t.randn((4, 100), dtype, grad=True)
    made = x * 3
    drawn = t.call(NORMAL, made[:2], 5.0, 0.5)
    for one in (drawn, made[:2]):
        t.statistics(one.detach(), mean=5, std=0.5)
    (slope,) = t.fw.autograd.grad(made.sum(), x)
    t.expect(t.host(slope)[:, 0].tolist() == [0, 0, 3, 3], "nothing of what was drawn over")
    t.expect(bool((t.host(made)[2:] == t.host(x * 3)[2:]).all()), "the rest as it was")


@case(NORMAL, dtypes="f32 bf16", core=False, random=True, reference="none")
def draws_few(t, dtype):
    """Numbers, and lengths around a vector's: each is drawn anew; channels last stay."""
    for shape in ((), (1,), (7,), (15,), (16,), (17,), (33,)):
        x = t.const(t.np.full(shape, 90.0), dtype)
        values = t.host(t.call(NORMAL, x)).reshape(-1)
        t.expect(bool((abs(values) < 9).all()), "every number of %s" % (shape,))
    last = t.const(t.np.full((4, 3, 5, 6), 90.0), dtype).to(memory_format=t.fw.channels_last)
    made = t.call(NORMAL, last)
    t.expect(made.is_contiguous(memory_format=t.fw.channels_last), "channels last")
    t.statistics(made, mean=0, std=1)


@case(NORMAL, dtypes="f32", core=False, trivial=True, reference=lambda np, x: x)
def draws_nothing(t, dtype):
    return t.call(NORMAL, t.randn((3, 0), dtype))


# --- softmax


def _along(np, x, dim):
    return np.moveaxis(softmax(np, np.moveaxis(x, dim, -1)), -1, dim)


@case(
    SOFTMAX,
    dtypes="f32 f64",
    dim=[0, 1, -1],
    grad=True,
    core=False,
    reference=with_gradient(lambda np, x, dim: _along(np, x, dim)),
)
@case(
    SOFTMAX,
    dtypes="f64",
    dim=[0, 1, -1],
    core=False,
    name="along_each_axis_forward",
    reference=lambda np, x, dim: _along(np, x, dim),
)
def along_each_axis(t, dtype, dim):
    return t.call(SOFTMAX, t.randn((3, 4, 5), dtype), dim)


@case(SOFTMAX, dtypes="f32", core=False, reference=lambda np, x: [
      softmax(np, x), _along(np, x.T, 0), 1.0, 1.0, np.zeros((3, 0))])  # fmt: skip
def of_views_and_little(t, dtype):
    """Gaps, a transpose, one number along either name of no axis, nothing."""
    x = t.randn((6, 9), dtype, noncontiguous=True)
    return [
        t.call(SOFTMAX, x, 1),
        t.call(SOFTMAX, x.mT, 0),
        t.call(SOFTMAX, x[0, 0], 0),
        t.call(SOFTMAX, x[0, 0], -1),
        t.call(SOFTMAX, x[:3, :0], 1),
    ]


@case(SOFTMAX, dtypes="f32 bf16", core=False, reference=lambda np, x: [
      *np.array([[0.5, 0, 0.5], [NAN] * 3, [NAN] * 3, [NAN] * 3, [0, 1, 0]])])  # fmt: skip
def of_masked_rows(t, dtype):
    """Minus infinity has no share; of a row of it alone, of infinity and of NaN there are none."""
    rows = [[1, -INF, 1], [-INF] * 3, [INF, 1, 2], [NAN, 1, 2], [-INF, 0, -INF]]
    return list(t.call(SOFTMAX, t.const(rows, dtype), -1))


@case(SOFTMAX, dtypes="i64 u8 bf16 bool", core=False, reference=lambda np, x: softmax(np, 1.0 * x))
def in_an_asked_dtype(t, dtype):
    """dtype= converts before the exponentials, of whole numbers and truths, too."""
    made = t.call(SOFTMAX, t.randn((5, 12), dtype), -1, dtype=t.dtype("f32"))
    t.expect(made.dtype is t.dtype("f32"), "f32")
    return made


@case(SOFTMAX, dtypes="f32 f64", core=False, reference=lambda np, x, weights: (
      np.array([[0.5, 0, 0.5], [0.25, 0.25, 0.5]]), np.array([[-0.25, 0, 0.25], [-0.1875, -0.1875, 0.375]])))  # fmt: skip
def gradient_of_masked_rows(t, dtype):
    """Minus infinity has no share and no gradient, and spoils no other."""
    log = float(t.np.log(2))
    x = t.const([[1.0, -INF, 1.0], [0.0, 0.0, log]], dtype, grad=True)
    made = t.call(SOFTMAX, x, 1)
    weights = t.const([[1.0, 5.0, 2.0], [0.5, 0.5, 2.0]], dtype)
    return made.detach(), t.fw.autograd.grad((made * weights).sum(), x)[0]


@case(
    SOFTMAX,
    dtypes="f32",
    core=False,
    reference=lambda np, x: [softmax(np, x), _along(np, x[None], 0)[0], softmax(np, x[0])],
)
def an_axis_that_is_guessed(t, dtype):
    """Deprecated: without dim the first axis of one and three, else the second; with a warning."""
    import warnings

    x = t.randn((4, 6), dtype)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = [t.call(SOFTMAX, one) for one in (x, x[None], x[0])]
    t.expect(t.compiled or len(seen) == 3, "a warning of each")
    return [made[0], made[1][0], made[2]]


@case(SOFTMAX, core=False, reference="none")
def softmax_refuses(t):
    """Integers without a dtype."""
    t.raises((RuntimeError, NotImplementedError), t.call, SOFTMAX, t.randint((3,), "i64", 0, 5), 0)


def _shares_of_the_real(np, x, w):
    made = softmax(np, x.real)
    return [made, made * (w - (w * made).sum(1, keepdims=True))]


@each("torch.Tensor.softmax torch.nn.functional.softmax", lambda name: _shares_of_the_real, dtypes="c64 c128", core=False, rtol={"f64": 1e-6})  # fmt: skip
def of_real_parts(t, dtype, function):
    """A real dtype= takes the real parts alone; the gradient is complex and has no imaginary part."""
    x, w = t.randn((4, 7), dtype, grad=True), t.randn((4, 7), "f64")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the imaginary part is gone is warned of
        made = t.call(function, x, 1, dtype=t.fw.float64)
        (slope,) = t.fw.autograd.grad((made * w).sum(), x)
    t.expect(made.dtype is t.fw.float64 and slope.dtype is x.dtype, "dtypes")
    t.expect(bool((t.host(slope).imag == 0).all()), "no imaginary part")
    return [made.detach(), slope.real]


@each("torch.Tensor.softmax torch.nn.functional.softmax", core=False, since=("1.13", "softmax of nested tensors"))  # fmt: skip
def nested_of_little(t, function):
    """Of no examples there are none; examples without axes have no axis for it."""
    nested = t.fw.nested.nested_tensor
    made = t.call(function, nested([], device=t.device), 1)
    t.expect(made.is_nested and made.size(0) == 0 and list(made.unbind()) == [], "no examples")
    numbers = nested([t.randn((), "f32"), t.randn((), "f32")])
    t.raises(RuntimeError, t.call, function, numbers, 0)
    t.raises(IndexError, t.call, function, numbers, 1)
