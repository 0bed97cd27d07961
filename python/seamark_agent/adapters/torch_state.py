"""What PyTorch keeps for the whole process, or for a thread, and a case may leave changed (see poison.py)."""

import sys

from ..poison import Fact

# Flags with a pair of functions in torch._C: _get_NAME, _set_NAME.
_FLAGS = ("mkldnn_enabled", "cudnn_enabled", "cudnn_benchmark", "cudnn_deterministic", "nnpack_enabled",
          "qengine", "warnAlways", "math_sdp_enabled", "flash_sdp_enabled", "mem_efficient_sdp_enabled")  # fmt: skip
_SET = {
    "math_sdp_enabled": "_set_sdp_use_math",
    "flash_sdp_enabled": "_set_sdp_use_flash",
    "mem_efficient_sdp_enabled": "_set_sdp_use_mem_efficient",
}


def facts(torch, kind):
    core = torch._C
    yield Fact("torch.set_default_dtype", torch.get_default_dtype, torch.set_default_dtype)
    if hasattr(torch, "_GLOBAL_DEVICE_CONTEXT"):
        yield Fact(
            "torch.set_default_device",
            lambda: getattr(
                getattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context", None), "device", None
            ),
            torch.set_default_device,
        )
    for name in ("_len_torch_function_stack", "_len_torch_dispatch_stack", "_is_torch_function_enabled",
                 "_get_tracing_state"):  # fmt: skip
        if hasattr(core, name):
            yield Fact("a mode that was not left (torch._C.%s)" % name, getattr(core, name))
    yield Fact("torch.set_grad_enabled", torch.is_grad_enabled, torch.set_grad_enabled)
    yield Fact("torch.inference_mode", torch.is_inference_mode_enabled)
    yield Fact("torch.autograd.set_detect_anomaly", torch.is_anomaly_enabled, core.set_anomaly_enabled)  # fmt: skip
    yield Fact(
        "torch.use_deterministic_algorithms",
        lambda: (
            torch.are_deterministic_algorithms_enabled(),
            torch.is_deterministic_algorithms_warn_only_enabled(),
        ),
        lambda value: torch.use_deterministic_algorithms(value[0], warn_only=value[1]),
    )
    yield Fact(
        "torch.set_float32_matmul_precision",
        torch.get_float32_matmul_precision,
        torch.set_float32_matmul_precision,
    )
    yield Fact("torch.set_num_threads", torch.get_num_threads, torch.set_num_threads)
    yield Fact(
        "torch.set_flush_denormal",
        lambda: repr(_LEAST * _ONE),  # a comparison of numbers takes them for 0, too
        lambda value: torch.set_flush_denormal(value == "0.0"),
    )
    for flag in _FLAGS:
        get = getattr(core, "_get_" + flag, None)
        if get is not None:
            put = getattr(core, _SET.get(flag, "_set_" + flag), None)
            yield Fact("torch._C._get_%s()" % flag, get, put)
    yield from _autocast(torch, kind)
    options = getattr(torch._tensor_str, "PRINT_OPTS", None)
    if options is not None:
        yield Fact("torch.set_printoptions", lambda: dict(vars(options)), vars(options).update)
    future = torch.__future__
    for name in ("overwrite_module_params_on_conversion", "swap_module_params_on_conversion"):
        if hasattr(future, "get_" + name):
            yield Fact("torch.__future__." + name, getattr(future, "get_" + name), getattr(future, "set_" + name))  # fmt: skip
    yield _hooks(torch)
    impls = getattr(torch.library, "_impls", None)
    if impls is not None:
        yield Fact("a kernel of ATen's operators (torch.library)", _KernelCount(impls))
    for name in ("torch._dynamo.config", "torch._inductor.config", "torch._functorch.config"):
        entries = getattr(sys.modules.get(name), "_config", None)
        if isinstance(entries, dict) and all(
            hasattr(entry, "user_override") for entry in entries.values()
        ):
            yield _config(name, list(entries.values()))


def _autocast(torch, kind):
    if hasattr(torch, "get_autocast_dtype"):  # since 2.4

        def put(value):
            for device, (enabled, dtype) in zip(kinds, value):
                torch.set_autocast_enabled(device, enabled)
                torch.set_autocast_dtype(device, dtype)

        kinds = [device for device in dict.fromkeys(("cpu", kind)) if _has_autocast(torch, device)]
        yield Fact(
            "torch.autocast",
            lambda: [
                (torch.is_autocast_enabled(device), torch.get_autocast_dtype(device))
                for device in kinds
            ],
            put,
        )
    else:
        yield Fact(
            "torch.autocast", lambda: (torch.is_autocast_enabled(), torch.is_autocast_cpu_enabled())
        )


def _has_autocast(torch, device):
    try:
        torch.get_autocast_dtype(device)
    except RuntimeError:
        return False
    return True


def _hooks(torch):
    """Hooks of all modules: what a case leaves, every later one calls."""
    module = torch.nn.modules.module
    tables = [
        value
        for name, value in vars(module).items()
        if name.startswith("_global") and isinstance(value, dict)
    ]

    def put(value):
        for table, keys in zip(tables, value):
            for key in [key for key in table if key not in keys]:
                del table[key]

    return Fact("global hooks of torch.nn.Module", lambda: [list(table) for table in tables], put)


class _KernelCount:
    """How many kernels Python has registered for operators of PyTorch's own."""

    def __init__(self, impls):
        self._impls, self._length, self._count = impls, -1, 0

    def __call__(self):
        if len(self._impls) != self._length:
            self._length = len(self._impls)
            self._count = sum(name.startswith("aten/") for name in self._impls)
        return self._count


def _config(name, entries):
    def put(value):
        for entry, override in zip(entries, value):
            if entry.user_override is not override:
                entry.user_override = override
        module = sys.modules[name]
        for attribute, stale in (("_is_dirty", True), ("_hash_digest", None)):
            if hasattr(module, attribute):
                setattr(module, attribute, stale)

    return Fact(name, lambda: [entry.user_override for entry in entries], put)


_LEAST, _ONE = 5e-324, 1.0
