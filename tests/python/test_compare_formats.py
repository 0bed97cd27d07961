"""JUnit XML and SARIF of `seamark compare`, as other programs read them: the goldens, which hold hostile texts,
and what the executable writes of a store that a test makes."""

import json
import os
import re
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "report"
EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
STORE = os.environ.get("SEAMARK_TEST_STORE")  # any store with results; optional

LEVELS = {"none", "note", "warning", "error"}
STATES = {"new", "unchanged", "updated", "absent"}


def check_junit(text):
    """Counts agree with what is there, every test has one end and a unique name. Returns the root."""
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    totals = {"tests": 0, "failures": 0, "skipped": 0}
    for suite in root:
        assert suite.tag == "testsuite" and suite.get("name")
        tests = suite.findall("testcase")
        counts = {
            "tests": len(tests),
            "failures": len(suite.findall("testcase/failure")),
            "skipped": len(suite.findall("testcase/skipped")),
        }
        assert {key: int(suite.get(key)) for key in counts} == counts
        names = [(test.get("classname"), test.get("name")) for test in tests]
        assert len(set(names)) == len(names)
        for test in tests:
            assert test.get("classname") and test.get("name")
            ends = [child for child in test if child.tag in ("failure", "skipped")]
            assert len(ends) <= 1
            assert all(end.get("message") and end.get("type") for end in ends)
        for key, count in counts.items():
            totals[key] += count
    assert {key: int(root.get(key)) for key in totals} == totals
    return root


def check_sarif(text):
    """What the schema of SARIF 2.1.0 demands of the parts that are used. Returns the only run."""
    document = json.loads(text)
    assert document["version"] == "2.1.0"
    assert document["$schema"].endswith("sarif-2.1.0.json")
    (run,) = document["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "seamark"
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in LEVELS
    prints = []
    for result in run["results"]:
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in LEVELS
        assert result["baselineState"] in STATES
        message = result["message"]["text"]
        assert message and not re.search(r"\]\(|\{\d+\}", message)
        for location in result["locations"]:
            assert all(place["fullyQualifiedName"] for place in location["logicalLocations"])
        for suppression in result.get("suppressions", []):
            assert suppression["kind"] in ("inSource", "external")
        prints.append(result["partialFingerprints"]["seamark/v1"])
    assert len(set(prints)) == len(prints)
    return run


def test_the_golden_junit_is_well_formed():
    root = check_junit((GOLDEN / "changes.junit.xml").read_bytes())
    types = [failure.get("type") for failure in root.iter("failure")]
    assert types == ["new-failure", "slower", "dropped", "dropped"]
    skips = {skip.get("type") for skip in root.iter("skipped")}
    assert skips == {"expected-failure", "no-finding", "not-run", "dropped"}
    assert "<script>alert(1)</script>" in next(root.iter("failure")).text  # as text


def test_the_golden_sarif_has_the_structure_of_the_schema():
    run = check_sarif((GOLDEN / "changes.sarif").read_text())
    by_rule = {}
    for result in run["results"]:
        by_rule.setdefault(result["ruleId"], []).append(result)
    assert set(by_rule) == {
        "new-failure", "slower", "category-changed", "not-run", "dropped", "drift",
    }  # fmt: skip
    new, expected = by_rule["new-failure"]
    assert new["level"] == "error" and "suppressions" not in new
    assert expected["level"] == "note" and expected["suppressions"][0]["justification"]
    assert run["properties"]["findings"] == sum(r["level"] == "error" for r in run["results"])


def test_the_golden_sarif_fits_a_model_of_the_schema():
    models = pytest.importorskip("sarif_pydantic")
    document = models.Sarif.model_validate_json((GOLDEN / "changes.sarif").read_text())
    assert document.runs[0].tool.driver.name == "seamark"


def test_the_golden_json_says_which_changes_are_findings():
    document = json.loads((GOLDEN / "changes.json").read_text())
    assert document["schema"] == "seamark-compare/1"
    changes = document["changes"] + [c for pair in document["pairs"] for c in pair["changes"]]
    assert sum(change["finding"] for change in changes) == document["findings"] == 4


def test_the_goldens_of_a_study():
    root = check_junit((GOLDEN / "study.junit.xml").read_bytes())
    assert [failure.get("type") for failure in root.iter("failure")] == ["new-failure", "slower"]
    notes = [one.get("value") for one in root.iter("property") if one.get("name") == "not-answered"]
    assert notes == [
        "category-changed, new-pass: not published: categories",
        "faster: nothing was timed",
    ]
    run = check_sarif((GOLDEN / "study.sarif").read_text())
    levels = {}
    for result in run["results"]:
        levels.setdefault(result["level"], []).append(result["ruleId"])
    assert levels == {
        "error": ["new-failure", "slower"], "note": ["dropped"], "warning": ["drift", "drift"],
    }  # fmt: skip
    assert run["properties"]["notAnswered"] == notes
    document = json.loads((GOLDEN / "study.json").read_text())
    assert document["schema"] == "seamark-compare-study/1"
    assert document["findings"] == run["properties"]["findings"] == 2
    assert [one["kind"] for one in document["not_answered"]] == [
        "category-changed", "new-pass", "faster",
    ]  # fmt: skip


@pytest.mark.skipif(not (EXECUTABLE and STORE), reason="needs an executable and a store")
def test_a_real_store():
    def compare(*arguments):
        done = subprocess.run(
            [EXECUTABLE, "compare", "--no-config", *arguments], capture_output=True, timeout=100
        )
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    root = check_junit(compare(STORE, STORE, "--format", "junit"))
    assert root.get("failures") == "0"
    assert check_sarif(compare(STORE, STORE, "--format", "sarif"))["results"] == []
