"""The results that ship with Seamark: answers without a store, a framework or a network."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pyarrow
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKED = ROOT / "data" / "results" / "measured.db.zst"


@pytest.fixture
def ask(tmp_path):
    """seamark in an empty folder, without anything of this user's."""

    def call(*arguments, home=ROOT):
        return subprocess.run(
            [os.environ["SEAMARK_TEST_EXECUTABLE"], *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"HOME": str(tmp_path), "PATH": "/nowhere", "SEAMARK_HOME": str(home)},
        )

    return call


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """The store that is packed."""
    out = tmp_path_factory.mktemp("measured") / "measured.db"
    with pyarrow.input_stream(str(PACKED), compression="zstd") as stream:
        out.write_bytes(stream.read())
    return sqlite3.connect(out)


def test_a_function_on_a_tpu_without_a_store(ask):
    shown = ask("show", "torch.matmul", "--to", "tpu-v5e")
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[0].startswith("torch.matmul")
    assert lines[1].startswith("torch/tpu-v5e+aot compiles: ") and lines[1].endswith(
        "nothing was executed"
    )
    assert "measured by Seamark on 20" in shown.stdout
    assert "torch/lazy" not in shown.stdout


def test_a_family_is_all_its_generations(ask):
    shown = ask("show", "jax.numpy.matmul", "--to", "tpu").stdout
    assert "jax/tpu-v3+aot compiles" in shown and "jax/tpu-v6e+aot compiles" in shown
    assert "jax/cpu" not in shown and "cuda" not in shown


def test_a_pass_on_the_host_is_none_on_the_device(ask):
    shown = ask("show", "torch.Tensor.sin", "--to", "lazy").stdout.splitlines()[1]
    assert shown.startswith("torch/lazy passes, but on the host: 4 of 4 core cases")
    shown = ask("show", "torch.argsort", "--to", "lazy").stdout.splitlines()[1]
    assert shown.startswith("torch/lazy passes, but 2 of 15 cases on the host: 15 of 15 core")
    shown = ask("show", "torch.matmul", "--to", "torch/cpu").stdout.splitlines()[1]
    assert shown.startswith("torch/cpu passes on the device: ")


def test_what_only_is_declared_says_so(ask):
    shown = ask("show", "torch.matmul", "--to", "mps")
    assert shown.returncode == 0, shown.stderr
    assert "MPS" in shown.stdout and "No case of it was planned here" in shown.stdout
    assert "CUDA" not in shown.stdout


def test_what_nobody_knows_is_an_error(ask):
    shown = ask("show", "torch.matmul", "--to", "abacus")
    assert shown.returncode == 2
    assert "no result of torch.matmul on 'abacus'" in shown.stderr and "torch/lazy" in shown.stderr
    newer = ask("show", "torch.matmul", "--to", "tpu-v9")
    assert newer.returncode == 2 and "no result of torch.matmul on 'tpu-v9'" in newer.stderr
    unknown = ask("show", "torch.matmull").stderr
    assert "did you mean 'torch.matmul'?" in unknown and "seamark run" not in unknown
    assert "did you mean" not in ask("show", "torch.matmul/matmul[f32]").stderr
    assert ask("show", "").returncode == 2


TOY = """
[[target]]
name = "selftest/cpu"
adapter = "selftest"
worker = "fork"
"""


def test_a_store_of_ones_own_goes_first_and_a_named_one_alone(ask, tmp_path):
    (tmp_path / "toy.toml").write_text(TOY)
    own = ["--target", "selftest/cpu", "--python", sys.executable, "--no-timing"]
    run = ask(
        "--config",
        "toy.toml",
        "run",
        "--suite",
        "selftest",
        *own,
        "--function",
        "selftest.math.sqrt",
    )
    assert run.returncode == 0, run.stderr
    own = ask("show", "selftest.math.sqrt").stdout
    assert "selftest/cpu" in own and "measured by Seamark" not in own
    assert "measured by Seamark" in ask("show", "torch.matmul").stdout
    assert "did you mean 'selftest.math.sqrt'?" in ask("show", "selftest.math.sqr").stderr
    named = ask("show", "torch.matmul", "--store", "seamark.db")
    assert (
        named.returncode == 2 and "there is no result of torch.matmul in seamark.db" in named.stderr
    )
    assert ask("show", "torch.matmul", "--store", "missing.db").returncode == 3


def test_what_a_store_only_declares_hides_nothing_that_ships(ask, tmp_path):
    own = tmp_path / "seamark.db"
    with pyarrow.input_stream(str(PACKED), compression="zstd") as stream:
        own.write_bytes(stream.read())
    with sqlite3.connect(own) as store:  # a run on the CPU, and declarations
        tpu = "(SELECT id FROM run_targets WHERE target LIKE '%/tpu%')"
        store.execute(f"DELETE FROM attempts WHERE run_target_id IN {tpu}")
        store.execute(f"DELETE FROM plan WHERE run_target_id IN {tpu}")
        store.execute("DELETE FROM run_targets WHERE target LIKE '%/tpu%'")
    shown = ask("show", "tf.matmul", "--to", "tpu")
    assert shown.returncode == 0, shown.stderr
    assert "tensorflow/tpu-v5e+aot compiles: " in shown.stdout
    assert "measured by Seamark on 20" in shown.stdout
    assert "seamark.db has no result of it there, only what is declared" in shown.stdout
    assert "DECLARED, NOT ATTEMPTED\nOf seamark.db. declared: " in shown.stdout
    assert "tensorflow/cpu" in ask("show", "tf.matmul").stdout
    named = ask("show", "tf.matmul", "--to", "tpu", "--store", "seamark.db").stdout
    assert "DECLARED, NOT ATTEMPTED\ndeclared: " in named and " compiles: " not in named
    with sqlite3.connect(own) as store:  # declarations alone
        for table in ("attempts", "plan", "run_targets", "runs"):
            store.execute(f"DELETE FROM {table}")
    shown = ask("show", "tf.matmul", "--to", "tpu").stdout
    assert "tensorflow/tpu-v5e+aot compiles: " in shown and "Of seamark.db." in shown
    assert "GPU" not in shown
    declared = ask("show", "torch.matmul", "--to", "mps").stdout
    assert "MPS" in declared and "CUDA" not in declared


def test_what_no_run_asked_is_asked_here(ask, tmp_path):
    asks = "`seamark run --function torch.sort --target torch/tpu-v5e+aot` asks it here"
    shown = ask("show", "torch.sort", "--to", "tpu-v5e")
    assert shown.returncode == 2 and "did you mean" not in shown.stderr
    assert "there is no result of torch.sort in what ships with Seamark" in shown.stderr
    assert asks in shown.stderr
    with pyarrow.input_stream(str(PACKED), compression="zstd") as stream:
        (tmp_path / "seamark.db").write_bytes(stream.read())
    shown = ask("show", "torch.sort", "--to", "tpu-v5e").stderr
    assert "torch.sort in seamark.db, nor in what ships with Seamark" in shown and asks in shown
    with sqlite3.connect(tmp_path / "seamark.db") as store:
        store.execute("DELETE FROM attempts")
        store.execute("DELETE FROM plan")
    shown = ask("show", "torch.matmul", "--to", "abacus").stderr  # what ships has others
    assert "no result of torch.matmul on 'abacus' in what ships with Seamark" in shown
    assert "did you mean 'torch.sort'?" in ask("show", "torch.sotr").stderr


def test_a_report_of_what_ships(ask):
    report = ask("report", "--store", "measured", "--format", "csv", "--target", "torch/lazy")
    assert report.returncode == 0, report.stderr
    assert report.stdout.count("\n") > 190


def test_a_file_called_measured_changes_nothing(ask, tmp_path):
    (tmp_path / "measured").write_text("no store")
    assert "torch/cpu" in ask("show", "torch.matmul", "--store", "measured").stdout
    assert "not a Seamark store" in ask("show", "torch.matmul", "--store", "./measured").stderr
    refused = ask("sample", "--store", "measured")
    assert refused.returncode == 2 and "ship with Seamark" in refused.stderr
    assert "seamark run" not in ask("report", "--store", "measured").stdout


def test_a_store_of_the_config_that_is_not_there_yet_hides_nothing_that_ships(ask, tmp_path):
    (tmp_path / "seamark.toml").write_text('store = "mine.db"\n')
    shown = ask("show", "torch.argsort/argsort[f32,100,dim=-1]", "--to", "tpu-v5e", "--full")
    assert shown.returncode == 0 and "these results ship with it" in shown.stdout
    assert "torch/cpu " not in shown.stdout and "0 s" not in shown.stdout


@pytest.mark.parametrize("damage", [b"", b"no zstd at all", "cut"])
def test_a_damaged_installation_is_told(ask, tmp_path, damage):
    home = tmp_path / "home"
    home.mkdir()
    for part in ("data", "python"):
        shutil.copytree(ROOT / part, home / part, ignore=shutil.ignore_patterns("__pycache__"))
    packed = home / "data" / "results" / "measured.db.zst"
    packed.write_bytes(PACKED.read_bytes()[:-1000] if damage == "cut" else damage)
    shown = ask("show", "torch.matmul", home=home)
    assert shown.returncode == 3 and "measured.db.zst" in shown.stderr


def test_it_is_small_dated_and_names_no_machine(measured):
    assert PACKED.stat().st_size < 3_000_000
    ((started, host, owner),) = measured.execute("SELECT started_us, host, owner FROM runs")
    assert not host and not owner
    assert started > 1.76e15
    assert measured.execute("SELECT count(*) FROM results").fetchone()[0] > 20_000
    versions = {
        version for (version,) in measured.execute("SELECT framework_version FROM run_targets")
    }
    assert all(versions) and len(versions) >= 3
    text = "\n".join(measured.iterdump())
    for machine in ("/root", "/home/", "/work/", "/tmp/"):
        assert machine not in text, machine
