"""Complex numbers so near zero that what is added to one is lost, and the greatest of no whole number."""

from seamark_suites.case import case

MOST = "tf.reduce_max"


def _share(np, z):
    """The logarithm by its parts, which keep what is small, in relation to the number."""
    real = np.log1p(2 * z.real + abs(z) ** 2) / 2
    return (real + 1j * np.arctan2(z.imag, 1 + z.real)) / z


@case("tf.math.log1p", dtypes="c64 c128", core=False, reference=_share)
def log1p_of_complex_near_nothing(t, dtype):
    """In relation to the number, so that a tiny result counts as much as another."""
    f = t.get("tf.math.log1p")
    z = t.const([1e-14, 1e-15j, 0.6 - 0.3j, 1e-6 + 2e-6j, -3e-9 - 1e-9j, -1e-12j], dtype)
    return t.call(lambda z: f(z) / z, z)


@case(MOST, dtypes="i8 i16 i32 i64", core=False, reference="none")
def most_of_no_integer(t, dtype):
    """The least of the kind: of rows of none, of no row, of all that there is, which stays. Of no rows no number."""
    least = -(2 ** (int(dtype[1:]) - 1))
    x, y = (t.const(t.np.zeros(shape), dtype) for shape in ((2, 0), (0, 30)))
    tries = (x, {"axis": [1]}, [least] * 2), (y, {"axis": [0]}, [least] * 30), (y, {"axis": -1}, []), (x, {"keepdims": True}, [[least]])  # fmt: skip
    for given, named, want in tries:
        made = t.call(MOST, given, **named)
        got = t.host(made).tolist()
        t.expect(got == want and made.dtype == t.dtype(dtype), "%s, got %s" % (want, got))
