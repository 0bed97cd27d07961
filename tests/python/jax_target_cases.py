"""Cases of test_jax_aot.py and test_jax_targets.py: what compiles, what does not, and what only looks as if it did."""

from seamark_suites.case import case


@case("jax.numpy.nonzero", dtypes="f32")
def data_dependent_shape(t, dtype):
    return t.call("jax.numpy.nonzero", t.randn((5,), dtype))


@case("jax.numpy.add", dtypes="f32", reference="none")
def makes_no_call(t, dtype):
    t.raises(TypeError, t.call, "jax.numpy.add", t.randn((3,), dtype), t.randn((4,), dtype))


@case("jax.numpy.shape", dtypes="f32", reference="none")
def reads_on_the_host(t, dtype):
    t.expect(t.call(lambda x: float(x.sum()) > -1e9, t.randn((3,), dtype)), "a number")


def doubled_by_python(x):
    import jax

    return jax.pure_callback(lambda v: v * 2, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


@case("jax.pure_callback", dtypes="f32")
def host_callback(t, dtype):
    return t.call(doubled_by_python, t.randn((5,), dtype))


@case("jax.numpy.add", dtypes="f32 f64 i64 c128", grad=True)
def widths(t, dtype):
    x = t.randn((4,), dtype)
    wanted = {"f32": 4, "f64": 8, "i64": 8, "c128": 16}[dtype]
    fits = t.place == "wide" or x.dtype.itemsize == wanted
    t.expect(fits, "%d bytes, got %s" % (wanted, x.dtype))
    return t.call("jax.numpy.add", x, 1)


@case("jax.nn.softmax", dtypes="f32 f64", grad=True)
def softmax(t, dtype):
    return t.call("jax.nn.softmax", t.randn((3, 4), dtype))


@case("jax.numpy.fft.fft", dtypes="c128")
def fft(t, dtype):
    return t.call("jax.numpy.fft.fft", t.randn((8,), dtype))


@case("jax.numpy.broadcast_to", dtypes="f32", reference="none")
def larger_than_the_device(
    t, dtype
):  # 64 GiB; never made here, since the compiler refuses it first
    return t.call("jax.numpy.broadcast_to", t.randn((8, 1), dtype), (8, 1 << 31))


@case("jax.numpy.matmul", dtypes="f32 f64 bf16", precision=[None, "highest"])
def product(t, dtype, precision):
    a, b = t.randn((64, 64), dtype), t.randn((64, 64), dtype)
    return t.call("jax.numpy.matmul", a, b, precision=precision)


@case("jax.lax.fori_loop", dtypes="f32", inner=[1, 7])
def nested_loops(t, dtype, inner):
    import jax

    def turn(i, y):
        return jax.lax.fori_loop(0, inner, lambda j, z: jax.numpy.sin(z) @ z, y)

    return t.call(lambda x: jax.lax.fori_loop(0, 5, turn, x), t.randn((16, 16), dtype) * 0.1)


@case("jax.lax.while_loop", dtypes="f32")
def until_it_is_large(t, dtype):
    import jax

    x = t.uniform((16, 16), dtype, 1, 2)
    return t.call(lambda x: jax.lax.while_loop(lambda y: y.sum() < 1e4, lambda y: y + y, x), x)


@case("jax.numpy.linalg.svd", dtypes="f32", reference="none")
def aborts_the_compiler(t, dtype):  # libtpu 0.0.42 with 64-bit types on: a check of its own fails
    t.dtype("f64")
    return t.call("jax.numpy.linalg.svd", t.randn((8, 8), dtype))


@case("jax.numpy.ndim", dtypes="f32", host_only=True)
def only_the_host(t, dtype):
    t.expect(t.call("jax.numpy.ndim", t.randn((3,), dtype)) == 1, "one dimension")


@case("jax.numpy.sin", dtypes="f32", reference=lambda np, x: np.cos(x))
def wrong(t, dtype):
    return t.call("jax.numpy.sin", t.uniform((8,), dtype, 1, 2))


def kept(x, where):
    """Raises where a sharding lost what it says beside its devices."""
    if [one.name for one in where.mesh.axis_types] != ["Explicit"]:
        raise ValueError("axes of %s" % (where.mesh.axis_types,))
    if where.memory_kind != "pinned_host":
        raise ValueError("in the memory %s" % where.memory_kind)
    return x + 1


@case("jax.NamedSharding", dtypes="f32", reference=lambda np, x: x + 1)
def says_its_axes_and_memory(t, dtype):
    axes, jax = (t.fw.sharding.AxisType.Explicit,), t.fw
    mesh = jax.sharding.Mesh(t.np.array([t.device]), ("x",), axis_types=axes)
    where = jax.NamedSharding(mesh, jax.P(), memory_kind="pinned_host")
    return t.call(kept, t.randn((4,), dtype), where=where)
