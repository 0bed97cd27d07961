"""What no verb gives, read from the file itself (docs/store.md), which is never written."""

from __future__ import annotations

import json
import sqlite3
import sys
from array import array
from collections.abc import Iterator
from contextlib import closing, contextmanager
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from seamark.columns import TABLES
from seamark.command import Error, needs
from seamark.frames import arrow_type, from_lists

if TYPE_CHECKING:
    import pyarrow as pa

APPLICATION_ID = 0x736D726B
SCHEMAS: dict[str, str] = json.loads((Path(__file__).parent / "store_schemas.json").read_text())
NEWEST = max(map(int, SCHEMAS))  # of the versions of the schema
_FIRST_WITH_CATALOGUES = 2
_FIRST_WITH_SAMPLES = 5
_FIRST_WITH_PLACEMENT = 9
_BUSY_S = 5.0
_MOST_SECONDS = 1 << 28  # of samples of time in one table: 2 GiB of them

_NO_STORE = "give the path of a store that `seamark run` wrote"
_DAMAGED = "copy the file away; `sqlite3 FILE .recover` may save what it holds"
_SAMPLE_KINDS = {1: "warm", 2: "device"}


@contextmanager
def reading(file: Path) -> Iterator[sqlite3.Connection]:
    """Checked to be a store of a version that is known. Errors of SQLite become seamark.Error."""
    try:
        with closing(_connected(file)) as connection:
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            connection.execute("BEGIN")  # all that is read is of one moment
            yield connection
    except sqlite3.Error as error:
        damaged = type(error) is sqlite3.DatabaseError
        remedy = (
            _DAMAGED if damaged else "check the path and its permissions, or wait for who writes it"
        )
        raise Error(f"{file}: it cannot be read: {error}", remedy) from error


def _connected(file: Path) -> sqlite3.Connection:
    try:
        return _checked(file, "mode=ro")
    except sqlite3.OperationalError:
        # In a folder that cannot be written a log cannot be shared; without one nobody writes.
        log = file.with_name(file.name + "-wal")
        if log.exists() and log.stat().st_size > 0:
            return _copied(file, log)
        return _checked(file, "immutable=1")


def _copied(file: Path, log: Path) -> sqlite3.Connection:
    """Where the log's index is gone too: nobody has the store open, and a copy can make its own."""
    with TemporaryDirectory(prefix="seamark-store") as folder:
        beside = Path(folder, file.name)
        try:
            copyfile(file, beside)
            copyfile(log, beside.with_name(log.name))
        except OSError as error:
            remedy = "check the permissions; TMPDIR names the folder for the copy"
            raise Error(f"{file}: it cannot be copied, to be read: {error}", remedy) from error
        with closing(_checked(beside, "mode=ro")) as source:
            copy = sqlite3.connect("")  # a file without a name, gone with the connection
            source.backup(copy)
    return copy


def _checked(file: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(file))}?{how}", uri=True, timeout=_BUSY_S)
    connection.set_progress_handler(lambda: 0, 1_000_000)  # Ctrl-C ends a long query
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        version = _version(connection)
        if application != APPLICATION_ID or version < 1:
            raise Error(
                f"{file}: it is not a Seamark store (an SQLite file of another program)", _NO_STORE
            )
        if version > NEWEST:
            raise Error(
                f"{file}: its schema has version {version}, this package knows up to {NEWEST}",
                "update seamark: `pip install --upgrade seamark`",
            )
        if _schema(connection) != SCHEMAS[str(version)]:
            raise Error(
                f"{file}: its schema is not what Seamark writes",
                f"`seamark report --store '{file}'` names what differs; do not believe a stranger's",
            )
        return connection
    except sqlite3.DatabaseError as error:
        connection.close()
        if isinstance(error, sqlite3.OperationalError):
            raise
        raise Error(f"{file}: it is not a Seamark store ({error})", _NO_STORE) from error
    except BaseException:
        connection.close()
        raise


def _schema(connection: sqlite3.Connection) -> str:
    """A digest of every object of the schema (schema_check.h says of what)."""
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    blank = str.maketrans("", "", ' \n\t\r"')
    digest = sha256()
    for *names, sql in sorted((*map(str, row[:3]), str(row[3]).translate(blank)) for row in rows):
        for text in (*names, sql):
            raw = text.encode()
            digest.update(b"%d:%s" % (len(raw), raw))
    return digest.hexdigest()


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _table(name: str, rows: list[tuple[Any, ...]]) -> pa.Table:
    columns = TABLES[name].columns
    values = zip(*rows, strict=True) if rows else [[] for _ in columns]
    given = []
    for column, cells in zip(columns, values, strict=True):
        if column.type == "bool":
            cells = [None if cell is None else bool(cell) for cell in cells]
        given.append(cells)
    return from_lists(name, columns, given, remedy=_DAMAGED)


# --- runs


_RUNS = """
SELECT r.uuid, (SELECT name FROM enums WHERE kind = 'run_state' AND number = r.state), r.state_reason, r.command,
  r.seed, r.protocol, r.proof, r.reference, r.subset_note, r.full_command, r.started_us, r.ended_us, r.wall_s,
  r.cpu_s,
  (SELECT count(*) FROM plan p JOIN run_targets t ON t.id = p.run_target_id WHERE t.run_id = r.id),
  (SELECT count(*) FROM (SELECT DISTINCT a.run_target_id, a.case_id FROM attempts a
     JOIN run_targets t ON t.id = a.run_target_id WHERE t.run_id = r.id)),
  r.host, r.versions, r.options
FROM runs r ORDER BY r.started_us DESC, r.id DESC
"""


def runs(file: Path) -> pa.Table:
    with reading(file) as connection:
        return _table("runs", connection.execute(_RUNS).fetchall())


def chosen_runs(connection: sqlite3.Connection, file: Path, run: str) -> list[int]:
    """As docs/store.md says: the one that started last, all, or the one whose id begins so."""
    rows = connection.execute(
        "SELECT id, uuid FROM runs ORDER BY started_us DESC, id DESC"
    ).fetchall()
    if not rows:
        raise Error(f"{file}: it holds no run", "run `seamark run` first")
    if run == "all":
        return [number for number, _ in rows]
    if run in ("", "latest"):
        return [rows[0][0]]
    found = [number for number, uuid in rows if uuid.startswith(run)]
    if not found:
        raise Error(f"{file}: it holds no run {run}", "runs() lists them")
    if len(found) > 1:
        raise Error(f"{file}: {len(found)} runs begin with {run}", "give more of the id")
    return found


def _placeholders(values: list[int]) -> str:
    return ", ".join("?" * len(values))


def events(file: Path, run: str) -> pa.Table:
    with reading(file) as connection:
        chosen = chosen_runs(connection, file, run)
        rows = connection.execute(
            "SELECT r.uuid, e.at_us, e.kind, e.detail FROM events e JOIN runs r ON r.id = e.run_id "
            f"WHERE e.run_id IN ({_placeholders(chosen)}) ORDER BY e.id",
            chosen,
        ).fetchall()
    return _table(
        "events",
        [
            (uuid, at, kind, _member(detail, "target"), detail or None)
            for uuid, at, kind, detail in rows
        ],
    )


def _document(text: str | None) -> dict[str, Any]:
    try:
        document = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _member(text: str | None, key: str) -> str | None:
    value = _document(text).get(key)
    return value if isinstance(value, str) else None


def environments(file: Path, run: str) -> pa.Table:
    with reading(file) as connection:
        chosen = chosen_runs(connection, file, run)
        rows = connection.execute(
            "SELECT r.uuid, t.target, e.hash, e.lock, t.facts FROM run_targets t JOIN runs r ON r.id = t.run_id "
            "LEFT JOIN environments e ON e.id = t.environment_id "
            f"WHERE t.run_id IN ({_placeholders(chosen)}) ORDER BY r.started_us, t.id",
            chosen,
        ).fetchall()
    out = []
    for uuid, target, number, lock, facts in rows:
        packages = _document(lock).get("packages")
        count = len(packages) if isinstance(packages, list) else None
        out.append(
            (uuid, target, number, _member(lock, "python"), count, lock or None, facts or None)
        )
    return _table("environments", out)


def check_function(file: Path, function: str) -> None:
    with reading(file) as connection:
        names = [name for (name,) in connection.execute("SELECT DISTINCT name FROM functions")]
    if function not in names:
        near = get_close_matches(function, names, 1)
        raise Error(
            f"{file}: it holds no function '{function}'",
            f"did you mean '{near[0]}'?" if near else "verdicts() lists them",
        )


# --- operations and their samples, of the attempts that an export has

_TIMED = """
SELECT r.uuid, t.target, f.name, c.name, c.hash, a.attempt, o.position, o.name, o.inner_calls, o.cold_s,
  o.cold_reason, o.warm_reason,
  (SELECT s.id FROM time_samples s WHERE s.attempt_id = a.id AND s.position = o.position AND s.kind = 1),
  (SELECT s.id FROM time_samples s WHERE s.attempt_id = a.id AND s.position = o.position AND s.kind = 2)
FROM operations o JOIN attempts a ON a.id = o.attempt_id JOIN run_targets t ON t.id = a.run_target_id
  JOIN runs r ON r.id = t.run_id JOIN cases c ON c.id = a.case_id JOIN functions f ON f.id = c.function_id
ORDER BY a.id, o.position
"""
_KEY = ("run", "target", "case", "case_hash", "attempt")


def _of(attempts: pa.Table, connection: sqlite3.Connection, sql: str) -> Iterator[tuple[Any, ...]]:
    """The rows of these attempts alone."""
    wanted = set(zip(*(attempts.column(name).to_pylist() for name in _KEY), strict=True))
    for row in connection.execute(sql):
        uuid, target, _, case, number, attempt = row[:6]
        if (uuid, target, case, number, attempt) in wanted:
            yield row


_DETAILS = """
SELECT r.uuid, t.target, f.name, c.name, c.hash, a.attempt, a.%(placement)s, a.reference, a.compiled,
  a.fail_traceback, a.capture, a.wait_status
FROM attempts a JOIN run_targets t ON t.id = a.run_target_id JOIN runs r ON r.id = t.run_id
  JOIN cases c ON c.id = a.case_id JOIN functions f ON f.id = c.function_id
WHERE coalesce(a.%(placement)s, a.reference, a.compiled, a.fail_traceback, a.capture, a.wait_status) IS NOT NULL
ORDER BY a.id
"""


def details(file: Path, attempts: pa.Table) -> pa.Table:
    with reading(file) as connection:
        newer = _version(connection) >= _FIRST_WITH_PLACEMENT
        sql = _DETAILS % {"placement": "placement_details" if newer else "placement"}
        rows = [
            (*row[:6], *(text or None for text in row[6:11]), row[11])
            for row in _of(attempts, connection, sql)
        ]
    return _table("details", rows)


def operations(file: Path, attempts: pa.Table) -> pa.Table:
    with reading(file) as connection:
        rows = []
        for *key, calls, cold, cold_reason, warm_reason, warm, device in _of(
            attempts, connection, _TIMED
        ):
            n = [_count(connection, number) for number in (warm, device)]
            rows.append((*key, calls, cold, cold_reason, n[0], n[1], warm_reason))
    return _table("operations", rows)


def _count(connection: sqlite3.Connection, number: int | None) -> Any:
    if number is None:
        return 0
    return connection.execute("SELECT n FROM time_samples WHERE id = ?", (number,)).fetchone()[0]


def samples(file: Path, attempts: pa.Table) -> pa.Table:
    pa = needs("pyarrow")
    rows: list[tuple[Any, ...]] = []  # of an operation and kind
    lengths: list[int] = []
    seconds = array("d")
    with reading(file) as connection:
        for *key, _, cold, _, _, warm, device in _of(attempts, connection, _TIMED):
            if cold is not None:
                rows.append((*key, "cold"))
                lengths.append(1)
                seconds.append(cold)
            for number in (warm, device):
                if number is None:
                    continue
                kind, taken = _taken(connection, file, number)
                rows.append((*key, kind))
                lengths.append(len(taken))
                seconds.extend(taken)
                if len(seconds) > _MOST_SECONDS:
                    raise Error(
                        f"{file}: it has more than {_MOST_SECONDS:,} samples of time",
                        "ask for less: one target, one function",
                    )
    # What an operation's samples share is written once and taken for each.
    index, place = array("q"), array("q")
    for at, length in enumerate(lengths):
        index.extend([at] * length)
        place.extend(range(length))
    columns = TABLES["samples"].columns
    take = _numbers(pa.int64(), index)
    shared = list(zip(*rows, strict=True)) or [()] * (len(columns) - 2)
    values: list[Any] = []
    for column, cells in zip(columns, shared, strict=False):
        values.append(pa.array(cells, arrow_type(column)).take(take))
    values += [_numbers(pa.int64(), place), _numbers(pa.float64(), seconds)]
    return from_lists("samples", columns, values)


def _numbers(kind: pa.DataType, values: array[Any]) -> pa.Array:
    pa = needs("pyarrow")
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def _taken(connection: sqlite3.Connection, file: Path, number: int) -> tuple[str, array[float]]:
    kind, n, blob = connection.execute(
        "SELECT kind, n, seconds FROM time_samples WHERE id = ?", (number,)
    ).fetchone()
    if not isinstance(blob, bytes) or len(blob) != 8 * n:
        raise Error(
            f"{file}: it is damaged: samples of time {number} are not {n} numbers",
            _DAMAGED,
        )
    taken = array("d", blob)
    if sys.byteorder == "big":
        taken.byteswap()
    return _SAMPLE_KINDS[kind], taken


# --- the catalogue and the sample of functions

_CATALOGUE = """
SELECT c.framework, c.version, f.name, f.kind, f.module, f.qualname, f.documented, f.deprecated, f.signature,
  f.signature_reason, f.note, f.aliases, f.deprecated_aliases
FROM catalogue_functions f JOIN catalogues c ON c.id = f.catalogue_id ORDER BY c.framework, c.taken_us, f.name
"""


def catalogue(file: Path) -> pa.Table:
    with reading(file) as connection:
        rows = []
        if _version(connection) >= _FIRST_WITH_CATALOGUES:
            rows = connection.execute(_CATALOGUE).fetchall()
    if not rows:
        raise Error(f"{file}: it holds no catalogue", "`seamark catalog` makes one")
    return _table(
        "catalogue", [tuple(None if cell == "" else cell for cell in row) for row in rows]
    )


_SAMPLE = """
SELECT framework, function, (SELECT name FROM enums WHERE kind = 'sample_role' AND number = role), stratum, rank,
  decile, inclusion, calls, uncalled, files, reason, replaced_by, replaces
FROM sample_functions WHERE sample_id = ? ORDER BY position
"""


def sample(file: Path, name: str | None) -> pa.Table:
    """The one of that name or hash; else the one that was drawn last."""
    with reading(file) as connection:
        known: list[tuple[int, str, str | None]] = []
        if _version(connection) >= _FIRST_WITH_SAMPLES:
            known = connection.execute(
                "SELECT id, hash, name FROM samples ORDER BY created_us DESC, id DESC"
            ).fetchall()
        found = [one for one in known if name is None or name in one[1:]]
        if not found:
            what = "no sample" if name is None else f"no sample '{name}'"
            names = ", ".join(str(title or number) for _, number, title in known)
            raise Error(
                f"{file}: it holds {what}",
                f"it holds: {names}" if names else "`seamark sample` draws one",
            )
        number, content, _ = found[0]
        rows = connection.execute(_SAMPLE, (number,)).fetchall()
    return _table("sample", [(content, *row) for row in rows])
