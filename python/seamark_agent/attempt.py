"""The result of an attempt: outcome, evidence, placement, failure."""

import contextlib
import os
import re
import tempfile
import traceback
import types

from . import attributes
from .adapters.device_work import NOTHING
from .compare import CaseDefect
from .failures import text_of

MAX_MESSAGE = 16 * 1024
MAX_TRACEBACK = 32 * 1024
# PyTorch's dispatcher appends every kernel of the operator that is missing.
_LIST_OF_BACKENDS = re.compile(
    r"(?<=' backend\.) This could be because the operator doesn't exist for this backend, or was omitted.*",
    re.S,
)


class State:
    """What is known of an attempt so far."""

    def __init__(self, case, adapter):
        self.case = case
        self.reference = {}
        self.evidence = None
        self.drew = False  # of the runs on CPU
        self.refused = False  # every call raised, or did no device work
        self.weak = False  # the comparison says too little to call the result verified
        self.placement = {
            "where": "none" if case.host_only else "unknown",
            "method": "none",
            "outputs": [],
            "fallback_ops": [],
        }
        self.attributes = [attributes.HOST_ONLY] if case.host_only else []
        if case.remarks is not None:
            self.attributes += case.remarks(adapter)

    def weaken(self, kind, note):
        self.weak = True
        if kind:
            self.reference["kind"] = kind
        self.reference.setdefault("note", note)

    def set_placement(self, found):
        """Takes the placement from what a CallProof found over all calls."""
        if not found.proofs:
            return
        outputs, proofs = found.devices, found.proofs
        # A call without device work, or that was refused before any, has nothing to place, unless the host worked.
        idle = [not (p.work or p.fallback_ops) if p.raised else p.work is False for p in proofs]
        off_device = [name for name in outputs if not found.adapter.is_on_target(name)]
        ops = sorted({name for proof in proofs for name in proof.fallback_ops})
        left = sorted({name for proof in proofs for name in proof.left_to_aten})
        notes = [proof.note for proof in proofs if proof.note]
        if off_device:
            notes.append("an output left the device: %s" % ", ".join(off_device))
        if left:
            notes.append("left to ATen: %s" % ", ".join(left[:64]))
            self.attributes.append(attributes.LEFT_TO_ATEN)
        where, note = "unknown", notes[0] if notes else None
        if all(proof.work is False and not proof.raised for proof in proofs):
            where, note = "none", NOTHING
            self.attributes.append(attributes.NO_DEVICE_WORK)
        elif all(idle):
            where, note = "none", "the call raised before it did any work"
            self.refused = True
        elif ops or off_device:
            where = "host"
            self.attributes.append(attributes.HOST_FALLBACK)
        elif all(
            proof.on_device and not proof.doubtful for proof, none in zip(proofs, idle) if not none
        ):
            where = "device"
        else:
            note = note or "nothing shows where it ran"
        self.placement = {
            "where": where,
            "method": proofs[0].method,
            "outputs": outputs,
            "fallback_ops": ops[:64],
            "note": note,
        }

    def end(self, outcome, adapter, reason=None, failure=None):
        evidence = adapter.evidence if self.evidence is None else self.evidence
        if outcome != "pass" and evidence == "verified":
            evidence = adapter.evidence
        if outcome == "pass" and self.refused:
            self.attributes.append(attributes.NO_DEVICE_WORK)
        # A host-only case compiles nothing, and the adapter may still hold the facts of the case before.
        compiled = None if self.case.host_only else adapter.compiled_facts()
        risks = {attributes.RISK + risk["kind"] for risk in (compiled or {}).get("risks") or ()}
        return {
            "outcome": outcome,
            "evidence": evidence,
            "reason": reason,
            "failure": failure,
            "placement": self.placement,
            "reference": self.reference,
            "compiled": compiled,
            "attributes": self.attributes + sorted(risks),
        }


class CallProof:
    """Proves every t.call of a body, and only those: set-up may use the host as it likes."""

    def __init__(self, handle, adapter):
        self.devices, self.proofs, self.adapter, self._handle = [], [], adapter, handle

    @contextlib.contextmanager
    def watch(self):
        original = self._handle.call

        def call(function, *args, **kwargs):
            with self.adapter.prove() as proof:
                self.proofs.append(proof)  # a call that raises as it should may have a place, too
                try:
                    result = original(function, *args, **kwargs)
                except BaseException:
                    proof.raised = True
                    raise
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


def describe(error):
    """type, message and traceback of an exception, bounded."""
    kind = type(error)
    module = kind.__module__
    name = (
        kind.__qualname__ if module in ("builtins", None) else "%s.%s" % (module, kind.__qualname__)
    )
    if name.startswith("seamark_agent."):
        name = "seamark." + kind.__qualname__
    message = _LIST_OF_BACKENDS.sub("", text_of(error))
    try:
        lines = traceback.format_exception(kind, error, error.__traceback__)
        trace = "".join(line[-MAX_TRACEBACK:] for line in lines)
    except Exception:
        trace = ""
    return {"stage": None, "type": name, "message": message[:MAX_MESSAGE], "traceback": trace[-MAX_TRACEBACK:],
            "precision_rerun": None, "failing_call": None}  # fmt: skip


def version_note(case, adapter, error):
    """What is known of a failing case in other versions of its framework; empty where nothing is."""
    note = ""
    if case.removed and isinstance(error, (AttributeError, ImportError)):
        note += "; removed in %s %s: use %s" % (case.framework, case.removed[0], case.removed[1])
    if case.since:
        here = getattr(adapter.lookup(adapter.root), "__version__", "")
        if _numbers(here) < _numbers(case.since[0]):
            note += "; added in %s %s: %s" % (case.framework, case.since[0], case.since[1])
    return note


@contextlib.contextmanager
def of_target():
    """Marks what the framework raises where the harness asks it for the case: to place an input, to make a Module."""
    try:
        yield
    except Exception as error:
        error.seamark_of_target = True
        raise


def is_targets(error):
    """Whether an exception is not the case's own, by what it says: the harness asked the framework (of_target), or
    something is not there: a module, a name of what is neither Python's nor NumPy's."""
    if getattr(error, "seamark_of_target", False) or isinstance(error, ImportError):
        return True
    if not isinstance(error, AttributeError):
        return False
    thing = getattr(error, "obj", None)  # from Python 3.10 on
    owner = thing if isinstance(thing, (type, types.ModuleType)) else type(thing)
    module = getattr(owner, "__module__", None) or getattr(owner, "__name__", "")
    return thing is None or not module.startswith(("builtins", "numpy", "seamark"))


def own_line(case, error):
    """(file and line of a traceback's last frame in the case's file, whether it is the very last); (None, False)."""
    found = (None, False)
    here, trace = case.body.__code__.co_filename, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == here:
            found = (
                "%s line %d" % (os.path.basename(here), trace.tb_lineno),
                trace.tb_next is None,
            )
        trace = trace.tb_next
    return found


def _numbers(version):
    """[1, 12, 0] of 1.12.0+cpu."""
    return [int(part) for part in re.findall(r"\d+", version.split("+")[0])]


def looks_like_memory(error):
    """Whether an exception says that memory could not be had."""
    if isinstance(error, MemoryError):
        return True
    text = text_of(error).lower()
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


def use_work_folder(folder):
    """Makes `folder`, which the supervisor removes at its end, the place of all temporary files.

    Python tries a folder of temporary files by writing there, frameworks and cases leave files behind, and whoever is
    killed removes nothing. SEAMARK_USUAL_TMPDIR keeps the former place.
    """
    os.environ.setdefault("SEAMARK_USUAL_TMPDIR", os.environ.get("TMPDIR") or "/tmp")
    os.environ["SEAMARK_WORK_DIR"] = folder
    temporary = os.path.join(folder, "tmp")
    os.makedirs(temporary, exist_ok=True)
    os.environ["TMPDIR"] = temporary
    tempfile.tempdir = None  # found anew


def work_folder(prefix="cache-"):
    """A new folder in the run's work folder, which the supervisor removes at the end."""
    base = os.environ.get("SEAMARK_WORK_DIR")
    return tempfile.mkdtemp(prefix=prefix, dir=base if base and os.path.isdir(base) else None)


def body_arguments(case, handle):
    """The parameters that the body names, and t."""
    names = case.body.__code__.co_varnames[: case.body.__code__.co_argcount]
    missing = [name for name in names if name != "t" and name not in case.params]
    if missing:
        raise CaseDefect(
            "the body asks for %s, which the header does not give" % ", ".join(missing)
        )
    return dict({name: case.params[name] for name in names if name != "t"}, t=handle)
