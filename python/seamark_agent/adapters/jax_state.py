"""What JAX keeps for the whole process, or for a thread, and a case may leave changed (see poison.py)."""

import jax

from ..poison import Fact


def facts():
    yield Fact("jax.config", _settings, _restore)
    from jax._src import core

    clean = getattr(core, "trace_state_clean", None)
    if clean is not None:
        yield Fact("a trace that was not left", clean)
    names = getattr(jax.config, "_contextmanager_flags", None)
    from jax._src import config

    context = getattr(config, "trace_context", None)
    if names is not None and context is not None:
        yield Fact("a context of jax that was not left", context)


def _settings():
    """Global ones, and those of this thread that a `with` may have left."""
    holders = getattr(jax.config, "_value_holders", None)
    if not holders:
        return dict(jax.config.values)
    return {name: holder.value for name, holder in holders.items()}


def _restore(value):
    for name, now in _settings().items():
        if name in value and now != value[name]:
            jax.config.update(name, value[name])
