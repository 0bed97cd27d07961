"""A store as tables. The executable computes; here it is asked, and its answers get types."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

from seamark import exhibits as exhibit_tables
from seamark import store_tables
from seamark.charts import Chart
from seamark.columns import TABLES
from seamark.command import Error, needs, understood
from seamark.frames import to_pandas
from seamark.source import Source

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


class Store:
    """What `seamark.open` gives. Every method that makes a table gives a pandas.DataFrame, or with arrow=True a
    pyarrow.Table; `columns(name)` says what its columns are (as do `df.attrs["columns"]` and the schema's
    metadata). Texts are as frameworks said them: show them as text."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def __repr__(self) -> str:
        chosen = "published" if self._source.file is None else f"run {self._source.run}"
        return f"<seamark.Store {self._source.name}, {chosen}>"

    # --- results

    @overload
    def attempts(
        self, *, function: str | None = None, target: str | None = None, arrow: Literal[True]
    ) -> pa.Table: ...
    @overload
    def attempts(
        self,
        *,
        function: str | None = None,
        target: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def attempts(
        self, *, function: str | None = None, target: str | None = None, arrow: bool = False
    ) -> pa.Table | pd.DataFrame:
        """Every execution of a case, raw, with the category that the rules of today give."""
        return _given(partial(self._source.attempts, function, target), arrow)

    @overload
    def cases(
        self, *, function: str | None = None, target: str | None = None, arrow: Literal[True]
    ) -> pa.Table: ...
    @overload
    def cases(
        self,
        *,
        function: str | None = None,
        target: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def cases(
        self, *, function: str | None = None, target: str | None = None, arrow: bool = False
    ) -> pa.Table | pd.DataFrame:
        """Every case on every target, over its attempts: outcome, category, times."""
        return _given(partial(self._source.report, "cases", function, target), arrow)

    @overload
    def verdicts(
        self, *, function: str | None = None, target: str | None = None, arrow: Literal[True]
    ) -> pa.Table: ...
    @overload
    def verdicts(
        self,
        *,
        function: str | None = None,
        target: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def verdicts(
        self, *, function: str | None = None, target: str | None = None, arrow: bool = False
    ) -> pa.Table | pd.DataFrame:
        """Every function on every target: verdict, evidence, category, times, ratio."""
        return _given(partial(self._source.report, "verdicts", function, target), arrow)

    @overload
    def dtypes(
        self, *, function: str | None = None, target: str | None = None, arrow: Literal[True]
    ) -> pa.Table: ...
    @overload
    def dtypes(
        self,
        *,
        function: str | None = None,
        target: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def dtypes(
        self, *, function: str | None = None, target: str | None = None, arrow: bool = False
    ) -> pa.Table | pd.DataFrame:
        """Every function on every target in each data type of its cases, core or not."""
        return _given(partial(self._source.report, "dtypes", function, target), arrow)

    @overload
    def targets(self, *, target: str | None = None, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def targets(
        self, *, target: str | None = None, arrow: Literal[False] = False
    ) -> pd.DataFrame: ...
    def targets(self, *, target: str | None = None, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """What was measured where: device, versions, counts of functions, median ratios."""
        return _given(partial(self._source.report, "targets", None, target), arrow)

    @overload
    def rates(self, *, target: str | None = None, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def rates(
        self, *, target: str | None = None, arrow: Literal[False] = False
    ) -> pd.DataFrame: ...
    def rates(self, *, target: str | None = None, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """The shares that run, and that run on the device, with Wilson's 95% interval."""
        return _given(partial(self._source.report, "rates", None, target), arrow)

    @overload
    def counts(self, *, target: str | None = None, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def counts(
        self, *, target: str | None = None, arrow: Literal[False] = False
    ) -> pd.DataFrame: ...
    def counts(self, *, target: str | None = None, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """How many functions and cases have each outcome."""
        return _given(partial(self._source.report, "counts", None, target), arrow)

    @overload
    def ratios(
        self, *, function: str | None = None, target: str | None = None, arrow: Literal[True]
    ) -> pa.Table: ...
    @overload
    def ratios(
        self,
        *,
        function: str | None = None,
        target: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def ratios(
        self, *, function: str | None = None, target: str | None = None, arrow: bool = False
    ) -> pa.Table | pd.DataFrame:
        """Each time against that of the baseline, case by case, with its interval."""
        return _given(partial(self._source.report, "ratios", function, target), arrow)

    @overload
    def categories(self, *, target: str | None = None, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def categories(
        self, *, target: str | None = None, arrow: Literal[False] = False
    ) -> pd.DataFrame: ...
    def categories(
        self, *, target: str | None = None, arrow: bool = False
    ) -> pa.Table | pd.DataFrame:
        """Why functions fail, by target."""
        return _given(partial(self._source.report, "categories", None, target), arrow)

    @overload
    def noise(self, *, target: str | None = None, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def noise(
        self, *, target: str | None = None, arrow: Literal[False] = False
    ) -> pd.DataFrame: ...
    def noise(self, *, target: str | None = None, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """The same target against itself: ratios within it say nothing."""
        return _given(partial(self._source.report, "noise", None, target), arrow)

    @overload
    def estimates(
        self, *, function: str | None = None, target: str | None = None, arrow: Literal[True]
    ) -> pa.Table: ...
    @overload
    def estimates(
        self,
        *,
        function: str | None = None,
        target: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def estimates(
        self, *, function: str | None = None, target: str | None = None, arrow: bool = False
    ) -> pa.Table | pd.DataFrame:
        """What compiled cases would take by published peak rates: never a measurement."""
        return _given(partial(self._source.report, "estimates", function, target), arrow)

    @overload
    def changes(
        self,
        before: str | os.PathLike[str],
        after: str | None = None,
        *,
        fail_on: str | None = None,
        expected: str | None = None,
        arrow: Literal[True],
    ) -> pa.Table: ...
    @overload
    def changes(
        self,
        before: str | os.PathLike[str],
        after: str | None = None,
        *,
        fail_on: str | None = None,
        expected: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def changes(
        self,
        before: str | os.PathLike[str],
        after: str | None = None,
        *,
        fail_on: str | None = None,
        expected: str | None = None,
        arrow: bool = False,
    ) -> pa.Table | pd.DataFrame:
        """What differs from `before` to `after`, or to this store: another store, or as `seamark compare` names sides.

        fail_on: what is a finding. expected: the file of known failures.
        """
        sides = (os.fspath(before), after)
        return _given(lambda: self._source.changes(*sides, fail_on, expected), arrow)

    @overload
    def declared(self, *, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def declared(self, *, arrow: Literal[False] = False) -> pd.DataFrame: ...
    def declared(self, *, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """For which devices the frameworks name kernels: no attempt, in no rate."""
        return _given(partial(self._source.report, "declared", None, None), arrow)

    # --- times, runs

    @overload
    def samples(
        self, *, function: str | None = None, target: str | None = None, arrow: Literal[True]
    ) -> pa.Table: ...
    @overload
    def samples(
        self,
        *,
        function: str | None = None,
        target: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def samples(
        self, *, function: str | None = None, target: str | None = None, arrow: bool = False
    ) -> pa.Table | pd.DataFrame:
        """Every time that was taken, in its order."""
        return _given(partial(self._source.timed, store_tables.samples, function, target), arrow)

    @overload
    def operations(
        self, *, function: str | None = None, target: str | None = None, arrow: Literal[True]
    ) -> pa.Table: ...
    @overload
    def operations(
        self,
        *,
        function: str | None = None,
        target: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def operations(
        self, *, function: str | None = None, target: str | None = None, arrow: bool = False
    ) -> pa.Table | pd.DataFrame:
        """The timed operations of the attempts, with why they lack a time."""
        return _given(partial(self._source.timed, store_tables.operations, function, target), arrow)

    @overload
    def details(
        self, *, function: str | None = None, target: str | None = None, arrow: Literal[True]
    ) -> pa.Table: ...
    @overload
    def details(
        self,
        *,
        function: str | None = None,
        target: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def details(
        self, *, function: str | None = None, target: str | None = None, arrow: bool = False
    ) -> pa.Table | pd.DataFrame:
        """What attempts say beside outcome and times: placement, reference, compiler, traceback."""
        return _given(partial(self._source.timed, store_tables.details, function, target), arrow)

    @overload
    def runs(self, *, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def runs(self, *, arrow: Literal[False] = False) -> pd.DataFrame: ...
    def runs(self, *, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """All runs of the store, the last first, whichever was chosen."""
        return _given(lambda: store_tables.runs(self._source.own_file("runs")), arrow)

    @overload
    def events(self, *, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def events(self, *, arrow: Literal[False] = False) -> pd.DataFrame: ...
    def events(self, *, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """What happened in the chosen runs: workers that started, died, left processes behind."""
        return _given(
            lambda: store_tables.events(self._source.own_file("events"), self._source.run), arrow
        )

    @overload
    def environments(self, *, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def environments(self, *, arrow: Literal[False] = False) -> pd.DataFrame: ...
    def environments(self, *, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """The interpreter and packages behind each target."""
        return _given(
            lambda: store_tables.environments(
                self._source.own_file("environments"), self._source.run
            ),
            arrow,
        )

    # --- usage and samples of functions

    @overload
    def usage(self, label: str | None = None, *, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def usage(self, label: str | None = None, *, arrow: Literal[False] = False) -> pd.DataFrame: ...
    def usage(self, label: str | None = None, *, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """How often code calls each function, of the corpus that was counted last or of that label."""
        return _given(partial(self._source.usage, label), arrow)

    @overload
    def catalogue(self, *, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def catalogue(self, *, arrow: Literal[False] = False) -> pd.DataFrame: ...
    def catalogue(self, *, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """Every function of the framework versions that were walked."""
        return _given(lambda: store_tables.catalogue(self._source.own_file("catalogues")), arrow)

    @overload
    def sample(self, name: str | None = None, *, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def sample(self, name: str | None = None, *, arrow: Literal[False] = False) -> pd.DataFrame: ...
    def sample(self, name: str | None = None, *, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """The record of a draw of functions: the last, or that of a name or hash."""
        return _given(lambda: store_tables.sample(self._source.own_file("samples"), name), arrow)

    @overload
    def sample_estimates(self, *, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def sample_estimates(self, *, arrow: Literal[False] = False) -> pd.DataFrame: ...
    def sample_estimates(self, *, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """Of a run of a sample: what it says of the whole population and of its calls."""
        return _given(partial(self._source.report, "sample_estimates", None, None), arrow)

    # --- tables and figures

    @overload
    def exhibits(self, *, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def exhibits(self, *, arrow: Literal[False] = False) -> pd.DataFrame: ...
    def exhibits(self, *, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """Which tables and figures there are: the study's, and those beyond it."""
        return _given(lambda: exhibit_tables.contents(self._source.exhibits("*")), arrow)

    @overload
    def exhibit(
        self,
        name: str,
        *,
        pair: str | None = None,
        generations: Sequence[str] = (),
        usage: str | None = None,
        arrow: Literal[True],
    ) -> pa.Table: ...
    @overload
    def exhibit(
        self,
        name: str,
        *,
        pair: str | None = None,
        generations: Sequence[str] = (),
        usage: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def exhibit(
        self,
        name: str,
        *,
        pair: str | None = None,
        generations: Sequence[str] = (),
        usage: str | None = None,
        arrow: bool = False,
    ) -> pa.Table | pd.DataFrame:
        """One table, or what one figure is drawn from: table-1, figure-4, to-do, ...

        pair: the two devices to compare, "cpu:lazy". generations: "OLD:NEW", several. usage: whose calls count, a
        corpus of the store. Intervals, printed values and reasons stand in columns of their own.
        """
        words = _exhibit_words(pair, generations, usage)
        return _given(
            lambda: exhibit_tables.wide(self._source.exhibits(_one(name), words), name), arrow
        )

    @overload
    def cells(
        self,
        only: str = "*",
        *,
        pair: str | None = None,
        generations: Sequence[str] = (),
        usage: str | None = None,
        arrow: Literal[True],
    ) -> pa.Table: ...
    @overload
    def cells(
        self,
        only: str = "*",
        *,
        pair: str | None = None,
        generations: Sequence[str] = (),
        usage: str | None = None,
        arrow: Literal[False] = False,
    ) -> pd.DataFrame: ...
    def cells(
        self,
        only: str = "*",
        *,
        pair: str | None = None,
        generations: Sequence[str] = (),
        usage: str | None = None,
        arrow: bool = False,
    ) -> pa.Table | pd.DataFrame:
        """All tables and figures that the glob `only` matches, long: a row for each cell."""
        words = _exhibit_words(pair, generations, usage)
        return _given(lambda: exhibit_tables.cells(self._source.exhibits(only, words)), arrow)

    def chart(
        self,
        name: str,
        *,
        pair: str | None = None,
        generations: Sequence[str] = (),
        theme: Literal["light", "dark"] = "light",
    ) -> Chart:
        """A figure of the study, of this store: figure-1 to figure-10."""
        return self._source.chart(_one(name), _exhibit_words(pair, generations, None), theme)

    # --- what the columns are

    @overload
    def columns(self, table: str, *, arrow: Literal[True]) -> pa.Table: ...
    @overload
    def columns(self, table: str, *, arrow: Literal[False] = False) -> pd.DataFrame: ...
    def columns(self, table: str, *, arrow: bool = False) -> pa.Table | pd.DataFrame:
        """Name, type, unit and meaning of the columns of a table, and why they may be null."""
        return _given(partial(_columns_of, table), arrow)


def _given(make: Callable[[], pa.Table], arrow: bool) -> Any:
    needs("pyarrow")
    if not arrow:
        needs("pandas")
    with understood("the answer"):
        table = make()
    return table if arrow else to_pandas(table)


def _columns_of(name: str) -> pa.Table:
    pa = needs("pyarrow")
    if name not in TABLES:
        raise Error(f"there is no table '{name}'", f"one of {', '.join(TABLES)}")
    columns = TABLES[name].columns
    keys = ("name", "type", "unit", "meaning", "null")
    return pa.table({key: [getattr(column, key) for column in columns] for key in keys})


def _one(name: str) -> str:
    if any(sign in name for sign in "*?["):
        raise Error(f"'{name}' may be several tables and figures", "cells() takes a glob")
    return name


def _exhibit_words(pair: str | None, generations: Sequence[str], usage: str | None) -> list[str]:
    several = [generations] if isinstance(generations, str) else generations
    return [
        *([f"--pair={pair}"] if pair else []),
        *(f"--generations={one}" for one in several),
        *([f"--usage={usage}"] if usage else []),
    ]
