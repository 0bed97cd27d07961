"""PyTorch programs compiled through torchax for a device that is not here; nothing runs there.

options: as those of jax_aot (platform, topology, ...). A body runs on the CPU as it would anywhere, and each
t.call is traced through torchax to a JAX program, which jax_aot lowers and compiles. Where torchax does not
get that far the failure's stage is `bridge`: it says nothing about the device.
"""

import contextlib
import os
import types

from ..harness import Skip
from .ahead import NOTHING_RUNS, finish_proof, no_program, once, unproven
from .base import Unusable
from .torch_eager import TargetAdapter as Eager

_VARIABLES = {"JAX_PLATFORMS": "cpu", "ALLOW_MULTIPLE_LIBTPU_LOAD": "1", "TPU_SKIP_MDS_QUERY": "1"}
_WIDE = ("f64", "c128", "i64", "u64")
# Steps that leave no instruction behind: a view for PyTorch's gradients, the key of random numbers.
_NOTHING = ("stop_gradient", "random_wrap")
_REMEDY = "seamark targets install torch-tpu-aot, or pip install torchax and jax[tpu] beside torch"


class TargetAdapter(Eager):
    evidence = "compiled"
    cpu_is_reference = False

    def __init__(self, target):
        Eager.__init__(self, target)
        self._jax = None  # jax_aot's adapter: it knows the device's compiler
        self._bridge = None  # torch_bridge
        self._torchax = None
        self._environment = None  # torchax's
        self._programs = 0  # of the case that runs
        self._nothing = None  # why its last call without a program has none
        self._same = set()  # calls of it that need not be compiled again

    # -- life -------------------------------------------------------------------------------------

    def import_framework(self):
        version = Eager.import_framework(self)
        try:
            from . import jax_aot, torch_bridge

            self._jax = jax_aot.TargetAdapter(self.target)
            self._jax.threads = self.threads
            self._jax.import_framework()
            self._bridge, self._torchax = torch_bridge, torch_bridge.import_torchax()
        except (ImportError, AttributeError) as error:
            raise Unusable("torchax does not import: %s" % error, _REMEDY) from error
        return "%s (%s)" % (version, self._via())

    def _via(self):
        return "torchax %s" % self._torchax.__version__

    def start(self):
        self.torch.set_num_threads(self.threads)
        facts = dict(self._jax.start())
        import jax

        self._environment = self._bridge.environment(self._torchax)
        name = str(facts.get("device") or "").replace(" (compiled only)", "")
        facts["device"] = "%s (compiled only, via %s)" % (name, self._via())
        facts.update(torchax=self._torchax.__version__, jax=jax.__version__)
        return facts

    def prewarm(self):
        with self.at("native"):
            self.unit(self.torch.sin, (self.torch.ones(2),), {}, False, "target")()
        self._begin()

    # -- values: a body's tensors live on the CPU -------------------------------------------------

    def device_of(self, place):
        return self._bridge.HERE if place == "target" else "cpu"

    def devices(self, array):
        return []

    def synchronize(self, tree):
        """All runs on the CPU: there is nothing to wait for, and no torch.cuda to ask."""

    # -- calls ------------------------------------------------------------------------------------

    def _begin(self):
        self._jax._compiled = []
        self._programs, self._nothing, self._same = 0, None, set()

    @contextlib.contextmanager
    def at(self, place):
        self._begin()
        yield
        if place == "target" and not self._programs:
            raise no_program(self._nothing or "no call that could be compiled")

    def unit(self, function, args, kwargs, grad, place):
        plain = Eager.unit(self, function, args, kwargs, grad, place)
        if place != "target":
            return plain

        def compile_and_run():
            watch = self._bridge.Watch()
            watch.meet(leaf for _, leaf in self.flatten([args, kwargs]))
            before = self._bridge.Kept((function, args, kwargs))
            result = self._run(plain, function, watch)
            self._compile((function, args, kwargs), watch, before, grad, result)
            return result

        return once(compile_and_run)

    def _run(self, plain, function, watch):
        try:
            with watch:
                return plain()
        except Skip:
            raise
        except Exception as error:
            # What is CUDA's own has no CPU reference: that it fails elsewhere is a finding.
            cuda = str(getattr(function, "__module__", "")).startswith("torch.cuda")
            if cuda and self._jax.platform == "cuda":
                raise Skip("%s, and the call is the device's own" % NOTHING_RUNS) from error
            _mark(error, "call", not cuda)
            raise

    def _compile(self, call, watch, before, grad, result):
        tensors = [leaf for _, leaf in self.flatten(result) if self.is_array(leaf)]
        if not tensors and not watch.changed():
            self._nothing = "the call gives no tensor and changes none"
            return
        repeated = self._key(*call, grad, watch)
        if repeated in self._same:
            return
        try:
            program = self._bridge.Program(self._environment, *call, watch, before, grad)
        except self._bridge.Gap as error:
            _mark(error, "bridge", False)
            raise
        self._compile_program(program, tensors)
        if repeated is not None:
            self._same.add(repeated)

    def _key(self, function, args, kwargs, grad, watch):
        """What two calls have in common when their programs must be the same; None: nobody knows."""
        plain = isinstance(function, (types.BuiltinFunctionType, types.FunctionType))
        if not plain or getattr(function, "__closure__", None):
            return None
        leaves = [leaf for _, leaf in self.flatten([args, kwargs])]
        known = (bool, int, float, str, type(None), self.torch.dtype, self.torch.device)
        if len(watch.read) > sum(map(self.is_array, leaves)):
            return None
        if not all(self.is_array(leaf) or isinstance(leaf, known) for leaf in leaves):
            return None
        shown = [
            (leaf.shape, leaf.dtype, leaf.requires_grad) if self.is_array(leaf) else leaf
            for leaf in leaves
        ]
        paths = [path for path, _ in self.flatten([args, kwargs])]
        return repr((id(function), grad, paths, shown))

    def _compile_program(self, program, results):
        from .jax import x64

        names = {self.dtype_name(tensor) for tensor in program.inputs + results}
        with x64(not names.isdisjoint(_WIDE)):
            try:
                call = _Call(program)
                traced = self._jax._trace(call)
            except self._bridge.VisitsHost as reason:
                self._nothing = str(reason)
                return
            except Exception as error:
                _mark(error, "bridge", False)
                raise
            if not any(step.primitive.name not in _NOTHING for step in traced.jaxpr.eqns):
                self._nothing = "the call traces to an empty program"
                return
            self._jax._compile(call, traced)
        self._programs += 1

    @contextlib.contextmanager
    def prove(self):
        proof = unproven()
        yield proof
        finish_proof(proof, self._jax._compiled, via=self._via())

    def clear_caches(self):
        return self._jax.clear_caches()

    def compiled_facts(self):
        facts = self._jax.compiled_facts()
        self._jax._compiled = []
        return facts and dict(facts, bridge=self._via())

    # -- reproducers ------------------------------------------------------------------------------

    def script_setup(self):
        from .jax import QUIET_LIBTPU
        from .jax_aot import TargetAdapter as Compiler

        compiler = Compiler(self.target)
        facts = {"platform": compiler.platform, "description": compiler._description()}
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_bridge.py")
        with open(path) as stream:
            bridge = stream.read().split('"""', 2)[2].lstrip()
        device = 'DEVICE = "%s"' % self.device
        text = Eager.script_setup(self).replace(device, 'DEVICE = torch.device("cpu", 0)')
        return (
            "import os\n\nos.environ.update(%r)\n" % dict(QUIET_LIBTPU, **_VARIABLES)
            + bridge
            + "\n\n"
            + text.replace("def run_call(", "def run_here(", 1)
            + SCRIPT % facts
        )


class _Call:
    """What jax_aot asks of a call."""

    mesh = axis = None

    def __init__(self, program):
        import jax

        self.program = program
        self.arrays = [jax.ShapeDtypeStruct(*pair) for pair in program.shapes()]


def _mark(error, stage, fails_on_reference):
    from .jax_aot import mark

    mark(error, stage, fails_on_reference)


SCRIPT = '''

def run_call(function, args, kwargs, grad):
    """Compiles the call for a device that is not here and prints what the compiler says."""
    import jax
    from jax.experimental import topologies

    watch, before = Watch(), Kept((function, args, kwargs))
    watch.meet(tree_leaves((args, kwargs)))
    with watch:
        result = run_here(function, args, kwargs, grad)
    tensors = [x for x in tree_leaves(result) if isinstance(x, torch.Tensor)]
    if not tensors and not watch.changed():
        return result
    made = environment(import_torchax())
    program = Program(made, function, args, kwargs, watch, before, grad)
    wide = any(x.dtype.itemsize // (1 + x.is_complex()) == 8 for x in tensors + program.inputs)
    jax.config.update("jax_enable_x64", wide)
    described = topologies.get_topology_desc(platform="%(platform)s", **%(description)r)
    where = jax.sharding.SingleDeviceSharding(described.devices[0])
    shapes = [jax.ShapeDtypeStruct(*pair, sharding=where) for pair in program.shapes()]
    compiled = jax.jit(program, out_shardings=where).lower(*shapes).compile()
    print(compiled.cost_analysis())
    print(compiled.memory_analysis())
    return result
'''
