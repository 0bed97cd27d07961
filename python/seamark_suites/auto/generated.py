"""Suite `generated`: calls of public functions with arguments built from recipes that are data.

`data/generated-FRAMEWORK.json` has a working recipe per function, found once by scripts/generate; here
nothing is searched, so that runs are deterministic and listing needs no framework. A recipe is a
literal, or a list that starts with its kind (see `make` in `_recipes.py`). `check` says what the case can know:

  wide    the values, against the same call on the CPU in the widest type
  native  the values, against plain CPU execution in the same dtype (on the CPU itself: executed)
  shape   the function draws: structure, dtype and shape
  runs    nothing that could be compared comes back: it does not raise
"""

import json
import os

from seamark_agent import frameworks
from seamark_agent.inputs import GENERATOR_VERSION

from seamark_suites.auto._recipes import arranged, generated, make, revealed, settle
from seamark_suites.loader import functions

__all__ = ["arranged", "cases", "generated", "make", "revealed", "settle"]

FRAMEWORKS = tuple(one["name"] for one in frameworks.KNOWN)
OPTIONS = {}
FORMAT = 1
ARRANGED = ("setting", "bound", "before", "fetch", "within", "after")  # for `arranged`
REVEALED = ("before", "read", "show")  # for `revealed`, PyTorch's
VERSION = 1  # of the body and its helpers: part of every case's hash


def data_path(framework):
    return os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "data", "generated-%s.json" % framework
    )


def read(framework):
    """The data of one framework, or None where there is none."""
    path = data_path(framework)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as stream:
        found = json.load(stream)
    if found.get("format") != FORMAT:
        raise ValueError("%s has format %r, expected %d" % (path, found.get("format"), FORMAT))
    return found


def resolve(spec, recipes):
    """The recipe with every "@name" replaced by what the name stands for."""
    if isinstance(spec, str) and spec.startswith("@"):
        return resolve(recipes[spec[1:]], recipes)
    if isinstance(spec, list):
        return [resolve(one, recipes) for one in spec]
    if isinstance(spec, dict):
        return {key: resolve(value, recipes) for key, value in spec.items()}
    return spec


def case_of(framework, function, entry, recipes, core=False):
    """One Case of an entry of the data file."""
    from seamark_suites import automatic

    dtype, check = entry.get("dtype", "f32"), entry.get("check", "wide")
    params = {
        "dtype": dtype,
        "function": function,
        "args": resolve(entry.get("args", []), recipes),
        "kwargs": resolve(entry.get("kwargs", {}), recipes),
        "then": resolve(entry.get("then"), recipes),
    }
    body, keys = (revealed, REVEALED) if framework == "torch" else (arranged, ARRANGED)
    more = {key: resolve(entry[key], recipes) for key in keys if key in entry}
    if not more:
        body = generated
    elif body is revealed and params["then"] is not None:
        more["then"] = params["then"]
    if body is revealed:
        del params["then"]
    if more:
        params["more"] = more
    identity = [json.dumps(params, sort_keys=True), check, GENERATOR_VERSION, VERSION]
    made = automatic.generated(
        function,
        body,
        params,
        [dtype],
        identity,
        dtype=dtype,
        core=core,
        host_only=bool(entry.get("host")),
        trivial=bool(entry.get("trivial")),
        random=False,
        reference={"wide": None, "shape": "shapes"}.get(check, check),
        rtol=entry.get("rtol"),
        script=None,
    )
    made.framework, made.source = framework, _source(body)
    return made


def _source(body):
    if body not in _cache:
        import inspect

        _cache[body] = inspect.getsource(body)
    return _cache[body]


_cache = {}


def cases(framework, options):
    """The cases of one framework, sorted by function."""
    data = read(framework)
    entries = (data or {"functions": {}})["functions"]
    held = set(functions("curated", framework))
    return [
        case_of(framework, name, entries[name], data.get("recipes", {}), name not in held)
        for name in sorted(entries)
    ]
