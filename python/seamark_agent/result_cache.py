"""Keeps a compiler's answers to cases from run to run, for targets on which nothing is executed.

One file per case and everything that its answer may depend on: the case's source and inputs, the target's
entry, this agent and its suites, the packages of the environment, the compiler and what steers it. A file
that is damaged, another user's, or about something else counts as absent. Docs: docs/method.md.
"""

import hashlib
import json
import os
import platform
import sys
import tempfile

from .attributes import CACHE_CONFIRMED, CACHE_HIT
from .failures import message_key

FORMAT = 1
MAX_ENTRY = 1 << 20
MAX_BYTES = 256 << 20  # of all entries; the oldest go first
STORES_BEFORE_PRUNING = 256
# A variable that begins so may change what a compiler does.
_STEERING = (
    "XLA_",
    "JAX_",
    "LIBTPU_",
    "TPU_",
    "PJRT_",
    "TF_",
    "TORCH",
    "PYTORCH_",
    "XRT_",
    "CUDA_",
)


class ResultCache:
    def __init__(self, folder, identity, max_bytes=MAX_BYTES):
        self._folder, self._max_bytes = folder, max_bytes
        self._identity = _digest(identity)
        self._stores = 0

    def load(self, case):
        """The end event of an earlier run, marked as a hit; None where there is none."""
        entry = self._read(case)
        if entry is None:
            return None
        end = entry["end"]
        end["attributes"] = (
            end["attributes"] + [CACHE_HIT] + ([CACHE_CONFIRMED] if entry["confirmed"] else [])
        )
        try:
            os.utime(self._path(case))  # used: others go first
        except OSError:
            pass
        return end

    def store(self, case, end):
        """Keeps an answer of the compiler. What failed here, or ran, is no answer of the compiler."""
        if end.get("evidence") in ("compiled", "lowered") and end.get("outcome") in (
            "pass",
            "fail",
            "skip",
        ):
            self._write(case, end, False)

    def confirm(self, case, end):
        """After a case ran again alone: a failure that came again is confirmed, another answer is forgotten."""
        entry = self._read(case)
        if entry is None:
            return
        if _answer(entry["end"]) != _answer(end):
            self._remove(case)
        elif end["outcome"] == "fail" and not entry["confirmed"]:
            self._write(case, entry["end"], True)

    # -- files ------------------------------------------------------------------------------------

    def _key(self, case):
        return _digest([self._identity, case.name, case.hash])

    def _path(self, case):
        key = self._key(case)
        return os.path.join(self._folder, key[:2], key + ".json")

    def _read(self, case):
        try:
            descriptor = os.open(self._path(case), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        except OSError:
            return None
        with os.fdopen(descriptor, "rb") as stream:
            if os.fstat(descriptor).st_uid != os.geteuid():
                return None
            data = stream.read(MAX_ENTRY + 1)
        try:
            entry = json.loads(data.decode("utf-8")) if len(data) <= MAX_ENTRY else None
        except (ValueError, RecursionError):
            return None
        return entry if self._is_ours(entry, case) else None

    def _is_ours(self, entry, case):
        if not isinstance(entry, dict) or not isinstance(entry.get("end"), dict):
            return False
        if entry.get("format") != FORMAT or entry.get("key") != self._key(case):
            return False
        if not isinstance(entry.get("confirmed"), bool):
            return False
        attributes = entry["end"].get("attributes")
        return isinstance(attributes, list) and entry.get("sum") == _digest(entry["end"])

    def _write(self, case, end, confirmed):
        path = self._path(case)
        kept = {key: end[key] for key in end if key not in ("cpu_s", "wall_s", "ev", "id")}
        entry = {"format": FORMAT, "key": self._key(case), "case": case.name, "confirmed": confirmed,
                 "end": kept, "sum": _digest(kept)}  # fmt: skip
        try:
            data = json.dumps(entry, allow_nan=False).encode("ascii")
        except (ValueError, TypeError, RecursionError):  # only what comes back as it was is kept
            return
        if len(data) > MAX_ENTRY:
            return
        temporary = None
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
            descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path), suffix=".part")
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
            os.replace(temporary, path)
        except OSError:  # a full or read-only disk costs the cache, never the run
            _remove(temporary)
        self._stores += 1
        if self._stores % STORES_BEFORE_PRUNING == 1:
            self._prune()

    def _remove(self, case):
        _remove(self._path(case))

    def _prune(self):
        """Removes the oldest files down to three quarters of the bound, where they exceed it."""
        files = []
        for folder, _, names in os.walk(self._folder):
            for name in names:
                path = os.path.join(folder, name)
                try:
                    facts = os.lstat(path)
                except OSError:
                    continue
                files.append((facts.st_mtime, facts.st_size, path))
        size = sum(item[1] for item in files)
        if size <= self._max_bytes:
            return
        for _, bytes_, path in sorted(files):
            _remove(path)
            size -= bytes_
            if size <= self._max_bytes * 3 // 4:
                return


def identity(hello, framework_version, facts, numpy):
    """Everything that an answer may depend on besides the case."""
    return {
        "target": hello.get("target"),
        "seed": hello.get("seed") or 0,
        "threads": hello.get("threads") or 1,
        "framework": framework_version,
        "facts": facts,
        "numpy": getattr(numpy, "__version__", None),
        "python": sys.version,
        "machine": platform.machine(),
        "packages": _packages(),
        "variables": _variables(),
        "sources": _sources(hello.get("suites") or []),
    }


def _packages():
    """Names of the metadata folders on the path: each holds its package's name and version."""
    found = set()
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        found.update(name for name in names if name.endswith((".dist-info", ".egg-info")))
    return sorted(found)


def _variables():
    work = os.environ.get("SEAMARK_WORK_DIR")
    return sorted(
        (name, value)
        for name, value in os.environ.items()
        if name.startswith(_STEERING) and not (work and work in value)
    )


def _sources(suites):
    """A digest of this agent, of the built-in suites and of the user's."""
    here = os.path.dirname(os.path.abspath(__file__))
    roots = [here, os.path.join(os.path.dirname(here), "seamark_suites")]
    roots += [path for path in suites if os.path.exists(path)]
    whole = hashlib.sha256()
    for root in roots:
        for path in _python_files(root):
            with open(path, "rb") as stream:
                data = stream.read()
            whole.update(
                ("%s %d\n" % (os.path.relpath(path, root), len(data))).encode("utf-8", "replace")
            )
            whole.update(data)
    return whole.hexdigest()


def _python_files(root):
    if os.path.isfile(root):
        return [root]
    found = []
    for folder, folders, names in os.walk(root):
        folders.sort()
        found += [os.path.join(folder, name) for name in sorted(names) if name.endswith(".py")]
    return found


def _answer(end):
    """A key that is equal for attempts with the same answer, whatever varies in their messages."""
    failure = end.get("failure") or {}
    message = message_key(failure.get("message") or "")
    return end.get("outcome"), failure.get("stage"), failure.get("type"), message


def _digest(value):
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _remove(path):
    if path is not None:
        try:
            os.unlink(path)
        except OSError:
            pass
