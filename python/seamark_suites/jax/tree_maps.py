"""jax.tree.map: functions of one and of several trees, on arrays and on the host."""

import collections

from seamark_suites.case import case

from .reference import with_gradient

TREE = ("0.4.25", "the module jax.tree")
# Two roundings, one of them of a difference.
TWICE = {"bf16": 2e-2, "f16": 2e-3}

Point = collections.namedtuple("Point", "x y")


def parts(t, dtype, rows=3):
    """A tree of a matrix, a row and a number."""
    return {"w": t.randn((rows, 4), dtype), "b": [t.randn((4,), dtype), (t.randn((), dtype),)]}


def twice_minus(x, y):
    return x * 2 - y


@case(
    "jax.tree.map",
    dtypes="f32 bf16 i32 f16 f64 c64 i8 i64",
    core="f32 bf16 i32",
    since=TREE,
    rtol=TWICE,
    atol=TWICE,
    reference=lambda np, w, b, s, w2, b2, s2: {
        "w": w * 2 - w2,
        "b": [b * 2 - b2, (s * 2 - s2,)],
    },
)
def two_trees(t, dtype):
    return t.call("jax.tree.map", twice_minus, parts(t, dtype), parts(t, dtype))


def chosen(which, left, right):
    import jax

    return jax.numpy.where(which > 0, left, right)


@case(
    "jax.tree.map",
    dtypes="f32 i32 bool",
    core="f32 bool",
    since=TREE,
    reference=lambda np, p, q, a, b, c, d: [np.where(p > 0, a, c), (np.where(q > 0, b, d),)],
)
def three_trees(t, dtype):
    """A choice leaf by leaf: of averaged and of new weights, say."""
    which = [t.distinct((9,), "i32"), (t.distinct((2, 5), "i32"),)]
    left, right = ([t.randn((9,), dtype), (t.randn((2, 5), dtype),)] for _ in range(2))
    return t.call("jax.tree.map", chosen, which, left, right)


def summed_squares(x, y):
    import jax

    return jax.tree.map(lambda a, b: a * a * b, {"p": x, "q": [y]}, {"p": x + 1, "q": [y + 1]})


@case(
    "jax.tree.map",
    dtypes="f32 bf16 f64",
    grad=True,
    core="f32 bf16",
    since=TREE,
    rtol={"f32": 1e-5, "bf16": 4e-2, "f64": 1e-13},  # several roundings
    reference=with_gradient(
        lambda np, x, y: [x * x * (x + 1), y * y * (y + 1)],
        lambda np, w, x, y: (w[0] * (3 * x * x + 2 * x), w[1] * (3 * y * y + 2 * y)),
    ),
)
def map_gradient(t, dtype):
    found, slopes = t.call(
        summed_squares, t.uniform((4, 3), dtype, 1, 2), t.uniform((5,), dtype, 1, 2)
    )
    return [found["p"], found["q"][0]], slopes


def descent(params, grads):
    import jax

    return jax.tree.map(lambda p, g: p - 0.125 * g, params, grads)


def descended(np, *arrays):
    half = len(arrays) // 2
    return [p - 0.125 * g for p, g in zip(arrays[:half], arrays[half:])]


@case("jax.tree.map", dtypes="f32", core=False, since=TREE, reference=descended)
def step_of_many_arrays(t, dtype):
    """As many arrays as a model has, of all shapes, in one program."""
    shapes = [(3 + n % 5, 1 + n % 7) if n % 3 else (n,) for n in range(1, 41)]
    params, grads = ([t.randn(shape, dtype) for shape in shapes] for _ in range(2))
    return t.call(t.fw.jit(descent), params, grads)


@case("jax.tree.map", dtypes="f32 bf16", large=True, since=TREE, reference=descended,
      rtol=TWICE, atol=TWICE)  # fmt: skip
def large_step(t, dtype):
    shapes = [(1024, 1025), (2047, 513), (1000003,)]
    params, grads = ([t.randn(shape, dtype) for shape in shapes] for _ in range(2))
    return t.call(descent, params, grads)


@case("jax.tree.map", dtypes="f32", core=False, since=TREE, reference=descended)
def sizes_one_after_another(t, dtype):
    sizes = ((3, 2), (5, 4), (2, 7))
    params = [t.randn(size, dtype) for size in sizes]
    grads = [t.randn(size, dtype) for size in sizes]
    return [t.call(descent, {"w": p}, {"w": g})["w"] for p, g in zip(params, grads)]


def to_dtype(tree, dtype):
    import jax

    floating = jax.numpy.floating
    return jax.tree.map(
        lambda x: x.astype(dtype) if jax.numpy.issubdtype(x.dtype, floating) else x, tree
    )


@case("jax.tree.map", to=["bf16", "f16"], core=False, since=TREE,
      reference=lambda np, x, n, to: {"x": x, "n": n})  # fmt: skip
def casts_the_floating_leaves(t, to):
    """Mixed precision: what is whole stays whole."""
    tree = {"x": t.randint((12,), "f32", -99, 99), "n": t.randn((4,), "i32")}
    made = t.call(to_dtype, tree, t.dtype(to))
    t.expect(made["x"].dtype == t.dtype(to) and made["n"].dtype == t.dtype("i32"), "both dtypes")
    return made


def row_sums(tree):
    import jax

    return jax.vmap(lambda part: jax.tree.map(lambda x: x.sum(), part))(tree)


@case("jax.tree.map", dtypes="f32 i32", core=False, since=TREE,
      rtol={"f32": 1e-5}, atol={"f32": 1e-5},  # sums that may cancel
      reference=lambda np, x, y: [x.sum(1), y.sum((1, 2))])  # fmt: skip
def map_inside_vmap(t, dtype):
    return t.call(row_sums, [t.randn((5, 7), dtype), t.randn((5, 2, 3), dtype)])


@case("jax.tree.map", dtypes="f32", shapes="0 3x0", trivial=True, core=False, since=TREE,
      reference=lambda np, x: (-x, {}, []))  # fmt: skip
def map_of_empty_arrays(t, dtype, shape):
    return t.call("jax.tree.map", lambda x: -x, (t.randn(shape, dtype), {}, []))


# --- on the host


@case("jax.tree.map", host_only=True, reference="none", since=TREE)
def containers_stay_what_they_are(t):
    given = {
        "point": Point(1, (2, 3)),
        "ordered": collections.OrderedDict([("z", 4), ("a", 5)]),
        "default": collections.defaultdict(list, {"k": 6}),
        "none": None,
        "empty": [(), {}],
    }
    made = t.call("jax.tree.map", lambda x: x * 10, given)
    want = {
        "point": Point(10, (20, 30)),
        "ordered": collections.OrderedDict([("z", 40), ("a", 50)]),
        "default": {"k": 60},
        "none": None,
        "empty": [(), {}],
    }
    t.expect(made == want, "tens in the same tree, got %r" % (made,))
    t.expect(isinstance(made["point"], Point), "a named tuple")
    t.expect(list(made["ordered"]) == ["z", "a"], "an ordered dictionary in its order")
    t.expect(made["default"].default_factory is list, "a dictionary with its default")
    t.expect(given["point"] == Point(1, (2, 3)), "the given tree as it was")


@case("jax.tree.map", host_only=True, reference="none", since=TREE)
def what_counts_as_a_leaf(t):
    pairs = [(1, 2), (3, None)]
    made = t.call("jax.tree.map", len, pairs, is_leaf=lambda x: isinstance(x, tuple))
    t.expect(made == [2, 2], "tuples as leaves, got %r" % (made,))
    made = t.call(
        "jax.tree.map", lambda x: 0 if x is None else x, pairs, is_leaf=lambda x: x is None
    )
    t.expect(made == [(1, 2), (3, 0)], "None as a leaf, got %r" % (made,))
    made = t.call(
        "jax.tree.map", lambda x, y: [x, y], {"a": 1, "b": None}, {"a": (2, 3), "b": None}
    )
    t.expect(made == {"a": [1, (2, 3)], "b": None}, "a subtree as the second argument")


@case("jax.tree.map", host_only=True, reference="none", core=False, since=TREE)
def results_that_are_trees(t):
    made = t.call("jax.tree.map", lambda x: {"twice": 2 * x, "text": str(x)}, [1, (2,)])
    want = [{"twice": 2, "text": "1"}, ({"twice": 4, "text": "2"},)]
    t.expect(made == want, "a tree in place of each leaf, got %r" % (made,))
    one = t.call("jax.tree.map", lambda x, y: x + y, "ab", "cd")
    t.expect(one == "abcd", "a leaf alone as a tree, got %r" % (one,))


@case("jax.tree.map", host_only=True, reference="none", core=False, since=TREE)
def order_of_the_calls(t):
    seen = []
    t.call("jax.tree.map", seen.append, {"b": [1, 2], "a": 3, "c": (4,)})
    t.expect(seen in ([3, 1, 2, 4], [3, 1, 2, 4] * (len(seen) // 4)), "sorted keys, got %s" % seen)


@case("jax.tree.map", host_only=True, reference="none", core=False, since=TREE)
def trees_that_do_not_fit(t):
    def both(x, y):
        return x + y

    for left, right in (
        ([1, 2], [1]),
        ({"a": 1}, {"b": 1}),
        ([1], (1,)),
        ([1, None], [1, 2]),
        (Point(1, 2), (1, 2)),
    ):
        t.raises(ValueError, t.call, "jax.tree.map", both, left, right)
    t.raises(TypeError, t.call, "jax.tree.map", both, [1])
    t.raises(TypeError, t.call, "jax.tree.map", 3, [1])
    t.raises(KeyError, t.call, "jax.tree.map", {}.__getitem__, ["an error of the function's own"])


@case(
    "jax.tree.map",
    dtypes="f32",
    core=False,
    since=TREE,
    reference=lambda np, x, y: [3 * x, "kept", 3 * y],
)
def nodes_of_ones_own(t, dtype):
    """What is registered is mapped within, and keeps what is no child."""
    tree = t.fw.tree_util.Partial("kept".upper, t.randn((3,), dtype), y=t.randn((2,), dtype))
    made = t.call("jax.tree.map", lambda x: x * 3, tree)
    t.expect(
        isinstance(made, t.fw.tree_util.Partial) and made.func == tree.func, "the same function"
    )
    return [made.args[0], made.func().lower(), made.keywords["y"]]


@case("jax.tree.map", host_only=True, reference="none", core=False, since=TREE)
def none_keys_and_orders(t):
    """None is passed by where it is in all trees; another order of keys fits; keys of random numbers and shapes are leaves."""
    jax = t.fw
    made = t.call(
        "jax.tree.map", lambda x, y: x - y, {"a": 5, "b": None, "c": 7}, {"c": 1, "b": None, "a": 2}
    )
    t.expect(made == {"a": 3, "b": None, "c": 6}, "by the names, got %r" % (made,))
    shapes = t.call(
        "jax.tree.map",
        lambda x: x.shape,
        {"k": jax.random.key(0), "s": jax.ShapeDtypeStruct((2, 3), "int8")},
    )
    t.expect(shapes == {"k": (), "s": (2, 3)}, "shapes, got %r" % (shapes,))
    whole = t.call(
        "jax.tree.map",
        lambda x, y: (x, y),
        [1, [2, 3]],
        [4, [5, 6]],
        is_leaf=lambda x: isinstance(x, list) and x[0] == 2,
    )
    t.expect(
        whole == [(1, 4), ([2, 3], [5, 6])],
        "a part as a leaf, and what stands there in the other, got %r" % (whole,),
    )
    t.raises(ValueError, t.call, "jax.tree.map", max, {"a": 1}, {"a": 1, "b": 2})
    t.raises(TypeError, t.call, "jax.tree.map", max)  # fmt: skip
