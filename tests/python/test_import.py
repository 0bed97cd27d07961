"""`seamark import` from outside: what a real pytest writes, mapped, stored, reported and exported again."""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

SUITE = """
import pytest

def test_plain(): pass

@pytest.mark.parametrize("n", [1, 2])
def test_param(n): assert n == 1

@pytest.fixture
def broken(): raise RuntimeError("no device")

def test_setup(broken): pass

@pytest.fixture
def leaves():
    yield
    raise ValueError("cannot free")

def test_teardown(leaves): pass

@pytest.mark.skip(reason="not here")
def test_skip(): pass

@pytest.mark.xfail(reason="known")
def test_xfail(): raise NotImplementedError("known")

@pytest.mark.xfail(reason="gone")
def test_xpass(): pass

@pytest.mark.xfail(strict=True, reason="strict")
def test_strict(): pass

@pytest.mark.xfail(run=False, reason="kills")
def test_norun(): pass

def test_raise():
    raise RuntimeError('"argsort_cpu" not implemented for \\'ComplexFloat\\'\\x1b[31m')

class TestOther:
    @pytest.mark.parametrize("op", ["torch.add-cpu-float32"])
    def test_x(self, op): pass
"""

# test, outcome, attributes: what is stored of each, in the order of the file.
EXPECTED = {
    "test_plain": "pass",
    "test_param[1]": "pass",
    "test_param[2]": "fail",
    "test_setup": "error",
    "test_teardown": "error",
    "test_skip": "skip",
    "test_xfail": "fail",
    "test_xpass": "pass",
    "test_strict": "pass",
    "test_norun": "skip",
    "test_raise": "fail",
}


def seamark(*words, stdin=None, check=0):
    done = subprocess.run(
        [EXECUTABLE, "--no-config", *map(str, words)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == check, done.stderr
    return done


def rows(store, query):
    with sqlite3.connect(store) as connection:
        return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    """A folder with the suite, and its reports by a real pytest: report.json and junit.xml."""
    pytest.importorskip("pytest_jsonreport")
    folder = tmp_path_factory.mktemp("suite")
    (folder / "test_argsort.py").write_text(SUITE)
    (folder / "test_no_such_function.py").write_text("def test_x(): pass\n")
    words = ["--json-report", "--json-report-file=report.json", "--junitxml=junit.xml", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return folder


@pytest.mark.parametrize("name", ["report.json", "junit.xml"])
def test_a_real_report(suite, tmp_path, name):
    store = tmp_path / "s.db"
    done = seamark("import", suite / name, "--target", "torch/cuda-t4", "--store", store)
    assert "1 of 13 tests of no function that is known" in done.stderr
    assert "test_no_such_function" in done.stderr and "--map" in done.stderr
    found = {
        case.split("/test_argsort.", 1)[1]: outcome
        for case, outcome in rows(
            store, "SELECT case_name, outcome FROM results WHERE function = 'torch.argsort'"
        )
    }
    assert found == EXPECTED
    assert rows(store, "SELECT outcome, dtype FROM results WHERE function = 'torch.add'") == [
        ("pass", "f32")
    ]
    # It ran, and no more is claimed of it.
    assert rows(store, "SELECT DISTINCT evidence, placement_proven FROM results") == [
        ("executed", 0)
    ]
    assert rows(store, "SELECT protocol, proof, reference FROM runs") == [("imported", 0, 0)]
    ((event,),) = rows(store, "SELECT detail FROM events WHERE kind = 'imported'")
    assert json.loads(event)["file"].endswith(name)

    report = json.loads(seamark("report", "--store", store, "--format", "json").stdout)
    verdicts = {one["name"]: one["targets"][0]["verdict"] for one in report["functions"]}
    assert verdicts == {"torch.add": "pass", "torch.argsort": "partial"}
    for form in ("terminal", "html", "markdown"):
        text = seamark("report", "--store", store, "--format", form).stdout
        assert "\x1b[31m" not in text and "argsort" in text

    again = seamark("import", suite / name, "--target", "torch/cuda-t4", "--store", store)
    assert "nothing is added" in again.stderr
    assert rows(store, "SELECT count(*) FROM attempts") == [(12,)]


def test_both_reports_agree(suite, tmp_path):
    found = []
    for name in ("report.json", "junit.xml"):
        store = tmp_path / (name + ".db")
        seamark("import", suite / name, "--target", "torch/cuda", "--store", store)
        found.append(rows(store, "SELECT case_name, case_hash, outcome FROM results ORDER BY 1"))
    assert found[0] == found[1]


def test_failures_are_classified(suite, tmp_path):
    store = tmp_path / "s.db"
    seamark("import", suite / "report.json", "--target", "torch/cuda", "--store", store)
    out = seamark("export", "--store", store, "--format", "jsonl", "-o", "-").stdout
    lines = [json.loads(line) for line in out.splitlines()]
    by_case = {line["case"].rsplit(".", 1)[1]: line for line in lines}
    assert by_case["test_raise"]["category"] == "type"
    assert by_case["test_raise"]["type"] == "RuntimeError"
    assert by_case["test_plain"]["category"] is None


def test_map_and_standard_input(suite, tmp_path):
    store = tmp_path / "s.db"
    table = tmp_path / "map.csv"
    table.write_text("nodeid,function\n*no_such*,torch.mul\n*argsort.py*,-\n")
    done = seamark(
        "import", "-", "--target", "torch/cpu", "--store", store, "--map", table,
        stdin=(suite / "report.json").read_text(),
    )  # fmt: skip
    assert "12 tests left out" in done.stderr
    assert rows(store, "SELECT function FROM results") == [("torch.mul",)]


def test_an_export_comes_back_as_it_was(suite, tmp_path):
    first, second = tmp_path / "first.db", tmp_path / "second.db"
    seamark("import", suite / "report.json", "--target", "torch/cuda", "--store", first)
    export = tmp_path / "first.jsonl"
    seamark("export", "--store", first, "-o", export)
    seamark("import", export, "--store", second)
    again = tmp_path / "second.jsonl"
    seamark("export", "--store", second, "-o", again)
    assert export.read_bytes() == again.read_bytes()
    done = seamark("import", export, "--store", second)
    assert "nothing is added" in done.stderr
    # A run that was made elsewhere adds nothing to one's own.
    seamark("import", export, "--store", second, "--target", "torch/cpu", check=2)


def test_the_studys_tables_of_imported_times(tmp_path):
    """Three runs of two tests on two devices: the mean of the runs, then of the operations."""
    store = tmp_path / "s.db"
    names = ["test_argsort.py::test_a", "test_argsort.py::test_b", "test_add.py::test_c"]
    devices = {
        "cuda-t4": ([[0.001, 0.002], [0.003], [0.01]], "passed"),
        "tpu-v3": ([[0.01, 0.02], [0.03], [0.02]], "failed"),
    }
    for device, (seconds, outcome) in devices.items():
        report = tmp_path / (device + ".json")
        tests = [
            {"nodeid": name, "outcome": outcome if "add" in name else "passed"} for name in names
        ]
        report.write_text(json.dumps({"tests": tests}))
        files = [report]
        for run in (0, 1, 2):
            times = {
                name.replace("::", ":"): {
                    "operations": [s * (1 + (run - 1) * 0.5) for s in values],
                    "test_time": 1.0,
                }
                for name, values in zip(names, seconds, strict=True)
            }
            files.append(tmp_path / f"{device}-{run}.json")
            files[-1].write_text(json.dumps(times))
        # The report first, the times later: a run of one name grows.
        target = ["--target", "torch/" + device, "--run", "study", "--store", store]
        seamark("import", files[0], *target)
        seamark("import", *files[1:], *target)
    out = seamark(
        "report", "--store", store, "--run", "study", "--tables", "--pair", "cuda-t4:tpu-v3",
        "--only", "table-5", "--format", "json",
    ).stdout  # fmt: skip
    # torch.add passed on one device alone; torch.argsort: 2 ms against 20 ms.
    assert "torch.argsort" in out and "torch.add" not in out
    (table,) = json.loads(out)["exhibits"]
    (row,) = table["rows"]
    values = [row[key]["value"] for key in ("cuda-t4_s", "tpu-v3_s", "ratio")]
    assert values == pytest.approx([0.002, 0.02, 10.0])


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("", 2, "it is empty"),
        ("hello", 2, "neither JSON nor XML"),
        ('{"tests": [{"nodeid": "test_add.py::x", "outcome"', 2, "bad.json"),
        ('{"tests": [{"nodeid": "test_add.py::x", "outcome": "passed"}, 7]}', 3, "tests[1]"),
        ('{"test_add.py:x": {"operations": [NaN]}}', 2, "bad.json"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><testsuite>&b;</testsuite>', 2, "document type"),
        ("<testsuite><testcase name='a'></testsuite>", 2, "mismatched tag"),
        ("[" * 100000, 2, "bad.json"),
        ('{"nodeid": "tests"' + '{"a":' * 100000, 2, "bad.json"),
        ('{"tests": [{"nodeid": "test_nobody.py::x", "outcome": "passed"}]}', 4, "--map"),
    ],
)
def test_what_is_not_whole_is_told(tmp_path, text, code, says):
    file, store = tmp_path / "bad.json", tmp_path / "s.db"
    file.write_text(text)
    done = seamark("import", file, "--target", "torch/cpu", "--store", store, check=code)
    assert says in done.stderr
    assert store.exists() == (code == 3)
    if code == 3:
        store.unlink()
        seamark("import", file, "--target", "torch/cpu", "--store", store, "--strict", check=3)
        assert not store.exists()


def test_the_command_line(tmp_path):
    file = tmp_path / "r.json"
    file.write_text('{"tests": [{"nodeid": "test_add.py::x", "outcome": "passed"}]}')
    store = ["--store", tmp_path / "s.db"]
    assert "--target" in seamark("import", file, *store, check=2).stderr
    assert (
        "only compiles"
        in seamark("import", file, "--target", "jax/tpu-v3+aot", *store, check=2).stderr
    )
    assert "no target" in seamark("import", file, "--target", "x/cpu", *store, check=2).stderr
    assert (
        "no name for a run"
        in seamark("import", file, "--target", "torch/cpu", "--run", "all", *store, check=2).stderr
    )
    seamark("import", Path("none.json"), "--target", "torch/cpu", *store, check=2)
    # Repeats of one test are attempts of one case: one that passes and fails is flaky, not twice counted.
    file.write_text(
        json.dumps(
            {
                "tests": [
                    {"nodeid": "test_add.py::x", "outcome": outcome, "longrepr": "E   OSError: x"}
                    for outcome in ("rerun", "passed")
                ]
            }
        )
    )
    seamark("import", file, "--target", "torch/cpu", *store)
    assert rows(tmp_path / "s.db", "SELECT attempt, outcome FROM results") == [
        (1, "fail"),
        (2, "pass"),
    ]
