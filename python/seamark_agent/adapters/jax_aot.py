"""JAX programs compiled for a device that is not here: the evidence is `compiled`, nothing runs.

options: platform ("tpu"), topology ("v3:2x2"), target_config (for cuda: a file below data/, or an absolute
path, with XLA's own description of the device). Each t.call is traced, lowered and compiled for the
topology's first device (a collective: for two); then the call runs on the CPU, so that the body goes on.
"""

import contextlib
import hashlib
import os

import jax

from ..failures import same_failure
from ..harness import Skip
from . import device_work, hlo_text
from .ahead import (
    METHOD,
    NOTHING_RUNS,
    OPTIONS,
    DeviceMemoryError,
    device_memory,
    finish_proof,
    need_memory,
    no_program,
    once,
)
from .base import Proof, Unusable
from .jax import QUIET_LIBTPU, host_calls
from .jax import TargetAdapter as Eager
from .jax_call import Call, abstract, arrays_only

_COMPILERS = {"tpu": "libtpu", "cuda": "jax-cuda12-pjrt"}
_SUMMED = ("flops", "bytes", "code_bytes", "optimal_s", "estimated_cycles", "loops")
MAX_LISTED = 16  # risks and hashes of one case


class TargetAdapter(Eager):
    evidence = "compiled"
    known_options = OPTIONS
    cpu_is_reference = False

    def __init__(self, target):
        Eager.__init__(self, target)
        self.topology_name = str(self.options.get("topology") or "")
        self._compiled = []  # facts of the current case's programs
        self._nothing = None  # why the last call without a program has none
        self._version = None
        self.memory = None  # bytes of the device, where its compiler does not check them

    # -- life -------------------------------------------------------------------------------------

    def import_framework(self):
        # Several workers load libtpu at once, none owns a chip, and there is no metadata server to ask.
        os.environ["ALLOW_MULTIPLE_LIBTPU_LOAD"] = "1"
        for name, value in (
            ("TPU_SKIP_MDS_QUERY", "1"),
            ("TPU_WORKER_HOSTNAMES", "localhost"),
        ):
            os.environ.setdefault(name, value)
        return Eager.import_framework(self)

    def _settle_before_start(self, platform):
        Eager._settle_before_start(self, "cpu")

    def start(self):
        try:
            from jax.experimental import topologies

            described = topologies.get_topology_desc(platform=self.platform, **self._description())
            self._devices = list(described.devices)
        except Unusable:
            raise
        except Exception as error:
            name = _COMPILERS.get(self.platform, "the plug-in of " + self.platform)
            raise Unusable(
                "no compiler for %s %s: %s: %s"
                % (self.platform, self.topology_name, type(error).__name__, str(error)[:600]),
                "install %s of jax's version (pip install 'jax[%s]') and check options.topology"
                % (name, self.platform),
            ) from error
        self._version = _compiler_version(self.platform, self._devices[0])
        described = self._description()
        self.memory = device_memory(described.get("target_config"))
        described = repr(sorted(described.items()))
        return {
            "device": "%s (compiled only)" % self._devices[0].device_kind,
            "topology": self.topology_name,
            "description": hashlib.sha256(described.encode("utf-8")).hexdigest()[:16],
            "compiler": _COMPILERS.get(self.platform, self.platform),
            "compiler_version": self._version,
        }

    def _description(self):
        """The arguments that tell XLA's plug-in which device to compile for."""
        name = self.options.get("target_config")
        if not name:
            return {"topology_name": self.topology_name}
        text = device_description(str(name))
        return {"topology_name": "", "topology": self.topology_name, "target_config": text}

    def prewarm(self):
        Eager.prewarm(self)
        one = jax.numpy.ones(2)
        call = Call(jax.numpy.sin, (one,), {})
        self._compile(call, self._trace(call))
        self._compiled = []

    # -- values: a body's arrays live on the CPU --------------------------------------------------

    def device_of(self, place):
        return jax.devices("cpu")[0]

    def devices(self, array):
        return []

    def _mesh_devices(self, place):
        return jax.devices("cpu")

    # -- calls ------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def at(self, place):
        self._compiled, self._nothing = [], None
        with Eager.at(self, place):
            yield
            if place == "target" and not self._compiled:
                raise no_program(self._nothing or "the case makes no call that could be compiled")

    def unit(self, function, args, kwargs, grad, place):
        call = self.prepare(function, args, kwargs, grad, self._mesh_devices(place))
        if place != "target":
            return call.run if self._parts is None else self._recorded(call, call.run)
        # Devices are part of a program: once more, with the topology's.
        remote = self.prepare(function, args, kwargs, grad, self._devices)
        return once(lambda: self._compile_and_run(call, remote))

    def _compile_and_run(self, call, remote):
        """Compiles first: what is too large for the device need not fit into this machine."""
        try:
            traced = self._trace(remote)
        except Exception as error:
            # Tracing knows no device: what fails there fails under jit anywhere.
            result = self._run_on_cpu(call)
            if isinstance(error, _reads_values()) and not self._has_array(result):
                self._nothing = "it reads its arrays on the host and returns none"
                return result
            mark(error, "lower", True)
            raise
        if not self.works(device_work.of_jaxpr(traced.jaxpr)):
            return self._run_on_cpu(call)
        self._compile(call, traced)
        # A kernel that is written for the device runs on no CPU, and nothing reads what it gives.
        if "pallas_call[" in str(traced.jaxpr):
            return jax.tree_util.tree_map(
                lambda leaf: jax.numpy.zeros(leaf.shape, leaf.dtype), traced.out_info
            )
        return self._run_on_cpu(call)

    def works(self, found):
        """Notes whether the current call does device work; a program that does none is not compiled."""
        if self._proof is not None:
            self._proof.work = found
        if not found:
            self._nothing = device_work.NOTHING
        return found

    def _run_on_cpu(self, call):
        try:
            return call.run()
        except Skip:
            raise
        except Exception as error:
            mark(error, "call", True)
            raise

    def _has_array(self, result):
        return any(self.is_array(leaf) for _, leaf in self.flatten(result))

    def _compile(self, call, traced):
        try:
            lowered = self._lower(traced)
        except Exception as error:
            mark(error, "lower", fails_on_cpu(call, error, "lower"))
            raise
        self._compiled.append(self._finish(call, lowered))

    def _lower(self, traced):
        return traced.lower()

    def _finish(self, call, lowered):
        """Facts of the program, once it is compiled."""
        try:
            compiled = lowered.compile()
        except Exception as error:
            mark(error, "compile", fails_on_cpu(call, error, "compile"))
            raise
        return self.facts_of(lowered, compiled)

    def facts_of(self, lowered, compiled):
        """Facts of a compiled program. Raises DeviceMemoryError where the device lacks the memory for it."""
        try:
            need_memory(compiled.memory_analysis(), self.memory)
        except DeviceMemoryError as error:
            mark(error, "compile", False)
            raise
        return program_facts(lowered, compiled, self.platform)

    def _trace(self, call):
        shapes, sharding = abstract(call, self._devices[0])
        return jax.jit(arrays_only(call.program), out_shardings=sharding).trace(*shapes)

    @contextlib.contextmanager
    def prove(self):
        self._proof = proof = Proof(METHOD)
        try:
            yield proof
        finally:
            self._proof = None
        finish_proof(proof, self._compiled)

    def clear_caches(self):
        jax.clear_caches()
        return NOTHING_RUNS

    def compiled_facts(self):
        compiler = _COMPILERS.get(self.platform, self.platform)
        return case_facts(self._compiled, compiler, self._version)

    def straight(self):
        lines = self._lines_of_call()
        if max(map(len, lines)) > LONGEST:
            return None
        style = dict(Eager.straight(self), helpers=lines, compiled="ahead", ahead=True)
        style["setup"] = "import os\n\nos.environ.update(%r)\n%s" % (
            dict(QUIET_LIBTPU, JAX_PLATFORMS="cpu"), style["setup"],
        )  # fmt: skip
        style["device"], style["first"] = style["cpu"], []
        return style

    def _lines_of_call(self):
        described = dict(self._description(), platform=self.platform)
        return (STRAIGHT % {"description": described}).split("\n")

    def script_setup(self):
        text = Eager.script_setup(self).replace('"%s,cpu"' % self.platform, '"cpu"', 1)
        return text[: text.index("def run_call(")] + self._script_of_call()

    def plain_call(self):
        return None

    def _script_of_call(self):
        return SCRIPT % {"platform": self.platform, "description": self._description()}


def fails_on_cpu(call, error, stage):
    """Whether lowering or compiling the same program for the CPU fails in the same way."""
    try:
        lowered = jax.jit(arrays_only(call.program)).lower(*call.arrays)
        if stage == "compile":
            lowered.compile()
    except Exception as second:
        return same_failure(error, second)
    return False


def case_facts(programs, compiler, version):
    """Sums over a case's programs; peak_bytes is the greatest. None where there is no program."""
    if not programs:
        return None
    facts = {key: total([item[key] for item in programs]) for key in _SUMMED}
    peaks = [item["peak_bytes"] for item in programs]
    exact = [item["estimated_cycles_exact"] for item in programs]
    return dict(
        facts,
        estimated_cycles_exact=None if None in exact else all(exact),
        peak_bytes=None if None in peaks else max(peaks),
        host_calls=sum(len(item["host_calls"]) for item in programs),
        risks=[risk for item in programs for risk in item["risks"]][:MAX_LISTED],
        hashes=[item["hash"] for item in programs][:MAX_LISTED],
        compiler=compiler,
        version=version,
        programs=len(programs),
    )


def program_facts(lowered, compiled, platform="tpu"):
    """The facts that the compiler tells of one program; None where it tells nothing.

    flops, bytes and optimal_s count one trip of every loop, estimated_cycles all trips that the text tells.
    Where the compiler has no cost analysis, flops and bytes are those of `bound_of_costs`.
    """
    cost = compiled.cost_analysis() or {}
    if isinstance(cost, (list, tuple)):  # before 0.5
        cost = cost[0] if cost else {}
    memory = compiled.memory_analysis()
    peak = getattr(memory, "peak_memory_in_bytes", None)
    if peak is None and memory is not None:
        peak = (
            memory.argument_size_in_bytes
            + memory.output_size_in_bytes
            + memory.temp_size_in_bytes
            - memory.alias_size_in_bytes
        )
    stablehlo = lowered.as_text()
    if not cost and memory is not None:  # XLA's compiler for GPUs tells no costs
        cost = bound_of_costs(stablehlo, memory)
    program = hlo_text.Program(compiled.as_text() or "")
    cycles = hlo_text.Cycles(program)
    return {
        "flops": known(cost.get("flops")),
        "bytes": known(cost.get("bytes accessed")),
        "optimal_s": known(cost.get("optimal_seconds")),
        "code_bytes": known(getattr(memory, "generated_code_size_in_bytes", None)),
        "peak_bytes": known(peak),
        "estimated_cycles": cycles.cycles,
        "estimated_cycles_exact": cycles.exact,
        "loops": cycles.loops,
        "risks": hlo_text.risks(program, stablehlo, platform),
        "hash": hashlib.sha256(stablehlo.encode("utf-8", "backslashreplace")).hexdigest(),
        "host_calls": host_calls(stablehlo),
    }


def bound_of_costs(stablehlo, memory):
    """A lower bound of the program's costs: its flops before any optimization, as XLA counts them, and each
    argument read and each result written once."""
    try:
        from jaxlib import xla_client

        xla = xla_client._xla
        module = xla.mlir.mlir_module_to_xla_computation(stablehlo, False, False).as_hlo_module()
        counted = xla.hlo_module_cost_analysis(jax.devices("cpu")[0].client, module)
    except Exception:  # no public way leads there: another jaxlib may lack it
        return {}
    return {
        "flops": counted.get("flops", 0.0),
        "bytes accessed": memory.argument_size_in_bytes + memory.output_size_in_bytes,
    }


def device_description(name):
    """The text of a device's description: below data/ of the installation, or an absolute path."""
    here = os.path.dirname(os.path.abspath(__file__))
    path = os.path.join(here, "..", "..", "..", "data", name)  # an absolute name stands alone
    try:
        with open(path, encoding="utf-8") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(
            "the device description %s cannot be read: %s" % (name, error),
            "check options.target_config of the target",
        ) from error


def known(number):
    """A negative number is the compiler's way of saying that it does not know."""
    return None if number is None or number != number or number < 0 else number


def total(values):
    return None if None in values else sum(values)


def mark(error, stage, fails_on_reference):
    """Notes for the harness where a call failed, and whether plain CPU fails in the same way."""
    error.seamark_stage, error.seamark_fails_on_reference = stage, fails_on_reference


def _reads_values():
    errors = jax.errors
    return (
        errors.ConcretizationTypeError,
        errors.TracerArrayConversionError,
        errors.TracerBoolConversionError,
        errors.TracerIntegerConversionError,
    )


def _compiler_version(platform, device):
    from importlib import metadata

    for name in (_COMPILERS.get(platform), _COMPILERS.get(platform, "") + "-nightly"):
        try:
            return metadata.version(name)
        except (metadata.PackageNotFoundError, ValueError, TypeError):
            continue
    return device.client.platform_version


LONGEST = 400  # of a line of a reproducer: the text of a device's description is longer
STRAIGHT = """from jax.experimental import topologies

place = jax.sharding.SingleDeviceSharding(topologies.get_topology_desc(**%(description)r).devices[0])


def ahead(call):
    def made(*arrays):
        shapes = [jax.ShapeDtypeStruct(one.shape, one.dtype, sharding=place) for one in arrays]
        print(jax.jit(call, out_shardings=place).lower(*shapes).compile().cost_analysis())
        return call(*arrays)

    return made"""

SCRIPT = '''def run_call(function, args, kwargs, grad):
    """Compiles the call for a device that is not here and prints what the compiler says."""
    from jax.experimental import topologies

    described = topologies.get_topology_desc(platform="%(platform)s", **%(description)r)
    inputs = DIFFERENTIABLE if grad else None
    call = Call(function, args, kwargs, inputs, described.devices)
    shapes, sharding = abstract(call, described.devices[0])
    traced = jax.jit(arrays_only(call.program), out_shardings=sharding)
    compiled = traced.lower(*shapes).compile()
    print(compiled.cost_analysis())
    print(compiled.memory_analysis())
    return jax.block_until_ready(Call(function, args, kwargs, inputs, jax.devices()).run())
'''
