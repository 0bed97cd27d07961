"""What rules of `seamark audit` rest on: each case that a rule names shows there what the rule says, and not once it is mended."""

import functools
import inspect
import json
import os
import subprocess
import tomllib

import pytest
from agent_client import ROOT
from seamark_suites import loader

# Of targets whose environment is not their framework's usual one.
INTERPRETERS = {"torch/xla-cpu": "torch_xla", "torch/tpu-v5e+aot": "torch_tpu"}


def tables(kind, pattern):
    for path in sorted((ROOT / "data").glob(pattern)):
        yield from tomllib.loads(path.read_text())[kind]


RULES = {rule["id"]: rule for rule in tables("rule", "audit/*.toml")}
PROVEN = {number: rule for number, rule in RULES.items() if rule["proof"] == "case"}


@functools.cache
def entries():
    """The entries of data/targets.toml by name, as the agent takes them."""
    found = {}
    for entry in tables("target", "targets.toml"):
        like = found.get(entry.get("like"), {})
        options = {**like.get("options", {}), **entry.get("options", {})}
        found[entry["name"]] = {**like, **entry, "options": options}
    return {name: dict(found[name], framework=name.split("/")[0]) for name in found}


def pairs():
    """{rule: (habit, fix)} of the suite."""
    found = {}
    for item in loader.load(["rules"]):
        found.setdefault(item.function.rpartition(".")[2], {})[item.params["way"]] = item.name
    return {number: (names["habit"], names["fix"]) for number, names in found.items()}


def test_a_rule_has_a_case_or_a_source():
    assert len(PROVEN) >= 60
    assert {number: rule["shown_by"] for number, rule in PROVEN.items()} == {
        number: habit for number, (habit, _) in pairs().items()
    }
    assert all(rule["source"] for rule in RULES.values())
    assert {rule["shown_on"] for rule in PROVEN.values()} <= set(entries())


def test_the_suite_has_no_verdict_and_is_apart_from_the_curated_one():
    cases = loader.load(["rules"])
    assert not any(item.core or item.program for item in cases)
    assert not {item.function for item in cases} & {
        item.function for item in loader.load(["curated", "idioms"])
    }


def test_the_rule_finds_its_habit(tmp_path):
    """The case is of the code that the rule is about. A rule over a whole file cannot: the fix stands in the same one; nor
    one that asks for a library that the suite does not import."""
    bodies = {item.function.rpartition(".")[2]: item.body for item in loader.load(["rules"])}
    found = {}
    for target in {rule["shown_on"] for rule in PROVEN.values()}:
        done = subprocess.run(
            [os.environ["SEAMARK_TEST_EXECUTABLE"], "audit", ROOT / "python/seamark_suites/rules"]
            + ["--to", target, "--format", "json", "--fail-on", "none"],
            capture_output=True,
            cwd=tmp_path,
            env={"HOME": str(tmp_path), "PATH": "/nowhere"},
        )
        for item in json.loads(done.stdout)["items"]:
            rule = RULES.get(item["id"], {})
            assert rule.get("shown_by", "") in (item["rests_on"] or "")
            place = (item["path"].rpartition("/")[2], item["line"])
            found.setdefault((item["id"], target), []).append(place)
    missed = []
    for number, rule in PROVEN.items():
        if rule.get("scope") == "file" or rule.get("imports") == ["transformers"]:
            continue
        lines, first = inspect.getsourcelines(bodies[number])
        name = os.path.basename(inspect.getsourcefile(bodies[number]))
        places = found.get((number, rule["shown_on"]), ())
        if not any(file == name and 0 <= line - first < len(lines) for file, line in places):
            missed.append(number)
    assert not missed


def test_explain_has_the_command_that_shows_it_again(tmp_path):
    page = subprocess.run(
        [os.environ["SEAMARK_TEST_EXECUTABLE"], "explain", "DEV03"],
        capture_output=True,
        text=True,
        env={"HOME": str(tmp_path), "PATH": "/nowhere", "COLUMNS": "200"},
    ).stdout
    rule = PROVEN["DEV03"]
    assert "%(shown_by)s on %(shown_on)s: %(shown_says)s" % rule in page
    assert "seamark run --suite rules --target torch/lazy --case 'torch.rules.DEV03/*'" in page


@pytest.mark.framework
@pytest.mark.parametrize("target", sorted({rule["shown_on"] for rule in PROVEN.values()}))
def test_the_habit_shows_it_and_the_fix_does_not(target, agent, framework_python, monkeypatch):
    entry = entries()[target]
    for name, value in entry.get("variables", {}).items():
        monkeypatch.setenv(name, value)
    python = framework_python(INTERPRETERS.get(target, entry["framework"]))
    worker = agent(python, entry, mode=entry["worker"], suites=["rules"], output=subprocess.DEVNULL)
    here = {number: rule for number, rule in PROVEN.items() if rule["shown_on"] == target}
    worker.plan([name for number in here for name in pairs()[number]])
    for number, rule in here.items():
        habit, fix = (worker.run(name) for name in pairs()[number])
        if habit["outcome"] == fix["outcome"] == "skip":
            assert "is on this machine" in habit["reason"]
            continue
        says = rule["shown_says"]
        fails = habit["outcome"] == "fail" and says in habit["failure"]["message"]
        assert fails or says in habit["attributes"], (number, habit)
        assert fix["outcome"] == "pass" and says not in fix["attributes"], (number, fix)
