"""The helper that reads Parquet for `seamark usage`."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT

HELPER = ROOT / "python" / "seamark_helper" / "parquet_lines.py"


def run(*arguments, python=sys.executable, **options):
    return subprocess.run(
        [python, str(HELPER), *map(str, arguments)], capture_output=True, timeout=60, **options
    )


def rows(done):
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def write(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")

    def make(columns, **options):
        path = tmp_path / "a.parquet"
        parquet.write_table(pyarrow.table(columns), path, **options)
        return path

    return make


def test_rows_as_lines(write):
    text = 'import torch\n# é€😀 \x00 \\ "\n'
    path = write(
        {"repo_name": ["a/b", None], "size": [3, 4], "content": [text, "x"], "path": ["p", "q"]},
        compression="zstd",
    )
    assert rows(run(path, "content", "repo_name", "path")) == [
        {"repo_name": "a/b", "path": "p", "content": text},
        {"repo_name": None, "path": "q", "content": "x"},
    ]


def test_many_row_groups(write):
    path = write({"content": ["x = %d" % i for i in range(5000)]}, row_group_size=700)
    assert [row["content"] for row in rows(run(path, "content", "r", "p"))] == [
        "x = %d" % i for i in range(5000)
    ]


def test_columns_of_bytes_are_text(write):
    path = write({"code": [b"import jax # \xff", b"y"], "path": [1, 2]})
    assert rows(run(path, "code", "repo_name", "path")) == [
        {"path": 1, "code": "import jax # \ufffd"},
        {"path": 2, "code": "y"},
    ]


def test_without_the_column_it_names_the_others(write):
    done = run(write({"text": ["x"], "path": ["p"]}), "content", "repo_name", "path")
    assert done.returncode == 4
    assert done.stdout == b""
    assert 'no column "content", but path, text' in done.stderr.decode()


@pytest.mark.parametrize("cut", [0, 3, 200])
def test_damage_is_said_in_one_line(write, tmp_path, cut):
    whole = write({"content": ["import torch"] * 100}).read_bytes()
    path = tmp_path / "cut.parquet"
    path.write_bytes(whole[:cut])
    done = run(path, "content", "repo_name", "path")
    assert done.returncode == 4
    assert done.stderr.decode().count("\n") == 1
    assert "cannot read on" in done.stderr.decode()


def test_a_reader_that_stops_is_no_error(write):
    path = write({"content": [str(i) * 100_000 for i in range(300)]})
    with subprocess.Popen(
        [sys.executable, str(HELPER), str(path), "content", "r", "p"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as helper:
        helper.stdout.read(10)
        helper.stdout.close()
        assert helper.stderr.read() == b""
        assert helper.wait(timeout=60) == 0


def test_without_pyarrow(tmp_path):
    (tmp_path / "pyarrow.py").write_text("raise ImportError('none here')")
    done = run("x.parquet", "content", "r", "p", env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 3
    assert "none here" in done.stderr.decode()
