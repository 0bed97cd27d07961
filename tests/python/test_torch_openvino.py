"""The adapter of torch/cpu+openvino is docs/targets.md's example of a proof: it works as a file of a user's own too."""

import json
import sqlite3
import subprocess

import pytest
from agent_client import ROOT

HEAD = """
import torch
from seamark_suites.case import case


@torch.library.custom_op("mine::exp", mutates_args=())
def own_operator(x: torch.Tensor) -> torch.Tensor:
    return x.exp()


@own_operator.register_fake
def _(x):
    return torch.empty_like(x)

"""
CALLS = {
    "add": ("x + 1", "device"),
    "matmul": ("x @ x", "device"),
    "argsort": ("torch.argsort(x)", "device"),
    "conv2d": ("torch.nn.functional.conv2d(x[None, None], x[None, None, :2, :2])", "device"),
    "rand": ("torch.rand(3)", "device"),
    "svdvals": ("torch.linalg.svdvals(x)", "aten::_linalg_svd"),
    "slogdet": ("torch.linalg.slogdet(x)", "aten::_linalg_slogdet"),
    "in_part": ("torch.linalg.svdvals(x + 1) + 1", "aten::_linalg_svd"),
    "raises_within": ("torch.complex(x, x) * 2", "aten::complex"),
    "own": ("own_operator(x) + 1", "mine::exp"),
    "reshape": ("x.reshape(2, 8)", "unknown"),
    "handed_on": ("x", "none"),
}


ADAPTER = ROOT / "python" / "seamark_agent" / "adapters" / "torch_openvino.py"


@pytest.mark.framework
@pytest.mark.long
def test_the_adapter_as_a_file_of_ones_own_tells_what_openvino_executed(
    framework_python, executable, tmp_path
):
    python = framework_python("torch_openvino")
    (tmp_path / "my_adapter.py").write_text(ADAPTER.read_text())
    (tmp_path / "seamark.toml").write_text(
        '[[target]]\nname = "torch/cpu+mine"\nlike = "torch/cpu+openvino"\ndevice = "cpu"\n'
        'adapter = "./my_adapter.py"\n'
    )
    text = HEAD
    for name, (call, _) in CALLS.items():
        text += '\n@case("torch.%s", random=True, reference="none")\ndef %s(t):\n' % (name, name)
        text += '    t.call(lambda x: %s, t.randn((4, 4), "f32"))\n' % call
    text += (
        '\n@case("torch.unique")\ndef unique(t):\n    t.call("torch.unique", t.randn(9, "f32"))\n'
    )
    (tmp_path / "calls.py").write_text(text)

    run = "run --config seamark.toml --target torch/cpu+mine --suite calls.py --no-timing --store own.db"
    done = subprocess.run([executable, *run.split(), "--no-confirm", "--python", python],
                          cwd=tmp_path, capture_output=True, text=True)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    rows = sqlite3.connect(tmp_path / "own.db").execute(
        "SELECT cases.name, (SELECT name FROM enums WHERE kind = 'placement' AND number = placement),"
        " placement_details FROM attempts JOIN cases ON case_id = cases.id"
    )
    places = {}
    for name, where, details in rows:
        operators = json.loads(details or "{}").get("fallback_ops", [])
        places[name.split("/")[1]] = operators[0] if where == "host" and operators else where
    assert places.pop("unique") != "device"
    assert places == {name: place for name, (_, place) in CALLS.items()}
