"""Tables and figures of the study, and those beyond it, out of `seamark report --tables --format json`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seamark.columns import TABLES, Column
from seamark.frames import from_lists

if TYPE_CHECKING:
    import pyarrow as pa

_WHOLE = ("functions", "count")
_UNITS = {"count": "", "number": "", "percent": "percent, 0 to 100"}


def _is_drawn(exhibit: dict[str, Any]) -> bool:
    return str(exhibit["id"]).startswith("figure-")


def contents(document: dict[str, Any]) -> pa.Table:
    rows = [
        (
            exhibit["id"],
            exhibit["title"],
            len(exhibit["rows"]),
            len(exhibit["columns"]),
            _is_drawn(exhibit),
            "\n".join(exhibit["notes"]) or None,
        )
        for exhibit in document["exhibits"]
    ]
    columns = TABLES["exhibits"].columns
    return from_lists("exhibits", columns, _transposed(rows, len(columns)), _about(document))


def cells(document: dict[str, Any]) -> pa.Table:
    """All of them, long: a row for each cell."""
    rows = []
    for exhibit in document["exhibits"]:
        for number, row in enumerate(exhibit["rows"], 1):
            for column in exhibit["columns"]:
                cell = row[column["key"]]
                where = (
                    exhibit["id"],
                    number,
                    column["key"],
                    column["head"] or None,
                    column["unit"],
                )
                if column["unit"] == "text":
                    rows.append((*where, cell, None, None, None, None, None, None))
                else:
                    low, high = cell.get("interval") or (None, None)
                    printed, reason = cell.get("printed"), cell["value_reason"]
                    total = cell.get("total")
                    rows.append((*where, None, cell["value"], low, high, printed, reason, total))
    columns = TABLES["cells"].columns
    return from_lists("cells", columns, _transposed(rows, len(columns)), _about(document))


def wide(document: dict[str, Any], name: str) -> pa.Table:
    """One of them, as it is read: KEY, and where there are any KEY_low, KEY_high, KEY_printed, KEY_reason."""
    (exhibit,) = (one for one in document["exhibits"] if one["id"] == name)
    columns: list[Column] = []
    values: list[list[Any]] = []
    for given in exhibit["columns"]:
        for column, cells_of in _spread(given, [row[given["key"]] for row in exhibit["rows"]]):
            columns.append(column)
            values.append(cells_of)
    about = {
        **_about(document),
        "title": exhibit["title"],
        "notes": "\n".join(exhibit["notes"]),
    }
    return from_lists(exhibit["id"], columns, values, about)


def _spread(given: dict[str, str], cells_of: list[Any]) -> list[tuple[Column, list[Any]]]:
    key, unit = given["key"], given["unit"]
    head = given["head"] or key
    if unit == "text":
        return [(Column(key, "text", "", head), cells_of)]
    found = [cell["value"] for cell in cells_of]
    reasons = [cell["value_reason"] for cell in cells_of]
    whole = unit in _WHOLE and all(value is None or value == int(value) for value in found)
    if whole:
        found = [None if value is None else int(value) for value in found]
    named = _UNITS.get(unit, unit)
    null = f"see `{key}_reason`" if any(reasons) else ""
    out = [(Column(key, "int" if whole else "float", named, head, null), found)]
    ends = [cell.get("interval") or (None, None) for cell in cells_of]
    if any(low is not None for low, _ in ends):
        for at, (end, what) in enumerate((("low", "low end"), ("high", "high end"))):
            column = Column(
                f"{key}_{end}", "float", named, f"{head}: interval, {what}", "it has none"
            )
            out.append((column, [pair[at] for pair in ends]))
    totals = [cell.get("total") for cell in cells_of]
    if any(value is not None for value in totals):
        meaning = f"{head}: what it is a share of"
        out.append(
            (
                Column(
                    f"{key}_total", "int", "functions, cases or calls", meaning, "not published"
                ),
                totals,
            )
        )
    printed = [cell.get("printed") for cell in cells_of]
    if any(value is not None for value in printed):
        meaning = f"{head}: what the study printed"
        out.append(
            (Column(f"{key}_printed", "float", named, meaning, "it printed `{key}`"), printed)
        )
    if any(reasons):
        meaning = f"why `{key}` is null"
        out.append((Column(f"{key}_reason", "text", "", meaning, f"`{key}` has a value"), reasons))
    return out


def _about(document: dict[str, Any]) -> dict[str, str]:
    return {"title": document["title"], "source": document["source"]}


def _transposed(rows: list[tuple[Any, ...]], width: int) -> list[Any]:
    return list(zip(*rows, strict=True)) or [[] for _ in range(width)]
