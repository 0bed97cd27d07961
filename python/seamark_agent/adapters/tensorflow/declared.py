"""TensorFlow's operators: which a call makes. For which devices a wheel registers kernels of them stands in
data/declared: the wheel at hand knows only the devices that it was built for."""

import contextlib

from ..base import unrecorded_ramp
from . import trees
from .proof import session_graphs


@contextlib.contextmanager
def record(tf, seen):
    """Adds every op to `seen` that runs eagerly, is put into a graph, or is run by a session; not the calls of
    the graphs' functions, whose ops were seen when they were traced."""
    from tensorflow.python.framework import op_callbacks, op_def_registry

    def callback(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        if ours:
            return
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        if op_def_registry.get(name) is not None:  # else a function of the call itself
            seen.add(name)

    graphs = []
    with unrecorded_ramp(trees) as ours:
        op_callbacks.add_op_callback(callback)
        try:
            with session_graphs(tf, graphs):
                yield
        finally:
            op_callbacks.remove_op_callback(callback)
            for graph in graphs:  # of the ops that begin so, the runtime makes the most
                seen.update(node.op for node in graph.node if not node.op.startswith("_"))
