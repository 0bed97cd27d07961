"""Which operators of its framework each core case calls, and for which devices the framework's own table
names a kernel of them: `declared` evidence, that no device was asked for.

Every case runs on the CPU in a child of its own: one that aborts or hangs spoils no other.
"""

import gc
import json
import os
import select
import signal
import time

from .attempt import describe
from .compare import Skip
from .harness import Handle, body_arguments, import_numpy

SCHEMA = 2


def rows(adapter, version, cases, seed):
    """The rows that docs/wire.md describes. The framework is imported and has run no op."""
    source, named = adapter.declared_kernels()
    yield {"row": "declared", "schema": SCHEMA, "framework": adapter.framework, "version": version,
           "source": source}  # fmt: skip
    for op in sorted(named):
        yield {"row": "kernel", "op": op, "keys": sorted(named[op])}
    yield from adapter.listed_dtypes({case.function for case in cases if case.core})
    count = 0
    gc.collect()
    gc.freeze()  # the children share these pages
    for case in cases:
        if case.core:
            count += 1
            traced = _in_child(adapter, case, seed)
            yield {"row": "case", "case": case.name, "function": case.function,
                   "host_only": bool(case.host_only), "dtype": case.dtype,
                   "ops": traced["ops"], "typed": traced["typed"], "error": traced["error"]}  # fmt: skip
    yield {"row": "end", "cases": count, "kernels": len(named)}


def trace(adapter, case, seed):
    """{"ops": the operators that the case's calls make, sorted; "typed": the same with their data types, where the
    framework's tables have these; "error": why they are not all, or None}."""
    np, problem = import_numpy()
    if problem:
        return nothing(problem["reason"])
    handle = Handle(case, adapter, np, "target", seed)
    seen = set()
    original = handle.call

    def call(function, *args, **kwargs):
        with adapter.record_ops(seen):
            return original(function, *args, **kwargs)

    handle.call = call
    error = None
    try:
        with adapter.at(handle._at):
            adapter.seed(case.framework_seed(seed))
            case.body(**body_arguments(case, handle))
    except Skip as reason:
        error = "skipped: %s" % reason
    except BaseException as raised:  # a case may raise anything
        said = describe(raised)
        error = "%s: %s" % (said["type"], said["message"][:500])
    finally:
        del handle.call
        handle.close()
    return {"ops": sorted({one.partition(" ")[0] for one in seen}),
            "typed": sorted(seen) if any(" " in one for one in seen) else [], "error": error}  # fmt: skip


def nothing(error):
    return {"ops": [], "typed": [], "error": error}


def _in_child(adapter, case, seed):
    """trace(), in a child that is killed when it takes too long."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reads)
            os.setpgid(0, 0)
            try:
                adapter.start()
                found = trace(adapter, case, seed)
            except Exception as error:
                found = nothing("harness: " + describe(error)["message"][:500])
            with os.fdopen(writes, "w") as answer:
                json.dump(found, answer)
        finally:
            os._exit(0)
    os.close(writes)
    try:
        os.setpgid(child, child)  # on both sides: whoever comes first
    except OSError:
        pass
    deadline = case.timeout_s or 60
    answer = _read_all(reads, deadline)
    if answer is None:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    try:
        return json.loads(answer or b"")
    except ValueError:
        reason = "no answer within %g s" % deadline if answer is None else "the process died"
        if answer is not None and os.WIFSIGNALED(status):
            reason += " (signal %d)" % os.WTERMSIG(status)
        return nothing(reason)


def _read_all(descriptor, deadline_s):
    """The child's output until it closes its end; None where it does not within that time."""
    end = time.monotonic() + deadline_s
    parts = []
    try:
        while True:
            left = end - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                return None
            part = os.read(descriptor, 1 << 16)
            if not part:
                return b"".join(parts)
            parts.append(part)
    finally:
        os.close(descriptor)
