"""What can be said of one object of a framework. Nothing here raises, whatever the object does."""

import functools
import inspect
import re
import types
import warnings

MAX_SIGNATURE = 600
_ADDRESS = re.compile(r"( at)? 0x[0-9a-fA-F]{4,}")
_MISSING = object()

_FUNCTION_TYPES = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
    types.WrapperDescriptorType,
    types.MethodWrapperType,
    functools.partial,
)


def attempt(action, *args):
    """(value, None), or (None, what was raised). Imports and attributes may even try to exit."""
    try:
        return action(*args), None
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit and worse come out of imports
        return None, error


def attribute(obj, name, default=None):
    """getattr that never raises."""
    value, error = attempt(getattr, obj, name)
    return default if error is not None else value


def warned_attribute(obj, name):
    """(value, error, the text of a deprecation warning that reading it gave, or None)."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value, error = attempt(getattr, obj, name)
    for warning in caught:
        if issubclass(warning.category, (DeprecationWarning, FutureWarning)):
            # A lazy module may import, and what it imports may warn of something else.
            text = one_line(str(warning.message))
            if name in text:
                return value, error, text
    return value, error, None


def one_line(text, limit=200):
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def error_text(error):
    text, failed = attempt(str, error)
    return one_line("%s: %s" % (type(error).__name__, "" if failed is not None else text))


def is_callable(obj):
    return attempt(callable, obj)[0] is True


def is_module(obj):
    return attempt(isinstance, obj, types.ModuleType)[0] is True


def is_a(obj, kinds):
    """isinstance without asking the object, which may lie or raise about its __class__."""
    return issubclass(type(obj), kinds)


def is_class(obj):
    return is_a(obj, type)


def is_function(obj):
    return is_a(obj, _FUNCTION_TYPES)


def type_name(obj):
    kind = type(obj)
    return "%s.%s" % (kind.__module__, kind.__qualname__)


def kind_of(obj, function_types=(), ufunc_types=()):
    """class, function, ufunc, or callable (any other object that can be called)."""
    if is_class(obj):
        return "class"
    name = type_name(obj)
    if name in ufunc_types:
        return "ufunc"
    if is_function(obj) or name in function_types:
        return "function"
    return "callable"


def _text(value):
    return value if type(value) is str and value else None


def module_of(obj, depth=0):
    """The name of the module that defines it; "" where nothing says so."""
    if is_class(obj) or is_a(obj, types.FunctionType):
        return _text(attribute(obj, "__module__")) or ""
    if is_a(obj, functools.partial):
        return module_of(obj.func, depth + 1) if depth < 5 else ""
    if is_a(obj, types.MethodType):
        return module_of(obj.__func__, depth + 1) if depth < 5 else ""
    if is_a(obj, (types.BuiltinFunctionType, types.MethodWrapperType)):
        return _text(attribute(obj, "__module__")) or _module_of_self(obj)
    owner = attribute(obj, "__objclass__") if is_function(obj) else None
    if owner is not None:
        return _text(attribute(owner, "__module__")) or ""
    own = attempt(vars, obj)[0]
    if type(own) is dict and _text(own.get("__module__")):
        return own["__module__"]
    wrapped = own.get("__wrapped__") if type(own) is dict else None
    if wrapped is not None and depth < 5:
        return module_of(wrapped, depth + 1)
    # A class answers for its instances, which is right for what it tells apart: whose they are.
    return _text(attribute(obj, "__module__")) or type(obj).__module__


def _module_of_self(obj):
    owner = attribute(obj, "__self__")
    if owner is None:
        return ""
    if is_module(owner):
        return _text(attribute(owner, "__name__")) or ""
    owner = owner if is_class(owner) else type(owner)
    return _text(attribute(owner, "__module__")) or ""


def underlying(raw):
    """The function behind a static or class method: its identity is the function's."""
    if is_a(raw, (staticmethod, classmethod)):
        return raw.__func__
    return raw


def identity(obj):
    """Equal for one object, also where each look-up makes a new bound method of it."""
    if is_a(obj, types.MethodType):
        return ("bound", id(obj.__self__), id(obj.__func__))
    if is_a(obj, types.BuiltinMethodType) and attribute(obj, "__self__") is not None:
        if not is_module(obj.__self__):
            return ("builtin", id(obj.__self__), attribute(obj, "__name__"))
    return ("object", id(obj))


def docstring(obj):
    """Its own documentation; a class's is not its base's."""
    if is_class(obj):
        text = attempt(vars, obj)[0]
        text = text.get("__doc__") if text is not None else None
    else:
        text = attribute(obj, "__doc__")
        if text is not None and not is_function(obj):
            # An instance answers with its class's text, which documents something else.
            text = None if text == attribute(type(obj), "__doc__") else text
    return text if type(text) is str and text.strip() else ""


def signature(obj, doc):
    """(text, source, None) or (None, None, reason). Source: inspect, or docstring's first line."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, error = attempt(inspect.signature, obj)
        text, broken = (None, None) if error is not None else attempt(str, found)
    if text is not None:
        return _ADDRESS.sub("", text)[:MAX_SIGNATURE], "inspect", None
    name = re.escape(_text(attribute(obj, "__name__")) or "\0")
    # No space before the bracket: prose begins like that too.
    stated = re.match(r"\s*(?:[\w.]+\.)?%s(\([^\n]*\)(?: *-> *[^\n]+)?)" % name, doc)
    if stated:
        return _ADDRESS.sub("", stated.group(1)).strip()[:MAX_SIGNATURE], "docstring", None
    return None, None, error_text(broken or error)


def deprecation(obj, doc, patterns):
    """Why it is deprecated, or None: PEP 702's mark, then what its documentation says."""
    mark = attribute(obj, "__deprecated__", _MISSING)
    if is_class(obj):  # a subclass of something deprecated is not deprecated by that
        own = attempt(vars, obj)[0]
        mark = own.get("__deprecated__", _MISSING) if own is not None else _MISSING
    if type(mark) is str:
        return one_line(mark)
    for pattern in patterns:
        found = pattern.search(doc)
        if found:
            start = doc.rfind("\n", 0, found.start()) + 1
            return one_line(doc[start : found.start() + 200])
    return None
