"""The TensorFlow suite: what can be said without the framework, and what the framework makes of it."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
from seamark_suites import loader

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
BOOT = PYTHON / "seamark_agent" / "boot.py"
TENSORFLOW = os.environ.get("SEAMARK_TEST_TENSORFLOW_PYTHON")
needs_tensorflow = [
    pytest.mark.framework,
    pytest.mark.skipif(
        not TENSORFLOW, reason="SEAMARK_TEST_TENSORFLOW_PYTHON names no interpreter"
    ),
]

# Ops that XLA has no kernel for on any CPU; their failure is the finding.
NOT_IN_XLA = (
    "tf.image.draw_bounding_boxes",
    "tf.io.decode_raw",
    "tf.numpy_function",
    "tf.print",
    "tf.random.gamma",
    "tf.sets.intersection",
    "tf.io.parse_single_sequence_example",
)


def listing():
    done = subprocess.run(
        [sys.executable, str(BOOT), "list", "--suite", "curated", "--framework", "tensorflow"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


RUN = """
import json, sys
sys.path.insert(0, sys.argv[1])
from seamark_agent import adapters, wire
from seamark_agent.harness import Runner
from seamark_suites.loader import load
request = json.loads(sys.argv[2])
adapter = adapters.load(request["target"])
adapter.import_framework()
adapter.start()
adapter.prewarm()
runner = Runner(adapter)
cases = {case.name: case for case in load(["curated"], "tensorflow")}
for name in request["names"]:
    end = dict(runner.run(cases[name], request["phase"]), case=name)
    sys.stdout.buffer.write(wire.encode(end))
"""


def run_cases(names, phase="correctness", **options):
    """The `end` of each case, all in one process."""
    target = {
        "name": "tensorflow/test",
        "framework": "tensorflow",
        "adapter": "tensorflow",
        "options": options,
    }
    request = {"target": target, "names": list(names), "phase": phase}
    command = [TENSORFLOW, "-c", RUN, str(PYTHON), json.dumps(request)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    ends = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert len(ends) == len(request["names"]), done.stderr[-2000:]
    return ends


def named(*prefixes):
    return [case["name"] for case in listing() if case["name"].startswith(prefixes)]


def test_lists_without_a_framework():
    cases = listing()
    functions = {case["function"] for case in cases}
    assert len(functions) >= 60
    assert {
        "tf.concat",
        "tf.linalg.svd",
        "tf.lookup.KeyValueTensorInitializer",
        "tf.numpy_function",
    } <= functions
    assert all(name.startswith("tf.") for name in functions)


def test_every_function_has_core_cases_and_more_than_one_case():
    cases = listing()
    for function in {case["function"] for case in cases}:
        own = [case for case in cases if case["function"] == function]
        core = [case for case in own if case["core"]]
        assert core, "%s has no core case" % function
        assert len(core) <= 24, "%s has %d core cases: too many to weigh" % (function, len(core))


def test_bodies_do_not_reach_into_the_harness():
    """A standalone reproducer carries a body as it is."""
    for path in sorted((PYTHON / "seamark_suites" / "tensorflow").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bt\._", text), path
        assert "import tensorflow" not in text, path


class TestWithTensorflow:
    pytestmark = needs_tensorflow

    def test_what_the_cpu_cannot_do_is_marked_and_still_true(self):
        marked = {
            c.name: c.cpu_fails for c in loader.load(["curated"], "tensorflow") if c.cpu_fails
        }
        ends = run_cases(sorted(marked))
        assert len(ends) == len(marked) > 0
        for end in ends:
            assert end["outcome"] == "fail", end["case"]
            assert "fails-on-reference" in end["attributes"], end["case"]
            assert marked[end["case"]] in end["failure"]["message"]

    def test_what_xla_lacks_fails_in_compile(self):
        quick = [
            case["name"]
            for case in listing()
            if case["function"] in NOT_IN_XLA and case["quick"] and not case["grad"]
        ]
        assert len(quick) == len(NOT_IN_XLA)
        for end in run_cases(quick, jit=True):
            assert end["outcome"] == "fail", end["case"]
            assert end["failure"]["stage"] == "compile", end["case"]
            assert "unsupported operations" in end["failure"]["message"]
            assert "DT_STRING" not in end["failure"]["message"].split("(OpKernel")[0], (
                "the operation is named"
            )

    def test_compiled_or_skipped_or_on_the_host(self):
        names = named(
            "tf.concat/concat[",
            "tf.concat/concat_gradient",
            "tf.concat/concat_mismatch",
            "tf.nn.conv3d/conv3d_gradient",
            "tf.data.Dataset.shard/",
            "tf.compat.v1.Session.run/session_run[",
        )
        ends = {end["case"]: end for end in run_cases(names, jit=True)}
        for name, end in ends.items():
            if name.startswith("tf.compat.v1.Session"):
                assert end["outcome"] == "skip"
                assert "session" in end["reason"]
                continue
            assert end["outcome"] == "pass", (name, end["failure"])
            if name.startswith("tf.data"):
                assert "host-only" in end["attributes"]
            elif "mismatch" not in name:
                assert end["placement"]["method"] == "xla-must-compile"
                assert end["placement"]["where"] == "device"

    def test_times_cold_above_warm_when_compiled(self):
        """Also for the second case of a function: nothing is cached between attempts."""
        names = ["tf.linalg.set_diag/set_diag[f32,4x4]", "tf.linalg.set_diag/set_diag[f32,3x5]"]
        for end in run_cases(names + names, phase="timing", jit=True):
            (operation,) = end["operations"]
            assert operation["cold_reason"] is None
            assert (
                operation["cold_s"] > 5 * sorted(operation["warm_s"])[len(operation["warm_s"]) // 2]
            )

    @pytest.mark.parametrize("jit", [False, True])
    def test_reproducer_runs_alone(self, jit, tmp_path):
        target = {
            "name": "tensorflow/cpu",
            "framework": "tensorflow",
            "adapter": "tensorflow",
            "options": {"jit": jit},
        }
        command = [TENSORFLOW, str(BOOT), "script", "--target", json.dumps(target)]
        for name in (
            "tf.concat/concat_gradient[f32]",
            "tf.keras.optimizers.Adadelta/adadelta_formula[f32]",
        ):
            made = subprocess.run(
                [*command, "--case", name], capture_output=True, text=True, check=True
            )
            assert "import seamark" not in made.stdout
            assert "from seamark" not in made.stdout
            path = tmp_path / "case.py"
            path.write_text(made.stdout, encoding="utf-8")
            done = subprocess.run(
                [TENSORFLOW, str(path)], capture_output=True, text=True, cwd=tmp_path
            )
            assert done.returncode == 0, done.stderr[-2000:]
            assert "dtype=float32" in done.stdout
