"""`seamark audit --trace`: what is recorded of a program, that it stays its own, and what its calls do on a target."""

import json
import re
import subprocess

import pytest
from conftest import MINIDEV_CONFIG
from seamark_suites import loader
from seamark_suites.case import SuiteError
from traced_program import calls_at, traced_program

TRAIN = """\
import sys
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.hidden = nn.Linear(16, 32)
        self.cell = nn.GRUCell(32, 5)

    def forward(self, tokens, mask):
        x = self.embed(tokens)
        x = x.masked_fill(~mask.unsqueeze(-1), 0.0).mean(1)
        x = F.relu(self.hidden(x), inplace=True)
        return self.cell(x)


net = Net()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
tokens = torch.randint(0, 50, (64, 12))
mask = tokens > 3
labels = torch.tensor([i % 5 for i in range(64)])
for step in range(int(sys.argv[1])):
    optimizer.zero_grad()
    logits = net(tokens, mask)
    loss = F.cross_entropy(logits, labels)
    loss.backward()
    optimizer.step()
    kept = logits[labels == 2]
    print(step, "%.4f" % loss.item(), tuple(kept.shape))
"""
LINES = {text.strip(): number for number, text in enumerate(TRAIN.splitlines(), 1)}


def line(text):
    return LINES[text]


@pytest.fixture
def torch_python(framework_python):
    return framework_python("torch")


@pytest.fixture
def program(tmp_path, torch_python):
    return traced_program(tmp_path, torch_python)


def test_calls_are_recorded_by_line_with_shapes_and_constants(program):
    done, (trace,) = program(TRAIN, 3)
    assert done.returncode == 0, done.stderr
    assert trace["steps"] == 3
    assert "torch.nn.functional.embedding" in calls_at(trace, line("x = self.embed(tokens)"))
    masked = line("x = x.masked_fill(~mask.unsqueeze(-1), 0.0).mean(1)")
    assert calls_at(trace, masked) == {"torch.Tensor.unsqueeze", "torch.Tensor.__invert__", "torch.Tensor.masked_fill",
                                       "torch.Tensor.mean"}  # fmt: skip
    assert "torch.Tensor.addcdiv_" in calls_at(trace, line("optimizer.step()"))
    (mask,) = [call for call in trace["calls"] if call["function"] == "torch.Tensor.masked_fill"]
    assert mask["args"][0] == ["tensor", "float32", [64, 12, 16], [192, 16, 1], True]
    assert mask["args"][1] == ["tensor", "bool", [64, 12, 1], [12, 1, 1], False]
    assert mask["args"][2] == 0.0
    assert mask["grad"] and mask["sites"] == [["train.py", masked, 3]]
    # One entry for all steps; what parameters are made of is no call of the device's.
    assert len({json.dumps([c["function"], c["args"], c["kwargs"]]) for c in trace["calls"]}) == len(trace["calls"])  # fmt: skip
    assert not [call for call in trace["calls"] if call["function"].startswith("torch.nn.init")]
    loss = line('print(step, "%.4f" % loss.item(), tuple(kept.shape))')
    assert trace["reads"] == [["torch.Tensor.item", "train.py", loss, 3]]


def test_no_data_of_a_tensor_is_in_the_trace(program):
    text = """\
import numpy, torch
secret = [314159.25 + i for i in range(40)]
a = torch.tensor(secret)
b = torch.as_tensor(numpy.array([271828.5, 271829.5]))
c = torch.tensor([161803, 161804])
a[:2].add_(b.float()).mul(torch.tensor(141421.5))
a[[3, 29, 37]]
a.new_tensor([173205.0])
torch.full((3,), float(c[0] > 0))
a.scatter_(0, c % 2, 1.0)
torch.nn.functional.pad(a, [0, 1], value=2.5)
"""
    done, (trace,) = program(text)
    assert done.returncode == 0, done.stderr
    said = json.dumps(trace)
    assert {
        "torch.tensor",
        "torch.Tensor.__getitem__",
        "torch.Tensor.new_tensor",
        "torch.as_tensor",
        "torch.Tensor.mul",
    } <= {call["function"] for call in trace["calls"]}
    for value in ("3141", "2718", "1618", "1414", "1732", "29", "37"):
        assert not re.search(r'(?<![0-9a-f"])%s' % value, said), value
    assert "2.5" in said  # a constant of a call


PROGRAM = """\
import atexit, sys, torch
atexit.register(print, "at exit")
print(sys.argv, sys.path, __name__, __file__, torch.ones(2).sum())
print("to stderr", file=sys.stderr)
%s
"""


@pytest.mark.parametrize(
    "end, code",
    [
        ("sys.exit(7)", 7),
        ("", 0),
        ("torch.ones(2) @ torch.ones(3)", 1),
        ("def inner():\n    torch.ones(2).view(3)\ninner()", 1),
    ],
)
def test_exit_output_and_exceptions_stay_the_programs(program, end, code):
    plain, none = program(PROGRAM % end, "--a", "b", traced=False)
    traced, (trace,) = program(PROGRAM % end, "--a", "b")
    assert none == []
    assert plain.returncode == traced.returncode == code
    assert plain.stdout == traced.stdout
    assert plain.stderr == traced.stderr
    assert "torch.Tensor.sum" in {call["function"] for call in trace["calls"]}


def test_the_sitecustomize_that_is_hidden_runs(program, tmp_path):
    own = tmp_path / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("import builtins\nbuiltins.of_the_user = 5\n")
    text = "import torch, sitecustomize\nprint(of_the_user, sitecustomize.__file__)\n"
    plain, _ = program(text, traced=False, environment={"PYTHONPATH": str(own)})
    traced, _ = program(text, environment={"PYTHONPATH": str(own)})
    assert plain.stdout == traced.stdout and plain.stdout.startswith("5 ")


def test_it_ends_in_order_after_the_steps(program):
    text = TRAIN.replace(
        "for step in", "import atexit\natexit.register(print, 'closed')\nfor step in"
    )
    done, (trace,) = program(text, 1000000, steps=4)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "closed"
    assert (trace["steps"], trace["ended"]) == (4, "--steps")


def test_a_forked_child_leaves_the_trace_to_its_parent(program):
    text = """\
import os, torch
from torch.utils.data import DataLoader, TensorDataset
data = TensorDataset(torch.randn(8, 3))
for (x,) in DataLoader(data, batch_size=4, num_workers=1):
    x.neg()
"""
    done, (trace,) = program(text)
    assert done.returncode == 0, done.stderr
    assert "torch.Tensor.neg" in calls_at(trace, 5)
    assert "torch.stack" not in {call["function"] for call in trace["calls"]}  # of the loader


def test_a_program_is_slowed_by_less_than_ten_times(program):
    timed = "import time\nbegin = time.process_time()\nfor step in"
    text = TRAIN.replace("for step in", timed) + "print(time.process_time() - begin)\n"
    plain = min(float(program(text, 150, traced=False)[0].stdout.split()[-1]) for _ in range(2))
    traced = min(float(program(text, 150, steps=1000)[0].stdout.split()[-1]) for _ in range(2))
    print("slowed %.1f times" % (traced / plain))
    assert traced < 10 * plain


# -- the suite that a trace is ------------------------------------------------------------------------


def test_a_file_that_is_no_trace_is_refused(tmp_path):
    for text in ("", "{}", '{"schema": "seamark-trace/1", "framework": "torch", "calls": [{}]}', "[1]"):  # fmt: skip
        path = tmp_path / "trace.json"
        path.write_text(text)
        with pytest.raises(SuiteError, match="is no trace"):
            loader.load([str(path)], "torch")


def a_trace(*calls):
    made = [dict({"kwargs": {}, "grad": False, "labels": [str(n)], "sites": [["train.py", n, 1]]}, **call)
            for n, call in enumerate(calls, 1)]  # fmt: skip
    return {"schema": "seamark-trace/1", "framework": "torch", "version": "2", "calls": made}


@pytest.fixture
def seamark(executable, tmp_path, torch_python):
    def run(*words):
        return subprocess.run(
            [executable, *words, "--no-config", "--python", torch_python],
            cwd=tmp_path, capture_output=True, text=True, timeout=500,
        )  # fmt: skip

    return run


def results(seamark, store):
    done = seamark_results(store)
    return {row["case_name"].split("/")[0]: row for row in done}


def seamark_results(store):
    import sqlite3

    with sqlite3.connect(store) as opened:
        opened.row_factory = sqlite3.Row
        return opened.execute("SELECT * FROM results ORDER BY attempt_id").fetchall()


def test_what_does_not_run_on_the_cpu_with_drawn_values_has_no_verdict(seamark, tmp_path):
    matrix = ["tensor", "float32", [4, 4], [4, 1], False]
    column = ["tensor", "float32", [4, 4], [1, 4], True]
    indices = ["tensor", "int64", [3], [1], False]
    trace = a_trace(
        {"function": "torch.matmul", "args": [matrix, ["tensor", "float32", [5, 4], [4, 1], False]]},
        {"function": "torch.linalg.cholesky", "args": [matrix]},
        {"function": "torch.log", "args": [matrix]},
        {"function": "torch.nn.functional.embedding", "args": [indices, matrix]},
        {"function": "torch.Tensor.relu_", "args": [column], "grad": True, "inner": True},
        {"function": "torch.nn.functional.one_hot", "args": [indices, 3]},
    )  # fmt: skip
    (tmp_path / "trace.json").write_text(json.dumps(trace))
    done = seamark("run", "--suite", "trace.json", "--target", "torch/cpu", "--store", "s.db")
    assert done.returncode == 0, done.stderr
    found = results(seamark, tmp_path / "s.db")
    said = {name: row["outcome"] for name, row in found.items()}
    assert said.pop("torch.matmul") == "skip"
    assert "does not run on the CPU either" in found["torch.matmul"]["reason"]
    assert set(said.values()) == {"pass"}, said
    assert len(said) == 5


def test_what_a_call_changes_beside_its_result_is_compared(executable, tmp_path, torch_python):
    """minidev's fallback leaves running statistics as they are."""
    batch = ["tensor", "float32", [4, 3], [3, 1], False]
    channel = ["tensor", "float32", [3], [1], False]
    call = {"function": "torch.nn.functional.batch_norm", "args": [batch, channel, channel]}
    trace = a_trace({**call, "kwargs": {"training": True}}, {**call, "kwargs": {"training": False}})
    (tmp_path / "trace.json").write_text(json.dumps(trace))
    (tmp_path / "seamark.toml").write_text(MINIDEV_CONFIG)
    done = subprocess.run(
        [executable, "run", "--suite", "trace.json", "--target", "torch/minidev", "--target", "torch/cpu", "--store", "s.db",
         "--python", torch_python, "--no-timing", "--config", "seamark.toml"],
        cwd=tmp_path, capture_output=True, text=True, timeout=500,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    rows = seamark_results(tmp_path / "s.db")
    said = {(row["target"], row["case_name"][-3:], row["outcome"]) for row in rows}
    assert said == {("torch/cpu", "[1]", "pass"), ("torch/cpu", "[2]", "pass"),
                    ("torch/minidev", "[1]", "fail"), ("torch/minidev", "[2]", "pass")}  # fmt: skip


def test_the_sizes_of_a_packed_sequence_are_drawn_to_fit(program, seamark, tmp_path):
    done, (trace,) = program("""\
import torch
from torch.nn.utils.rnn import pack_padded_sequence
packed = pack_padded_sequence(torch.randn(4, 9, 3), torch.tensor([9, 7, 5, 9]), batch_first=True, enforce_sorted=False)
torch.nn.LSTM(3, 5, batch_first=True)(packed)
torch.nn.GRU(3, 5, batch_first=True)(packed)
""")
    assert done.returncode == 0, done.stderr
    trace["calls"] = [one for one in trace["calls"] if one["function"] in ("torch.lstm", "torch.gru")]  # fmt: skip
    (tmp_path / "trace.json").write_text(json.dumps(trace))
    done = seamark("run", "--suite", "trace.json", "--target", "torch/cpu", "--store", "s.db")
    assert done.returncode == 0, done.stderr
    said = {name: row["outcome"] for name, row in results(seamark, tmp_path / "s.db").items()}
    assert said == {"torch.lstm": "pass", "torch.gru": "pass"}


def test_an_audit_runs_the_calls_on_the_target_and_tells_by_line(seamark, tmp_path, torch_python):
    (tmp_path / "train.py").write_text(TRAIN)
    done = seamark(
        "audit", "train.py", "--to", "torch/lazy", "--trace", torch_python + " train.py 3", "--store", "s.db",
        "--format", "json", "-o", "audit.json",
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    audit = json.loads((tmp_path / "audit.json").read_text())
    trace = audit["trace"]
    assert (trace["target"], trace["program"], trace["steps"]) == ("torch/lazy", None, 3)
    assert trace["answers"]["fails"] == 1 and trace["answers"].get("unknown", 0) == 0, trace
    items = {(one["id"], one["function"], one["line"]) for one in audit["items"] if one["id"].startswith("trace")}  # fmt: skip
    # The lazy backend has no as_strided, which the gradient of a GRU's cell takes.
    assert ("trace-fails", "torch.gru_cell", line("return self.cell(x)")) in items
    assert (
        "trace-on-host",
        "torch.Tensor.__getitem__",
        line("kept = logits[labels == 2]"),
    ) in items
    masked = line("x = x.masked_fill(~mask.unsqueeze(-1), 0.0).mean(1)")
    assert not any(one[:2] == ("trace-fails", "torch.Tensor.mean") for one in items)
    (host,) = [
        one for one in audit["items"] if one["id"] == "trace-on-host" and one["line"] == masked
    ]
    assert host["code"] == "x = x.masked_fill(~mask.unsqueeze(-1), 0.0).mean(1)"
    # Whoever has the device runs the same calls.
    again = seamark("run", "--suite", "trace.json", "--target", "torch/cpu", "--store", "cpu.db")
    assert again.returncode == 0, again.stderr
    rows = seamark_results(tmp_path / "cpu.db")
    assert {row["outcome"] for row in rows} == {"pass"}
    lazy = {row["case_name"] for row in seamark_results(tmp_path / "s.db")}
    assert {row["case_name"] for row in rows} == lazy


def test_a_program_that_fails_is_told_and_its_calls_are_kept(seamark, tmp_path, torch_python):
    (tmp_path / "train.py").write_text(
        "import torch\ntorch.ones(3, 4).mT.neg()\nprint('said')\nraise SystemExit(3)\n"
    )
    done = seamark("audit", "train.py", "--to", "torch/lazy", "--trace", torch_python + " train.py", "--store", "s.db")  # fmt: skip
    assert "said" in done.stderr and "said" not in done.stdout
    assert "exited with code 3" in " ".join(done.stdout.split())
    trace = json.loads((tmp_path / "trace.json").read_text())
    (neg,) = [call for call in trace["calls"] if call["function"] == "torch.Tensor.neg"]
    assert neg["args"] == [["tensor", "float32", [4, 3], [1, 4], False]]


def test_a_file_that_is_there_and_no_trace_is_not_overwritten(seamark, tmp_path, torch_python):
    (tmp_path / "train.py").write_text("import torch\ntorch.ones(3).neg()\n")
    (tmp_path / "trace.json").write_text("{}")
    done = seamark("audit", "train.py", "--to", "torch/lazy", "--trace", torch_python + " train.py", "--store", "s.db")  # fmt: skip
    assert done.returncode == 2 and "is no trace" in done.stderr
    assert (tmp_path / "trace.json").read_text() == "{}"
