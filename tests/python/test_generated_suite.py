"""The generated suite: its data, the recipes, and what its cases may claim."""

import json
import os
import subprocess
import sys

import pytest
from agent_client import ADAPTERS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "python"))

from seamark_suites.auto import generated  # noqa: E402

FRAMEWORKS = [name for name in generated.FRAMEWORKS if generated.read(name)]


class Recorder:
    """As much of the handle as recipes use."""

    def __init__(self):
        self.np, self.calls = __import__("numpy"), []

    def __getattr__(self, name):
        def draw(*args, **kwargs):
            self.calls.append((name, args))
            return name, args

        return draw


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_recipe_of_the_data_resolves(framework):
    data = generated.read(framework)
    found = generated.cases(framework, {})
    assert len(found) == len(data["functions"]) > 100
    text = json.dumps([item.params for item in found])
    assert '"@' not in text
    assert len({item.name for item in found}) == len(found)
    assert len({item.hash for item in found}) == len(found)
    known = {None, "native", "shapes", "runs"}
    assert {item.reference for item in found} <= known


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_was_left_out_has_a_reason_and_no_case(framework):
    data = generated.read(framework)
    assert not set(data["functions"]) & set(data["without"])
    assert all(reason for reason in data["without"].values())
    assert not any(name.startswith("tf.keras") for name in data["functions"])


def test_a_recipe_draws_in_the_tested_dtype():
    t = Recorder()
    generated.make(t, ["randn", "4x5", "T"], "bf16")
    generated.make(t, ["randint", "6", "i32", 0, 4], "bf16")
    generated.make(t, ["randn", "scalar", "C"], "f64")
    generated.make(t, ["any", "3", "i64"], "f32")
    generated.make(t, ["spd", 4, "T"], "f32")
    assert t.calls == [
        ("randn", ((4, 5), "bf16")),
        ("randint", ((6,), "i32", 0, 4)),
        ("randn", ((), "c128")),
        ("randint", ((3,), "i64", 0, 3)),
        ("spd", (4, "f32")),
    ]


def test_plain_recipes():
    t = Recorder()
    assert generated.make(t, ["tuple", 1, ["list", "a"]], "f32") == (1, ["a"])
    assert generated.make(t, ["dict", {"a": ["slice", 1, 2]}], "f32") == {"a": slice(1, 2)}
    assert generated.make(t, ["fn", "double"], "f32")(4) == 8
    assert generated.make(t, ["bytes", "x"], "f32") == b"x"
    with pytest.raises(ValueError, match="no recipe is of kind 'nonsense'"):
        generated.make(t, ["nonsense", 1], "f32")


def test_recipes_of_items_and_sets():
    t = Recorder()
    assert generated.make(t, ["item", ["list", 4, 5], 1], "f32") == 5
    assert generated.make(t, ["pyset", ["list", "a", "b", "a"]], "f32") == {"a", "b"}
    with pytest.raises(ValueError, match="there is no value 'nonsense' of PyTorch"):
        generated.make(t, ["value", "nonsense"], "f32")


def test_every_value_that_the_data_names_has_a_builder():
    from seamark_suites.auto import _torch_values

    data = generated.read("torch")
    named = set()

    def walk(recipe):
        if isinstance(recipe, dict):
            recipe = list(recipe.values())
        if isinstance(recipe, list):
            if recipe[:1] == ["value"]:
                named.add(recipe[1])
            for one in recipe:
                walk(one)

    walk(generated.resolve(data["functions"], data["recipes"]))
    assert len(named) > 20
    assert named <= set(_torch_values.VALUES)


def test_what_is_shown_is_part_of_the_hash_and_of_nothing_else():
    entry = {"args": [["randn", "4x5", "T"]]}
    plain = generated.case_of("torch", "torch.sin", entry, {})
    shown = generated.case_of("torch", "torch.sin", dict(entry, show=True), {})
    before = generated.case_of("torch", "torch.sin", dict(entry, before=["value", "group"]), {})
    assert "more" not in plain.params
    assert shown.params["more"] == {"show": True}
    assert before.params["more"] == {"before": ["value", "group"]}
    assert len({plain.hash, shown.hash, before.hash}) == 3


def test_settle_keeps_what_can_be_compared_and_names_the_rest():
    class Thing:
        pass

    settled = generated.settle({"a": (1, None, "x"), "b": Thing()})
    assert settled == {"a": [1, None, "x"], "b": "<Thing>"}


def test_the_hash_follows_the_recipe():
    recipes = {"m": ["randn", "4x5", "T"]}
    one = generated.case_of("jax", "jax.numpy.sin", {"args": ["@m"]}, recipes)
    same = generated.case_of("jax", "jax.numpy.sin", {"args": [["randn", "4x5", "T"]]}, {})
    other = generated.case_of("jax", "jax.numpy.sin", {"args": [["randn", "4x6", "T"]]}, {})
    weaker = generated.case_of("jax", "jax.numpy.sin", {"args": ["@m"], "check": "native"}, recipes)
    assert one.hash == same.hash
    assert len({one.hash, other.hash, weaker.hash}) == 3
    assert one.name == "jax.numpy.sin/generated[f32]"


PROBE = """
import json, sys
sys.path.insert(0, sys.argv[1])
import numpy
from seamark_agent import adapters
from seamark_agent.harness import Runner
from seamark_suites.auto import generated

framework, adapter = sys.argv[2:4]
target = adapters.load({"name": "x", "framework": framework, "adapter": adapter, "device": "cpu"})
target.import_framework()
target.start()
for line in sys.stdin:
    function, entries = json.loads(line)
    ends = [Runner(target, 0).run(generated.case_of(framework, function, entry, {}), "correctness") for entry in entries]
    found = [[end["outcome"], end["evidence"], end["reference"].get("kind")] for end in ends]
    print("FOUND", json.dumps(found), flush=True)
"""


@pytest.fixture(scope="module")
def probes():
    """{framework: the process that runs its cases}, while the module's tests run."""
    started = {}
    yield started
    for process in started.values():
        process.communicate(timeout=60)


@pytest.fixture
def run(probes, framework_python):
    """run(framework, function, entries): of each entry the outcome, the evidence, and what it rests on."""

    def found(framework, function, entries):
        if framework not in probes:
            program = ["-c", PROBE, os.path.join(ROOT, "python"), framework, ADAPTERS[framework]]
            probes[framework] = subprocess.Popen(
                [framework_python(framework), *program], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                env=dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3"),
            )  # fmt: skip
        process = probes[framework]
        process.stdin.write(json.dumps([function, entries]) + "\n")
        process.stdin.flush()
        for line in process.stdout:
            if line.startswith("FOUND "):
                return json.loads(line[6:])
        raise AssertionError("the process of %s ended" % framework)

    return found


@pytest.mark.framework
def test_only_what_was_compared_is_verified(run):
    m = ["uniform", "4x5", "T", 0.1, 0.9]
    got = run(
        "jax", "jax.numpy.sin",
        [{"args": [m]}, {"args": [m], "check": "native"}, {"args": [m], "check": "runs"},
         {"args": [["get", "jax.numpy"]]}],
    )  # fmt: skip
    assert got[0] == ["pass", "verified", "cpu-wide"]
    assert got[1] == ["pass", "executed", "none"]  # the CPU is that reference itself
    assert got[2] == ["pass", "executed", "none"]
    assert got[3][0] == "fail"


@pytest.mark.framework
def test_a_draw_that_is_compared_by_value_fails(run):
    args = [["make", "jax.random.key", [7]], ["tuple", 120], ["dtype", "T"]]
    entries = [{"args": args, "check": check} for check in ("wide", "shape")]
    got = run("jax", "jax.random.normal", entries)
    assert got[0][0] == "fail"
    assert got[1] == ["pass", "executed", "none"]


@pytest.mark.framework
def test_tensorflow_recipes_make_what_functions_take(run):
    sparse = ["make", "tf.SparseTensor", [["const", [[0, 1]], "i64"], ["randn", "1", "T"],
                                          ["const", [2, 3], "i64"]]]  # fmt: skip
    got = run(
        "tensorflow", "tf.sparse.to_dense",
        [{"args": [sparse]}, {"args": [["randn", "2x3", "T"]]}],
    )  # fmt: skip
    assert got[0] == ["pass", "verified", "cpu-wide"]
    assert got[1][0] == "fail"


@pytest.mark.framework
def test_objects_of_torch_come_back_as_what_they_hold(run):
    linear = ["construct", "torch.nn.Linear", [5, 3]]
    flag = [linear, False]
    got = run(
        "torch", "torch.nn.Module.train",
        [{"args": flag}, {"args": flag, "show": True}, {"args": flag, "show": True, "check": "native"}],
    )  # fmt: skip
    assert got[1] == ["pass", "verified", "cpu-wide"]  # the parameters, compared
    assert got[2] == ["pass", "executed", "none"]


@pytest.mark.framework
def test_one_process_is_a_group(run):
    m, n = ["uniform", "4x5", "T", 0.1, 0.9], ["randn", "4x5", "T"]
    group = {"before": ["value", "group"], "show": True}
    got = run(
        "torch", "torch.distributed.all_gather",
        [dict(group, args=[["list", m], n]), dict(group, args=[["list", m, m], n])],
    )  # fmt: skip
    assert got[0] == ["pass", "verified", "cpu-wide"]
    assert got[1][0] == "fail"  # as many results as processes


SIGNATURES = """
import sys
sys.path.insert(0, sys.argv[1])
import signatures, torch
print([one[0] for one in signatures.guessed("torch.addmv_", torch.addmv_)[0]])
print(signatures.of_doc("set(self: a.Store, arg0: str, arg1: List[int], x: int = 1) -> None"))
"""


@pytest.mark.framework
def test_what_python_cannot_inspect_is_read_from_schemas_and_docstrings(framework_python):
    scripts = os.path.join(ROOT, "scripts", "generate")
    done = subprocess.run(
        [framework_python("torch"), "-c", SIGNATURES, scripts], stdout=subprocess.PIPE, check=True
    )
    lines = done.stdout.decode().splitlines()
    assert lines[0] == "['self', 'mat', 'vec']"
    assert lines[1] == "[[('arg0', 'p', 'str'), ('arg1', 'p', 'List[int]')]]"


N = ["randn", "4x5", "T"]
VARIABLE = ["make", "tf.compat.v1.get_variable", ["v"], {"initializer": N}]


@pytest.mark.framework
def test_a_call_of_tensorflow_1_is_built_in_a_graph_and_run_by_a_session(run):
    before = [["let", "v", VARIABLE]]
    graph = {"setting": "graph", "before": before, "args": [["ref", "v"], N]}
    got = run(
        "tensorflow", "tf.compat.v1.assign_add",
        [dict(graph, after=["ref", "v"]), dict(graph, args=[["ref", "v"], ["randn", "3x5", "T"]]),
         dict(graph, args=[["ref", "w"], N])],
    )  # fmt: skip
    assert got[0] == ["pass", "verified", "cpu-wide"]
    assert [end[0] for end in got[1:]] == ["fail", "error"]  # what runs raises; no such name


@pytest.mark.framework
def test_parts_of_a_result_are_fetched_in_the_order_given(run):
    metric = {"setting": "graph", "args": [N]}
    got = run(
        "tensorflow", "tf.compat.v1.metrics.mean",
        [dict(metric, fetch=[1, 0]), dict(metric, fetch=[2])],
    )  # fmt: skip
    assert got[0] == ["pass", "verified", "cpu-wide"]  # updated, then read
    assert got[1][0] == "fail"  # it has no third part


@pytest.mark.framework
def test_an_abstract_method_is_called_as_its_object_has_it(run):
    var = ["make", "tf.Variable", [N]]
    call = {"before": [["let", "v", var]], "args": [["ref", "v"], N], "after": ["ref", "v"]}
    got = run(
        "tensorflow", "tf.Variable.assign_sub",
        [dict(call, bound=True), call],
    )  # fmt: skip
    assert got == [["pass", "verified", "cpu-wide"], ["fail", got[1][1], None]]


@pytest.mark.framework
def test_a_collective_runs_within_what_names_its_axis(run):
    mapped = {"args": [N], "kwargs": {"axis_name": "x"}}
    got = run(
        "jax", "jax.lax.psum",
        [dict(mapped, within=["jax.vmap", [], {"axis_name": "x"}]),
         dict(mapped, within=["jax.vmap", [], {"axis_name": "y"}])],
    )  # fmt: skip
    assert got[0] == ["pass", "verified", "cpu-wide"]
    assert got[1][0] == "fail"


def test_an_arrangement_is_part_of_the_hash_and_leaves_others_as_they_were():
    plain = generated.case_of("jax", "jax.numpy.sin", {"args": [N]}, {})
    arranged = generated.case_of("jax", "jax.numpy.sin", {"args": [N], "after": 1}, {})
    assert plain.name == "jax.numpy.sin/generated[f32]" and "more" not in plain.params
    assert arranged.name == "jax.numpy.sin/arranged[f32]"
    assert arranged.params["more"] == {"after": 1}
    assert plain.hash != arranged.hash


def test_what_is_kept_by_name_is_made_once():
    t = Recorder()
    t.named = {}
    spec = ["seq", ["let", "x", ["randn", "2", "T"]], ["list", ["ref", "x"], ["ref", "x"]]]
    first, second = generated.make(t, spec, "f32")
    assert first is second
    assert t.calls == [("randn", ((2,), "f32"))]
    pairs = ["made_dict", ["tuple", ["ref", "x"], 1]]
    assert generated.make(t, pairs, "f32") == {first: 1}
    with pytest.raises(KeyError, match="y"):
        generated.make(t, ["ref", "y"], "f32")
