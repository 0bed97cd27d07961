"""Functions that draw: checked by their statistics and their contract, not by single values."""

from seamark_suites.case import case


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


@case("torch.distributions.VonMises", dtypes="f32 f64", random=True, core="f32", reference="none")
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


@case("torch.distributions.VonMises", dtypes="f32 f64", core="f32", rtol={"f32": 1e-5})
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
    "torch.distributions.RelaxedOneHotCategorical", dtypes="f32 f64", core="f32", rtol={"f32": 1e-4}
)
def relaxed_density(t, dtype):
    make = t.get("torch.distributions.RelaxedOneHotCategorical")
    distribution = make(t.const(0.7, dtype), probs=t.const([0.2, 0.3, 0.5], dtype))
    return t.call(distribution.log_prob, t.const([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]], dtype))
