"""Shared by the Python tests. The agent is loaded as its boot file loads it: by location."""

import os
import random
import sqlite3
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "python")]

# Whatever the environment says: else each process compiles every test, with its assertions, anew.
sys.dont_write_bytecode = False

import made_stores  # noqa: E402
from agent_client import SELFTEST, Agent, Workers  # noqa: E402
from soak import soak  # noqa: E402, F401

# TensorFlow has it on where the processor has certain instructions: without it some faults are gone, and sums of bf16 worse.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")

# The test device (tests/device) as a target of a seamark.toml.
MINIDEV_CONFIG = """
[[target]]
name = "torch/minidev"
like = "torch/cuda"
options = { import = "minidev" }
variables = { PYTHONPATH = "%s" }
""" % (ROOT / "tests" / "device")

# Draws are the same each time unless this gives them a seed, as `scripts/test --all` does.
SEED = os.environ.get("SEAMARK_TEST_SEED")
settings.register_profile(
    "seamark",
    derandomize=not SEED,
    max_examples=500 if SEED else 100,
    database=None,
    deadline=None,  # a busy machine is no failure
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("seamark")


# When `scripts/test --all` begins no more long tests, in seconds since 1970.
UNTIL = float(os.environ.get("SEAMARK_TEST_UNTIL") or "inf")


def pytest_collection_modifyitems(items):
    """What builds wheels comes first, since it keeps several processors busy; files with long tests last, in a drawn order."""
    wheels, long = (
        sorted({str(item.path) for item in items if item.get_closest_marker(name)})
        for name in ("packaging", "long")
    )
    drawn_order = random.Random(int(SEED or 0)).sample(long, len(long))
    place = {path: number for number, path in enumerate([*wheels, None, *drawn_order])}
    items.sort(key=lambda item: place.get(str(item.path), len(wheels)))


def pytest_runtest_setup(item):
    if item.get_closest_marker("long") and time.time() > UNTIL:
        pytest.skip("the time for long tests is over")


@pytest.fixture(scope="session")
def drawn_seed():
    return int(SEED or 0)


@pytest.fixture
def framework_python(request):
    """framework_python("torch"): an interpreter that has it, from SEAMARK_TEST_TORCH_PYTHON; else skips."""

    def find(name):
        variable = "SEAMARK_TEST_%s_PYTHON" % name.upper()
        path = os.environ.get(variable)
        if not path:
            pytest.skip("%s names no interpreter with %s" % (variable, name))
        return path

    return find


@pytest.fixture
def minidev(framework_python, monkeypatch):
    """The Python of torch, where `import minidev` works."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "device"))
    return framework_python("torch")


@pytest.fixture
def agent():
    made = []

    def start(python=sys.executable, target=None, **options):
        made.append(Agent(python, target or SELFTEST, **options))
        return made[-1]

    yield start
    for item in made:
        if item.process.poll() is None:
            item.process.kill()
            item.process.wait()


@pytest.fixture(scope="module")
def ask():
    """ask(python, target, pattern, suite="curated"): {case: end event}, by workers that stay while the module's tests run."""
    workers = Workers()
    yield workers
    workers.close()


@pytest.fixture(scope="session")
def executable():
    path = os.environ.get("SEAMARK_TEST_EXECUTABLE")
    if not path:
        pytest.skip("SEAMARK_TEST_EXECUTABLE names no seamark")
    return path


@pytest.fixture(scope="session")
def real_store(executable, tmp_path_factory):
    """A real run, without a framework."""
    pytest.importorskip("numpy")
    return made_stores.real_store(tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="session")
def made_store(executable, tmp_path_factory):
    """An import that has what only frameworks and their compilers give."""
    return made_stores.made_store(tmp_path_factory.mktemp("made"))


@pytest.fixture
def same_executable(executable, monkeypatch):
    monkeypatch.setenv("SEAMARK_EXECUTABLE", executable)


@pytest.fixture
def real(real_store):
    import seamark

    return seamark.open(real_store)


@pytest.fixture
def made(made_store):
    import seamark

    return seamark.open(made_store)


@pytest.fixture
def copy(made_store, tmp_path):
    """change(SQL, ...): a copy of the made store, changed."""

    def change(*statements):
        path = tmp_path / "copy.db"
        with sqlite3.connect(made_store) as source, sqlite3.connect(path) as target:
            source.backup(target)
            for statement, *values in statements:
                target.execute(statement, values)
        target.close()
        source.close()
        return path

    return change
