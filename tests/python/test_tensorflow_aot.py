"""TensorFlow compiled for a TPU through StableHLO, with the real framework and libtpu."""

import functools
import json
import os
import re
import subprocess

import pytest
from agent_client import agent_command, check_forks, only, reproduced, run_cases

pytestmark = pytest.mark.framework


def aot(topology):
    return {
        "name": "tensorflow/tpu+aot",
        "framework": "tensorflow",
        "adapter": "tensorflow_aot",
        "device": "tpu",
        "options": {"platform": "tpu", "topology": topology},
    }


V3 = aot("v3:2x2")

SUITE = """
from seamark_suites.case import case

@case("tf.add", dtypes="f32", grad=True)
def gradient(t, dtype):
    return t.call("tf.matmul", t.randn((3, 4), dtype), t.randn((4, 5), dtype))

@case("tf.Variable.assign_add", dtypes="f32", reference="none")
def variable(t, dtype):
    held = t.fw.Variable(t.fw.zeros((3,), t.dtype(dtype)))
    added = t.randn((3,), dtype)
    t.call(lambda x: held.assign_add(x), added)
    t.expect(t.np.allclose(held.numpy(), t.host(added)), "one step, and one alone, on the CPU")

@case("tf.keras.layers.Dense", dtypes="f32", reference="none")
def layer(t, dtype):
    dense = t.construct("tf.keras.layers.Dense", 5, build_shape=(None, 4))
    return t.call(dense, t.randn((3, 4), dtype))

@case("tf.math.erf", dtypes="f32", reference="none")
def erf(t, dtype):
    return t.call("tf.math.erf", t.randn((3,), dtype))

@case("tf.strings.join", reference="none")
def strings(t):
    return t.call("tf.strings.join", ["a", "b"])

@case("tf.constant", reference="none")
def text(t):
    return t.call("tf.constant", ["a", "b"])

@case("tf.debugging.assert_less", reference="none")
def dropped(t):
    t.call("tf.debugging.assert_less", t.const([1.0, 2.0], "f32"), 3.0)

@case("tf.numpy_function", reference="none")
def callback(t):
    return t.call("tf.numpy_function", lambda v: v * 2, [t.randn((4,), "f32")], t.fw.float32)

@case("tf.strings.length", reference="none")
def partly_text(t):
    t.call("tf.strings.length", ["a", "bc"])
    return t.call("tf.add", t.randn((2,), "f32"), 1.0)

@case("tf.linalg.eig", reference="none")
def no_kernel_in_xla(t):
    return t.call("tf.linalg.eig", t.randn((3, 3), "f32"))

@case("tf.cond", reference="none")
def untraceable(t):
    return t.call(lambda x: x * 2 if float(t.fw.reduce_sum(x)) > -1e9 else x, t.randn((3,), "f32"))

@case("tf.signal.fft", dtypes="c64 c128", reference="none")
def fft(t, dtype):
    return t.call("tf.signal.fft", t.randn((8,), dtype))

@case("tf.zeros", reference="none")
def too_large(t):
    return t.call(lambda x: t.fw.zeros((1 << 17, 1 << 17)) + x, t.randn((1,), "f32"))

@case("tf.add", reference="none")
def raises_as_it_should(t):
    kinds = t.fw.errors.InvalidArgumentError
    t.raises(kinds, t.call, "tf.add", t.randn((3,), "f32"), t.randn((4,), "f32"))

@case("tf.nest.flatten", reference="none")
def python_only(t):
    t.call("tf.nest.flatten", [1, [2, 3]])
"""


@pytest.fixture
def python(framework_python):
    return framework_python("tensorflow_tpu")


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "tensorflow_ahead.py"
    path.write_text(SUITE)
    return str(path)


def run(python, target, suite, pattern="*", *options):
    """{case without its function: end event} of a run in one process."""
    ends = run_cases(python, target, pattern, *options, suite=suite)
    return {name.split("/", 1)[1]: end for name, end in ends.items()}


@functools.cache
def all_ends(python, folder):
    path = folder / "tensorflow_all.py"
    path.write_text(SUITE)
    return run(python, V3, str(path))


@pytest.fixture
def ends(python, tmp_path_factory):
    """What every case of the suite gives on a TPU v3, in one process."""
    return all_ends(python, tmp_path_factory.getbasetemp())


@pytest.mark.parametrize("topology", ["v5e:2x2", "tpu7x:2x2x1"])
def test_a_program_for_a_tpu_is_compiled_with_the_compilers_facts(python, suite, topology):
    check_facts(only(run(python, aot(topology), suite, "*/gradient*")))


def test_the_compilers_facts_of_a_program_for_a_v3(ends):
    check_facts(ends["gradient[f32]"])


def check_facts(end):
    assert (end["outcome"], end["evidence"]) == ("pass", "compiled")
    facts = end["compiled"]
    assert facts["compiler"] == "libtpu"
    assert facts["version"]
    assert facts["bridge"].startswith("StableHLO of TensorFlow 2.")
    for key in ("flops", "bytes", "code_bytes", "peak_bytes", "estimated_cycles"):
        assert facts[key] > 0, key
    assert facts["host_calls"] == 0
    assert end["placement"]["where"] == "unknown"
    assert "via StableHLO" in end["placement"]["note"]


def test_the_device_tells_the_route(python):
    facts = json.loads(agent_command(python, "probe", "--target", json.dumps(V3))[1])
    assert facts["usable"], facts
    assert facts["device"] == "TPU v3 (compiled only, via StableHLO)"
    assert facts["facts"]["compiler_version"]
    assert facts["facts"]["jaxlib"]
    absent = dict(V3, options={"platform": "tpu", "topology": "v99:2x2"})
    facts = json.loads(agent_command(python, "probe", "--target", json.dumps(absent))[1])
    assert facts["usable"] is False
    assert facts["remedy"]


def test_variables_and_layers_are_inputs_of_the_program(ends):
    for name in ("variable[f32]", "layer[f32]"):
        end = ends[name]
        assert (end["outcome"], end["evidence"]) == ("pass", "compiled"), end["failure"]
        assert end["compiled"]["programs"] == 1
    # Three arguments of a layer: what is captured is no constant of the program.
    assert end["compiled"]["peak_bytes"] >= 4 * (3 * 4 + 4 * 5 + 5)


def test_what_stays_on_the_host_is_skipped_never_blamed_on_the_device(ends):
    for name, op in (("strings", "StringJoin"), ("text", "Const"), ("callback", "PyFunc")):
        end = ends[name]
        assert end["outcome"] == "skip"
        assert "stay on the host" in end["reason"]
        assert op in end["reason"]
        assert end["compiled"] is None
    end = ends["python_only"]
    assert end["outcome"] == "skip"
    assert "empty program" in end["reason"]


def test_an_operation_of_hlo_that_jax_knows_in_other_words_compiles(ends):
    assert ends["erf[f32]"]["outcome"] == "pass", ends["erf[f32]"]["failure"]


def test_what_xla_drops_is_no_program(ends):
    end = ends["dropped"]
    assert end["outcome"] == "skip"
    assert "assertions" in end["reason"]


def test_a_call_that_stays_on_the_host_beside_one_that_compiles_is_a_fallback(ends):
    end = ends["partly_text"]
    assert end["outcome"] == "pass"
    assert end["placement"]["fallback_ops"] == ["StringLength"]
    assert "host-fallback" in end["attributes"]


def test_the_limits_of_tracing_are_no_findings_about_the_tpu(ends):
    end = ends["untraceable"]
    assert (end["outcome"], end["failure"]["stage"]) == ("fail", "lower")
    assert end["attributes"] == ["fails-on-reference"]


def test_what_xla_lacks_everywhere_is_a_gap_of_the_tpu(ask, python, ends):
    """TensorFlow reaches a TPU through XLA alone, and eager TensorFlow runs the call."""
    end = ends["no_kernel_in_xla"]
    assert (end["outcome"], end["failure"]["stage"]) == ("fail", "lower")
    assert end["attributes"] == []
    assert "No registered 'Eig' OpKernel" in end["failure"]["message"]
    for name in ("tf.random.gamma", "tf.image.draw_bounding_boxes", "tf.sets.intersection"):
        end = next(iter(ask(python, V3, name + "/*", quick=True).values()))
        assert (end["outcome"], end["attributes"]) == ("fail", []), name
        assert "Detected unsupported operations" in end["failure"]["message"]


def test_what_the_compiler_refuses_is_the_devices(ends):
    assert ends["fft[c64]"]["outcome"] == "pass"
    end = ends["fft[c128]"]
    assert (end["outcome"], end["failure"]["stage"]) == ("fail", "compile")
    assert "c128" in end["failure"]["message"]
    assert "fails-on-reference" not in end["attributes"]


def test_what_is_too_large_for_the_device_need_not_fit_here(ends):
    end = ends["too_large"]
    assert (end["outcome"], end["failure"]["stage"]) == ("fail", "compile")
    assert "RESOURCE_EXHAUSTED" in end["failure"]["message"]
    assert "HBM" in end["failure"]["message"]
    assert "fails-on-reference" not in end["attributes"]


BRIDGE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from seamark_agent import adapters, harness
from seamark_agent.adapters import stablehlo, tensorflow_aot
adapter = adapters.load(json.loads(sys.argv[2]))
adapter.import_framework()
adapter.start()
tf = adapter.tf
stablehlo.COPY = "(no) (such)"  # then JAX does not know HLO's copy, which TensorFlow writes
held = tf.Variable(tf.zeros((3,)))
found = {}
matrix = tf.random.normal((3, 3))
for name, call in (("bridge", lambda x: held.assign_add(x[0])),
                   ("lower", tf.linalg.eig), ("gpu", tf.linalg.eig),
                   ("call", lambda x: tf.reshape(x, (2,)))):
    try:
        with adapter.at("target"):
            adapter.unit(call, (matrix,), {}, False, "target")()
    except Exception as error:
        found[name] = [error.seamark_stage, error.seamark_fails_on_reference, str(error)[:400]]
    adapter.ahead.platform = "cuda" if name == "lower" else "tpu"

class OutOfMemory:
    def compile_for_cpu(self):
        raise RuntimeError("INTERNAL: the CPU fails in another way")

exhausted = RuntimeError("RESOURCE_EXHAUSTED: out of memory in hbm")
found["blames_cpu"] = adapter._fails_for_cpu(OutOfMemory(), exhausted)
print(json.dumps(found))
"""


def test_what_the_bridge_cannot_carry_over_is_the_bridges(python):
    root = os.path.join(os.path.dirname(__file__), "..", "..", "python")
    done = subprocess.run(
        [python, "-c", BRIDGE, root, json.dumps(V3)], capture_output=True, text=True, cwd="/"
    )
    assert done.stdout, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["bridge"][:2] == ["bridge", False]
    assert "mhlo.copy" in found["bridge"][2]
    assert found["lower"][:2] == ["lower", False]
    assert found["gpu"][:2] == ["lower", True]  # a GPU has kernels of TensorFlow's own
    assert found["blames_cpu"] is False
    assert found["call"][:2] == ["call", True]


def test_an_error_that_a_case_expects_is_no_failure(ends):
    end = ends["raises_as_it_should"]
    assert end["outcome"] == "skip"  # and no program was made
    assert "no device program" in end["reason"]


def test_nothing_is_timed_where_nothing_runs(python, suite):
    end = only(run(python, V3, suite, "*/gradient*", "--phase", "timing"))
    assert end["outcome"] == "skip"
    assert "nothing" in end["reason"]


def test_a_forked_child_compiles_what_the_zygote_imported(python, agent):
    worker = agent(python, V3, mode="fork", suites=("curated",))
    names = [
        "tf.linalg.svd/svd[f32,5x5,full=False]",
        "tf.keras.optimizers.Adadelta/adadelta[f32,steps=1]",
    ]
    check_forks(worker, names)


def test_the_same_program_is_the_same_text(python):
    """What TensorFlow numbers as it goes must not reach the program's hash."""
    script = """
import json, sys
sys.path.insert(0, sys.argv[1])
from seamark_agent import adapters
from seamark_agent.adapters.stablehlo import Lowered
adapter = adapters.load(json.loads(sys.argv[2]))
adapter.import_framework()
adapter.start()
tf = adapter.tf
texts = []
for _ in range(2):
    made = tf.function(lambda x: x * 2, jit_compile=True)
    text = made.experimental_get_compiler_ir(tf.ones(3))(stage="stablehlo")
    texts.append((text, Lowered(text).as_text()))
print(json.dumps([texts[0][0] == texts[1][0], texts[0][1] == texts[1][1], texts[0][1]]))
"""
    root = os.path.join(os.path.dirname(__file__), "..", "..", "python")
    command = [python, "-c", script, root, json.dumps(V3)]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/")
    assert done.stdout, done.stderr[-2000:]
    raw, same, text = json.loads(done.stdout)
    assert same
    assert not raw
    assert "func.func public @main" in text
    assert "loc(" not in text


def test_a_reproducer_needs_the_frameworks_alone(python, tmp_path):
    case = "tf.linalg.svd/svd[f32,5x5,full=False]"
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    _, done = reproduced(python, V3, case, tmp_path, TMPDIR=str(temporary))
    assert done.returncode == 0, done.stderr[-2000:]
    assert re.search(r"'flops': \d", done.stdout)
    assert list(temporary.iterdir()) == []
