"""Work of 10 to 100 MB for functions whose other cases are small: a time is then the device's, not the overhead's."""

from seamark_suites.case import case

from .pointwise import NEAR

SHAPE = (2500, 2000)


@case("jax.numpy.exp", dtypes="f32", large=True, rtol=NEAR, reference="numpy")
@case("jax.numpy.log", dtypes="f32", large=True, rtol=NEAR, reference="numpy")
@case("jax.numpy.sqrt", dtypes="f32", large=True, rtol=NEAR, reference="numpy")
@case("jax.numpy.cos", dtypes="f32", large=True, rtol=NEAR, reference="numpy")
@case("jax.numpy.flip", dtypes="f32", large=True, reference="numpy")
@case("jax.numpy.array", dtypes="f32", large=True, reference="numpy")
def large_of_one(t, function, dtype):
    return t.call(function, t.uniform(SHAPE, dtype, 2, 4))


@case("jax.numpy.sum", dtypes="f32", large=True, rtol=NEAR, reference=lambda np, x: x.sum(1))
@case("jax.numpy.mean", dtypes="f32", large=True, rtol=NEAR, reference=lambda np, x: x.mean(1))
@case("jax.numpy.max", dtypes="f32", large=True, reference=lambda np, x: x.max(1))
def large_of_rows(t, function, dtype):
    return t.call(function, t.uniform(SHAPE, dtype, 1, 2), axis=1)


@case("jax.numpy.power", dtypes="f32", large=True, rtol=NEAR, reference="numpy")
@case("jax.numpy.stack", dtypes="f32", large=True, reference=lambda np, x, y: np.stack([x, y]))
@case("jax.numpy.cross", dtypes="f32", large=True, atol={"f32": 1e-5}, reference="numpy")
def large_of_two(t, function, dtype):
    shape = (1000000, 3) if function.endswith("cross") else SHAPE
    pair = t.uniform(shape, dtype, 1, 2), t.uniform(shape, dtype, 1, 2)
    return t.call(function, pair) if function.endswith("stack") else t.call(function, *pair)


@case("jax.numpy.logical_not", large=True, reference=lambda np, x: np.logical_not(x))
@case("jax.numpy.all", large=True, reference=lambda np, x: x.all(1))
def large_of_truths(t, function):
    """Every third row has a single false value."""
    values = t.np.ones((5000, 4000))
    values[::3, 17] = 0
    return t.call(function, t.const(values, "bool"), *([1] if function.endswith("all") else []))


@case(
    "jax.numpy.ones",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np: np.ones((2500, 2000)),
)
@case(
    "jax.numpy.zeros",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np: np.zeros((2500, 2000)),
)
def large_made(t, function, dtype):
    return t.call(function, SHAPE, t.dtype(dtype))


@case(
    "jax.numpy.ones_like",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np, x: np.ones(x.shape),
)
@case(
    "jax.numpy.zeros_like",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np, x: np.zeros(x.shape),
)
def large_made_like(t, function, dtype):
    return t.call(function, t.randn(SHAPE, dtype))


@case(
    "jax.numpy.full",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np, x: np.full((2500, 2000), x),
)
def large_full(t, dtype):
    return t.call("jax.numpy.full", SHAPE, t.const(2.5, dtype))


@case("jax.numpy.arange", large=True, reference=lambda np: np.arange(3, 10000000, 2))
def large_counted(t):
    return t.call("jax.numpy.arange", 3, 10000000, 2)


@case("jax.numpy.eye", dtypes="f32", large=True, reference=lambda np: np.eye(2000, 2500))
def large_diagonal(t, dtype):
    return t.call("jax.numpy.eye", 2000, 2500, dtype=t.dtype(dtype))


@case("jax.numpy.broadcast_to", dtypes="f32", large=True,
      reference=lambda np, x: np.broadcast_to(x, (2500, 2000)))  # fmt: skip
def large_widened(t, dtype):
    return t.call("jax.numpy.broadcast_to", t.randn((2000,), dtype), SHAPE)


@case("jax.numpy.split", dtypes="f32", large=True, reference=lambda np, x: np.split(x, 4, 1))
def large_split(t, dtype):
    return t.call("jax.numpy.split", t.randn(SHAPE, dtype), 4, axis=1)


@case("jax.lax.select", dtypes="f32", large=True, reference=lambda np, p, x, y: np.where(p, x, y))
def large_chosen(t, dtype):
    mask = t.randint(SHAPE, "bool", 0, 2)
    return t.call("jax.lax.select", mask, t.randn(SHAPE, dtype), t.randn(SHAPE, dtype))


@case("jax.lax.convert_element_type", dtypes="f32", large=True, reference=lambda np, x: np.trunc(x))
def large_to_whole_numbers(t, dtype):
    return t.call(
        "jax.lax.convert_element_type", t.uniform(SHAPE, dtype, -100, 100), t.dtype("i32")
    )


@case("jax.nn.one_hot", large=True, reference=lambda np, i: np.eye(1000)[i.astype(int)])
def large_one_hot(t):
    return t.call("jax.nn.one_hot", t.randint((4096,), "i32", 0, 1000), 1000)


@case("jax.random.randint", large=True, random=True, reference="none")
@case("jax.random.bernoulli", large=True, random=True, reference="none")
def large_drawn(t, function):
    more = (0, 2) if function.endswith("randint") else ()
    arguments = (SHAPE, *more) if more else (0.5, SHAPE)
    values = t.host(t.call(function, t.fw.random.key(7), *arguments))
    t.expect(abs(float(values.mean()) - 0.5) < 0.002, "half of them ones")
    t.expect(set(t.np.unique(values).tolist()) == {0, 1}, "nothing else")
