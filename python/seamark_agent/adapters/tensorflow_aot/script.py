"""The first and last lines of a reproducer whose TensorFlow program is compiled for a device that is not here."""

FIRST = """import os

os.environ["JAX_PLATFORMS"] = "cpu"
for name, value in dict(%(quiet)r, ALLOW_MULTIPLE_LIBTPU_LOAD="1", TPU_SKIP_MDS_QUERY="1",
                        TPU_WORKER_HOSTNAMES="localhost").items():
    os.environ.setdefault(name, value)
"""

LAST = '''

def run_call(function, args, kwargs, grad):
    """Compiles the call for a device that is not here and prints what the compiler says."""
    from jax.experimental import topologies

    def arrays(*args, **kwargs):
        return arrays_of(function(*args, **kwargs))

    program, inputs = traced(arrays, args, kwargs, grad)
    program = tf.function(program, jit_compile=True, autograph=False)
    lowered = Lowered(program.experimental_get_compiler_ir(*inputs)(stage="stablehlo"))
    compiled = lowered.compile(topologies.get_topology_desc(**%(description)r).devices[0])
    print(compiled.cost_analysis())
    print(compiled.memory_analysis())
    return run_on_cpu(function, args, kwargs, grad)
'''
