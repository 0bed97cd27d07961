"""JAX with the real framework: eager, compiled for a TPU, and as reproducers."""

import json
import subprocess

import pytest
from agent_client import BOOT, ROOT, agent_command, check_forks, only, reproduced
from agent_client import run_cases as run

pytestmark = pytest.mark.framework

CPU = {
    "name": "jax/cpu",
    "framework": "jax",
    "adapter": "jax",
    "device": "cpu",
    "options": {"platform": "cpu"},
}
JIT = dict(CPU, name="jax/cpu+jit", options={"platform": "cpu", "jit": True})
ABSENT = {
    "name": "jax/none",
    "framework": "jax",
    "adapter": "jax",
    "device": "none",
    "options": {"platform": "none"},
}


SUITE = ROOT / "tests" / "python" / "jax_target_cases.py"


@pytest.fixture
def python(framework_python):
    return framework_python("jax")


@pytest.fixture
def suite():
    return str(SUITE)


def test_a_platform_that_is_not_there_is_unusable_and_never_the_cpu(python):
    _, out, _ = agent_command(python, "probe", "--target", json.dumps(ABSENT))
    facts = json.loads(out)
    assert facts["usable"] is False
    assert "none" in facts["reason"]
    assert facts["remedy"]


def test_64_bit_types_exist_where_a_case_asks_for_them_and_nowhere_else(ask, python, suite):
    ends = ask(python, CPU, "*/widths*", suite=suite)
    assert [end["outcome"] for end in ends.values()] == ["pass"] * 4
    assert ends["jax.numpy.add/widths[f32]"]["reference"]["kind"] == "cpu-wide"


def test_gradients_are_taken_with_unequal_weights(ask, python, suite):
    """With equal ones softmax has the gradient zero, which the harness would refuse as trivial."""
    program = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("boot", sys.argv[1])
boot = importlib.util.module_from_spec(spec)
spec.loader.exec_module(boot)
import os
here = os.path.dirname(sys.argv[1])
boot._load_package("seamark_agent", here)
from seamark_agent import adapters
adapter = adapters.load({"adapter": "jax", "device": "cpu", "options": {"platform": "cpu"}})
adapter.import_framework()
adapter.start()
import numpy as np, jax
with adapter.at("target"):
    x = adapter.from_numpy(np.arange(4.0), "f32", "target", grad=True)
    y = adapter.from_numpy(np.arange(4.0), "f32", "target")
    call = lambda a, b: (a * b, {"i": jax.numpy.argmax(a), "s": "text"})
    (product, rest), gradients = adapter.unit(call, (x, y), {}, True, "target")()
    lists = [np.asarray(array).tolist() for array in (product, *gradients)]
    print(json.dumps([lists[0], int(rest["i"]), rest["s"], lists[1:]]))
"""
    command = [python, "-c", program, str(BOOT)]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=True)
    values, index, text, gradients = json.loads(done.stdout)
    assert values == [0, 1, 4, 9]
    assert index == 3
    assert text == "text"
    assert gradients == [pytest.approx([0, 0.8333333, 2 * 1.1666667, 4.5], rel=1e-6)]
    ends = ask(python, CPU, "*/softmax*", suite=suite)
    assert [end["outcome"] for end in ends.values()] == ["pass", "pass"]


def test_a_wrong_value_is_a_wrong_value(ask, python, suite):
    end = only(ask(python, CPU, "*/wrong*", suite=suite))
    assert end["outcome"] == "fail"
    assert end["failure"]["stage"] == "compare"
    assert end["failure"]["precision_rerun"] == "fail"


def test_collectives_use_two_devices(python):
    end = only(run(python, CPU, "jax.lax.pmax/pmax[f32*"))
    assert end["outcome"] == "pass"
    assert end["placement"]["outputs"] == ["cpu:0", "cpu:1"]


def test_a_forked_child_can_run_what_the_zygote_imported(python, agent):
    worker = agent(python, CPU, mode="fork", suites=("curated",))
    names = [
        "jax.numpy.exp/exp_gradient[f32]",
        "jax.numpy.linalg.svd/svd[f32,4x4,full_matrices=True]",
    ]
    check_forks(worker, names)


def test_timing_has_cold_and_warm_times(python):
    end = only(run(python, CPU, "jax.numpy.exp/exp_gradient[f32*", "--phase", "timing"))
    (operation,) = end["operations"]
    assert operation["cold_s"] > 3 * min(operation["warm_s"])  # it compiles; warm calls do not
    costs = end["costs"]
    assert 0 < costs["compile_s"] < operation["cold_s"] and costs["recompilations"] == 0
    assert 0 < costs["empty_s"] < min(operation["warm_s"])
    assert costs["transfers"] is None  # JAX counts none


def test_a_call_under_jit_is_one_program(python):
    """With its gradient; a result that depends on a value has no program."""
    end = only(run(python, JIT, "jax.numpy.exp/exp_gradient[f32*"))
    assert (end["outcome"], end["evidence"]) == ("pass", "verified")
    assert end["placement"]["where"] == "device"
    eager, jitted = (
        only(run(python, target, "jax.numpy.exp/exp_gradient[f32*", "--phase", "timing"))
        for target in (CPU, JIT)
    )
    assert min(jitted["operations"][0]["warm_s"]) < min(eager["operations"][0]["warm_s"])
    end = only(run(python, JIT, "jax.numpy.nonzero/*", suite=str(SUITE)))
    assert end["outcome"] == "fail" and "Concretization" in end["failure"]["type"]


@pytest.mark.parametrize(
    ("case", "shown"),
    [
        ("jax.numpy.add/gradient[f32]", "Array("),
        ("jax.lax.pmax/pmax[f32]", "\n"),
        ("jax.vjp/vjp[f64,20]", "dtype=float64"),
        ("jax.random.key/key[seed=42]", "[ 0 42]"),
    ],
)
def test_a_reproducer_needs_the_framework_alone(python, tmp_path, case, shown):
    text, done = reproduced(python, CPU, case, tmp_path)
    assert "seamark" not in "".join(line for line in text.splitlines() if "import" in line)
    assert done.returncode == 0, done.stderr
    assert shown in done.stdout


def test_what_is_executed_is_never_answered_from_the_cache(python, agent, tmp_path):
    folder = tmp_path / "compiled"
    for _ in range(2):
        worker = agent(python, CPU, suites=("curated",), cache_dir=str(folder))
        assert worker.receive()["ev"] == "ready"
        worker.plan(["jax.numpy.exp/exp_gradient[f32]"])
        assert worker.run("jax.numpy.exp/exp_gradient[f32]")["attributes"] == []
        worker.close()
    assert not folder.exists()
