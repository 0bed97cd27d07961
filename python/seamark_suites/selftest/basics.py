"""Small true cases: they pass on any machine."""

import math

from seamark_suites.case import case


@case("selftest.math.sqrt", shapes="10", reference=lambda np, x, **_: np.sqrt(x).tolist())
def sqrt(t, shape):
    return [t.call("selftest.math.sqrt", x) for x in t.uniform(shape, "f64")]


@case("selftest.statistics.median", size=[1, 2, 9], reference="none")
def median(t, size):
    values = t.distinct((size,), "f64")
    got = t.call("selftest.statistics.median", values)
    ordered = sorted(values)
    t.expect(
        got == (ordered[(size - 1) // 2] + ordered[size // 2]) / 2, "the middle value, got %r" % got
    )


@case("selftest.json.loads", reference="none", host_only=True)
def loads(t):
    t.expect(t.call("selftest.json.loads", "[1, 2.5, null]") == [1, 2.5, None], "the parsed list")
    t.raises(ValueError, t.get("selftest.json.loads"), "[1,")


@case("selftest.math.fsum", n=[1000], reference="none")
def fsum(t, n):
    t.expect(t.call("selftest.math.fsum", [0.1] * n) == math.fsum([0.1] * n), "the exact sum")
