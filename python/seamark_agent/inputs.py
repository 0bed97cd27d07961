"""Seeded inputs: one stream per case, the same on every machine and for every target.

NumPy alone; this file is also what a standalone reproducer carries.
"""

import hashlib

GENERATOR_VERSION = 1

_KINDS = {"f": "float", "b": "float", "c": "complex", "i": "int", "u": "uint"}


def kind_of(dtype):
    """float, complex, int, uint or bool, from a dtype name such as bf16 or i64."""
    return "bool" if dtype == "bool" else _KINDS[dtype[0]]


class Inputs:
    """Draws float64, complex128, int64 or bool arrays; the caller casts them to the tested dtype."""

    def __init__(self, numpy, name, seed=0):
        self.np, self._stream, self._rng = numpy, (GENERATOR_VERSION, name, seed), None

    @property
    def key(self):
        digest = hashlib.sha256(("%d/%s/%d" % self._stream).encode("utf-8")).digest()
        return int.from_bytes(digest[:16], "little")

    @property
    def rng(self):
        """Made at the first draw: a forked child pays 0.8 ms of page copies for it."""
        if self._rng is None:
            self._rng = self.np.random.Generator(self.np.random.Philox(key=self.key))
        return self._rng

    def randn(self, shape, dtype):
        """Standard normal; integers from -9 to 9 (0 to 9 unsigned); fair booleans."""
        kind = kind_of(dtype)
        if kind == "bool":
            return self.rng.integers(0, 2, shape).astype(bool)
        if kind in ("int", "uint"):
            return self.rng.integers(-9 if kind == "int" else 0, 10, shape)
        real = self.rng.standard_normal(shape)
        return real + 1j * self.rng.standard_normal(shape) if kind == "complex" else real

    def uniform(self, shape, dtype, low=0.0, high=1.0):
        """Uniform in [low, high); integers are floored; a complex number draws both parts."""
        kind = kind_of(dtype)
        real = self.rng.uniform(low, high, shape)
        if kind == "complex":
            return real + 1j * self.rng.uniform(low, high, shape)
        return self.np.floor(real).astype(self.np.int64) if kind in ("int", "uint") else real

    def randint(self, shape, dtype, low, high):
        """Integers in [low, high), as numbers of any dtype."""
        return self.rng.integers(low, high, shape)

    def distinct(self, shape, dtype):
        """A shuffled range without ties (exact in bf16 up to 256 values, spread around 0)."""
        count = int(self.np.prod(shape)) if len(shape) else 1
        values = self.rng.permutation(count)
        if kind_of(dtype) in ("uint", "bool"):
            return values.reshape(shape)
        return (values - count // 2).reshape(shape)

    def spd(self, n, batch=()):
        """Symmetric positive definite matrices, batch + (n, n), condition number below 10."""
        raw = self.rng.standard_normal(tuple(batch) + (n, n))
        q = self.np.linalg.qr(raw)[0]
        spectrum = self.np.linspace(1.0, 8.0, n)
        return (q * spectrum) @ self.np.swapaxes(q, -1, -2)


class Draws:
    """The inputs of a handle, which has `np`, `_inputs` and `_give(array, dtype, grad, noncontiguous)`."""

    def randn(self, shape, dtype, grad=None, noncontiguous=False):
        return self._give(self._inputs.randn(shape, dtype), dtype, grad, noncontiguous)

    def uniform(self, shape, dtype, low=0.0, high=1.0, grad=None, noncontiguous=False):
        return self._give(self._inputs.uniform(shape, dtype, low, high), dtype, grad, noncontiguous)

    def randint(self, shape, dtype, low, high, grad=False, noncontiguous=False):
        return self._give(self._inputs.randint(shape, dtype, low, high), dtype, grad, noncontiguous)

    def distinct(self, shape, dtype, grad=None, noncontiguous=False):
        return self._give(self._inputs.distinct(shape, dtype), dtype, grad, noncontiguous)

    def spd(self, n, dtype, batch=(), grad=None, noncontiguous=False):
        return self._give(self._inputs.spd(n, batch), dtype, grad, noncontiguous)

    def const(self, data, dtype, grad=False, noncontiguous=False):
        return self._give(self.np.asarray(data), dtype, grad, noncontiguous)
