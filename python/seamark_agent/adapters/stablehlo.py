"""A program as StableHLO text, compiled through JAX's client for a device of a topology.

The classes answer what `jax_aot.program_facts` asks of JAX's own Lowered and Compiled.
"""

import re

# StableHLO has no word for HLO's copy, which changes no value; a reshape to the same shape is one that it has.
COPY = r"mhlo\.copy (%[\w#:]+) : (tensor<.+?>)(?= loc\(|$)"
RESHAPE = r"stablehlo.reshape \1 : (\2) -> \2"
_NAME = re.compile(r"^module @[^\s{]+", re.M)
_MAIN = "func.func @main("
_RESULTS = re.compile(r"^ *func\.func public @main\([^\n]*\) -> ", re.M)
_EFFECTS = ("custom_call", "stablehlo.send", "stablehlo.outfeed", "stablehlo.infeed")


class Lowered:
    """A module that JAX's MLIR has read. Raises its MLIRError for text that it does not know."""

    def __init__(self, text):
        from jax._src.interpreters import mlir
        from jax._src.lib.mlir import ir

        # The name counts the functions of the process: without it the same program is the same text.
        text = _NAME.sub(
            "module @tensorflow", text.replace(_MAIN, "func.func public @main("), count=1
        )
        text = re.sub(COPY, RESHAPE, text, flags=re.M)
        with mlir.make_ir_context():
            self.module = ir.Module.parse(text)
        self._text = None

    def as_text(self):
        if self._text is None:
            self._text = self.module.operation.get_asm(enable_debug_info=False)
        return self._text

    def does_something(self):
        """Whether it gives a result or reaches out of the device: XLA drops assertions, for one."""
        text = self.as_text()
        return _RESULTS.search(text) is not None or any(word in text for word in _EFFECTS)

    def compile(self, device):
        return Compiled(_executable(self.module, device))

    def compile_for_cpu(self):
        """Raises what XLA for the CPU says of it."""
        import jax

        _executable(self.module, jax.devices("cpu")[0])


class Compiled:
    def __init__(self, executable):
        self._executable = executable

    def as_text(self):
        return "\n\n".join(module.to_string() for module in self._executable.hlo_modules())

    def cost_analysis(self):
        return _said(self._executable.cost_analysis)

    def memory_analysis(self):
        return _said(self._executable.get_compiled_memory_stats)


def _said(question):
    """The compiler's answer; None where it gives none (the GPU's tells no costs)."""
    try:
        return question()
    except Exception as error:
        if "UNIMPLEMENTED" not in str(error):
            raise
        return None


def is_foreign(error):
    """Whether the program holds an operation of HLO that JAX has no StableHLO for: XLA for the CPU takes
    it all the same, and a device's compiler never sees it."""
    return "failed to legalize operation 'mhlo." in str(error)


def _executable(module, device):
    import numpy
    from jax._src import compiler
    from jax._src.lib import xla_client

    options = compiler.get_compile_options(
        1, 1, device_assignment=numpy.array([[device]]), backend=device.client
    )
    devices = xla_client.DeviceList((device,))
    return compiler.backend_compile_and_load(device.client, module, devices, options, [])
