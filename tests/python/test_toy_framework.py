"""A framework is an entry of data/frameworks.toml, one adapter and one folder of cases: a fourth, made here."""

import os
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

ENTRY = """[[framework]]
name = "toy"
module = "toybox"
root = "tb"
label = "Toybox"
baseline = "toy/cpu"
color = "#777777"

"""
PACKAGE = """
__version__ = "0.7"


def double(values):
    return [2 * value for value in values]


def broken(values):
    raise NotImplementedError("broken is not implemented for toys")
"""
ADAPTER = """
import importlib

from .base import Adapter


class TargetAdapter(Adapter):
    framework = "toy"
    cpu_is_reference = True

    def import_framework(self):
        self.module = importlib.import_module("toybox")
        return self.module.__version__

    def lookup(self, name):
        found = self.module
        for part in name.split(".")[1:]:
            found = getattr(found, part)
        return found

    def is_array(self, value):
        return False

    def unit(self, function, args, kwargs, grad, place):
        return lambda: function(*args, **kwargs)
"""
CASES = """
from seamark_suites.case import case


@case("tb.double", n=[1, 2], reference="none")
def double(t, n):
    t.expect(t.call("tb.double", [n]) == [2 * n], "twice the value")


@case("tb.broken", reference="none")
def broken(t):
    t.call("tb.broken", [1])
"""
TARGETS = """
[[target]]
name = "selftest/cpu"
adapter = "selftest"
device = "cpu"
[[target]]
name = "toy/cpu"
adapter = "toy"
device = "cpu"
memory_limit = "none"
variables = { PYTHONPATH = "%s" }
"""


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def home(tmp_path):
    for name in ("data", "python"):
        skipped = shutil.ignore_patterns("__pycache__", "seamark")
        shutil.copytree(ROOT / name, tmp_path / "home" / name, ignore=skipped)
    table = tmp_path / "home" / "data" / "frameworks.toml"
    before = '[[framework]]\nname = "tensorflow"'
    assert table.read_text().count(before) == 1
    table.write_text(table.read_text().replace(before, ENTRY + before))
    write(tmp_path / "home" / "python" / "seamark_agent" / "adapters" / "toy.py", ADAPTER)
    write(tmp_path / "home" / "python" / "seamark_suites" / "toy" / "__init__.py", "")
    write(tmp_path / "home" / "python" / "seamark_suites" / "toy" / "basics.py", CASES)
    write(tmp_path / "packages" / "toybox" / "__init__.py", PACKAGE)
    write(tmp_path / "own.toml", TARGETS % (tmp_path / "packages"))
    return tmp_path / "home"


def test_a_fourth_framework(executable, home, tmp_path):
    pytest.importorskip("numpy")
    python = os.environ.get("SEAMARK_TEST_PYTHON", sys.executable)

    def seamark(*words, check=0):
        done = subprocess.run(
            [executable, "--config", "own.toml", *words, "--store", "s.db"],
            cwd=tmp_path,
            env={**os.environ, "SEAMARK_HOME": str(home), "SEAMARK_CACHE": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == check, done.stdout + done.stderr
        return done.stdout

    chosen = ["--target", "toy/*", "--target", "selftest/*", "--python", python]
    suites = ["--suite", "curated", "--suite", "selftest"]
    assert "tb.double/double[n=2]" in seamark("run", "--list", *chosen, *suites)
    seamark("run", *chosen, *suites, "--no-timing")
    assert "not implemented for toys" in seamark("show", "tb.broken")

    # As readers know it, and in its place: before what stands nowhere, though its target came later.
    table = seamark("report", "--only", "table-8")
    assert 0 <= table.find("Toybox") < table.find("selftest")
    # Where a name of a framework is expected, it is one.
    seamark("compare", "s.db@toy/cpu", "s.db@toy==0.7")
    seamark("usage", "--framework", "toys", check=2)
