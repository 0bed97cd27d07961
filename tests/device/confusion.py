"""What Seamark says of where calls ran, against a device that counts for itself.

    python tests/device/confusion.py [--suite curated] [--suite 'opinfo?...'] [--function GLOB] [--json FILE]

Runs with the interpreter that has PyTorch, on minidev (beside this file): each case in a process of its own, its calls
proven as the harness proves them. What ran on the host is what minidev's own fallback counted while a call ran, which
no adapter reads. Prints the confusion table.
"""

import argparse
import collections
import contextlib
import fnmatch
import json
import os
import pathlib
import signal
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python")]

PLACES = ("device", "host", "unknown", "none")


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--suite", action="append", help="as of `seamark run` (curated)")
    arguments.add_argument("--function", default="*", help="functions that this glob matches")
    arguments.add_argument("--core", action="store_true", help="core cases alone")
    arguments.add_argument("--dtype", help="cases of this dtype alone, as f32")
    arguments.add_argument("--timeout", type=int, default=20, help="seconds that a case may take")
    arguments.add_argument("--json", help="writes what was found of each case to this file")
    asked = arguments.parse_args()
    found = [one for one in judge_all(asked) if one]
    if asked.json:
        pathlib.Path(asked.json).write_text(json.dumps(found, indent=1) + "\n")
    print(table(found))
    for one in found:
        if one["wrong"]:
            print("%(case)s: %(place)s, by the device's own count %(truth)s" % one)
    return 1 if any(one["wrong"] for one in found) else 0


def judge_all(asked):
    import minidev
    from seamark_agent.adapters.torch_eager import TargetAdapter
    from seamark_suites import loader

    adapter = TargetAdapter(
        {"name": "torch/minidev", "device": "minidev", "options": {"import": "minidev"}}
    )
    adapter.import_framework()
    for case in loader.load(asked.suite or ["curated"], "torch"):
        if case.host_only or not fnmatch.fnmatchcase(case.function, asked.function):
            continue
        if (asked.core and not case.core) or (asked.dtype and case.dtype != asked.dtype):
            continue
        yield judge(minidev, adapter, case, asked.timeout)


def judge(minidev, adapter, case, timeout):
    """What is said of one case, and the truth; None where it makes no call or does not end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        signal.alarm(timeout)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        with os.fdopen(writing, "w") as stream:
            json.dump(run(minidev, adapter, case), stream)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as stream:
        text = stream.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return {
            "case": case.name,
            "ended": signal.Signals(os.WTERMSIG(status)).name,
            "wrong": False,
        }
    return json.loads(text) if text else None


def run(minidev, adapter, case):
    from seamark_agent.harness import Runner

    truth, prove = collections.Counter(), adapter.prove

    @contextlib.contextmanager
    def counted():
        with prove() as proof:
            minidev.take_truth()
            try:
                yield proof
            finally:
                truth.update(minidev.take_truth())

    adapter.start()  # not before the fork: autograd has threads
    adapter.prove = counted
    end = Runner(adapter).run(case, "correctness")
    placement = end.get("placement") or {}
    if not placement.get("method") or placement["method"] == "none":
        return None
    place = placement["where"]
    wrong = (place == "device" and bool(truth)) or (place == "host" and not truth)
    return {
        "case": case.name, "function": case.function, "grad": case.grad, "outcome": end["outcome"],
        "place": place, "truth": dict(truth), "said": placement["fallback_ops"],
        "note": placement.get("note"), "wrong": wrong,
    }  # fmt: skip


def table(found):
    """The confusion table as Markdown: rows by the device's own count."""
    ended = [one for one in found if "ended" in one]
    judged = [one for one in found if "ended" not in one]
    lines = [
        "| truth | calls' cases | " + " | ".join(PLACES) + " |",
        "|---|---:|" + "---:|" * len(PLACES),
    ]
    for name, of in (("something on the host", True), ("all on the device", False)):
        rows = [one for one in judged if bool(one["truth"]) == of]
        counts = collections.Counter(one["place"] for one in rows)
        cells = [str(counts[place]) for place in PLACES]
        lines.append("| %s | %d | %s |" % (name, len(rows), " | ".join(cells)))
    if ended:
        lines.append("\nended by a signal: %d" % len(ended))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
