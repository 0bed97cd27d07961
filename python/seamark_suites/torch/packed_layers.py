"""The layout of oneDNN once more, which only the CPU has: zeros, shares, images normalized."""

from seamark_suites.case import case

from .onednn_layout import dense, packed_by
from .strided_rows import softmax

T, BATCH = "torch.Tensor.", "torch.nn.BatchNorm2d"


@case(T + "zero_", dtypes="f32", core=False, trivial=True, reference=lambda np, x: [0 * x, 0 * x])
def zeros_of_a_packed_tensor(t, dtype):
    """The tensor itself, and what it was made of stays."""
    packed, x = packed_by(t), t.randn((4, 5), dtype)

    def run(x):
        given = packed(x)
        made = t.get(T + "zero_")(given)
        t.expect(made is given, "the tensor itself")
        return dense(t, [made, given])

    kept = t.host(x).copy()
    made = t.call(run, x)
    t.expect(bool((t.host(x) == kept).all()), "its numbers as they were")
    return made


@case(T + "softmax", dtypes="f32", core=False, reference=lambda np, x: [softmax(np, x, axis) for axis in (0, 1, 2, 2)])  # fmt: skip
def shares_of_a_packed_tensor(t, dtype):
    """Along each axis, and the last by its negative number."""
    packed, f = packed_by(t), t.get(T + "softmax")
    return t.call(
        lambda x: dense(t, [f(packed(x), axis) for axis in (0, 1, 2, -1)]),
        t.uniform((3, 4, 5), dtype, -5, 5),
    )


def _normalized(np, first, second, mean, var, weight, bias):
    axes, along, made = (0, 2, 3), (slice(None), None, None), []
    scaled = lambda x, m, v: (x - m[along]) / np.sqrt(v[along] + 1e-5) * weight[along] + bias[along]  # noqa: E731
    for x in (first, second):
        m, v, n = x.mean(axes), x.var(axes), x[:, 0].size
        made.append(scaled(x, m, v))
        mean, var = 0.9 * mean + 0.1 * m, 0.9 * var + 0.1 * v * n / (n - 1)
    return [*made, mean, var, scaled(first, mean, var)]


@case(BATCH, dtypes="f32", core=False, reference=_normalized)
def packed_images(t, dtype):
    """Two batches in training, which move the statistics, and one by these."""
    packed, layer = packed_by(t), t.get(BATCH)(5)
    first, second = t.randn((6, 5, 7, 4), dtype), t.randn((3, 5, 4, 4), dtype)
    state = [t.randn((5,), dtype), *(t.uniform((5,), dtype, 0.5, 2) for _ in "ab"), t.randn((5,), dtype)]  # fmt: skip
    names = "running_mean", "running_var", "weight", "bias"
    layer.load_state_dict(dict(zip(names, state)), strict=False)

    def run(*given):
        return dense(t, [layer(packed(one)) for one in given])

    with t.fw.no_grad():
        made = t.call(run, first, second)
        layer.eval()
        return [*made, layer.running_mean, layer.running_var, *t.call(run, first)]


@case("torch.Tensor.is_floating_point", core=False, reference="none")
@case("torch.as_tensor", core=False, reference="none")
@case(T + "numpy", core=False, reference="none")
def of_a_packed_tensor(t, function):
    """It is a float, and as_tensor gives it back; no array of it."""
    x = packed_by(t)(t.randn((3, 4), "f32"))
    if function.endswith("numpy"):
        t.raises(TypeError, t.call, function, x)
    else:
        found = t.call(function, x)
        t.expect(found is (x if function.endswith("as_tensor") else True), "got %s" % found)
