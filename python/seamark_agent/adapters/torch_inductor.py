"""PyTorch compiled by Inductor."""

import contextlib
import getpass
import os
import re
import shutil
import sysconfig

from .base import Unusable
from .torch_compile import TargetAdapter as Compile

# In the program that Inductor writes, calls of what it did not compile: torch.ops.aten.sort.stable(...),
# extern_kernels.mm(...). It draws its own seeds by randint.low_out.
_LEFT = re.compile(
    r"(?:\btorch\.ops\.|\b(?=aten\.|extern_kernels\.))(?!aten\.randint\.low_out)(\w+\.\w+)[\w.]*\("
)


class TargetAdapter(Compile):
    own_variables = ("TORCHINDUCTOR_CACHE_DIR",)

    def import_framework(self):
        # A pool of compile processes would outlive cases and be counted as leaked.
        os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
        version = Compile.import_framework(self)
        import torch._inductor.compile_fx  # noqa: F401  1 s that each fork would spend again

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
        usual = os.environ.get("SEAMARK_USUAL_TMPDIR")
        if usual:
            folder = os.path.join(usual, "torchinductor_" + getpass.getuser())
            os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", folder)
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
        return Compile.start(self)

    @contextlib.contextmanager
    def prove(self):
        with Compile.prove(self) as proof, _programs() as texts:
            yield proof
        proof.on_device = proof.work
        for text in texts:
            names = _LEFT.findall(text)
            proof.left_to_aten += [name.replace("extern_kernels.", "aten.") for name in names]

    def clear_caches(self):
        self._fresh_cache()
        from torch._inductor import utils

        clear = getattr(utils, "clear_caches", None) or getattr(
            utils, "clear_inductor_caches", None
        )
        if clear is None:
            return "this torch has no way to drop the kernels that Inductor keeps in memory"
        clear()
        return Compile.clear_caches(self)

    def _fresh_cache(self):
        from ..harness import work_folder

        old = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = self._cache = work_folder("inductor-")
        if old and getattr(self, "_own_cache", None) == old:
            shutil.rmtree(old, ignore_errors=True)
        self._own_cache = self._cache


@contextlib.contextmanager
def _programs():
    """Yields a list of the programs that Inductor writes within, or finds in its cache."""
    from torch._inductor.graph import GraphLowering

    texts, before = [], getattr(GraphLowering, "save_output_code", None)
    GraphLowering.save_output_code = staticmethod(texts.append)
    try:
        yield texts
    finally:
        GraphLowering.save_output_code = before
