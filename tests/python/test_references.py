"""Right is what an answer that calls no kernel of PyTorch says: how many functions have one."""

import ast
import json
import os
import subprocess
from pathlib import Path

import pytest
from seamark_suites import loader

ROOT = Path(__file__).resolve().parents[2]
SUITE = ROOT / "python" / "seamark_suites" / "torch"
FLOOR = 0.9  # of the functions whose values are compared
NEARLY_ALL = 0.9  # of the cases of one of them

# Runs the cases in f32, and prints how many references were called and the operators that they called.
RUN = """
import json
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from seamark_agent import commands, harness
from seamark_suites import loader

target = {"name": "torch/cpu", "framework": "torch", "adapter": "torch_eager", "device": "cpu"}
runner = harness.Runner(commands._started(target))
call, called, operators = harness.call_reference, [], {}

class Watch(TorchDispatchMode):
    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        operators.setdefault(called[-1], []).append(str(operator))
        return operator(*args, **(kwargs or {}))

def watched(*arguments):
    with Watch():
        return call(*arguments)

harness.call_reference = watched
for case in loader.load(["curated"], "torch"):
    if callable(case.reference) and case.dtype == "f32":
        called.append(case.name)
        end = runner.run(case, "correctness")
        assert end["outcome"] == "pass" or case.cpu_fails, (case.name, end)
print(json.dumps([len(called), operators]))
"""


def shares():
    """{function: the share of its cases with values to compare whose reference is independent}."""
    cases = {}
    for case in loader.load(["curated"], "torch"):
        if case.reference != "none" and not case.random and not case.host_only:
            cases.setdefault(case.function, []).append(
                callable(case.reference) or case.reference == "numpy"
            )
    return {function: sum(own) / len(own) for function, own in cases.items()}


def test_functions_have_independent_references():
    found = shares()
    without = sorted((share, function) for function, share in found.items() if share < NEARLY_ALL)
    share = 1 - len(without) / len(found)
    listing = "\n".join("%4.0f%% %s" % (100 * own, function) for own, function in without)
    print(
        "%d of %d functions; of the others so many cases have one:"
        % (len(found) - len(without), len(found))
    )
    print(listing)
    assert share >= FLOOR, listing


@pytest.mark.parametrize("path", sorted(SUITE.glob("reference*.py")), ids=lambda path: path.stem)
def test_references_import_no_framework(path):
    imported = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imported |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            imported.add(node.module.split(".")[0])
    assert imported <= {"seamark_suites", "numpy", "mpmath", "math", "functools", "itertools"}


def test_gradients_by_differences_are_those_of_formulas():
    np = pytest.importorskip("numpy")
    from seamark_suites.reference import with_gradient

    rng = np.random.default_rng(0)
    x, y = (
        rng.standard_normal((3, 3)),
        rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3)),
    )
    w = np.linspace(0.5, 1.5, 9).reshape(3, 3)

    def product(np, x, y):
        return x * y, np.arange(3)  # whole numbers have no gradient

    def inverse(np, x):
        return np.linalg.inv(x)  # of double precision alone

    def inverse_pull(np, w, x):
        inverse = np.linalg.inv(x).conj().T
        return -inverse @ w @ inverse

    result, found = with_gradient(product)(np, x, y)
    assert (result[0] == x * y).all()
    formulas = with_gradient(product, lambda np, w, x, y: (w[0] * y.conj(), w[0] * x))(np, x, y)[1]
    for one, two, exact in zip(found, formulas, ((w * y).real, w * x), strict=True):
        assert abs(one - exact).max() < 1e-12 and (two == exact).all()
    assert len(with_gradient(product, of=(1,))(np, x, y)[1]) == 1
    for z in (x, y):
        one, two = (with_gradient(inverse, pull)(np, z)[1][0] for pull in (None, inverse_pull))
        assert abs(one - two).max() < 1e-9 * abs(two).max()
    assert (with_gradient(product)(np, np.arange(3), np.arange(3))[0] == [0, 1, 4]).all()


@pytest.mark.framework
def test_references_call_no_kernel(framework_python):
    """PyTorch's dispatcher sees nothing while a reference is computed."""
    done = subprocess.run(
        [framework_python("torch"), "-c", RUN],
        env=dict(os.environ, PYTHONPATH=str(ROOT / "python")),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    called, operators = json.loads(done.stdout.splitlines()[-1])
    assert called >= 150 and operators == {}
