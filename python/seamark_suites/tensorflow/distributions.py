"""tf.compat.v1.distributions.Normal."""

from seamark_suites.case import case

from . import reference as right
from .reference import with_gradient


def _normal_density(np, loc, scale, x, **_):
    return -0.5 * ((x - loc) / scale) ** 2 - np.log(scale) - 0.5 * np.log(2 * np.pi)


def _parameters(t, dtype, spread=1.0):
    return (
        t.randn((6,), dtype),
        t.uniform((6,), dtype, 0.5, 2),
        t.uniform((4, 6), dtype, -2 * spread, 2 * spread),
    )


@case(
    "tf.compat.v1.distributions.Normal",
    dtypes="f32 f64 f16",
    core="f32 f64",
    reference=_normal_density,
    rtol={"f32": 1e-5, "f16": 4e-3},
    atol={"f16": 4e-3},
)
def normal_log_prob(t, dtype):
    """A few roundings of numbers up to 16: 4 units of the last place in f16."""

    def log_prob(loc, scale, x):
        return t.get("tf.compat.v1.distributions.Normal")(loc=loc, scale=scale).log_prob(x)

    return t.call(log_prob, *_parameters(t, dtype))


@case("tf.compat.v1.distributions.Normal", dtypes="f32", random=True)
def normal_sample(t, dtype):
    def sample(loc, scale):
        return t.get("tf.compat.v1.distributions.Normal")(loc=loc, scale=scale).sample(4000)

    drawn = t.call(sample, t.const([1.0, -3.0], dtype), t.const([0.5, 2.0], dtype))
    t.expect(tuple(drawn.shape) == (4000, 2), "4000 draws of two, got %s" % (drawn.shape,))
    t.statistics(drawn[:, 0], mean=1.0, std=0.5)
    t.statistics(drawn[:, 1], mean=-3.0, std=2.0)
    return drawn


@case(
    "tf.compat.v1.distributions.Normal",
    dtypes="f32",
    grad=True,
    rtol={"f32": 1e-5},
    reference=with_gradient(_normal_density),
)
def normal_gradient(t, dtype):
    def log_prob(loc, scale, x):
        return t.get("tf.compat.v1.distributions.Normal")(loc=loc, scale=scale).log_prob(x)

    return t.call(
        log_prob, t.randn((5,), dtype), t.uniform((5,), dtype, 1, 2), t.randn((5,), dtype)
    )


@case("tf.compat.v1.distributions.Normal", reference="none", core=False)
def normal_wrong_scale(t):
    """validate_args looks at the scale."""
    make = t.get("tf.compat.v1.distributions.Normal")
    kinds = (t.fw.errors.InvalidArgumentError, ValueError)
    t.raises(kinds, t.call, make, 0.0, -1.0, validate_args=True)


@case(
    "tf.compat.v1.distributions.Normal.survival_function",
    dtypes="f32 f64",
    reference=right.survival,
    rtol={"f32": 1e-5},
)
def survival_function(t, dtype):
    def survival(loc, scale, x):
        return t.get("tf.compat.v1.distributions.Normal")(loc, scale).survival_function(x)

    return t.call(survival, *_parameters(t, dtype))


@case(
    "tf.compat.v1.distributions.Normal.survival_function",
    dtypes="f32",
    grad=True,
    rtol={"f32": 1e-5},
    reference=with_gradient(right.survival),
)
def survival_function_gradient(t, dtype):
    def survival(loc, scale, x):
        return t.get("tf.compat.v1.distributions.Normal")(loc, scale).survival_function(x)

    return t.call(
        survival, t.randn((5,), dtype), t.uniform((5,), dtype, 1, 2), t.randn((5,), dtype)
    )


@case(
    "tf.compat.v1.distributions.Normal.log_survival_function",
    dtypes="f32 f64",
    reference=right.log_survival,
    rtol={"f32": 2e-5},
    atol={"f32": 1e-5},
)
def log_survival_function(t, dtype):
    def log_survival(loc, scale, x):
        return t.get("tf.compat.v1.distributions.Normal")(loc, scale).log_survival_function(x)

    return t.call(log_survival, *_parameters(t, dtype))


@case(
    "tf.compat.v1.distributions.Normal.log_survival_function",
    dtypes="f32 f64",
    rtol={"f32": 1e-4},
    reference=right.log_survival_tail,
)
def log_survival_function_tail(t, dtype):
    """Far in the tail the survival function itself is zero."""

    def log_survival(x):
        return t.get("tf.compat.v1.distributions.Normal")(
            t.const(0.0, dtype), t.const(1.0, dtype)
        ).log_survival_function(x)

    return t.call(log_survival, t.const([5.0, 12.0, 20.0, 38.0], dtype))


@case("tf.compat.v1.distributions.Normal.param_shapes", host_only=True, reference="none")
def param_shapes(t):
    got = t.call("tf.compat.v1.distributions.Normal.param_shapes", [4, 3])
    t.expect(sorted(got) == ["loc", "scale"], "loc and scale, got %s" % sorted(got))
    t.expect(
        all(t.host(shape).tolist() == [4, 3] for shape in got.values()),
        "the shape of one draw each",
    )
