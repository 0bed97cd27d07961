"""What lines of a script made, as a body handles it (straight.py), and Python's texts of values."""

import functools
import math

MOST_NUMBERS = 64  # of an array that stands in a line


class NotStraight(Exception):
    """The body does more than lines can say."""


class Made:
    """What a line made, by its name there: what is done with it becomes a line. `plain`: a name of the framework."""

    def __init__(self, recorder, name, plain=False):
        vars(self).update(_recorder=recorder, _name=name, _plain=plain)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._recorder.need(self, name)
        code = "%s.%s" % (self._name, name)
        return Made(self._recorder, code, True) if self._plain else Bound(self._recorder, code)

    def __setattr__(self, name, value):
        self._recorder.add("%s.%s = %s" % (text(self), name, text(value)))

    def __call__(self, *args, **kwargs):
        given = self._recorder.arguments_text(args, kwargs)
        return self._recorder.line("v", "%s(%s)" % (self._name, given))

    def __getitem__(self, index):
        return self._recorder.derived("%s[%s]" % (text(self), index_text(index)))

    def __setitem__(self, index, value):
        self._recorder.add("%s[%s] = %s" % (text(self), index_text(index), text(value)))

    def __iter__(self):
        value = self._recorder.value(self)
        if isinstance(value, dict):
            return iter(list(value))
        if not isinstance(value, (tuple, list)) and not self._recorder.is_sequence(value):
            return iter(self._recorder.derived("list(%s)" % text(self)))
        return iter([self[index] for index in range(len(value))])

    def __len__(self):
        return len(self._recorder.value(self))

    def __instancecheck__(self, other):
        return isinstance(other, self._recorder.value(self))

    @property
    def __class__(self):
        try:
            return type(self._recorder.value(self))
        except NotStraight:
            return type(self)

    def _refuse(self, *_, **__):
        raise NotStraight

    def _answer(self, *_):
        """Of a text that says what a check found: it shows nothing that the result does not."""
        self._recorder.ask(None)
        return "..."

    __hash__ = _refuse
    __str__ = __repr__ = __format__ = _answer
    __reduce_ex__ = __copy__ = __deepcopy__ = __enter__ = __exit__ = __iadd__ = __isub__ = (
        __imul__
    ) = __itruediv__ = _refuse


def _asked(name, function):
    def ask(self, *rest):
        return function(self._recorder.ask(self), *rest)

    setattr(Made, name, ask)


_asked("__bool__", bool)
_asked("__int__", int)
_asked("__float__", float)
_asked("__complex__", complex)
_asked("__index__", lambda value: value.__index__())
_asked("__contains__", lambda value, one: one in value)
_asked("__array__", lambda value, *_, **__: value)


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

    def __call__(self, *args, **kwargs):
        if self._made is not None:
            return self._made(*args, **kwargs)
        self._recorder.unsettled = None
        return Made.__call__(self, *args, **kwargs)

    def _value(self):
        if self._made is None:
            self._recorder.unsettled = None
            vars(self).update(_made=self._recorder.derived(self._name))
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
            return self._recorder.derived("%s %s %s" % (sides[0], symbol, sides[1]))

        return apply

    for name, symbol in dict(symbols, **compared).items():
        setattr(Made, "__%s__" % name, of(symbol))
    for name, symbol in symbols.items():
        setattr(Made, "__r%s__" % name, of(symbol, True))
    for name, symbol in {"neg": "-", "invert": "~"}.items():
        setattr(
            Made,
            "__%s__" % name,
            lambda self, sign=symbol: self._recorder.derived(sign + text(self)),
        )


_operators()


def flat(values):
    for one in values:
        if type(one) is functools.partial:
            one = [*one.args, *one.keywords.values()]
        one = list(one.values()) if type(one) is dict else one
        yield from flat(one) if type(one) in (list, tuple) else [one]


def arrays_of(values):
    """What lines made among the arguments, in their order."""
    return [one for one in flat(values) if type(one) in (Made, Bound) and not one._plain]


def arguments_text(args, kwargs):
    return ", ".join(
        [text(one) for one in args] + ["%s=%s" % (key, text(one)) for key, one in kwargs.items()]
    )


def index_text(index):
    if type(index) is tuple and index:
        return ", ".join(map(index_text, index))
    if type(index) is slice:
        bounds = ["" if one is None else text(one) for one in (index.start, index.stop)]
        return ":".join(bounds if index.step is None else [*bounds, text(index.step)])
    return text(index)


def text(value):
    """Python's text of an argument."""
    if type(value) is Bound:
        value = value._value()
    if type(value) is Made:
        return value._name
    if type(value) is float and not math.isfinite(value):
        return 'float("%r")' % value
    if type(value) is complex:  # the sum of two parts loses the sign of a zero
        return "complex(%s, %s)" % (text(value.real), text(value.imag))
    if value is Ellipsis:
        return "..."
    if value is None or type(value) in (bool, int, float, str, bytes, range):
        return repr(value)
    if isinstance(value, type) and value.__module__ in ("builtins", "numpy"):
        return ("np." if value.__module__ == "numpy" else "") + value.__name__
    if type(value).__module__ == "numpy" and 0 < getattr(value, "size", 0) <= MOST_NUMBERS:
        return "np.array(%s, %r)" % (text(value.tolist()), str(value.dtype))
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


def numbers_text(values, dtype):
    """np.array(...) of numbers, no longer than the dtype needs."""
    import numpy

    if dtype in ("f16", "bf16", "f32", "f8e4m3", "f8e5m2"):
        flat = [float(str(numpy.float32(one))) for one in values.reshape(-1)]
        values = numpy.array(flat).reshape(values.shape)
    return "np.array(%s)" % text(values.tolist())
