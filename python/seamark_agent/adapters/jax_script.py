"""What a standalone reproducer of a JAX case starts with (base.Adapter.script_setup)."""

SCRIPT = '''import importlib
import os

os.environ.setdefault("JAX_PLATFORMS", "%(platforms)s")
for name, value in %(quiet)r.items():
    os.environ.setdefault(name, value)
import jax
import jax.numpy as jnp

importlib.import_module("%(import)s")
if hasattr(jax.config, "jax_num_cpu_devices"):
    jax.config.update("jax_num_cpu_devices", %(devices)d)
DEVICE = jax.devices()[0]
NAMES = {"bf16": "bfloat16", "c64": "complex64", "c128": "complex128", "bool": "bool_"}
for bits in (8, 16, 32, 64):
    NAMES.update({"f%%d" %% bits: "float%%d" %% bits, "i%%d" %% bits: "int%%d" %% bits})
    NAMES["u%%d" %% bits] = "uint%%d" %% bits
DIFFERENTIABLE = []


def DTYPE(name):
    if name in ("f64", "i64", "u64", "c128"):
        jax.config.update("jax_enable_x64", True)
    return jnp.dtype(getattr(jnp, NAMES.get(name, name)))


def lookup(name):
    parts, found = name.split("."), jax
    for index, part in enumerate(parts[1:], 2):
        found = getattr(found, part, None) or importlib.import_module(".".join(parts[:index]))
    return found


def from_numpy(array, dtype, grad=False, noncontiguous=False):
    made = jnp.asarray(np.asarray(array).astype(DTYPE(dtype)))
    if grad:
        DIFFERENTIABLE.append(made)
    return made


def to_numpy(array):
    if str(array.dtype).startswith("key<"):
        array = jax.random.key_data(array)
    return np.asarray(array)


def construct(factory, args, kwargs, dtype, draw):
    return factory(*args, **kwargs)


def over_devices(function):
    """A collective: on two devices, arrays split along their first axis."""
    axis = getattr(function, "seamark_mesh_axis", None)
    if axis is None:
        return function
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:2]), (axis,))
    spec = jax.sharding.PartitionSpec(axis)
    if hasattr(jax, "shard_map"):
        return jax.shard_map(function, mesh=mesh, in_specs=spec, out_specs=spec)
    from jax.experimental.shard_map import shard_map

    return shard_map(function, mesh=mesh, in_specs=spec, out_specs=spec, check_rep=False)


def run_call(function, args, kwargs, grad):
    function = over_devices(function)
    if not grad:
        return jax.block_until_ready(function(*args, **kwargs))
    leaves, tree = jax.tree_util.tree_flatten((args, kwargs))
    marked = [i for i, leaf in enumerate(leaves) if any(leaf is made for made in DIFFERENTIABLE)]

    def forward(*inputs):
        changed = list(leaves)
        for position, value in zip(marked, inputs):
            changed[position] = value
        args, kwargs = jax.tree_util.tree_unflatten(tree, changed)
        result = function(*args, **kwargs)
        found = [x for x in jax.tree_util.tree_leaves(result) if isinstance(x, jax.Array)]
        return [x for x in found if jnp.issubdtype(x.dtype, jnp.inexact)], result

    values, pull_back, _ = jax.vjp(forward, *[leaves[i] for i in marked], has_aux=True)
    weights = [np.linspace(0.5, 1.5, x.size).reshape(x.shape).astype(x.dtype) for x in values]
    gradients = list(pull_back([jnp.asarray(weight) for weight in weights]))
    return jax.block_until_ready((function(*args, **kwargs), gradients))
'''
