"""JAX programs lowered for a platform whose compiler is not here: the evidence is `lowered`.

options: platform ("rocm"). That a program lowers says that JAX has a rule for every operation on that
platform; that a rule is missing there, where the CPU has one, is a finding.
"""

import jax

from .jax import host_calls
from .jax_aot import SCRIPT_PROGRAM
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

    def _script_of_call(self):
        return SCRIPT % {"platform": self.platform, "program": SCRIPT_PROGRAM}


SCRIPT = '''

def run_call(function, args, kwargs, grad):
    """Lowers the call for a platform that is not here and prints the program."""
    if getattr(function, "seamark_mesh_axis", None) is not None:
        function = over_devices(function)
%(program)s\
    shapes = [jax.ShapeDtypeStruct(leaves[i].shape, leaves[i].dtype) for i in where]
    print(jax.jit(program).trace(*shapes).lower(lowering_platforms=("%(platform)s",)).as_text())
    return run_here(function, args, kwargs, grad)
'''
