"""Suites whose cases come from the user's own environment: PyTorch's operator database, JAX's harnesses.

A module `auto/NAME.py` is the suite NAME; a user's own file is one too when it holds the same. At its top it may import the standard library and Seamark only,
because the names and options of suites are read without a framework. It holds

    FRAMEWORKS = ("torch",)                      the frameworks that it has cases for
    OPTIONS = {"samples": Option(1, low=1)}      what a user may set: --suite 'NAME?samples=3&seed=1'
    def cases(framework, options): ...           yields cases, made by `generated`

`cases` runs in the interpreter of the user, with the framework imported, and never runs an op: a worker
that forks for each case calls it before the first fork. What it yields must not depend on the machine,
on addresses or on the order of a set, and is the same for every target of that framework version.
"""

import hashlib
import importlib
import os
import pkgutil
import sys
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from seamark_agent import frameworks

from .case import Case, SuiteError

SHIMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "auto", "shims")
_MOST = 1000000000
_MODULES = {one["name"]: one["module"] for one in frameworks.KNOWN}


class Option:
    """What a suite lets the user set: an integer within bounds, or one of some words, as the default is."""

    def __init__(self, default: Any, low: int = 0, high: int = _MOST, words: Sequence[str] = ()):
        self.default, self.low, self.high, self.words = default, low, high, tuple(words)

    def read(self, text: str) -> Any:
        """The value of a text; ValueError says what was expected."""
        if text in self.words:
            return text
        if isinstance(self.default, str):
            raise ValueError("one of " + ", ".join(self.words))
        digits = text.isascii() and text.isdigit() and len(text) < 12
        if not digits or not self.low <= int(text) <= self.high:
            words = "".join(", or " + word for word in self.words)
            raise ValueError("a whole number from %d to %d%s" % (self.low, self.high, words))
        return int(text)


def names() -> List[str]:
    """The automatic suites there are."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "auto")
    return sorted(info.name for info in pkgutil.iter_modules([folder]) if info.name[0] != "_")


def find(name: str) -> Any:
    """The module of our automatic suite of that name, or None."""
    return importlib.import_module("seamark_suites.auto." + name) if name in names() else None


def is_suite(module: Any) -> bool:
    """Whether a module, ours or a user's file, is an automatic suite."""
    return callable(getattr(module, "cases", None)) and hasattr(module, "FRAMEWORKS")


def read_options(module: Any, suite: str, query: str) -> Dict[str, Any]:
    """The values of OPTIONS with what `option=value&...` sets; SuiteError."""
    known: Dict[str, Option] = getattr(module, "OPTIONS", {})
    options = {key: option.default for key, option in known.items()}
    given = set()
    for part in query.split("&") if query else ():
        key, equals, text = part.partition("=")
        if key not in known:
            has = ", ".join("%s=%s" % (name, item.default) for name, item in sorted(known.items()))
            raise SuiteError("suite %s has no option %r (it has: %s)" % (suite, key, has or "none"))
        if not equals or key in given:
            what = "has no value" if not equals else "is given twice"
            raise SuiteError("option %s of suite %s %s" % (key, suite, what))
        given.add(key)
        try:
            options[key] = known[key].read(text)
        except ValueError as expected:
            raise SuiteError(
                "option %s of suite %s is %r, expected %s" % (key, suite, text, expected)
            ) from None
    return options


def load(module: Any, suite: str, query: str, framework: Optional[str]) -> List[Case]:
    """The cases that this interpreter's framework gives; none where the suite has none for it."""
    options = read_options(module, suite, query)
    if framework is None:
        if len(module.FRAMEWORKS) > 1:
            raise SuiteError(
                "suite %s has cases of %s: say which with --framework"
                % (suite, " and ".join(module.FRAMEWORKS))
            )
        framework = module.FRAMEWORKS[0]
    if framework not in module.FRAMEWORKS:
        return []
    if framework in _MODULES:
        _import_framework(suite, _MODULES[framework])
    made = list(module.cases(framework, options))
    for item in made:
        item.framework, item.suite = framework, suite
    return made


def _import_framework(suite: str, framework: str) -> None:
    try:
        importlib.import_module(framework)
    except ImportError as error:
        raise SuiteError(
            "suite %s takes its cases from %s, which %s cannot import: %s (name another Python with --python)"
            % (suite, framework, sys.executable, error)
        ) from None


def add_shims() -> None:
    """Stand-ins for test helpers that the framework's own test modules import and users lack.

    Last on the path: what the user has is taken first.
    """
    if SHIMS not in sys.path:
        sys.path.append(SHIMS)


def plain_version(version: str) -> str:
    """2.13.0 of 2.13.0+cu130: builds of one version have the same cases."""
    return version.split("+", 1)[0]


def generated(
    function: str,
    body: Callable,
    params: Dict[str, Any],
    labels: Iterable[str],
    identity: Iterable[Any],
    dtype: Optional[str] = None,
    shape: Optional[Tuple[int, ...]] = None,
    **header: Any,
) -> Case:
    """One case, named FUNCTION/BODY[label,label,...].

    params    what the body gets besides t, by name
    identity  what else the inputs and the expected result depend on: texts and numbers, in a fixed
              order; the framework's version must be among them, as its code makes the inputs
    header    the keys of `case` (core, grad, host_only, timeout_s, reference, rtol, atol, trivial,
              random), with more values than there: reference="native" (the same dtype on CPU, where the
              function's meaning depends on it), reference="shapes" (values are left open; the evidence
              stays `executed`), a callable that returns None (then it is the widened run after all),
              trivial="weak" (a constant reference is no defect, but the evidence stays `executed`),
              random="detect" (values are not compared where the call on CPU drew numbers). And:
              `slack`="cpu", four times the CPU's own error is allowed for (see compare.cpu_error);
              `exists`, a callable that `list` asks whether there is such a case at all;
              `remarks`, a callable(adapter) that gives attributes to be stored beside every result,
              such as known-skip; `script`, a callable(case, adapter, seed) that prints a reproducer,
              or the reason why there is none
    """
    made = Case()
    for name in Case.__slots__:
        setattr(made, name, header.pop(name, _DEFAULTS.get(name)))
    if header:
        raise TypeError("generated() got unknown header keys: %s" % ", ".join(sorted(header)))
    made.function, made.body, made.params = function, body, dict(params)
    made.dtype, made.shape = dtype, shape
    made.name = "%s/%s[%s]" % (function, body.__name__, ",".join(labels))
    made.rtol, made.atol = dict(made.rtol or {}), dict(made.atol or {})
    made.source = body.__name__
    parts = [
        made.name,
        repr(made.grad),
        repr(sorted(made.rtol.items())),
        repr(sorted(made.atol.items())),
    ]
    parts += [str(item) for item in identity]
    made.hash = hashlib.sha256("\0".join(parts).encode("utf-8")).hexdigest()[:16]
    return made


_DEFAULTS = {
    "core": False, "quick": False, "grad": False, "host_only": False, "large": False, "program": False, "random": False,
    "trivial": False, "timeout_s": 0.0,
    "script": "its inputs are made by the framework's own test modules",
}  # fmt: skip
