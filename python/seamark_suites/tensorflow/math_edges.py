"""Mathematics at the edges: other axes and gradients, nothing, much, and what is refused."""

import math

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient


def _refuses(t, name, *args, **kwargs):
    """Bad arguments raise; that a compiler lacks the operation is another failure, passed on."""
    error = t.raises((t.fw.errors.OpError, ValueError, TypeError), t.call, name, *args, **kwargs)
    if "unsupported operations" in str(error):
        raise error


@case(
    "tf.linalg.svd",
    dtypes="f32 f64",
    grad=True,
    core=False,
    rtol={"f32": 1e-2, "f64": 1e-7},
    atol={"f32": 1e-3, "f64": 1e-8},
    reference=with_gradient(right.svd_magnitudes, right.svd_magnitudes_pull),
)
def svd_gradient(t, dtype):
    """Through all three factors; their signs are free, so magnitudes are compared. The gradient is
    divided by differences of singular values, which costs two digits."""

    def magnitudes(x):
        s, u, v = t.get("tf.linalg.svd")(x)
        return s, t.fw.abs(u), t.fw.abs(v)

    return t.call(magnitudes, t.randn((4, 4), dtype))


@case("tf.linalg.svd", dtypes="f32", reference="none", core=False)
def svd_of_vector(t, dtype):
    _refuses(t, "tf.linalg.svd", t.randn((4,), dtype))


@case("tf.linalg.set_diag", dtypes="f32", trivial=True, core=False, reference=right.set_diag)
def set_diag_empty(t, dtype):
    return t.call("tf.linalg.set_diag", t.randn((0, 3, 3), dtype), t.randn((0, 3), dtype))


@case(
    "tf.math.reduce_logsumexp",
    dtypes="f32 f64",
    core=False,
    rtol={"f32": 1e-5},
    reference=lambda np, x: right.logsumexp(np, x, (0, 2)),
)
def reduce_logsumexp_axes(t, dtype):
    return t.call("tf.math.reduce_logsumexp", t.randn((3, 4, 5), dtype), axis=[0, 2])


@case("tf.math.reduce_logsumexp", dtypes="f32", reference="none", core=False)
def reduce_logsumexp_of_nothing(t, dtype):
    result = t.host(t.call("tf.math.reduce_logsumexp", t.randn((3, 0), dtype), axis=1))
    t.expect(result.tolist() == [-t.np.inf] * 3, "-inf, got %s" % result)


@case("tf.math.reduce_logsumexp", dtypes="i32", reference="none", core=False)
def reduce_logsumexp_integers(t, dtype):
    _refuses(t, "tf.math.reduce_logsumexp", t.randint((3, 4), dtype, 0, 5))


@case(
    "tf.math.reduce_mean",
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},
    reference=lambda np, x, axes: right.mean(np, x, tuple(axes)),
)
def reduce_mean_axis_tensor(t, dtype):
    return t.call("tf.math.reduce_mean", t.randn((4, 9), dtype), t.const([1], "i32"))


@case("tf.math.reduce_mean", dtypes="f32", reference="none", core=False)
def reduce_mean_wrong_axis(t, dtype):
    _refuses(t, "tf.math.reduce_mean", t.randn((4, 9), dtype), axis=2)


@case(
    "tf.math.cumprod",
    dtypes="f32 i32",
    core=False,
    reference=lambda np, x: right.cumprod(np, x, reverse=True),
)
def cumprod_zeros(t, dtype):
    """After a zero everything is zero, also from behind."""
    x = t.const([[2, 0, 3, 4], [1, 2, 3, 0]], dtype)
    return t.call("tf.math.cumprod", x, axis=1, reverse=True)


@case(
    "tf.math.cumprod",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np, x: right.cumprod(np, x, 0),
)
def cumprod_empty(t, dtype):
    return t.call("tf.math.cumprod", t.randn((0, 3), dtype))


@case("tf.math.cumprod", dtypes="f32", reference="none", core=False)
def cumprod_wrong_axis(t, dtype):
    _refuses(t, "tf.math.cumprod", t.randn((4, 3), dtype), axis=2)


@case("tf.math.igammac", dtypes="f32 f64", core=False, rtol={"f32": 1e-4}, reference=right.igammac)
def igammac_broadcast(t, dtype):
    return t.call(
        "tf.math.igammac", t.uniform((4, 1), dtype, 0.5, 8), t.uniform((5,), dtype, 0.2, 10)
    )


@case("tf.math.igammac", dtypes="f32 f64", reference="none", core=False)
def igammac_complement(t, dtype):
    a, x = t.uniform((6, 8), dtype, 0.5, 8), t.uniform((6, 8), dtype, 0.2, 10)
    total = t.host(t.call("tf.math.igammac", a, x)) + t.host(t.fw.math.igamma(a, x))
    gap = float(t.np.abs(total - 1).max())
    t.expect(gap < (1e-5 if dtype == "f32" else 1e-12), "a sum of 1, off by %g" % gap)


@case("tf.math.igammac", dtypes="f32", reference="none", core=False)
def igammac_wrong_shapes(t, dtype):
    _refuses(t, "tf.math.igammac", t.uniform((2,), dtype, 1, 2), t.uniform((3,), dtype, 1, 2))


_FFT = {"f32": 1e-5}


@case(
    "tf.signal.idct",
    dtypes="f32 f64",
    kind=[2, 3, 4],
    core=False,
    reference=lambda np, x, **_: x,
    rtol=_FFT,
    atol=_FFT,
)
def idct_undoes_dct(t, dtype, kind):
    there = t.fw.signal.dct(t.randn((3, 16), dtype), type=kind, norm="ortho")
    return t.call("tf.signal.idct", there, type=kind, norm="ortho")


@case("tf.signal.idct", reference="none", core=False)
def idct_integers(t):
    _refuses(t, "tf.signal.idct", t.randint((8,), "i32", 0, 9))


@case(
    "tf.nn.conv3d",
    dtypes="f32 f64",
    trivial=True,
    core=False,
    cpu_fails={
        "f32": "TensorFlow 2.21 with oneDNN gives an empty result the channels of the input"
    },
    reference=right.conv3d,
)
def conv3d_empty(t, dtype):
    x, w = t.randn((0, 4, 4, 4, 2), dtype), t.randn((2, 2, 2, 2, 3), dtype)
    return t.call("tf.nn.conv3d", x, w, strides=[1] * 5, padding="SAME")


@case(
    "tf.nn.conv3d",
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
    reference=right.conv3d,
)
def conv3d_large(t, dtype):
    """Sums of 216 products."""
    x, w = t.randn((2, 12, 16, 16, 8), dtype), t.randn((3, 3, 3, 8, 16), dtype)
    return t.call("tf.nn.conv3d", x, w, strides=[1] * 5, padding="SAME")


@case(
    "tf.nn.conv2d_transpose",
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
    reference=right.conv2d_transpose,
)
def conv2d_transpose_large(t, dtype):
    x, w = t.randn((4, 28, 28, 16), dtype), t.randn((3, 3, 8, 16), dtype)
    return t.call("tf.nn.conv2d_transpose", x, w, (4, 56, 56, 8), strides=2, padding="SAME")


def _dilated(np, x, w):
    """VALID, stride 1, dilation 2; kernel (h, w, out, in)."""
    n, height, width, _ = x.shape
    result = np.zeros((n, height + 2, width + 2, w.shape[2]))
    for i, j in np.ndindex(*w.shape[:2]):
        result[:, 2 * i : 2 * i + height, 2 * j : 2 * j + width] += x @ w[i, j].T
    return result


@case(
    "tf.nn.conv2d_transpose",
    dtypes="f32",
    core=False,
    reference=_dilated,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-5},
)
def conv2d_transpose_dilated(t, dtype):
    """A CPU has it only with oneDNN."""
    x, w = t.randn((1, 4, 5, 2), dtype), t.randn((2, 2, 3, 2), dtype)
    return t.call(
        "tf.nn.conv2d_transpose", x, w, (1, 6, 7, 3), strides=1, padding="VALID", dilations=2
    )


def _clipped_outline(np, images, boxes, colors):
    """One pixel wide; what lies outside is not drawn."""
    images = images.copy()
    height, width = images.shape[1:3]
    for image, found in zip(images, boxes):
        scaled = (found.astype(np.float32) * np.float32([height - 1, width - 1] * 2)).astype(int)
        for index, (y0, x0, y1, x1) in enumerate(scaled):
            rows = slice(max(y0, 0), min(y1, height - 1) + 1)
            columns = slice(max(x0, 0), min(x1, width - 1) + 1)
            for y in (y0, y1):
                if 0 <= y < height:
                    image[y, columns] = colors[index % len(colors)]
            for x in (x0, x1):
                if 0 <= x < width:
                    image[rows, x] = colors[index % len(colors)]
    return images


@case("tf.image.draw_bounding_boxes", dtypes="f32", core=False, reference=_clipped_outline)
def draw_bounding_boxes_outside(t, dtype):
    images = t.uniform((1, 21, 31, 3), dtype)
    boxes = t.const([[[-0.3, 0.2, 0.5, 1.4], [0.6, -0.5, 1.2, 0.7]]], "f32")
    return t.call("tf.image.draw_bounding_boxes", images, boxes, t.const([[1.0, 0.0, 0.5]], "f32"))


def _normal(t, loc, scale, **options):
    return t.get("tf.compat.v1.distributions.Normal")(loc=loc, scale=scale, **options)


def _cdf_and_quantile(np, loc, scale, x, p):
    from statistics import NormalDist

    z = (x - loc) / scale
    cdf = np.vectorize(lambda value: 0.5 * math.erfc(-value / math.sqrt(2)))(z)
    return cdf, loc + scale * np.vectorize(NormalDist().inv_cdf)(p)


@case(
    "tf.compat.v1.distributions.Normal",
    dtypes="f32 f64",
    core=False,
    reference=_cdf_and_quantile,
    rtol={"f32": 1e-5},
    atol={"f32": 1e-5},
)
def normal_cdf_and_quantile(t, dtype):
    def both(loc, scale, x, p):
        made = _normal(t, loc, scale)
        return made.cdf(x), made.quantile(p)

    loc, scale = t.randn((6,), dtype), t.uniform((6,), dtype, 0.5, 2)
    return t.call(both, loc, scale, t.randn((4, 6), dtype), t.uniform((4, 6), dtype, 0.05, 0.95))


def _moments(np, loc, scale):
    entropy = 0.5 * np.log(2 * np.pi * np.e * scale**2)
    return loc, loc, scale, scale**2, entropy


@case(
    "tf.compat.v1.distributions.Normal",
    dtypes="f32 f64",
    core=False,
    reference=_moments,
    rtol={"f32": 1e-5},
    atol={"f32": 1e-6},
)
def normal_moments(t, dtype):
    def moments(loc, scale):
        made = _normal(t, loc, scale)
        return made.mean(), made.mode(), made.stddev(), made.variance(), made.entropy()

    return t.call(moments, t.randn((6,), dtype), t.uniform((6,), dtype, 0.5, 2))


def _divergence(np, a, b, c, d):
    return np.log(d / b) + (b**2 + (a - c) ** 2) / (2 * d**2) - 0.5


@case(
    "tf.compat.v1.distributions.Normal",
    dtypes="f32 f64",
    core=False,
    reference=_divergence,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-5},
)
def normal_divergence(t, dtype):
    def divergence(a, b, c, d):
        one, other = _normal(t, a, b), _normal(t, c, d)
        return t.get("tf.compat.v1.distributions.kl_divergence")(one, other)

    a, b = t.randn((6,), dtype), t.uniform((6,), dtype, 0.5, 2)
    return t.call(divergence, a, b, t.randn((6,), dtype), t.uniform((6,), dtype, 0.5, 2))


@case("tf.compat.v1.distributions.Normal", dtypes="f32", reference="none", core=False)
def normal_sample_gradient(t, dtype):
    """A draw is loc + scale * z: its slope by loc is 1."""

    def slope(loc, scale):
        with t.fw.GradientTape() as tape:
            tape.watch(loc)
            total = t.fw.reduce_sum(_normal(t, loc, scale).sample(500))
        return tape.gradient(total, loc)

    got = t.host(t.call(slope, t.const([0.5, -1.0], dtype), t.const([1.0, 2.0], dtype)))
    t.expect(abs(got - 500).max() < 1e-3, "500 draws' slopes, got %s" % got)


@case("tf.compat.v1.distributions.Normal", reference="none", core=False)
def normal_mixed_dtypes(t):
    make = t.get("tf.compat.v1.distributions.Normal")
    t.raises((TypeError, ValueError), make, t.const(0.0, "f32"), t.const(1.0, "f64"))


@case("tf.compat.v1.distributions.Normal.survival_function", reference="none", core=False)
def survival_function_half(t):
    """The special functions behind it take f32 and f64 alone, and say so."""

    def survival(loc, scale, x):
        return _normal(t, loc, scale).survival_function(x)

    half = t.const([1.0, 2.0], "f16")
    t.raises(TypeError, t.call, survival, half, half, half)


@case(
    "tf.compat.v1.distributions.Normal.survival_function",
    dtypes="f32 f64",
    reference="none",
    core=False,
)
def survival_function_ends(t, dtype):
    def survival(x):
        return _normal(t, t.const(0.0, dtype), t.const(1.0, dtype)).survival_function(x)

    got = t.host(t.call(survival, t.const([-t.np.inf, -50.0, 0.0, 50.0, t.np.inf], dtype)))
    t.expect(got.tolist() == [1.0, 1.0, 0.5, 0.0, 0.0], "1, 1, 0.5, 0, 0; got %s" % got)


@case(
    "tf.compat.v1.distributions.Normal.log_survival_function",
    dtypes="f32",
    grad=True,
    core=False,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-5},
    reference=with_gradient(right.log_survival),
)
def log_survival_function_gradient(t, dtype):
    def log_survival(loc, scale, x):
        return _normal(t, loc, scale).log_survival_function(x)

    return t.call(
        log_survival, t.randn((5,), dtype), t.uniform((5,), dtype, 1, 2), t.randn((5,), dtype)
    )


@case(
    "tf.compat.v1.distributions.Normal.log_survival_function",
    dtypes="f32 f64",
    reference="none",
    core=False,
)
def log_survival_function_ends(t, dtype):
    """Far below everything survives; beyond is -inf or a number that runs there."""

    def log_survival(x):
        return _normal(t, t.const(0.0, dtype), t.const(1.0, dtype)).log_survival_function(x)

    got = t.host(t.call(log_survival, t.const([-40.0, 0.0, 1e3], dtype)))
    t.expect(got[0] == 0 and abs(got[1] + math.log(2)) < 1e-6, "0 and log(1/2), got %s" % got)
    t.expect(-5.1e5 < got[2] < -4.9e5, "-x^2/2 for 1000, got %g" % got[2])
