"""A case as a script of one function: its draws, its calls and what it does with them, one a line; made on the CPU and on the
target, and compared. What a body asks of a value (`if`, `for`, `len`) the lines so far answer, executed on the CPU. What
cannot be written so is printed whole (script.py)."""

import ast
import contextlib
import functools
import importlib.util
import inspect
import math
import re
import shutil
import tempfile
import textwrap
import types

from . import programs, side_by_side
from .adapters.base import widen
from .attempt import body_arguments, import_numpy
from .handle import Handle
from .inputs import Inputs, kind_of
from .made import Bound, Made, NotStraight, arguments_text, arrays_of, numbers_text, text

OURS = re.compile(r"[a-z]\d+|error\d*")  # names of lines
TAKEN = ("np", "rng", "device", "compiled", "FOLDER", "jax", "jnp", "tf", "torch")
LONGEST = 2000  # of a line
NOT_WIDE = ("none", "native", "shapes", "runs")  # references that are no wider run


class Recorder:
    """The handle that a body gets: writes down what it asks for. What else a handle has is refused."""

    place = "target"

    def __init__(self, case, adapter, style, seed):
        self._case, self._adapter, self._style, self._seed = case, adapter, style, seed
        self.key = Inputs(None, case.name, seed).key
        self.lines, self._counts = [], {}
        self._derived = {}  # name: the line that made it, which does nothing else
        self._parameters = []  # of functions that are being written
        self._depth = 0  # of blocks that are being written
        self._marked = set()  # names of the inputs that have a gradient
        self._set = {}  # names that functions find outside of them
        self._space, self._executed = None, 0
        self._folder = None
        self.results = []  # names of what the calls gave
        self.is_cut = False  # whether it returns what its calls gave, not what the body makes of it
        self.open = False  # whether a check of the body's could not be written
        self.end = None  # the number of lines when the last call was made
        self.dtypes = set()  # that were asked for
        compared = case.random is not True and not style.get("ahead")
        self.widened = compared and case.reference not in NOT_WIDE
        self.unsettled = None  # the attribute that was asked for last
        self.fw = Made(self, adapter.root, True)
        self.np = Made(self, "np", True)
        self.device = Made(self, "device", True)
        self.compiled = "compiled" in style and not case.host_only

    def close(self):
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    # -- values: the lines so far, executed on the CPU ---------------------------------------------

    def value(self, made):
        """What a line made, on the CPU."""
        if self._depth or made._name.split(".")[0] in self._parameters:
            raise NotStraight
        name = text(made)
        self.settle()
        with contextlib.ExitStack() as stack:
            stack.enter_context(self._adapter.at("native"))
            try:
                if self._space is None:
                    self._space = self.names()
                self._space.update(self.kinds())
                lines, self._executed = self.lines[self._executed :], len(self.lines)
                side_by_side.run(
                    "\n".join([*modules_named(self._style, lines), *lines]), self._space
                )
                if made._plain and name.startswith(self._adapter.root + "."):
                    return self._adapter.lookup(name)
                return eval(name, self._space)
            except Exception as error:
                raise NotStraight from error

    def ask(self, made):
        """A value that the body goes on with as Python's: behind the call it is the result that must show the failure."""
        if made is None and not self.results:
            raise NotStraight
        self.open = self.open or bool(self.results)
        return None if made is None else self.value(made)

    def names(self):
        """What lines find, on the CPU."""
        import numpy

        space = {"np": numpy, "functools": functools, "compiled": lambda call: call}
        if self._folder is not None:  # a new one, that lacks what the body itself wrote
            space["FOLDER"] = tempfile.mkdtemp(dir=self._folder)
        space[self._adapter.root] = self._adapter.lookup(self._adapter.root)
        space.update(
            {one: self._adapter.lookup(name) for one, name in self._style.get("short", {}).items()}
        )
        space.update(self.kinds())
        space["device"] = self._adapter.device_of("native")
        space["rng"] = numpy.random.Generator(numpy.random.Philox(key=self.key))
        return space

    def kinds(self):
        """The parameters of the run, as they are here; and 64-bit types exist where one is asked for."""
        found = {name: self._adapter.dtype(name, "native") for name in self.dtypes}
        return {name: found[name] for name in found if widen(name) != name}

    def need(self, made, name):
        """AttributeError where the value is known and lacks that attribute."""
        try:
            value = self.value(made)
        except NotStraight:
            return
        if not hasattr(value, name) and not made._plain:
            raise AttributeError(name)

    def is_sequence(self, value):
        return self._adapter.is_array(value) or type(value).__module__ == "numpy"

    def on_cpu(self, body):
        """What the body gives there with the same draws: before the call it decides how the case is made."""
        handle = Handle(self._case, self._adapter, import_numpy()[0], "native", self._seed)
        with self._adapter.at("native"), contextlib.closing(handle):
            return body(handle)

    def tmpdir(self):
        if self._folder is None:
            self._folder = tempfile.mkdtemp(prefix="seamark-script-")
        return self._folder

    def settle(self):
        """Before anything else happens, what was asked for and not called is a value."""
        if self.unsettled is not None:
            self.unsettled._value()

    def add(self, line):
        self.settle()
        self.lines.append(line)

    def line(self, prefix, code):
        self.settle()
        made = Made(self, self._next(prefix))
        self.lines.append("%s = %s" % (made._name, code))
        return made

    def derived(self, code):
        """A line that may go where nothing uses what it made."""
        made = self.line("v", code)
        self._derived[made._name] = self.lines[-1]
        return made

    def arguments_text(self, args, kwargs):
        return arguments_text(self._with_names(args), self._with_names(kwargs))

    def _with_names(self, values):
        """The arguments, with a line's name in place of each function of Python's."""
        if type(values) is dict:
            return {key: self._with_names(one) for key, one in values.items()}
        if type(values) in (list, tuple):
            return type(values)(map(self._with_names, values))
        if type(values) is functools.partial:
            given = [self._with_names(one) for one in (values.func, *values.args)]
            named = self._with_names(values.keywords)
            return Made(self, "functools.partial(%s)" % arguments_text(given, named), True)
        return self._function(values) if type(values) is types.FunctionType else values

    def _function(self, function, positions=None):
        """Its text, as what it does with its parameters tells it; where they do not tell, as it stands."""
        before = list(self.lines), dict(self._counts), self.results, self.open
        try:
            return self._traced(function, positions)
        except Exception:
            self.lines, self._counts, self.results, self.open = before
            self._parameters, self._depth, self.unsettled = [], 0, None
            return self._copied(function)

    def _traced(self, function, positions):
        """`positions`: with how many arguments it is called."""
        names = []
        for one in inspect.signature(function).parameters.values():
            if one.kind == one.VAR_POSITIONAL and positions is not None:
                names += [self._next("a") for _ in range(positions - len(names))]
            elif one.kind == one.POSITIONAL_OR_KEYWORD and one.default is one.empty:
                is_taken = one.name in (
                    *TAKEN,
                    *self._parameters,
                    *self._style["names"],
                ) or OURS.fullmatch(one.name)
                names.append(self._next("a") if is_taken else one.name)
            else:
                raise NotStraight
        if vars(function):
            raise NotStraight
        self._parameters += names
        made = self.results
        with self._lines_of_their_own() as lines:
            result = text(function(*[Made(self, name) for name in names]))
        if made is not self.results or self.results:
            raise NotStraight
        del self._parameters[len(self._parameters) - len(names) :]
        made = self._next("f")
        body = ["    " + line for line in [*lines, "return " + result]]
        self.lines += ["def %s(%s):" % (made, ", ".join(names)), *body]
        return Made(self, made, True)

    def _copied(self, function):
        """As its source has it, behind what it names of its surroundings: constants, functions, what lines made."""
        if vars(function) or self._depth or self._set.get(function.__name__) is function:
            raise NotStraight
        source = textwrap.dedent(inspect.getsource(function))
        name = function.__name__
        found = inspect.getclosurevars(function)
        if name == "<lambda>":
            tree = ast.parse(source.strip())
            found_lambdas = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda)]
            if len(found_lambdas) != 1:
                raise NotStraight
            name = self._next("f")
            source = "%s = %s" % (name, ast.get_source_segment(source.strip(), found_lambdas[0]))
        elif not source.startswith("def ") or name in TAKEN or OURS.fullmatch(name):
            raise NotStraight
        for outer, value in {**found.nonlocals, **found.globals}.items():
            self._name_outside(outer, value, name)
        if self._set.setdefault(name, function) is not function:
            raise NotStraight
        self.settle()
        if not any(line.startswith("def %s(" % name) for line in self.lines):
            self.lines += without_docstring(source).rstrip().split("\n")
        return Made(self, name, True)

    def _name_outside(self, name, value, function):
        if name == function or type(value) is Recorder:
            raise NotStraight
        if isinstance(value, types.ModuleType):
            if (
                value.__name__ != self._adapter.lookup(self._adapter.root).__name__
                or name != self._adapter.root
            ):
                raise NotStraight
            return
        code = text(self._copied(value) if type(value) is types.FunctionType else value)
        if code == name:
            return
        if name in TAKEN or OURS.fullmatch(name) or self._set.setdefault(name, code) != code:
            raise NotStraight
        self.add("%s = %s" % (name, code))

    @contextlib.contextmanager
    def _lines_of_their_own(self):
        self.settle()
        outer, self.lines = self.lines, []
        self._depth += 1
        try:
            yield self.lines
            self.settle()
        finally:
            self.lines = outer
            self._depth -= 1

    def _next(self, prefix):
        number = self._counts[prefix] = self._counts.get(prefix, -1) + 1
        return "%s%d" % (prefix, number)

    def _give(self, values, dtype, grad, noncontiguous):
        grad = (
            (self._case.grad and kind_of(dtype) in ("float", "complex")) if grad is None else grad
        )
        asked = self.dtype(dtype)._name
        code = self._style["tensor"] % (values, self._exact(dtype))
        code = (
            self._style["placed"] % (code, asked) if asked == dtype else self._style["there"] % code
        )
        if noncontiguous and "spaced" in self._style and not values.endswith("())"):
            code = (
                code.replace(*self._style["spaced"]) + "[..., ::2]" + (".detach()" if grad else "")
            )
        made = self.line("x", code + (self._style["grad"] if grad else ""))
        if grad:
            self._marked.add(made._name)
        return made

    def _exact(self, dtype):
        return self._style["dtypes"] % self._style["names"].get(dtype, dtype)

    def spd(self, n, dtype, batch=(), grad=None, noncontiguous=False):
        q = self._next("q")
        self.add("%s = np.linalg.qr(rng.standard_normal(%s))[0]" % (q, text((*batch, n, n))))
        code = "(%s * np.linspace(1.0, 8.0, %d)) @ np.swapaxes(%s, -1, -2)" % (q, n, q)
        return self._give(code, dtype, grad, noncontiguous)

    def host(self, array):
        """The values on the CPU; what is made of them before the call is the same on every target."""
        value = self.ask(array) if isinstance(array, Made) else array
        return self._adapter.to_numpy(value) if self._adapter.is_array(value) else value

    def randn(self, shape, dtype, grad=None, noncontiguous=False):
        kind, shape = kind_of(dtype), text(shape)
        real = "rng.standard_normal(%s)" % shape
        codes = {
            "bool": "rng.integers(0, 2, %s).astype(bool)" % shape,
            "int": "rng.integers(-9, 10, %s)" % shape,
            "uint": "rng.integers(0, 10, %s)" % shape,
            "complex": "%s + 1j * %s" % (real, real),
        }
        return self._give(codes.get(kind, real), dtype, grad, noncontiguous)

    def uniform(self, shape, dtype, low=0.0, high=1.0, grad=None, noncontiguous=False):
        kind = kind_of(dtype)
        real = "rng.uniform(%s, %s, %s)" % (text(low), text(high), text(shape))
        codes = {"complex": "%s + 1j * %s" % (real, real)}
        codes["int"] = codes["uint"] = "np.floor(%s).astype(np.int64)" % real
        return self._give(codes.get(kind, real), dtype, grad, noncontiguous)

    def randint(self, shape, dtype, low, high, grad=False, noncontiguous=False):
        code = "rng.integers(%s, %s, %s)" % (text(low), text(high), text(shape))
        return self._give(code, dtype, grad, noncontiguous)

    def distinct(self, shape, dtype, grad=None, noncontiguous=False):
        count = math.prod(shape)
        less = "" if kind_of(dtype) in ("uint", "bool") else " - %d" % (count // 2)
        code = "(rng.permutation(%d)%s).reshape(%s)" % (count, less, text(shape))
        return self._give(code, dtype, grad, noncontiguous)

    def const(self, data, dtype, grad=False, noncontiguous=False):
        return self._give("np.asarray(%s)" % text(data), dtype, grad, noncontiguous)

    def construct(self, name, *args, dtype="f32", **kwargs):
        if "module" not in self._style or not isinstance(name, str):
            raise NotStraight
        factory, base = self._adapter.lookup(name), self._adapter.lookup(self._style["module"])
        if not isinstance(factory, type) or not issubclass(factory, base):
            raise NotStraight
        made = self.line("m", "%s(%s)" % (name, arguments_text(args, kwargs)))
        named = {
            "module": made._name,
            "dtype": text(self.dtype(dtype)),
            "exact": self._exact(dtype),
        }
        self.lines.extend(one % named for one in self._style["fill"])
        return made

    def dtype(self, name):
        """The name of a parameter where a run is made in a wider type, too."""
        self.dtypes.add(name)
        is_wider = self.widened and widen(name) != name
        return Made(self, name if is_wider else self._exact(name), True)

    def get(self, name):
        return Made(self, name, True)

    def expect(self, condition, message):
        if type(condition) in (Made, Bound):
            self.add("assert %s, %r" % (text(condition), "expected " + message))
        elif self.results:  # Python's own answer, perhaps of two names for one thing
            self.open = True
        else:
            raise NotStraight

    def call(self, function, *args, **kwargs):
        while type(function) is functools.partial:
            args, kwargs = function.args + args, dict(function.keywords, **kwargs)
            function = function.func
        given = arrays_of([*args, *kwargs.values()])
        number = self._next("y")[1:]
        result, gradients = "y" + number, "g" + number
        called = self._called_name(function, len(args))
        self._given = [text(one) for one in args if type(one) in (Made, Bound)]
        named = {
            "function": called,
            "arguments": self.arguments_text(args, kwargs),
            "result": result,
        }
        named["arrays"] = ", ".join(
            dict.fromkeys(text(one) for one in given if self._is_array(one))
        )
        style = self._style
        named["call"] = style["compiled_call" if self.compiled else "call"] % named
        self.settle()
        if not self._case.grad:
            self.lines.append("%(result)s = %(call)s" % named)
            self.results.append(result)
            self.end = len(self.lines)
            return Made(self, result)
        marked = [text(one) for one in given if self._has_gradient(one)]
        if not marked:
            raise NotStraight
        named.update(
            inputs="[%s]" % ", ".join(dict.fromkeys(marked)), names=", ".join(dict.fromkeys(marked))
        )
        named["gradients"] = gradients
        whole = self.compiled and style.get("gradient_is_compiled")
        if whole:
            named["call"] = style["call"] % named
        lines = [line % named for line in style["gradient"]]
        if "gradient_of_one" in style and self._gives_one(lines[0], result):
            lines = [line % named for line in style["gradient_of_one"]]
        if whole:
            lines = ["def call%s(%s):" % (number, named["arrays"]), *("    " + line for line in lines),
                     "    return %s, %s" % (result, gradients),
                     "%s, %s = compiled(call%s)(%s)" % (result, gradients, number, named["arrays"])]  # fmt: skip
        self.lines += lines
        self.results += [result, gradients]
        self.end = len(self.lines)
        return Made(self, result), Made(self, gradients)

    def _is_array(self, made):
        try:
            return self._adapter.is_array(self.value(made))
        except NotStraight:
            return True

    # -- a call that was made, with the numbers that it got ----------------------------------------

    def replay(self, name, args, kwargs):
        args, kwargs = (programs.mapped(one, self._given_again) for one in (args, kwargs))
        self.call(name, *args, **kwargs)

    def _given_again(self, leaf):
        """What stands for an argument in a line."""
        adapter = self._adapter
        if adapter.is_array(leaf):
            return self._literal(leaf)
        if isinstance(leaf, types.FunctionType) or type(leaf).__module__ == "numpy":
            raise NotStraight
        for name in self._style["names"]:
            if leaf is adapter.dtype(name, "native"):
                return self.dtype(name)
        plain = str(leaf) if type(leaf).__module__ == adapter.root else ""
        if plain == "cpu":
            return self.device
        return Made(self, plain, True) if plain.startswith(adapter.root + ".") else leaf

    def _literal(self, array):
        dtype = self._adapter.dtype_name(array)
        if dtype not in self._style["names"] or getattr(array, "is_the_hosts", False):
            raise NotStraight
        values = self._adapter.to_numpy(array)
        if hasattr(array, "stride") and values.size:
            order = sorted(range(array.dim()), key=lambda axis: (-array.stride(axis), axis))
            if not array.permute(order).is_contiguous() or type(array).__module__ != "torch":
                raise NotStraight
            turned = ".permute(%s)" % text([order.index(axis) for axis in range(len(order))])
            turned = turned if order != sorted(order) and not array.is_contiguous() else ""
            values = values.transpose(order) if turned else values
        else:
            turned = ""
        code = (
            "np.zeros(%s)" % text(values.shape) if not values.size else numbers_text(values, dtype)
        )
        if len(code) > LONGEST:
            raise NotStraight
        grad = bool(getattr(array, "requires_grad", False)) and self._case.grad
        made = self._give(code, dtype, grad, False)
        self.lines[-1] = (
            self.lines[-1].replace(")).to(", ")%s).to(" % turned) if turned else self.lines[-1]
        )
        return made

    def _has_gradient(self, made):
        if made._name in self._marked:
            return True
        try:
            return self._style["grad"] and getattr(self.value(made), "requires_grad", False)
        except NotStraight:
            return False

    def _gives_one(self, line, result):
        """Whether the call gives one array."""
        self.lines.append(line)
        try:
            return self._adapter.is_array(self.value(Made(self, result)))
        except NotStraight:
            return False
        finally:
            self.lines.pop()
            self._executed = min(self._executed, len(self.lines))

    def _called_name(self, function, positions):
        if type(function) is str:
            return function
        is_own = type(function) is types.FunctionType
        return text(self._function(function, positions) if is_own else function)

    def raises(self, _, function, *args, **kwargs):
        before = list(self.results)
        with self._lines_of_their_own() as lines:
            function(*args, **kwargs)
        self.results = before
        name = self._next("error")
        no_refusals = (*self._adapter.no_refusals, *self._adapter.no_refusal_texts)
        self.lines += [
            "try:",
            *["    " + line for line in [*lines, *self._style.get("wait", ())]],
            "except Exception as error:",
            "    if any(one in repr(type(error)) + str(error) for one in %r):" % (no_refusals,),
            "        raise  # it is missing, which is no refusal",
            "    %s = error" % name,
            "else:",
            '    raise AssertionError("nothing was raised")',
        ]
        return Made(self, name)

    def refuses(self, function, *args, **kwargs):
        return self.raises(Exception, self.call, function, *args, **kwargs)

    def of_body(self, params):
        """(lines, what they return): the body's, or up to its call where that is the only one and the rest only checks."""
        recipe = self._case.body.__module__.endswith("._recipes")
        try:
            result = self._case.body(self, **params)
            result = None if recipe or self.open else result
            self.settle()
        except Exception as error:
            only = not self._depth and (recipe or calls_in(self._case.body) == 1)
            if self.end is None or not only:
                raise NotStraight from error
            self.lines, self.unsettled, result = self.lines[: self.end], None, None
            self.open = True
        if not self.results and not self.lines:
            raise NotStraight
        if self.open and (self._case.reference == "none" or self._case.random is True):
            raise NotStraight  # its checks are all that there is
        self.is_cut = result is None
        returned = self.returned() if result is None else text(result)
        more = params.get("more") or {}
        if recipe and more.get("show"):
            value = self.value(Made(self, returned))
            if value is None:
                returned = "[%s]" % ", ".join(self._given)  # as the call leaves them
            elif hasattr(value, "state_dict") and not isinstance(value, type):
                returned += ".state_dict()"
        return self._used(returned), returned

    def returned(self):
        return self.results[0] if len(self.results) == 1 else "[%s]" % ", ".join(self.results)

    def _used(self, returned):
        """The lines without those that nothing uses."""
        lines, gone = list(self.lines), True
        while gone:
            words = re.findall(r"\w+", "\n".join([*lines, returned]))
            gone = [
                line
                for name, line in self._derived.items()
                if line in lines and words.count(name) == 1
            ]
            lines = [line for line in lines if line not in gone]
        return lines


def without_docstring(source):
    node = ast.parse(source).body[0]
    if (
        isinstance(node, ast.FunctionDef)
        and ast.get_docstring(node) is not None
        and len(node.body) > 1
    ):
        lines = source.split("\n")
        return "\n".join(lines[: node.body[0].lineno - 1] + lines[node.body[0].end_lineno :])
    return source


def modules_named(style, lines):
    """Import statements of the modules below the style's package whose names the lines have."""
    found = set()
    for name in re.findall(r"(?<![\w.])%s(?:\.\w+)+" % style.get("modules", "$"), "\n".join(lines)):
        parts = name.split(".")
        for count in range(len(parts) - 1, 1, -1):
            module = ".".join(parts[:count])
            with contextlib.suppress(ImportError, ValueError):
                if importlib.util.find_spec(module) is not None:
                    if module not in style.get("loaded", ()):
                        found.add("import " + module)
                    break
    return sorted(found)


def calls_in(body):
    """How often a body makes the call under test; what may make it again, or catch it, counts twice."""
    found = 0
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(body)))):
        if isinstance(node, ast.Attribute) and node.attr in ("call", "raises", "refuses"):
            found += 1
        found += 2 * isinstance(
            node, (ast.For, ast.While, ast.comprehension, ast.Lambda, ast.Try, ast.With)
        )
    return found


def script(case, adapter, seed, params):
    """The script; None where the body, or the target, asks for more than lines."""
    return _script(case, adapter, seed, lambda recorder: recorder.of_body(params))


def recorded(case, adapter, seed):
    """The script of the one call that the case makes, with the numbers that it gets, by the name of its function; None where
    they are too many, or it is another call."""

    def lines(recorder):
        calls, on_cpu = [], side_by_side.handle_on_cpu(case, adapter, seed)
        with on_cpu as handle, contextlib.suppress(Exception):
            call = handle.call
            handle.call = lambda *given, **named: (
                calls.append((given, named)) or call(*given, **named)
            )
            case.body(**body_arguments(case, handle))
        (((_, *args), kwargs),) = calls
        recorder.replay(case.function, args, kwargs)
        return recorder.lines, recorder.returned()

    return _script(case, adapter, seed, lines)


def _script(case, adapter, seed, lines_of):
    style = adapter.straight()
    if style is None:
        return None
    recorder = Recorder(case, adapter, style, seed)
    try:
        lines, returned = lines_of(recorder)
        if any("rng." in line for line in lines):
            lines.insert(0, "rng = np.random.Generator(np.random.Philox(key=%d))" % recorder.key)
        if recorder._folder is not None:
            lines = [in_folder(line, recorder._folder) for line in lines]
        if max(map(len, [*lines, returned])) > LONGEST:
            return None
        kinds = sorted(recorder.dtypes)
        wider = [(one, recorder._exact(one), recorder._exact(widen(one))) for one in kinds
                 if recorder.widened and widen(one) != one]  # fmt: skip
        if style.get("ahead") and re.search(
            r"\b(device|Mesh|sharding|devices)\b", "\n".join(lines)
        ):
            return None  # the devices that it names are those of the topology
        program = side_by_side.Program(lines, returned, wider, recorder.compiled)
        program.setup = modules_named(style, [*lines, returned])
        if recorder.dtypes.intersection(style.get("wide_dtypes", ())):
            program.settings.append(style["wide"])
        names, is_whole = recorder.names, not recorder.is_cut
        return side_by_side.script(case, adapter, seed, style, program, names, is_whole)
    except Exception:
        return None
    finally:
        recorder.close()


def in_folder(line, folder):
    """The line with a folder of the script's own in place of the one that the body got."""
    found = re.findall("['\"](%s[^'\"]*)['\"]" % re.escape(folder), line)
    for path in found:
        line = re.sub("['\"]%s['\"]" % re.escape(path), "FOLDER + %r" % path[len(folder) :], line)
    return line.replace("FOLDER + ''", "FOLDER")
