"""One small class per way of reaching a device."""

import importlib

from .base import Adapter, Unusable


def load(target):
    """The adapter that the target's registry entry names: the module NAME beside this one, its `TargetAdapter`."""
    name = str(target.get("adapter", ""))
    if not name.isidentifier():
        raise Unusable("the target names no adapter: %r" % name, "set `adapter` in its entry")
    try:
        module = importlib.import_module(__name__ + "." + name)
    except ModuleNotFoundError as error:
        if error.name != __name__ + "." + name:
            raise
        raise Unusable(
            "there is no adapter %r" % name, "see docs/targets.md for the adapters"
        ) from None
    return module.TargetAdapter(target)


__all__ = ["Adapter", "Unusable", "load"]
