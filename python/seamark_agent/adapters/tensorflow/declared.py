"""TensorFlow's operators: which a call makes. For which devices a wheel registers kernels of them stands in
data/declared: the wheel at hand knows only the devices that it was built for."""

import contextlib

from ..base import unrecorded_ramp
from . import trees
from .proof import session_graphs


@contextlib.contextmanager
def record(tf, seen):
    """Adds every op with its data types ("AddV2 T=float32") to `seen` that runs eagerly, is put into a graph, or is run
    by a session; not the calls of the graphs' functions, whose ops were seen when they were traced."""
    from tensorflow.python.framework import op_callbacks, op_def_registry

    def typed(name, attrs):
        """Of attrs {name: value} those that are one data type."""
        of_types = [one.name for one in op_def_registry.get(name).attr if one.type == "type"]
        said = ["%s=%s" % (one, _type_name(tf, attrs[one])) for one in of_types if one in attrs]
        return " ".join([name, *sorted(said)])

    def callback(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        if ours:
            return
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        if op_def_registry.get(name) is not None:  # else a function of the call itself
            pairs = zip(attrs[::2], attrs[1::2]) if attrs else ()
            seen.add(typed(name, {_text(key): value for key, value in pairs}))

    graphs = []
    with unrecorded_ramp(trees) as ours:
        op_callbacks.add_op_callback(callback)
        try:
            with session_graphs(tf, graphs):
                yield
        finally:
            op_callbacks.remove_op_callback(callback)
            for graph in graphs:  # of the ops that begin so, the runtime makes the most
                for node in graph.node:
                    if op_def_registry.get(node.op) is not None and not node.op.startswith("_"):
                        seen.add(typed(node.op, node.attr))


def _text(value):
    return value.decode() if isinstance(value, bytes) else value


def _type_name(tf, value):
    """float32, of a DType, its number, or an attribute that holds one."""
    return tf.dtypes.as_dtype(getattr(value, "type", value)).base_dtype.name
