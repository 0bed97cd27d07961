"""Runs one case: inputs, the call on the target, proof of placement, the reference, the comparison.

A case owns its inputs and its call; everything else is here and the same for every case. The result
is the `end` event of docs/wire.md.
"""

import contextlib
import time

from . import measure, programs
from .adapters.base import widen
from .attempt import (
    CallProof,
    State,
    body_arguments,
    describe,
    finite,
    import_numpy,
    is_targets,
    looks_like_memory,
    own_line,
    version_note,
    work_folder,
)
from .attributes import DEFAULT_PRECISION, FAILS_ON_REFERENCE, UNCHECKED
from .compare import (
    CaseDefect,
    CheckFailed,
    Mismatch,
    NoGradient,
    ReferenceFailed,
    Report,
    Skip,
    ValuesDiffer,
    is_trivial,
)
from .failures import same_failure, text_of
from .handle import Handle
from .trees import (
    AT_MOST,
    Rounding,
    WithDtype,
    call_reference,
    compare_call_dtypes,
    compare_trees,
    numpy_function,
)

# Suites, adapters and the worker import these.
__all__ = [
    "CaseDefect", "CheckFailed", "Handle", "Runner", "Skip", "body_arguments", "describe", "import_numpy",
    "work_folder",
]  # fmt: skip


_PRECISION_AT_MOST = 1000  # tolerances


def _is_targets_own(end):
    """Whether an attempt failed, and not as the reference does."""
    return end["outcome"] == "fail" and FAILS_ON_REFERENCE not in end["attributes"]


class Runner:
    """Runs cases of one target in this process."""

    def __init__(self, adapter, seed=0, timing=None, memory_limited=False, mutation=None):
        self.adapter, self.seed = adapter, seed
        self.plan = measure.Plan(timing)
        self.memory_limited = memory_limited
        self.mutation = mutation  # of mutate.py
        self._cases_run = 0
        self._warmed = False
        self._is_second = False  # of _by_chance

    # -- entry points -----------------------------------------------------------------------------

    def run(self, case, phase):
        """The `end` event of one attempt, without its id. Never raises."""
        cpu, wall = time.process_time(), time.perf_counter()
        try:
            end = self._timing(case) if phase == "timing" else self._check(case)
            if case.program and _is_targets_own(end):
                with contextlib.suppress(Exception):  # what failed stays what it is
                    end["failure"]["failing_call"] = programs.failing_call(self, case)
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
        state = State(case, self.adapter)
        if case.host_only and not self._executes():
            return state.end(
                "skip", self.adapter, reason="host-only: there is no device program to compile"
            )
        handle = Handle(case, self.adapter, np, "target", self.seed, mutation=self.mutation)
        try:
            got = self._body(handle, prove=True, state=state)
            if not handle.called and handle.stage == "setup":  # a suite may set the stage itself
                raise CaseDefect("it never calls t.call, so nothing is tested")
            if not self._executes():
                return state.end("pass", self.adapter)
            self._compare(case, np, handle, got, state)
            state.attributes += handle.sizes.attributes() if handle.sizes else []
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
            adapter.seed(case.framework_seed(self.seed))
            if not prove or case.host_only:
                return case.body(**arguments)
            proof = CallProof(handle, adapter)
            try:
                with proof.watch():
                    return case.body(**arguments)
            finally:
                state.set_placement(proof)

    def _compare(self, case, np, handle, got, state):
        handle.stage = "compare"
        native, plain = None, handle  # on the CPU itself the tested run is the native one
        if not self.adapter.cpu_is_reference:
            native, plain = self._reference(case, np, "native", state)
            compare_call_dtypes(handle, plain)
        wide = None
        if case.reference not in ("none", "native", "shapes", "runs"):
            wide = self._wide(case, np, handle, plain, state)
        handle.stage = "compare"
        if case.reference == "runs":
            state.reference["kind"] = "none"
            state.attributes.append(UNCHECKED)
            return  # nothing comes back that could be compared
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
        want = wide if wide is not None else native
        slack = native if case.slack == "cpu" else None
        report = Report()
        try:
            compare_trees(np, self.adapter, case, got, want, native, report, values, slack)
        except ValuesDiffer as error:
            if case.slack != "cpu" or not self.adapter.cpu_is_reference:
                raise
            # Its own error is no measure of what the CPU may do: executed at most.
            report = Report()
            compare_trees(np, self.adapter, case, got, want, native, report, values, AT_MOST)
            state.weaken(None, "beyond the published tolerance: %s" % error)
        finally:
            state.reference.update(max_abs_err=finite(report.max_abs_err), max_rel_err=finite(report.max_rel_err),
                                   max_ulp_err=finite(report.max_ulp_err), rtol=report.rtol, atol=report.atol)  # fmt: skip
        if not state.weak:
            state.evidence = "verified"

    def _wide(self, case, np, handle, plain, state):
        """The reference values, with their label; None where there are none. `plain`: the native run, or the tested
        one where that is it."""
        want = error = None
        if case.reference is not None:
            kind = "numpy" if case.reference == "numpy" else "analytic"
            function = numpy_function(np, case) if case.reference == "numpy" else case.reference
            try:
                want = call_reference(np, case, function, handle.recorded())
            except Exception as raised:
                error = raised
        if want is None and error is None:
            kind = "statistics" if case.random is True else "cpu-wide"
            want, wide = self._reference(case, np, "wide", state)
            error = wide.error
            if error is None and kind == "cpu-wide" and wide.same_computation(plain):
                kind = "cpu-native"
                if self.adapter.cpu_is_reference or case.host_only:
                    state.weaken(kind, "compared with itself: the same kernel in the same dtype")
        if error is not None:
            self._no_reference(kind, error, plain, state)
            return None
        if want is not None or kind == "statistics":
            state.reference["kind"] = kind
        if want is not None and case.trivial is not True and case.random is not True:
            arrays = [self._as_numpy(np, leaf) for _, leaf in self.adapter.flatten(want)]
            if is_trivial(np, [array for array in arrays if array is not None]):
                if case.trivial != "weak" and not self._by_chance(case):
                    raise CaseDefect(
                        "the reference is constant, zero or empty; if that is right, say trivial=True"
                    )
                state.weaken(None, "the reference is constant, zero or empty, and shows little")
        return want

    def _by_chance(self, case):
        """Whether the reference is trivial with these inputs and not with those of the next seed."""
        if self._is_second:
            return False
        second = Runner(self.adapter, self.seed + 1)
        second._is_second = True
        return second._check(case)["outcome"] != "error"

    @staticmethod
    def _no_reference(kind, error, plain, state):
        """A reference that raises is the case's defect, unless plain CPU execution raises, too, or the case says
        that it means nothing there."""
        if plain.error is None and not isinstance(error, Skip):
            said = describe(error)
            raise ReferenceFailed(
                "its reference (%s) raises where plain CPU execution passes: %s: %s"
                % (kind, said["type"], said["message"][:500])
            ) from error
        state.reference["note"] = "no CPU reference: %s" % describe(error)["message"][:500]

    def _as_numpy(self, np, leaf):
        if self.adapter.is_array(leaf):
            return self.adapter.to_numpy(leaf)
        return leaf if isinstance(leaf, np.ndarray) else None

    def _reference(self, case, np, place, state):
        """(result, handle) of the same body on CPU. The handle's `error` says what it raised; then there is no result."""
        handle = Handle(case, self.adapter, np, place, self.seed)
        try:
            result = self._body(handle, prove=False, state=state)
            state.drew = state.drew or handle.drew
            return result, handle
        except Exception as error:
            handle.error = error
            state.reference["note"] = "%s run on CPU failed: %s" % (
                place,
                describe(error)["message"][:500],
            )
            return None, handle
        finally:
            handle.close()

    # -- of a program's calls -----------------------------------------------------------------------

    @property
    def numpy(self):
        return import_numpy()[0]

    def run_body(self, handle):
        """The body alone, at the handle's place; raises what it raises."""
        return self._body(handle, prove=False, state=None)

    def failure_of(self, case):
        """The failure of a case that the target alone makes fail; None where it passes, or the plain CPU raises too."""
        end = self._check(case)
        fails = _is_targets_own(end) and self._native_error(case, self.numpy) is None
        return end["failure"] if fails else None

    # -- failures ---------------------------------------------------------------------------------

    def _failed(self, case, handle, error, state, np):
        if isinstance(error, Skip):
            return state.end("skip", self.adapter, reason=text_of(error))
        failure = describe(error)
        failure["stage"] = getattr(error, "seamark_stage", None) or handle.stage
        if isinstance(error, CheckFailed):
            failure["stage"] = "compare"
        elif isinstance(error, NoGradient):
            failure["stage"] = "call"  # the target gave none: no value is wrong
        elif failure["stage"] == "check":
            failure["stage"] = "call"
        note = version_note(case, self.adapter, error)
        line = None if note else self._own_mistake(case, handle, error, failure["stage"], np)
        if line is not None:
            reason = "case: %s at %s: %s" % (failure["type"], line, failure["message"][:500])
            return state.end("error", self.adapter, reason=reason, failure=failure)
        failure["message"] += note
        itself = self.adapter.cpu_is_reference and (
            case.exists is not None
            or case.cpu_fails  # nobody wrote that it works, or: that it does not
        )
        if itself and case.cpu_fails:
            failure["message"] += "; known: " + case.cpu_fails
        known = getattr(error, "seamark_fails_on_reference", False)
        if itself or (self._fails_natively(case, np, error) if known is None else known):
            state.attributes.append(FAILS_ON_REFERENCE)
        if isinstance(error, CaseDefect):
            if isinstance(error, ReferenceFailed):
                failure["stage"] = "reference"
            return state.end(
                "error", self.adapter, reason="case: " + text_of(error), failure=failure
            )
        if failure["stage"] == "compare" and not isinstance(error, (Mismatch, CheckFailed)):
            return state.end(
                "error", self.adapter, reason="harness: comparing failed", failure=failure
            )
        if self.memory_limited and looks_like_memory(error):
            reason = "Seamark's own memory limit: " + failure["message"][:500]
            return state.end("error", self.adapter, reason=reason, failure=failure)
        if isinstance(error, ValuesDiffer):
            if self._right_at_highest(case, np):
                state.attributes.append(DEFAULT_PRECISION)
                if not state.weak:
                    state.evidence = "verified"
                return state.end("pass", self.adapter)
            failure["precision_rerun"] = self._rerun_in_f64(case, np, error)
        return state.end("fail", self.adapter, failure=failure)

    def _own_mistake(self, case, handle, error, stage, np):
        """The line of the case's own code that is at fault; None where that is not so (docs/method.md)."""
        line, innermost = own_line(case, error)
        if line is None or isinstance(error, (CaseDefect, CheckFailed, Mismatch)):
            return None
        if isinstance(error, NameError) and innermost:
            return line
        if stage != "setup" or case.cpu_fails or is_targets(error) or looks_like_memory(error):
            return None
        if self.adapter.cpu_is_reference or self._fails_natively(case, np, error):
            return line
        return None  # the target alone

    def _fails_natively(self, case, np, error):
        """Whether the same body fails in the same way on the CPU: for an adapter that cannot tell (None)."""
        second = self._native_error(case, np)
        return second is not None and same_failure(error, second)  # a Skip is another: no reference

    def _native_error(self, case, np):
        """What the body raises on the plain CPU; None where it does not."""
        handle = Handle(case, self.adapter, np, "native", self.seed)
        try:
            self.run_body(handle)
        except Exception as error:
            return error
        finally:
            handle.close()
        return None

    def _right_at_highest(self, case, np):
        """Whether the result is right where the target computes as exactly as it can in the tested dtype. One whose
        default is that can only differ by chance."""
        if not self.adapter.lowers_precision:
            return False
        handle = Handle(case, self.adapter, np, "target", self.seed)
        try:
            with self.adapter.highest_precision():
                state = State(case, self.adapter)
                self._compare(case, np, handle, self._body(handle, prove=False, state=state), state)
        except Exception:
            return False
        finally:
            handle.close()
        return True

    def _rerun_in_f64(self, case, np, error):
        """ "pass" where only precision was missing: the same values are right in f64 on the target. A target without
        f64 cannot show it: there a deviation of up to a thousand tolerances is taken for one of precision."""
        if case.dtype not in ("f16", "bf16", "f32", "c64"):
            return "fail"
        exact = WithDtype(case, widen(case.dtype))
        handle = Handle(exact, Rounding(self.adapter, case.dtype), np, "target", self.seed)
        try:
            with self.adapter.highest_precision():
                got = self._body(handle, prove=False, state=State(exact, self.adapter))
                self._compare(exact, np, handle, got, State(exact, self.adapter))
            return "pass"
        except Mismatch:
            return "fail"
        except Exception:
            return "pass" if error.excess <= _PRECISION_AT_MOST else "fail"
        finally:
            handle.close()

    # -- timing -----------------------------------------------------------------------------------

    def _timing(self, case):
        np, problem = import_numpy()
        if problem:
            return problem
        if not self._warmed:  # correctness needs none, and a compiler's first call may take long
            self.adapter.prewarm()
            self.adapter.start_libraries()
            self._warmed = True
        state = State(case, self.adapter)
        first = self._cases_run == 0
        cold_reason = self.adapter.clear_caches() or (None if first else self.adapter.left_warm)
        costs = []

        def timing(handle, name, unit):
            entry, beside, result = measure.measure(unit, self.adapter, self.plan, cold_reason)
            entry["name"] = name
            costs.append(beside)
            handle.operations.append(entry)
            return result

        handle = Handle(case, self.adapter, np, "target", self.seed, timing)
        try:
            with self.adapter.at(handle._at):
                self.adapter.seed(case.framework_seed(self.seed))
                case.body(**body_arguments(case, handle))
        except BaseException as error:
            # A body's own check may not hold after many calls on the same state: the times stand.
            if not (isinstance(error, CheckFailed) and handle.operations):
                return self._failed(case, handle, error, state, np)
        finally:
            handle.close()
        end = state.end("pass", self.adapter)
        end["operations"], end["costs"] = handle.operations, measure.of_attempt(costs)
        end["cold_kind"] = "cold-process" if first and self.plan.protocol == "paper" else "cold-op"
        if not handle.operations:
            end["outcome"], end["reason"] = "skip", "the body makes no timed call"
        return end
