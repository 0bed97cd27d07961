"""Automatic suites: a synthetic one without a framework, and opinfo with the real PyTorch."""

import ast
import json
import subprocess
import sys
import textwrap

import pytest
from agent_client import ROOT, SELFTEST, Agent, agent_command
from seamark_suites import automatic, loader

TORCH_CPU = {"name": "torch/cpu", "framework": "torch", "adapter": "torch_eager", "device": "cpu"}


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "made.py"
    path.write_text(
        textwrap.dedent("""
        from seamark_suites.automatic import Option, generated

        FRAMEWORKS = ("selftest",)
        OPTIONS = {"samples": Option(1, low=1, high=9), "kind": Option("a", words=("a", "b"))}

        def getpid(t, sample):
            t.expect(t.call("selftest.os.getpid") > 0, "a process id")

        def cases(framework, options):
            print("frameworks talk while they are imported")
            for n in range(options["samples"]):
                yield generated("selftest.os.getpid", getpid, {"sample": n}, ["sample=%d" % n],
                                ["1.0", options["kind"]], core=n == 0, reference="none",
                                exists=lambda n=n: n < 3, remarks=lambda adapter: ["known-skip"])
        """)
    )
    return str(path)


def listed(*suites):
    code, out, err = agent_command(
        sys.executable, "list", "--framework", "selftest",
        *(part for name in suites for part in ("--suite", name)),
    )  # fmt: skip
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


def test_cases_are_listed_without_what_a_framework_prints(suite):
    (only,) = listed(suite)
    assert only["name"] == "selftest.os.getpid/getpid[sample=0]"
    assert only["suite"] == "made" and only["core"] and only["quick"]


def test_options_make_more_cases_and_what_does_not_exist_is_left_out(suite):
    found = listed(suite + "?samples=5")
    assert [one["params"]["sample"] for one in found] == [0, 1, 2]
    assert [one["core"] for one in found] == [True, False, False]


def test_the_hash_follows_the_identity_and_nothing_else(suite):
    once, again, other = listed(suite), listed(suite + "?samples=3"), listed(suite + "?kind=b")
    assert once[0]["hash"] == again[0]["hash"] != other[0]["hash"]
    assert len({one["hash"] for one in again}) == 3


def test_it_stands_beside_other_suites(suite):
    assert {one["suite"] for one in listed("selftest", suite)} == {"selftest", "made"}


@pytest.mark.parametrize(
    "query, said",
    [
        ("?x=1", "has no option 'x' (it has: kind=a, samples=1)"),
        ("?samples", "option samples of suite made has no value"),
        ("?samples=2&samples=3", "is given twice"),
        ("?samples=0", "is '0', expected a whole number from 1 to 9"),
        ("?samples=-1", "expected a whole number"),
        ("?samples=" + "9" * 40, "expected a whole number"),
        ("?kind=c", "expected one of a, b"),
    ],
)
def test_wrong_options_say_what_is_right(suite, query, said):
    code, out, err = agent_command(sys.executable, "list", "--suite", suite + query)
    assert (code, out) == (2, "") and said in err


def test_suites_of_files_have_no_options():
    with pytest.raises(loader.SuiteError, match="suite selftest has no options"):
        loader.load(["selftest?samples=3"])


def test_a_missing_framework_is_said():
    with pytest.raises(
        loader.SuiteError, match=r"takes its cases from torch, which .* cannot import"
    ):
        loader.load(["opinfo"], "torch")


def test_other_frameworks_have_none():
    assert loader.load(["opinfo"], "jax") == []


def test_a_suite_of_several_frameworks_asks_which(suite):
    with open(suite) as stream:
        text = stream.read().replace('("selftest",)', '("torch", "jax")')
    with open(suite, "w") as stream:
        stream.write(text)
    with pytest.raises(loader.SuiteError, match="say which with --framework"):
        loader.load([suite])


def test_remarks_stand_beside_the_result(suite):
    _, out, _ = agent_command(
        sys.executable, "run", "--suite", suite, "--target", json.dumps(SELFTEST)
    )
    end = json.loads(out.splitlines()[-1])
    assert end["outcome"] == "pass" and end["attributes"] == ["known-skip"]


@pytest.mark.parametrize("mode", ["fork", "persistent"])
def test_a_worker_serves_it(agent, suite, mode):
    worker = agent(mode=mode, suites=[suite + "?samples=2"])
    assert worker.receive()["ev"] == "ready"
    names = [one["name"] for one in listed(suite + "?samples=2")]
    worker.send({"op": "plan", "names": names})
    worker.send({"op": "run", "id": 1, "phase": "correctness"})
    events = []
    while not events or events[-1]["ev"] != "end":
        events.append(worker.receive())
    assert events[-1]["outcome"] == "pass" and events[-1]["id"] == 1


def test_a_case_without_a_script_says_why(suite):
    code, out, err = agent_command(
        sys.executable, "script", "--suite", suite, "--target", json.dumps(SELFTEST),
        "--case", "selftest.os.getpid/getpid[sample=0]",
    )  # fmt: skip
    assert (code, out) == (2, "") and "has no standalone script: its inputs are made by" in err


def test_every_automatic_suite_reads_without_its_framework():
    for name in automatic.names():
        module = automatic.find(name)
        assert automatic.is_suite(module) and set(module.FRAMEWORKS) <= set(loader.FRAMEWORKS)
        assert automatic.read_options(module, name, "") is not None


# -- opinfo -----------------------------------------------------------------------------------------


REPRODUCED = ["torch.linalg.svd/opinfo[f32,sample=0]", "torch.nn.Linear/moduleinfo[f32,sample=0]"]
# What `list` and `script` say, by one making of the suite, which takes longer than all else.
AGAIN = """
import json, os, sys
answer = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
sys.path.insert(0, sys.argv[1])
from seamark_agent import adapters, script
from seamark_suites import loader
cases = [one for one in loader.load(["opinfo"], "torch") if one.exists is None or one.exists()]
adapter = adapters.load(json.loads(sys.argv[2]))
scripts = {one.name: script.standalone(one, adapter, 0) for one in cases if one.name in sys.argv[3:]}
answer.write(json.dumps([[one.listing() for one in cases], scripts]))
"""


@pytest.fixture(scope="module")
def of_opinfo():
    """With the real PyTorch: its interpreter, {case: listing} and the reproducers of REPRODUCED."""
    import os

    python = os.environ.get("SEAMARK_TEST_TORCH_PYTHON")
    if not python:
        pytest.skip("SEAMARK_TEST_TORCH_PYTHON names no interpreter with torch")
    status, out, err = agent_command(python, "list", "--suite", "opinfo", "--framework", "torch")
    assert status == 0, err
    listed = list(map(json.loads, out.splitlines()))
    done = subprocess.run(
        [python, "-c", AGAIN, str(ROOT / "python"), json.dumps(TORCH_CPU), *REPRODUCED],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    again, scripts = json.loads(done.stdout)
    assert listed == again, "two listings differ"
    return python, {one["name"]: one for one in listed}, scripts


@pytest.mark.framework
def test_opinfo_covers_the_databases(of_opinfo):
    _, cases, _ = of_opinfo
    functions = {one["function"] for one in cases.values()}
    assert len(cases) > 5000 and len(functions) > 900
    assert {"torch.add", "torch.linalg.svd", "torch.nn.functional.relu", "torch.nn.Linear",
            "torch.fft.fft", "torch.special.zeta", "torch.Tensor.add_", "torch.Tensor.view",
            "torch.Tensor.uniform_", "torch.masked.sum", "torch.absolute"} <= functions  # fmt: skip
    assert not any(name.startswith("torch.torch.") for name in functions)
    # The union of dtypes over devices: Half is none of the CPU's here.
    assert "torch.fft.fft/opinfo[f16,sample=0]" in cases


@pytest.mark.framework
def test_core_cases_are_those_of_functions_that_curated_lacks(of_opinfo):
    _, cases, _ = of_opinfo
    curated = set(loader.functions("curated", "torch"))
    core = {one["function"] for one in cases.values() if one["core"]}
    assert not core & curated and len(core) > 800
    assert all("sample=0" in one["name"] for one in cases.values() if one["core"])
    firsts = [one["function"] for one in cases.values() if one["quick"]]
    assert len(firsts) == len(set(firsts)) == len(core)


RESTS_ON = [
    ("torch.linalg.svd/opinfo[f32,sample=0]", "cpu-wide", "verified"),
    ("torch.Tensor.add_/opinfo_variant[add,f32,sample=0]", "cpu-wide", "verified"),
    ("torch.nn.functional.softsign/opinfo[i64,sample=0]", "analytic", "verified"),
    ("torch.nn.Linear/moduleinfo[f32,sample=0]", "cpu-wide", "verified"),
    ("torch.nn.functional.dropout/opinfo[f32,sample=0]", "none", "executed"),
    ("torch.empty_like/opinfo[f32,sample=0]", "none", "executed"),
    ("torch.nn.LazyConv1d/moduleinfo[f32,sample=0]", "shapes", "executed"),
]
FAILS = "torch.fft.fft/opinfo[f16,sample=0]"


@pytest.fixture(scope="module")
def ends(of_opinfo):
    """{case: end event}, of one worker: making the suite takes longer than its cases."""
    names = [case for case, _, _ in RESTS_ON] + [FAILS]
    worker = Agent(of_opinfo[0], TORCH_CPU, suites=["opinfo"])
    assert worker.receive()["ev"] == "ready"
    worker.plan(names)
    found = {name: worker.run(name) for name in names}
    worker.close()
    return found


@pytest.mark.framework
@pytest.mark.parametrize("case, kind, evidence", RESTS_ON)
def test_what_a_result_rests_on(ends, case, kind, evidence):
    end = ends[case]
    assert end["outcome"] == "pass", end["failure"]
    assert (end["reference"]["kind"], end["evidence"]) == (kind, evidence)


@pytest.mark.framework
def test_what_the_reference_cannot_is_kept_and_marked(ends):
    end = ends[FAILS]
    assert end["outcome"] == "fail" and "fails-on-reference" in end["attributes"]


@pytest.mark.framework
@pytest.mark.parametrize("case", REPRODUCED)
def test_a_reproducer_runs_with_pytorch_alone(of_opinfo, tmp_path, case):
    python, _, scripts = of_opinfo
    text = scripts[case]
    assert "seamark" not in text
    ast.parse(text)
    path = tmp_path / "reproducer.py"
    path.write_text(text)
    done = subprocess.run([python, str(path)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "tensor(" in done.stdout, done.stderr
