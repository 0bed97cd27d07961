"""What a standalone reproducer of a TensorFlow case starts with."""

# straight.py
STRAIGHT = {
    "setup": "import tensorflow as tf\n\ntf.config.set_soft_device_placement(%r)",
    "first": ["tf.device(device).__enter__()"],
    "tensor": "tf.constant(np.asarray(%s).astype(%s.as_numpy_dtype))",
    "placed": "tf.cast(%s, %s)",
    "there": "%s",
    "grad": "",
    "dtypes": "tf.%s",
    "call": "%(function)s(%(arguments)s)",
    "compiled_call": "compiled(lambda %(arrays)s: %(function)s(%(arguments)s))(%(arrays)s)",
    "gradient_is_compiled": True,
    "gradient": [  # weights from 0.5 to 1.5: with equal ones the gradient of softmax is zero
        "with tf.GradientTape(watch_accessed_variables=False) as tape:",
        "    tape.watch(%(inputs)s)",
        "    %(result)s = %(call)s",
        "results = [one for one in tf.nest.flatten(%(result)s) if one.dtype.is_floating or one.dtype.is_complex]",
        "weights = [tf.cast(0.5 + np.arange(one.shape.num_elements()).reshape(one.shape) %% 9 / 8, one.dtype) for one in results]",
        "%(gradients)s = [tf.convert_to_tensor(one) for one in tape.gradient(results, %(inputs)s, weights)]",
    ],
    "cpu": '"CPU:0"',
    "seed": "tf.random.set_seed(%d)",
    "leaves": "tf.nest.flatten(%s, expand_composites=True)",
}

SCRIPT = """import importlib
import tensorflow as tf

importlib.import_module("%(import)s")
DEVICE, JIT = "%(device)s", %(jit)r
tf.config.set_soft_device_placement(%(soft)r)
NAMES = %(names)r
DIFFERENTIABLE = []


%(carried)s

def DTYPE(name):
    return tf.dtypes.as_dtype(NAMES.get(name, name))


def lookup(name):
    return look_up(tf, name)


def from_numpy(array, dtype, grad=False, noncontiguous=False):
    with tf.device(DEVICE):
        made = tf.constant(array.astype(DTYPE(dtype).as_numpy_dtype))
    if grad:
        DIFFERENTIABLE.append(made)
    return made


def to_numpy(array):
    values = np.asarray(array.numpy())
    return values.astype(np.float64) if array.dtype.is_floating else values


def construct(factory, args, kwargs, dtype, draw):
    build = kwargs.pop("build_shape", None)
    made = factory(*args, **kwargs)
    if build is not None:
        made.build(build)
    if isinstance(made, tf.keras.layers.Layer):
        for variable in made.trainable_variables:
            variable.assign(tf.cast(from_numpy(draw(tuple(variable.shape)), dtype), variable.dtype))
    return made


def arrays_of(tree):
    return [x for x in tf.nest.flatten(tree, expand_composites=True) if isinstance(x, tf.Tensor)]


def traced(function, args, kwargs, grad):
    arrays = []
    slots = lift(tf, (args, kwargs), arrays)
    marked = [i for i, x in enumerate(arrays) if any(x is made for made in DIFFERENTIABLE)]

    def program(*values):
        args, kwargs = put_back(tf, slots, values)
        if grad:
            inputs = [values[i] for i in marked]
            result = differentiate(tf, function, args, kwargs, inputs, arrays_of)
        else:
            result = function(*args, **kwargs)
        return without_operations(tf, result)

    return program, arrays


def run_call(function, args, kwargs, grad):
    program, arrays = traced(function, args, kwargs, grad)
    with tf.device(DEVICE):
        if JIT:
            program = tf.function(program, jit_compile=True, autograph=False)
        return program(*arrays)
"""

PLAIN_CALL = """def run_call(function, args, kwargs, grad):
    with tf.device(DEVICE):
        return function(*args, **kwargs)
"""
