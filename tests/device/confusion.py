"""What Seamark says of where calls ran, against witnesses that no adapter reads.

    python tests/device/confusion.py [--target torch/minidev] [--suite curated] [--suite opinfo --samples 2]
                                     [--function GLOB] [--dtype f32] [--json FILE]

Runs with the interpreter that has PyTorch: each case in a process of its own, its calls proven as the harness proves
them. Prints the confusion table, and what is wrong in it.

torch/minidev   the device beside this file: what ran on the host is what its own fallback counted
torch/lazy      PyTorch's execution trace (lazy_trace.py): every operator with the devices of its tensors
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
TARGETS = {
    "torch/minidev": {"adapter": "torch_eager", "device": "minidev", "options": {"import": "minidev"}},
    "torch/lazy": {"adapter": "torch_lazy", "device": "lazy"},
}  # fmt: skip


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--target", choices=TARGETS, default="torch/minidev")
    arguments.add_argument("--suite", action="append", help="as of `seamark run` (curated)")
    arguments.add_argument("--samples", type=int, help="of each operator, of the suite opinfo")
    arguments.add_argument("--function", default="*", help="functions that this glob matches")
    arguments.add_argument("--core", action="store_true", help="core cases alone")
    arguments.add_argument("--dtype", help="cases of this dtype alone, as f32")
    arguments.add_argument("--timeout", type=int, default=20, help="seconds that a case may take")
    arguments.add_argument(
        "--json", help="writes what is found of each case to this file, a line each"
    )
    asked = arguments.parse_args()
    found = []
    with open(asked.json or os.devnull, "w", buffering=1) as stream:
        for one in judge_all(asked):
            if one:
                found.append(one)
                stream.write(json.dumps(one) + "\n")
    print(table(found))
    for one in found:
        if one["wrong"]:
            print("%(case)s: %(place)s, by the witness %(truth)s" % one)
    return 1 if any(one["wrong"] for one in found) else 0


def judge_all(asked):
    from seamark_agent import adapters
    from seamark_suites import loader

    adapter = adapters.load(dict(TARGETS[asked.target], name=asked.target, framework="torch"))
    adapter.import_framework()
    if asked.target == "torch/lazy":
        import lazy_trace as witness
    else:
        import minidev as witness
    options = "?samples=%d" % asked.samples if asked.samples else ""
    suites = [one + options if one == "opinfo" else one for one in asked.suite or ["curated"]]
    for case in loader.load(suites, "torch"):
        if case.host_only or not fnmatch.fnmatchcase(case.function, asked.function):
            continue
        if (asked.core and not case.core) or (asked.dtype and case.dtype != asked.dtype):
            continue
        yield judge(witness, adapter, case, asked.timeout)


def judge(witness, adapter, case, timeout):
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
            json.dump(run(witness, adapter, case), stream)
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


def run(witness, adapter, case):
    from seamark_agent.harness import Runner

    truth, prove = collections.Counter(), adapter.prove

    @contextlib.contextmanager
    def counted():
        with prove() as proof, witness.counted(truth):
            yield proof

    adapter.start()  # not before the fork: autograd has threads
    adapter.prove = counted
    end = Runner(adapter).run(case, "correctness")
    placement = end.get("placement") or {}
    if not placement.get("method") or placement["method"] == "none":
        return None
    place = placement["where"]
    loops = bool(truth) and set(truth) <= set(witness.LOOPS)
    wrong = place in (("host",) if not truth else () if loops else ("device",))
    return {
        "case": case.name, "function": case.function, "grad": case.grad, "outcome": end["outcome"],
        "place": place, "truth": dict(truth), "loops": loops, "said": placement["fallback_ops"],
        "note": placement.get("note"), "wrong": wrong,
    }  # fmt: skip


def table(found):
    """The confusion table as Markdown: rows by what the witness counted."""
    ended = [one for one in found if "ended" in one]
    judged = [one for one in found if "ended" not in one]
    lines = [
        "| truth | calls' cases | " + " | ".join(PLACES) + " |",
        "|---|---:|" + "---:|" * len(PLACES),
    ]
    for name, of in (("something on the host", (True, False)), ("a kernel that loops there", (True, True)),
                     ("all on the device", (False, False))):  # fmt: skip
        rows = [one for one in judged if (bool(one["truth"]), one["loops"]) == of]
        counts = collections.Counter(one["place"] for one in rows)
        cells = [str(counts[place]) for place in PLACES]
        lines.append("| %s | %d | %s |" % (name, len(rows), " | ".join(cells)))
    if ended:
        lines.append("\nended by a signal: %d" % len(ended))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
