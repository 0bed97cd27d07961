"""The checklists in data/checklists: what matters for each function of the curated suite, and which cases show it."""

import collections
import csv
import re
import tomllib

import pytest
from conftest import ROOT
from seamark_agent import frameworks
from seamark_suites import loader

FOLDER = ROOT / "data" / "checklists"
TODAY = ROOT / "data" / "samples" / "today.csv"
DEEP = 0.8  # of the calls that code makes
STUDY = ROOT / "data" / "baselines" / "grand-illusion" / "functions.csv"
FILES = sorted(FOLDER.glob("*.toml"))
MOST = 16  # behaviours of a function
COVERED = 0.9  # of the behaviours, per framework


def study():
    """{framework: {name today: status today}} of the functions that the study sampled."""
    functions = collections.defaultdict(dict)
    with open(STUDY, newline="", encoding="utf-8") as stream:
        for row in csv.DictReader(stream):
            functions[row["framework"]][row["name_today"]] = row["status_today"]
    return functions


def globs(value):
    """A behaviour's cases: none, one or several."""
    found = value if isinstance(value, list) else [value]
    assert all(isinstance(item, str) for item in found), "strings, not %r" % (value,)
    assert all(found) or found == [""], "an empty string among others: %r" % (value,)
    return [item for item in found if item]


def matches(glob, name):
    """Whether the part of a case's name after FUNCTION/ fits; * alone is special."""
    return re.fullmatch(".*".join(map(re.escape, glob.split("*"))), name) is not None


@pytest.fixture(scope="module")
def names():
    """{function: [what follows FUNCTION/ in the names of its cases]}."""
    found = collections.defaultdict(list)
    for item in loader.load(["curated"]):
        found[item.function].append(item.name[len(item.function) + 1 :])
    return found


@pytest.fixture(params=FILES, ids=lambda path: path.stem)
def checklist(request):
    with open(request.param, "rb") as stream:
        return request.param.stem, tomllib.load(stream)


def test_there_are_checklists():
    assert FILES
    counts = {name: len(functions) for name, functions in study().items()}
    assert counts == {"torch": 63, "tensorflow": 71, "jax": 65}


def test_star_alone_is_special():
    assert matches("argsort[bf16,*", "argsort[bf16,100,dim=-1]")
    assert matches("of_nothing", "of_nothing") and matches("a*c*", "abcd")
    assert not matches("argsort[bf16]", "argsortb") and not matches("of_nothing", "of_nothing[f32]")
    assert not matches("?um", "sum") and not matches("sum*", "a_sum")


def test_each_curated_function_has_a_list(checklist, names):
    framework, tables = checklist
    status = study()[framework]
    curated = {name for name in names if name.split(".")[0] == frameworks.root_of(framework)}
    assert sorted(curated - set(tables)) == []
    assert sorted(set(tables) - curated) == []
    assert sorted(set(status) - curated) == []
    odd = {
        name: len(table)
        for name, table in tables.items()
        if not 1 <= len(table) <= MOST and status.get(name) != "removed"
    }
    assert odd == {}, "1 to %d behaviours each; what is removed may have none" % MOST


def test_the_functions_of_eight_calls_in_ten_are_curated(names):
    with open(TODAY, newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) > 500
    before = {}  # the share of the functions that are called more, by framework
    missing = []
    for row in rows:
        root = row["function"].split(".")[0]
        if before.get(root, 0) < DEEP and row["function"] not in names:
            missing.append(row["function"])
        before[root] = float(row["share"])
    assert missing == []
    assert all(share >= 0.9 for share in before.values()), before


def test_each_glob_means_a_case(checklist, names):
    _, tables = checklist
    lost = [
        "%s: %s = %s" % (function, behaviour, glob)
        for function, table in tables.items()
        for behaviour, value in table.items()
        for glob in globs(value)
        if not any(matches(glob, name) for name in names[function])
    ]
    assert lost == []


def test_what_no_case_covers_says_why(checklist):
    framework, _ = checklist
    text = (FOLDER / (framework + ".toml")).read_text(encoding="utf-8")
    silent = [line for line in text.splitlines() if re.search(r'"\s*=\s*""\s*(#\s*)?$', line)]
    assert silent == []


def test_nine_in_ten_behaviours_are_covered(checklist, capsys):
    framework, tables = checklist
    values = [value for table in tables.values() for value in table.values()]
    covered = sum(bool(globs(value)) for value in values)
    share = covered / len(values)
    with capsys.disabled():
        print(
            "\n%s: %d of %d behaviours of %d functions are covered (%.1f%%)"
            % (framework, covered, len(values), len(tables), 100 * share)
        )
    assert share >= COVERED
