"""Conjugates in every order of the axes, numbers of few bits and quantized ones as f32, constants of what stands for an array."""

import itertools

from seamark_suites.case import case, each

from .reference import with_gradient

TRANSPOSES = "tf.transpose", "tf.compat.v1.transpose"
TO_FLOAT, CONSTANT = "tf.compat.v1.to_float", "tf.compat.v1.constant"
_SHAPES = (3, 7), (2, 5, 3), (2, 3, 1, 2)


def _orders(rank):
    return list(itertools.permutations(range(rank)))


@each(TRANSPOSES, lambda _: lambda np, *xs: [x.transpose(order).conj() for x in xs for order in [*_orders(x.ndim), None]],
      dtypes="c64 c128 f32", core=False)  # fmt: skip
def conjugate_in_every_order(t, dtype, function):
    """Of two to four axes, also of all reversed, as where no order is said."""
    f = t.get(function)

    def every(*xs):
        found = []
        for x in xs:
            orders = [*_orders(x.shape.rank), None]
            found += [f(x, order, conjugate=True) for order in orders]
        return found

    return t.call(every, *(t.randn(shape, dtype) for shape in _SHAPES))


@each(TRANSPOSES, lambda _: lambda np, x, y: [x.transpose(order) for order in _orders(4)] + [
      y.transpose(order) for order in _orders(6)[::17]], dtypes="f16 f32 f64 i8 i16 i32 i64 u8 c64", core=False)  # fmt: skip
def turned_in_every_order(t, dtype, function):
    """Of four axes of four sizes all orders, of six every seventeenth; each number tells its place."""
    f = t.get(function)
    orders = _orders(4), _orders(6)[::17]
    given = [t.const(t.np.arange(t.np.prod(shape)).reshape(shape) % 127, dtype) for shape in ((2, 3, 5, 7), (2, 3, 1, 4, 2, 3))]  # fmt: skip
    return t.call(lambda *xs: [f(x, order) for x, some in zip(xs, orders) for order in some], *given)  # fmt: skip


@each(TRANSPOSES, lambda _: with_gradient(lambda np, x: x.T.conj()), dtypes="c64 c128 f32", core=False, grad=True)  # fmt: skip
def conjugate_slope_without_an_order(t, dtype, function):
    """The slope comes back turned and conjugated."""
    return t.call(function, t.randn((2, 3, 4), dtype), conjugate=True)


@each(TRANSPOSES, lambda _: lambda np, x, *more: [x.T.conj(), x[0].T.conj(), x[0, 0].conj(), x[0, 0, 0].conj()], dtypes="c64",
      core=False)  # fmt: skip
def conjugate_of_any_rank(t, dtype, function):
    """Traced once for three, two, one and no axes."""
    f, spec = t.get(function), [t.fw.TensorSpec(None, t.dtype(dtype))]
    program = t.fw.function(lambda x: f(x, conjugate=True), input_signature=spec, autograph=False)
    x = t.randn((2, 3, 4), dtype)
    return [t.call(program, one) for one in (x, x[0], x[0, 0], x[0, 0, 0])]


@case(TO_FLOAT, core=False, rtol={"f32": 0.0}, atol={"f32": 0.0}, reference=lambda np, x: x.astype(np.float32), dtypes="f8e5m2")  # fmt: skip
def to_float_of_two_bits(t, dtype):
    """Infinities, NaN, the greatest, the least and numbers below the normal ones of five bits for the exponent."""
    x = [1.75, -2.5, t.np.inf, -t.np.inf, t.np.nan, 2.0**-16, -(2.0**-15), 57344.0, -57344.0, 0.0]
    return t.call(TO_FLOAT, t.const(x, dtype))


@case(TO_FLOAT, dtypes="i32 i64", core=False, rtol={"f32": 0.0}, atol={"f32": 0.0}, reference=lambda np, x: x.astype(np.float32))  # fmt: skip
def to_float_of_the_least_and_greatest(t, dtype):
    """Of the kind, and their neighbours."""
    most = 2 ** (int(dtype[1:]) - 1)
    return t.call(TO_FLOAT, t.const([-most, 1 - most, most - 1, most - 2, most // 2 + 1, -1], dtype))  # fmt: skip


@case(TO_FLOAT, dtypes="c64 c128", core=False, grad=True, reference=with_gradient(lambda np, x: 3 * x.real))  # fmt: skip
def to_float_slope_of_complex(t, dtype):
    """The slope of the real part is real."""
    f = t.get(TO_FLOAT)
    return t.call(lambda x: 3 * f(x), t.randn((3, 4), dtype))


@case(TO_FLOAT, core=False, host_only=True, reference="none")
def to_float_of_a_reference(t):
    """In a graph: a variable of version 1 that is a reference gives its value, also one that is of f32 already."""
    tf, v1 = t.fw, t.fw.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        for kind, values in ((tf.float32, [1.5, -2.0]), (tf.int32, [7, -8]), (tf.bool, [True, False])):  # fmt: skip
            held = v1.get_variable(kind.name, initializer=tf.constant(values, kind), use_resource=False)  # fmt: skip
            made = t.call(TO_FLOAT, held)
            t.expect(made.dtype == tf.float32, "f32 and no reference, got %s" % made.dtype)
            session.run(held.initializer)
            got = session.run(made).tolist()
            t.expect(got == [float(n) for n in values], "%s, got %s" % (values, got))


@case(TO_FLOAT, core=False, host_only=True, reference="none")
def to_float_of_quantized(t):
    """Their whole numbers, from the least to the greatest."""
    tf = t.fw
    ends = {"qint8": (-128, 127), "quint8": (0, 255), "qint16": (-(2**15), 2**15 - 1), "quint16": (0, 2**16 - 1), "qint32": (-(2**31), 2**24)}  # fmt: skip
    for name, (least, most) in ends.items():
        values = [least, most, 1, 100, most - 1]
        made = t.call(TO_FLOAT, tf.constant(values, tf.as_dtype(name)))
        same = made.dtype == tf.float32 and made.numpy().tolist() == [float(n) for n in values]
        t.expect(same, "%s of %s, got %s" % (values, name, made))


class _Array:
    """What gives an array when asked."""

    def __init__(self, values, np):
        self.values, self.np = values, np

    def __array__(self, dtype=None, copy=None):
        return self.np.asarray(self.values, dtype)


class _Memory:
    """What tells where an array lies."""

    def __init__(self, values, np):
        self.values, self.__array_interface__ = values, values.__array_interface__


@case(CONSTANT, core=False, host_only=True, reference="none")
def constant_v1_of_what_stands_for_an_array(t):
    """By either protocol, with its own dtype, another one and a shape; the same in a graph. What is sparse is none."""
    tf, np, v1 = t.fw, t.np, t.fw.compat.v1
    graph = tf.Graph()
    for kind, other in (("float32", tf.float64), ("int64", tf.int32), ("bool", None), ("complex64", tf.complex128)):  # fmt: skip
        values = np.array([[1, 0, 3], [4, 5, 6]]).astype(kind)
        for stands, named in itertools.product((_Array, _Memory), ({}, {"dtype": other}, {"shape": [3, 2]})):  # fmt: skip
            want = values.reshape(named.get("shape", [2, 3]))
            want = want.astype((named.get("dtype") or tf.as_dtype(kind)).as_numpy_dtype)
            found = [t.call(CONSTANT, stands(values, np), **named).numpy()]
            with graph.as_default(), v1.Session() as session:
                found.append(session.run(t.call(CONSTANT, stands(values, np), **named)))
            for got in found:
                same = got.dtype == want.dtype and got.shape == want.shape and (got == want).all()
                t.expect(same, "%s, got %r" % (want, got))
    for wrong in (v1.SparseTensorValue([[0, 1]], [1.0], [2, 2]), tf.sparse.from_dense([[0, 1.0]])):
        t.raises((TypeError, ValueError), t.call, CONSTANT, wrong)
        with graph.as_default():
            t.raises((TypeError, ValueError), t.call, CONSTANT, wrong)


@case(CONSTANT, core=False, host_only=True, reference="none")
def constant_v1_of_what_is_no_number(t):
    """A text is a number of no kind; an array may change behind its constant; of its fractions the whole part is left, in
    a graph too; NaN and infinity in lists are no whole numbers."""
    tf, np, v1 = t.fw, t.np, t.fw.compat.v1
    kinds = "bfloat16 float16 float32 float64 complex64 complex128 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool"
    for name in [*kinds.split(), "qint8", "quint8", "qint16", "quint16", "qint32"]:
        t.raises(TypeError, t.call, CONSTANT, "hello", tf.as_dtype(name))
    for kind in ("int64", "float32", "bool", "complex64"):
        array = np.array([1, 0, 1, 1]).astype(kind)
        made = t.call(CONSTANT, array)
        array[:2] = [0, 1]
        t.expect(made.numpy().tolist() == [1, 0, 1, 1], "as it was, got %s" % made)
    graph = tf.Graph()
    for kind in ("float16", "float32", "float64"):
        array = np.array([1.25, -1.75, 0.5, 99.9], kind)
        for name in ("int8", "int32", "int64"):
            got = [t.call(CONSTANT, array, tf.as_dtype(name)).numpy().tolist()]
            with graph.as_default(), v1.Session() as session:
                got.append(session.run(t.call(CONSTANT, array, tf.as_dtype(name))).tolist())
            t.expect(got == [[1, -1, 0, 99]] * 2, "%s as %s, got %s" % (kind, name, got))
            for wrong in (float("nan"), float("inf"), 1.5):
                t.raises((TypeError, ValueError), t.call, CONSTANT, [1, wrong], tf.as_dtype(name))
