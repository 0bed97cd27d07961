"""TensorFlow's operators: which a call makes. For which devices a wheel registers kernels of them stands in
data/declared: the wheel at hand knows only the devices that it was built for."""

import contextlib


@contextlib.contextmanager
def record(seen):
    """Adds every op to `seen` that runs eagerly or is put into a graph; not the calls of the graphs' functions,
    whose ops were seen when they were traced."""
    from tensorflow.python.framework import op_callbacks, op_def_registry

    def callback(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        if op_def_registry.get(name) is not None:  # else a function of the call itself
            seen.add(name)

    op_callbacks.add_op_callback(callback)
    try:
        yield
    finally:
        op_callbacks.remove_op_callback(callback)
