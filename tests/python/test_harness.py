"""The harness must notice what is wrong: mutations of a small framework of lists, one at a time."""

import contextlib
import sys

import numpy as np
import pytest
from seamark_agent import adapters
from seamark_agent.adapters.base import Adapter, Proof, widen
from seamark_agent.harness import Runner, Skip
from seamark_suites import case as dsl

NUMPY = {"f32": "float32", "f64": "float64", "f16": "float16", "i64": "int64", "bool": "bool", "c64": "complex64",
         "c128": "complex128"}  # fmt: skip


class Array:
    """A NumPy array that knows a device."""

    def __init__(self, values, device="dev"):
        self.values, self.device = values, device


class Toy(Adapter):
    """A framework with one device; `broken` says what is wrong with it."""

    framework, root, device = "torch", "torch", "dev"

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
    assert run("imprecise")["failure"]["precision_rerun"] == "pass"


def test_an_exception_is_of_the_call():
    end = run("raises")
    assert end["failure"]["stage"] == "call" and end["failure"]["type"] == "RuntimeError"


def test_a_trivial_reference_is_the_cases_defect():
    end = run(body=lambda t, dtype: t.call("torch.square", t.const([0.0, 0.0], dtype)))
    assert end["outcome"] == "error" and "trivial=True" in end["reason"]
    assert (
        run(body=lambda t, dtype: t.call("torch.square", t.const([0.0], dtype)), trivial=True)[
            "outcome"
        ]
        == "pass"
    )


def test_a_body_that_asks_for_what_the_header_lacks():
    end = run(body=lambda t, dtype, axis: None)
    assert end["outcome"] == "error" and "axis" in end["reason"]


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


@pytest.mark.parametrize(
    "shift,scale,outcome", [(0, 1, "pass"), (0.5, 1, "fail"), (0, 1.5, "fail"), (0, 0.5, "fail")]
)
def test_statistics_notice_a_wrong_distribution(shift, scale, outcome):
    def body(t, dtype):
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
