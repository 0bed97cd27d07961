"""Tables out of the JSON report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from seamark.columns import TABLES, Column
from seamark.frames import from_lists

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA = "seamark-report/2"
CHANGES_SCHEMA = "seamark-compare/1"

# A row is what lies on the way to it, by level: a column's source is LEVEL.KEY.
Row = tuple[Any, ...]
Document = dict[str, Any]

_GROUPS = {
    "functions": "functions",
    "functions_with_device_work": "functions-with-device-work",
    "core_cases": "core-cases",
    "cases": "cases",
}
_KINDS = {"forward": "functions-forward", "gradient": "functions-gradient"}
_RATES = {
    "runs": "runs",
    "runs_uncorrected": "runs-uncorrected",
    "runs_on_device": "runs-on-device",
}


_LEVELS = ("lowered", "compiled", "executed", "verified")


def _targets(document: Document) -> Iterator[Row]:
    for target in document["targets"]:
        # Levels that no passing case has are not named.
        yield ({**target, "evidence": {**dict.fromkeys(_LEVELS, 0), **target["evidence"]}},)


def _verdicts(document: Document) -> Iterator[Row]:
    by_name = {target["target"]: target for target in document["targets"]}
    for function in document["functions"]:
        for cell in function["targets"]:
            yield function, cell, by_name[cell["target"]]


def _dtypes(document: Document) -> Iterator[Row]:
    for function in document["functions"]:
        for cell in function["targets"]:
            for dtype, found in cell["dtypes"].items():
                yield function, cell, {**found, "dtype": dtype}


def _cases(document: Document) -> Iterator[Row]:
    by_name = {target["target"]: target for target in document["targets"]}
    for function in document["functions"]:
        for case in function["cases"]:
            for cell in case["targets"]:
                yield function, case, cell, by_name[cell["target"]]


def _ratios(document: Document) -> Iterator[Row]:
    for row in _cases(document):
        cell = row[2]
        for key, kind in (("warm_ratio", "warm"), ("cold_ratio", cell["cold_kind"])):
            if cell[key] is not None:
                yield *row, {**cell[key], "kind": kind}


def _estimates(document: Document) -> Iterator[Row]:
    return ((*row, row[2]["estimated"]) for row in _cases(document) if row[2]["estimated"])


def _rates(document: Document) -> Iterator[Row]:
    for target in document["targets"]:
        for key, of in _GROUPS.items():
            for rate, name in _RATES.items():
                yield target, {"of": of}, {**target[key][rate], "rate": name}
        for key, of in _KINDS.items():
            yield target, {"of": of}, {**target[key]["runs"], "rate": "runs"}
        yield target, {"of": "cases"}, {**target["flips"], "rate": "flips"}


def _counts(document: Document) -> Iterator[Row]:
    for target in document["targets"]:
        for key, of in {**_GROUPS, **_KINDS}.items():
            for outcome, count in target[key].items():
                if outcome not in _RATES:
                    yield target, {"of": of}, {"outcome": outcome, "count": count}


def _categories(document: Document) -> Iterator[Row]:
    by_name = {target["target"]: target for target in document["targets"]}
    for one in document["categories"]:
        for category in one["categories"]:
            yield by_name[one["target"]], category


def _noise(document: Document) -> Iterator[Row]:
    return ((floor,) for floor in document["noise"])


def _declared(document: Document) -> Iterator[Row]:
    for table in document["declared"]:
        for function in table["functions"]:
            dtypes = [f"{dtype} {answer}" for dtype, answer in function["dtypes"].items()]
            yield table, {**function, "dtypes": dtypes}


def _sample_estimates(document: Document) -> Iterator[Row]:
    for target in (document["sample"] or {}).get("targets", ()):
        for key, share in (("functions_fail", "functions-fail"), ("calls_break", "calls-break")):
            yield target, {**target[key], "share": share}


# name: its levels, its rows.
READERS: dict[str, tuple[tuple[str, ...], Callable[[Document], Iterator[Row]]]] = {
    "targets": (("target",), _targets),
    "verdicts": (("function", "cell", "target"), _verdicts),
    "dtypes": (("function", "cell", "dtype"), _dtypes),
    "cases": (("function", "case", "cell", "target"), _cases),
    "ratios": (("function", "case", "cell", "target", "ratio"), _ratios),
    "estimates": (("function", "case", "cell", "target", "estimate"), _estimates),
    "rates": (("target", "group", "rate"), _rates),
    "counts": (("target", "group", "count"), _counts),
    "categories": (("target", "category"), _categories),
    "noise": (("noise",), _noise),
    "declared": (("table", "function"), _declared),
    "sample_estimates": (("target", "share"), _sample_estimates),
}


def _values(column: Column, levels: tuple[str, ...], rows: list[Row]) -> list[Any]:
    level, *path = column.source.split(".")
    at = levels.index(level)
    if len(path) == 1:  # nearly all, and they may be many
        key = path[0]
        found = [row[at].get(key) for row in rows]
    else:
        found = [_inside(row[at], path) for row in rows]
    if column.type == "text":
        return [
            ", ".join(map(str, value)) or None if isinstance(value, list) else value
            for value in found
        ]
    if column.type == "float":
        return [None if value is None else float(value) for value in found]
    return found


def _inside(value: Any, path: Iterable[str]) -> Any:
    for key in path:
        if value is None:
            return None
        value = value[int(key)] if isinstance(value, list) else value.get(key)
    return value


def _made(
    name: str, levels: tuple[str, ...], rows: Iterable[Row], about: dict[str, Any]
) -> pa.Table:
    found = list(rows)
    columns = TABLES[name].columns
    values = [_values(column, levels, found) for column in columns]
    return from_lists(name, columns, values, {key: str(value) for key, value in about.items()})


def table_of(name: str, document: Document) -> pa.Table:
    levels, read = READERS[name]
    slow = document["slow"]
    about = {"slow_factor": slow["factor"], "slow_floor_s": slow["floor_s"]}
    return _made(name, levels, read(document), {**about, **_rules(document)})


def changes_of(document: Document) -> pa.Table:
    """Of `seamark compare --format json`: those of targets of one side, then those of each pair."""
    parts = [document["changes"], *(pair["changes"] for pair in document["pairs"])]
    sides = {key: document[key]["side"] for key in ("before", "after")}
    drift = "\n".join(
        f"{one['targets'] or 'all'}: {one['what']}: {one['before']} -> {one['after']}"
        for one in document["drift"]
    )
    about = {**sides, "drift": drift, **_rules(document)}
    return _made("changes", ("change",), ((one,) for part in parts for one in part), about)


def _rules(document: Document) -> dict[str, Any]:
    return {"rules_version": document["rules_version"]}
