"""The TensorFlow suite: what can be said without the framework, and every core case with it."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
BOOT = PYTHON / "seamark_agent" / "boot.py"
TENSORFLOW = os.environ.get("SEAMARK_TEST_TENSORFLOW_PYTHON")
needs_tensorflow = [
    pytest.mark.framework,
    pytest.mark.skipif(not TENSORFLOW, reason="SEAMARK_TEST_TENSORFLOW_PYTHON names no interpreter"),
]

# Ops that XLA has no kernel for on any CPU; their failure is the finding.
NOT_IN_XLA = ("tf.image.draw_bounding_boxes", "tf.io.decode_raw", "tf.numpy_function", "tf.print", "tf.random.gamma",
              "tf.sets.intersection", "tf.io.parse_single_sequence_example")  # fmt: skip


def listing():
    done = subprocess.run(
        [sys.executable, str(BOOT), "list", "--suite", "curated", "--framework", "tensorflow"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def run_cases(pattern, device="/CPU:0", phase="correctness", **options):
    target = {"name": "tensorflow/test", "framework": "tensorflow", "adapter": "tensorflow"}
    target.update(device=device, options=options)
    command = [TENSORFLOW, str(BOOT), "run", "--target", json.dumps(target), "--case", pattern, "--phase", phase]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    ends = [json.loads(line) for line in done.stdout.splitlines()]
    assert ends, done.stderr[-2000:]
    return ends


def failures(ends):
    return ["%s: %s" % (end["case"], (end.get("failure") or {}).get("message")) for end in ends if end["outcome"] != "pass"]


def test_lists_without_a_framework():
    cases = listing()
    functions = {case["function"] for case in cases}
    assert len(functions) >= 60
    assert {"tf.concat", "tf.linalg.svd", "tf.lookup.KeyValueTensorInitializer", "tf.numpy_function"} <= functions
    assert all(name.startswith("tf.") for name in functions)


def test_every_function_has_core_cases_and_more_than_one_case():
    cases = listing()
    for function in {case["function"] for case in cases}:
        own = [case for case in cases if case["function"] == function]
        core = [case for case in own if case["core"]]
        assert core, "%s has no core case" % function
        assert len(core) <= 24, "%s has %d core cases: too many to weigh" % (function, len(core))
        assert sum(case["first_core"] for case in own) == 1


def test_bodies_do_not_reach_into_the_harness():
    """A standalone reproducer carries a body as it is."""
    for path in sorted((PYTHON / "seamark_suites" / "tensorflow").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "t._" not in text, path
        assert "import tensorflow" not in text, path




class TestWithTensorflow:
    pytestmark = needs_tensorflow

    def test_every_core_case_passes_on_cpu(self):
        core = {case["name"] for case in listing() if case["core"]}
        ends = [end for end in run_cases("*") if end["case"] in core]
        assert len(ends) == len(core)
        assert failures(ends) == []

    def test_what_xla_lacks_fails_in_compile(self):
        for function in NOT_IN_XLA:
            first = next(case for case in listing() if case["function"] == function and case["first_core"])
            (end,) = run_cases(first["name"], jit=True)
            assert end["outcome"] == "fail", first["name"]
            assert end["failure"]["stage"] == "compile"
            assert "unsupported operations" in end["failure"]["message"]

    @pytest.mark.parametrize("pattern", ["tf.concat/*", "tf.linalg.set_diag/*", "tf.nn.conv3d/conv3d_gradient*"])
    def test_passes_compiled(self, pattern):
        ends = run_cases(pattern, jit=True)
        assert failures(ends) == []
        assert all(end["placement"]["method"] == "xla-must-compile" for end in ends)

    def test_sessions_are_skipped_where_they_cannot_be_compiled(self):
        ends = run_cases("tf.compat.v1.Session.run/*", jit=True)
        assert {end["outcome"] for end in ends} == {"skip"}
        assert all("session" in end["reason"] for end in ends)

    def test_host_only_cases_run_beside_a_compiled_target(self):
        ends = run_cases("tf.data.Dataset.shard/*", jit=True)
        assert failures(ends) == []
        assert all("host-only" in end["attributes"] for end in ends)

    def test_times_cold_above_warm_when_compiled(self):
        (end,) = run_cases("tf.linalg.set_diag/set_diag[[]f32,4x4]", phase="timing", jit=True)
        (operation,) = end["operations"]
        assert operation["cold_reason"] is None
        assert operation["cold_s"] > 5 * sorted(operation["warm_s"])[len(operation["warm_s"]) // 2]

    @pytest.mark.parametrize("jit", [False, True])
    def test_reproducer_runs_alone(self, jit, tmp_path):
        target = {"name": "tensorflow/cpu", "framework": "tensorflow", "adapter": "tensorflow", "options": {"jit": jit}}
        command = [TENSORFLOW, str(BOOT), "script", "--target", json.dumps(target)]
        for name in ("tf.concat/concat_gradient[f32]", "tf.keras.optimizers.Adadelta/adadelta_formula[f32]"):
            made = subprocess.run(command + ["--case", name], capture_output=True, text=True, check=True)
            assert "seamark" not in made.stdout.replace("seamark_", "").lower() or "import seamark" not in made.stdout
            path = tmp_path / "case.py"
            path.write_text(made.stdout, encoding="utf-8")
            done = subprocess.run([TENSORFLOW, str(path)], capture_output=True, text=True, cwd=tmp_path)
            assert done.returncode == 0, done.stderr[-2000:]
            assert "dtype=float32" in done.stdout
