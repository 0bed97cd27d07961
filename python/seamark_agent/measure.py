"""Timing of one operation: a cold call, then warm calls until time or spread says enough."""

import statistics
import time


class Plan:
    """How long to measure. Times in seconds."""

    def __init__(self, settings=None):
        settings = settings or {}
        self.protocol = settings.get("protocol", "full")
        self.min_time_s = float(settings.get("min_time_s", 0.05))
        self.max_time_s = float(settings.get("max_time_s", 1.0))
        self.max_samples = int(settings.get("max_samples", 200))
        self.min_samples = int(settings.get("min_samples", 5))
        self.rel_spread = float(settings.get("rel_spread", 0.02))


def timed(unit, synchronize, clock=time.perf_counter):
    """Seconds of one call with every output leaf waited for, and the result."""
    start = clock()
    result = unit()
    synchronize(result)
    return clock() - start, result


def measure(unit, synchronize, plan, cold_reason=None, clock=time.perf_counter):
    """One `operations` entry (without its name) and the result of the cold call.

    Protocol paper: the cold call alone, as the study timed. Protocol full: after the cold call and two
    warm-up calls (one where it took max_time_s), samples of at least a hundredth of min_time_s each (several calls in one when the call
    is shorter) until max_time_s, max_samples, or min_time_s with a relative IQR below rel_spread; a call
    whose spread stays wide ends after twice min_time_s.
    """
    cold, result = timed(unit, synchronize, clock)
    entry = {
        "cold_s": None if cold_reason else cold,
        "cold_reason": cold_reason,
        "warm_s": [],
        "warm_reason": None,
        "inner": 1,
    }
    if plan.protocol == "paper":
        entry["warm_reason"] = "protocol paper times one call"
        return entry, result
    once = timed(unit, synchronize, clock)[0]
    if once < plan.max_time_s:
        once = min(once, timed(unit, synchronize, clock)[0])
    inner = max(1, min(10000, int(plan.min_time_s / 100 / max(once, 1e-9))))
    samples = []
    begin = clock()
    while True:
        start = clock()
        for _ in range(inner):
            last = unit()
            synchronize(last)
        now = clock()
        samples.append((now - start) / inner)
        if now - begin >= plan.max_time_s or len(samples) >= plan.max_samples:
            break
        if len(samples) >= plan.min_samples and now - begin >= plan.min_time_s:
            if _relative_iqr(samples) <= plan.rel_spread or now - begin >= 2 * plan.min_time_s:
                break
    entry["warm_s"], entry["inner"] = samples, inner
    return entry, result


def _relative_iqr(samples):
    quartiles = statistics.quantiles(samples, n=4)
    return (quartiles[2] - quartiles[0]) / max(quartiles[1], 1e-12)
