"""A case as a script without functions: its draws, its calls and what it does with them, one a line. A body that asks what a
value is (`if`, `for`, `len`) cannot be written so; it is printed whole (script.py)."""

import ast
import contextlib
import importlib.util
import inspect
import math
import re
import textwrap
import types

from .inputs import Inputs, kind_of

OURS = re.compile(r"[a-z]\d+|error\d*")  # names of lines
TAKEN = ("np", "rng", "DEVICE", "jax", "jnp", "tf", "torch")
LONGEST = 2000  # of a line


class NotStraight(Exception):
    """The body does more than lines can say."""


class Made:
    """What a line made, by its name there: what is done with it becomes a line. `plain`: a name of the framework."""

    def __init__(self, recorder, name, plain=False):
        vars(self).update(_recorder=recorder, _name=name, _plain=plain)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        code = "%s.%s" % (self._name, name)
        return Made(self._recorder, code, True) if self._plain else Bound(self._recorder, code)

    def __setattr__(self, name, value):
        self._recorder.add("%s.%s = %s" % (text(self), name, text(value)))

    def __call__(self, *args, **kwargs):
        given = self._recorder.arguments_text(args, kwargs)
        return self._recorder.line("v", "%s(%s)" % (self._name, given))

    def __getitem__(self, index):
        return self._recorder.line("v", "%s[%s]" % (self._name, index_text(index)))

    def __setitem__(self, index, value):
        self._recorder.add("%s[%s] = %s" % (text(self), index_text(index), text(value)))

    def _refuse(self, *_):
        raise NotStraight

    __bool__ = __hash__ = __iter__ = __len__ = __index__ = __int__ = __float__ = __array__ = (
        __contains__
    ) = _refuse
    __str__ = __repr__ = __format__ = _refuse
    __reduce_ex__ = __copy__ = __deepcopy__ = __enter__ = __exit__ = __iadd__ = __isub__ = (
        __imul__
    ) = __itruediv__ = _refuse


class Bound(Made):
    """An attribute of a value: a method where it is called at once, else a value, which a line takes then."""

    def __init__(self, recorder, name):
        recorder.settle()
        Made.__init__(self, recorder, name)
        vars(self).update(_made=None)
        recorder.unsettled = self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._value(), name)

    def __getitem__(self, index):
        return self._value()[index]

    def __call__(self, *args, **kwargs):
        if self._made is not None:
            return self._made(*args, **kwargs)
        self._recorder.unsettled = None
        return Made.__call__(self, *args, **kwargs)

    def _value(self):
        if self._made is None:
            self._recorder.unsettled = None
            vars(self).update(_made=self._recorder.line("v", self._name))
        return self._made


def _operators():
    symbols = {
        "add": "+",
        "sub": "-",
        "mul": "*",
        "truediv": "/",
        "floordiv": "//",
        "mod": "%",
        "pow": "**",
        "matmul": "@",
    }
    symbols.update({"and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>"})
    compared = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}

    def of(symbol, turned=False):
        def apply(self, other):
            value = text(other)
            value = "(%s)" % value if value.startswith("-") else value
            sides = (value, text(self)) if turned else (text(self), value)
            return self._recorder.line("v", "%s %s %s" % (sides[0], symbol, sides[1]))

        return apply

    for name, symbol in dict(symbols, **compared).items():
        setattr(Made, "__%s__" % name, of(symbol))
    for name, symbol in symbols.items():
        setattr(Made, "__r%s__" % name, of(symbol, True))
    for name, symbol in {"neg": "-", "invert": "~"}.items():
        setattr(
            Made,
            "__%s__" % name,
            lambda self, sign=symbol: self._recorder.line("v", sign + text(self)),
        )


_operators()


class Recorder:
    """The handle that a body gets: writes down what it asks for. What else a handle has is refused."""

    def __init__(self, case, adapter, style):
        self._case, self._adapter, self._style = case, adapter, style
        self.lines, self._counts = [], {}
        self._called = None  # the text of the call that was made last
        self._inputs = None  # the arrays of the one call that takes a gradient
        self._parameters = []  # of functions that are being written
        self._marked = set()  # names of the inputs that have a gradient
        self.dtypes = set()  # that were asked for
        self.unsettled = None  # the attribute that was asked for last
        self.fw = Made(self, adapter.root, True)
        self.np = Made(self, "np", True)
        self.device = Made(self, "DEVICE", True)

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

    def arguments_text(self, args, kwargs):
        return arguments_text(self._with_names(args), self._with_names(kwargs))

    def _with_names(self, values):
        """The arguments, with a line's name in place of each function of Python's."""
        if isinstance(values, dict):
            return {key: self._with_names(one) for key, one in values.items()}
        if type(values) in (list, tuple):
            return type(values)(map(self._with_names, values))
        return self._function(values) if isinstance(values, types.FunctionType) else values

    def _function(self, function, positions=None):
        """Its text, as what it does with its parameters tells it. `positions`: with how many arguments it is called."""
        names = []
        for one in inspect.signature(function).parameters.values():
            if one.kind == one.VAR_POSITIONAL and positions is not None:
                names += [self._next("a") for _ in range(positions - len(names))]
            elif one.kind == one.POSITIONAL_OR_KEYWORD and one.default is one.empty:
                is_taken = one.name in (*TAKEN, *self._parameters) or OURS.fullmatch(one.name)
                names.append(self._next("a") if is_taken else one.name)
            else:
                raise NotStraight
        if vars(function):
            raise NotStraight
        self._parameters += names
        with self._lines_of_their_own() as lines:
            result = text(function(*[Made(self, name) for name in names]))
        del self._parameters[len(self._parameters) - len(names) :]
        made = self._next("f")
        body = ["    " + line for line in [*lines, "return " + result]]
        self.lines += ["", "def %s(%s):" % (made, ", ".join(names)), *body, ""]
        return Made(self, made, True)

    @contextlib.contextmanager
    def _lines_of_their_own(self):
        self.settle()
        outer, self.lines = self.lines, []
        try:
            yield self.lines
            self.settle()
        finally:
            self.lines = outer

    def _next(self, prefix):
        number = self._counts[prefix] = self._counts.get(prefix, -1) + 1
        return "%s%d" % (prefix, number)

    def _give(self, values, dtype, grad, noncontiguous):
        if noncontiguous:
            raise NotStraight
        grad = (
            (self._case.grad and kind_of(dtype) in ("float", "complex")) if grad is None else grad
        )
        code = self._style["tensor"] % (values, text(self.dtype(dtype)))
        made = self.line("x", code + (self._style["grad"] if grad else ""))
        if grad:
            self._marked.add(made._name)
        return made

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
        self._adapter.import_framework()
        factory, base = self._adapter.lookup(name), self._adapter.lookup(self._style["module"])
        if not isinstance(factory, type) or not issubclass(factory, base):
            raise NotStraight
        made = self.line("m", "%s(%s)" % (name, arguments_text(args, kwargs)))
        dtype = text(self.dtype(dtype))
        self.lines.extend(
            one % {"module": made._name, "dtype": dtype} for one in self._style["fill"]
        )
        return made

    def dtype(self, name):
        self.dtypes.add(name)
        return Made(self, self._style["dtypes"] % self._style["names"].get(name, name), True)

    def get(self, name):
        return Made(self, name, True)

    def expect(self, condition, message):
        if not isinstance(
            condition, Made
        ):  # Python's own answer, perhaps of two names for one thing
            raise NotStraight
        self.add("assert %s, %r" % (text(condition), "expected " + message))

    def call(self, function, *args, **kwargs):
        if self._case.grad:
            if self._inputs is not None or arrays_of(kwargs.values()):
                raise NotStraight
            self._inputs = arrays_of(args)
        self._called = self._style["call"] % {
            "function": self._called_name(function, len(args)),
            "arguments": self.arguments_text(args, kwargs),
            "arrays": ", ".join(dict.fromkeys(map(text, arrays_of([*args, *kwargs.values()])))),
        }
        return self.line("y", self._called)

    def _called_name(self, function, positions):
        if isinstance(function, str):
            return function
        is_own = isinstance(function, types.FunctionType)
        return text(self._function(function, positions) if is_own else function)

    @property
    def _line_of_the_call(self):
        return "y0 = %s" % self._called

    def raises(self, _, function, *args, **kwargs):
        with self._lines_of_their_own() as lines:
            function(*args, **kwargs)
        name = self._next("error")
        self.lines += [
            "try:",
            *["    " + line for line in lines],
            "except Exception as error:",
            "    %s = error" % name,
            "else:",
            '    raise AssertionError("nothing was raised")',
        ]
        return Made(self, name)

    def refuses(self, function, *args, **kwargs):
        return self.raises(Exception, self.call, function, *args, **kwargs)

    def up_to_the_call(self):
        """The lines up to the call where it is the only one of the body, with what prints its result."""
        if self._line_of_the_call not in self.lines or calls_in(self._case.body) != 1:
            raise NotStraight
        end = self.lines.index(self._line_of_the_call) + 1
        self.lines, self.unsettled = self.lines[:end], None
        return self.printed(Made(self, "y0"))

    def printed(self, result):
        """The lines, with what prints the result and the gradients."""
        if not self._case.grad:
            return self.lines + ["print(%s)" % text(result)]
        if not isinstance(result, Made) or text(result) != "y0" or "gradient" not in self._style:
            raise NotStraight
        names = [text(one) for one in self._inputs]
        marked = [name for name in names if name in self._marked]
        named = {"result": "y0", "call": self._called, "inputs": "[%s]" % ", ".join(marked)}
        if not all(name.startswith("x") for name in names):
            if "asked" not in self._style:
                raise NotStraight
            named["inputs"] = self._style["asked"] % ", ".join(names)
        elif not marked and "asked" not in self._style:
            raise NotStraight
        gradient = [line % dict(named, names=", ".join(marked)) for line in self._style["gradient"]]
        if not any("%(call)s" in line for line in self._style["gradient"]):
            return self.lines + gradient
        return [line for line in self.lines if line != self._line_of_the_call] + gradient


def modules_named(style, lines):
    """Import statements of the modules below the style's package whose names the lines have."""
    found = set()
    for name in re.findall(r"(?<![\w.])%s(?:\.\w+)+" % style.get("modules", "$"), "\n".join(lines)):
        parts = name.split(".")
        for count in range(len(parts) - 1, 1, -1):
            module = ".".join(parts[:count])
            with contextlib.suppress(ImportError, ValueError):
                if importlib.util.find_spec(module) is not None:
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


def flat(values):
    for one in values:
        yield from flat(one) if isinstance(one, (list, tuple)) else [one]


def arrays_of(values):
    """What lines made among the arguments, in their order."""
    return [one for one in flat(values) if isinstance(one, Made) and not one._plain]


def arguments_text(args, kwargs):
    return ", ".join(
        [text(one) for one in args] + ["%s=%s" % (key, text(one)) for key, one in kwargs.items()]
    )


def index_text(index):
    return ", ".join(map(text, index)) if type(index) is tuple and index else text(index)


def text(value):
    """Python's text of an argument."""
    if isinstance(value, Bound):
        value = value._value()
    if isinstance(value, Made):
        return value._name
    if type(value) is float and not math.isfinite(value):
        return 'float("%r")' % value
    if type(value) is complex:  # the sum of two parts loses the sign of a zero
        return "complex(%s, %s)" % (text(value.real), text(value.imag))
    if value is Ellipsis:
        return "..."
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if type(value) in (list, tuple):
        inner = ", ".join(map(text, value))
        return (
            "[%s]" % inner if type(value) is list else "(%s%s)" % (inner, "," * (len(value) == 1))
        )
    if type(value) is dict:
        return "{%s}" % ", ".join("%s: %s" % (text(key), text(one)) for key, one in value.items())
    if type(value) is slice:
        return "slice(%s, %s, %s)" % (text(value.start), text(value.stop), text(value.step))
    raise NotStraight


def script(case, adapter, seed, params):
    """The script; None where the body, or the target, asks for more than lines."""
    style = adapter.straight()
    if style is None:
        return None
    recorder = Recorder(case, adapter, style)
    try:
        try:
            lines = recorder.printed(case.body(recorder, **params))
        except (
            Exception
        ):  # a body may do anything with what it gets: what follows its one call only checks
            lines = recorder.up_to_the_call()
    except Exception:
        return None
    if max(map(len, lines)) > LONGEST:
        return None
    key = Inputs(None, case.name, seed).key
    drawn = any("rng." in line for line in lines)
    wide = [style["wide"]] if recorder.dtypes.intersection(style.get("wide_dtypes", ())) else []
    return '"""%s on %s"""\n\nimport numpy as np\n%s\n%s\n%s\n' % (
        case.name,
        adapter.name,
        "\n".join([*modules_named(style, lines), style["setup"], *wide]),
        "rng = np.random.Generator(np.random.Philox(key=%d))\n" % key if drawn else "",
        "\n".join(lines),
    )
