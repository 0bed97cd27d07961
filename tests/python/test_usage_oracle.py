"""The scanner of `seamark usage` against its oracle, CPython's `ast` with the same rules."""

import collections
import os
import random
import subprocess
import sys
import sysconfig
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "oracle"))

import usage_compare  # noqa: E402
import usage_oracle  # noqa: E402
import usage_programs  # noqa: E402

REAL_FILES = 150  # of each source
PROGRAMS = 1000
MANY_PROGRAMS = 30 * PROGRAMS
# Seeds of random programs that differed once. They are always compared; docs/developing.md, "Tests that draw".
KEPT_SEEDS = [441614005121, 353177780145]


@pytest.fixture(scope="session")
def scanner():
    executable = os.environ.get("SEAMARK_TEST_EXECUTABLE")
    if not executable:
        pytest.skip("SEAMARK_TEST_EXECUTABLE names no seamark")
    path = Path(executable).parents[1] / "tests" / "usage_dump"
    if not path.exists():
        pytest.skip(f"{path} was not built")
    return path


@pytest.fixture(scope="session")
def vocabulary():
    return usage_oracle.Vocabulary(factories=usage_oracle.read_factories())


def resolved(totals) -> int:
    return totals.differing_calls["resolved"] + totals.differing_calls["unknown"]


def told(totals) -> str:
    lines = [totals.report()]
    for path, found in list(totals.differing.items())[:10]:
        lines += [path, *(f"  {one}" for one in found[:5])]
    return "\n".join(lines)


def framework_files(python: str) -> Path:
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    return Path(
        subprocess.run(
            [python, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
    )


def draw(folder: Path, count: int) -> list[Path]:
    """Files that name a framework, so that there is something to compare."""
    paths = sorted(folder.rglob("*.py"))
    random.Random(len(paths)).shuffle(paths)
    chosen = []
    for path in paths:
        data = path.read_bytes()
        if len(data) < 500_000 and any(module.encode() in data for module in usage_oracle.ROOTS):
            chosen.append(path)
            if len(chosen) == count:
                break
    return chosen


def test_the_test_s_own_packages(scanner, vocabulary):
    folders = [Path(sysconfig.get_path("purelib")), ROOT / "python", ROOT / "tests"]
    paths = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    random.Random(0).shuffle(paths)
    totals = usage_compare.compare(scanner, paths[:REAL_FILES], vocabulary)
    totals = usage_compare.compare(
        scanner, draw(ROOT / "python", REAL_FILES), vocabulary, totals=totals
    )
    assert totals.calls["resolved"] > 100
    assert not totals.differing, told(totals)


@pytest.mark.framework
@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_a_framework_s_own_sources(framework, framework_python, scanner, vocabulary):
    paths = draw(framework_files(framework_python(framework)), REAL_FILES)
    totals = usage_compare.compare(scanner, paths, vocabulary)
    assert totals.calls["resolved"] > 1000
    assert not totals.differing, told(totals)


def compare_programs(seeds, scanner, vocabulary, folder):
    """Writes the programs of these seeds that Python reads, and compares what is counted in them."""
    warnings.simplefilter("ignore")
    paths = []
    for seed in seeds:
        text = usage_programs.random_program(seed)
        try:
            compile(text, "program", "exec")
        except SyntaxError:
            continue
        paths.append(folder / f"{seed}.py")
        paths[-1].write_bytes(text.encode())
    totals = usage_compare.compare(scanner, paths, vocabulary)
    assert not totals.differing, f"a difference's file has its seed, for KEPT_SEEDS\n{told(totals)}"
    return totals


def test_random_programs(scanner, vocabulary, tmp_path, drawn_seed):
    first = drawn_seed * PROGRAMS
    totals = compare_programs(range(first, first + PROGRAMS), scanner, vocabulary, tmp_path)
    assert totals.parsed > PROGRAMS / 2 and totals.calls["resolved"] > PROGRAMS / 3


def test_random_programs_that_differed_once(scanner, vocabulary, tmp_path):
    compare_programs(KEPT_SEEDS, scanner, vocabulary, tmp_path)


@pytest.mark.long
def test_many_random_programs(scanner, vocabulary, tmp_path, drawn_seed):
    first = (drawn_seed + 1) * PROGRAMS
    compare_programs(range(first, first + MANY_PROGRAMS), scanner, vocabulary, tmp_path)


@st.composite
def programs(draw) -> str:
    return usage_programs.Writer(lambda n: draw(st.integers(0, n - 1))).program()


def test_programs_that_hypothesis_makes_small(scanner, vocabulary, tmp_path):
    @settings(
        max_examples=50,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def check(text):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(text, "program", "exec")
        except SyntaxError:
            assume(False)
        path = tmp_path / "program.py"
        path.write_bytes(text.encode())
        totals = usage_compare.compare(scanner, [path], vocabulary)
        assert not totals.differing, told(totals)

    check()


# --- the oracle itself: each line of rules.md, by hand


def counts(text, **rules):
    row = usage_oracle.count(text, usage_oracle.Vocabulary(**rules))
    found = collections.defaultdict(tuple)
    found.update(
        {(name, tier): (calls, references) for name, tier, calls, references in row["names"]}
    )
    return found


CASES = [
    ("import torch\ntorch.zeros(3)", "torch.zeros", (1, 0)),
    ("import torch.nn.functional as F\nF.relu(F.gelu)", "torch.nn.functional.gelu", (0, 1)),
    ("import torch\n(torch\n .nn # x\n .relu)(1)", "torch.nn.relu", (0, 1)),
    ("import torch\nx = [torch\n .nn # x\n .relu(1)]", "torch.nn.relu", (1, 0)),
    ("import tensorflow.compat.v1 as t\nt.abs(1)", "tf.compat.v1.abs", (1, 0)),
    ("from torch import nn\n(nn).Linear(3)", "torch.nn", (0, 1)),
    ("from .torch import nn\nnn.Linear(3)", "torch.nn.Linear", None),
    ("from torch import relu\nrelu = 1\nrelu(3)", "torch.relu", None),
    ("from torch import relu\ntry: pass\nexcept E: relu = None\nrelu(3)", "torch.relu", (1, 0)),
    ("import torch\ndef f():\n  torch.abs(1)\n  torch = 3", "torch.abs", None),
    ("import torch\ndef f():\n  torch.abs(1)\ntorch = 3", "torch.abs", None),
    ("import torch\nlambda: torch.abs(1)\ntorch = 3", "torch.abs", (1, 0)),
    ("class A:\n  import torch\n  torch.abs(1)\n  def f(s): torch.abs(2)", "torch.abs", (1, 0)),
    ("import torch\n[torch.abs(1) for torch in torch.x()]", "torch.abs", None),
    ("import torch\n[torch.abs(1) for torch in torch.x()]", "torch.x", (1, 0)),
    ("def f():\n  global torch\n  import torch\ndef g(): torch.abs(1)", "torch.abs", (1, 0)),
    ("import torch\nf'{torch.abs(1):{torch.x}}'", "torch.x", (0, 1)),
    ("import torch\nmatch x:\n  case torch.Tensor(): pass", "torch.Tensor", (0, 1)),
    ("import torch\ntorch = torch.nn\ntorch.Linear(1)", "torch.nn.Linear", (1, 0)),
]


@pytest.mark.parametrize("text, name, expected", CASES)
def test_the_oracle_resolves(text, name, expected):
    assert counts(text).get((name, "resolved")) == expected


INFERRED = [
    ("from torch import nn\nm = nn.Linear(3)\nm.forward(1)", "torch.nn.Linear.forward", (1, 0)),
    ("import torch\ntorch.zeros(3).sum().item()", "torch.Tensor.sum", (1, 0)),
    ("import torch\nx = torch.zeros(3)\nx.T.sum()", "torch.Tensor.T", None),
    ("import torch\nx = torch.zeros(3)\nlambda: x.sum()", "torch.Tensor.sum", None),
    ("import torch\nx = torch.zeros(3)\n[x.sum() for y in x.a]", "torch.Tensor.sum", (1, 0)),
    ("import torch\nx = (torch.zeros(3))\nx.sum()", "torch.Tensor.sum", None),
    ("import torch\nwith torch.zeros(3) as x: x.sum()", "torch.Tensor.sum", (1, 0)),
    ("import torch\nx = torch.LSTM(3)\nx.sum()", "torch.LSTM.sum", None),
    # The name that is called is read before its arguments, whatever these bind.
    ("from torch import nn\nx = nn.Lin((nn := nn.F))\nx.sum", "torch.nn.Lin.sum", (0, 1)),
    ("from torch import nn\nwith nn.Lin((nn := nn.F)) as x: x.sum", "torch.nn.Lin.sum", (0, 1)),
    ("from torch import nn\nx: T = nn.Lin((nn := nn.F))\nx.sum", "torch.nn.Lin.sum", (0, 1)),
    ("from torch import nn\n(x := nn.Lin((nn := nn.F)))\nx.sum", "torch.nn.Lin.sum", (0, 1)),
]


@pytest.mark.parametrize("text, name, expected", INFERRED)
def test_the_oracle_infers(text, name, expected):
    found = counts(text, factories={"torch.zeros": "torch.Tensor"})
    assert found.get((name, "inferred")) == expected
