"""The TensorFlow adapter: names of devices; with the framework placement, proof and forks."""

import json
import os
import pathlib
import subprocess
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / "python"
BOOT = PYTHON / "seamark_agent" / "boot.py"
TENSORFLOW = os.environ.get("SEAMARK_TEST_TENSORFLOW_PYTHON")


def target(device="/CPU:0", **options):
    return {
        "name": "tensorflow/test",
        "framework": "tensorflow",
        "adapter": "tensorflow",
        "device": device,
        "options": options,
    }


@pytest.fixture
def adapters(monkeypatch):
    monkeypatch.syspath_prepend(str(PYTHON))
    from seamark_agent import adapters

    return adapters


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("/GPU:0", "GPU:0"),
        ("/device:TPU:0", "TPU:0"),
        ("cpu", "CPU:0"),
        ("gpu:1", "GPU:1"),
        ("/job:localhost/replica:0/task:0/device:XPU:2", "XPU:2"),
        ("", "CPU:0"),
    ],
)
def test_short_names_of_devices(adapters, name, short):
    from seamark_agent.adapters import tensorflow

    assert tensorflow.short_device(name) == short


def test_a_cpu_result_is_not_on_another_device(adapters):
    gpu = adapters.load(target("/GPU:0"))
    assert gpu.is_on_target("GPU:0")
    assert not gpu.is_on_target("CPU:0")
    assert not gpu.is_on_target("GPU:1")
    assert not gpu.cpu_is_reference


def test_only_plain_eager_cpu_is_its_own_reference(adapters):
    assert adapters.load(target()).cpu_is_reference
    assert not adapters.load(target(jit=True)).cpu_is_reference
    assert not adapters.load(target("/CPU:1", logical_devices=2)).cpu_is_reference


def test_the_script_is_python(adapters):
    for jit in (False, True):
        compile(adapters.load(target(jit=jit)).script_setup(), "script", "exec")


SUITE = """
from seamark_suites.case import case


@case("tf.add", reference="none")
def stays(t):
    return t.call("tf.add", t.randn((4,), "f32"), t.randn((4,), "f32"))


@case("tf.zeros", reference="none", trivial=True)
def makes(t):
    return t.call("tf.zeros", (3,))


@case("tf.matmul", reference="none")
def leaves_and_returns(t):
    def away(x):
        with t.fw.device("/CPU:0"):
            product = t.fw.matmul(x, x)
        return product + 1.0

    return t.call(away, t.randn((4, 4), "f32"))


@case("tf.linalg.svd", reference="none")
def leaves_in_a_function(t):
    @t.fw.function
    def away(x):
        with t.fw.device("/CPU:0"):
            values = t.fw.linalg.svd(x, compute_uv=False)
        return values + 1.0

    return t.call(away, t.randn((4, 4), "f32"))


@case("tf.numpy_function", reference="none")
def callback(t):
    return t.call("tf.numpy_function", lambda v: v * 2, [t.randn((4, 4), "f32")], t.fw.float32)


@case("tf.constant", reference="none")
def reads(t):
    def through_numpy(x):
        return t.fw.constant(x.numpy() * 2)

    return t.call(through_numpy, t.randn((4, 4), "f32"))


@case("tf.multiply", reference="none")
def harness_reads(t):
    result = t.call("tf.multiply", t.randn((4, 4), "f32"), 2.0)
    t.expect(t.host(result).shape == (4, 4), "the harness may read")


@case("tf.compat.v1.Session.run", reference="none")
def session(t):
    with t.fw.Graph().as_default(), t.fw.device("/CPU:0"):
        fed = t.fw.compat.v1.placeholder(t.fw.float32, [3])
        with t.fw.compat.v1.Session() as opened:
            return t.call(opened.run, fed * 2.0, {fed: t.np.ones(3)})


@case("tf.square", reference="none")
def stays_away(t):
    def away(x):
        with t.fw.device("/CPU:0"):
            return x * x

    return t.call(away, t.randn((4,), "f32"))
"""


@pytest.mark.framework
@pytest.mark.skipif(not TENSORFLOW, reason="SEAMARK_TEST_TENSORFLOW_PYTHON names no interpreter")
class TestWithTensorflow:
    def run(self, suite, entry, pattern="*"):
        command = [
            TENSORFLOW,
            str(BOOT),
            "run",
            "--suite",
            str(suite),
            "--target",
            json.dumps(entry),
            "--case",
            pattern,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.stdout, done.stderr[-2000:]
        return {end["case"].split("/")[1]: end for end in map(json.loads, done.stdout.splitlines())}

    def test_proof_sees_what_left_the_device(self, tmp_path):
        """A second logical CPU stands for the device."""
        suite = tmp_path / "where.py"
        suite.write_text(SUITE, encoding="utf-8")
        ends = self.run(suite, target("/CPU:1", logical_devices=2))
        assert {name: end["outcome"] for name, end in ends.items()} == dict.fromkeys(ends, "pass")
        placement = {name: end["placement"] for name, end in ends.items()}
        assert ends["makes"]["attributes"] == ["no-device-work"]
        assert placement["makes"]["where"] == "none"
        for name in ("stays", "harness_reads"):
            assert placement[name]["where"] == "device", (name, placement[name])
            assert placement[name]["fallback_ops"] == []
        expected = {
            "leaves_in_a_function": ["Svd"],
            "callback": ["PyFunc"],
            "reads": ["EagerTensor.numpy"],
            "session": ["Mul"],
            "stays_away": ["Mul"],
        }
        for name, ops in expected.items():
            assert placement[name]["where"] == "host", name
            assert placement[name]["fallback_ops"] == ops, name
            assert "host-fallback" in ends[name]["attributes"]
        assert len(placement["leaves_and_returns"]["fallback_ops"]) == 1
        assert "MatMul" in placement["leaves_and_returns"]["fallback_ops"][0]
        assert placement["stays_away"]["outputs"] == ["CPU:0"]

    def test_a_warm_gradient_makes_no_weights(self):
        script = """
import sys

sys.path.insert(0, %r)
from seamark_agent import adapters
from seamark_agent.adapters.tensorflow import trees

adapter = adapters.load(%r)
adapter.import_framework()
adapter.start()
made, ramp = [], trees.ramp
trees.ramp = lambda *a: made.append(1) or ramp(*a)
x = adapter.from_numpy(__import__("numpy").ones(4), "f32", "target", grad=True)
unit = adapter.unit(lambda x: x * x, (x,), {}, True, "target")
for _ in range(3):
    assert unit()[1][0].shape == (4,)
print(len(made))
""" % (str(PYTHON), target())
        done = subprocess.run([TENSORFLOW, "-c", script], capture_output=True, text=True)
        assert done.stdout.split() == ["1"], done.stderr

    def probe(self, entry):
        command = [TENSORFLOW, str(BOOT), "probe", "--target", json.dumps(entry)]
        return json.loads(
            subprocess.run(command, capture_output=True, text=True, timeout=300).stdout
        )

    def test_a_device_that_is_missing_is_named_with_a_remedy(self):
        for device, kind in (("/NOSUCH:0", "NOSUCH"), ("/CPU:7", "CPU:7")):
            facts = self.probe(target(device))
            assert not facts["usable"]
            assert kind in facts["reason"]
            assert facts["remedy"]

    def test_cpu_is_usable(self):
        facts = self.probe(target())
        assert facts["usable"], facts
        assert facts["device"]

    def test_import_runs_no_op_and_forked_children_compute(self):
        """Matrix products and functions hang in a child of a process that ran an op."""
        script = textwrap.dedent(
            """
            import os, sys
            sys.path.insert(0, %r)
            from seamark_agent import adapters
            adapter = adapters.load({"adapter": "tensorflow", "name": "x", "device": "/CPU:0"})
            adapter.import_framework()
            from tensorflow.python.eager import context
            assert context.context()._context_handle is None, "an op ran"
            for _ in range(2):
                child = os.fork()
                if child == 0:
                    adapter.start()
                    adapter.prewarm()
                    tf = adapter.tf
                    x = tf.ones((64, 64))
                    ok = float(tf.function(lambda v: tf.reduce_sum(v @ v))(x)) == 64.0**3
                    os._exit(0 if ok else 1)
                assert os.waitpid(child, 0)[1] == 0
            print("done")
            """
            % str(PYTHON)
        )
        done = subprocess.run(
            [TENSORFLOW, "-c", script], capture_output=True, text=True, timeout=120
        )
        assert done.stdout.strip() == "done", done.stderr[-2000:]

    def test_values_keep_their_rounding_at_the_wide_place(self):
        script = textwrap.dedent(
            """
            import sys
            sys.path.insert(0, %r)
            import numpy as np
            from seamark_agent import adapters
            adapter = adapters.load({"adapter": "tensorflow", "name": "x", "device": "/CPU:0"})
            adapter.import_framework()
            adapter.start()
            value = np.asarray([0.1, 2.7])
            for name in ("f16", "bf16", "f32", "f8e4m3fn"):
                narrow = adapter.from_numpy(value, name, "target")
                wide = adapter.from_numpy(value, name, "wide")
                assert adapter.dtype_name(narrow) == name and adapter.dtype_name(wide) == "f64"
                assert (adapter.to_numpy(narrow) == adapter.to_numpy(wide)).all()
                assert (adapter.to_numpy(narrow) != value).any()
            tf = adapter.tf
            ragged = tf.ragged.constant([[1], [2, 3]])
            paths = [path for path, _ in adapter.flatten({"r": ragged, "s": tf.sparse.eye(2)})]
            parts = ["['r'].flat_values", "['r'].row_splits[0]"]
            parts += ["['s'].indices", "['s'].values", "['s'].dense_shape"]
            assert paths == parts, paths
            x = adapter.from_numpy(np.asarray([1.0, 2.0]), "f32", "target", grad=True)
            y = adapter.from_numpy(np.asarray([3.0, 4.0]), "f32", "target")
            for jit in (False, True):
                adapter.jit, adapter.mode = jit, "function" if jit else "eager"
                call = adapter.unit(lambda a, b: a * a * b, (x, y), {}, True, "target")
                result, (gradient,) = call()
                # Weights 0.5 and 0.625 times 2ab.
                assert adapter.to_numpy(gradient).tolist() == [3.0, 10.0]
            print("done")
            """
            % str(PYTHON)
        )
        done = subprocess.run(
            [TENSORFLOW, "-c", script], capture_output=True, text=True, timeout=120
        )
        assert done.stdout.strip() == "done", done.stderr[-2000:]

    def test_soft_placement_is_off_unless_asked_for(self):
        script = textwrap.dedent(
            """
            import os, sys
            sys.path.insert(0, %r)
            from seamark_agent import adapters

            def tried(**options):
                adapter = adapters.load({"adapter": "tensorflow", "options": options})
                adapter.import_framework()
                child = os.fork()
                if child == 0:
                    adapter.start()
                    tf = adapter.tf
                    try:
                        with tf.device("/GPU:0"):
                            tf.add(1.0, 2.0)
                        os._exit(11)
                    except tf.errors.InvalidArgumentError:
                        os._exit(12)
                return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

            print(tried(soft_placement=True), tried(soft_placement=False), tried())
            """
            % str(PYTHON)
        )
        done = subprocess.run(
            [TENSORFLOW, "-c", script], capture_output=True, text=True, timeout=120
        )
        assert done.stdout.split() == ["11", "12", "12"], done.stderr[-2000:]
