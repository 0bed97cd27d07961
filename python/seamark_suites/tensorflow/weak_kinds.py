"""Where NumPy's behaviour is switched on: numbers of Python have no width of their own, and kinds that differ meet in one."""

import json
import math
import os
import subprocess
import sys

from seamark_suites.case import each

# What each function is asked, and what it must give: values, the kind, and that beside f16, or i8 for whole numbers.
_HEAD = (
    "import importlib, json\n"
    "tf = importlib.import_module('tensorflow')\n"
    "np = importlib.import_module('numpy')\n"
    "switch = tf.experimental.numpy.experimental_enable_numpy_behavior\n"
    "switch(dtype_conversion_mode='all')\n"
    "c, seen = tf.constant, []\n"
    "def look(x):\n"
    "    narrow = c(1, tf.float16 if x.dtype.is_floating else tf.int8)\n"
    "    seen.append([x.numpy().tolist(), x.dtype.name, (x + narrow).dtype.name])\n"
)
_ALONE = (
    "f = lambda x: {0}\n"
    "look(f({1}))\n"
    "look(f(c({1})))\n"
    "look(f(c({1}, tf.float32)))\n"
    "look(f(np.array({1}, np.float32)))\n"
    "look(f(f({2})))\n"
)
_PAIRS = (
    "f = {0}\n"
    "pairs = [(c([1.0, 2.0], tf.float16), 1.5), (c([1, 2], tf.int32), c([1.5, 0.5], tf.float32)), (c([1, 2], tf.int8), 1.5),\n"
    "         (c([1, 2], tf.int64), c([1.0, 2.0], tf.float16)), (c([200, 2], tf.uint8), c([-56, 5], tf.int8)),\n"
    "         (c([True, False]), c([3, 0], tf.int32)), (c([0.5, 1], tf.float32), c([1.0, 0], tf.float64))]\n"
    "for x, y in pairs:\n"
    "    for a, b in ((x, y), (y, x)):\n"
    "        made = f(a, b)\n"
    "        seen.append([made.numpy().tolist(), made.dtype.name])\n"
    "switch(dtype_conversion_mode='safe')\n"
    "made = f(*pairs[0])\n"
    "seen.append([made.numpy().tolist(), made.dtype.name])\n"
    "for x, y in (pairs[1], pairs[2]):\n"
    "    try: seen.append(f(x, y).dtype.name)\n"
    "    except TypeError: seen.append('refused')\n"
)
_FORMS = {
    "tf.sqrt": ("tf.sqrt(x)", lambda x: [[value**0.5 for value in x[0]]]),
    "tf.identity": ("tf.identity(x)", lambda x: x),
    "tf.reduce_max": ("tf.reduce_max(x, keepdims=True)", lambda x: [[max(x[0])]]),
    "tf.expand_dims": ("tf.expand_dims(x, 0)", lambda x: [x]),
    "tf.compat.v1.transpose": ("tf.compat.v1.transpose(x)", lambda x: [list(row) for row in zip(*x)]),
    "tf.compat.v1.to_float": ("tf.compat.v1.to_float(x)", lambda x: x),
    "tf.transpose": ("tf.transpose(x)", lambda x: [list(row) for row in zip(*x)]),
    "tf.reduce_sum": ("tf.reduce_sum(x, keepdims=True)", lambda x: [[sum(x[0])]]),
    "tf.reduce_mean": ("tf.reduce_mean(x, keepdims=True)", lambda x: [[sum(x[0]) / len(x[0])]]),
    "tf.exp": ("tf.exp(x)", lambda x: [[math.exp(value) for value in x[0]]]),
    "tf.math.log": ("tf.math.log(x)", lambda x: [[math.log(value) for value in x[0]]]),
    "tf.square": ("tf.square(x)", lambda x: [[value**2 for value in x[0]]]),
}  # fmt: skip
_MET = ["float16", "float32", "float64", "float16", "int16", "int32", "float64"]
_GREATER = [[1.5, 2.0], [1.5, 2.0], [1.5, 2.0], [1.0, 2.0], [200, 5], [3, 0], [1.0, 1.0]]
_SAME = [[False, False], [False, False], [False, False], [True, True], [False, False], [False, True], [False, False]]  # fmt: skip


def _run(t, function, source):
    """What the source saw, in a process of its own: the switch is one for all."""

    def run():
        done = subprocess.run(
            [sys.executable, "-c", _HEAD + source + "print('SEEN', json.dumps(seen))\n"],
            stdout=subprocess.PIPE,
            env=dict(os.environ, CUDA_VISIBLE_DEVICES="-1"),
        )
        return [line[5:] for line in done.stdout.decode().split("\n") if line.startswith("SEEN ")]

    t.expect(callable(t.get(function)), "a function")
    said = t.call(run)
    t.expect(len(said) == 1, "its end, got %s" % said)
    return json.loads(said[0])


@each(list(_FORMS), core=False, host_only=True, timeout_s=120)
def of_weak_numbers(t, function):
    """Lists and constants without a kind stay so; tensors and arrays of a kind keep theirs; so does what is made of them.
    A cast gives its kind to all."""
    form, wanted = _FORMS[function]
    values, deep = ([[0.5, 1.0]],) * 2 if function == "tf.exp" else ([[4.0, 9.0]], [[16.0, 81.0]])
    got = _run(t, function, _ALONE.format(form, values, deep))
    weak = "float32" if function.endswith("to_float") else "float16"
    want = [[wanted(values), "float32", kind] for kind in (weak, weak, "float32", "float32")]
    want.append([wanted(wanted(deep)), "float32", weak])
    kinds = [one[1:] for one in got] == [one[1:] for one in want]
    pairs = [(t.np.array(one[0]), t.np.array(other[0])) for one, other in zip(got, want)]
    near = all(a.shape == b.shape and t.np.allclose(a, b, rtol=1e-6, atol=0) for a, b in pairs)
    t.expect(kinds and near, "%s, got %s" % (want, got))


@each("tf.maximum tf.equal", core=False, host_only=True, timeout_s=120)
def two_kinds_meet(t, function):
    """Halves, whole numbers and numbers of Python, either way round, signs beside none; what loses digits is refused
    where that is not safe."""
    got = _run(t, function, _PAIRS.format(function))
    most = function == "tf.maximum"
    values = _GREATER if most else _SAME
    want = [[value, kind if most else "bool"] for value, kind in zip(values, _MET) for _ in range(2)]  # fmt: skip
    want += [want[0], "refused", "refused"]
    t.expect(got == want, "%s, got %s" % (want, got))
