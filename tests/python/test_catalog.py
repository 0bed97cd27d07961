"""The walk over a framework: a synthetic one with every nastiness, then the real ones."""

import csv
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import synthetic_framework
from conftest import ROOT

BOOT = ROOT / "python" / "seamark_agent" / "boot.py"
DATA = ROOT / "data" / "catalog"


def walk(python, rules, **environment):
    result = subprocess.run(
        [python, str(BOOT), "catalog", "--rules", json.dumps(rules)],
        capture_output=True,
        text=True,
        timeout=600,
        env=dict(os.environ, **environment),
        check=False,
    )
    assert result.returncode == 0, result.stderr[-3000:]
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    synthetic_framework.write(folder)
    return walk(sys.executable, synthetic_framework.RULES, PYTHONPATH=str(folder))


def functions(rows):
    return {row["name"]: row for row in rows if row["row"] == "function"}


def excluded(rows):
    return {row["reason"]: row for row in rows if row["row"] == "excluded"}


def test_it_says_what_it_walked(toy):
    head, end = toy[0], toy[-1]
    assert (head["row"], head["framework"], head["version"], head["rule_version"]) == (
        "catalog",
        "toy",
        "1.2.3",
        7,
    )
    assert end["row"] == "end"
    assert end["functions"] == len(functions(toy))
    assert end["flat"] == len({n.rpartition(".")[2] for n in names(toy)})
    assert end["flat_all"] > end["flat"]


def names(rows):
    return {n for row in functions(rows).values() for n in [row["name"], *row["aliases"]]}


def test_exactly_these_are_functions(toy):
    found = functions(toy)
    assert sorted(found) == [
        "toyfw.Base",
        "toyfw.Base.inherited",
        "toyfw.Base.shared",
        "toyfw.Evil",
        "toyfw.Old",
        "toyfw.Old.work",
        "toyfw.Thing",
        "toyfw.Thing.Inner",
        "toyfw.Thing.Inner.go",
        "toyfw.Thing.make",
        "toyfw.Thing.run",
        "toyfw.Thing.still",
        "toyfw._secret.secret",
        "toyfw.add",
        "toyfw.bound",
        "toyfw.calls",
        "toyfw.half",
        "toyfw.nn",
        "toyfw.nn.dated",
        "toyfw.nn.relu",
        "toyfw.only_here",
        "toyfw.really_old",
        "toyfw.sub.star",
        "toyfw.sub.work",
        "toyfw.unlisted_but_documented",
    ]
    kinds = {name: found[name]["kind"] for name in found}
    assert kinds["toyfw.calls"] == "callable"
    assert kinds["toyfw.Thing.make"] == kinds["toyfw.Thing.still"] == "method"
    assert kinds["toyfw.Thing.Inner"] == "class"
    assert kinds["toyfw.nn"] == "module"
    assert kinds["toyfw.add"] == "function"


def test_one_object_is_one_function(toy):
    found = functions(toy)
    assert found["toyfw.add"]["aliases"] == ["toyfw.old_add", "toyfw.plus"]
    assert found["toyfw.half"]["aliases"] == ["toyfw.nn.half"]
    assert found["toyfw.sub.work"]["aliases"] == ["toyfw.sub.inner.work"]


def test_methods_are_counted_where_they_are_defined(toy):
    found = functions(toy)
    assert found["toyfw.Base.shared"]["class"] == "toyfw.Base"
    assert found["toyfw.Thing"]["bases"] == ["toyfw.Base"]
    assert "toyfw.Thing.shared" not in names(toy)


def test_deprecation(toy):
    found = functions(toy)
    deprecated = {name for name, row in found.items() if row["deprecated"] is not None}
    assert deprecated == {"toyfw.Old", "toyfw.Old.work", "toyfw.nn.dated", "toyfw.really_old"}
    assert found["toyfw.add"]["deprecated_aliases"] == ["toyfw.old_add"]
    assert "is deprecated" in found["toyfw.really_old"]["deprecated"]


def test_signature_documentation_and_notes(toy):
    found = functions(toy)
    assert found["toyfw.unlisted_but_documented"]["signature"] == "(x, *, y=1)"
    assert found["toyfw.add"]["signature"] == "(a, b=<object object>)"  # no address
    assert found["toyfw.Base"]["signature"] is None
    assert "no signature" in found["toyfw.Base"]["signature_reason"]
    assert found["toyfw.add"]["documented"] and not found["toyfw.calls"]["documented"]
    assert found["toyfw._secret.secret"]["note"] == "sampled"


def test_everything_left_out_is_counted_with_its_reason(toy):
    found = {reason: row["count"] for reason, row in excluded(toy).items()}
    assert found["imported there, not offered"] == 5
    assert found["inherited from builtins"] == 11
    assert found["its getattr raises: AttributeError"] == 1
    assert found["its getattr raises: RuntimeError"] == 1
    assert found["removed name: AttributeError"] == 1
    assert found["module fails to import: SystemExit"] == 1
    assert found["module fails to import: ModuleNotFoundError"] == 1
    assert found["module imported under another name"] == 1
    assert found["module of math"] == found["module of os"] == 1
    assert found["re-export or import of fractions"] == 1
    assert found["no library"] == 2
    assert found["not callable"] == 1
    assert found["private module"] == 2
    assert found["property or data of a class"] == 2
    assert found["wanted by the rules, but not there"] == 1
    assert excluded(toy)["its getattr raises: AttributeError"]["examples"] == ["toyfw.gone"]
    broken = {row["name"]: row["error"] for row in toy if row["row"] == "module"}
    assert broken["toyfw.broken"] == "SystemExit: needs a licence"
    assert sorted(broken) == ["toyfw.broken", "toyfw.missing"]


def test_walking_twice_gives_the_same(toy, tmp_path):
    synthetic_framework.write(tmp_path)
    again = walk(sys.executable, synthetic_framework.RULES, PYTHONPATH=str(tmp_path))
    assert again == toy


def test_a_framework_that_is_not_there(tmp_path):
    rules = dict(synthetic_framework.RULES, root=[{"module": "no_such_fw", "name": "no_such_fw"}])
    result = subprocess.run(
        [sys.executable, str(BOOT), "catalog", "--rules", json.dumps(rules)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 3
    assert "No module named 'no_such_fw'" in result.stderr
    assert result.stdout == ""


def test_native_functions_are_read():
    from seamark_agent.catalog_declared import parse_native_functions

    text = """
- func: abs(Tensor self) -> Tensor
  device_check: NoCheck
  dispatch:
    CompositeExplicitAutograd: abs
    SparseCPU, SparseCUDA: abs_sparse
  tags: core

- func: abs.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
  dispatch:
    CPU, CUDA: abs_out

- func: absolute(Tensor self) -> Tensor
  variants: function, method
"""
    assert parse_native_functions(text) == {
        "abs": {"CompositeExplicitAutograd", "SparseCPU", "SparseCUDA", "CPU", "CUDA"},
        "absolute": {"Composite"},
    }


def rules_of(framework):
    return tomllib.loads((DATA / ("%s.toml" % framework)).read_text())


def frozen_of(framework):
    entries = tomllib.loads((DATA / "frozen.toml").read_text())["catalogue"]
    return next(entry for entry in entries if entry["framework"] == framework)


def study_names(framework):
    """The study's functions as they are called today; those that are gone are told apart elsewhere."""
    with open(ROOT / "tests" / "python" / "study_functions.csv", newline="") as file:
        return [row["name"] for row in csv.DictReader(file) if row["framework"] == framework]


def resolve(rows, name):
    """A canonical name, an alias, or CLASS.METHOD by any name of the class or from its bases."""
    found = functions(rows)
    index = {n: row for row in found.values() for n in [row["name"], *row["aliases"]]}
    if name in index:
        return index[name]["name"]
    holder, _, method = name.rpartition(".")
    cls = index.get(holder)
    for base in [cls["name"], *cls["bases"]] if cls else []:
        if base + "." + method in index:
            return index[base + "." + method]["name"]
    return None


def shipped_names(framework):
    """Of the frozen catalogue, and beyond it."""
    text = (DATA / ("%s.txt" % framework)).read_text()
    frozen, _, beyond = text.partition("\n\n")
    return frozen.splitlines(), beyond.splitlines()


@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_names_that_ship_are_the_frozen_ones(framework):
    sys.path.insert(0, str(ROOT / "scripts"))
    from freeze_catalog import fnv1a64

    frozen, beyond = shipped_names(framework)
    assert fnv1a64("\n".join(frozen).encode()) == frozen_of(framework)["names_hash"]
    assert beyond == sorted(set(beyond) - set(frozen))


@pytest.mark.framework
@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_names_that_ship_have_every_function_with_a_case(framework, framework_python, tmp_path):
    suites = ["--suite=%s" % suite for suite in ("curated", "opinfo", "harness", "generated")]
    listed = subprocess.run(
        [os.environ["SEAMARK_TEST_EXECUTABLE"], "run", "--no-config", "--list", *suites, "--target", framework + "/cpu",
         "--python", framework_python(framework)], capture_output=True, text=True, check=True, cwd=tmp_path)  # fmt: skip
    frozen, beyond = shipped_names(framework)
    assert {case.partition("/")[0] for case in listed.stdout.splitlines()} <= {*frozen, *beyond}


@pytest.mark.framework
@pytest.mark.long
def test_a_misspelt_function_is_told_without_listing_the_automatic_suites(
    framework_python, tmp_path
):
    home = tmp_path / "home"
    home.mkdir()
    (home / "python").symlink_to(ROOT / "python")
    shutil.copytree(ROOT / "data", home / "data")

    def said(function):
        run = subprocess.run(
            [os.environ["SEAMARK_TEST_EXECUTABLE"], "run", "--no-config", "--target", "torch/cpu", "--no-timing",
             "--python", framework_python("torch"), "--function", function],
            capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ, SEAMARK_HOME=str(home)))  # fmt: skip
        return run.returncode, run.stderr

    code, told = said("torch.sotr")
    assert code == 2 and "no case of a function 'torch.sotr'" in told
    assert "did you mean 'torch.sort'?" in told and "looking in" not in told
    code, told = said("torch.ops.aten.slice")  # in no catalogue, but of a suite
    assert code == 0 and "looking in opinfo, harness, generated" in told
    frozen = home / "data" / "catalog" / "frozen.toml"
    version = '"%s"' % frozen_of("torch")["version"]
    frozen.write_text(frozen.read_text().replace(version, '"0.1"'))
    code, told = said("torch.sotr")  # of another version
    assert code == 2 and "looking in opinfo, harness, generated" in told and "did you mean" in told


@pytest.mark.framework
def test_a_misspelt_function_starts_no_interpreter_of_an_environment_of_ours(
    framework_python, tmp_path
):
    made = Path(framework_python("torch")).parents[1]
    if not (made / "seamark-environment.json").exists():
        pytest.skip("not an environment that seamark made")
    copy = tmp_path / "cache" / "environments" / made.name
    (copy / "bin").mkdir(parents=True)
    shutil.copy(made / "seamark-environment.json", copy)
    tripwire = copy / "bin" / "python"
    tripwire.write_text("#!/bin/sh\necho started >>%s\nexit 1\n" % (tmp_path / "started"))
    tripwire.chmod(0o755)

    def said(function):
        run = subprocess.run(
            [os.environ["SEAMARK_TEST_EXECUTABLE"], "run", "--no-config", "--target", "torch/cpu", "--function", function],
            capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ, SEAMARK_CACHE=str(tmp_path / "cache")))  # fmt: skip
        return run.returncode, run.stderr

    code, told = said("torch.sotr")
    assert code == 2 and "did you mean 'torch.sort'?" in told
    assert not (tmp_path / "started").exists()
    said("torch.sort")
    assert (tmp_path / "started").exists()


@pytest.mark.framework
@pytest.mark.parametrize("framework", ["torch", "tensorflow", "jax"])
def test_a_real_framework_is_as_frozen(framework, framework_python):
    rows = walk(framework_python(framework), rules_of(framework))
    sys.path.insert(0, str(ROOT / "scripts"))
    from freeze_catalog import entry

    assert entry([json.dumps(row) for row in rows]) == frozen_of(framework)
    found = functions(rows)
    assert len(found) == len([row for row in rows if row["row"] == "function"])
    all_names = [n for row in found.values() for n in [row["name"], *row["aliases"]]]
    assert len(all_names) == len(set(all_names)), "a name means two functions"
    for row in found.values():
        assert (row["signature"] is None) == (row["signature_reason"] is not None), row["name"]
        assert " 0x" not in (row["signature"] or ""), row["name"]
    for name in study_names(framework):
        assert resolve(rows, name) is not None, name
