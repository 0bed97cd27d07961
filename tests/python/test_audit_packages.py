"""What `seamark audit` finds in well-known packages: committed, so that a rule that starts or stops firing shows."""

import csv
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location(
        "audit_packages", ROOT / "scripts" / "audit_packages.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where wheels lie; skips where no index can be reached."""
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", str(folder)]
    if subprocess.run([*command, "optax==0.2.8"], capture_output=True).returncode != 0:
        pytest.skip("no package index can be reached")
    return folder


def test_findings_by_rule_are_those_that_are_committed(script, folder):
    found = script.table(folder, os.environ["SEAMARK_TEST_EXECUTABLE"])
    with script.TABLE.open(newline="") as file:
        known = [tuple(row) for row in csv.reader(file)][1:]
    assert len({row[0] for row in known}) >= 15
    changed = {tuple(map(str, row)) for row in found} ^ set(known)
    assert not changed, sorted(changed)


def test_recall_of_what_was_marked_by_hand(script, folder):
    recall = script.recall(folder, os.environ["SEAMARK_TEST_EXECUTABLE"])
    assert recall.marks == 185 and recall.marks_clear == 116
    assert recall.found >= 129 and recall.found_clear >= 105


def test_what_fixes_write_parses_is_imported_and_stays(script, folder, monkeypatch):
    pytest.importorskip("libcst", reason="LibCST is not installed")
    monkeypatch.setenv("SEAMARK_PYTHON", sys.executable)
    safe, unsafe = script.fixes(folder, os.environ["SEAMARK_TEST_EXECUTABLE"], ["optax"])
    assert safe[:3] == ("optax", "tpu-v5e", "--fix")
    places, files, modules, imported, wrong = unsafe[3:]
    assert (int(places) >= 10, files >= 6, wrong) == (True, True, "")
    if os.environ.get("SEAMARK_TEST_JAX_PYTHON"):
        assert imported >= 1 and modules > files
