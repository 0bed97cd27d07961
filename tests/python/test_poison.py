"""What a case leaves behind in a worker that serves many does not reach its neighbours: it is restored, or the worker asks
to be replaced."""

import json
import os
import random
import sqlite3
import subprocess
import sys

import poison_kinds
import pytest
from agent_client import ADAPTERS, agent_command, target_of
from soak import FRAMEWORKS


class Workers:
    """One worker after the other, as the supervisor has them: the next comes where one is spent."""

    def __init__(self, agent, python, framework, path):
        self._agent, self._python, self._target = agent, python, target_of(framework)
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


def false_results(found, order):
    """[what it is of a neighbour that does not pass, and after which poison]."""
    last, wrong = None, []
    for name in order:
        end = found.run(name) or {"outcome": "dead", "failure": None}
        if "/poison_" in name:
            last = name, end.get("changed")
        elif end["outcome"] != "pass":
            wrong.append("%s after %s: %s %s" % (name, last, end.get("reason"), end["failure"]))
    return wrong


@pytest.mark.parametrize("framework", list(ADAPTERS))
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
    assert false_results(found, order + found.good) == []


def shuffle(workers, soak, framework, seed, least):
    """Orders of all neighbours and three kinds, until each kind came as often as it can."""
    found = workers(framework)
    draw = random.Random(seed)
    kinds, made = [], 0
    while soak.more(made, least):
        if len(kinds) < 3:
            kinds += draw.sample(sorted(found.poison.values()), len(found.poison))
        order = found.good + [kinds.pop() for _ in range(3)]
        draw.shuffle(order)
        wrong = false_results(found, order)
        soak.count("orders, " + framework, 1, false_results=len(wrong))
        for text in wrong:
            soak.say(text)
        made += 1


@pytest.mark.soak(figure=6)
def test_no_order_of_cases_matters_without_a_framework(workers, soak, drawn_seed):
    shuffle(workers, soak, "selftest", drawn_seed, 16)


@pytest.mark.long
@pytest.mark.soak(figure=6)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_no_order_of_cases_matters(workers, soak, framework, drawn_seed):
    """Each kind comes once or more; in a soak of 67 orders a framework, 200 in all, three times or more."""
    shuffle(workers, soak, framework, drawn_seed, 24)


@pytest.mark.long
@pytest.mark.soak(figure=6)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_same_seed_gives_the_same_results(
    executable, framework_python, soak, tmp_path, framework
):
    """Of real cases in workers that serve many."""
    functions = {"torch": "torch.nn.L*", "jax": "jax.numpy.a*", "tensorflow": "tf.math.*"}
    (tmp_path / "own.toml").write_text(
        '[[target]]\nname = "%s/cpu"\nworker = "persistent"\n' % framework
    )
    first, made = None, 0
    while soak.more(made, 2):
        store = tmp_path / ("%d.db" % made)
        subprocess.run(
            [executable, "--config", "own.toml", "run", "--target", framework + "/cpu", "--store"]
            + [str(store), "--python", framework_python(framework), "--function", functions[framework]]
            + ["--cases", "quick", "--no-timing", "--seed", "7"],
            cwd=tmp_path, check=True, capture_output=True, timeout=1200,
            env={**os.environ, "SEAMARK_CACHE": str(tmp_path / "cache")},
        )  # fmt: skip
        opened = sqlite3.connect(store)
        rows = opened.execute("SELECT case_name, outcome FROM results").fetchall()
        opened.close()
        results = {}
        for name, outcome in rows:
            results.setdefault(name, set()).add(outcome)
        first = first or results
        assert len(results) >= 5
        flips = sum(results.get(name) != first[name] for name in first)
        soak.count("runs of one seed, " + framework, 1, flips=flips)
        made += 1


@pytest.mark.parametrize("framework", ["selftest", "torch", "jax", "tensorflow"])
def test_what_good_cases_do_is_no_poison(workers, framework):
    """Imports, longer paths, draws, output: nothing is restored and no worker replaced."""
    found = workers(framework)
    for name in found.good * 2:
        end = found.run(name)
        assert (end["outcome"], end.get("changed")) == ("pass", None), name
    assert found.started == 1
