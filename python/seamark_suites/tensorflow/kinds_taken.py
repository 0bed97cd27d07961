"""What is taken, turned or made of every kind, as their own tests go through the kinds."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .picking_edges import BATCHES, _by_batch
from .reference import with_gradient

GATHER, TRANSPOSE, ZEROS, ONES = "tf.gather", "tf.transpose", "tf.zeros_like", "tf.ones"
KINDS = "i16", "i32", "i64"


@case(GATHER, dtypes="bf16 f32 i64 c64 c128 f8e4m3fn f8e5m2", core=False, reference=lambda np, x, *_: [
      np.take(x, i, axis) for axis in (0, 1) for _ in KINDS for i in (2, [0, 1, 0, 2])])  # fmt: skip
def gather_by_each_kind_of_places(t, dtype):
    """One place and four, in 16, 32 and 64 bits, along either axis."""
    x, places = t.randn((5, 3), dtype), (2, [0, 1, 0, 2])
    return [t.call(GATHER, x, t.const(i, kind), axis=axis) for axis in (0, 1) for kind in KINDS for i in places]  # fmt: skip


@case(GATHER, dtypes="bf16 c128", core=False, grad=True, reference=with_gradient(
      lambda np, x: [np.take(x, i, axis) for axis in range(4) for i in (0, np.array([[0, 1], [1, 1]]) % x.shape[axis])]))  # fmt: skip
def gather_slopes_of_each_kind(t, dtype):
    """By a number and by a table that names a place thrice, along each of four axes. Whole numbers."""
    f, tf = t.get(GATHER), t.fw
    x = t.const(t.np.arange(12.0).reshape(2, 1, 3, 2) - 5, dtype, grad=True)

    def taken(x):
        tables = [tf.constant([[0, 1], [1, 1]]) % x.shape[axis] for axis in range(4)]
        return [f(x, i, axis=axis) for axis, table in enumerate(tables) for i in (tf.constant(0), table)]  # fmt: skip

    return t.call(taken, x)


@case(GATHER, dtypes="f32 f64", core=False, reference=lambda np, *xs: [one for x, (_, i, batch, axis) in zip(xs, _KNOWN) for one in (
      _by_batch(np, x, np.array(i), batch, axis), _times(np, x, i, batch, axis) * x * 2)])  # fmt: skip
def gather_slopes_of_batches_not_known(t, dtype):
    """Traced for shapes of which nothing is known: each form of batch, with the slopes of squares."""
    f, tf, kind = t.get(GATHER), t.fw, t.dtype(dtype)
    specs = tf.TensorSpec(None, kind), tf.TensorSpec(None, tf.int32)
    made = []
    for x, i, batch, axis in _KNOWN:

        def slopes(x, i, batch=batch, axis=axis):
            with tf.GradientTape() as tape:
                tape.watch(x)
                taken = f(x, i, axis=axis, batch_dims=batch)
                total = taken**2
            slope = tape.gradient(total, x)
            return taken, tf.convert_to_tensor(slope)

        program = tf.function(slopes, input_signature=specs, autograph=False)
        made += t.call(program, t.const(x, dtype), tf.constant(i))
    return made


_KNOWN = [one for one in BATCHES if one[2] >= 0]


def _times(np, x, i, batch, axis):
    """How often each number was taken."""
    places = _by_batch(np, np.arange(x.size).reshape(x.shape), np.array(i), batch, axis)
    return np.bincount(places.ravel(), minlength=x.size).reshape(x.shape)


@case(GATHER, host_only=True, core=False, reference="none")
def gather_refuses_far_batches(t):
    """As many axes of batch as 32 bits count, of either sign; a place that is not there along the second axis."""
    tf = t.fw
    for batch in (-(2**31), 2**31 - 1):  # eagerly: a graph of 2.21 ends the process
        t.refuses(GATHER, tf.ones((2, 3)), [0, 1], batch_dims=batch)
    with tf.device("/cpu:0"):
        for axis in (0, 1):
            wrong = tf.constant([[0, 1, 2], [3, 4, 5]]), [[7]]
            t.raises(tf.errors.InvalidArgumentError, t.call, GATHER, *wrong, axis=axis)


_TURNED = {
    (3, 7): [(1, 0), (0, 1)],
    (2, 3, 5, 7): [(0, 1, 3, 2), (3, 1, 0, 2), (2, 3, 0, 1)],
    (2, 3, 5, 7, 2, 3): [(0, 1, 2, 3, 5, 4), (5, 2, 4, 0, 3, 1), (4, 3, 2, 1, 0, 5)],
    (1, 2, 1, 2, 1, 2, 1, 2): [(0, 1, 2, 3, 4, 5, 7, 6), (7, 2, 5, 0, 3, 6, 1, 4)],
}


@case(TRANSPOSE, dtypes="i8 i16 i32 i64 f16 f64 c64 c128 u8", core=False, reference=lambda np, *xs: [
      x.transpose(perm) for x, perms in zip(xs, _TURNED.values()) for perm in perms])  # fmt: skip
def transpose_of_each_kind(t, dtype):
    """Two, four, six and eight axes. Each number tells its place, as far as the kind counts."""
    f, np = t.get(TRANSPOSE), t.np
    numbers = [np.arange(np.prod(shape)).reshape(shape) % (127 if dtype in ("i8", "u8") else 1260) for shape in _TURNED]  # fmt: skip
    values = [n * (1 + 2j) if dtype[0] == "c" else n for n in numbers]
    given = [t.const(n, dtype) for n in values]
    return t.call(lambda *xs: [f(x, perm) for x, perms in zip(xs, _TURNED.values()) for perm in perms], *given)  # fmt: skip


MADE = "float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex64 complex128"  # fmt: skip


@case(ZEROS, host_only=True, core=False, reference="none")
@case(ONES, host_only=True, core=False, reference="none")
def made_of_each_kind(t, function):
    """In a graph: of a known shape, and of one that is fed, or that another tensor has, in every dtype."""
    tf, np, v1 = t.fw, t.np, t.fw.compat.v1
    number = 1 if function == ONES else 0
    with tf.Graph().as_default(), v1.Session() as session:
        for name in MADE.split() + ["string"] * (function == ZEROS):
            kind = tf.as_dtype(name)
            fill = tf.fill([2, 3], "a") if name == "string" else tf.cast(tf.fill([2, 3], 7), kind)
            if function == ZEROS:
                fed = v1.placeholder(kind)
                made = [t.call(ZEROS, fill), t.call(ZEROS, fed)]
                given = {fed: session.run(fill)}
            else:
                fed = v1.placeholder(tf.int32, [2])
                made = [t.call(ONES, to, kind) for to in ([2, 3], tf.shape(fill), fed)]
                given = {fed: [2, 3]}
            want = np.full((2, 3), b"") if name == "string" else np.full((2, 3), number, kind.as_numpy_dtype)  # fmt: skip
            t.expect([one.dtype for one in made] == [kind] * len(made), "of %s, got %s" % (name, made))  # fmt: skip
            t.expect(made[0].shape == [2, 3], "a known shape, got %s" % made[0].shape)
            for got in t.call(session.run, made, given):
                same = got.shape == (2, 3) and (got == want).all()
                t.expect(same, "%s of %s, got %s" % (want, name, got))


PLAIN = [(7, 6), (1.5, 4), ([1, 2, 3], 2), (3.0, [[1.0], [4.0]]), ([[1], [5]], [4, 2])]
NAMED = {"tf.multiply": "multiply", "tf.greater": "greater", "tf.less": "less"}


def _plain(name):
    return lambda np: [getattr(np, NAMED[name])(*pair) for pair in PLAIN]


@case("tf.multiply", core=False, reference=_plain("tf.multiply"))
@case("tf.greater", core=False, reference=_plain("tf.greater"))
@case("tf.less", core=False, reference=_plain("tf.less"))
def two_plain_numbers(t, function):
    """Both are numbers of Python, or lists: they become tensors first, of i32 or of f32."""
    made = [t.call(function, *pair) for pair in PLAIN]
    whole = ["int32", "float32", "int32", "float32", "int32"]
    want = whole if function == "tf.multiply" else ["bool"] * 5
    got = [one.dtype.name for one in made]
    t.expect(got == want, "%s, got %s" % (want, got))
    return made


@case("tf.squeeze", host_only=True, core=False, reference="none")
def squeeze_has_one_name_of_axes(t):
    """squeeze_dims is of version 1 alone."""
    x = t.fw.zeros((1, 3))
    t.raises(TypeError, t.call, "tf.squeeze", x, squeeze_dims=[0])
    t.expect(t.call("tf.squeeze", x, axis=[0]).shape == [3], "three numbers")


@case(
    "tf.assert_equal",
    dtypes="bool f16 bf16 f64 i8 i32 i64 u8 u16 c64 c128",
    core=False,
    reference="none",
)
def differs_in_each_kind(t, dtype):
    """One of six differs, a truth from a truth, a row from one number; a complex number in either part."""
    if t.compiled:
        raise Skip("a compiled program leaves assertions out")
    name, error = "tf.assert_equal", t.fw.errors.InvalidArgumentError
    one, other = (False, True) if dtype == "bool" else (3, 4)
    same = t.const([[one] * 3] * 2, dtype)
    t.call(name, same, t.const(one, dtype))
    wrong = [t.const([[one] * 3, [one, other, one]], dtype), t.const(other, dtype)]
    if dtype[0] == "c":
        wrong.append(t.const(3 + 1e-3j, dtype))
    for given in wrong:
        for pair in ((same, given), (given, same)):
            told = str(t.raises(error, t.call, name, *pair, message="not so"))
            t.expect("not so" in told, "the message, got %s" % told)
