"""Columns into Arrow, and Arrow into pandas. Neither is imported before it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seamark.column import Column
from seamark.command import OTHER_VERSION, Error, needs

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# Of one line of an export: its longest texts are bounded, and escaped they may be six times as long.
_BLOCK = 32 << 20


def arrow_type(column: Column) -> pa.DataType:
    pa = needs("pyarrow")
    return {
        "text": pa.string(),
        "int": pa.int64(),
        "float": pa.float64(),
        "bool": pa.bool_(),
        "moment": pa.timestamp("us", tz="UTC"),
    }[column.type]


def schema_of(name: str, columns: Iterable[Column], about: Mapping[str, str]) -> pa.Schema:
    """With unit, meaning and the reason of nulls in each field's metadata."""
    pa = needs("pyarrow")
    fields = [
        pa.field(
            column.name,
            arrow_type(column),
            metadata={"unit": column.unit, "meaning": column.meaning, "null": column.null},
        )
        for column in columns
    ]
    return pa.schema(fields, metadata={"table": name, **about})


def from_lists(
    name: str,
    columns: Sequence[Column],
    values: Iterable[Any],
    about: Mapping[str, str] | None = None,
    remedy: str = OTHER_VERSION,
) -> pa.Table:
    """`values`: a list or an Arrow array for each column; moments are microseconds since 1970."""
    pa = needs("pyarrow")
    schema = schema_of(name, columns, about or {})
    arrays = []
    for column, field, given in zip(columns, schema, values, strict=True):
        try:
            arrays.append(_array(given, field.type))
        except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeError) as error:
            raise Error(
                f"{name}: the column {column.name} cannot be read: {error}", remedy
            ) from error
    return pa.Table.from_arrays(arrays, schema=schema)


def _array(given: Any, to: pa.DataType) -> pa.Array | pa.ChunkedArray:
    pa = needs("pyarrow")
    if pa.types.is_timestamp(to):
        given = (
            given if isinstance(given, pa.Array | pa.ChunkedArray) else pa.array(given, pa.int64())
        )
    if isinstance(given, pa.Array | pa.ChunkedArray):
        return given if given.type == to else given.cast(to)
    return pa.array(given, to)


def from_json_lines(name: str, columns: Sequence[Column], lines: bytes) -> pa.Table:
    """Keys that no column names are passed over; a key that is missing is null."""
    pa, reader = needs("pyarrow"), needs("pyarrow.json")
    raw = pa.schema(
        (column.key, pa.int64() if column.type == "moment" else arrow_type(column))
        for column in columns
    )
    if not lines.strip():
        read = raw.empty_table()
    else:
        try:
            read = reader.read_json(
                pa.BufferReader(lines),
                read_options=reader.ReadOptions(block_size=max(1, min(len(lines), _BLOCK))),
                parse_options=reader.ParseOptions(
                    explicit_schema=raw, unexpected_field_behavior="ignore"
                ),
            )
        except pa.ArrowInvalid as error:
            raise Error(
                f"{name}: what the executable wrote cannot be read: {error}", OTHER_VERSION
            ) from error
    return from_lists(name, columns, [read.column(column.key) for column in columns])


class Described(dict[str, Any]):
    """What `DataFrame.attrs` hold. pandas copies them, in depth, at each step; nothing of it changes."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Described:
        return self


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Integers stay integers and flags flags: what may be null becomes Int64 and boolean. Texts are `string`,
    seconds float64 with NaN, moments datetime64 in UTC."""
    pd, pa = needs("pandas"), needs("pyarrow")
    text = pd.StringDtype("pyarrow")
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype(), pa.string(): text}
    sure = {pa.string(): text}
    series = {}
    for field, column in zip(table.schema, table.columns, strict=True):
        may = (field.metadata or {}).get(b"null") or column.null_count
        series[field.name] = column.to_pandas(types_mapper=(nullable if may else sure).get)
    frame = pd.DataFrame(series, columns=table.column_names, copy=False)
    frame.attrs.update(attributes_of(table))
    return frame


def attributes_of(table: pa.Table) -> dict[str, Any]:
    columns = {
        field.name: Described(
            type=str(field.type),
            **{key.decode(): text.decode() for key, text in (field.metadata or {}).items()},
        )
        for field in table.schema
    }
    about = {key.decode(): text.decode() for key, text in (table.schema.metadata or {}).items()}
    return {**about, "columns": Described(columns)}
