"""Both routes of PyTorch to a device that is not here share this: jax_aot's compiler and its facts, one program or
more per t.call, and the route's name in the device, the notes and the facts.

A route defines `route`, `remedy`, import_route(), route_version() and compile_call(), which counts its programs in
`programs`.
"""

import contextlib

from ..ahead import METHOD, OPTIONS, finish_proof, no_program, once
from ..base import Proof, Unusable
from ..device_work import NOTHING
from ..torch_eager import TargetAdapter as Eager

VARIABLES = {"JAX_PLATFORMS": "cpu", "ALLOW_MULTIPLE_LIBTPU_LOAD": "1", "TPU_SKIP_MDS_QUERY": "1"}


class Ahead(Eager):
    evidence = "compiled"
    known_options = ("route",) + OPTIONS
    cpu_is_reference = False
    route = remedy = ""

    def __init__(self, target):
        Eager.__init__(self, target)
        self.ahead = None  # jax_aot's adapter, which has the device's compiler
        self.programs = 0  # how many the current case has
        self.nothing = None  # why the last call without a program has none
        self.same = set()  # programs of the current case that are compiled already
        self.host_ops = []  # operators of the current case that ran on the host
        self._proof = None  # the proof that prove() fills

    def straight(self):
        return None  # a call is compiled there, which no line does

    # -- what a route gives -----------------------------------------------------------------------

    def import_route(self):
        """Imports the route, after PyTorch and jax_aot; an ImportError makes the target unusable."""
        raise NotImplementedError

    def route_version(self):
        raise NotImplementedError

    def compile_call(self, plain, function, args, kwargs, grad):
        """Makes the call (`plain` makes it as PyTorch does), compiles its programs and gives its result."""
        raise NotImplementedError

    # -- life -------------------------------------------------------------------------------------

    def import_framework(self):
        version = Eager.import_framework(self)
        try:
            from .. import jax_aot

            self.ahead = jax_aot.TargetAdapter(self.target)
            self.ahead.threads = self.threads
            self.ahead.import_framework()
            self.import_route()
        except (ImportError, AttributeError) as error:
            raise Unusable("%s does not import: %s" % (self.route, error), self.remedy) from error
        return "%s (%s)" % (version, self.via())

    def via(self):
        return "%s %s" % (self.route, self.route_version())

    def start(self):
        self.torch.set_num_threads(self.threads)
        facts = dict(self.ahead.start())
        import jax

        name = str(facts.get("device") or "").replace(" (compiled only)", "")
        facts["device"] = "%s (compiled only, via %s)" % (name, self.via())
        facts.update(bridge=self.via(), jax=jax.__version__)
        facts[self.route] = self.route_version()
        return facts

    def prewarm(self):
        with self.at("native"):
            one = self.torch.ones(2).to(self.device_of("target"))
            self.unit(self.torch.sin, (one,), {}, False, "target")()
        self.begin()

    # -- calls ------------------------------------------------------------------------------------

    def devices(self, array):
        return []

    def begin(self):
        self.ahead._compiled = []
        self.programs, self.nothing, self.same, self.host_ops = 0, None, set(), []

    @contextlib.contextmanager
    def at(self, place):
        self.begin()
        yield
        if place == "target" and not self.programs:
            raise no_program(self.nothing or "no call that could be compiled")

    def unit(self, function, args, kwargs, grad, place):
        plain = Eager.unit(self, function, args, kwargs, grad, place)
        if place != "target":
            return plain
        return once(lambda: self.compile_call(plain, function, args, kwargs, grad))

    def works(self, found, why=NOTHING):
        """Notes whether the current call does device work, and why not."""
        if self._proof is not None:
            self._proof.work = found
        if not found:
            self.nothing = why
        return found

    @contextlib.contextmanager
    def prove(self):
        self._proof = proof = Proof(METHOD)
        before = len(self.ahead._compiled)
        self.host_ops = []
        try:
            yield proof
        finally:
            self._proof = None
            finish_proof(proof, self.ahead._compiled[before:], self.host_ops, self.via())

    def cannot_wait(self):
        return None

    def clear_caches(self):
        return self.ahead.clear_caches()

    def compiled_facts(self):
        facts = self.ahead.compiled_facts()
        self.ahead._compiled = []
        return facts and dict(facts, bridge=self.via())

    # -- reproducers ------------------------------------------------------------------------------

    def script_facts(self):
        from ..jax import QUIET_LIBTPU
        from ..jax_aot import TargetAdapter as Compiler

        compiler = Compiler(self.target)
        return {
            "platform": compiler.platform,
            "description": compiler._description(),
            "variables": dict(QUIET_LIBTPU, **VARIABLES),
        }


def mark(error, stage, fails_on_reference):
    from ..jax_aot import mark

    mark(error, stage, fails_on_reference)
