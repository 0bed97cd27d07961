"""TensorFlow as users call it: eager on cpu, cuda, tpu and pluggable devices, and compiled by XLA.

Options of a target:
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

from .base import Adapter, Proof, Unusable, widen
from .tensorflow_devices import connect_tpu, device_name, load_device_library, no_device
from .tensorflow_proof import harness_reads, host_reads, placements
from .tensorflow_script import SCRIPT
from .tensorflow_trees import lift, put_back, without_operations

DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "c64": "complex64", "c128": "complex128", "i8": "int8", "i16": "int16", "i32": "int32",
    "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "bool": "bool", "f8e4m3fn": "float8_e4m3fn", "f8e5m2": "float8_e5m2",
}  # fmt: skip
_NAMES = {long: short for short, long in DTYPES.items()}


class TargetAdapter(Adapter):
    framework = "tensorflow"
    root = "tf"

    def __init__(self, target):
        Adapter.__init__(self, target)
        self.compiles = bool(self.options.get("jit"))
        self.short = short_device(self.device)
        self.kind = self.short.split(":")[0]
        self.device = "/device:" + self.short
        self._gradients_are_warm = False
        self._graphs = None  # while a proof is taken: the graphs that were compiled
        self._arrays = 0  # and how many arrays the calls gave

    @property
    def cpu_is_reference(self):
        return self.short == "CPU:0" and not self.compiles

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
            "compiler": "XLA" if self.compiles else None,
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

    def prewarm(self):
        tf = self.tf
        with self.at("target"):
            one = tf.constant([1.0, 2.0])
            self.synchronize(one * one)
            if self.compiles:
                double = tf.function(lambda x: x * 2.0, jit_compile=True, autograph=False)
                self.synchronize(double(one))

    def _prewarm_gradient(self):
        """The first gradient of a process is dear; only timed attempts need it behind them."""
        if self._gradients_are_warm:
            return
        with self.at("target"):
            one = self.tf.constant([1.0, 2.0])
            self.synchronize(self._differentiate(lambda x: x * x, (one,), {}, [one]))
        self._gradients_are_warm = True

    def lookup(self, name):
        parts = name.split(".")
        found = self.tf
        for index, part in enumerate(parts[1:], 2):
            try:
                found = getattr(found, part)
            except AttributeError:
                try:
                    found = importlib.import_module("tensorflow." + ".".join(parts[1:index]))
                except ImportError:
                    raise AttributeError(
                        "tensorflow %s has no %s" % (self.tf.__version__, name)
                    ) from None
        return found

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
        if self.compiles and place == "target":
            return self._compiled(function, args, kwargs, grad)
        if grad:
            inputs = self._differentiable([args, kwargs])
            call = functools.partial(self._differentiate, function, args, kwargs, inputs)
        else:
            call = functools.partial(function, *args, **kwargs)
        return call if self._graphs is None else functools.partial(self._counted, call)

    def _counted(self, call):
        result = call()
        self._arrays += sum(self.is_array(leaf) for _, leaf in self.flatten(result))
        return result

    def _differentiable(self, tree):
        return [leaf for _, leaf in self.flatten(tree) if getattr(leaf, "_seamark_grad", False)]

    def _differentiate(self, function, args, kwargs, inputs):
        tf = self.tf
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            for one in inputs:
                tape.watch(one)
            result = function(*args, **kwargs)
            leaves = [leaf for _, leaf in self.flatten(result) if isinstance(leaf, tf.Tensor)]
        outputs = [leaf for leaf in leaves if leaf.dtype.is_floating or leaf.dtype.is_complex]
        if not outputs:
            return result, []
        found = tape.gradient(
            outputs,
            inputs,
            output_gradients=[ramp(tf, leaf) for leaf in outputs],
            unconnected_gradients=tf.UnconnectedGradients.ZERO,
        )
        return result, [tf.convert_to_tensor(one) for one in found]

    def _compiled(self, function, args, kwargs, grad):
        """Tensors are arguments: a small one that is captured would be folded as a constant."""
        tf = self.tf
        arrays = []
        shape_of_args = lift(tf, (args, kwargs), arrays)
        differentiable = [
            index for index, one in enumerate(arrays) if getattr(one, "_seamark_grad", False)
        ]

        def traced(*tensors):
            args, kwargs = put_back(tf, shape_of_args, tensors)
            if grad:
                inputs = [tensors[index] for index in differentiable]
                return without_operations(tf, self._differentiate(function, args, kwargs, inputs))
            return without_operations(tf, function(*args, **kwargs))

        compiled = tf.function(traced, jit_compile=True, autograph=False)
        started = []

        def run():
            if started:
                return compiled(*arrays)
            with _stage("lower", tf):
                concrete = compiled.get_concrete_function(*arrays)
            if self._graphs is not None:
                self._graphs.append(concrete.graph)
            with _stage("compile", tf):
                result = compiled(*arrays)
            started.append(True)
            return result

        return run

    def synchronize(self, tree):
        tf = self.tf
        if self.kind == "CPU":
            return  # eager and XLA on CPU return when the values are there
        if self.kind != "TPU":
            try:
                with tf.init_scope():  # a body may be inside a v1 graph
                    tf.test.experimental.sync_devices()
                if self.kind == "GPU":
                    return
            except tf.errors.OpError:
                pass  # a plug-in without that kernel
        for _, leaf in self.flatten(tree):
            if self.is_array(leaf) and not self._is_handle(leaf):
                leaf.numpy()

    @contextlib.contextmanager
    def prove(self):
        if self.cpu_is_reference:
            yield Proof("cpu")
            return
        proof = Proof("xla-must-compile" if self.compiles else "partition-graphs")
        self._graphs, self._arrays = [], 0
        try:
            if self.short == "CPU:0":
                yield proof
            else:
                with placements(self.tf, self.short, proof), host_reads(proof, self.kind):
                    yield proof
            if self.compiles:
                self._check_compiled(proof)
            elif not proof.proven and self._arrays:
                proof.proven, proof.note = (
                    True,
                    "nothing was computed: the outputs were made where they are",
                )
        finally:
            self._graphs = None

    def _check_compiled(self, proof):
        """XLA compiles all or raises; but what Python did while tracing is only a constant."""
        if not self._graphs:
            proof.proven = False
            proof.note = "nothing was compiled: the body made no call"
            return
        idle = ("Placeholder", "Const", "Identity", "IdentityN", "NoOp")
        if not any(op.type not in idle for graph in self._graphs for op in graph.get_operations()):
            proof.note = (
                "the traced program has no operation left: it returns its inputs or constants"
            )

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
        """Every unit is a fresh tf.function already; here the kernels of eager ops go."""
        self._prewarm_gradient()
        if "persistent_cache" in os.environ.get("TF_XLA_FLAGS", ""):
            return "TF_XLA_FLAGS names a persistent XLA cache"
        try:
            _context().clear_kernel_cache()
        except AttributeError:
            return "this TensorFlow has no way to drop the kernels of eager ops"
        return None

    def compiled_facts(self):
        return {"compiler": "XLA", "version": self.tf.__version__} if self.compiles else None

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

    def script_setup(self):
        return SCRIPT % {
            "device": self.device,
            "import": self.options.get("import") or "tensorflow",
            "jit": self.compiles,
            "soft": bool(self.options.get("soft_placement")),
        }


@contextlib.contextmanager
def _stage(name, tf):
    """Marks what tracing ("lower") or XLA ("compile") raises; lack of memory is the call's."""
    try:
        yield
    except tf.errors.ResourceExhaustedError:
        raise
    except Exception as error:
        error.seamark_stage = name
        raise


def ramp(tf, leaf):
    """Weights of the leaf's shape, from 0.5 to 1.5, exact in every dtype: with ones alone the
    gradient of softmax would be zero."""
    import numpy

    if leaf.shape.is_fully_defined():
        count = leaf.shape.num_elements()
        flat = tf.constant(0.5 + (numpy.arange(count) % 9) / 8.0, tf.float32)
        return tf.cast(tf.reshape(flat, leaf.shape), leaf.dtype)
    flat = 0.5 + tf.cast(tf.range(tf.size(leaf)) % 9, tf.float32) / 8.0
    return tf.cast(tf.reshape(flat, tf.shape(leaf)), leaf.dtype)


def short_device(name):
    """GPU:0 of "/GPU:0", "gpu", "/job:localhost/replica:0/task:0/device:GPU:0"."""
    parts = str(name or "CPU:0").rsplit("/", 1)[-1].split(":")
    if parts[0].lower() == "device":
        parts = parts[1:]
    return "%s:%s" % (parts[0].upper(), parts[1] if len(parts) > 1 else "0")


def _context():
    from tensorflow.python.eager import context

    return context.context()
