"""What the columns of each table are: the one source of types, units and meanings.

The Arrow schemas and `Store.columns()` are made of it, and tests hold it against what the executable writes.
`python -m seamark.columns` prints all of it as Markdown: the site's page of columns.
"""

from __future__ import annotations

from collections.abc import Iterator

from seamark import report_columns, store_columns
from seamark.column import Column, Kind, Table, count, flag, number, seconds, text, under

__all__ = ["TABLES", "Column", "Kind", "Table"]


# --- what `seamark compare --format json` has

CHANGES = Table(
    "changes",
    "what differs between two sides",
    under(
        "change",
        (
            text("kind", "new-failure, slower, fixed, dropped, ... (docs/compare.md)"),
            flag("finding", "one that `seamark compare` would exit with 1 for"),
            text("target", "of the later side, or of both"),
            text("function", "its qualified name", "it is of the whole target"),
            text("case", "FUNCTION/CASE[PARAMETERS]", "it is of the whole function"),
            text("clock", "warm, cold", "it is no matter of time"),
            number("ratio", "ratio", "after over before", "it is no matter of time", "ratio.value"),
            number(
                "low",
                "ratio",
                "interval (at least 95%), low end",
                "as `ratio`, or see `interval_reason`",
                "ratio.interval.0",
            ),
            number(
                "high",
                "ratio",
                "its high end",
                "as `ratio`, or see `interval_reason`",
                "ratio.interval.1",
            ),
            text(
                "interval_reason",
                "why there is no interval",
                "there is one, or as `ratio`",
                "ratio.interval_reason",
            ),
            seconds("before_s", "time before", "as `ratio`", "ratio.before_s"),
            seconds("after_s", "time after", "as `ratio`", "ratio.after_s"),
            count("before_n", "measurements", "behind it", "as `ratio`", "ratio.before_n"),
            count("after_n", "measurements", "behind it", "as `ratio`", "ratio.after_n"),
            flag(
                "unstable",
                "one of the times spreads or drifts too much to trust",
                "as `ratio`",
                "ratio.unstable",
            ),
            text("text", "in words"),
            flag("expected", "a known failure says so"),
            text("expected_reason", "why it is known", "it is not expected, or without a reason"),
        ),
    ),
)

# --- what `seamark report --tables --format json` has

EXHIBITS = Table(
    "exhibits",
    "table or figure: of the study, and beyond it",
    (
        text("exhibit", "its id: table-1, figure-4, to-do, ..."),
        text("title", "what it shows"),
        count("rows", "rows", "0: see `notes`"),
        count("columns", "columns", "of exhibit(id), without intervals and reasons"),
        flag("drawn", "chart(id) draws it"),
        text("notes", "what limits it, or why it is empty", "nothing"),
    ),
)

CELLS = Table(
    "cells",
    "cell of the tables and figures",
    (
        text("exhibit", "its id"),
        count("row", "", "from 1"),
        text("column", "key of the column"),
        text("head", "as people read it", "it has no head"),
        text("unit", "text, functions, count, percent, s, ratio, number"),
        text("text", "of a column of texts", "a column of numbers"),
        number("value", "see `unit`", "of a column of numbers", "a text, or see `reason`"),
        number("low", "see `unit`", "interval, low end", "it has none: see exhibits(), `notes`"),
        number("high", "see `unit`", "its high end", "it has none: see exhibits(), `notes`"),
        number(
            "printed",
            "see `unit`",
            "what the study printed here",
            "it printed the value, or nothing",
        ),
        text("reason", "why `value` is null", "there is a value, or a text"),
        count(
            "total",
            "functions, cases or calls",
            "what a percentage is a share of",
            "not a share, or not published",
        ),
    ),
)

TABLES: dict[str, Table] = {
    table.name: table
    for table in (
        store_columns.ATTEMPTS,
        report_columns.CASES,
        report_columns.VERDICTS,
        report_columns.DTYPES,
        report_columns.TARGETS,
        report_columns.RATES,
        report_columns.COUNTS,
        report_columns.RATIOS,
        report_columns.CATEGORIES,
        CHANGES,
        report_columns.NOISE,
        report_columns.ESTIMATES,
        store_columns.SAMPLES,
        store_columns.OPERATIONS,
        store_columns.DETAILS,
        store_columns.RUNS,
        store_columns.EVENTS,
        store_columns.ENVIRONMENTS,
        store_columns.USAGE,
        store_columns.CATALOGUE,
        store_columns.SAMPLE,
        report_columns.SAMPLE_ESTIMATES,
        report_columns.DECLARED,
        EXHIBITS,
        CELLS,
    )
}


def as_markdown() -> Iterator[str]:
    """The lines of a page with every column of every table."""
    yield "# Columns"
    for table in TABLES.values():
        yield f"\n## {table.name}\n\nOne row per {table.rows}.\n"
        yield "| column | type | unit | meaning | null |\n|---|---|---|---|---|"
        for column in table.columns:
            cells = (f"`{column.name}`", column.type, column.unit, column.meaning, column.null)
            yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    print("\n".join(as_markdown()))
