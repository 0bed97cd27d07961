"""Suite `generated`: calls of public functions with arguments built from recipes that are data.

`data/generated-FRAMEWORK.json` has a working recipe per function, found once by scripts/generate; here
nothing is searched, so that runs are deterministic and listing needs no framework. A recipe is a
literal, or a list that starts with its kind (see `make`). `check` says what the case can know:

  wide    the values, against the same call on the CPU in the widest type
  native  the values, against plain CPU execution in the same dtype (on the CPU itself: executed)
  shape   the function draws: structure, dtype and shape
  runs    nothing that could be compared comes back: it does not raise
"""

import json
import os

from seamark_agent.inputs import GENERATOR_VERSION

from seamark_suites.case import functions

FRAMEWORKS = ("torch", "tensorflow", "jax")
OPTIONS = {}
FORMAT = 1
VERSION = 1  # of the body and its helpers: part of every case's hash


def generated(t, dtype, function, args, kwargs, then):
    """The call; or, with `then`, the call of what the function returns (a transform's result)."""
    import os

    before = os.getcwd()
    os.chdir(
        t.tmpdir()
    )  # some functions write files where they are told, and a recipe may be any text
    try:
        positional = [make(t, one, dtype) for one in args]
        named = {key: make(t, kwargs[key], dtype) for key in sorted(kwargs)}
        if then is None:
            return settle(t.call(function, *positional, **named))
        made = t.get(function)(*positional, **named)
        return settle(t.call(made, *[make(t, one, dtype) for one in then]))
    finally:
        os.chdir(before)


def revealed(t, dtype, function, args, kwargs, more):
    """The call, and the state that objects of the framework hold after it.

    `more`: `before` is made first, for what it does to the process; `read` says that the function is an attribute
    of the first argument, `show` that objects come back as what they hold, and the arguments of a
    function that returns nothing as it leaves them.
    """
    import os

    folder = os.getcwd()
    os.chdir(t.tmpdir())
    try:
        if "before" in more:
            make(t, more["before"], dtype)
        positional = [make(t, one, dtype) for one in args]
        named = {key: make(t, kwargs[key], dtype) for key in sorted(kwargs)}
        if more.get("read"):
            name = function.rsplit(".", 1)[1]
            result = t.call(lambda thing: getattr(thing, name), *positional)
        elif more.get("then"):
            made = t.get(function)(*positional, **named)
            result = t.call(made, *[make(t, one, dtype) for one in more["then"]])
        else:
            result = t.call(function, *positional, **named)
        return reveal(t, result, positional) if more.get("show") else settle(result)
    finally:
        os.chdir(folder)


def make(t, spec, dtype):
    """The argument that a recipe describes; "T" is the tested dtype, C its complex partner."""
    if not isinstance(spec, list):
        return spec
    kind, rest = spec[0], spec[1:]
    if kind in ("randn", "uniform", "randint", "distinct", "any"):
        return draw(t, kind, rest, dtype)
    if kind == "spd":
        return t.spd(rest[0], real_dtype(rest[1], dtype), batch=tuple(rest[2]) if rest[2:] else ())
    if kind == "const":
        return t.const(rest[0], real_dtype(rest[1], dtype), grad=False)
    if kind in ("list", "tuple"):
        made = [make(t, one, dtype) for one in rest]
        return tuple(made) if kind == "tuple" else made
    if kind == "dict":
        return {key: make(t, value, dtype) for key, value in rest[0].items()}
    if kind == "make":
        args = [make(t, one, dtype) for one in rest[1]] if rest[1:] else []
        named = {k: make(t, v, dtype) for k, v in rest[2].items()} if rest[2:] else {}
        return t.get(rest[0])(*args, **named)
    if kind == "construct":  # with parameters that are the same, and on the device, at every place
        args = [make(t, one, dtype) for one in rest[1]] if rest[1:] else []
        named = {k: make(t, v, dtype) for k, v in rest[2].items()} if rest[2:] else {}
        return t.construct(rest[0], *args, dtype=dtype, **named)
    if kind == "attr":
        return getattr(make(t, rest[0], dtype), rest[1])
    if kind == "method":
        named = {k: make(t, v, dtype) for k, v in rest[3].items()} if rest[3:] else {}
        bound = getattr(make(t, rest[0], dtype), rest[1])
        return bound(*[make(t, one, dtype) for one in (rest[2] if rest[2:] else [])], **named)
    if kind == "get":
        return t.get(rest[0])
    if kind == "item":
        return make(t, rest[0], dtype)[rest[1]]
    if kind == "pyset":
        return set(make(t, rest[0], dtype))
    if kind == "dtype":
        return t.dtype(real_dtype(rest[0], dtype))
    if kind == "value":  # an object of PyTorch that is long to make
        from seamark_suites.auto import _torch_values

        return _torch_values.build(t, dtype, rest[0], rest[1:])
    return plain(t, kind, rest)


def plain(t, kind, rest):
    """Arguments of Python alone."""
    if kind == "fn":
        return FUNCTIONS[rest[0]]
    if kind == "np":
        return t.np.asarray(rest[0], rest[1] if rest[1:] else None)
    if kind == "bytes":
        return rest[0].encode("latin-1")
    if kind == "slice":
        return slice(*rest)
    if kind == "complex":
        return complex(*rest)
    if kind == "iter":
        return iter(rest[0])
    if kind == "tmp":
        import os

        path = os.path.join(t.tmpdir(), rest[0])
        if rest[1:]:
            with open(path, "wb") as stream:
                stream.write(rest[1].encode("latin-1"))
        return path
    raise ValueError("no recipe is of kind %r" % kind)


def real_dtype(name, dtype):
    if name == "T":
        return dtype
    return {"f64": "c128"}.get(dtype, "c64") if name == "C" else name


def draw(t, kind, rest, dtype):
    shape = tuple(int(n) for n in rest[0].split("x")) if rest[0] not in ("", "scalar") else ()
    name = real_dtype(rest[1], dtype)
    if kind == "any":  # small indices where integers are asked for
        integer = name[0] in "iu"
        return t.randint(shape, name, 0, 3) if integer else t.randn(shape, name)
    return getattr(t, kind)(shape, name, *rest[2:])


def settle(value, depth=0):
    """A result as containers of arrays and plain values; anything else is named by its type."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return value
    if depth > 6:
        return "..."
    if isinstance(value, dict):
        return {str(key): settle(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [settle(item, depth + 1) for item in value]
    kind = type(value).__name__
    if kind in ("DType", "dtype", "TensorShape", "Size", "device", "TreeDef", "PyTreeDef"):
        return repr(value)
    spec = kind.endswith(("Spec", "Struct")) or isinstance(value, type)
    if hasattr(value, "dtype") and hasattr(value, "shape") and not spec:
        return value
    if "Dataset" in kind and hasattr(value, "take"):
        return [settle(item, depth + 1) for item in value.take(3)]
    return "<%s>" % kind


def reveal(t, result, arguments):
    """What a PyTorch object holds, as containers of arrays and plain values."""
    from seamark_suites.auto import _torch_shown

    result = _torch_shown.finished(result)
    return _torch_shown.reveal(t.get("torch"), arguments if result is None else result)


def _double(x, *rest):
    return x * 2


def _add(a, b, *rest):
    return a + b


def _identity(*args, **kwargs):
    return args[0] if len(args) == 1 else args


def _first(x, *rest):
    return x


def _second(path, x, *rest):
    return x


def _true(*args):
    return True


def _total(x):
    return (x * x).sum()


def _less(x, *rest):
    return x < 3


def _pair(x, *rest):
    return x, x


def _carry(carry, x):
    return carry, x


def _indexed(i, x):
    return x


def _one(*args):
    return 1


def _nothing(*args, **kwargs):
    return None


def _apply(function, batch, *rest):
    return function(batch[0] if isinstance(batch, (list, tuple)) else batch)


def _causal(batch, head, query, key):
    return query >= key


def _numbers():
    return iter([1.0, 2.0, 3.0])


FUNCTIONS = {
    "double": _double,
    "add": _add,
    "identity": _identity,
    "first": _first,
    "second": _second,
    "true": _true,
    "total": _total,
    "less": _less,
    "pair": _pair,
    "carry": _carry,
    "indexed": _indexed,
    "one": _one,
    "nothing": _nothing,
    "apply": _apply,
    "causal": _causal,
    "numbers": _numbers,
}


# --- the suite -----------------------------------------------------------------------------------


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
    body, keys = generated, [key for key in ("before", "read", "show") if key in entry]
    if keys:
        body, then = revealed, params.pop("then")
        params["more"] = {key: resolve(entry[key], recipes) for key in keys}
        params["more"].update({"then": then} if then else {})
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
