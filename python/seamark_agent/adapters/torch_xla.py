"""PyTorch through torch_xla: TPUs, and XLA's CPU client where PJRT_DEVICE=CPU."""

import contextlib
import importlib
import os

from . import torch_work
from .base import Proof, Unusable, unrecorded_ramp
from .torch_eager import TargetAdapter as Eager
from .torch_eager import cpu_name


class TargetAdapter(Eager):
    cpu_is_reference = False
    left_warm = "compiled graphs stay in the process and are found by their hashes"
    _draws = 0  # waits before which there was a draw
    _settled = None  # the seed after the last wait

    def import_framework(self):
        version = Eager.import_framework(self)
        if os.environ.get("PJRT_DEVICE") == "CPU":
            prepare(self.threads)
        try:
            importlib.import_module("torch_xla.debug.metrics")
            self.xla = importlib.import_module("torch_xla")
        except ImportError as error:
            raise Unusable(
                "torch_xla does not import: %s" % error,
                "seamark targets install torch-xla, or pip install torch_xla of the same version as torch",
            ) from error
        return "%s (torch_xla %s)" % (version, self.xla.__version__)

    def start(self):
        self.torch.set_num_threads(self.threads)
        try:
            device = self.xla.device()
        except RuntimeError as error:
            raise Unusable(
                "torch_xla finds no device: %s" % error, "set PJRT_DEVICE to what is there"
            ) from error
        self.device = str(device).split(":")[0]
        kind = self.xla.runtime.device_type()
        name = "XLA's CPU client on " + cpu_name() if kind == "CPU" else kind
        return {
            "device": "%s, through torch_xla" % name,
            "torch_xla": self.xla.__version__,
            "threads": self.threads,
        }

    def synchronize(self, tree):
        self._draws += self._drew()
        wait(self.xla)
        self._settled = self.xla.core.xla_model.get_rng_state()

    def seed(self, value):
        Eager.seed(self, value)
        seed(self.xla, value)

    @contextlib.contextmanager
    def prove(self):
        self.synchronize(None)
        self.xla.debug.metrics.clear_counters()
        proof = Proof("xla-counters")
        try:
            with unrecorded_ramp(self._call) as ramps, torch_work.watch_functions(
                self.torch, self._generators, proof, self.device, ramps
            ):
                yield proof
            wait(self.xla)
        finally:
            torch_work.read_counters(self.xla.debug.metrics, "xla::", proof)

    def _generators(self):
        return self.generator_state(), self._draws + self._drew()

    def _drew(self):
        """A draw changes torch_xla's seed, and so does every wait."""
        return self.xla.core.xla_model.get_rng_state() != self._settled

    @contextlib.contextmanager
    def highest_precision(self):
        with Eager.highest_precision(self):
            backends = importlib.import_module("torch_xla.backends")
            before = backends.get_mat_mul_precision()
            backends.set_mat_mul_precision("highest")
            try:
                yield
            finally:
                backends.set_mat_mul_precision(before)

    def cannot_wait(self):
        return None

    def counters(self):
        def total(name):
            found = self.xla.debug.metrics.metric_data(name)
            return found[:2] if found else (0, 0.0)

        compilations, compile_ns = total("CompileTime")
        copies = [total("InboundData"), total("OutboundData")]
        return {
            "compilations": compilations,
            "compile_s": compile_ns / 1e9,
            "transfers": sum(count for count, _ in copies),
            "transfer_bytes": sum(size for _, size in copies),
        }

    def straight(self):
        style = Eager.straight(self)
        setup = "\n".join([*self._lines_of_kind(), style["setup"], "import torch_xla", ""])
        setup += "\nXLA = torch_xla.device()"  # before the CPU makes a gradient, which counts the devices
        return dict(style, setup=setup, device="XLA", wait=["torch_xla.sync(wait=True)"])

    def script_setup(self):
        lines = [*self._lines_of_kind(), "import torch_xla", "", "DEVICE = torch_xla.device()"]
        return Eager.script_setup(self).replace('DEVICE = "%s"' % self.device, "\n".join(lines))

    def _lines_of_kind(self):
        """They come before torch_xla is imported."""
        kind = os.environ.get("PJRT_DEVICE") or self.target.get("variables", {}).get("PJRT_DEVICE")
        return (
            ["import os", "", 'os.environ.setdefault("PJRT_DEVICE", "%s")' % kind] if kind else []
        )


def prepare(threads):
    """Sets the number of threads, which XLA's CPU client reads once."""
    os.environ["PJRT_NPROC"] = str(threads)
    flags = os.environ.get("XLA_FLAGS", "")
    if threads == 1 and "xla_cpu_multi_thread_eigen" not in flags:
        os.environ["XLA_FLAGS"] = (flags + " --xla_cpu_multi_thread_eigen=false").strip()


def wait(xla):
    """Executes what is recorded, and waits for that and for what was begun before."""
    xla.sync(wait=True)
    xla.core.xla_model.wait_device_ops()


def seed(xla, value):
    """torch.manual_seed leaves the generator of torch_xla's device as it is."""
    xla.core.xla_model.set_rng_state(value & 0x7FFFFFFF)


def drop_pending(xla):
    """Drops the operations that are recorded and not executed: their tensors lose their values."""
    xla._XLAC._clear_pending_irs(str(xla.device()))
