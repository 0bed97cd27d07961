"""PyTorch compiled by Inductor, whole graphs only (fullgraph): a graph break is a failure, not a detour."""

import contextlib
import os
import shutil
import sysconfig

from . import device_work
from .base import Proof, Unusable
from .torch_eager import TargetAdapter as Eager


class TargetAdapter(Eager):
    cpu_is_reference = False

    def import_framework(self):
        # A pool of compile processes would outlive cases and be counted as leaked.
        os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
        version = Eager.import_framework(self)
        import torch._dynamo
        import torch._inductor.compile_fx  # 1 s that each fork would spend again

        self._dynamo = torch._dynamo
        if self.device == "cpu":
            self._find_vector_instructions()
        return version

    def _find_vector_instructions(self):
        """Inductor compiles trial programs (9 s of g++) to learn what the CPU can do. They say nothing of a
        case: their results may stay in Inductor's usual folder, for the next process of this user to find."""
        try:
            from torch._inductor.cpu_vec_isa import pick_vec_isa
        except ImportError:  # torch before 2.5 has it elsewhere, and finds out at the first compile
            return
        try:
            pick_vec_isa()
        except Exception:  # no compiler that works: `start` tells what is missing
            pass

    def start(self):
        if self.device == "cpu":
            compiler = os.environ.get("CXX") or "g++"
            if shutil.which(compiler) is None and shutil.which("clang++") is None:
                raise Unusable(
                    "Inductor needs a C++ compiler, %s is not on PATH" % compiler, "install g++"
                )
            header = os.path.join(sysconfig.get_path("include"), "Python.h")
            if not os.path.exists(header):
                raise Unusable(
                    "Inductor needs the headers of its own interpreter; there is no %s" % header,
                    "install the development package of that Python (Debian: python3-dev)",
                )
        self._fresh_cache()  # here and not at the import: a fork must not find what another compiled
        return Eager.start(self)

    def prewarm(self):
        Eager.prewarm(self)
        add = self.torch.compile(lambda x: x + 1, fullgraph=True)
        add(self.torch.ones(4, device=self.device))

    def unit(self, function, args, kwargs, grad, place):
        if place != "target":
            return Eager.unit(self, function, args, kwargs, grad, place)
        self._dynamo.reset()
        compiled = self.torch.compile(function, fullgraph=True, dynamic=False)
        return Eager.unit(self, compiled, args, kwargs, grad, place)

    @contextlib.contextmanager
    def prove(self):
        counters = self._dynamo.utils.counters
        counters.clear()
        proof = Proof("dynamo-graphs")
        before = self.generator_state()
        with self._captured(proof) as found:
            yield proof
        if not counters["stats"]["unique_graphs"]:
            proof.doubt("nothing was compiled: Dynamo captured no graph")
        if found or self._frames() > 0:  # else Dynamo did not look at the call
            proof.work = any(found) or before != self.generator_state()
            proof.on_device = proof.work and bool(found)

    def _frames(self):
        """How many frames Dynamo has looked at since its reset, which each call begins with."""
        return getattr(self._dynamo.convert_frame, "FRAME_COUNTER", 0)

    @contextlib.contextmanager
    def _captured(self, proof):
        """Yields a list with an answer of `device_work.of_fx` for each graph that is compiled within."""
        from torch._inductor import compile_fx

        found, compile_graph = [], compile_fx.compile_fx

        def noted(module, *args, **kwargs):
            found.append(device_work.of_fx(module.graph))
            for why in device_work.doubts_of_fx(module.graph):
                proof.doubt(why)
            return compile_graph(module, *args, **kwargs)

        compile_fx.compile_fx = noted
        try:
            yield found
        finally:
            compile_fx.compile_fx = compile_graph

    def clear_caches(self):
        self._dynamo.reset()
        self._fresh_cache()
        return None

    def _fresh_cache(self):
        from ..harness import work_folder

        old = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = self._cache = work_folder("inductor-")
        if old and getattr(self, "_own_cache", None) == old:
            shutil.rmtree(old, ignore_errors=True)
        self._own_cache = self._cache

    def script_setup(self):
        text = Eager.script_setup(self)
        return text.replace(
            "def run_call(function, args, kwargs, grad):\n",
            "def run_call(function, args, kwargs, grad):\n"
            "    function = torch.compile(function, fullgraph=True, dynamic=False)\n",
        )
