"""TensorFlow programs compiled for a device that is not here, through StableHLO: the evidence is
`compiled`, nothing runs there.

options: those of jax_aot (platform, topology, ...). Each t.call is traced by tf.function, turned into
StableHLO by TensorFlow's XLA (its kernels for the CPU: the CPU build has no others), and compiled by
JAX's client for the topology's first device; then the call runs eagerly on the CPU, so that the body
goes on. Variables that a call uses are inputs of its program.

Who is to blame for a failure:
  fails-on-reference  the call fails eagerly, or nothing can trace it; where the device has kernels of
                      TensorFlow's own (cuda), also what tf.function(jit_compile=True) refuses on the CPU
  stage "bridge"      it runs there, but makes no StableHLO that JAX's XLA takes even for the CPU
  stage "compile"     all of that works, and the device's compiler refuses the program
"""

import contextlib
import functools
import importlib

from ...failures import same_failure
from ...harness import Skip
from .. import device_work
from ..ahead import METHOD, NOTHING_RUNS, OPTIONS, finish_proof, no_program, once
from ..base import Proof, carried
from ..jax import QUIET_LIBTPU
from ..jax_aot import TargetAdapter as JaxAhead
from ..jax_aot import mark
from ..stablehlo import Lowered, is_foreign
from ..tensorflow import TargetAdapter as Eager
from ..tensorflow.calls import traced_function
from .host import computing, host_only
from .script import FIRST, LAST

BRIDGE = "StableHLO"
# Platforms that TensorFlow reaches through XLA alone: what XLA lacks everywhere is their gap, too.
XLA_ALONE = ("tpu",)


class TargetAdapter(Eager):
    evidence = "compiled"
    known_options = OPTIONS
    cpu_is_reference = False
    compiles = True

    def __init__(self, target):
        Eager.__init__(self, dict(target, device="cpu"))
        self.jit, self.mode = True, "function"  # how the program is made
        self.ahead = JaxAhead(target)  # JAX's side: the topology, the compiler and its facts
        self._proof = None  # the proof that prove() fills
        self._begin()

    def _begin(self):
        self.ahead._compiled = []
        self._nothing = None  # why the last call without a program has none
        self._host_ops = []  # what a call leaves to the host

    # -- life -------------------------------------------------------------------------------------

    def import_framework(self):
        self.ahead.threads = self.threads
        self.ahead.import_framework()  # first: TensorFlow imports JAX, which reads its settings once
        return Eager.import_framework(self)

    def start(self):
        Eager.start(self)
        facts = self.ahead.start()
        name = str(facts.get("device") or "").replace(" (compiled only)", "")
        return dict(
            facts,
            device="%s (compiled only, via %s)" % (name, BRIDGE),
            bridge=self._bridge(),
            jaxlib=importlib.import_module("jaxlib").__version__,
            threads=self.threads,
        )

    def _bridge(self):
        return "%s of TensorFlow %s" % (BRIDGE, self.tf.__version__)

    def prewarm(self):
        self.unit(lambda x: x * 2.0, (self.tf.constant([1.0, 2.0]),), {}, False, "target")()
        self._begin()

    # -- values: a body's arrays live on the CPU --------------------------------------------------

    def devices(self, array):
        return []

    # -- calls ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def at(self, place):
        self._begin()
        with Eager.at(self, place):
            yield
            if place == "target" and not self.ahead._compiled:
                why = self._nothing or "the case makes no call that could be compiled"
                raise no_program(why)

    def unit(self, function, args, kwargs, grad, place):
        eager = functools.partial(function, *args, **kwargs)
        if grad:
            inputs = self._differentiable([args, kwargs])
            eager = functools.partial(self.differentiate, function, args, kwargs, inputs)
        if place != "target":
            return eager
        if not self.tf.executing_eagerly():
            raise Skip("a session is no part of a traced function")
        traced, arrays = traced_function(self, self._tensors_of(function), args, kwargs, grad)
        return once(lambda: self._compile_and_run(traced, arrays, eager))

    def _tensors_of(self, function):
        """The function with its result's tensors alone: a tf.function makes constants of numbers."""
        kinds = (self.tf.Tensor, self.tf.Variable)

        def call(*args, **kwargs):
            leaves = self.flatten(function(*args, **kwargs))
            return [leaf for _, leaf in leaves if isinstance(leaf, kinds)]

        return call

    def _compile_and_run(self, traced, arrays, eager):
        """Compiles first: what is too large for the device need not fit into this machine."""
        try:
            concrete = traced.get_concrete_function(*arrays)
        except Skip:
            raise
        except Exception as error:
            # Tracing knows no device: what fails there fails in a tf.function anywhere.
            result = self._run_on_cpu(eager)
            if not any(self.is_array(leaf) for _, leaf in self.flatten(result)):
                self._nothing = "tf.function cannot trace the call, which gives no tensor"
                return result
            mark(error, "lower", True)
            raise
        if self._has_program(concrete):
            changes = device_work.changes_state(concrete.graph)
            self._compile(traced, arrays, eager, changes)
        return self._run_on_cpu(eager)

    def _has_program(self, concrete):
        stays = host_only(self.tf, concrete.graph)
        if stays:
            self._host_ops += stays
            names = ", ".join(stays)
            self._nothing = "strings, datasets, tables and Python stay on the host (%s)" % names
            return False
        return computing(concrete) or self._works(False, "the call traces to an empty program")

    def _works(self, found, why=device_work.NOTHING):
        """Notes whether the current call does device work, and why not."""
        if self._proof is not None:
            self._proof.work = found
        if not found:
            self._nothing = why
        return found

    def _run_on_cpu(self, eager):
        try:
            return eager()
        except Skip:
            raise
        except Exception as error:
            mark(error, "call", True)
            raise

    def _compile(self, traced, arrays, eager, changes):
        try:
            text = traced.experimental_get_compiler_ir(*arrays)(stage="stablehlo")
            lowered = Lowered(text)
        except Exception as error:
            self._blame_bridge(error, "lower", traced, arrays, eager)
            raise
        if not lowered.does_something():
            self._works(False, "XLA leaves nothing of the call (it drops assertions)")
            return
        if not self._works(changes or device_work.of_stablehlo(lowered.module)):
            return
        try:
            compiled = lowered.compile(self.ahead._devices[0])
        except Exception as error:
            if is_foreign(error) or self._fails_for_cpu(lowered, error):
                self._blame_bridge(error, "compile", traced, arrays, eager)
            else:
                mark(error, "compile", False)
            raise
        self.ahead._compiled.append(self.ahead.facts_of(lowered, compiled))

    @staticmethod
    def _fails_for_cpu(lowered, error):
        try:
            lowered.compile_for_cpu()
        except Exception as second:
            return same_failure(error, second)
        return False

    def _blame_bridge(self, error, stage, traced, arrays, eager):
        """Blames the bridge, unless TensorFlow's own XLA fails on the CPU as well. A call that also fails eagerly
        raises what users see there."""
        self._run_on_cpu(eager)
        try:
            traced(*arrays)
        except Exception:
            mark(error, stage, self.ahead.platform not in XLA_ALONE)
        else:
            mark(error, "bridge", False)

    @contextlib.contextmanager
    def prove(self):
        self._proof = proof = Proof(METHOD)
        self._host_ops = []
        before = len(self.ahead._compiled)
        try:
            yield proof
        finally:
            self._proof = None
        finish_proof(proof, self.ahead._compiled[before:], self._host_ops, BRIDGE)

    def clear_caches(self):
        return NOTHING_RUNS

    def compiled_facts(self):
        facts = self.ahead.compiled_facts()
        return facts and dict(facts, bridge=self._bridge())

    def straight(self):
        return None  # a call is compiled there, which no line does

    def plain_call(self):
        return None

    def script_setup(self):
        described = dict(self.ahead._description(), platform=self.ahead.platform)
        return (
            FIRST % {"quiet": QUIET_LIBTPU}
            + self._script(jit=False, soft=False).replace("def run_call(", "def run_on_cpu(", 1)
            + "\n\n"
            + carried("stablehlo.py")
            + LAST % {"description": described}
        )
