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
    @pytest.mark.parametrize("op", ["torch.add-cuda-float32"])
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
    assert rows(store, "SELECT DISTINCT evidence, placement FROM results") == [
        ("executed", "unknown")
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
        "import", "-", "--target", "torch/cuda", "--store", store, "--map", table,
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


# As PyTorch's instantiate_device_type_tests names them, and others: class, test, the device that it names.
OF_DEVICES = [
    ("TestSortDeviceTypeCPU", "test_sort_cpu_float32", "cpu"),
    ("TestSortDeviceTypeXLA", "test_sort_xla_float32", "xla"),
    ("TestSortDeviceTypeCUDA", "test_sort_cuda_float32", "cuda"),
    ("TestSortDeviceTypeMETA", "test_sort_meta_float32", "meta"),
    ("TestSortDeviceTypeMPS", "test_sort_mps_float32", "mps"),
    ("TestSortDeviceTypePRIVATEUSE1", "test_sort_privateuseone_float32", "privateuse1"),
    ("TestSortDeviceTypeCPU", "test_shape_cpu", "cpu"),
    ("TestSortDeviceTypeXLA", "test_shape_xla", "xla"),
    ("TestSortDeviceTypeXLA", "test_cpu_offload_xla_float32", "xla"),
    ("TestSortDeviceTypeCPU", "test_xla_to_cpu_cpu_bfloat16", "cpu"),
    ("TestSortDeviceTypeXLA", "test_cast_xla_float32_int64", "xla"),
    ("TestSortDeviceTypeCPU", "test_cast_cpu_float32_int64", "cpu"),
    ("TestSortDeviceTypeCPU", "test_cast_cpu_float8_e4m3fn", "cpu"),
    ("TestSort", "test_copy_to_cpu", ""),
    ("TestSort", "test_cuda_is_seen", ""),
    ("TestSort", "testSort_float32", ""),
    ("TestSort", "test_plain", ""),
]


def in_form(form, tests, seconds=None):
    """The tests with their outcomes, or times, as a file of one of the three forms."""
    if form == "junit":
        cases = "".join(
            f'<testcase classname="test_argsort.{group}" name="{name}"/>'
            for group, name, _ in tests
        )
        return f"<testsuite>{cases}</testsuite>"
    if form == "timings":
        return json.dumps(
            {f"test_argsort.py:{name}": {"operations": [seconds or 1.0]} for _, name, _ in tests}
        )
    return json.dumps(
        {
            "tests": [
                {"nodeid": f"test_argsort.py::{group}::{name}", "outcome": "passed"}
                for group, name, _ in tests
            ]
        }
    )


@pytest.mark.parametrize("form", ["pytest-json", "junit", "timings"])
@pytest.mark.parametrize(
    ("target", "own"),
    [
        ("torch/tpu-v3", {"xla"}),
        ("torch/cuda-t4", {"cuda"}),
        ("torch/rocm", {"cuda"}),
        ("torch/cpu", {"cpu"}),
        ("torch/mps", {"mps"}),
        ("torch/npu-910b", {"privateuse1"}),
    ],
)
def test_a_test_of_another_device_is_left_out(tmp_path, form, target, own):
    tests = OF_DEVICES
    if form == "timings":
        # They know no class: what ends in a device's name is that device's.
        tests = [one for one in tests if one[1] != "test_copy_to_cpu"]
    kept = [name for _, name, device in tests if device in own or not device]
    file, store = tmp_path / "file", tmp_path / "s.db"
    file.write_text(in_form(form, tests))
    done = seamark("import", file, "--target", target, "--store", store)
    left_out = len(tests) - len(kept)
    assert f"{left_out} tests left out: they name another device than {target}" in done.stderr
    assert "e.g. test_argsort" in done.stderr
    assert rows(store, "SELECT count(*), count(DISTINCT case_name), max(attempt) FROM results") == [
        (len(kept), len(kept), 1)
    ]
    ((event,),) = rows(store, "SELECT detail FROM events WHERE kind = 'imported'")
    event = json.loads(event)
    assert (event["tests"], event["other_devices"]) == (len(tests), left_out)


def test_times_are_of_the_targets_device_alone(tmp_path):
    """The study's case: one file of tests, times of CPU and TPU in it; a test that names no device has both files' word."""
    store = tmp_path / "s.db"
    tests = [one for one in OF_DEVICES if one[2] in ("cpu", "xla")]
    tests.append(("TestSort", "test_copy_to_cpu", ""))
    report, slow, fast = (tmp_path / name for name in ("report.json", "slow.json", "fast.json"))
    report.write_text(in_form("pytest-json", tests))
    slow.write_text(in_form("timings", [one for one in tests if one[2] != "cpu"], 9.0))
    fast.write_text(in_form("timings", [one for one in tests if one[2] == "cpu"], 1.0))
    done = seamark("import", report, slow, fast, "--target", "torch/tpu-v3", "--store", store)
    assert "no outcome" not in done.stderr
    timed = rows(store, "SELECT case_name, warm_median_s FROM results WHERE phase = 'timing'")
    assert {seconds for _, seconds in timed} == {9.0}
    assert len(timed) == len(tests) - sum(device == "cpu" for _, _, device in tests)
    assert any(name.endswith("TestSort.test_copy_to_cpu") for name, _ in timed)


def test_one_report_of_two_devices_is_one_case_on_both(tmp_path):
    store = tmp_path / "s.db"
    file = tmp_path / "file.json"
    file.write_text(in_form("pytest-json", OF_DEVICES[:3]))
    for target in ("torch/cpu", "torch/cuda", "torch/tpu-v3"):
        seamark("import", file, "--target", target, "--store", store, "--run", "all-devices")
    assert rows(store, "SELECT count(*), count(DISTINCT case_hash) FROM results") == [(3, 1)]
    # Nothing of the target's: told as what it is.
    file.write_text(in_form("pytest-json", OF_DEVICES[:1]))
    none = tmp_path / "none.db"
    done = seamark("import", file, "--target", "torch/mps", "--store", none, check=4)
    assert "1 test names another device than torch/mps" in done.stderr
    assert not none.exists()


@pytest.mark.parametrize(
    ("target", "parameters", "kept"),
    [
        ("torch/cuda", ["torch.add-cpu-float32", "torch.add-cuda-float32"], 1),
        # What is moved where may be what is tested: it stays, and is never another's case.
        ("torch/cuda", ["torch.add-cpu", "torch.add-cuda", "torch.add-cpu-cuda"], 3),
        ("torch/cuda", ["torch.add-cuda-cpu", "torch.add-cpu-cuda"], 2),
        ("jax/cuda", ["jax.numpy.add-cpu-float32", "jax.numpy.add-gpu-float32"], 1),
        ("tensorflow/cpu+xla", ["tf.add-xla-float32", "tf.add-cpu-float32"], 2),
    ],
)
def test_parameters_that_name_devices(tmp_path, target, parameters, kept):
    store, file = tmp_path / "s.db", tmp_path / "file.json"
    tests = [{"nodeid": f"test_any.py::test_x[{one}]", "outcome": "passed"} for one in parameters]
    file.write_text(json.dumps({"tests": tests}))
    seamark("import", file, "--target", target, "--store", store)
    assert rows(store, "SELECT count(*), count(DISTINCT case_name) FROM results") == [(kept, kept)]


# Prints the device, class and name of each test that PyTorch makes of one class.
NAMES_OF_PYTORCH = """
import json, sys
sys.path.append(sys.argv[1])
import torch
from torch.testing._internal import common_device_type as device_type
from torch.testing._internal.common_utils import TestCase, parametrize

class XlaTestBase(device_type.DeviceTypeTestBase):
    device_type = "xla"

class TestSort(TestCase):
    def test_plain(self, device): pass
    @device_type.dtypes(torch.float32, torch.float8_e4m3fn, torch.quint4x2)
    def test_typed(self, device, dtype): pass
    @device_type.dtypes((torch.float32, torch.int64))
    @parametrize("way", ["cpu_offload", "cuda"])
    def test_way(self, device, dtype, way): pass

bases = [device_type.CPUTestBase, XlaTestBase, device_type.PrivateUse1TestBase]
device_type.PrivateUse1TestBase.primary_device = "privateuseone:0"
device_type.device_type_test_bases = bases
device_type.instantiate_device_type_tests(TestSort, globals())
for base in bases:
    name = "TestSort" + base.device_type.upper()
    for test in dir(globals()[name]):
        if test.startswith("test_") and test != "test_exclusions":
            print(json.dumps([name, test, base.device_type]))
"""


@pytest.mark.framework
def test_names_as_pytorch_makes_them(tmp_path, framework_python):
    shims = Path(__file__).parents[2] / "python" / "seamark_suites" / "auto" / "shims"
    done = subprocess.run(
        [framework_python("torch"), "-c", NAMES_OF_PYTORCH, shims],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    tests = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(tests) == 18
    file = tmp_path / "file.json"
    file.write_text(in_form("pytest-json", tests))
    for target in ("torch/cpu", "torch/tpu-v3", "torch/npu"):
        store = tmp_path / "{}.db".format(target.replace("/", "-"))
        done = seamark("import", file, "--target", target, "--store", store)
        assert "12 tests left out: they name another device" in done.stderr
        assert rows(store, "SELECT count(*), count(DISTINCT case_name) FROM results") == [(6, 6)]
    none = ["--target", "torch/cuda", "--store", tmp_path / "none.db"]
    assert "all 18 tests name another device" in seamark("import", file, *none, check=4).stderr
