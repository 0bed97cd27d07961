"""Stores for the tests of the Python API, made by the executable without any framework."""

import json
import os
import sqlite3
import subprocess
import sys

SUITE = """
from seamark_suites.case import case


@case("selftest.math.fsum", n=[3, 400], reference="none")
def fsum(t, n):
    t.expect(t.call("selftest.math.fsum", [0.5] * n) == 0.5 * n, "the exact sum")


@case("selftest.math.sqrt", reference="none")
def raises(t):
    t.call("selftest.math.sqrt", -1.0)


@case("selftest.os.abort", reference="none")
def dies(t):
    t.call("selftest.os.abort")
"""

CONFIG = """
timeout_s = 30
[[target]]
name = "selftest/cpu"
adapter = "selftest"
device = "cpu"
worker = "fork"
memory_limit = "none"
[[target]]
name = "selftest/other"
adapter = "selftest"
device = "cpu"
worker = "persistent"
memory_limit = "none"
"""


def seamark(*words, cwd=None, check=0):
    """Standard output."""
    environment = {k: v for k, v in os.environ.items() if k not in ("SEAMARK_STORE", "FORCE_COLOR")}
    done = subprocess.run(
        [os.environ["SEAMARK_TEST_EXECUTABLE"], *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
        env=environment,
    )
    assert done.returncode == check, done.stdout + done.stderr
    return done.stdout


def real_store(folder):
    """A real run on two targets of the standard library: passes, a failure, a crash, times."""
    (folder / "suite.py").write_text(SUITE)
    config = folder / "made.toml"
    config.write_text(CONFIG)
    python = os.environ.get("SEAMARK_TEST_PYTHON", sys.executable)
    seamark(
        "--config", config, "run", "--target", "selftest/*", "--python", python,
        "--suite", "./suite.py", "--store", "real.db", cwd=folder,
    )  # fmt: skip
    return folder / "real.db"


FUNCTIONS = ["torch.argsort", "torch.sum", "torch.diag", "torch.ormqr", "torch.unbind", "torch.cat"]
FAILURES = {
    ("torch.ormqr", "torch/cuda-t4"): "\"ormqr\" not implemented for 'Half'",
    ("torch.diag", "torch/cuda-t4"): "CUDA out of memory. Tried to allocate 2 GiB",
    ("torch.diag", "torch/tpu-v3+aot"): "no lowering, =cmd|' /C calc'!A0 <script>",
}


def attempt_rows():
    """Lines of an export: six functions on a CPU, a GPU and a compiler for the TPU."""
    for target in ("torch/cpu", "torch/cuda-t4", "torch/tpu-v3+aot"):
        compiled = target.endswith("+aot")
        for place, function in enumerate(FUNCTIONS):
            message = FAILURES.get((function, target))
            seconds = (1 + place) * (1e-4 if target == "torch/cpu" else 3e-3)
            row = {
                "run": "made",
                "target": target,
                "framework": "torch",
                "version": "2.13.0",
                "function": function,
                "case": function + "/case[bf16,64]",
                "case_hash": "%016x" % place,
                "attempt": 1,
                "phase": "correctness",
                "mode": "process",
                "outcome": "fail" if message else "pass",
                "evidence": "compiled" if compiled else "executed",
                "dtype": "bf16",
                "shape": "64",
                "core": True,
                "quick": True,
                "host_only": function == "torch.cat",
                "suite": "curated",
                "wall_s": 0.5,
                "started_us": 1_795_335_362_272_021 + place,
                "run_protocol": "full",
                "baseline": "torch/cpu",
                "device": "Tesla T4" if "t4" in target else None,
            }
            if message:
                row.update(
                    stage="call", type="RuntimeError", message=message, signature="s%d" % place
                )
            yield row
            if not message and not compiled:
                times = {"warm_low_s": seconds * 0.9, "warm_high_s": seconds * 1.1}
                times.update(protocol="full", warm_median_s=seconds, warm_n=9)
                yield {**row, **times, "attempt": 2, "phase": "timing"}


def made_store(folder):
    """An import with everything that only frameworks and their compilers give, written as docs/store.md says."""
    file = folder / "made.db"
    lines = folder / "made.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in attempt_rows()))
    code = folder / "code"
    code.mkdir()
    uses = "\n".join("%s(x)\n" % name * (9 - at) for at, name in enumerate(FUNCTIONS))
    (code / "a.py").write_text("import torch\n" + uses + "key = torch.sum\n")
    seamark("--no-config", "import", lines, "--store", file)
    seamark("--no-config", "usage", code, "--label", "own", "--store", file)
    seamark(
        "--no-config", "sample", "--usage", "own", "--top", 2, "--per-decile", 1, "--name", "mine",
        "--store", file, "-q",
    )  # fmt: skip
    compiled = {"compiler": "libtpu", "version": "1", "flops": 1e6, "bytes": 4e6, "optimal_s": 2e-6}
    compiled["estimated_cycles"] = 1880
    with sqlite3.connect(file) as connection:
        (sample,) = connection.execute("SELECT hash FROM samples").fetchone()
        options = json.dumps({"sample": {"id": sample, "names": {}}})
        connection.execute("UPDATE runs SET options = ?", (options,))
        connection.execute(
            "UPDATE attempts SET compiled = ? WHERE evidence = (SELECT number FROM enums WHERE "
            "kind = 'evidence' AND name = 'compiled')",
            (json.dumps(compiled),),
        )
        connection.execute(
            "INSERT INTO declared_tables VALUES (1, 'torch', '2.13.0', 'cuda', 'cuda', 'torch', '2.13.0', "
            "'native_functions.yaml', NULL, 1795335362272021)"
        )
        connection.execute(
            "INSERT INTO declared_functions SELECT 1, 'torch.argsort', number, 0, 4, 3, "
            '\'["aten::sort", "aten::argsort"]\', \'["aten::sort"]\', NULL, '
            '\'["f32", "f64"]\', \'["f64"]\' FROM enums '
            "WHERE kind = 'declared_state' AND name = 'partial'"
        )
        connection.execute(
            "INSERT INTO catalogues VALUES (1, 'torch', '2.13.0', 1, '3.11', 2, 1, 1, 2, 1795335362272021)"
        )
        connection.executemany(
            "INSERT INTO catalogue_functions(catalogue_id, name, kind, documented, deprecated, signature, "
            "signature_reason, aliases) VALUES (1, ?, 'function', 1, ?, ?, ?, ?)",
            [
                ("torch.argsort", None, "(input, dim=-1)", None, '["torch.Tensor.argsort"]'),
                ("torch.range", "use torch.arange", None, "built in", None),
            ],
        )
    connection.close()
    return file


def query(path, sql):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        found = connection.execute(sql).fetchall()
    connection.close()
    return found
