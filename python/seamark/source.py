"""Asks the executable, and the store's file, for the tables of a store or of a published study."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from seamark import report_tables, store_tables
from seamark.charts import Chart
from seamark.columns import TABLES
from seamark.command import OTHER_VERSION, Error, Executable, needs
from seamark.frames import from_json_lines, from_lists

if TYPE_CHECKING:
    import pyarrow as pa

_COMPARED = (0, 1)  # without findings, with some
_STUDY_SCHEMA = "seamark-compare-study/"
_USAGE_SCHEMA = "seamark-usage/1"


class Source:
    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        run: str,
        targets: str | Sequence[str] | None,
        baseline: str | None,
        slow_factor: float | None,
        executable: str | os.PathLike[str] | None,
    ) -> None:
        self.name = os.fspath(path)
        self.run = run
        self._targets = [targets] if isinstance(targets, str) else list(targets or ())
        self._executable = Executable(executable)
        self._report_words = [
            *([f"--baseline={baseline}"] if baseline is not None else []),
            *([f"--slow-factor={slow_factor}"] if slow_factor is not None else []),
        ]
        self._tables: dict[str, pa.Table] = {}
        self._seen: tuple[int, ...] = ()
        file = Path(self.name).expanduser()
        # As on the command line: a name that is no file may be a published study's.
        self.file = file.absolute() if file.exists() or "/" in self.name else None
        if self.file is None:
            self.exhibits("headlines")
        elif not self.file.is_file():
            what = "it is a folder, not a store" if file.exists() else "there is no such store"
            raise Error(f"{self.name}: {what}", "run `seamark run` first, or give another file")
        else:
            with store_tables.reading(self.file):
                pass

    def _store_words(self, target: str | None = None) -> list[str]:
        words = [f"--store={self.file or self.name}"]
        if self.file is not None:
            words.append(f"--run={self.run}")
            words += [f"--target={one}" for one in ([target] if target else self._targets)]
        return words

    def own_file(self, what: str) -> Path:
        if self.file is None:
            raise Error(
                f"{self.name}: of a published study there are no {what}",
                "exhibits() lists the tables and figures that it has",
            )
        return self.file

    def report(self, name: str, function: str | None, target: str | None) -> pa.Table:
        file = self.own_file(name.replace("_", " "))
        seen = _stamp(file)
        if not self._tables or seen != self._seen:
            words = ["report", *self._store_words(), *self._report_words, "--format=json"]
            document = self._executable.ask_json(*words)
            _check_schema(document, report_tables.SCHEMA)
            made = {one: report_tables.table_of(one, document) for one in report_tables.READERS}
            self._tables, self._seen = made, seen
        table = self._tables[name]
        if function is not None:
            store_tables.check_function(file, function)
            table = _where(table, "function", [function])
        if target is not None:
            table = _where(table, "target", self._matching(target))
        return table

    def _matching(self, pattern: str) -> list[str]:
        known = self._tables["targets"].column("target").to_pylist()
        found = [one for one in known if one == pattern or fnmatchcase(one, pattern)]
        if not found:
            raise Error(
                f"{self.name} holds no target '{pattern}' in the chosen run",
                f"it holds: {', '.join(known)}",
            )
        return found

    def exhibits(self, only: str, words: Sequence[str] = ()) -> dict[str, Any]:
        """The document of `report --tables --format json`."""
        command = ["report", *self._store_words(), *self._report_words, "--tables", *words]
        document = self._executable.ask_json(*command, f"--only={only}", "--format=json")
        if not isinstance(document, dict) or document.get("kind") != "seamark-exhibits":
            raise Error(
                "the executable gave no tables and figures",
                OTHER_VERSION,
            )
        return document

    def attempts(self, function: str | None, target: str | None) -> pa.Table:
        file = self.own_file("attempts")
        words = ["export", *self._store_words(target), "--format=jsonl", "--output=-"]
        if function is not None:
            store_tables.check_function(file, function)
            words.append(f"--function={function}")
        lines = self._executable.ask(*words)
        table = from_json_lines("attempts", TABLES["attempts"].columns, lines)
        # JSON lines also have the planned cases that were not attempted.
        return table.filter(needs("pyarrow.compute").is_valid(table["attempt"]))

    def timed(
        self, read: Callable[[Path, pa.Table], pa.Table], function: str | None, target: str | None
    ) -> pa.Table:
        return read(self.own_file("times"), self.attempts(function, target))

    def changes(
        self, before: str, after: str | None, fail_on: str | None, expected: str | None
    ) -> pa.Table:
        words = [f"--store={self.own_file('changes')}", "--format=json"]
        words += [f"--target={one}" for one in self._targets]
        words += [f"--fail-on={fail_on}"] if fail_on is not None else []
        words += [f"--expected={expected}"] if expected is not None else []
        sides = [before, f"@{self.run}" if after is None else after]
        # A file's name may begin like an option's.
        sides = [f"./{side}" if side.startswith("-") else side for side in sides]
        document = self._executable.ask_json("compare", *words, *sides, fine=_COMPARED)
        if str(document.get("schema")).startswith(_STUDY_SCHEMA):
            raise Error(
                f"{before}: what changed since a published study is not among these tables",
                "`seamark compare` tells it",
            )
        _check_schema(document, report_tables.CHANGES_SCHEMA)
        return report_tables.changes_of(document)

    def usage(self, label: str | None) -> pa.Table:
        words = ["usage", f"--store={self.own_file('counts of usage')}", "--format=json"]
        document = self._executable.ask_json(*words, *([f"--label={label}"] if label else []))
        _check_schema(document, _USAGE_SCHEMA)
        columns = TABLES["usage"].columns
        about = {key: str(document[key]) for key in ("protocol", "rules")}
        about["corpus"] = str(document["corpus"]["label"])
        values = [[row[column.key] for row in document["functions"]] for column in columns]
        return from_lists("usage", columns, values, about)

    def chart(
        self,
        name: str,
        words: Sequence[str],
        theme: Literal["light", "dark"],
    ) -> Chart:
        command = ["report", *self._store_words(), *words]
        command += [f"--only={name}", f"--theme={theme}"]
        spec = self._executable.ask_json(*command, "--format=vega-lite")

        def draw(form: str) -> bytes:
            return self._executable.ask(*command, f"--format={form}")

        return Chart(name, spec, draw)


def _stamp(file: Path) -> tuple[int, ...]:
    """Changes when the store does."""
    out: list[int] = []
    for one in (file, file.with_name(file.name + "-wal")):
        if one.exists() and (status := one.stat()).st_size > 0:
            out += [status.st_ino, status.st_mtime_ns, status.st_size]
    return tuple(out)


def _check_schema(document: Any, schema: str) -> None:
    found = document.get("schema") if isinstance(document, dict) else None
    if found != schema:
        raise Error(
            f"the executable writes {found or 'something else'}, this package reads {schema}",
            OTHER_VERSION,
        )


def _where(table: pa.Table, column: str, names: Sequence[str]) -> pa.Table:
    pa, compute = needs("pyarrow"), needs("pyarrow.compute")
    return table.filter(compute.is_in(table.column(column), pa.array(names, pa.string())))
