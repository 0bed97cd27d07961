"""PyTorch's device `minidev`: `import minidev`, then torch.ones(2, device="minidev").

The first import builds its library from minidev.cpp, which takes about a minute, and keeps it in the user's cache
folder. CXX names another compiler than g++. With MINIDEV_BARE in the environment the device knows `empty` and a copy alone.
"""

import contextlib
import ctypes
import hashlib
import os
import pathlib
import subprocess
import types

import torch

# What is wrong with it on purpose: the operator, and what it does.
DEFECTS = {
    "aten::erfinv.out": "raises",
    "aten::atan.out": "computes wrongly",
    "aten::sinh.out": "copies to the host inside its own kernel, computes there, and copies back",
    "aten::cosh.out": "loops on the host inside its own kernel",
    "aten::lgamma.out": "gives zeros",
    "aten::exp2.out": "is exact in f32 alone",
    "aten::digamma.out": "hangs",
    "aten::i0.out": "crashes",
}
# On the host by the device's own count, and yet no caller can tell them from kernels of the device.
LOOPS = ("aten::cosh.out",)


def _built():
    """The library's path; built where it is not there yet."""
    source = pathlib.Path(__file__).with_name("minidev.cpp")
    digest = hashlib.sha256(source.read_bytes() + torch.__version__.encode()).hexdigest()[:12]
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    library = cache / "seamark" / "minidev" / ("libminidev-%s.so" % digest)
    if not library.exists():
        _build(source, library)
    return library


def _build(source, library):
    library.parent.mkdir(parents=True, exist_ok=True)
    unfinished = library.with_suffix(".%d" % os.getpid())  # another process may build it, too
    folder = pathlib.Path(torch.__file__).parent
    include, libraries = folder / "include", folder / "lib"
    subprocess.run(
        [
            os.environ.get("CXX", "g++"), "-std=c++20", "-O1", "-fPIC", "-shared", "-w",
            "-D_GLIBCXX_USE_CXX11_ABI=%d" % torch._C._GLIBCXX_USE_CXX11_ABI,
            "-isystem", include, "-isystem", include / "torch" / "csrc" / "api" / "include",
            source, "-o", unfinished,
            "-L", libraries, "-Wl,-rpath,%s" % libraries, "-ltorch_cpu", "-ltorch", "-lc10",
        ],
        check=True,
    )  # fmt: skip
    os.replace(unfinished, library)


_library = ctypes.CDLL(os.fspath(_built()))
_library.minidev_take_truth.restype = ctypes.c_char_p
_library.minidev_register()
torch.utils.rename_privateuse1_backend("minidev")


def take_truth():
    """{operator: how often} that ran on the host since the last call, as the device itself counted."""
    lines = _library.minidev_take_truth().decode().splitlines()
    return {name: int(count) for name, count in (line.rsplit(" ", 1) for line in lines)}


@contextlib.contextmanager
def counted(truth):
    """Adds to a Counter what `take_truth` gives of the block."""
    take_truth()
    try:
        yield
    finally:
        truth.update(take_truth())


def _module():
    module = types.ModuleType("torch.minidev")
    module.is_available = lambda: True
    module.device_count = lambda: 1
    module.current_device = lambda: 0
    module.device = lambda device: contextlib.nullcontext()
    module.get_device_name = lambda device=None: "minidev, a device in host memory"
    module.synchronize = lambda device=None: None
    module._is_in_bad_fork = lambda: False
    module.manual_seed_all = lambda seed: None  # its kernels draw from the CPU's generator
    module.get_rng_state = lambda device=None: torch.get_rng_state()
    module.set_rng_state = lambda state, device=None: torch.set_rng_state(state)
    module.get_amp_supported_dtype = lambda: [torch.float16, torch.bfloat16]
    return module


torch._register_device_module("minidev", _module())
torch.utils.generate_methods_for_privateuse1_backend(for_storage=True)
