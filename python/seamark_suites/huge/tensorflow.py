"""TensorFlow beyond 2^31 elements."""

from seamark_suites.case import case

from . import FAR, MARKS, SIZE, same


def marked(t):
    """Zeros, but for three places."""
    values = t.np.zeros(SIZE, t.np.uint8)
    for number, place in enumerate(MARKS):
        values[place] = number + 1
    return t.fw.constant(values)


@case("tf.argmax", reference="none", core=False)
def largest(t):
    same(t, t.call("tf.argmax", marked(t), output_type=t.fw.int64), [MARKS[-1]])


@case("tf.gather", reference="none", core=False)
def picked(t):
    index = t.const([MARKS[2], 0, MARKS[1], MARKS[0]], "i64")
    same(t, t.call("tf.gather", marked(t), index), [3, 0, 2, 1])


@case("tf.slice", reference="none", core=False)
def part(t):
    begin, size = t.const([FAR], "i64"), t.const([9], "i64")
    same(t, t.call("tf.slice", marked(t), begin, size), [0] * 7 + [3, 0])


@case("tf.reduce_max", reference="none", core=False)
def largest_value(t):
    same(t, t.call("tf.reduce_max", marked(t)), [3])


@case("tf.size", reference="none", core=False)
@case("tf.shape", reference="none", core=False)
def counted(t, function):
    same(t, t.call(function, marked(t), out_type=t.fw.int64), [SIZE])
