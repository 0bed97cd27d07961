"""Python's side of TensorFlow: callbacks, printing, assertions, structures, dtypes."""

import os
import sys

from seamark_suites.case import case

from . import reference as right


@case(
    "tf.numpy_function",
    dtypes="f32 f64 i32 i64",
    core="f32 i64",
    reference=lambda np, x, y, **_: np.cumsum(x) * y,
)
def numpy_function(t, dtype):
    def scan(x, y):
        return t.np.cumsum(x).astype(x.dtype) * y

    def through_numpy(x, y):
        return t.fw.numpy_function(scan, [x, y], t.dtype(dtype))

    return t.call(through_numpy, t.randn((6,), dtype), t.randn((6,), dtype))


@case("tf.numpy_function", dtypes="f32", reference="none")
def numpy_function_two_results(t, dtype):
    x = t.distinct((7,), dtype)

    def through_numpy(x):
        return t.fw.numpy_function(
            lambda v: (v.max(), v.argmax()), [x], [t.dtype(dtype), t.fw.int64]
        )

    greatest, position = t.call(through_numpy, x)
    values = t.host(x)
    t.expect(
        t.host(greatest) == values.max() and t.host(position) == values.argmax(),
        "the maximum and its place",
    )


@case("tf.numpy_function", reference="none")
def numpy_function_strings(t):
    def through_numpy(text):
        return t.fw.numpy_function(lambda v: t.np.asarray(v).item().upper(), [text], t.fw.string)

    result = t.call(through_numpy, t.fw.constant(b"abc"))
    t.expect(t.host(result).item() == b"ABC", "ABC, got %s" % t.host(result))


@case("tf.numpy_function", reference="none", core=False)
def numpy_function_raises(t):
    def fail(_):
        raise KeyError("no such key")

    def through_numpy(x):
        return t.fw.numpy_function(fail, [x], t.fw.float32)

    error = t.raises((KeyError, t.fw.errors.OpError), t.call, through_numpy, t.const([1.0], "f32"))
    if "no such key" not in str(error):
        raise error


def _printed(t, function, *args, **kwargs):
    """What the call writes to the real stderr; tf.print does not go through sys.stderr."""
    path = os.path.join(t.tmpdir(), "printed")
    sys.stderr.flush()
    saved = os.dup(2)
    with open(path, "wb") as out:
        os.dup2(out.fileno(), 2)
        try:
            result = t.call(function, *args, **kwargs)
        finally:
            os.dup2(saved, 2)
            os.close(saved)
    with open(path, encoding="utf-8", errors="replace") as text:
        return result, text.read()


@case("tf.print", dtypes="f32 i32 i64 bool", core="f32 i32", reference="none")
def print_tensor(t, dtype):
    values = [True, False, True] if dtype == "bool" else [1, 2, 4]
    shown = "[1 0 1]" if dtype == "bool" else "[1 2 4]"
    _, text = _printed(t, "tf.print", "seen:", t.const(values, dtype))
    t.expect("seen: " + shown in text, "%s printed, got %r" % (shown, text[-200:]))


@case("tf.print", reference="none")
def print_options(t):
    """Long tensors are shortened to their ends; sep and end are Python's."""
    long = t.const(list(range(10)), "i32")
    _, text = _printed(t, "tf.print", long, "x", sep="|", end="<\n", summarize=2)
    t.expect("[0 1 ... 8 9]|x<" in text, "a summary, got %r" % text[-200:])


@case("tf.print", reference="none")
def print_to_file(t):
    path = os.path.join(t.tmpdir(), "out.txt")
    t.call("tf.print", t.const([3, 5], "i32"), output_stream="file://" + path)
    with open(path, encoding="utf-8") as text:
        t.expect("[3 5]" in text.read(), "the tensor in the file")


@case("tf.print", reference="none", core=False)
def print_bad_stream(t):
    t.raises(
        (ValueError, TypeError), t.call, "tf.print", t.const([1], "i32"), output_stream="nowhere"
    )


@case(
    "tf.debugging.assert_less", dtypes="f32 f16 bf16 f64 i32 i64", core="f32 i64", reference="none"
)
def assert_less(t, dtype):
    """Holds: nothing happens."""
    x = t.distinct((4, 5), dtype)
    t.call("tf.debugging.assert_less", x, x + t.const(1, dtype))


@case("tf.debugging.assert_less", dtypes="f32 i32", reference="none")
def assert_less_violated(t, dtype):
    """XLA drops assertions: a compiled program goes on."""
    x = t.distinct((4, 5), dtype)
    errors = (t.fw.errors.InvalidArgumentError,)
    error = t.raises(
        errors, t.call, "tf.debugging.assert_less", x, t.const(0, dtype), message="too large"
    )
    t.expect("too large" in str(error), "the message, got %s" % str(error)[:200])


@case("tf.debugging.assert_less", dtypes="f32", reference="none")
def assert_less_equal_values(t, dtype):
    """Equal is not less."""
    one = t.const([1.0], dtype)
    t.raises((t.fw.errors.InvalidArgumentError,), t.call, "tf.debugging.assert_less", one, one)


@case("tf.debugging.assert_less", dtypes="f32", reference="none", core=False)
def assert_less_of_nothing(t, dtype):
    empty = t.const(t.np.zeros((0,)), dtype)
    t.call("tf.debugging.assert_less", empty, empty)


@case("tf.__internal__.smart_cond.smart_cond", value=[True, False], reference="none")
def smart_cond_static(t, value):
    """A Python bool picks a branch; the other is never called."""
    called = []

    def branch(name, sign):
        called.append(name)
        return sign

    x = t.const([1.0, 2.0], "f32")

    def choose(x):
        smart_cond = t.get("tf.__internal__.smart_cond.smart_cond")
        return smart_cond(value, lambda: branch("yes", x * 2), lambda: branch("no", -x))

    result = t.host(t.call(choose, x))
    t.expect(result.tolist() == ([2.0, 4.0] if value else [-1.0, -2.0]), "the branch of %s" % value)
    t.expect(set(called) == {"yes" if value else "no"}, "one branch called, got %s" % called)


@case(
    "tf.__internal__.smart_cond.smart_cond",
    dtypes="f32",
    value=[3.0, -3.0],
    reference=right.exp_or_sin,
)
def smart_cond_tensor(t, dtype, value):
    x, sign = t.randn((4,), dtype), t.const(value, dtype)

    def choose(x, sign):
        smart_cond = t.get("tf.__internal__.smart_cond.smart_cond")
        return smart_cond(sign > 0, lambda: t.fw.exp(x), lambda: t.fw.sin(x))

    return t.call(choose, x, sign)


@case(
    "tf.dtypes.as_dtype",
    host_only=True,
    reference="none",
    kind=["float32", "bfloat16", "int64", "string", "complex64"],
)
def as_dtype(t, kind):
    made = t.call("tf.dtypes.as_dtype", kind)
    t.expect(made.name == kind and made is getattr(t.fw, kind), "tf.%s, got %r" % (kind, made))


@case("tf.dtypes.as_dtype", host_only=True, reference="none")
def as_dtype_numpy(t):
    for source, want in (
        (t.np.float32, "float32"),
        (t.np.dtype("uint8"), "uint8"),
        (bool, "bool"),
        (14, "bfloat16"),
    ):
        got = t.call("tf.dtypes.as_dtype", source)
        t.expect(got.name == want, "%s from %r, got %r" % (want, source, got))


@case("tf.dtypes.as_dtype", host_only=True, reference="none", core=False)
def as_dtype_unknown(t):
    t.raises(TypeError, t.call, "tf.dtypes.as_dtype", "float31")


@case("tf.nest.map_structure", host_only=True, reference="none")
def map_structure(t):
    tree = {"b": [1, (2, 3)], "a": 4}
    got = t.call("tf.nest.map_structure", lambda x: x * 10, tree)
    t.expect(got == {"b": [10, (20, 30)], "a": 40}, "the same structure, got %r" % (got,))


@case("tf.nest.map_structure", host_only=True, reference="none")
def map_structure_two(t):
    got = t.call("tf.nest.map_structure", lambda x, y: x - y, [5, {"k": 7}], [1, {"k": 2}])
    t.expect(got == [4, {"k": 5}], "differences, got %r" % (got,))


@case("tf.nest.map_structure", host_only=True, reference="none", core=False)
def map_structure_mismatch(t):
    add = t.get("tf.add")
    t.raises((ValueError, TypeError), t.call, "tf.nest.map_structure", add, [1, 2], [1, [2]])
    t.raises(TypeError, t.call, "tf.nest.map_structure", "not callable", [1])


@case(
    "tf.nest.map_structure",
    dtypes="f32 i32",
    core="f32",
    reference=lambda np, x, y: {"x": x * x, "y": [y * y]},
)
def map_structure_tensors(t, dtype):
    tree = {"x": t.randn((3,), dtype), "y": [t.randn((2, 2), dtype)]}
    return t.call("tf.nest.map_structure", t.fw.square, tree)


@case("tf.__internal__.nest.map_structure_up_to", host_only=True, reference="none")
def map_structure_up_to(t):
    """Below the shallow structure everything is one leaf."""
    got = t.call(
        "tf.__internal__.nest.map_structure_up_to", [None, [None]], lambda x: x, [1, [[2, 3]]]
    )
    t.expect(got == [1, [[2, 3]]], "leaves left whole, got %r" % (got,))
    named = t.call("tf.__internal__.nest.map_structure_up_to", {"a": 0}, len, {"a": [7, 8, 9]})
    t.expect(named == {"a": 3}, "three, got %r" % (named,))


@case("tf.__internal__.nest.map_structure_up_to", host_only=True, reference="none", core=False)
def map_structure_up_to_mismatch(t):
    errors = (ValueError, TypeError)
    t.raises(
        errors, t.call, "tf.__internal__.nest.map_structure_up_to", [0, 0], lambda x: x, [1, 2, 3]
    )


@case(
    "tf.Tensor.get_shape",
    host_only=True,
    reference="none",
    dtypes="f32 i64",
    shapes="3x4 scalar 0x2",
)
def get_shape(t, dtype, shape):
    got = t.call("tf.Tensor.get_shape", t.randn(shape, dtype))
    t.expect(isinstance(got, t.fw.TensorShape) and tuple(got) == shape, "%s, got %r" % (shape, got))


@case("tf.Tensor.get_shape", host_only=True, reference="none")
def get_shape_symbolic(t):
    with t.fw.Graph().as_default():
        made = t.fw.compat.v1.placeholder(t.fw.float32, [None, 3])
        got = t.call("tf.Tensor.get_shape", made)
    t.expect(got.as_list() == [None, 3], "an unknown first dimension, got %r" % got)


@case("tf.test.TestCase.assertEqual", host_only=True, reference="none")
def test_case_equal(t):
    class Check(t.fw.test.TestCase):
        def runTest(self):
            pass

    check = Check()
    t.call(check.assertEqual, [1, (2, "x")], [1, (2, "x")])
    t.raises(AssertionError, check.assertEqual, 1, 2)
    check.assertAllEqual(t.const([1, 2], "i32"), [1, 2])


@case(
    "tf.distribute.InputContext.get_per_replica_batch_size",
    host_only=True,
    reference="none",
    pipelines=[1, 4],
)
def per_replica_batch_size(t, pipelines):
    context = t.fw.distribute.InputContext(num_input_pipelines=pipelines, num_replicas_in_sync=4)
    got = t.call("tf.distribute.InputContext.get_per_replica_batch_size", context, 32)
    t.expect(got == 8, "32 / 4 = 8, got %r" % got)


@case(
    "tf.distribute.InputContext.get_per_replica_batch_size",
    host_only=True,
    reference="none",
    core=False,
)
def per_replica_batch_size_uneven(t):
    context = t.fw.distribute.InputContext(num_input_pipelines=1, num_replicas_in_sync=3)
    t.raises(
        ValueError, t.call, "tf.distribute.InputContext.get_per_replica_batch_size", context, 32
    )
