"""Where TensorFlow really ran: the graphs it instantiated, by device, and values that Python read."""

import contextlib

# What moves or names values and computes nothing.
_PASSIVE = ("NoOp", "Const", "Identity", "IdentityN", "Placeholder", "ReadVariableOp", "VarHandleOp")
_KERNELS = ("_Mkl", "_Fused")


def _computes(op):
    return op not in _PASSIVE and (not op.startswith("_") or op.startswith(_KERNELS))


@contextlib.contextmanager
def placements(tf, target, proof):
    """Notes every op that a kernel away from `target` ("GPU:0") computed.

    Each eager op and function is instantiated as a small graph with the device of every node; the run
    metadata records them. A kernel that is cached already would not be, so the cache is emptied first.
    """
    from tensorflow.python.eager import context

    running = context.context()
    running.clear_kernel_cache()
    running.enable_run_metadata()
    try:
        yield
    finally:
        metadata = running.export_run_metadata()
        running.disable_run_metadata()
    seen = 0
    for graph in metadata.partition_graphs:
        for node in graph.node:
            if not _computes(node.op):
                continue
            seen += 1
            if node.device and not node.device.endswith("/device:" + target):
                proof.fallback_ops.append(node.op)
    if not seen:
        proof.note = "TensorFlow recorded no op"


@contextlib.contextmanager
def host_reads(proof, kind):
    """Notes values that Python reads while a call runs: numpy_function computes on the host so.

    A scalar is a synchronization. Reads by the harness itself (t.host) come after the call and are not
    marked: they pass through `harness_reads`.
    """
    from tensorflow.python.framework import ops

    owner = getattr(ops, "_EagerTensorBase", None)
    if owner is None or not hasattr(owner, "_numpy"):
        yield
        return
    original = owner._numpy

    def counted(self):
        if not _harness_reading and self.dtype.name != "string" and self._num_elements() > 1:
            if ("device:" + kind) in self.backing_device:
                proof.fallback_ops.append("EagerTensor.numpy")
        return original(self)

    owner._numpy = counted
    try:
        yield
    finally:
        owner._numpy = original


_harness_reading = []


@contextlib.contextmanager
def harness_reads():
    """Reads within are the harness's own."""
    _harness_reading.append(True)
    try:
        yield
    finally:
        _harness_reading.pop()
