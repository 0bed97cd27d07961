"""What a case must leave as it found it in a process that serves many: compared after each case, and restored.

What cannot be restored makes the worker ask for another. Additions (modules, paths, attributes that load late) are no
change: removal and replacement are.
"""

import _signal  # without the enums, which take longer than all the rest
import gc
import locale
import os
import random
import resource
import signal
import sys
import threading
import types
import warnings

ENTRIES_A_CASE = 500  # of the namespaces that are not looked at after every case
MODULES_A_CASE = 250  # of sys.modules
MOST_NAMES = 20  # that are told
_STANDARD = ("builtins", "sys", "os", "time", "math", "random", "json", "threading")
_RARER = ("io", "posixpath", "copy", "re", "signal", "subprocess", "tempfile", "functools", "itertools", "collections",
          "operator", "contextlib", "inspect", "types", "warnings", "pickle", "importlib")  # fmt: skip
_PLAIN = (bool, int, float, complex, str)
_GONE = object()
_HEAP, _IMMUTABLE = 1 << 9, 1 << 8  # flags of a type
_LIMITS = ("RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_DATA", "RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_STACK")  # fmt: skip
_LEAST, _ONE, _TINY = 5e-324, 1.0, 1e-20


class Fact:
    """Something that a case must not change: `get` reads it, `put` restores a value (None: nothing can). `same` tells of
    a value that differs whether it is good all the same."""

    def __init__(self, name, get, put=None, same=None):
        self.name, self.get, self.put, self.same = name, get, put, same
        self.value = self.read()

    def read(self):
        try:
            return self.get()
        except Exception as error:
            return "%s is raised" % type(error).__name__

    def holds(self):
        now = self.read()
        try:
            return bool(now == self.value) or bool(self.same and self.same(self.value, now))
        except Exception:
            return False

    def restore(self):
        """Whether it is as it was."""
        if self.put is None:
            return False
        try:
            self.put(self.value)
        except Exception:
            return False
        return self.holds()


class Guard:
    """The state of this process as it is now; check() after each case."""

    def __init__(self, adapter):
        self._names = _Names(adapter.watched_names)
        self._modules = _Modules(_STANDARD + tuple(adapter.watched_names))
        packages = {name.split(".", 1)[0] for name in adapter.watched_names}
        own = [os.fsencode(name) for name in adapter.own_variables]
        self._facts = list(adapter.process_state()) + list(_process(own, packages))
        self._draws = list(_draws())
        self.earlier = False

    def check(self, everything):
        """(what was changed, whether something of it could not be restored). `everything`: all namespaces, not only a
        share of the rarer ones; what is found in those may be an earlier case's: then `earlier` is true."""
        changed, spent = [], False
        try:
            spent = not self._names.check(everything, changed)
            self._modules.check(everything, changed)
            self.earlier = self._names.in_turn or self._modules.in_turn
            for fact in self._facts:
                if not fact.holds():
                    changed.append(fact.name)
                    spent = not fact.restore() or spent
            for put, value in self._draws:
                put(value)
        except BaseException as error:  # what it needs itself is changed
            return changed + ["the check itself: %s" % type(error).__name__], True
        if len(changed) > MOST_NAMES:
            changed[MOST_NAMES:] = ["and %d more" % (len(changed) - MOST_NAMES)]
        return changed, spent


# ---- names of modules and classes


class _Names:
    """Of the framework, NumPy and some modules of Python. The names that a framework's users call are compared after
    every case, the others in turn."""

    def __init__(self, watched):
        self._packages = {name.split(".", 1)[0] for name in watched} | {"numpy"}
        self._seen, self._count, self._next = set(), 0, 0
        self._core, self._rest, self.in_turn = [], [], False
        for name in _STANDARD + tuple(watched) + ("numpy",):
            self._add(self._core, _found(name), name, True)
        for name in _RARER:
            self._add(self._rest, sys.modules.get(name), name, True)
        self._take_new()

    def _ours(self, name):
        return isinstance(name, str) and name.split(".", 1)[0] in self._packages

    def _take_new(self):
        """Modules imported since, with their classes."""
        self._count = len(sys.modules)
        for name, module in list(sys.modules.items()):
            if not self._ours(name) or not isinstance(module, types.ModuleType):
                continue
            if id(module) not in self._seen:
                self._add(self._rest, module, name, False)
                for key, value in list(vars(module).items()):
                    if issubclass(type(value), type) and value.__module__ == name:
                        self._add(self._rest, value, "%s.%s" % (name, key), False)

    def _add(self, into, owner, label, public):
        if owner is None or id(owner) in self._seen:
            return
        flags = owner.__flags__ if issubclass(type(owner), type) else _HEAP
        if flags & _HEAP and not flags & _IMMUTABLE:  # else nobody can set an attribute of it
            self._seen.add(id(owner))
            into.append(_Namespace(owner, label, public, self._packages))

    def check(self, everything, changed):
        """False: something could not be restored."""
        good = True
        if len(sys.modules) != self._count:
            self._take_new()
        for space in self._core:
            good = space.check(changed) and good
        entries, before = 0, len(changed)
        for _ in range(len(self._rest)):
            self._next = (self._next + 1) % len(self._rest)
            space = self._rest[self._next]
            good = space.check(changed) and good
            entries += len(space.values)
            if entries >= ENTRIES_A_CASE and not everything:
                break
        self.in_turn = len(changed) > before
        return good


def _found(path):
    """The module or class of a dotted name; None where there is none."""
    parts = path.split(".")
    found = sys.modules.get(parts[0])
    for part in parts[1:]:
        found = getattr(found, part, None)
    return found


class _Namespace:
    def __init__(self, owner, label, public, packages):
        self.owner, self.label, self.public, self.packages = owner, label, public, packages
        self.dict = owner.__dict__
        self._take()

    def _take(self):
        self.names, self.values = tuple(self.dict), tuple(self.dict.values())

    def check(self, changed):
        """False: something could not be restored."""
        try:
            if tuple(self.dict.values()) == self.values:
                return True
        except Exception:
            pass  # an array has no truth
        good = True
        for name, old in zip(self.names, self.values):
            new = self.dict.get(name, _GONE)
            if new is old or not self._counts(name, old, new):
                continue
            changed.append("%s.%s" % (self.label, name))
            try:
                setattr(self.owner, name, old)
            except Exception:
                good = False
        if isinstance(self.owner, type):
            good = self._uncover(changed) and good
        self._take()
        return good

    def _uncover(self, changed):
        """A name new in a class is a replacement where the class inherits one."""
        good = True
        for name in [name for name in self.dict if name not in self.names]:
            old = next((base.__dict__[name] for base in self.owner.__mro__[1:] if name in base.__dict__), None)  # fmt: skip
            if old is None or not self._counts(name, old, self.dict[name]):
                continue
            changed.append("%s.%s" % (self.label, name))
            try:
                delattr(self.owner, name)
            except Exception:
                good = False
        return good

    def _counts(self, name, old, new):
        kind = type(old)
        if isinstance(old, types.ModuleType):
            return kind is types.ModuleType  # others load themselves late
        if getattr(new, "__wrapped__", None) is old and _written_in(new, self.packages):
            return False  # by the framework itself, at the first use
        if kind in _PLAIN or kind.__module__.split(".", 1)[0] in self.packages:
            if self.public and not name.startswith("_") and not callable(old):
                return type(new) is not kind or bool(new != old)
        return callable(old) or hasattr(kind, "__get__")


def _written_in(function, packages):
    code = getattr(function, "__code__", None)
    return code is not None and any(
        os.sep + package + os.sep in code.co_filename for package in packages
    )


class _Modules:
    """sys.modules: what is there stays there. A share is compared after each case; all where their number changed."""

    def __init__(self, watched):
        self._table, self._next, self.in_turn = sys.modules, 0, False
        self._core = [(name, self._table[name]) for name in watched if name in self._table]
        self._take()

    def _take(self):
        self._names, self._modules = tuple(self._table), tuple(self._table.values())

    def check(self, everything, changed):
        if sys.modules is not self._table:
            changed.append("sys.modules")
            sys.modules = self._table
        begin, end = self._next, self._next + MODULES_A_CASE
        everything = everything or len(self._table) != len(self._names)
        if everything:
            begin, end = 0, len(self._names)
        self._next = end if end < len(self._names) else 0
        self._compare(self._core, changed)
        before = len(changed)
        self._compare(zip(self._names[begin:end], self._modules[begin:end]), changed)
        self.in_turn = len(changed) > before
        if everything or self.in_turn:
            self._take()

    def _compare(self, pairs, changed):
        for name, old in pairs:
            new = self._table.get(name)
            late = new is not None and type(old) is not types.ModuleType  # it loads itself later
            if new is not old and not late:
                changed.append("sys.modules[%r]" % name)
                self._table[name] = old


# ---- the process


def _process(own, packages):
    """Of every framework. `own`: variables of the environment that are the adapter's."""
    kept = {number: os.dup(number) for number in (0, 1, 2) if _identity(number)}
    numbers = _open_descriptors() - set(kept.values())

    def reopen(_):
        for number, copy in kept.items():
            if _identity(number) != _identity(copy):
                os.dup2(copy, number)

    yield Fact("file descriptors", lambda: [_identity(number) for number in numbers], reopen)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if os.path.isdir("/proc/self/fd") and most != resource.RLIM_INFINITY:
        yield Fact(
            "open file descriptors, nearly as many as may be",
            lambda: len(os.listdir("/proc/self/fd")),
            same=lambda old, new: new < old + (most - old) // 2,
        )

    def streams(value):
        sys.stdin, sys.stdout, sys.stderr = value[:3]

    yield Fact("sys.stdin, stdout, stderr", _streams, streams)

    def environment():
        return {k: v for k, v in os.environ._data.items() if k not in own}

    def set_environment(value):
        for name in [name for name in os.environ._data if name not in own and name not in value]:
            del os.environ[os.fsdecode(name)]
        for name, text in value.items():
            if os.environ._data.get(name) != text:
                os.environ[os.fsdecode(name)] = os.fsdecode(text)

    if isinstance(getattr(os.environ, "_data", None), dict):
        yield Fact("the environment", environment, set_environment)
    yield Fact("the working folder", os.getcwd, os.chdir)
    yield Fact("umask", _umask, os.umask)
    numbers_of_signals = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})

    def set_handlers(value):
        for number, handler in zip(numbers_of_signals, value):
            if _signal.getsignal(number) != handler:
                signal.signal(number, handler)

    yield Fact(
        "signal handlers",
        lambda: [_signal.getsignal(number) for number in numbers_of_signals],
        set_handlers,
        lambda old, new: all(a == b or _written_in(b, packages) for a, b in zip(old, new)),
    )
    yield Fact(
        "blocked signals",
        lambda: signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        lambda value: signal.pthread_sigmask(signal.SIG_SETMASK, value),
    )
    timers = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    yield Fact(
        "a timer that sends a signal",
        lambda: [signal.getitimer(which)[0] > 0 for which in timers],
        lambda _: [signal.setitimer(which, 0) for which in timers],
    )
    limits = [getattr(resource, name) for name in _LIMITS if hasattr(resource, name)]
    yield Fact(
        "resource limits",
        lambda: [resource.getrlimit(limit) for limit in limits],
        lambda value: [resource.setrlimit(*pair) for pair in zip(limits, value)],
    )
    paths, hooks = sys.path, sys.meta_path

    def set_path(value):
        paths[:] = value
        sys.path = paths

    yield Fact("sys.path", lambda: list(sys.path), set_path, _contains_in_order)

    def set_hooks(value):
        hooks[:] = value
        sys.meta_path = hooks

    yield Fact("sys.meta_path", lambda: list(sys.meta_path), set_hooks, _contains_in_order)
    yield Fact("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit)
    yield Fact("the switch interval", sys.getswitchinterval, sys.setswitchinterval)
    yield Fact("a trace function", sys.gettrace, sys.settrace)
    yield Fact("a profile function", sys.getprofile, sys.setprofile)
    yield Fact(
        "the trace of new threads",
        lambda: (threading._trace_hook, threading._profile_hook),
        lambda value: (threading.settrace(value[0]), threading.setprofile(value[1])),
    )
    yield Fact(
        "garbage collection",
        lambda: (gc.isenabled(), gc.get_threshold(), gc.get_debug()),
        lambda value: (
            gc.enable() if value[0] else gc.disable(),
            gc.set_threshold(*value[1]),
            gc.set_debug(value[2]),
        ),
    )
    yield Fact(
        "the locale",
        lambda: locale.setlocale(locale.LC_ALL),
        lambda value: locale.setlocale(locale.LC_ALL, value),
    )

    def set_warnings(value):
        warnings.resetwarnings()  # says that they changed, too
        warnings.filters[:] = value

    def only_more(old, new):
        more = new[: len(new) - len(old)]
        return _contains_in_order(old, new) and not any(item[0] == "error" for item in more)

    yield Fact("warnings.filters", lambda: list(warnings.filters), set_warnings, only_more)
    yield Fact("rounding and subnormal numbers", lambda: repr((_LEAST * _ONE, _ONE + _TINY, -_ONE - _TINY)))  # fmt: skip
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        yield Fact("numpy.seterr", numpy.geterr, lambda value: numpy.seterr(**value))


def _draws():
    """Generators that a case may have drawn from: each case finds them as the first did. [(restores, value)]"""
    yield random.setstate, random.getstate()
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        yield numpy.set_state, numpy.get_state()


def _identity(number):
    try:
        found = os.fstat(number)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _open_descriptors():
    try:
        numbers = {int(name) for name in os.listdir("/proc/self/fd")}
    except OSError:
        numbers = set(range(5))
    return {number for number in numbers if _identity(number)}


def _umask():
    old = os.umask(0o77)
    os.umask(old)
    return old


def _streams():
    found = (sys.stdin, sys.stdout, sys.stderr)
    return found + tuple(getattr(stream, "closed", None) for stream in found)


def _contains_in_order(old, new):
    rest = iter(new)
    return all(any(item == other for other in rest) for item in old)
