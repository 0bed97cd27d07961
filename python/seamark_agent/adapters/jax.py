"""JAX as users call it, op by op or as one program (options.jit): cpu, cuda, rocm, tpu, and any PJRT plug-in
(options.platform)."""

import contextlib
import functools
import importlib
import os
import re
import sys

import jax

from .. import measure
from ..harness import Skip
from . import device_work, jax_call, jax_moves, jax_state
from .base import Adapter, Proof, Unusable, carried, look_up, widen
from .jax_call import MESH_DEVICES, Call, TooFewDevices, arrays_only, x64
from .jax_script import PLAIN_CALL, SCRIPT
from .torch_eager import cpu_name

DTYPES = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "c64": "complex64",
    "c128": "complex128",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "bool": "bool_",  # as 0.4.13 has it, too
}
_NAMES = {long: short for short, long in DTYPES.items()}
_NEED_X64 = ("f64", "i64", "u64", "c128")
# A call into the host's Python, in StableHLO: on CPU and GPU, and on TPU (a send to the host).
_HOST_CALL = re.compile(
    r"@\w*python\w*callback\w*|\"?stablehlo\.send\"?[^\n]*is_host_transfer = true"
)
# An operation that the program itself gives to the host (jax.experimental.compute_on).
_ON_HOST = re.compile(r"(stablehlo\.\w+)[^\n]*_xla_compute_type = \"host\"")
# Events of jax.monitoring: a program is lowered, and compiled.
_COMPILING = (
    "/jax/core/compile/jaxpr_to_mlir_module_duration",
    "/jax/core/compile/backend_compile_duration",
)
_REMEDIES = {
    "cuda": "pip install 'jax[cuda12]' of the same version, beside an NVIDIA GPU and its driver",
    "rocm": "install jax's ROCm plug-in of the same version, beside an AMD GPU",
    "tpu": "pip install 'jax[tpu]' of the same version, on a machine with a TPU",
}
# Else libtpu writes its logs below the temporary folder.
QUIET_LIBTPU = {"TPU_LOG_DIR": "disabled", "TPU_MIN_LOG_LEVEL": "3", "TPU_STDERR_LOG_LEVEL": "3"}


class TargetAdapter(Adapter):
    framework = "jax"
    known_options = ("import", "jit", "platform")
    no_refusal_texts = (*Adapter.no_refusal_texts, "MLIR translation rule")

    def __init__(self, target):
        Adapter.__init__(self, target)
        self.platform = str(self.options.get("platform") or self.device)
        self.device = self.platform
        self._differentiable = []  # arrays made with grad=True while a body runs
        self._inside = None  # the ExitStack of the body that runs
        self._proof = None  # the proof that prove() fills
        self._proving = []  # the calls made meanwhile
        self._parts = None  # what record_parts() fills
        self._compiling = None  # what jax.monitoring told of compilations

    @property
    def compiles(self):
        """True where the whole call, with its gradient, is one program (options.jit)."""
        return bool(self.options.get("jit"))

    @property
    def lowers_precision(self):
        return self.platform != "cpu"

    @property
    def cpu_is_reference(self):
        return self.platform == "cpu" and not self.compiles

    @property
    def watched_names(self):
        modules = ("", ".numpy", ".numpy.linalg", ".numpy.fft", ".lax", ".nn", ".random", ".scipy.special", ".tree_util")  # fmt: skip
        return tuple("jax" + name for name in modules) + ("jaxlib",)

    # -- life -------------------------------------------------------------------------------------

    def import_framework(self):
        self._settle_before_start(self.platform)
        plugin = self.options.get("import")
        if plugin:
            importlib.import_module(plugin)
        import jax.numpy

        if backends_started():
            raise Unusable(
                "importing jax has started a device backend: this process cannot fork",
                "look at what options.import and the environment's site-packages run at import",
            )
        return jax.__version__

    def _settle_before_start(self, platform):
        """Sets what JAX reads once. JAX accepts later changes silently and ignores them."""
        wanted = platform if platform == "cpu" else platform + ",cpu"
        for name, value in QUIET_LIBTPU.items():
            os.environ.setdefault(name, value)
        os.environ["JAX_PLATFORMS"] = wanted
        jax.config.update("jax_platforms", wanted)
        os.environ["PJRT_NPROC"] = str(self.threads)  # the size of XLA's thread pools on CPU
        os.environ.setdefault("OPENBLAS_NUM_THREADS", str(self.threads))
        flags = os.environ.get("XLA_FLAGS", "")
        if self.threads == 1:
            flags += " --xla_cpu_multi_thread_eigen=false"
        try:
            jax.config.update("jax_num_cpu_devices", MESH_DEVICES)
        except AttributeError:  # before 0.4.38
            flags += " --xla_force_host_platform_device_count=%d" % MESH_DEVICES
        os.environ["XLA_FLAGS"] = flags.strip()
        with contextlib.suppress(AttributeError):
            jax.config.update("jax_enable_compilation_cache", False)

    def start(self):
        try:
            devices = jax.devices()
        except Exception as error:
            raise Unusable(
                "jax %s starts no %s: %s" % (jax.__version__, self.platform, str(error)[:600]),
                _REMEDIES.get(
                    self.platform, "install the plug-in and name its module in options.import"
                ),
            ) from error
        found = self._platform_of(devices[0])
        if found != self.platform:
            raise Unusable(
                "jax %s has no device of platform %r here: its default is %r"
                % (jax.__version__, self.platform, found),
                _REMEDIES.get(
                    self.platform, "install the plug-in and name its module in options.import"
                ),
            )
        facts = {
            "device": cpu_name() if found == "cpu" else devices[0].device_kind,
            "devices": len(devices),
        }
        facts.update(threads=self.threads, platform_version=devices[0].client.platform_version)
        return facts

    def _platform_of(self, device):
        """cuda and rocm both call themselves gpu; the platform's version tells them apart."""
        if device.platform != "gpu":
            return device.platform
        return "rocm" if "rocm" in device.client.platform_version.lower() else "cuda"

    def process_state(self):
        return jax_state.facts()

    def prewarm(self):
        one = jax.numpy.ones(2)
        self.synchronize(jax.grad(lambda x: (x * x).sum())(one))

    def lookup(self, name):
        return look_up(jax, name)

    # -- values -----------------------------------------------------------------------------------

    def dtype(self, name, place):
        if name in _NEED_X64:
            self._enable_x64()
        return jax.numpy.dtype(getattr(jax.numpy, DTYPES[widen(name) if place == "wide" else name]))

    def _enable_x64(self):
        """64-bit types exist only in this mode; a case that uses them runs in it to its end."""
        if self._inside is not None and not jax.config.jax_enable_x64:
            self._inside.enter_context(x64(True))

    def device_of(self, place):
        return jax.devices()[0] if place == "target" else jax.devices("cpu")[0]

    def from_numpy(self, array, dtype, place, grad=False, noncontiguous=False):
        # JAX arrays have no strides, so that `noncontiguous` changes nothing.
        import numpy

        rounded = numpy.asarray(array).astype(self.dtype(dtype, "native"))
        made = jax.numpy.asarray(rounded.astype(self.dtype(dtype, place)))
        if grad:
            self._differentiable.append(made)
        return made

    def to_numpy(self, array):
        return jax_call.to_numpy(array)

    def is_array(self, value):
        return isinstance(value, jax.Array)

    def dtype_name(self, array):
        name = str(array.dtype)
        return "u32 " + name if name.startswith("key<") else _NAMES.get(name, name)

    def devices(self, array):
        return sorted(
            "%s:%d" % (self._platform_of(device), device.id) for device in array.devices()
        )

    def flatten(self, tree):
        try:
            found = jax.tree_util.tree_flatten_with_path(tree, is_leaf=lambda leaf: leaf is None)[0]
        except Exception:  # keys that do not sort, a node whose flattening raises
            return Adapter.flatten(self, tree)
        return [(jax.tree_util.keystr(path), leaf) for path, leaf in found]

    # -- calls ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def at(self, place):
        outer = self._inside
        with contextlib.ExitStack() as stack:
            if self.platform != "cpu" and place != "target":
                stack.enter_context(jax.default_device(jax.devices("cpu")[0]))
            stack.enter_context(x64(place == "wide"))
            self._inside, self._differentiable = stack, []
            try:
                yield
            finally:
                self._inside, self._differentiable = outer, []

    def unit(self, function, args, kwargs, grad, place):
        call = self.prepare(function, args, kwargs, grad, self._mesh_devices(place))
        run = call.jitted() if self.compiles and place == "target" else call.run
        if self._parts is not None:
            return self._recorded(call, run)
        if self._proof is None or place != "target":
            return run
        self._proving.append(call)
        return lambda: self._watched(call, run)

    def _watched(self, call, run):
        """Traces the call, then makes it: so the state that the call leaves holds real arrays."""
        proof = self._proof
        try:
            with jax_moves.reads(proof, call.arrays):
                traced = jax.make_jaxpr(arrays_only(call.program))(*call.arrays)
            proof.work = device_work.of_jaxpr(traced, compiled=self.compiles)
            jax_moves.note_moves(traced.jaxpr, proof, self.platform, self._platform_of)
        except Exception:
            proof.work = None  # nothing can trace it
        with jax_moves.default_devices(proof, self.platform, self._platform_of):
            return run()

    @contextlib.contextmanager
    def record_parts(self, parts):
        self._parts = parts
        try:
            yield
        finally:
            self._parts = None

    def _recorded(self, call, run):
        """The run, which appends the program's parts first."""
        from . import jax_parts

        def recorded():
            with contextlib.suppress(Exception):  # nothing can trace or compute it by its equations
                traced = jax.make_jaxpr(arrays_only(call.program))(*call.arrays)
                found = jax_parts.of_jaxpr(self, traced.jaxpr, traced.consts, call.arrays)
                self._parts.extend(found)
            return run()

        return recorded

    def prepare(self, function, args, kwargs, grad, devices):
        if getattr(function, "seamark_mesh_axis", None) and len(devices) < MESH_DEVICES:
            raise Skip("a collective needs %d devices, there is %d" % (MESH_DEVICES, len(devices)))
        try:
            return Call(function, args, kwargs, self._differentiable if grad else None, devices)
        except TooFewDevices as error:
            raise Skip(str(error)) from None

    def _mesh_devices(self, place):
        return jax.devices() if place == "target" else jax.devices("cpu")

    def synchronize(self, tree):
        jax.block_until_ready(tree)

    @contextlib.contextmanager
    def prove(self):
        proof = Proof("output devices, host calls in the lowered program")
        self._proof, self._proving = proof, []
        try:
            yield proof
        finally:
            self._proof = None
        for call in self._proving:
            try:
                text = jax.jit(arrays_only(call.program)).lower(*call.arrays).as_text()
            except Exception as error:
                proof.doubt(
                    "not traceable, so host calls cannot be seen: %s" % type(error).__name__
                )
            else:
                proof.on_device = True
                proof.fallback_ops.extend(host_calls(text))

    @contextlib.contextmanager
    def highest_precision(self):
        with jax.default_matmul_precision("highest"):
            yield

    def clear_caches(self):
        jax.clear_caches()
        return None

    def library_calls(self):
        if self.platform == "cpu":
            return ()
        one = functools.partial(jax.numpy.eye, 8)
        return (
            lambda: one() @ one(),
            lambda: jax.lax.conv(one()[None, None], one()[None, None], (1, 1), "SAME"),
            lambda: jax.numpy.linalg.cholesky(one()),
            lambda: jax.numpy.fft.fft(one()),
        )

    def counters(self):
        if self._compiling is None:
            self._compiling = {"compilations": 0, "compile_s": 0.0}
            jax.monitoring.register_event_duration_secs_listener(self._count)
        return dict(self._compiling)

    def one_program(self, function, args, kwargs):
        if not self.compiles:
            return None
        plain = [not any(map(self.is_array, jax.tree_util.tree_leaves(one))) for one in args]
        names = [name for name, one in kwargs.items() if not self.is_array(one)]
        places = [place for place, is_plain in enumerate(plain) if is_plain]

        def program(*args, **kwargs):
            return function(*args, **kwargs)

        return jax.jit(program, static_argnums=places, static_argnames=names)

    def _count(self, event, seconds, **_):
        if event in _COMPILING:
            self._compiling["compile_s"] += seconds
            self._compiling["compilations"] += event == _COMPILING[-1]

    def peak_memory(self, call):
        if self.platform == "cpu":
            return measure.resident_peak(call)
        before = jax.devices()[0].memory_stats() or {}
        call()
        after = jax.devices()[0].memory_stats() or {}
        grew = after.get("peak_bytes_in_use", 0) > before.get("peak_bytes_in_use", 0)
        # The peak is the process's and cannot begin anew: what stays below it is not told.
        return after["peak_bytes_in_use"] - before["bytes_in_use"] if grew else None

    def leave_device(self):
        jax.config.update("jax_platforms", "cpu")

    def straight(self):
        setup = "import jax\nimport jax.numpy as jnp"
        if self.options.get("import"):
            setup = "import %s\n%s" % (self.options["import"], setup)
        style = dict(STRAIGHT, setup=setup, device='jax.devices("%s")[0]' % self.platform)
        new = hasattr(jax, "enable_x64")
        style["wide_run"] = "with jax.%senable_x64(True):" % ("" if new else "experimental.")
        if not new:
            style["setup"] += "\nimport jax.experimental"
        if self.platform != "cpu":
            style["first"] = ['jax.config.update("jax_default_device", device)']
        if self.compiles:
            style["compiled"] = "jax.jit"
        return style

    def script_setup(self):
        return SCRIPT % {
            "platforms": self.platform if self.platform == "cpu" else self.platform + ",cpu",
            "import": self.options.get("import") or "jax",
            "quiet": QUIET_LIBTPU,
            "devices": MESH_DEVICES,
            "names": DTYPES,
            "need_x64": _NEED_X64,
            "carried": carried(look_up, "jax_call.py"),
            "run": "jitted()" if self.compiles else "run",
        }

    def plain_call(self):
        return None if self.compiles else PLAIN_CALL


STRAIGHT = {
    "modules": "jax",
    "loaded": frozenset(
        name for name in sys.modules if name.startswith("jax.") and name.count(".") == 1
    ),
    "short": {"jnp": "jax.numpy"},
    "wide": 'jax.config.update("jax_enable_x64", True)',
    "wide_dtypes": _NEED_X64,
    "tensor": "np.asarray(%s).astype(%s)",
    "placed": "jnp.asarray(%s, %s)",
    "there": "jnp.asarray(%s)",
    "grad": "",
    "dtypes": "jnp.%s",
    "names": DTYPES,
    "call": "%(function)s(%(arguments)s)",
    "compiled_call": "compiled(lambda %(arrays)s: %(function)s(%(arguments)s))(%(arrays)s)",
    "gradient_is_compiled": True,
    "gradient": [  # weights from 0.5 to 1.5: with equal ones the gradient of softmax is zero
        "%(result)s, pull_back = jax.vjp(lambda %(names)s: %(call)s, %(names)s)",
        "kind = lambda one: one.dtype if jnp.issubdtype(one.dtype, jnp.inexact) else jax.dtypes.float0",
        "ramp = lambda one: np.linspace(0.5, 1.5, one.size).reshape(one.shape).astype(kind(one))",
        "%(gradients)s = [jnp.asarray(one) for one in pull_back(jax.tree_util.tree_map(ramp, %(result)s))]",
    ],
    "cpu": 'jax.devices("cpu")[0]',
    "leaves": "jax.tree_util.tree_leaves(%s)",
}


def host_calls(stablehlo):
    """What the host does in the text of a lowered program, one entry each: Python's functions, operations."""
    found = _HOST_CALL.findall(stablehlo)
    calls = [text[1:] if text.startswith("@") else "send to host" for text in found]
    return calls + [name + " on the host" for name in _ON_HOST.findall(stablehlo)]


def backends_started():
    from jax._src import xla_bridge

    check = getattr(xla_bridge, "backends_are_initialized", None)
    return bool(check()) if check else bool(getattr(xla_bridge, "_backends", None))
