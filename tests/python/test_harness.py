"""The harness must notice what is wrong: mutations of a small framework of lists, one at a time."""

import contextlib
import gc
import os
import sys

import numpy as np
import pytest
from seamark_agent import adapters, measure
from seamark_agent.adapters.base import Adapter, Proof, widen
from seamark_agent.harness import Runner, Skip
from seamark_suites import case as dsl

NUMPY = {"f32": "float32", "f64": "float64", "f16": "float16", "i64": "int64", "bool": "bool", "c64": "complex64",
         "c128": "complex128"}  # fmt: skip


class Array:
    """A NumPy array that knows a device."""

    def __init__(self, values, device="dev"):
        self.values, self.device = values, device
        self.shape, self.ndim = values.shape, values.ndim


class Toy(Adapter):
    """A framework with one device; `broken` says what is wrong with it."""

    framework, root, device = "torch", "torch", "dev"
    lowers_precision = True

    def __init__(self, broken=None):
        Adapter.__init__(self, {"name": "torch/toy", "device": "dev"})
        self.broken = broken
        self.exact = False

    def import_framework(self):
        return "1"

    def lookup(self, name):
        if name == "torch.square":
            return self.square
        raise AttributeError(name)

    def square(self, x):
        values = x.values * x.values
        if x.device != "dev" or self.broken is None:
            return Array(values, x.device)
        return self.mutate(values)

    def mutate(self, values):
        if self.broken == "zeros":
            return Array(np.zeros_like(values))
        if self.broken == "dtype":
            return Array(values.astype("float64"))
        if self.broken == "perturbed":
            values = values.copy()
            values.flat[-1] *= 1.01
        elif self.broken == "shape":
            values = values.reshape(-1)
        elif self.broken == "away":
            return Array(values, "cpu")
        elif self.broken == "imprecise" and not self.exact:
            values = (values.astype("float32") * np.float32(1.0001)).astype(values.dtype)
        elif self.broken == "coarse" and values.dtype == np.float32:
            values = values * np.float32(1.0001)
        elif self.broken == "raises":
            raise RuntimeError("no kernel")
        elif self.broken == "structure":
            return [Array(values), Array(values)]
        return Array(values)

    def dtype(self, name, place):
        return np.dtype(NUMPY[widen(name) if place == "wide" else name])

    def from_numpy(self, array, dtype, place, grad=False, noncontiguous=False):
        made = np.asarray(array).astype(NUMPY[dtype]).astype(self.dtype(dtype, place))
        return Array(made, self.device_of(place))

    def to_numpy(self, array):
        kind = array.values.dtype.kind
        return array.values.astype(
            {"f": "float64", "c": "complex128", "b": "bool"}.get(kind, "int64")
        )

    def is_array(self, value):
        return isinstance(value, Array)

    def dtype_name(self, array):
        return {long: short for short, long in NUMPY.items()}[str(array.values.dtype)]

    def devices(self, array):
        return [array.device]

    def unit(self, function, args, kwargs, grad, place):
        return lambda: function(*args, **kwargs)

    @contextlib.contextmanager
    def prove(self):
        proof = Proof("toy", on_device=self.broken != "unseen")
        yield proof
        if self.broken == "fallback":
            proof.fallback_ops.append("toy::square")

    @contextlib.contextmanager
    def highest_precision(self):
        self.exact = True
        yield
        self.exact = False


def make(body, **header):
    header.setdefault("dtypes", "f32")
    block = dsl._Block("torch.square", body, header, {})
    return next(iter(dsl.expand(block, "test", "source")))


def square(t, dtype):
    return t.call("torch.square", t.randn((4, 5), dtype))


def run(broken=None, body=square, phase="correctness", **header):
    return Runner(Toy(broken)).run(make(body, **header), phase)


def test_a_right_result_is_verified():
    end = run()
    assert (end["outcome"], end["evidence"]) == ("pass", "verified")
    assert end["placement"]["where"] == "device" and end["placement"]["outputs"] == ["dev"]
    assert end["reference"]["kind"] == "cpu-wide" and end["reference"]["max_rel_err"] < 1e-6
    assert 0 < end["reference"]["max_ulp_err"] <= 0.5  # a product is rounded once


class Cpu(Toy):
    """The framework on its own CPU."""

    cpu_is_reference = True


class Differentiable(Toy):
    """One more function, with gradients."""

    def lookup(self, name):
        return self.subtract if name == "torch.subtract" else Toy.lookup(self, name)

    def subtract(self, x, y):
        return Array(x.values - y.values, x.device)

    def unit(self, function, args, kwargs, grad, place):
        if not grad:
            return lambda: function(*args, **kwargs)
        # Any gradients do that are the same at every place.
        return lambda: (function(*args, **kwargs), [Array(x.values * 2, x.device) for x in args])


def on_cpu(body=square, broken=None, **header):
    return Runner(Cpu(broken)).run(make(body, **header), "correctness")


@pytest.mark.parametrize("place", ["wide", "native"])
def test_a_reference_that_raises_alone_is_an_error(place):
    def body(t, dtype):
        if t.place == "wide":
            raise RuntimeError("no f64 here")
        return square(t, dtype)

    end = on_cpu(body) if place == "native" else run(body=body)
    assert (end["outcome"], end["evidence"]) == ("error", "executed")
    assert "its reference (cpu-wide) raises where plain CPU execution passes" in end["reason"]
    assert "no f64 here" in end["reason"] and end["failure"]["stage"] == "reference"


def test_an_analytic_reference_that_raises_alone_is_an_error():
    end = run(reference=lambda np, x: x * undefined)  # noqa: F821
    assert end["outcome"] == "error" and "(analytic) raises" in end["reason"]
    assert "undefined" in end["reason"] and end["failure"]["stage"] == "reference"


@pytest.mark.parametrize("reference", [None, lambda np, x: 1 / 0])
def test_what_the_cpu_cannot_do_has_no_reference_and_counts(reference):
    def body(t, dtype):
        if t.place != "target":
            raise RuntimeError("no such kernel on the CPU")
        return square(t, dtype)

    end = run(body=body, reference=reference)
    assert (end["outcome"], end["evidence"]) == ("pass", "executed")
    assert end["reference"]["kind"] == "none"
    assert end["reference"]["note"].startswith("no CPU reference: ")


def test_what_was_compared_has_its_true_name():
    assert run()["reference"]["kind"] == "cpu-wide"
    assert run(dtypes="f64")["reference"]["kind"] == "cpu-native"
    assert run(dtypes="f64")["evidence"] == "verified"  # another device
    assert run(reference="none", body=lambda t, dtype: square(t, dtype) and None)["reference"] == {
        "kind": "state"
    }
    assert run(body=lambda t, dtype: square(t, dtype) and None)["reference"]["kind"] == "none"


def test_what_is_compared_with_itself_alone_is_executed():
    for dtype in ("f64", "i64", "c128"):
        end = on_cpu(dtypes=dtype)
        assert (end["outcome"], end["evidence"]) == ("pass", "executed"), dtype
        assert end["reference"]["kind"] == "cpu-native"
        assert "compared with itself" in end["reference"]["note"]
    assert on_cpu(dtypes="f32")["evidence"] == "verified"
    independent = on_cpu(dtypes="f64", reference=lambda np, x: x * x)
    assert (independent["evidence"], independent["reference"]["kind"]) == ("verified", "analytic")
    assert run(dtypes="f64", host_only=True)["evidence"] == "executed"  # on the host anywhere


def test_a_result_gives_itself_no_slack():
    case = make(square, dtypes="f32")
    case.slack = "cpu"
    end = Runner(Cpu("imprecise")).run(case, "correctness")
    assert (end["outcome"], end["evidence"]) == ("pass", "executed")
    assert "beyond the published tolerance: result: " in end["reference"]["note"]
    assert Runner(Cpu("zeros")).run(case, "correctness")["outcome"] == "fail"


def test_an_adapter_may_be_a_file_of_the_users(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from seamark_agent.adapters.selftest import TargetAdapter as Selftest\n"
        "class TargetAdapter(Selftest):\n    known_options = ('speed',)\n"
    )
    entry = {"name": "selftest/mine", "adapter": str(path), "options": {"speed": 1}}
    assert type(adapters.load(entry)).__module__.startswith("seamark_user_adapter_")
    with pytest.raises(adapters.Unusable, match="unknown key 'sped'"):
        adapters.load(dict(entry, options={"sped": 1}))
    with pytest.raises(adapters.Unusable, match="does not load"):
        adapters.load(dict(entry, adapter=str(tmp_path / "lost.py")))
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(adapters.Unusable, match="no class TargetAdapter"):
        adapters.load(dict(entry, adapter=str(tmp_path / "empty.py")))


def test_where_nothing_was_seen_the_place_is_unknown():
    placement = run("unseen")["placement"]
    assert placement["where"] == "unknown"
    assert placement["note"] == "nothing shows where it ran"


@pytest.mark.parametrize("broken,text", [
    ("zeros", "elements differ"), ("dtype", "dtype f64, expected f32"), ("perturbed", "1 of 20 elements"),
    ("shape", "shape"), ("structure", "2 leaves, expected 1"),
])  # fmt: skip
@pytest.mark.parametrize("reference", [None, lambda np, x: x * x])
def test_mutations_are_noticed(broken, text, reference):
    end = run(broken, reference=reference)
    assert end["outcome"] == "fail" and end["failure"]["stage"] == "compare"
    assert text in end["failure"]["message"]
    assert end["failure"]["precision_rerun"] == ("fail" if "elements" in text else None)
    # How far it was off is kept of what is wrong, too.
    assert (end["reference"].get("max_ulp_err") is not None) == ("elements" in text)
    assert end["evidence"] == "executed"


def test_the_right_result_on_the_wrong_device_is_noticed():
    end = run("away")
    assert end["outcome"] == "pass" and end["placement"]["where"] == "host"
    assert "host-fallback" in end["attributes"] and "cpu" in end["placement"]["note"]


def test_a_fallback_is_an_attribute_not_a_failure():
    end = run("fallback")
    assert end["outcome"] == "pass" and end["attributes"] == ["host-fallback"]
    assert (end["placement"]["where"], end["placement"]["fallback_ops"]) == (
        "host",
        ["toy::square"],
    )


def test_one_call_on_the_host_and_another_unseen_is_on_the_host():
    class Mixed(Toy):
        def prove(self):
            self.broken = "unseen" if self.broken == "fallback" else "fallback"
            return Toy.prove(self)

    def twice(t, dtype):
        return t.call("torch.square", t.call("torch.square", t.randn((4, 5), dtype)))

    end = Runner(Mixed()).run(make(twice), "correctness")
    assert (end["outcome"], end["placement"]["where"]) == ("pass", "host")
    assert end["attributes"] == ["host-fallback"]


def test_precision_is_told_from_a_wrong_result():
    end = run("imprecise")
    assert (end["outcome"], end["evidence"]) == ("pass", "verified")
    assert end["attributes"] == ["default-precision"]
    assert end["reference"]["max_rel_err"] > end["reference"]["rtol"]  # of the default
    end = run("coarse")
    assert end["outcome"] == "fail" and end["failure"]["precision_rerun"] == "pass"


def test_what_shows_only_that_nothing_was_raised_says_so():
    end = run(reference="runs")
    assert (end["outcome"], end["evidence"]) == ("pass", "executed")
    assert end["attributes"] == ["unchecked"]
    assert run()["attributes"] == run(reference="shapes")["attributes"] == []


def test_chance_is_no_precision():
    """Wrong at first, and right when asked again."""
    toy, calls = Toy(), []

    def wrong_once(x):
        calls.append(x.device)
        return Array(x.values**2 * (1.01 if calls == ["dev"] else 1), x.device)

    toy.square, toy.lowers_precision = wrong_once, False
    assert Runner(toy).run(make(square), "correctness")["outcome"] == "fail"


@pytest.mark.parametrize(("off", "rerun"), [(1e-5, "pass"), (0.5, "fail")])
def test_a_deviation_where_there_is_no_f64(off, rerun):
    toy = Toy()
    toy.square = lambda x: Array(
        (x.values**2 * (1 + off * (x.device == "dev"))).astype(x.values.dtype), x.device
    )
    give = toy.from_numpy

    def refuse(array, dtype, place, **rest):
        if dtype == "f64" and place == "target":
            raise TypeError("no float64 here")
        return give(array, dtype, place, **rest)

    toy.from_numpy = refuse
    end = Runner(toy).run(make(square), "correctness")
    assert end["outcome"] == "fail" and end["failure"]["precision_rerun"] == rerun


def test_an_exception_is_of_the_call():
    end = run("raises")
    assert end["failure"]["stage"] == "call" and end["failure"]["type"] == "RuntimeError"


def test_a_reference_sees_what_was_drawn():
    """Inputs before the call changed them, then the parameters of what was constructed; all as the target saw them."""

    class Scale:
        def __call__(self, x):
            x.values *= self.by.values
            return Array(x.values.copy(), x.device)

    class WithParameters(Toy):
        def construct(self, factory, args, kwargs, dtype, place):
            return factory()

        def fill_parameters(self, thing, draw, dtype, place):
            thing.by = self.from_numpy(draw((3,)), dtype, place)

    def scaled(t, dtype):
        scale = t.construct(Scale, dtype=dtype)
        return t.call(scale, t.randn((2, 3), dtype))

    given = []

    def reference(np, x, by):
        given.extend((x, by))
        return x * by

    end = Runner(WithParameters()).run(
        make(scaled, dtypes="f16", reference=reference), "correctness"
    )
    assert (end["outcome"], end["reference"]["kind"]) == ("pass", "analytic"), end
    assert all((x == x.astype("float16")).all() and x.dtype == "float64" for x in given)
    assert [x.shape for x in given] == [(2, 3), (3,)]


def test_a_trivial_reference_is_the_cases_defect():
    end = run(body=lambda t, dtype: t.call("torch.square", t.const([0.0, 0.0], dtype)))
    assert end["outcome"] == "error" and "trivial=True" in end["reason"]
    assert (
        run(body=lambda t, dtype: t.call("torch.square", t.const([0.0], dtype)), trivial=True)[
            "outcome"
        ]
        == "pass"
    )


def test_inputs_that_make_the_reference_trivial_are_no_defect():
    """Two numbers, each one or two: the same in every second draw."""
    few = make(lambda t, dtype: t.call("torch.square", t.randint((2,), dtype, 1, 3)))
    ends = [Runner(Toy(), seed).run(few, "correctness") for seed in range(40)]
    assert {end["outcome"] for end in ends} == {"pass", "error"}  # error: the next seed's are, too
    weak = [end for end in ends if end["evidence"] != "verified" and end["outcome"] == "pass"]
    assert 2 < len(weak) < 20 and all("shows little" in end["reference"]["note"] for end in weak)


def test_a_body_that_asks_for_what_the_header_lacks():
    end = run(body=lambda t, dtype, axis: None)
    assert end["outcome"] == "error" and "axis" in end["reason"]


def error_of(body, runner=None, **header):
    end = (runner or Runner(Toy())).run(make(body, **header), "correctness")
    assert end["outcome"] == "error", end
    return end["reason"]


def test_a_body_without_a_call_tests_nothing():
    def body(t, dtype):
        t.randn((3,), dtype)
        t.expect(True, "nothing")

    assert "never calls t.call" in error_of(body, reference="none")


@pytest.mark.parametrize("adapter", [Toy, Cpu])
def test_a_mistake_of_the_case_is_an_error_with_its_line(adapter):
    def misspelt(t, dtype):
        return t.call("torch.square", t.rndn((3,), dtype))

    def unknown_name(t, dtype):
        return t.call("torch.square", t.randn(shape, dtype))  # noqa: F821

    def unknown_within(t, dtype):
        return t.call(lambda x: squared(x), t.randn((3,), dtype))  # noqa: F821

    def of_numpy(t, dtype):
        return t.call("torch.square", t.const(t.np.reshape([1.0, 2.0], 3), dtype))

    def of_python(t, dtype):
        return t.call("torch.square", t.randn(tuple(None), dtype))

    runner = Runner(adapter())
    assert "there is no t.rndn" in error_of(misspelt, runner)
    for body in (unknown_name, unknown_within, of_numpy, of_python):
        line = body.__code__.co_firstlineno + 1
        assert "test_harness.py line %d: " % line in error_of(body, runner), body


class Refusing(Toy):
    """A device that takes no input in f16."""

    def from_numpy(self, array, dtype, place, grad=False, noncontiguous=False):
        if dtype == "f16" and place == "target":
            raise RuntimeError("no half on this device")
        return Toy.from_numpy(self, array, dtype, place)


def test_what_the_target_raises_before_the_call_is_its_failure():
    def direct(t, dtype):
        if t.place == "target":
            raise RuntimeError("the framework's own text")  # as from C: no frame of the framework
        return square(t, dtype)

    def missing(t, dtype):
        return t.call(t.get("torch.new_name"), t.randn((3,), dtype))

    def missing_within(t, dtype):
        return t.call(contextlib.new_name, t.randn((3,), dtype))

    placed = Runner(Refusing()).run(make(square, dtypes="f16"), "correctness")
    for end in (
        placed,
        run(body=direct),
        run(body=missing),
        on_cpu(missing),
        on_cpu(missing_within),
    ):
        assert (end["outcome"], end["failure"]["stage"]) == ("fail", "setup"), end
    assert "torch.new_name" in on_cpu(missing)["failure"]["message"]


def test_a_gradient_that_does_not_come_back_is_a_failure():
    class Missing(Toy):
        def unit(self, function, args, kwargs, grad, place):
            gradients = [] if self.broken == "inputs" else [args[0], None]
            return lambda: (function(*args, **kwargs), gradients)

    for broken, said in ((None, "of input 2"), ("inputs", "no input that could")):
        case = make(square, grad=True)
        end = Runner(Missing(broken)).run(case, "correctness")
        assert (end["outcome"], end["failure"]["stage"]) == ("fail", "call")
        assert "no gradient came back" in end["failure"]["message"]
        assert said in end["failure"]["message"]


def test_a_skip_has_its_reason():
    def body(t, dtype):
        raise Skip("not here")

    end = run(body=body)
    assert (end["outcome"], end["reason"]) == ("skip", "not here")


def test_checks_of_the_body():
    def body(t, dtype):
        t.raises(RuntimeError, t.call, "torch.square", t.randn((3,), dtype))

    assert run("raises", body, reference="none")["outcome"] == "pass"
    end = run(None, body, reference="none")
    assert end["outcome"] == "fail" and end["failure"]["stage"] == "compare"


class OutOfMemoryError(RuntimeError):
    """As torch.OutOfMemoryError."""


class Unsupported(RuntimeError):
    """As Dynamo's."""


def raising(error):
    def body(t, dtype):
        def refuse():
            raise error

        t.raises((RuntimeError, ValueError), t.call, refuse)

    return run(body=body, reference="none")


@pytest.mark.parametrize(
    "error",
    [
        NotImplementedError("no kernel"),
        OutOfMemoryError("tried to allocate"),
        Unsupported("a graph break"),
        RuntimeError("RESOURCE_EXHAUSTED: Out of memory"),
        RuntimeError("INTERNAL: the compiler failed"),
    ],
    ids=lambda error: type(error).__name__ + str(error)[:8],
)
def test_what_is_no_refusal_goes_on_as_it_is(error):
    Toy.no_refusals = (*Adapter.no_refusals, "OutOfMemoryError", "Unsupported")
    try:
        end = raising(error)
    finally:
        del Toy.no_refusals
    assert (end["outcome"], end["failure"]["stage"]) == ("fail", "call")
    assert end["failure"]["type"].endswith(type(error).__name__)
    assert end["failure"]["message"] == str(error)


def test_a_refusal_is_what_the_case_names_or_the_framework_has_for_it():
    assert raising(ValueError("no such axis"))["outcome"] == "pass"

    def named(t, dtype):
        t.raises(NotImplementedError, t.call, "torch.refuse")

    def any_class(t, dtype):
        t.refuses("torch.refuse")

    class Refusing(Toy):
        def lookup(self, name):
            return self.refuse

        def refuse(self):
            raise self.broken

    def outcome(body, error):
        return Runner(Refusing(error)).run(make(body, reference="none"), "correctness")["outcome"]

    assert outcome(named, NotImplementedError("order='F'")) == "pass"
    assert outcome(any_class, TypeError("no text")) == "pass"
    assert outcome(any_class, NotImplementedError("no kernel")) == "fail"
    compiling = RuntimeError("the device's compiler")
    compiling.seamark_fails_on_reference = False
    assert outcome(any_class, compiling) == "fail"


@pytest.mark.parametrize(
    "shift,scale,outcome", [(0, 1, "pass"), (0.5, 1, "fail"), (0, 1.5, "fail"), (0, 0.5, "fail")]
)
def test_statistics_notice_a_wrong_distribution(shift, scale, outcome):
    def body(t, dtype):
        square(t, dtype)
        drawn = np.random.Generator(np.random.PCG64(7)).standard_normal(4000) * scale + shift
        t.statistics(drawn, mean=0.0, std=1.0, low=-10, high=10)

    assert run(body=body, reference="none")["outcome"] == outcome


def test_timing_times_every_call_and_checks_nothing():
    end = run("perturbed", phase="timing")
    operation = end["operations"][0]
    assert (
        end["outcome"] == "pass"
        and end["cold_kind"] == "cold-op"
        and operation["name"] == "torch.square"
    )
    assert operation["cold_s"] > 0 and len(operation["warm_s"]) >= 5
    assert "reference" in end and end["reference"] == {}


def time_it(toy):
    return Runner(toy).run(make(square), "timing")


def test_what_cannot_be_waited_for_has_no_time():
    toy = Toy()
    toy.cannot_wait = lambda: "the plug-in has no synchronize"
    end = time_it(toy)
    (operation,) = end["operations"]
    assert end["outcome"] == "pass" and operation["cold_s"] is None and operation["warm_s"] == []
    assert (
        "no synchronize" in operation["cold_reason"]
        and "no synchronize" in operation["warm_reason"]
    )


def test_only_the_first_case_is_cold_where_something_stays():
    toy = Toy()
    toy.left_warm = "kernels stay loaded"
    runner = Runner(toy)
    first, second = (runner.run(make(square), "timing")["operations"][0] for _ in range(2))
    assert first["cold_s"] > 0 and first["cold_reason"] is None
    assert second["cold_s"] is None and second["cold_reason"] == "kernels stay loaded"


def test_no_case_is_cold_where_caches_cannot_be_dropped():
    toy = Toy()
    toy.clear_caches = lambda: "a folder of an earlier process is read"
    runner = Runner(toy)
    for _ in range(2):
        (operation,) = runner.run(make(square), "timing")["operations"]
        assert operation["cold_s"] is None and "earlier process" in operation["cold_reason"]


def of_sizes(t, sizes):
    return [t.call("torch.square", t.randn((n, 3), "f32")) for n in sizes]


def test_what_each_size_compiled():
    """By the calls as they are made, or by one program where a target compiles whole calls."""

    def by_size(toy, sizes):
        found = Runner(toy).run(make(of_sizes, sizes=[sizes]), "correctness")
        assert found["outcome"] == "pass", found
        return [name for name in found["attributes"] if name.startswith("compiled-by-size-")]

    compiled = []  # a program for each size that comes first
    toy = Toy()
    toy.square = lambda x: compiled.append(x.shape) or Array(x.values * x.values, x.device)
    toy.counters = lambda: {"compilations": len(set(compiled))}
    assert by_size(toy, (2, 5, 2, 4)) == ["compiled-by-size-1,1,0,1"]
    assert by_size(toy, (7, 7)) == []  # one size
    once = []
    toy.counters = lambda: {"compilations": len(once)}
    toy.one_program = lambda function, args, kwargs: lambda x: once.append(x) if not once else None
    assert by_size(toy, (2, 5, 4)) == ["compiled-by-size-1,0,0"]
    toy.one_program = lambda function, args, kwargs: lambda x: 1 // 0
    assert by_size(toy, (2, 5)) == []  # a program that cannot be made says nothing
    del toy.counters
    assert by_size(toy, (2, 5)) == []


def test_what_a_timed_call_costs_beside():
    toy, calls, collecting = Toy(), [], []

    def square(x):
        calls.append(1)
        collecting.append(gc.isenabled())
        return Toy.square(toy, x)

    toy.square = square
    toy.counters = lambda: {
        "compile_s": 0.5 if calls else 0.0,
        "compilations": min(len(calls), 4),
        "transfers": 2 * len(calls),
        "transfer_bytes": 24 * len(calls),
    }
    end = time_it(toy)
    (operation,), costs = end["operations"], end["costs"]
    assert costs["compile_s"] == 0.5  # of the cold call
    assert costs["recompilations"] == 3  # of the warm ones
    assert costs["transfers"] == 2 and costs["transfer_bytes"] == 24  # of one warm call
    assert 0 < costs["empty_s"] < min(operation["warm_s"])
    assert not any(collecting) and gc.isenabled()
    assert set(operation) == {
        "name", "cold_s", "cold_reason", "warm_s", "warm_reason", "inner", "device_s",
    }  # fmt: skip
    del toy.counters
    costs = time_it(toy)["costs"]
    assert costs["compile_s"] is costs["recompilations"] is costs["transfer_bytes"] is None


@pytest.mark.skipif(not os.path.exists("/proc/self/clear_refs"), reason="needs Linux's /proc")
def test_the_greatest_memory_of_a_call_is_seen():
    def takes():
        bytearray(64 << 20)

    assert 60 << 20 < measure.resident_peak(takes) < 80 << 20
    assert measure.resident_peak(lambda: None) < 4 << 20


def test_a_failure_while_timing_is_a_failure():
    assert run("raises", phase="timing")["outcome"] == "fail"


def test_inputs_are_the_same_at_every_place_and_time():
    seen = {}

    def body(t, dtype):
        x = t.randn((4, 5), dtype)
        seen.setdefault(t.place, []).append(t.host(x))
        return t.call("torch.square", x)

    run(body=body)
    run(body=body)
    first = seen["target"][0]
    assert set(seen) == {"target", "native", "wide"}
    assert all((values == first).all() for found in seen.values() for values in found)
    assert len(np.unique(first)) == 20


def test_missing_numpy_is_a_missing_dependency(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    end = run()
    assert end["outcome"] == "error" and "missing-dependency" in end["reason"]


def test_golden_inputs():
    """The generator's version is part of every case's hash: its values must not change under it."""
    from seamark_agent.inputs import GENERATOR_VERSION, Inputs

    made = Inputs(np, "torch.sum/golden", 0)
    assert GENERATOR_VERSION == 1
    assert made.randn((3,), "f32").round(6).tolist() == [-0.992504, 1.300167, -1.800299]
    assert made.uniform((2,), "f32", -1, 1).round(6).tolist() == [-0.178263, -0.247565]
    assert made.distinct((6,), "i64").tolist() == [-3, 2, 1, -1, -2, 0]
    assert made.randint((4,), "i64", 0, 9).tolist() == [0, 4, 0, 4]
    assert made.randn((3,), "bool").tolist() == [True, False, True]
