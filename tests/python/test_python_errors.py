"""The Python API: what is no store, names that do not exist, damage, and what an import costs."""

import hashlib
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest
from conftest import ROOT
from made_stores import attempt_rows, query

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")


import seamark as api  # noqa: E402

pytestmark = pytest.mark.usefixtures("same_executable")


def python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python"), **environment},
    )


def test_a_published_study_has_no_attempts():
    study = api.open("grand-illusion")
    for ask in (
        study.attempts,
        study.verdicts,
        study.ratios,
        study.runs,
        study.samples,
        study.usage,
    ):
        with pytest.raises(api.Error, match=r"(?s)published study.*exhibits\(\)"):
            ask()


def test_what_is_no_store(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(api.Error, match=r"nope.db: there is no such store") as caught:
        api.open("nope.db")
    assert "seamark run" in caught.value.remedy
    with pytest.raises(api.Error, match="no such store"):
        api.open(tmp_path / "nope.db")
    with pytest.raises(api.Error, match="a folder"):
        api.open(tmp_path)
    (tmp_path / "a.db").write_text("this is text, and no database at all\n" * 40)
    with pytest.raises(api.Error, match="not a Seamark store"):
        api.open("a.db")
    with sqlite3.connect("b.db") as connection:
        connection.execute("CREATE TABLE runs(id)")
    connection.close()
    with pytest.raises(api.Error, match="another program"):
        api.open("b.db")


def test_a_newer_store_is_refused(copy):
    path = copy(("PRAGMA user_version = 999",))
    with pytest.raises(api.Error, match=r"(?s)version 999.*update seamark"):
        api.open(path)


@pytest.mark.parametrize(
    "change",
    [
        "CREATE TRIGGER t AFTER INSERT ON attempts BEGIN DELETE FROM attempts; END",
        "CREATE VIEW v AS SELECT 1",
        "CREATE VIRTUAL TABLE v USING fts5(a)",
        "CREATE INDEX own ON attempts(abs(id))",
        "ALTER TABLE runs ADD COLUMN own INTEGER GENERATED ALWAYS AS (abs(1)) VIRTUAL",
    ],
)
def test_a_schema_that_seamark_does_not_write_is_refused(copy, change):
    path = copy((change,))
    with pytest.raises(api.Error, match=r"(?s)not what Seamark writes.*stranger"):
        api.open(path)


ENDLESS = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT kept.* FROM kept, n"
)


@pytest.mark.parametrize(
    "changes",
    [
        ("ALTER TABLE runs RENAME TO kept", f"CREATE VIEW runs AS {ENDLESS}"),
        ("DROP VIEW results", f"CREATE VIEW results AS {ENDLESS.replace('kept', 'runs')}"),
    ],
)
def test_a_view_of_another_content_is_refused_at_once(copy, changes):
    path = copy(*((change,) for change in changes))
    with pytest.raises(api.Error, match="not what Seamark writes"):
        api.open(path)


def test_a_log_in_a_folder_that_cannot_be_written_is_read(made_store, tmp_path):
    folder = tmp_path / "read-only"
    folder.mkdir()
    with closing(sqlite3.connect(tmp_path / "seamark.db")) as writing:
        with closing(sqlite3.connect(made_store)) as source:
            source.backup(writing)
        writing.execute("PRAGMA journal_mode = WAL")
        writing.execute("UPDATE runs SET command = 'in the log'")
        writing.commit()
        # As a killed process leaves them, and without the log's index.
        for name in ("seamark.db", "seamark.db-wal"):
            shutil.copyfile(tmp_path / name, folder / name)
    read_only = f"mount --bind {folder} {folder} && mount -o remount,bind,ro {folder}"
    unshare = ["unshare", "--mount", "sh", "-c"]
    if subprocess.run([*unshare, read_only], capture_output=True).returncode != 0:
        pytest.skip("this user may mount nothing")
    code = "import sys, seamark; print(set(seamark.open(sys.argv[1]).runs().command))"
    words = [sys.executable, "-c", code, str(folder / "seamark.db")]
    result = subprocess.run(
        [*unshare, f'{read_only} && exec "$0" "$@"', *words],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "python")},
    )
    assert result.stdout == "{'in the log'}\n", result.stderr


def test_names_that_do_not_exist(made, made_store):
    with pytest.raises(api.Error, match="no run zzz"):
        api.open(made_store, run="zzz").attempts()
    with pytest.raises(api.Error, match="no run zzz"):
        api.open(made_store, run="zzz").events()
    with pytest.raises(api.Error, match="no target"):
        made.attempts(target="torch/mps")
    with pytest.raises(api.Error, match=r"(?s)no target.*torch/cuda-t4"):
        made.verdicts(target="torch/mps")
    for ask in (made.attempts, made.verdicts, made.samples):
        with pytest.raises(api.Error, match=r"did you mean 'torch\.argsort'"):
            ask(function="torch.argsrt")
    with pytest.raises(api.Error, match="no table or figure"):
        made.exhibit("table-99")
    with pytest.raises(api.Error, match="it holds no sample 'x'"):
        made.sample("x")
    with pytest.raises(api.Error) as caught:
        made.chart("figure-3", pair="cpu:nope")
    assert caught.value.exit_code == 2
    assert "cuda-t4" in caught.value.remedy


@pytest.mark.parametrize(
    "name", ["'; DROP TABLE runs; --", "--store=/etc/passwd", "\0", "a\nb", ""]
)
def test_names_are_never_more_than_names(made, made_store, name):
    for ask in (
        lambda: made.attempts(function=name),
        lambda: made.verdicts(function=name),
        lambda: made.verdicts(target=name),
        lambda: made.sample(name),
        lambda: made.exhibit(name),
        lambda: made.chart(name),
    ):
        with pytest.raises(api.Error):
            ask()
    assert query(made_store, "SELECT count(*) FROM runs") == [(1,)]


def test_damaged_samples_are_an_error(real_store, tmp_path):
    for change in ("n = n + 1", "n = 1 << 60", "n = 'many'", "seconds = 'text'"):
        path = tmp_path / "damaged.db"
        shutil.copy(real_store, path)
        with sqlite3.connect(path) as connection:
            connection.execute(f"UPDATE time_samples SET {change} WHERE id = 1")
        connection.close()
        with pytest.raises(api.Error, match=r"damaged|cannot be read"):
            api.open(path).samples()


def test_odd_values_of_a_store_are_an_error_not_a_crash(copy):
    path = copy(("UPDATE runs SET wall_s = 'soon'",))
    with pytest.raises(api.Error, match="wall_s"):
        api.open(path).runs()
    path = copy(
        ("UPDATE runs SET host = ?", "[" * 100_000),
        ("UPDATE runs SET command = CAST(x'ff41' AS TEXT)",),
    )
    (command,) = api.open(path).runs().command
    assert command.endswith("A")
    path = copy(("INSERT INTO events VALUES (99, 1, 5, 'odd', ?)", "[" * 100_000))
    odd = api.open(path).events().set_index("kind").loc["odd"]
    assert odd["detail"].startswith("[[")
    assert pd.isna(odd["target"])


def test_an_executable_that_is_not_one(made_store, tmp_path):
    with pytest.raises(api.Error, match=r"(?s)cannot be run.*SEAMARK_EXECUTABLE"):
        api.open(made_store, executable=tmp_path / "nothing").verdicts()
    fake = tmp_path / "fake"
    for script, message in (
        ('echo \'{"schema": "seamark-report/9"}\'', "seamark-report/9"),
        ("echo no json", "no JSON"),
        ('echo \'{"schema": "seamark-report/2"}\'', "different versions"),
        ("kill -9 $$", "said nothing"),
        ("echo 'seamark: a: b' >&2; echo '  do c' >&2; exit 3", "a: b\n  do c"),
    ):
        fake.write_text("#!/bin/sh\n" + script + "\n")
        fake.chmod(0o755)
        with pytest.raises(api.Error, match=message):
            api.open(made_store, executable=fake).verdicts()


def test_an_answer_is_bounded(made_store, tmp_path):
    from seamark.command import Executable

    endless = tmp_path / "endless"
    endless.write_text("#!/bin/sh\nexec yes\n")
    endless.chmod(0o755)
    with pytest.raises(api.Error, match="more than 1,000 bytes"):
        Executable(endless).ask(most=1000)


def test_without_the_libraries(made_store, executable):
    code = (
        "import sys; sys.modules[%r] = None\nimport seamark\nstore = seamark.open(%r)\n"
        "try:\n    store.attempts()\nexcept ImportError as error:\n    print(error)\n"
        "else:\n    print('none')\n"
    )
    environment = {"SEAMARK_EXECUTABLE": executable}
    for name in ("pandas", "pyarrow"):
        done = python(code % (name, str(made_store)), **environment)
        assert f"need {name}: pip install 'seamark[data]'" in done.stdout, done.stderr
    done = python(
        (code % ("pandas", str(made_store))) + "print(store.attempts(arrow=True).num_rows)",
        **environment,
    )
    assert done.stdout.splitlines()[-1] == str(len(list(attempt_rows()))), done.stderr


def test_importing_seamark_is_light():
    code = (
        "import sys; before = set(sys.modules); import seamark; new = set(sys.modules) - before; "
        "print(sorted(new & {'pandas', 'pyarrow', 'numpy', 'sqlite3', 'json', 'subprocess'})); "
        "print(seamark.__version__, seamark.Store.__name__, seamark.Error.__name__)"
    )
    done = python(code)
    light, names = done.stdout.splitlines()
    assert light == "[]"
    assert names.endswith("Store Error")


def test_nothing_is_written(made_store, tmp_path):
    path = tmp_path / "kept.db"
    shutil.copy(made_store, path)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    store = api.open(path)
    for ask in (
        store.attempts,
        store.verdicts,
        store.samples,
        store.events,
        store.exhibits,
        store.runs,
    ):
        ask()
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
