"""Timing of one operation: a cold call, then warm calls until time or spread says enough, and what they cost beside."""

import contextlib
import gc
import statistics
import time

EMPTY_SAMPLES = 5
UNFINISHED = "its end cannot be waited for: "


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


def measure(unit, adapter, plan, cold_reason=None, clock=time.perf_counter):
    """One `operations` entry (without its name), what the call costs beside, and the result of the cold call.

    Protocol paper: the cold call alone, as the study timed. Protocol full: after the cold call and two
    warm-up calls (one where it took max_time_s), samples of at least a hundredth of min_time_s each (several calls in one when the call
    is shorter) until max_time_s, max_samples, or min_time_s with a relative IQR below rel_spread; a call
    whose spread stays wide ends after twice min_time_s. Then an empty call in the same loop, one call under the
    device's own clock and one whose memory is watched. A call that cannot be waited for has no time.
    """
    entry = {
        "cold_s": None,
        "cold_reason": cold_reason,
        "warm_s": [],
        "warm_reason": None,
        "inner": 1,
        "device_s": [],
    }
    costs = {}
    endless = adapter.cannot_wait()
    if endless:
        entry["cold_reason"] = entry["warm_reason"] = UNFINISHED + endless
        return entry, costs, unit()
    with _no_garbage_collection():
        result = _measure(entry, costs, unit, adapter, plan, clock)
    return entry, costs, result


def _measure(entry, costs, unit, adapter, plan, clock):
    synchronize = adapter.synchronize
    before = adapter.counters()
    cold, result = timed(unit, synchronize, clock)
    if not entry["cold_reason"]:
        entry["cold_s"] = cold
    after = adapter.counters()
    if "compile_s" in after:
        costs["compile_s"] = after["compile_s"] - before["compile_s"]
    if plan.protocol == "paper":
        entry["warm_reason"] = "protocol paper times one call"
        return result
    calls, once = 1, timed(unit, synchronize, clock)[0]
    if once < plan.max_time_s:
        calls, once = 2, min(once, timed(unit, synchronize, clock)[0])
    inner = max(1, min(10000, int(plan.min_time_s / 100 / max(once, 1e-9))))
    samples = []
    begin = clock()
    while True:
        now = _sample(samples, unit, synchronize, inner, clock)
        if now - begin >= plan.max_time_s or len(samples) >= plan.max_samples:
            break
        if len(samples) >= plan.min_samples and now - begin >= plan.min_time_s:
            if _relative_iqr(samples) <= plan.rel_spread or now - begin >= 2 * plan.min_time_s:
                break
    calls += len(samples) * inner
    warm = adapter.counters()
    if "compilations" in warm:
        costs["recompilations"] = warm["compilations"] - after["compilations"]
    for name in ("transfers", "transfer_bytes"):
        if name in warm:
            costs[name] = (warm[name] - after[name]) / calls
    empty = []
    for _ in range(EMPTY_SAMPLES):
        _sample(empty, _nothing, synchronize, inner, clock)
    costs["empty_s"] = statistics.median(empty)
    entry["warm_s"], entry["inner"] = samples, inner
    entry["device_s"] = adapter.device_times(unit, min(inner, 100))
    costs["peak_bytes"] = adapter.peak_memory(lambda: synchronize(unit()))
    return result


def _sample(samples, unit, synchronize, inner, clock):
    """Adds one sample, seconds per call; returns the time at its end."""
    start = clock()
    for _ in range(inner):
        last = unit()
        synchronize(last)
    now = clock()
    samples.append((now - start) / inner)
    return now


def _nothing():
    return None


@contextlib.contextmanager
def _no_garbage_collection():
    """Python's collector would run inside of whichever call makes its next object."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def of_attempt(costs):
    """The `costs` of an attempt from those of its operations: times and transfers as the mean over its operations, recompilations as their sum,
    memory as the largest. A cost that an operation lacks is null."""
    found = {}
    for name, fold in _FOLDS.items():
        values = [one.get(name) for one in costs]
        found[name] = fold(values) if values and None not in values else None
    return found


_FOLDS = {
    "empty_s": statistics.fmean,
    "compile_s": statistics.fmean,
    "recompilations": sum,
    "transfers": statistics.fmean,
    "transfer_bytes": statistics.fmean,
    "peak_bytes": max,
}


def _relative_iqr(samples):
    quartiles = statistics.quantiles(samples, n=4)
    return (quartiles[2] - quartiles[0]) / max(quartiles[1], 1e-12)


def resident_peak(call):
    """Makes the call. Bytes by which the greatest resident memory of this process meanwhile exceeds that before;
    None where the system does not tell. Kernels count pages in batches: some hundred KiB may be missing."""
    try:
        with open("/proc/self/clear_refs", "w") as stream:
            stream.write("5")  # VmHWM begins anew
        before = _status_kib("VmRSS:")
    except (OSError, ValueError):
        before = None
    call()
    return None if before is None else max(0, _status_kib("VmHWM:") - before) * 1024


def _status_kib(name):
    with open("/proc/self/status") as stream:
        for line in stream:
            if line.startswith(name):
                return int(line.split()[1])
    raise ValueError("no %s" % name)
