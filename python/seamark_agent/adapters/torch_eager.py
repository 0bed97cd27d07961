"""PyTorch as users call it: cpu, cuda, mps, xpu, and any device that a plug-in brings (privateuse1)."""

import contextlib
import importlib
import os
import platform

from . import torch_work
from .base import Adapter, Proof, Unusable, widen

DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64",
    "c128": "complex128", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
    "bool": "bool", "c32": "complex32", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
}  # fmt: skip
_NAMES = {"torch." + long: short for short, long in DTYPES.items()}


class TargetAdapter(Adapter):
    framework = "torch"

    @property
    def cpu_is_reference(self):
        return self.device == "cpu"

    # -- life -------------------------------------------------------------------------------------

    def import_framework(self):
        import torch

        torch.set_num_threads(self.threads)
        # What the first gradient and the first optimizer import: a zygote pays once, not every child.
        for name in ("torch._dynamo", "torch.fx.experimental.symbolic_shapes"):
            with contextlib.suppress(ModuleNotFoundError):  # before 2.0
                importlib.import_module(name)

        self.torch = torch
        plugin = self.options.get("import")
        if plugin:
            importlib.import_module(plugin)
        return torch.__version__

    def start(self):
        torch = self.torch
        torch.set_num_threads(self.threads)
        kind = self.device.split(":")[0]
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
        torch.ones(1, device=self.device)
        name = module.get_device_name(self.device) if hasattr(module, "get_device_name") else kind
        facts = {"device": name}
        if kind == "cuda":
            facts.update(
                cuda=torch.version.cuda, hip=torch.version.hip, cudnn=torch.backends.cudnn.version()
            )
        return facts

    def prewarm(self):
        one = self.torch.ones(2, device=self.device, requires_grad=True)
        self.synchronize(self._with_gradient(lambda x: x * x, (one,), {})())

    def lookup(self, name):
        parts = name.split(".")
        found = self.torch
        for index, part in enumerate(parts[1:], 2):
            try:
                found = getattr(found, part)
            except AttributeError:
                try:
                    found = importlib.import_module(".".join(parts[:index]))
                except ImportError:
                    raise AttributeError(
                        "torch %s has no %s" % (self.torch.__version__, name)
                    ) from None
        return found

    # -- values -----------------------------------------------------------------------------------

    def dtype(self, name, place):
        return getattr(self.torch, DTYPES[widen(name) if place == "wide" else name])

    def from_numpy(self, array, dtype, place, grad=False, noncontiguous=False):
        torch = self.torch
        made = torch.as_tensor(array).to(self.dtype(dtype, "native")).to(self.dtype(dtype, place))
        if noncontiguous and made.dim():
            spaced = made.new_zeros(tuple(made.shape[:-1]) + (2 * made.shape[-1],))
            spaced[..., ::2] = made
            made = self._to_device(spaced, place)[..., ::2]
        else:
            made = self._to_device(made.clone(), place)
        return made.detach().requires_grad_(True) if grad else made

    def _to_device(self, tensor, place):
        return tensor.to(self.device_of(place))

    def to_numpy(self, array):
        torch = self.torch
        host = array.detach().resolve_conj().resolve_neg()
        if host.layout is not torch.strided:
            host = host.to_dense()
        host = host.to("cpu")
        if getattr(host, "_is_zerotensor", bool)():  # a gradient that autograd never wrote down
            host = torch.zeros(host.shape, dtype=host.dtype)
        if host.dtype == torch.bool:
            return host.numpy()
        if host.is_complex():
            return host.to(torch.complex128).numpy()
        return host.to(torch.float64 if host.is_floating_point() else torch.int64).numpy()

    def is_array(self, value):
        return isinstance(value, self.torch.Tensor)

    def dtype_name(self, array):
        return _NAMES.get(str(array.dtype), str(array.dtype))

    def devices(self, array):
        return [str(array.device)]

    # -- calls ------------------------------------------------------------------------------------

    def unit(self, function, args, kwargs, grad, place):
        return (
            self._with_gradient(function, args, kwargs)
            if grad
            else lambda: function(*args, **kwargs)
        )

    def _with_gradient(self, function, args, kwargs):
        torch = self.torch
        inputs = [
            leaf
            for _, leaf in self.flatten([args, kwargs])
            if self.is_array(leaf) and leaf.requires_grad
        ]
        weights = []  # made by the first call, so that warm calls do not time them

        def forward_and_backward():
            result = function(*args, **kwargs)
            outputs = [
                leaf
                for _, leaf in self.flatten(result)
                if self.is_array(leaf) and leaf.requires_grad
            ]
            if not outputs:
                return result, []
            if not weights:
                weights.extend(ramp(torch, leaf) for leaf in outputs)
            found = torch.autograd.grad(outputs, inputs, grad_outputs=weights, allow_unused=True)
            return result, [torch.zeros_like(x) if g is None else g for g, x in zip(found, inputs)]

        return forward_and_backward

    def synchronize(self, tree):
        kind = self.device.split(":")[0]
        if kind == "cpu":
            return
        module = getattr(self.torch, kind, None)
        if module is not None and hasattr(module, "synchronize"):
            module.synchronize()

    @contextlib.contextmanager
    def prove(self):
        kind = self.device.split(":")[0]
        if kind == "cpu":
            proof, kind = Proof("cpu"), None
        else:
            proof = Proof("dispatch-mode")
        with torch_work.watch_operators(self.torch, kind, proof):
            yield proof

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

    def script_setup(self):
        return SCRIPT % {"device": self.device, "import": self.options.get("import") or "torch"}


def ramp(torch, leaf):
    """Weights from 0.5 to 1.5 of the leaf's shape (with equal ones the gradient of softmax is zero)."""
    return (
        torch.linspace(0.5, 1.5, leaf.numel(), device="cpu")
        .reshape(leaf.shape)
        .to(leaf.device, leaf.dtype)
    )


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


SCRIPT = """import importlib
import torch

importlib.import_module("%(import)s")
DEVICE = "%(device)s"
NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64",
         "c128": "complex128", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8"}


def DTYPE(name):
    return getattr(torch, NAMES.get(name, name))


def lookup(name):
    parts, found = name.split("."), torch
    for index, part in enumerate(parts[1:], 2):
        found = getattr(found, part, None) or importlib.import_module(".".join(parts[:index]))
    return found


def from_numpy(array, dtype, grad=False, noncontiguous=False):
    made = torch.as_tensor(array).to(DTYPE(dtype)).clone()
    if noncontiguous and made.dim():
        spaced = made.new_zeros(tuple(made.shape[:-1]) + (2 * made.shape[-1],))
        spaced[..., ::2] = made
        made = spaced.to(DEVICE)[..., ::2]
    made = made.to(DEVICE).detach()
    return made.requires_grad_(True) if grad else made


def to_numpy(array):
    array = array.detach().resolve_conj().resolve_neg().to("cpu")
    if array.layout is not torch.strided:
        array = array.to_dense()
    return array.to(torch.float32).numpy() if array.dtype == torch.bfloat16 else array.numpy()


def construct(factory, args, kwargs, dtype, draw):
    made = factory(*args, **kwargs)
    if isinstance(made, torch.nn.Module):
        made = made.to(device=DEVICE, dtype=DTYPE(dtype))
        for _, parameter in made.named_parameters():
            with torch.no_grad():
                parameter.copy_(from_numpy(draw(tuple(parameter.shape)), dtype))
    return made


def run_call(function, args, kwargs, grad):
    result = function(*args, **kwargs)
    if not grad:
        return result
    from torch.utils._pytree import tree_leaves

    inputs = [x for x in tree_leaves([args, kwargs]) if isinstance(x, torch.Tensor) and x.requires_grad]
    outputs = [x for x in tree_leaves(result) if isinstance(x, torch.Tensor) and x.requires_grad]
    weights = [torch.linspace(0.5, 1.5, x.numel()).reshape(x.shape).to(x.device, x.dtype) for x in outputs]
    return result, torch.autograd.grad(outputs, inputs, grad_outputs=weights, allow_unused=True)
"""
