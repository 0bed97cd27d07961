"""PyTorch through torchax, for a device that is not here.

A body runs on the CPU as it would anywhere. torchax traces each t.call to a JAX program, which jax_aot lowers and
compiles. A failure before that has the stage `bridge`: it says nothing of the device.
"""

import types

from ...harness import Skip
from .. import device_work, torch_work
from ..ahead import NOTHING_RUNS
from ..base import Proof, carried
from ..torch_eager import TargetAdapter as Eager
from .common import Ahead, mark

_WIDE = ("f64", "c128", "i64", "u64")


class TargetAdapter(Ahead):
    route = "torchax"
    remedy = (
        "seamark targets install torch-tpu-aot, or pip install torchax and jax[tpu] beside torch"
    )

    def __init__(self, target):
        Ahead.__init__(self, target)
        self._bridge = self._watching = None  # carried/program.py, carried/watch.py
        self._torchax = None
        self._environment = None  # torchax's

    # -- life -------------------------------------------------------------------------------------

    def import_route(self):
        from .carried import program, watch

        self._bridge, self._watching = program, watch
        self._torchax = program.import_torchax()

    def route_version(self):
        return self._torchax.__version__

    def start(self):
        facts = Ahead.start(self)
        self._environment = self._bridge.environment(self._torchax)
        return facts

    # -- values: a body's tensors live on the CPU -------------------------------------------------

    def device_of(self, place):
        return self._bridge.STAND_IN if place == "target" else "cpu"

    def synchronize(self, tree):
        """Does nothing: the CPU has nothing to wait for, and torch.cuda is not asked."""

    # -- calls ------------------------------------------------------------------------------------

    def compile_call(self, plain, function, args, kwargs, grad):
        watch = self._watching.Watch()
        watch.meet(leaf for _, leaf in self.flatten([args, kwargs]))
        before = self._watching.Snapshot((function, args, kwargs))
        operators = Proof("operators of the run on the CPU")
        with torch_work.watch_operators(self.torch, operators):
            result = self._run(plain, function, watch)
        self.works(operators.work)
        try:
            self._compile((function, args, kwargs), watch, before, grad, result)
        except Exception as error:
            if operators.work is not False or getattr(error, "seamark_stage", "") != "bridge":
                raise
            self.works(False)  # of a constant no program is needed
        return result

    def _run(self, plain, function, watch):
        try:
            with watch:
                return plain()
        except Skip:
            raise
        except Exception as error:
            # torch.cuda has no CPU reference: a failure elsewhere is a finding.
            cuda = str(getattr(function, "__module__", "")).startswith("torch.cuda")
            if cuda and self.ahead.platform == "cuda":
                raise Skip("%s, and the call is the device's own" % NOTHING_RUNS) from error
            mark(error, "call", not cuda)
            raise

    def _compile(self, call, watch, before, grad, result):
        tensors = [leaf for _, leaf in self.flatten(result) if self.is_array(leaf)]
        if not tensors and not watch.changed():
            self.nothing = "the call gives no tensor and changes none"
            return
        repeated = self._key(*call, grad, watch)
        if repeated in self.same:
            self.works(True)
            return
        try:
            program = self._bridge.Program(self._environment, *call, watch, before, grad)
        except self._bridge.Gap as error:
            mark(error, "bridge", False)
            raise
        self._compile_program(program, tensors, watch.changed())
        if repeated is not None:
            self.same.add(repeated)

    def _key(self, function, args, kwargs, grad, watch):
        """A key that is equal for two calls only where their programs are the same; None: nobody knows."""
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

    def _compile_program(self, program, results, changes):
        from ..jax_call import x64

        names = {self.dtype_name(tensor) for tensor in program.inputs + results}
        with x64(not names.isdisjoint(_WIDE)):
            try:
                call = _Call(program)
                traced = self.ahead._trace(call)
            except self._bridge.VisitsHost as reason:
                self.nothing = str(reason)
                return
            except Exception as error:
                mark(error, "bridge", False)
                raise
            if not self.works(changes or device_work.of_jaxpr(traced.jaxpr, held=False)):
                return
            self.ahead._compile(call, traced)
        self.programs += 1

    # -- reproducers ------------------------------------------------------------------------------

    def script_setup(self):
        facts = self.script_facts()
        device = 'DEVICE = "%s"' % self.device
        text = Eager.script_setup(self).replace(device, 'DEVICE = torch.device("cpu", 0)')
        return (
            "import os\n\nos.environ.update(%(variables)r)\n" % facts
            + carried("torch_aot/carried/watch.py", "torch_aot/carried/program.py")
            + "\n\n"
            + text.replace("def run_call(", "def run_on_cpu(", 1)
            + SCRIPT % facts
        )


class _Call:
    """A program as jax_aot takes a call."""

    mesh = axis = spread = None

    def __init__(self, program):
        import jax

        self.program = program
        self.arrays = [jax.ShapeDtypeStruct(*pair) for pair in program.shapes()]


SCRIPT = '''

def run_call(function, args, kwargs, grad):
    """Compiles the call for a device that is not here and prints what the compiler says."""
    import jax
    from jax.experimental import topologies

    watch, before = Watch(), Snapshot((function, args, kwargs))
    watch.meet(tensors_of((args, kwargs)))
    with watch:
        result = run_on_cpu(function, args, kwargs, grad)
    tensors = tensors_of(result)
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
