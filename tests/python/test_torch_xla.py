"""PyTorch's own stack for TPUs, torch_xla: on XLA's CPU client, and compiled for a TPU that is not here.

It needs the environment torch-xla, which is large: SEAMARK_TEST_TORCH_XLA_PYTHON names its interpreter.
"""

import json
import os

import pytest
from agent_client import agent_command, check_forks, only, reproduced
from agent_client import run_cases as run

pytestmark = pytest.mark.framework

XLA = {
    "name": "torch/xla-cpu",
    "framework": "torch",
    "adapter": "torch_xla",
    "device": "xla",
    "variables": {"PJRT_DEVICE": "CPU"},
}
V3 = {
    "name": "torch/tpu-v3+aot",
    "framework": "torch",
    "adapter": "torch_aot",
    "device": "tpu",
    "options": {"platform": "tpu", "topology": "v3:2x2"},
}

SUITE = """
from seamark_suites.case import case

@case("torch.linalg.eigvals", dtypes="f32", reference="none")
def no_lowering(t, dtype):
    return t.call("torch.linalg.eigvals", t.randn((4, 4), dtype))

@case("torch.where", dtypes="f32")
def decides_by_a_value(t, dtype):
    return t.call(lambda x: x.sin() if float(x.sum()) > 0 else x.cos(), t.randn((8,), dtype))

@case("torch.add", dtypes="f32", reference="none")
def fails_anywhere(t, dtype):
    return t.call("torch.add", t.randn((3,), dtype), t.randn((4,), dtype))

@case("torch.Tensor.to", dtypes="f32")
def visits_the_host(t, dtype):
    return t.call(lambda x: (x * 3).to("cpu").to(t.device), t.randn((8,), dtype))

@case("torch.detach", dtypes="f32")
def does_nothing(t, dtype):
    return t.call(lambda x: x.detach(), t.randn((8,), dtype))

@case("torch.add", dtypes="f32 f64", reference="none")
def in_place(t, dtype):
    x = t.randn((64, 33), dtype)
    before = t.host(x).copy()
    t.call(lambda: [x.add_(1), None][1])
    t.expect(bool((t.host(x) != before).all()), "changed once")

@case("torch.nn.Linear", dtypes="f32", reference="none")
def leaves_gradients(t, dtype):
    layer = t.construct("torch.nn.Linear", 5, 3, dtype=dtype)
    t.call(lambda: layer(t.randn((4, 5), dtype)).square().sum().backward())
    t.expect(bool((t.host(layer.weight.grad) != 0).any()), "a gradient")

@case("torch.optim.Adam", dtypes="f32", reference="none")
def two_steps(t, dtype):
    layer = t.construct("torch.nn.Linear", 5, 3, dtype=dtype)
    chosen = t.get("torch.optim.Adam")(layer.parameters(), lr=0.1)
    before = t.host(layer.weight).copy()
    for _ in range(2):
        chosen.zero_grad()
        (layer(t.randn((4, 5), dtype)) ** 2).sum().backward()
        t.call(chosen.step)
    t.expect(bool((t.host(layer.weight) != before).all()), "other weights")

@case("torch.zeros", dtypes="f32", reference="none")
def depends_on_nothing(t, dtype):
    return t.call("torch.zeros", (3,), device=t.device)

@case("torch.Tensor.normal_", random=True)
def drawn_in_place(t):
    drawn = t.call(lambda: t.get("torch.empty")(400, device=t.device).normal_())
    t.statistics(drawn, mean=0, low=-9, high=9)
    return drawn

@case("torch.rand", random=True)
def drawn(t):
    first = t.call("torch.rand", 400, device=t.device)
    t.statistics(first, mean=0.5, low=0, high=1)
    return first
"""

LARGE = """
from seamark_suites.case import case

@case("torch.matmul", dtypes="f32", reference="none")
def too_large(t, dtype):
    def enormous(x):
        if x.device.type != "xla":
            return x
        big = x[0].expand(1 << 19, 1 << 15) * 2
        return (big @ big.T @ big).sum()

    return t.call(enormous, t.randn((8,), dtype))
"""


@pytest.fixture(scope="module")
def python():
    path = os.environ.get("SEAMARK_TEST_TORCH_XLA_PYTHON")
    if not path:
        pytest.skip("SEAMARK_TEST_TORCH_XLA_PYTHON names no interpreter with torch_xla")
    os.environ["PJRT_DEVICE"] = "CPU"  # as the target's entry has it
    yield path
    del os.environ["PJRT_DEVICE"]


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    path = tmp_path_factory.mktemp("suite") / "xla_checks.py"
    path.write_text(SUITE)
    return str(path)


def by_body(ends):
    return {name.split("/")[1]: end for name, end in ends.items()}


@pytest.fixture(scope="module")
def executed(python, suite):
    return by_body(run(python, XLA, suite=suite))


@pytest.fixture(scope="module")
def compiled(python, suite):
    return by_body(run(python, V3, suite=suite))


def probe(python, target):
    return json.loads(agent_command(python, "probe", "--target", json.dumps(target))[1])


def test_the_device_and_the_versions_are_named(python):
    facts = probe(python, XLA)
    assert facts["usable"] is True, facts["reason"]
    assert facts["device"].startswith("XLA's CPU client on ")
    assert "(torch_xla %s)" % facts["facts"]["torch_xla"] in facts["framework_version"]


def test_the_route_is_taken_where_torch_xla_is_and_labels_all(python, compiled):
    facts = probe(python, V3)
    assert facts["usable"] is True, facts["reason"]
    label = "torch_xla " + facts["facts"]["torch_xla"]
    assert facts["device"] == "TPU v3 (compiled only, via %s)" % label
    assert facts["facts"]["bridge"] == label
    assert facts["framework_version"].endswith("(%s)" % label)
    end = compiled["two_steps[f32]"]
    assert end["compiled"]["bridge"] == label
    assert label in end["placement"]["note"]


def test_a_route_that_is_insisted_on_and_not_there_is_unusable(python):
    target = dict(V3, options=dict(V3["options"], route="torchax"))
    facts = probe(python, target)
    assert facts["usable"] is False
    assert "torchax" in facts["reason"]
    assert "torch-tpu-aot" in facts["remedy"]


def test_results_are_right_and_the_devices_own(python):
    ends = run(python, XLA, "torch.nn.Linear/linear[f32,*")
    for end in ends.values():
        assert (end["outcome"], end["evidence"]) == ("pass", "verified"), end["failure"]
        assert end["placement"]["method"] == "xla-counters"
        assert end["placement"]["where"] == "device"
        assert end["placement"]["outputs"] == ["xla:0"]


def test_a_fallback_is_a_pass_on_the_host_and_no_program_of_the_device(executed, compiled):
    end = executed["no_lowering[f32]"]
    assert end["outcome"] == "pass", end["failure"]
    assert any("linalg_eig" in name for name in end["placement"]["fallback_ops"]), end["placement"]
    assert end["placement"]["where"] == "host"
    assert "host-fallback" in end["attributes"]
    end = compiled["no_lowering[f32]"]
    assert end["failure"]["stage"] == "lower"
    assert "ops not capturable by Pytorch/XLA: aten::" in end["failure"]["message"]
    assert "linalg_eig" in end["failure"]["message"]
    assert "fails-on-reference" not in end["attributes"]


def test_a_scalar_read_is_no_fallback(executed, compiled):
    end = executed["decides_by_a_value[f32]"]
    assert (end["outcome"], end["attributes"]) == ("pass", [])
    end = compiled["decides_by_a_value[f32]"]
    assert end["outcome"] == "pass", end["failure"]
    assert end["compiled"]["programs"] == 1


def test_too_large_a_program_is_a_matter_of_memory_and_never_executed(python, tmp_path):
    path = tmp_path / "large_checks.py"
    path.write_text(LARGE)
    end = only(run(python, V3, suite=str(path)))
    assert end["failure"]["stage"] == "compile"
    assert "RESOURCE_EXHAUSTED" in end["failure"]["message"]


def test_what_fails_on_the_cpu_is_no_finding(compiled):
    end = compiled["fails_anywhere[f32]"]
    assert (end["outcome"], end["failure"]["stage"]) == ("fail", "lower")
    assert end["attributes"] == ["fails-on-reference"]


def test_what_leads_to_the_host_is_compiled(executed, compiled):
    assert executed["visits_the_host[f32]"]["outcome"] == "pass"
    end = compiled["visits_the_host[f32]"]
    assert end["outcome"] == "pass", end["reason"]
    assert end["compiled"]["programs"] == 1


def test_a_call_without_a_program_is_skipped(compiled):
    end = compiled["does_nothing[f32]"]
    assert end["outcome"] == "skip"
    assert end["reason"] == "no device program: the call makes an empty graph"
    assert end["compiled"] is None


def test_a_draw_is_device_work_and_waiting_is_none(executed):
    for name in ("does_nothing[f32]", "depends_on_nothing[f32]"):
        assert executed[name]["outcome"] == "pass", executed[name]["failure"]
        assert executed[name]["attributes"] == ["no-device-work"]
    for name in ("drawn", "drawn_in_place", "in_place[f32]"):
        assert executed[name]["outcome"] == "pass", executed[name]["failure"]
        assert executed[name]["attributes"] == []


def test_changes_in_place_gradients_and_steps_are_results(executed, compiled):
    for name in ("in_place[f32]", "in_place[f64]", "leaves_gradients[f32]", "two_steps[f32]"):
        assert executed[name]["outcome"] == "pass", executed[name]["failure"]
        assert compiled[name]["outcome"] == "pass", compiled[name]["failure"]
        assert compiled[name]["compiled"]["compiler"] == "libtpu"
        assert compiled[name]["compiled"]["host_calls"] == 0
    for dtype, size in (("f32", 4), ("f64", 8)):
        assert compiled["in_place[%s]" % dtype]["compiled"]["bytes"] >= 2 * 64 * 33 * size
    # The loss needs one product of 4x5 and 5x3, the weights' gradient a second.
    assert compiled["leaves_gradients[f32]"]["compiled"]["flops"] >= 2 * 2 * 4 * 5 * 3
    assert compiled["two_steps[f32]"]["compiled"]["programs"] == 2


def test_random_numbers_follow_the_seed_and_are_drawn_by_the_program(executed, compiled):
    assert executed["drawn"]["outcome"] == "pass", executed["drawn"]["failure"]
    assert compiled["drawn"]["outcome"] == "pass", compiled["drawn"]["failure"]
    assert compiled["drawn"]["compiled"]["flops"] > 400


def test_a_case_is_timed_where_it_runs_and_not_where_nothing_runs(python):
    name = "torch.nn.Linear/linear[f32,bias=True]"
    operation = only(run(python, XLA, name, "--phase", "timing"))["operations"][0]
    assert operation["cold_s"] > 0
    assert len(operation["warm_s"]) >= 20
    end = only(run(python, V3, name, "--phase", "timing"))
    assert end["outcome"] == "skip"
    assert "nothing" in end["reason"]


@pytest.mark.parametrize("target", [XLA, V3], ids=lambda target: target["name"])
def test_a_forked_child_can_use_what_the_zygote_imported(python, agent, target):
    worker = agent(python, target, mode="fork", suites=("curated",))
    check_forks(worker, ["torch.nn.Linear/linear[f32,bias=True]"])


@pytest.mark.parametrize(
    ("target", "case", "shown", "fails"),
    [
        (XLA, "torch.nn.Linear/linear[f32,bias=True]", "tensor", False),
        (V3, "torch.nn.Linear/linear[f32,bias=True]", "flops", False),
        (V3, "torch.ormqr/ormqr[f32,left=True]", "aten::ormqr", True),
    ],
)
def test_a_reproducer_needs_torch_xla_alone(python, tmp_path, target, case, shown, fails):
    _, done = reproduced(python, target, case, tmp_path)
    assert (done.returncode != 0) == fails, done.stderr
    assert shown in (done.stderr if fails else done.stdout)
