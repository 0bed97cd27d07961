"""PyTorch's targets with the real framework: verdicts of known functions, fallback proof, reproducers."""

import json
import os
import shutil
import subprocess

import pytest
from agent_client import BOOT, ROOT, agent_command, reproduced
from agent_client import run_cases as run

pytestmark = pytest.mark.framework

CPU = {"name": "torch/cpu", "framework": "torch", "adapter": "torch_eager", "device": "cpu"}
LAZY = {"name": "torch/lazy", "framework": "torch", "adapter": "torch_lazy", "device": "lazy"}
INDUCTOR = {
    "name": "torch/cpu+inductor",
    "framework": "torch",
    "adapter": "torch_inductor",
    "device": "cpu",
}


@pytest.fixture
def python(framework_python):
    return framework_python("torch")


def test_what_only_cuda_can_do_is_skipped_on_the_reference_and_fails_elsewhere(ask, python):
    ends = ask(python, CPU, "torch.cuda.synchronize/*")
    skipped = [name.split("/")[1] for name, end in ends.items() if end["outcome"] == "skip"]
    assert {"waits", "of_one_device"} <= set(skipped)
    assert "no CPU reference" in ends["torch.cuda.synchronize/waits"]["reason"]
    if ends["torch.cuda.synchronize/without_cuda_it_says_so"]["outcome"] == "skip":
        pytest.skip("there is a CUDA device")
    ends = ask(python, LAZY, "torch.cuda.synchronize/*")
    failed = {name.split("/")[1]: end for name, end in ends.items() if end["outcome"] == "fail"}
    assert sorted(failed) == sorted(skipped)
    assert failed["waits"]["failure"]["stage"] == "call"
    assert "CUDA" in failed["waits"]["failure"]["message"]
    ends = ask(python, LAZY, "torch.cuda/*")
    asking = [ends["torch.cuda/" + name] for name in ("available", "asked_before_it_is_started")]
    assert all(end["outcome"] == "pass" and "host-only" in end["attributes"] for end in asking)


def test_lazy_falls_back_silently_and_is_seen(ask, python):
    end = next(iter(ask(python, LAZY, "torch.log1p/log1p[f32*").values()))
    assert end["outcome"] == "pass" and end["placement"]["fallback_ops"] == ["aten::log1p"]
    assert end["placement"]["where"] == "host" and "host-fallback" in end["attributes"]


def test_lazy_runs_some_functions_itself(ask, python):
    ends = ask(python, LAZY, "torch.nn.Linear/linear[f32*")
    # Set-up's copies do not count.
    assert [end["placement"]["where"] for end in ends.values()] == ["device", "device"]
    assert [end["placement"]["fallback_ops"] for end in ends.values()] == [[], []]


def test_lazy_gives_real_failures(ask, python):
    ends = ask(python, LAZY, "torch.nn.LSTMCell/lstm_cell[f32*")
    assert [end["failure"]["stage"] for end in ends.values()] == ["call"]
    assert all("view operator" in end["failure"]["message"] for end in ends.values())


def test_lazy_wrong_values_and_host_outputs(python, tmp_path):
    """pixel_shuffle reads uninitialized memory with no counter raised; tril_indices returns a CPU tensor."""
    suite = tmp_path / "lazy.py"
    suite.write_text(
        "from seamark_suites.case import case\n"
        '@case("torch.pixel_shuffle", dtypes="f32")\n'
        "def shuffle(t, dtype):\n"
        '    return t.call("torch.pixel_shuffle", t.randn((1, 8, 3, 3), dtype), 2)\n'
        '@case("torch.tril_indices")\n'
        "def indices(t):\n"
        '    return t.call("torch.tril_indices", 4, 4, device=t.device)\n'
    )
    ends = run(python, LAZY, suite=str(suite))
    shuffle, indices = ends.values()
    assert shuffle["outcome"] == "fail" or shuffle["placement"]["where"] == "host"
    assert indices["placement"]["outputs"] == ["cpu"]
    assert indices["attributes"] == ["no-device-work"]  # it depends on no input


def test_inductor_compiles_whole_graphs(ask, python):
    ends = ask(python, INDUCTOR, "torch.log1p/log1p[f32*")
    end = next(iter(ends.values()))
    assert (
        end["outcome"] == "pass"
        and end["placement"]["method"] == "dynamo-graphs"
        and end["placement"]["where"] == "device"
    )
    end = next(iter(ask(python, INDUCTOR, "torch.optim.Rprop/rprop[f32*").values()))
    assert end["outcome"] == "fail" and "graph_break" in end["failure"]["message"]


CLEARED = """
import glob, os, sys

sys.path.insert(0, sys.argv[1])
from seamark_agent.adapters.torch_inductor import TargetAdapter

adapter = TargetAdapter({"name": "torch/cpu+inductor", "device": "cpu"})
adapter.import_framework()
adapter.start()
import torch

for _ in range(2):
    assert adapter.clear_caches() is None
    before = adapter.counters()
    adapter.unit(lambda x: torch.sin(x) + 1, (torch.ones(8),), {}, False, "target")()
    after = adapter.counters()
    assert after["compilations"] - before["compilations"] == 1
    assert after["compile_s"] > before["compile_s"]
    print(len(glob.glob(os.environ["TORCHINDUCTOR_CACHE_DIR"] + "/**/*.so", recursive=True)))
"""


def test_inductor_compiles_each_cold_call_anew(python):
    """Also a graph whose kernels it still holds in memory."""
    done = subprocess.run(
        [python, "-c", CLEARED, str(ROOT / "python")], capture_output=True, text=True
    )
    assert done.stdout.split() == ["1", "1"], done.stderr


def test_the_first_case_of_a_process_is_told_what_the_others_are(python):
    """Dynamo's first use disables LBFGS.step."""
    ends = run(python, INDUCTOR, "torch.optim.LBFGS/lbfgs[f32,line_search=None]")
    assert len(ends) == 1
    for end in ends.values():
        assert end["failure"]["message"].startswith("Skip calling `torch.compiler.disable()`d")


def test_what_inductor_leaves_to_aten_is_said(python, tmp_path):
    calls = {
        "add": ("x + 1", ""),
        "random": ("x + torch.rand(4, 4)", ""),  # Inductor's own seed does not count
        "matmul": ("x @ x", "aten.mm"),
        "svdvals": ("torch.linalg.svdvals(x)", "aten._linalg_svd"),
        "sort": ("torch.sort(x @ x)[0] + 1", "aten.mm, aten.sort"),
        "again": ("torch.sort(x @ x)[0] + 1", "aten.mm, aten.sort"),  # from Inductor's cache
    }
    suite = tmp_path / "calls.py"
    text = "import torch\nfrom seamark_suites.case import case\n"
    for name, (call, _) in calls.items():
        text += '@case("torch.%s", random=True, reference="none")\ndef %s(t):\n' % (name, name)
        text += '    t.call(lambda x: %s, t.randn((4, 4), "f32"))\n' % call
    suite.write_text(text)
    ends = run(python, INDUCTOR, suite=str(suite))
    assert all(end["placement"]["where"] == "device" for end in ends.values())
    said = {name.split("/")[1]: end["placement"]["note"] or "" for name, end in ends.items()}
    assert said == {name: left and "left to ATen: " + left for name, (_, left) in calls.items()}
    assert all(("left-to-aten" in end["attributes"]) == bool(end["placement"]["note"])
               for end in ends.values())  # fmt: skip


def test_inductor_without_a_compiler_is_unusable_not_many_failures(python, tmp_path):
    environment = dict(os.environ, PATH=str(tmp_path))
    environment.pop("CXX", None)
    done = subprocess.run([python, str(BOOT), "probe", "--target", json.dumps(INDUCTOR)],
                          capture_output=True, text=True, env=environment)  # fmt: skip
    facts = json.loads(done.stdout)
    assert facts["usable"] is False and "compiler" in facts["reason"] and "g++" in facts["remedy"]


def test_a_device_that_is_not_there_is_unusable(python):
    for device in ("cuda", "mps", "xpu", "nosuch"):
        _, out, _ = agent_command(python, "probe", "--target", json.dumps(dict(CPU, device=device)))
        facts = json.loads(out)
        if not facts["usable"]:
            assert facts["reason"] and facts["remedy"], device


def test_a_plug_in_device_is_imported(python):
    facts = json.loads(agent_command(
        python, "probe", "--target", json.dumps(dict(CPU, device="npu", options={"import": "no_such_plugin"})))[1])  # fmt: skip
    assert facts["usable"] is False and "no_such_plugin" in facts["reason"]


def test_a_plug_in_that_aborts_on_its_way_out_still_answers(python, monkeypatch, tmp_path):
    (tmp_path / "aborting.py").write_text(
        "import atexit, minidev, os\n\natexit.register(os.abort)\n"
    )
    monkeypatch.setenv("PYTHONPATH", "%s:%s" % (ROOT / "tests" / "device", tmp_path))
    target = dict(CPU, name="torch/minidev", device="minidev", options={"import": "aborting"})
    status, out, err = agent_command(python, "probe", "--target", json.dumps(target))
    assert (status, json.loads(out)["usable"]) == (0, True), err


def test_a_plug_in_that_cannot_be_waited_for_has_no_time(python, monkeypatch, tmp_path):
    (tmp_path / "endless.py").write_text("import minidev, torch\n\ndel torch.minidev.synchronize\n")
    monkeypatch.setenv("PYTHONPATH", "%s:%s" % (ROOT / "tests" / "device", tmp_path))
    for plugin, timed in (("minidev", True), ("endless", False)):
        target = dict(CPU, name="torch/minidev", device="minidev", options={"import": plugin})
        (end,) = run(
            python, target, "torch.sum/reduce[f32,64x33,dim=0]", "--phase", "timing"
        ).values()
        (operation,) = end["operations"]
        assert (operation["cold_s"] is not None, bool(operation["warm_s"])) == (timed, timed)
        assert timed or "cannot be waited for" in operation["warm_reason"]


def test_paper_protocol_and_full_protocol_time(python):
    ends = run(python, CPU, "torch.sum/reduce[f32,64x33,dim=0]", "--phase", "timing")
    operation = next(iter(ends.values()))["operations"][0]
    assert operation["cold_s"] > 0 and len(operation["warm_s"]) >= 20


@pytest.mark.parametrize("target", [CPU, LAZY], ids=lambda target: target["name"])
@pytest.mark.parametrize("case", [
    "torch.nn.LSTMCell/lstm_cell[f32]", "torch.optim.LBFGS/lbfgs[f32,line_search=None]", "torch.utils.data.Subset/subset",
])  # fmt: skip
def test_reproducers_need_nothing_of_ours(python, tmp_path, target, case):
    text, done = reproduced(python, target, case, tmp_path)
    assert "seamark" not in text
    fails = target is LAZY and "LSTMCell" in case
    assert (done.returncode != 0) == fails, done.stderr
    if fails:
        assert "view operator" in done.stderr
    else:
        assert done.stdout.strip()


def test_the_old_floor_of_python_can_list():
    old = shutil.which("python3.8")
    if old is None or subprocess.run([old, "-c", ""]).returncode:
        pytest.skip("there is no Python 3.8 here")
    assert agent_command(old, "list")[0] == 0


def test_what_another_size_compiles_is_told(ask, python):
    """A lazy backend compiles each size anew; torch.compile finds out that one varies."""
    (lazy,) = ask(python, LAZY, "torch.matmul/products_of_three_sizes[f32]").values()
    assert "compiled-by-size-1,1,1" in lazy["attributes"]
    (compiled,) = ask(python, INDUCTOR, "torch.matmul/products_of_three_sizes[f32]").values()
    assert "compiled-by-size-1,1,0" in compiled["attributes"]
