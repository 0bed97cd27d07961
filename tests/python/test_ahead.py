"""What targets have in common that only compile: one call, the device's memory, CUDA without a GPU."""

import json
import types

import pytest
from agent_client import ROOT, agent_command, only
from agent_client import run_cases as run
from seamark_agent.adapters import ahead
from seamark_agent.harness import Skip

GIB = 1 << 30


def memory(arguments, results, temporaries, alias=0):
    return types.SimpleNamespace(
        argument_size_in_bytes=arguments,
        output_size_in_bytes=results,
        temp_size_in_bytes=temporaries,
        alias_size_in_bytes=alias,
    )


def test_a_second_call_would_be_a_timed_one_and_is_skipped():
    calls = []
    unit = ahead.once(lambda: calls.append(1))
    unit()
    with pytest.raises(Skip, match="nothing runs on the device, so nothing is timed"):
        unit()
    assert calls == [1]


@pytest.mark.parametrize("name", ["a100", "h100"])
def test_the_device_description_tells_its_memory(name):
    text = (ROOT / "data" / "devices" / (name + ".txtpb")).read_text()
    assert round(ahead.device_memory(text) / 1e10) == {"a100": 4, "h100": 8}[name]
    assert ahead.device_memory("name: 'no size'") is None
    assert ahead.device_memory(None) is None


def test_a_program_that_needs_more_than_the_device_has_says_what_needs_it():
    with pytest.raises(ahead.DeviceMemoryError) as raised:
        ahead.need_memory(memory(3 * GIB, 2 * GIB, GIB), 6 * GIB - 1)
    assert str(raised.value) == (
        "RESOURCE_EXHAUSTED: the compiled program needs 6.00G of device memory "
        "(arguments 3.00G, results 2.00G, temporaries 1.00G); the device has 6.00G"
    )


def test_what_fits_or_is_not_known_passes():
    ahead.need_memory(memory(3 * GIB, 2 * GIB, GIB), 6 * GIB)
    ahead.need_memory(memory(3 * GIB, 3 * GIB, 0, alias=3 * GIB), 3 * GIB)  # written in place
    ahead.need_memory(None, GIB)
    ahead.need_memory(memory(3 * GIB, 2 * GIB, GIB), None)


# -- real programs, in an environment with XLA's plug-in for CUDA ------------------------------------

JAX_SUITE = """
from seamark_suites.case import case

@case("jax.numpy.matmul", dtypes="f32", reference="none")
def product(t, dtype):
    return t.call("jax.numpy.matmul", t.randn((64, 33), dtype), t.randn((33, 16), dtype))

@case("jax.numpy.matmul", dtypes="f32", reference="none")
def exact_product(t, dtype):
    x, y = t.randn((64, 33), dtype), t.randn((33, 16), dtype)
    return t.call("jax.numpy.matmul", x, y, precision="highest")

@case("jax.numpy.ones", reference="none")
def larger_than_the_device(t):
    return t.call(lambda x: t.fw.numpy.ones((1 << 20, 1 << 15)) * x[0], t.randn((8,), "f32"))
"""

TORCH_SUITE = """
from seamark_suites.case import case

def enormous(x):
    import torch

    if not hasattr(x, "jax"):
        return x
    return torch.ones(1 << 20, 1 << 15, device="jax") * x[0]

@case("torch.ones", reference="none")
def larger_than_the_device(t):
    return t.call(enormous, t.randn((8,), "f32"))
"""

TENSORFLOW_SUITE = """
from seamark_suites.case import case

@case("tf.ones", reference="none")
def larger_than_the_device(t):
    return t.call(lambda x: t.fw.ones((1 << 20, 1 << 15)) * x[0], t.randn((8,), "f32"))
"""


def aot(framework):
    return {
        "name": framework + "/cuda-h100+aot",
        "framework": framework,
        "adapter": framework + "_aot",
        "device": "cuda",
        "options": {
            "platform": "cuda",
            "topology": "1x1x1",
            "target_config": "devices/h100.txtpb",
        },
    }


def suite_file(folder, text):
    path = folder / "cases_of_memory.py"
    path.write_text(text)
    return str(path)


@pytest.mark.framework
@pytest.mark.parametrize(
    ("framework", "text"),
    [("jax", JAX_SUITE), ("torch", TORCH_SUITE), ("tensorflow", TENSORFLOW_SUITE)],
)
def test_a_program_above_a_gpus_memory_fails_as_memory(framework_python, tmp_path, framework, text):
    python = framework_python(framework + "_cuda")
    suite = suite_file(tmp_path, text)
    end = only(run(python, aot(framework), "*/larger_than_the_device*", suite=suite))
    assert (end["outcome"], end["failure"]["stage"]) == ("fail", "compile")
    assert end["failure"]["message"].startswith("RESOURCE_EXHAUSTED: the compiled program needs ")
    assert end["failure"]["message"].endswith("; the device has 79.11G")
    assert "fails-on-reference" not in end["attributes"]


@pytest.mark.framework
def test_a_product_at_the_default_precision_is_a_risk_on_a_gpu(framework_python, tmp_path):
    suite = suite_file(tmp_path, JAX_SUITE)
    ends = run(framework_python("jax_cuda"), aot("jax"), "*product*", suite=suite)
    risks = {name.split("/")[1]: end["compiled"]["risks"] for name, end in ends.items()}
    assert risks["exact_product[f32]"] == []
    (risk,) = risks["product[f32]"]
    assert risk["kind"] == "float-precision"
    assert "TF32" in risk["note"]
    assert "= f32[64,16]{1,0} dot(" in risk["instruction"]


@pytest.mark.framework
def test_what_only_a_gpu_can_do_is_skipped_where_nothing_runs(framework_python):
    python = framework_python("torch_cuda")
    for end in run(python, aot("torch"), "torch.cuda.synchronize/waits").values():
        assert end["outcome"] == "skip"
        assert end["reason"] == (
            "compiled only: nothing runs on the device, and the call is the device's own"
        )


@pytest.mark.framework
def test_the_device_is_named(framework_python):
    _, out, _ = agent_command(
        framework_python("jax_cuda"), "probe", "--target", json.dumps(aot("jax"))
    )
    assert "H100" in json.loads(out.splitlines()[-1])["device"]
