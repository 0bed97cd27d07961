"""Where TensorFlow really ran: the graphs it made, by device, and values that Python read."""

import contextlib
import sys

from .. import device_work
from ..base import no_threads
from .ops import CALLS, PASSIVE

NOTHING = "TensorFlow recorded no op that computes"

_KERNELS = ("_Mkl", "_Fused")


def _computes(op):
    return op not in PASSIVE and (not op.startswith("_") or op.startswith(_KERNELS))


@contextlib.contextmanager
def placements(tf, target, proof, graphs):
    """Notes every op that a kernel away from `target` ("GPU:0") computed; fills `graphs` with what ran.

    Each eager op and function becomes a small graph with the device of every node; the run metadata
    records them. A kernel that is cached already would be missed, so the cache is emptied first.
    """
    from tensorflow.python.eager import context

    running = context.context()
    running.clear_kernel_cache()
    running.enable_run_metadata()
    running.export_run_metadata()  # drops what was gathered before
    try:
        with session_graphs(tf, graphs):
            yield
    finally:
        # A session records the call of a function, not what ran within.
        hidden = [node.op for graph in graphs for node in graph.node if node.op in CALLS]
        graphs.extend(running.export_run_metadata().partition_graphs)
        running.disable_run_metadata()
    for graph in graphs:
        for node in graph.node:
            if _computes(node.op) and node.device and not node.device.endswith("/device:" + target):
                proof.fallback_ops.append(node.op)
    computed = any(_computes(node.op) for graph in graphs for node in graph.node)
    proof.on_device = computed
    if not computed and not proof.fallback_ops:
        proof.note = NOTHING
    if hidden and target != "CPU:0" and not proof.fallback_ops:
        proof.doubt("a session does not tell where the body of a %s ran" % hidden[0])


@contextlib.contextmanager
def eager_work(tf, proof, ramps):
    """Fills Proof.work from the operations that run one by one. Tensors are numbered as they are made: an
    operation depends on an input when it takes one that is older than the call. `ramps`: true while the weights
    of a gradient are made."""
    from tensorflow.python.framework import op_callbacks, ops
    from tensorflow.python.ops import script_ops

    begin, older, found, sessions = ops.uid(), set(), [], []

    def noted(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        kind = device_work.tensorflow_kind(name)
        if kind == device_work.DRAW:
            found.append(True)
        if proof.read and kind == device_work.OPERATION and not ramps:
            proof.doubt("a number was read from the device before %s ran" % name)
        numbers = [getattr(one, "_id", begin) for one in inputs]
        if ramps or not any(number < begin or number in older for number in numbers):
            return
        if kind == device_work.NAME:
            older.update(one._id for one in outputs)
        elif kind == device_work.OPERATION:
            found.append(True)

    op_callbacks.add_op_callback(noted)
    try:
        python = _watched(script_ops, "py_func_common", lambda: found.append(True))
        session = tf.compat.v1.Session.__mro__[1]  # where _run is defined
        with python, _watched(session, "_run", lambda: sessions.append(True)):
            yield
    finally:
        op_callbacks.remove_op_callback(noted)
    # A session runs operations that were made before, and a read by the host is no operation: nobody knows.
    unknown = sessions or "EagerTensor.numpy" in proof.fallback_ops
    proof.work = bool(found) or (None if unknown else False)


@contextlib.contextmanager
def no_eager_work(proof):
    """While a call is traced: what runs at once (tf.init_scope) on tensors that were there is none of the program's,
    nor is what another thread does, or Python with the values of such a tensor."""
    if proof is None:
        yield
        return
    from tensorflow.python.framework import op_callbacks, ops

    def read(tensor, caller):
        if not caller.startswith("tensorflow."):  # which makes a constant of a small one
            proof.doubt("Python read a tensor while the call was traced")

    begin = ops.uid()

    def noted(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        if graph is not None or device_work.tensorflow_kind(name) != device_work.OPERATION:
            return
        if any(getattr(one, "_id", begin) < begin for one in inputs):
            proof.doubt("%s ran on its own while the call was traced" % name)

    op_callbacks.add_op_callback(noted)
    try:
        with no_threads(proof), _watched_reads(ops, read):
            yield
    finally:
        op_callbacks.remove_op_callback(noted)


@contextlib.contextmanager
def session_graphs(tf, graphs):
    """A v1 session keeps its own record, for runs that ask for one; here each run asks.

    Session._run is where a bound session.run, taken before the proof began, comes by as well.
    """
    from tensorflow.python.client import pywrap_tf_session as native

    v1 = tf.compat.v1
    owner = v1.Session.__mro__[1]  # where _run is defined
    original = getattr(owner, "_run", None)
    if original is None:
        yield
        return
    asked = v1.RunOptions(output_partition_graphs=True).SerializeToString()

    def recorded(self, handle, fetches, feed_dict, options, run_metadata):
        if options is not None or run_metadata is not None:
            return original(self, handle, fetches, feed_dict, options, run_metadata)
        want, got = native.TF_NewBufferFromString(asked), native.TF_NewBuffer()
        try:
            result = original(self, handle, fetches, feed_dict, want, got)
            metadata = v1.RunMetadata.FromString(bytes(native.TF_GetBuffer(got)))
            graphs.extend(metadata.partition_graphs)
            return result
        finally:
            native.TF_DeleteBuffer(want)
            native.TF_DeleteBuffer(got)

    owner._run = recorded
    try:
        yield
    finally:
        owner._run = original


@contextlib.contextmanager
def host_work(proof, kind):
    """Notes functions of Python's that a program calls (tf.numpy_function), and tensors that Python reads.

    A scalar read is a synchronization, of which what follows may make use. The harness's own reads (t.host) pass
    through `harness_reads` and do not count. `kind`: the device's; None where reading is no way off the device.
    """
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import script_ops

    def noted():
        proof.fallback_ops.append("PyFunc")

    reads = contextlib.nullcontext() if kind is None else _reads(ops, proof, kind)
    with _watched(script_ops, "py_func_common", noted), _watched(
        script_ops, "_internal_py_func", noted
    ), reads:
        yield


@contextlib.contextmanager
def _watched(module, name, note):
    """Calls note() before each call of module.name, where this TensorFlow has such a function."""
    original = getattr(module, name, None)

    def watched(*args, **kwargs):
        note()
        return original(*args, **kwargs)

    if original is not None:
        setattr(module, name, watched)
    try:
        yield
    finally:
        if original is not None:
            setattr(module, name, original)


def _reads(ops, proof, kind):
    def noted(tensor, caller):
        if _harness_reading or tensor.dtype.name == "string":
            return
        if "device:" + kind not in tensor.backing_device:
            return
        if tensor._num_elements() > 1:
            proof.fallback_ops.append("EagerTensor.numpy")
        elif not tensor.dtype.is_bool:  # a decision
            proof.read = True

    return _watched_reads(ops, noted)


@contextlib.contextmanager
def _watched_reads(ops, note):
    """Calls note(tensor, the name of the module that asks) before Python reads an eager tensor."""
    owner = getattr(ops, "_EagerTensorBase", None)
    if owner is None or not hasattr(owner, "_numpy"):
        yield
        return
    original = owner._numpy

    def noted(self):
        caller = sys._getframe(1)
        while caller.f_globals is vars(ops):
            caller = caller.f_back
        note(self, caller.f_globals.get("__name__", ""))
        return original(self)

    owner._numpy = noted
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
