"""PyTorch as users call it: cpu, cuda, mps, xpu, and any device that a plug-in brings (privateuse1)."""

import contextlib
import functools
import importlib
import os
import platform
import re
import sys

from .. import measure
from . import torch_state, torch_work
from .base import Adapter, Proof, Unusable, carried, look_up, unrecorded_ramp, widen

DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64",
    "c128": "complex128", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
    "bool": "bool", "c32": "complex32", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
}  # fmt: skip
_NAMES = {"torch." + long: short for short, long in DTYPES.items()}


class TargetAdapter(Adapter):
    framework = "torch"
    # Dynamo's TorchRuntimeError is none of these: so it says that an operator refuses.
    no_refusals = (*Adapter.no_refusals, "OutOfMemoryError", "AcceleratorError", "Unsupported",
                   "BackendCompilerFailed")  # fmt: skip
    no_refusal_texts = (*Adapter.no_refusal_texts, "Could not run '", "got NotImplementedError",
                        "is not currently implemented for the", "has no implementation for the backend",
                        "CUDA error")  # fmt: skip

    @property
    def kind(self):
        """cuda of cuda:0"""
        return self.device.split(":")[0]

    @property
    def cpu_is_reference(self):
        return self.device == "cpu"

    @property
    def lowers_precision(self):
        return self.kind not in ("cpu", "lazy")

    @property
    def watched_names(self):
        modules = ("", ".Tensor", ".nn", ".nn.Module", ".nn.functional", ".nn.init", ".linalg", ".fft", ".special",
                   ".autograd", ".optim", ".random")  # fmt: skip
        return tuple("torch" + name for name in modules)

    # -- life -------------------------------------------------------------------------------------

    def import_framework(self):
        import torch

        self.loaded = frozenset(name for name in sys.modules if name.startswith("torch."))
        torch.set_num_threads(self.threads)
        # The first gradient and the first optimizer import these: the zygote pays once, not every child.
        for name in ("torch._dynamo", "torch.fx.experimental.symbolic_shapes"):
            with contextlib.suppress(ModuleNotFoundError):  # before 2.0
                importlib.import_module(name)

        from . import torch_call

        self.torch, self._call = torch, torch_call
        plugin = self.options.get("import")
        if plugin:
            importlib.import_module(plugin)
        return torch.__version__

    def start(self):
        torch = self.torch
        torch.set_num_threads(self.threads)
        kind = self.kind
        if kind == "cpu":
            return {"device": cpu_name(), "threads": torch.get_num_threads()}
        module = getattr(torch, kind, None)
        if module is None or not hasattr(module, "is_available"):
            raise Unusable(
                "this torch (%s) knows no device %r" % (torch.__version__, kind),
                "set options.import to the module that registers it",
            )
        if not module.is_available():
            raise Unusable(
                "torch.%s.is_available() is false (torch %s)" % (kind, torch.__version__),
                "install a torch build for %s and its driver, on a machine that has one" % kind,
            )
        torch.empty(1, device=self.device).copy_(torch.zeros(1))  # no case runs without these
        name = module.get_device_name(self.device) if hasattr(module, "get_device_name") else kind
        facts = {"device": name}
        if kind == "cuda":
            facts.update(
                cuda=torch.version.cuda, hip=torch.version.hip, cudnn=torch.backends.cudnn.version()
            )
        return facts

    def process_state(self):
        return torch_state.facts(self.torch, self.kind)

    def prewarm(self):
        try:
            one = self.torch.ones(2, device=self.device, requires_grad=True)
            self.synchronize(self._call.with_gradient(lambda x: x * x, (one,), {})())
        except NotImplementedError as error:  # cases tell the rest
            found = re.match(r"Could not run '([^']+)'", str(error))
            key = self.torch._C._dispatch_key_for_device(self.kind)
            return "%s has no kernel for %s" % (found.group(1), key) if found else str(error)
        return None

    def lookup(self, name):
        return look_up(self.torch, name)

    # -- values -----------------------------------------------------------------------------------

    def dtype(self, name, place):
        return getattr(self.torch, DTYPES[widen(name) if place == "wide" else name])

    def from_numpy(self, array, dtype, place, grad=False, noncontiguous=False):
        torch = self.torch
        made = torch.as_tensor(array).to(self.dtype(dtype, "native")).to(self.dtype(dtype, place))
        return self._call.tensor_on(self.device_of(place), made, grad, noncontiguous)

    def to_numpy(self, array):
        return self._call.to_numpy(array)

    def is_array(self, value):
        return isinstance(value, self.torch.Tensor)

    def dtype_name(self, array):
        return _NAMES.get(str(array.dtype), str(array.dtype))

    def devices(self, array):
        return [str(array.device)]

    # -- calls ------------------------------------------------------------------------------------

    def unit(self, function, args, kwargs, grad, place):
        if not grad:
            return lambda: function(*args, **kwargs)
        return self._call.with_gradient(function, args, kwargs, self._tensors)

    def _tensors(self, tree):
        return [leaf for _, leaf in self.flatten(tree) if self.is_array(leaf)]

    @functools.cached_property
    def _wait(self):
        """What waits for the device; None where nothing does."""
        kind, torch = self.kind, self.torch
        if kind == "cpu":
            return lambda: None
        found = getattr(getattr(torch, kind, None), "synchronize", None)
        if found is not None:
            return found
        accelerator = getattr(torch, "accelerator", None)  # since 2.6
        current = accelerator.current_accelerator() if accelerator else None
        if current is None or current.type != kind:
            return None
        try:
            accelerator.synchronize()
        except RuntimeError:
            return None
        return accelerator.synchronize

    def synchronize(self, tree):
        if self._wait is not None:
            self._wait()

    def cannot_wait(self):
        if self._wait is None:
            return "neither torch.%s nor torch.accelerator synchronizes it" % self.kind
        return None

    @property
    def left_warm(self):
        return (
            None if self.kind == "cpu" else "kernels that earlier cases loaded stay in the process"
        )

    def library_calls(self):
        torch = self.torch
        if self.kind == "cpu":
            return ()

        def one():
            return torch.eye(8, device=self.device)

        return (
            lambda: one() @ one(),
            lambda: torch.nn.functional.conv2d(one()[None, None], one()[None, None]),
            lambda: torch.linalg.cholesky(one()),
            lambda: torch.fft.fft(one()),
        )

    def device_times(self, unit, calls):
        if self.kind != "cuda":
            return []
        events = [
            [self.torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(calls)
        ]
        for start, end in events:
            start.record()
            unit()
            end.record()
            self.synchronize(None)
        return [start.elapsed_time(end) / 1e3 for start, end in events]

    def peak_memory(self, call):
        if self.kind == "cpu":
            return measure.resident_peak(call)
        module = getattr(self.torch, self.kind, None)
        if not hasattr(module, "reset_peak_memory_stats"):
            return call()
        module.reset_peak_memory_stats()
        before = module.memory_allocated()
        call()
        return module.max_memory_allocated() - before

    @contextlib.contextmanager
    def prove(self):
        with contextlib.ExitStack() as watching:
            if self.kind == "cpu":
                proof = Proof("cpu", on_device=True)
            else:
                from .torch_dispatch import watch_placement

                proof = Proof("dispatcher")
                ramps = watching.enter_context(unrecorded_ramp(self._call))
                watching.enter_context(watch_placement(self.torch, self.kind, proof, ramps))
            watching.enter_context(torch_work.watch_operators(self.torch, proof))
            yield proof

    def record_parts(self, parts):
        from . import torch_parts

        return torch_parts.record(self, parts)

    @contextlib.contextmanager
    def highest_precision(self):
        torch = self.torch
        before = torch.get_float32_matmul_precision()
        cudnn = torch.backends.cudnn.allow_tf32
        torch.set_float32_matmul_precision("highest")
        torch.backends.cudnn.allow_tf32 = False
        try:
            yield
        finally:
            torch.set_float32_matmul_precision(before)
            torch.backends.cudnn.allow_tf32 = cudnn

    def seed(self, value):
        self.torch.manual_seed(value & 0x7FFFFFFF)

    def generator_state(self):
        return self.torch.get_rng_state().numpy().tobytes()

    def construct(self, factory, args, kwargs, dtype, place):
        made = factory(*args, **kwargs)
        if isinstance(made, self.torch.nn.Module):
            made = made.to(device=self.device_of(place), dtype=self.dtype(dtype, place))
        return made

    def fill_parameters(self, thing, draw, dtype, place):
        torch = self.torch
        if not isinstance(thing, torch.nn.Module):
            return
        for _, parameter in thing.named_parameters():
            values = self.from_numpy(draw(tuple(parameter.shape)), dtype, place)
            with torch.no_grad():
                parameter.copy_(values)

    def declared_kernels(self):
        from . import torch_declared

        try:
            return torch_declared.kernels(self.torch)
        except (OSError, ValueError) as error:
            raise Unusable(
                "native_functions.yaml of torch %s cannot be read: %s"
                % (self.torch.__version__, error),
                "use a wheel of PyTorch that brings torchgen",
            ) from error

    def record_ops(self, seen):
        from . import torch_declared

        return torch_declared.record(self.torch, seen)

    def listed_dtypes(self, functions):
        from . import torch_declared

        return torch_declared.listed(self.torch, functions)

    def script_setup(self):
        return SCRIPT % {
            "device": self.device,
            "import": self.options.get("import") or "torch",
            "names": DTYPES,
            "carried": carried(look_up, "torch_call.py"),
        }

    def straight(self):
        package = self.options.get("import") or "torch"
        setup = "import torch" + ("" if package == "torch" else "\nimport %s" % package)
        style = dict(STRAIGHT, names=DTYPES, setup=setup, device='"%s"' % self.device)
        return dict(style, loaded=getattr(self, "loaded", ()))


def cpu_name():
    """The CPU's model name, or what platform knows."""
    try:
        with open("/proc/cpuinfo") as stream:
            for line in stream:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or os.uname().machine


STRAIGHT = {
    "modules": "torch",
    "tensor": "torch.as_tensor(%s).to(%s)",
    "placed": "%s.to(device, %s)",
    "there": "%s.to(device)",
    "spaced": (".to(device", ".repeat_interleave(2, -1).to(device"),
    "grad": ".requires_grad_()",
    "dtypes": "torch.%s",
    "call": "%(function)s(%(arguments)s)",
    "compiled_call": "compiled(%(function)s)(%(arguments)s)",
    "gradient": [  # weights from 0.5 to 1.5: with equal ones the gradient of softmax is zero
        "%(result)s = %(call)s",
        "results = [one for one in torch.utils._pytree.tree_leaves(%(result)s) if getattr(one, 'requires_grad', False)]",
        "weights = [torch.linspace(0.5, 1.5, one.numel(), dtype=torch.float64).reshape(one.shape).to(one) for one in results]",
        "%(gradients)s = torch.autograd.grad(results, %(inputs)s, weights)",
    ],
    "gradient_of_one": [
        "%(result)s = %(call)s",
        "weights = torch.linspace(0.5, 1.5, %(result)s.numel(), dtype=torch.float64).reshape(%(result)s.shape).to(%(result)s)",
        "%(gradients)s = torch.autograd.grad(%(result)s, %(inputs)s, weights)",
    ],
    "module": "torch.nn.Module",
    "fill": [
        "%(module)s.to(device=device, dtype=%(dtype)s)",
        "with torch.no_grad():",
        "    for one in %(module)s.parameters():",
        "        one.copy_(torch.as_tensor(rng.standard_normal(tuple(one.shape)) * 0.3).to(%(exact)s))",
    ],
    "cpu": '"cpu"',
    "seed": "torch.manual_seed(%d)",
    "takes_lists": True,
    "leaves": "torch.utils._pytree.tree_leaves(%s)",
    "close": "torch.testing.assert_close(%(got)s, %(want)s, rtol=%(rtol)r, atol=%(atol)r, equal_nan=True, "
    "check_device=False, check_dtype=False)",
}

SCRIPT = """import importlib
import torch

importlib.import_module("%(import)s")
DEVICE = "%(device)s"
NAMES = %(names)r


%(carried)s

def DTYPE(name):
    return getattr(torch, NAMES.get(name, name))


def lookup(name):
    return look_up(torch, name)


def from_numpy(array, dtype, grad=False, noncontiguous=False):
    return tensor_on(DEVICE, torch.as_tensor(array).to(DTYPE(dtype)), grad, noncontiguous)


def construct(factory, args, kwargs, dtype, draw):
    made = factory(*args, **kwargs)
    if isinstance(made, torch.nn.Module):
        made = made.to(device=DEVICE, dtype=DTYPE(dtype))
        for _, parameter in made.named_parameters():
            with torch.no_grad():
                parameter.copy_(from_numpy(draw(tuple(parameter.shape)), dtype))
    return made


def run_call(function, args, kwargs, grad):
    return with_gradient(function, args, kwargs)() if grad else function(*args, **kwargs)
"""
