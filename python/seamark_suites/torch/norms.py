"""Normalization and its running statistics."""

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient

_TWO = {"rtol": {"f32": 1e-4, "f16": 1e-2}, "atol": {"f32": 1e-4, "f16": 2e-2}}  # mean and variance


@case("torch.nn.functional.batch_norm", dtypes="f32 f64 bf16", training=[True, False], grad=True, core="f32",
      reference=with_gradient(right.batch_norm, of=(0, 3, 4)),
      rtol={"f32": 1e-4, "bf16": 5e-2}, atol={"f32": 1e-4, "bf16": 5e-2})  # mean and variance over 64 # fmt: skip
def batch_norm(t, dtype, training):
    x = t.randn((4, 3, 4, 4), dtype)
    mean, variance = t.randn((3,), dtype, grad=False), t.uniform((3,), dtype, 0.5, 2, grad=False)
    return t.call(
        "torch.nn.functional.batch_norm",
        x,
        mean,
        variance,
        t.randn((3,), dtype),
        t.randn((3,), dtype),
        training,
    )


@case(
    "torch.nn.functional.batch_norm",
    dtypes="f32",
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
    reference=right.running_statistics,
)
def running_statistics(t, dtype):
    """Training moves the running mean and variance."""
    x, mean, variance = (
        t.randn((6, 3), dtype),
        t.const([0.0, 1.0, 2.0], dtype),
        t.const([1.0, 1.0, 4.0], dtype),
    )
    out = t.call("torch.nn.functional.batch_norm", x, mean, variance, training=True, momentum=0.5)
    return out, mean, variance


@case(
    "torch.nn.functional.group_norm",
    dtypes="f32",
    groups=3,
    name="forward",
    reference=right.group_norm,
    **_TWO,
)
@case("torch.nn.functional.group_norm", dtypes="f32 f64 bf16", groups=[1, 3], grad=True, core="f32",
      reference=with_gradient(right.group_norm),
      rtol={"f32": 1e-4, "bf16": 5e-2}, atol={"f32": 1e-4, "bf16": 5e-2})  # mean and variance over groups # fmt: skip
def group_norm(t, dtype, groups):
    return t.call("torch.nn.functional.group_norm", t.randn((2, 6, 5), dtype), groups, t.randn((6,), dtype),
                  t.randn((6,), dtype))  # fmt: skip


@case(
    "torch.nn.functional.batch_norm",
    dtypes="f16",
    core=False,
    reference=right.batch_norm_of_batch,
    **_TWO,
)
@case(
    "torch.nn.functional.group_norm", dtypes="f16", core=False, reference=right.in_groups(2), **_TWO
)
def in_half(t, dtype, function):
    x, w, b = t.randn((4, 6, 8), dtype), t.randn((6,), dtype), t.randn((6,), dtype)
    if function.endswith("group_norm"):
        return t.call("torch.nn.functional.group_norm", x, 2, w, b)
    return t.call("torch.nn.functional.batch_norm", x, None, None, w, b, training=True)


@case("torch.nn.functional.batch_norm", dtypes="f32", shape=[(8, 3), (4, 3, 5), (2, 3, 2, 3, 4)], core=False,
      grad=True, reference=with_gradient(right.batch_norm_of_batch), **_TWO)  # fmt: skip
def without_affine(t, dtype, shape):
    """Two, three and five axes; no weight, no bias, no running statistics."""
    return t.call(
        "torch.nn.functional.batch_norm", t.randn(shape, dtype), None, None, training=True
    )


@case(
    "torch.nn.functional.batch_norm",
    dtypes="f32",
    core=False,
    **_TWO,
    reference=lambda np, *given: right.batch_norm(np, *given, eps=0.25),
)
def batch_norm_eps(t, dtype):
    """eps stands below the root, so that a variance of zero is no division by zero."""
    x, mean, zero = (
        t.randn((4, 3), dtype),
        t.const([0.0, 1.0, 2.0], dtype),
        t.const([0.0] * 3, dtype),
    )
    return t.call("torch.nn.functional.batch_norm", x, mean, zero, eps=0.25)


@case(
    "torch.nn.functional.batch_norm",
    dtypes="f32",
    core=False,
    reference=right.batch_norm_of_batch,
    **_TWO,
)
@case(
    "torch.nn.functional.group_norm", dtypes="f32", core=False, reference=right.in_groups(2), **_TWO
)
def channels_last(t, dtype, function):
    x = t.randn((2, 4, 5, 6), dtype).to(memory_format=t.fw.channels_last)
    if function.endswith("group_norm"):
        return t.call("torch.nn.functional.group_norm", x, 2)
    return t.call("torch.nn.functional.batch_norm", x, None, None, training=True)


@case(
    "torch.nn.functional.batch_norm",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=lambda np, mean, variance, x: right.batch_norm(np, x, mean, variance),
)
def batch_norm_of_nothing(t, dtype):
    mean, variance = t.randn((3,), dtype), t.uniform((3,), dtype, 1, 2)
    return t.call("torch.nn.functional.batch_norm", t.randn((0, 3, 4), dtype), mean, variance)


@case("torch.nn.functional.batch_norm", dtypes="f32", reference="none", core=False)
def batch_norm_wrong_calls_raise(t, dtype):
    fn, x = "torch.nn.functional.batch_norm", t.randn((4, 3), dtype)
    t.raises(ValueError, t.call, fn, t.randn((1, 3), dtype), None, None, training=True)
    t.raises(RuntimeError, t.call, fn, x, None, None, training=False)
    short = t.uniform((2,), dtype)
    t.raises(RuntimeError, t.call, fn, x, short, short)


@case(
    "torch.nn.functional.batch_norm",
    dtypes="f32",
    core=False,
    reference=lambda np, x: right.batch_norm_of_batch(np, x + 1000),
    rtol={"f32": 1e-3},
    atol={"f32": 1e-3},
)
def large_offset(t, dtype):
    """A mean far above the deviation: a variance by E[x^2] - E[x]^2 would be lost in f32."""
    x = t.randn((64, 3, 8, 8), dtype) + 1000
    return t.call("torch.nn.functional.batch_norm", x, None, None, training=True)


@case("torch.nn.functional.group_norm", dtypes="f32", shape=[(2, 6), (2, 6, 4, 5), (2, 6, 2, 3, 4)], core=False,
      grad=True, reference=with_gradient(right.in_groups(3)), **_TWO)  # fmt: skip
def group_norm_without_affine(t, dtype, shape):
    # Of two numbers that are near to each other the gradient is lost in f32.
    draw = t.distinct if len(shape) == 2 else t.randn
    return t.call("torch.nn.functional.group_norm", draw(shape, dtype), 3)


@case(
    "torch.nn.functional.group_norm",
    dtypes="f32",
    core=False,
    **_TWO,
    reference=lambda np, x: right.group_norm(np, x, eps=0.25),
)
def group_norm_eps(t, dtype):
    x = t.const([[[2.0, 2.0], [2.0, 2.0]], [[1.0, 2.0], [3.0, 4.0]]], dtype)
    return t.call("torch.nn.functional.group_norm", x, 1, eps=0.25)


@case(
    "torch.nn.functional.group_norm",
    dtypes="f32",
    trivial=True,
    core=False,
    reference=right.in_groups(3),
)
def group_norm_of_nothing(t, dtype):
    return t.call("torch.nn.functional.group_norm", t.randn((0, 6, 4), dtype), 3)


@case("torch.nn.functional.group_norm", dtypes="f32", reference="none", core=False)
def group_norm_wrong_calls_raise(t, dtype):
    x = t.randn((2, 6, 4), dtype)
    t.raises(RuntimeError, t.call, "torch.nn.functional.group_norm", x, 4)
    t.raises(RuntimeError, t.call, "torch.nn.functional.group_norm", x, 3, t.randn((3,), dtype))
