"""What a recipe of the suite `generated` makes, and the bodies of its cases.

All that a body uses stands in this file, as a standalone script of a case is cut from it.
"""


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


def arranged(t, dtype, function, args, kwargs, then, more):
    """As `generated`, with an arrangement around the call; `more` holds what of these there is:

    setting  "graph": all is built in a tf.Graph, and what the call gives is fetched by a session
    bound    true: the first argument's own method is called, not its base class's
    before   recipes made before the arguments; ["let", NAME, RECIPE] keeps one for ["ref", NAME]
    fetch    with it: which parts of the result are fetched, one after the other
    within   [NAME, args, kwargs] of what takes the call, as a function of its arguments, and gives another
    after    recipe of what is looked at once the call is made, beside its result, ["ref", "result"]
    """
    import os

    before = os.getcwd()
    os.chdir(t.tmpdir())
    t.named = {}
    try:
        if more.get("setting") == "graph":
            return in_graph(t, dtype, function, args, kwargs, more)
        for one in more.get("before", []):
            make(t, one, dtype)
        callee, positional = bound(t, dtype, function, args, kwargs, more)
        if then is None:
            result = t.call(callee, *positional)
        else:
            result = t.call(callee(*positional), *[make(t, one, dtype) for one in then])
        t.named["result"] = result
        if "after" not in more:
            return settle(result)
        return [settle(result), settle(make(t, more["after"], dtype))]
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


def bound(t, dtype, function, args, kwargs, more):
    """The call as a function of its positional arguments, and these."""
    import functools

    positional = [make(t, one, dtype) for one in args]
    named = {key: make(t, kwargs[key], dtype) for key in sorted(kwargs)}
    callee = t.get(function)
    if more.get("bound"):
        callee = getattr(positional.pop(0), function.rsplit(".", 1)[1])
    if named:
        callee = functools.partial(callee, **named)
        callee.__name__ = function.rsplit(".", 1)[1]
    if "within" in more:
        name, rest, options = (list(more["within"]) + [[], {}])[:3]
        rest = [make(t, one, dtype) for one in rest]
        options = {key: make(t, options[key], dtype) for key in sorted(options)}
        callee = t.get(name)(callee, *rest, **options)
    return callee, positional


def in_graph(t, dtype, function, args, kwargs, more):
    """The call as a part of a tf.Graph, and what a session of TensorFlow 1 makes of its result."""
    v1 = t.fw.compat.v1
    seed = v1.get_seed(None)[0]  # of the harness: a graph has a seed of its own
    with t.fw.Graph().as_default(), t.fw.device(t.device), v1.Session() as session:
        v1.set_random_seed(seed)
        for one in more.get("before", []):
            make(t, one, dtype)
        callee, positional = bound(t, dtype, function, args, kwargs, more)
        t.stage = "call"
        result = callee(*positional)
        t.named["result"] = result
        parts = [result[index] for index in more["fetch"]] if "fetch" in more else [result]
        found = [settle(fetched(t, session, part, t.call)) for part in parts]
        if "after" in more:
            found.append(settle(fetched(t, session, make(t, more["after"], dtype))))
        return found


def fetched(t, session, value, call=None):
    """The value, with what a session makes of the tensors, variables and operations in it."""
    fetches = []
    value = without_fetches(t, value, fetches)
    if not fetches:
        return value
    start(session, t.fw.compat.v1)
    return with_fetched(value, call(session.run, fetches) if call else session.run(fetches))


def start(session, v1):
    """Initializes what is not, as every program of TensorFlow 1 begins."""
    if session.graph.finalized:
        return
    with session.graph.as_default():
        missing = set(session.run(v1.report_uninitialized_variables()))
        known = v1.global_variables() + v1.local_variables()
        session.run(v1.variables_initializer([v for v in known if v.op.name.encode() in missing]))
        session.run(v1.tables_initializer())


class Fetch:
    """Where a result of the session goes."""

    def __init__(self, index):
        self.index = index


def without_fetches(t, value, fetches):
    tf = t.fw
    if isinstance(value, dict):
        return {key: without_fetches(t, item, fetches) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_fetches(t, item, fetches) for item in value]
    if isinstance(value, (tf.SparseTensor, tf.RaggedTensor, tf.IndexedSlices)):
        parts = tf.nest.flatten(value, expand_composites=True)
        return [without_fetches(t, part, fetches) for part in parts]
    if not isinstance(value, (tf.Tensor, tf.Variable, tf.Operation)):
        return value
    if getattr(value, "dtype", None) in (tf.resource, tf.variant):
        return "<Tensor>"
    fetches.append(value)
    return Fetch(len(fetches) - 1)


def with_fetched(value, found):
    if isinstance(value, dict):
        return {key: with_fetched(item, found) for key, item in value.items()}
    if isinstance(value, list):
        return [with_fetched(item, found) for item in value]
    return found[value.index] if isinstance(value, Fetch) else value


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
    if kind in ("let", "ref", "seq", "run", "partial", "call", "made_dict"):
        return program(t, kind, rest, dtype)
    if kind == "value":  # an object of PyTorch that is long to make
        from seamark_suites.auto import _torch_values

        return _torch_values.build(t, dtype, rest[0], rest[1:])
    return plain(t, kind, rest)


def program(t, kind, rest, dtype):
    """Parts of an arrangement: what several recipes share, or make one after the other."""
    if kind == "let":
        t.named[rest[0]] = make(t, rest[1], dtype)
        return t.named[rest[0]]
    if kind == "ref":
        return t.named[rest[0]]
    if kind == "made_dict":  # of made pairs, where keys are no texts
        return dict(make(t, pair, dtype) for pair in rest)
    if kind == "seq":  # the last of them
        return [make(t, one, dtype) for one in rest][-1]
    if kind == "run":  # by the session of a graph
        session = t.fw.compat.v1.get_default_session()
        return fetched(t, session, make(t, rest[0], dtype))
    args = [make(t, one, dtype) for one in rest[1]] if rest[1:] else []
    named = {k: make(t, v, dtype) for k, v in rest[2].items()} if rest[2:] else {}
    if kind == "call":  # of a function that is itself made
        return make(t, rest[0], dtype)(*args, **named)
    import functools

    return functools.partial(t.get(rest[0]), *args, **named)


def plain(t, kind, rest):
    """Arguments of Python alone."""
    if kind == "fn":
        return FUNCTIONS[rest[0]]
    if kind == "none":
        return None
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


def _square(x):
    return x * x


def _square_jvp(primals, tangents):
    return primals[0] * primals[0], 2 * primals[0] * tangents[0]


def _square_tangent(tangent, result, x):
    return 2 * x * tangent


def _total_fwd(x):
    return _total(x), x


def _total_bwd(x, cotangent):
    return (2 * x * cotangent,)


def _double_rule(size, batched, x):
    return x * 2, batched[0]


def _negative(y, t):
    return -y


def _zero64(x):
    return x * 0


def _batched(key, dataset):
    return dataset.batch(5)


def _count(items):
    return sum(1 for _ in items)


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
    "count": _count,
    "zero64": _zero64,
    "batched": _batched,
    "square": _square,
    "square_jvp": _square_jvp,
    "square_tangent": _square_tangent,
    "total_fwd": _total_fwd,
    "total_bwd": _total_bwd,
    "double_rule": _double_rule,
    "negative": _negative,
}
