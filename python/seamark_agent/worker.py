"""Serves cases over the wire: one process for many (persistent), a child each (fork), or one (process)."""

import gc
import os
import resource
import signal
import sys
import tempfile
import time

from . import WIRE_VERSION, __version__, adapters, poison, processes, result_cache
from .attempt import use_work_folder
from .harness import Runner, describe, import_numpy
from .inputs import Inputs
from .wire import MAX_LINE, Wire, WireClosed, WireError, encode

FORKS_BEFORE_COLLAPSE = 64  # fewer do not earn back what collapse_memory takes
HUGE_PAGE = 2 << 20
MADV_COLLAPSE = 25  # Linux 6.1
WIRE_CLOSED = (
    76  # the exit status of a worker, or a forked child, whose case took its wire (blame.cc)
)


def serve(in_fd, out_fd, key_fd):
    """Runs until `stop` or end of input. Returns the exit status."""
    wire = Wire(in_fd, out_fd, key_fd)
    processes.adopt_orphans()
    if sys.platform != "linux":
        processes.end_with(os.getppid())  # on Linux the supervisor has seen to it
    hello = wire.read()
    if hello is None:
        return 0
    if hello.get("op") != "hello" or hello.get("wire") != WIRE_VERSION:
        raise WireError(
            "expected hello of wire version %d, got %r" % (WIRE_VERSION, hello.get("op"))
        )
    try:
        return _Worker(wire, hello).serve()
    except adapters.Unusable as error:
        wire.write({"ev": "unusable", "reason": error.reason, "remedy": error.remedy})
        return 0
    except WireClosed:
        flush_output()
        os._exit(WIRE_CLOSED)


class _Worker:
    def __init__(self, wire, hello):
        self.wire, self.hello = wire, hello
        self.mode = hello.get("mode", "persistent")
        self.seed = int(hello.get("seed") or 0)
        self.names = []  # id -> case name
        self.cases = None  # name -> Case
        self.runner = None
        self.cache = None  # of what a compiler said, where the target executes nothing
        self.version = None  # of the framework
        self.forks = 0
        self.pid = os.getpid()
        self.kept = ()  # children that no case started
        self.guard = None  # of a process that serves many cases
        work = hello.get("work_dir")
        if work:
            use_work_folder(work)
        self.adapter = adapters.load(hello["target"])
        self.adapter.threads = int(hello.get("threads") or 1)

    def serve(self):
        begin = time.process_time()
        version = self.version = import_or_unusable(self.adapter)
        numpy, _ = import_numpy()  # once, before any fork; a missing NumPy is told case by case
        if numpy is not None:
            Inputs(numpy, "warm", 0).randn((2,), "f32")  # no op of the framework
        facts = {"device": self.adapter.device}
        if self.mode != "fork":
            facts = self._start()
        self._load_cases()
        self.kept = frozenset(processes.children())
        self.wire.write(
            {
                "ev": "ready",
                "wire": WIRE_VERSION,
                "agent": __version__,
                "framework_version": version,
                "device": facts.get("device"),
                "facts": facts,
                "pid": os.getpid(),
                "cpu_s": time.process_time() - begin,
            }
        )
        if self.mode == "fork":
            # The zygote sets it once: in each child the enums would cost 0.2 ms of page copies.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            self._rehearse()
        if self.mode == "persistent":
            self.guard = poison.Guard(self.adapter)
        gc.collect()
        gc.freeze()  # a forked child then shares these pages
        while True:
            message = self.wire.read()
            if message is None or message.get("op") == "stop":
                return 0
            if message.get("op") == "plan":
                self.names.extend(message["names"])
            elif message.get("op") == "run":
                self._run(int(message["id"]), message.get("phase", "correctness"))
            else:
                raise WireError("unknown op %r" % message.get("op"))

    def _load_cases(self):
        from seamark_suites import loader

        framework = self.hello["target"].get("framework")
        try:
            loaded = loader.load(self.hello.get("suites") or ["curated"], framework)
        except loader.SuiteError as error:
            raise adapters.Unusable(str(error), "mend the suite") from None
        self.cases = {item.name: item for item in loaded}

    def _rehearse(self):
        """Runs a case of the standard library a few times. The interpreter then specializes the harness's
        bytecode before a fork, and no child writes (so copies) those pages again."""
        from seamark_suites.case import Case

        rehearsed = Case()
        for name in Case.__slots__:
            setattr(rehearsed, name, None)
        rehearsed.name = rehearsed.function = "selftest.os.getpid"
        rehearsed.hash, rehearsed.params, rehearsed.reference = "0" * 16, {}, "none"
        rehearsed.body = lambda t: t.expect(t.call("selftest.os.getpid") > 0, "a process id")
        adapter = adapters.load({"adapter": "selftest", "device": "cpu"})
        for _ in range(20):
            encode(Runner(adapter, self.seed).run(rehearsed, "correctness"))

    def _start(self):
        facts = self.adapter.start()
        limited = limit_memory(self.hello)
        self.runner = Runner(self.adapter, self.seed, self.hello.get("timing"), limited)
        self._open_cache(facts)
        return facts

    def _open_cache(self, facts):
        folder = self.hello.get("cache_dir")
        if folder and self.adapter.evidence in ("compiled", "lowered"):
            numpy, _ = import_numpy()
            known = result_cache.identity(self.hello, self.version, facts, numpy)
            self.cache = result_cache.ResultCache(folder, known)

    # -- cases ------------------------------------------------------------------------------------

    def _run(self, number, phase):
        if self.mode == "fork":
            self._run_forked(number, phase)
        else:
            end = self._end(number, phase)
            changed, spent = self._settle(end)
            if changed and not spent and self.guard.earlier and failed(end):
                end = self._end(number, phase)  # an earlier case's change may be why
                more, spent = self._settle(end)
                changed += more
            leaked = processes.end_children(self.kept)
            mark_output(number)
            self.wire.check()
            if changed:
                end.update(changed=changed, spent=spent)
            end["nonce"] = self.wire.nonce()
            done = {"ev": "done", "id": number, "nonce": end["nonce"], "leaked": leaked}
            self.wire.write_lines(encode(end) + encode(done))
            if spent:
                os._exit(0)  # what is left of this process may hang on its way out

    def _settle(self, end):
        """Restores what the case changed for the next one: (what, whether this process can serve no more)."""
        if self.guard is None:
            return [], False
        return self.guard.check(everything=failed(end))

    def _end(self, number, phase):
        name = self.names[number] if 0 <= number < len(self.names) else None
        found = self.cases.get(name)
        if found is None:
            end = {"outcome": "error", "reason": "the worker knows no case %r" % name}
        else:
            end = self._answer(found, phase)
        if os.getpid() != self.pid:
            os._exit(0)  # what the case forked came back, too, and is not the one to answer
        flush_output()
        end.update(ev="end", id=number)
        return end

    def _answer(self, case, phase):
        """The `end` of a case: kept from an earlier run, or made. What runs alone is always made."""
        cpu, wall = time.process_time(), time.perf_counter()
        end = self.cache.load(case) if self.cache and phase == "correctness" else None
        if end is not None:
            end["cpu_s"], end["wall_s"] = time.process_time() - cpu, time.perf_counter() - wall
            return end
        end = self.runner.run(case, phase)
        if self.cache and phase == "correctness":
            self.cache.store(case, end)
        elif self.cache and phase in ("confirm", "recheck"):
            self.cache.confirm(case, end)
        return end

    def _run_forked(self, number, phase):
        flush_output()
        self.forks += 1
        if self.forks == FORKS_BEFORE_COLLAPSE:
            collapse_memory()
        answer = Answer()
        child = os.fork()
        if child == 0:
            self._child(number, phase, answer)  # never returns
        nonce = self.wire.nonce()  # only now: no child ever holds its own
        try:
            os.setpgid(child, child)
        except OSError:
            pass  # the child was quicker, or is gone already
        self.wire.write({"ev": "forked", "id": number, "pid": child, "nonce": nonce})
        _, status = wait_for(child)
        leaked = processes.end_children(self.kept)
        mark_output(number)
        reaped = {"ev": "reaped", "id": number, "status": status, "nonce": nonce, "leaked": leaked}
        self.wire.write_lines(answer.take(number, nonce) + encode(reaped))

    def _child(self, number, phase, answer):
        status = 70
        try:
            os.setpgid(0, 0)
            processes.end_with(self.pid)
            self.pid = os.getpid()
            self.wire.close()
            try:
                self._start()
                end = self._end(number, phase)
            except adapters.Unusable as error:
                reason = "the target cannot be started: %s" % error.reason
                end = {"ev": "end", "id": number, "outcome": "error", "reason": reason}
            status = 0 if answer.give(end) else WIRE_CLOSED
        except BaseException as error:
            sys.stderr.write("agent: %s\n" % describe(error)["traceback"])
            flush_output()
        finally:
            os._exit(status)


class Answer:
    """Where a forked child leaves its answer: a file without a name. The zygote reads it when the child is gone."""

    def __init__(self):
        self._token = os.urandom(16).hex().encode()  # what a case writes into the file lacks it
        if hasattr(os, "memfd_create"):
            self._fd = os.memfd_create("answer")
        else:
            with tempfile.TemporaryFile() as stream:
                self._fd = os.dup(stream.fileno())
        self._file = os.fstat(self._fd).st_ino

    def give(self, end):
        """False where the case closed the file, or put another in its place."""
        view = memoryview(self._token + encode(end))
        try:
            if os.fstat(self._fd).st_ino != self._file:
                return False
            while view:
                view = view[os.write(self._fd, view) :]
        except OSError:
            return False
        return True

    def take(self, number, nonce):
        """The line for the wire; nothing where the child gave no answer, or died while it wrote."""
        said = os.pread(self._fd, MAX_LINE + len(self._token) + 1, 0)
        os.close(self._fd)
        own = said.startswith(self._token)
        if not said or (own and b"\n" not in said):
            return b""
        if own and said.find(b"\n") == len(said) - 1:
            return b'{"nonce":"%s",' % nonce.encode() + said[len(self._token) + 1 :]
        reason = "its answer is not what the harness wrote: the case wrote there, too"
        return encode(
            {"ev": "end", "id": number, "nonce": nonce, "outcome": "error", "reason": reason}
        )


def failed(end):
    return end["outcome"] in ("fail", "error")


def import_or_unusable(adapter):
    """The framework's version; an import that fails makes the environment unusable, with its text."""
    try:
        return adapter.import_framework()
    except adapters.Unusable:
        raise
    except Exception as error:
        facts = describe(error)
        sys.stderr.write(facts["traceback"])
        flush_output()
        text = "%s: %s" % (facts["type"], facts["message"][:1000])
        raise adapters.Unusable(
            "%s does not import: %s" % (adapter.framework, text),
            "look at `%s -c 'import %s'`" % (sys.executable, adapter.framework),
        ) from error


def limit_memory(hello):
    """RLIMIT_AS above the size after import; True where it was set."""
    extra = (hello.get("limits") or {}).get("memory_bytes")
    if not extra:
        return False
    try:
        with open("/proc/self/statm") as stream:
            size = int(stream.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = size + int(extra)
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (OSError, ValueError):
        return False
    return True


def collapse_memory():
    """Moves the heap into huge pages, where Linux can: a fork copies one entry for 512 pages then.

    Halves the cost of forking a process that imported torch; takes 0.3 s once, hence not at the start.
    """
    try:
        import ctypes

        libc = ctypes.CDLL(None)
        madvise = libc.madvise
        madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        with open("/proc/self/maps") as stream:
            ranges = [line.split() for line in stream]
    except (ImportError, OSError, AttributeError):
        return
    for fields in ranges:
        if fields[1] != "rw-p" or (len(fields) > 5 and fields[5] != "[heap]"):
            continue
        start, end = (int(number, 16) for number in fields[0].split("-"))
        for address in range(-(-start // HUGE_PAGE) * HUGE_PAGE, end - HUGE_PAGE + 1, HUGE_PAGE):
            madvise(address, HUGE_PAGE, MADV_COLLAPSE)  # refused: those pages stay as they are


def wait_for(child):
    while True:
        try:
            return os.waitpid(child, 0)
        except InterruptedError:
            continue


def mark_output(number):
    """Ends the output of a case, so that the supervisor can tell it from that of the next one."""
    try:
        os.write(1, b"\x1dseamark end %d\n" % number)
    except OSError:
        pass  # the case closed it


def flush_output():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # a case may have put anything there
            pass
