"""PyTorch's lazy tensors on the TorchScript backend: in every wheel, and full of silent fallbacks."""

import contextlib

from . import torch_work
from .base import Proof, unrecorded_ramp
from .torch_eager import TargetAdapter as Eager
from .torch_eager import cpu_name


class TargetAdapter(Eager):
    cpu_is_reference = False

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

    def clear_caches(self):
        # The backend offers no way to drop its compiled graphs, and hashes them by shape.
        return None

    def script_setup(self):
        text = Eager.script_setup(self)
        return text.replace(
            'DEVICE = "lazy"',
            'import torch._lazy.ts_backend\n\ntorch._lazy.ts_backend.init()\nDEVICE = "lazy"',
        )
