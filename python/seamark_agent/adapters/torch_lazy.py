"""PyTorch's lazy tensors on the TorchScript backend: in every wheel, and full of silent fallbacks."""

import contextlib

from .. import measure
from . import torch_work
from .base import Proof, unrecorded_ramp
from .torch_eager import TargetAdapter as Eager
from .torch_eager import cpu_name

# Lines of reproducers: what PyTorch's would be, and what stands there.
DEVICE = 'DEVICE = "lazy"'
START = "import torch._lazy.ts_backend\n\ntorch._lazy.ts_backend.init()\n" + DEVICE


class TargetAdapter(Eager):
    cpu_is_reference = False
    left_warm = "compiled graphs stay in the process and are found by their shapes"

    def import_framework(self):
        version = Eager.import_framework(self)
        import torch._lazy.metrics
        import torch._lazy.ts_backend  # noqa: F401

        return version

    def start(self):
        self.torch.set_num_threads(self.threads)
        self.torch._lazy.ts_backend.init()
        return {"device": "lazy (TorchScript) on " + cpu_name()}

    def synchronize(self, tree):
        lazy = self.torch._lazy
        lazy.mark_step(wait=True)
        lazy.wait_device_ops()

    @contextlib.contextmanager
    def prove(self):
        metrics = self.torch._lazy.metrics
        self.synchronize(None)
        metrics.reset()
        proof = Proof("lazy-counters")
        try:
            with unrecorded_ramp(self._call) as ramps, torch_work.watch_functions(
                self.torch, self.generator_state, proof, self.device, ramps
            ):
                yield proof
            self.synchronize(None)
        finally:
            torch_work.read_counters(metrics, "lazy::", proof)

    def cannot_wait(self):
        return None

    def counters(self):
        metrics = self.torch._lazy.metrics
        if "UncachedCompile" not in metrics.counter_names():
            return {"compilations": 0}
        return {"compilations": metrics.counter_value("UncachedCompile")}

    def peak_memory(self, call):
        return measure.resident_peak(call)

    def script_setup(self):
        text = Eager.script_setup(self)
        return text.replace(DEVICE, START)

    def straight(self):
        lines = "import torch\nimport torch._lazy.ts_backend\n\ntorch._lazy.ts_backend.init()"
        return dict(Eager.straight(self), setup=lines, wait=["torch._lazy.mark_step(wait=True)"])
