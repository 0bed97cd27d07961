"""Functions that make arrays."""

from seamark_suites.case import case


@case(
    "jax.numpy.array",
    dtypes="f32 bf16 i32 bool c64 f64 i64",
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


@case("jax.numpy.array", dtypes="f32 i32", target=["f32", "i32", "bf16", "bool"], core="f32")
def converts(t, dtype, target):
    return t.call("jax.numpy.array", t.randint((20,), dtype, -2, 3), dtype=t.dtype(target))


@case("jax.numpy.array", reference="none", core=False)
def ragged(t):
    t.raises((TypeError, ValueError), t.call, "jax.numpy.array", [[1, 2], [3]])


@case(
    "jax.numpy.zeros",
    dtypes="f32 bf16 i32 bool c64 f64",
    shapes="4x5 scalar 0",
    core="f32 i32",
    trivial=True,
)
def zeros(t, dtype, shape):
    made = t.call("jax.numpy.zeros", shape, dtype=t.dtype(dtype))
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
    trivial=True,
)
def ones(t, dtype, shape):
    made = t.call("jax.numpy.ones", shape, dtype=t.dtype(dtype))
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
    return t.call("jax.numpy.tril", t.randn(shape, dtype), k=k)


@case("jax.numpy.tril", dtypes="f32 f64", grad=True, core="f32")
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


@case("jax.nn.one_hot", result=["f32", "bf16", "i32", "bool"], axis=[-1, 0])
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
