"""Who ends with whom: this process with its parent, and what a case starts with its case.

All of it is Linux's. Elsewhere a thread watches the parent, and what a case leaves behind is ended with its process
group, by the supervisor.
"""

import os
import signal
import sys
import threading
import time

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
ENDING_S = 1.0  # the longest wait for processes that were killed

_prctl = None
if sys.platform == "linux":
    try:
        import ctypes

        _prctl = ctypes.CDLL(None).prctl
        _prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
    except (ImportError, OSError, AttributeError):
        pass


def end_with(parent):
    """KILL to this process when `parent` ends. After a fork it has to be asked for again."""
    if _prctl is None or _prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    elif os.getppid() != parent:
        os._exit(1)  # it ended before


def _watch(parent):
    while os.getppid() == parent:
        time.sleep(1)
    os.kill(os.getpid(), signal.SIGKILL)


def adopt_orphans():
    """From now on a process whose parent has ended is this process's child, in whatever session it is."""
    if _prctl is not None:
        _prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children():
    """{pid: (name, state)} of this process's children, ended ones too; empty where there is no /proc."""
    found = {}
    if not _any_child():
        return found
    own = b"%d" % os.getpid()
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open("/proc/%s/stat" % entry, "rb") as stream:
                head, _, rest = stream.read().rpartition(b")")  # the name may hold anything
        except OSError:
            continue  # it has ended meanwhile
        state, parent = rest.split()[:2]
        if parent == own:
            found[int(entry)] = (head.partition(b"(")[2].decode("utf-8", "replace"), state)
    return found


def end_children(kept):
    """KILLs and reaps all children but `kept`, and theirs. Returns those that lived: "name (pid)"."""
    ended = {}
    end = time.monotonic() + ENDING_S
    while _any_child():
        left = {pid: child for pid, child in children().items() if pid not in kept}
        if not left or time.monotonic() > end:
            break
        for pid, (name, state) in left.items():
            if state not in (b"Z", b"X"):
                ended[pid] = "%s (%d)" % (name, pid)
                try:
                    os.kill(pid, signal.SIGKILL)
                except OSError:
                    pass  # a thread of the case's reaped it meanwhile
        if ended:
            time.sleep(0.001)
        for pid in left:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass
    return list(ended.values())


def _any_child():
    """One call of the system, where there is none."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return os.path.isdir("/proc/self")
