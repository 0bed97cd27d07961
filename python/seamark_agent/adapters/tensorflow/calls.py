"""Calls that tf.function traces, or that a session runs from a v1 graph."""

import contextlib

from ...harness import Skip
from .proof import harness_reads, no_eager_work
from .trees import dense, lift, put_back, ramp, without_operations


def traced_function(adapter, function, args, kwargs, grad):
    """(tf.function, tensors): the call as a function of its tensors.

    Tensors are arguments: a small one that is captured would be folded as a constant.
    """
    tf = adapter.tf
    arrays = []
    shape_of_args = lift(tf, (args, kwargs), arrays)
    differentiable = _differentiable(arrays)

    def traced(*tensors):
        args, kwargs = put_back(tf, shape_of_args, tensors)
        # XLA compiles for the device of the caller; a graph forgets it, and then an operation that
        # the device lacks would run on the host.
        with contextlib.nullcontext() if adapter.jit else tf.device(adapter.device):
            if grad:
                inputs = [tensors[index] for index in differentiable]
                result = adapter.differentiate(function, args, kwargs, inputs)
            else:
                result = function(*args, **kwargs)
        return without_operations(tf, result)

    return tf.function(traced, jit_compile=adapter.jit or None, autograph=False), arrays


def traced_unit(adapter, function, args, kwargs, grad):
    tf = adapter.tf
    compiled, arrays = traced_function(adapter, function, args, kwargs, grad)
    adapter.last_traced = compiled
    started = []

    def run():
        if started:
            return compiled(*arrays)
        with stage("lower", tf), no_eager_work(adapter.proof):
            concrete = compiled.get_concrete_function(*arrays)
        if adapter.traced is not None:
            graph = concrete.graph
            adapter.traced.append((graph, graph.outputs + graph.control_outputs))
        with stage("compile" if adapter.jit else None, tf):
            result = compiled(*arrays)
        started.append(True)
        return result

    return run


def session_unit(adapter, function, args, kwargs, grad):
    """The first call builds the graph, opens the session and gives eager tensors; the next ones give
    NumPy values as the session does, so that timing them is timing Session.run."""
    started = []

    def run():
        if started:
            return started[0].values()
        with stage("lower", adapter.tf):
            program = _Program(adapter, function, args, kwargs, grad)
        result = program.first()
        started.append(program)
        return result

    return run


class _Program:
    """One call as a graph of its own: placeholders for its tensors, every operation on the target."""

    def __init__(self, adapter, function, args, kwargs, grad):
        self.adapter, tf = adapter, adapter.tf
        arrays = []
        shape_of_args = lift(tf, (args, kwargs), arrays)
        self.graph = tf.Graph()
        with self.graph.as_default(), tf.device(adapter.device):
            self.graph.seed = _eager_seed()
            self.feed = {}
            tensors = [self._placeholders(one) for one in arrays]
            args, kwargs = put_back(tf, shape_of_args, tensors)
            with _own_state_only():
                self.result = function(*args, **kwargs)
                if grad:
                    inputs = [tensors[index] for index in _differentiable(arrays)]
                    self.result = self.result, self._gradients(inputs)
            leaves = tf.nest.flatten(self.result, expand_composites=True)
            leaves = [
                leaf.read_value() if isinstance(leaf, tf.Variable) else leaf for leaf in leaves
            ]
            self.leaves = leaves
            self.fetches = [leaf for leaf in leaves if isinstance(leaf, (tf.Tensor, tf.Operation))]
            self.initializers = _initializers(tf.compat.v1)
        if adapter.traced is not None:
            adapter.traced.append((self.graph, self.fetches))
        self.session = tf.compat.v1.Session(graph=self.graph, config=_config(adapter))

    def _placeholders(self, array):
        """The array's parts (a sparse or ragged one has several) as placeholders, put together."""
        tf = self.adapter.tf
        made = []
        for part in tf.nest.flatten(array, expand_composites=True):
            made.append(tf.compat.v1.placeholder(part.dtype, part.shape))
            with harness_reads():
                self.feed[made[-1]] = part.numpy()
        return tf.nest.pack_sequence_as(array, made, expand_composites=True)

    def _gradients(self, inputs):
        tf, adapter = self.adapter.tf, self.adapter
        leaves = [leaf for _, leaf in adapter.flatten(self.result) if isinstance(leaf, tf.Tensor)]
        outputs = [leaf for leaf in leaves if leaf.dtype.is_floating or leaf.dtype.is_complex]
        if not outputs:
            return [None] * len(inputs)
        weights = [ramp(tf, leaf) for leaf in outputs]
        return dense(tf, tf.compat.v1.gradients(outputs, inputs, grad_ys=weights))

    def values(self):
        return self.session.run(self.fetches, self.feed)

    def first(self):
        tf = self.adapter.tf
        if self.initializers:
            self.session.run(self.initializers, self.feed)
        fetched = iter(self.values())
        filled = []
        for leaf in self.leaves:
            if isinstance(leaf, tf.Operation):
                filled.append(next(fetched))
            elif isinstance(leaf, tf.Tensor):
                filled.append(self._eager(leaf, next(fetched)))
            else:
                filled.append(leaf)
        return tf.nest.pack_sequence_as(self.result, filled, expand_composites=True)

    def _eager(self, fetched, value):
        tf = self.adapter.tf
        with tf.device("/device:CPU:0"):
            made = tf.constant(value, fetched.dtype)
        made._seamark_devices = self._device_of(fetched.op.name)
        return made

    def _device_of(self, name):
        """[] where the session computed nothing: the operation's value was fed."""
        for graph in self.adapter.partitions:
            for node in graph.node:
                if node.name == name and node.device:
                    return [node.device.rsplit("/device:", 1)[-1]]
        return []


def _differentiable(arrays):
    return [index for index, one in enumerate(arrays) if getattr(one, "_seamark_grad", False)]


@contextlib.contextmanager
def _own_state_only():
    """A variable, table or tensor that was made eagerly can be no part of a graph."""
    try:
        yield
    except RuntimeError as error:
        if "Attempting to capture an EagerTensor" not in str(error):
            raise
        raise Skip(
            "the call uses state that was made eagerly, which no v1 graph can hold"
        ) from error


def _initializers(v1):
    """The initializers of the state that the call itself made, as programs of TensorFlow 1 run them."""
    return [
        make()
        for collection, make in (
            (v1.global_variables(), v1.global_variables_initializer),
            (v1.local_variables(), v1.local_variables_initializer),
            (v1.get_collection(v1.GraphKeys.TABLE_INITIALIZERS), v1.tables_initializer),
        )
        if collection
    ]


def _config(adapter):
    config = adapter.tf.compat.v1.ConfigProto(
        allow_soft_placement=bool(adapter.options.get("soft_placement")),
        intra_op_parallelism_threads=adapter.threads,
        inter_op_parallelism_threads=adapter.threads,
    )
    config.gpu_options.allow_growth = True
    if adapter.traced is not None:
        # Small graphs are left alone otherwise: then the functions in them are not taken apart, and
        # the proof would not see what they do.
        config.graph_options.rewrite_options.min_graph_nodes = -1
    config.device_count["CPU"] = int(adapter.options.get("logical_devices") or 1)
    return config


def _eager_seed():
    from tensorflow.python.eager import context

    return context.global_seed()


@contextlib.contextmanager
def stage(name, tf):
    """Marks what tracing ("lower") or XLA ("compile") raises; lack of memory is the call's."""
    try:
        yield
    except (tf.errors.ResourceExhaustedError, Skip):
        raise
    except Exception as error:
        if name is not None:
            error.seamark_stage = name
        raise
