"""PyTorch through torch_xla, for a device that is not here: the stack that runs PyTorch on TPUs, as the study used it.

A body's tensors are torch_xla's, on XLA's CPU client. torch_xla records a t.call as for any device. Before torch_xla
executes any of it, the graph is taken as StableHLO, and JAX's client compiles the graph for the topology's first
device. A tensor that the call reads in its middle (`if x.sum() > 0`) is a result of the program, too. The CPU client
computes the values of such tensors, and of those that the body looks at afterwards.

Who is to blame for a failure:
  stage "lower"    the call raises on torch_xla's device, or an operator has no lowering to XLA: torch_xla runs that
                   on the host, on every device. Whether plain CPU fails as well is found out by the harness.
  stage "bridge"   the graph makes no StableHLO that JAX's XLA takes
  stage "compile"  the device's compiler refuses the program
"""

import contextlib
import importlib
import os

from ...failures import same_failure
from ...harness import Skip
from .. import torch_work
from ..base import Proof, Unusable, carried
from ..device_work import of_stablehlo
from ..jax_aot import program_facts
from ..stablehlo import Lowered, is_foreign
from ..torch_eager import TargetAdapter as Eager
from ..torch_xla import drop_pending, prepare, seed
from .common import Ahead, mark

_NO_STABLEHLO = "MHLO conversion failed"


class NoLowering(NotImplementedError):
    """An operator that torch_xla runs on the host."""


class TargetAdapter(Ahead):
    route = "torch_xla"
    remedy = "seamark targets install torch-xla, or pip install torch_xla of torch's version and jax[tpu]"

    def __init__(self, target):
        Ahead.__init__(self, target)
        self._xla = None  # torch_xla
        self._watching = None  # carried/watch.py

    # -- life -------------------------------------------------------------------------------------

    def import_route(self):
        os.environ["PJRT_DEVICE"] = "CPU"
        prepare(self.threads)
        importlib.import_module("torch_xla.debug.metrics")
        from .carried import watch

        self._xla = importlib.import_module("torch_xla")
        self._watching = watch

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
        """Does nothing: torch_xla never executes what the body does not look at."""

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
        known = {id(tensor) for tensor in self._watching.Snapshot(roots).tensors + watch.read}
        functions = Proof("functions that Python calls")
        with torch_work.watch_functions(self.torch, self.generator_state, functions):
            result = self._record(plain, watch)
        self.works(functions.work, "the call gives no tensor and changes none")
        self._compile_graph(self._results(result, roots, watch, known))
        return result

    def _record(self, plain, watch):
        """Makes the call. Operators without a lowering are the target's failure, as what the call raises is."""
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
            self.host_ops += torch_work.fallbacks(self._xla.debug.metrics)
        if self.host_ops:
            error = NoLowering(
                "ops not capturable by Pytorch/XLA: %s (torch_xla runs them on the host)"
                % ", ".join(self.host_ops)
            )
            mark(error, "lower", False)
            raise error
        return result

    def _results(self, result, roots, watch, known):
        """The tensors that the call returned, read, changed in place, or left in the Python state."""
        found = [leaf for _, leaf in self.flatten(result) if self.is_array(leaf)]
        found += watch.values + watch.changed_tensors() + watch.new_grads()
        found += [x for x in self._watching.Snapshot(roots).tensors if id(x) not in known]
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
        facts = self.script_facts()
        text = Eager.script_setup(self).replace('DEVICE = "%s"' % self.device, SCRIPT_DEVICE)
        return (
            "import os\n\nos.environ.update(%r)\n" % dict(facts["variables"], PJRT_DEVICE="CPU")
            + text.replace("def run_call(", "def run_on_cpu(", 1)
            + "\n\n"
            + carried("stablehlo.py", torch_work.fallbacks)
            + "\n\nREADS = %r\n" % (torch_work.READS,)
            + SCRIPT % facts
        )


SCRIPT_DEVICE = "import torch_xla\n\nDEVICE = torch_xla.device()"

SCRIPT = '''

def run_call(function, args, kwargs, grad):
    """Compiles the call for a device that is not here and prints what the compiler says."""
    from jax.experimental import topologies
    from torch_xla.core import xla_model
    from torch_xla.debug import metrics

    torch_xla.sync(wait=True)
    metrics.clear_counters()
    result = run_on_cpu(function, args, kwargs, grad)
    host_ops = fallbacks(metrics)
    if host_ops:
        raise NotImplementedError("torch_xla runs these on the host: " + ", ".join(host_ops))
    found = [x for x in tensors_of((result, args, kwargs)) if x.device.type == "xla"]
    described = topologies.get_topology_desc(platform="%(platform)s", **%(description)r)
    compiled = Lowered(xla_model.get_stablehlo(found)).compile(described.devices[0])
    print(compiled.cost_analysis())
    print(compiled.memory_analysis())
    return result
'''
