"""Functions of numbers as terms of series, of sparse arrays and by their other rules: jet, sparsify, softmax_custom_jvp, debug_nans."""

from seamark_suites.case import case

NP = "jax.numpy."
SOFTMAX, NORM = "jax.nn.softmax", NP + "linalg.norm"


# --- series


def _clipped(np, x, low, high):
    """The terms of whichever of the three the result is."""
    below, above = x[0] < low[0], x[0] > high[0]
    return [np.where(below, b, np.where(above, c, a)) for a, b, c in zip(x, low, high)]


def _product(np, x, y):
    choose = [[1], [1, 1], [1, 2, 1], [1, 3, 3, 1]]
    return [sum(n * x[i] @ y[k - i] for i, n in enumerate(row)) for k, row in enumerate(choose)]


# FUNCTION: (the call, the first terms or the shapes of what is drawn, all terms of the result).
SERIES = {
    NP + "abs": (lambda f: f, [[-2.5, 3.0, -1.0, 0.5]], lambda np, x: [np.sign(x[0]) * one for one in x]),
    NP + "clip": (lambda f: f, [[-2.5, 3.0, 0.25, 0.5], [-1.0, -1.5, 0.0, -2.0], [1.0, 1.5, 2.0, 0.25]], _clipped),
    NP + "einsum": (lambda f: lambda x, y: f("ij,jk->ik", x, y), [(3, 4), (4, 2)], _product),
}  # fmt: skip


def of_series(function):
    right = SERIES[function][2]

    def run(np, *given):
        return right(np, *(given[i : i + 4] for i in range(0, len(given), 4)))

    return run


@case(NP + "abs", dtypes="f32 f64", core=False, reference=of_series(NP + "abs"))
@case(NP + "clip", dtypes="f32 f64", core=False, reference=of_series(NP + "clip"))
@case(NP + "einsum", dtypes="f32", core=False, reference=of_series(NP + "einsum"))
def terms_of_a_series(t, dtype, function):
    """jax.experimental.jet: of each argument three derivatives along a curve, and those of the result."""
    from jax.experimental.jet import jet

    run, first, _ = SERIES[function]
    f, given = run(t.get(function)), []
    for one in first:
        start = t.const(one, dtype) if isinstance(one, list) else t.randint(one, dtype, 1, 5)
        low = -4 if isinstance(one, list) else 1  # products of one sign: nothing cancels
        given += [start, *(t.randint(start.shape, dtype, low, 5) for _ in range(3))]

    def terms(*given):
        places = range(0, len(given), 4)
        made, more = jet(
            f, [given[i] for i in places], [list(given[i + 1 : i + 4]) for i in places]
        )
        return [made, *more]

    return t.call(terms, *given)


@case(NP + "abs", dtypes="c64 c128", core=False, reference=lambda np, z, v: (
      v.conj() / abs(z) - z.conj() * (z.conj() * v).real / abs(z) ** 3))  # fmt: skip
def slope_of_a_complex_slope(t, dtype):
    """Forwards of what is backwards."""
    jax, f = t.fw, t.get(NP + "abs")
    slope = jax.grad(lambda z: f(z).sum())
    z, v = t.uniform((6,), dtype, 0.5, 2), t.randn((6,), dtype)
    return t.call(lambda z, v: jax.jvp(slope, (z,), (v,))[1], z, v)


# --- sparse arrays


@case(NP + "abs", dtypes="f32 i32 c64", core=False, reference=lambda np, x: [
      abs(one) for one in (np.array([[0, x[0], 0], [x[1], 0, x[2]]]), np.array([[0, x[0] + x[1], 0], [0, 0, x[2]]])) for _ in range(2)])  # fmt: skip
def of_sparse_arrays(t, dtype):
    """jax.experimental.sparse.sparsify: of both kinds; numbers that are stored twice are added before."""
    from jax.experimental import sparse

    f = sparse.sparsify(t.get(NP + "abs"))

    def run(x):
        import jax.numpy as jnp

        made = []
        for places, rows in (
            ([[0, 1], [1, 0], [1, 2]], [0, 1, 3]),
            ([[0, 1], [0, 1], [1, 2]], [0, 2, 3]),
        ):
            one = sparse.BCOO((x, jnp.array(places)), shape=(2, 3))
            other = sparse.BCSR((x, jnp.array(places)[:, 1], jnp.array(rows)), shape=(2, 3))
            made += [f(one), f(other)]
        return [one.todense() for one in made]

    return t.call(run, t.randint((3,), dtype, -9, 9))


# --- other rules


@case(SOFTMAX, dtypes="f32", core=False, reference=lambda np, x: [
      one for _ in range(2) for p in [np.exp(x) / np.exp(x).sum()] for one in (p, p[2] * ((np.arange(4) == 2) - p))])  # fmt: skip
def what_is_kept_for_its_slope(t, dtype):
    """The result alone, by its own rule; without the rule more than that. Words for the compiler go along."""
    from jax.experimental.xla_metadata import set_xla_metadata

    jax, f = t.fw, t.get(SOFTMAX)
    x, made = t.uniform((4,), dtype, -2, 2), []
    for rule in (True, False):

        def run(x, rule=rule):
            with jax.softmax_custom_jvp(rule):
                value, back = jax.vjp(lambda v: f(v), x)
                return [value, *back(jax.nn.one_hot(2, 4, dtype=x.dtype))]

        made += t.call(run, x)
        with jax.softmax_custom_jvp(rule):
            kept = [one.shape for one in jax.tree_util.tree_leaves(jax.vjp(lambda v: f(v), x)[1])]
        t.expect(
            (kept == [(4,)]) is rule, "with%s the rule, got %s" % ("" if rule else "out", kept)
        )

    def said(x):
        with set_xla_metadata(a="b"):
            return f(x)

    t.expect('a = "b"' in jax.jit(said).lower(x).as_text(), "words for the compiler")
    return made


@case(NORM, dtypes="f32", core=False, reference=lambda np, x: x / np.sqrt((x * x).sum()))
def slope_that_nan_stops(t, dtype):
    """At zero it has none: NaN, which jax_debug_nans finds."""
    jax, x = t.fw, t.uniform((3, 3), dtype, 1, 2)
    slope = jax.grad(t.get(NORM))
    zeros = jax.numpy.zeros_like(x)
    t.expect(bool(jax.numpy.isnan(slope(zeros)).all()), "NaN at zero")
    with jax.debug_nans(True):
        t.raises(FloatingPointError, slope, zeros)
        made = t.call(slope, x)
    return made


@case(
    NP + "zeros_like",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=lambda np, x: [np.zeros((2, 3))] * 2,
)
def nothing_is_kept_of_it(t, dtype):
    """For a product with it nothing is kept under jax.checkpoint; where its other factor is a function of x, x alone."""
    jax, f = t.fw, t.get(NP + "zeros_like")
    x, made = t.uniform((2, 3), dtype, 0.5, 1), []
    for g, count in ((lambda v: f(v) * v, 0), (lambda v: f(v) * jax.numpy.sin(v), 1)):
        again = jax.checkpoint(g, policy=lambda *_, **__: False)
        kept = jax.tree_util.tree_leaves(jax.vjp(again, x)[1])
        t.expect(len(kept) == count, "%d kept, got %s" % (count, kept))
        made.append(t.call(jax.grad(lambda v, g=again: g(v).sum()), x))
    return made
