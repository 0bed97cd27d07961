"""What a standalone reproducer of a JAX case starts with (base.Adapter.script_setup)."""

SCRIPT = """import importlib
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
NAMES = %(names)r
DIFFERENTIABLE = []


%(carried)s

def DTYPE(name):
    if name in %(need_x64)r:
        jax.config.update("jax_enable_x64", True)
    return jnp.dtype(getattr(jnp, NAMES.get(name, name)))


def lookup(name):
    return look_up(jax, name)


def from_numpy(array, dtype, grad=False, noncontiguous=False):
    made = jnp.asarray(np.asarray(array).astype(DTYPE(dtype)))
    if grad:
        DIFFERENTIABLE.append(made)
    return made


def construct(factory, args, kwargs, dtype, draw):
    return factory(*args, **kwargs)


def run_call(function, args, kwargs, grad):
    call = Call(function, args, kwargs, DIFFERENTIABLE if grad else None, jax.devices())
    return jax.block_until_ready(call.%(run)s())
"""

PLAIN_CALL = """def run_call(function, args, kwargs, grad):
    return jax.block_until_ready(function(*args, **kwargs))
"""
