"""What is known of a tensor: its shape, its rank, its size, and values that need no run."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .reference import with_gradient
from .views import each

SHAPE = "tf.shape"
SHAPE_V1 = "tf.compat.v1.shape"
RANK = "tf.rank"
SIZE = "tf.size"
SHAPES = SHAPE + " " + SHAPE_V1
KNOWN = SHAPES + " " + SIZE
ALL = KNOWN + " " + RANK
STATIC = "tf.get_static_value"

_OF = {
    SHAPE: lambda np, x: np.array(x.shape, int),
    SHAPE_V1: lambda np, x: np.array(x.shape, int),
    SIZE: lambda np, x: np.array(x.size),
    RANK: lambda np, x: np.array(x.ndim),
}


def _known(function):
    return lambda np, x, **_: _OF[function](np, x)


def _of_each(function):
    return lambda np, *xs: [_OF[function](np, x) for x in xs]


@each(ALL, _known, dtypes="f32", shapes="3x4x5 7x2")
@each(ALL, _known, dtypes="bf16 i64 bool", shapes="3x4x5")
@each(ALL, _known, dtypes="f16 f64 i8 i32 u8 c64 f8e4m3fn", shapes="3x4x5", core=False)
@each(
    ALL, _known, dtypes="f32", shapes="scalar 0 5 2x0x3 1x1 2x1x3x1x4x1", trivial=True, core=False
)
@each(ALL, _known, dtypes="f32", shapes="70000x3", core=False, name="known_of_many")
def known(t, dtype, shape, function):
    """A vector or a scalar of i32."""
    made = t.call(function, t.randn(shape, dtype))
    t.expect(made.dtype == t.fw.int32, "i32, got %s" % made.dtype.name)
    return made


@each(KNOWN, _known, dtypes="f32", kind=["int32", "int64"], core=False)
def known_of_dtype(t, dtype, kind, function):
    asked = t.fw.dtypes.as_dtype(kind)
    made = t.call(function, t.randn((4, 6), dtype), out_type=asked)
    t.expect(made.dtype == asked, "the dtype asked for, got %s" % made.dtype.name)
    return made


@each(ALL, _of_each, dtypes="f32", core=False)
def known_of_three_sizes(t, dtype, function):
    return [t.call(function, t.randn(shape, dtype)) for shape in ((3, 2), (5, 2, 1), (8,))]


@each(KNOWN, _of_each, dtypes="f32 i64", core="f32")
def known_of_unknown_size(t, dtype, function):
    """Traced once for every size: the sizes are found when it runs."""
    spec = t.fw.TensorSpec([None, None], t.dtype(dtype))
    traced = t.fw.function(lambda x: t.get(function)(x), input_signature=[spec], autograph=False)
    return [t.call(traced, t.randn(shape, dtype)) for shape in ((3, 2), (5, 7), (0, 4))]


@each(ALL, _of_each, dtypes="f32", core=False)
def known_of_unknown_rank(t, dtype, function):
    """Traced once for every number of axes."""
    spec = t.fw.TensorSpec(None, t.dtype(dtype))
    traced = t.fw.function(lambda x: t.get(function)(x), input_signature=[spec], autograph=False)
    return [t.call(traced, t.randn(shape, dtype)) for shape in ((3, 2), (5, 7, 2), (4,))]


@each(KNOWN, _of_each, dtypes="f32 bool", core=False)
def known_of_the_open_in_64_bits(t, dtype, function):
    """Traced once for every size, then for every number of axes: i64 is found when it runs."""
    f, wide, made = t.get(function), t.fw.int64, []
    sizes, ranks = ((3, 2), (5, 7), (0, 4)), ((3, 2), (5, 7, 2), (4,), ())
    for open_one, shapes in (([None, None], sizes), (None, ranks)):
        spec = [t.fw.TensorSpec(open_one, t.dtype(dtype))]
        traced = t.fw.function(lambda x: f(x, out_type=wide), input_signature=spec, autograph=False)
        made += [t.call(traced, t.randn(shape, dtype)) for shape in shapes]
    t.expect(all(one.dtype == wide for one in made), "i64, got %s" % [one.dtype for one in made])
    return made


@each(ALL, lambda function: lambda np: [_OF[function](np, np.zeros(s)) for s in ((2, 3), (4,), ())],
      trivial=True, core=False)  # fmt: skip
def known_of_lists(t, function):
    """Lists of Python, arrays of NumPy, a number."""
    return [t.call(function, one) for one in ([[1, 2, 3], [4, 5, 6]], t.np.zeros(4), 2.5)]


@each(ALL, _known, dtypes="f32 i64", core=False)
def known_of_variable(t, dtype, function):
    return t.call(function, t.fw.Variable(t.randn((4, 3), dtype)))


@each(
    ALL,
    lambda function: lambda np, values: _OF[function](np, np.zeros((3, 5))),
    dtypes="f32",
    core=False,
)
def known_of_sparse(t, dtype, function):
    """The dense shape; of the size, too, all places count and not the values alone."""
    places = t.fw.constant([[0, 1], [2, 4]], t.fw.int64)
    made = t.fw.SparseTensor(places, t.randn((2,), dtype), [3, 5])
    return t.fw.cast(t.call(function, made), t.fw.int32)


@case(SIZE, dtypes="f32", core=False, reference=lambda np, values: np.array(4))
@case(RANK, dtypes="f32", core=False, reference=lambda np, values: np.array(2))
def known_of_ragged(t, dtype, function):
    """As many values as there are; rows are an axis."""
    made = t.fw.RaggedTensor.from_row_lengths(t.randn((4,), dtype), [2, 0, 1, 1])
    return t.call(function, made)


@case(SHAPE, dtypes="f32", core=False, reference="none")
def shape_of_ragged(t, dtype):
    """A shape with rows of several lengths."""
    made = t.fw.RaggedTensor.from_row_lengths(t.randn((4,), dtype), [2, 0, 1, 1])
    shape = t.call(SHAPE, made)
    t.expect(shape.rank == 2 and t.host(shape[0]) == 4, "two axes and four rows, got %s" % shape)
    rows = shape.row_partitions[0].row_lengths()
    t.expect(t.host(rows).tolist() == [2, 0, 1, 1], "their lengths, got %s" % rows)


@each(SHAPES, lambda function: lambda np, x: x.reshape(len(x), -1), dtypes="f32 bf16", core="f32")
def shape_to_reshape(t, dtype, function):
    """The batch of a tensor of unknown size stays and the rest is flat: what models ask a shape for."""

    def flat(x):
        return t.fw.reshape(x, t.fw.stack([t.get(function)(x)[0], -1]))

    spec = t.fw.TensorSpec([None, 4, 3], t.dtype(dtype))
    traced = t.fw.function(flat, input_signature=[spec], autograph=False)
    return t.call(traced, t.randn((5, 4, 3), dtype))


@each(ALL, lambda function: with_gradient(lambda np, x: x * x * _OF[function](np, x).sum() / 16), dtypes="f32",
      core=False, grad=True)  # fmt: skip
def known_beside_gradient(t, dtype, function):
    """A factor of the result; no gradient goes through it. Whole numbers in sixteenths, which f32 holds."""

    def scaled(x):
        factor = t.fw.reduce_sum(t.get(function)(x))
        return x * x * t.fw.cast(factor, x.dtype) / 16

    return t.call(scaled, t.randint((4, 4), dtype, -5, 6, grad=True))


@case(
    SIZE,
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-5},
    reference=with_gradient(lambda np, x: x.sum() / x.size),
    grad=True,
)
def size_for_a_mean(t, dtype):
    """A sum divided by how many there are, of a tensor of unknown size. The order of a sum is free."""

    def mean(x):
        return t.fw.reduce_sum(x) / t.fw.cast(t.get(SIZE)(x), x.dtype)

    return t.call(mean, t.uniform((6, 4), dtype, 0.5, 2))


@case(
    RANK,
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: [x.sum((1, 2)), y.sum(1)],
    rtol={"f32": 1e-5},
)
def rank_for_axes(t, dtype):
    """All axes but the first are summed, whatever their number. The order of a sum is free."""

    def total(x):
        return t.fw.reduce_sum(x, axis=t.fw.range(1, t.get(RANK)(x)))

    traced = t.fw.function(
        total, input_signature=[t.fw.TensorSpec(None, t.dtype(dtype))], autograph=False
    )
    shapes = (3, 4, 2), (5, 2)
    return [t.call(traced, t.uniform(shape, dtype, 0.5, 2)) for shape in shapes]


@each(ALL, lambda function: lambda np, x: _OF[function](np, x), dtypes="f32 i64", core=False)
def known_in_session(t, dtype, function):
    """Of a placeholder of TensorFlow 1 whose sizes are not known."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    values = t.host(t.randn((5, 3), dtype))
    with t.fw.Graph().as_default(), t.fw.device(t.device):
        fed = t.fw.compat.v1.placeholder(t.dtype(dtype))
        asked = t.get(function)(fed)
        with t.fw.compat.v1.Session() as session:
            return t.call(session.run, asked, {fed: values})


@each(ALL, core=False, host_only=True)
def known_of_strings(t, function):
    made = t.host(t.call(function, t.fw.constant([["a", "b", "c"]])))
    want = {SIZE: 3, RANK: 2}.get(function, [1, 3])
    t.expect(made.tolist() == want, "%s, got %s" % (want, made))


@each(SHAPES, core=False)
def shape_refuses(t, function):
    """Shapes are i32 or i64 alone."""
    x = t.randn((2, 3), "f32")
    t.refuses(function, x, out_type=t.fw.float32)
    t.refuses(function, x, out_type=t.fw.int16)


@each(ALL, core=False)
def known_of_no_tensor(t, function):
    """Lists of several lengths, a dictionary."""
    t.refuses(function, [[1, 2], [3]])
    t.refuses(function, {"a": 1})


# --- tf.get_static_value


@case(STATIC, dtypes="f32 i64 bool bf16", core="f32 i64", host_only=True, reference="none")
def static_value_of_tensor(t, dtype):
    """Eagerly every value is known, as an array of NumPy."""
    x = t.randn((3, 4), dtype)
    got = t.call(STATIC, x)
    t.expect(isinstance(got, t.np.ndarray), "an array of NumPy, got a %s" % type(got).__name__)
    t.expect(got.dtype == t.dtype(dtype).as_numpy_dtype, "the tensor's dtype, got %s" % got.dtype)
    t.expect((got.astype("float64") == t.host(x)).all() and got.shape == (3, 4), "its values")


@case(STATIC, host_only=True, reference="none")
def static_value_in_graph(t):
    """In a graph a constant is known, and what follows from shapes alone; a placeholder is not."""
    fw, found = t.fw, []
    with fw.Graph().as_default():
        fed = fw.compat.v1.placeholder(fw.float32, [2, None])
        whole = fw.compat.v1.placeholder(fw.float32, [2, 5])
        for one in (
            fw.constant([1, 2]),
            fw.shape(whole),
            fw.shape(fed),
            fed,
            fw.rank(fed),
            fw.size(fed),
        ):
            got = t.call(STATIC, one)
            found.append(got if got is None else got.tolist())
    want = [[1, 2], [2, 5], None, None, 2, None]
    t.expect(found == want, "%s, got %s" % (want, found))


@case(STATIC, host_only=True, reference="none", core=False)
def static_value_computed(t):
    """Of few operations on constants the value is found without a run; of others it is not."""
    fw = t.fw
    with fw.Graph().as_default():
        one = fw.constant([3, 4])
        made = [
            fw.stack([one, one * 0 + one]),
            fw.stack([fw.constant(3), fw.constant(4)]),
            fw.concat([one, [5]], 0),
            fw.cast(one, fw.float32),
            fw.range(2, 8, 3),
            fw.fill([2], 7),
            fw.equal(one, one),
            fw.exp(fw.constant(1.0)),
        ]
        found = [t.call(STATIC, one) for one in made]
        found = [one if one is None else one.tolist() for one in found]
    want = [None, [3, 4], [3, 4, 5], [3.0, 4.0], [2, 5], [7, 7], [True, True], None]
    t.expect(found == want, "%s, got %s" % (want, found))


@case(STATIC, host_only=True, reference="none", core=False)
def static_value_partial(t):
    """Asked for, what is known of a stack, with None for the rest."""
    fw = t.fw
    with fw.Graph().as_default():
        fed = fw.compat.v1.placeholder(fw.int32, [])
        made = fw.stack([fw.constant(3), fed])
        whole, some = t.call(STATIC, made), t.call(STATIC, made, partial=True)
    t.expect(whole is None, "None for the whole, got %s" % whole)
    t.expect(some is not None and some.tolist() == [3, None], "3 and None, got %s" % some)


@case(STATIC, host_only=True, reference="none", core=False)
def static_value_of_others(t):
    """What is no tensor is given back; a variable has no static value; strings are known."""
    t.expect(t.call(STATIC, 3) == 3 and t.call(STATIC, "a") == "a", "3 and a")
    t.expect(t.call(STATIC, t.fw.Variable([1.0])) is None, "None for a variable")
    got = t.call(STATIC, t.fw.constant(["a", "b"]))
    t.expect(got.tolist() == [b"a", b"b"], "bytes, got %s" % got)
    none = t.call(STATIC, t.fw.zeros((0, 3)))
    t.expect(none.shape == (0, 3), "an empty array, got %s" % (none.shape,))


@case(STATIC, host_only=True, reference="none", core=False)
def static_value_passed_on(t):
    """What hands a constant on, takes it apart or fills a shape; of a shape that is partly known there is no whole value."""
    fw, one = t.fw, None
    with fw.Graph().as_default():
        one, fed = fw.constant([3, 4]), fw.compat.v1.placeholder(fw.int32, [])
        partly = fw.compat.v1.placeholder(fw.float32, [None, 5, 2])
        made = {
            "identity": (fw.identity(one), [3, 4]),
            "stop_gradient": (fw.stop_gradient(one), [3, 4]),
            "not_equal": (fw.not_equal(one, [3, 5]), [False, True]),
            "unstack": (fw.unstack(one)[1], 4),
            "split": (fw.split(one, 2)[0], [3]),
            "size": (fw.size(fw.zeros([2, 3])), 6),
            "rank": (fw.rank(partly), 3),
            "zeros": (fw.zeros([2]), [0.0, 0.0]),
            "ones": (fw.ones([2, 1], fw.int32), [[1], [1]]),
            "fill": (fw.fill([2, 2], 3), [[3, 3], [3, 3]]),
            "concat": (fw.concat([[one], [one + 0]], 0), None),
            "shape": (fw.shape(partly), None),
            "sum": (one + fed, None),
        }
        got = {name: t.call(STATIC, tensor) for name, (tensor, _) in made.items()}
        some = t.call(STATIC, fw.stack([one[0], fed, fw.constant(9)]), partial=True)
    for name, (_, want) in made.items():
        value = got[name] if got[name] is None else t.np.asarray(got[name]).tolist()
        t.expect(value == want, "%s of %s, got %s" % (want, name, value))
    t.expect(some.tolist() == [None, None, 9], "the last alone, got %s" % some)


@case(STATIC, host_only=True, reference="none", core=False)
def static_value_bars_feeding(t):
    """As documented: whose value was asked for and found, that can be fed no more."""
    fw = t.fw
    with fw.Graph().as_default(), fw.compat.v1.Session() as session:
        asked, other = fw.constant([1.0, 2.0]), fw.constant([1.0, 2.0])
        t.expect(t.call(STATIC, asked).tolist() == [1.0, 2.0], "its value")
        got = session.run(other * 2, {other: [5.0, 6.0]})
        t.expect(got.tolist() == [10.0, 12.0], "another is fed, got %s" % got)
        t.raises(ValueError, session.run, asked * 2, {asked: [5.0, 6.0]})


@case(STATIC, host_only=True, core=False, reference="none", kind=["float16", "float64", "int8", "uint8", "uint64", "complex64",
      "complex128", "bool", "string"])  # fmt: skip
def static_value_of_kinds(t, kind):
    """In a graph, as an array of the same dtype; without axes, too."""
    values = {
        "bool": [True, False],
        "string": [b"a", b"\0b"],
        "uint64": [2**64 - 1, 2**64 - 2],
    }.get(kind, [1, 2])
    with t.fw.Graph().as_default():
        got = t.call(STATIC, t.fw.constant(values, kind))
        alone = t.call(STATIC, t.fw.constant(values[0], kind))
    want = object if kind == "string" else kind
    t.expect(got.tolist() == values and got.dtype == want, "%s, got %r" % (values, got))
    t.expect(alone == values[0] and t.np.shape(alone) == (), "%s, got %r" % (values[0], alone))


@case(STATIC, host_only=True, reference="none", core=False)
def static_value_of_what_is_none(t):
    """An array, a list and None come back; what is made of several tensors has no value."""
    fw, array, listed = t.fw, t.np.arange(3), [1, 2]
    t.expect(t.call(STATIC, array) is array and t.call(STATIC, listed) is listed, "the same object")
    t.expect(t.call(STATIC, None) is None, "None of None")
    for made in (fw.ragged.constant([[1], [2, 3]]), fw.SparseTensor([[0]], [1], [2])):
        t.expect(t.call(STATIC, made) is None, "none of a %s" % type(made).__name__)


@case(STATIC, host_only=True, reference="none", core=False)
def static_value_while_traced(t):
    """In a tf.function a constant is known and an argument is not."""
    found = []

    def look(x):
        found.append(t.call(STATIC, x))
        found.append(t.call(STATIC, t.fw.constant(5)))
        found.append(t.call(STATIC, t.fw.shape(x)))
        return x

    t.fw.function(look, autograph=False)(t.fw.constant([1.0, 2.0]))
    t.expect(found[0] is None and found[1] == 5, "None and 5, got %s" % found)
    t.expect(found[2].tolist() == [2], "a shape of 2, got %s" % found[2])


# --- what a reading found missing


@each(SHAPES, _known, dtypes="i16 u16 u32 u64 c128 f8e5m2", shapes="3x1x5", core=False)
def known_of_wide_kinds(t, dtype, shape, function):
    return t.call(function, t.randn(shape, dtype))


@each(
    SHAPES,
    lambda function: lambda np, x: [np.array([2, 4]), np.array([2, 8, 1]), x * 4],
    dtypes="f32",
    core=False,
)
def known_of_each_example(t, dtype, function):
    """In a batch by vectorized_map: the shape of one example; there it is a number to multiply by, and sizes to make."""
    f, tf = t.get(function), t.fw

    def one(x):
        return x * tf.cast(f(x)[1], x.dtype)

    def asked(x):
        whole = tf.reshape(x, tf.stack([f(x)[0], -1, 1]))
        return [f(x[:, 0]), f(whole), tf.vectorized_map(one, x, fallback_to_while_loop=False)]

    return t.call(asked, t.randint((2, 2, 4), dtype, -9, 10))


@each(SHAPES, core=False, host_only=True)
def known_while_traced(t, function):
    """What is known of a shape while a function is traced is a constant; what is not has its place."""
    f, tf, seen = t.get(function), t.fw, []

    def traced(x, y):
        seen.append(t.np.asarray(tf.get_static_value(f(y))).tolist())
        seen.extend(made.shape.as_list() for made in (tf.zeros(f(x)), f(x)))
        return f(x)

    specs = [tf.TensorSpec([None, 4]), tf.TensorSpec([2, 3])]
    program = tf.function(traced, input_signature=specs, autograph=False)
    found = t.call(program, tf.zeros((5, 4)), tf.zeros((2, 3)))
    t.expect(t.host(found).tolist() == [5, 4], "5 and 4, got %s" % found)
    t.expect(seen == [[2, 3], [None, 4], [2]], "2x3, ?x4, two sizes; got %s" % seen)


@each(SHAPES, core=False)
def shape_has_no_gradient(t, function):
    """Alone it has none."""
    x, tf = t.randn((3, 2), "f32"), t.fw
    with tf.GradientTape() as tape:
        tape.watch(x)
        sizes = tf.cast(t.call(function, x), tf.float32)
    t.expect(t.host(sizes).tolist() == [3, 2], "3 and 2, got %s" % sizes)
    t.expect(tape.gradient(sizes, x) is None, "no gradient")


@case("tf.compat.v1.shape", core=False, host_only=True, reference="none")
def v1_shape_of_what_tensors_are_made_of(t):
    """Of a sparse value of NumPy's arrays, in a graph; by its names; a constant where all is known."""
    v1, name = t.fw.compat.v1, "tf.compat.v1.shape"
    with t.fw.Graph().as_default():
        value = v1.SparseTensorValue(t.np.array([[0, 1]]), t.np.array([2.0]), t.np.array([3, 5]))
        sizes = t.call(name, input=value, name="sizes", out_type=t.fw.int64)
        fixed = t.call(name, t.fw.zeros((2, 3)), name="fixed")
        t.expect(sizes.dtype == t.fw.int64 and fixed.op.type == "Const", "a constant")
        t.expect(fixed.name == "fixed:0", "its name, got %s" % fixed.name)
        with v1.Session() as session:
            got = session.run(sizes).tolist()
    t.expect(got == [3, 5], "the dense shape, got %s" % got)


@each(SHAPES, lambda function: lambda np, x, *_: [np.array(s) for s in ((3, 5), (2, 3, 1), (2, 3), (2, 3), (2, 3, 5, 7, 2, 3), (2, 3))],
      dtypes="f32", core=False)  # fmt: skip
def known_in_64_bits(t, dtype, function):
    """Of sparse tensors, arrays, lists, variables and six axes; traced, of what is not known, by name; the result's dtype each time."""
    f, tf, np, wide = t.get(function), t.fw, t.np, t.fw.int64
    sparse = lambda x: f(tf.SparseTensor([[0, 1], [2, 4]], x, [3, 5]), out_type=wide)  # noqa: E731
    traced = tf.function(lambda x: f(x, out_type=wide), input_signature=[tf.TensorSpec(None, tf.float32)], autograph=False)  # fmt: skip
    x = t.randn((2,), dtype)
    made = [
        t.call(sparse, x),
        t.call(function, np.zeros((2, 3, 1)), out_type=wide),
        t.call(function, [[1, 2, 3], [4, 5, 6]], "asked", wide) if function == SHAPE_V1 else t.call(function, [[1, 2, 3], [4, 5, 6]], wide, "asked"),
        t.call(function, tf.Variable(tf.zeros((2, 3))), out_type="int64"),
        t.call(traced, tf.zeros((2, 3, 5, 7, 2, 3))),
        t.call(function, input=t.randn((2, 3), dtype), out_type=wide),
    ]  # fmt: skip
    t.expect(all(one.dtype == wide for one in made), "i64, got %s" % [one.dtype for one in made])
    return made
