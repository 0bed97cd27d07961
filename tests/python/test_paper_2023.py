"""The versions of 2023: what the agent and the suites must run on, Python 3.8 included."""

import ast
import shutil
import subprocess
from collections import Counter

import pytest
from agent_client import ROOT, only
from agent_client import run_cases as run

FILES = sorted(
    path
    for folder in ("seamark_agent", "seamark_suites")
    for path in (ROOT / "python" / folder).rglob("*.py")
)

ADAPTERS = {"torch": "torch_eager", "tensorflow": "tensorflow", "jax": "jax"}

# What fails of the quick cases, and why: docs/results.md.
DIFFERENT = {
    "torch": {},
    "tensorflow": {},
    "jax": {
        "jax.lax.pmax/pmax[f32]": "ValuesDiffer",
        "jax.numpy.isscalar/isscalar[f32]": "CheckFailed",
    },
}

NEWER = """
from seamark_suites.case import case

@case("torch.func.vmap", dtypes="f32", reference="none")
def newer_than_the_version(t, dtype):
    return t.call("torch.func.vmap", lambda x: x * 2)

@case("torch.argsort", dtypes="f32", since=("1.13", "the argument stable"), reference="none")
def newer_argument(t, dtype):
    return t.call("torch.argsort", t.randn((4,), dtype), stable=True)

@case("torch.argsort", dtypes="f32", since=("1.10", "something else"), reference="none")
def older_than_the_version(t, dtype):
    return t.call("torch.argsort", t.randn((4,), dtype), stable=True)
"""


def target(framework):
    return {
        "name": framework + "/cpu-2023",
        "framework": framework,
        "adapter": ADAPTERS[framework],
        "device": "cpu",
        "options": {"platform": "cpu"} if framework == "jax" else {},
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT / "python")))
def test_agent_and_suites_keep_to_the_grammar_of_python_3_8(path):
    ast.parse(path.read_text(encoding="utf-8"), str(path), feature_version=(3, 8))


def test_python_3_8_compiles_them_and_lists_every_case(tmp_path):
    old = shutil.which("python3.8")
    if old is None or subprocess.run([old, "-c", ""], capture_output=True).returncode:
        pytest.skip("there is no Python 3.8 here")
    source = (
        "import sys; [compile(open(p, encoding='utf-8').read(), p, 'exec') for p in sys.argv[1:]]"
    )
    subprocess.run([old, "-c", source, *map(str, FILES)], check=True)
    boot = ROOT / "python" / "seamark_agent" / "boot.py"
    listed = subprocess.run([old, str(boot), "list"], capture_output=True, check=True)
    assert len(listed.stdout.splitlines()) > 3000


@pytest.mark.framework
@pytest.mark.parametrize("framework", sorted(ADAPTERS))
def test_the_curated_suite_runs_on_the_versions_of_2023(framework_python, framework):
    python = framework_python("paper_2023")
    ends = run(python, target(framework), "*", "--quick")
    cases = Counter(name.split("/")[0] for name in ends)
    assert len(cases) > 60
    assert set(cases.values()) == {1, 2}  # one forward, and where the function has one a gradient
    assert [name for name, end in ends.items() if end["outcome"] == "error"] == []
    failed = {
        name: end["failure"]["type"].rpartition(".")[2]
        for name, end in ends.items()
        if end["outcome"] == "fail"
    }
    assert failed == DIFFERENT[framework]


@pytest.mark.framework
def test_what_the_version_lacks_is_said_to_be_missing_in_it(framework_python, tmp_path):
    suite = tmp_path / "newer_cases.py"
    suite.write_text(NEWER)
    python = framework_python("paper_2023")

    def message(pattern):
        end = only(run(python, target("torch"), pattern, suite=str(suite)))
        assert end["outcome"] == "fail"
        return end["failure"]["message"]

    assert message("*newer_than*").startswith("torch 1.12.0")
    assert " has no torch.func.vmap" in message("*newer_than*")
    assert message("*newer_argument*").endswith("; added in torch 1.13: the argument stable")
    assert "added in" not in message("*older_than*")
