"""JAX programs lowered for a platform whose compiler is not here: the evidence is `lowered`.

options: platform ("rocm"). That a program lowers says that JAX has a rule for every operation on that
platform; that a rule is missing there, where the CPU has one, is a finding.
"""

import jax

from .jax import host_calls
from .jax_aot import TargetAdapter as Ahead


class TargetAdapter(Ahead):
    evidence = "lowered"

    def start(self):
        self._devices = jax.devices(
            "cpu"
        )  # lowering names a platform; arrays need a device that is there
        return {
            "device": "%s (lowered only)" % self.platform,
            "compiler": "none: JAX's lowering rules",
            "compiler_version": jax.__version__,
        }

    def _lower(self, traced):
        return traced.lower(lowering_platforms=(self.platform,))

    def _finish(self, call, lowered):
        return {"host_calls": host_calls(lowered.as_text())}

    def compiled_facts(self):
        return None

    def _lines_of_call(self):
        return (STRAIGHT % self.platform).split("\n")

    def _script_of_call(self):
        return SCRIPT % {"platform": self.platform}


STRAIGHT = """

def ahead(call):
    def made(*arrays):
        print(jax.jit(call).trace(*arrays).lower(lowering_platforms=("%s",)).as_text())
        return call(*arrays)

    return made"""

SCRIPT = '''def run_call(function, args, kwargs, grad):
    """Lowers the call for a platform that is not here and prints the program."""
    call = Call(function, args, kwargs, DIFFERENTIABLE if grad else None, jax.devices())
    traced = jax.jit(arrays_only(call.program)).trace(*call.arrays)
    print(traced.lower(lowering_platforms=("%(platform)s",)).as_text())
    return jax.block_until_ready(call.run())
'''
