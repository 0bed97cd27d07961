"""What the Python API says of its columns is what is written: a new column of an export or key of the report fails
here until it is described in python/seamark/*columns.py."""

import json
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT
from made_stores import seamark
from seamark.columns import TABLES

from seamark import report_tables

PAGE = ROOT / "docs" / "python.md"
COLUMNS = ROOT / "python" / "seamark" / "attempt_columns.json"


def test_what_is_made_of_the_registry(executable):
    """The file of the Python tables; docs/export.md and docs/store.md name what these have not."""
    told = seamark("export", "--columns")
    if os.environ.get("SEAMARK_UPDATE_GOLDEN"):
        COLUMNS.write_text(told)
    assert COLUMNS.read_text() == told
    columns = json.loads(told)
    known = {c["key"] for c in columns if c["csv"]}
    for name, key in (("export.md", "key"), ("store.md", "stored")):
        page = (ROOT / "docs" / name).read_text()
        own = {c[key] for c in columns if c[key]} - known
        assert own and not {one for one in own if f"`{one}`" not in page}


def test_the_page_names_every_method_that_makes_a_table():
    for name in TABLES:
        assert re.search(r"\b%s\(" % name, PAGE.read_text()), name


def test_every_column_is_printed():
    run = [sys.executable, "-m", "seamark.columns"]
    text = subprocess.run(run, cwd=ROOT / "python", capture_output=True, text=True, check=True)
    printed = {}
    for section in text.stdout.split("\n## ")[1:]:
        name, *lines = section.splitlines()
        rows = [re.split(r" \| ?", line)[:-1] for line in lines if line.startswith("| `")]
        printed[name] = [[cell.replace("\\|", "|") for cell in row] for row in rows]
    assert printed == {
        table.name: [[f"| `{c.name}`", c.type, c.unit, c.meaning, c.null] for c in table.columns]
        for table in TABLES.values()
    }


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_every_column_is_described(table):
    assert len(set(table.names())) == len(table.columns)
    for column in table.columns:
        assert column.meaning, column
        # What has no value has a reason: in a column of this table, or in words.
        for other in re.findall(r"`(\w+)`", column.null):
            if other not in ("notes",):
                assert other in table.names(), column
        if column.type in ("int", "float", "moment"):
            counted = column.name.removesuffix("_low").removesuffix("_high")
            assert column.unit or counted in PLAIN_NUMBERS, column
        else:
            assert not column.unit, column


PLAIN_NUMBERS = {"wait_status", "attempt", "position", "sample", "seed", "rank", "decile", "row"}
PLAIN_NUMBERS |= {"max_abs_err", "max_rel_err", "max_ulp_err", "recompilations", "transfers"}


# --- against what is written


def test_an_export_has_these_columns(real_store):
    header = seamark("export", "--store", real_store, "--format", "csv", "-o", "-").splitlines()[0]
    assert header.split(",") == [column.key for column in TABLES["attempts"].columns]


def test_a_cell_has_these_columns(executable):
    text = seamark("report", "--store", "grand-illusion", "--only", "table-1", "--format", "csv")
    own = TABLES["cells"].names()
    own.remove("head")
    assert set(text.splitlines()[0].split(",")) == set(own)


def test_usage_has_these_keys(made_store):
    document = json.loads(seamark("usage", "--store", made_store, "--format", "json"))
    assert list(document["functions"][0]) == TABLES["usage"].names()


def of_level(level, *tables):
    """The keys that columns are made of, of a level of the report."""
    sources = [c.source.split(".") for name in tables for c in TABLES[name].columns]
    return {source[1] for source in sources if source[0] == level}


def walk(document, path):
    """All objects at a path such as functions.cases.targets."""
    found = [document]
    for key in path.split("."):
        found = [one[key] for one in found if one[key] is not None]
        found = [item for one in found for item in (one if isinstance(one, list) else [one])]
    return found


CASE_TABLES = ("cases", "ratios", "estimates")
TARGET_TABLES = ("targets", "rates", "counts", "verdicts", "cases", "ratios", "estimates")
GROUPS = {"functions", "functions_with_device_work", "forward", "gradient", "cases", "core_cases"}
RATES = {"runs", "runs_uncorrected", "runs_on_device"}
RATE = of_level("rate", "rates") - {"rate"}
FUNCTION_COUNTS = {
    column.source.split(".")[2]
    for column in TABLES["targets"].columns
    if column.source.startswith("target.functions.")
}

# What makes up the document: the keys at a path, all of them.
LEVELS = {
    "targets": of_level("target", *TARGET_TABLES) | GROUPS | {"flips"},
    "targets.functions": FUNCTION_COUNTS | RATES,
    "targets.functions_with_device_work": FUNCTION_COUNTS | RATES,
    "targets.gradient": {"pass", "partial", "fail", "runs"},
    "targets.functions.runs": RATE,
    "targets.flips": RATE,
    "functions": of_level("function", "verdicts", *CASE_TABLES) | {"targets", "cases"},
    "functions.targets": of_level("cell", "verdicts") | {"dtypes"},
    "functions.cases": of_level("case", *CASE_TABLES) | {"targets"},
    "functions.cases.targets": of_level("cell", *CASE_TABLES)
    | {"warm_ratio", "cold_ratio", "estimated"},
    "functions.cases.targets.warm_ratio": of_level("ratio", "ratios") - {"kind"},
    "functions.cases.targets.estimated": of_level("estimate", "estimates") | {"evidence"},
    "categories": {"target", "categories"},
    "categories.categories": of_level("category", "categories"),
    "noise": of_level("noise", "noise"),
    # The head of a table: where it comes from is in docs/declared.md, how many in each state is a count of rows.
    "declared": of_level("table", "declared")
    | {"evidence", "source", "note", "taken", "counts", "functions", "dtype_checks"},
    "declared.functions": of_level("function", "declared"),
    # The head is sample()'s; `unknown` lists functions that verdicts() says have not run.
    "sample": {"id", "name", "procedure", "seed", "generator", "population", "usage", "targets"},
    "sample.targets": of_level("target", "sample_estimates")
    | {"functions_fail", "calls_break", "unknown"},
    "sample.targets.functions_fail": of_level("share", "sample_estimates") - {"share"},
}

# Of the document itself: read here, or the same figures in another order.
READ = {
    "schema",
    "rules_version",
    "slow",
    "targets",
    "categories",
    "noise",
    "declared",
    "sample",
    "functions",
}
ELSEWHERE = {
    "seamark": "seamark.__version__",
    "store": "what was opened",
    "choice": "what was asked for",
    "runs": "runs()",
    "ratios": "ratios(), sorted",
    "estimates": "medians of estimates()",
    "estimate_pairs": "pairs of estimates()",
}


@pytest.fixture(scope="module")
def documents(real_store, made_store):
    return [
        json.loads(seamark("report", "--store", store, "--format", "json"))
        for store in (real_store, made_store)
    ]


def test_the_report_has_these_parts(documents):
    for document in documents:
        assert set(document) == READ | set(ELSEWHERE)
        assert document["schema"] == report_tables.SCHEMA


@pytest.mark.parametrize("path", LEVELS)
def test_the_report_has_these_keys(documents, path):
    found = [one for document in documents for one in walk(document, path)]
    assert found, "neither store has it"
    for one in found:
        assert set(one) == LEVELS[path]


def test_a_change_has_these_keys(made_store):
    text = seamark(
        "compare", "--store", made_store, "torch/cpu", "torch/cuda-t4", "--format", "json", check=1
    )
    found = walk(json.loads(text), "pairs.changes")
    assert any(one["ratio"] for one in found)
    for one in found:
        assert set(one) == of_level("change", "changes")
        ratio = {c.source.split(".")[2] for c in TABLES["changes"].columns if "ratio." in c.source}
        assert one["ratio"] is None or set(one["ratio"]) == ratio


def test_runs_are_what_the_report_says_of_them(documents, real_store, executable):
    """runs() reads the file, as the report has the chosen ones alone."""
    pytest.importorskip("pyarrow")
    import seamark as api

    renamed = {"run": "id"}
    (own,) = api.open(real_store, executable=executable).runs(arrow=True).to_pylist()
    (run,) = documents[0]["runs"]
    reasons = {"wall_s_reason", "cpu_s_reason"}
    assert {renamed.get(name, name) for name in TABLES["runs"].names()} == set(run) - reasons
    for name, value in own.items():
        expected = run[renamed.get(name, name)]
        if name in ("host", "versions", "options"):
            assert json.loads(value) == expected
        elif name in ("started", "ended"):
            assert value.strftime("%Y-%m-%dT%H:%M:%SZ") == expected
        else:
            assert value == expected, name
