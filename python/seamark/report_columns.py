"""The tables of `seamark report --format json`. A source is LEVEL.KEY, of the levels in report_tables.py."""

from __future__ import annotations

from seamark.column import (
    CORE,
    DTYPE,
    FRAMEWORK,
    GRAD,
    HASH,
    HOST_ONLY,
    PASSED,
    SHAPE,
    SUITE,
    TARGET,
    Table,
    count,
    flag,
    number,
    reason,
    seconds,
    text,
    under,
)

_FROM_TARGET = under(
    "target",
    (
        TARGET,
        FRAMEWORK,
        text("framework_versions", "with commas between", "none is known"),
    ),
)
_COMPILED_ONLY = flag(
    "compiled_only", "nothing was executed: what passes compiles", "", "target.compiled_only"
)
_BASELINE = text("baseline", "the target that ratios refer to", "it is its own", "target.baseline")

VERDICTS = Table(
    "verdicts",
    "function and target that was planned",
    (
        *under("function", (FRAMEWORK, text("function", "its qualified name", "", "name"))),
        flag("host_only", "touches no device", "", "function.host_only"),
        *under("cell", (TARGET,)),
        _BASELINE,
        _COMPILED_ONLY,
        *under(
            "cell",
            (
                text(
                    "verdict",
                    "pass, partial, fail, not-run",
                    "all that ran is `unanswered`, `fails_on_reference` or `unchecked`, or no core case (`core_cases` is 0)",
                ),
                text(
                    "uncorrected_verdict",
                    "with what is unanswered and what fails on the reference",
                    "no core case (`core_cases` is 0)",
                ),
                text(
                    "forward_verdict",
                    "over its core cases without a gradient alone",
                    "as of `verdict`",
                ),
                text("gradient_verdict", "over those with one alone", "as of `verdict`"),
                flag("fails_on_reference", "a core case fails the same way on the reference"),
                flag("unanswered", "a core case fails in a way that says nothing of the device"),
                flag("unchecked", "nothing fails, and no core case that passes checks a result"),
                flag("no_device_work", "none of its core cases that were tried does any"),
                flag("flaky", "a core case does not agree with itself"),
                flag("default_precision", "a core case passes at the highest precision alone"),
                text(
                    "only_dtypes",
                    "of a partial function: dtypes that fail and that no passing core case has",
                    "what fails is not told by its dtype",
                ),
                text("evidence", "the least over its passing core cases", "none passes"),
                flag("on_device", "passes without a fall-back", "see `on_device_reason`"),
                text("on_device_reason", "why `on_device` is null", "`on_device` has a value"),
                text(
                    "category",
                    "the most frequent among its failing core cases",
                    "no core case fails",
                ),
                flag(
                    "slow_warm", "intolerably slower than the baseline", "nothing to compare with"
                ),
                flag("slow_cold", "the same of first calls", "nothing to compare with"),
                count("core_cases", "cases", "of the core set"),
                count("core_passed", "cases", "of them that pass"),
                seconds("warm_s", "mean over timed core cases", "see `warm_s_reason`"),
                reason("warm_s"),
                seconds("cold_s", "mean over timed core cases", "see `cold_s_reason`"),
                reason("cold_s"),
                number(
                    "warm_ratio",
                    "ratio",
                    "to the baseline: geometric mean over core cases timed on both; above 1 is slower",
                    "see `warm_ratio_reason`",
                ),
                reason("warm_ratio"),
            ),
        ),
    ),
)

DTYPES = Table(
    "dtypes",
    "function, target and data type of a case that was planned",
    (
        *under("function", (FRAMEWORK, text("function", "its qualified name", "", "name"))),
        *under("cell", (TARGET,)),
        *under(
            "dtype",
            (
                text("dtype", "f32, bf16, i64, ..."),
                text(
                    "verdict",
                    "pass, falls-back, refused, not-implemented, fails, wrong, unknown (docs/show.md)",
                ),
                count("passed", "cases", "that pass and check a result"),
                count("cases", "cases", "core or not"),
            ),
        ),
    ),
)

_FROM_CASE = (
    *under("function", (FRAMEWORK, text("function", "its qualified name", "", "name"))),
    *under(
        "case",
        (
            text("case", "FUNCTION/CASE[PARAMETERS]", "", "name"),
            text("case_hash", HASH.meaning, "", "hash"),
            SUITE,
            DTYPE,
            SHAPE,
            CORE,
            HOST_ONLY,
            GRAD,
        ),
    ),
    *under("cell", (TARGET,)),
)

CASES = Table(
    "cases",
    "case and target that was planned, over its attempts",
    (
        *_FROM_CASE,
        *under(
            "cell",
            (
                text(
                    "outcome",
                    "pass, fail, timeout, crash, skip, error, flaky",
                    "not attempted yet",
                ),
                text("evidence", "lowered, compiled, executed, verified", "not attempted yet"),
                text("category", "why it failed, by the rules of today", PASSED),
                text("rule", "the rule that says so", "it did not fail, or no rule knows it"),
                text("reason", "of a skip or an error", "neither skip nor error"),
                text("type", "of the exception", "it did not fail, or without an exception"),
                text("message", "of the failure, at most 2,000 bytes", PASSED),
                text(
                    "confirmed_by",
                    "the case whose solo rerun stands for this one",
                    "it did not fail, or was run again itself",
                ),
                text(
                    "failing_call",
                    "of a program: the smallest of its calls that fails alone",
                    "no program, it did not fail, or its calls could not be recorded",
                ),
                flag("unconfirmed", "it failed once and was not run again"),
                flag("fails_on_reference", "it fails the same way on the reference"),
                flag("unanswered", "it fails in a way that says nothing of the device"),
                flag("unchecked", "it passes, and shows only that nothing was raised"),
                flag("no_device_work", "no operation of it depends on an input, or host-only"),
                flag(
                    "fallback",
                    "something ran on the host instead",
                    "placement is unknown or none",
                ),
                seconds("cold_s", "the first call", "see `cold_s_reason`"),
                reason("cold_s"),
                text("cold_kind", "cold-op or cold-process", "see `cold_s_reason`"),
                seconds("warm_s", "median in steady state", "see `warm_s_reason`"),
                reason("warm_s"),
                seconds(
                    "warm_low_s",
                    "95% interval of the median, low end",
                    "fewer than 6 samples, or `warm_s_reason`",
                    "warm_interval.0",
                ),
                seconds(
                    "warm_high_s",
                    "its high end",
                    "fewer than 6 samples, or `warm_s_reason`",
                    "warm_interval.1",
                ),
                count("warm_n", "samples", "behind the warm time; 0: not timed"),
                flag("unstable", "the samples spread or drift too much to trust"),
                count("attempts", "attempts", "of all phases"),
            ),
        ),
    ),
)

RATIOS = Table(
    "ratios",
    "case, target and kind of time that were measured on the baseline too",
    (
        *_FROM_CASE,
        _BASELINE,
        text("kind", "warm, cold-op, cold-process", "", "ratio.kind"),
        *under(
            "ratio",
            (
                number("ratio", "ratio", "target over baseline; above 1 is slower", "", "value"),
                number(
                    "low",
                    "ratio",
                    "interval (at least 95%), low end",
                    "see `interval_reason`",
                    "interval.0",
                ),
                number("high", "ratio", "its high end", "see `interval_reason`", "interval.1"),
                text("interval_reason", "why there is no interval", "there is one"),
                seconds("target_s", "time on the target"),
                seconds("baseline_s", "time on the baseline"),
                count("target_n", "samples", "behind it"),
                count("baseline_n", "samples", "behind it"),
                flag(
                    "slow",
                    "the whole interval lies beyond the factor, and the time beyond the floor",
                ),
                flag("noisy", "one of the times spreads or drifts too much to trust"),
            ),
        ),
    ),
)

ESTIMATES = Table(
    "estimates",
    "compiled case with an estimated time: never a measurement",
    (
        *_FROM_CASE,
        text("device", "whose published rates are used", "none is known", "target.device"),
        *under(
            "estimate",
            (
                seconds("cycles_s", "by the compiler's cycles", "see `cycles_s_reason`"),
                reason("cycles_s"),
                text("cycles_note", "what to know of it", "nothing"),
                seconds("optimal_s", "by the compiler's optimum", "see `optimal_s_reason`"),
                reason("optimal_s"),
                seconds(
                    "roofline_s", "by operations, bytes and peak rates", "see `roofline_s_reason`"
                ),
                reason("roofline_s"),
                text("roofline_note", "what to know of it", "nothing"),
            ),
        ),
    ),
)

_VERDICT_COUNTS = (
    ("functions", "that were planned"),
    ("pass", "all core cases that ran pass"),
    ("partial", "some do"),
    ("fail", "none does"),
    ("not_run", "nothing but skips and errors"),
    ("fails_on_reference", "fail the same way there, counted apart"),
    ("unanswered", "all that ran fails in a way that says nothing of the device, counted apart"),
    ("unchecked", "nothing fails, and nothing that passes checks a result, counted apart"),
    ("no_device_work", "of all: no operation depends on an input, or host-only"),
    ("cases_only", "without a core case, hence without a verdict"),
    ("uncorrected_pass", "with what is unanswered and what fails on the reference"),
    ("uncorrected_partial", "with what is unanswered and what fails on the reference"),
    ("uncorrected_fail", "with what is unanswered and what fails on the reference"),
    ("flaky", "with a core case that does not agree with itself"),
    ("default_precision", "with a core case that passes at the highest precision alone"),
    ("slow_warm", "intolerably slower than the baseline"),
    ("slow_cold", "the same of first calls"),
    ("placement_unproven", "pass, and where they ran is unknown"),
)

TARGETS = Table(
    "targets",
    "target of the chosen runs",
    (
        *_FROM_TARGET,
        *under(
            "target",
            (
                text("device_name", "as the framework says", "not told"),
                text("device", "whose published rates estimates use", "none is known"),
                text("compilers", "with commas between", "none said so"),
                text("worker_mode", "fork, persistent, process"),
                flag("usable", "whether it could be used here"),
                text("unusable_reason", "why not", "it is usable"),
                text("remedy", "what would make it usable", "it is usable, or nothing would"),
                text("environment_hash", "of its environment's lock", "it has none: an import"),
                text("baseline", "the target that ratios refer to", "it is its own"),
                text(
                    "reference", "the target that failures are corrected by", "see `reference_note`"
                ),
                text(
                    "reference_note", "why there is no reference", "there is one, or it is its own"
                ),
                flag("ran", "a case ran on it; else nothing is known"),
                flag("compiled_only", "nothing was executed: what passes compiles"),
                *(
                    count(
                        f"evidence_{level}",
                        "cases",
                        f"passing, {level}",
                        "",
                        f"evidence.{level}",
                    )
                    for level in ("lowered", "compiled", "executed", "verified")
                ),
                *(
                    count(key, "functions", meaning, "", f"functions.{key}")
                    for key, meaning in _VERDICT_COUNTS
                ),
                *(
                    column
                    for kind in ("warm", "cold")
                    for column in (
                        count(f"ratios_{kind}", "cases", f"behind the {kind} median"),
                        number(
                            f"median_ratio_{kind}",
                            "ratio",
                            f"median {kind} ratio to the baseline over cases",
                            f"see `median_ratio_{kind}_reason`",
                        ),
                        reason(f"median_ratio_{kind}"),
                        number(
                            f"median_ratio_{kind}_low",
                            "ratio",
                            "95% interval, low end",
                            "fewer than 6 cases",
                            f"median_ratio_{kind}_interval.0",
                        ),
                        number(
                            f"median_ratio_{kind}_high",
                            "ratio",
                            "its high end",
                            "fewer than 6 cases",
                            f"median_ratio_{kind}_interval.1",
                        ),
                    )
                ),
                count("timing_failures", "cases", "that passed and failed when timed"),
                seconds("cpu_s", "of its workers, over all attempts", "see `cpu_s_reason`"),
                reason("cpu_s"),
                seconds("wall_s", "over all attempts"),
            ),
        ),
    ),
)

_OF = text(
    "of",
    "functions, functions-with-device-work, functions-forward, functions-gradient (by those core cases alone), core-cases, cases",
    "",
    "group.of",
)

RATES = Table(
    "rates",
    "target, what is counted, and rate",
    (
        *_FROM_TARGET,
        _COMPILED_ONLY,
        _OF,
        text(
            "rate",
            "runs, runs-uncorrected (with what is unanswered or fails on the reference), runs-on-device, flips (of rechecked passes)",
            "",
            "rate.rate",
        ),
        *under(
            "rate",
            (
                count("count", "functions or cases", "that do"),
                count("total", "functions or cases", "of which"),
                number("value", "share, 0 to 1", "count over total", "see `value_reason`"),
                reason("value"),
                number(
                    "low",
                    "share, 0 to 1",
                    "Wilson's 95% interval, low end",
                    "see `value_reason`",
                    "interval.0",
                ),
                number("high", "share, 0 to 1", "its high end", "see `value_reason`", "interval.1"),
            ),
        ),
    ),
)

COUNTS = Table(
    "counts",
    "target, what is counted, and outcome",
    (
        *_FROM_TARGET,
        _OF,
        text(
            "outcome",
            "of functions: as in targets(); of cases: pass, fail, timeout, ...",
            "",
            "count.outcome",
        ),
        count("count", "functions or cases", "that have it", "", "count.count"),
    ),
)

CATEGORIES = Table(
    "categories",
    "target and category of failure",
    (
        *_FROM_TARGET,
        *under(
            "category",
            (
                text("category", "not-implemented, type, memory, ..."),
                text("study_category", "the study's five, or other"),
                count("functions", "functions", "by their most frequent category"),
                count("unanswered", "functions", "without a verdict, likewise"),
                count("cases", "cases", "that fail so"),
                count("fails_on_reference", "cases", "that fail the same way on the reference"),
                text("examples", "functions, with commas between", "none is named"),
            ),
        ),
    ),
)

NOISE = Table(
    "noise",
    "target that was timed against itself",
    under(
        "noise",
        (
            TARGET,
            count("cases", "cases", "timed more than once"),
            number(
                "median",
                "ratio",
                "largest over smallest median; 1 is no noise",
                "see `median_reason`",
            ),
            reason("median"),
            number("p95", "ratio", "its 95th percentile over cases", "see `p95_reason`"),
            reason("p95"),
        ),
    ),
)

DECLARED = Table(
    "declared",
    "function and device for which a framework's files name kernels: no attempt, in no rate",
    (
        *under(
            "table",
            (
                FRAMEWORK,
                text("framework_version", "that traced the cases"),
                text("device", "for which"),
                text("family", "of the device"),
                text("package", "that names the kernels"),
                text("package_version", "its version"),
            ),
        ),
        *under(
            "function",
            (
                text("function", "its qualified name", "", "name"),
                text("state", "named, partial, missing, no-operator, unknown"),
                flag("host_only", "touches no device"),
                count("cases", "cases", "that were traced"),
                count("cases_named", "cases", "every operator of which has a kernel"),
                text("operators", "with commas between", "it calls none"),
                text("operators_missing", "without a kernel, with commas between", "each has one"),
                text(
                    "dtypes", "`f32 named` or `f64 missing`, with commas between", "no list has it"
                ),
                text("note", "what to know of it", "nothing"),
            ),
        ),
    ),
)

SAMPLE_ESTIMATES = Table(
    "sample_estimates",
    "target and share of the population that a sample was drawn from",
    (
        *under(
            "target",
            (
                TARGET,
                flag("compiled_only", "nothing was executed: what passes compiles"),
                count("population", "functions", "that the sample speaks for"),
                number("population_calls", "calls", "of them"),
                count("drawn", "functions", "into the sample"),
                count("answered", "functions", "of them that ran"),
                count("failed", "functions", "of them that fail, partly or wholly"),
            ),
        ),
        text("share", "functions-fail, calls-break", "", "share.share"),
        *under(
            "share",
            (
                number("value", "share, 0 to 1", "estimate", "see `reason`"),
                number("low", "share, 0 to 1", "95% interval, low end", "see `reason`"),
                number("high", "share, 0 to 1", "its high end", "see `reason`"),
                text("reason", "why there is no estimate or interval", "there is"),
                number("best", "share, 0 to 1", "had all that did not answer passed"),
                number("worst", "share, 0 to 1", "had all that did not answer failed"),
                number("lowest", "share, 0 to 1", "low end of the interval of `best`"),
                number("highest", "share, 0 to 1", "high end of the interval of `worst`"),
            ),
        ),
    ),
)
