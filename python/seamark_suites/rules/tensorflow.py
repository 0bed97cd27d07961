"""TensorFlow: what XLA does not compile, and what was for one device."""

from seamark_suites.rules import called
from seamark_suites.rules import rule as any_rule


def rule(number):
    return any_rule("tf", number)


@rule("DEV19")
def device_is_named(t, way):
    import tensorflow as tf

    x = t.randn((2, 2), "f32")

    def habit():
        with tf.device("/GPU:0"):
            return tf.matmul(x, x)

    return called(t, way, habit, lambda: tf.matmul(x, x))


@rule("CMP15")
def python_is_called(t, way):
    import tensorflow as tf

    @tf.function
    def habit(x):
        return tf.numpy_function(lambda values: values * 2, [x], x.dtype)

    return called(t, way, habit, lambda x: x * 2, t.randn((3,), "f32"))


@rule("CMP17")
def seed_of_a_random_operation(t, way):
    """The same seeds twice, the same numbers twice."""
    import tensorflow as tf

    def drawn():
        @tf.function
        def habit():
            return tf.random.uniform([4], seed=7)

        @tf.function
        def fix():
            return tf.random.stateless_uniform([4], seed=[1, 7])

        tf.random.set_seed(1)
        return t.host(called(t, way, habit, fix))

    t.expect(bool((drawn() == drawn()).all()), "the same numbers from the same seed")


@rule("CMP19")
def graph_prints(t, way):
    import tensorflow as tf

    @tf.function
    def habit(x):
        tf.print("of the step:", x)
        return x * 2

    @tf.function
    def fix(x):
        return x * 2

    made = called(t, way, habit, fix, t.randn((3,), "f32"))
    if way == "fix":
        tf.print("of the step:", made)
    return made


@rule("CMP20")
def contrib_of_tensorflow_1(t, way):
    def habit(x):
        from tensorflow.contrib import layers

        return layers.flatten(x)

    def fix(x):
        import tensorflow as tf

        return tf.reshape(x, [x.shape[0], -1]) * 2

    return called(t, way, habit, fix, t.randn((2, 3, 2), "f32"))


@rule("DYN13")
def as_many_elements_as_values_say(t, way):
    """How often each number is there: of those that are there, or of all that could be."""
    import tensorflow as tf

    @tf.function
    def habit(x):
        return tf.unique_with_counts(x).count * 2

    @tf.function
    def fix(x):
        return tf.reduce_sum(tf.one_hot(x, 4, dtype=tf.int32), 0) * 2

    return called(t, way, habit, fix, t.const([0, 1, 1, 3], "i32"))


@rule("DYN14")
def loop_without_a_bound(t, way):
    import tensorflow as tf

    def goes_on(i, x, y):
        return i < 3

    def turn(i, x, y):
        return i + 1, x, y * x

    @tf.function
    def habit(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            total = tf.reduce_sum(tf.while_loop(goes_on, turn, (0, x, x))[2])
        return tape.gradient(total, x)

    @tf.function
    def fix(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loop = tf.while_loop(goes_on, turn, (0, x, x), maximum_iterations=3)
            total = tf.reduce_sum(loop[2])
        return tape.gradient(total, x)

    return called(t, way, habit, fix, t.randn((3,), "f32"))


@rule("DYN15")
def array_that_grows(t, way):
    import tensorflow as tf

    def filled(array, x):
        for i in range(3):
            array = array.write(i, x[i] * 2)
        return array.stack()

    def habit(x):
        return filled(tf.TensorArray(tf.float32, size=0, dynamic_size=True), x)

    def fix(x):
        return filled(tf.TensorArray(tf.float32, size=3), x)

    made = called(t, way, habit, fix, t.const([1.0, -2.0, 3.0], "f32"))
    t.expect(t.host(made).tolist() == [2, -4, 6], "what was written, got %s" % t.host(made))
    return made


@rule("DYN22")
def returns_an_array(t, way):
    import tensorflow as tf

    @tf.function(jit_compile=True)
    def habit(x):
        array = tf.TensorArray(tf.float32, size=3)
        array = array.unstack(x * 2)
        return array

    @tf.function(jit_compile=True)
    def fix(x):
        array = tf.TensorArray(tf.float32, size=3)
        array = array.unstack(x * 2)
        return array.stack()

    return called(t, way, habit, fix, t.randn((3,), "f32"))
