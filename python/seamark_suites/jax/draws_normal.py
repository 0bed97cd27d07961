"""Normal numbers, by jax.random.normal and by the initializer of weights. The numbers of a key are known."""

from seamark_suites.case import case

from . import reference_draws as right
from .draws import NORMAL, plan, some_key, words


@case(
    "jax.random.normal",
    dtypes="f32 bf16 f16 f64",
    shapes="64x33 100",
    core="f32 bf16",
    rtol=NORMAL,
    reference=right.normal,
)
def normal(t, dtype, shape):
    return t.call("jax.random.normal", some_key(t, dtype, shape), shape, t.dtype(dtype))


@case("jax.random.normal", dtypes="c64", shapes="20x5", core=False, rtol=NORMAL,
      reference=right.complex_normal)  # fmt: skip
def complex_numbers(t, dtype, shape):
    """Of variance 1: a half for each part."""
    return t.call("jax.random.normal", some_key(t, dtype, shape), shape, t.dtype(dtype))


@case("jax.random.normal", core=False, shapes="scalar 1", rtol=NORMAL, reference=right.normal)
def one_normal_number(t, shape):
    return t.call("jax.random.normal", some_key(t, "f32", shape), shape)


@case("jax.random.normal", core=False, shapes="0 3x0", trivial=True, reference=right.normal)
def no_normal_numbers(t, shape):
    return t.call("jax.random.normal", some_key(t, "f32", shape), shape)


def normal_typed(key):
    import jax

    typed = jax.random.wrap_key_data(key)
    once, again = jax.random.normal(typed, (6, 5)), jax.jit(jax.random.normal)(typed)
    return once, again


@case("jax.random.normal", rtol=NORMAL,
      reference=lambda np, plan, key: (
          right.normal(np, plan, key), right.normal(np, plan[:3], key)
      ))  # fmt: skip
def normal_of_a_typed_key(t):
    """The same numbers as of a key of two words; a shape of () by default."""
    return t.call(normal_typed, some_key(t, "f32", (6, 5)))


def normal_each(keys):
    import jax

    return jax.jit(jax.vmap(lambda key: jax.random.normal(key, (8,))))(keys)


@case("jax.random.normal", core=False, rtol=NORMAL,
      reference=lambda np, *given: right.of_each(np, right.normal, *given))  # fmt: skip
def normal_of_a_batch_of_keys(t):
    plan(t, "f32", (8,))
    return t.call(normal_each, words(t, (5, 2)))


def sampled(mean, deviation, key):
    import jax

    return mean + deviation * jax.random.normal(key, mean.shape, mean.dtype)


def sampled_right(np, plan, mean, deviation, key):
    noise = right.normal(np, plan, key)
    w = np.linspace(0.5, 1.5, mean.size).reshape(mean.shape)
    return mean + deviation * noise, [w, w * noise]


@case("jax.random.normal", dtypes="f32 bf16 f64", grad=True, core="f32 bf16", rtol=NORMAL,
      atol=NORMAL, reference=sampled_right)  # fmt: skip
def a_sample_has_a_derivative(t, dtype):
    """By its mean and its deviation, as variational models draw."""
    plan(t, dtype, (8, 5))
    mean, deviation = t.randn((8, 5), dtype), t.uniform((8, 5), dtype, 0.5, 2)
    return t.call(sampled, mean, deviation, words(t))


def normal_rbg(key):
    import jax

    return jax.random.normal(jax.random.wrap_key_data(key, impl="rbg"), (4000,))


@case("jax.random.normal", random=True, core=False, reference="none")
def normal_by_rbg(t):
    """Numbers of the device's own generator: their statistics alone are known."""
    t.statistics(t.call(normal_rbg, words(t, (4,))), mean=0.0, std=1.0)


def noise_of_each_step(x, key):
    import jax

    def step(carry, _):
        x, key = carry
        key, used = jax.random.split(key)
        x = x * 0.5 + jax.random.normal(used, x.shape)
        return (x, key), x

    return jax.lax.scan(step, (x, key), None, length=3)[1]


def walked(np, plan, x, key):
    steps = []
    for _ in range(3):
        key, used = right.split(np, plan, key)
        x = x * 0.5 + right.normal(np, plan, used)
        steps.append(x)
    return np.stack(steps)


@case("jax.random.normal", core=False, rtol=NORMAL, atol={"f32": 1e-5}, reference=walked)
def noise_inside_scan(t):
    plan(t, "f32", (6,))
    return t.call(noise_of_each_step, t.randn((6,), "f32"), words(t))


@case("jax.random.normal", core=False, rtol=NORMAL,
      reference=lambda np, *given: [right.normal(np, *given[i : i + 2]) for i in (0, 2, 4)])  # fmt: skip
def normal_shapes_one_after_another(t):
    shapes = ((3, 4), (10,), (2, 2, 5))
    return [t.call("jax.random.normal", some_key(t, "f32", one), one) for one in shapes]


@case("jax.random.normal", dtypes="f32 bf16", shapes="1500x2001", large=True, rtol=NORMAL,
      reference=right.normal)  # fmt: skip
def large_normal(t, dtype, shape):
    return t.call("jax.random.normal", some_key(t, dtype, shape), shape, t.dtype(dtype))


@case("jax.random.normal", core=False, reference="none")
def normal_of_what_is_wrong(t):
    key = t.get("jax.random.key")(0)
    t.raises(ValueError, t.call, "jax.random.normal", key, (2,), t.dtype("i32"))
    t.raises(TypeError, t.call, "jax.random.normal", 3, (2,))
    t.raises(TypeError, t.call, "jax.random.normal", key, 2.5)
    t.raises((TypeError, ValueError), t.call, "jax.random.normal", t.randn((2,), "f32"), (2,))


# --- the initializer


def initialized(key, shape, dtype=None, **options):
    import jax

    return jax.nn.initializers.normal(**options)(key, shape, dtype)


@case(
    "jax.nn.initializers.normal",
    dtypes="f32 bf16 f16 f64",
    shapes="64x33",
    core="f32 bf16",
    scale=[0.02, 1.5],
    rtol=NORMAL,
    atol={
        "bf16": 1e-4,
        "f16": 1e-4,
        "f32": 1e-8,
    },  # small numbers: an absolute tolerance hides them
    reference=right.normal,
)
def weights(t, dtype, shape, scale):
    key = some_key(t, dtype, shape)
    return t.call(initialized, key, shape, t.dtype(dtype), stddev=scale)


@case("jax.nn.initializers.normal", size=[(40, 3)], rtol=NORMAL, atol={"f32": 1e-8},
      reference=lambda np, plan, key, size: right.normal(np, plan, key, 0.01))  # fmt: skip
def a_hundredth_by_default(t, size):
    made = t.call(
        lambda key: t.get("jax.nn.initializers.normal")()(key, size), some_key(t, "f32", size)
    )
    t.expect(made.dtype == t.dtype("f32"), "f32 by default, got %s" % made.dtype)
    return made


def two_dtypes(key):
    import jax

    make = jax.nn.initializers.normal(1.0, jax.numpy.bfloat16)
    return make(key, (6, 4)), make(key, (6, 4), jax.numpy.float32)


@case(
    "jax.nn.initializers.normal",
    rtol=NORMAL,
    reference=lambda np, plan, key: (
        right.normal(np, [plan[0], 8, 7, 6, 4], key),
        right.normal(np, plan, key),
    ),
)
def dtype_of_the_call_comes_first(t):
    low, full = t.call(two_dtypes, some_key(t, "f32", (6, 4)))
    t.expect(low.dtype == t.dtype("bf16") and full.dtype == t.dtype("f32"), "bf16, then f32")
    return low, full


def stacked(keys):
    """The weights of a stack of layers, as scan over layers wants them."""
    import jax

    make = jax.nn.initializers.normal(0.5)
    return jax.jit(jax.vmap(lambda key: make(key, (4, 3), "float32")))(keys)


@case("jax.nn.initializers.normal", rtol=NORMAL,
      reference=lambda np, *given: right.of_each(np, right.normal, *given, scale=0.5))  # fmt: skip
def weights_of_many_layers(t):
    plan(t, "f32", (4, 3))
    return t.call(stacked, words(t, (5, 2)))


def typed_weights(key):
    import jax

    return jax.nn.initializers.normal(stddev=2.0)(jax.random.wrap_key_data(key), (7, 5))


@case("jax.nn.initializers.normal", core=False, rtol=NORMAL,
      reference=lambda np, plan, key: right.normal(np, plan, key, 2.0))  # fmt: skip
def weights_of_a_typed_key(t):
    return t.call(typed_weights, some_key(t, "f32", (7, 5)))


@case("jax.nn.initializers.normal", dtypes="c64", shapes="20x5", scale=3.0, core=False, rtol=NORMAL,
      reference=right.complex_normal)  # fmt: skip
def complex_weights(t, dtype, shape, scale):
    return t.call(initialized, some_key(t, dtype, shape), shape, t.dtype(dtype), stddev=scale)


@case(
    "jax.nn.initializers.normal", core=False, shapes="0 3x0", trivial=True, reference=right.normal
)
def weights_of_nothing(t, shape):
    return t.call(initialized, some_key(t, "f32", shape), shape, t.dtype("f32"))


def by_deviation(deviation, key):
    import jax

    return jax.nn.initializers.normal(deviation)(key, (30,), "float32")


@case("jax.nn.initializers.normal", core=False, rtol=NORMAL,
      reference=lambda np, plan, deviation, key: right.normal(np, plan, key, deviation))  # fmt: skip
def a_deviation_that_is_an_array(t):
    plan(t, "f32", (30,))
    deviation = t.uniform((), "f32", 1, 2)
    return t.call(t.fw.jit(by_deviation), deviation, words(t))


@case("jax.nn.initializers.normal", dtypes="f32", shapes="1500x2001", scale=0.5, large=True,
      rtol=NORMAL,
      reference=lambda np, plan, key, scale: right.normal(np, plan, key, scale))  # fmt: skip
def large_weights(t, dtype, shape, scale):
    return t.call(initialized, some_key(t, dtype, shape), shape, t.dtype(dtype), stddev=scale)


@case("jax.nn.initializers.normal", core=False, reference="none")
def weights_that_cannot_be(t):
    key = t.get("jax.random.key")(0)
    t.raises(ValueError, t.call, initialized, key, (2,), t.dtype("i32"))
    t.raises(TypeError, t.call, initialized, 3, (2,))
    t.raises(TypeError, t.call, initialized, key, (2.5,))
    t.raises((TypeError, ValueError), t.call, initialized, key, (2,), stddev="wide")


def in_other_forms(key):
    import jax
    import numpy

    normal, make = jax.random.normal, jax.nn.initializers.normal(2.0)
    plain = normal(key, 12), normal(key, [3, 4]), normal(key, numpy.array([3, 4]), float)
    made = (
        make(key, [3, 4]),
        make(key, (12,)),
        make(key, (3, 1, 2, 2)),
        jax.jit(make, static_argnums=1)(key, (3, 4)),
    )
    return plain, made


def other_forms_right(np, plan, key):
    flat = right.normal(np, plan, key)
    square = flat.reshape(3, 4)
    return (flat, square, square), (2 * square, 2 * flat, 2 * flat.reshape(3, 1, 2, 2), 2 * square)


@case("jax.random.normal", core=False, rtol=NORMAL, reference=other_forms_right)
@case("jax.nn.initializers.normal", core=False, rtol=NORMAL, reference=other_forms_right)
def shapes_in_other_forms(t):
    """A number, a list, NumPy's numbers; one axis to four; as part of a program: the same numbers in any shape."""
    found = t.call(in_other_forms, some_key(t, "f32", (12,)))
    t.expect(all(one.dtype == t.dtype("f32") for row in found for one in row), "f32 numbers")
    return found


@case("jax.random.normal", core=False, reference="none")
@case("jax.nn.initializers.normal", core=False, reference="none")
def keys_and_kinds_that_cannot_be(t, function):
    """Several keys at once, text, words that are no key, dtypes that are not there; another key gives other numbers."""
    jax, key = t.fw, t.get("jax.random.key")(0)
    made = t.get(function)
    f = made() if function.endswith("initializers.normal") else made
    for wrong in (jax.random.split(key), "text", None, t.np.zeros(3, "uint32"), t.np.zeros(2)):
        t.raises((TypeError, ValueError), t.call, f, wrong, (2,))
    for shape, dtype in (
        ((2,), "nonsense"),
        ((2,), bool),
        (("a",), "float32"),
        ((2.5,), "float32"),
    ):
        t.raises((TypeError, ValueError), t.call, f, key, shape, dtype)
    t.raises(TypeError, jax.jit(lambda key, n: f(key, (n,))), key, 2)
    one, other = (t.host(t.call(f, each, (50,))) for each in jax.random.split(key))
    t.expect(not (one == other).any(), "other numbers of another key")
    again = [t.host(f(each, (50,))) for each in jax.random.split(key)]
    t.expect(t.np.array_equal(again, [one, other]), "the same of the same key")


@case("jax.random.normal", dtypes="f64", core=False, rtol=NORMAL, reference=lambda np, plan, key: (
      right.normal(np, plan, key), 0.5 * right.normal(np, plan, key)))  # fmt: skip
@case("jax.nn.initializers.normal", dtypes="f64", core=False, rtol=NORMAL, reference=lambda np, plan, key: (
      right.normal(np, plan, key), 0.5 * right.normal(np, plan, key)))  # fmt: skip
def wide_where_nothing_is_said(t, dtype):
    """With 64-bit types the dtype is f64 unless another is asked for."""
    plan(t, dtype, (30,))
    wide = t.dtype(dtype)
    made = t.call(
        lambda key: (t.fw.random.normal(key, (30,)), t.fw.nn.initializers.normal(0.5)(key, (30,))),
        words(t),
    )
    t.expect([one.dtype for one in made] == [wide] * 2, "f64, got %s" % [one.dtype for one in made])
    return made  # fmt: skip
