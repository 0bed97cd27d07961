"""Functions that are traced, models and state that are saved, data on the host, checks: tf.function,
tf.saved_model.load, tf.train.Checkpoint, tf.data.Dataset.from_tensor_slices, tf.assert_equal."""

import os

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .reference import with_gradient

# --- tf.function


def polynomial(x, y):
    return x * x + 3.0 * x * y


def polynomial_pull(np, w, x, y):
    return w * (2 * x + 3 * y), w * 3 * x


@case("tf.function", dtypes="f32 bf16", grad=True, name="gradient",
      reference=with_gradient(lambda np, x, y: polynomial(x, y), polynomial_pull))  # fmt: skip
@case("tf.function", dtypes="f32 bf16", name="forward", reference=lambda np, x, y: polynomial(x, y))
@case("tf.function", dtypes="f16 f64 c64", name="forward", core=False,
      reference=lambda np, x, y: polynomial(x, y))  # fmt: skip
def traced(t, dtype):
    made = t.get("tf.function")(lambda x, y: x * x + t.fw.cast(3.0, x.dtype) * x * y)
    return t.call(made, t.uniform((4, 5), dtype, 1, 2), t.uniform((4, 5), dtype, 1, 2))


@case(
    "tf.function",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, *xs: [x.sum() + n for x, n in zip(xs, (3, 3, 3))],
)
def of_three_sizes(t, dtype):
    """A shape that is open is traced once."""
    traces = []

    def total(x):
        traces.append(1)
        return t.fw.reduce_sum(x) + t.fw.cast(3, x.dtype)

    made = t.get("tf.function")(total, input_signature=[t.fw.TensorSpec([None, 4], t.dtype(dtype))])
    found = [t.call(made, t.randn((n, 4), dtype)) for n in (2, 5, 3)]
    t.expect(
        len(traces) <= 2 if t.place != "target" or not t.compiled else True,
        "one trace, got %d" % len(traces),
    )
    return found


def halved(np, x, n):
    steps = 0
    x = x.copy()
    while x.sum() > n:
        x, steps = x / 2, steps + 1
    return [x, np.asarray(steps)]


@case("tf.function", dtypes="f32", reference=lambda np, x: halved(np, x, 5))
def python_control_flow(t, dtype):
    """AutoGraph makes a loop of the graph's of a `while` of Python's."""

    def halve(x):
        steps = t.fw.constant(0)
        while t.fw.reduce_sum(x) > 5.0:
            x, steps = x / 2.0, steps + 1
        return x, steps

    return t.call(t.get("tf.function")(halve), t.uniform((4, 5), dtype, 2, 3))


@case("tf.function", dtypes="f32", core=False, reference=lambda np, x, one: [x, x + one, 3 * x])
def variables_are_changed_once_a_call(t, dtype):
    held = t.fw.Variable(t.randn((3,), dtype))
    add = t.get("tf.function")(lambda by: held.assign_add(by))
    before = t.fw.identity(held)
    first = t.fw.identity(t.call(add, t.const([1.0] * 3, dtype)))
    held.assign(before * 2)
    return before, first, t.fw.identity(t.call(add, before))


@case("tf.function", host_only=True, core=False, reference="none")
def traces_again_for_another_dtype(t):
    traces = []

    @t.get("tf.function")
    def twice(x):
        traces.append(x.dtype.name)
        return x + x

    for value in (1.0, 2.0):
        t.call(twice, t.fw.constant(value))
    t.call(twice, t.fw.constant(3))
    t.expect(traces == ["float32", "int32"], "two traces, got %s" % traces)
    concrete = twice.get_concrete_function(t.fw.TensorSpec([2], t.fw.float32))
    t.expect(concrete.output_shapes == t.fw.TensorShape([2]), "a shape of the result")
    kinds = (ValueError, TypeError, t.fw.errors.InvalidArgumentError)
    t.raises(kinds, concrete, t.fw.constant([1, 2, 3]))


@case("tf.function", host_only=True, core=False, reference="none")
def a_variable_made_in_each_call_is_refused(t):
    made = t.get("tf.function")(lambda x: t.fw.Variable(x) + 1.0)
    t.raises(ValueError, t.call, made, t.fw.constant(1.0))


@case("tf.function", dtypes="f32", large=True, reference=lambda np, x, y: polynomial(x, y))
def large_traced(t, dtype):
    made = t.get("tf.function")(polynomial)
    return t.call(made, t.uniform((2048, 2048), dtype, 1, 2), t.uniform((2048, 2048), dtype, 1, 2))


# --- tf.train.Checkpoint, tf.saved_model.load


@case(
    "tf.train.Checkpoint",
    dtypes="f32 bf16 i64",
    core="f32 i64",
    reference=lambda np, x: [x, 0 * x + 1],
)
def state_comes_back(t, dtype):
    held = t.fw.Variable(t.randn((3, 4), dtype))
    saved = t.get("tf.train.Checkpoint")(held=held)
    path = saved.write(os.path.join(t.tmpdir(), "state"))
    held.assign(t.fw.ones_like(held))
    changed = t.fw.identity(held)
    saved.read(path).assert_consumed()
    return t.call(lambda x: x + 0, held), changed


@case("tf.train.Checkpoint", host_only=True, reference="none")
def of_a_tree_of_objects(t):
    """Lists and dictionaries are followed; what is missing is told; a counter names what is kept."""
    tf = t.fw
    parts = {"list": [tf.Variable(1.0), tf.Variable([2.0, 3.0])], "name": tf.Variable(4)}
    saved = t.call("tf.train.Checkpoint", parts=parts, step=tf.Variable(7))
    first = saved.save(os.path.join(t.tmpdir(), "state"))
    t.expect(first.endswith("state-1") and int(saved.save_counter) == 1, "numbered, got %s" % first)
    other = tf.train.Checkpoint(step=tf.Variable(0), more=tf.Variable(0.0))
    status = other.restore(first)
    t.expect(int(other.step) == 7, "the step, got %d" % int(other.step))
    t.raises(AssertionError, status.assert_consumed)
    status.assert_nontrivial_match()
    names = [name for name, _ in tf.train.list_variables(first)]
    t.expect(any(name.startswith("parts/list/1/") for name in names), "its path, got %s" % names)


@case("tf.train.Checkpoint", host_only=True, core=False, reference="none")
def values_wait_for_their_variables(t):
    tf = t.fw
    path = t.call("tf.train.Checkpoint", held=tf.Variable([5.0])).write(
        os.path.join(t.tmpdir(), "state")
    )
    later = tf.train.Checkpoint()
    later.read(path)
    later.held = tf.Variable([0.0])
    t.expect(later.held.numpy().tolist() == [5.0], "the value, got %s" % later.held.numpy())


@case("tf.train.Checkpoint", host_only=True, core=False, reference="none")
def no_such_checkpoint_raises(t):
    saved = t.call("tf.train.Checkpoint", held=t.fw.Variable(1.0))
    t.raises((t.fw.errors.NotFoundError, ValueError), saved.read, os.path.join(t.tmpdir(), "none"))
    t.raises(ValueError, t.call, "tf.train.Checkpoint", held=object())


def exported(t, dtype):
    """The folder of a module with a variable, a function and a signature, and its input."""
    tf = t.fw

    class Scaled(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(t.uniform((4,), dtype, 1, 2))

        @tf.function(input_signature=[tf.TensorSpec([None, 4], t.dtype(dtype))])
        def __call__(self, x):
            return x * self.scale

    folder = os.path.join(t.tmpdir(), "model")
    module = Scaled()
    tf.saved_model.save(module, folder, signatures=module.__call__)
    return folder, t.uniform((3, 4), dtype, 1, 2)


@case(
    "tf.saved_model.load", dtypes="f32 bf16", core="f32", reference=lambda np, scale, x: x * scale
)
def a_module_comes_back(t, dtype):
    folder, x = exported(t, dtype)
    loaded = t.get("tf.saved_model.load")(folder)
    return t.call(loaded, x)


@case(
    "tf.saved_model.load",
    dtypes="f32",
    core=False,
    reference=lambda np, scale, x: [x * scale, 2 * x],
)
def its_signature_and_its_variable(t, dtype):
    folder, x = exported(t, dtype)
    loaded = t.get("tf.saved_model.load")(folder)
    (name,) = loaded.signatures["serving_default"].structured_outputs
    made = t.call(lambda x: loaded.signatures["serving_default"](x=x)[name], x)
    loaded.scale.assign(t.fw.ones_like(loaded.scale) * 2)
    return made, t.call(loaded, x)


@case("tf.saved_model.load", host_only=True, reference="none", core=False)
def what_is_no_model_raises(t):
    t.raises(
        (OSError, ValueError, t.fw.errors.NotFoundError), t.call, "tf.saved_model.load", t.tmpdir()
    )


# --- tf.data.Dataset.from_tensor_slices


@case("tf.data.Dataset.from_tensor_slices", host_only=True, reference="none")
def rows_of_a_structure(t):
    """A tuple, a dictionary within it: one element a row."""
    x = t.np.arange(12.0).reshape(4, 3)
    data = t.call("tf.data.Dataset.from_tensor_slices", (x, {"label": [1, 2, 3, 4]}))
    t.expect(
        data.element_spec[0].shape == (3,) and int(data.cardinality()) == 4, "four rows of three"
    )
    found = list(data.as_numpy_iterator())
    t.expect([row[0].tolist() for row in found] == x.tolist(), "the rows in order")
    t.expect([int(row[1]["label"]) for row in found] == [1, 2, 3, 4], "each with its label")


@case("tf.data.Dataset.from_tensor_slices", host_only=True, core=False, reference="none")
def through_a_pipeline(t):
    data = t.call("tf.data.Dataset.from_tensor_slices", t.np.arange(10))
    batches = data.filter(lambda n: n % 2 == 0).map(lambda n: n * n).batch(2).prefetch(1)
    found = [batch.tolist() for batch in batches.as_numpy_iterator()]
    t.expect(found == [[0, 4], [16, 36], [64]], "squares by two, got %s" % found)
    mixed = [int(n) for n in data.shuffle(10, seed=3).as_numpy_iterator()]
    t.expect(sorted(mixed) == list(range(10)) and mixed != list(range(10)), "each once, mixed")


@case("tf.data.Dataset.from_tensor_slices", host_only=True, core=False, reference="none")
def kinds_of_elements(t):
    tf = t.fw
    texts = t.call("tf.data.Dataset.from_tensor_slices", ["a", "bc"])
    t.expect(list(texts.as_numpy_iterator()) == [b"a", b"bc"], "texts")
    ragged = t.call("tf.data.Dataset.from_tensor_slices", tf.ragged.constant([[1, 2], [3]]))
    t.expect([row.numpy().tolist() for row in ragged] == [[1, 2], [3]], "rows of two lengths")
    t.expect(
        list(t.call("tf.data.Dataset.from_tensor_slices", t.np.zeros((0, 3)))) == [], "nothing"
    )


@case("tf.data.Dataset.from_tensor_slices", host_only=True, core=False, reference="none")
def rows_that_do_not_match_raise(t):
    t.raises(ValueError, t.call, "tf.data.Dataset.from_tensor_slices", ([1, 2], [1, 2, 3]))
    t.raises(ValueError, t.call, "tf.data.Dataset.from_tensor_slices", 3)


@case(
    "tf.data.Dataset.from_tensor_slices",
    dtypes="f32 i64",
    core="f32",
    reference=lambda np, x: [2 * row for row in x],
)
def into_a_function(t, dtype):
    """Elements go to the device one by one."""
    x = t.randn((3, 5), dtype)
    data = t.get("tf.data.Dataset.from_tensor_slices")(
        t.host(x).astype(t.dtype(dtype).as_numpy_dtype)
    )
    return [t.call(lambda row: row + row, t.fw.convert_to_tensor(row)) for row in data]


# --- tf.assert_equal


@case("tf.assert_equal", dtypes="f32 bf16 i64", core="f32 i64", reference=lambda np, x: 2 * x)
@case("tf.assert_equal", dtypes="bool", core=False, reference=lambda np, x: x)
def what_is_equal_goes_on(t, dtype):
    tf = t.fw

    def checked(x):
        tf.assert_equal(x, tf.identity(x), "never said")
        return x if x.dtype == tf.bool else x + x

    return t.call(checked, t.randn((4, 5), dtype))


@case("tf.assert_equal", dtypes="f32", core=False, reference="none")
def what_differs_raises(t, dtype):
    if t.compiled:
        raise Skip("a compiled program leaves assertions out")
    x = t.const([1.0, 2.0], dtype)
    error = t.raises(
        t.fw.errors.InvalidArgumentError, t.call, "tf.assert_equal", x, x + 1, message="not so"
    )
    t.expect("not so" in str(error), "the message, got %s" % error)
    t.raises(
        t.fw.errors.InvalidArgumentError,
        t.call,
        "tf.assert_equal",
        x,
        t.const([float("nan")] * 2, dtype),
    )


@case("tf.assert_equal", dtypes="f32", core=False, reference="none")
def broadcasts_and_refuses_shapes(t, dtype):
    if t.compiled:
        raise Skip("a compiled program leaves assertions out")
    t.call("tf.assert_equal", t.const([[2.0, 2.0]] * 3, dtype), t.const(2.0, dtype))
    t.refuses("tf.assert_equal", t.const([1.0, 1.0], dtype), t.const([1.0, 1.0, 1.0], dtype))


@case("tf.assert_equal", host_only=True, core=False, reference="none")
def of_texts_and_nothing(t):
    t.call("tf.assert_equal", t.fw.constant(["a", "b"]), t.fw.constant(["a", "b"]))
    t.raises(t.fw.errors.InvalidArgumentError, t.call, "tf.assert_equal", ["a"], ["b"])
    t.call("tf.assert_equal", t.fw.zeros((0, 3)), t.fw.ones((0, 3)))


# --- checkpoints again


@case("tf.train.Checkpoint", host_only=True, core=False, reference="none")
def what_was_matched(t):
    """A part of what was saved; what is not there; another shape or dtype; one of two names of a variable."""
    tf, make, errors = t.fw, t.get("tf.train.Checkpoint"), (ValueError, t.fw.errors.OpError)
    a, b = tf.Variable([1.0, 2.0]), tf.Variable(3)
    path = t.call("tf.train.Checkpoint", a=a, b=b, again=a).write(os.path.join(t.tmpdir(), "state"))
    kept = [name for name, _ in tf.train.list_variables(path) if "VARIABLE_VALUE" in name]
    t.expect(len(kept) == 2, "one of two names is kept, got %s" % kept)
    part = make(a=tf.Variable([0.0, 0.0]))
    status = part.read(path).expect_partial()
    status.assert_existing_objects_matched()
    t.raises(AssertionError, status.assert_consumed)
    t.expect(part.a.numpy().tolist() == [1.0, 2.0], "its value")
    other = make(z=tf.Variable([0.0, 0.0])).read(path)
    t.raises(AssertionError, other.assert_existing_objects_matched)
    t.raises(AssertionError, other.assert_nontrivial_match)
    t.raises(errors, make(a=tf.Variable([1.0, 2.0, 3.0])).read, path)
    t.raises(errors, make(a=tf.Variable([1, 2])).read, path)
    t.raises(ValueError, t.call, "tf.train.Checkpoint", 3)


@case("tf.train.Checkpoint", host_only=True, core=False, reference="none")
def of_a_root_and_numbers(t):
    """A module as the root; the count goes on after a restore; the newest is known; nothing to restore is no error."""
    tf, folder, make = t.fw, t.tmpdir(), t.get("tf.train.Checkpoint")
    module, again = tf.Module(), tf.Module()
    module.parts, again.parts = [tf.Variable([5.0])], [tf.Variable([0.0])]
    saved = t.call("tf.train.Checkpoint", module, step=tf.Variable(2))
    paths = [saved.save(os.path.join(folder, "state")) for _ in range(2)]
    t.expect(tf.train.latest_checkpoint(folder) == paths[1], "the second is the newest")
    later = make(again, step=tf.Variable(0))
    later.restore(paths[1]).assert_consumed()
    t.expect(again.parts[0].numpy().tolist() == [5.0] and int(later.step) == 2, "its values")
    third = later.save(os.path.join(folder, "state"))
    t.expect(
        third.endswith("state-3") and int(later.save_counter) == 3, "the third, got %s" % third
    )
    t.raises(ValueError, t.call, "tf.train.Checkpoint", module, parts=tf.Variable(1.0))
    make(a=tf.Variable(1.0)).restore(None)
    names = tf.train.load_checkpoint(paths[0]).get_variable_to_shape_map()
    t.expect(names["parts/0/.ATTRIBUTES/VARIABLE_VALUE"] == [1], "its path, got %s" % names)


@case("tf.train.Checkpoint", host_only=True, core=False, reference="none")
def of_other_kinds_of_state(t):
    """Variables of every kind, text, where an iterator stands, what an optimizer keeps."""
    tf, make, folder = t.fw, t.get("tf.train.Checkpoint"), t.tmpdir()
    names = ["int8", "uint16", "complex64", "float16", "float64", "bool", "string"]
    first = [["a", "bc"] if name == "string" else t.np.array([1, 0], name) for name in names]
    held = [tf.Variable(tf.constant(one)) for one in first]
    before = [one.numpy().tolist() for one in held]
    steps = iter(tf.data.Dataset.range(9))
    next(steps), next(steps)
    mean = tf.train.ExponentialMovingAverage(0.5)
    mean.apply([held[4]])
    path = t.call("tf.train.Checkpoint", held=held, steps=steps, mean=mean.average(held[4])).write(os.path.join(folder, "all"))  # fmt: skip
    next(steps)
    for one in held:
        one.assign(tf.reverse(one, [0]))
    make(held=held, steps=steps).restore(path).expect_partial()
    after = [one.numpy().tolist() for one in held]
    t.expect(after == before, "as they were, got %s" % after)
    t.expect(int(next(steps)) == 2, "the third number again")
