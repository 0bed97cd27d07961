"""`seamark audit --fix`: what each fixer writes, what it leaves, and what becomes of the files. The fixers are tried at every
node of a text, so that what they write is seen to change nothing a second time. Needs LibCST (tests/requirements.txt)."""

import ast
import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
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
    """Every place at which a token begins."""
    return [
        (rule, number, token.start() + 1)
        for number, line in enumerate(text.splitlines(), 1)
        for token in re.finditer(r"\w+|[^\w\s]", line)
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
    (
        "DTY07",
        DEVICE + "with torch.cuda.amp.autocast():\n    pass\n",
        DEVICE + 'with torch.amp.autocast("cuda"):\n    pass\n',
    ),
    (
        "DEV01",
        DEVICE + 'x = torch.zeros(3, device="cuda")\n',
        DEVICE + "x = torch.zeros(3, device=device)\n",
    ),
    (
        "DEV01",
        DEVICE + 'x = y.to("cuda", non_blocking=True)\n',
        DEVICE + "x = y.to(device, non_blocking=True)\n",
    ),
    (
        "DEV01",
        TYPE + 'x = torch.zeros(3, device="cuda")\n',
        TYPE + "x = torch.zeros(3, device=device)\n",
    ),
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
        "API11",
        "import torch\nfrom torch.cuda.amp import GradScaler\n\nscaler = GradScaler(1024.0)\n",
        'import torch\n\nscaler = torch.amp.GradScaler("cuda", 1024.0)\n',
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
        TORCH
        + "class F:\n    @staticmethod\n    @torch.cuda.amp.custom_fwd\n    def forward(c, x):\n        pass\n",
        TORCH
        + 'class F:\n    @staticmethod\n    @torch.amp.custom_fwd(device_type="cuda")\n    def forward(c, x):\n        pass\n',
    ),
    (
        "CMP08",
        TORCH + "@torch.cuda.amp.custom_fwd(cast_inputs=torch.float32)\ndef f(c, x):\n    pass\n",
        TORCH
        + '@torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)\ndef f(c, x):\n    pass\n',
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
    (
        "API04",
        "import numpy as np\nx = np.float_(np.product(y) + np.Inf)\n",
        "import numpy as np\nx = np.float64(np.prod(y) + np.inf)\n",
    ),
    ("API05", "import jax\njax.tree_map(f, x)\n", "import jax\njax.tree.map(f, x)\n"),
    (
        "API05",
        "import jax\nx = jax.ops.index_update(x, jax.ops.index[0, :], y)\n",
        "import jax\nx = x.at[0, :].set(y)\n",
    ),
    (
        "API05",
        "import jax\nx = jax.ops.index_add(x + 1, i, y)\n",
        "import jax\nx = (x + 1).at[i].add(y)\n",
    ),
]

# (rule, before, after): another result is possible; --unsafe-fixes alone.
UNSAFE = [
    (
        "DTY08",
        TYPE + 'with torch.autocast(device_type="cuda", dtype=d):\n    pass\n',
        TYPE + "with torch.autocast(device_type=device, dtype=d):\n    pass\n",
    ),
    ("DEV01", TORCH + 'd = torch.device("cuda")\n', TORCH + "d = %s\n" % HERE),
    ("DEV01", TORCH + 'x = f(1, device="cuda")\n', TORCH + "x = f(1, device=(%s).type)\n" % HERE),
    ("DEV02", TORCH + "m = Net().cuda()\n", TORCH + "m = Net().to(%s)\n" % HERE),
    (
        "DEV02",
        TORCH + "def f(x, device):\n    return x.cuda()\n",
        TORCH + "def f(x, device):\n    return x.to(device)\n",
    ),
    ("DEV03", TYPE, TORCH + "device = (%s).type\n" % HERE),
    ("DEV03", DEVICE, TORCH + "device = %s\n" % HERE),
    (
        "DEV03",
        TORCH + 'd = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")\n',
        TORCH + "d = %s\n" % HERE,
    ),
    (
        "DEV03",
        TORCH + 'd = "cuda" if torch.cuda.is_available() and not args.cpu else "cpu"\n',
        TORCH + 'd = (%s).type if not args.cpu else "cpu"\n' % HERE,
    ),
    (
        "DEV04",
        TORCH + "torch.cuda.set_device(rank)\n",
        TORCH + "torch.accelerator.set_device_index(rank)\n",
    ),
    ("DEV08", TORCH + "if not x.is_cuda: f()\n", TORCH + 'if not (x.device.type != "cpu"): f()\n'),
    ("DEV08", TORCH + 'y = x.device.type == "cuda"\n', TORCH + 'y = x.device.type != "cpu"\n'),
    (
        "DEV12",
        TORCH + "x = torch.rand(n).to(device)\n",
        TORCH + "x = torch.rand(n, device=device)\n",
    ),
    ("DEV14", TORCH + "x = torch.load(p)\n", TORCH + 'x = torch.load(p, map_location="cpu")\n'),
    ("DEV14", TORCH + 'x = torch.load(p, "cuda:0")\n', TORCH + 'x = torch.load(p, "cpu")\n'),
    (
        "DTY08",
        TORCH + 'with torch.autocast("cuda"):\n    pass\n',
        TORCH + "with torch.autocast((%s).type):\n    pass\n" % HERE,
    ),
    (
        "DTY11",
        "import jax.numpy as jnp\ny = jnp.dot(a, b)\n",
        'import jax.numpy as jnp\ny = jnp.dot(a, b, precision="highest")\n',
    ),
    (
        "DYN08",
        LOADER + "x = DataLoader(\n    data,\n    batch_size=32,\n)\n",
        LOADER + "x = DataLoader(\n    data,\n    batch_size=32,\n    drop_last=True,\n)\n",
    ),
    (
        "DYN08",
        "import tensorflow as tf\nd = d.map(f).batch(32)\n",
        "import tensorflow as tf\nd = d.map(f).batch(32, drop_remainder=True)\n",
    ),
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
    (
        "API09",
        CHECKPOINT + "y = checkpoint(f, x)\n",
        CHECKPOINT + "y = checkpoint(f, x, use_reentrant=False)\n",
    ),
    (
        "EXT05",
        'm = M.from_pretrained(n, attn_implementation="flash_attention_2")\n',
        'm = M.from_pretrained(n, attn_implementation="sdpa")\n',
    ),
    (
        "EXT12",
        TORCH
        + "with torch.backends.cuda.sdp_kernel(enable_math=False, enable_cudnn=False):\n    pass\n",
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
    (
        "DEV01",
        TORCH + 'x = torch.zeros(3, device=f"cuda:{rank}")\n',
        "it names a device that is computed",
    ),
    ("DEV01", TORCH + 'x = torch.zeros(3, device="cuda:1")\n', "it names one device of several"),
    ("DEV02", TORCH + "m = m.cuda(rank)\n", "it names one device of several"),
    (
        "DEV02",
        TORCH + "class A:\n    def cuda(self): pass\na.cuda()\n",
        "a method `cuda` of its own is defined here",
    ),
    (
        "DEV03",
        TORCH + 'd = ("cuda"  # the fast one\n     if torch.cuda.is_available() else "cpu")\n',
        "a comment stands in it",
    ),
    (
        "DYN08",
        LOADER + "d = DataLoader(x, batch_size=2, drop_last=f)\n",
        "it has drop_last already",
    ),
    ("DYN08", LOADER + "d = DataLoader(x, **options)\n", "its arguments are unpacked"),
    (
        "DEV08",
        TORCH
        + 'if x.device.type == "cuda":\n    with torch.autocast("cuda"): f(x)\nelse:\n    f(x)\n',
        "what it decides has a way of CUDA's own, or one of another device",
    ),
    (
        "DEV08",
        TORCH
        + 'if x.device.type == "cpu": f(x)\nelif x.device.type == "cuda": g(x)\nelif x.device.type == "mps": h(x)\n',
        "what it decides has a way of CUDA's own, or one of another device",
    ),
    (
        "DEV08",
        TORCH + 'y = f(x, fused=x.device.type == "cuda")\n',
        "what the argument decides is not known",
    ),
    (
        "DEV08",
        TORCH + 'if x.device.type == "cuda":\n    f = torch.compile(f)\n',
        "what it decides may be for CUDA alone",
    ),
    (
        "DEV08",
        TORCH + 'if x.device.type != "cuda":\n    raise ValueError(x)\n',
        "what it decides may be for CUDA alone",
    ),
    (
        "DEV08",
        TORCH + 'name = "paddlepaddle-gpu" if x.device.type == "cuda" else "paddlepaddle"\n',
        "what it decides may be for CUDA alone",
    ),
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


# --- traps


def test_an_unsafe_autocast_takes_the_type_at_once():
    text = DEVICE + "with torch.cuda.amp.autocast(enabled=on):\n    pass\n"
    new = DEVICE + "with torch.amp.autocast(device.type, enabled=on):\n    pass\n"
    assert fixed("DTY07", text, unsafe=True).text == new
    assert fixed("DTY08", new, unsafe=True).text == new


def test_a_star_import_may_hide_the_variable():
    text = DEVICE + "from f import *\nx = x.cuda()\n"
    assert fixed("DEV02", text).text == text


@pytest.mark.parametrize("family", ["xla", "tpu"])
def test_torch_accelerator_does_not_know_xla(family):
    before = (
        TORCH + 'd = torch.device("cuda")\ne = "cuda" if torch.cuda.is_available() else "cpu"\n'
    )
    for rule, line in (("DEV01", 'd = torch.device("xla")'), ("DEV03", 'e = "xla"')):
        new = fixed(rule, before, family, unsafe=True).text
        assert "accelerator" not in new
        assert "import torch_xla\n" in new and line in new
        assert fixed(rule, new, family, unsafe=True).text == new
    for rule, text in (
        ("DEV05", TORCH + "torch.cuda.synchronize()\n"),
        ("SYN02", TORCH + "torch.cuda.Event()\n"),
    ):
        outcome = fixed(rule, text, family, unsafe=True)
        assert outcome.text == text
        assert "torch.accelerator does not know that device" in reasons(outcome)


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("DEV05", TORCH + "torch.cuda.synchronize()\n"),
        ("DEV05", TORCH + "torch.cuda.empty_cache()\n"),
        ("SYN02", TORCH + "torch.cuda.Event()\n"),
        ("CMP08", TORCH + "@torch.cuda.amp.custom_fwd\ndef f(): pass\n"),
        ("DST01", DEVICE + 'torch.distributed.init_process_group("nccl")\n'),
        ("API02", "import functorch\nfunctorch.vmap(f)\n"),
        ("API04", "import numpy as np\nnp.trapz(x)\n"),
    ],
)
def test_what_is_new_is_safe_from_a_lower_bound_on(rule, text):
    assert fixed(rule, text, floors=NEWEST).text != text
    unknown = fixed(rule, text, floors=NOTHING)
    assert unknown.text == text
    assert any("sets no lower bound" in why for why in reasons(unknown))
    assert fixed(rule, text, floors=NOTHING, unsafe=True).text != text
    old = fixed(rule, text, floors={"torch": (1, 13), "numpy": (1, 20)}, unsafe=True)
    assert old.text == text
    assert any("the project admits" in why for why in reasons(old))


def test_current_accelerator_needs_the_version_that_has_check_available():
    text = TORCH + 'd = torch.device("cuda")\n'
    assert fixed("DEV01", text, unsafe=True, floors={"torch": (2, 6)}).text == text
    assert fixed("DEV01", text, unsafe=True, floors={"torch": (2, 7)}).text != text


def test_an_old_jax_has_the_trees_elsewhere():
    text = "import jax\nfrom jax import tree_map\n\ntree_map(f, x)\n"
    assert fixed("API05", text).text == "import jax\n\njax.tree.map(f, x)\n"
    assert (
        fixed("API05", text, floors=NOTHING).text == "import jax\n\njax.tree_util.tree_map(f, x)\n"
    )
    assert "from jax import tree_map" in fixed("API05", text, is_package=True).text


@pytest.mark.parametrize(
    "variable",
    [
        'device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")',
        'device = "cuda" if torch.cuda.is_available() and use else "cpu"',
        'if use:\n    device = "cuda"',
        'device = "cuda"\ndevice = f()',
        'def f():\n    device = "cuda"',
        'device = "cpu"',
        "device = f()",
    ],
)
def test_a_variable_that_may_hold_another_device_is_not_safe(variable):
    text = "%s%s\nx = x.cuda()\n" % (TORCH, variable)
    assert fixed("DEV02", text).text == text
    hidden = DEVICE + "def g(x, device):\n    return x.cuda()\n"
    assert fixed("DEV02", hidden).text == hidden


def test_comments_and_strings_stay():
    text = TYPE + '"""x.cuda() and "cuda" """\n# y.cuda()\nz = "torch.cuda.synchronize()", "cuda"\n'
    for rule in set(FIXERS) - {"DEV03"}:
        assert fixed(rule, text, unsafe=True).text == text


SHAPES = st.sampled_from(
    [
        "%s",
        "f(%s)",
        "not %s",
        "(%s)",
        "x[%s]",
        "a + %s * 2",
        "[%s for i in j]",
        "lambda: %s",
        "%s if a else b",
        "f'{%s}'",
        "await_(%s).b",
        "f(\n    a,  # why\n    b=%s,\n)",
        "%s\\\n    + 1",
    ]
)
PLACES = [(rule, before) for rule, before, _ in SAFE + UNSAFE if before.count("\n") <= 3]


@settings(max_examples=settings.default.max_examples // 3)
@given(
    st.sampled_from(PLACES), st.lists(SHAPES, max_size=3), st.sampled_from(["mps", "xla", "npu"])
)
def test_what_is_written_parses_and_is_done_once(place, shapes, to):
    rule, before = place
    *head, line = before.rstrip("\n").split("\n")
    target, equals, value = line.partition(" = ")
    if not equals or target.startswith(("with ", "@", "for ", "x[")):
        target, equals, value = "v", " = ", line
    for shape in shapes:
        value = shape.replace("%s", value)
    text = "\n".join([*head, target + equals + value]) + "\n"
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for unsafe in (False, True):
        once = fixed(rule, text, to, unsafe)
        assert fixed(rule, once.text, to, unsafe).text == once.text
        if not once.done:
            assert ast.dump(ast.parse(once.text)) == ast.dump(tree)
        tokens = [
            one.value
            for one in cst.matchers.findall(cst.parse_module(text), cst.matchers.Comment())
        ]
        assert [
            one.value
            for one in cst.matchers.findall(cst.parse_module(once.text), cst.matchers.Comment())
        ] == tokens


RULES = importlib.import_module("fix_rules")
WRITTEN = {
    "torch": [
        *("torch.accelerator.%s" % new for new, _ in RULES.TWINS.values()),
        *(new for new, _ in RULES.TORCH_NAMES.values()),
        *("torch.nn.attention.SDPBackend.%s" % one for one in RULES.BACKENDS.values()),
        "torch.accelerator.current_accelerator",
        "torch.nn.attention.sdpa_kernel",
        "torch.amp.autocast",
        "torch.amp.GradScaler",
        "torch.amp.custom_fwd",
        "torch.amp.custom_bwd",
        "torch.Event",
        "torch.distributed.get_default_backend_for_device",
        *("numpy.%s" % one for one in RULES.NUMPY_NAMES.values()),
    ],
    "jax": [
        *("jax.tree_util.%s" % one for one in RULES.TREES),
        *("jax.tree.%s" % one.removeprefix("tree_") for one in RULES.TREES),
    ],
}


@pytest.mark.framework
@pytest.mark.parametrize("framework", WRITTEN)
def test_what_is_written_is_there(framework, framework_python):
    program = "import %s, numpy\nfor name in %r: eval(name)\n" % (framework, WRITTEN[framework])
    subprocess.run([framework_python(framework), "-c", program], check=True, timeout=300)


# --- lower bounds


@pytest.mark.parametrize(
    ("name", "content", "floor"),
    [
        ("requirements.txt", "numpy\ntorch >=2.6, <3  # why\n", (2, 6)),
        ("requirements-dev.txt", "torch[opt]==2.7.1; python_version > '3'\n", (2, 7, 1)),
        ("requirements.txt", "torch\n", None),
        ("requirements.txt", "torch<3\n", None),
        ("requirements.txt", "torchvision>=0.2\n", None),
        ("pyproject.toml", '[project]\ndependencies = ["torch~=2.6"]\n', (2, 6)),
        ("pyproject.toml", '[project.optional-dependencies]\na = ["torch>=2.7"]\n', (2, 7)),
        ("pyproject.toml", '[tool.poetry.dependencies]\ntorch = "^2.8"\n', (2, 8)),
        (
            "pyproject.toml",
            '[tool.poetry.group.a.dependencies]\ntorch = {version = ">=2.5"}\n',
            (2, 5),
        ),
        ("pyproject.toml", "[project\n", None),
        ("setup.cfg", "[options]\ninstall_requires =\n    Torch>=2.9\n", (2, 9)),
    ],
)
def test_lower_bounds_are_read(tmp_path, name, content, floor):
    (tmp_path / name).write_text(content)
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert fix_floors.floor(str(tmp_path / "a" / "b" / "x.py"), "torch") == floor


def test_the_lowest_of_several_bounds_counts(tmp_path):
    (tmp_path / "requirements.txt").write_text("torch>=2.9\n")
    (tmp_path / "setup.cfg").write_text("[options.extras_require]\nold = torch>=2.1\n")
    assert fix_floors.floor(str(tmp_path / "x.py"), "torch") == (2, 1)


# --- files, by way of the executable


@pytest.fixture
def project(tmp_path):
    """A folder that git has, with this pyproject.toml."""
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["torch>=2.7"]\n')
    (tmp_path / "train.py").write_bytes(TRAIN.encode())
    (tmp_path / "train.py").chmod(0o751)
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


TRAIN = DEVICE + 'model = Net().cuda()  # moved\nx = torch.zeros(3, device="cuda")\n'
MOVED = "model = Net().to(device)  # moved\nx = torch.zeros(3, device=device)\n"


def git(folder, *words):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True)


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")


@pytest.fixture
def audit(executable, project):
    def run(*words, code=0, **variables):
        done = subprocess.run(
            [executable, "audit", ".", "--to", "torch/mps", "--fail-on", "none", *words],
            cwd=project,
            capture_output=True,
            timeout=120,
            env={**os.environ, "SEAMARK_PYTHON": sys.executable, **variables},
        )
        assert done.returncode == code, done.stderr.decode()
        return done

    return run


def items(audit):
    lines = audit("--format", "jsonl").stdout.decode().splitlines()
    return [json.loads(line)["id"] for line in lines]


def test_fix_writes_what_is_safe_and_unsafe_fixes_the_rest(project, audit):
    done = audit("--fix", "-o", "report.txt")
    assert (project / "train.py").read_text() == DEVICE + MOVED
    assert (project / "train.py").stat().st_mode & 0o777 == 0o751
    assert not list(project.glob(".seamark-*"))
    assert done.stdout.startswith(b"--- a/train.py\n+++ b/train.py\n@@ ")
    assert b"DEV03 stays at " in done.stderr and b"--unsafe-fixes does" in done.stderr
    assert set(items(audit)) == {"DEV03"}
    (project / "report.txt").unlink()
    commit(project)
    assert b"+++" not in audit("--fix").stdout
    audit("--unsafe-fixes")
    assert (project / "train.py").read_text() == TORCH + "device = %s\n" % HERE + MOVED
    commit(project)
    assert items(audit) == []
    assert b"+++" not in audit("--unsafe-fixes").stdout


def test_the_diff_is_one_that_git_applies(project, audit):
    for words in (["--diff"], ["--fix", "--diff"]):
        shown = audit(*words).stdout
        assert (project / "train.py").read_text() == TRAIN
    subprocess.run(["git", "apply", "-"], cwd=project, input=shown, check=True)
    assert (project / "train.py").read_text() == DEVICE + MOVED


def test_what_is_not_committed_is_not_written_over(project, audit):
    (project / "other.py").write_text("x = 1\n")
    commit(project)
    (project / "other.py").write_text("x = 2\n")
    refused = audit("--fix", code=2)
    assert b"other.py" in refused.stderr and b"--allow-dirty" in refused.stderr
    assert refused.stdout == b""
    assert (project / "train.py").read_text() == TRAIN
    audit("--fix", "--allow-dirty")
    assert (project / "train.py").read_text() == DEVICE + MOVED


def test_what_git_does_not_have_is_not_written_over(project, audit):
    (project / "new.py").write_text(TRAIN)
    assert b"new.py is not in git" in audit("--fix", code=2).stderr
    assert (project / "train.py").read_text() == TRAIN
    git(project, "add", "-N", "new.py")
    audit("--fix", code=2)
    (project / "new.py").unlink()
    subprocess.run(["rm", "-r", project / ".git"], check=True)
    assert b"is not in git" in audit("--fix", code=2).stderr
    audit("--fix", "--allow-dirty")
    assert (project / "train.py").read_text() == DEVICE + MOVED


def test_what_cannot_be_done_leaves_its_file_alone(project, audit):
    cell = {
        "cell_type": "code",
        "source": TRAIN.splitlines(keepends=True),
        "metadata": {},
        "outputs": [],
    }
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    left = {
        "a.ipynb": (notebook, "notebooks are left as they are"),
        "broken.py": (TRAIN + "def f(:\n", "it does not parse"),
        "deep.py": (TRAIN + "y = %s1%s\n" % ("(" * 20000, ")" * 20000), "LibCST cannot read it"),
        "new.py": (TRAIN + "type X[T] = f'{'x'}'\nz = 1", ""),
    }
    for name, (text, _) in left.items():
        (project / name).write_text(text)
    said = audit("--fix", "--allow-dirty").stderr.decode()
    for name, (text, why) in left.items():
        if why:
            assert (project / name).read_text() == text
            assert any("at %s:" % name in line and why in line for line in said.splitlines()), said
    assert (project / "new.py").read_text() == left["new.py"][0].replace(TRAIN, DEVICE + MOVED)
    assert (project / "train.py").read_text() == DEVICE + MOVED


def test_a_link_is_not_followed(project, tmp_path_factory):
    real = tmp_path_factory.mktemp("elsewhere") / "code.py"
    real.write_text(TRAIN)
    (project / "link.py").symlink_to(real)
    job = {"to": "mps", "unsafe": False, "write": True, "allow_dirty": True}
    job["files"] = [{"path": "link.py", "places": [["DEV02", 3, 12]]}]
    done = subprocess.run(
        [sys.executable, HELPER / "fixes.py"],
        cwd=project,
        input=json.dumps(job).encode(),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["files"][0]["left"] == [[0, "it is a link, or no file", False]]
    assert real.read_text() == TRAIN and (project / "link.py").is_symlink()


@pytest.mark.parametrize(
    "encoded",
    [
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: ("# coding: latin-1\n# \xe9\n" + text).encode("latin-1"),
        lambda text: text.rstrip("\n").encode(),
        lambda text: (text + "\x0c\nif x:\n\ty = '\u2028\U0001f600'\n").encode(),
    ],
    ids=["crlf", "mark", "latin-1", "no-last-line-end", "odd-characters"],
)
def test_the_bytes_around_a_fix_stay(project, audit, encoded):
    (project / "train.py").write_bytes(encoded(TRAIN))
    commit(project)
    shown = audit("--diff").stdout
    audit("--fix")
    new = (project / "train.py").read_bytes()
    assert new == encoded(DEVICE + MOVED)
    git(project, "checkout", "train.py")
    subprocess.run(["git", "apply", "-"], cwd=project, input=shown, check=True)
    assert (project / "train.py").read_bytes() == new


def test_a_suppressed_finding_is_not_fixed(project, audit):
    text = DEVICE + "x = x.cuda()  # seamark: ignore[DEV02] of CUDA alone\n"
    (project / "train.py").write_text(text)
    commit(project)
    audit("--fix")
    assert (project / "train.py").read_text() == text


def test_many_files_are_rewritten_side_by_side(project, audit):
    for number in range(20):
        (project / ("f%d.py" % number)).write_text(TRAIN)
    commit(project)
    audit("--fix")
    assert {path.read_text() for path in project.glob("*.py")} == {DEVICE + MOVED}


def test_without_libcst_the_error_says_what_to_do(project, audit, tmp_path_factory):
    bare = tmp_path_factory.mktemp("bare") / "python"
    bare.write_text('#!/bin/sh\nexec "%s" -S "$@"\n' % sys.executable)
    bare.chmod(0o755)
    said = audit("--fix", code=3, SEAMARK_PYTHON=str(bare)).stderr
    assert b"fixes need LibCST" in said and b"seamark targets install fixes" in said
    assert (project / "train.py").read_text() == TRAIN


def test_a_report_for_programs_needs_a_file(audit):
    assert b"-o" in audit("--fix", "--format", "json", code=2).stderr
