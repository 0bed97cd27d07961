"""How a program runs: torch.jit.is_scripting, torch.jit.is_tracing, torch.cuda.is_available."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

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


@case(SCRIPTING, dtypes="f32", core=False, reference=lambda np, *xs: [3 * x for x in xs])
@case(TRACING, dtypes="f32", core=False, reference=lambda np, *xs: [3 * x for x in xs])
def branches_of_three_sizes(t, dtype, function):
    asked = t.get(function)
    run = lambda x: x * 2 if asked() else x * 3  # noqa: E731
    return [t.call(run, t.randn((n, 7), dtype)) for n in (5, 8, 13)]


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
