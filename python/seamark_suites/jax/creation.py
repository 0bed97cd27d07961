"""Functions that make arrays."""

from seamark_suites.case import case

from .reference import with_affine_gradient


@case(
    "jax.numpy.array",
    dtypes="f32 bf16 f16 i32 u8 bool c64 f64 i64",
    core="f32 bf16 i32 bool",
    reference=lambda np, x: x,
)
def copies(t, dtype):
    return t.call("jax.numpy.array", t.randn((6, 4), dtype))


@case(
    "jax.numpy.array",
    dtypes="f32 bf16 i32 f64",
    core="f32 i32",
    reference=lambda np: np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]),
)
def from_lists(t, dtype):
    return t.call("jax.numpy.array", [[1, 2, 3], [4, 5, 6]], dtype=t.dtype(dtype))


@case("jax.numpy.array", dtypes="f32 i32", target=["f32", "i32", "bf16", "bool"], core="f32",
      reference=lambda np, x, target: x != 0 if target == "bool" else x)  # fmt: skip
def converts(t, dtype, target):
    return t.call("jax.numpy.array", t.distinct((20,), dtype), dtype=t.dtype(target))


@case("jax.numpy.array", reference="none", core=False)
def ragged(t):
    t.raises((TypeError, ValueError), t.call, "jax.numpy.array", [[1, 2], [3]])


@case(
    "jax.numpy.zeros",
    dtypes="f32 bf16 i32 bool c64 f64",
    shapes="4x5 scalar 0",
    core="f32 i32",
    reference="none",
)
def zeros(t, dtype, shape):
    made = t.call("jax.numpy.zeros", shape, dtype=t.dtype(dtype))
    t.expect(made.dtype == t.dtype(dtype), "the dtype asked for, got %s" % made.dtype)
    t.expect(
        made.shape == tuple(shape) and bool((t.host(made) == 0).all()),
        "zeros of the shape asked for",
    )
    return made


@case(
    "jax.numpy.ones",
    dtypes="f32 bf16 i32 bool c64 f64",
    shapes="4x5 scalar 0",
    core="f32 i32",
    reference="none",
)
def ones(t, dtype, shape):
    made = t.call("jax.numpy.ones", shape, dtype=t.dtype(dtype))
    t.expect(made.dtype == t.dtype(dtype), "the dtype asked for, got %s" % made.dtype)
    t.expect(
        made.shape == tuple(shape) and bool((t.host(made) == 1).all()),
        "ones of the shape asked for",
    )
    return made


@case(
    "jax.numpy.arange",
    dtypes="f32 bf16 i32 u8 f64 i64",
    stop=[1, 100],
    core="f32 i32",
    trivial=True,
    reference=lambda np, stop: np.arange(stop),
)  # stop=1 gives one zero
def arange(t, dtype, stop):
    return t.call("jax.numpy.arange", stop, dtype=t.dtype(dtype))


@case(
    "jax.numpy.arange",
    dtypes="f32 i32",
    core="f32 i32",
    start=[-5, 3],
    stop=40,
    step=[3, -2],
    trivial=True,
    reference=lambda np, start, stop, step: np.arange(start, stop, step),
)  # backwards it is empty
def arange_by_steps(t, dtype, start, stop, step):
    return t.call("jax.numpy.arange", start, stop, step, dtype=t.dtype(dtype))


@case("jax.numpy.arange", reference="none", core=False)
def step_of_zero(t):
    t.raises((ValueError, ZeroDivisionError), t.call, "jax.numpy.arange", 0, 5, 0)


@case(
    "jax.numpy.tril",
    dtypes="f32 bf16 i32 bool c64 f64",
    shapes="6x6 3x7 2x4x5",
    k=[0, -1],
    reference=lambda np, x, k: np.tril(x, k),
    core="f32",
)
def tril(t, dtype, shape, k):
    x = t.const(t.np.ones(shape), dtype) if dtype == "bool" else t.randn(shape, dtype)
    return t.call("jax.numpy.tril", x, k=k)


@case("jax.numpy.tril", dtypes="f32 f64", grad=True, core="f32",
      reference=with_affine_gradient(lambda np, x: np.tril(x)))  # fmt: skip
def tril_gradient(t, dtype):
    return t.call("jax.numpy.tril", t.randn((4, 5), dtype))


@case("jax.numpy.tril", reference="none", core=False)
def tril_of_a_vector(t):
    t.raises(ValueError, t.call, "jax.numpy.tril", t.randn((4,), "f32"))


@case(
    "jax.numpy.triu_indices",
    n=[6, 12],
    k=[-2, 0, 1],
    m=[None, 8],
    reference=lambda np, n, k, m: np.triu_indices(n, k, m),
)
def triu_indices(t, n, k, m):
    return t.call("jax.numpy.triu_indices", n, k, m)


@case("jax.numpy.triu_indices", n=0, trivial=True, reference=lambda np, n: np.triu_indices(n))
def triu_indices_of_nothing(t, n):
    return t.call("jax.numpy.triu_indices", n)


@case(
    "jax.numpy.tril_indices_from",
    dtypes="f32 i32 bf16 f64",
    shapes="6x6 3x7",
    k=[-1, 0],
    core="f32 i32",
    reference=lambda np, x, k: np.tril_indices_from(x, k),
)
def tril_indices_from(t, dtype, shape, k):
    return t.call("jax.numpy.tril_indices_from", t.randn(shape, dtype), k=k)


@case(
    "jax.nn.one_hot",
    dtypes="i32 u8 i64",
    shapes="20 4x3",
    classes=[5, 11],
    core="i32",
    reference=lambda np, x, classes: np.eye(classes)[x],
)
def one_hot(t, dtype, shape, classes):
    return t.call("jax.nn.one_hot", t.randint(shape, dtype, 0, 5), classes)


@case("jax.nn.one_hot", result=["f32", "bf16", "i32", "bool"], axis=[-1, 0],
      reference=lambda np, x, result, axis: np.moveaxis(np.eye(4)[x], -1, axis))  # fmt: skip
def one_hot_as(t, result, axis):
    return t.call(
        "jax.nn.one_hot", t.randint((6,), "i32", 0, 4), 4, dtype=t.dtype(result), axis=axis
    )


@case(
    "jax.nn.one_hot",
    dtypes="i32",
    reference=lambda np, x: np.array([[0.0, 0, 0], [0, 0, 0], [0, 1, 0]]),
)
def one_hot_out_of_range(t, dtype):
    return t.call("jax.nn.one_hot", t.const([-1, 3, 1], dtype), 3)


@case("jax.nn.one_hot", dtypes="i32", trivial=True, reference=lambda np, x: np.zeros((0, 3)))
def one_hot_of_nothing(t, dtype):
    return t.call("jax.nn.one_hot", t.randint((0,), dtype, 0, 3), 3)


@case(
    "jax.numpy.size",
    dtypes="f32 i32",
    shapes="4x5 scalar 0",
    axis=[None, 0],
    host_only=True,
    core="f32",
    trivial=True,
    reference="none",
)
def size(t, dtype, shape, axis):
    if axis is not None and not shape:
        t.raises((ValueError, IndexError), t.call, "jax.numpy.size", t.randn(shape, dtype), axis)
        return
    count = t.call("jax.numpy.size", t.randn(shape, dtype), axis)
    want = t.np.size(t.np.zeros(shape), axis)
    t.expect(isinstance(count, int) and count == want, "the number %d, got %r" % (want, count))


@case("jax.numpy.array", dtypes="f32", shapes="scalar 0 2x0", core=False, trivial=True,
      reference=lambda np, x: x)  # fmt: skip
def copies_little(t, dtype, shape):
    return t.call("jax.numpy.array", t.randn(shape, dtype))


@case("jax.numpy.array", dtypes="f32 i32", ndmin=[1, 3], core=False,
      reference=lambda np, x, ndmin: x.reshape((1,) * (ndmin - 1) + (4,)))  # fmt: skip
def axes_in_front(t, dtype, ndmin):
    made = t.call("jax.numpy.array", t.distinct((4,), dtype), ndmin=ndmin)
    t.expect(made.shape == (1,) * (ndmin - 1) + (4,), "%d axes, got %s" % (ndmin, made.shape))
    return made


@case("jax.numpy.array", reference="none", core=False)
def a_copy_is_its_own(t):
    """A NumPy array may change afterwards: what was made of it must not."""
    source = t.np.arange(6, dtype="float32")
    made = t.call("jax.numpy.array", source)
    source[:] = -1
    t.expect(t.host(made).tolist() == [0, 1, 2, 3, 4, 5], "the values at the time of the call")


@case("jax.numpy.array", reference="none", core=False)
def what_is_no_array(t):
    t.raises(TypeError, t.call, "jax.numpy.array", "text")
    t.raises((TypeError, ValueError), t.call, "jax.numpy.array", [1, None])
    t.raises(OverflowError, t.call, "jax.numpy.array", 2**40, dtype="int32")
    t.raises(NotImplementedError, t.call, "jax.numpy.array", [1, 2], order="F")


def _wrong_shapes(t, name):
    t.raises((TypeError, ValueError), t.call, name, (-1, 2))
    t.raises(TypeError, t.call, name, (1.5, 2))
    t.raises(TypeError, t.get("jax.jit")(t.get(name)), 3)  # a traced number is no shape


def _default_and_placed(t, name, value):
    made = t.call(name, 5)
    t.expect(made.shape == (5,) and str(made.dtype) == "float32", "five f32 numbers")
    if not t.compiled:
        device = t.device if t.place == "target" else t.get("jax.devices")("cpu")[0]
        placed = t.get(name)((2, 3), dtype="int32", device=device)
        t.expect(placed.devices() == {device}, "an array on the device asked for")
    t.expect(bool((t.host(made) == value).all()), "the value %d" % value)
    return made


@case("jax.numpy.zeros", core=False, reference="none")
def zeros_of_wrong_shapes(t):
    _wrong_shapes(t, "jax.numpy.zeros")


@case("jax.numpy.zeros", core=False, trivial=True, reference=lambda np: np.zeros(5))
def zeros_by_default(t):
    return _default_and_placed(t, "jax.numpy.zeros", 0)


@case("jax.numpy.ones", core=False, reference="none")
def ones_of_wrong_shapes(t):
    _wrong_shapes(t, "jax.numpy.ones")


@case("jax.numpy.ones", core=False, trivial=True, reference=lambda np: np.ones(5))
def ones_by_default(t):
    return _default_and_placed(t, "jax.numpy.ones", 1)


@case("jax.numpy.arange", core=False, reference=lambda np: np.arange(-1, 2, 0.25))
def arange_by_fractions(t):
    return t.call("jax.numpy.arange", -1, 2, 0.25)


@case("jax.numpy.arange", stop=[0, 100003], trivial=True, core=False,
      reference=lambda np, stop: np.arange(stop))  # fmt: skip
def arange_of_none_and_many(t, stop):
    made = t.call("jax.numpy.arange", stop)
    t.expect(
        made.shape == (stop,) and (t.place == "wide" or str(made.dtype) == "int32"), "i32 numbers"
    )
    return made


@case("jax.numpy.arange", reference="none", core=False)
def arange_without_numbers(t):
    t.raises(TypeError, t.call, "jax.numpy.arange", "a")
    t.raises((TypeError, ValueError), t.call, "jax.numpy.arange", t.randn((2,), "f32"))
    jax = t.fw
    t.raises(jax.errors.ConcretizationTypeError, jax.jit(jax.numpy.arange), 3)


@case("jax.numpy.tril", dtypes="f32", shapes="0x3 3x0", trivial=True, core=False,
      reference=lambda np, x: np.tril(x))  # fmt: skip
def tril_of_nothing(t, dtype, shape):
    return t.call("jax.numpy.tril", t.randn(shape, dtype))


@case(
    "jax.numpy.tril",
    dtypes="f32",
    k=[-9, 9],
    trivial=True,
    core=False,
    reference=lambda np, x, k: np.tril(x, k),
)
def tril_beyond_the_corners(t, dtype, k):
    return t.call("jax.numpy.tril", t.randn((4, 5), dtype), k=k)


@case("jax.numpy.tril", dtypes="f32", core=False, reference="numpy")
def large_tril(t, dtype):
    return t.call("jax.numpy.tril", t.randn((515, 517), dtype))


@case(
    "jax.numpy.triu_indices",
    n=5,
    k=[0, 1],
    m=2,
    core=False,
    reference=lambda np, n, k, m: np.triu_indices(n, k, m),
)
def triu_indices_of_a_tall_matrix(t, n, k, m):
    return t.call("jax.numpy.triu_indices", n, k, m)


def upper_part(x):
    import jax

    return x[jax.numpy.triu_indices(x.shape[0], 1)]


@case(
    "jax.numpy.triu_indices",
    dtypes="f32 i32",
    core=False,
    reference=lambda np, x: x[np.triu_indices(6, 1)],
)
def triu_indices_choose(t, dtype):
    return t.call(t.get("jax.jit")(upper_part), t.randn((6, 6), dtype))


@case("jax.numpy.triu_indices", core=False, reference="none")
def triu_indices_of_no_size(t):
    t.raises(TypeError, t.call, "jax.numpy.triu_indices", 2.5)
    row, column = t.call("jax.numpy.triu_indices", 4)
    t.expect(str(row.dtype) == str(column.dtype) == "int32", "i32 indices")
    found = [t.host(row), t.host(column)]
    t.expect(t.np.array_equal(found, t.np.triu_indices(4)), "the upper triangle, got %s" % found)


@case("jax.numpy.tril_indices_from", dtypes="f32", shapes="0x0 1x1", trivial=True, core=False,
      reference=lambda np, x: np.tril_indices_from(x))  # fmt: skip
def tril_indices_from_little(t, dtype, shape):
    return t.call("jax.numpy.tril_indices_from", t.randn(shape, dtype))


@case(
    "jax.numpy.tril_indices_from",
    dtypes="bool c64",
    core=False,
    reference=lambda np, x: np.tril_indices_from(x),
)
def tril_indices_from_other_types(t, dtype):
    return t.call("jax.numpy.tril_indices_from", t.randn((5, 4), dtype))


def lower_part(x):
    import jax

    return x[jax.numpy.tril_indices_from(x)]


@case(
    "jax.numpy.tril_indices_from",
    dtypes="f32",
    core=False,
    reference=lambda np, x: x[np.tril_indices_from(x)],
)
def tril_indices_choose(t, dtype):
    return t.call(t.get("jax.jit")(lower_part), t.randn((6, 4), dtype))


@case("jax.numpy.tril_indices_from", core=False, reference="none")
def tril_indices_from_other_ranks(t):
    t.raises(ValueError, t.call, "jax.numpy.tril_indices_from", t.randn((4,), "f32"))
    t.raises(ValueError, t.call, "jax.numpy.tril_indices_from", t.randn((2, 3, 3), "f32"))


@case("jax.nn.one_hot", core=False, reference=lambda np: np.array([0.0, 1.0, 0.0]))
def one_hot_of_a_number(t):
    return t.call("jax.nn.one_hot", 1, 3)


@case("jax.nn.one_hot", dtypes="i32", core=False, reference=lambda np, x: np.eye(1000)[x])
def large_one_hot(t, dtype):
    return t.call("jax.nn.one_hot", t.randint((300,), dtype, 0, 1000), 1000)


@case("jax.nn.one_hot", core=False, reference="none")
def wrong_classes(t):
    labels = t.randint((3,), "i32", 0, 3)
    t.raises((TypeError, ValueError), t.call, "jax.nn.one_hot", labels, -1)
    t.raises(ValueError, t.call, "jax.nn.one_hot", labels, 3, axis=5)
    jax = t.fw
    t.raises(jax.errors.ConcretizationTypeError, jax.jit(jax.nn.one_hot), labels, 3)


@case("jax.numpy.size", host_only=True, core=False, reference="none")
def size_over_axes(t):
    values = t.randn((2, 3, 4), "f32")
    t.expect(t.call("jax.numpy.size", values, (0, 2)) == 8, "2 x 4 elements")
    t.expect(t.call("jax.numpy.size", values, -2) == 3, "3 elements along axis -2")
    t.expect(t.call("jax.numpy.size", t.np.ones((2, 2))) == 4, "4 elements of NumPy's array")
    t.raises(ValueError, t.call, "jax.numpy.size", values, 3)


@case("jax.numpy.size", host_only=True, core=False, reference="none")
def size_while_tracing(t):
    jax = t.fw
    seen = []
    traced = jax.make_jaxpr(lambda x: seen.append(jax.numpy.size(x)) or x)
    t.call(traced, t.randn((4, 5), "bf16"))
    t.expect(seen == [20] and type(seen[0]) is int, "a Python number inside a trace, got %r" % seen)
