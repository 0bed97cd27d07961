"""`run --slice` and `usage --slice`: what several machines did, joined by `merge`, is what one machine does."""

import json
import os
import random
import subprocess
import sys

import pytest
from made_stores import CONFIG, seamark
from test_merge import rows

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

SUITE = """
from seamark_suites.case import case


@case("selftest.math.fsum", n=[3, 400], reference="none")
def fsum(t, n):
    t.expect(t.call("selftest.math.fsum", [0.5] * n) == 0.5 * n, "the exact sum")


@case("selftest.math.sqrt", n=[1, 2, 3], reference="none")
def raises(t, n):
    t.call("selftest.math.sqrt", -1.0)


@case("selftest.os.abort", reference="none")
def dies(t):
    t.call("selftest.os.abort")


@case("selftest.math.exp", n=[1, 2], reference="none")
def exp(t, n):
    t.expect(t.call("selftest.math.exp", 0.0 * n) == 1.0, "one")
"""

OUTCOMES = (
    "SELECT target, case_name, case_hash, attempt, phase, outcome, confirmed_by, reason FROM results "
    "ORDER BY 1, 2, 3, 4"
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "suite.py").write_text(SUITE)
    (tmp_path / "seamark.toml").write_text(CONFIG)
    return tmp_path


def run(folder, store, *words, check=0):
    return seamark(
        "run", "--config", "seamark.toml", "--suite", "suite.py", "--target", "selftest/cpu", "--no-timing",
        "--quiet", "--store", store, *words, cwd=folder, check=check,
    )  # fmt: skip


def slices(folder, count, *words):
    names = ["part-%d.db" % i for i in range(1, count + 1)]
    for i, name in enumerate(names):
        run(folder, name, "--slice", "%d/%d" % (i + 1, count), *words)
    return names


def test_slices_in_any_order_are_the_run_of_one_machine(folder, drawn_seed):
    run(folder, "whole.db")
    names = slices(folder, 3)
    random.Random(drawn_seed).shuffle(names)
    seamark("merge", "--store", "all.db", names[0], cwd=folder)
    ((state, reason, note),) = rows(
        folder / "all.db", "SELECT state, state_reason, subset_note FROM runs"
    )
    assert state == 3 and "2 of 3 slices of selftest/cpu are missing" in reason and reason in note
    seamark("merge", "--store", "all.db", *names[1:], cwd=folder)
    assert rows(folder / "all.db", OUTCOMES) == rows(folder / "whole.db", OUTCOMES)
    ((state, reason, note),) = rows(
        folder / "all.db", "SELECT state, state_reason, subset_note FROM runs"
    )
    assert (state, reason, note) == (2, None, None)
    assert rows(folder / "all.db", "SELECT count(*) FROM events WHERE kind = 'slice'") == [(3,)]
    shown = [
        seamark("report", "--store", store, "--format", "csv", cwd=folder)
        for store in ("all.db", "whole.db")
    ]
    assert shown[0] == shown[1]


@pytest.mark.long
def test_more_slices_than_functions_leave_some_empty(folder):
    run(folder, "whole.db")
    names = slices(folder, 6)
    seamark("merge", "--store", "all.db", *names, cwd=folder)
    assert rows(folder / "all.db", OUTCOMES) == rows(folder / "whole.db", OUTCOMES)
    assert rows(folder / "all.db", "SELECT state FROM runs") == [(2,)]


def test_a_slice_counts_once(folder):
    names = slices(folder, 2)
    seamark("merge", "--store", "all.db", *names, cwd=folder)
    before = rows(folder / "all.db", OUTCOMES)
    seamark("merge", "--store", "all.db", *names, cwd=folder)
    run(folder, "again.db", "--slice", "2/2")
    seamark("merge", "--store", "all.db", "again.db", cwd=folder, check=3)
    assert rows(folder / "all.db", OUTCOMES) == before
    run(folder, "job.db", "--slice", "2/2", "--job", "nightly-2")
    seamark("merge", "--store", "all.db", "job.db", cwd=folder)
    assert {uuid for (uuid,) in rows(folder / "all.db", "SELECT uuid FROM runs")} > {"nightly-2"}


@pytest.mark.long
def test_slices_of_other_plans_are_refused(folder):
    run(folder, "one.db", "--slice", "1/2", "--job", "job")
    for words in (["--seed", "5"], ["--case", "*n=3*"]):
        run(folder, "other.db", "--slice", "2/2", "--job", "job", *words)
        seamark("merge", "--store", "one.db", "other.db", cwd=folder, check=3)
        os.remove(folder / "other.db")
    run(folder, "three.db", "--slice", "3/3", "--job", "job")
    seamark("merge", "--store", "one.db", "three.db", cwd=folder, check=3)
    assert rows(folder / "one.db", "SELECT count(*) FROM runs") == [(1,)]


def test_a_store_holds_one_slice_of_a_run(folder):
    run(folder, "one.db", "--slice", "1/2")
    run(folder, "one.db", "--slice", "2/2", check=2)


@pytest.mark.long
def test_a_slice_that_was_killed_is_left_out_until_it_has_ended(folder):
    (folder / "suite.py").write_text(
        SUITE.replace(
            '0.0 * n) == 1.0, "one")', '0.0 * n) == 1.0, "one")\n    __import__("time").sleep(1)'
        )
    )
    run(folder, "whole.db")
    run(folder, "one.db", "--slice", "1/2")
    words = "run --config seamark.toml --target selftest/cpu --suite suite.py --no-timing --quiet --store two.db --slice 2/2"
    process = subprocess.Popen([EXECUTABLE, *words.split()], cwd=folder)
    begun = False
    while not begun:
        if (folder / "two.db").exists():
            tables = rows(folder / "two.db", "SELECT name FROM sqlite_master")
            begun = ("runs",) in tables and rows(folder / "two.db", "SELECT * FROM attempts") != []
        assert process.poll() is None
    process.kill()
    process.wait()
    seamark("merge", "--store", "all.db", "one.db", "two.db", cwd=folder)
    ((reason,),) = rows(folder / "all.db", "SELECT state_reason FROM runs")
    assert "1 of 2 slices" in reason
    seamark(
        "run", "--config", "seamark.toml", "--resume", "--quiet", "--store", "two.db", cwd=folder
    )
    seamark("merge", "--store", "all.db", "two.db", cwd=folder)
    assert rows(folder / "all.db", OUTCOMES) == rows(folder / "whole.db", OUTCOMES)


@pytest.mark.long
def test_results_of_another_environment_are_kept_apart(folder):
    other = folder / "other"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", other], check=True)
    (packages,) = other.glob("lib/python*/site-packages")
    (packages / "here.pth").write_text(
        "\n".join(path for path in sys.path if "site-packages" in path)
    )
    (packages / "another-1.0.dist-info").mkdir()
    (packages / "another-1.0.dist-info" / "METADATA").write_text("Name: another\nVersion: 1.0\n")
    run(folder, "one.db", "--slice", "1/3", "--python", sys.executable)
    run(folder, "two.db", "--slice", "2/3", "--python", other / "bin" / "python")
    run(folder, "three.db", "--slice", "3/3", "--python", sys.executable)
    seamark("merge", "--store", "all.db", "one.db", "two.db", "three.db", cwd=folder)
    runs = dict(rows(folder / "all.db", "SELECT uuid, state_reason FROM runs"))
    (apart,) = (uuid for uuid in runs if "~" in uuid)
    assert set(runs) == {apart, apart.split("~")[0]}
    assert "2 of 3 slices" in runs[apart] and "1 of 3 slices" in runs[apart.split("~")[0]]
    locks = rows(
        folder / "all.db",
        "SELECT r.uuid, count(DISTINCT environment_id) FROM run_targets JOIN runs r ON r.id = run_id GROUP BY 1",
    )
    assert {count for _, count in locks} == {1}


def test_a_slice_that_no_machine_survived_is_an_error(folder):
    run(folder, "one.db", "--slice", "1/2")
    said = "two nodes died\nchecking 3 cases\nHF_TOKEN=hf_%s" % ("x" * 34)
    run(folder, "two.db", "--slice", "2/2", "--record-error", said, check=3)
    seamark("merge", "--store", "all.db", "one.db", "two.db", cwd=folder)
    lost = rows(
        folder / "all.db",
        "SELECT r.outcome, r.reason, capture FROM results r JOIN attempts ON attempt_id = id",
    )
    assert {one for one in lost if one[0] == "error"} == {
        ("error", "two nodes died", "checking 3 cases\nHF_TOKEN=hf_[masked]")
    }
    assert rows(folder / "all.db", "SELECT state FROM runs") == [(2,)]


@pytest.mark.parametrize(
    "words",
    [["--slice", "0/2"], ["--slice", "3/2"], ["--slice", "x"], ["--job", "a"], ["--slice", "1/2", "--job", "../a"]],
)  # fmt: skip
def test_what_is_no_slice_is_refused(folder, words):
    run(folder, "one.db", *words, check=2)
    assert not (folder / "one.db").exists()


def test_usage_in_slices_is_the_usage_of_one_machine(tmp_path):
    for i in range(7):
        text = "import torch\\n" + "torch.relu(x)\\n" * (i + 1)
        (tmp_path / ("shard-%d.jsonl" % i)).write_text(
            '{"content": "%s", "repo_name": "r%d"}\n' % (text, i)
        )
    shards = sorted(path.name for path in tmp_path.glob("*.jsonl"))
    count = ["usage", "--label", "corpus", "--quiet", "--format", "json"]

    def counted(*words):
        said = json.loads(seamark(*count, *words, cwd=tmp_path))
        return [said[key] for key in ("functions", "files", "bytes", "imports", "losses")]

    expected = counted("--store", "whole.db", *shards)
    for i in (3, 1, 2):
        counted("--store", "part-%d.db" % i, "--slice", "%d/3" % i, *shards)
    seamark("merge", "--store", "all.db", "part-2.db", "part-3.db", cwd=tmp_path)
    assert rows(tmp_path / "all.db", "SELECT complete FROM usage_corpora") == [(0,)]
    for _ in range(2):  # a second time counts nothing twice
        seamark("merge", "--store", "all.db", "part-1.db", "part-2.db", cwd=tmp_path)
        assert rows(tmp_path / "all.db", "SELECT complete FROM usage_corpora") == [(1,)]
        assert counted("--store", "all.db") == expected
