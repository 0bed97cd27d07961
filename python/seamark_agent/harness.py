"""Runs one case: inputs, the call on the target, proof of place, the reference, the comparison.

A case owns its inputs and its call; everything else is here and the same for every case. The result
is the `end` event of docs/wire.md.
"""

import contextlib
import os
import shutil
import tempfile
import time
import traceback

from . import measure
from .adapters.base import widen
from .compare import (
    Mismatch,
    Report,
    ValuesDiffer,
    compare_arrays,
    compare_plain,
    cpu_error,
    is_trivial,
    least_exact,
)
from .inputs import Inputs, kind_of

MAX_MESSAGE = 16 * 1024
MAX_TRACEBACK = 32 * 1024


class Skip(Exception):
    """Raised in a body: this case says nothing about this target, for this reason."""


class CheckFailed(AssertionError):
    """t.expect or t.statistics found the result wrong."""


class CaseDefect(Exception):
    """The case itself is at fault (a trivial reference, an unknown dtype)."""


class Handle:
    """`t`: what a body sees. One per run of the body at one place."""

    def __init__(self, case, adapter, np, place, seed, timing=None, mutation=None):
        self._case, self._adapter, self._timing = case, adapter, timing
        self._mutation = mutation
        self.np, self.place = np, place
        # What touches no device is neither moved there nor compiled.
        self._at = "native" if case.host_only and place == "target" else place
        self._inputs = Inputs(np, case.name, seed)
        self.recorded = []  # inputs as NumPy arrays, for a callable reference
        self.operations = []  # timed operations
        self.result_dtypes = []  # per call, of each array of its result
        self.called = 0
        self.drew = False  # whether a call on the CPU took numbers from the framework's generator
        self.stage = "setup"
        self._folders = []

    # -- what the framework offers ----------------------------------------------------------------

    @property
    def fw(self):
        return self._adapter.lookup(self._adapter.root)

    @property
    def device(self):
        return self._adapter.device_of(self._at)

    @property
    def compiled(self):
        """True where t.call compiles: what Python does inside the call is then no part of the program."""
        return self._at == "target" and bool(getattr(self._adapter, "compiles", False))

    def dtype(self, name):
        return self._adapter.dtype(name, self.place)

    def get(self, name):
        return self._adapter.lookup(name)

    # -- inputs -----------------------------------------------------------------------------------

    def randn(self, shape, dtype, grad=None, noncontiguous=False):
        return self._give(self._inputs.randn(shape, dtype), dtype, grad, noncontiguous)

    def uniform(self, shape, dtype, low=0.0, high=1.0, grad=None, noncontiguous=False):
        return self._give(self._inputs.uniform(shape, dtype, low, high), dtype, grad, noncontiguous)

    def randint(self, shape, dtype, low, high, grad=False, noncontiguous=False):
        return self._give(self._inputs.randint(shape, dtype, low, high), dtype, grad, noncontiguous)

    def distinct(self, shape, dtype, grad=None, noncontiguous=False):
        return self._give(self._inputs.distinct(shape, dtype), dtype, grad, noncontiguous)

    def spd(self, n, dtype, batch=(), grad=None, noncontiguous=False):
        return self._give(self._inputs.spd(n, batch), dtype, grad, noncontiguous)

    def const(self, data, dtype, grad=False, noncontiguous=False):
        return self._give(self.np.asarray(data), dtype, grad, noncontiguous)

    def _give(self, array, dtype, grad, noncontiguous):
        differentiable = kind_of(dtype) in ("float", "complex")
        grad = self._case.grad and differentiable if grad is None else bool(grad)
        made = self._adapter.from_numpy(
            array, dtype, self._at, grad=grad, noncontiguous=noncontiguous
        )
        self.recorded.append(made)
        return made

    def construct(self, name, *args, **kwargs):
        """A Module, layer or optimizer whose parameters are the same at every place."""
        dtype = kwargs.pop("dtype", "f32")
        factory = self._adapter.lookup(name) if isinstance(name, str) else name
        thing = self._adapter.construct(factory, args, kwargs, dtype, self.place)
        self._adapter.fill_parameters(
            thing, lambda shape: self._inputs.randn(shape, "f32") * 0.3, dtype, self.place
        )
        return thing

    # -- the call ---------------------------------------------------------------------------------

    def call(self, function, *args, **kwargs):
        """The call under test. With a gradient the result is (result, [gradients])."""
        name = (
            function
            if isinstance(function, str)
            else getattr(function, "__name__", self._case.function)
        )
        if isinstance(function, str):
            function = self._adapter.lookup(function)
        unit = self._adapter.unit(function, args, kwargs, self._case.grad, self._at)
        self.called += 1
        self.stage = "call"
        if self._timing is not None and self.place == "target":
            result = self._timing(self, name, unit)
        elif self._mutation is not None:
            result = self._mutation.call(self, unit)
        else:
            watched = self._case.random == "detect" and self._on_cpu()
            before = self._adapter.generator_state() if watched else None
            result = unit()
            self._adapter.synchronize(result)
            if watched and before != self._adapter.generator_state():
                self.drew = True
        self.stage = "check"
        if self._timing is None:
            self.result_dtypes.append(self._dtypes_of(result))
        return result

    def _dtypes_of(self, result):
        leaves = [leaf for _, leaf in self._adapter.flatten(result) if self._adapter.is_array(leaf)]
        return [self._adapter.dtype_name(leaf) for leaf in leaves]

    def _on_cpu(self):
        return self.place != "target" or self._adapter.cpu_is_reference

    # -- checks -----------------------------------------------------------------------------------

    def host(self, array):
        """NumPy values (f64, c128, i64, bool), detached, wherever the array lives."""
        if self._adapter.is_array(array):
            return self._adapter.to_numpy(array)
        return self.np.asarray(array)

    def expect(self, condition, message):
        if not condition:
            raise CheckFailed("expected " + message)

    def raises(self, kinds, function, *args, **kwargs):
        """The function must raise one of these; returns the exception."""
        try:
            function(*args, **kwargs)
        except kinds as error:
            return error
        raise CheckFailed("expected %s, nothing was raised" % (kinds,))

    def statistics(self, sample, mean=None, std=None, low=None, high=None):
        """A random result: mean and deviation within five standard errors, values within bounds."""
        values = self.host(sample).astype("float64").reshape(-1)
        n = values.size
        self.expect(n >= 100, "at least 100 draws, got %d" % n)
        self.expect(bool(self.np.all(self.np.isfinite(values))), "finite draws")
        spread = float(values.std()) if std is None else float(std)
        if mean is not None:
            error = 5 * spread / n**0.5
            self.expect(
                abs(values.mean() - mean) <= error,
                "mean %g +- %g, got %g" % (mean, error, values.mean()),
            )
        if std is not None:
            centered = values - values.mean()
            error = 5 * float(
                self.np.sqrt(max((centered**4).mean() - (centered**2).mean() ** 2, 1e-30) / n)
            )
            variance = float((centered**2).mean())
            self.expect(
                abs(variance - std**2) <= error,
                "variance %g +- %g, got %g" % (std**2, error, variance),
            )
        if low is not None:
            self.expect(
                bool((values >= low).all()), "draws of at least %g, got %g" % (low, values.min())
            )
        if high is not None:
            self.expect(
                bool((values <= high).all()), "draws of at most %g, got %g" % (high, values.max())
            )

    def tmpdir(self):
        folder = tempfile.mkdtemp(prefix="seamark-case-")
        self._folders.append(folder)
        return folder

    def close(self):
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)


class Runner:
    """Runs cases of one target in this process."""

    def __init__(self, adapter, seed=0, timing=None, memory_limited=False, mutation=None):
        self.adapter, self.seed = adapter, seed
        self.plan = measure.Plan(timing)
        self.memory_limited = memory_limited
        self.mutation = mutation  # of mutate.py
        self._cases_run = 0
        self._warmed = False

    # -- entry points -----------------------------------------------------------------------------

    def run(self, case, phase):
        """The `end` event of one attempt, without its id. Never raises."""
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            end = self._timing(case) if phase == "timing" else self._check(case)
        except BaseException as error:  # a case may raise anything; the worker must answer
            end = {
                "outcome": "error",
                "reason": "harness: " + describe(error)["message"],
                "failure": describe(error),
            }
        end["cpu_s"], end["wall_s"] = time.process_time() - cpu, time.perf_counter() - wall
        self._cases_run += 1
        return end

    # -- correctness ------------------------------------------------------------------------------

    def _check(self, case):
        np, problem = import_numpy()
        if problem:
            return problem
        state = _State(case, self.adapter)
        if case.host_only and not self._executes():
            return state.end(
                "skip", self.adapter, reason="host-only: there is no device program to compile"
            )
        handle = Handle(case, self.adapter, np, "target", self.seed, mutation=self.mutation)
        try:
            got = self._body(handle, prove=True, state=state)
            if not self._executes():
                return state.end("pass", self.adapter)
            self._compare(case, np, handle, got, state)
        except BaseException as error:
            return self._failed(case, handle, error, state, np)
        finally:
            handle.close()
        return state.end("pass", self.adapter)

    def _executes(self):
        """False where the target only lowers or compiles: nothing to compare, nothing to time."""
        return self.adapter.evidence in ("executed", "verified")

    def _body(self, handle, prove, state):
        """Runs the body at the handle's place; with proof and output devices on the target."""
        case, adapter = handle._case, self.adapter
        arguments = body_arguments(case, handle)
        with adapter.at(handle._at):
            adapter.seed(int(case.hash[:8], 16) ^ self.seed)
            if not prove or case.host_only:
                return case.body(**arguments)
            proof = _CallProof(handle, adapter)
            try:
                with proof.watch():
                    return case.body(**arguments)
            finally:
                state.place(proof)

    def _compare(self, case, np, handle, got, state):
        handle.stage = "compare"
        native = None
        if not self.adapter.cpu_is_reference or self.mutation is not None:
            native, ran = self._reference(case, np, "native", state)
            compare_call_dtypes(handle, ran)
        wide = None
        if case.reference not in ("none", "native", "shapes", "runs"):
            wide = self._wide(case, np, handle, state)
        handle.stage = "compare"
        if case.reference == "runs":
            state.reference["kind"] = "none"
            return  # nothing comes back that could be compared: executed, not verified
        if wide is None and native is None:
            state.reference.setdefault("kind", "state" if case.reference == "none" else "none")
            if case.reference == "none":
                state.evidence = "verified"
            return
        state.reference.setdefault("kind", "cpu-native")
        # A random result differs from place to place: its body checks statistics, its dtype and shape are compared.
        drew = state.drew or handle.drew
        values = case.reference != "shapes" and not (
            drew if case.random == "detect" else case.random
        )
        if (case.random == "detect" and drew) or case.reference == "shapes":
            state.weaken(
                "shapes",
                "its values are drawn or left open: structure, shape and dtype are compared",
            )
        slack = None
        if case.slack == "cpu":
            slack = (
                native if native is not None else (got if self.adapter.cpu_is_reference else None)
            )
        report = Report()
        compare_trees(np, self.adapter, case, got, wide if wide is not None else native, native, report,
                      values, slack)  # fmt: skip
        state.reference.update(max_abs_err=finite(report.max_abs_err), max_rel_err=finite(report.max_rel_err),
                               rtol=report.rtol, atol=report.atol)  # fmt: skip
        if not state.weak:
            state.evidence = "verified"

    def _wide(self, case, np, handle, state):
        want = None
        if case.reference is not None and case.reference != "none":
            state.reference["kind"] = "numpy" if case.reference == "numpy" else "analytic"
            function = _numpy_function(np, case) if case.reference == "numpy" else case.reference
            want = call_reference(np, self.adapter, case, function, handle.recorded)
        if want is None:
            state.reference["kind"] = "statistics" if case.random is True else "cpu-wide"
            want, _ = self._reference(case, np, "wide", state)
        if want is not None and case.trivial is not True and case.random is not True:
            arrays = [self._as_numpy(np, leaf) for _, leaf in self.adapter.flatten(want)]
            if is_trivial(np, [array for array in arrays if array is not None]):
                if case.trivial != "weak":
                    raise CaseDefect(
                        "the reference is constant, zero or empty; if that is right, say trivial=True"
                    )
                state.weaken(None, "the reference is constant, zero or empty, and shows little")
        return want

    def _as_numpy(self, np, leaf):
        if self.adapter.is_array(leaf):
            return self.adapter.to_numpy(leaf)
        return leaf if isinstance(leaf, np.ndarray) else None

    def _reference(self, case, np, place, state):
        """(result, handle) of the same body on CPU; (None, None), with a note, where the CPU itself cannot."""
        handle = Handle(case, self.adapter, np, place, self.seed)
        try:
            result = self._body(handle, prove=False, state=state)
            state.drew = state.drew or handle.drew
            return result, handle
        except Exception as error:
            state.reference["note"] = "%s run on CPU failed: %s" % (
                place,
                describe(error)["message"][:500],
            )
            return None, None
        finally:
            handle.close()

    # -- failures ---------------------------------------------------------------------------------

    def _failed(self, case, handle, error, state, np):
        if isinstance(error, Skip):
            return state.end("skip", self.adapter, reason=str(error))
        failure = describe(error)
        failure["stage"] = getattr(error, "seamark_stage", None) or handle.stage
        if isinstance(error, CheckFailed):
            failure["stage"] = "compare"
        elif failure["stage"] == "check":
            failure["stage"] = "call"
        if case.removed and isinstance(error, (AttributeError, ImportError)):
            failure["message"] += "; removed in %s %s: use %s" % (
                case.framework,
                case.removed[0],
                case.removed[1],
            )
        itself = (
            case.exists is not None and self.adapter.cpu_is_reference
        )  # nobody wrote that it works
        if itself or getattr(error, "seamark_fails_on_reference", False):
            state.attributes.append("fails-on-reference")
        if isinstance(error, CaseDefect):
            return state.end("error", self.adapter, reason="case: " + str(error), failure=failure)
        if failure["stage"] == "compare" and not isinstance(error, (Mismatch, CheckFailed)):
            return state.end(
                "error", self.adapter, reason="harness: comparing failed", failure=failure
            )
        if self.memory_limited and looks_like_memory(error):
            reason = "Seamark's own memory limit: " + failure["message"][:500]
            return state.end("error", self.adapter, reason=reason, failure=failure)
        if isinstance(error, ValuesDiffer):
            failure["precision_rerun"] = self._rerun_precisely(case, np, state)
        return state.end("fail", self.adapter, failure=failure)

    def _rerun_precisely(self, case, np, state):
        """Is it the device's precision or a wrong result? Once more, as exactly as the target can."""
        probe = _State(case, self.adapter)
        handle = Handle(case, self.adapter, np, "target", self.seed)
        try:
            with self.adapter.highest_precision():
                got = self._body(handle, prove=False, state=probe)
                self._compare(case, np, handle, got, probe)
            return "pass"
        except Exception:
            pass
        finally:
            handle.close()
        return self._rerun_in_f64(case, np)

    def _rerun_in_f64(self, case, np):
        """The same values in f64 on the target: right there means that only precision was missing."""
        if case.dtype not in ("f16", "bf16", "f32", "c64"):
            return "fail"
        wide = widen(case.dtype)
        exact = _WithDtype(case, wide)
        handle = Handle(exact, _Rounding(self.adapter, case.dtype), np, "target", self.seed)
        try:
            with self.adapter.highest_precision():
                got = self._body(handle, prove=False, state=_State(exact, self.adapter))
                self._compare(exact, np, handle, got, _State(exact, self.adapter))
            return "pass"
        except Exception:
            return "fail"
        finally:
            handle.close()

    # -- timing -----------------------------------------------------------------------------------

    def _timing(self, case):
        np, problem = import_numpy()
        if problem:
            return problem
        if not self._warmed:  # correctness needs none, and a compiler's first call may take long
            self.adapter.prewarm()
            self._warmed = True
        state = _State(case, self.adapter)
        first = self._cases_run == 0
        cold_reason = self.adapter.clear_caches()

        def timing(handle, name, unit):
            entry, result = measure.measure(unit, self.adapter.synchronize, self.plan, cold_reason)
            entry["name"] = name
            handle.operations.append(entry)
            return result

        handle = Handle(case, self.adapter, np, "target", self.seed, timing)
        try:
            with self.adapter.at(handle._at):
                self.adapter.seed(int(case.hash[:8], 16) ^ self.seed)
                case.body(**body_arguments(case, handle))
        except BaseException as error:
            # A body's own check may not hold after many calls on the same state: the times stand.
            if not (isinstance(error, CheckFailed) and handle.operations):
                return self._failed(case, handle, error, state, np)
        finally:
            handle.close()
        end = state.end("pass", self.adapter)
        end["operations"] = handle.operations
        end["cold_kind"] = "cold-process" if first and self.plan.protocol == "paper" else "cold-op"
        if not handle.operations:
            end["outcome"], end["reason"] = "skip", "the body makes no timed call"
        return end


class _State:
    """What is known of an attempt so far."""

    def __init__(self, case, adapter):
        self.case = case
        self.reference = {}
        self.evidence = None
        self.drew = False  # of the runs on CPU
        self.weak = False  # the comparison says too little to call the result verified
        self.placement = {
            "proven": False,
            "on_device": None,
            "method": "none",
            "outputs": [],
            "fallback_ops": [],
        }
        self.attributes = ["host-only"] if case.host_only else []
        if case.remarks is not None:
            self.attributes += case.remarks(adapter)

    def weaken(self, kind, note):
        self.weak = True
        if kind:
            self.reference["kind"] = kind
        self.reference.setdefault("note", note)

    def place(self, found):
        """Keeps what a _CallProof found over all calls."""
        if not found.proofs:
            return
        outputs, proofs = found.devices, found.proofs
        proven = all(proof.proven for proof in proofs)
        away = [name for name in outputs if not found.adapter.is_on_target(name)]
        ops = sorted({name for proof in proofs for name in proof.fallback_ops})
        on_device = not ops and not away and not any(proof.left_device for proof in proofs)
        notes = [proof.note for proof in proofs if proof.note]
        if away:
            notes.append("an output left the device: %s" % ", ".join(away))
        self.placement = {
            "proven": proven,
            "on_device": on_device if proven else (False if ops or away else None),
            "method": proofs[0].method,
            "outputs": outputs,
            "fallback_ops": ops[:64],
            "note": notes[0] if notes else None,
        }
        if self.placement["on_device"] is False:
            self.attributes.append("host-fallback")

    def end(self, outcome, adapter, reason=None, failure=None):
        evidence = adapter.evidence if self.evidence is None else self.evidence
        if outcome != "pass" and evidence == "verified":
            evidence = adapter.evidence
        return {
            "outcome": outcome,
            "evidence": evidence,
            "reason": reason,
            "failure": failure,
            "placement": self.placement,
            "reference": self.reference,
            "compiled": adapter.compiled_facts(),
            "attributes": self.attributes,
        }


class _CallProof:
    """Proves every t.call of a body, and only those: set-up may use the host as it likes."""

    def __init__(self, handle, adapter):
        self.devices, self.proofs, self.adapter, self._handle = [], [], adapter, handle

    @contextlib.contextmanager
    def watch(self):
        original = self._handle.call

        def call(function, *args, **kwargs):
            with self.adapter.prove() as proof:
                self.proofs.append(proof)  # a call that raises as it should has a place, too
                result = original(function, *args, **kwargs)
            for _, leaf in self.adapter.flatten(result):
                if self.adapter.is_array(leaf):
                    for name in self.adapter.devices(leaf):
                        if name not in self.devices:
                            self.devices.append(name)
            return result

        self._handle.call = call
        try:
            yield
        finally:
            del self._handle.call


class _WithDtype:
    """A case, with another dtype parameter."""

    def __init__(self, case, dtype):
        self._case = case
        self.params = dict(case.params, dtype=dtype)
        self.dtype = dtype

    def __getattr__(self, name):
        return getattr(self._case, name)


class _Rounding:
    """An adapter whose inputs are rounded to a narrow dtype first and then given in the wide one."""

    def __init__(self, adapter, narrow):
        self._adapter, self._narrow = adapter, narrow

    def __getattr__(self, name):
        return getattr(self._adapter, name)

    def from_numpy(self, array, dtype, place, grad=False, noncontiguous=False):
        if dtype == widen(self._narrow):
            rounded = self._adapter.from_numpy(array, self._narrow, "native")
            array = self._adapter.to_numpy(rounded)
        return self._adapter.from_numpy(array, dtype, place, grad=grad, noncontiguous=noncontiguous)


def import_numpy():
    """(numpy, None), or (None, the end event that says it is missing)."""
    try:
        import numpy
        import numpy.linalg
        import numpy.random  # NumPy loads it late; a zygote shall have it before its children ask
    except ImportError as error:
        failure = describe(error)
        failure["stage"] = "setup"
        return None, {
            "outcome": "error",
            "evidence": "executed",
            "reason": "missing-dependency: NumPy does not import in this environment (pip install numpy)",
            "failure": failure,
            "attributes": [],
        }
    return numpy, None


def body_arguments(case, handle):
    """The parameters that the body names, and t."""
    names = case.body.__code__.co_varnames[: case.body.__code__.co_argcount]
    missing = [name for name in names if name != "t" and name not in case.params]
    if missing:
        raise CaseDefect(
            "the body asks for %s, which the header does not give" % ", ".join(missing)
        )
    return dict({name: case.params[name] for name in names if name != "t"}, t=handle)


def _numpy_function(np, case):
    """numpy.linalg.svd for jax.numpy.linalg.svd, tf.experimental.numpy.x or torch.x."""
    tail = case.function.split(".")[1:]
    for start in range(len(tail)):
        found = np
        for part in tail[start:]:
            found = getattr(found, part, None)
            if found is None:
                break
        if callable(found):
            return lambda np_, *inputs, **params: found(*inputs)
    raise CaseDefect('reference="numpy": numpy has no %s' % ".".join(tail))


def call_reference(np, adapter, case, function, recorded):
    """function(np, *inputs, **params) on the values that the target saw, widened."""
    inputs = [adapter.to_numpy(array) for array in recorded]
    params = {
        key: value
        for key, value in case.params.items()
        if key not in ("dtype", "shape", "function", "fn", "draw")
    }
    with np.errstate(all="ignore"):
        return function(np, *inputs, **params)


def compare_call_dtypes(handle, native):
    """What a body looks at through invariants or statistics has a dtype, too."""
    if native is None or len(native.result_dtypes) != len(handle.result_dtypes):
        return
    for number, (got, want) in enumerate(zip(handle.result_dtypes, native.result_dtypes), 1):
        if len(got) == len(want) and got != want:
            raise Mismatch(
                "call %d returned dtype %s, expected %s" % (number, ", ".join(got), ", ".join(want))
            )


def compare_trees(np, adapter, case, got, want, native, report, values=True, slack=None):
    """Raises Mismatch where structure, shape, dtype or values differ. `slack`: what the CPU makes of it in
    the tested dtype, whose own error is no fault of the target."""
    left, right = adapter.flatten(got), adapter.flatten(want)
    third = adapter.flatten(native) if native is not None else [(None, None)] * len(left)
    if len(left) != len(right) or len(left) != len(third):
        raise Mismatch("the result has %d leaves, expected %d" % (len(left), len(right)))
    spare = adapter.flatten(slack) if slack is not None else []
    if len(spare) != len(left):
        spare = [(None, None)] * len(left)
    for (path, one), (_, two), (_, plain), (_, rough) in zip(left, right, third, spare):
        compare_leaf(np, adapter, case, path, one, two, plain, report, values, rough)


def compare_leaf(np, adapter, case, path, got, want, native, report, values, rough=None):
    ours = adapter.is_array(got)
    if not ours and not isinstance(got, (np.ndarray, np.generic)):
        if isinstance(want, (np.ndarray, np.generic)) and getattr(want, "ndim", 1) == 0:
            want = want.item()
        if values:
            compare_plain(path, got, want)
        return
    dtype = adapter.dtype_name(got) if ours else _numpy_dtype_name(got, case)
    if ours and adapter.is_array(native) and adapter.dtype_name(native) != dtype:
        raise Mismatch(
            "result%s has dtype %s, expected %s" % (path, dtype, adapter.dtype_name(native))
        )
    left = adapter.to_numpy(got) if ours else np.asarray(got)
    right = adapter.to_numpy(want) if adapter.is_array(want) else np.asarray(want)
    if not values:
        if tuple(left.shape) != tuple(right.shape):
            raise Mismatch(
                "result%s has shape %s, expected %s" % (path, tuple(left.shape), tuple(right.shape))
            )
        return
    floating = left.dtype.kind in "fc" or right.dtype.kind in "fc"
    tested = least_exact(dtype, case.dtype) if floating else dtype
    spare = 0.0
    if floating and adapter.is_array(rough):
        spare = cpu_error(np, adapter.to_numpy(rough), right, tested, adapter.framework)
    compare_arrays(np, path, left, right, tested, adapter.framework, case, report, spare)


def _numpy_dtype_name(array, case):
    kind = array.dtype.kind
    if kind in "fc" and case.dtype and kind_of(case.dtype) in ("float", "complex"):
        return case.dtype
    return {"f": "f32", "c": "c64", "b": "bool"}.get(kind, "i64")


def describe(error):
    """type, message and traceback of an exception, bounded."""
    kind = type(error)
    module = kind.__module__
    name = (
        kind.__qualname__ if module in ("builtins", None) else "%s.%s" % (module, kind.__qualname__)
    )
    if name.startswith("seamark_agent."):
        name = "seamark." + kind.__qualname__
    try:
        message = str(error)
    except Exception as second:
        message = "(the exception's text cannot be read: %s)" % type(second).__name__
    try:
        trace = "".join(traceback.format_exception(kind, error, error.__traceback__))
    except Exception:
        trace = ""
    return {"stage": None, "type": name, "message": message[:MAX_MESSAGE], "traceback": trace[-MAX_TRACEBACK:],
            "precision_rerun": None}  # fmt: skip


def looks_like_memory(error):
    """Whether an exception says that memory could not be had."""
    if isinstance(error, MemoryError):
        return True
    text = str(error).lower()
    return any(
        part in text
        for part in ("can't allocate memory", "cannot allocate memory", "out of memory", "bad_alloc",
                     "failed to allocate", "unable to allocate", "oom when allocating")
    )  # fmt: skip


def finite(value):
    """A JSON number, or the tagged string of a non-finite one."""
    if value is None or isinstance(value, str):
        return value
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return value


def work_folder(prefix="cache-"):
    """A new folder in the run's work folder, which the supervisor removes at the end."""
    base = os.environ.get("SEAMARK_WORK_DIR")
    return tempfile.mkdtemp(prefix=prefix, dir=base if base and os.path.isdir(base) else None)
