"""`seamark audit --trace` of JAX and TensorFlow: what is recorded, and that it runs on a target."""

import json
import re
import sqlite3
import subprocess

import pytest
from traced_program import audited, calls_at, traced_program

JAX = """\
import sys

import jax
import jax.numpy as jnp


def loss(params, x, labels):
    hidden = jnp.tanh(x @ params["w"] + params["b"])
    hidden = jax.nn.relu(hidden[..., ::2])
    return jnp.mean((hidden.sum(-1) - params["e"][labels]) ** 2)


@jax.jit
def step(params, x, labels):
    value, grads = jax.value_and_grad(loss)(params, x, labels)
    return value, jax.tree.map(lambda a, b: a - 0.1 * b, params, grads)


params = {"w": jnp.ones((4, 6)), "b": jnp.zeros(6), "e": jnp.ones(5)}
for number in range(int(sys.argv[1])):
    rows = 3 + (number > 1)
    x = jax.random.normal(jax.random.key(number), (rows, 4))
    value, params = step(params, x, jnp.arange(rows))
    print(number, "%.4f" % float(value))
values, vectors = jnp.linalg.eigh(x.T @ x)
again = jnp.sin(values)
again = jnp.sin(values)
"""

TENSORFLOW = """\
import sys

import tensorflow as tf

w = tf.Variable(tf.ones((4, 3)))


@tf.function
def step(x, labels):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(x @ w)
        if tf.reduce_sum(hidden) > 0:
            hidden = tf.concat([hidden, hidden], axis=1)
        else:
            hidden = tf.concat([hidden, -hidden], axis=1)
        logits = tf.reshape(hidden, (-1, 2, 3))[:, 0]
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    w.assign_sub(0.1 * tape.gradient(loss, w))
    return loss


for number in range(int(sys.argv[1])):
    rows = 8 - (number > 1)
    value = step(tf.ones((rows, 4)), tf.range(rows) % 3)
    print(number, "%.4f" % float(value))
tf.linalg.cholesky(tf.eye(3))
"""
PROGRAMS = {"jax": JAX, "tensorflow": TENSORFLOW}


def line(text, start):
    (found,) = [n for n, one in enumerate(text.splitlines(), 1) if one.strip().startswith(start)]
    return found


@pytest.fixture
def program(tmp_path, framework_python):
    return lambda name, *words, **named: traced_program(tmp_path, framework_python(name))(*words, **named)  # fmt: skip


@pytest.mark.framework
def test_equations_of_jax_are_recorded_by_line(program):
    done, (trace,) = program("jax", JAX, 4)
    assert done.returncode == 0, done.stderr
    assert (trace["framework"], trace["steps"]) == ("jax", 4)
    product = line(JAX, "hidden = jnp.tanh")
    assert {"jax.lax.dot_general", "jax.lax.tanh", "jax.lax.add", "jax.lax.transpose"} <= calls_at(trace, product)  # fmt: skip
    picked = line(JAX, "return jnp.mean")
    assert {"jax.lax.gather", "jax.lax.scatter_add"} <= calls_at(trace, picked)  # and its gradient
    assert "jax.lax.linalg.eigh" in calls_at(trace, line(JAX, "values, vectors"))
    dots = [one for one in trace["calls"] if one["function"] == "jax.lax.dot_general"]
    first = next(one for one in dots if one["args"][0] == ["tensor", "float32", [3, 4], [4, 1], False])  # fmt: skip
    assert first["args"][1] == ["tensor", "float32", [4, 6], [6, 1], False]
    assert first["kwargs"]["preferred_element_type"] == ["dtype", "float32"]
    assert first["sites"] == [["train.py", product, 2]]
    # What is compiled once is called at two lines.
    sines = [number for number, one in enumerate(JAX.splitlines(), 1) if "jnp.sin" in one]
    assert all("jax.lax.sin" in calls_at(trace, number) for number in sines)
    printed = line(JAX, "print(number")
    assert ["jax.Array.__float__", "train.py", printed, 4] in trace["reads"]
    assert trace["recompiled"] == [["step", "array 4 was float32[3,4], then float32[4,4]", "train.py",
                                    line(JAX, "@jax.jit"), 1]]  # fmt: skip


@pytest.mark.framework
def test_operations_of_tensorflow_are_recorded_by_line(program):
    done, (trace,) = program("tensorflow", TENSORFLOW, 4)
    assert done.returncode == 0, done.stderr
    assert (trace["framework"], trace["steps"]) == ("tensorflow", 4)
    product = line(TENSORFLOW, "hidden = tf.nn.relu")
    assert calls_at(trace, product) == {"tf.raw_ops.MatMul", "tf.raw_ops.Relu"}
    updated = line(TENSORFLOW, "w.assign_sub")
    assert {"tf.raw_ops.MatMul", "tf.raw_ops.ReluGrad", "tf.raw_ops.StridedSliceGrad"} <= calls_at(trace, updated)  # fmt: skip
    branch = line(TENSORFLOW, "hidden = tf.concat([hidden, hidden]")
    (joined,) = [one for one in trace["calls"] if ["train.py", branch, 2] in one["sites"]
                 and one["kwargs"]["values"][1][2] == [8, 3]]  # fmt: skip
    assert joined["function"] == "tf.raw_ops.ConcatV2" and joined["kwargs"]["axis"] == 1
    assert "tf.raw_ops.Cholesky" in calls_at(trace, line(TENSORFLOW, "tf.linalg.cholesky"))
    printed = line(TENSORFLOW, "print(number")
    assert ["tf.Tensor.__float__", "train.py", printed, 4] in trace["reads"]
    (again,) = trace["recompiled"]
    assert again[:2] == ["step", "array 1 was float32(8, 4), then float32(7, 4)"]
    assert again[2:] == ["train.py", line(TENSORFLOW, "@tf.function"), 1]
    assert ["AssignSubVariableOp", "a variable", 2] in trace["left_out"]


@pytest.mark.framework
@pytest.mark.parametrize("name", list(PROGRAMS))
def test_the_program_stays_its_own_and_ends_after_its_steps(program, name):
    text = PROGRAMS[name]
    plain, none = program(name, text, 3, traced=False)
    traced, _ = program(name, text, 3)
    assert none == [] and plain.returncode == traced.returncode == 0
    assert plain.stdout == traced.stdout
    ended, (trace,) = program(name, "import atexit\natexit.register(print, 'closed')\n" + text, 100000, steps=5)  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines()[-1] == "closed"
    assert (trace["steps"], trace["ended"]) == (5, "--steps")


SECRETS = {
    "jax": """\
import jax, jax.numpy as jnp, numpy as np
a = jnp.array([314159.25, 314160.25])
one = jnp.float32(271828.5)
rate = np.float32(161803.0)


@jax.jit
def f(x):
    return x * one + rate * a + jnp.full(2, 2718.25) + x[jnp.array([1, 0])]


f(a).at[0].set(141421.5)
jnp.clip(a, 17320.0, 17321.0)
""",
    "tensorflow": """\
import tensorflow as tf, numpy as np
a = tf.constant([314159.25, 314160.25])
one = tf.Variable(271828.5)


@tf.function
def f(x):
    return x * one + np.float32(161803.0) * a + tf.fill([2], 2718.25) + tf.gather(x, [1, 0])


f(a)
tf.clip_by_value(a, 17320.0, 141421.5)
tf.range(3) * 31415926
""",
}


@pytest.mark.framework
@pytest.mark.parametrize("name", list(SECRETS))
def test_no_value_of_a_tensor_is_in_the_trace(program, name):
    done, (trace,) = program(name, SECRETS[name])
    assert done.returncode == 0, done.stderr
    assert len(trace["calls"]) > 5
    said = json.dumps([dict(one, labels=[]) for one in trace["calls"]])
    for value in ("3141", "2718", "1618", "1414", "1732"):
        assert not re.search(r"(?<![0-9a-f])%s" % value, said), value


@pytest.mark.framework
@pytest.mark.parametrize(
    "name, target, least",
    [("jax", "jax/cpu+jit", 60), ("tensorflow", "tensorflow/cpu+xla", 40)],
)
def test_the_calls_run_on_a_target(executable, framework_python, tmp_path, name, target, least):
    python = framework_python(name)
    (tmp_path / "train.py").write_text(PROGRAMS[name])
    audit = audited(executable, tmp_path, target, python, "train.py 3")
    answers = audit["trace"]["answers"]
    assert audit["trace"]["target"] == target
    assert answers["passes"] >= least and set(answers) <= {"passes", "no-device-work"}, answers
    assert audit["trace"]["recompilations"] == 1 and audit["trace"]["graph_breaks"] == 0
    assert {"trace-recompiles", "trace-reads"} <= {one["id"] for one in audit["items"]}


@pytest.mark.framework
@pytest.mark.long
def test_the_calls_of_jax_are_compiled_for_a_tpu(executable, framework_python, tmp_path):
    """What a TPU's compiler lacks is told at its line."""
    python = framework_python("jax")
    text = JAX + "jax.lax.linalg.eig(x.T @ x)\n"
    (tmp_path / "train.py").write_text(text)
    audit = audited(executable, tmp_path, "jax/tpu-v5e+aot", python, "train.py 3")
    failed = {(one["function"], one["line"]) for one in audit["items"] if one["id"] == "trace-fails"}  # fmt: skip
    assert failed == {("jax.lax.linalg.eig", len(text.splitlines()))}
    assert audit["trace"]["answers"]["compiles"] >= 60


def test_another_framework_in_the_same_program_is_left(executable, framework_python, tmp_path):
    """The target's framework is the one whose calls are wanted."""
    python = framework_python("torch")
    (tmp_path / "train.py").write_text(
        "import json, os\n"
        "import torch\n"
        "torch.ones(3).neg()\n"
        "with open(os.environ['SEAMARK_TRACE'] + '/9-jax.json', 'w') as out:\n"
        "    json.dump({'schema': 'seamark-trace/1', 'framework': 'jax', 'calls_seen': 900, 'calls': []}, out)\n"
    )
    for to, expected in (("torch/lazy", "torch"), ("jax/cpu+jit", "jax")):
        subprocess.run(
            [executable, "audit", "train.py", "--to", to, "--trace", python + " train.py", "--store", "s.db", "--no-config",
             "--python", python, "--fail-on", "none", "--trace-file", expected + ".json"],
            cwd=tmp_path, check=True, capture_output=True, timeout=300,
        )  # fmt: skip
        assert json.loads((tmp_path / (expected + ".json")).read_text())["framework"] == expected
    with sqlite3.connect(tmp_path / "s.db") as store:
        assert {name for (name,) in store.execute("SELECT DISTINCT target FROM results")} == {"torch/lazy"}  # fmt: skip
