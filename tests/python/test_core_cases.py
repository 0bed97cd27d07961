"""Core cases carry the verdicts, so their set is frozen: data/core/FRAMEWORK-VERSION.txt, quick ones marked."""

import json
import re
import sys
from pathlib import Path

import pytest
from agent_client import agent_command

ROOT = Path(__file__).resolve().parents[2]
# Each has functions of its own.
VERSIONS = {"torch": (2, 3), "tensorflow": (1, 2, 3), "jax": (1, 2)}
# One element, one part, no element, the first of a range.
DEGENERATE = re.compile(r"[\[,](n=1|stop=1|seed=0|count=1|groups=1|steps=1|(\d+x)*0(x\d+)*)[\],]")


def core_of(framework):
    """{function: [its core cases]}."""
    status, out, err = agent_command(
        sys.executable, "list", "--suite", "curated", "--framework", framework
    )
    assert status == 0, err
    functions = {}
    for item in map(json.loads, out.splitlines()):
        if item["core"]:
            functions.setdefault(item["function"], []).append(item)
    return functions


@pytest.mark.parametrize("framework", VERSIONS)
def test_the_core_cases_are_those_of_the_frozen_version(framework):
    cases = [item for own in core_of(framework).values() for item in own]
    lines = [item["name"] + (" quick" if item["quick"] else "") for item in cases]
    frozen = [line for own in frozen_of(framework) for line in own]
    hint = "verdicts would change: say core=False, or make a new version (docs/cases.md)"
    assert sorted(lines) == sorted(frozen), (hint, sorted(set(lines) ^ set(frozen))[:10])


def frozen_of(framework):
    """The lines of each version."""
    folder = ROOT / "data" / "core"
    return [(folder / f"{framework}-{n}.txt").read_text().splitlines() for n in VERSIONS[framework]]


def test_there_are_no_other_versions_and_each_has_functions_of_its_own():
    there = {path.name for path in (ROOT / "data" / "core").iterdir()}
    assert there == {f"{name}-{n}.txt" for name, versions in VERSIONS.items() for n in versions}
    for framework in VERSIONS:
        own = [{line.split("/")[0] for line in lines} for lines in frozen_of(framework)]
        assert len(set().union(*own)) == sum(map(len, own)), framework


@pytest.mark.parametrize("framework", VERSIONS)
def test_a_function_has_one_quick_forward_case_and_one_quick_gradient_case(framework):
    for function, cases in core_of(framework).items():
        quick = [item for item in cases if item["quick"]]
        forward = [item for item in quick if not item["grad"]]
        gradient = [item for item in quick if item["grad"]]
        assert len(forward) == 1, function
        assert len(gradient) == any(item["grad"] for item in cases), function
        for item in quick:
            asked = [one for one in cases if one["grad"] == item["grad"]]
            in_f32 = any(one["dtype"] == "f32" for one in asked)
            assert item["dtype"] == "f32" or not in_f32, item["name"]
            assert not DEGENERATE.search(item["name"]), item["name"]
