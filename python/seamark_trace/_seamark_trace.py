"""Records which calls of PyTorch, JAX or TensorFlow a program makes: functions, lines, dtypes, shapes, strides, constants. No values
of tensors.

Python 3.8, the standard library and the program's own framework. The environment says what is wanted:

    SEAMARK_TRACE         the folder that gets PID-FRAMEWORK.json from each process
    SEAMARK_TRACE_STEPS   steps after which the program is ended
    SEAMARK_TRACE_CALLS   calls after which a program without steps is ended
    SEAMARK_TRACE_GRAPHS  "own" or "all": record graph breaks and recompilations of PyTorch instead of calls; of what the program
                          compiles itself, or of every module that it calls
"""

import atexit
import contextlib
import enum
import functools
import hashlib
import importlib.util
import inspect
import json
import os
import platform
import re
import sys
import sysconfig
import time
import types
import weakref

SCHEMA = "seamark-trace/1"
LONGEST_TEXT = 64  # characters of a constant
MOST_NUMBERS = 16  # of a list of constants: a longer one is data
MOST_VARIANTS = 32  # calls of one function at one line that differ
MOST_KEYS = 200000  # after which no new call is looked at
_WRITE_EVERY_S = 5.0


def start(folder):
    """Waits for the import of the framework. What goes wrong here is no business of the program."""
    with contextlib.suppress(Exception):
        recordings = {"torch": _Recorder, "jax": _Jax, "tensorflow": _TensorFlow}
        if os.environ.get("SEAMARK_TRACE_GRAPHS"):
            recordings = {"torch": _Graphs}
        sys.meta_path.insert(0, _WhenImported(recordings, folder))


class _WhenImported:
    """A finder that finds nothing itself: it begins a recording once a module was executed."""

    def __init__(self, wanted, folder):
        self._wanted, self._folder = wanted, folder

    def find_spec(self, name, path=None, target=None):
        recording = self._wanted.pop(name, None)
        if recording is None:
            return None
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            self._wanted[name] = recording
            return None
        execute, folder = spec.loader.exec_module, self._folder

        def exec_module(module):
            execute(module)
            try:
                recording(module, folder).begin()
            except Exception as error:
                sys.stderr.write("seamark: nothing is recorded: %s\n" % error)

        spec.loader.exec_module = exec_module
        return spec


class _Recording:
    """What is recorded of one framework, and where it is written."""

    framework = version = ""

    def __init__(self, folder):
        self.out = os.environ["SEAMARK_TRACE"]
        self.most_steps = int(os.environ.get("SEAMARK_TRACE_STEPS") or 100)
        self.most_calls = int(os.environ.get("SEAMARK_TRACE_CALLS") or 200000)
        self.files = {}  # file -> whether it is the user's
        self.steps = self.calls = 0
        self.left = {}  # (function, why) -> number
        self.reads = {}  # (function, file, line) -> [number]
        self.reading = False
        self.ended = "itself"
        self.off = False
        self.here = os.getcwd()
        self.written = time.monotonic()
        paths = sysconfig.get_paths()
        self.lib = tuple(
            {os.path.abspath(paths[key]) + os.sep for key in ("stdlib", "platstdlib")}
            | {os.path.abspath(folder) + os.sep}
        )

    def begin(self):
        atexit.register(self.write)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.stop)
        if sys.excepthook is sys.__excepthook__:
            sys.excepthook = _without_our_frames

    def stop(self):
        """In a child by fork: what it does is its own, and its parent writes."""
        self.off = True
        atexit.unregister(self.write)

    def is_users(self, file):
        try:
            return self.files[file]
        except KeyError:
            found = self.files[file] = self._is_users(file)
            return found

    def _is_users(self, file):
        if file.startswith("<"):
            return False
        parts = file.split(os.sep)
        if "site-packages" in parts or "dist-packages" in parts:
            return False
        return not os.path.abspath(file).startswith(self.lib)

    def users_line(self):
        """(file, line) of the innermost frame that is the user's."""
        frame, files = sys._getframe(2), self.files
        while frame is not None:
            file = frame.f_code.co_filename
            try:
                users = files[file]
            except KeyError:
                users = self.is_users(file)
            if users:
                return file, frame.f_lineno
            frame = frame.f_back
        return "", 0

    def step(self):
        if self.off:
            return
        self.reached(self.steps + 1)

    def reached(self, step):
        self.steps = max(self.steps, step)
        if self.steps >= self.most_steps:
            self.end("--steps")

    def look_at_limits(self, calls):
        if not self.steps and calls >= self.most_calls:
            self.end("calls")

    def end(self, why):
        """Ends the program as sys.exit() does: what it registered runs. One that catches this is asked again."""
        self.ended = why
        self.write()
        raise SystemExit(0)

    def write(self):
        self.written = time.monotonic()
        try:
            found = self.document()
            document = {
                "schema": SCHEMA,
                "framework": self.framework,
                "version": self.version,
                "python": platform.python_version(),
                "calls_seen": self.calls,
                "steps": self.steps,
                "ended": self.ended,
            }
            document.update(found)
            path = os.path.join(self.out, "%d-%s.json" % (os.getpid(), self.framework))
            with open(path + ".new", "w", encoding="utf-8") as stream:
                json.dump(document, stream, allow_nan=False)
            os.replace(path + ".new", path)
        except Exception as error:
            sys.stderr.write("seamark: the trace could not be written: %s\n" % error)

    def write_now_and_then(self):
        if time.monotonic() - self.written > _WRITE_EVERY_S:
            self.write()

    def shown(self, file):
        """As the user would name it: below the folder in which the program began, where it is there."""
        if not file:
            return ""
        full = os.path.abspath(os.path.join(self.here, file))
        inside = full.startswith(self.here.rstrip(os.sep) + os.sep)
        return os.path.relpath(full, self.here) if inside else full

    def leave(self, name, why, times=1):
        self.left[name, why] = self.left.get((name, why), 0) + times

    def left_out(self):
        return [[name, why, number] for (name, why), number in list(self.left.items())]

    def watch_reads(self, kind, names, prefix):
        """Counts what hands the values of a class's arrays to Python; what it calls of the same is no read."""
        for name in names:
            own = getattr(kind, name, None)
            if own is not None:
                setattr(kind, name, self.reader(prefix + name, own))

    def reader(self, name, own):
        @functools.wraps(own)
        def read(*args, **kwargs):
            if self.reading or self.off:
                return own(*args, **kwargs)
            self.reading = True
            try:
                file, line = self.users_line()
                if file:
                    _count(self.reads, (name, file, line))
                return own(*args, **kwargs)
            finally:
                self.reading = False

        return read

    def compiled_again(self, compiled):
        """Rows of what has several programs: {(function, file, line): [what each takes]}."""
        return [
            [name, _difference(programs), self.shown(file), line, len(programs) - 1]
            for (name, file, line), programs in list(compiled.items())
            if len(programs) > 1
        ]

    def places(self, counted):
        """[..., FILE, LINE, N] of {(..., file, line): [n]}."""
        return [
            list(key[:-2]) + [self.shown(key[-2]), key[-1], number[0]]
            for key, number in list(counted.items())
        ]


class _Unrecordable(Exception):
    """Why a call is left out."""


def _why(error):
    return str(error) if isinstance(error, _Unrecordable) else type(error).__name__


def _words(text):
    return frozenset(text.split())


# What only looks at a tensor, or works on a graph that one call alone does not have.
_PASSED_OVER = _words(
    """__get__ __set__ __delete__ backward requires_grad_ register_hook retain_grad size dim stride numel __len__
    __hash__ __reduce__ __reduce_ex__ __deepcopy__ __dir__ __iter__ is_floating_point is_complex is_contiguous
    is_nonzero data_ptr element_size storage untyped_storage storage_offset type get_device ndimension nelement is_pinned
    share_memory_ has_names is_signed is_tensor is_same_size result_type can_cast _is_view _version register_post_accumulate_grad_hook
    is_grad_enabled is_inference _record_function_enter_new device"""
)
# What hands a tensor's values to Python: the program waits for the device there.
_READS = _words(
    """item tolist numpy cpu __bool__ __float__ __int__ __index__ __complex__ __array__ __contains__ __format__ __repr__ __str__
    equal allclose is_nonzero"""
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


class _Recorder(_Recording):
    framework = "torch"

    def __init__(self, torch, folder):
        _Recording.__init__(self, folder)
        self.torch, self.version = torch, str(torch.__version__)
        self.compiles = False
        self.counts = {}  # key -> [number of calls]
        self.entries = {}  # key -> what is written
        self.variants = {}  # (function, file, line) -> number of keys
        self.names = {}  # function -> (name, last part) or None
        self.backward = False
        tensor = torch.Tensor
        self.plain = {tensor, torch.nn.Parameter}
        self.plain.update(
            [kind for kind in (getattr(torch.nn, "Buffer", None),) if isinstance(kind, type)]
        )
        self.constants = {type(None), bool, int, str, complex, type(Ellipsis), torch.Size, torch.device, torch.dtype,
                          torch.layout, torch.memory_format}  # fmt: skip
        self.grad_enabled = torch.is_grad_enabled

    def begin(self):
        _mode(self.torch, self).__enter__()
        _Recording.begin(self)
        _after_steps(self)
        own = self.torch.compile

        @functools.wraps(own)
        def compile(*args, **kwargs):
            self.compiles = True
            return own(*args, **kwargs)

        self.torch.compile = compile

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
            self.look_at_limits(self.calls)
        name, kind = named
        place = (name,) + self.users_line()
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
        except Exception as error:
            return self.leave(name, _why(error))
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
        except Exception as error:
            return self.leave(name, _why(error))
        entry = {"function": name, "args": given, "kwargs": named}
        if not tensors and not _asks_for_device([given, named]):
            entry["host"] = True

        def take(result):
            entry["grad"] = wants and self.gives_gradient(result, args)
            entry["leaf"] = any(leaves)
            self.entries[key] = entry
            self.write_now_and_then()

        return take

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
            dtype = _known(str(value.dtype)[6:])
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

    def document(self):
        made = _Calls()
        for key, entry in list(self.entries.items()):
            call = dict(entry, grad=bool(entry["grad"] and self.backward))
            if not call["grad"]:
                call["args"], call["kwargs"] = (
                    _without_grad(call["args"]),
                    _without_grad(call["kwargs"]),
                )
            if not call.pop("leaf"):
                call["inner"] = True
            made.add(call, (self.shown(key[0][1]), key[0][2]), self.counts[key][0])
        return {
            "calls": made.written(),
            "reads": self.places(self.reads),
            "left_out": self.left_out(),
            "compiles": self.compiles,
        }


class _Calls:
    """Calls as they are written, each once, with its lines."""

    def __init__(self):
        self.merged = {}

    def add(self, call, site, times):
        text = json.dumps(call, sort_keys=True)
        one = self.merged.setdefault(text, dict(call, labels=_labels(call, text), sites={}))
        one["sites"][site] = one["sites"].get(site, 0) + times

    def written(self):
        return [
            dict(one, sites=[[file, line, n] for (file, line), n in one["sites"].items()])
            for one in self.merged.values()
        ]


def _after_steps(recording):
    from torch.optim import optimizer

    optimizer.register_optimizer_step_post_hook(lambda *ignored: recording.step())


# -- graph breaks and recompilations --------------------------------------------------------------------


class _Graphs(_Recording):
    """What Dynamo says of the graphs that it makes. These are run as they are, so that nothing is generated for them."""

    framework = "torch"

    def __init__(self, torch, folder):
        _Recording.__init__(self, folder)
        self.torch, self.version = torch, str(torch.__version__)
        self.all = os.environ["SEAMARK_TRACE_GRAPHS"] == "all"
        self.graphs = 0
        self.breaks = {}  # (number, what, file, line) -> [times]
        self.again = {}  # (function, why, file, line) -> [times]
        self.hooked = False
        self.inside = 0

    def begin(self):
        _Recording.begin(self)
        _after_steps(self)
        own = self.torch.compile

        @functools.wraps(own)
        def compile(model=None, **kwargs):
            self.hook()
            for name in ("mode", "options"):
                kwargs.pop(name, None)
            return own(model, **dict(kwargs, backend=self.take))

        self.torch.compile = compile
        if self.all:
            self.compile_modules(compile)

    def take(self, module, inputs, **ignored):
        self.graphs += 1
        return module.forward

    def hook(self):
        """Once Dynamo is needed: its import takes seconds."""
        if self.hooked:
            return
        self.hooked = True
        from torch._dynamo import convert_frame, symbolic_convert

        translator = symbolic_convert.InstructionTranslatorBase
        log, reasons = (
            translator.log_graph_break,
            convert_frame.get_and_maybe_log_recompilation_reasons,
        )

        def log_graph_break(translator, code_options, reason, exc):
            if not exc.logged:
                with contextlib.suppress(Exception):
                    self.broke(exc, reason)
            return log(translator, code_options, reason, exc)

        def get_reasons(entries, frame, *args, **kwargs):
            found = reasons(entries, frame, *args, **kwargs)
            with contextlib.suppress(Exception):
                self.recompiled(frame.f_code, len(entries), found)
            return found

        translator.log_graph_break = log_graph_break
        convert_frame.get_and_maybe_log_recompilation_reasons = get_reasons

    def broke(self, error, reason):
        from torch._dynamo import exc

        what = getattr(error, "gb_type", None) or str(reason).strip().split("\n")[0]
        numbers = getattr(exc, "_load_gb_type_to_gb_id_map", dict)()
        stack = (
            getattr(error, "real_stack", None) or self.torch._guards.TracingContext.extract_stack()
        )
        users = [one for one in stack if self.is_users(one.filename)]
        place = (users[-1].filename, users[-1].lineno) if users else self.users_line()
        _count(self.breaks, (numbers.get(what, ""), what[:200]) + place)

    def recompiled(self, code, entries, reasons):
        from torch._dynamo import config

        limit = getattr(config, "recompile_limit", None) or getattr(
            config, "cache_size_limit", None
        )
        why = _without_values(reasons[-1] if reasons else "")
        if limit and entries >= limit:
            why = "after %d compilations it is no longer compiled: %s" % (entries, why)
        users = self.is_users(code.co_filename)
        place = (code.co_filename, code.co_firstlineno) if users else self.users_line()
        name = re.sub(r"^torch_dynamo_resume_in_(.*)_at_\d+$", r"\1", code.co_name)
        _count(self.again, (name, why[:300]) + place)

    def compile_modules(self, compile):
        """Every module that the program calls is compiled, its parts with it."""
        calls, own = weakref.WeakKeyDictionary(), weakref.WeakKeyDictionary()
        is_compiling = self.torch.compiler.is_compiling

        def compiled_call(module):
            if module in own:
                return own[module]
            if self.inside or is_compiling() or self.off:
                return None
            if module not in calls:
                calls[module] = self.outermost(compile(module._call_impl))
            return calls[module]

        self.torch.nn.Module._compiled_call_impl = property(compiled_call, own.__setitem__)

    def outermost(self, call):
        def called(*args, **kwargs):
            self.inside += 1
            try:
                return call(*args, **kwargs)
            finally:
                self.inside -= 1

        return called

    def document(self):
        return {
            "calls": [],
            "graphs": self.graphs,
            "breaks": self.places(self.breaks),
            "recompiled": self.places(self.again),
        }


def _count(counted, key):
    counted.setdefault(key, [0])[0] += 1


_TEXTS = re.compile(r"""(?<!\[)('[^']*'|"[^"]*")""")
_COMPARED = re.compile(r"(==|!=|<=|>=|<|>) *[^ ]+$", re.M)


def _without_values(guard):
    """Of a guard that failed what it looks at; the values of the program's own variables go, sizes of tensors stay."""
    text = re.sub(r"^\d+/\d+: *", "", guard.strip().split("\n")[0].split("  #")[0]).strip()
    if text.startswith("tensor ") or "size()" in text or "stride()" in text:
        return text
    return _COMPARED.sub(r"\1 ...", _TEXTS.sub("...", text))


def _leaves(value, kind, found):
    if isinstance(value, kind):
        found.append(value)
    elif isinstance(value, (list, tuple)):
        for one in value:
            _leaves(one, kind, found)
    elif isinstance(value, dict):
        _leaves(list(value.values()), kind, found)


# -- JAX ------------------------------------------------------------------------------------------------

# Equations that only name, order or place a value.
_JAX_PASSED_OVER = _words(
    """stop_gradient name pvary device_put sharding_constraint copy copy_p random_wrap random_unwrap random_seed random_clone
    optimization_barrier create_token iota_2x32_shape"""
)
# Primitives whose function jax.lax calls otherwise.
_JAX_NAMES = {
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "not": "bitwise_not", "add_any": "add",
    "scatter-add": "scatter_add", "scatter-sub": "scatter_sub", "scatter-mul": "scatter_mul", "scatter-min": "scatter_min",
    "scatter-max": "scatter_max",
}  # fmt: skip
_JAX_RANDOM = {"random_bits": "bits", "random_split": "split", "random_fold_in": "fold_in"}
_JAX_READS = _words(
    "__bool__ __float__ __int__ __index__ __complex__ __array__ __format__ __repr__ __str__ item tolist"
)
_SEEN_OFTEN = 64  # calls of one of jax's own functions, after which they are no longer counted: dispatch is quick again


class _Jax(_Recording):
    """Every program that is compiled, with how often it is called: its equations are the calls."""

    framework = "jax"

    def __init__(self, jax, folder):
        _Recording.__init__(self, folder)
        self.jax, self.version = jax, str(jax.__version__)
        self.own = os.path.dirname(os.path.abspath(jax.__file__)) + os.sep
        self.runs = 0
        self.programs = {}  # (program's id, file, line) -> [times]
        self.kept = {}  # program's id -> program
        self.compiled = {}  # (function, file, line) -> {program's id: shapes}
        self.often = {}  # function -> calls
        self.quick = True

    def begin(self):
        from jax._src import core, pjit
        from jax._src.array import ArrayImpl
        from jax.extend.core import primitives

        self.core, self.primitives = core, primitives
        found = [
            (name, at)
            for name, at in (("_run_python_pjit", 2), ("_python_pjit_helper", 0))
            if hasattr(pjit, name)
        ]
        if not found or not hasattr(pjit, "_get_fastpath_data"):
            raise RuntimeError("jax %s compiles in a way that is not known" % self.version)
        name, at = found[0]
        run, fast = getattr(pjit, name), pjit._get_fastpath_data

        def run_program(*args, **kwargs):
            results = run(*args, **kwargs)
            try:
                self.ran(args[at], results)
            except SystemExit:
                raise
            except Exception:  # what goes wrong here is no business of the program
                self.quick = True
            return results

        def get_fastpath_data(*args, **kwargs):
            return fast(*args, **kwargs) if self.quick else None

        setattr(pjit, name, run_program)
        pjit._get_fastpath_data = get_fastpath_data
        self.watch_reads(ArrayImpl, _JAX_READS, "jax.Array.")
        _Recording.begin(self)

    def ran(self, function, results):
        self.quick = True
        if self.off or not self.core.trace_state_clean():
            return
        program = next(one for one in results if hasattr(one, "eqns") and hasattr(one, "jaxpr"))
        code = _code_of(function)
        jaxs = code is None or code.co_filename.startswith(self.own)
        self.runs += 1
        number = self.often[code or function] = self.often.get(code or function, 0) + 1
        self.quick = jaxs and number > _SEEN_OFTEN
        file, line = self.users_line()
        key = (id(program), file, line)
        if key not in self.programs:
            if len(self.programs) >= MOST_KEYS:
                return
            self.kept[id(program)] = program
            self.programs[key] = [0]
            if not jaxs:
                self.note_compiled(code, program)
            self.write_now_and_then()
        self.programs[key][0] += 1
        if not jaxs and self.is_users(code.co_filename):
            self.reached(number)
        self.look_at_limits(self.runs)

    def note_compiled(self, code, program):
        shapes = [aval.str_short() for aval in program.in_avals]
        if self.is_users(code.co_filename):
            place = (code.co_name, code.co_filename, code.co_firstlineno)
            self.compiled.setdefault(place, {})[id(program)] = shapes

    def document(self):
        made = _Calls()
        self.calls, self.left = 0, {}
        for (number, file, line), times in list(self.programs.items()):
            self.equations(self.kept[number].jaxpr, (file, line), times[0], made)
        compiled = {
            place: list(programs.values()) for place, programs in list(self.compiled.items())
        }
        return {
            "calls": made.written(),
            "reads": self.places(self.reads),
            "left_out": self.left_out(),
            "graphs": len(self.kept),
            "recompiled": self.compiled_again(compiled),
        }

    def equations(self, jaxpr, place, times, made, inside=True):
        """`inside`: the function that jaxpr is of was written by the user, so that its equations have lines of its own."""
        for equation in jaxpr.eqns:
            own = (self.line_of(equation) if inside else None) or place
            parts = list(_jaxprs(equation.params))
            name = equation.primitive.name
            if parts and not name.startswith("scatter"):
                if name == "pallas_call":
                    self.leave(name, "a kernel of its own", times)
                    continue
                for part in parts:
                    self.equations(part, own, times, made, self.is_of_user(part))
                continue
            if name in _JAX_PASSED_OVER:
                continue
            try:
                call = self.call_of(name, equation)
            except Exception as error:
                self.leave(name, _why(error), times)
                continue
            self.calls += times
            made.add(call, (self.shown(own[0]), own[1]), times)

    def line_of(self, equation):
        from jax._src import source_info_util

        for frame in source_info_util.user_frames(equation.source_info.traceback):
            if self.is_users(frame.file_name):
                return frame.file_name, frame.start_line

    def is_of_user(self, jaxpr):
        info = getattr(getattr(jaxpr, "debug_info", None), "func_src_info", "") or ""
        _, found, place = info.partition(" at ")
        return not found or self.is_users(place.rpartition(":")[0])

    def call_of(self, name, equation):
        args = []
        for one in equation.invars:
            aval = one.aval
            dtype, shape = str(aval.dtype), [int(size) for size in aval.shape]
            if dtype.startswith("key<"):
                args.append(["key", shape])
                continue
            args.append(["tensor", _known(dtype), shape, _contiguous(shape), False])
        params = {
            key: self.parameter(value)
            for key, value in sorted(equation.params.items())
            if not (name.startswith("scatter") and key in ("update_jaxpr", "update_consts"))
        }
        return {
            "function": self.name_of(name),
            "primitive": name,
            "args": args,
            "kwargs": params,
            "grad": False,
        }

    def name_of(self, primitive):
        jax, name = self.jax, _JAX_NAMES.get(primitive, primitive)
        if primitive in _JAX_RANDOM:
            return "jax.random." + _JAX_RANDOM[primitive]
        if hasattr(jax.lax, name):
            return "jax.lax." + name
        if hasattr(getattr(jax.lax, "linalg", None), name):
            return "jax.lax.linalg." + name
        name = primitive.replace("-", "_") + "_p"
        if not hasattr(self.primitives, name):
            raise _Unrecordable("no public function")
        return "jax.extend.core.primitives." + name

    def parameter(self, value):
        kind = type(value)
        if value is None or kind in (bool, int):
            return value
        if isinstance(value, enum.Enum):
            return ["enum", self.public(kind), value.name]
        if kind is float:
            return value if abs(value) < float("inf") else ["float", repr(value)]
        if kind is complex:
            return ["complex", value.real, value.imag]
        if kind is str:
            if len(value) > LONGEST_TEXT:
                raise _Unrecordable("a text of %d characters" % len(value))
            return value
        fields = getattr(value, "_fields", None) or getattr(kind, "__dataclass_fields__", None)
        if fields is not None:
            found = {name: self.parameter(getattr(value, name)) for name in fields}
            return ["struct", self.public(kind), found]
        if kind in (list, tuple):
            return [kind.__name__] + [self.parameter(one) for one in value]
        if (
            hasattr(value, "item")
            and getattr(value, "shape", None) == ()
            and kind.__module__ == "numpy"
        ):
            return self.parameter(value.item())
        if "dtype" in kind.__name__.lower() or isinstance(value, type):
            return ["dtype", _known(str(self.jax.numpy.dtype(value)))]
        raise _Unrecordable("a parameter of the class " + kind.__name__)

    def public(self, kind):
        for name in ("jax.lax", "jax.lax.linalg"):
            module = sys.modules.get(name)
            if getattr(module, kind.__name__, None) is kind:
                return "%s.%s" % (name, kind.__name__)
        raise _Unrecordable("a parameter of the class " + kind.__name__)


def _known(dtype):
    if dtype not in _DTYPES:
        raise _Unrecordable("the dtype " + dtype)
    return dtype


_DTYPES = _words(
    """float16 bfloat16 float32 float64 complex64 complex128 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool"""
)


def _code_of(function):
    """Of what was given to jit: of grad(f) and partial(f) that of f."""
    for _ in range(20):
        inner = getattr(function, "__wrapped__", None) or getattr(function, "func", None)
        if inner is None:
            break
        function = inner
    return getattr(function, "__code__", None)


def _jaxprs(params):
    for value in params.values():
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if hasattr(one, "eqns"):
                yield getattr(one, "jaxpr", one)


def _difference(compiled):
    """In what two compilations of one function differ."""
    before, after = compiled[-2], compiled[-1]
    if len(before) == len(after):
        for number, one in enumerate(after):
            if one != before[number]:
                return "array %d was %s, then %s" % (number + 1, before[number], one)
        return "an argument that is static, or a function that is made anew, differs"
    return "there were %d arrays, then %d" % (len(before), len(after))


# -- TensorFlow -----------------------------------------------------------------------------------------

# What holds, names or hands on a value, and functions, whose own operations are recorded.
_TF_PASSED_OVER = _words(
    """Const Placeholder PlaceholderWithDefault NoOp Identity IdentityN StopGradient PreventGradient ReadVariableOp VarHandleOp
    AssignVariableOp DestroyResourceOp VarIsInitializedOp EagerPyFunc StatefulPartitionedCall PartitionedCall If StatelessIf While
    StatelessWhile Case StatelessCase Assert PrintV2"""
)
_TF_READS = _words(
    "__bool__ __float__ __int__ __index__ __complex__ __array__ __format__ __repr__ __str__ numpy"
)
# Operands that say of what shape the result is or which axis is meant: their numbers are the call's, where they are constant.
_TF_STATIC = _words(
    """shape dims axis reduction_indices perm begin end strides size multiples paddings num_segments depth dim dimension split_dim
    size_splits concat_dim input_sizes filter_sizes input_size orig_input_shape k start limit delta block_shape crops num_split
    shift output_shape num_rows num_cols"""
)
_TF_FUNCTION = re.compile(r"^__(?:inference|forward)_(?:__)?(.*)_\d+$")


class _TensorFlow(_Recording):
    """Every operation, as it runs or as it is put into a graph."""

    framework = "tensorflow"

    def __init__(self, tf, folder):
        _Recording.__init__(self, folder)
        self.tf, self.version = tf, str(tf.__version__)
        self.made = {}  # text -> (call, {(graph's id or 0, file, line): [times]})
        self.graphs = {}  # graph's id -> graph
        self.waiting = {}  # function's name -> graphs that did not run yet
        self.graph_of = {}  # name of a function that ran -> its graph's id
        self.runs = {}  # graph's id -> [times]
        self.often = {}  # function's name -> [times]
        self.functions = []  # every tf.function
        self.definitions = {}

    def begin(self):
        from tensorflow.python.eager.polymorphic_function import polymorphic_function
        from tensorflow.python.framework import op_callbacks, op_def_registry, ops, tensor_util

        self.definition, self.constant = op_def_registry.get, tensor_util.constant_value
        self.watch_reads(ops._EagerTensorBase, _TF_READS, "tf.Tensor.")
        made = polymorphic_function.Function.__init__

        @functools.wraps(made)
        def init(function, *args, **kwargs):
            made(function, *args, **kwargs)
            if len(self.functions) < 1000:
                self.functions.append(function)

        polymorphic_function.Function.__init__ = init
        op_callbacks.add_op_callback(self.took)
        _Recording.begin(self)

    def took(self, op_type, inputs, attrs, outputs, op_name=None, graph=None):
        """A callback of TensorFlow's: nothing is changed."""
        if self.off:
            return None
        try:
            self.note(op_type, inputs, attrs, outputs, graph)
        except SystemExit:
            raise
        except Exception:  # what goes wrong here is no business of the program
            pass
        return None

    def note(self, name, inputs, attrs, outputs, graph):
        name = name.decode() if isinstance(name, bytes) else str(name)
        self.calls += 1
        if graph is None:
            ran = _TF_FUNCTION.match(name)
            if ran:
                return self.ran(name, ran.group(1))
            if self.calls % 1000 == 0:
                self.look_at_limits(self.calls)
        if (
            name in _TF_PASSED_OVER
            or name.startswith("_")
            or "Dataset" in name
            or "Iterator" in name
        ):
            return None
        number = self.graph_number(graph)
        file, line = self.line_of(outputs) if graph is not None else self.users_line()
        try:
            call = self.call_of(name, inputs, attrs)
        except Exception as error:
            return self.leave(name, _why(error))
        text = json.dumps(call, sort_keys=True)
        found = self.made.get(text)
        if found is None:
            if len(self.made) >= MOST_KEYS:
                return None
            found = self.made[text] = (call, {})
        _count(found[1], (number, file, line))
        self.write_now_and_then()

    def ran(self, name, short):
        number = self.graph_of.get(name)
        if number is None:
            waiting = self.waiting.get(short) or [0]
            number = self.graph_of[name] = waiting.pop()
        _count(self.runs, number)
        _count(self.often, short)
        self.reached(self.often[short][0])

    def graph_number(self, graph):
        """0 for what runs at once, else the function's graph that it is a part of."""
        if graph is None:
            return 0
        while getattr(getattr(graph, "outer_graph", None), "outer_graph", None) is not None:
            graph = graph.outer_graph
        if id(graph) not in self.graphs:
            self.graphs[id(graph)] = graph
            self.waiting.setdefault(str(getattr(graph, "name", "")), []).append(id(graph))
        return id(graph)

    def line_of(self, outputs):
        """A graph's operation knows the line that autograph wrote its code for."""
        for frame in reversed(list(outputs[0].op.traceback)) if outputs else ():
            if self.is_users(frame.filename):
                return frame.filename, frame.lineno
        return "", 0

    def call_of(self, name, inputs, attrs):
        if name not in self.definitions:
            callee = getattr(self.tf.raw_ops, name, None)
            if callee is None:
                raise _Unrecordable("no public function")
            definition = self.definition(name)
            self.definitions[name] = definition, _parameters(callee, definition)
        definition, wanted = self.definitions[name]
        attrs = {str(attrs[at]): attrs[at + 1] for at in range(0, len(attrs), 2)}
        kwargs, rest = {}, list(inputs)
        for one in definition.input_arg:
            if one.number_attr or one.type_list_attr:
                number = self.value(attrs[one.number_attr]) if one.number_attr else len(rest)
                kwargs[wanted[one.name]] = ["list"] + [
                    self.operand(one.name, each) for each in rest[:number]
                ]
                rest = rest[number:]
            else:
                kwargs[wanted[one.name]] = self.operand(one.name, rest.pop(0))
        kinds = {one.name: one.type for one in definition.attr}
        for key, value in attrs.items():
            if key in ("seed", "seed2"):
                kwargs[key] = 0
            elif key in wanted and key in kinds:
                kwargs[wanted[key]] = self.attribute(self.value(value), kinds[key])
        return {"function": "tf.raw_ops." + name, "args": [], "kwargs": kwargs, "grad": False}

    def operand(self, name, tensor):
        dtype, shape = tensor.dtype.base_dtype.name, tensor.shape
        if dtype in ("resource", "variant"):
            raise _Unrecordable("a variable")
        if shape.rank is None or any(size is None for size in shape.as_list()):
            raise _Unrecordable("a shape that is not known before it runs")
        sizes = shape.as_list()
        if (
            name in _TF_STATIC
            and dtype in ("int32", "int64")
            and shape.num_elements() <= MOST_NUMBERS
        ):
            return _listed(self.numbers(tensor))
        return ["tensor", _known(dtype), sizes, _contiguous(sizes), False]

    def numbers(self, tensor):
        eager = hasattr(tensor, "_numpy")
        found = tensor._numpy() if eager else self.constant(tensor)
        if found is not None:
            return found.tolist() if hasattr(found, "tolist") else int(found)
        if tensor.op.type == "ShapeN":
            shape = tensor.op.inputs[tensor.value_index].shape
            if shape.is_fully_defined():
                return shape.as_list()
        raise _Unrecordable("a shape or an axis that the program computes")

    @staticmethod
    def value(attribute):
        """Of an attribute of a graph's operation; one that runs at once has it as it is."""
        which = getattr(attribute, "WhichOneof", None)
        if which is None:
            return attribute
        kind = which("value")
        found = getattr(attribute, kind)
        if kind == "list":
            fields = [list(values) for _, values in found.ListFields()]
            return fields[0] if fields else []
        return found

    def attribute(self, value, kind):
        if kind == "type":
            return ["dtype", _known(self.tf.dtypes.as_dtype(value).name)]
        if isinstance(value, bytes):
            value = value.decode()
        if kind == "shape":
            return _listed(self.tf.TensorShape(value).as_list())
        if isinstance(value, str):
            if len(value) > LONGEST_TEXT:
                raise _Unrecordable("a text of %d characters" % len(value))
            return value
        if isinstance(value, (list, tuple)):
            return ["list"] + [self.attribute(one, "") for one in value]
        if type(value) is float and abs(value) == float("inf"):
            return ["float", repr(value)]
        if value is None or type(value) in (bool, int, float):
            return value
        raise _Unrecordable("an attribute of the class " + type(value).__name__)

    def document(self):
        made = _Calls()
        for call, sites in list(self.made.values()):
            for (number, file, line), times in list(sites.items()):
                ran = self.runs.get(number, [1])[0] if number else 1
                made.add(call, (self.shown(file), line), times[0] * ran)
        return {
            "calls": made.written(),
            "reads": self.places(self.reads),
            "left_out": self.left_out(),
            "graphs": len(self.graphs),
            "recompiled": self.traced_again(),
        }

    def traced_again(self):
        found = {}  # (name, file, line) -> what each graph takes
        for function in self.functions:
            code = _code_of(function.python_function)
            if code is None or not self.is_users(code.co_filename):
                continue
            place = (code.co_name, code.co_filename, code.co_firstlineno)
            for concrete in function._list_all_concrete_functions():
                shapes = ["%s%s" % (one.dtype.name, one.shape) for one in concrete.inputs
                          if one.dtype.name != "resource"]  # fmt: skip
                found.setdefault(place, []).append(shapes)
        return self.compiled_again(found)


def _parameters(callee, definition):
    """What the function calls each input and attribute; some have another name there, in the same order."""
    taken = [one for one in inspect.signature(callee).parameters if one != "name"]
    named = [one.name for one in list(definition.input_arg) + list(definition.attr)]
    found = {name: name for name in named if name in taken}
    inputs = [one.name for one in definition.input_arg if one.name not in found]
    found.update(zip(inputs, [one for one in taken if one not in found]))
    return found


def _listed(value):
    return ["list"] + [_listed(one) for one in value] if isinstance(value, list) else value


def _contiguous(shape):
    strides = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * max(shape[axis], 1)
    return strides


# -- values of calls ------------------------------------------------------------------------------------


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
