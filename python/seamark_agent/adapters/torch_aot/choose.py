"""Chooses the route of PyTorch programs to a compiler for a device that is not here:

torch_xla  PyTorch's own stack for TPUs, which the study used
torchax    PyTorch as JAX programs

options: those of jax_aot (platform, topology, ...), and `route`. Without it the first of these whose module the
interpreter has is taken; nothing is imported to find out.
"""

import importlib
import importlib.util

from ..base import Unusable

ROUTES = ("torch_xla", "torchax")  # each a module beside this one


def choose_route(options, is_there=None):
    """The name of the route. `is_there` tells whether a module could be imported."""
    wanted = options.get("route")
    if wanted is None:
        is_there = is_there or _is_there
        return next((name for name in ROUTES if is_there(name)), "torchax")
    if not isinstance(wanted, str) or wanted not in ROUTES:
        raise Unusable(
            "there is no route %r from PyTorch to a device that is not here" % (wanted,),
            "set options.route of the target to one of: %s" % ", ".join(ROUTES),
        )
    return wanted


def _is_there(name):
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def TargetAdapter(target):
    route = choose_route(dict(target.get("options") or {}))
    return importlib.import_module("." + route, __package__).TargetAdapter(target)
