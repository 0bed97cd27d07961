"""Power cuts while a store is written: tests/store/power_cut_test.cc makes them, here they are counted."""

import json
import subprocess
from pathlib import Path

import pytest

TESTS = "PowerCutTest.NothingThatWasPromisedIsLost"


@pytest.mark.soak(figure=2)
def test_nothing_is_lost_when_the_power_fails(executable, soak, tmp_path):
    binary = Path(executable).parents[1] / "tests" / "seamark_store_test"
    if not binary.exists():
        pytest.skip("the C++ tests are not built")
    results = tmp_path / "results.json"
    done = subprocess.run(
        [str(binary), "--gtest_filter=" + TESTS, "--gtest_output=json:%s" % results],
        cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert results.exists(), done.stderr
    [suite] = json.loads(results.read_text())["testsuites"]
    [case] = suite["testsuite"]
    assert "states" in case, done.stdout
    soak.count(
        "states of the disk",
        int(case["states"]),
        stores_unreadable=int(case["unreadable"]),
        results_lost=int(case["lost"]),
        duplicates=int(case["duplicates"]),
        half_transactions=int(case["unasked"]),
    )
    soak.say(done.stdout)
    assert done.returncode == 0, done.stdout
