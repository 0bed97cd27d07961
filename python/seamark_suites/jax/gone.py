"""Functions of the study that JAX has removed: they run where an older JAX has them, and fail as removed elsewhere."""

import threading

from seamark_suites.case import case


@case(
    "jax.lax.infeed",
    dtypes="f32 i32",
    reference="none",
    removed=("0.7.0", "jax.experimental.io_callback, or an argument of the jitted function"),
)
def infeed(t, dtype):
    take, jax = t.get("jax.lax.infeed"), t.fw
    sent = t.np.arange(6, dtype={"f32": "float32", "i32": "int32"}[dtype]).reshape(2, 3)
    shape = jax.ShapeDtypeStruct(sent.shape, sent.dtype)

    def program(x):
        (value,), _ = take(
            jax.lax.create_token(x), shape=(jax.core.ShapedArray(shape.shape, shape.dtype),)
        )
        return value + x

    feeder = threading.Thread(target=t.device.transfer_to_infeed, args=((sent,),), daemon=True)
    feeder.start()  # it waits until the program takes the array
    got = t.call(program, t.const(1, dtype))
    feeder.join(10)
    t.expect(bool((t.host(got) == sent + 1).all()), "the array that was fed, plus 1")


@case(
    "jax._src.core.get_aval",
    dtypes="f32 bf16 i32",
    shapes="4x3 scalar",
    reference="none",
    host_only=True,
    removed=("0.10.0", "jax.typeof"),
)
def get_aval(t, dtype, shape):
    aval = t.call("jax._src.core.get_aval", t.randn(shape, dtype))
    t.expect(tuple(aval.shape) == shape, "the shape of the array")
    t.expect(aval.dtype == t.dtype(dtype), "the dtype of the array")
