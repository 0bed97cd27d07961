"""TensorFlow as users call it: eager on cpu, cuda, tpu and pluggable devices, traced by tf.function,
compiled by XLA, and in a graph and session of TensorFlow 1.

Options of a target:
  call             "function": the unit is traced by tf.function, every operation bound to the device;
                   "session": the unit is built in a tf.Graph, its tensors placeholders, and run by a
                   tf.compat.v1.Session; default: eager
  jit              true: the unit is tf.function(..., jit_compile=True)
  import           a module that registers a pluggable device
  library          a shared library that registers one
  tpu              the TPU's name (default: TPU_NAME, else the machine's own)
  soft_placement   true: as TensorFlow's default, an op without a kernel here runs on the host and
                   only the proof sees it; false (the default here): it raises
  logical_devices  split the first CPU into so many devices, to try placement without another device
"""

import contextlib
import functools
import importlib
import os
import sys

from ... import measure
from ...harness import Skip
from .. import device_work
from ..base import Adapter, Proof, Unusable, carried, look_up, unrecorded_ramp, widen
from . import state, trees
from .calls import session_unit, traced_unit
from .devices import connect_tpu, device_name, load_device_library, no_device
from .ops import IDLE
from .proof import NOTHING, eager_work, harness_reads, host_work, placements
from .script import PLAIN_CALL, SCRIPT, STRAIGHT

DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "c64": "complex64", "c128": "complex128", "i8": "int8", "i16": "int16", "i32": "int32",
    "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "bool": "bool", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
}  # fmt: skip
FOLDED = "nothing was left to compute: TensorFlow folded the program to constants"
MODES = ("eager", "function", "session")
_NAMES = {long: short for short, long in DTYPES.items()}


class TargetAdapter(Adapter):
    framework = "tensorflow"
    known_options = (
        "call", "jit", "import", "library", "tpu", "soft_placement", "logical_devices",
    )  # fmt: skip
    no_refusals = (
        *Adapter.no_refusals,
        "UnimplementedError",
        "ResourceExhaustedError",
        "InternalError",
    )
    no_refusal_texts = (*Adapter.no_refusal_texts, "unsupported operations", "Could not find device for node",
                        "No OpKernel was registered", "Cannot assign a device")  # fmt: skip

    def __init__(self, target):
        Adapter.__init__(self, target)
        self.jit = bool(self.options.get("jit"))
        self.mode = "function" if self.jit else self.options.get("call") or "eager"
        self.short = short_device(self.device)
        self.kind = self.short.split(":")[0]
        self.device = "/device:" + self.short
        self._gradients_are_warm = False
        self.last_traced = None  # the tf.function of the unit that was made last
        # What prove() gathers:
        self.proof = None  # what prove() fills
        self.traced = None  # the traced graphs, with their results
        self.partitions = []  # the graphs that ran, with the device of every node
        self._arrays = 0  # how many arrays the calls gave

    @property
    def refusals(self):
        return (self.tf.errors.OpError, ValueError, TypeError)

    @property
    def compiles(self):
        """True where tf.function traces a call. A session does not: a body may open its own."""
        return self.mode == "function"

    @property
    def lowers_precision(self):
        return self.kind != "CPU"

    @property
    def cpu_is_reference(self):
        return self.short == "CPU:0" and self.mode == "eager"

    @property
    def watched_names(self):
        modules = ("", ".math", ".nn", ".linalg", ".random", ".signal", ".strings", ".sparse", ".Tensor", ".Variable")  # fmt: skip
        return tuple("tensorflow" + name for name in modules) + ("keras",)

    # -- life -------------------------------------------------------------------------------------

    def import_framework(self):
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")  # warnings and errors
        import numpy.random  # noqa: F401  (what every child would import)
        import tensorflow

        self.tf = tensorflow
        plugin = self.options.get("import")
        if plugin:
            importlib.import_module(plugin)
        return tensorflow.__version__

    def start(self):
        tf = self.tf
        if self.mode not in MODES:
            raise Unusable(
                "options.call is %r" % self.mode, "set it to one of %s" % ", ".join(MODES)
            )
        self._configure()
        if self.kind == "TPU":
            connect_tpu(tf, self.options.get("tpu"))
        elif not tf.config.list_physical_devices(self.kind):
            raise Unusable(*no_device(tf, self.kind))
        if self.short not in [
            short_device(item.name) for item in tf.config.list_logical_devices(self.kind)
        ]:
            raise Unusable("TensorFlow lists no device %s" % self.short, "choose another index")
        facts = {
            "device": device_name(tf, self.short),
            "threads": self.threads,
            "compiler": "XLA" if self.jit else None,
        }
        if self.kind == "GPU":
            build = tf.sysconfig.get_build_info()
            facts.update(cuda=build.get("cuda_version"), cudnn=build.get("cudnn_version"))
        return facts

    def _configure(self):
        """Threads and placement, before the first op."""
        tf = self.tf
        try:
            tf.config.threading.set_intra_op_parallelism_threads(self.threads)
            tf.config.threading.set_inter_op_parallelism_threads(self.threads)
        except RuntimeError as error:
            raise Unusable(
                "TensorFlow ran an op before its threads were set: %s" % error, "import less"
            ) from None
        library = self.options.get("library")
        if library:
            try:
                load_device_library(library)
            except Exception as error:
                raise Unusable(
                    "%s does not load: %s" % (library, error), "set options.library to a plug-in"
                ) from error
        count = int(self.options.get("logical_devices") or 1)
        if count > 1:
            one = tf.config.LogicalDeviceConfiguration
            tf.config.set_logical_device_configuration(
                tf.config.list_physical_devices("CPU")[0], [one() for _ in range(count)]
            )
        for device in tf.config.list_physical_devices("GPU"):
            tf.config.experimental.set_memory_growth(
                device, True
            )  # leave the rest to other workers
        tf.config.set_soft_device_placement(bool(self.options.get("soft_placement")))

    def process_state(self):
        return state.facts(self.tf)

    def prewarm(self):
        tf = self.tf
        with self.at("target"):
            one = tf.constant([1.0, 2.0])
            self.synchronize(one * one)
            if self.mode != "eager":
                self.synchronize(self.unit(lambda x: x * 2.0, (one,), {}, False, "target")())

    def _prewarm_gradient(self):
        """The first gradient of a process is dear; only timed attempts need it behind them."""
        if self._gradients_are_warm:
            return
        with self.at("target"):
            one = self.tf.constant([1.0, 2.0])
            self.synchronize(self.differentiate(lambda x: x * x, (one,), {}, [one]))
        self._gradients_are_warm = True

    def lookup(self, name):
        return look_up(self.tf, name)

    # -- values -----------------------------------------------------------------------------------

    def dtype(self, name, place):
        return self.tf.dtypes.as_dtype(DTYPES[widen(name) if place == "wide" else name])

    def device_of(self, place):
        return self.device if place == "target" else "/device:CPU:0"

    def from_numpy(self, array, dtype, place, grad=False, noncontiguous=False):
        # TensorFlow's tensors have no strides: noncontiguous makes no difference here.
        tf = self.tf
        rounded = array.astype(self.dtype(dtype, "native").as_numpy_dtype)
        if place == "wide":
            rounded = rounded.astype(self.dtype(dtype, place).as_numpy_dtype)
        with tf.device(self.device_of(place)):
            made = tf.constant(rounded)
        made._seamark_grad = bool(grad)
        return made

    def to_numpy(self, array):
        import numpy

        if self._is_handle(array):
            return numpy.asarray(array.dtype.name, object)
        with harness_reads():
            values = numpy.asarray(array.numpy())
        if array.dtype.is_complex:
            return values.astype(numpy.complex128)
        if array.dtype.is_floating:
            return values.astype(numpy.float64)
        if array.dtype.is_bool or values.dtype.kind in "OSU":
            return values
        return values.astype(numpy.int64)

    def _is_handle(self, array):
        return array.dtype in (self.tf.resource, self.tf.variant)

    def is_array(self, value):
        if isinstance(value, self.tf.Variable):
            return hasattr(value, "numpy")
        return isinstance(value, self.tf.Tensor) and hasattr(value, "numpy")  # none of a v1 graph

    def dtype_name(self, array):
        name = array.dtype.name
        return _NAMES.get(name, name)

    def devices(self, array):
        fetched = getattr(array, "_seamark_devices", None)  # a session's results are on the host
        if fetched is not None:
            return fetched
        return [short_device(getattr(array, "backing_device", None) or array.device)]

    def is_on_target(self, device_name):
        return device_name == self.short

    def flatten(self, tree):
        found = []
        self._open(tree, "", found)
        return found

    def _open(self, tree, path, found):
        tf = self.tf
        if isinstance(tree, dict):
            for key in sorted(tree, key=str):
                self._open(tree[key], "%s[%r]" % (path, key), found)
        elif isinstance(tree, (list, tuple)):
            for index, item in enumerate(tree):
                self._open(item, "%s[%d]" % (path, index), found)
        elif isinstance(tree, tf.RaggedTensor):
            self._open(tree.flat_values, path + ".flat_values", found)
            for index, splits in enumerate(tree.nested_row_splits):
                self._open(splits, "%s.row_splits[%d]" % (path, index), found)
        elif isinstance(tree, (tf.SparseTensor, tf.IndexedSlices)):
            for part in ("indices", "values", "dense_shape"):
                if getattr(tree, part) is not None:
                    self._open(getattr(tree, part), "%s.%s" % (path, part), found)
        elif isinstance(tree, tf.TensorShape):
            self._open(None if tree.rank is None else list(tree.as_list()), path + ".shape", found)
        else:
            found.append((path, tree))

    # -- calls ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def at(self, place):
        with self.tf.device(self.device_of(place)):
            yield

    def unit(self, function, args, kwargs, grad, place):
        make = {"function": traced_unit, "session": session_unit}.get(self.mode)
        if place == "target" and make is not None:
            if self.tf.executing_eagerly():
                return make(self, function, args, kwargs, grad)
            if self.mode == "function":
                raise Skip("a session is no part of a traced function")
            # Inside a v1 graph of the body's own, with a session of its own: called as it is.
        if grad:
            inputs = self._differentiable([args, kwargs])
            call = functools.partial(self.differentiate, function, args, kwargs, inputs, [])
        else:
            call = functools.partial(function, *args, **kwargs)
        return call if self.traced is None else functools.partial(self._counted, call)

    def _counted(self, call):
        result = call()
        self._arrays += sum(self.is_array(leaf) for _, leaf in self.flatten(result))
        return result

    def _differentiable(self, tree):
        return [leaf for _, leaf in self.flatten(tree) if getattr(leaf, "_seamark_grad", False)]

    def differentiate(self, function, args, kwargs, inputs, weights=None):
        def arrays_of(tree):
            return [leaf for _, leaf in self.flatten(tree) if isinstance(leaf, self.tf.Tensor)]

        return trees.differentiate(self.tf, function, args, kwargs, inputs, arrays_of, weights)

    def record_parts(self, parts):
        from . import parts as recorder

        return recorder.record(self, parts)

    def synchronize(self, tree):
        tf = self.tf
        if self.kind == "CPU":
            return  # eager and XLA on CPU return when the values are there
        if self._can_wait:
            with tf.init_scope():  # a body may be inside a v1 graph
                tf.test.experimental.sync_devices()
            return
        for _, leaf in self.flatten(tree):
            if self.is_array(leaf) and not self._is_handle(leaf):
                leaf.numpy()

    @functools.cached_property
    def _can_wait(self):
        """Whether the device has TensorFlow's operation that waits for it."""
        try:
            with self.tf.init_scope():
                self.tf.test.experimental.sync_devices()
        except self.tf.errors.OpError:
            return False
        return True

    def cannot_wait(self):
        if self.kind == "CPU" or self._can_wait:
            return None
        return (
            "SyncDevice fails on %s, and reading the results would time a copy to the host"
            % self.short
        )

    def library_calls(self):
        tf = self.tf
        if self.kind == "CPU":
            return ()
        one = functools.partial(tf.eye, 8)
        return (
            lambda: one() @ one(),
            lambda: tf.nn.conv2d(one()[None, :, :, None], one()[:, :, None, None], 1, "SAME"),
            lambda: tf.linalg.cholesky(one()),
            lambda: tf.signal.rfft(one()),
        )

    def one_program(self, function, args, kwargs):
        if self.mode != "function":
            return None
        self.last_traced = self.tf.function(function, jit_compile=self.jit or None, autograph=False)
        return self.last_traced

    def counters(self):
        if self.last_traced is None:
            return {}
        return {"compilations": self.last_traced.experimental_get_tracing_count()}

    def peak_memory(self, call):
        if self.kind == "CPU":
            return measure.resident_peak(call)
        memory = self.tf.config.experimental
        try:
            memory.reset_memory_stats(self.short)
            before = memory.get_memory_info(self.short)["current"]
        except (ValueError, AttributeError):  # a device without such figures
            return call()
        call()
        return memory.get_memory_info(self.short)["peak"] - before

    @contextlib.contextmanager
    def prove(self):
        if self.cpu_is_reference:
            proof = Proof("cpu", on_device=True)
            with self._watch_work(proof):
                yield proof
            return
        self.proof = proof = Proof("xla-must-compile" if self.jit else "partition-graphs")
        self.traced, self.partitions, self._arrays = [], [], 0
        try:
            with contextlib.ExitStack() as watching:
                if not (self.jit and self.short == "CPU:0"):
                    kept = placements(self.tf, self.short, proof, self.partitions)
                    watching.enter_context(kept)
                watching.enter_context(
                    host_work(proof, None if self.short == "CPU:0" else self.kind)
                )
                if self.mode == "eager":
                    watching.enter_context(self._watch_work(proof))
                yield proof
            if self.mode != "eager" and self.traced:
                self._check_traced(proof)
                proof.work = any(device_work.of_graph(found, self.jit) for _, found in self.traced)
            elif self.jit:
                proof.doubt("nothing was compiled: the body made no call")
            elif proof.note == NOTHING and self._arrays:
                proof.on_device = True
                proof.note = "nothing was computed: the outputs were made where they are"
            elif proof.note == NOTHING and self.partitions:
                proof.on_device, proof.note = True, FOLDED
        finally:
            self.proof, self.traced, self.partitions = None, None, []

    @contextlib.contextmanager
    def _watch_work(self, proof):
        with unrecorded_ramp(trees) as ramps, eager_work(self.tf, proof, ramps):
            yield

    def _check_traced(self, proof):
        """XLA compiles all or raises, and a graph runs as it was traced; but what Python did while
        tracing is only a constant."""
        if not any(
            op.type not in IDLE + ("Const",)
            for graph, _ in self.traced
            for op in graph.get_operations()
        ):
            proof.on_device = True
            proof.note = (
                "the traced program has no operation left: it returns its inputs or constants"
            )
        elif self.jit:
            proof.on_device = True
        elif proof.note == NOTHING and self.partitions:
            proof.on_device, proof.note = True, FOLDED

    @contextlib.contextmanager
    def highest_precision(self):
        experimental = self.tf.config.experimental
        before = experimental.tensor_float_32_execution_enabled()
        experimental.enable_tensor_float_32_execution(False)
        try:
            yield
        finally:
            experimental.enable_tensor_float_32_execution(before)

    def seed(self, value):
        self.tf.random.set_seed(value & 0x7FFFFFFF)
        self.tf.experimental.numpy.random.seed(value & 0x7FFFFFFF)

    def clear_caches(self):
        """Drops the kernels of eager ops. Traced calls need nothing: every unit is a fresh tf.function."""
        self._prewarm_gradient()
        if "persistent_cache" in os.environ.get("TF_XLA_FLAGS", ""):
            return "TF_XLA_FLAGS names a persistent XLA cache"
        try:
            _context().clear_kernel_cache()
        except AttributeError:
            return "this TensorFlow has no way to drop the kernels of eager ops"
        return None

    @property
    def left_warm(self):
        if self.kind == "CPU" or self.jit:
            return None
        return "kernels that earlier cases loaded stay in the process"

    def compiled_facts(self):
        return {"compiler": "XLA", "version": self.tf.__version__} if self.jit else None

    def construct(self, factory, args, kwargs, dtype, place):
        """A Keras layer takes its dtype here, and is built when `build_shape` is given."""
        build = kwargs.pop("build_shape", None)
        if isinstance(factory, type) and issubclass(factory, self._layer()):
            kwargs.setdefault("dtype", self.dtype(dtype, place).name)
        made = factory(*args, **kwargs)
        if build is not None:
            made.build(build)
        return made

    def fill_parameters(self, thing, draw, dtype, place):
        if hasattr(thing, "apply_gradients") or not isinstance(
            thing, (self.tf.Module, self._layer())
        ):
            return  # the variables of an optimizer are its state, not parameters
        for variable in thing.trainable_variables:
            values = self.from_numpy(draw(tuple(variable.shape)), dtype, place)
            variable.assign(self.tf.cast(values, variable.dtype))

    def _layer(self):
        keras = sys.modules.get("keras") or sys.modules.get("tf_keras")
        return keras.layers.Layer if keras is not None else self.tf.Module

    def declared_kernels(self):
        return None, {}  # data/declared has those of the GPU and TPU wheels

    def record_ops(self, seen):
        from . import declared

        return declared.record(self.tf, seen)

    def straight(self):
        if self.mode == "session":
            return None
        soft = bool(self.options.get("soft_placement"))
        style = dict(STRAIGHT, names=DTYPES, device='"%s"' % self.device)
        style["setup"] = STRAIGHT["setup"] % soft
        if self.options.get("import"):
            style["setup"] = "import %s\n%s" % (self.options["import"], style["setup"])
        if self.mode == "function":
            jit = "jit_compile=True, " * self.jit
            style["compiled"] = "functools.partial(tf.function, %sautograph=False)" % jit
        return style

    def script_setup(self):
        return self._script(self.jit, bool(self.options.get("soft_placement")))

    def plain_call(self):
        return None if self.jit else PLAIN_CALL

    def _script(self, jit, soft):
        return SCRIPT % {
            "device": self.device,
            "import": self.options.get("import") or "tensorflow",
            "jit": jit,
            "soft": soft,
            "names": DTYPES,
            "carried": carried(look_up, "tensorflow/trees.py"),
        }


def short_device(name):
    """GPU:0 of "/GPU:0", "gpu", "/job:localhost/replica:0/task:0/device:GPU:0"."""
    parts = str(name or "CPU:0").rsplit("/", 1)[-1].split(":")
    if parts[0].lower() == "device":
        parts = parts[1:]
    return "%s:%s" % (parts[0].upper(), parts[1] if len(parts) > 1 else "0")


def _context():
    from tensorflow.python.eager import context

    return context.context()
