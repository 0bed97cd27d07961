"""Finds suites by name or path, and makes their cases."""

import ast
import glob
import importlib
import importlib.util
import os
import pkgutil
import sys
from typing import Any, Callable, Dict, List, Optional, Sequence, Set

from seamark_agent.adapters.base import import_path

from . import automatic, traced
from .case import FRAMEWORKS, Case, SuiteError, blocks, expand

SUITES = ("curated", "idioms", "rules", "huge", "selftest")
_APART = ("idioms", "rules", "huge")  # in a folder of their own, with modules for each framework
_QUICK = " quick"  # ends a line of data/core


class _Sources:
    """The source text of bodies, by one parse per file."""

    def __init__(self) -> None:
        self._files: Dict[str, Dict[int, str]] = {}

    def of(self, body: Callable) -> str:
        code = body.__code__
        if code.co_filename not in self._files:
            self._files[code.co_filename] = self._read(code.co_filename)
        return self._files[code.co_filename].get(code.co_firstlineno, body.__name__)

    @staticmethod
    def _read(path: str) -> Dict[int, str]:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
        lines = text.splitlines(keepends=True)
        found = {}
        for node in _functions(ast.parse(text).body):
            first = min([node.lineno] + [item.lineno for item in node.decorator_list])
            body = "".join(lines[node.lineno - 1 : node.end_lineno])
            found[first] = found[node.lineno] = body
        return found


def _functions(statements):
    """The functions among statements and inside them; ast.walk would visit every expression, too."""
    for node in statements:
        if isinstance(node, ast.FunctionDef):
            yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _functions(getattr(node, part, ()))


def is_path(suite: str) -> bool:
    return suite.endswith((".py", ".json")) or os.sep in suite


def _import_file(path: str) -> Any:
    """Imports a user's suite; its headers land in blocks."""
    if not os.path.isfile(path):
        raise SuiteError("no such suite file: %s" % path)
    try:
        return import_path(path, "seamark_user_suite_")
    except Exception as error:
        raise SuiteError(
            "suite %s does not load: %s: %s" % (path, type(error).__name__, error)
        ) from error


def _import_modules(suite: str, framework: Optional[str]) -> None:
    """Imports the modules of one of our suites; their headers land in blocks."""
    if suite not in SUITES:
        raise SuiteError(
            "unknown suite %r (known: %s, or a path to a .py file or a trace)"
            % (suite, ", ".join(known()))
        )
    for name in FRAMEWORKS:
        if framework not in (None, name) or (suite == "selftest") != (name == "selftest"):
            continue
        package = importlib.import_module("seamark_suites." + (suite if suite in _APART else name))
        for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
            if suite not in _APART or module.split("_")[0] == name:
                importlib.import_module(package.__name__ + "." + module)


def known() -> List[str]:
    """The names of all suites."""
    return list(SUITES) + automatic.names()


def load(suites: Sequence[str], framework: Optional[str] = None) -> List[Case]:
    """All cases of the suites (names or paths), in the order of their files. Raises SuiteError.

    An automatic suite imports the framework."""
    sources = _Sources()
    cases: List[Case] = []
    for suite in suites:
        del blocks[:]
        plain, _, query = suite.partition("?")
        if traced.is_trace(plain):
            cases.extend(traced.load(plain, _label(plain), framework))
            continue
        module = _import_file(plain) if is_path(plain) else automatic.find(plain)
        if module is not None and automatic.is_suite(module):
            cases.extend(automatic.load(module, _label(plain), query, framework))
            continue
        if module is None:
            _forget_modules()
            _import_modules(plain, framework)
        if query:
            raise SuiteError("suite %s has no options, got %r" % (plain, query))
        for block in list(blocks):
            for made in expand(block, _label(plain), sources.of(block.body)):
                if framework in (None, made.framework):
                    cases.append(made)
    _check_and_mark(cases)
    return cases


def _label(suite: str) -> str:
    return os.path.splitext(os.path.basename(suite))[0] if is_path(suite) else suite


def _forget_modules() -> None:
    """So that importing the modules of a suite fills blocks again."""
    for name in list(sys.modules):
        ours = name.startswith("seamark_suites.") and name.count(".") > 1
        if ours and not name.startswith("seamark_suites.auto."):
            del sys.modules[name]


def functions(suite: str, framework: str) -> List[str]:
    """The functions that a suite of files has cases of, each once, in its order."""
    return list(dict.fromkeys(item.function for item in load([suite], framework)))


def _check_and_mark(cases: List[Case]) -> None:
    seen: Dict[str, Case] = {}
    core: Dict[str, List[Case]] = {}
    for item in cases:
        if item.name in seen:
            raise SuiteError("two cases have the name %s: give one body another name" % item.name)
        seen[item.name] = item
        if item.core:
            core.setdefault(item.function, []).append(item)
    named = _named_quick()
    for own in core.values():
        for item in [one for one in own if one.name in named] or own[:1]:
            item.quick = True


def _named_quick() -> Set[str]:
    """The names that data/core marks: a forward case and a gradient case of a function."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    names = set()
    for path in glob.glob(os.path.join(glob.escape(home), "data", "core", "*.txt")):
        with open(path, encoding="utf-8") as text:
            lines = text.read().splitlines()
        names.update(line[: -len(_QUICK)] for line in lines if line.endswith(_QUICK))
    return names
