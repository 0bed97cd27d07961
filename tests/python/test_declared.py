"""`declared` evidence: PyTorch's table of operators, what cases call, and the whole way through the executable."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from seamark_agent import native_functions

ROOT = Path(__file__).resolve().parents[2]
BOOT = ROOT / "python" / "seamark_agent" / "boot.py"
EXECUTABLE = os.environ.get("SEAMARK_TEST_EXECUTABLE")
WANTED = ("CUDA", "MPS", "SparseCUDA", "SparseCsrCUDA")

TABLE = """\
# A comment
- func: add.Tensor(Tensor self, Tensor other) -> Tensor
  device_check: NoCheck   # TensorIterator
  structured_delegate: add.out
  dispatch:
    SparseCPU, SparseCUDA: add_sparse
  tags: [core, pointwise]

- func: add.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
  structured: True
  ufunc_inner_loop:
    Generic: add (AllAndComplex)
  dispatch:
    SparseCsrCUDA: add_out_csr
    MPS: add_out_mps

- func: t(Tensor self) -> Tensor
  precomputed:
  - dim -> int dim

- func: fill(Tensor self) -> Tensor
  dispatch:
    CompositeExplicitAutograd: fill

- func: new(Tensor self) -> Tensor
  dispatch:
    CompositeExplicitAutogradNonFunctional: new

- func: geqrf(Tensor self) -> Tensor
  dispatch:
    CPU, CUDA: geqrf
  autogen: geqrf.out, geqrf_functional
"""


def test_the_table_of_operators_is_resolved():
    named = native_functions.kernels(native_functions.parse(TABLE), WANTED)
    assert named["add.Tensor"] == ("CUDA", "MPS", "SparseCUDA")  # by its delegate, and of its own
    assert named["add.out"] == ("CUDA", "MPS", "SparseCsrCUDA")  # CUDA: made of the inner loop
    assert named["t"] == WANTED  # written by means of others
    assert named["fill"] == WANTED
    assert named["new"] == ("CUDA", "MPS", "SparseCsrCUDA")
    assert named["geqrf"] == named["geqrf.out"] == named["geqrf_functional"] == ("CUDA",)


@pytest.mark.parametrize(
    "text", ["what: is this\n", "- func: f(Tensor a)\n  dispatch:\n    CUDA\n", "  dispatch:\n"]
)
def test_what_the_reader_does_not_know_is_an_error(text):
    with pytest.raises(ValueError, match="line "):
        native_functions.parse(text)


def test_a_delegate_that_is_not_there_is_an_error():
    table = native_functions.parse("- func: f(Tensor a)\n  structured_delegate: f.out\n")
    with pytest.raises(ValueError, match=r"f\.out"):
        native_functions.kernels(table, WANTED)


SUITE = """\
from seamark_suites.case import case


@case("torch.add", dtypes="f32", shapes="4x4", grad=True)
def add(t, dtype, shape):
    return t.call("torch.add", t.randn(shape, dtype), t.randn(shape, dtype))


@case("torch.linalg.eig", dtypes="f32", shapes="4x4")
def eig(t, dtype, shape):
    return t.call("torch.linalg.eig", t.randn(shape, dtype))


@case("torch.geqrf", dtypes="f32", shapes="4x4")
def geqrf(t, dtype, shape):
    return t.call("torch.geqrf", t.randn(shape, dtype))


@case("torch.ormqr", dtypes="f32", shapes="4x4")
def ormqr(t, dtype, shape):
    return t.call("torch.ormqr", t.randn(shape, dtype), t.randn((4,), dtype), t.randn(shape, dtype))


@case("torch.mode", dtypes="f32", shapes="4x4")
def mode(t, dtype, shape):
    return t.call("torch.mode", t.randn(shape, dtype))


@case("torch.nn.functional.scaled_dot_product_attention", dtypes="f32", shapes="2x4x8x16")
def attention(t, dtype, shape):
    q, k, v = (t.randn(shape, dtype) for _ in range(3))
    return t.call("torch.nn.functional.scaled_dot_product_attention", q, k, v)


@case("torch.mul", dtypes="f32", shapes="4x4")
def sparse(t, dtype, shape):
    made = t.randn(shape, dtype).to_sparse()
    return t.call("torch.mul", made, made).to_dense()


@case("torch.Tensor.size", dtypes="f32", shapes="4x4")
def size(t, dtype, shape):
    return t.call("torch.Tensor.size", t.randn(shape, dtype))


@case("torch.abs", dtypes="f32", shapes="4x4")
def dies(t, dtype, shape):
    import os

    os.abort()
"""
MISSING_ON_MPS = {
    "torch.linalg.eig": "aten::linalg_eig",
    "torch.geqrf": "aten::geqrf",
    "torch.ormqr": "aten::ormqr",
    "torch.mode": "aten::mode",
}


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SUITE)
    return path


def rows_of(python, target, *arguments):
    done = subprocess.run(
        [python, str(BOOT), "declared", "--target", json.dumps(target), *arguments],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    return done, [json.loads(line) for line in done.stdout.splitlines()]


TORCH = {"name": "torch/cpu", "framework": "torch", "adapter": "torch_eager", "device": "cpu"}


@pytest.mark.framework
def test_torch_says_what_each_case_calls(framework_python, suite):
    done, rows = rows_of(framework_python("torch"), TORCH, "--suite", str(suite))
    assert done.returncode == 0, done.stderr
    assert rows[0]["row"] == "declared" and rows[0]["source"].startswith("native_functions.yaml")
    kernels = {row["op"]: row["keys"] for row in rows if row["row"] == "kernel"}
    cases = {row["function"]: row for row in rows if row["row"] == "case"}
    listed = {(row["function"], row["device"]): row for row in rows if row["row"] == "dtypes"}
    assert {"f32", "f64"} <= set(listed["torch.geqrf", "CUDA"]["named"])
    assert (
        "f64" in listed["torch.add", "CPU"]["named"]
        and "f64" in listed["torch.add", "MPS"]["missing"]
    )
    assert "bf16" in listed["torch.linalg.eig", "CPU"]["missing"]
    assert "torch.nn.functional.scaled_dot_product_attention" in {name for name, _ in listed}
    assert {row["dtype"] for row in cases.values()} == {"f32"}
    assert not any(row["typed"] for row in cases.values())  # its table lists no data types
    assert rows[-1] == {"row": "end", "cases": len(cases), "kernels": len(kernels)}
    for function, op in MISSING_ON_MPS.items():
        assert op in cases[function]["ops"]
        assert "CUDA" in kernels[op] and "MPS" not in kernels[op]
    assert {"CUDA", "MPS", "SparseCUDA"} <= set(kernels["aten::add.Tensor"])
    # Backward, too: the call's own operator and that of its gradient.
    assert "aten::add.Tensor" in cases["torch.add"]["ops"]
    assert (
        "aten::linspace" not in cases["torch.add"]["ops"]
    )  # of the weights, which are the harness's
    assert cases["torch.mul"]["ops"] == ["aten::mul.Tensor@Sparse"]  # set-up is no part of the call
    assert cases["torch.Tensor.size"]["ops"] == [] and cases["torch.Tensor.size"]["error"] is None
    assert "signal 6" in cases["torch.abs"]["error"]  # and the others were not spoilt


@pytest.mark.framework
def test_composite_keys_reach_where_the_dispatcher_says(framework_python):
    script = """
import torch
K = torch._C.DispatchKey
for alias in ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional",
              "CompositeImplicitAutogradNestedTensor"):
    for layout in ("", "Sparse", "SparseCsr", "NestedTensor", "Quantized"):
        for key in (layout + "CUDA", layout + "MPS"):
            if hasattr(K, key):
                print(alias, key, torch._C._dispatch_is_included_in_alias(getattr(K, key), getattr(K, alias)))
"""
    done = subprocess.run(
        [framework_python("torch"), "-c", script],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    said = [line.split() for line in done.stdout.splitlines()]
    assert len(said) >= 4 * 8
    for alias, key, included in said:
        table = native_functions.parse("- func: f()\n  dispatch:\n    %s: f\n" % alias)
        named = native_functions.kernels(table, (key,))["f"] == (key,)
        assert named == (included == "True"), (alias, key)


@pytest.mark.framework
def test_tensorflow_records_eager_graph_and_gradient_ops(framework_python, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(
        "from seamark_suites.case import case\n\n\n"
        '@case("tf.nn.softmax", dtypes="f32", shapes="4x4", grad=True)\n'
        "def softmax(t, dtype, shape):\n"
        '    return t.call("tf.nn.softmax", t.randn(shape, dtype))\n\n\n'
        '@case("tf.function", dtypes="f32", shapes="4x4")\n'
        "def function(t, dtype, shape):\n"
        "    x = t.randn(shape, dtype)\n"
        "    return t.call(lambda y: t.fw.function(lambda z: t.fw.cumsum(z) + 1.0)(y), x)\n\n\n"
        '@case("tf.compat.v1.Session.run", reference="none")\n'
        "def session(t):\n"
        "    v1 = t.fw.compat.v1\n"
        "    with t.fw.Graph().as_default():\n"
        "        x = v1.placeholder(t.fw.float32, [2])\n"
        "        y = t.fw.cumsum(x)\n"
        "        with v1.Session() as session:\n"
        "            got = t.call(session.run, y, {x: [1.0, 2.0]})\n"
        '    t.expect(got[1] == 3.0, "a sum")\n'
    )
    target = {"name": "tensorflow/cpu", "framework": "tensorflow", "adapter": "tensorflow",
              "device": "CPU:0"}  # fmt: skip
    done, rows = rows_of(framework_python("tensorflow"), target, "--suite", str(mine))
    assert done.returncode == 0, done.stderr
    ops = {row["function"]: row["ops"] for row in rows if row["row"] == "case"}
    typed = {row["function"]: row["typed"] for row in rows if row["row"] == "case"}
    assert {"Softmax T=float32", "Sum T=float32 Tidx=int32"} <= set(typed["tf.nn.softmax"])
    assert {"Cumsum T=float32 Tidx=int32", "AddV2 T=float32"} <= set(typed["tf.function"])
    assert "Cumsum T=float32 Tidx=int32" in typed["tf.compat.v1.Session.run"]
    assert {"Softmax", "Sum", "Mul"} <= set(ops["tf.nn.softmax"])  # Sum and Mul: of the gradient
    assert "Reshape" not in ops["tf.nn.softmax"]  # of the weights, which are the harness's
    assert {"Cumsum", "AddV2"} <= set(ops["tf.function"])
    assert "Cumsum" in ops["tf.compat.v1.Session.run"]  # though the graph was built before the call
    assert not [name for name in ops["tf.function"] if name.startswith("__inference")]


@pytest.mark.framework
def test_jax_names_no_kernels(framework_python):
    target = {"name": "jax/cpu", "framework": "jax", "adapter": "jax", "device": "cpu"}
    done, rows = rows_of(framework_python("jax"), target, "--case", "none")
    assert done.returncode == 3 and rows == []
    assert "PyTorch and TensorFlow" in done.stderr


@pytest.mark.framework
@pytest.mark.skipif(not EXECUTABLE, reason="SEAMARK_TEST_EXECUTABLE names no seamark")
def test_from_the_framework_to_what_show_prints(framework_python, suite, tmp_path):
    store = str(tmp_path / "d.db")

    def seamark(*arguments):
        return subprocess.run(
            [EXECUTABLE, *arguments, "--no-config", "--store", store],
            capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path,
            env=dict(os.environ, NO_COLOR="1", COLUMNS="100"),
        )  # fmt: skip

    python = framework_python("torch")
    made = seamark("catalog", "--declared", "--target", "torch/cpu", "--python", python,
                   "--suite", str(suite), "--format", "json")  # fmt: skip
    assert made.returncode == 0, made.stderr
    by_device = {one["device"]: one for one in json.loads(made.stdout)}
    assert set(by_device) == {"CPU", "CUDA", "MPS", "SparseCUDA"}
    mps = {one["name"]: one for one in by_device["MPS"]["functions"]}
    cuda = {one["name"]: one for one in by_device["CUDA"]["functions"]}
    for function, op in MISSING_ON_MPS.items():
        assert mps[function]["state"] == "missing" and mps[function]["operators_missing"] == [op]
        assert cuda[function]["state"] == "named"
    assert mps["torch.add"]["state"] == cuda["torch.add"]["state"] == "named"
    states = {one["name"]: one["state"] for one in by_device["CPU"]["functions"]}
    assert set(states.values()) == {"named", "no-operator", "unknown"}  # there all of them ran
    assert (
        mps["torch.add"]["dtypes"]["f64"] == "missing"
        and cuda["torch.add"]["dtypes"]["f64"] == "named"
    )
    assert not any(one["dtypes"] for one in by_device["SparseCUDA"]["functions"])
    attention = cuda["torch.nn.functional.scaled_dot_product_attention"]
    assert attention["state"] == "named" and "only the CPU picks" in attention["note"]
    assert cuda["torch.Tensor.size"]["state"] == "no-operator"
    assert cuda["torch.abs"]["state"] == "unknown"

    shown = seamark("show", "torch.geqrf")  # no run is needed
    assert shown.returncode == 0, shown.stderr
    words = " ".join(shown.stdout.split())
    assert "DECLARED, NOT ATTEMPTED" in words
    assert "names no kernel for aten::geqrf" in words
    assert "names a kernel for every operator that its 1 core case calls" in words
    assert seamark("show", "torch.nothing").returncode != 0

    ran = seamark("run", "--target", "torch/cpu", "--python", python, "--suite", str(suite), "--no-timing",
                  "--case", "torch.add*")  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    report = json.loads(seamark("report", "--format", "json").stdout)
    declared = {one["device"]: one for one in report["declared"]}
    assert set(declared) == {"CPU", "CUDA", "MPS", "SparseCUDA"}
    assert declared["CPU"]["dtype_checks"] == [
        {"target": "torch/cpu", "dtypes": 1, "named_fails": [], "missing_runs": []}
    ]
    assert not any(one["dtype_checks"] for name, one in declared.items() if name != "CPU")
    shown = seamark("show", "torch.add").stdout
    assert "declared: MPS" in shown[shown.index("BY DATA TYPE") :]
    assert [row["name"] for row in report["functions"]] == [
        "torch.add"
    ]  # no attempts of the others
    assert "DECLARED, NOT ATTEMPTED" in seamark("report", "--full").stdout
    wrong = seamark("catalog", "--declared", "--target", "torch/lazy", "--python", python)
    assert wrong.returncode == 2 and "torch/cpu" in wrong.stderr
