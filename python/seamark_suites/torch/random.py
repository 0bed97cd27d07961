"""Functions that draw: checked by their statistics and their contract, not by single values."""

from seamark_suites.case import case

from . import reference_nn as right
from .reference import with_gradient


@case("torch.multinomial", dtypes="f32 f64 bf16", random=True, reference="none", core="f32")
def multinomial(t, dtype):
    weights = t.const([1.0, 2.0, 0.0, 5.0], dtype)
    drawn = t.host(t.call("torch.multinomial", weights, 4000, replacement=True))
    shares = [float((drawn == i).mean()) for i in range(4)]
    for got, want in zip(shares, (0.125, 0.25, 0.0, 0.625)):
        t.expect(
            abs(got - want) <= 5 * (want * (1 - want) / 4000) ** 0.5,
            "shares by weight, got %s" % shares,
        )


@case("torch.multinomial", dtypes="f32", reference="none", random=True)
def without_replacement(t, dtype):
    drawn = t.host(t.call("torch.multinomial", t.uniform((3, 10), dtype, 0.1, 1), 10))
    t.expect(all(sorted(row) == list(range(10)) for row in drawn.tolist()), "each index once a row")
    zero = t.const([1.0, 0.0, 0.0], dtype)
    t.expect(
        t.host(t.call("torch.multinomial", zero, 1)).tolist() == [0],
        "never an index of weight zero",
    )


@case(
    "torch.randperm", dtypes="i64 i32 f32", n=[1, 1000], random=True, reference="none", core="i64"
)
def randperm(t, dtype, n):
    made = t.call("torch.randperm", n, dtype=t.dtype(dtype), device=t.device)
    values = t.host(made)
    t.expect(sorted(values.tolist()) == list(range(n)), "each number from 0 to %d once" % (n - 1))
    t.expect(n == 1 or values.tolist() != list(range(n)), "a shuffled order")


@case(
    "torch.distributions.VonMises", dtypes="f32 f64 bf16", random=True, core="f32", reference="none"
)
def von_mises_samples(t, dtype):
    loc, concentration = t.const(0.5, dtype), t.const(4.0, dtype)
    drawn = t.host(
        t.call(t.get("torch.distributions.VonMises")(loc, concentration).sample, (4000,))
    )
    pi = 3.1415927410125732
    t.expect(bool((abs(drawn) <= pi + 1e-6).all()), "angles from -pi to pi")
    # circular mean 0.5; mean resultant length I1(4)/I0(4)
    length = abs(t.np.exp(1j * drawn).mean())
    t.expect(abs(length - 0.8635) < 0.02, "a resultant length of 0.8635, got %g" % length)
    t.expect(abs(t.np.angle(t.np.exp(1j * drawn).mean()) - 0.5) < 0.05, "a circular mean of 0.5")


@case(
    "torch.distributions.VonMises",
    reference=right.von_mises_density,
    dtypes="f32 f64",
    core="f32",
    rtol={"f32": 1e-5},
)
def von_mises_density(t, dtype):
    make = t.get("torch.distributions.VonMises")
    return t.call(
        make(t.const(0.5, dtype), t.const(4.0, dtype)).log_prob, t.uniform((20,), dtype, -3, 3)
    )


@case(
    "torch.distributions.RelaxedOneHotCategorical",
    dtypes="f32 f64",
    random=True,
    core="f32",
    reference="none",
)
def relaxed_samples(t, dtype):
    make = t.get("torch.distributions.RelaxedOneHotCategorical")
    distribution = make(t.const(0.5, dtype), probs=t.const([0.2, 0.3, 0.5], dtype))
    drawn = t.host(t.call(distribution.rsample, (2000,)))
    t.expect(bool((abs(drawn.sum(-1) - 1) < 1e-4).all()), "points of the simplex")
    share = float((drawn.argmax(-1) == 2).mean())
    t.expect(
        abs(share - 0.5) < 5 * (0.25 / 2000) ** 0.5,
        "the third class first in half of the draws, got %g" % share,
    )


@case(
    "torch.distributions.RelaxedOneHotCategorical",
    reference=right.concrete_density,
    dtypes="f32 f64",
    core="f32",
    rtol={"f32": 1e-4},
)
def relaxed_density(t, dtype):
    make = t.get("torch.distributions.RelaxedOneHotCategorical")
    distribution = make(t.const(0.7, dtype), probs=t.const([0.2, 0.3, 0.5], dtype))
    return t.call(distribution.log_prob, t.const([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], dtype))


@case("torch.multinomial", dtypes="f16", random=True, reference="none", core=False)
def in_half(t, dtype):
    weights = t.const([1.0, 3.0], dtype)
    drawn = t.host(t.call("torch.multinomial", weights, 4000, replacement=True))
    t.expect(abs(float(drawn.mean()) - 0.75) < 5 * (0.1875 / 4000) ** 0.5, "three quarters of ones")


@case("torch.multinomial", dtypes="f32", random=True, reference="none", core=False)
def of_many_categories(t, dtype):
    """Half of the weight on the upper half of 10,000 categories, in a row of its own each."""
    weights = t.uniform((2, 10000), dtype, 0.5, 1.5)
    drawn = t.call("torch.multinomial", weights, 2000, replacement=True)
    t.expect(drawn.dtype is t.fw.int64 and tuple(drawn.shape) == (2, 2000), "indices by row")
    host = t.host(weights)
    for row, picked in zip(host, t.host(drawn)):
        share = float(row[5000:].sum() / row.sum())
        t.expect(abs(float((picked >= 5000).mean()) - share) < 5 * 0.5 / 2000**0.5, "by weight")


@case("torch.multinomial", reference="none", core=False)
@case("torch.randperm", reference="none", core=False)
def a_seed_repeats_it(t, function):
    weights, drawn = t.uniform((50,), "f32", 0.1, 1), []
    for seed in (3, 3, 4):
        generator = t.fw.Generator(device=t.device).manual_seed(seed)
        if function == "torch.randperm":
            drawn.append(t.host(t.call("torch.randperm", 50, generator=generator, device=t.device)))
        else:
            drawn.append(t.host(t.call("torch.multinomial", weights, 40, generator=generator)))
    t.expect(bool((drawn[0] == drawn[1]).all()), "the same draws for the same seed")
    t.expect(bool((drawn[0] != drawn[2]).any()), "others for another")


@case("torch.multinomial", dtypes="f32", reference="none", core=False)
def multinomial_refuses(t, dtype):
    """More draws than categories, none, integer weights, three axes."""
    x = t.uniform((4,), dtype, 0.1, 1)
    t.raises(RuntimeError, t.call, "torch.multinomial", x, 5)
    t.raises(RuntimeError, t.call, "torch.multinomial", x, 0)
    t.raises(RuntimeError, t.call, "torch.multinomial", t.randint((4,), "i64", 1, 5), 2)
    t.raises(RuntimeError, t.call, "torch.multinomial", t.uniform((2, 2, 2), dtype), 1)


@case("torch.multinomial", dtypes="f32", random=True, reference="none", core=False)
def of_strided_weights(t, dtype):
    weights = t.const([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], dtype).mT
    drawn = t.host(t.call("torch.multinomial", weights, 500, replacement=True))
    t.expect(set(drawn[0].tolist()) == {0, 2} and set(drawn[1].tolist()) == {1}, "rows by weight")


@case("torch.multinomial", dtypes="f32", random=True, reference="none", core=False)
def draws_into_out(t, dtype):
    given = t.randint((2, 300), "i64", 7, 9)
    made = t.call("torch.multinomial", t.uniform((2, 4), dtype, 0.5, 1), 300, True, out=given)
    t.expect(bool((t.host(made) == t.host(given)).all()), "the given tensor as the result")
    t.expect(set(t.host(given).reshape(-1).tolist()) == {0, 1, 2, 3}, "indices in the given tensor")


@case("torch.randperm", reference="none", core=False)
def of_none_and_defaults(t):
    made = t.call("torch.randperm", 0, device=t.device)
    t.expect(tuple(made.shape) == (0,) and made.dtype is t.fw.int64, "an empty int64 tensor")


@case("torch.randperm", reference="none", core=False)
def randperm_refuses(t):
    t.raises(RuntimeError, t.call, "torch.randperm", -1, device=t.device)
    t.raises(RuntimeError, t.call, "torch.randperm", 300, dtype=t.fw.uint8, device=t.device)


@case("torch.randperm", random=True, reference="none", core=False)
def every_order_alike(t):
    """All six orders of three, each about as often."""
    seen = {}
    for _ in range(600):
        order = tuple(t.host(t.call("torch.randperm", 3, device=t.device)).tolist())
        seen[order] = seen.get(order, 0) + 1
    low, high = 100 - 5 * 83.4**0.5, 100 + 5 * 83.4**0.5
    t.expect(
        len(seen) == 6 and all(low < n < high for n in seen.values()),
        "about 100 each, got %s" % seen,
    )


@case("torch.randperm", random=True, reference="none", core=False)
def large(t):
    made = t.host(t.call("torch.randperm", 1 << 18, device=t.device))
    t.expect(bool((t.np.sort(made) == t.np.arange(1 << 18)).all()), "each number once")
    moved = float((made != t.np.arange(1 << 18)).mean())
    t.expect(moved > 0.999, "almost none in its place")


@case("torch.randperm", dtypes="i64", reference="none", core=False)
def into_out(t, dtype):
    given = t.randn((6,), dtype)
    made = t.call("torch.randperm", 6, out=given)
    t.expect(bool((t.host(made) == t.host(given)).all()), "the given tensor as the result")
    t.expect(sorted(t.host(given).tolist()) == list(range(6)), "the numbers in the given tensor")


_VON_MISES, _RELAXED = (
    "torch.distributions.VonMises",
    "torch.distributions.RelaxedOneHotCategorical",
)


def _von_mises_gradient(np, concentration, loc, x):
    return with_gradient(right.von_mises_density)(np, loc, concentration, x)


@case(
    "torch.distributions.VonMises",
    reference=_von_mises_gradient,
    dtypes="f32",
    grad=True,
    core=False,
    rtol={"f32": 1e-4},
)
def von_mises_gradient(t, dtype):
    """The density with respect to both parameters and the value, and for large concentrations."""
    make = t.get(_VON_MISES)
    density = lambda loc, c, x: make(loc, c).log_prob(x)  # noqa: E731
    concentration = t.const([0.1, 2.0, 50.0], dtype, grad=True)
    return t.call(density, t.randn((3,), dtype), concentration, t.uniform((3,), dtype, -3, 3))


@case("torch.distributions.VonMises", reference=right.von_mises_moments, dtypes="f32", core=False)
def moments(t, dtype):
    """The mean, the mode and the circular variance."""
    make = t.get(_VON_MISES)
    made = t.call(make, t.const([0.5, -1.0], dtype), t.const([4.0, 0.5], dtype))
    return made.mean, made.mode, made.variance


@case("torch.distributions.VonMises", dtypes="f32", random=True, reference="none", core=False)
def von_mises_batches(t, dtype):
    made = t.call(_VON_MISES, t.randn((3, 1), dtype), t.uniform((4,), dtype, 1, 3))
    t.expect(tuple(made.batch_shape) == (3, 4) and made.event_shape == (), "parameters broadcast")
    wide = made.expand((2, 3, 4))
    t.expect(tuple(wide.sample((5,)).shape) == (5, 2, 3, 4), "draws of an expanded batch")
    t.expect(tuple(wide.log_prob(wide.sample()).shape) == (2, 3, 4), "their densities")


@case("torch.distributions.VonMises", reference="none", core=False)
def von_mises_refuses(t):
    loc, good = t.const(0.5, "f32"), t.const(4.0, "f32")
    t.raises(ValueError, t.call, _VON_MISES, loc, t.const(-1.0, "f32"), validate_args=True)
    t.raises(ValueError, t.call, _VON_MISES, t.const(float("nan"), "f32"), good, validate_args=True)
    made = t.call(_VON_MISES, loc, good)
    t.expect(not made.has_rsample, "no gradient through samples")
    t.raises(NotImplementedError, made.rsample)


@case("torch.distributions.VonMises", dtypes="f32 f64", random=True, reference="none", core=False)
def von_mises_narrow_and_wide(t, dtype):
    """A large concentration is a narrow normal, a tiny one is uniform."""
    made = t.call(_VON_MISES, t.const([1.0, 0.0], dtype), t.const([1e4, 1e-4], dtype))
    drawn = t.host(made.sample((2000,)))
    t.statistics(drawn[:, 0], mean=1.0, std=0.01)
    t.statistics(drawn[:, 1], mean=0.0, std=3.14159265 / 3**0.5)


@case(
    "torch.distributions.RelaxedOneHotCategorical",
    reference=lambda np, logits, x, temperature, again: right.concrete_density(
        np, temperature, np.exp(logits), x
    ),
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-4},
)
def by_logits(t, dtype):
    """Logits and probabilities say the same."""
    logits, x = t.randn((3,), dtype), t.const([0.2, 0.3, 0.5], dtype)
    one = t.call(t.get(_RELAXED)(t.const(0.7, dtype), logits=logits).log_prob, x)
    two = t.get(_RELAXED)(t.const(0.7, dtype), probs=logits.exp() * 3).log_prob(x)
    t.expect(abs(float(t.host(one)) - float(t.host(two))) < 1e-3, "the same density")
    return one


@case(
    "torch.distributions.RelaxedOneHotCategorical",
    dtypes="f32",
    random=True,
    reference="none",
    core=False,
)
def gradient_through_samples(t, dtype):
    logits = t.randn((5,), dtype, grad=True)
    made = t.call(_RELAXED, t.const(1.0, dtype), logits=logits)
    (made.rsample((100,)) ** 2).sum().backward()
    grad = t.host(logits.grad)
    t.expect(bool(t.np.isfinite(grad).all()) and bool(grad.any()), "a gradient of the logits")
    t.expect(not made.sample().requires_grad, "none through sample")


@case(
    "torch.distributions.RelaxedOneHotCategorical",
    dtypes="f32",
    random=True,
    reference="none",
    core=False,
)
def temperatures(t, dtype):
    """Cold draws are almost one-hot, hot ones almost even."""
    probs = t.const([0.2, 0.3, 0.5], dtype)
    cold = t.host(t.call(_RELAXED, t.const(0.01, dtype), probs=probs).sample((500,)))
    hot = t.host(t.call(_RELAXED, t.const(100.0, dtype), probs=probs).sample((500,)))
    t.expect(float((cold.max(-1) > 0.99).mean()) > 0.9, "one-hot draws")
    t.expect(float(hot.max()) < 0.45, "even draws")


@case(
    "torch.distributions.RelaxedOneHotCategorical",
    dtypes="f32",
    random=True,
    reference="none",
    core=False,
)
def relaxed_batches(t, dtype):
    made = t.call(_RELAXED, t.const(0.5, dtype), logits=t.randn((4, 3), dtype))
    t.expect(
        tuple(made.batch_shape) == (4,) and tuple(made.event_shape) == (3,), "rows are a batch"
    )
    wide = made.expand((2, 4))
    drawn = wide.sample((5,))
    t.expect(tuple(drawn.shape) == (5, 2, 4, 3), "draws of an expanded batch")
    t.expect(tuple(wide.log_prob(drawn).shape) == (5, 2, 4), "their densities")


@case("torch.distributions.RelaxedOneHotCategorical", reference="none", core=False)
def relaxed_refuses(t):
    make, probs, hot = t.get(_RELAXED), t.const([0.4, 0.6], "f32"), t.const(0.5, "f32")
    t.raises(ValueError, t.call, make, hot)
    t.raises(ValueError, t.call, make, hot, probs=probs, logits=probs)
    t.raises(ValueError, t.call, make, hot, probs=hot)
    made = t.call(make, hot, probs=probs, validate_args=True)
    t.raises(ValueError, made.log_prob, t.const([0.9, 0.9], "f32"))
