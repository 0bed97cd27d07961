"""`seamark audit --fix`: what each fixer writes, what it leaves, and what becomes of the files. The fixers are tried at every
node of a text, so that what they write is seen to change nothing a second time. Needs LibCST (tests/requirements.txt)."""

import ast
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

cst = pytest.importorskip("libcst", reason="LibCST is not installed")

ROOT = Path(__file__).resolve().parents[2]
HELPER = ROOT / "python" / "seamark_helper"
sys.path.insert(0, str(HELPER))
fix_code = importlib.import_module("fix_code")
fix_floors = importlib.import_module("fix_floors")
FIXERS = importlib.import_module("fix_rules").FIXERS

NEWEST = {"torch": (2, 13), "jax": (0, 10), "numpy": (2, 4), "torch-xla": (2, 9)}
NOTHING = {}
HERE = 'torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")'


def everywhere(rule, text):
    """Every place at which something stands."""
    lines = text.splitlines()
    return [
        (rule, number, column + 1)
        for number, line in enumerate(lines, 1)
        for column in range(len(line))
        if not line[column].isspace()
    ]


def fixed(rule, text, to="mps", unsafe=False, floors=NEWEST, places=None, **options):
    code = fix_code.Code(text, to, unsafe, floors.get, **options)
    outcome = code.apply(everywhere(rule, text) if places is None else places, FIXERS)
    ast.parse(outcome.text)
    return outcome


def reasons(outcome):
    return set(outcome.left.values()) - {"its form is not one that a fix knows"}


TORCH = "import torch\n"
DEVICE = TORCH + 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
TYPE = TORCH + 'device = "cuda" if torch.cuda.is_available() else "cpu"\n'
CHECKPOINT = "from torch.utils.checkpoint import checkpoint\n"
LOADER = "from torch.utils.data import DataLoader\n"

# (rule, before, after): the old device's result stays.
SAFE = [
    ("DEV01", DEVICE + 'x = torch.zeros(3, device="cuda")\n', DEVICE + "x = torch.zeros(3, device=device)\n"),
    ("DEV01", DEVICE + 'x = y.to("cuda", non_blocking=True)\n', DEVICE + "x = y.to(device, non_blocking=True)\n"),
    ("DEV01", TYPE + 'x = torch.zeros(3, device="cuda")\n', TYPE + "x = torch.zeros(3, device=device)\n"),
    ("DEV01", TYPE + 'd = torch.device("cuda")\n', TYPE + "d = torch.device(device)\n"),
    (
        "DEV01",
        TYPE + 'x = pipeline("text", device="cuda")\n',
        TYPE + 'x = pipeline("text", device=device)\n',
    ),
    ("DEV02", DEVICE + "x = x.cuda()\n", DEVICE + "x = x.to(device)\n"),
    ("DEV02", DEVICE + "f(x.cuda( ), y.cuda())\n", DEVICE + "f(x.to( device), y.to(device))\n"),
    (
        "DEV02",
        DEVICE + "def f(x):\n    return g(x.cuda(non_blocking=True)).cuda(device)  # there\n",
        DEVICE + "def f(x):\n    return g(x.to(device, non_blocking=True)).to(device)  # there\n",
    ),
    ("DEV05", TORCH + "torch.cuda.synchronize()\n", TORCH + "torch.accelerator.synchronize()\n"),
    (
        "DEV05",
        "import torch as t\nn = t.cuda.max_memory_allocated(device=d)\n",
        "import torch as t\nn = t.accelerator.max_memory_allocated(d)\n",
    ),
    (
        "DTY07",
        TORCH + "with torch.cuda.amp.autocast(False, dtype=torch.float16):\n    pass\n",
        TORCH + 'with torch.amp.autocast("cuda", enabled=False, dtype=torch.float16):\n    pass\n',
    ),
    (
        "DTY07",
        "import torch\nfrom torch.cuda.amp import GradScaler\n\nscaler = GradScaler(1024.0)\n",
        'import torch\n\nscaler = torch.amp.GradScaler("cuda", 1024.0)\n',
    ),
    (
        "DTY07",
        DEVICE + "with torch.cuda.amp.autocast():\n    pass\n",
        DEVICE + "with torch.amp.autocast(device.type):\n    pass\n",
    ),
    (
        "DTY08",
        TYPE + 'with torch.autocast(device_type="cuda", dtype=d):\n    pass\n',
        TYPE + "with torch.autocast(device_type=device, dtype=d):\n    pass\n",
    ),
    (
        "SYN02",
        TORCH + "e = torch.cuda.Event(True)\n",
        TORCH + "e = torch.Event(enable_timing=True)\n",
    ),
    (
        "SYN03",
        "import torch_xla\nimport torch_xla.core.xla_model as xm\nd = xm.xla_device()\nxm.mark_step()\n",
        "import torch_xla\nimport torch_xla.core.xla_model as xm\nd = torch_xla.device()\ntorch_xla.sync()\n",
    ),
    (
        "CMP08",
        TORCH + "class F:\n    @staticmethod\n    @torch.cuda.amp.custom_fwd\n    def forward(c, x):\n        pass\n",
        TORCH + 'class F:\n    @staticmethod\n    @torch.amp.custom_fwd(device_type="cuda")\n    def forward(c, x):\n        pass\n',
    ),
    (
        "CMP08",
        TORCH + "@torch.cuda.amp.custom_fwd(cast_inputs=torch.float32)\ndef f(c, x):\n    pass\n",
        TORCH + '@torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)\ndef f(c, x):\n    pass\n',
    ),
    (
        "DST01",
        "import torch.distributed as dist\n" + DEVICE + 'dist.init_process_group("nccl", rank=r)\n',
        "import torch.distributed as dist\n"
        + DEVICE
        + "dist.init_process_group(dist.get_default_backend_for_device(device), rank=r)\n",
    ),
    (
        "RNG02",
        DEVICE + 'g = torch.Generator("cuda").manual_seed(0)\n',
        DEVICE + "g = torch.Generator(device).manual_seed(0)\n",
    ),
    ("API02", TORCH + "torch.ger(a, b)\n", TORCH + "torch.outer(a, b)\n"),
    (
        "API02",
        "import torch\nfrom functorch import vmap\n\n@vmap\ndef f(x): return x\n",
        "import torch\n\n@torch.func.vmap\ndef f(x): return x\n",
    ),
    ("API04", "import numpy as np\nx = np.float_(np.product(y) + np.Inf)\n", "import numpy as np\nx = np.float64(np.prod(y) + np.inf)\n"),
    ("API05", "import jax\njax.tree_map(f, x)\n", "import jax\njax.tree.map(f, x)\n"),
    ("API05", "import jax\nx = jax.ops.index_update(x, jax.ops.index[0, :], y)\n", "import jax\nx = x.at[0, :].set(y)\n"),
    ("API05", "import jax\nx = jax.ops.index_add(x + 1, i, y)\n", "import jax\nx = (x + 1).at[i].add(y)\n"),
]

# (rule, before, after): another result is possible; --unsafe-fixes alone.
UNSAFE = [
    ("DEV01", TORCH + 'd = torch.device("cuda")\n', TORCH + "d = (%s)\n" % HERE),
    ("DEV01", TORCH + 'x = f(1, device="cuda")\n', TORCH + "x = f(1, device=(%s).type)\n" % HERE),
    ("DEV02", TORCH + "m = Net().cuda()\n", TORCH + "m = Net().to((%s))\n" % HERE),
    (
        "DEV02",
        TORCH + "def f(x, device):\n    return x.cuda()\n",
        TORCH + "def f(x, device):\n    return x.to(device)\n",
    ),
    ("DEV03", TYPE, TORCH + "device = (%s).type\n" % HERE),
    ("DEV03", DEVICE, TORCH + "device = (%s)\n" % HERE),
    (
        "DEV03",
        TORCH + 'd = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")\n',
        TORCH + "d = (%s)\n" % HERE,
    ),
    (
        "DEV03",
        TORCH + 'd = "cuda" if torch.cuda.is_available() and not args.cpu else "cpu"\n',
        TORCH + 'd = (%s).type if not args.cpu else "cpu"\n' % HERE,
    ),
    ("DEV04", TORCH + "torch.cuda.set_device(rank)\n", TORCH + "torch.accelerator.set_device_index(rank)\n"),
    ("DEV08", TORCH + "if not x.is_cuda: f()\n", TORCH + 'if not (x.device.type != "cpu"): f()\n'),
    ("DEV08", TORCH + 'y = x.device.type == "cuda"\n', TORCH + 'y = x.device.type != "cpu"\n'),
    ("DEV12", TORCH + "x = torch.rand(n).to(device)\n", TORCH + "x = torch.rand(n, device=device)\n"),
    ("DEV14", TORCH + "x = torch.load(p)\n", TORCH + 'x = torch.load(p, map_location="cpu")\n'),
    ("DEV14", TORCH + 'x = torch.load(p, "cuda:0")\n', TORCH + 'x = torch.load(p, "cpu")\n'),
    (
        "DTY08",
        TORCH + 'with torch.autocast("cuda"):\n    pass\n',
        TORCH + "with torch.autocast((%s).type):\n    pass\n" % HERE,
    ),
    ("DTY11", "import jax.numpy as jnp\ny = jnp.dot(a, b)\n", 'import jax.numpy as jnp\ny = jnp.dot(a, b, precision="highest")\n'),
    (
        "DYN08",
        LOADER + "x = DataLoader(\n    data,\n    batch_size=32,\n)\n",
        LOADER + "x = DataLoader(\n    data,\n    batch_size=32,\n    drop_last=True,\n)\n",
    ),
    ("DYN08", "import tensorflow as tf\nd = d.map(f).batch(32)\n", "import tensorflow as tf\nd = d.map(f).batch(32, drop_remainder=True)\n"),
    (
        "CMP10",
        "import jax\ndef f(x, v):\n    x[0, :] = v\n    x[1] += v, 2\n    return x\n",
        "import jax\ndef f(x, v):\n    x = x.at[0, :].set(v)\n    x = x.at[1].add((v, 2))\n    return x\n",
    ),
    (
        "DST04",
        "from torch.nn.parallel import DistributedDataParallel as DDP\nm = DDP(m, device_ids=[rank])\n",
        "from torch.nn.parallel import DistributedDataParallel as DDP\nm = DDP(m, device_ids=None)\n",
    ),
    ("RNG01", TORCH + "torch.cuda.manual_seed_all(s)\n", TORCH + "torch.manual_seed(s)\n"),
    ("API04", "import numpy as np\nnp.in1d(a, b)\n", "import numpy as np\nnp.isin(a, b)\n"),
    ("API09", CHECKPOINT + "y = checkpoint(f, x)\n", CHECKPOINT + "y = checkpoint(f, x, use_reentrant=False)\n"),
    (
        "EXT05",
        'm = M.from_pretrained(n, attn_implementation="flash_attention_2")\n',
        'm = M.from_pretrained(n, attn_implementation="sdpa")\n',
    ),
    (
        "EXT12",
        TORCH + "with torch.backends.cuda.sdp_kernel(enable_math=False, enable_cudnn=False):\n    pass\n",
        TORCH
        + "with torch.nn.attention.sdpa_kernel([torch.nn.attention.SDPBackend.FLASH_ATTENTION, "
        + "torch.nn.attention.SDPBackend.EFFICIENT_ATTENTION]):\n    pass\n",
    ),
]

# (rule, text, why): what stays even with --unsafe-fixes.
STAYS = [
    (
        "DYN08",
        LOADER + "for x in DataLoader(\n    data,\n    batch_size=32,  # of them\n): pass\n",
        "a comment stands in its arguments",
    ),
    ("DEV01", TORCH + 'x = torch.zeros(3, device=f"cuda:{rank}")\n', "it names a device that is computed"),
    ("DEV01", TORCH + 'x = torch.zeros(3, device="cuda:1")\n', "it names one device of several"),
    ("DEV02", TORCH + "m = m.cuda(rank)\n", "it names one device of several"),
    ("DEV02", TORCH + "class A:\n    def cuda(self): pass\na.cuda()\n", "a method `cuda` of its own is defined here"),
    (
        "DEV03",
        TORCH + 'd = ("cuda"  # the fast one\n     if torch.cuda.is_available() else "cpu")\n',
        "a comment stands in it",
    ),
    ("DYN08", LOADER + "d = DataLoader(x, batch_size=2, drop_last=f)\n", "it has drop_last already"),
    ("DYN08", LOADER + "d = DataLoader(x, **options)\n", "its arguments are unpacked"),
    ("CMP10", "import jax\nx = 1\ndef f():\n    x[0] = 1\n", "`x` belongs to another scope"),
    ("EXT12", TORCH + "torch.backends.cuda.sdp_kernel(on)\n", "its arguments are computed"),
]


@pytest.mark.parametrize(("rule", "before", "after"), SAFE)
def test_a_safe_fix(rule, before, after):
    assert fixed(rule, before).text == after
    assert fixed(rule, after).text == after


@pytest.mark.parametrize(("rule", "before", "after"), UNSAFE)
def test_an_unsafe_fix_is_asked_for(rule, before, after):
    assert fixed(rule, before).text == before
    assert fixed(rule, before, unsafe=True).text == after
    assert fixed(rule, after, unsafe=True).text == after


@pytest.mark.parametrize(("rule", "text", "why"), STAYS)
def test_what_stays_says_why(rule, text, why):
    outcome = fixed(rule, text, unsafe=True)
    assert outcome.text == text
    assert why in reasons(outcome)


def test_every_fixer_is_shown():
    assert {rule for rule, _, _ in SAFE + UNSAFE} == set(FIXERS)
