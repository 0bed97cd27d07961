"""Convolutions."""

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient


def _refuses(t, name, *args, **kwargs):
    """Bad arguments raise; that a compiler lacks the operation is another failure, passed on."""
    error = t.raises((t.fw.errors.OpError, ValueError, TypeError), t.call, name, *args, **kwargs)
    if "unsupported operations" in str(error):
        raise error


# TensorFlow's own convolution tests allow 1e-5 to 1e-4 in f32, 1e-2 in f16 and bf16. Here up to 81
# products of standard normals are summed (partial sums near 16, where the last place of f16 is
# 0.016), and a CPU may sum in the tested dtype: hence the absolute part.
_R, _A = {"f32": 1e-4, "f16": 1e-2, "bf16": 2e-2}, {"f32": 1e-5, "f16": 1e-1, "bf16": 1.5e-1}


def _channels_first(np, x, w):
    return np.moveaxis(right.conv3d(np, np.moveaxis(x, 1, -1), w, "VALID"), -1, 1)


def _transposed_channels_first(np, x, w):
    return np.moveaxis(right.conv2d_transpose(np, np.moveaxis(x, 1, -1), w), -1, 1)


@case(
    "tf.nn.conv3d",
    dtypes="f32 f16 bf16 f64",
    padding=["SAME", "VALID"],
    core="f32 bf16",
    rtol=_R,
    atol=_A,
    reference=right.conv3d,
)
def conv3d(t, dtype, padding):
    x, w = t.randn((2, 5, 6, 7, 3), dtype), t.randn((3, 3, 3, 3, 4), dtype)
    return t.call("tf.nn.conv3d", x, w, strides=[1, 1, 1, 1, 1], padding=padding)


@case("tf.nn.conv3d", dtypes="f32", stride=[2, 3], rtol=_R, atol=_A, reference=right.conv3d)
def conv3d_strided(t, dtype, stride):
    x, w = t.randn((1, 7, 8, 9, 2), dtype), t.randn((2, 2, 2, 2, 3), dtype)
    return t.call("tf.nn.conv3d", x, w, strides=[1, stride, stride, stride, 1], padding="SAME")


@case(
    "tf.nn.conv3d",
    dtypes="f32",
    core=False,
    rtol=_R,
    atol=_A,
    reference=lambda np, x, w: right.conv3d(np, x, w, "VALID", dilation=2),
)
def conv3d_dilated(t, dtype):
    x, w = t.randn((1, 7, 8, 9, 2), dtype), t.randn((2, 2, 2, 2, 3), dtype)
    return t.call("tf.nn.conv3d", x, w, strides=[1] * 5, padding="VALID", dilations=[1, 2, 2, 2, 1])


@case("tf.nn.conv3d", dtypes="f32", core=False, rtol=_R, atol=_A, reference=_channels_first)
def conv3d_channels_first(t, dtype):
    """NCDHW: a GPU has it, a CPU only with oneDNN."""
    x, w = t.randn((1, 2, 5, 6, 7), dtype), t.randn((2, 2, 2, 2, 3), dtype)
    return t.call("tf.nn.conv3d", x, w, strides=[1] * 5, padding="VALID", data_format="NCDHW")


@case(
    "tf.nn.conv3d",
    dtypes="f32",
    grad=True,
    rtol=_R,
    atol={"f32": 5e-5},
    reference=with_gradient(right.conv3d),
)
def conv3d_gradient(t, dtype):
    x, w = t.randn((1, 4, 4, 4, 2), dtype), t.randn((2, 2, 2, 2, 2), dtype)
    return t.call("tf.nn.conv3d", x, w, strides=[1] * 5, padding="SAME")


@case("tf.nn.conv3d", dtypes="f32", reference="none", core=False)
def conv3d_wrong_channels(t, dtype):
    x, w = t.randn((1, 4, 4, 4, 3), dtype), t.randn((2, 2, 2, 2, 2), dtype)
    _refuses(t, "tf.nn.conv3d", x, w, strides=[1] * 5, padding="SAME")


@case(
    "tf.nn.conv2d_transpose",
    dtypes="f32 f16 bf16 f64",
    padding=["SAME", "VALID"],
    core="f32 bf16",
    rtol=_R,
    atol=_A,
    reference=right.conv2d_transpose,
)
def conv2d_transpose(t, dtype, padding):
    x, w = t.randn((2, 5, 6, 3), dtype), t.randn((3, 3, 4, 3), dtype)
    shape = (2, 10, 12, 4) if padding == "SAME" else (2, 11, 13, 4)
    return t.call("tf.nn.conv2d_transpose", x, w, shape, strides=2, padding=padding)


@case(
    "tf.nn.conv2d_transpose",
    dtypes="f32",
    rtol=_R,
    atol=_A,
    reference=lambda np, x, w: right.conv2d_transpose(np, x, w, strides=(2, 3)),
)
def conv2d_transpose_unequal_strides(t, dtype):
    x, w = t.randn((1, 4, 5, 2), dtype), t.randn((3, 2, 3, 2), dtype)
    return t.call(
        "tf.nn.conv2d_transpose", x, w, (1, 8, 15, 3), strides=[1, 2, 3, 1], padding="SAME"
    )


@case(
    "tf.nn.conv2d_transpose",
    dtypes="f32",
    core=False,
    rtol=_R,
    atol=_A,
    reference=_transposed_channels_first,
)
def conv2d_transpose_channels_first(t, dtype):
    x, w = t.randn((1, 2, 4, 5), dtype), t.randn((3, 3, 3, 2), dtype)
    return t.call(
        "tf.nn.conv2d_transpose", x, w, (1, 3, 8, 10), strides=2, padding="SAME", data_format="NCHW"
    )


@case(
    "tf.nn.conv2d_transpose",
    dtypes="f32",
    grad=True,
    rtol=_R,
    atol={"f32": 5e-5},
    reference=with_gradient(right.conv2d_transpose),
)
def conv2d_transpose_gradient(t, dtype):
    x, w = t.randn((1, 3, 3, 2), dtype), t.randn((2, 2, 2, 2), dtype)
    return t.call("tf.nn.conv2d_transpose", x, w, (1, 6, 6, 2), strides=2, padding="SAME")


@case(
    "tf.nn.conv2d_transpose",
    dtypes="f32",
    core=False,
    rtol=_R,
    atol=_A,
    reference=lambda np, x, w, size: right.conv2d_transpose(np, x, w, size=size[1:3]),
)
def conv2d_transpose_shape_tensor(t, dtype):
    """The output's shape is a tensor."""
    x, w = t.randn((1, 3, 3, 2), dtype), t.randn((2, 2, 2, 2), dtype)
    return t.call(
        "tf.nn.conv2d_transpose", x, w, t.const([1, 6, 6, 2], "i32"), strides=2, padding="SAME"
    )


@case("tf.nn.conv2d_transpose", dtypes="f32", reference="none", core=False)
def conv2d_transpose_wrong_shape(t, dtype):
    x, w = t.randn((1, 3, 3, 2), dtype), t.randn((2, 2, 2, 2), dtype)
    _refuses(t, "tf.nn.conv2d_transpose", x, w, (1, 9, 9, 2), strides=2, padding="SAME")
