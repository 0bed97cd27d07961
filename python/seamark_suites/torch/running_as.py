"""How a program runs: torch.jit.is_scripting, torch.jit.is_tracing, torch.cuda.is_available, layers within torch.autocast."""

from seamark_agent.harness import Skip

from seamark_suites.case import case
from seamark_suites.reference import with_gradient

SCRIPTING, TRACING, CUDA = (
    "torch.jit.is_scripting",
    "torch.jit.is_tracing",
    "torch.cuda.is_available",
)


# --- torch.jit.is_scripting, is_tracing


@case(SCRIPTING, host_only=True, reference="none")
@case(TRACING, host_only=True, reference="none")
def says_no(t, function):
    """Of a program that Python runs, with or without gradients, in a thread, too."""
    import threading

    found = [t.call(function)]
    with t.fw.no_grad():
        found.append(t.call(function))
    thread = threading.Thread(target=lambda: found.append(t.get(function)()))
    thread.start()
    thread.join()
    t.expect(found == [False] * 3 and all(type(one) is bool for one in found), "False three times")
    t.raises(TypeError, t.call, function, 1)


@case(SCRIPTING, dtypes="f32 bf16", reference=lambda np, x: [x * 3, x + 1])
@case(TRACING, dtypes="f32 bf16", reference=lambda np, x: [x * 3, x + 1])
@case(SCRIPTING, dtypes="f64 i64", core=False, reference=lambda np, x: [x * 3, x + 1])
@case(TRACING, dtypes="f64 i64", core=False, reference=lambda np, x: [x * 3, x + 1])
def takes_the_branch_of_python(t, dtype, function):
    """A function that does something else when it is scripted or traced, called as it is."""
    asked = t.get(function)

    def run(x):
        first = x * 2 if asked() else x * 3
        return [first, x + 1 if not asked() else x]

    return t.call(run, t.uniform((5, 6), dtype, 2, 5))


@case(SCRIPTING, dtypes="f32", core=False, reference=lambda np, x: [x * 2, x * 3])
def says_yes_in_a_script(t, dtype):
    """The branch of the script is compiled; the function itself still takes the other."""
    torch = t.fw

    def run(x):
        if torch.jit.is_scripting():
            return x * 2
        return x * 3

    x = t.randn((5, 6), dtype)
    return [t.call(torch.jit.script(run), x), t.call(run, x)]


@case(SCRIPTING, dtypes="f32", core=False, reference=lambda np, x: [x * 2, x * 3])
def leaves_out_what_no_script_can(t, dtype):
    """What stands behind `not is_scripting()` is not compiled."""
    torch = t.fw

    def run(x):
        if not torch.jit.is_scripting():
            return eval("x * 3", {"x": x})
        return x * 2

    x = t.randn((5, 6), dtype)
    return [t.call(torch.jit.script(run), x), run(x)]


@case(SCRIPTING, dtypes="f32", core=False, reference=lambda np, x: x * 3)
def is_no_trace(t, dtype):
    """Tracing is not scripting."""

    def run(x):
        return x * 2 if t.fw.jit.is_scripting() else x * 3

    x = t.randn((5, 6), dtype)
    return t.call(t.fw.jit.trace(run, (x,)), x)


@case(TRACING, dtypes="f32", core=False, reference=lambda np, x, y: [np.exp(y), np.cos(y)])
def says_yes_while_traced(t, dtype):
    """The trace keeps the branch that it took; behind it the answer is no again."""

    def run(x):
        return x.exp() if t.fw.jit.is_tracing() else x.cos()

    x, y = t.uniform((5, 6), dtype, 0.5, 1), t.uniform((5, 6), dtype, 0.5, 1)
    traced = t.fw.jit.trace(run, (x,), check_trace=False)
    t.expect(t.fw.jit.is_tracing() is False, "False behind it")
    return [t.call(traced, y), t.call(run, y)]


@case(TRACING, dtypes="f32", core=False, reference=lambda np, x: x * 3)
def after_a_trace_that_fails(t, dtype):
    def wrong(x):
        raise KeyError("x")

    def run(x):
        return x * 2 if t.fw.jit.is_tracing() else x * 3

    x = t.randn((5, 6), dtype)
    t.raises(KeyError, t.fw.jit.trace, wrong, (x,))
    return t.call(run, x)


@case(TRACING, dtypes="f32", core=False, reference=lambda np, x: x * 3)
def is_no_script(t, dtype):
    """Scripting is not tracing."""
    torch = t.fw

    def run(x):
        if torch.jit.is_tracing():
            return x * 2
        return x * 3

    return t.call(torch.jit.script(run), t.randn((5, 6), dtype))


@case(SCRIPTING, dtypes="f32", core=False, reference=lambda np, x: [2 * x, 3 * x, 2 * x, 2 * x])
def of_modules_and_helpers(t, dtype):
    """In a module's forward, in a function that a script calls, in what was saved and loaded: yes; in the module itself no."""
    import os

    torch = t.fw

    def chosen(x):
        if torch.jit.is_scripting():
            return x * 2
        return x * 3

    def outer(x):
        return chosen(x)

    class Chooses(torch.nn.Module):
        def forward(self, x):
            return chosen(x)

    module, x = Chooses(), t.randn((5, 6), dtype)
    scripted = torch.jit.script(module)
    path = os.path.join(t.tmpdir(), "chooses.pt")
    scripted.save(path)
    loaded = torch.jit.load(path, map_location=t.device)
    calls = torch.jit.script(outer)
    return [t.call(scripted, x), t.call(module, x), t.call(loaded, x), t.call(calls, x)]


@case(SCRIPTING, dtypes="f32", core=False, reference=lambda np, x: [2 * x, 3 * x])
def what_a_script_leaves_to_python(t, dtype):
    """In a function that is marked to be ignored Python runs: no. Its answer as a result is a truth."""
    torch = t.fw

    @torch.jit.ignore
    def left(x):
        return x * 2 if torch.jit.is_scripting() else x * 3

    def run(x):
        if torch.jit.is_scripting():
            return x * 2, left(x)
        return x, x

    def answer():
        return torch.jit.is_scripting()

    t.expect(t.call(torch.jit.script(answer)) is True and answer() is False, "True of the script")
    return list(t.call(torch.jit.script(run), t.randn((5, 6), dtype)))


@case(SCRIPTING, dtypes="f32", grad=True, core=False, reference=with_gradient(
      lambda np, x: 2 * x, lambda np, w, x: 2 * w))  # fmt: skip
def gradient_of_the_script(t, dtype):
    torch = t.fw

    def run(x):
        if not torch.jit.is_scripting():
            return x * 3
        return x * 2

    return t.call(torch.jit.script(run), t.randn((5, 6), dtype))


@case(SCRIPTING, dtypes="f32", core=False, reference=lambda np, *xs: [3 * x for x in xs])
@case(TRACING, dtypes="f32", core=False, reference=lambda np, *xs: [3 * x for x in xs])
def branches_of_three_sizes(t, dtype, function):
    asked = t.get(function)
    run = lambda x: x * 2 if asked() else x * 3  # noqa: E731
    return [t.call(run, t.randn((n, 7), dtype)) for n in (5, 8, 13)]


@case(TRACING, dtypes="f32", core=False, reference=lambda np, x, y: [np.exp(y), -np.exp(y), np.cos(y)])  # fmt: skip
def says_yes_to_what_a_module_calls(t, dtype):
    """Of a module, of a method of its own, of what these call; the module itself takes the other branch."""
    nn, tracing = t.fw.nn, t.fw.jit.is_tracing

    def inner(x):
        return x.exp() if tracing() else x.cos()

    class Own(nn.Module):
        def forward(self, x):
            return inner(x)

        def more(self, x):
            return inner(x).neg()

    x, y = t.uniform((5, 6), dtype, 0.5, 1), t.uniform((5, 6), dtype, 0.5, 1)
    module = Own()
    with t.fw.no_grad():
        traced = t.fw.jit.trace_module(module, {"forward": x, "more": x}, check_trace=False)
    return [t.call(traced, y), t.call(traced.more, y), t.call(module, y)]


@case(TRACING, dtypes="f32", core=False, reference="none")
def says_yes_in_its_thread_alone(t, dtype):
    """Another thread that runs meanwhile is not traced."""
    import threading

    x, found = t.randn((3,), dtype), []

    def run(x):
        thread = threading.Thread(target=lambda: found.append(t.get(TRACING)()))
        thread.start()
        thread.join()
        found.append(t.get(TRACING)())
        return x * 2

    traced = t.call(t.fw.jit.trace, run, (x,), check_trace=False)
    t.expect(found == [False, True], "no in the thread and yes here, got %s" % found)
    t.expect(bool((t.host(traced(x)) == 2 * t.host(x)).all()), "the trace")


@case(TRACING, dtypes="f32", core=False, since=("2.0", "torch.func"), reference=lambda
      np, x, v: [np.cos(x), np.cos(x), -v * np.sin(x), -np.sin(x)])  # fmt: skip
def transforming_is_no_trace(t, dtype):
    """A batch, a direction, a gradient: Python runs."""
    func, x, v = t.fw.func, t.randn((3, 4), dtype), t.randn((3, 4), dtype)

    def run(x):
        return x.exp() if t.fw.jit.is_tracing() else x.cos()

    made = [t.call(func.vmap(run), x), *t.call(lambda x, v: func.jvp(run, (x,), (v,)), x, v)]
    return [*made, t.call(func.grad(lambda x: run(x).sum()), x)]


# --- torch.cuda.is_available


@case(CUDA, host_only=True, reference="none")
def agrees_with_the_count(t):
    """True where there is a device, in a build that can use it; the same when it is asked again."""
    found = [t.call(CUDA) for _ in range(3)]
    t.expect(all(type(one) is bool for one in found), "bools")
    t.expect(found == [t.fw.cuda.device_count() > 0] * 3, "a device or none, got %s" % found)
    built = t.fw.version.cuda is not None or t.fw.version.hip is not None
    t.expect(built or not found[0], "no device of a build without CUDA")
    t.raises(TypeError, t.call, CUDA, 0)


@case(CUDA, host_only=True, reference="none")
def says_what_works(t):
    """Where it says yes a tensor is made there; where no, that raises."""
    if t.call(CUDA):
        made = t.fw.arange(4, device="cuda") * 2
        t.expect(made.is_cuda and made.tolist() == [0, 2, 4, 6], "numbers of the device")
    else:
        t.raises((AssertionError, RuntimeError), t.fw.ones, 2, device="cuda")


@case(CUDA, host_only=True, reference=lambda np, x: x * 2)
def chooses_where_to_run(t):
    """A program that takes a GPU where there is one, and the CPU elsewhere."""
    device = "cuda" if t.call(CUDA) else "cpu"
    made = t.randn((4, 5), "f32").to(device) * 2
    t.expect(made.device.type == device, "there")
    return made


@case(CUDA, host_only=True, core=False, reference="none")
def asking_starts_nothing(t):
    """A program may ask before it forks; by NVML, too."""
    import os

    name = "PYTORCH_NVML_BASED_CUDA_CHECK"
    started, before = t.fw.cuda.is_initialized(), os.environ.get(name)
    found = [t.call(CUDA)]
    try:
        os.environ[name] = "1"
        found.append(t.call(CUDA))
    finally:
        os.environ.pop(name, None)
        if before is not None:
            os.environ[name] = before
    t.expect(t.fw.cuda.is_initialized() == started, "nothing started")
    there = t.fw.cuda.device_count() > 0
    t.expect(found == [there, there], "the same answer in both ways, got %s" % found)


@case(CUDA, host_only=True, core=False, reference="none")
def no_where_none_is_visible(t):
    """CUDA_VISIBLE_DEVICES="" hides all of them from a new process."""
    import os
    import subprocess
    import sys

    text = "import torch; print(torch.cuda.is_available(), torch.cuda.device_count())"
    hidden = dict(os.environ, CUDA_VISIBLE_DEVICES="", HIP_VISIBLE_DEVICES="")
    done = subprocess.run([sys.executable, "-c", text], env=hidden, capture_output=True, text=True)
    t.expect(t.call(CUDA) == (t.fw.cuda.device_count() > 0), "this process as before")
    t.expect(done.stdout.split() == ["False", "0"], "False and 0, got %s" % done.stdout)


@case(CUDA, core=False, reference="none")
def is_of_the_target(t):
    """On a target that is a CUDA device it says yes, and "cuda" is that device."""
    if t.device == "cpu":
        raise Skip("no CPU reference: only a CUDA device can do this")
    there = t.call(lambda: t.fw.ones(3, device="cuda" if t.fw.cuda.is_available() else "cpu"))
    t.expect(there.device.type == t.fw.device(t.device).type, "the target's kind of device")


# --- autocast


@case("torch.autocast", dtypes="f32", lower=["bf16", "f16"], core=False, rtol={"f16": 2e-3})  # what is given is rounded, too # fmt: skip
def convolutions_in_half(t, dtype, lower):
    """Transposed ones of one to three axes, and one of three axes."""
    fw, kind = t.fw, t.fw.device(t.device).type
    f = fw.nn.functional
    drawn = [t.uniform(shape, dtype, 0.5, 1) for n in (1, 2, 3) for shape in ((2, 3, *(5, 4, 3)[:n]), (3, 4, *(2, 3, 2)[:n]))]  # fmt: skip
    kernel = t.uniform((4, 3, 2, 2, 2), dtype, 0.5, 1)

    def run(kernel, *drawn):
        with fw.autocast(kind, dtype=t.dtype(lower)):
            turned = [f.conv_transpose1d, f.conv_transpose2d, f.conv_transpose3d]
            made = [one(*drawn[2 * n : 2 * n + 2]) for n, one in enumerate(turned)]
            return [*made, f.conv3d(drawn[4], kernel)]

    made = t.call(run, kernel, *drawn)
    kinds = {one.dtype for one in made}
    lowered = made[0].dtype is fw.float64 or kinds == {
        t.dtype(lower)
    }  # f64, for the reference, stays
    t.expect(lowered, "all in %s, got %s" % (lower, kinds))
    return made


@case("torch.autocast", dtypes="f32", core=False, rtol={"f32": 3e-2}, atol={"f32": 2e-2})  # five steps, each rounded to bf16 # fmt: skip
def recurrent_layers_in_half(t, dtype):
    """Two layers of an LSTM, whose parameters and states are in f32."""
    fw, kind = t.fw, t.fw.device(t.device).type
    layer = t.construct(lambda: fw.nn.LSTM(6, 4, 2), dtype=dtype)
    x, states = t.randn((5, 3, 6), dtype), [t.randn((2, 3, 4), dtype) for _ in "hc"]

    def run(x, *states):
        with fw.autocast(kind, dtype=fw.bfloat16):
            made, kept = layer(x, states)
        return [made.to(x.dtype), *(one.to(x.dtype) for one in kept)]

    return t.call(run, x, *states)


@case(TRACING, dtypes="f32", core=False, reference=lambda np, x, y: [3 * y, 4 * y])
def in_scripts_and_functions_of_ones_own(t, dtype):
    """A script that is traced is none; a function of one's own is, in forward and in backward."""
    torch, seen = t.fw, []

    def scripted(x):
        if torch.jit.is_tracing():
            return x * 2
        return x * 3

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append(t.get(TRACING)())
            return x * 2

        @staticmethod
        def backward(ctx, slope):
            seen.append(t.get(TRACING)())
            return slope * 2

    def slope(x):
        made = Own.apply(x)
        return torch.autograd.grad((made**2 / 2).sum(), x)[0]

    x, y = t.randn((5, 6), dtype, grad=True), t.randn((5, 6), dtype)
    inner = torch.jit.script(scripted)
    traced = torch.jit.trace(lambda x: inner(x), (y,), check_trace=False)
    first = t.call(traced, y)
    made = torch.jit.trace(slope, (x,), check_trace=False)(y.clone().requires_grad_())
    t.expect(seen[:2] == [True, True], "yes in both, got %s" % seen)
    return [first, made.detach()]


@case(TRACING, core=False, reference="none", since=("2.1", "torch.export"))
def other_tracers(t):
    """torch.fx, make_fx and torch.export trace otherwise: the answer is no."""
    from torch.fx.experimental.proxy_tensor import make_fx

    fw, seen, x = t.fw, [], t.randn((3,), "f32")

    class Own(fw.nn.Module):
        def forward(self, x):
            seen.append(t.get(TRACING)())
            return x * 2

    for trace in (lambda: make_fx(Own())(x), lambda: fw.fx.symbolic_trace(Own()), lambda: fw.export.export(Own(), (x,)).module()):  # fmt: skip
        traced = trace()
        t.expect(seen and not any(seen), "no, got %s" % seen)
        del seen[:]
        t.expect(bool((t.host(t.call(traced, x)) == 2 * t.host(x)).all()), "what was traced")


@case(
    SCRIPTING,
    dtypes="f32",
    core=False,
    reference=lambda np, x: [2 * x, 3 * x, 2 * x + 1, 2 * x, x - 1, 4 * x],
)
def within_other_conditions(t, dtype):
    """Behind else nothing is compiled; beside and, or, not; in a conditional expression; in a loop; of a method that is exported."""
    torch = t.fw

    def either(x):
        if torch.jit.is_scripting():
            return x * 2
        else:
            return eval("x * 3", {"x": x})

    def both(x):
        made = x * 2 if torch.jit.is_scripting() and x.dim() == 2 else x * 3
        if not torch.jit.is_scripting() or x.dim() != 2:
            return made
        return made + 1

    def again(x):
        for _ in range(2):
            x = x * 2 if torch.jit.is_scripting() else x * 3
        return x

    class Exported(torch.nn.Module):
        def forward(self, x):
            return x

        @torch.jit.export
        def other(self, x):
            if torch.jit.is_scripting():
                return x * 2
            return x * 3

        @torch.jit.unused
        def unused(self, x):
            return x - 1 if not torch.jit.is_scripting() else x

    x, script, module = t.randn((5, 6), dtype), torch.jit.script, Exported()
    made = [t.call(script(either), x), t.call(either, x), t.call(script(both), x)]
    made += [t.call(script(module).other, x), module.unused(x)]
    return [*made, t.call(script(again), x)]
