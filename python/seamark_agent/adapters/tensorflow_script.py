"""What a standalone reproducer of a TensorFlow case starts with."""

SCRIPT = """import importlib
import tensorflow as tf

importlib.import_module("%(import)s")
DEVICE, JIT = "%(device)s", %(jit)r
tf.config.set_soft_device_placement(%(soft)r)
NAMES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
         "c64": "complex64", "c128": "complex128", "i8": "int8", "i16": "int16",
         "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
         "u64": "uint64", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}
DIFFERENTIABLE = []


def DTYPE(name):
    return tf.dtypes.as_dtype(NAMES.get(name, name))


def lookup(name):
    found = tf
    for index, part in enumerate(name.split(".")[1:], 2):
        found = getattr(found, part)
    return found


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


def ramp(x):
    weights = 0.5 + tf.cast(tf.range(tf.size(x)) %% 9, tf.float32) / 8.0
    return tf.cast(tf.reshape(weights, tf.shape(x)), x.dtype)


def run_call(function, args, kwargs, grad):
    def leaves(tree):
        return tf.nest.flatten(tree, expand_composites=True)

    tensors = [x for x in leaves([args, kwargs]) if tf.is_tensor(x)]
    inputs = [x for x in tensors if any(x is known for known in DIFFERENTIABLE)]

    def forward(args, kwargs, inputs):
        if not grad:
            return function(*args, **kwargs)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            result = function(*args, **kwargs)
            outputs = [x for x in leaves(result) if tf.is_tensor(x)]
            outputs = [x for x in outputs if x.dtype.is_floating or x.dtype.is_complex]
        gradients = tape.gradient(
            outputs,
            inputs,
            output_gradients=[ramp(x) for x in outputs],
            unconnected_gradients="zero",
        )
        return result, gradients

    def traced(*values):
        order = [i for i, x in enumerate(flat) if tf.is_tensor(x)]
        filled = list(flat)
        for index, value in zip(order, values):
            filled[index] = value
        args_, kwargs_ = tf.nest.pack_sequence_as([args, kwargs], filled, expand_composites=True)
        known = [any(x is one for one in DIFFERENTIABLE) for x in tensors]
        wanted = [value for value, is_input in zip(values, known) if is_input]
        result = forward(args_, kwargs_, wanted)
        return None if isinstance(result, tf.Operation) else result

    flat = leaves([args, kwargs])
    with tf.device(DEVICE):
        if JIT:
            return tf.function(traced, jit_compile=True, autograph=False)(*tensors)
        return forward(args, kwargs, inputs)
"""

# Around it, where the program is compiled for a device that is not here.
AHEAD_FIRST = """import os

os.environ["JAX_PLATFORMS"] = "cpu"
for name, value in dict(%(quiet)r, ALLOW_MULTIPLE_LIBTPU_LOAD="1", TPU_SKIP_MDS_QUERY="1",
                        TPU_WORKER_HOSTNAMES="localhost").items():
    os.environ.setdefault(name, value)
"""

AHEAD = '''

def run_call(function, args, kwargs, grad):
    """Compiles the call for a device that is not here and prints what the compiler says."""
    import re

    from jax._src import compiler
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir
    from jax.experimental import topologies

    flat = tf.nest.flatten([args, kwargs], expand_composites=True)
    where = [
        i
        for i, x in enumerate(flat)
        if tf.is_tensor(x) and not isinstance(x, tf.Variable) and x.dtype != tf.string
    ]

    def program(*values):
        filled = list(flat)
        for index, value in zip(where, values):
            filled[index] = value
            if any(flat[index] is known for known in DIFFERENTIABLE):
                DIFFERENTIABLE.append(value)
        packed = tf.nest.pack_sequence_as([args, kwargs], filled, expand_composites=True)
        found = tf.nest.flatten(run_here(function, *packed, grad), expand_composites=True)
        return [x for x in found if tf.is_tensor(x)]

    traced = tf.function(program, jit_compile=True, autograph=False)
    text = traced.experimental_get_compiler_ir(*[flat[i] for i in where])(stage="stablehlo")
    text = re.sub(r"%(copy)s", r"%(reshape)s", text, flags=re.M)  # HLO's copy changes no value
    device = topologies.get_topology_desc(**%(description)r).devices[0]
    options = compiler.get_compile_options(
        1, 1, device_assignment=np.array([[device]]), backend=device.client
    )
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        made = compiler.backend_compile_and_load(
            device.client, module, xla_client.DeviceList((device,)), options, []
        )
    print(made.cost_analysis())
    print(made.get_compiled_memory_stats())
    return run_here(function, args, kwargs, grad)
'''
