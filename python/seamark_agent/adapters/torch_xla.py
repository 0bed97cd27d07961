"""PyTorch through torch_xla: TPUs, and XLA's CPU client where PJRT_DEVICE=CPU."""

import contextlib

from .base import Proof, Unusable
from .torch_eager import TargetAdapter as Eager

_READS = ("aten::_local_scalar_dense", "aten::item", "aten::equal", "aten::is_nonzero")


class TargetAdapter(Eager):
    cpu_is_reference = False

    def import_framework(self):
        version = Eager.import_framework(self)
        try:
            import torch_xla
            import torch_xla.debug.metrics as metrics
        except ImportError as error:
            raise Unusable(
                "torch_xla does not import: %s" % error,
                "pip install torch_xla of the same version as torch",
            ) from error
        self.xla, self.metrics = torch_xla, metrics
        return "%s (torch_xla %s)" % (version, torch_xla.__version__)

    def start(self):
        try:
            device = self.xla.device()
        except RuntimeError as error:
            raise Unusable(
                "torch_xla finds no device: %s" % error, "set PJRT_DEVICE to what is there"
            ) from error
        self.device = str(device).split(":")[0]
        import torch_xla.runtime

        return {
            "device": "%s through torch_xla" % torch_xla.runtime.device_type(),
            "torch_xla": self.xla.__version__,
        }

    def synchronize(self, tree):
        self.xla.sync(wait=True)

    @contextlib.contextmanager
    def prove(self):
        self.synchronize(None)
        self.metrics.clear_counters()
        proof = Proof("xla-counters")
        yield proof
        self.synchronize(None)
        for name in self.metrics.counter_names():
            if name.startswith("aten::") and name not in _READS:
                proof.fallback_ops.append(name)

    def script_setup(self):
        return Eager.script_setup(self).replace(
            'DEVICE = "xla"', "import torch_xla\n\nDEVICE = torch_xla.device()"
        )
