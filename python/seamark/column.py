"""What describes a column, and the columns that many tables have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "int", "float", "bool", "moment"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    null: why there may be no value and where the reason stands; empty: there always is one.
    source: its key in what the executable or the store gives, where it has another name there.
    """

    name: str
    type: Kind
    unit: str
    meaning: str
    null: str = ""
    source: str = ""

    @property
    def key(self) -> str:
        return self.source or self.name


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    rows: str  # one row per ...
    columns: tuple[Column, ...]

    def names(self) -> list[str]:
        return [column.name for column in self.columns]


def text(name: str, meaning: str, null: str = "", source: str = "") -> Column:
    return Column(name, "text", "", meaning, null, source)


def flag(name: str, meaning: str, null: str = "", source: str = "") -> Column:
    return Column(name, "bool", "", meaning, null, source)


def seconds(name: str, meaning: str, null: str = "", source: str = "") -> Column:
    return Column(name, "float", "s", meaning, null, source)


def count(name: str, unit: str, meaning: str, null: str = "", source: str = "") -> Column:
    return Column(name, "int", unit, meaning, null, source)


def number(name: str, unit: str, meaning: str, null: str = "", source: str = "") -> Column:
    return Column(name, "float", unit, meaning, null, source)


def moment(name: str, meaning: str, null: str = "", source: str = "") -> Column:
    return Column(name, "moment", "UTC", meaning, null, source)


def reason(of: str, source: str = "") -> Column:
    return text(f"{of}_reason", f"why `{of}` is null", f"`{of}` has a value", source)


def under(level: str, columns: Iterable[Column]) -> tuple[Column, ...]:
    """The same, each found as LEVEL.KEY."""
    return tuple(
        Column(c.name, c.type, c.unit, c.meaning, c.null, f"{level}.{c.key}") for c in columns
    )


RUN = text("run", "the run's id")
TARGET = text("target", "FRAMEWORK/DEVICE[+MODE], e.g. torch/cuda")
FRAMEWORK = text("framework", "its name, such as torch")
FUNCTION = text("function", "its qualified name")
CASE = text("case", "FUNCTION/CASE[PARAMETERS]")
HASH = text("case_hash", "of the case's source and parameters: other hashes are never compared")
SUITE = text("suite", "curated, opinfo, harness, ...")
DTYPE = text("dtype", "of its inputs", "the case names none")
SHAPE = text("shape", "of its inputs", "the case names none")
CORE = flag("core", "of the core set, on which verdicts rest")
HOST_ONLY = flag("host_only", "touches no device")
GRAD = flag("grad", "checks gradients as well")
ATTEMPT = count("attempt", "", "number within run, target and case")
PASSED = "it did not fail"
