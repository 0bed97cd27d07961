"""What is said of where work ran on minidev (tests/device) beside tricks: failures, numbers, planted defects, a bare device."""

import json
import subprocess

import pytest
from agent_client import ROOT, agent_command, run_cases
from conftest import MINIDEV_CONFIG
from test_placement import LAZY, MINIDEV

pytestmark = pytest.mark.framework


def test_a_call_that_fails_after_the_host_worked(minidev, tmp_path):
    path = tmp_path / "fails.py"
    path.write_text(
        """
from seamark_suites.case import case


@case("torch.linalg.det", reference="none")
def raises(t):
    def call(x):
        t.fw.linalg.det(x)
        raise ValueError("on purpose")

    t.call(call, t.spd(3, "f32"))


@case("torch.linalg.cholesky", reference="none")
def is_refused(t):
    t.call("torch.linalg.cholesky", -t.spd(3, "f32"))
"""
    )
    for target in (MINIDEV, LAZY):
        ends = run_cases(minidev, target, suite=str(path)).values()
        assert [(end["outcome"], end["placement"]["where"]) for end in ends] == [
            ("fail", "host")
        ] * 2
        for end, name in zip(ends, ("aten::_linalg_det", "aten::linalg_cholesky_ex"), strict=True):
            assert name in [one.split(".")[0] for one in end["placement"]["fallback_ops"]]


def test_numbers_in_the_place_of_tensors_are_no_failure(minidev, tmp_path):
    """Most operators do not take a number back that a dispatch mode was given as a tensor."""
    calls = {
        "remainder": "x % 4", "fmod": "t.fw.fmod(x, 2.5)", "bitwise_and": "x & 3", "xlogy": "t.fw.xlogy(x, 2)",
        "copysign": "t.fw.copysign(x, -0.1)", "remainder_": "x.clone().remainder_(3)", "bitwise_left_shift": "1 << x",
        "special.zeta": "t.fw.special.zeta(x + 2, 2.0)", "bitwise_or": "t.fw.bitwise_or(x > 2, True)", "pow": "x ** 2",
    }  # fmt: skip
    path = tmp_path / "numbers.py"
    path.write_text(
        "from seamark_suites.case import case\n"
        + "".join(
            '\n\n@case("torch.Tensor.%s", dtypes="i32")\ndef case_%d(t, dtype):\n'
            "    t.call(lambda x: %s, t.randint((5,), dtype, 0, 9))\n" % (name, number, call)
            for number, (name, call) in enumerate(calls.items())
        )
    )
    ends = run_cases(minidev, MINIDEV, suite=str(path))
    failed = {name: end["failure"] for name, end in ends.items() if end["outcome"] != "pass"}
    assert len(ends) == len(calls) and not failed, failed


def test_what_seamark_asks_of_the_host_is_not_blamed_on_the_device(minidev, agent):
    """OpInfo's samples name the CPU as device, and hold tensors that belong there."""
    functions = ("torch.full", "torch.randn", "torch.tensor_split", "torch.Tensor.to")
    worker = agent(minidev, MINIDEV, suites=["opinfo"])
    assert worker.receive()["ev"] == "ready"
    worker.plan([function + "/opinfo[f32,sample=0]" for function in functions])
    for name in worker.names:
        end = worker.run(name)
        assert end["outcome"] == "pass", (name, end["failure"])
        assert "host-fallback" not in end["attributes"]
    worker.close()


# What is planted, and how it is told: outcome, category, place.
DEFECTS = {
    "torch.erfinv/raises[f32]": ("fail", "not-implemented", "none"),
    "torch.atan/wrong[f32]": ("fail", "wrong-result", "device"),
    "torch.sinh/copies[f32]": ("pass", None, "host"),
    # A miss, and no caller can know better: `unknown` would be right.
    "torch.cosh/loops[f32]": ("pass", None, "device"),
    "torch.lgamma/zeros[f32]": ("fail", "wrong-result", "device"),
    "torch.exp2/exact[f32]": ("pass", None, "device"),
    "torch.exp2/exact[f64]": ("fail", "wrong-result", "device"),  # in no precision is it right
    "torch.digamma/hangs[f32]": ("timeout", "timeout", "unknown"),
    "torch.i0/crashes[f32]": ("crash", "crash", "unknown"),
}


def test_each_planted_defect_is_told_as_what_it_is(minidev, executable, tmp_path):
    suite, blocks = "from seamark_suites.case import case\n", {}
    for name in DEFECTS:
        function, _, label = name.partition("/")
        body, dtype = label[:-1].split("[")
        blocks.setdefault((function, body), []).append(dtype)
    for (function, body), dtypes in blocks.items():
        suite += '\n\n@case("%s", dtypes="%s")\ndef %s(t, dtype):\n' % (
            function,
            " ".join(dtypes),
            body,
        )
        suite += '    return t.call("%s", t.uniform((64,), dtype, 0.8, 7.2))\n' % function
    (tmp_path / "defects.py").write_text(suite)
    (tmp_path / "seamark.toml").write_text(MINIDEV_CONFIG)

    def seamark(*words):
        command = [executable, *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    seamark("run", "--config", "seamark.toml", "--target", "torch/minidev", "--suite", "./defects.py", "--python", minidev,
            "--timeout", "15", "--no-timing", "--no-confirm")  # fmt: skip
    rows = seamark("export", "--format", "jsonl", "-o", "-").splitlines()
    told = {
        row["case"]: (row["outcome"], row["category"], row["placement"])
        for row in map(json.loads, rows)
        if row["phase"] == "correctness"
    }
    assert told == DEFECTS


def test_a_device_that_knows_empty_and_a_copy_alone(minidev, monkeypatch, tmp_path):
    """What it lacks for the first steps is one line, and cases run all the same."""
    monkeypatch.setenv("MINIDEV_BARE", "1")
    status, out, err = agent_command(minidev, "probe", "--target", json.dumps(MINIDEV))
    probe = json.loads(out)
    assert status == 0, err
    assert probe["usable"], probe
    missing = "aten::fill_.Scalar has no kernel for PrivateUse1"
    assert probe["device"] == "minidev, a device in host memory; " + missing
    path = tmp_path / "first.py"
    path.write_text(
        """
from seamark_suites.case import table

table("torch", "clone exp", dtypes="f32", shapes="8")
"""
    )
    ends = run_cases(minidev, MINIDEV, suite=str(path))
    ends = {name.split("/")[0]: end for name, end in ends.items()}
    assert ends["torch.clone"]["outcome"] == "pass", ends["torch.clone"]["failure"]
    assert ends["torch.exp"]["outcome"] == "fail"
    assert ends["torch.exp"]["failure"]["message"].startswith("Could not run 'aten::exp.out'")


@pytest.mark.long
@pytest.mark.parametrize("target", ["torch/minidev", "torch/lazy"])
def test_no_fallback_is_missed_and_none_is_made_up(minidev, target):
    """The curated suite's core in f32, by what a witness saw that no adapter reads."""
    script = ROOT / "tests" / "device" / "confusion.py"
    command = [minidev, str(script), "--target", target, "--core", "--dtype", "f32"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
