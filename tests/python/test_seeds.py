"""No curated case changes its outcome on its framework's CPU with the seed of its inputs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from soak import FRAMEWORKS

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "seeds.py"
# Draws that found cases whose outcome changes, with the share that they drew and a pattern of these cases. They are
# tried each time.
KEPT_SEEDS = {
    "torch": [],
    "tensorflow": [(353177767, 0.05, "tf.compat.v1.reduce_mean/reduced*")],
    "jax": [
        (76720395, 0.05, "jax.numpy.max/max_of_other_types*"),
        (333209346, 0.05, "jax.numpy.matmul/of_truths_and_small_integers*"),
    ],
}
SUITE = """
from seamark_suites.case import case

@case("selftest.math.sqrt", reference="none", less_than=[0.5, 2])
def drawn(t, less_than):
    root = t.call("selftest.math.sqrt", float(t.uniform((), "f64")))
    t.expect(root < less_than, "a small root")
"""


def seeds(python, *arguments, timeout=1800):
    """(exit status, outcomes that differ, total)."""
    # errors: frameworks quote bytes that a case gave them.
    done = subprocess.run(
        [python, SCRIPT, *arguments],
        capture_output=True, text=True, errors="replace", cwd="/", timeout=timeout,
    )  # fmt: skip
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines and "runs" in lines[-1], done.stderr[-3000:]
    return done.returncode, lines[:-1], lines[-1]


def test_a_case_that_depends_on_its_seed_is_found(tmp_path):
    suite = tmp_path / "drawn.py"
    suite.write_text(SUITE)
    both = ["selftest", "--suite", str(suite), "--seeds", "20"]
    status, found, total = seeds(sys.executable, *both)
    assert (status, total["cases"], total["runs"]) == (1, 2, 40)
    assert 0 < len(found) == total["differ"] < 20
    assert {line["case"] for line in found} == {"selftest.math.sqrt/drawn[less_than=0.5]"}
    status, found, total = seeds(sys.executable, *both, "--case", "*=2]")
    assert (status, found, total["runs"]) == (0, [], 20)
    status, again, total = seeds(sys.executable, *both, "--case", "*=2]", "--case", "*=0.5]")
    assert (status, again != [], total["cases"]) == (1, True, 2)


def test_a_share_is_drawn_by_its_seed(tmp_path):
    suite = tmp_path / "drawn.py"
    suite.write_text(SUITE)
    tenth = ["selftest", "--suite", str(suite), "--seeds", "200", "--share", "0.1"]
    first, again, other = (seeds(sys.executable, *tenth, "--draw", n)[1:] for n in ("1", "1", "2"))
    assert first == again != other
    assert 15 < first[1]["runs"] < 70


@pytest.mark.long
@pytest.mark.framework
@pytest.mark.parametrize("framework", sorted(KEPT_SEEDS))
def test_no_outcome_depends_on_the_seed(framework, framework_python, drawn_seed):
    """One of a thousand pairs of case and seed."""
    draws = [(drawn_seed, 0.001, "*")] if framework in FRAMEWORKS else []
    draws += KEPT_SEEDS[framework]
    if not draws:
        pytest.skip("another framework is drawn in this run, and no seed of this one is kept")
    for draw, share, cases in draws:
        some = ["--share", str(share), "--draw", str(draw), "--case", cases]
        _, found, total = seeds(framework_python(framework), framework, *some)
        assert total["runs"] >= (100 if cases == "*" else 1), total
        assert not found, (f"draw {draw}, for KEPT_SEEDS", found)
