"""Products: the precision that a context gives them, slopes of halves that are summed in f32."""

import operator

from seamark_suites.case import case, each

from .reference import with_gradient
from .values_and_kinds import NP

NAMES = {"bfloat16": "DEFAULT", "tensorfloat32": "HIGH", "float32": "HIGHEST", "default": "DEFAULT", "high": "HIGH", "highest": "HIGHEST"}  # fmt: skip


@each("dot matmul", lambda name: lambda np, x, y: [x @ y] * 13, prefix=NP, core=False)
def precision_by_every_name(t, function):
    """In the program of a call and of an operator, by each name of a context; none without; the call's own comes first."""
    jax, f, lax = t.fw, t.get(function), t.fw.lax
    x, y = t.randint((4, 50), "f32", -9, 9), t.randint((50, 3), "f32", -9, 9)
    own = lambda x, y: f(x, y, precision=lax.Precision.HIGHEST)  # noqa: E731
    ways = (f, operator.matmul) if function.endswith("matmul") else (f,)

    def asked(run):
        (found,) = [
            eqn for eqn in jax.make_jaxpr(run)(x, y).eqns if eqn.primitive.name == "dot_general"
        ]
        return found.params["precision"]

    with jax.default_matmul_precision(None):
        t.expect(all(asked(run) is None for run in ways), "none, got %s" % asked(f))
    made = [t.call(lambda x, y: f(x, y), x, y)]
    for name, want in NAMES.items():
        want = getattr(lax.Precision, want)
        with jax.default_matmul_precision(name):
            found = [asked(run) for run in ways]
            t.expect(
                all(one in (want, (want, want)) for one in found), "%s, got %s" % (want, found)
            )
            t.expect(
                asked(own) in (lax.Precision.HIGHEST, (lax.Precision.HIGHEST,) * 2),
                "that of the call",
            )
            made += [
                t.call(lambda x, y: ways[-1](x, y), x, y),
                t.call(lambda x, y: own(x, y), x, y),
            ]
    return made


@case(NP + "dot", dtypes="bf16 f16", core=False, grad=True,
      reference=with_gradient(lambda np, x, y: x @ y, lambda np, w, x, y: (w @ y.T, x.T @ w)))  # fmt: skip
def slopes_of_sums_in_f32(t, dtype):
    """preferred_element_type: the slopes have the kind of the halves."""
    x, y = t.uniform((4, 60), dtype, 0.5, 1.5), t.uniform((60, 3), dtype, 0.5, 1.5)
    f = t.get(NP + "dot")
    return t.call(lambda x, y: f(x, y, preferred_element_type=t.dtype("f32")), x, y)
