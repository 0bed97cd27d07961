"""The suite `huge`: cases of gigabytes, which run only when they are asked for."""

import json
import os
import random

import pytest
from agent_client import agent_command, target_of
from seamark_suites import loader

NEEDED = 6 << 30


def available():
    with open("/proc/meminfo") as stream:
        return next(
            int(line.split()[1]) << 10 for line in stream if line.startswith("MemAvailable")
        )


def test_they_are_no_part_of_the_other_suites():
    huge = {item.name for item in loader.load(["huge"])}
    assert len(huge) >= 25 and not any(item.core for item in loader.load(["huge"]))
    assert not huge & {item.name for item in loader.load(["curated", "idioms"])}


@pytest.mark.alone
@pytest.mark.long
@pytest.mark.framework
@pytest.mark.skipif(
    not os.path.exists("/proc/meminfo") or available() < NEEDED, reason="needs 6 GiB of memory"
)
@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_they_pass_on_the_cpu(framework, framework_python, drawn_seed):
    """Four of each framework, others at each run."""
    python = framework_python(framework)
    for item in random.Random(drawn_seed).sample(loader.load(["huge"], framework), 4):
        status, out, err = agent_command(
            python,
            "run",
            "--suite",
            "huge",
            "--target",
            json.dumps(target_of(framework)),
            "--case",
            item.name,
        )
        ends = [json.loads(line) for line in out.splitlines()]
        assert status == 0 and [end["outcome"] for end in ends] == ["pass"], (item.name, ends, err)
