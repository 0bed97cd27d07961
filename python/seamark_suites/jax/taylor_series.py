"""Taylor series: jax.experimental.jet gives the derivatives of a function along a curve, of the curve's own terms."""

from seamark_suites.case import each

from .values_and_kinds import NP

NEAR = {"f32": 1e-5, "f64": 1e-13}  # terms of a sum that cancel


def _chain(f, *slopes):
    """Of a function of each number: by its three derivatives."""

    def right(np, x, x1, x2, x3):
        one, two, three = (slope(np, x) for slope in slopes)
        last = three * x1**3 + 3 * two * x1 * x2 + one * x3
        return [f(np, x), one * x1, two * x1**2 + one * x2, last]

    return right


def _linear(f):
    return lambda np, *terms: [f(np, *terms[at::4]) for at in range(4)]


def _product(np, *terms):
    """Of two curves: the terms of each with those of the other."""
    x, y, counts = terms[:4], terms[4:], [(1,), (1, 1), (1, 2, 1), (1, 3, 3, 1)]
    return [sum(n * x[i] @ y[len(row) - 1 - i] for i, n in enumerate(row)) for row in counts]


def _chosen(np, *terms):
    return [np.where(terms[0] > terms[4], terms[at], terms[4 + at]) for at in range(4)]


SINE = _chain(lambda np, x: np.sin(x), lambda np, x: np.cos(x), lambda np, x: -np.sin(x), lambda np, x: -np.cos(x))  # fmt: skip
# FUNCTION: (number of curves, the call, what is right of all their terms).
SERIES = {
    NP + "dot": (2, lambda jax, f, x, y: f(x, y), _product),
    NP + "matmul": (2, lambda jax, f, x, y: f(x, y), _product),
    NP + "log1p": (1, lambda jax, f, x: f(x), _chain(
        lambda np, x: np.log1p(x), lambda np, x: 1 / (1 + x), lambda np, x: -((1 + x) ** -2), lambda np, x: 2 * (1 + x) ** -3)),
    NP + "square": (1, lambda jax, f, x: f(x), _chain(lambda np, x: x * x, lambda np, x: 2 * x, lambda np, x: 2, lambda np, x: 0)),
    NP + "where": (2, lambda jax, f, x, y: f(x > y, x, y), _chosen),
    NP + "concatenate": (2, lambda jax, f, x, y: f([x, y], 1), _linear(lambda np, x, y: np.concatenate([x, y], 1))),
    NP + "broadcast_to": (1, lambda jax, f, x: f(x, (2, 3, 3)), _linear(lambda np, x: np.stack([x, x]))),
    NP + "asarray": (1, lambda jax, f, x: f(x), _linear(lambda np, x: x)),
    "jax.Array.astype": (1, lambda jax, f, x: x.astype("int32").astype(x.dtype) + x,
                         lambda np, *x: [x[0] + np.trunc(x[0]), *x[1:]]),
    "jax.jit": (1, lambda jax, f, x: f(jax.numpy.sin)(x), SINE),
    "jax.vmap": (1, lambda jax, f, x: f(jax.numpy.sin, in_axes=1, out_axes=1)(x), SINE),
}  # fmt: skip


@each(SERIES, lambda name: SERIES[name][2], dtypes="f32 f64", core=False, rtol=NEAR, atol=NEAR)
def terms_along_a_curve(t, dtype, function):
    """The value, and its first three derivatives by the curve's parameter."""
    from jax.experimental.jet import jet

    count, run, _ = SERIES[function]
    f = None if function.startswith("jax.Array.") else t.get(function)
    given = []
    for _ in range(count):
        given.append(t.uniform((3, 3), dtype, 0.25, 2))
        given += [t.uniform((3, 3), dtype, -1, 1) for _ in range(3)]

    def series(*terms):
        curves = [terms[at : at + 4] for at in range(0, len(terms), 4)]
        value, found = jet(lambda *x: run(t.fw, f, *x), [one[0] for one in curves], [list(one[1:]) for one in curves])  # fmt: skip
        return [value, *found]

    return t.call(series, *given)
