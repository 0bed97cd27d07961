"""One small class per way of reaching a device."""

import importlib

from .base import Adapter, Unusable, import_path


def load(target):
    """The adapter that the target's registry entry names, its `TargetAdapter`: of the module NAME beside this one, or
    of the file at a path that ends with .py. Raises Unusable."""
    name = str(target.get("adapter", ""))
    adapter = (_of_file(name) if name.endswith(".py") else _of_name(name)).TargetAdapter(target)
    unknown = sorted(set(adapter.options) - set(adapter.known_options))
    if unknown:
        raise Unusable(
            "options of %s: unknown key %s"
            % (target.get("name", name), ", ".join(map(repr, unknown))),
            "known of this adapter: %s" % (", ".join(adapter.known_options) or "none"),
        )
    return adapter


def _of_file(path):
    try:
        module = import_path(path, "seamark_user_adapter_")
        if not hasattr(module, "TargetAdapter"):
            raise AttributeError("it has no class TargetAdapter")
    except Exception as error:
        raise Unusable(
            "the adapter %s does not load: %s: %s" % (path, type(error).__name__, error),
            "mend it; docs/targets.md says what an adapter has",
        ) from error
    return module


def _of_name(name):
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
    return module


__all__ = ["Adapter", "Unusable", "load"]
