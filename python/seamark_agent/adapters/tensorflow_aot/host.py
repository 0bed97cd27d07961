"""Operations of a traced graph that no device computes: strings, datasets, lookup tables, Python."""

from ..tensorflow.ops import CALLS, IDLE, PASSIVE

_HOST_NAMES = ("Dataset", "Iterator", "LookupTable", "HashTable", "PyFunc")
MAX_NAMED = 4


def host_only(tf, graph):
    """Names of the graph's operations (some of them) when every one that computes, or where none does
    every one that makes or hands on a value, stays on the host."""
    active, passive = [], []
    for op in _operations(graph):
        if op.type not in CALLS:
            (passive if op.type in PASSIVE else active).append(op)
    considered = active or [op for op in passive if op.inputs or op.outputs]
    if not all(_on_host(tf, op) for op in considered):
        return []
    return sorted({op.type for op in considered})[:MAX_NAMED]


def computing(concrete):
    """Whether the program does more than to hand on its inputs: computes, or makes a constant."""
    types = [op.type for op in _operations(concrete.graph)]
    if any(name not in PASSIVE for name in types):
        return True
    return bool(concrete.outputs) and any(name not in IDLE for name in types)


def _operations(graph, seen=None):
    """The operations of the graph and of the functions that it calls, each once."""
    seen = set() if seen is None else seen
    if id(graph) in seen:
        return
    seen.add(id(graph))
    for op in graph.get_operations():
        yield op
    for function in getattr(graph, "_functions", {}).values():
        inner = getattr(function, "graph", None)
        if inner is not None:
            for op in _operations(inner, seen):
                yield op


def _on_host(tf, op):
    if any(word in op.type for word in _HOST_NAMES):
        return True
    return any(
        tensor.dtype.base_dtype == tf.string for tensor in list(op.inputs) + list(op.outputs)
    )
