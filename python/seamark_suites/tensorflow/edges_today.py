"""What matters at the edges of pad, random.uniform, TensorShape, reduce_sum, saved models, datasets, tapes, branches and what waits."""

import os

from seamark_suites.case import case


@case("tf.pad", dtypes="f32", core=False, mode=["REFLECT", "SYMMETRIC"],
      reference=lambda np, x, mode: np.pad(x, [[0, 0], [1, 2], [2, 1], [0, 0]], mode.lower()))  # fmt: skip
def mirrored_images(t, dtype, mode):
    return t.call("tf.pad", t.randn((2, 4, 5, 3), dtype), [[0, 0], [1, 2], [2, 1], [0, 0]], mode)


@case("tf.pad", dtypes="f32", core=False, reference=lambda np, x, y: [np.pad(x, [[1, 0]] * 5), y])
def of_five_axes_and_of_a_number(t, dtype):
    x, y = t.randn((2, 1, 2, 3, 2), dtype), t.randn((), dtype)
    return [t.call("tf.pad", x, [[1, 0]] * 5), t.call("tf.pad", y, t.fw.zeros((0, 2), t.fw.int32))]


@case("tf.random.uniform", dtypes="f32", core=False, random=True, reference="none")
def each_round_draws_anew(t, dtype):
    """In one program, too: a stream that begins again in each round would give rows alike."""
    tf = t.fw

    def rounds():
        return tf.map_fn(
            lambda _: tf.random.uniform((50,), dtype=t.dtype(dtype)), tf.zeros((8,), t.dtype(dtype))
        )

    rows = t.host(t.call(rounds))
    t.expect(len({tuple(row) for row in rows.tolist()}) == 8, "eight rows of their own")
    t.statistics(rows, mean=0.5, std=12**-0.5, low=0, high=1)
    t.statistics(rows < 0.25, mean=0.25, std=0.1875**0.5)


@case("tf.TensorShape", host_only=True, core=False, reference="none")
def as_a_sequence(t):
    tf = t.fw
    shape = t.call("tf.TensorShape", [2, None, 5])
    t.expect(len(shape) == 3 and list(shape) == [2, None, 5] and shape[-1] == 5, "its sizes")
    t.expect((shape + [7]).as_list() == [2, None, 5, 7], "a sum is longer")
    t.expect(shape[1:].as_list() == [None, 5] and bool(shape), "a part is a shape")
    t.expect(
        shape.with_rank(3) is not None and shape.with_rank_at_least(2) is not None, "of three axes"
    )
    t.raises(ValueError, shape.with_rank, 2)
    both = shape.most_specific_compatible_shape(tf.TensorShape([2, 4, 6]))
    t.expect(both.as_list() == [2, None, None], "what both are, got %s" % both)
    unknown = t.call("tf.TensorShape", None)
    t.expect(not bool(unknown) and unknown.rank is None, "nothing is known")
    t.raises(ValueError, len, unknown)
    t.expect(unknown.merge_with(shape).as_list() == [2, None, 5], "merged with what is known")


@case(
    "tf.compat.v1.reduce_sum",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: [x, y, x.sum(1), x.sum()],
    rtol={"f32": 1e-5},
    atol={"f32": 1e-5},
)
def over_no_axis_and_a_middle_one(t, dtype):
    name, x, y = "tf.compat.v1.reduce_sum", t.randn((2, 3, 4), dtype), t.randn((), dtype)
    return [t.call(name, x, axis=[]), t.call(name, y), t.call(name, x, axis=1), t.call(name, x)]


@case("tf.compat.v1.reduce_sum", core=False, reference="none")
def both_spellings_are_refused(t):
    kinds = (ValueError, TypeError)
    t.raises(
        kinds,
        t.call,
        "tf.compat.v1.reduce_sum",
        t.randn((2, 3), "f32"),
        axis=0,
        reduction_indices=0,
    )


@case(
    "tf.saved_model.load",
    dtypes="f32",
    core=False,
    reference=lambda np, w, x: [x @ w, x.T @ np.ones((3, 2))],
    rtol={"f32": 1e-5},
    atol={"f32": 1e-5},
)
def saved_on_the_host_and_trained_here(t, dtype):
    """A model that was saved on the CPU gives its values, and its gradient, where it is loaded."""
    tf = t.fw
    values = t.host(t.randn((4, 2), dtype))
    folder = os.path.join(t.tmpdir(), "model")
    with tf.device("/device:CPU:0"):
        module = tf.Module()
        module.w = tf.Variable(tf.constant(values, t.dtype(dtype)))
        module.apply = tf.function(
            lambda x: x @ module.w, input_signature=[tf.TensorSpec([None, 4], t.dtype(dtype))]
        )
        tf.saved_model.save(module, folder)
    loaded = t.get("tf.saved_model.load")(folder)

    def run(x):
        with tf.GradientTape() as tape:
            made = loaded.apply(x)
            loss = tf.reduce_sum(made)
        return made, tape.gradient(loss, loaded.w)

    return list(t.call(run, t.randn((3, 4), dtype)))


@case(
    "tf.data.Dataset.from_tensor_slices",
    dtypes="f32",
    host_only=True,
    core=False,
    reference=lambda np, x: x.sum(0),
)
def read_within_a_function(t, dtype):
    tf, x = t.fw, t.uniform((5, 3), dtype, 1, 2)
    data = t.call("tf.data.Dataset.from_tensor_slices", x)

    @tf.function
    def total():
        found = tf.zeros((3,), x.dtype)
        for row in data:
            found += row
        return found

    return total()


@case(
    "tf.GradientTape",
    dtypes="f32",
    grad=False,
    core=False,
    reference=lambda np, x: [
        np.where(np.arange(6)[:, None] == 2, 2, 0)
        + np.where(np.arange(6)[:, None] == 4, 1, 0)
        + 0 * x,
        np.diag(2 * x[0]),
    ],
)
def rows_and_the_default_jacobian(t, dtype):
    tf = t.fw

    def slopes(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.gather(x, [2, 4, 2]))
        rows = tf.convert_to_tensor(tape.gradient(loss, x))
        with tf.GradientTape() as tape:
            y = x[0]
            tape.watch(y)
            z = y * y
        return rows, tape.jacobian(z, y)

    return list(t.call(slopes, t.randn((6, 3), dtype)))


@case("tf.cond", core=False, reference="none", host_only=True)
def cond_of_python(t):
    """Eagerly the truth of Python, NumPy or a tensor chooses at once; one branch alone runs."""
    tf, ran = t.fw, []
    for flag, want in ((True, 1), (t.np.bool_(False), 2), (tf.constant(True), 1)):
        got = t.call("tf.cond", flag, lambda: ran.append(1) or 1, lambda: ran.append(2) or 2)
        t.expect(int(got) == want and ran[-1] == want, "%d of %r, got %r" % (want, flag, got))
    t.expect(len(ran) == 3, "three branches, got %s" % ran)


def _by_loops(np, x, y, *_):
    powers = [x * (1 + y) ** 3, (1 + y) ** 3, 3 * x * (1 + y) ** 2]
    halves = [(x - y) / 4, 0.25 + 0 * x, -0.25 + 0 * y]
    return [*powers, *halves]


@case("tf.cond", dtypes="f32 f64", core=False, rtol={"f32": 1e-5}, reference=_by_loops)
def cond_of_loops(t, dtype):
    """A loop in each branch, and the slopes of the one that ran: of a fixed number of steps, and as many as data says."""
    tf, pick, loop = t.fw, t.get("tf.cond"), t.fw.while_loop

    def choose(x, y, sign):
        start = tf.constant(0)
        times = lambda i, one: (i + 1, one * y + one)  # noqa: E731
        half = lambda i, one: (i + 1, one / 2)  # noqa: E731
        return pick(sign > 0, lambda: loop(lambda i, _: i < 3, times, (start, x), maximum_iterations=3)[1],
                    lambda: loop(lambda i, _: i < -sign, half, (start, x - y), maximum_iterations=5)[1])  # fmt: skip

    def slopes(x, y, sign):
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            made = choose(x, y, sign)
        return [made, *tape.gradient(made, [x, y])]

    program = tf.function(slopes, autograph=False)
    x, y = t.uniform((3, 4), dtype, 1, 2), t.uniform((3, 4), dtype, 0.25, 0.75)
    return [leaf for sign in (1, -2) for leaf in t.call(program, x, y, t.const(sign, "i32"))]


def _until(np, x, y, *_):
    while x.max() < 100:
        x = 2 * x + 1
    return [x, y, y + 200, 3 * y]


@case("tf.cond", dtypes="i32 i64 f32", core=False, reference=_until)
def cond_of_counting_loops(t, dtype):
    """A loop until values are great, and one that does no step; in the other branch of a cond within."""
    tf, pick = t.fw, t.get("tf.cond")

    def choose(x, sign):
        grown = lambda x: tf.while_loop(lambda x: tf.reduce_max(x) < 100, lambda x: [2 * x + 1], [x])[0]  # noqa: E731 # fmt: skip
        return pick(sign > 0, lambda: grown(x), lambda: pick(sign > -2, lambda: grown(x + 200), lambda: 3 * x))  # fmt: skip

    program = tf.function(choose, autograph=False)
    x, y = t.randint((3, 4), dtype, 1, 9), t.randint((3, 4), dtype, 100, 150)
    given = (x, 1), (y, 1), (y, -1), (y, -2)
    return [t.call(program, one, t.const(sign, "i32")) for one, sign in given]


@case("tf.cond", dtypes="f32 i32 i64 c64", core=False, reference=lambda np, *_: [
      np.arange(24).reshape(4, 6) % 7, np.array(3), np.array([5, -2]), np.arange(24).reshape(4, 6) % 5 - 9, np.array(4), np.array([8, 1])])  # fmt: skip
def cond_of_constants(t, dtype):
    """Branches that take nothing and give constants: the truth alone is data."""
    tf, pick, places, kind = t.fw, t.get("tf.cond"), t.np.arange(24).reshape(4, 6), t.dtype(dtype)
    given = (places % 7, 3, [5, -2]), (places % 5 - 9, 4, [8, 1])

    def choose(flag):
        one, other = (lambda i=i: [tf.constant(value, kind) for value in given[i]] for i in (0, 1))
        return pick(flag, one, other)

    program = tf.function(choose, autograph=False)
    return [leaf for flag in (True, False) for leaf in t.call(program, t.const(flag, "bool"))]


def _of_rows(np, v, *rest):
    made = []
    for x, sign in zip(rest[::2], rest[1::2]):
        made += [x @ v, 2 * x.T @ (x @ v)] if sign > 0 else [x @ v**2, 4 * v * (x.T @ (x @ v**2))]
    return made


@case("tf.cond", dtypes="f32 f64", core=False, reference=_of_rows)
def cond_of_open_rows(t, dtype):
    """One program for two rows and for three: functions in the branches, and the slope by what they share. Whole numbers."""
    tf, pick, kind = t.fw, t.get("tf.cond"), t.dtype(dtype)
    product = tf.function(lambda x, v: tf.einsum("ab,bc->ac", x, v), autograph=False)

    def slope(v, x, sign):
        with tf.GradientTape() as tape:
            tape.watch(v)
            made = pick(sign > 0, lambda: product(x, v), lambda: product(x, v * v))
            loss = tf.reduce_sum(made * made)
        return made, tape.gradient(loss, v)

    specs = [tf.TensorSpec([2, 3], kind), tf.TensorSpec([None, 2], kind), tf.TensorSpec([], tf.int32)]  # fmt: skip
    program = tf.function(slope, input_signature=specs, autograph=False)
    v, made = t.randint((2, 3), dtype, -3, 4), []
    for rows, sign in ((2, 1), (3, 1), (2, -1), (3, -1)):
        made += t.call(program, v, t.randint((rows, 2), dtype, -3, 4), t.const(sign, "i32"))
    return made


@case("tf.cond", dtypes="f32", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, *_: [
      *(2**n * np.exp(2 * x) for n in range(6)), x * x, 2 * x, 2 + 0 * x, 0 * x, 0 * x, 0 * x])  # fmt: skip
def cond_fifth_order(t, dtype):
    """The slope of the branch that was taken, and so on to the fifth; the other's are zero from the third on."""
    tf, pick = t.fw, t.get("tf.cond")

    def orders(x, sign, most):
        if most == 0:
            return [pick(sign > 0, lambda: tf.exp(2 * x), lambda: x * x)]
        with tf.GradientTape() as tape:
            tape.watch(x)
            made = orders(x, sign, most - 1)
        return [*made, tape.gradient(made[-1], x)]

    program, x = tf.function(lambda x, sign: orders(x, sign, 5), autograph=False), t.uniform((4,), dtype, 0.5, 1.2)  # fmt: skip
    return [one for sign in (1, -1) for one in t.call(program, x, t.const(sign, "i32"))]


@case("tf.control_dependencies", core=False, reference="none", host_only=True)
def waits_for_what_is_within_none(t):
    """None lifts what is around it for its block alone; of one operation two outputs are one."""
    tf, after, found = t.fw, t.get("tf.control_dependencies"), {}

    def look(name):
        found[name] = [one.name for one in tf.no_op().control_inputs]

    def build():
        a, c, d = (tf.constant(1.0, name=name) for name in "acd")
        parts = tf.unstack(tf.constant([1.0, 2.0]), name="parts")
        with after([a]):
            with after(None):
                with after([c, d]):
                    look("within")
                look("none")
            look("behind")
        with after(parts):
            look("both")
        with after(parts[:1]), after([parts[1], a]):
            look("nested")
        return len(found)

    with tf.Graph().as_default():
        t.expect(t.call(build) == 5, "five looks")
    want = {
        "within": ["c", "d"],
        "none": [],
        "behind": ["a"],
        "both": ["parts"],
        "nested": ["parts", "a"],
    }
    t.expect(found == want, "%s, got %s" % (want, found))
