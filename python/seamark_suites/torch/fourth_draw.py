"""What a fourth drawing of functions found missing: of torch.device, normal_ and softmax."""

from seamark_suites.case import case
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


@case(SOFTMAX, core=False, reference="none")
def softmax_refuses(t):
    """Integers without a dtype."""
    t.raises((RuntimeError, NotImplementedError), t.call, SOFTMAX, t.randint((3,), "i64", 0, 5), 0)
