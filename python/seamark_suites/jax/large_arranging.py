"""Work of 10 to 100 MB for what arranges, holds, makes or transforms: what comes of a view is computed."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of

from .reference import special, threefry

SHAPE = (2500, 2000)
NP = "jax.numpy."
# How a function is called, and what NumPy makes of 2500x2000 numbers; the result is doubled.
ARRANGED = {
    NP + "asarray": (lambda f, x: f(x), lambda np, x: x),
    NP + "expand_dims": (lambda f, x: f(x, 1), lambda np, x: x[:, None]),
    NP + "squeeze": (lambda f, x: f(x[:, None], 1), lambda np, x: x),
    NP + "reshape": (lambda f, x: f(x, (2000, -1)), lambda np, x: x.reshape(2000, 2500)),
    NP + "atleast_2d": (lambda f, x: f(x.reshape(-1)), lambda np, x: x.reshape(1, -1)),
    "jax.Array.reshape": (lambda f, x: x.reshape(2000, -1), lambda np, x: x.reshape(2000, 2500)),
    "jax.lax.stop_gradient": (lambda f, x: f(x), lambda np, x: x),
}


each = each_of(ARRANGED)


@each(ARRANGED, lambda form: lambda np, x: 2 * form[1](np, x), dtypes="f32", large=True)
def large_arranged(t, function, dtype):
    arrange, f = ARRANGED[function][0], t.get(function)
    return t.call(lambda x: arrange(f, x) * 2, t.randn(SHAPE, dtype))


@case(NP + "diag", dtypes="f32", large=True, reference=lambda np, x: np.diag(x))
def large_diagonal_of(t, dtype):
    return t.call(NP + "diag", t.randn((2500,), dtype))


@case(NP + "float32", large=True, reference=lambda np, x: x)
@case(NP + "int32", large=True, reference=lambda np, x: np.trunc(x))
def large_cast(t, function):
    x = (
        t.randint(SHAPE, "i32", -99, 99)
        if function.endswith("float32")
        else t.uniform(SHAPE, "f32", -99, 99)
    )
    return t.call(function, x)


@case(
    "jax.scipy.special.gammaln",
    dtypes="f32",
    large=True,
    rtol={"f32": 1e-4},
    reference=special("gammaln"),
)
def large_logarithms(t, dtype):
    return t.call("jax.scipy.special.gammaln", t.uniform(SHAPE, dtype, 3, 9))


@case("jax.pmap", dtypes="f32", large=True, reference=lambda np, x: x * 2 + 1)
def large_on_each_device(t, dtype):
    def run(x, devices):
        return t.get("jax.pmap")(lambda v: v * 2 + 1, devices=devices)(x)

    return t.call(run, t.randn((1, *SHAPE), dtype), devices=[t.device])


def _slopes(np, x, y):
    return np.sin(x) * y, [y * np.cos(x) * y, y * np.sin(x)]


@case(
    "jax.vjp", dtypes="f32", large=True, rtol={"f32": 1e-4}, atol={"f32": 1e-5}, reference=_slopes
)
def large_pulled_back(t, dtype):
    def run(x, y):
        made, pull = t.get("jax.vjp")(lambda x, y: t.fw.numpy.sin(x) * y, x, y)
        return made, list(pull(y))

    return t.call(run, t.uniform(SHAPE, dtype, 0.2, 1.2), t.uniform(SHAPE, dtype, 1, 2))


@case(
    "jax.numpy.vectorize", dtypes="f32", large=True, reference=lambda np, x, y: np.maximum(x, y) * 2
)
def large_of_each(t, dtype):
    numpy = t.fw.numpy
    each = t.get("jax.numpy.vectorize")(lambda a, b: numpy.maximum(a, b) * 2)
    return t.call(each, t.randn(SHAPE, dtype), t.randn(SHAPE[1:], dtype))


@case("jax.jacfwd", dtypes="f32", large=True, rtol={"f32": 1e-4}, atol={"f32": 1e-4}, reference=lambda np, x, w: (
      w.T * np.cos(x @ w)[:, None]))  # fmt: skip
def large_jacobian(t, dtype):
    """A thousand columns in one pass."""
    jacobian = t.get("jax.jacfwd")
    return t.call(lambda x, w: jacobian(lambda x: t.fw.numpy.sin(x @ w))(x), t.uniform((1000,), dtype, -0.1, 0.1), t.uniform((1000, 2000), dtype, 0.1, 0.3))  # fmt: skip


@case(
    "jax.nn.initializers.variance_scaling", dtypes="f32", large=True, random=True, reference="none"
)
def large_initial(t, dtype):
    make = t.get("jax.nn.initializers.variance_scaling")(2.0, "fan_in", "normal")
    t.statistics(
        t.call(make, t.fw.random.PRNGKey(9), SHAPE, t.dtype(dtype)), mean=0.0, std=(2 / 2500) ** 0.5
    )


@case("jax.random.choice", dtypes="f32", large=True, random=True, reference="none")
def large_chosen_by_chance(t, dtype):
    """Of four numbers by their weights."""
    values = t.host(t.call("jax.random.choice", t.fw.random.key(3), t.const([1.0, 2.0, 4.0, 8.0], dtype), (4000000,),
                           p=t.const([0.5, 0.25, 0.125, 0.125], dtype)))  # fmt: skip
    shares = [float((values == one).mean()) for one in (1, 2, 4, 8)]
    t.expect(
        abs(t.np.array(shares) - [0.5, 0.25, 0.125, 0.125]).max() < 0.002,
        "their shares, got %s" % shares,
    )


def _folded(np):
    """Threefry's words of the key 5 with each number."""
    numbers = np.arange(1 << 20, dtype=np.uint32)
    key = np.array([[0], [5]], np.uint32)
    return np.stack(threefry(key, (0 * numbers, numbers)), -1)


@case("jax.random.fold_in", large=True, reference=_folded)
@case("jax.random.key_data", large=True, reference=_folded)
def large_keys(t):
    """A million keys, each with words of its own."""
    random = t.fw.random

    def words(key, numbers):
        keys = t.fw.vmap(lambda n: t.get("jax.random.fold_in")(key, n))(numbers)
        return t.get("jax.random.key_data")(keys)

    return t.call(words, random.key(5), t.fw.numpy.arange(1 << 20))
