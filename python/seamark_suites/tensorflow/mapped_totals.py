"""By vectorized_map, of each example: totals, running sums, products and choices, as its own tests ask."""

from seamark_suites.case import case

V1 = "tf.compat.v1."
ALONG = [1], None, [0, 2]
TOTALS = {
    "tf.reduce_sum": lambda x, **of: x.sum(**of),
    "tf.reduce_mean": lambda x, **of: x.mean(**of),
    "tf.reduce_max": lambda x, **of: x.max(**of),
    V1 + "reduce_sum": lambda x, **of: x.sum(**of),
    V1 + "reduce_mean": lambda x, **of: x.mean(**of),
    "tf.reduce_any": lambda x, **of: x.any(**of),
    "tf.reduce_all": lambda x, **of: x.all(**of),
}


def _of(function):
    total = TOTALS[function]

    def reference(np, x, *least):
        x = x > least[0][:, None, None, None] if least else x
        ways = [(axis and tuple(axis), stays) for axis in ALONG for stays in (True, False)]
        made = [[total(one, axis=axis, keepdims=stays) for axis, stays in ways] for one in x]
        return [np.stack(each) for each in zip(*made)]

    kinds = "bool" if function[-3:] in ("any", "all") else "f32 f64"
    return case(function, dtypes=kinds, core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5}, reference=reference)  # fmt: skip


def _total_of_each_example(t, dtype, function):
    """Along one axis, all, two; with and without them; sizes that are known and not."""
    f, tf, shape = t.get(function), t.fw, (2, 3, 4, 5)

    def run(x):
        def one(x):
            return [f(x, axis=axis, keepdims=stays) for axis in ALONG for stays in (True, False)]

        return tf.vectorized_map(one, x, fallback_to_while_loop=False)

    if dtype == "bool":
        x = t.randint(shape, "i32", 0, 4) > t.const([0, 2], "i32")[:, None, None, None]
    else:
        x = t.randn(shape, dtype)
    signature = [tf.TensorSpec([None] * 4, t.dtype(dtype))]
    open_sizes = tf.function(run, input_signature=signature, autograph=False)(x)
    known = t.call(run, x)
    for one, other in zip(known, open_sizes):
        t.expect(t.np.allclose(t.host(one), t.host(other)), "the same of sizes that are not known")
    return known


_total_of_each_example.__name__ = "total_of_each_example"
for _name in TOTALS:
    _of(_name)(_total_of_each_example)


def running(np, x, axis, exclusive, reverse):
    x = np.flip(x, axis) if reverse else x
    made = x.cumsum(axis)
    made = made - x if exclusive else made
    return np.flip(made, axis) if reverse else made


@case("tf.cumsum", dtypes="f32 i64", axis=[1, -2, 0], core=False, reference=lambda np, x, axis: [
      np.stack([running(np, one, axis, *way) for one in x]) for way in ((0, 0), (0, 1), (1, 0), (1, 1))])  # fmt: skip
def cumsum_of_each_example(t, dtype, axis):
    """Both ways, with each number itself and without it. Whole numbers."""
    f, tf = t.get("tf.cumsum"), t.fw

    def run(x):
        one = lambda x: [f(x, axis, exclusive=bool(n // 2), reverse=bool(n % 2)) for n in range(4)]  # noqa: E731
        return tf.vectorized_map(one, x, fallback_to_while_loop=False)

    return t.call(run, t.randint((2, 3, 4, 5), dtype, -9, 10))


@case("tf.argmax", dtypes="f32 i32", core=False, reference=lambda np, x: [
      np.stack([one.argmax(axis) for one in x]) for axis in (1, 0, -1) for _ in range(2)])  # fmt: skip
def argmax_of_each_example(t, dtype):
    """Along an axis, by default, from the end; the place in 32 bits and in 64."""
    f, tf = t.get("tf.argmax"), t.fw

    def run(x):
        one = lambda x: [f(x, axis, output_type=kind) for axis in (1, None, -1) for kind in (tf.int32, tf.int64)]  # noqa: E731 # fmt: skip
        return tf.vectorized_map(one, x, fallback_to_while_loop=False)

    return t.call(run, t.distinct((2, 3, 4, 5), dtype))


def _turned(np, x, turned):
    return np.swapaxes(x, -1, -2) if turned else x


_WAYS = [(of_a, of_b) for of_a in (True, False) for of_b in (True, False)]


def _products(np, a, b, each_a, each_b, turn_a, turn_b):
    made = []
    for i in range(2):
        one, other = a[i] if each_a else a, b[i] if each_b else b
        made.append(_turned(np, one, turn_a) @ _turned(np, other, turn_b))
    return np.stack(made)


@case("tf.matmul", dtypes="f32 i32", turn_a=[True, False], turn_b=[True, False], core=False, rtol={"f32": 1e-5}, reference=lambda np, *drawn, turn_a, turn_b: [
      _products(np, a, b, *way, turn_a, turn_b) for way, a, b in zip(_WAYS * 2, drawn[::2], drawn[1::2])])  # fmt: skip
def matmul_of_each_example(t, dtype, turn_a, turn_b):
    """Of matrices and of batches of four: the first, the second, both or neither are the example's own."""
    f, tf = t.get("tf.matmul"), t.fw
    drawn, made = [], []
    for batch in ((), (4,)):
        for each_a, each_b in _WAYS:
            a = (2,) * each_a + batch + ((5, 3) if turn_a else (3, 5))
            b = (2,) * each_b + batch + ((7, 5) if turn_b else (5, 7))
            drawn.append((each_a, each_b, t.randint(a, dtype, -5, 6), t.randint(b, dtype, -5, 6)))
    for each_a, each_b, a, b in drawn:

        def run(a, b, each_a=each_a, each_b=each_b):
            def one(i):
                x, y = tf.gather(a, i) if each_a else a, tf.gather(b, i) if each_b else b
                return f(x, y, transpose_a=turn_a, transpose_b=turn_b)

            return tf.vectorized_map(one, tf.range(2), fallback_to_while_loop=False)

        made.append(t.call(run, a, b))
    return made


_MET = [((2, 3, 5), (2, 5, 7)), ((2, 3, 5), (4, 2, 5, 7)), ((4, 2, 3, 5), (2, 5, 7)), ((4, 2, 3, 5), (4, 2, 5, 7))]  # fmt: skip


@case("tf.matmul", dtypes="f32 i32", core=False, rtol={"f32": 1e-5}, reference=lambda np, *drawn: [
      _products(np, a, b, *way, False, False) for (_, way), a, b in zip([(met, way) for met in _MET for way in _WAYS], drawn[::2], drawn[1::2])])  # fmt: skip
def matmul_of_batches_of_each_example(t, dtype):
    """Batches that meet, where the example's own has fewer axes and where it has more."""
    f, tf, made = t.get("tf.matmul"), t.fw, []
    for met_a, met_b in _MET:
        for each_a, each_b in _WAYS:

            def run(a, b, each_a=each_a, each_b=each_b):
                def one(i):
                    return f(tf.gather(a, i) if each_a else a, tf.gather(b, i) if each_b else b)

                return tf.vectorized_map(one, tf.range(2), fallback_to_while_loop=False)

            a = t.randint((2,) * each_a + met_a, dtype, -5, 6)
            made.append(t.call(run, a, t.randint((2,) * each_b + met_b, dtype, -5, 6)))
    return made


@case("tf.einsum", dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5}, reference=lambda np, x, y: [
      x @ y[0], x[0] @ y, np.stack([x[0] @ y[0]] * 4), x @ y, np.swapaxes(y, 1, 2) @ x])  # fmt: skip
def einsum_of_each_example(t, dtype):
    """With what all share on either side or both; turned."""
    f, tf = t.get("tf.einsum"), t.fw

    def run(x, y):
        def one(i):
            a, b, first, other = tf.gather(x, i), tf.gather(y, i), x[0], y[0]
            form = "ab,bc->ac"
            return [f(form, a, other), f(form, first, b), f(form, first, other), f(form, a, b), f("cd,ce->de", b, a)]  # fmt: skip

        return tf.vectorized_map(one, tf.range(4), fallback_to_while_loop=False)

    return t.call(run, t.randn((4, 9, 9), dtype), t.randn((4, 9, 1), dtype))


_TRUTHS = (), (1,), (5,), (3, 1), (3, 5)


def _chosen(np, a, b, row, fixed, *rest):
    truths, parts = rest[: len(_TRUTHS)], rest[len(_TRUTHS) :]
    each = lambda f: np.stack([f(i) for i in range(2)])  # noqa: E731
    made = []
    for c in truths:
        made.append(each(lambda i, c=c: np.where(c[i] > 0, a[i], b[i])))
        made.append(each(lambda i, c=c: np.where(c[i] > 0, row[i], b[i])))
    return made + [each(lambda i, p=p: np.where(fixed > 0, p[i], b[i])) for p in parts]


@case("tf.where", dtypes="f32 i64", core=False, reference=_chosen)
def where_of_each_example(t, dtype):
    """A truth, one in a row, a row, a column and all; beside a row; truths that all share, beside parts that meet."""
    f, tf = t.get("tf.where"), t.fw
    a, b, row = (t.randint(shape, dtype, -99, 99) for shape in ((2, 3, 5), (2, 3, 5), (2, 5)))
    fixed = t.randint((3, 5), dtype, 0, 2)
    truths = [t.randint((2, *shape), dtype, 0, 2) for shape in _TRUTHS]
    parts = [t.randint((2, *shape), dtype, -99, 99) for shape in _TRUTHS]

    def run(a, b, row, fixed, *rest):
        def one(each):
            a, b, row, *rest = each
            truths, parts = rest[: len(_TRUTHS)], rest[len(_TRUTHS) :]
            made = [f(c > 0, x, b) for c in truths for x in (a, row)]
            return made + [f(fixed > 0, part, b) for part in parts]

        return tf.vectorized_map(one, (a, b, row, *rest), fallback_to_while_loop=False)

    return t.call(run, a, b, row, fixed, *truths, *parts)


@case("tf.compat.v1.where", dtypes="f32 i64", core=False, reference=lambda np, a, b, one, rows, each: [
      np.where(one[:, None, None] > 0, a, b), np.where(rows[:, :, None] > 0, a, b), np.where(each > 0, a, b)])  # fmt: skip
def where_of_each_example_by_rows(t, dtype):
    """One truth, one for each row, one for each number."""
    f, tf = t.get("tf.compat.v1.where"), t.fw

    def run(*drawn):
        one = lambda of: [f(truth > 0, of[0], of[1]) for truth in of[2:]]  # noqa: E731
        return tf.vectorized_map(one, drawn, fallback_to_while_loop=False)

    a, b = t.randint((2, 3, 5), dtype, -99, 99), t.randint((2, 3, 5), dtype, -99, 99)
    return t.call(run, a, b, *[t.randint(shape, dtype, 0, 2) for shape in ((2,), (2, 3), (2, 3, 5))])  # fmt: skip


@case("tf.where", core=False, host_only=True, reference="none")
def where_of_each_example_knows_its_shape(t):
    """While it is traced: of rows of one beside a row that all share."""
    tf, f, found = t.fw, t.get("tf.where"), []

    def traced(a, b):
        made = tf.vectorized_map(lambda x: f(x > 0, x, b), a)
        found.append(made.shape.as_list())
        return made

    program = tf.function(traced, autograph=False)
    made = t.call(program, tf.constant([[1.0], [-1.0]]), tf.constant([3.0]))
    t.expect(found[0] == [2, 1], "two rows of one, got %s" % found[0])
    t.expect(t.host(made).tolist() == [[1.0], [3.0]], "the example's own and the shared one")
