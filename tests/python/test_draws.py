"""No test fails by chance: what draws has a seed, which `scripts/test --all` alone draws anew."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_SEED = re.compile(
    r"\bSystemRandom\b|^import secrets\b|\brandom_device\b|\bRandom\(\)"
    r"|\brandom\.(random|randrange|randint|choice|choices|sample|shuffle)\(|\bdefault_rng\(\)",
    re.MULTILINE,
)


def test_whatever_draws_has_a_seed():
    names = subprocess.run(
        ["git", "ls-files", "-z", "tests/*.py", "tests/*.cc", "tests/*.h"],
        cwd=ROOT, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    if len(names) < 2:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in names if name]
    found = [
        f"{path.name}: {match[0]}"
        for path in paths
        if path.is_file() and path != Path(__file__)
        for match in WITHOUT_SEED.finditer(path.read_text())
    ]
    assert not found


def test_hypothesis_draws_the_same_unless_a_seed_is_given():
    assert settings.default.derandomize is ("SEAMARK_TEST_SEED" not in os.environ)
    assert settings.default.deadline is None and settings.default.database is None


def test_all_is_no_fast_loop():
    done = subprocess.run(
        [ROOT / "scripts" / "test", "--fast", "--all"], capture_output=True, text=True
    )
    assert done.returncode == 2 and "usage:" in done.stderr


def test_ci_runs_the_long_tier():
    assert re.search("^scripts/test --all$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)
