"""What the harness asks of a framework on a target. A new framework is one subclass (and one suite).

Places: every body runs at one of three places.
  "target"  the device and mode under test, inputs in the tested dtype
  "native"  the framework's plain CPU execution, inputs in the tested dtype: gives the result's dtype
  "wide"    CPU, the same values in the widest type of their kind: gives the reference values
"""

import contextlib
import hashlib
import importlib
import importlib.util
import inspect
import os
import re
import sys
import threading

from .. import frameworks
from ..failures import text_of

PLACES = ("target", "native", "wide")
WIDEST = {"f": "f64", "b": "f64", "c": "c128"}


def widen(dtype):
    """f32 -> f64, bf16 -> f64, c64 -> c128; integers and bool stay."""
    return dtype if dtype == "bool" else WIDEST.get(dtype[0], dtype)


class Unusable(Exception):
    """This environment cannot serve this target: why, and what would make it usable."""

    def __init__(self, reason, remedy=""):
        Exception.__init__(self, reason)
        self.reason, self.remedy = reason, remedy


class Proof:
    """Where a call ran, filled by Adapter.prove(). Without evidence that is unknown."""

    def __init__(self, method, on_device=False):
        self.method = method
        # Evidence that it ran on the device: a flag, or how many operations.
        self.on_device = on_device
        self.fallback_ops = []  # names of ops that ran on the host though the target is a device
        self.left_to_aten = []  # names of ops that a compiler did not compile: PyTorch's kernels ran
        self.raised = False  # the call ended with an exception
        self.read = False  # Python read a number of the device's
        self.doubtful = False  # something may have run elsewhere: `note` says what
        self.note = None
        # Whether an operation depended on an input (device_work.py); None: nobody knows.
        self.work = None

    def doubt(self, why):
        self.doubtful, self.note = True, self.note or why


class Adapter:
    framework = ""  # its name in data/frameworks.toml
    known_options = ("import",)  # keys of the target's `options`; others are refused
    evidence = "executed"  # what a call that returns has reached: lowered, compiled, executed
    lowers_precision = False  # True: by default it may multiply more coarsely than it can
    cpu_is_reference = (
        False  # True: the target is plain CPU execution itself ("native" would repeat it)
    )
    refusals = (TypeError, ValueError, LookupError, RuntimeError)  # how it refuses bad arguments
    # What these are (by name, also of a base class) or say is never a refusal of arguments, whatever they subclass.
    no_refusals = ("NotImplementedError", "MemoryError")
    no_refusal_texts = ("RESOURCE_EXHAUSTED", "UNIMPLEMENTED:", "INTERNAL:", "out of memory")
    own_variables = ()  # of the environment, that the adapter itself sets between cases

    def __init__(self, target):
        self.target = target
        self.name = target.get("name", "")
        self.device = target.get("device") or "cpu"
        self.options = dict(target.get("options") or {})
        self.threads = 1

    @property
    def root(self):
        """What the names of its functions start with."""
        return frameworks.root_of(self.framework)

    @property
    def watched_names(self):
        """Modules and classes whose attributes are compared after each case that leaves its process to another. Those of
        the rest of these packages are compared in turn."""
        return (self.root,)

    # -- life -------------------------------------------------------------------------------------

    def import_framework(self):
        """Imports the framework, runs no op, touches no device (a zygote forks after this).
        Returns its version. Raises Unusable."""
        raise NotImplementedError

    def start(self):
        """Initializes the device in the process that will run cases. Returns facts for the user:
        {"device": "NVIDIA H200", ...}. Raises Unusable where there is no such device or tool."""
        return {"device": self.device}

    def process_state(self):
        """Yields a poison.Fact for each thing of the framework's that a case could leave changed for the next one."""
        return ()

    def prewarm(self):
        """One tiny op on the target, so that one-off costs are not blamed on the first function. Returns what a
        device that is being brought up lacks for it, in one line; else None."""

    def lookup(self, name):
        """The object that `name` (torch.x.y) means; AttributeError where this version has none."""
        raise NotImplementedError

    # -- values -----------------------------------------------------------------------------------

    def dtype(self, name, place):
        """The framework's dtype for a name such as bf16; widened when place is "wide"."""
        raise NotImplementedError

    def device_of(self, place):
        """What the framework's functions take as device at this place."""
        return self.device if place == "target" else "cpu"

    def from_numpy(self, array, dtype, place, grad=False, noncontiguous=False):
        """A framework array on the place's device: the values are rounded to `dtype` first, then
        (place "wide") widened, so that all places see the same numbers. `grad`: differentiable."""
        raise NotImplementedError

    def to_numpy(self, array):
        """float64/complex128/int64/bool NumPy values of an array, wherever it lives (detached)."""
        raise NotImplementedError

    def is_array(self, value):
        raise NotImplementedError

    def dtype_name(self, array):
        """The dtype of an array as a name such as f32."""
        raise NotImplementedError

    def devices(self, array):
        """Names of the devices that hold the array, e.g. ["cuda:0"]."""
        raise NotImplementedError

    def is_on_target(self, device_name):
        """Whether a name from devices() is the target's device."""
        return device_name.split(":")[0] == self.device.split(":")[0]

    def flatten(self, tree):
        """[(path, leaf)] of a nested result; containers of the framework are opened."""
        found = []
        _flatten(tree, "", found)
        return found

    # -- calls ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def at(self, place):
        """Context in which a body runs at a place (default device, x64, soft placement off)."""
        yield

    def unit(self, function, args, kwargs, grad, place):
        """A callable without arguments that makes the whole call: forward, and when `grad` the
        gradient of its floating outputs, weighted by a ramp from 0.5 to 1.5 over each output (a plain sum
        would hide that of softmax), with respect to every differentiable input among args. Returns the
        result, or (result, [gradients]) when `grad`: None where there is no gradient. At place "target" in
        the target's mode (compiled, traced, ...); the first call may compile. The timing calls it again
        and again."""
        raise NotImplementedError

    def is_refusal(self, error, named=()):
        """Whether an exception says that the arguments are wrong, not that the target lacks something or fails. A
        class that the case itself names (`named`) is what it expects."""
        if getattr(error, "seamark_fails_on_reference", None) is False:
            return False  # the call alone, or the same program for the CPU, is not refused so
        kinds = [kind for kind in type(error).__mro__ if kind.__name__ in self.no_refusals]
        if kinds and not any(kind in named for kind in kinds):
            return False
        said = text_of(error)
        return not any(text in said for text in self.no_refusal_texts)

    def synchronize(self, tree):
        """Waits until every leaf of the result is computed."""

    @contextlib.contextmanager
    def prove(self):
        """Yields a Proof that is complete when the block ends. Untimed: it may be slow."""
        yield Proof("none")

    @contextlib.contextmanager
    def record_parts(self, parts):
        """Context in which each call that a program makes of the framework on the CPU is appended to `parts`
        (programs.Part), in order. What cannot be recorded is left out."""
        yield

    @contextlib.contextmanager
    def highest_precision(self):
        """Where `lowers_precision`: context in which the target computes as exactly as it can (no TF32, no bf16 passes)."""
        yield

    def seed(self, value):
        """Seeds the framework's own generators (a no-op where keys are explicit)."""

    def generator_state(self):
        """Something that changes when the framework's own CPU generator is used; None where it has none."""

    def clear_caches(self):
        """Before a timed cold call: drops the framework's compile caches, moves disk caches to a
        fresh folder. Returns None, or the reason why cold calls cannot be trusted."""

    # -- time -------------------------------------------------------------------------------------

    left_warm = None  # what earlier cases of the process leave that nothing drops: then only the first is cold

    def start_libraries(self):
        """Before the first timed call. What the device lacks is left to the cases to tell."""
        for start in self.library_calls():
            with contextlib.suppress(Exception), self.at("target"):
                self.synchronize(start())

    def library_calls(self):
        """Calls without arguments that start what a device starts late: BLAS, DNN, FFT, solvers."""
        return ()

    def cannot_wait(self):
        """Why `synchronize` cannot wait for a call on this target; None where it can."""

    def counters(self):
        """What the framework has counted in this process: compile_s (seconds), compilations, transfers (copies between
        host and device), transfer_bytes. What it does not count is absent."""
        return {}

    def one_program(self, function, args, kwargs):
        """The function as its users compile it, for arguments like these and of any size; None where each operation, or
        what is lazy, compiles by itself."""

    def device_times(self, unit, calls):
        """Seconds of each of so many calls by the device's own clock; [] where it has none."""
        return []

    def peak_memory(self, call):
        """Makes the call. Bytes of device memory (on the CPU: resident) that it took at its greatest beyond what was in
        use; None where nothing tells."""
        call()

    def construct(self, factory, args, kwargs, dtype, place):
        """Builds a stateful object (a Module, an optimizer, a layer) at a place with parameters that
        are the same at every place (Harness.construct fills them by state_arrays)."""
        return factory(*args, **kwargs)

    def fill_parameters(self, thing, draw, dtype, place):
        """Sets every floating parameter of a constructed thing: draw(shape) gives float64 values in order."""

    def compiled_facts(self):
        """After a case: what the compiler said of its last programs (see `compiled` in docs/wire.md)."""
        return None

    # -- declared evidence ------------------------------------------------------------------------

    def declared_kernels(self):
        """(where it is written, {operator: dispatch keys with a kernel}) as this environment's own files
        say; (None, {}) where they say nothing. Raises Unusable where the framework has no such table."""
        raise Unusable(
            "%s names no kernels per device" % (self.framework or "this framework"),
            "`declared` evidence is for PyTorch and TensorFlow",
        )

    def record_ops(self, seen):
        """Context in which the name of every operator that a call on the CPU makes is added to `seen`; where the
        framework's tables list data types, with those of the call: "AddV2 T=float32"."""
        raise NotImplementedError

    def listed_dtypes(self, functions):
        """Rows of the data types in which the framework's own lists have these functions (docs/wire.md)."""
        return ()

    # -- reproducers ------------------------------------------------------------------------------

    def leave_device(self):
        """Before a reproducer is made, which asks the CPU alone: the device need not be there."""

    def script_setup(self):
        """Python source that a standalone reproducer starts with. It must define, with the framework
        and numpy (as np) alone: from_numpy(array, dtype, grad, noncontiguous), lookup(name), DEVICE,
        DTYPE(name), run_call(function, args, kwargs, grad), to_numpy(array), construct(factory, args, kwargs, dtype, draw)."""
        raise NotImplementedError

    def plain_call(self):
        """A shorter `run_call` for a call that has no gradient and names no devices; None where there is none."""

    def straight(self):
        """How a reproducer of one line a call is written here (straight.py); None: it is not. Texts of lines:

        setup, helpers         at its head; `wide`: one more where one of `wide_dtypes` is used
        first, seed            of each run, the latter where the framework draws numbers
        cpu, device            what a run is given; `compiled`: what makes the target's program of a call
        modules, loaded        the package whose modules are imported by name, but for these
        short                  {name of a module in lines: what it is}
        tensor, placed, there  of values and a dtype; on the device in the dtype of the run, or as it is
        spaced, grad           what makes gaps between numbers; what is put behind an input with a gradient
        dtypes, names          of a dtype's name, and names that differ
        call, compiled_call    of a function, its arguments, the arrays among them
        gradient               what makes a result and its gradients; `gradient_of_one`: of one array
        module, fill           the class of what can be constructed; what fills its parameters
        wait                   what makes a call happen
        wide_run               what a run in wider types stands in
        leaves, close          of a result; what compares two of them, or with `takes_lists` two lists
        ahead                  a call is only compiled: nothing is compared
        """
        return None


def look_up(package, name):
    """The object of the package that `name` (torch.x.y) means; AttributeError where this version has none."""
    parts = [package.__name__] + name.split(".")[1:]
    found = package
    for index, part in enumerate(parts[1:], 2):
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(".".join(parts[:index]))
            except ImportError:
                raise AttributeError(
                    "%s %s has no %s" % (parts[0], package.__version__, name)
                ) from None
    return found


def import_path(path, prefix):
    """The module of a user's file, run anew; its name is `prefix` and a digest of the path."""
    name = prefix + hashlib.sha256(os.path.abspath(path).encode()).hexdigest()[:12]
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def carried(*things):
    """Source that a reproducer carries: functions, and files of this folder without docstring and imports of ours."""
    texts = []
    for thing in things:
        if callable(thing):
            texts.append(inspect.getsource(thing))
            continue
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), thing)) as stream:
            text = stream.read().split('"""', 2)[2]
        texts.append(re.sub(r"^from \..*\n", "", text, flags=re.M))
    return "\n\n\n".join(text.strip() for text in texts) + "\n"


@contextlib.contextmanager
def unrecorded_ramp(module):
    """For recorders of operators: yields a list that is true while the weights of a gradient are made by
    `module.ramp`, within the call and yet no part of it."""
    ours, ramp = [], module.ramp

    def unrecorded(*arguments):
        ours.append(True)
        try:
            return ramp(*arguments)
        finally:
            ours.pop()

    module.ramp = unrecorded
    try:
        yield ours
    finally:
        module.ramp = ramp


@contextlib.contextmanager
def no_threads(proof):
    """What runs in another thread is seen by no mode."""
    start = threading.Thread.start

    def noted(thread):
        proof.doubt("the call started a thread")
        return start(thread)

    threading.Thread.start = noted
    try:
        yield
    finally:
        threading.Thread.start = start


def _flatten(tree, path, found):
    if isinstance(tree, dict):
        for key in sorted(tree, key=str):
            _flatten(tree[key], "%s[%r]" % (path, key), found)
    elif isinstance(tree, (list, tuple)):
        for index, item in enumerate(tree):
            _flatten(item, "%s[%d]" % (path, index), found)
    else:
        found.append((path, tree))
