"""`seamark audit --trace` of PyTorch: where Dynamo's graphs end, and what it compiles again."""

import json
import re

import pytest
from traced_program import audited, traced_program

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.last = nn.Linear(4, 2)

    def forward(self, x, name):
        x = self.first(x)
        if x.sum() > 0:
            x = x + 1
        size = x.max().item()
        return self.last(x) * size * len(name)


net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
%s
for step in range(5):
    optimizer.zero_grad()
    net(torch.ones(3 + step, 4), "secret" * (step + 1)).sum().backward()
    optimizer.step()
"""


def number_of(text, line):
    return text.splitlines().index(line) + 1


@pytest.fixture
def torch_python(framework_python):
    return framework_python("torch")


@pytest.fixture
def program(tmp_path, torch_python):
    run = traced_program(tmp_path, torch_python)
    return lambda text, what: run(text, environment={"SEAMARK_TRACE_GRAPHS": what})


@pytest.mark.framework
def test_breaks_have_dynamos_number_and_the_users_line(tmp_path, torch_python):
    text = MODEL % "net.compile()"
    done, (trace,) = traced_program(tmp_path, torch_python)(
        text, environment={"SEAMARK_TRACE_GRAPHS": "own", "TORCH_LOGS": "graph_breaks,recompiles"}
    )
    assert done.returncode == 0, done.stderr
    found = {(number, line): times for number, _, file, line, times in trace["breaks"] if file == "train.py"}  # fmt: skip
    branch, item = "        if x.sum() > 0:", "        size = x.max().item()"
    assert set(found) == {("GB0170", number_of(text, branch)), ("GB0124", number_of(text, item))}
    # Dynamo's own log tells of as many.
    logged = re.findall(r"Graph break .*in user code at .*train.py:(\d+)", done.stderr)
    for (_, line), times in found.items():
        assert logged.count(str(line)) == times > 1
    again = len(re.findall("Recompiling function", done.stderr))
    assert sum(one[-1] for one in trace["recompiled"]) == again > 2
    assert trace["graphs"] > 2 and trace["steps"] == 5 and trace["calls"] == []


@pytest.mark.framework
def test_what_is_compiled_again_is_told_without_the_programs_values(program):
    text = MODEL % "net.compile()"
    _, (trace,) = program(text, "own")
    whys = {why for _, why, file, _, _ in trace["recompiled"] if file == "train.py"}
    assert "tensor 'x' size mismatch at index 0. expected 3, actual 4" in whys
    assert {name for name, *_ in trace["recompiled"]} == {"forward"}
    assert "secret" not in json.dumps(trace)


@pytest.mark.framework
def test_a_function_that_is_no_longer_compiled_is_told(program):
    text = """\
import torch


@torch.compile(mode="reduce-overhead")
def scaled(x, by):
    return x * len(by) if by != "x" else x


for step in range(12):
    scaled(torch.ones(3), "v%d" % step)
"""
    done, (trace,) = program(text, "own")
    assert done.returncode == 0, done.stderr
    limited = [why for name, why, *_ in trace["recompiled"] if name == "scaled" and "no longer" in why]  # fmt: skip
    assert len(limited) == 1 and re.match("after 8 compilations it is no longer compiled: by == ...", limited[0])  # fmt: skip


@pytest.mark.framework
def test_modules_are_compiled_where_the_target_does(program):
    text = MODEL % ""
    done, (own,) = program(text, "own")
    assert done.returncode == 0 and own["graphs"] == 0
    done, (trace,) = program(text, "all")
    assert done.returncode == 0, done.stderr
    assert {number for number, *_ in trace["breaks"]} == {"GB0170", "GB0124"}
    _, (same,) = program(MODEL % "net.compile()", "own")
    assert [one[0] for one in same["breaks"]] == [one[0] for one in trace["breaks"]]


@pytest.mark.framework
def test_an_audit_tells_both_by_line(executable, tmp_path, torch_python):
    text = MODEL % "net.compile()"
    (tmp_path / "train.py").write_text(text)
    audit = audited(executable, tmp_path, "torch/lazy", torch_python)
    assert audit["trace"]["graph_breaks"] > 2 and audit["trace"]["recompilations"] > 2
    items = {(one["id"], one["line"]): one for one in audit["items"]}
    item = items["trace-breaks", number_of(text, "        size = x.max().item()")]
    assert item["title"].startswith("the graph ends here (GB0124: ")
    assert item["fix"].endswith("/gb/gb0124.html")
    assert items["trace-reads", item["line"]]["function"] == "torch.Tensor.item"
    again = [one for one in audit["items"] if one["id"] == "trace-recompiles"]
    assert again and all(one["title"].startswith("forward was compiled again") for one in again)
