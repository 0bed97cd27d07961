"""Faults that a case injects into its own process, one kind a line, and what each has to be blamed as. Suites for
test_faults.py: `suite(framework, mode, names)` is the text of one."""

import signal
import textwrap

_SIGNALS = "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT XCPU XFSZ VTALRM PROF IO PWR SYS"
_ANY_END = "pass fail error crash"  # what the harness itself works with is gone


def _kinds():
    """{name: (the outcomes that are right, the case's code)}."""
    kinds = {}

    def add(outcomes, **snippets):
        for name, snippet in snippets.items():
            kinds[name] = (outcomes, textwrap.dedent(snippet).strip())

    # signals: each that ends a process, and some of those that have no name
    for name in _SIGNALS.split():
        if not hasattr(signal, "SIG" + name):
            continue
        reset = "" if name == "KILL" else "signal.signal(signal.SIG%s, signal.SIG_DFL)\n" % name
        add("crash", **{"sig" + name.lower(): reset + "os.kill(os.getpid(), signal.SIG%s)" % name})
    for number in (34, 40, 49, 63):
        add("crash", **{"sig%d" % number: "os.kill(os.getpid(), %d)" % number})
    add(
        "crash",
        sigkill_of_the_group="os.killpg(0, signal.SIGKILL)",
        sigterm_of_the_group="os.killpg(0, signal.SIGTERM)",
        sigkill_of_the_zygote="os.kill(os.getppid() if MODE == 'fork' else os.getpid(), signal.SIGKILL); time.sleep(60)",
        sigsegv_in_a_thread="one = threading.Thread(target=ctypes.string_at, args=(8,)); one.start(); one.join()",
        sigsegv_in_a_handler="""
            signal.signal(signal.SIGUSR1, lambda *_: ctypes.string_at(8))
            os.kill(os.getpid(), signal.SIGUSR1)
            time.sleep(1)
        """,
        alarm_rings="signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(60)",
        processor_time="resource.setrlimit(resource.RLIMIT_CPU, (1, -1))\nwhile True: pass",
    )
    add("timeout", sigstop="os.kill(os.getpid(), signal.SIGSTOP)")

    # faults in C
    add(
        "crash",
        reads_nothing="ctypes.string_at(0)",
        writes_nothing="ctypes.memset(8, 1, 64)",
        calls_nothing="ctypes.CFUNCTYPE(None)(16)()",
        writes_text="ctypes.memset(ctypes.cast(LIBC.getpid, ctypes.c_void_p), 0, 64)",
        reads_behind_a_file="""
            stream = tempfile.TemporaryFile()
            stream.truncate(8192)
            mapped = mmap.mmap(stream.fileno(), 8192)
            stream.truncate(0)
            mapped[5000]
        """,
        frees_twice="LIBC.free(ctypes.c_void_p(START)); LIBC.free(ctypes.c_void_p(START + 8))",
        aborts_in_c="LIBC.abort()",
        fatal_error="faulthandler._fatal_error_c_thread(); time.sleep(10)",
        stack_overflow_in_c="resource.setrlimit(resource.RLIMIT_STACK, (1 << 20, -1)); faulthandler._stack_overflow()",
        divides_by_zero="faulthandler._sigfpe()",
        steals_a_reference="""
            one = object()
            for _ in range(4): ctypes.pythonapi.Py_DecRef(ctypes.py_object(one))
            ctypes.string_at(8)
        """,
        null_from_python="ctypes.pythonapi.PyObject_Repr.argtypes = [ctypes.c_void_p]; ctypes.pythonapi.PyObject_Repr(8)",
        aborts="os.abort()",
        aborts_while_printing="sys.stdout.write('half a line'); os.abort()",
    )

    # ends that are no faults elsewhere
    for status in (0, 1, 2, 70, 127, 128, 139, 255):
        add("crash", **{"exits_%d" % status: "os._exit(%d)" % status})
    add("crash error", exits_76="os._exit(76)")
    add(
        "crash",
        exits_in_c="LIBC.exit(3)",
        exits_at_once_in_c="LIBC._exit(0)",
        exits_in_a_thread="one = threading.Thread(target=os._exit, args=(4,)); one.start(); one.join()",
        becomes_true="os.execv('/bin/true', ['true'])",
        becomes_false="os.execv('/bin/false', ['false'])",
        becomes_python="os.execv(sys.executable, [sys.executable, '-c', 'print(1)'])",
        becomes_a_shell="os.execv('/bin/sh', ['sh', '-c', 'kill -9 $$'])",
    )
    add("timeout", becomes_a_sleep="os.execv('/bin/sleep', ['sleep', '60'])")
    add("crash timeout", ends_its_thread="LIBC.pthread_exit(0)")

    # what is raised
    add(
        "fail",
        exits_python="sys.exit(0)",
        exits_python_3="sys.exit(3)",
        exits_python_text="sys.exit('a text')",
        raises_system_exit="raise SystemExit",
        raises_interrupt="raise KeyboardInterrupt",
        raises_generator_exit="raise GeneratorExit",
        raises_stop="raise StopIteration",
        raises_stop_async="raise StopAsyncIteration",
        raises_own_base="class Own(BaseException): pass\nraise Own('own')",
        raises_a_class="raise ValueError",
        raises_nothing="raise None",
        raises_a_text="raise 'text'",
        raises_a_group="raise ExceptionGroup('many', [ValueError(n) for n in range(2000)]) if sys.version_info >= (3, 11) else ValueError",
        raises_a_chain="""
            error = None
            for number in range(500):
                new = ValueError(number)
                new.__cause__, error = error, new
            raise error
        """,
        raises_a_circle="one, two = ValueError(1), ValueError(2)\none.__cause__, two.__cause__ = two, one\nraise one",
        raises_without_text="class Own(Exception):\n    def __str__(self): raise ValueError('no text')\nraise Own",
        raises_without_repr="class Own(Exception):\n    __repr__ = __str__ = None\nraise Own",
        raises_a_number_as_text="class Own(Exception):\n    def __str__(self): return 5\nraise Own",
        raises_an_endless_text="class Own(Exception):\n    def __str__(self): return str(self)\nraise Own",
        raises_with_exit_in_text="class Own(Exception):\n    def __str__(self): raise SystemExit(3)\nraise Own",
        raises_with_interrupt_in_text="class Own(Exception):\n    def __str__(self): raise KeyboardInterrupt\nraise Own",
        raises_a_huge_text="raise ValueError('x' * (64 << 20))",
        raises_surrogates="raise ValueError('\\ud800\\0\\x1b[2J\\u202e')",
        raises_a_false_name="class Own(Exception): pass\nOwn.__module__, Own.__qualname__ = 5, 'a\\nb'\nraise Own",
        raises_a_false_truth="class Own(Exception):\n    def __bool__(self): raise ValueError\n    __eq__ = __hash__ = None\nraise Own('x')",
        raises_without_args="error = ValueError()\nerror.args = (error,)\nraise error",
        raises_with_a_marker="error = ValueError()\nerror.seamark_stage = error\nraise error",
        recursion="def down(): down()\ndown()",
        recursion_in_a_comparison="class Own:\n    def __eq__(self, other): return self == other\nOwn() == 1",
        recursion_near_the_limit="""
            def down(n):
                try: down(n + 1)
                finally: n + 1
            down(0)
        """,
        asserts="assert False",
        closes_a_generator="def one():\n    try: yield\n    finally: raise ValueError('in close')\nnext(g := one()); g.close()",
    )
    add(
        "fail error",  # nobody can ask what they are
        raises_a_false_class="class Own(Exception):\n    __class__ = property(lambda self: 1 / 0)\nraise Own",
        raises_without_attributes="class Own(Exception):\n    def __getattribute__(self, name): raise ValueError(name)\nraise Own",
        raises_a_metaclass="""
            class Meta(type):
                __module__ = property(lambda self: 1 / 0)
                def __repr__(self): raise ValueError
            raise Meta('Own', (Exception,), {})('x')
        """,
    )
    add("timeout crash", deep_recursion_in_c="""
            sys.setrecursionlimit(1 << 30)
            class Own:
                def __getattr__(self, name): return getattr(self, name + 'x')
            threading.stack_size(1 << 20)
            one = threading.Thread(target=lambda: Own().x); one.start(); one.join()
            os.abort()
        """)  # fmt: skip
    add(
        "pass",
        raises_in_a_destructor="class Own:\n    def __del__(self): raise ValueError('in a destructor')\nOwn()",
        raises_in_a_late_destructor="class Own:\n    def __del__(self): raise SystemExit(3)\nOwn.own = Own()\nOwn.own.own = Own.own",
        raises_in_a_weak_reference="class Own: pass\none = Own()\nkeep.append(weakref.ref(one, lambda _: 1 / 0))\ndel one",
        raises_in_a_thread="one = threading.Thread(target=lambda: 1 / 0); one.start(); one.join()",
        exits_python_in_a_thread="one = threading.Thread(target=sys.exit); one.start(); one.join()",
        raises_in_a_finalizer="class Own: pass\none = Own()\nweakref.finalize(one, lambda: 1 / 0)\nkeep.append(one)",
        destructor_of_a_module="class Own:\n    def __del__(self): os.abort()\nkeep.append(Own()); signal.own = keep[-1]",
    )
    add("crash", exits_in_a_destructor="class Own:\n    def __del__(self): os._exit(5)\nOwn()")

    # memory: the target's limit is MEMORY_MIB
    add(
        "error",
        memory_at_once="bytearray(1 << 46)",
        memory_of_numpy="numpy.ones(1 << 43)",
        memory_error="raise MemoryError",
        memory_held="held = bytearray(LIMIT)\nheld[::4096] = b'1' * len(held[::4096])\ntime.sleep(60)",
        memory_slowly="while True: keep.append(b'x' * (4 << 20)); time.sleep(0.002)",
        memory_in_c="while True: ctypes.memset(LIBC.malloc(4 << 20), 1, 4 << 20); time.sleep(0.002)",
        memory_mapped="held = mmap.mmap(-1, LIMIT)\nfor n in range(0, LIMIT, 4096): held[n] = 1\ntime.sleep(60)",
        memory_in_a_thread="one = threading.Thread(target=fill, args=(LIMIT,)); one.start(); one.join(); time.sleep(60)",
        memory_in_children="for _ in range(4):\n    if os.fork() == 0: fill(LIMIT // 3); time.sleep(60)\ntime.sleep(60)",
        memory_in_a_session="if os.fork() == 0: os.setsid(); fill(LIMIT)\ntime.sleep(60)",
        memory_in_another_program="subprocess.run([sys.executable, '-c', 'import time; x = b\"x\" * %d; time.sleep(60)' % LIMIT])",
        memory_of_a_list="keep.append([0] * (1 << 44))",
        memory_of_a_text="'x' * (1 << 45)",
    )

    # the wire
    add(
        "error",
        closes_the_wire="os.closerange(3, 64)",
        closes_its_answer="os.close(4) if MODE != 'fork' else os.closerange(3, 64)",
        closes_its_nonces="os.close(5) if MODE != 'fork' else os.closerange(3, 64)",
        replaces_the_wire="other = os.open('/dev/null', os.O_RDWR)\nfor fd in wires(): os.dup2(other, fd)",
        replaces_by_a_pipe="other = os.pipe()[1]\nfor fd in wires(): os.dup2(other, fd)",
        swaps_the_wire="os.dup2(4, 3) if MODE != 'fork' else os.closerange(3, 64)",
        writes_garbage="tell(b'no JSON at all\\n')",
        writes_half_a_line='tell(b\'{"ev":"end","id":\')',
        writes_a_number="tell(b'5\\n')",
        writes_nothing_known='tell(b\'{"ev":"hello"}\\n\')',
        writes_a_huge_line="tell(b'x' * (3 << 20) + b'\\n')",
        writes_deep="tell(b'[' * 100000 + b'\\n')",
        writes_nul="tell(b'\\0\\0\\0\\n')",
        writes_no_text="tell(b'\\xff\\xfe\\n')",
        writes_a_ready='tell(b\'{"ev":"ready","wire":2,"pid":1}\\n\')',
        writes_unusable='tell(b\'{"ev":"unusable","reason":"r","remedy":""}\\n\')',
        writes_a_pass='tell(b\'{"ev":"end","id":%d,"outcome":"pass"}\\n\' % NUMBER)',
        writes_another_pass='tell(b\'{"ev":"end","id":%d,"outcome":"pass"}\\n\' % (NUMBER + 1))',
        writes_done='tell(b\'{"ev":"done","id":%d}\\n\' % NUMBER)',
        writes_done_with_a_nonce='tell(b\'{"ev":"done","id":%d,"nonce":"%s"}\\n\' % (NUMBER, b\'0\' * 32))',
        writes_forked='tell(b\'{"ev":"forked","id":%d,"pid":1}\\n\' % NUMBER)',
    )
    add(
        "error crash timeout",
        reads_the_nonces="tell(os.read(5, 64) + b'\\n') if MODE != 'fork' else os.closerange(3, 64)",
        reads_the_requests="os.closerange(3, 64) if MODE == 'fork' else (os.set_blocking(3, False), read_requests(), os.closerange(3, 64))",
    )
    add(
        "pass error",
        wire_does_not_block="for fd in wires():\n    try: os.set_blocking(fd, False)\n    except OSError: pass",
    )
    add("pass error", writes_empty_lines="tell(b'\\n\\n\\n')")

    # standard input, output and errors
    add(
        "pass",
        closes_stdin="os.close(0)",
        closes_stdout="os.close(1)",
        closes_stderr="os.close(2)",
        closes_all_three="os.closerange(0, 3)",
        closes_the_streams="sys.stdin.close(); sys.stdout.close(); sys.stderr.close()",
        no_streams="sys.stdin = sys.stdout = sys.stderr = None",
        streams_raise="sys.stdout = sys.stderr = type('Own', (), {'write': lambda *_: 1 / 0, 'flush': lambda *_: 1 / 0})()",
        streams_exit="sys.stdout = sys.stderr = type('Own', (), {'write': sys.exit, 'flush': lambda self: None})()",
        output_to_nothing="null = os.open('/dev/null', os.O_RDWR)\nfor fd in (0, 1, 2): os.dup2(null, fd)",
        output_to_a_full_disk="full = os.open('/dev/full', os.O_RDWR); os.dup2(full, 1); os.dup2(full, 2)",
        output_to_a_closed_pipe="a, b = os.pipe(); os.close(a); os.dup2(b, 1); os.close(b)",
        output_without_end="for _ in range(500): os.write(1, b'x' * 65536)",
        output_of_no_text="os.write(1, bytes(range(256)) * 99); os.write(2, b'\\0' * 999)",
        output_with_marks="for n in range(9): os.write(1, b'\\x1dseamark end %d\\n' % (NUMBER + n))",
        detaches_the_buffer="sys.stdout.detach(); sys.stderr.detach()",
    )
    add(
        "pass fail",  # the rest of the case itself may meet them
        traces="sys.settrace(lambda *_: 1 / 0)",
        profiles="sys.setprofile(lambda *_: 1 / 0)",
    )
    add("error pass fail", output_to_the_wire="os.dup2(4, 1); os.write(1, b'text\\n')")

    # what is left running, or set
    add(
        "pass",
        leaves_threads="for _ in range(8): threading.Thread(target=time.sleep, args=(300,), daemon=True).start()",
        leaves_a_stubborn_thread="threading.Thread(target=time.sleep, args=(300,)).start()",
        leaves_a_raising_thread="threading.Timer(0.05, lambda: 1 / 0).start()",
        leaves_a_busy_thread="one = threading.Thread(target=busy, daemon=True); one.start()",
        leaves_a_printing_thread="one = threading.Thread(target=prints, daemon=True); one.start()",
        leaves_an_alarm="signal.alarm(1)",
        leaves_a_timer="signal.setitimer(signal.ITIMER_VIRTUAL, 0.01, 0.01)",
        leaves_handlers="for n in (1, 2, 3, 10, 12, 15): signal.signal(n, lambda *_: sys.exit(5))",
        leaves_signals_blocked="signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
        leaves_signals_ignored="for n in (1, 2, 3, 13, 15, 17): signal.signal(n, signal.SIG_IGN)",
        leaves_children="for _ in range(3): subprocess.Popen(['sleep', '300'])",
        leaves_a_zombie="os.fork() or os._exit(3)",
        leaves_a_session="subprocess.Popen(['sleep', '300'], start_new_session=True)",
        exits_at_the_end="atexit.register(sys.exit, 5)",
        raises_at_the_end="atexit.register(lambda: 1 / 0)",
        dies_at_the_end="atexit.register(os.abort)",
        hangs_at_the_end="atexit.register(time.sleep, 300)",
        spare_the_parent="signal.set_wakeup_fd(-1); faulthandler.enable(); faulthandler.disable()",
        dumps_later="faulthandler.dump_traceback_later(0.02, repeat=True, file=open(os.devnull, 'w'))",
        recursion_limit="sys.setrecursionlimit(80 + len(inspect.stack()))",
        audits="sys.addaudithook(lambda *_: None)",
        hooks="sys.excepthook = sys.unraisablehook = sys.displayhook = lambda *_: 1 / 0",
        environment="os.environ.clear()",
        folder_is_gone="folder = tempfile.mkdtemp(); os.chdir(folder); os.rmdir(folder)",
        folder_cannot_be_read="folder = tempfile.mkdtemp(); os.chdir(folder); os.chmod(folder, 0)",
        umask="os.umask(0o777)",
        priority="os.nice(5)",
        new_session="MODE == 'fork' or os.getpid()\ntry: os.setsid()\nexcept OSError: pass",
        few_files="resource.setrlimit(resource.RLIMIT_NOFILE, (6, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))",
        no_core="resource.setrlimit(resource.RLIMIT_CORE, (0, 0))",
        no_processes="resource.setrlimit(resource.RLIMIT_NPROC, (1, resource.getrlimit(resource.RLIMIT_NPROC)[1]))",
        switch_interval="sys.setswitchinterval(10)",
        garbage_off="gc.disable(); gc.freeze()",
        garbage_always="gc.set_threshold(1)",
        garbage_kept="gc.set_debug(gc.DEBUG_SAVEALL)",
        garbage_hook="gc.callbacks.append(lambda *_: 1 / 0)",
        garbage_resurrects="class Own:\n    def __del__(self): keep.append(self)\none = Own(); one.one = one; del one; gc.collect()",
        locale_of_another="locale.setlocale(locale.LC_ALL, 'C')",
        warnings_raise="warnings.simplefilter('error')",
        open_files="keep.extend(open(os.devnull) for _ in range(200))",
        path_gone="del sys.path[:]; sys.meta_path.clear(); sys.path_hooks.clear(); sys.path_importer_cache.clear()",
        random_seeded="random.seed(1); numpy.random.seed(1)",
    )
    add(
        _ANY_END,
        files_of_no_size="resource.setrlimit(resource.RLIMIT_FSIZE, (0, -1))",
        no_address_space="resource.setrlimit(resource.RLIMIT_AS, (1 << 20, resource.getrlimit(resource.RLIMIT_AS)[1]))",
        no_modules="sys.modules.clear()",
        no_os="del sys.modules['os'], sys.modules['json'], sys.modules['time']",
        no_agent="[sys.modules.pop(name) for name in list(sys.modules) if name.startswith('seamark')]",
        no_open="builtins.open = None",
        no_import="builtins.__import__ = None",
        no_isinstance="builtins.isinstance = lambda *_: True",
        no_length="builtins.len = lambda _: 0",
        no_exit="os._exit = sys.exit = lambda *_: None",
        no_writing="os.write = lambda *_: 1 / 0",
        no_reading="os.read = lambda *_: b''",
        no_json="json.JSONEncoder.encode = json.dumps = lambda *_, **__: '{}'",
        no_clock="time.perf_counter = time.process_time = time.monotonic = None",
        no_encoding="codecs.lookup = None; sys.getfilesystemencoding = None",
        stolen_handle="t.__class__ = type('Own', (), {})",
        handle_raises="t.close = lambda: 1 / 0",
    )
    add(  # one of the processes that come back is the worker: it answers, the others end
        "pass",
        forks_and_both_return="os.fork()",
        forks_and_both_return_apart="os.fork() or os.setsid()",
        forks_often_and_all_return="os.fork(); os.fork(); os.fork()",
    )
    return kinds


KINDS = _kinds()

# Of a framework: inside its own code.
OWN = {
    "selftest": {},
    "torch": {
        "hook_raises": ("fail", "backward(lambda g: 1 / 0)"),
        "hook_exits_python": ("fail", "backward(lambda g: sys.exit(3))"),
        "hook_exits": ("crash", "backward(lambda g: os._exit(3))"),
        "hook_segfaults": ("crash", "backward(lambda g: ctypes.string_at(8))"),
        "out_of_memory": ("error", "torch.empty(1 << 46)"),
        "filled": ("error", "keep.append(torch.ones(LIMIT // 4)); time.sleep(60)"),
        "library_raises": ("fail", "torch.ones(2) + torch.ones(3)"),
    },
    "jax": {
        "callback_raises": ("fail", "called(lambda x: 1 / 0)"),
        "callback_exits": ("crash", "called(lambda x: os._exit(3))"),
        "callback_segfaults": ("crash", "called(lambda x: ctypes.string_at(8))"),
        "out_of_memory": ("error", "jnp.ones(1 << 44, 'int8').block_until_ready()"),
        "filled": ("error", "keep.append(jnp.ones(LIMIT // 4).block_until_ready()); time.sleep(60)"),
        "library_raises": ("fail", "jnp.ones(2) + jnp.ones(3)"),
    },
    "tensorflow": {
        "function_raises": ("fail", "called(lambda x: 1 / 0)"),
        "function_exits": ("crash", "called(lambda x: os._exit(3))"),
        "function_segfaults": ("crash", "called(lambda x: ctypes.string_at(8))"),
        "out_of_memory": ("error", "tf.ones(1 << 44, 'int8')"),
        "filled": ("error", "keep.append(tf.ones(LIMIT // 4)); time.sleep(60)"),
        "library_raises": ("fail", "tf.ones(2) + tf.ones(3)"),
        "asserts_in_cpp": ("crash", "tf.TensorShape(None); tf.constant(1).numpy().tobytes(); os.abort()"),
    },
}  # fmt: skip

MEMORY_MIB = 192
FILES_MIB = (
    512  # a forked child begins without the pages of its zygote's files: so much more it may hold
)

_HEAD = """
import atexit, builtins, codecs, ctypes, faulthandler, gc, inspect, json, locale, mmap, os, random, resource, signal
import subprocess, sys, tempfile, threading, time, warnings, weakref
import numpy
from seamark_suites.case import case

MODE, LIMIT = "%(mode)s", %(limit)d
HOME, FOLDER = os.environ.get("HOME"), os.getcwd()
LIBC = ctypes.CDLL(None)
LIBC.malloc.restype = ctypes.c_void_p
LIBC.malloc.argtypes = [ctypes.c_size_t]
ctypes.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
START = id(LIBC) + 1
keep = []


def tell(data):
    '''To the worker, by whatever leads there.'''
    for fd in (4,) if MODE != "fork" else range(3, 64):
        try:
            rest = data
            while rest:
                rest = rest[os.write(fd, rest):]
        except OSError:
            pass


def read_requests():
    try:
        os.read(3, 1 << 16)
    except OSError:
        pass


def wires():
    return (3, 4, 5) if MODE != "fork" else range(3, 64)


def fill(size):
    held = bytearray(size)
    held[::4096] = b"1" * len(held[::4096])
    time.sleep(60)


def busy():
    while True:
        pass


def prints():
    while True:
        os.write(1, b"a line\\n")
        time.sleep(0.001)


def called_and_right(t):
    t.call("%(function)s", *%(arguments)s)
"""
_GOOD = """
    t.expect((os.environ.get("HOME"), os.getcwd()) == (HOME, FOLDER), "environment and folder")
    t.expect(sum([1, 2]) == 3 and len([1]) == 1 and not isinstance(1, str), "functions of Python")
    print("a line")
    os.write(1, b"a line\\n")
    with tempfile.TemporaryFile() as stream:
        stream.write(b"text")
    import math
    t.expect(math.sqrt(4) == 2 and time.perf_counter() > 0, "modules of Python")
    def down(n):
        return n and down(n - 1)
    t.expect(down(200) == 0, "recursion")
    t.expect(not signal.pthread_sigmask(signal.SIG_BLOCK, ()), "blocked signals")
    t.expect(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, "a handler")
    one = threading.Thread(target=lambda: None)
    one.start()
    one.join()
"""

_FRAMEWORK = {
    "selftest": ("selftest.os.getpid", "()", "", ""),
    "torch": ("torch.ones", "((2,),)", "import torch", """
def backward(hook):
    x = torch.ones(2, requires_grad=True)
    x.register_hook(hook)
    (x * x).sum().backward()
""", "    t.expect((torch.ones(2) + 1).tolist() == [2, 2], 'a sum')"),
    "jax": ("jax.numpy.ones", "((2,),)", "import jax\nimport jax.numpy as jnp", """
def called(function):
    out = jax.ShapeDtypeStruct((2,), "float32")
    jax.jit(lambda x: jax.pure_callback(function, out, x))(jnp.ones(2)).block_until_ready()
""", "    t.expect((jnp.ones(2) + 1).tolist() == [2, 2], 'a sum')"),
    "tensorflow": ("tf.ones", "((2,),)", "import tensorflow as tf", """
def called(function):
    tf.py_function(function, [tf.ones(2)], "float32").numpy()
""", "    t.expect((tf.ones(2) + 1).numpy().tolist() == [2, 2], 'a sum')"),
}  # fmt: skip


def kinds(framework):
    """{name: (outcomes, code)}: of every framework, and of this one."""
    return {**KINDS, **OWN[framework]}


def suite(framework, mode, names):
    """Case cNNN_KIND for each name, in this order; "good" is a neighbour without a fault."""
    function, arguments, *texts = _FRAMEWORK[framework]
    own, check = "\n".join(texts[:-1]), texts[-1]
    known = kinds(framework)
    text = _HEAD % {
        "mode": mode, "limit": (MEMORY_MIB * 3 // 2 + (framework != "selftest") * FILES_MIB) << 20, "function": function, "arguments": arguments,
    } + own  # fmt: skip
    for number, name in enumerate(names):
        code = _GOOD + check if name == "good" else textwrap.indent(known[name][1], "    ")
        text += (
            '\n\n@case("%s", reference="none", timeout_s=%d)\ndef c%03d_%s(t):\n    global NUMBER\n'
            "    NUMBER = %d\n    called_and_right(t)\n%s\n"
        ) % (function, known[name][0].count("timeout") and 2 if name != "good" else 60,
             number, name, number, code)  # fmt: skip
    return text


# An interpreter at fault: a shell script. {python} is a true one.
INTERPRETERS = {
    "exits": "exit 1",
    "exits_well": "exit 0",
    "exits_76": "exit 76",
    "is_killed": "kill -9 $$",
    "segfaults": "kill -SEGV $$",
    "speaks": "echo Hello",
    "speaks_on_the_wire": "echo Hello >&4",
    "is_no_program": "exec {folder}/suite.py",
    "is_not_there": "exec {folder}/nothing",
    "is_another_program": "exec /bin/cat",
    "knows_no_option": 'exec {python} -Z "$@"',
    "has_no_library": 'PYTHONHOME={folder} exec {python} "$@"',
    "has_a_false_json": 'echo "1 / 0" > {folder}/json.py; PYTHONPATH={folder} exec {python} "$@"',
    "exits_on_import": 'echo "import os; os._exit(3)" > {folder}/json.py; PYTHONPATH={folder} exec {python} "$@"',
    "aborts_on_import": 'echo "import os; os.abort()" > {folder}/json.py; PYTHONPATH={folder} exec {python} "$@"',
    "recurses_on_import": 'echo "def f(): f()" > {folder}/json.py; echo "f()" >> {folder}/json.py; PYTHONPATH={folder} exec {python} "$@"',
    "raises_at_the_start": 'echo "raise SystemExit(4)" > {folder}/sitecustomize.py; PYTHONPATH={folder} exec {python} "$@"',
    "closes_the_wire": 'exec {python} "$@" 3<&- 4>&- 5<&-',
    "closes_its_output": 'exec {python} "$@" 4>&-',
    "has_no_memory": 'ulimit -v 20000; exec {python} "$@"',
    "has_no_files": 'ulimit -n 6; exec {python} -c "import os; os.open(os.devnull, 0); os.pipe(); os.pipe()"',
    "has_no_time": 'exec {python} -c "import resource as r; r.setrlimit(r.RLIMIT_CPU, (0, 0))\nwhile 1: pass"',
}  # fmt: skip
