"""PyTorch compiled by a backend of `torch.compile`, whole graphs only (fullgraph): a graph break is a failure, not a
detour. A graph that Dynamo hands to a backend need not run there: an adapter of the backend fills Proof.on_device."""

import contextlib

from . import device_work
from .base import Proof
from .torch_eager import TargetAdapter as Eager


class TargetAdapter(Eager):
    cpu_is_reference = False
    backend = "inductor"
    left_warm = None  # each program is compiled anew

    def backend_options(self):
        """What torch.compile takes as `options`."""
        return None

    def import_framework(self):
        version = Eager.import_framework(self)
        import torch._dynamo.output_graph

        self._dynamo = torch._dynamo
        # At its first use Dynamo disables functions for good, one of which a call may have at hand (LBFGS.step).
        self._compile(len)
        return version

    def prewarm(self):
        Eager.prewarm(self)
        self._compile(lambda x: x + 1)(self.torch.ones(4, device=self.device))

    def unit(self, function, args, kwargs, grad, place):
        if place != "target":
            return Eager.unit(self, function, args, kwargs, grad, place)
        self._dynamo.reset()
        return Eager.unit(self, self._compile(function), args, kwargs, grad, place)

    def _compile(self, function):
        return self.torch.compile(function, **self._arguments())

    def one_program(self, function, args, kwargs):
        """torch.compile as it is by default: it takes a size for one that varies once it has changed."""
        self._dynamo.reset()
        return self.torch.compile(function, **dict(self._arguments(), dynamic=None))

    def _arguments(self):
        return {
            "fullgraph": True,
            "dynamic": False,
            "backend": self.backend,
            "options": self.backend_options(),
        }

    @contextlib.contextmanager
    def prove(self):
        proof = Proof("dynamo-graphs")
        before = self.generator_state()
        with self._captured(proof) as found:
            yield proof
        if not found:
            proof.doubt("nothing was compiled: Dynamo captured no graph")
        if found or self._frames() > 0:  # else Dynamo did not look at the call
            proof.work = any(found) or before != self.generator_state()

    def _frames(self):
        """How many frames Dynamo has looked at since its reset, which each call begins with."""
        return getattr(self._dynamo.convert_frame, "FRAME_COUNTER", 0)

    @contextlib.contextmanager
    def _captured(self, proof):
        """Yields a list with an answer of `device_work.of_fx` for each graph that a backend is given within."""
        owner = self._dynamo.output_graph.OutputGraph
        found, compile_graph = [], owner.call_user_compiler

        def noted(output, module, *rest):
            found.append(device_work.of_fx(module.graph))
            for why in device_work.doubts_of_fx(module.graph):
                proof.doubt(why)
            return compile_graph(output, module, *rest)

        owner.call_user_compiler = noted
        try:
            yield found
        finally:
            owner.call_user_compiler = compile_graph

    def clear_caches(self):
        self._dynamo.reset()
        return None

    def counters(self):
        utils = self._dynamo.utils
        found = {"compilations": utils.counters["stats"]["unique_graphs"]}
        spent = getattr(utils, "cumulative_time_spent_ns", None)  # since 2.6
        if spent is not None:
            phases = ("entire_frame_compile", "entire_backward_compile")
            found["compile_s"] = sum(spent.get(phase, 0) for phase in phases) / 1e9
        return found

    def straight(self):
        given = [one for one in self._arguments().items() if one[1] is not None]
        compiled = "functools.partial(torch.compile, %s)" % ", ".join(
            "%s=%r" % one for one in given
        )
        return dict(Eager.straight(self), compiled=compiled)

    def script_setup(self):
        text = Eager.script_setup(self)
        return text.replace(
            "def run_call(function, args, kwargs, grad):\n",
            "def run_call(function, args, kwargs, grad):\n"
            "    function = torch.compile(function, **%r)\n" % self._arguments(),
        )
