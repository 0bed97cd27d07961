"""Functions of one number: slopes of slopes of complex numbers, of nothing and of sparse rows; roots of whole blocks; einsum's rest."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from . import reference_arithmetic as right
from .known_before_it_runs import expect_known
from .reference import with_gradient
from .totals import each

SMOOTH = "exp math.log math.log1p sqrt square sigmoid"


@each(SMOOTH + " abs", right.one_gradient, dtypes="f32 f64 bf16 c64", core=False, grad=True, trivial=True)  # fmt: skip
def one_slope_of_nothing(t, dtype, function):
    """Two of no row of five: so is the slope."""
    x = t.const(t.np.zeros((2, 0, 5)), dtype, grad=True)
    made = t.call(function, x)
    t.expect([tuple(one.shape) for one in (made[0], made[1][0])] == [(2, 0, 5)] * 2, "no row")
    return made


def _twice(function):
    """The slope by x is conjugate; so are the slopes of that slope, by what came in and by x."""
    value, slope, second = right.ONE[function]
    return lambda np, x, w, u: [
        value(np, x),
        w * np.conj(slope(np, x)),
        u * slope(np, x),
        np.conj(u) * w * np.conj(second(np, x)),
    ]


@each("sigmoid sqrt exp square math.log math.log1p", _twice, dtypes="c64 c128", core=False, rtol={"c64": 1e-5})  # fmt: skip
def complex_slopes_of_slopes(t, dtype, function):
    """By the number and by the slope that came in, which the first slope multiplies."""
    tf, f = t.fw, t.get(function)

    def slopes(x, w, u):
        with tf.GradientTape() as outer:
            outer.watch([x, w])
            with tf.GradientTape() as inner:
                inner.watch(x)
                made = f(x)
            first = inner.gradient(made, x, output_gradients=w)
        by_w, by_x = outer.gradient(first, [w, x], output_gradients=u)
        return [made, first, by_w, by_x]

    parts = [t.uniform((6, 5), dtype, 0.5, 1.5) for _ in "xwu"]
    return t.call(slopes, *parts)


_SIZES = (1, 3, 4, 7, 8, 63, 64, 65)


def _ends(np, dtype):
    info = np.finfo({"f16": "float16", "f32": "float32", "f64": "float64"}[dtype])
    return np.array([info.min, -2, -1, 0, info.tiny, 1, 2, 1000, info.max / 100])


@case("tf.sqrt", dtypes="f16 f32 f64", core=False, reference=lambda np, *xs: [
      np.where(x < 0, np.nan, np.sqrt(abs(x))) for x in xs])  # fmt: skip
def roots_of_whole_blocks(t, dtype):
    """Blocks that fill the steps of a processor and such that do not: each of one number, from the least to near the
    greatest; those below 0 have no root."""
    f = t.get("tf.sqrt")
    ends = _ends(t.np, dtype)
    xs = [t.const(t.np.repeat(ends[:, None], n, 1), dtype) for n in _SIZES]
    return t.call(lambda *xs: [f(x) for x in xs], *xs)


@each("abs square sqrt", core=False, host_only=True)
def of_sparse_without_values(t, function):
    """Of two of no row of five stays what it is; a complex one has complex values, but sizes for abs."""
    tf, np = t.fw, t.np
    for kind in (tf.float32, tf.float64, tf.complex64, tf.complex128):
        places = tf.zeros([0, 3], tf.int64)
        x = tf.sparse.SparseTensor(places, tf.zeros([0], kind), [2, 0, 5])
        made = t.call(function, x)
        real = kind.real_dtype if function == "tf.abs" else kind
        same = made.dtype == real and made.indices.shape == [0, 3] and made.values.shape == [0]
        t.expect(same and made.dense_shape.numpy().tolist() == [2, 0, 5], "empty, got %s" % made)
        values = [3, 0.25] if not kind.is_complex else [3 + 4j, -4]
        some = tf.sparse.SparseTensor([[0, 1], [1, 3]], tf.constant(values, kind), [2, 5])
        got = t.call(function, some)
        want = {"tf.abs": np.abs, "tf.square": np.square}.get(function, np.sqrt)
        want = want(np.array(values, kind.as_numpy_dtype))
        close = np.allclose(got.values, want, 1e-6) and got.dtype == real
        t.expect(close and got.indices.numpy().tolist() == [[0, 1], [1, 3]], "got %s" % got.values)


# --- einsum

_FORMS = {
    "ijkm,ijln->ijmn": ((2, 3, 3, 4), (2, 3, 2, 1)),
    "abcd->da": ((3, 2, 4, 5),),
    "...->...": ((2, 3),),
    "a...a->...": ((3, 2, 3),),
    "a...a->...a": ((3, 2, 4, 3),),
    "...mk,...kn->...mn": ((5, 1, 2, 3), (1, 4, 3, 2)),
    "...mk,...kn->mn...": ((2, 2, 3), (2, 3, 4)),
    "abc,abc->b": ((2, 3, 4), (2, 3, 4)),
}


@case("tf.einsum", dtypes="f32 f64 c64 i32", form=list(_FORMS), core=False, grad=True, rtol={"f32": 1e-5, "c64": 1e-5},
      reference=with_gradient(lambda np, *parts, form: np.einsum(form, *parts),
      affine_pull(lambda np, *parts, form: np.einsum(form, *parts))))  # fmt: skip
def einsum_of_few_letters(t, dtype, form):
    """Letters again, dots for axes of any number, sums over what only one has."""
    parts = [
        t.randint(n, dtype, 1, 5) if dtype == "i32" else t.uniform(n, dtype, 0.5, 1.5)
        for n in _FORMS[form]
    ]
    return t.call("tf.einsum", form, *parts)


@case("tf.einsum", core=False, host_only=True, reference="none")
def einsum_known_in_part(t):
    """Factors of which nothing is known have as many axes as letters, or, with dots, any number; wrong ones are refused
    when they come."""
    tf, fed = t.fw, t.fw.compat.v1.placeholder
    with tf.Graph().as_default():
        x, y = fed(tf.float32), fed(tf.float32)
        four, three = fed(tf.float32, [None] * 4), fed(tf.float32, [8, None, 3])
        product = t.call("tf.einsum", "bijl,bjkm->bik", x, y)
        dots = t.call("tf.einsum", "...ij,...jk->...ik", x, y)
        found = {
            "letters": (product, [[None] * 3]),
            "dots": (dots, [None]),
            "known axes": (t.call("tf.einsum", "bijl,bjkm->bik", four, four), [[None] * 3]),
            "known sizes": (t.call("tf.einsum", "abc,abc->ac", three, x), [[8, 3]]),
            "one factor": (t.call("tf.einsum", "a...b->b...", fed(tf.float32, [2, None, 3])), [[3, None]]),
        }  # fmt: skip
        expect_known(t, found)
        t.raises(ValueError, t.call, "tf.einsum", "abc,abc->ac", four, x)
        one, other = t.np.arange(120.0).reshape(2, 3, 5, 4), t.np.arange(60.0).reshape(2, 5, 1, 6)
        with tf.compat.v1.Session() as session:
            got = session.run(product, {x: one, y: other})
            want = t.np.einsum("bijl,bjkm->bik", one, other)
            t.expect(t.np.allclose(got, want), "the sums of products, got %s" % got)
            got = session.run(dots, {x: one, y: one.swapaxes(2, 3)})
            t.expect(t.np.allclose(got, one @ one.swapaxes(2, 3)), "products, got %s" % got)
            for wrong in (other[0], one, t.np.ones((2, 4, 1, 6))):
                given = {x: one, y: wrong}
                t.raises(tf.errors.InvalidArgumentError, session.run, product, given)
