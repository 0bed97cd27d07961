"""JAX compiled for a TPU and lowered for other platforms, with the real framework and compiler: nothing runs there."""

import functools
import json
import os
import signal
import subprocess
import tomllib

import pytest
from agent_client import ROOT, agent_command, only, reproduced
from agent_client import run_cases as run

pytestmark = pytest.mark.framework

CPU = {
    "name": "jax/cpu",
    "framework": "jax",
    "adapter": "jax",
    "device": "cpu",
    "options": {"platform": "cpu"},
}


def aot(topology):
    options = {"platform": "tpu", "topology": topology}
    return {
        "name": "jax/tpu+aot",
        "framework": "jax",
        "adapter": "jax_aot",
        "device": "tpu",
        "options": options,
    }


V3 = aot("v3:2x2")
ROCM = {
    "name": "jax/rocm+lower",
    "framework": "jax",
    "adapter": "jax_lower",
    "device": "rocm",
    "options": {"platform": "rocm"},
}

# No CPU runs such a kernel.
PALLAS = """
import jax
from jax.experimental import pallas
from seamark_suites.case import case


def doubled(x, out):
    out[...] = x[...] * 2.0


@case("jax.experimental.pallas.pallas_call", dtypes="f32", reference="none")
def doubles(t, dtype):
    shape = jax.ShapeDtypeStruct((8, 128), "float32")
    return t.call(lambda x: pallas.pallas_call(doubled, out_shape=shape)(x), t.randn((8, 128), dtype))
"""


@pytest.fixture
def python(framework_python):
    return framework_python("jax")


@pytest.fixture
def suite():
    return str(ROOT / "tests" / "python" / "jax_target_cases.py")


@functools.cache
def probe(python):
    return json.loads(agent_command(python, "probe", "--target", json.dumps(V3))[1])


@pytest.fixture
def libtpu(python):
    """The interpreter of the tests, when it has libtpu."""
    if not probe(python)["usable"]:
        pytest.skip("that interpreter compiles nothing for a TPU: %s" % probe(python)["reason"])
    return python


def topologies():
    """Of every JAX target that libtpu compiles for."""
    entries = tomllib.loads((ROOT / "data" / "targets.toml").read_text())["target"]
    found = [e["options"]["topology"] for e in entries if e["name"].startswith("jax/tpu-")]
    assert len(found) == 7
    return found


@pytest.mark.parametrize("topology", topologies())
def test_a_program_for_a_tpu_is_compiled_with_the_compilers_facts(libtpu, topology):
    end = only(run(libtpu, aot(topology), "jax.numpy.add/gradient[f32*"))
    assert (end["outcome"], end["evidence"]) == ("pass", "compiled")
    facts = end["compiled"]
    assert facts["compiler"] == "libtpu"
    assert facts["version"]
    assert facts["flops"] > 0
    assert facts["bytes"] > 0
    assert facts["code_bytes"] > 0
    assert facts["peak_bytes"] > 0
    assert facts["estimated_cycles"] > 0
    assert facts["host_calls"] == 0
    assert end["placement"]["where"] == "unknown"


def test_a_primitive_without_a_rule_fails_at_lowering(ask, libtpu):
    end = only(ask(libtpu, V3, "jax.numpy.linalg.eig/batch*"))
    assert end["outcome"] == "fail"
    assert end["failure"]["stage"] == "lower"
    assert "'eig' not found for platform tpu" in end["failure"]["message"]
    assert "fails-on-reference" not in end["attributes"]


def test_an_array_that_the_device_cannot_hold_fails_at_compiling_and_is_never_made_here(
    ask, libtpu, suite
):
    end = only(ask(libtpu, V3, "*/larger_than_the_device*", suite=suite))
    assert end["outcome"] == "fail"
    assert end["failure"]["stage"] == "compile"
    assert end["failure"]["message"].startswith("RESOURCE_EXHAUSTED")
    assert end["attributes"] == []


def test_a_sharding_is_the_same_on_the_device_but_for_its_devices(ask, python, suite):
    for target in (CPU, V3) if probe(python)["usable"] else (CPU,):
        end = only(ask(python, target, "*/says_its_axes_and_memory*", suite=suite))
        assert end["outcome"] == "pass", end


def test_a_compiler_that_aborts_ends_the_worker_and_nothing_else(libtpu, agent, suite):
    """The supervisor reads a crash from it, and runs the case again alone."""
    worker = agent(libtpu, V3, suites=(suite,))
    assert worker.receive()["ev"] == "ready"
    name = "jax.numpy.linalg.svd/aborts_the_compiler[f32]"
    worker.plan([name])
    assert worker.run(name) is None
    assert worker.process.wait(60) == -signal.SIGABRT
    assert "Check failed" in worker.close()


def test_a_compiler_that_knows_no_such_device_is_said_with_a_remedy(libtpu):
    _, out, _ = agent_command(libtpu, "probe", "--target", json.dumps(aot("v99:2x2")))
    facts = json.loads(out)
    assert facts["usable"] is False
    assert "v99:2x2" in facts["reason"]
    assert "libtpu" in facts["remedy"]


def test_what_a_compiled_program_shows_is_a_risk_and_no_failure(ask, libtpu, suite):
    ends = ask(libtpu, V3, "jax.numpy.*m*/*o*", suite=suite)
    end = ends["jax.numpy.matmul/product[f32,precision=None]"]
    assert end["outcome"] == "pass"
    assert end["attributes"] == ["risk-float-precision"]
    (risk,) = end["compiled"]["risks"]
    assert risk["kind"] == "float-precision"
    assert " convolution(" in risk["instruction"]
    assert "bf16" in risk["note"]
    for quiet in ("f32,precision=highest", "bf16,precision=None"):
        other = ends["jax.numpy.matmul/product[%s]" % quiet]
        assert (other["attributes"], other["compiled"]["risks"]) == ([], [])
        assert other["compiled"]["hashes"] != end["compiled"]["hashes"]
    wide = ends["jax.numpy.matmul/product[f64,precision=None]"]
    assert (wide["outcome"], wide["attributes"]) == ("pass", ["risk-type"])
    assert "f64" in wide["compiled"]["risks"][0]["note"]
    assert "f32[64,64]" in wide["compiled"]["risks"][0]["instruction"]
    assert wide["compiled"]["optimal_s"] is None  # the compiler said a negative number
    assert [len(text) for text in wide["compiled"]["hashes"]] == [64]
    host = ends["jax.numpy.ndim/only_the_host[f32]"]
    assert (host["outcome"], host["compiled"]) == ("skip", None)  # not the facts of the case before


def test_cycles_count_every_trip_of_a_loop(ask, libtpu, suite):
    ends = ask(libtpu, V3, "*_loop/*", suite=suite)
    once = ends["jax.lax.fori_loop/nested_loops[f32,inner=1]"]["compiled"]
    seven = ends["jax.lax.fori_loop/nested_loops[f32,inner=7]"]["compiled"]
    assert once["estimated_cycles_exact"] is True
    assert seven["estimated_cycles_exact"] is True
    assert seven["loops"] == 2
    assert 5 < seven["estimated_cycles"] / once["estimated_cycles"] < 9
    unknown = ends["jax.lax.while_loop/until_it_is_large[f32]"]["compiled"]
    assert unknown["estimated_cycles"] > 0
    assert unknown["estimated_cycles_exact"] is False


def test_what_the_compiler_refuses_fails_at_compiling(ask, libtpu, suite):
    end = only(ask(libtpu, V3, "*/fft*", suite=suite))
    assert end["outcome"] == "fail"
    assert end["failure"]["stage"] == "compile"
    assert "fails-on-reference" not in end["attributes"]


def test_what_no_platform_can_trace_is_no_finding_about_the_tpu(ask, libtpu, suite):
    end = only(ask(libtpu, V3, "*/data_dependent*", suite=suite))
    assert end["outcome"] == "fail"
    assert end["failure"]["stage"] == "lower"
    assert end["attributes"] == ["fails-on-reference"]


def test_a_case_without_a_program_is_skipped_never_passed(ask, libtpu, suite):
    for pattern in ("*/makes_no_call*", "*/reads_on_the_host*"):
        end = only(ask(libtpu, V3, pattern, suite=suite))
        assert end["outcome"] == "skip"
        assert "no device program" in end["reason"]
        assert end["compiled"] is None


def test_a_host_callback_in_a_program_is_a_fallback(ask, libtpu, suite):
    end = only(ask(libtpu, V3, "*/host_callback*", suite=suite))
    assert end["outcome"] == "pass"
    assert end["compiled"]["host_calls"] == 1
    assert end["placement"]["where"] == "host"
    assert "host-fallback" in end["attributes"]


def test_a_kernel_that_is_written_for_the_device_has_compiled(libtpu, tmp_path):
    path = tmp_path / "kernels.py"
    path.write_text(PALLAS)
    end = only(run(libtpu, aot("v5e:2x2"), suite=str(path)))
    assert (end["outcome"], end["evidence"], end["failure"]) == ("pass", "compiled", None)
    assert end["compiled"]["programs"] == 1


def test_collectives_compile_for_two_devices_of_the_topology(ask, libtpu):
    ends = ask(libtpu, V3, "jax.lax.all_gather/all_gather[f32*")
    assert only(ends)["outcome"] == "pass"


MESHES = [
    "jax.sharding.Mesh/sums_along_an_axis_of_a_mesh[f32]",
    "jax.sharding.Mesh/gradient_over_a_mesh[f32]",
    "jax.NamedSharding/arrays_that_are_spread[f32,entries=(x)]",
    "jax.NamedSharding/shardings_of_a_program[f32]",
    "jax.P/specs_inside_a_program[f32]",
    "jax.device_put/spread_over_devices[f32]",
]


@pytest.mark.parametrize("case", MESHES)
def test_devices_that_a_call_names_are_those_of_the_topology(ask, libtpu, case):
    assert only(ask(libtpu, V3, case))["outcome"] == "pass"


def test_a_reproducer_has_the_devices_of_the_topology(libtpu, tmp_path):
    _, done = reproduced(libtpu, V3, MESHES[0], tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "flops" in done.stdout


def test_a_call_for_more_devices_than_there_are_says_so(libtpu):
    text = """
import jax
from jax.experimental import topologies
from seamark_agent.adapters.jax_call import TooFewDevices, at_devices

jax.config.update("jax_num_cpu_devices", 2)
there = topologies.get_topology_desc(platform="tpu", topology_name="v3:2x2").devices
mesh = jax.sharding.Mesh(jax.devices("cpu")[:2], ("x",))
(moved,), of_two = at_devices([mesh], there)
print(moved.axis_names == ("x",), list(moved.devices) == list(of_two.devices) == list(there[:2]))
print(at_devices([jax.devices("cpu")[0], 3], there) == ([there[0], 3], None))
try:
    at_devices([mesh], there[:1])
except TooFewDevices as error:
    print(error)
"""
    done = subprocess.run([libtpu, "-c", text], capture_output=True, text=True, env=dict(
        os.environ, PYTHONPATH="python", JAX_PLATFORMS="cpu", TPU_SKIP_MDS_QUERY="1"))  # fmt: skip
    assert done.stdout.splitlines() == [
        "True True",
        "True",
        "the call needs 2 devices, there is 1",
    ], done.stderr[-1500:]


def test_nothing_is_timed_where_nothing_runs(ask, libtpu):
    end = only(ask(libtpu, V3, "jax.numpy.exp/exp_gradient[f32*", phase="timing"))
    assert end["outcome"] == "skip"
    assert "nothing" in end["reason"]


def test_libtpu_leaves_nothing_in_the_temporary_folder(libtpu, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    run(libtpu, V3, "jax.numpy.exp/exp_gradient[f32*")
    assert list(tmp_path.iterdir()) == []


# -- lowered for a platform without its compiler -------------------------------------------------


def test_lowering_says_lowered_and_no_more(ask, python):
    end = only(ask(python, ROCM, "jax.numpy.exp/exp_gradient[f32*"))
    assert (end["outcome"], end["evidence"]) == ("pass", "lowered")
    assert end["compiled"] is None
    assert end["placement"]["where"] == "unknown"


def test_what_fails_on_the_cpu_as_well_is_no_finding_about_the_other_platform(ask, python, suite):
    end = only(ask(python, ROCM, "*/data_dependent*", suite=suite))
    assert (end["outcome"], end["failure"]["stage"]) == ("fail", "lower")
    assert end["attributes"] == ["fails-on-reference"]


def test_a_rule_that_only_the_platform_lacks_is_a_finding(python):
    end = only(run(python, dict(ROCM, options={"platform": "tpu"}), "jax.numpy.linalg.eig/batch*"))
    assert (end["outcome"], end["failure"]["stage"]) == ("fail", "lower")
    assert "'eig' not found for platform tpu" in end["failure"]["message"]
    assert end["attributes"] == []


def test_a_device_description_that_is_not_there_is_said(python):
    target = dict(V3, options={"platform": "cuda", "target_config": "devices/none.txtpb"})
    _, out, _ = agent_command(python, "probe", "--target", json.dumps(target))
    facts = json.loads(out)
    assert facts["usable"] is False
    assert "devices/none.txtpb" in facts["reason"]
    assert "target_config" in facts["remedy"]


def test_a_reproducer_of_a_lowering_prints_the_program(python, tmp_path):
    case = "jax.numpy.exp/exp_gradient[f32]"
    _, done = reproduced(python, ROCM, case, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "stablehlo.exponential" in done.stdout


def test_a_reproducer_of_a_compile_failure_fails_alike(libtpu, tmp_path):
    case = "jax.numpy.linalg.eig/batch_of_eigenproblems[f32]"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    _, done = reproduced(libtpu, V3, case, tmp_path, TMPDIR=str(temporary))
    assert done.returncode != 0
    assert "'eig' not found for platform tpu" in done.stderr
    assert list(temporary.iterdir()) == []


# -- answers kept from run to run ----------------------------------------------------------------


def test_a_second_worker_answers_from_the_cache_and_never_when_alone(libtpu, agent, tmp_path):
    names = ["jax.numpy.exp/exp_gradient[f32]", "jax.numpy.linalg.eig/batch_of_eigenproblems[f32]"]
    folder = str(tmp_path / "compiled")

    def ends(phase):
        worker = agent(libtpu, V3, suites=("curated",), cache_dir=folder)
        assert worker.receive()["ev"] == "ready"
        worker.plan(names)
        found = [worker.run(name, phase) for name in names]
        worker.close()
        return found

    first, second = ends("correctness"), ends("correctness")
    for made, kept in zip(first, second, strict=True):
        assert "cache-hit" not in made["attributes"]
        assert kept["attributes"] == made["attributes"] + ["cache-hit"]
        assert kept["cpu_s"] < 0.1 * made["cpu_s"] + 0.005
        for key in ("outcome", "evidence", "failure", "compiled", "placement"):
            assert kept[key] == made[key]
    assert [end["outcome"] for end in second] == ["pass", "fail"]
    alone = ends("confirm")
    assert not any("cache-hit" in end["attributes"] for end in alone)
    assert ends("correctness")[1]["attributes"] == ["cache-hit", "cache-confirmed"]


COSTS = """
import sys, types
sys.path.insert(0, sys.argv[1])
import jax
from seamark_agent.adapters import jax_aot
square = jax.ShapeDtypeStruct((8, 8), "float32")
memory = types.SimpleNamespace(argument_size_in_bytes=512, output_size_in_bytes=256)
text = jax.jit(lambda a, b: a @ b).lower(square, square).as_text()
print(jax_aot.bound_of_costs(text, memory))
print(jax_aot.bound_of_costs("no program", memory))
"""


def test_a_program_is_counted_where_the_compiler_does_not(python):
    done = subprocess.run(
        [python, "-c", COSTS, str(ROOT / "python")],
        stdout=subprocess.PIPE, check=True, timeout=120, env=dict(os.environ, JAX_PLATFORMS="cpu"),
    )  # fmt: skip
    counted, nothing = done.stdout.decode().splitlines()
    assert counted == "{'flops': 1024.0, 'bytes accessed': 768}"
    assert nothing == "{}"
