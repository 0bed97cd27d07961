"""The tables that lie in a store: attempts, samples of time, runs, events, usage."""

from __future__ import annotations

import json
from pathlib import Path

from seamark.column import (
    ATTEMPT,
    CASE,
    FRAMEWORK,
    FUNCTION,
    HASH,
    RUN,
    TARGET,
    Column,
    Table,
    count,
    flag,
    moment,
    number,
    seconds,
    text,
)


def _attempt_columns() -> tuple[Column, ...]:
    """As `seamark export --columns` tells them; a moment is named without its unit."""
    text = (Path(__file__).parent / "attempt_columns.json").read_text()
    return tuple(
        Column(
            one["key"].removesuffix("_us"),
            one["type"],
            one["unit"] or "",
            one["meaning"],
            one["null"] or "",
            one["key"] if one["type"] == "moment" else "",
        )
        for one in json.loads(text)
        if one["csv"]
    )


ATTEMPTS = Table("attempts", "execution of a case on a target", _attempt_columns())


# --- what the store's own tables have (docs/store.md)

_OPERATION = (
    RUN,
    TARGET,
    FUNCTION,
    CASE,
    HASH,
    ATTEMPT,
    count("position", "", "of the operation within its attempt, from 0"),
    text("operation", "the operation's name"),
)

SAMPLES = Table(
    "samples",
    "time that was taken",
    (
        *_OPERATION,
        text("kind", "cold: the first call; warm: wall clock; device: by the device's own events"),
        count("sample", "", "in the order taken, from 0"),
        seconds("seconds", "per call; what was not timed has no row: see operations()"),
    ),
)

OPERATIONS = Table(
    "operations",
    "timed operation of an attempt",
    (
        *_OPERATION,
        count("inner_calls", "calls", "per sample; samples are divided by it already"),
        seconds("cold_s", "the first call", "not measured: see `cold_reason`"),
        text("cold_reason", "why `cold_s` is null", "`cold_s` has a value"),
        count("warm_n", "samples", "wall clock; 0: see `warm_reason`"),
        count(
            "device_n", "samples", "of the device's own events; 0: it has none, or was not timed"
        ),
        text("warm_reason", "why there are no warm samples", "there are some"),
    ),
)

DETAILS = Table(
    "details",
    "attempt of which more is known",
    (
        *_OPERATION[:6],
        text(
            "placement_details",
            "JSON: how its placement is known, outputs, operations that fell back",
            "nothing is known",
        ),
        text(
            "reference",
            "JSON: what it was compared with, errors, tolerances",
            "it was compared with nothing",
        ),
        text("compiled", "JSON: what the compiler said", "no compiler told of it"),
        text("traceback", "of the failure", "it did not fail, or an import"),
        text("capture", "the end of the output where a process or a machine died", "none died"),
        count("wait_status", "", "raw, of the process", "none died"),
    ),
)

RUNS = Table(
    "runs",
    "run of the store, the last first, whichever was chosen",
    (
        RUN,
        text("state", "running (also what a killed process leaves), finished, interrupted, failed"),
        text("state_reason", "why it stopped", "it did not stop early"),
        text("command", "the command line"),
        count("seed", "", "of inputs and rechecks"),
        text("protocol", "full, paper, imported"),
        flag("placement_proof", "whether placement was looked for"),
        flag("reference_check", "whether results were compared with a reference"),
        text("subset", "what was left out, in words", "nothing was"),
        text("full_command", "the command that leaves nothing out", "nothing was left out"),
        moment("started", "when it began"),
        moment("ended", "when it ended", "it has not ended: see `state`"),
        seconds("wall_s", "summed over resumes", "it has not ended: see `state`"),
        seconds("cpu_s", "summed over resumes", "not measured, or not ended: see `state`"),
        count("planned", "cases x targets", "that were planned"),
        count("attempted", "cases x targets", "that have an attempt"),
        text("host", "JSON: processor, cores, memory, system", "an import told none"),
        text("versions", "JSON: Seamark and its compiler", "an import told none"),
        text("options", "JSON: what was asked for", "an import told none"),
    ),
)

EVENTS = Table(
    "events",
    "event of the chosen runs",
    (
        RUN,
        moment("at", "when"),
        text("kind", "worker-started, worker-died, leak, flip, imported, ..."),
        text("target", "whose worker", "of no single target"),
        text("detail", "JSON: all that is known of it", "nothing more is known"),
    ),
)

ENVIRONMENTS = Table(
    "environments",
    "target of the chosen runs",
    (
        RUN,
        TARGET,
        text("environment", "hash of the lock", "the target was not usable, or an import"),
        text("python", "version of the interpreter", "as `environment`"),
        count("packages", "packages", "in the lock", "as `environment`"),
        text("lock", "JSON: interpreter, packages, driver, processor, device", "as `environment`"),
        text("facts", "JSON: what the probe said", "an import told none"),
    ),
)

CATALOGUE = Table(
    "catalogue",
    "function of a framework's version that was walked",
    (
        FRAMEWORK,
        text("version", "of the framework"),
        FUNCTION,
        text("kind", "function, class, method, ..."),
        text("module", "where it is defined", "it does not say"),
        text("qualname", "within its module", "it does not say"),
        flag("documented", "it has a docstring"),
        text("deprecated", "why, in the framework's words", "it is not"),
        text("signature", "its parameters", "see `signature_reason`"),
        text("signature_reason", "why `signature` is null", "`signature` has a value"),
        text("note", "what to know of it", "nothing"),
        text("aliases", "JSON: its other names", "none"),
        text("deprecated_aliases", "JSON: those of them that are deprecated", "none"),
    ),
)

SAMPLE = Table(
    "sample",
    "line of the record of a draw",
    (
        text("sample", "hash of its content"),
        FRAMEWORK,
        FUNCTION,
        text("role", "top, decile, never-seen, replacement, overlap, excluded"),
        text("stratum", "top, decile-1 ..., never-seen", "it stands for none"),
        count("rank", "", "by frequency, from 1", "never seen"),
        count("decile", "", "tenth of all functions by frequency, from 1", "never seen"),
        number("inclusion", "probability", "that a draw takes it", "it stands for no function"),
        count("calls", "calls", "in the corpus"),
        count("uncalled", "references", "without a call"),
        count("files", "files", "that use it"),
        text("reason", "of an overlap, an exclusion or a replacement", "neither of them"),
        text("replaced_by", "what was drawn in its place", "it was not replaced"),
        text("replaces", "in whose place it was drawn", "it is no replacement"),
    ),
)

# --- what `seamark usage --format json` has

USAGE = Table(
    "usage",
    "function and tier",
    (
        FRAMEWORK,
        text("function", "its qualified name; a bare one in the tier bare"),
        text("tier", "resolved, inferred, unknown, bare: never to be added up"),
        count("calls", "calls", "f(x)"),
        count("references", "references", "without a call"),
        count("files", "files", "with a call or a reference"),
        count("repositories", "repositories", "of those files"),
    ),
)
