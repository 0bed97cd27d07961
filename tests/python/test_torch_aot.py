"""PyTorch compiled through torchax for a TPU that is not here: what compiles, and who is blamed where not."""

import json
import os
import subprocess

import pytest
from agent_client import agent_command, check_forks, only, reproduced
from agent_client import run_cases as run

pytestmark = pytest.mark.framework


def aot(topology):
    return {
        "name": "torch/tpu+aot",
        "framework": "torch",
        "adapter": "torch_aot",
        "device": "tpu",
        "options": {"platform": "tpu", "topology": topology},
    }


V3 = aot("v3:2x2")

SUITE = """
from seamark_suites.case import case

@case("torch.linalg.eig", dtypes="f32", reference="none")
def eigenvalues(t, dtype):
    return t.call("torch.linalg.eig", t.randn((4, 4), dtype))

@case("torch.linalg.det", dtypes="f64", reference="none")
def factored_in_f64(t, dtype):
    return t.call("torch.linalg.det", t.randn((4, 4), dtype))

def enormous(x):
    import torch

    if not hasattr(x, "jax"):
        return x
    big = torch.ones(1 << 19, 1 << 15, device="jax") * x[0]
    return (big @ big.T @ big).sum()

@case("torch.matmul", dtypes="f32", reference="none")
def too_large(t, dtype):
    return t.call(enormous, t.randn((8,), dtype))

@case("torch.where", dtypes="f32", reference="none")
def decides_by_a_value(t, dtype):
    return t.call(lambda x: x if float(x.sum()) > 0 else -x, t.randn((8,), dtype))

@case("torch.add", dtypes="f32", reference="none")
def fails_anywhere(t, dtype):
    return t.call("torch.add", t.randn((3,), dtype), t.randn((4,), dtype))

@case("torch.Tensor.to", dtypes="f32", reference="none")
def visits_the_host(t, dtype):
    return t.call(lambda x: x.to("cpu").to(t.device), t.randn((8,), dtype))

@case("torch.nn.Sequential", dtypes="f32", reference="none")
def makes_then_calls(t, dtype):
    model = t.call("torch.nn.Sequential", t.fw.nn.Linear(6, 4))
    return t.call(model, t.randn((3, 6), dtype))

@case("torch.optim.Adam", dtypes="f32", reference="none")
def two_steps(t, dtype):
    layer = t.construct("torch.nn.Linear", 5, 3, dtype=dtype)
    chosen = t.get("torch.optim.Adam")(layer.parameters(), lr=0.1)
    counted = []
    chosen.register_step_post_hook(lambda *given: counted.append(1))
    for _ in range(2):
        chosen.zero_grad()
        (layer(t.randn((4, 5), dtype)) ** 2).sum().backward()
        t.call(chosen.step)
    t.expect(len(counted) == 2, "a hook once a step, got %d" % len(counted))
    for state in chosen.state.values():
        t.expect(float(state["step"]) == 2, "two steps counted, got %s" % state["step"])
        t.expect(type(state["exp_avg"]) is t.fw.Tensor, "PyTorch's own tensors in the state")

def held_by_a_closure(t, weight):
    return lambda x: x @ weight

@case("torch.matmul", dtypes="f32", reference="none", grad=True)
def closes_over(t, dtype):
    return t.call(held_by_a_closure(t, t.randn((6, 4), dtype, grad=False)), t.randn((3, 6), dtype))

@case("torch.add", dtypes="f32 f64 bf16", reference="none")
def in_place(t, dtype):
    x = t.randn((64, 33), dtype)
    before = t.host(x).copy()
    t.call(lambda: [x.add_(1), None][1])
    t.expect(bool((t.host(x) != before).all()), "changed once")

@case("torch.rand", reference="none", random=True)
def drawn(t):
    return t.call("torch.rand", 8, 8, device=t.device)
"""


@pytest.fixture
def python(framework_python):
    return framework_python("torch_tpu")


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "torch_checks.py"
    path.write_text(SUITE)
    return str(path)


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """{body's name: end event} of SUITE, run once."""
    path = os.environ.get("SEAMARK_TEST_TORCH_TPU_PYTHON")
    if not path:
        pytest.skip("SEAMARK_TEST_TORCH_TPU_PYTHON names no interpreter with torchax")
    suite = tmp_path_factory.mktemp("suite") / "torch_checks.py"
    suite.write_text(SUITE)
    ends = run(path, V3, suite=str(suite))
    return {name.split("/")[1]: end for name, end in ends.items()}


def test_the_device_is_named_with_the_bridge_and_its_version(python):
    _, out, _ = agent_command(python, "probe", "--target", json.dumps(V3))
    facts = json.loads(out)
    assert facts["usable"] is True, facts["reason"]
    assert facts["device"].startswith("TPU v3 (compiled only, via torchax ")
    assert facts["facts"]["torchax"] in facts["device"]
    assert facts["facts"]["torchax"] in facts["framework_version"]


@pytest.mark.parametrize("topology", ["v3:2x2", "v5e:2x2"])
def test_a_gradient_is_compiled_with_the_compilers_facts(ask, python, topology):
    end = only(ask(python, aot(topology), "torch.nn.Linear/linear[f32,bias=True*"))
    assert (end["outcome"], end["evidence"]) == ("pass", "compiled")
    facts = end["compiled"]
    assert facts["compiler"] == "libtpu"
    assert facts["version"]
    assert facts["bridge"].startswith("torchax ")
    # Forward 8x33x16, backward the same again for the input: parameters are inputs, not constants.
    assert facts["flops"] > 2 * 2 * 8 * 33 * 16 * 0.9
    assert facts["peak_bytes"] > 4 * 16 * 33
    assert facts["host_calls"] == 0
    assert end["placement"]["where"] == "unknown"


def test_eig_is_not_implemented_by_the_compiler(checked):
    end = checked["eigenvalues[f32]"]
    assert end["failure"]["stage"] == "lower"
    assert "'eig' not found for platform tpu" in end["failure"]["message"]
    assert "fails-on-reference" not in end["attributes"]


def test_what_the_compiler_refuses_fails_at_compiling(checked):
    end = checked["factored_in_f64[f64]"]
    assert end["failure"]["stage"] == "compile"
    assert "LuDecomposition" in end["failure"]["message"]
    assert "fails-on-reference" not in end["attributes"]


def test_too_large_a_program_is_a_matter_of_memory(checked):
    end = checked["too_large[f32]"]
    assert end["failure"]["stage"] == "compile"
    assert "RESOURCE_EXHAUSTED" in end["failure"]["message"]


def test_a_gap_of_the_bridge_is_not_blamed_on_the_device(python, checked):
    end = checked["decides_by_a_value[f32]"]
    assert end["failure"]["stage"] == "bridge"
    assert "fails-on-reference" not in end["attributes"]  # PyTorch on the CPU can do it
    ends = run(python, V3, "torch.s*", "--quick")
    failed = {name.split("/")[0]: end["failure"] for name, end in ends.items() if end["failure"]}
    assert {function: failure["stage"] for function, failure in failed.items()} == {
        "torch.slogdet": "bridge",
        "torch.saddmm": "bridge",
    }
    assert "torchax has no sparse_coo tensors" in failed["torch.saddmm"]["message"]
    # It would be read beyond its end, and tell another story each time.
    assert "torchax gives 2 results" in failed["torch.slogdet"]["message"]


def test_what_fails_on_the_cpu_is_no_finding(checked):
    end = checked["fails_anywhere[f32]"]
    assert end["failure"]["stage"] == "call"
    assert end["attributes"] == ["fails-on-reference"]


def test_a_call_without_a_program_is_skipped_and_the_next_is_compiled(ask, python, checked):
    end = checked["visits_the_host[f32]"]
    assert end["outcome"] == "skip"
    assert end["reason"] == "no device program: the call moves a tensor to the host"
    assert end["compiled"] is None
    assert checked["makes_then_calls[f32]"]["compiled"]["programs"] == 1
    ends = ask(python, V3, "torch.Tensor.size/size[f32,*")
    for end in ends.values():
        assert end["outcome"] == "skip"
        assert end["reason"] == "no device program: the call gives no tensor and changes none"


def test_a_step_is_a_program_and_the_optimizer_steps_once(checked):
    end = checked["two_steps[f32]"]
    assert end["outcome"] == "pass", end["failure"]
    assert end["compiled"]["programs"] == 2
    assert (
        len(set(end["compiled"]["hashes"])) == 2
    )  # the first makes the moments, the second reads them
    # Parameters, gradients and, from the second step on, two moments are read; parameters and moments written.
    assert end["compiled"]["bytes"] > 4 * (15 + 3) * (5 + 7)


def test_what_a_closure_holds_is_an_input(checked):
    end = checked["closes_over[f32]"]
    assert end["outcome"] == "pass", end["failure"]
    assert end["compiled"]["flops"] >= 2 * 3 * 6 * 4


def test_a_change_in_place_is_a_result(checked):
    for dtype, size in (("f32", 4), ("f64", 8), ("bf16", 2)):
        end = checked["in_place[%s]" % dtype]
        assert end["outcome"] == "pass", end["failure"]
        assert end["compiled"]["bytes"] >= 2 * 64 * 33 * size  # read and written, at its own width


def test_random_numbers_are_drawn_by_the_program(checked):
    end = checked["drawn"]
    assert end["outcome"] == "pass", end["failure"]
    assert end["compiled"]["code_bytes"] > 0


def test_a_checkpoint_is_loaded_to_the_device(ask, python):
    """PyTorch knows no number of "cpu", the stand-in has one."""
    end = only(ask(python, V3, "torch.load/state_of_a_module[f32]"))
    assert (end["outcome"], end["failure"]) == ("skip", None)


def test_nothing_is_timed_where_nothing_runs(ask, python):
    end = only(ask(python, V3, "torch.nn.Linear/linear[f32,bias=True*", phase="timing"))
    assert end["outcome"] == "skip"
    assert "nothing" in end["reason"]


def test_a_forked_child_can_compile_what_the_zygote_imported(python, agent):
    worker = agent(python, V3, mode="fork", suites=("curated",))
    check_forks(worker, ["torch.nn.Linear/linear[f32,bias=True]"])


def test_without_torchax_the_target_is_unusable(framework_python):
    """Where PyTorch alone is there."""
    other = framework_python("torch")
    facts = json.loads(agent_command(other, "probe", "--target", json.dumps(V3))[1])
    assert facts["usable"] is False
    assert "torchax" in facts["remedy"]


@pytest.mark.parametrize(
    ("case", "shown", "fails"),
    [
        ("torch.nn.Linear/linear[f32,bias=True]", "flops", False),
        ("torch.autograd.functional.jvp/jvp[f32]", "flops", False),
        ("torch.ormqr/ormqr[f32,left=True]", "aten::ormqr has no lowering", True),
    ],
)
def test_a_reproducer_needs_torchax_alone(python, tmp_path, case, shown, fails):
    _, done = reproduced(python, V3, case, tmp_path)
    assert (done.returncode != 0) == fails, done.stderr
    assert shown in (done.stderr if fails else done.stdout)


WAITS = """
import sys
sys.path.insert(0, sys.argv[1])
import torch
from seamark_agent import adapters
options = {"platform": "cuda", "topology": "1x1x1", "target_config": "devices/h100.txtpb"}
target = {"name": "torch/cuda-h100+aot", "framework": "torch", "adapter": "torch_aot", "device": "cuda"}
adapter = adapters.load(dict(target, options=options))
adapter.torch = torch
adapter.synchronize(torch.ones(2))
print(adapter.evidence)
"""


def test_a_target_of_cuda_asks_no_cuda_of_this_machine(python):
    done = subprocess.run(
        [python, "-c", WAITS, os.path.join(os.path.dirname(__file__), "..", "..", "python")],
        stdout=subprocess.PIPE,
        check=True,
        timeout=120,
    )
    assert done.stdout.decode().strip() == "compiled"
