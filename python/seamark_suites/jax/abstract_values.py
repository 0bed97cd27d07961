"""Shapes and dtypes without values: jax.eval_shape and jax.ShapeDtypeStruct; and events: jax.monitoring."""

from seamark_suites.case import case


def said(tree):
    """(shape, dtype) of what has no values."""
    import jax

    return jax.tree_util.tree_map(lambda x: (tuple(x.shape), str(x.dtype)), tree)


# --- eval_shape


def host(function, **header):
    return case(function, **dict({"host_only": True, "reference": "none"}, **header))


def layer(params, x):
    import jax

    h = jax.numpy.tanh(x @ params["w"] + params["b"])
    return {"h": h, "best": h.argmax(-1), "good": (h > 0).any()}


@host("jax.eval_shape", dtypes="f32 bf16 f16", core="f32 bf16")
def shapes_of_a_layer(t, dtype):
    params = {"w": t.randn((5, 7), dtype), "b": t.randn((7,), dtype)}
    found = t.call("jax.eval_shape", layer, params, t.randn((3, 5), dtype))
    name = str(t.dtype(dtype))
    want = {"h": ((3, 7), name), "best": ((3,), "int32"), "good": ((), "bool")}
    t.expect(said(found) == want, "%s, got %s" % (want, found))


@host("jax.eval_shape")
def shapes_alone_are_enough(t):
    """Nothing is computed: these arrays have no memory anywhere."""
    make = t.get("jax.ShapeDtypeStruct")
    params = {"w": make((300000, 700000), "float32"), "b": make((700000,), "bfloat16")}
    found = t.call("jax.eval_shape", layer, params, make((8, 300000), "float32"))
    want = {"h": ((8, 700000), "float32"), "best": ((8,), "int32"), "good": ((), "bool")}
    t.expect(said(found) == want, "%s, got %s" % (want, found))
    t.expect(isinstance(found["h"], make), "a ShapeDtypeStruct, got %s" % type(found["h"]))


@host("jax.eval_shape")
def shapes_of_transformed_functions(t):
    jax, x = t.fw, t.randn((6, 4), "f32")

    def loss(v):
        return (v * v).sum()

    found = t.call(
        "jax.eval_shape",
        lambda v: (jax.grad(loss)(v), jax.hessian(loss)(v[0]), jax.vmap(loss)(v), jax.jit(loss)(v)),
        x,
    )
    want = [(6, 4), (4, 4), (6,), ()]
    t.expect([one.shape for one in found] == want, "%s, got %s" % (want, found))
    state = t.call("jax.eval_shape", lambda v: jax.lax.scan(lambda c, r: (c + r, c), v[0], v), x)
    t.expect([one.shape for one in state] == [(4,), (6, 4)], "of a scan, got %s" % (state,))


@host("jax.eval_shape", core=False)
def dtypes_of_mixed_arguments(t):
    make, jnp = t.get("jax.ShapeDtypeStruct"), t.fw.numpy
    kinds = ("bool", "int8", "int32", "bfloat16", "float16", "float32", "complex64")
    for one in kinds:
        for other in kinds:
            args = make((2,), one), make((3, 1), other)
            found = t.call("jax.eval_shape", jnp.add, *args)
            want = jnp.promote_types(one, other)
            t.expect(found.shape == (3, 2) and found.dtype == want, "%s, got %s" % (want, found))
    found = t.call("jax.eval_shape", lambda x: x * 2.5, make((2,), "bfloat16"))
    t.expect(str(found.dtype) == "bfloat16", "a Python number is weak, got %s" % found)


@host("jax.eval_shape", core=False)
def arguments_of_other_kinds(t):
    """Python's numbers, NumPy's arrays, keywords, what a closure holds, None."""
    found = t.call("jax.eval_shape", lambda a, b, *, c: (a * 2, b + c["k"], None, 3), 7,
                   t.np.ones((2, 3), "float32"), c={"k": 1.5})  # fmt: skip
    t.expect(said(found[:2]) == (((), "int32"), ((2, 3), "float32")), "both, got %s" % (found,))
    t.expect(found[2] is None and found[3].shape == (), "None, and a number, got %s" % (found,))
    held = t.randn((4, 1), "f32")
    found = t.call("jax.eval_shape", lambda x: x + held, t.randn((3,), "f32"))
    t.expect(found.shape == (4, 3), "with an array of the closure, got %s" % found)


@host("jax.eval_shape", core=False)
def keys_and_initial_values(t):
    """How a model's parameters look before they are made."""
    jax = t.fw

    def start(key):
        one, two = jax.random.split(key)
        return {"w": jax.random.normal(one, (3, 4)), "key": two}

    found = t.call("jax.eval_shape", start, jax.random.key(0))
    t.expect(said(found["w"]) == ((3, 4), "float32"), "3 x 4, got %s" % found)
    t.expect(jax.dtypes.issubdtype(found["key"].dtype, jax.dtypes.prng_key), "and a key")
    made = jax.tree_util.tree_map(lambda s: s.dtype, start(jax.random.key(0)))
    t.expect(said(found)["w"][1] == str(made["w"]), "as it is made")


@host("jax.eval_shape", core=False)
def sizes_one_after_another(t):
    """Each size is traced, and no value is there to see."""
    jax, seen = t.fw, []

    def function(x):
        seen.append(isinstance(x, jax.core.Tracer))
        return x.reshape(-1, 2).sum(0, keepdims=True)

    shapes = [(2, 3), (4,), (0, 2)]
    found = [t.call("jax.eval_shape", function, t.randn(one, "f32")).shape for one in shapes]
    t.expect(found == [(1, 2)] * 3, "1 x 2 for all, got %s" % found)
    t.expect(len(seen) >= 3 and all(seen), "tracers alone, got %s" % seen)


@host("jax.eval_shape", core=False)
def what_has_no_shape(t):
    make, x = t.get("jax.ShapeDtypeStruct"), t.randn((3,), "f32")

    def refused(kinds, *given):
        t.raises(kinds, t.call, "jax.eval_shape", *given)

    refused(TypeError, lambda v: v, "text")
    refused(TypeError, lambda v: "text", x)
    refused(TypeError, 3, x)
    refused(TypeError, lambda a, b: a @ b, make((2, 3), "float32"), make((4,), "float32"))
    refused(t.fw.errors.TracerBoolConversionError, lambda v: v if v.sum() > 0 else -v, x)
    refused(KeyError, lambda v: {}["missing"], x)


# --- ShapeDtypeStruct


@host("jax.ShapeDtypeStruct", dtypes="f32 bf16 i32 bool c64 u8", shapes="2x3 scalar 0",
      core="f32 i32")  # fmt: skip
def what_it_says(t, dtype, shape):
    made = t.call("jax.ShapeDtypeStruct", shape, t.dtype(dtype))
    t.expect(made.shape == tuple(shape), "the shape, got %s" % (made.shape,))
    t.expect(made.dtype == t.dtype(dtype), "the dtype, got %s" % made.dtype)
    t.expect(made.ndim == len(shape), "as many axes, got %s" % made.ndim)
    t.expect(made.size == int(t.np.prod(shape)), "the number of elements, got %s" % made.size)
    t.expect(str(t.dtype(dtype)) in repr(made), "its dtype in print, got %r" % made)


@host("jax.ShapeDtypeStruct")
def those_that_are_equal(t):
    def made(*given, **options):
        return t.call("jax.ShapeDtypeStruct", *given, **options)

    first = made((2, 3), "float32")
    same = (
        made([2, 3], t.np.float32),
        made((2, 3), t.fw.numpy.float32),
        made((2, 3), t.dtype("f32")),
    )
    t.expect(all(first == one and hash(first) == hash(one) for one in same), "equal, one hash")
    for other in (made((3, 2), "float32"), made((2, 3), "bfloat16"), made((2, 3, 1), "float32")):
        t.expect(first != other, "another one: %s" % other)
    t.expect(first != ((2, 3), "float32"), "a tuple is no such thing")
    t.expect(len({first, *same}) == 1, "one key of a dictionary")
    t.expect(len(first) == 2, "a length as of an array")


def scaled(x, n):
    return x * n


@host("jax.ShapeDtypeStruct", dtypes="f32 bf16", core="f32", reference=lambda np, x, n: x * n)
def a_program_is_compiled_for_it(t, dtype):
    shapes = [t.call("jax.ShapeDtypeStruct", one, t.dtype(dtype)) for one in ((3, 4), ())]
    compiled = t.fw.jit(scaled).lower(*shapes).compile()
    x, n = t.randint((3, 4), dtype, -9, 9), t.randint((), dtype, 2, 5)
    t.raises((TypeError, ValueError), compiled, x[0], n)
    return compiled(x, n)


@host("jax.ShapeDtypeStruct", core=False)
def stands_for_arrays_in_a_tree(t):
    jax = t.fw
    tree = {"w": t.randn((3, 2), "f32"), "n": [t.randn((4,), "i32"), None]}
    made = jax.tree_util.tree_map(lambda x: t.call("jax.ShapeDtypeStruct", x.shape, x.dtype), tree)
    t.expect(said(made) == said(tree), "shapes and dtypes of the tree, got %s" % made)
    t.expect(len(jax.tree_util.tree_leaves(made)) == 2, "a leaf for an array")
    zeros = jax.tree_util.tree_map(lambda s: jax.numpy.zeros(s.shape, s.dtype), made)
    t.expect(said(zeros) == said(tree), "arrays made by it")
    like = jax.numpy.ones_like(made["w"])
    t.expect(said(like) == ((3, 2), "float32"), "an array like it, got %s" % (said(like),))


@host("jax.ShapeDtypeStruct", core=False)
def with_a_sharding(t):
    jax = t.fw
    one = jax.sharding.SingleDeviceSharding(t.device)
    made = t.call("jax.ShapeDtypeStruct", (8, 2), "float32", sharding=one)
    t.expect(made.sharding == one, "the sharding, got %s" % made.sharding)
    plain = t.call("jax.ShapeDtypeStruct", (8, 2), "float32")
    t.expect(plain.sharding is None and plain != made, "none without, which is another one")
    found = (
        jax.jit(lambda x: x + 1)
        .lower(made)
        .compile()(t.fw.device_put(t.np.ones((8, 2), "float32"), one))
    )
    t.expect(bool((t.host(found) == 2).all()), "a program for it, got %s" % found)


@host("jax.ShapeDtypeStruct", core=False)
def keys_and_64_bits(t):
    """A dtype is kept as it is given, where arrays could not have it, too."""
    for name in ("float64", "int64"):
        made = t.call("jax.ShapeDtypeStruct", (2,), name)
        t.expect(str(made.dtype) == name, "%s, got %s" % (name, made.dtype))
    made = t.call("jax.ShapeDtypeStruct", (2,), t.fw.random.key(0).dtype)
    found = t.fw.eval_shape(lambda keys: t.fw.vmap(t.fw.random.uniform)(keys), made)
    t.expect(found.shape == (2,), "keys without words, got %s" % found)


@host("jax.ShapeDtypeStruct", core=False)
def what_it_cannot_be(t):
    def refused(kinds, *given, **options):
        t.raises(kinds, t.call, "jax.ShapeDtypeStruct", *given, **options)

    refused(TypeError, 3, "float32")
    refused(ValueError, (3,), None)
    refused(TypeError, (3,), "nonsense")
    refused(ValueError, (3,), "float32", sharding=3)
    made = t.call("jax.ShapeDtypeStruct", (2,), "float32")
    t.raises(TypeError, lambda: made + 1)
    t.raises(TypeError, t.fw.numpy.sin, made)
    t.raises(TypeError, len, t.call("jax.ShapeDtypeStruct", (), "float32"))


# --- monitoring

RECORD = "jax.monitoring.record_event_duration_secs"
UNHEARD = ("0.7.0", "the public name of what unregisters a listener")


class heard:
    """Listens to the events whose names begin so, in a `with`, and to nothing after it."""

    def __init__(self, t, begin="/seamark/"):
        self._monitoring, self._begin, self.events = t.fw.monitoring, begin, []

    def _listen(self, event, seconds, **more):
        if event.startswith(self._begin):
            self.events.append((event, seconds, more))

    def __enter__(self):
        self._listener = self._listen  # one object, as it is looked for
        self._monitoring.register_event_duration_secs_listener(self._listener)
        return self.events

    def __exit__(self, *problem):
        self._monitoring.unregister_event_duration_listener(self._listener)


@host(RECORD, since=UNHEARD)
def a_listener_hears(t):
    with heard(t) as events:
        found = t.call(RECORD, "/seamark/one", 1.5)
        t.call(RECORD, "/seamark/two", 2)
    t.expect(found is None, "nothing comes back, got %r" % (found,))
    first = [one for one in events if one[0] == "/seamark/one"]
    t.expect(
        first and first[0] == ("/seamark/one", 1.5, {}), "its name and seconds, got %s" % events
    )
    t.expect(events[-1] == ("/seamark/two", 2, {}), "and the next one's, got %s" % events)


@host(RECORD, since=UNHEARD)
def keywords_are_told(t):
    with heard(t) as events:
        t.call(RECORD, "/seamark/named", 0.25, origin="step", number=3)
    want = ("/seamark/named", 0.25, {"origin": "step", "number": 3})
    t.expect(events and events[-1] == want, "%s, got %s" % (want, events))


@host(RECORD, since=UNHEARD)
def all_listeners_hear(t):
    with heard(t) as first:
        t.call(RECORD, "/seamark/before", 1.0)
        with heard(t) as second:
            t.call(RECORD, "/seamark/both", 2.0)
        t.call(RECORD, "/seamark/after", 3.0)
    t.call(RECORD, "/seamark/nobody", 4.0)
    names = [list(dict.fromkeys(one[0][9:] for one in events)) for events in (first, second)]
    t.expect(names == [["before", "both", "after"], ["both"]], "those of its time, got %s" % names)


@host(RECORD, since=UNHEARD, core=False)
def other_events_are_other_listeners(t):
    others, monitoring = [], t.fw.monitoring

    def listen(event, **more):
        others.append(event)

    monitoring.register_event_listener(listen)
    try:
        with heard(t) as events:
            monitoring.record_event("/seamark/plain")
            t.call(RECORD, "/seamark/timed", 1.0)
    finally:
        monitoring.unregister_event_listener(listen)
    t.expect({one[0] for one in events} == {"/seamark/timed"}, "the timed one, got %s" % events)
    t.expect("/seamark/plain" in others and "/seamark/timed" not in others, "and the plain one")


@host(RECORD, since=UNHEARD, core=False)
def once_for_each_trace(t):
    """Python's calls inside jit are made while it traces."""
    with heard(t) as events:

        def traced(x):
            t.fw.monitoring.record_event_duration_secs("/seamark/traced", 1.0)
            return x * 2

        made = t.fw.jit(traced)
        found = [made(t.const(n, "i32")) for n in (3, 4)]
        t.call(RECORD, "/seamark/end", 0.0)
    t.expect([int(one) for one in found] == [6, 8], "twice 3 and 4, got %s" % found)
    names = [one[0][9:] for one in events]
    t.expect(names.count("traced") == 1 and names[-1] == "end", "once, got %s" % names)


@host(RECORD, since=UNHEARD, core=False)
def jax_tells_of_its_own_compilations(t):
    with heard(t, "/jax/core/compile/") as events:
        t.fw.jit(lambda x: x * 3 + 1)(t.const([1.0, 2.0], "f32"))
        t.call(RECORD, "/jax/core/compile/seamark", 0.5)
    names = {one[0].split("/")[-1] for one in events}
    t.expect("backend_compile_duration" in names, "a compilation, got %s" % sorted(names))
    t.expect("seamark" in names, "and the one recorded here")
    t.expect(all(one[1] >= 0 for one in events), "seconds that are not negative")


@host(RECORD, since=UNHEARD, core=False)
def errors_of_a_listener_come_out(t):
    def listen(event, seconds, **more):
        if event == "/seamark/wrong":
            raise KeyError("as intended")

    t.fw.monitoring.register_event_duration_secs_listener(listen)
    try:
        t.raises(KeyError, t.call, RECORD, "/seamark/wrong", 1.0)
    finally:
        t.fw.monitoring.unregister_event_duration_listener(listen)
    t.raises(TypeError, t.call, RECORD, "/seamark/missing")
    t.raises(TypeError, t.call, RECORD)


# --- beyond: weak types, places and structures of what a function would give


@host("jax.eval_shape", core=False)
def weak_types_nodes_and_programs(t):
    """Numbers of Python stay weak; tuples with names; what does not change from call to call; inside a program."""
    import collections

    jax, make = t.fw, t.get("jax.ShapeDtypeStruct")
    pair = collections.namedtuple("pair", "left right")
    weak = t.call("jax.eval_shape", lambda x: x * 2, 1.5)
    plain = t.call("jax.eval_shape", lambda x: x * 2, make((2,), "bfloat16"))
    t.expect(weak.weak_type and not plain.weak_type, "weak, then not, got %s, %s" % (weak, plain))
    made = t.call(
        "jax.eval_shape",
        lambda p: pair(p.right.T, (p.left,)),
        pair(make((2,), "int8"), make((3, 4), bool)),
    )
    t.expect(
        isinstance(made, pair) and made.left.shape == (4, 3) and made.right[0].shape == (2,),
        "a pair, got %s" % (made,),
    )
    seen = []
    jax.jit(lambda x: seen.append(t.get("jax.eval_shape")(lambda v: v.sum(0), x)) or x)(
        t.randn((3, 5), "f16")
    )
    t.expect(said(seen) == [((5,), "float16")], "of a tracer, got %s" % seen)
    once = [
        t.call(
            "jax.eval_shape",
            layer,
            {"w": make((5, 7), "float32"), "b": make((7,), "float32")},
            make((3, 5), "float32"),
        )
        for _ in range(2)
    ]
    t.expect(once[0] == once[1], "the same of the same")
    error = t.raises(ZeroDivisionError, t.call, "jax.eval_shape", lambda x: x * (1 // 0), 1.0)
    t.expect(error is not None, "an error of the function's own")  # fmt: skip


class Shaped:
    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


class ShapedDict(dict):
    shape, dtype = (3, 2), "int8"


@host("jax.eval_shape", core=False)
def whatever_has_shape_and_dtype(t):
    """A class of one's own; a subclass of dict that has both is a leaf, and what it holds does not matter."""
    np, one = t.np, Shaped((2, 3), t.np.dtype("float32"))
    found = t.call(
        "jax.eval_shape",
        lambda p: {"sum": p["x"].sum(0) + p["y"][0]},
        {"x": one, "y": Shaped((4, 3), np.dtype("float16"))},
    )
    t.expect(said(found) == {"sum": ((3,), "float32")}, "3 numbers, got %s" % found)
    held = ShapedDict(a=t.randn((7,), "f32"), b="text")
    for given, double in (held, lambda v: v.T * 2), ([held], lambda v: v[0].T * 2):
        found = t.call("jax.eval_shape", double, given)
        t.expect(said(found) == ((2, 3), "int8"), "a leaf of 3 x 2, got %s" % found)
    t.raises((TypeError, AttributeError), t.call, "jax.eval_shape", lambda v: v, object())


@host("jax.ShapeDtypeStruct", core=False)
def shapes_in_other_forms(t):
    """NumPy's numbers as sizes; a key of a tree; in print; parts of it are no arrays; kept in a pickle."""
    import pickle

    make, np = t.get("jax.ShapeDtypeStruct"), t.np
    made = t.call("jax.ShapeDtypeStruct", (np.int64(2), 3), np.dtype("float32"))
    t.expect(
        made == make((2, 3), "float32") and "float32" in repr(made),
        "equal, and its dtype in print, got %r" % made,
    )
    t.expect(pickle.loads(pickle.dumps(made)) == made, "the same out of a pickle")
    t.expect(len({made: 1, make((2, 3), "float32"): 2}) == 1, "one key")
    t.raises(TypeError, lambda: made[0])
    t.raises((AttributeError, TypeError), lambda: made.sum())
    t.raises(TypeError, t.call, "jax.ShapeDtypeStruct", (2, 3))
    for kind in ("float8_e4m3fn", "int4"):
        found = t.fw.eval_shape(
            lambda x: x.T, t.call("jax.ShapeDtypeStruct", (2, 3), getattr(t.fw.numpy, kind))
        )
        t.expect(said(found) == ((3, 2), kind), "of few bits, got %s" % found)  # fmt: skip


@host(RECORD, since=UNHEARD, core=False)
def seconds_of_any_kind(t):
    """Whole, none and NumPy's seconds are told as they are, from other threads too; who did not listen cannot stop."""
    import threading

    given = [0, 3, t.np.float32(0.5), -1.5]
    with heard(t) as events:
        for one in given:
            t.call(RECORD, "/seamark/given", one)
        thread = threading.Thread(target=t.get(RECORD), args=("/seamark/thread", 2.0))
        thread.start()
        thread.join()
    told = [seconds for event, seconds, _ in events if event == "/seamark/given"]
    t.expect(told == given or told[:: len(told) // 4] == given, "the seconds, got %s" % told)
    t.expect("/seamark/thread" in [one[0] for one in events], "that of a thread")
    t.raises(
        (AssertionError, ValueError), t.fw.monitoring.unregister_event_duration_listener, print
    )


@host(RECORD, since=UNHEARD, core=False)
def sums_by_name_and_the_order_of_listeners(t):
    """Each hears each event, in the order in which they began to listen."""
    sums, order, monitoring = {}, [], t.fw.monitoring

    def add(event, seconds, **more):
        sums[event] = sums.get(event, 0) + seconds
        order.append((event, "add"))

    def note(event, seconds, **more):
        order.append((event, "note"))

    for listen in (add, note):
        monitoring.register_event_duration_secs_listener(listen)
    try:
        for event, seconds in (("/seamark/short", 1), ("/seamark/short", 2), ("/seamark/long", 10)):
            t.call(RECORD, event, seconds)
    finally:
        for listen in (add, note):
            monitoring.unregister_event_duration_listener(listen)
    names = ("/seamark/short",) * 4 + ("/seamark/long",) * 2
    heard_of = [one for one in order if one[0].startswith("/seamark/")][:6]
    t.expect(heard_of == list(zip(names, ("add", "note") * 3)), "in their order, got %s" % order)
    t.expect(
        (sums["/seamark/short"], sums["/seamark/long"]) == (3, 10), "sums by name, got %s" % sums
    )
