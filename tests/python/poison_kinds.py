"""What a case may leave behind in its process, one snippet a kind, and neighbours that notice it. Suites for
test_poison.py: `suite(framework)` is the text of one."""

import textwrap

# Of every framework. `t` and these modules are there.
ANY = {
    "variable_set": "os.environ['HOME'] = '/nowhere'",
    "variable_deleted": "os.environ.pop('PATH')",
    "variables_cleared": "os.environ.clear()",
    "chdir": "os.chdir('/tmp')",
    "umask": "os.umask(0o777)",
    "handler": "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "timer": "signal.setitimer(signal.ITIMER_REAL, 0.02)",
    "blocked": "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])",
    "stdout_closed": "sys.stdout.close()",
    "stdout_none": "sys.stdout = None",
    "stderr_replaced": "sys.stderr = open(os.devnull)",
    "descriptor_closed": "os.close(1)",
    "descriptors_used_up": "with contextlib.suppress(OSError):"
    " [os.open(os.devnull, os.O_RDONLY) for _ in range(20000)]",
    "descriptor_redirected": "os.dup2(os.open('/dev/null', os.O_WRONLY), 2)",
    "path_emptied": "del sys.path[:]",
    "path_replaced": "sys.path = ['/nowhere']",
    "module_deleted": "del sys.modules['random']",
    "module_replaced": "sys.modules['math'] = types.ModuleType('math')",
    "builtin": "builtins.sum = max",
    "os_function": "os.getpid = lambda: -1",
    "clock": "time.perf_counter = lambda: 0.0",
    "recursion": "sys.setrecursionlimit(60 + len(__import__('inspect').stack()))",
    "trace": "sys.settrace(lambda *_: 1 / 0)",
    "garbage": "gc.disable()",
    "warnings": "warnings.simplefilter('error')",
    "numpy_errors": "numpy.seterr(all='raise')",
    "numpy_function": "numpy.asarray = None",
    "numpy_module": "del sys.modules['numpy.linalg']",
    "numpy_random": "numpy.random.seed(7)",
    "random": "random.seed(7)",
    "files_limit": "resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))",
    "threads_trace": "threading.settrace(lambda *_: 1 / 0)",
    "threads_profile": "threading.setprofile(lambda *_: 1 / 0)",
    "profile": "sys.setprofile(lambda *_: None)",
    "switch_interval": "sys.setswitchinterval(5)",
    "garbage_always": "gc.set_threshold(1)",
    "garbage_kept": "gc.set_debug(gc.DEBUG_SAVEALL)",
    "finders": "sys.meta_path.clear()",
    "stdin_closed": "os.close(0)",
    "streams_swapped": "sys.stdout, sys.stderr = sys.stdin, None",
    "file_size_limit": "resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))",
    "folder_removed": "keep.append(tempfile.mkdtemp()); os.chdir(keep[-1]); os.rmdir(keep[-1])",
    "builtin_deleted": "del builtins.len",
    "os_write": "os.write = lambda *_: 1 / 0",
    "sleep": "time.sleep = None",
    "module_function": "sys.modules['math'].sqrt = lambda x: 0",
    "random_function": "random.uniform = lambda a, b: 9",
    "numpy_linalg": "numpy.linalg.det = None",
}

KINDS = {
    "selftest": {},
    "torch": {
        "default_dtype": "torch.set_default_dtype(torch.float64)",
        "default_device": "torch.set_default_device('meta')",
        "dispatch_mode": "Zeros().__enter__()",
        "function_mode": "Refuses().__enter__()",
        "no_grad": "torch.set_grad_enabled(False)",
        "inference": "torch.inference_mode().__enter__()",
        "anomaly": "torch.autograd.set_detect_anomaly(True)",
        "deterministic": "torch.use_deterministic_algorithms(True)",
        "autocast": "torch.autocast('cpu', dtype=torch.bfloat16).__enter__()",
        "patched_function": "torch.add = torch.sub",
        "patched_functional": "torch.nn.functional.relu = torch.sigmoid",
        "patched_method": "torch.Tensor.__add__ = torch.Tensor.__sub__",
        "patched_layer": "torch.nn.Linear.forward = lambda self, x: x",
        "deleted_function": "del torch.softmax",
        "deleted_module": "del sys.modules['torch.nn.functional']",
        "replaced_dtype": "torch.float32 = torch.float16",
        "module_hook": "torch.nn.modules.module.register_module_forward_hook(lambda m, a, out: out * 2)",
        "kernel": "keep.append(torch.library.Library('aten', 'IMPL')); "
        "keep[-1].impl('mul.Tensor', lambda a, b: a - b, 'CPU')",
        "flush": "torch.set_flush_denormal(True)",
        "precision": "torch.set_float32_matmul_precision('medium')",
        "threads": "torch.set_num_threads(3)",
        "print_options": "torch.set_printoptions(precision=1)",
    },
    "jax": {
        "x64": "jax.config.update('jax_enable_x64', True)",
        "nans": "jax.config.update('jax_debug_nans', True)",
        "no_jit": "jax.config.update('jax_disable_jit', True)",
        "rank": "jax.config.update('jax_numpy_rank_promotion', 'raise')",
        "strict": "jax.config.update('jax_numpy_dtype_promotion', 'strict')",
        "leaks": "jax.config.update('jax_check_tracer_leaks', True)",
        "no_transfer": "jax.config.update('jax_transfer_guard', 'disallow')",
        "random_implementation": "jax.config.update('jax_default_prng_impl', 'rbg')",
        "context_left": "keep.append(jax.default_matmul_precision('bfloat16')); keep[-1].__enter__()",
        "x64_left": "keep.append(jax.experimental.enable_x64()); keep[-1].__enter__()",
        "device_left": "keep.append(jax.default_device(jax.devices()[-1])); keep[-1].__enter__()",
        "patched_function": "jnp.add = jnp.subtract",
        "patched_nn": "jax.nn.relu = jnp.negative",
        "patched_jit": "jax.jit = None",
        "patched_random": "jax.random.normal = lambda key, shape: jnp.zeros(shape)",
        "patched_method": "jax._src.numpy.reductions.sum = None",
        "deleted_function": "del jnp.dot",
        "deleted_module": "del sys.modules['jax.numpy.linalg']",
    },
    "tensorflow": {
        "graph_left": "keep.append(tf.Graph().as_default()); keep[-1].__enter__()",
        "device_left": "keep.append(tf.device('/device:CPU:0')); keep[-1].__enter__()",
        "session_left": "keep.append(tf.compat.v1.Session(graph=tf.Graph()).as_default()); keep[-1].__enter__()",
        "scope_left": "keep.append(tf.name_scope('left')); keep[-1].__enter__()",
        "strategy_left": "keep.append(tf.distribute.OneDeviceStrategy('CPU:0').scope()); keep[-1].__enter__()",
        "creator_left": "keep.append(tf.variable_creator_scope(lambda make, **given: 1 / 0)); keep[-1].__enter__()",
        "eager_functions": "tf.config.run_functions_eagerly(True)",
        "soft_placement": "tf.config.set_soft_device_placement(not tf.config.get_soft_device_placement())",
        "jit": "tf.config.optimizer.set_jit(True)",
        "numpy_behaviour": "tf.experimental.numpy.experimental_enable_numpy_behavior()",
        "equality": "tf.compat.v1.disable_tensor_equality()",
        "numerics": "tf.debugging.enable_check_numerics()",
        "determinism": "tf.config.experimental.enable_op_determinism()",
        "floatx": "tf.keras.backend.set_floatx('float64')",
        "policy": "tf.keras.mixed_precision.set_global_policy('mixed_bfloat16')",
        "patched_function": "tf.math.add = tf.math.subtract",
        "patched_nn": "tf.nn.relu = tf.negative",
        "patched_layer": "tf.keras.layers.Dense.call = lambda self, x: x",
        "deleted_function": "del tf.reduce_sum",
        "deleted_module": "del sys.modules['tensorflow.python.ops.math_ops']",
    },
}

_HEAD = """
import builtins, contextlib, gc, os, random, resource, signal, subprocess, sys, tempfile, threading, time, types, warnings
import numpy
from seamark_suites.case import case

keep = []  # what a case leaves entered
HOME, FOLDER, PATH = os.environ.get("HOME"), os.getcwd(), list(sys.path)
SUM, PID, CLOCK = sum, os.getpid, time.perf_counter


def declare(name, body):
    body.__name__ = name
    case("%(function)s", reference="none")(body)


def poison(name, text):
    code = compile(text, name, "exec")

    def body(t):
        t.call("%(function)s", *%(arguments)s)
        exec(code, globals())

    declare("poison_" + name, body)


def good(body):
    def whole(t):
        t.call("%(function)s", *%(arguments)s)
        body(t)

    declare("good_" + body.__name__, whole)


@good
def variables(t):
    t.expect((os.environ.get("HOME"), "PATH" in os.environ) == (HOME, True), "the environment")


@good
def folder(t):
    t.expect(os.getcwd() == FOLDER, "the working folder")


@good
def files(t):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "file"), "w") as stream:
            stream.write("text")
        os.listdir(folder)


@good
def output(t):
    print("a line")
    sys.stderr.write("another\\n")
    os.write(1, b"a line\\n")
    os.write(2, b"another\\n")


@good
def imports(t):
    import math, random
    t.expect(math.sqrt(4) == 2 and 0 <= random.uniform(0, 1) <= 1, "modules of Python")
    t.expect([p for p in sys.path if p in PATH] == PATH, "sys.path")


@good
def functions(t):
    t.expect(sum([1, 2]) == 3 and os.getpid() > 0 and time.perf_counter() > 0, "functions of Python")


@good
def deep(t):
    def down(n):
        return n and down(n - 1)
    t.expect(down(300) == 0, "recursion")


@good
def signals(t):
    t.expect(signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, "a handler")
    t.expect(not signal.pthread_sigmask(signal.SIG_BLOCK, ()), "blocked signals")


@good
def waits(t):
    time.sleep(0.04)


@good
def thread(t):
    done = []
    one = threading.Thread(target=lambda: done.append(1))
    one.start()
    one.join()
    t.expect(done == [1] and sys.gettrace() is None and gc.isenabled(), "a thread")


@good
def warns(t):
    warnings.warn("is a warning")
    t.expect(numpy.isinf(numpy.array([1.0]) / numpy.array([0.0])).all(), "a quotient")
    t.expect(numpy.linalg.det(numpy.eye(2)) == 1, "numpy.linalg")


DRAWN = []


@good
def draws(t):
    drawn = random.uniform(0, 1), numpy.random.rand()
    DRAWN.append(drawn)
    t.expect(DRAWN[0] == drawn, "the same draws")
"""

_FRAMEWORK = {
    "selftest": ("selftest.os.getpid", "()", ""),
    "torch": ("torch.ones", "((2,),)", """
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

class Zeros(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {})) * 0 if False else torch.zeros(())

class Refuses(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        raise RuntimeError("refused")

def x(t):
    return t.randn((4, 4), "f32")

@case("torch.add", dtypes="f32")
def good_add(t, dtype):
    return t.call("torch.add", x(t), x(t))

@case("torch.mul", dtypes="f32", grad=True)
def good_mul(t, dtype):
    return t.call("torch.mul", x(t), x(t))

@case("torch.softmax", dtypes="f32")
def good_softmax(t, dtype):
    return t.call("torch.softmax", x(t), -1)

@case("torch.nn.functional.relu", dtypes="f32")
def good_relu(t, dtype):
    return t.call("torch.nn.functional.relu", x(t))

@case("torch.matmul", dtypes="f32")
def good_matmul(t, dtype):
    return t.call("torch.matmul", x(t), x(t))

@good
def created(t):
    one = torch.ones(2)
    t.expect((one.dtype, str(one.device)) == (torch.float32, "cpu"), "dtype and device")
    t.expect((one + one).tolist() == [2, 2], "a sum")
    t.expect(torch.get_num_threads() == 1 and repr(one / 3) == "tensor([0.3333, 0.3333])", "settings")

@good
def layer(t):
    made = torch.nn.Linear(4, 3)
    made(torch.ones(2, 4)).sum().backward()
    t.expect(made.weight.grad.shape == (3, 4) and made.weight.dtype == torch.float32, "a layer")
    t.expect(float((torch.ones(1) * 1e-40).double()) > 0, "subnormal numbers")
"""),
    "jax": ("jax.numpy.ones", "((2,),)", """
import jax, jax.experimental, jax.nn
import jax.numpy as jnp

def x(t):
    return t.randn((4, 4), "f32")

@case("jax.numpy.add", dtypes="f32")
def good_add(t, dtype):
    return t.call("jax.numpy.add", x(t), x(t))

@case("jax.numpy.dot", dtypes="f32", grad=True)
def good_dot(t, dtype):
    return t.call("jax.numpy.dot", x(t), x(t))

@case("jax.nn.relu", dtypes="f32")
def good_relu(t, dtype):
    return t.call("jax.nn.relu", x(t))

@case("jax.numpy.sum", dtypes="f32")
def good_sum(t, dtype):
    return t.call("jax.numpy.sum", x(t))

@good
def created(t):
    t.expect(jnp.arange(2.0).dtype == "float32" and jnp.ones((2, 1)).shape == (2, 1), "a dtype")
    t.expect(bool(jnp.isnan(jnp.log(-jnp.ones(2))).all()), "no number")
    t.expect((jnp.ones((2, 2)) + jnp.ones(2)).shape == (2, 2), "a promoted rank")
    t.expect((jnp.ones(2, "int32") + jnp.ones(2, "float32")).dtype == "float32", "a promoted dtype")

@good
def jitted(t):
    import jax.numpy.linalg
    drawn = jax.random.normal(jax.random.key(0), (3,))
    t.expect(float(jax.jit(lambda v: (v * v).sum())(drawn)) > 0, "a program")
"""),
    "tensorflow": ("tf.ones", "((2,),)", """
import tensorflow as tf

def x(t):
    return t.randn((4, 4), "f32")

@case("tf.math.add", dtypes="f32")
def good_add(t, dtype):
    return t.call("tf.math.add", x(t), x(t))

@case("tf.reduce_sum", dtypes="f32", grad=True)
def good_sum(t, dtype):
    return t.call("tf.reduce_sum", x(t))

@case("tf.nn.relu", dtypes="f32")
def good_relu(t, dtype):
    return t.call("tf.nn.relu", x(t))

@case("tf.linalg.matmul", dtypes="f32")
def good_matmul(t, dtype):
    return t.call("tf.linalg.matmul", x(t), x(t))

@good
def created(t):
    one = tf.ones(2)
    t.expect(tf.executing_eagerly() and one.dtype == tf.float32, "eager")
    t.expect(bool(tf.reduce_all(one == one)) and not hasattr(one, "tolist"), "equality")
    t.expect(bool(tf.reduce_all(tf.math.is_nan(tf.math.log(-one)))), "no number")

@good
def layer(t):
    made = tf.keras.layers.Dense(3)
    out = made(tf.ones((2, 4)))
    t.expect(out.shape == (2, 3) and out.dtype == tf.float32, "a layer")
"""),
}  # fmt: skip


def kinds(framework):
    return {**ANY, **KINDS[framework]}


def suite(framework):
    function, arguments, own = _FRAMEWORK[framework]
    text = textwrap.dedent(_HEAD) % {"function": function, "arguments": arguments} + own
    for name, snippet in kinds(framework).items():
        text += "\npoison(%r, %r)" % (name, snippet)
    return text
