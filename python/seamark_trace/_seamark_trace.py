"""Records which calls of PyTorch a program makes: functions, lines, dtypes, shapes, strides, constants. No values of tensors.

Python 3.8, the standard library and the program's own framework. The environment says what is wanted:

    SEAMARK_TRACE        the folder that gets PID.json from each process
    SEAMARK_TRACE_STEPS  optimizer steps after which the program is ended
    SEAMARK_TRACE_CALLS  calls after which a program without an optimizer is ended
"""

import atexit
import contextlib
import hashlib
import importlib.util
import json
import os
import platform
import sys
import sysconfig
import time
import types

SCHEMA = "seamark-trace/1"
LONGEST_TEXT = 64  # characters of a constant
MOST_NUMBERS = 16  # of a list of constants: a longer one is data
MOST_VARIANTS = 32  # calls of one function at one line that differ
MOST_KEYS = 200000  # after which no new call is looked at
_WRITE_EVERY_S = 5.0


def start(folder):
    """Waits for the import of the framework. What goes wrong here is no business of the program."""
    with contextlib.suppress(Exception):
        sys.meta_path.insert(0, _WhenImported({"torch": _record_torch}, folder))


class _WhenImported:
    """A finder that finds nothing itself: it calls back once a module was executed."""

    def __init__(self, wanted, folder):
        self._wanted, self._folder = wanted, folder

    def find_spec(self, name, path=None, target=None):
        begin = self._wanted.pop(name, None)
        if begin is None:
            return None
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            self._wanted[name] = begin
            return None
        execute, folder = spec.loader.exec_module, self._folder

        def exec_module(module):
            execute(module)
            begin(module, folder)

        spec.loader.exec_module = exec_module
        return spec


def _record_torch(torch, folder):
    try:
        steps = int(os.environ.get("SEAMARK_TRACE_STEPS") or 100)
        calls = int(os.environ.get("SEAMARK_TRACE_CALLS") or 200000)
        recorder = _Recorder(torch, folder, os.environ["SEAMARK_TRACE"], steps, calls)
        _mode(torch, recorder).__enter__()
        recorder.begin()
    except Exception as error:
        sys.stderr.write("seamark: nothing is recorded: %s\n" % error)


class _Unrecordable(Exception):
    """Why a call is left out."""


def _words(text):
    return frozenset(text.split())


# What only looks at a tensor, or works on a graph that one call alone does not have.
_PASSED_OVER = _words(
    """__get__ __set__ __delete__ backward requires_grad_ register_hook retain_grad size dim stride numel __len__ __repr__
    __str__ __format__ __hash__ __reduce__ __reduce_ex__ __deepcopy__ __dir__ __iter__ is_floating_point is_complex is_contiguous
    is_nonzero data_ptr element_size storage untyped_storage storage_offset type get_device ndimension nelement is_pinned
    share_memory_ has_names is_signed is_tensor is_same_size result_type can_cast _is_view _version register_post_accumulate_grad_hook
    is_grad_enabled is_inference _record_function_enter_new"""
)
# What hands a tensor's values to Python: the program waits for the device there.
_READS = _words(
    "item tolist numpy cpu __bool__ __float__ __int__ __index__ __complex__ __array__ __contains__ equal allclose is_nonzero"
)
# Which arguments are the user's data, by position or name.
_DATA = {
    "torch.tensor": (0, "data"),
    "torch.as_tensor": (0, "data"),
    "torch.asarray": (0, "obj"),
    "torch.scalar_tensor": (0, "s"),
    "torch.frombuffer": (0, "buffer"),
    "torch.Tensor.new_tensor": (1, "data"),
    "torch.Tensor.new": (1,),
    "torch.sparse_coo_tensor": (0, 1, "indices", "values"),
    "torch.Tensor.__contains__": (1,),
}
_INDEXING = ("__getitem__", "__setitem__")
# Frames of these run on the host wherever the model is: data is loaded, parameters are made before they move.
_HOST_FILES = tuple(
    os.path.join("torch", *parts) for parts in (("utils", "data"), ("nn", "init.py"))
)
# The counters of optimizers are on the host wherever the parameters are.
_OPTIMIZERS = (os.path.join("torch", "optim"),)
_HOST_FUNCTIONS = frozenset(("reset_parameters", "_reset_parameters"))


def _mode(torch, recorder):
    from torch.overrides import TorchFunctionMode

    seen = recorder.seen

    class SeamarkTrace(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            try:
                made = seen(func, args, kwargs)
            except Exception:  # what goes wrong here is no business of the program
                made = None
            result = func(*args, **kwargs) if kwargs else func(*args)
            if made is not None:
                with contextlib.suppress(Exception):
                    made(result)
            return result

    return SeamarkTrace()


class _Recorder:
    def __init__(self, torch, folder, out, steps, calls):
        self.torch, self.out, self.most_steps, self.most_calls = torch, out, steps, calls
        self.counts = {}  # key -> [number of calls]
        self.entries = {}  # key -> what is written
        self.variants = {}  # (function, file, line) -> number of keys
        self.reads = {}  # (function, file, line) -> [number]
        self.left = {}  # (function, why) -> number
        self.names = {}  # function -> (name, last part) or None
        self.files = {}  # file -> whether it is the user's
        self.steps = self.calls = 0
        self.backward = False
        self.ended = "itself"
        self.off = False
        self.here = os.getcwd()
        self.written = time.monotonic()
        self.command = list(getattr(sys, "orig_argv", None) or sys.argv)
        paths = sysconfig.get_paths()
        self.lib = tuple(
            {os.path.abspath(paths[key]) + os.sep for key in ("stdlib", "platstdlib")}
            | {os.path.abspath(folder) + os.sep}
        )
        tensor = torch.Tensor
        self.plain = {tensor, torch.nn.Parameter}
        self.plain.update(
            [kind for kind in (getattr(torch.nn, "Buffer", None),) if isinstance(kind, type)]
        )
        self.constants = {type(None), bool, int, str, complex, type(Ellipsis), torch.Size, torch.device, torch.dtype,
                          torch.layout, torch.memory_format}  # fmt: skip
        self.grad_enabled = torch.is_grad_enabled

    def begin(self):
        atexit.register(self.write)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.stop)
        from torch.optim import optimizer

        optimizer.register_optimizer_step_post_hook(lambda *ignored: self.step())
        if sys.excepthook is sys.__excepthook__:
            sys.excepthook = _without_our_frames

    def stop(self):
        """In a child by fork: what it does is its own, and its parent writes."""
        self.off = True
        atexit.unregister(self.write)

    # -- one call -----------------------------------------------------------------------------------

    def seen(self, func, args, kwargs):
        """Notes a call. None, or what takes its result."""
        if self.off:
            return None
        try:
            named = self.names[func]
        except KeyError:
            named = self.names[func] = self.name_of(func)
        except TypeError:
            return None
        if named is None:
            return None
        self.calls += 1
        if self.calls % 10000 == 0:
            self.look_at_limits()
        name, kind = named
        frame, files = sys._getframe(2), self.files
        while frame is not None:
            file = frame.f_code.co_filename
            try:
                users = files[file]
            except KeyError:
                users = files[file] = self.is_users(file)
            if users:
                break
            frame = frame.f_back
        place = (name, file, frame.f_lineno) if frame is not None else (name, "", 0)
        if kind == "read":
            found = self.reads.get(place)
            if found is not None:
                found[0] += 1
            elif not self.is_within(_HOST_FILES + _OPTIMIZERS) and any(map(self.has_tensor, args)):
                self.reads[place] = [1]
            return None
        if kind == "backward":
            self.backward = True
            return None
        try:
            key = (
                place,
                self.grad_enabled(),
                self.key_of(args),
                self.key_of(tuple(kwargs.items())) if kwargs else None,
            )
            found = self.counts.get(key)
        except _Unrecordable as error:
            return self.leave(name, str(error))
        except Exception as error:
            return self.leave(name, type(error).__name__)
        if found is not None:
            found[0] += 1
            return None
        if len(self.counts) >= MOST_KEYS:
            return self.leave(name, "more than %d different calls" % MOST_KEYS)
        self.counts[key] = [1]
        return self.first_of(key, place, args, kwargs)

    def key_of(self, value):
        kind = type(value)
        if kind in self.plain:
            return value.dtype, value.shape, value.stride(), value.requires_grad
        if kind is tuple or kind is list:
            if len(value) > MOST_NUMBERS and type(value[0]) in (int, float, bool):
                return kind, len(value)
            return (kind,) + tuple([self.key_of(one) for one in value])
        if kind is float:
            # One that was computed, such as a rate that decays, is another at every call.
            return (kind, value) if round(value, 4) == value else (kind, value > 0)
        if kind is slice:
            return kind, value.start.__class__, value.stop.__class__, value.step
        if kind is dict:
            return tuple([(name, self.key_of(one)) for name, one in value.items()])
        if kind in self.constants:
            return kind, value
        if kind.__module__ == "numpy":
            return kind, str(value.dtype), value.shape
        raise _Unrecordable("an argument of the class " + kind.__name__)

    def first_of(self, key, place, args, kwargs):
        """What takes the result of the first call of its kind, and keeps what the call was given."""
        number = self.variants[place] = self.variants.get(place, 0) + 1
        if number > MOST_VARIANTS:
            return self.leave(place[0], "more than %d different calls at one line" % MOST_VARIANTS)
        name = place[0]
        try:
            if self.is_within(_HOST_FILES):
                return None
            tensors = []
            given = [
                self.spec(arg, tensors, _is_data(name, number, arg), name.endswith(_INDEXING))
                for number, arg in enumerate(args)
            ]
            named = {
                one: self.spec(kwargs[one], tensors, _is_data(name, one, kwargs[one]), False)
                for one in sorted(kwargs or {})
            }
            wants = self.grad_enabled() and any(tensor.requires_grad for tensor in tensors)
            leaves = [tensor.requires_grad and tensor.is_leaf for tensor in tensors]
        except _Unrecordable as error:
            return self.leave(name, str(error))
        except Exception as error:
            return self.leave(name, type(error).__name__)
        entry = {"function": name, "args": given, "kwargs": named}
        if not tensors and not _asks_for_device([given, named]):
            entry["host"] = True

        def take(result):
            entry["grad"] = wants and self.gives_gradient(result, args)
            entry["leaf"] = any(leaves)
            self.entries[key] = entry
            if time.monotonic() - self.written > _WRITE_EVERY_S:
                self.write()

        return take

    def leave(self, name, why):
        self.left[name, why] = self.left.get((name, why), 0) + 1

    # -- what a call is -------------------------------------------------------------------------------

    def name_of(self, func):
        from torch.overrides import resolve_name

        last = getattr(func, "__name__", "")
        if last == "backward":
            return "torch.Tensor.backward", "backward"
        if last in ("__get__", "__set__", "__delete__") or last in _PASSED_OVER:
            return None
        name = resolve_name(func)
        if not name or not name.startswith("torch.") or ".__get__" in name:
            return None
        if name == "torch.autograd.grad":
            return name, "backward"
        if name.startswith(("torch.autograd.", "torch._")):
            return None
        short = "torch." + name.rsplit(".", 1)[1]
        if name.startswith("torch.functional.") and hasattr(self.torch, short[6:]):
            name = short
        is_method = name.startswith("torch.Tensor.")
        if name.rsplit(".", 1)[1] in _READS and (is_method or last in ("equal", "allclose")):
            return name, "read"
        return name, "call"

    def is_users(self, file):
        if file.startswith("<"):
            return False
        parts = file.split(os.sep)
        if "site-packages" in parts or "dist-packages" in parts:
            return False
        return not os.path.abspath(file).startswith(self.lib)

    def has_tensor(self, value):
        return isinstance(value, self.torch.Tensor)

    @staticmethod
    def is_within(files):
        """Whether a frame of these files, or one that sets parameters up, is on the stack."""
        frame = sys._getframe(2)
        while frame is not None:
            code = frame.f_code
            if code.co_name in _HOST_FUNCTIONS or any(part in code.co_filename for part in files):
                return True
            frame = frame.f_back
        return False

    def gives_gradient(self, result, args):
        found = []
        _leaves(args if result is None else result, self.torch.Tensor, found)
        return any(tensor.requires_grad for tensor in found)

    def spec(self, value, tensors, data, index):
        """A recipe of an argument (seamark_suites/traced.py reads it)."""
        torch, kind = self.torch, type(value)
        if data or kind.__module__ == "numpy":
            return _data(value)
        if kind in self.plain:
            for number, one in enumerate(tensors):
                if one is value:
                    return ["same", number]
            if value.layout is not torch.strided or value.is_quantized:
                raise _Unrecordable("a tensor of the layout %s" % value.layout)
            shape = list(value.shape)
            if any(type(size) is not int for size in shape):
                raise _Unrecordable("a symbolic shape")
            tensors.append(value)
            dtype = str(value.dtype)[6:]
            return ["tensor", dtype, shape, list(value.stride()), bool(value.requires_grad)]
        if isinstance(value, torch.Tensor):
            raise _Unrecordable("a tensor of the class " + kind.__name__)
        if value is None or kind in (bool, int):
            return value
        if kind is float:
            return (
                value if value == value and abs(value) != float("inf") else ["float", repr(value)]
            )
        if kind is complex:
            return ["complex", value.real, value.imag]
        if kind is str:
            if value == "cpu":
                return ["device"]
            if len(value) > LONGEST_TEXT:
                raise _Unrecordable("a text of %d characters" % len(value))
            return value
        if kind is torch.device:
            return ["device"]
        if kind is torch.dtype:
            return ["dtype", str(value)[6:]]
        if kind in (torch.memory_format, torch.layout):
            return ["constant", str(value)]
        if value is Ellipsis:
            return ["ellipsis"]
        if kind is slice:
            parts = (value.start, value.stop, value.step)
            return ["slice"] + [self.spec(part, tensors, False, False) for part in parts]
        if kind is torch.Size:
            return ["size"] + list(value)
        if kind in (list, tuple):
            numbers = _numbers(value)
            if numbers and (numbers > MOST_NUMBERS or (index and kind is list)):
                return _data(value)
            return [kind.__name__] + [self.spec(one, tensors, False, index) for one in value]
        if kind is dict:
            return ["dict", {str(k): self.spec(v, tensors, False, False) for k, v in value.items()}]
        raise _Unrecordable("an argument of the class " + kind.__name__)

    # -- the end --------------------------------------------------------------------------------------

    def step(self):
        if self.off:
            return
        self.steps += 1
        if self.steps >= self.most_steps:
            self.end("--steps")

    def look_at_limits(self):
        if not self.steps and self.calls >= self.most_calls:
            self.end("calls")

    def end(self, why):
        """Ends the program as sys.exit() does: what it registered runs. One that catches this is asked again."""
        self.ended = why
        self.write()
        raise SystemExit(0)

    def write(self):
        self.written = time.monotonic()
        try:
            document = self.document()
            path = os.path.join(self.out, "%d.json" % os.getpid())
            with open(path + ".new", "w", encoding="utf-8") as stream:
                json.dump(document, stream, allow_nan=False)
            os.replace(path + ".new", path)
        except Exception as error:
            sys.stderr.write("seamark: the trace could not be written: %s\n" % error)

    def document(self):
        merged = {}
        for key, entry in list(self.entries.items()):
            call = dict(entry, grad=bool(entry["grad"] and self.backward))
            if not call["grad"]:
                call["args"], call["kwargs"] = (
                    _without_grad(call["args"]),
                    _without_grad(call["kwargs"]),
                )
            if not call.pop("leaf"):
                call["inner"] = True
            text = json.dumps(call, sort_keys=True)
            one = merged.setdefault(text, dict(call, labels=_labels(call, text), sites={}))
            site = (self.shown(key[0][1]), key[0][2])
            one["sites"][site] = one["sites"].get(site, 0) + self.counts[key][0]
        calls = []
        for one in merged.values():
            one["sites"] = [[file, line, n] for (file, line), n in one["sites"].items()]
            calls.append(one)
        return {
            "schema": SCHEMA,
            "framework": "torch",
            "version": str(self.torch.__version__),
            "python": platform.python_version(),
            "calls_seen": self.calls,
            "steps": self.steps,
            "ended": self.ended,
            "calls": calls,
            "reads": [
                [name, self.shown(file), line, number[0]]
                for (name, file, line), number in list(self.reads.items())
            ],
            "left_out": [[name, why, number] for (name, why), number in list(self.left.items())],
        }

    def shown(self, file):
        """As the user would name it: below the folder in which the program began, where it is there."""
        if not file:
            return ""
        full = os.path.abspath(os.path.join(self.here, file))
        inside = full.startswith(self.here.rstrip(os.sep) + os.sep)
        return os.path.relpath(full, self.here) if inside else full


def _leaves(value, kind, found):
    if isinstance(value, kind):
        found.append(value)
    elif isinstance(value, (list, tuple)):
        for one in value:
            _leaves(one, kind, found)
    elif isinstance(value, dict):
        _leaves(list(value.values()), kind, found)


def _is_data(name, place, value):
    if hasattr(value, "requires_grad"):
        return False  # a tensor, which is told by its shape anyway
    return place in _DATA.get(name, ())


def _numbers(value):
    """How many numbers a list of nothing but numbers has, nested or not; 0 where anything else is in it."""
    total = 0
    for one in value:
        inside = _numbers(one) if type(one) in (list, tuple) else type(one) in (int, float, bool)
        if not inside:
            return 0
        total += int(inside)
    return total


def _data(value):
    """What the user's own numbers are of: their kind and shape."""
    shape = getattr(value, "shape", None)
    if shape is not None and hasattr(value, "dtype"):
        return ["data", str(value.dtype).replace("torch.", ""), [int(size) for size in shape]]
    sizes, first = [], value
    while type(first) in (list, tuple):
        sizes.append(len(first))
        if not first:
            break
        first = first[0]
    names = {bool: "bool", int: "int64", float: "float32", complex: "complex64"}
    if type(first) not in names and type(first) not in (list, tuple):
        raise _Unrecordable("data of the class " + type(first).__name__)
    return ["data", names.get(type(first), "float32"), sizes]


def _without_grad(spec):
    if isinstance(spec, dict):
        return {key: _without_grad(value) for key, value in spec.items()}
    if not isinstance(spec, list):
        return spec
    if spec and spec[0] == "tensor":
        return spec[:4] + [False]
    return [_without_grad(one) for one in spec]


def _tensors(spec, found):
    if isinstance(spec, dict):
        spec = [spec[key] for key in sorted(spec)]
    if isinstance(spec, list):
        if spec and spec[0] == "tensor":
            found.append(spec)
        else:
            for one in spec:
                _tensors(one, found)
    return found


def _asks_for_device(spec):
    if isinstance(spec, dict):
        return any(_asks_for_device(one) for one in spec.values())
    return isinstance(spec, list) and (
        spec[:1] == ["device"] or any(_asks_for_device(one) for one in spec)
    )


def _labels(call, text):
    """What the case is called between brackets: the first tensor's dtype and the shapes, and a digest of everything."""
    found = _tensors([call["args"], call["kwargs"]], [])
    shapes = ["x".join(str(size) for size in one[2]) or "scalar" for one in found[:3]]
    labels = ([found[0][1]] if found else []) + shapes
    return labels + [hashlib.sha256(text.encode("utf-8")).hexdigest()[:8]]


def _without_our_frames(kind, error, trace):
    """The program's traceback is its own."""
    frames = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != __file__:
            frames.append(trace)
        trace = trace.tb_next
    shown = None
    for one in reversed(frames):
        shown = types.TracebackType(shown, one.tb_frame, one.tb_lasti, one.tb_lineno)
    if error is not None:
        error = error.with_traceback(shown)
    sys.__excepthook__(kind, error, shown)
