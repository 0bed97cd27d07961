"""Work of 10 to 100 MB for what arranges, holds or feeds tensors: what comes of it is computed, so that there is something to do."""

import os

from seamark_agent.harness import Skip

from seamark_suites.case import case
from seamark_suites.transformed import each_of

SHAPE = (2048, 2048)
V1 = "tf.compat.v1."
# How an operation is called, and what NumPy makes of 2048x2048 numbers; the result is doubled.
ARRANGED = {
    "tf.reshape": (lambda f, x: f(x, [1024, -1]), lambda np, x: x.reshape(1024, 4096)),
    "tf.expand_dims": (lambda f, x: f(x, 1), lambda np, x: x[:, None]),
    V1 + "expand_dims": (lambda f, x: f(x, 1), lambda np, x: x[:, None]),
    "tf.squeeze": (lambda f, x: f(x[:, None], 1), lambda np, x: x),
    V1 + "squeeze": (lambda f, x: f(x[:, None], 1), lambda np, x: x),
    "tf.identity": (lambda f, x: f(x), lambda np, x: x),
    "tf.stop_gradient": (lambda f, x: f(x), lambda np, x: x),
    "tf.convert_to_tensor": (lambda f, x: f(x), lambda np, x: x),
    "tf.nest.map_structure": (lambda f, x: f(lambda v: v + v, [x])[0] / 2, lambda np, x: x),
}


each = each_of(ARRANGED)


@each(ARRANGED, lambda form: lambda np, x: 2 * form[1](np, x), dtypes="f32", large=True)
def large_arranged(t, dtype, function):
    arrange, f = ARRANGED[function][0], t.get(function)
    return t.call(lambda x: arrange(f, x) * 2, t.randn(SHAPE, dtype))


@case("tf.constant", dtypes="f32", large=True, reference=lambda np: np.arange(4194304.0) / 8)
@case(V1 + "constant", dtypes="f32", large=True, reference=lambda np: np.arange(4194304.0) / 8)
def large_of_an_array(t, dtype, function):
    """An array of NumPy, 16 MB, to the device."""
    return t.call(function, t.np.arange(4194304.0) / 8, t.dtype(dtype))


@case("tf.Variable", dtypes="f32", large=True, reference=lambda np, x, y: x + y)
def large_variable(t, dtype):
    """Read after an addition in place; each call begins with the same value."""
    x, y = t.randn(SHAPE, dtype), t.randn(SHAPE, dtype)
    held = t.get("tf.Variable")(x)

    def run(x, y):
        held.assign(x)
        held.assign_add(y)
        return t.fw.identity(held)

    return t.call(run, x, y)


@case("tf.group", dtypes="f32", large=True, reference=lambda np, x, y: [2 * x, x + y])
def large_group(t, dtype):
    tf, x, y = t.fw, t.randn(SHAPE, dtype), t.randn(SHAPE, dtype)
    first, second = tf.Variable(tf.zeros_like(x)), tf.Variable(tf.zeros_like(x))

    def run(x, y):
        done = t.get("tf.group")(first.assign(2 * x), second.assign(x + y))
        with tf.control_dependencies([done] if done is not None else []):
            return tf.identity(first), tf.identity(second)

    return t.call(run, x, y)


@case("tf.control_dependencies", dtypes="f32", large=True, reference=lambda np, x: x * 3)
def large_after_an_update(t, dtype):
    tf, x = t.fw, t.randn(SHAPE, dtype)
    held = tf.Variable(tf.zeros_like(x))

    def run(x):
        with t.get("tf.control_dependencies")([held.assign(x * 2)]):
            return held + x

    return t.call(run, x)


@case("tf.device", dtypes="f32", large=True, reference=lambda np, x: x * 2)
def large_by_name(t, dtype):
    def doubled(x):
        with t.get("tf.device")("CPU:0"):
            return x * 2

    return t.call(doubled, t.randn(SHAPE, dtype))


@case(V1 + "cond", dtypes="f32", large=True, reference=lambda np, x, flag: x * 2)
def large_branch(t, dtype):
    branch = t.get(V1 + "cond")
    return t.call(lambda x, flag: branch(flag, lambda: x * 2, lambda: x - 1), t.randn(SHAPE, dtype), t.const(True, "bool"))  # fmt: skip


@case("tf.assert_equal", dtypes="f32", large=True, reference=lambda np, x: x * 2)
def large_that_holds(t, dtype):
    def run(x):
        check = t.get("tf.assert_equal")(x, x + 0)
        with t.fw.control_dependencies([check] if check is not None else []):
            return x * 2

    x = t.randn(SHAPE, dtype)
    if not t.compiled:
        t.raises(
            t.fw.errors.InvalidArgumentError,
            t.get("tf.assert_equal"),
            x,
            x + t.fw.one_hot([5], SHAPE[1], dtype=x.dtype),
        )
    return t.call(run, x)


@case(
    "tf.constant_initializer",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np: np.full(SHAPE, 2.5),
)
@case(
    "tf.zeros_initializer",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np: np.zeros(SHAPE),
)
@case(
    V1 + "zeros_initializer",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np: np.zeros(SHAPE),
)
def large_initial(t, dtype, function):
    make = t.get(function)(*([2.5] if "constant" in function else []))
    return t.call(make, SHAPE, t.dtype(dtype))


@case(
    "tf.data.Dataset.from_tensor_slices",
    dtypes="f32",
    host_only=True,
    large=True,
    atol={"f32": 1e-3},
    reference=lambda np, x: x.sum(0),
)
def large_rows(t, dtype):
    """Two thousand rows of 8 kB, in batches, added up; on the host, where datasets are."""
    x = t.randn((2000, 2048), dtype)
    data = t.call("tf.data.Dataset.from_tensor_slices", x).batch(100)
    return data.reduce(
        t.fw.zeros((2048,), x.dtype), lambda total, rows: total + t.fw.reduce_sum(rows, 0)
    )


@case("tf.train.Checkpoint", dtypes="f32", large=True, reference=lambda np, x: x + 1)
def large_state_comes_back(t, dtype):
    held = t.fw.Variable(t.randn(SHAPE, dtype))
    saved = t.get("tf.train.Checkpoint")(held=held)
    path = saved.write(os.path.join(t.tmpdir(), "state"))
    held.assign(t.fw.ones_like(held))
    saved.read(path).assert_consumed()
    return t.call(lambda x: x + 1, held)


@case("tf.saved_model.load", dtypes="f32", large=True, reference=lambda np, scale, x: x * scale)
def large_module_comes_back(t, dtype):
    tf, scale, x = t.fw, t.randn(SHAPE, dtype), t.randn(SHAPE, dtype)
    module = tf.Module()
    module.scale = tf.Variable(scale)
    spec = tf.TensorSpec(SHAPE, x.dtype)
    module.run = tf.function(lambda x: x * module.scale, input_signature=[spec], autograph=False)
    folder = os.path.join(t.tmpdir(), "model")
    tf.saved_model.save(module, folder)
    loaded = t.get("tf.saved_model.load")(folder)
    return t.call(loaded.run, x)


def _in_session(t, build, feed=None):
    """What a session of TensorFlow 1 gives of a graph."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    tf = t.fw
    with tf.Graph().as_default(), tf.device(t.device):
        fetched, fed, first = build(tf.compat.v1)
        with tf.compat.v1.Session() as session:
            for step in first:
                session.run(step)
            return t.call(session.run, fetched, {fed: feed} if fed is not None else None)


@case(
    V1 + "Session.run",
    dtypes="f32",
    large=True,
    reference=lambda np, x: np.tanh(x) * 2,
    rtol={"f32": 1e-5},
)
@case(
    V1 + "placeholder",
    dtypes="f32",
    large=True,
    reference=lambda np, x: np.tanh(x) * 2,
    rtol={"f32": 1e-5},
)
def large_fed(t, dtype, function):
    values = t.host(t.randn(SHAPE, dtype))

    def build(v1):
        fed = v1.placeholder(t.dtype(dtype), SHAPE)
        return t.fw.tanh(fed) * 2, fed, []

    return _in_session(t, build, values)


@case(
    V1 + "get_variable",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np: np.full(SHAPE, 3.5),
)
@case(
    V1 + "global_variables_initializer",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np: np.full(SHAPE, 3.5),
)
def large_held(t, dtype, function):
    def build(v1):
        start = v1.constant_initializer(2.5)
        held = v1.get_variable("held", SHAPE, t.dtype(dtype), start, use_resource=True)
        return held + 1.0, None, [v1.global_variables_initializer()]

    return _in_session(t, build)


@case(V1 + "train.AdamOptimizer", dtypes="f32", large=True, trivial=True, reference=lambda np: np.full((1024, 1024), 1.9), rtol={"f32": 1e-4})  # fmt: skip
def large_step(t, dtype):
    """The first step is of the rate's size, whatever the slope."""

    def build(v1):
        held = v1.get_variable(
            "held", (1024, 1024), t.dtype(dtype), v1.constant_initializer(2.0), use_resource=True
        )
        start = v1.get_variable(
            "start", (), t.dtype(dtype), v1.zeros_initializer(), use_resource=True
        )
        step = v1.train.AdamOptimizer(0.1).minimize(
            t.fw.reduce_sum(held**2) + start, var_list=[held]
        )
        begun = v1.global_variables_initializer()
        with t.fw.control_dependencies([step]):
            return t.fw.identity(held.read_value()), None, [begun]

    return _in_session(t, build)
