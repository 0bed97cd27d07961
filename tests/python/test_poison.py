"""What a case leaves behind in a worker that serves many does not reach its neighbours: it is restored, or the worker asks
to be replaced."""

import json
import random
import sys

import poison_kinds
import pytest
from agent_client import SELFTEST, agent_command

TARGETS = {
    "selftest": SELFTEST,
    "torch": {"name": "torch/cpu", "framework": "torch", "adapter": "torch_eager", "device": "cpu"},
    "jax": {"name": "jax/cpu", "framework": "jax", "adapter": "jax", "device": "cpu"},
    "tensorflow": {
        "name": "tensorflow/cpu",
        "framework": "tensorflow",
        "adapter": "tensorflow",
        "device": "cpu",
    },
}


class Workers:
    """One worker after the other, as the supervisor has them: the next comes where one is spent."""

    def __init__(self, agent, python, framework, path):
        self._agent, self._python, self._target = agent, python, TARGETS[framework]
        self._path, self._worker = str(path), None
        path.write_text(poison_kinds.suite(framework))
        status, out, err = agent_command(python, "list", "--suite", self._path)
        assert status == 0, err
        self.names = [line["name"] for line in map(json.loads, out.splitlines())]
        self.good = [name for name in self.names if "/good_" in name]
        self.poison = {name.split("/poison_")[1]: name for name in self.names if "/poison_" in name}
        self.started = 0

    def run(self, name):
        if self._worker is None:
            self._worker = self._agent(self._python, self._target, suites=[self._path])
            self._worker.plan(self.names)
            assert self._worker.receive()["ev"] == "ready"
            self.started += 1
        end = self._worker.run(name)
        if end is None or end.get("spent"):
            self._worker.close()
            self._worker = None
        return end


@pytest.fixture
def workers(agent, framework_python, tmp_path):
    def start(framework):
        python = sys.executable if framework == "selftest" else framework_python(framework)
        return Workers(agent, python, framework, tmp_path / "suite.py")

    return start


def check_order(found, order):
    """Every neighbour passes, whatever ran before it."""
    last = None
    for name in order:
        end = found.run(name)
        if "/poison_" in name:
            last = name, (end or {}).get("changed")
        else:
            assert end is not None, (name, last)
            assert end["outcome"] == "pass", (name, last, end.get("reason"), end["failure"])


@pytest.mark.parametrize("framework", list(TARGETS))
def test_no_kind_of_poison_reaches_a_neighbour(workers, framework):
    """All kinds of every framework with selftest, some of each framework's own, each followed by three neighbours."""
    found = workers(framework)
    draw = random.Random(5)
    own = list(poison_kinds.KINDS[framework])
    kinds = (
        draw.sample(own, 4) if own else draw.sample(list(poison_kinds.ANY), len(poison_kinds.ANY))
    )
    order = list(found.good)
    for kind in kinds:
        order += [found.poison[kind], *draw.sample(found.good, 3)]
    check_order(found, order + found.good)


@pytest.mark.long
@pytest.mark.parametrize("framework", ["torch", "jax", "tensorflow"])
def test_no_order_of_cases_matters(workers, framework, drawn_seed):
    """67 orders a framework, 200 in all: each of all neighbours and three kinds, until each kind came twice or more."""
    found = workers(framework)
    draw = random.Random(drawn_seed)
    kinds = []
    for _ in range(67):
        if len(kinds) < 3:
            kinds += draw.sample(sorted(found.poison.values()), len(found.poison))
        order = found.good + [kinds.pop() for _ in range(3)]
        draw.shuffle(order)
        check_order(found, order)


@pytest.mark.parametrize("framework", ["selftest", "torch", "jax", "tensorflow"])
def test_what_good_cases_do_is_no_poison(workers, framework):
    """Imports, longer paths, draws, output: nothing is restored and no worker replaced."""
    found = workers(framework)
    for name in found.good * 2:
        end = found.run(name)
        assert (end["outcome"], end.get("changed")) == ("pass", None), name
    assert found.started == 1
