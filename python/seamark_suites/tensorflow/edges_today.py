"""What matters at the edges of pad, random.uniform, TensorShape, reduce_sum, saved models, datasets and tapes."""

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
