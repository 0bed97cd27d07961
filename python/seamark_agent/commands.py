"""The agent's commands: worker, probe, list, run, mutate, script, catalog, declared."""

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys

from . import __version__, adapters, wire
from .attempt import use_work_folder


def main(argv):
    parser = argparse.ArgumentParser(
        prog="seamark-agent", description="Seamark's agent %s" % __version__
    )
    commands = parser.add_subparsers(dest="command", required=True)
    patterns = {"action": "append", "help": "a pattern of cases' names; may be given again"}
    worker = commands.add_parser("worker", help="serve cases over two file descriptors")
    worker.add_argument("--in-fd", type=int, required=True)
    worker.add_argument("--out-fd", type=int, required=True)
    worker.add_argument("--key-fd", type=int, required=True)
    probe = commands.add_parser("probe", help="say whether a target is usable here, as JSON")
    probe.add_argument("--target", type=_entry, required=True, help="the target's entry, as JSON")
    for name, text in (
        ("list", "list cases, one JSON object a line"),
        ("run", "run cases here, one `end` a line"),
    ):
        sub = commands.add_parser(name, help=text)
        sub.add_argument("--suite", action="append")
        sub.add_argument("--framework")
        if name == "run":
            sub.add_argument("--target", type=_entry, required=True)
            sub.add_argument("--case", **patterns)
            sub.add_argument("--quick", action="store_true", help="the quick cases alone")
            sub.add_argument("--phase", default="correctness")
            sub.add_argument("--seed", type=int, default=0)
    mutate = commands.add_parser(
        "mutate", help="run some cases with wrong functions: do they notice? One JSON object a line"
    )
    mutate.add_argument("--suite", action="append")
    mutate.add_argument("--target", type=_entry, required=True)
    mutate.add_argument("--case", **patterns)
    mutate.add_argument("--share", type=float, default=0.1, help="of the cases (default: 0.1)")
    mutate.add_argument("--seed", type=int, default=0)
    mutate.add_argument("--one", action="store_true", help="one mutant of each case, drawn")
    mutate.add_argument(
        "--patience",
        type=float,
        default=120.0,
        help="seconds until a wrong function that does not end is noticed (default: 120)",
    )
    mutate.add_argument("--from", dest="begin", type=int, help=argparse.SUPPRESS)
    script = commands.add_parser("script", help="print a standalone reproducer of a case")
    script.add_argument("--suite", action="append")
    script.add_argument("--case", required=True)
    script.add_argument("--target", type=_entry, required=True)
    script.add_argument("--seed", type=int, default=0)
    catalog = commands.add_parser("catalog", help="list a framework's functions, as JSON lines")
    catalog.add_argument("--rules", required=True, help="data/catalog/FRAMEWORK.toml, as JSON")
    declared = commands.add_parser(
        "declared", help="list the operators that core cases call, as JSON lines"
    )
    declared.add_argument("--suite", action="append")
    declared.add_argument(
        "--target", type=_entry, required=True, help="a plain CPU target, as JSON"
    )
    declared.add_argument("--case", **patterns)
    declared.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    if os.environ.get("SEAMARK_WORK_DIR"):
        use_work_folder(os.environ["SEAMARK_WORK_DIR"])
    status = _COMMANDS[options.command](options)
    if options.command in ("run", "mutate"):
        return status  # nobody waits for these, and what they imported removes its temporary files
    from .worker import flush_output

    flush_output()
    os._exit(status)  # what was imported may hang or abort on its way out


def _entry(text):
    """An entry of data/targets.toml as JSON; argparse tells what is none."""
    try:
        entry = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(
            "expected the target's entry as JSON: %s" % error
        ) from None
    if not isinstance(entry, dict) or "adapter" not in entry:
        raise argparse.ArgumentTypeError(
            'expected a JSON object such as {"name": "torch/cpu", "framework": "torch", '
            '"adapter": "torch_eager", "device": "cpu"}'
        )
    return entry


def _worker(options):
    from . import worker

    return worker.serve(options.in_fd, options.out_fd, options.key_fd)


def _stdout_to_stderr():
    """A descriptor of the real standard output: frameworks print to fd 1, where our answer belongs."""
    sys.stdout.flush()
    answer = os.dup(1)
    os.dup2(2, 1)
    return answer


def _started(target):
    """The target's adapter, with its framework imported and its device started."""
    from .worker import import_or_unusable

    adapter = adapters.load(target)
    import_or_unusable(adapter)
    adapter.start()
    return adapter


def _probe(options):
    """One JSON object: usable, reason, remedy, framework_version, device, python, facts."""
    facts = {
        "usable": False,
        "reason": None,
        "remedy": None,
        "framework_version": None,
        "device": None,
        "python": platform.python_version(),
        "executable": sys.executable,
    }
    answer = _stdout_to_stderr()
    try:
        from .worker import import_or_unusable

        adapter = adapters.load(options.target)
        facts["framework_version"] = import_or_unusable(adapter)
        started = adapter.start()
        missing = adapter.prewarm()
        device = started.get("device")
        facts.update(
            usable=True, device="%s; %s" % (device, missing) if missing else device, facts=started
        )
    except adapters.Unusable as error:
        facts.update(reason=error.reason, remedy=error.remedy)
    except Exception as error:
        facts.update(reason="%s: %s" % (type(error).__name__, error), remedy="see the text above")
    os.write(answer, wire.encode(facts))
    return 0


def _load(options, framework=None):
    """An automatic suite imports its framework, and a framework may print: that goes to stderr."""
    from seamark_suites import loader

    answer = _stdout_to_stderr()
    try:
        return loader.load(options.suite or ["curated"], framework)
    except loader.SuiteError as error:
        sys.stderr.write("%s\n" % error)
        raise SystemExit(2) from None
    finally:
        sys.stdout.flush()
        os.dup2(answer, 1)
        os.close(answer)


def _named(patterns, cases):
    """The cases whose names fit one, all where there is none; of what is special to fnmatch, * and ? alone."""
    import fnmatch

    escaped = [pattern.replace("[", "[[]") for pattern in patterns or ["*"]]
    return [item for item in cases if any(fnmatch.fnmatchcase(item.name, one) for one in escaped)]


def _list(options):
    cases = _load(options, options.framework)
    lines = [wire.encode(item.listing()) for item in cases if item.exists is None or item.exists()]
    sys.stdout.buffer.write(b"".join(lines))
    return 0


def _run(options):
    """For whoever writes cases: run them in this process, without a supervisor or a store."""
    from .harness import Runner

    target = options.target
    runner = Runner(_started(target), options.seed)
    failed = run = 0
    for item in _named(options.case, _load(options, target.get("framework"))):
        if item.quick or not options.quick:
            run += 1
            end = runner.run(item, options.phase)
            failed += end["outcome"] != "pass"
            sys.stdout.buffer.write(wire.encode(dict(end, case=item.name)))
            sys.stdout.flush()
    if not run:
        sys.stderr.write("no case matches %s\n" % " or ".join(options.case or ["*"]))
        return 2
    return 1 if failed else 0


def _mutate(options):
    """The last line sums up. Exit status 1 where less than 95% of the mutants are noticed."""
    from . import mutate

    if options.begin is not None:
        return _mutants(options)

    def start(place):
        # sys.argv: as the agent was started. What frameworks print goes to stderr there.
        command = [sys.executable] + sys.argv + ["--from", str(place)]
        return subprocess.Popen(command, stdout=subprocess.PIPE)

    counts = {kind: [0, 0, 0] for kind in mutate.KINDS}  # mutants, noticed, equivalent
    for found in mutate.supervised(start, options.one, options.patience):
        if found["kind"] is not None:
            is_mutant = found["noticed"] is not None
            for index, more in enumerate((is_mutant, bool(found["noticed"]), not is_mutant)):
                counts[found["kind"]][index] += more
        sys.stdout.buffer.write(wire.encode(found))
        sys.stdout.flush()
    mutants, noticed, equivalent = (sum(column) for column in zip(*counts.values()))
    held = mutants > 0 and noticed >= 0.95 * mutants
    total = {"mutants": mutants, "noticed": noticed, "equivalent": equivalent, "kinds": counts,
             "seed": options.seed, "held": held}  # fmt: skip
    sys.stdout.buffer.write(wire.encode(total))
    return 0 if held else 1


def _mutants(options):
    """From a place on, for mutate.supervised()."""
    from . import mutate
    from .processes import end_with

    end_with(os.getppid())
    with os.fdopen(_stdout_to_stderr(), "wb", buffering=0) as answer:

        def announce(place, case, kind):
            answer.write(wire.encode({"at": place, "case": case, "kind": kind}))

        adapter = _started(options.target)
        cases = _named(options.case, _load(options, options.target.get("framework")))
        draw = (options.seed, options.share, options.one, options.begin, announce)
        for found in mutate.check(adapter, cases, *draw):
            answer.write(wire.encode(found))
        answer.write(wire.encode(True))
    return 0


def _script(options):
    from .script import NoScript, standalone

    target = options.target
    for item in _load(options, target.get("framework")):
        if item.name == options.case:
            answer = _stdout_to_stderr()
            adapter = adapters.load(target)
            with contextlib.suppress(adapters.Unusable):
                adapter.import_framework()
                adapter.leave_device()
            try:
                text = standalone(item, adapter, options.seed)
            except NoScript as reason:
                sys.stderr.write("%s\n" % reason)
                return 2
            with os.fdopen(answer, "w", encoding="utf-8") as stream:
                stream.write(text)
            return 0
    sys.stderr.write("no case is named %s\n" % options.case)
    return 2


def _catalog(options):
    """Whatever the framework prints while it is walked goes to stderr."""
    from . import catalog

    rules = json.loads(options.rules)
    answer = _stdout_to_stderr()
    try:
        catalog.start(rules)
    except Exception as error:
        sys.stderr.write("%s: %s\n" % (type(error).__name__, error))
        return 3
    with os.fdopen(answer, "wb") as out:
        for row in catalog.catalog(rules):
            out.write(wire.encode(row))
    return 0


def _declared(options):
    """Whatever the framework prints goes to stderr."""
    from . import declared
    from .worker import import_or_unusable

    target = options.target
    adapter = adapters.load(target)
    cases = _named(options.case, _load(options, target.get("framework")))
    answer = _stdout_to_stderr()
    try:
        version = import_or_unusable(adapter)
        with os.fdopen(answer, "wb") as out:
            for row in declared.rows(adapter, version, cases, options.seed):
                out.write(wire.encode(row))
    except adapters.Unusable as error:
        sys.stderr.write("%s; %s\n" % (error.reason, error.remedy))
        return 3
    return 0


_COMMANDS = {
    "worker": _worker,
    "probe": _probe,
    "list": _list,
    "run": _run,
    "mutate": _mutate,
    "script": _script,
    "catalog": _catalog,
    "declared": _declared,
}
