"""`seamark catalog` from outside, on a small framework that calls itself jax."""

import json
import os
import subprocess
import sys

import pytest

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

VERSIONS = {
    "1.0": """
__version__ = "1.0+cpu"
def vjp(f):
    "Gradient."
def gone(x):
    "Gone."
def dated(x):
    "Fine."
def kept(x):
    "Kept."
old_name = kept
""",
    "2.0": """
__version__ = "2.0"
def vjp(f):
    "Gradient."
def dated(x):
    "Deprecated: use fresh."
def kept(x):
    "Kept."
def fresh(x):
    "Fresh."
""",
}


@pytest.fixture
def seamark(tmp_path):
    for version, source in VERSIONS.items():
        package = tmp_path / version / "jax"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(source)

    def run(*arguments, version="2.0"):
        return subprocess.run(
            [EXECUTABLE, "catalog", "--no-config", "--store", str(tmp_path / "c.db"), *arguments],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            cwd=tmp_path,
            env=dict(os.environ, PYTHONPATH=str(tmp_path / version), NO_COLOR="1"),
        )

    return run


WALK = ("--target", "jax/cpu", "--python", sys.executable)


def test_walk_store_and_diff(seamark, tmp_path):
    walked = seamark(*WALK, version="1.0")
    assert walked.returncode == 0, walked.stderr
    assert "version 1.0+cpu is not frozen; frozen: 0.10.2" in " ".join(walked.stdout.split())
    exported = seamark(*WALK, "-o", "new.jsonl")
    assert exported.returncode == 0, exported.stderr
    rows = [json.loads(line) for line in (tmp_path / "new.jsonl").read_text().splitlines()]
    assert [row["name"] for row in rows if row["row"] == "function"] == [
        "jax.dated",
        "jax.fresh",
        "jax.kept",
        "jax.vjp",
    ]
    for old, new in (("jax==1.0+cpu", "jax==2.0"), ("jax==1.0", "new.jsonl"), ("1.0", "2.0")):
        diff = seamark("--diff", old, new, "--format", "json")
        assert diff.returncode == 0, diff.stderr
        found = json.loads(diff.stdout)
        assert found["added"] == ["jax.fresh"]
        assert found["removed"] == ["jax.gone"]
        assert found["renamed"] == [{"from": "jax.old_name", "to": "jax.kept"}]
        assert [row["name"] for row in found["deprecated"]] == ["jax.dated"]
        assert found["unchanged"] == 2


def test_coverage_adds_up(seamark):
    covered = seamark(*WALK, "--coverage", "--format", "json")
    assert covered.returncode == 0, covered.stderr
    found = json.loads(covered.stdout)["coverage"][0]
    assert found["total"] == 3 and found["deprecated"] == 1
    assert sum(row["functions"] for row in found["statuses"].values()) == 3
    rows = {row["name"]: row for row in found["catalogue"]}
    assert rows["jax.vjp"]["status"] == "curated" and rows["jax.vjp"]["level"] == "listed"
    assert rows["jax.kept"]["status"] == "not-covered" and rows["jax.kept"]["level"] is None


def test_what_cannot_be_done_is_said(seamark, tmp_path):
    missing = seamark("--target", "torch/cpu", "--python", sys.executable, version="nowhere")
    assert missing.returncode == 3
    assert "No module named 'torch'" in missing.stderr
    unknown = seamark("--diff", "jax==9.9", "jax==2.0")
    assert unknown.returncode != 0
    (tmp_path / "cut.jsonl").write_text(
        '{"row":"catalog","schema":1,"framework":"jax","version":"1","rule_version":1}\n'
    )
    cut = seamark("--diff", "cut.jsonl", "cut.jsonl")
    assert cut.returncode == 2 and "not whole" in cut.stderr
