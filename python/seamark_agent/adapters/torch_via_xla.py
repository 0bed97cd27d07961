"""PyTorch through torch_xla, for a device that is not here: the stack that runs PyTorch on TPUs, as the study used it.

A body's tensors are torch_xla's, on XLA's CPU client. A t.call is recorded as torch_xla records it for any device;
before anything of it is executed, its graph is taken as StableHLO and compiled by JAX's client for the topology's
first device. What a call reads of a tensor in its middle (`if x.sum() > 0`) is a result of its program, too, and
gets its value from the CPU client; so does what the body looks at afterwards.

Who is to blame for a failure:
  stage "lower"    the call raises on torch_xla's device, or an operator has no lowering to XLA: torch_xla runs that
                   on the host, on every device. Whether plain CPU fails as well is found out by the harness.
  stage "bridge"   the graph makes no StableHLO that JAX's XLA takes
  stage "compile"  the device's compiler refuses the program
"""

import contextlib
import importlib
import os

from ..failures import same_failure
from ..harness import Skip
from . import torch_work
from .base import Proof, Unusable
from .device_work import of_stablehlo
from .jax_aot import program_facts
from .stablehlo import Lowered, is_foreign
from .torch_ahead import Ahead, mark
from .torch_eager import TargetAdapter as Eager
from .torch_xla import drop_pending, fallbacks, prepare, seed

_NO_STABLEHLO = "MHLO conversion failed"


class NoLowering(NotImplementedError):
    """An operator that torch_xla runs on the host."""


class TargetAdapter(Ahead):
    route = "torch_xla"
    remedy = "seamark targets install torch-xla, or pip install torch_xla of torch's version and jax[tpu]"

    def __init__(self, target):
        Ahead.__init__(self, target)
        self._xla = None  # torch_xla
        self._watching = None  # torch_watch

    # -- life -------------------------------------------------------------------------------------

    def import_route(self):
        os.environ["PJRT_DEVICE"] = "CPU"
        prepare(self.threads)
        importlib.import_module("torch_xla.debug.metrics")
        self._xla = importlib.import_module("torch_xla")
        self._watching = importlib.import_module(__package__ + ".torch_watch")

    def route_version(self):
        return self._xla.__version__

    def start(self):
        try:
            self.device = str(self._xla.device()).split(":")[0]
        except RuntimeError as error:
            raise Unusable("torch_xla starts no CPU client: %s" % error, self.remedy) from error
        return dict(Ahead.start(self), torch=self.torch.__version__)

    # -- values: a body's tensors live on XLA's CPU client ----------------------------------------

    def device_of(self, place):
        return self.device if place == "target" else "cpu"

    def seed(self, value):
        Eager.seed(self, value)
        seed(self._xla, value)

    def synchronize(self, tree):
        """Nothing is waited for: what the body does not look at is never executed."""

    # -- calls ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def at(self, place):
        with Ahead.at(self, place):
            try:
                yield
            finally:
                if place == "target":
                    drop_pending(self._xla)

    def compile_call(self, plain, function, args, kwargs, grad):
        self._xla.sync(wait=True)  # what made the inputs is no part of the program
        self._xla.debug.metrics.clear_counters()
        roots = (function, args, kwargs)
        watch = self._watching.WatchReads()
        watch.meet(leaf for _, leaf in self.flatten([args, kwargs]))
        known = {id(tensor) for tensor in self._watching.Kept(roots).tensors + watch.read}
        functions = Proof("functions that Python calls")
        with torch_work.watch_functions(self.torch, self.generator_state, functions):
            result = self._record(plain, watch)
        self.works(functions.work, "the call gives no tensor and changes none")
        self._compile_graph(self._results(result, roots, watch, known))
        return result

    def _record(self, plain, watch):
        """Makes the call; its failure, or its operators without a lowering, as the target's failure."""
        try:
            with watch:
                result = plain()
        except Skip:
            raise
        except Exception as error:
            if not hasattr(error, "seamark_stage"):
                mark(error, "lower", None)
            raise
        finally:
            self.away += fallbacks(self._xla)
        if self.away:
            error = NoLowering(
                "ops not capturable by Pytorch/XLA: %s (torch_xla runs them on the host)"
                % ", ".join(self.away)
            )
            mark(error, "lower", False)
            raise error
        return result

    def _results(self, result, roots, watch, known):
        """The tensors that the call returned, read, changed in place, or left in the Python state."""
        found = [leaf for _, leaf in self.flatten(result) if self.is_array(leaf)]
        found += watch.values + watch.changed_tensors() + watch.new_grads()
        found += [x for x in self._watching.Kept(roots).tensors if id(x) not in known]
        distinct = {id(tensor): tensor for tensor in found if tensor.device.type == "xla"}
        if not distinct:
            self.nothing = "the call gives no tensor and changes none"
        return list(distinct.values())

    def _compile_graph(self, tensors):
        """The program that gives these tensors from what was there when the call began, compiled."""
        if not tensors:
            return
        try:
            text = self._xla.core.xla_model.get_stablehlo(tensors)
        except Exception as error:
            bridge = _NO_STABLEHLO in str(error)
            mark(error, "bridge" if bridge else "lower", False if bridge else None)
            raise
        if " = " not in text:
            self.works(False, "the call makes an empty graph")
            return
        self._compile_text(text)

    def _compile_text(self, text):
        try:
            lowered = Lowered(text)
        except Exception as error:
            mark(error, "bridge", False)
            raise
        if not self.works(of_stablehlo(lowered.module)) or lowered.as_text() in self.same:
            return
        try:
            compiled = lowered.compile(self.ahead._devices[0])
        except Exception as error:
            mark(error, "bridge" if self._only_here(lowered, error) else "compile", False)
            raise
        self.ahead._compiled.append(program_facts(lowered, compiled, self.ahead.platform))
        self.same.add(lowered.as_text())
        self.programs += 1

    def _only_here(self, lowered, error):
        """Whether JAX's XLA takes the program for no device, and torch_xla's own takes it."""
        if is_foreign(error):
            return True
        try:
            lowered.compile_for_cpu()
        except Exception as second:
            if not same_failure(error, second):
                return False
            try:
                self._xla.sync(wait=True)
            except Exception:
                return False
            return True
        return False

    # -- reproducers ------------------------------------------------------------------------------

    def script_setup(self):
        text = Eager.script_setup(self)
        return (
            "import os\n\nos.environ.update(%r)\n"
            % dict(self.script_facts()["variables"], PJRT_DEVICE="CPU")
            + text.replace('DEVICE = "%s"' % self.device, SCRIPT_DEVICE).replace(
                "def run_call(", "def run_here(", 1
            )
            + SCRIPT % self.script_facts()
        )


SCRIPT_DEVICE = "import torch_xla\n\nDEVICE = torch_xla.device()"

SCRIPT = '''

def run_call(function, args, kwargs, grad):
    """Compiles the call for a device that is not here and prints what the compiler says."""
    from jax._src import compiler
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir
    from jax.experimental import topologies
    from torch.utils._pytree import tree_leaves
    from torch_xla.core import xla_model
    from torch_xla.debug import metrics

    torch_xla.sync(wait=True)
    metrics.clear_counters()
    result = run_here(function, args, kwargs, grad)
    reads = ("aten::_local_scalar_dense", "aten::item", "aten::equal", "aten::is_nonzero")
    away = [x for x in metrics.counter_names() if x.startswith("aten::") and x not in reads]
    if away:
        raise NotImplementedError("torch_xla runs these on the host: " + ", ".join(away))
    leaves = [x for x in tree_leaves((result, args, kwargs)) if isinstance(x, torch.Tensor)]
    text = xla_model.get_stablehlo([x for x in leaves if x.device.type == "xla"])
    described = topologies.get_topology_desc(platform="%(platform)s", **%(description)r)
    device = described.devices[0]
    options = compiler.get_compile_options(
        1, 1, device_assignment=np.array([[device]]), backend=device.client
    )
    with mlir.make_ir_context():
        module = ir.Module.parse(text.replace("func.func @main(", "func.func public @main("))
        compiled = compiler.backend_compile_and_load(
            device.client, module, xla_client.DeviceList((device,)), options, []
        )
    print(compiled.cost_analysis())
    print(compiled.get_compiled_memory_stats())
    return result
'''
