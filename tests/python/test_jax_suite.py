"""The JAX cases, as they are listed: no framework is needed for this."""

import collections
import json
import sys

from agent_client import agent_command

HARD = (
    "jax.numpy.linalg.eig jax.lax.top_k jax.random.key jax.numpy.linalg.svd jax.scipy.linalg.lu "
    "jax.scipy.signal.convolve2d jax.lax.select jax.nn.one_hot jax.numpy.compress jax.numpy.delete jax.vjp "
    "jax.make_jaxpr jax.disable_jit jax.lax.erf jax.numpy.save jax.lax.pmax jax.lax.all_gather"
).split()
HOST_ONLY = (
    "jax.numpy.einsum_path jax.tree_util.tree_map jax.tree_util.tree_unflatten jax.tree_util.Partial "
    "jax.make_jaxpr jax.numpy.save jax.numpy.isscalar jax.numpy.size"
).split()


def cases():
    status, out, err = agent_command(sys.executable, "list", "--suite", "curated", "--framework", "jax")
    assert status == 0, err
    return [json.loads(line) for line in out.splitlines()]


def test_the_studys_functions_are_covered_and_each_has_core_cases():
    core = collections.Counter()
    functions = set()
    for item in cases():
        functions.add(item["function"])
        core[item["function"]] += item["core"]
    assert len(functions) >= 60 and set(HARD) <= functions
    assert [name for name in sorted(functions) if not core[name]] == []
    assert max(core.values()) <= 24


def test_what_touches_no_device_says_so():
    marked = {item["function"] for item in cases() if item["host_only"]}
    assert set(HOST_ONLY) <= marked
    assert not marked & {"jax.numpy.add", "jax.vjp", "jax.disable_jit", "jax.random.key"}


def test_gradients_and_dtypes_are_covered():
    listed = cases()
    assert len({item["function"] for item in listed if item["grad"]}) >= 25
    assert {"f32", "bf16", "f16", "f64", "c64", "c128", "i32", "i64", "u8", "bool"} <= {i["dtype"] for i in listed}
    assert len({item["function"] for item in listed if item["shape"] in ("0", "3x0")}) >= 4
