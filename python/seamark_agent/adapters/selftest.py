"""A framework of the standard library's own functions: Seamark checks itself and its overhead with it.

Names start with `selftest.`: selftest.math.sqrt is math.sqrt. Arrays are Python lists of floats.
"""

import contextlib
import importlib

from .base import Adapter, Proof


class TargetAdapter(Adapter):
    framework = "selftest"
    cpu_is_reference = True

    def import_framework(self):
        module = self.options.get(
            "import"
        )  # so that overheads can be measured beside a real framework
        if module:
            importlib.import_module(module)
        return "1"

    def start(self):
        return {"device": "cpu"}

    def lookup(self, name):
        parts = name.split(".")
        if len(parts) == 1:
            return importlib
        found = importlib.import_module(parts[1])
        for part in parts[2:]:
            found = getattr(found, part)
        return found

    def dtype(self, name, place):
        return float

    def from_numpy(self, array, dtype, place, grad=False, noncontiguous=False):
        return array.tolist()

    def to_numpy(self, array):
        import numpy

        return numpy.asarray(array)

    def is_array(self, value):
        return False

    @contextlib.contextmanager
    def prove(self):
        yield Proof("cpu", on_device=True)

    def unit(self, function, args, kwargs, grad, place):
        return lambda: function(*args, **kwargs)
