"""The JAX cases, as they are listed: no framework is needed for this."""

import collections
import json
import sys

from agent_client import agent_command

NUMPY = {"jax.numpy." + name for name in ["linalg.eig", "linalg.svd", "compress", "delete", "save"]}
LAX = {"jax.lax." + name for name in ["top_k", "select", "erf", "pmax", "all_gather"]}
HARD = {"jax.random.key", "jax.scipy.linalg.lu", "jax.scipy.signal.convolve2d", "jax.nn.one_hot"}
HARD |= {"jax.vjp", "jax.make_jaxpr", "jax.disable_jit"} | NUMPY | LAX
HOST_ONLY = {"jax.tree_util." + name for name in ("tree_map", "tree_unflatten", "Partial")}
HOST_ONLY |= {"jax.numpy." + name for name in ("einsum_path", "save", "isscalar", "size")}
HOST_ONLY |= {"jax.make_jaxpr"}


def cases():
    status, out, err = agent_command(
        sys.executable, "list", "--suite", "curated", "--framework", "jax"
    )
    assert status == 0, err
    return [json.loads(line) for line in out.splitlines()]


def test_the_studys_functions_are_covered_and_each_has_core_cases():
    core = collections.Counter()
    functions = set()
    for item in cases():
        functions.add(item["function"])
        core[item["function"]] += item["core"]
    assert len(functions) >= 60
    assert functions >= HARD
    assert [name for name in sorted(functions) if not core[name]] == []
    assert max(core.values()) <= 24


def test_what_touches_no_device_says_so():
    marked = {item["function"] for item in cases() if item["host_only"]}
    assert marked >= HOST_ONLY
    assert not marked & {"jax.numpy.add", "jax.vjp", "jax.disable_jit", "jax.random.key"}


def test_gradients_and_dtypes_are_covered():
    listed = cases()
    assert len({item["function"] for item in listed if item["grad"]}) >= 25
    assert {"f32", "bf16", "f16", "f64", "c64", "c128", "i32", "i64", "u8", "bool"} <= {
        i["dtype"] for i in listed
    }
    assert len({item["function"] for item in listed if item["shape"] in ("0", "3x0")}) >= 4
