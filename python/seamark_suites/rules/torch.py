"""PyTorch: devices by name, what stays on the host, what was removed."""

import contextlib
import os
import warnings

from seamark_suites.rules import called
from seamark_suites.rules import rule as any_rule


def rule(number):
    return any_rule("torch", number)


def kind(t):
    return str(t.device).split(":")[0]


def expect_there(t, made):
    t.expect(made.device.type == kind(t), "a tensor on %s, got %s" % (kind(t), made.device.type))


@contextlib.contextmanager
def strictly():
    """What the framework says is going is an error, as under `python -W error`."""
    import torch

    always = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        torch.set_warn_always(always)


def strict(function):
    def run(*inputs):
        with strictly():
            return function(*inputs)

    return run


@contextlib.contextmanager
def one_process():
    """A group of this process alone, of the backend that the device has."""
    import torch.distributed as dist

    dist.init_process_group(
        dist.get_default_backend_for_device("cpu"), store=dist.HashStore(), rank=0, world_size=1
    )
    try:
        yield
    finally:
        dist.destroy_process_group()


# --- devices


@rule("DEV01")
def device_is_named(t, way):
    import torch

    x = t.randn((3,), "f32")
    return called(
        t,
        way,
        lambda: torch.ones(3, device="cuda") * x,
        lambda: torch.ones(3, device=t.device) * x,
    )


@rule("DEV02")
def moved_by_name(t, way):
    import torch

    layer, x = torch.nn.Linear(3, 2), t.randn((4, 3), "f32")
    made = called(t, way, lambda: layer.cuda()(x), lambda: layer.to(t.device)(x))
    expect_there(t, made)


@rule("DEV03")
def one_device_or_the_cpu(t, way):
    import torch

    def habit():
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return torch.ones(3).to(device) * 2

    made = called(t, way, habit, lambda: torch.ones(3).to(t.device) * 2)
    expect_there(t, made)
    return made


@rule("DEV04")
def current_device_is_set(t, way):
    import torch

    def fix():
        if torch.accelerator.is_available():
            torch.accelerator.set_device_index(0)

    called(t, way, lambda: torch.cuda.set_device(0), fix)


@rule("DEV05")
def waits_by_name(t, way):
    import torch

    def fix():
        if torch.accelerator.is_available():
            torch.accelerator.synchronize()

    called(t, way, lambda: torch.cuda.synchronize(), fix)


@rule("DEV06")
def marks_a_range(t, way):
    import torch

    x = t.randn((3,), "f32")

    def habit():
        torch.cuda.nvtx.range_push("step")
        y = x * 2
        torch.cuda.nvtx.range_pop()
        return y

    return called(t, way, habit, lambda: habit() if x.is_cuda else x * 2)


@rule("DEV07")
def asks_for_a_capability(t, way):
    import torch

    x = t.randn((3, 3), "f32")

    def habit():
        return torch.cuda.get_device_capability()[0] >= 8

    def fix():
        try:
            y = x.to(torch.bfloat16)
            return bool(torch.isfinite(y @ y).all())
        except RuntimeError:
            return False

    called(t, way, habit, fix)


@rule("DEV08")
def takes_the_path_of_the_host(t, way):
    x, taken = t.randn((3,), "f32"), []

    def there(x):
        taken.append("device")
        return x * 2

    def on_the_host(x):
        taken.append("host")
        return (x.cpu() * 2).to(x.device)

    def habit(x):
        if x.is_cuda:
            return there(x)
        return on_the_host(x)

    def fix(x):
        return on_the_host(x) if x.device.type == "cpu" else there(x)

    made = called(t, way, habit, fix, x)
    t.expect(kind(t) == "cpu" or taken == ["device"], "the device's path, not that of the host")
    return made


@rule("DEV09")
def lets_named_devices_through(t, way):
    x = t.randn((3,), "f32")

    def habit():
        if x.device.type not in ("cpu", "cuda"):
            raise NotImplementedError("no way for %s" % x.device.type)
        return x * 2

    return called(t, way, habit, lambda: x * 2)


@rule("DEV10")
def device_is_a_number(t, way):
    import torch

    return called(t, way, lambda: torch.ones(3).to(0) * 2, lambda: torch.ones(3).to(t.device) * 2)


@rule("DEV11")
def type_is_named(t, way):
    import torch

    return called(
        t,
        way,
        lambda: torch.cuda.FloatTensor(3).fill_(1),
        lambda: torch.ones(3, device=t.device, dtype=torch.float32),
    )


@rule("DEV12")
def made_on_the_host(t, way):
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    copies = []

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            made = function(*args, **(kwargs or {}))
            moved = function is torch.ops.aten._to_copy.default
            if moved and args[0].device.type != made.device.type:
                copies.append(function)
            return made

    def watched(make):
        def run():
            with Watch():
                return make() * 2

        return run

    made = called(
        t,
        way,
        watched(lambda: torch.ones(3).to(t.device)),
        watched(lambda: torch.ones(3, device=t.device)),
    )
    t.expect(not copies, "no copy from the host")
    return made


@rule("DEV13")
def made_from_numbers_in_forward(t, way):
    import torch

    class Habit(torch.nn.Module):
        def forward(self, x):
            return x * torch.tensor([1.0, 2.0, 3.0])

    class Fix(torch.nn.Module):
        def forward(self, x):
            return x * torch.tensor([1.0, 2.0, 3.0], device=x.device)

    return called(t, way, Habit(), Fix(), t.randn((3,), "f32"))


@rule("DEV14")
def loaded_without_map_location(t, way):
    import torch

    path = os.path.join(t.tmpdir(), "model.pt")
    usual = torch.serialization.location_tag
    torch.serialization.location_tag = lambda storage: "cuda:0"  # as it is written beside CUDA
    try:
        torch.save({"weight": torch.ones(3)}, path)
    finally:
        torch.serialization.location_tag = usual
    return called(
        t,
        way,
        lambda: torch.load(path)["weight"],
        lambda: torch.load(path, map_location="cpu")["weight"].to(t.device),
    )


@rule("RNG01")
def seeds_one_device(t, way):
    import torch

    def drawn_twice(seed):
        def run():
            draws = []
            for _ in range(2):
                seed(7)
                draws.append(torch.rand(4, device=t.device).cpu())
            return draws

        return run

    one, other = called(
        t, way, drawn_twice(torch.cuda.manual_seed_all), drawn_twice(torch.manual_seed)
    )
    t.expect(bool((t.host(one) == t.host(other)).all()), "the same numbers from the same seed")


@rule("RNG02")
def generator_is_named(t, way):
    import torch

    return called(
        t,
        way,
        lambda: torch.rand(3, generator=torch.Generator("cuda").manual_seed(7)).to(t.device),
        lambda: torch.rand(3, generator=torch.Generator("cpu").manual_seed(7)).to(t.device),
    )


@rule("DST01")
def backend_is_named(t, way):
    import torch.distributed as dist

    alone = {"store": dist.HashStore(), "rank": 0, "world_size": 1}

    def habit():
        dist.init_process_group("nccl", **alone)

    def fix():
        dist.init_process_group(dist.get_default_backend_for_device(t.device), **alone)

    try:
        called(t, way, habit, fix)
    finally:
        if dist.is_initialized():
            dist.destroy_process_group()


@rule("DST04")
def devices_are_numbers(t, way):
    import torch

    layer, x = torch.nn.Linear(3, 2).to(t.device), t.randn((4, 3), "f32")
    DDP = torch.nn.parallel.DistributedDataParallel
    with one_process():
        return called(t, way, lambda: DDP(layer, device_ids=[0])(x), lambda: DDP(layer)(x))


# --- dtypes


@rule("DTY01")
def floats_of_64_bits(t, way):
    x = t.randn((3,), "f32")
    return t.call(lambda x: x * 2, x.double() if way == "habit" else x)


@rule("DTY02")
def numbers_of_numpy(t, way):
    import numpy
    import torch

    exact = torch.from_numpy(numpy.linspace(0, 1, 5))
    return t.call(lambda x: x * 2, exact if way == "habit" else exact.float())


@rule("DTY07")
def old_autocast(t, way):
    import torch

    x = t.randn((4, 4), "f32")

    def product(context):
        with context:
            return x @ x

    made = called(
        t,
        way,
        lambda: product(torch.cuda.amp.autocast(dtype=torch.bfloat16)),
        lambda: product(torch.amp.autocast(x.device.type, dtype=torch.bfloat16)),
    )
    t.expect(made.dtype == torch.bfloat16, "a product in bfloat16, got %s" % made.dtype)


@rule("DTY14")
def quantized_eagerly(t, way):
    import torch

    x = t.randn((4, 4), "f32")
    made = called(
        t,
        way,
        lambda: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
        lambda: torch.clamp(torch.round(x / 0.1), -128, 127).to(torch.int8),
    )
    expect_there(t, made)


# --- streams, events, storage


@rule("SYN01")
def timed_without_waiting(t, way):
    import time

    import torch

    def wait():
        if kind(t) == "lazy":
            torch._lazy.mark_step(wait=True)
            torch._lazy.wait_device_ops()

    def habit(x, device):
        x = x.to(device)
        start = time.perf_counter()
        made.append(x @ x)
        return time.perf_counter() - start

    def fix(x, device):
        x = x.to(device)
        wait()
        start = time.perf_counter()
        made.append(x @ x)
        wait()
        return time.perf_counter() - start

    x, made = t.randn((1200, 1200), "f32"), []
    whole = min(fix(x, t.device) for _ in range(3))
    spent = called(t, way, habit, fix, x, t.device)
    wait()
    t.expect(spent > whole / 2, "the time of the work (%.2g s), got %.2g s" % (whole, spent))


@rule("SYN02")
def timed_by_events(t, way):
    import time

    import torch

    x = t.randn((3,), "f32")

    def habit():
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        y = x * 2
        end.record()
        torch.cuda.synchronize()
        return y, start.elapsed_time(end)

    def fix():
        start = time.perf_counter()
        y = (x * 2).cpu()  # which waits
        return y, 1000 * (time.perf_counter() - start)

    y, spent = called(t, way, habit, fix)
    t.expect(spent > 0, "a time, got %g" % spent)
    return y


@rule("SYN06")
def stream_is_named(t, way):
    import torch

    called(t, way, lambda: torch.cuda.Stream(), lambda: torch.Stream(t.device))


@rule("SYN07")
def captures_a_graph(t, way):
    import torch

    x = t.randn((3,), "f32")

    def habit():
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = x * 2
        graph.replay()
        return y

    return called(t, way, habit, lambda: torch.compile(lambda x: x * 2, backend="aot_eager")(x))


@rule("SYN11")
def tells_tensors_by_their_storage(t, way):
    x, y = t.randn((3,), "f32"), t.randn((3,), "f32")
    same = called(t, way, lambda: x.data_ptr() == y.data_ptr(), lambda: x is y)
    t.expect(not same, "two tensors, got one address for both")


# --- what is compiled


@rule("CMP02")
def torchscript(t, way):
    import torch

    x = t.randn((3,), "f32")

    def double(x):
        return x * 2

    def compiled():
        return torch.compile(double, backend="aot_eager")(x)

    return called(t, way, strict(lambda: torch.jit.script(double)(x)), compiled)


@rule("CMP03")
def recurrent_layer_is_compiled(t, way):
    import torch

    layer, x = torch.nn.LSTM(3, 4), t.randn((2, 2, 3), "f32")
    given = x if way == "habit" else layer(x)[0].detach()
    called(t, way, lambda x: layer(x)[0] * 2, lambda made: made * 2, given)


@rule("CMP04")
def sparse_tensor_is_compiled(t, way):
    import torch

    @torch.compile(backend="eager")
    def habit(x, mask):
        return (x * mask).to_sparse() @ x

    @torch.compile(backend="eager")
    def fix(x, mask):
        return (x * mask) @ x

    mask = t.const([[1.0, 0.0, 1.0]] * 3, "f32")
    return called(t, way, habit, fix, t.randn((3, 3), "f32"), mask)


@rule("CMP05")
def generator_is_compiled(t, way):
    import torch

    @torch.compile(backend="eager")
    def habit(x):
        for factor in range(3):
            yield x * factor

    @torch.compile(backend="eager")
    def fix(x):
        return [x * factor for factor in range(3)]

    return list(called(t, way, habit, fix, t.randn((3,), "f32")))


@rule("CMP07")
def size_changes_in_place(t, way):
    import torch

    class Habit(torch.nn.Module):
        def forward(self, x):
            return x.clone().resize_(2, 4) * 2

    class Fix(torch.nn.Module):
        def forward(self, x):
            return x[:2] * 2

    return called(t, way, Habit(), Fix(), t.randn((4, 4), "f32"))


@rule("CMP08")
def function_is_decorated(t, way):
    import torch

    def made(decorate):
        class Exponent(torch.autograd.Function):
            @staticmethod
            @decorate
            def forward(context, x):
                return x.exp()

        def run(x):
            with torch.autocast(x.device.type, dtype=torch.bfloat16):
                return Exponent.apply(x @ x)

        return run

    result = called(
        t,
        way,
        made(torch.cuda.amp.custom_fwd(cast_inputs=torch.float32)),
        made(torch.amp.custom_fwd(device_type=kind(t), cast_inputs=torch.float32)),
        t.randn((3, 3), "f32"),
    )
    t.expect(result.dtype == torch.float32, "the function in float32, got %s" % result.dtype)


@rule("CMP21")
def nested_tensor_is_strided(t, way):
    import torch

    rows = [t.randn((2, 2), "f32"), t.randn((3, 2), "f32")]
    if way == "habit":
        nested = torch.nested.nested_tensor(rows)
    else:
        nested = torch.nested.nested_tensor(rows, layout=torch.jagged)
    t.call(lambda x: x * 2, nested)


# --- what is gone or going


@rule("API01")
def removed_from_pytorch(t, way):
    import torch

    x = t.spd(3, "f32")
    called(t, way, lambda: torch.symeig(x), lambda: torch.linalg.eigh(x))


@rule("API02")
def old_name(t, way):
    import torch

    x = t.randn((3,), "f32")

    def habit():
        import functorch

        return functorch.vmap(torch.sin)(x)

    return called(t, way, strict(habit), strict(lambda: torch.func.vmap(torch.sin)(x)))


@rule("API03")
def old_linear_algebra(t, way):
    import torch

    x = t.spd(3, "f32")
    called(t, way, strict(lambda: torch.qr(x)), strict(lambda: torch.linalg.qr(x)))


@rule("API04")
def removed_from_numpy(t, way):
    import numpy
    import torch

    called(
        t,
        way,
        lambda: torch.as_tensor(numpy.ones(3, numpy.float_)).to(t.device),
        lambda: torch.as_tensor(numpy.ones(3, numpy.float64)).to(t.device),
    )


@rule("API09")
def checkpoint_without_use_reentrant(t, way):
    import torch
    from torch.utils.checkpoint import checkpoint

    x = t.randn((3,), "f32").requires_grad_()
    return called(
        t,
        way,
        strict(lambda: checkpoint(torch.sin, x)),
        strict(lambda: checkpoint(torch.sin, x, use_reentrant=False)),
    )


@rule("API10")
def loaded_without_weights_only(t, way):
    import types

    import torch

    path = os.path.join(t.tmpdir(), "checkpoint.pt")
    torch.save({"weight": torch.ones(3), "options": types.SimpleNamespace(rate=0.1)}, path)
    return called(
        t,
        way,
        lambda: torch.load(path, map_location="cpu")["weight"],
        lambda: torch.load(path, map_location="cpu", weights_only=False)["weight"],
    )


@rule("EXT07")
def private_name(t, way):
    import torch

    called(t, way, lambda: torch._C._cuda_getDeviceCount(), lambda: torch.cuda.device_count())


@rule("EXT12")
def old_way_of_attention(t, way):
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    x = t.randn((1, 2, 3, 4), "f32")

    def attention(context):
        with context:
            return torch.nn.functional.scaled_dot_product_attention(x, x, x)

    return called(
        t,
        way,
        strict(lambda: attention(torch.backends.cuda.sdp_kernel(enable_math=True))),
        strict(lambda: attention(sdpa_kernel(SDPBackend.MATH))),
    )


@rule("DEV17")
def asks_nvidias_tool(t, way):
    import shutil
    import subprocess

    import torch
    from seamark_agent.harness import Skip

    if shutil.which("nvidia-smi"):
        raise Skip("nvidia-smi is on this machine")

    def fix():
        if torch.accelerator.is_available():
            return torch.accelerator.memory_allocated()
        return 0

    called(t, way, lambda: subprocess.check_output(["nvidia-smi", "-L"]), fix)
