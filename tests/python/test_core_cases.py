"""Core cases carry the verdicts, so their set is frozen: data/core/FRAMEWORK-VERSION.txt."""

import json
import sys
from pathlib import Path

import pytest
from agent_client import agent_command

ROOT = Path(__file__).resolve().parents[2]
VERSION = 1


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_the_core_cases_are_those_of_the_frozen_version(framework):
    status, out, err = agent_command(
        sys.executable, "list", "--suite", "curated", "--framework", framework
    )
    assert status == 0, err
    core = {item["name"] for item in map(json.loads, out.splitlines()) if item["core"]}
    frozen = set((ROOT / "data" / "core" / f"{framework}-{VERSION}.txt").read_text().split("\n"))
    frozen.discard("")
    hint = "verdicts would change: say core=False, or make a new version (docs/cases.md)"
    assert core == frozen, (hint, sorted(core ^ frozen)[:10])
