"""Ten training scripts (tests/audit/scripts): fixes keep their loss, and what a trace says of their calls is what becomes of them.

SEAMARK_UPDATE_GOLDEN=1 writes tests/audit/confusion.csv anew: docs/audit.md quotes it."""

import ast
import csv
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from conftest import MINIDEV_CONFIG, ROOT
from soak import drawn

AUDIT = Path(__file__).resolve().parents[1] / "audit"
TABLE = AUDIT / "confusion.csv"
HEAD = ["script", "target", "audit", "truth", "places"]
TORCH = ["accumulate", "arrays", "cnn", "graph", "lstm", "mixed", "mlp", "transformer"]
FRAMEWORK = {"jaxloop": "jax", "tfloop": "tensorflow", **dict.fromkeys(TORCH, "torch")}
# The rules whose fixes rewrite a script: the safe ones, and all.
SAFE = {"accumulate": {"DTY07"}, "mixed": {"API11", "CMP08", "DTY07"}, "transformer": {"API02"}}
UNSAFE = {
    "accumulate": {"DEV03", "DTY07"},
    "arrays": {"DEV03"},
    "cnn": {"API09", "DEV03", "DEV12", "DEV14"},
    "graph": {"DEV03", "DEV12"},
    "jaxloop": {"DTY11"},
    "lstm": {"DTY08"},
    "mixed": {"API11", "CMP08", "DEV03", "DEV12", "DTY07"},
    "mlp": {"DEV03", "DEV12"},
    "tfloop": set(),
    "transformer": {"API02", "DEV03", "DEV12", "EXT12"},
}
MODULES = (
    '[project]\ndependencies = ["torch>=2.13", "jax>=0.10", "numpy>=2.0", "tensorflow>=2.20"]\n'
)


def git(folder, *words):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True)


def losses(folder, python, script):
    done = subprocess.run(
        [python, "-W", "ignore", script],
        cwd=folder, capture_output=True, text=True, timeout=300, check=True, env=dict(os.environ, OMP_NUM_THREADS="1"),
    )  # fmt: skip
    found = [float.fromhex(line.split()[1]) for line in done.stdout.splitlines() if line.startswith("loss ")]  # fmt: skip
    assert len(found) >= 2
    return found


@pytest.mark.framework
@pytest.mark.long
@pytest.mark.parametrize(
    "name, words",
    drawn([(name, "--unsafe-fixes") for name in sorted(FRAMEWORK)], 3)
    + drawn([(name, "--fix") for name in SAFE], 1),
)
def test_a_fix_keeps_the_loss(executable, framework_python, tmp_path, name, words):
    pytest.importorskip("libcst", reason="LibCST is not installed")
    python = framework_python(FRAMEWORK[name])
    script = name + ".py"
    shutil.copy(AUDIT / "scripts" / script, tmp_path)
    (tmp_path / "pyproject.toml").write_text(MODULES)
    git(tmp_path, "init", "-q")

    def fixed():
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "all", "--allow-empty")
        done = subprocess.run(
            [executable, "audit", script, "--to", "tpu" if name == "jaxloop" else "mps", words, "--fail-on", "none", "--no-config"],
            cwd=tmp_path, capture_output=True, text=True, timeout=120, env=dict(os.environ, SEAMARK_PYTHON=sys.executable),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done

    before = losses(tmp_path, python, script)
    assert before == losses(tmp_path, python, script)
    done = fixed()
    rules = UNSAFE[name] if words == "--unsafe-fixes" else SAFE[name]
    said = [line for line in done.stderr.splitlines() if " fixed: " in line]
    assert {one.split()[0] for line in said for one in line.split(" fixed: ")[1].split(", ")} == rules  # fmt: skip
    text = (tmp_path / script).read_text()
    ast.parse(text)
    assert (text != (AUDIT / "scripts" / script).read_text()) == bool(rules)
    assert losses(tmp_path, python, script) == before
    assert "+++" not in fixed().stdout
    assert (tmp_path / script).read_text() == text


# -- what a trace says, and what is so ----------------------------------------------------------------

TARGETS = [
    (name, target)
    for target in ("torch/lazy", "torch/minidev", "torch/cpu+inductor")
    for name in TORCH
]
# Its DataLoader pins memory where there is a device, and the test device has no memory that can be pinned.
TARGETS.remove(("arrays", "torch/minidev"))
TARGETS += [("jaxloop", "jax/cpu+jit"), ("tfloop", "tensorflow/cpu+xla")]
if not os.environ.get("SEAMARK_UPDATE_GOLDEN"):  # all of them take half an hour
    TARGETS = drawn([("mlp", "torch/lazy"), ("mlp", "torch/minidev"), *TARGETS[-2:]], 2)
WORST = ("fails", "on host", "unknown", "works")
TRUTH = {
    "fails": "fails",
    "differs": "fails",
    "host": "on host",
    "open": "unknown",
    "works": "works",
}


def said_of(store, trace):
    """{(function, line): the worst that the results say of its calls}."""
    with sqlite3.connect(store) as opened:
        rows = opened.execute("SELECT case_name, outcome, placement, attributes FROM results ORDER BY attempt_id").fetchall()  # fmt: skip
    results = {}
    for case, outcome, placement, attributes in rows:
        said = "fails" if outcome in ("fail", "timeout", "crash") else "works" if outcome == "pass" else "unknown"  # fmt: skip
        host = said == "works" and placement == "host"
        if host and "no-device-work" not in (attributes or ""):
            said = "on host"
        results[case] = said
    found = {}
    for call in trace["calls"]:
        said = results["%s/traced[%s]" % (call["function"], ",".join(call["labels"]))]
        for _, line, _ in call["sites"]:
            before = found.get((call["function"], line), "works")
            found[call["function"], line] = min(before, said, key=WORST.index)
    return found


def table():
    with TABLE.open(newline="") as stream:
        return [tuple(row) for row in csv.reader(stream)][1:]


@pytest.mark.framework
@pytest.mark.long
@pytest.mark.parametrize("name, target", TARGETS)
def test_a_trace_says_what_is_so(executable, framework_python, monkeypatch, tmp_path, name, target):
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "device"))
    (tmp_path / "seamark.toml").write_text(MINIDEV_CONFIG)
    python, script = framework_python(FRAMEWORK[name]), name + ".py"
    shutil.copy(AUDIT / "scripts" / script, tmp_path)
    subprocess.run(
        [executable, "audit", script, "--to", target, "--trace", "%s -W ignore %s" % (python, script), "--store", "s.db",
         "--config", "seamark.toml", "--python", python, "--fail-on", "none"],
        cwd=tmp_path, check=True, capture_output=True, timeout=1800,
    )  # fmt: skip
    subprocess.run(
        [python, "-W", "ignore", AUDIT / "truth.py", target, script, "trace.json", "truth.json"],
        cwd=tmp_path, check=True, capture_output=True, timeout=1800,
    )  # fmt: skip
    said = said_of(tmp_path / "s.db", json.loads((tmp_path / "trace.json").read_text()))
    truth = {(function, line): TRUTH[what] for function, line, what, _ in json.loads((tmp_path / "truth.json").read_text())}  # fmt: skip
    counted = Counter((said[place], truth[place]) for place in said if place in truth)
    rows = sorted((name, target, one, other, str(n)) for (one, other), n in counted.items())
    others = [row for row in table() if row[:2] != (name, target)] if TABLE.exists() else []
    if os.environ.get("SEAMARK_UPDATE_GOLDEN"):
        with TABLE.open("w", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows([HEAD, *sorted(others + rows)])
    wrong = {place: (said[place], truth[place]) for place in said if place in truth and said[place] != truth[place]}  # fmt: skip
    print(wrong)
    assert rows == sorted(row for row in table() if row[:2] == (name, target)), wrong
