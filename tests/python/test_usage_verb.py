"""`seamark usage` from outside, on small corpora."""

import csv
import gzip
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
pytestmark = pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")

ONE = """
import torch
import torch.nn.functional as F
from torch import nn as layers
x = torch.zeros(3)
y = F.relu(torch.zeros(4), key=torch.relu)
layers.Linear(2, 3)
"""
TWO = "import jax.numpy as jnp\nprint(jnp.sum(jnp.zeros(3)))\n"
NONE = "print('nothing of the kind')\n"

COLUMNS = ["function", "tier", "calls", "references", "files", "repositories"]


def line(content, repository="r/one", path="a.py", **others):
    return json.dumps({"repo_name": repository, "path": path, "content": content, **others}) + "\n"


def pack(path, *lines):
    path.write_bytes(gzip.compress("".join(lines).encode()))
    return str(path)


@pytest.fixture
def seamark(tmp_path):
    def run(*arguments, stdin=None, store="u.db", **variables):
        return subprocess.run(
            [EXECUTABLE, "usage", "--no-config", "--store", str(tmp_path / store), *arguments],
            capture_output=True,
            text=True,
            input=stdin,
            timeout=120,
            check=False,
            cwd=tmp_path,
            env=dict(os.environ, NO_COLOR="1", SEAMARK_PYTHON=sys.executable, **variables),
        )

    return run


@pytest.fixture
def corpus(tmp_path):
    return pack(
        tmp_path / "a.json.gz",
        line(ONE),
        line(ONE, path="b.py"),
        line(ONE, repository="r/two"),
        line(TWO),
        line(NONE),
    )


def table(result):
    assert result.stdout.startswith(",".join(COLUMNS) + "\n"), result.stdout + result.stderr
    rows = csv.DictReader(io.StringIO(result.stdout))
    return {
        (row["function"], row["tier"]): tuple(int(row[name]) for name in COLUMNS[2:])
        for row in rows
    }


EXPECTED = {
    ("torch.zeros", "resolved"): (6, 0, 3, 2),
    ("torch.nn.functional.relu", "resolved"): (3, 0, 3, 2),
    ("torch.relu", "resolved"): (0, 3, 3, 2),
    ("torch.nn.Linear", "resolved"): (3, 0, 3, 2),
    ("jax.numpy.sum", "resolved"): (1, 0, 1, 1),
    ("jax.numpy.zeros", "resolved"): (1, 0, 1, 1),
}


def test_csv_of_a_gz_shard(seamark, corpus):
    result = seamark(corpus, "--format", "csv")
    assert result.returncode == 0, result.stderr
    assert table(result) == EXPECTED
    assert "no catalogue of" in result.stderr


def test_standard_input_and_a_plain_file_count_the_same(seamark, tmp_path):
    lines = line(ONE) + line(ONE, path="b.py") + line(ONE, repository="r/two") + line(TWO)
    result = seamark("-", "--format", "csv", stdin=lines)
    assert result.returncode == 0, result.stderr
    assert table(result) == EXPECTED
    (tmp_path / "plain.jsonl").write_text(lines)
    assert table(seamark("plain.jsonl", "--format", "csv")) == EXPECTED


def test_a_folder(seamark, tmp_path):
    source = tmp_path / "src"
    (source / ".git").mkdir(parents=True)
    (source / "one.py").write_text(ONE)
    (source / ".git" / "hidden.py").write_text(ONE)
    cells = [{"cell_type": "code", "source": ["import torch\n", "torch.zeros(1)\n"]}]
    (source / "b.ipynb").write_text(json.dumps({"cells": cells, "nbformat": 4}))
    result = seamark("src", "--format", "csv")
    assert result.returncode == 0, result.stderr
    assert table(result)["torch.zeros", "resolved"][:3] == (3, 0, 2)


def test_json_has_the_head(seamark, corpus, tmp_path):
    result = seamark(corpus, "-o", "u.json")
    assert result.returncode == 0, result.stderr
    assert result.stdout == ""
    found = json.loads((tmp_path / "u.json").read_text())
    assert found["schema"] == "seamark-usage/1"
    assert found["corpus"]["label"] == "a.json.gz"
    assert found["corpus"]["complete"] is True
    assert found["protocol"] == "names"
    assert found["files"] == 5
    assert found["bytes"] == len(gzip.decompress((tmp_path / "a.json.gz").read_bytes()))
    assert found["imports"]["torch"] == 3 and found["imports"]["jax"] == 1
    assert found["losses"] == {"count": 0, "first": []}
    assert found["catalogues"] == {} and len(found["rules"]) == 16
    rows = {(row["function"], row["tier"]): row for row in found["functions"]}
    assert rows["torch.zeros", "resolved"]["repositories"] == 2
    assert len(rows) == len(EXPECTED)


def test_only_one_framework_is_printed(seamark, corpus):
    result = seamark(corpus, "--framework", "jax", "--format", "csv")
    assert {name for name, _ in table(result)} == {"jax.numpy.sum", "jax.numpy.zeros"}
    again = seamark("--framework", "torch", "--format", "csv")
    assert len(table(again)) == 4


def test_the_table_for_people(seamark, corpus):
    result = seamark(corpus, "--top", "1")
    assert result.returncode == 0, result.stderr
    text = " ".join(result.stdout.split())
    assert "a.json.gz: 5 files of Python" in text
    assert "TORCH: FUNCTIONS, 1 OF 4" in text
    assert "torch.zeros 6" in text
    assert "torch.nn.Linear" not in text


def test_what_was_counted_is_not_read_again(seamark, tmp_path, corpus):
    other = pack(tmp_path / "b.json.gz", line(TWO, repository="r/one"))
    assert seamark(corpus, "--format", "csv").returncode == 0
    both = seamark(corpus, other, "--format", "csv")
    assert "1 of 2 shards counted before" in both.stderr
    assert table(both)["jax.numpy.sum", "resolved"] == (2, 0, 2, 1)
    assert "counted before" not in seamark(corpus, other, "--refresh", "--format", "csv").stderr
    # A file that has changed is another one.
    pack(tmp_path / "b.json.gz", line(TWO + TWO, repository="r/one"))
    changed = seamark(corpus, other, "--format", "csv")
    assert "1 of 2 shards counted before" in changed.stderr
    assert table(changed)["jax.numpy.sum", "resolved"] == (3, 0, 2, 1)
    stored = seamark("--format", "csv")
    assert table(stored) == table(changed)


def test_a_store_holds_several_corpora(seamark, tmp_path, corpus):
    other = pack(tmp_path / "b.json.gz", line(TWO))
    assert seamark(corpus, "--label", "first").returncode == 0
    assert seamark(other).returncode == 0
    assert len(table(seamark("--format", "csv"))) == 2  # the one that was counted last
    assert table(seamark("--label", "first", "--format", "csv")) == EXPECTED
    missing = seamark("--label", "third")
    assert missing.returncode == 2
    assert "'third'" in missing.stderr


def test_losses_are_told_and_the_rest_is_counted(seamark, tmp_path):
    bad = pack(tmp_path / "bad.json.gz", line(ONE), "import torch: not JSON\n", line(TWO))
    result = seamark(bad, "--format", "csv")
    assert result.returncode == 3
    assert "bad.json.gz:2:" in result.stderr
    assert table(result)["jax.numpy.sum", "resolved"][0] == 1
    again = seamark(bad, "--format", "csv")  # from the store, and still not whole
    assert again.returncode == 3
    assert "1 of 1 shard counted before" in again.stderr
    assert "bad.json.gz:2:" in again.stderr
    head = json.loads(seamark("--format", "json").stdout)
    assert head["losses"]["count"] == 1
    assert head["losses"]["first"][0]["line"] == 2


def test_what_is_not_utf8_is_told_and_counted(seamark, tmp_path):
    surrogate = line("import torch\n").replace("import torch", "import torch # \\ud800")
    latin = line(ONE + "# \xe9\n").encode("latin-1").replace(b"\\u00e9", b"\xe9")
    shard = tmp_path / "bytes.jsonl"
    shard.write_bytes(line(TWO).encode() + latin + surrogate.encode())
    done = seamark(str(shard), "--format", "json")
    assert done.returncode == 0, done.stderr
    assert f"repaired: {shard}:2: " in done.stderr
    assert f"repaired: {shard}:3: " in done.stderr
    told = json.loads(done.stdout)
    assert told["losses"]["count"] == 0
    assert told["repaired"]["count"] == 2
    assert [one["line"] for one in told["repaired"]["first"]] == [2, 3]
    assert {"torch.zeros", "jax.numpy.sum"} <= {one["function"] for one in told["functions"]}


def test_a_truncated_gz_keeps_what_was_read(seamark, tmp_path):
    whole = gzip.compress((line(ONE) * 2000).encode())
    (tmp_path / "cut.json.gz").write_bytes(whole[: len(whole) // 2])
    result = seamark("cut.json.gz", "--format", "csv")
    assert result.returncode == 3
    assert "cut.json.gz" in result.stderr
    assert 0 < table(result)["torch.zeros", "resolved"][0] < 4000


def test_strict_stops_at_the_first_loss(seamark, tmp_path, corpus):
    bad = pack(tmp_path / "bad.json.gz", line(ONE), "import torch: not JSON\n")
    result = seamark(bad, "--strict", "-o", "u.csv")
    assert result.returncode == 3
    assert "bad.json.gz:2:" in result.stderr
    assert not (tmp_path / "u.csv").exists()
    assert seamark(bad, "-q").returncode == 3
    again = seamark(bad, "--strict", "-o", "u.csv")  # although it need not be read again
    assert again.returncode == 3
    assert "bad.json.gz:2:" in again.stderr
    assert not (tmp_path / "u.csv").exists()
    assert seamark(corpus, "--strict", "-o", "u.csv").returncode == 0
    assert (tmp_path / "u.csv").exists()


def test_wrong_input_is_a_usage_error(seamark, tmp_path, corpus):
    missing = seamark("gone.json.gz")
    assert missing.returncode == 2
    assert "gone.json.gz" in missing.stderr
    assert seamark(store="none.db").returncode == 2
    assert seamark(corpus, "--framework", "numpy").returncode == 2
    assert seamark(corpus, "--format", "parquet").returncode == 2
    assert seamark(corpus, "--catalogue", corpus).returncode == 2


CATALOGUE = (
    '{"row":"catalog","schema":1,"framework":"torch","version":"9.9","rule_version":1,"python":"3"}\n'
    '{"row":"function","name":"torch.nn.functional.relu","kind":"function","module":"m",'
    '"qualname":"relu","aliases":["torch.relu"]}\n'
    '{"row":"function","name":"torch.zeros","kind":"function","module":"m","qualname":"zeros"}\n'
    '{"row":"end","functions":2,"modules":1,"flat":2,"flat_all":2}\n'
)


def test_a_catalogue_makes_names_canonical(seamark, tmp_path, corpus):
    (tmp_path / "torch.jsonl").write_text(CATALOGUE)
    result = seamark(
        corpus, "--catalogue", "torch.jsonl", "--framework", "torch", "--format", "csv"
    )
    assert result.returncode == 0, result.stderr
    found = table(result)
    assert found["torch.nn.functional.relu", "resolved"] == (3, 3, 3, 2)
    assert found["torch.nn.Linear", "unknown"] == (3, 0, 3, 2)
    assert ("torch.relu", "resolved") not in found
    assert "no catalogue of torch" not in result.stderr
    # Other rules: the shard is counted anew.
    assert table(seamark(corpus, "--format", "csv")) == EXPECTED


def test_the_study_counted_bare_names(seamark, tmp_path, corpus):
    (tmp_path / "torch.jsonl").write_text(CATALOGUE)
    paper = ("--protocol", "paper", "--catalogue", "torch.jsonl", "--format", "csv")
    assert seamark(corpus, *paper).returncode == 2  # whose `zeros`?
    result = seamark(corpus, *paper, "--framework", "torch")
    assert result.returncode == 0, result.stderr
    assert table(result) == {("zeros", "bare"): (6, 0, 3, 2), ("relu", "bare"): (6, 0, 3, 2)}
    assert seamark(corpus, "--protocol", "paper").returncode == 3  # no catalogue
    assert table(seamark(corpus, "--format", "csv")) == EXPECTED


def test_parquet(seamark, tmp_path, corpus):
    result = seamark(corpus, "-o", "u.parquet")
    try:
        from pyarrow import parquet
    except ImportError:
        assert result.returncode == 3
        assert "pyarrow" in result.stderr
        assert not (tmp_path / "u.parquet").exists()
        return
    assert result.returncode == 0, result.stderr
    found = parquet.read_table(tmp_path / "u.parquet")
    assert found.column_names == COLUMNS
    rows = {(row["function"], row["tier"]): row for row in found.to_pylist()}
    assert rows["torch.zeros", "resolved"]["calls"] == 6
    assert len(rows) == len(EXPECTED)


def test_parquet_is_written_whatever_a_library_does_at_exit(seamark, tmp_path, corpus):
    pytest.importorskip("pyarrow")
    (tmp_path / "sitecustomize.py").write_text("import atexit, os; atexit.register(os.abort)")
    result = seamark(corpus, "-o", "u.parquet", PYTHONPATH=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "u.parquet").stat().st_size > 100


def test_parquet_input(seamark, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [json.loads(text) for text in (line(ONE), line(ONE, path="b.py"), line(TWO))]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")
    result = seamark("a.parquet", "--format", "csv")
    assert result.returncode == 0, result.stderr
    assert table(result)["torch.zeros", "resolved"] == (4, 0, 2, 1)
    assert table(result)["jax.numpy.sum", "resolved"] == (1, 0, 1, 1)
    assert "1 of 1 shard counted before" in seamark("a.parquet").stderr


def start(tmp_path, *arguments):
    return subprocess.Popen(
        [EXECUTABLE, "usage", "--no-config", "--store", str(tmp_path / "u.db"), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    )


def shards_in(tmp_path):
    store = Path(tmp_path / "u.db")
    if not store.exists():
        return 0
    with sqlite3.connect("file:%s?mode=ro" % store, uri=True) as connection:
        try:
            return connection.execute("SELECT count(*) FROM usage_corpus_shards").fetchone()[0]
        except sqlite3.OperationalError:
            return 0


def wait_for_shards(tmp_path, count):
    end = time.monotonic() + 60
    while shards_in(tmp_path) < count:
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_what_a_stopped_process_had_counted_is_kept(seamark, tmp_path, corpus, how):
    other = pack(tmp_path / "b.json.gz", line(TWO))
    # Standard input never ends, so the process is in the middle of its work.
    process = start(tmp_path, corpus, other, "-", "--threads", "2", "--label", "all")
    process.stdin.write(line(ONE))
    process.stdin.flush()
    wait_for_shards(tmp_path, 2)
    process.send_signal(how)
    if how == signal.SIGINT:
        time.sleep(0.3)
        process.stdin.close()
        process.stdin = None
    _, errors = process.communicate(timeout=60)
    if how == signal.SIGINT:
        assert process.returncode == 130, errors
        assert "2 of 3 shards are counted" in errors
    else:
        assert process.returncode == -signal.SIGKILL
    partly = json.loads(seamark("--format", "json").stdout)
    assert partly["corpus"]["complete"] is False
    assert partly["corpus"]["shards"] == 2 and partly["corpus"]["planned_shards"] == 3
    result = seamark(corpus, other, "-", "--label", "all", "--format", "csv", stdin=line(ONE))
    assert result.returncode == 0, result.stderr
    assert "2 of 3 shards counted before" in result.stderr
    assert table(result)["torch.zeros", "resolved"] == (8, 0, 4, 2)
    assert json.loads(seamark("--format", "json").stdout)["corpus"]["complete"] is True


def test_kills_at_any_time_change_no_count(seamark, tmp_path):
    inputs = [
        pack(
            tmp_path / ("%02d.json.gz" % i),
            *[line(ONE if i % 3 else TWO, "r/%d" % (i % 7))] * (i + 1),
        )
        for i in range(30)
    ]
    expected = table(seamark(*inputs, "--format", "csv", store="whole.db"))
    kept = []
    for delay in (0.0, 0.02, 0.03, 0.05, 0.08):
        process = start(tmp_path, *inputs, "--threads", "2")
        wait_for_shards(tmp_path, kept[-1] if kept else 0)
        time.sleep(delay)
        process.kill()
        process.communicate(timeout=60)
        kept.append(shards_in(tmp_path))
    result = seamark(*inputs, "--format", "csv")
    assert result.returncode == 0, result.stderr
    assert table(result) == expected
    assert json.loads(seamark("--format", "json").stdout)["corpus"]["complete"] is True
