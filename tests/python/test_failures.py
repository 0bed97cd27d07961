"""When two failures are the same, and the attributes' names."""

import re
import tracemalloc
import types

import pytest
from agent_client import ROOT
from seamark_agent import attempt, attributes, harness
from seamark_agent.failures import message_key, same_failure


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("no rule for 'eig' on platform tpu", "no rule for 'eig'  on platform\ncpu"),
        (
            "graph __inference_f_57 at 0x7f01 needs 3.5 GiB",
            "graph __inference_f_9 at 0x1 needs 12 GiB",
        ),
        ("unsupported on XLA_CPU_JIT", "unsupported on XLA_TPU_JIT"),
        ('bad\nFile "/a/b.py", line 3, in f\n', 'bad\nFile "/c.py", line 7, in g\n'),
    ],
)
def test_what_varies_does_not_tell_failures_apart(one, other):
    assert message_key(one) == message_key(other)
    assert same_failure(ValueError(one), ValueError(other))
    assert not same_failure(ValueError(one), TypeError(other))


def test_a_device_out_of_memory_is_not_excused_by_another_failure():
    device = RuntimeError("RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm")
    assert not same_failure(device, RuntimeError("INTERNAL: during context [pre-optimization]"))


def test_a_huge_text_is_told_without_many_copies():
    with pytest.raises(ValueError, match="xxx") as raised:
        raise ValueError("x" * (32 << 20))
    error = raised.value
    tracemalloc.start()
    try:
        told = attempt.describe(error)
        attempt.looks_like_memory(error)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 40 << 20, most
    assert told["message"].startswith("xxx") and told["traceback"].endswith("xxx\n")


def case_that_fails_natively(error):
    def body(t):
        raise error

    return types.SimpleNamespace(
        name="selftest.x/y",
        hash="0" * 16,
        framework_seed=lambda seed: seed,
        host_only=False,
        params={},
        body=body,
        random=None,
        grad=False,
    )


class Bare:
    """As much of an adapter as a body without a call needs."""

    def __init__(self):
        import contextlib

        self.at = lambda place: contextlib.nullcontext()
        self.seed = lambda value: None


def test_the_harness_compares_with_the_failure_on_the_cpu():
    numpy = pytest.importorskip("numpy")
    runner = harness.Runner(Bare())
    case = case_that_fails_natively(RuntimeError("shape 3 is not shape 4"))
    fails = lambda error: runner._fails_natively(case, numpy, error)  # noqa: E731
    assert fails(RuntimeError("shape 5 is not shape 7"))
    assert not fails(RuntimeError("RESOURCE_EXHAUSTED: out of memory"))
    skipped = case_that_fails_natively(harness.Skip("no reference"))
    assert not runner._fails_natively(skipped, numpy, RuntimeError("no reference"))


FAILS_ON_CPU = """
import sys, types
sys.path.insert(0, sys.argv[1])
import jax
from seamark_agent.adapters import jax_aot

def fails(x):
    raise jax.errors.JaxRuntimeError("INTERNAL: the compiler for the CPU fails in its own way")

call = types.SimpleNamespace(program=fails, arrays=[1.0])
for text in ("RESOURCE_EXHAUSTED: Ran out of memory", "INTERNAL: the compiler for the TPU fails in its own way"):
    print(jax_aot.fails_on_cpu(call, jax.errors.JaxRuntimeError(text), "compile"))
"""


@pytest.mark.framework
def test_jax_compares_texts_and_not_classes_alone(framework_python):
    import subprocess

    done = subprocess.run(
        [framework_python("jax"), "-c", FAILS_ON_CPU, str(ROOT / "python")],
        capture_output=True,
        text=True,
        cwd="/",
    )
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_the_agent_writes_no_attribute_by_hand():
    """The names stand in attributes.py alone."""
    names = "|".join([*attributes.ALL, attributes.RISK, attributes.COMPILED_BY_SIZE])
    for path in (ROOT / "python" / "seamark_agent").rglob("*.py"):
        if path.name != "attributes.py":
            found = re.findall(r'"(?:%s)"' % names, path.read_text())
            assert found == [], path


def test_the_names_are_the_model_s():
    header = (ROOT / "src/seamark/model/attributes.h").read_text()
    constants = dict(re.findall(r'std::string_view (k\w+) = "([a-z-]+)";', header))
    assert constants.pop("kRiskPrefix") == attributes.RISK
    assert constants.pop("kCompiledBySizePrefix") == attributes.COMPILED_BY_SIZE
    assert set(constants.values()) == set(attributes.ALL)
