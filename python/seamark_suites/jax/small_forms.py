"""Short forms of small functions: axes in arrays, shapes alone, casts of NumPy's arrays, keys in parts, structures put together."""

import warnings

from seamark_suites.case import case

from .draws import some_key
from .values_and_kinds import own_dtype

NP = "jax.numpy."
SHAPES, SPLIT, FLATTEN = "jax.lax.broadcast_shapes", "jax.random.split", "jax.tree.flatten"


# --- transpose

ORDERS = [(1, 0, 2), (1, 2, 0), (2, 0, 1), (0, 2, 1)]


def _batched(np, x):
    """Of each example along every axis, in each order."""
    made = []
    for axis in range(4):
        for order in ORDERS:
            one = np.stack([part.transpose(order) for part in np.moveaxis(x, axis, 0)])
            made += [one, np.moveaxis(one, 0, 2)]
    return made


@case(NP + "transpose", dtypes="f32 i32", core=False, reference=lambda np, x: [
      *[x.transpose(order + (3,)) for order in ORDERS] * 3, x.T, *_batched(np, x)])  # fmt: skip
def axes_in_arrays_and_orders_of_each_example(t, dtype):
    """NumPy's and JAX's arrays of axes, from either end; one without axes is none; vmap over every axis, with the examples in front and behind."""
    jax, np, f = t.fw, t.np, t.get(NP + "transpose")
    x, made = t.randint((2, 3, 4, 5), dtype, -99, 99), []
    own = np.array if t.compiled else jax.numpy.array  # within a program they have no numbers yet
    for form in (np.array, own, lambda one: np.array(one, "int8") - 4):
        for order in ORDERS:
            axes = form((*order, 3))
            made.append(t.call(lambda x, axes=axes: f(x, axes), x))
    made.append(t.call(lambda x: f(x, axes=np.array([-1, -2, 1, 0])), x))
    for wrong in (np.array(0), np.array([0.5, 1, 2, 3]), np.array([0, 0, 1, 2])):
        t.raises((TypeError, ValueError), f, x, wrong)
    for axis in range(4):
        for order in ORDERS:
            for out in (0, 2):
                run = jax.vmap(lambda v, order=order: f(v, order), axis, out)
                made.append(t.call(run, x))
    return made


# --- broadcast_shapes


@case(SHAPES, host_only=True, core=False, reference="none")
def one_alone_and_plain_numbers(t):
    """Of a single shape, too, what is no size is refused, and text is none; sizes are Python's own numbers."""
    seen = []
    for wrong in ((-1,), (2, -3), (1.5,), ("a",), "hello", None):
        t.raises(TypeError, t.call, SHAPES, wrong)
    for given, want in (((1, 2, 3), (2, 3)), (1, 2, 3)), (((3,), (2, 1, 3)), (2, 1, 3)), (((4, 3), (1, 3)), (4, 3)):  # fmt: skip
        found = t.call(SHAPES, *given)
        t.expect(found == want and all(type(n) is int for n in found), "%s, got %r" % (want, found))
        t.fw.eval_shape(lambda x, given=given: seen.append(t.get(SHAPES)(*given)) or x, 1.0)
        t.expect(seen.pop() == want, "while a program is traced")


# --- float32


@case(NP + "float32", core=False, reference=lambda np: [
      one for kind in (float, np.float16, np.int8, bool) for one in (np.array([1, 2.5, -3.75]).astype(kind), np.array([1, 2.5, -3.75]).astype(kind)[1])
    ] + [np.array([1, 2.5, -3.75]), np.array([[1, 0], [0, 1]])])  # fmt: skip
def of_numpys_arrays_and_numbers(t):
    """Of each kind, in the other order of bytes, too, alone and in a program; lists of lists."""
    jax, np, f, made = t.fw, t.np, t.get(NP + "float32"), []
    rows = [np.array([1, 2.5, -3.75]).astype(kind) for kind in (float, np.float16, np.int8, bool)]
    for row in rows:
        for one in (row, row[1]):
            made.append(t.call(lambda one=one: f(one)))
            again = jax.jit(lambda one=one: f(one))()
            t.expect(bool((again == made[-1]).all()) and again.dtype == made[-1].dtype, "so in a program, got %s" % again)  # fmt: skip
    made += [t.call(lambda: f(rows[0].astype(">f8"))), t.call(lambda: f([[True, 0], [0.0, 1]]))]
    own_dtype(t, made, "f32")
    t.expect(not any(one.weak_type for one in made), "no weak type")
    return made


# --- split


@case(SPLIT, core=False, since=("0.7.0", "jax_legacy_prng_key"), reference="none")
def old_keys_and_keys_that_are_not_there_yet(t):
    """Keys of words alone are told of, or refused, where that is asked for; a struct of a key; exported; none of a batch of none."""
    jax, split, words = t.fw, t.get(SPLIT), some_key(t)
    key = jax.random.wrap_key_data(words)
    right = t.host(jax.random.key_data(split(key, 3)))
    with jax.legacy_prng_key("allow"):
        found = t.host(t.call(split, words, 3))
        t.expect(t.np.array_equal(found, right), "the same words, got %s" % found)
    with jax.legacy_prng_key("warn"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        split(key)
        t.expect(not told, "nothing of a key with a dtype, got %s" % told)
        split(words)
        t.expect([one.category for one in told] == [UserWarning], "a warning, got %s" % told)
    with jax.legacy_prng_key("error"):
        t.raises(ValueError, split, words)
        t.raises(TypeError, split, words.astype("float32"))
        again = t.host(t.call(lambda k: jax.random.key_data(split(k, 3)), key))
        t.expect(t.np.array_equal(again, right), "of a key with a dtype, got %s" % again)
    struct = jax.eval_shape(split, key)
    t.expect((struct.shape, struct.dtype) == ((2,), key.dtype), "two keys, got %s" % struct)
    for shape in ((2, 3), (6,), (2, 3, 4)):
        struct = jax.eval_shape(lambda k, shape=shape: split(k, shape), key)
        t.expect(struct.shape == shape, "%s keys, got %s" % (shape, struct))
        found = t.call(lambda k, shape=shape: jax.random.key_data(split(k, shape)), key)
        t.expect(found.shape == (*shape, 2), "%s, got %s" % (shape, found.shape))
    made = jax.export.export(jax.jit(lambda k: split(k, 3)))(key)
    t.expect(t.np.array_equal(t.host(jax.random.key_data(made.call(key))), right), "exported")
    with jax.debug_key_reuse(True):
        none = split(jax.random.key(0), 0)

        def drawn(key):
            first, second = split(key)
            return jax.random.bits(first) + jax.random.bits(second)

        t.expect(none.shape == (0,) and jax.vmap(drawn)(none).shape == (0,), "of none, none")
        one = split(jax.random.key(0), 1)
        t.raises(jax.errors.KeyReuseError, jax.jit(lambda k: jax.random.bits(k.squeeze()) + jax.random.bits(k[0])), one)  # fmt: skip
        scanned = jax.lax.scan(lambda k, _: (lambda a, b: (a, jax.random.bits(b)))(*split(k)), jax.random.key(0), None, length=4)[1]  # fmt: skip
        t.expect(len(set(scanned.tolist())) == 4, "a chain of four, got %s" % scanned)


# --- tree.flatten


@case(
    FLATTEN, host_only=True, core=False, since=("0.4.25", "the module jax.tree"), reference="none"
)
def structures_put_together(t):
    """Its children, and of them the same again; one in place of each leaf of another; written as text and read."""
    util, first = t.fw.tree_util, t.call(FLATTEN, ((1, 2, 3), (4,)))[1]
    parts = [t.call(FLATTEN, one)[1] for one in ((0, 0, 0), (7,))]
    t.expect(first.children() == parts, "two tuples, got %s" % first.children())
    again = util.treedef_tuple(first.children())
    t.expect(again == first and hash(again) == hash(first), "the same again, got %s" % again)
    leaf = t.call(FLATTEN, 3)[1]
    t.expect(util.treedef_tuple((leaf,)) == t.call(FLATTEN, (3,))[1], "a tuple of one")
    t.expect((leaf.num_leaves, leaf.num_nodes, leaf.children()) == (1, 1, []), "a leaf alone, got %s" % leaf)  # fmt: skip
    inner = t.call(FLATTEN, ["*"] * 3)[1]
    for tree in (
        None,
        (),
        5,
        [3],
        {"a": 1, "b": (2, None)},
        ((1, "foo"), ["bar", (3, None, 7)]),
        [[[]], {}],
    ):
        leaves, outer = t.call(FLATTEN, tree)
        both = outer.compose(inner)
        t.expect(both.num_leaves == 3 * len(leaves), "three for each leaf, got %s" % both)
        t.expect(both.num_nodes == outer.num_nodes + 3 * len(leaves), "and their nodes, got %s" % both)  # fmt: skip
        made = both.unflatten(range(3 * len(leaves)))
        t.expect(util.tree_leaves(made) == list(range(3 * len(leaves))), "in their order, got %r" % (made,))  # fmt: skip
        t.expect(t.call(FLATTEN, made)[1] == both, "its own structure, got %r" % (made,))
    sides = [t.call(FLATTEN, one)[0] for one in ([0, ((1, 2), 3, (4, (5, 6, 7))), 8, 9], [[0, (1,)], [[2], {"b": 4, "a": 3}], 5])]  # fmt: skip
    t.expect(sides == [list(range(10)), list(range(6))], "from the left, in depth, got %s" % sides)
    written = t.call(FLATTEN, [1, [2], (3,), {"a": 4, "b": 5}])[1]
    text = written.serialize_using_proto()
    read = util.PyTreeDef.deserialize_using_proto(util.default_registry, text)
    t.expect(type(text) is bytes and read == written, "read again, got %s" % read)


# --- einsum

# As its documentation has them, of x and y with five numbers, m of 5 x 5, a and b of three axes: (the arguments, the same with letters).
NUMBERED = [
    (lambda x, y, m, a, b: (x, (0,), y, (0,)), "x,y:i,i"), (lambda x, y, m, a, b: (x, (0,), y, (0,), ()), "x,y:i,i->"), (lambda x, y, m, a, b: (m, (0, 1), x, (1,), (0,)), "m,x:ij,j->i"),
    (lambda x, y, m, a, b: (m, (0, 1), x, (1,)), "m,x:ij,j"), (lambda x, y, m, a, b: (x, (0,), y, (1,), (0, 1)), "x,y:i,j->ij"), (lambda x, y, m, a, b: (x, (0,), y, (1,)), "x,y:i,j"),
    (lambda x, y, m, a, b: (x, (0,), ()), "x:i->"), (lambda x, y, m, a, b: (m, (..., 0), (...,)), "m:...j->..."), (lambda x, y, m, a, b: (m, (1, 0)), "m:ji"), (lambda x, y, m, a, b: (m, (0, 1), (1, 0)), "m:ij->ji"),
    (lambda x, y, m, a, b: (m, (0, 0), (0,)), "m:ii->i"), (lambda x, y, m, a, b: (m, (0, 0)), "m:ii"), (lambda x, y, m, a, b: (a, (0, 1, 2), b, (1, 3, 2), (0, 3)), "a,b:ijk,jlk->il"),
    (lambda x, y, m, a, b: (a, (0, 1, 2), b, (1, 3, 2)), "a,b:ijk,jlk"), (lambda x, y, m, a, b: (a, (0, 1, 2), b, (1, 3, 2), x, (2,), (3, 0)), "a,b,x:ijk,jlk,k->li"),
]  # fmt: skip


def _numbered(np, *given):
    named, made = dict(zip("xymab", given)), []
    for _, text in NUMBERED:
        names, letters = text.split(":")
        made += [np.einsum(letters, *[named[name] for name in names.split(",")])] * 2
    return made


@case(NP + "einsum", dtypes="f32 i32", core=False, reference=_numbered)
def numbers_in_place_of_letters(t, dtype):
    """Each form that has letters: with the axes of the result and without, none of them, dots, an axis twice; alone and in a program."""
    f, made = t.get(NP + "einsum"), []
    given = [t.randint(shape, dtype, -4, 5) for shape in ((5,), (5,), (5, 5), (2, 3, 5), (3, 4, 5))]
    for form, _ in NUMBERED:
        run = lambda *given, form=form: f(*form(*given))  # noqa: E731
        made += [t.call(run, *given), t.call(t.fw.jit(run), *given)]
    own_dtype(t, made, dtype)
    return made


@case(NP + "einsum", core=False, reference=lambda np, x, y: [x @ y] * 5)
def what_its_product_is_asked_for(t):
    """The program has the precision and the dtype that are given, else what the two promote to; the precision of the context where none is given."""
    jax, f, made = t.fw, t.get(NP + "einsum"), []
    kinds = jax.lax.Precision
    x, y = t.randint((3, 4), "bf16", -4, 5), t.randint((4, 2), "bf16", -4, 5)

    def product(**options):
        run = lambda x, y: f("ij,jk->ik", x, y, **options)  # noqa: E731
        program = jax.make_jaxpr(run)(x, y)
        found = [one for one in program.eqns if one.primitive.name == "dot_general"]
        t.expect(len(program.eqns) == len(found) == 1, "one product, got %s" % program)
        made.append(t.call(run, x, y))
        return found[0].params["precision"], str(found[0].params["preferred_element_type"])

    t.expect(product() == (None, "bfloat16"), "nothing but its own dtype")
    t.expect(product(preferred_element_type="float32") == (None, "float32"), "as wide as is said")
    for one in (kinds.HIGH, kinds.HIGHEST):
        precision, kind = product(precision=one)
        t.expect(precision in (one, (one, one)) and kind == "bfloat16", "%s, got %s" % (one, precision))  # fmt: skip
    with jax.default_matmul_precision("highest"):
        precision, _ = product()
    t.expect(precision in (kinds.HIGHEST, (kinds.HIGHEST,) * 2), "of the context, got %s" % (precision,))  # fmt: skip
    return made
