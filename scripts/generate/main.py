#!/usr/bin/env python3
"""Writes python/seamark_suites/auto/data/generated-FRAMEWORK.json.

    PYTHON scripts/generate/main.py tensorflow CATALOG [--only 'tf.math.*'] [--again] [--jobs 2]

PYTHON has the framework and tomllib (3.11). CATALOG is what the agent's `catalog` command prints for it
(docs/suites.md). Every function there that is not deprecated and that the file does not have yet is called with arguments from arguments-FRAMEWORK.toml, the likeliest first, in a child process; the first
that work are kept, with the strongest check that they pass on the CPU. --again forgets what the file
has of the functions that match --only. What found no arguments is listed with its last error.
"""

import argparse
import enum
import fnmatch
import importlib
import importlib.util
import json
import os
import re
import resource
import select
import signal
import sys
import tempfile
import time
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.join(HERE, "..", "..", "python")
sys.path[:0] = [os.path.abspath(PYTHON), HERE]

import search  # noqa: E402
import signatures  # noqa: E402
from seamark_agent import adapters, frameworks  # noqa: E402
from seamark_suites.auto import generated  # noqa: E402

SECONDS = 20  # of CPU time for one function,
WALL = 5  # times that: what it may take where it waits
CRASHES = 3
BATCH = 20  # functions in one child
AGAIN = 30  # plans that are tried as a bound method, or in a graph of TensorFlow 1, too
MEMORY = 16 << 30


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("framework", choices=[one["name"] for one in frameworks.KNOWN])
    parser.add_argument("catalog")
    parser.add_argument(
        "--only", action="append", help="glob of names; more than once: any of them"
    )
    parser.add_argument(
        "--skip-suite", action="append", default=[], help="leave out what it covers"
    )
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of CPU for one function")
    parser.add_argument("--crashes", type=int, default=CRASHES, help="of one function, or hangs")
    parser.add_argument("--most", type=int, default=search.MOST_COMBINATIONS, help="calls tried")
    options = parser.parse_args()
    Author(options).run()


def baseline(framework):
    """Its target of data/targets.toml, as adapters take it."""
    name = next(one["baseline"] for one in frameworks.KNOWN if one["name"] == framework)
    with open(os.path.join(PYTHON, "..", "data", "targets.toml"), "rb") as stream:
        found = next(one for one in tomllib.load(stream)["target"] if one["name"] == name)
    return {key: found[key] for key in ("name", "adapter", "device")}


class Author:
    def __init__(self, options):
        self.options, self.framework = options, options.framework
        with open(os.path.join(HERE, "arguments-%s.toml" % self.framework), "rb") as stream:
            self.tables = tomllib.load(stream)
        self.candidates = search.Candidates(self.tables)
        self.recipes = self.tables["recipes"]
        self.path = generated.data_path(self.framework)
        self.data = generated.read(self.framework) or {"functions": {}, "without": {}}
        self.adapter = adapters.load(baseline(self.framework))
        self.running = {}  # fd -> what a child does

    def run(self):
        version = self.adapter.import_framework()
        for name in self.tables.get("import", {}).get("modules", []):
            importlib.import_module(name)
        with open(self.options.catalog, encoding="utf-8") as stream:
            rows = [json.loads(line) for line in stream]
        self.rows = {
            row["name"]: row for row in rows if row["row"] == "function" and not row["deprecated"]
        }
        self.covered = self.covered_by(self.options.skip_suite)
        renamed = {alias: name for name, row in self.rows.items() for alias in row["aliases"]}
        for name, written in list(
            self.candidates.functions.items()
        ):  # written by another of its names
            self.candidates.functions.setdefault(renamed.get(name, name), written)
        self.data.update(format=generated.FORMAT, framework=self.framework, version=version)
        self.data["recipes"] = self.recipes
        todo = [name for name in sorted(self.rows, key=self.order) if self.wanted(name)]
        begin, written = time.time(), 0
        os.chdir(tempfile.mkdtemp(prefix="seamark-generate-"))
        while todo or self.running:
            while todo and len(self.running) < self.options.jobs:
                self.start(todo[:BATCH], 0, 0)
                del todo[:BATCH]
            self.wait()
            if len(todo) != written:
                written = len(todo)
                self.write()
                print("%d left, %.0f s, %d with arguments" % (
                    len(todo), time.time() - begin, len(self.data["functions"])), flush=True)  # fmt: skip
        self.write()
        print("%d functions with arguments, %d without" % (
            len(self.data["functions"]), len(self.data["without"])))  # fmt: skip

    def wanted(self, name):
        if name in self.covered:
            return False
        for pattern, reason in self.tables.get("leave_out", {}).items():
            if fnmatch.fnmatchcase(name, pattern) and name not in self.candidates.functions:
                self.data["functions"].pop(name, None)
                self.data["without"][name] = "left out: " + reason
                return False
        if not any(fnmatch.fnmatchcase(name, glob) for glob in self.options.only or ["*"]):
            return False
        if self.options.again:
            self.data["functions"].pop(name, None)
            self.data["without"].pop(name, None)
        known = name in self.data["functions"] or name in self.data["without"]
        return not known

    def covered_by(self, suites):
        from seamark_suites import case

        known = {item.function for item in case.load(suites, self.framework)} if suites else set()
        return {
            name
            for name, row in self.rows.items()
            if name in known or known.intersection(row["aliases"])
        }

    def order(self, name):
        """Methods after classes: what they are called on is known then. The least used names last."""
        late = name.startswith(
            ("tf.compat.", "jax.experimental.", "jax.interpreters.", "jax.extend.")
        )
        return late, name.startswith("tf.raw_ops."), self.rows[name]["kind"] == "method", name

    def plans(self, name):
        """Entries to try, in order."""
        before = self.candidates.setup(name)
        owner = self.rows[name]["class"] or name
        for plan in self.bare_plans(name):
            if "$" in json.dumps(plan):
                text = json.dumps(plan).replace("$class", owner).replace("$function", name)
                plan = json.loads(text)
            yield dict(plan, before=plan.get("before", before)) if before else plan

    def bare_plans(self, name):
        for written in self.candidates.overrides(name):
            yield dict(written)
        if name.startswith("tf.raw_ops."):
            import raw_ops

            yield from raw_ops.plans(name, self.tables)
            return
        found = list(self.searched(name))
        yield from found
        if (
            self.rows[name]["kind"] == "method" and self.framework != "torch"
        ):  # abstract, or overridden
            yield from (dict(one, bound=True) for one in found[:AGAIN] if one["args"])
        if name.startswith("tf.compat.v1."):
            yield from (dict(one, setting="graph") for one in found[:AGAIN])

    def searched(self, name):
        row = self.rows[name]
        thing = self.adapter.lookup(name)
        params = search.parameters(thing, row["kind"] == "method")
        overloads = [params]
        if isinstance(thing, type) and issubclass(thing, enum.Enum) and self.framework == "torch":
            for member in list(thing)[:1]:
                yield {"args": [member.value], "dtype": "f32"}
        if params is None and self.framework == "torch":
            overloads = signatures.guessed(name, thing) or [None]
            if row["kind"] == "method":  # the object itself is the first of an operator's
                overloads = [one[1:] if one and one[0][0] == "self" else one for one in overloads]
        instances = self.instances(row["class"], name) if row["kind"] == "method" else [None]
        if row["kind"] == "method" and isinstance(thing, property):
            for instance in instances:
                yield {"args": [instance], "dtype": "f32", "read": True}
            return
        for instance in instances:
            for params in overloads:
                for args, kwargs in search.combinations(
                    self.candidates, params, name, self.options.most
                ):
                    first = [] if instance is None else [instance]
                    yield {"args": first + args, "kwargs": kwargs, "dtype": "f32"}

    def instances(self, owner, name):
        """What a method is called on: recipes of its class, or how a case of the class makes it."""
        kind = inspect_kind(self.adapter.lookup(owner), name.rsplit(".", 1)[1])
        if kind in ("static", "class"):
            return [None]
        written = self.tables.get("instances", {}).get(owner)
        if written:
            return written
        found = []
        for one in [owner] + sorted(self.derived(owner)):
            for pattern, recipes in self.tables.get("made", {}).items():
                if fnmatch.fnmatchcase(one, pattern):
                    found += recipes and json.loads(json.dumps(recipes).replace("$class", one))
            known = self.data["functions"].get(one)
            if known and one not in self.tables.get("instances", {}):
                made = [one, known.get("args", []), known.get("kwargs", {})]
                if self.is_module(one):
                    found.append(["construct"] + made)
                found.append(["make"] + made)
            if len(found) > 5:
                break
        return found

    def derived(self, owner):
        """The public classes that inherit from this one: what they are is an object of it, too."""
        return [
            name
            for name, row in self.rows.items()
            if row["kind"] == "class" and owner in row["bases"]
        ]

    def is_module(self, name):
        if self.framework != "torch":
            return False
        return issubclass(self.adapter.lookup(name), self.adapter.torch.nn.Module)

    def start(self, names, first, crashes):
        """A child for these functions; `first` is the combination to begin the first one with."""
        reader, writer = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.close(reader)
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 26, 1 << 26))
            quiet = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(quiet, fd)
            self.child(names, first, writer)
            os._exit(0)
        os.close(writer)
        self.running[reader] = {"names": list(names), "pid": child, "text": b"", "crashes": crashes,
                                "until": None, "tried": first}  # fmt: skip

    def child(self, names, first, out):
        def say(value):
            os.write(out, json.dumps(value).encode() + b"\n")

        import numpy

        os.kill = os.killpg = refused  # a number that is tried may be that of a process
        self.adapter.start()
        for name in names:
            try:
                found = search.Search(
                    self.adapter,
                    self.framework,
                    name,
                    self.recipes,
                    numpy,
                    self.tables["default"]["then"],
                )
                entry, error = found.find(self.plans(name), first, say)
                say({"entry": entry, "error": error})
            except BaseException as error:
                say({"entry": None, "error": "%s: %s" % (type(error).__name__, str(error)[:200])})
            first = 0

    def wait(self):
        """Until one child has ended."""
        while True:
            ready = select.select(list(self.running), [], [], 0.5)[0]
            for fd in ready:
                text = os.read(fd, 65536)
                self.hear(self.running[fd], text)
                if not text:
                    return self.ended(fd)
            for fd, state in list(self.running.items()):
                if self.too_long(state):
                    os.killpg(state["pid"], signal.SIGKILL)
                    return self.ended(fd)

    def too_long(self, state):
        """Whether a child's function had its time; the machine may be busy, so the CPU's clock counts."""
        used = cpu_time(state["pid"])
        if state["until"] is None:
            seconds = self.options.seconds
            state["until"] = used + seconds, time.time() + WALL * seconds
        return used > state["until"][0] or time.time() > state["until"][1]

    def hear(self, state, text):
        lines = (state["text"] + text).split(b"\n")
        state["text"] = lines.pop()
        for line in lines:
            said = json.loads(line)
            if isinstance(said, dict):
                self.keep(state["names"].pop(0), said["entry"], said["error"])
                state.update(tried=0, crashes=0, until=None)
            else:
                state["tried"] = said

    def ended(self, fd):
        """All said, or a function crashed or hung: its next combination, or the next function."""
        state = self.running.pop(fd)
        os.close(fd)
        try:
            os.killpg(state["pid"], signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(state["pid"], 0)
        names, crashes = state["names"], state["crashes"] + 1
        if names and crashes > self.options.crashes:
            self.keep(names.pop(0), None, "crashes or hangs with what was tried")
            crashes, state["tried"] = 0, -1
        if names:
            self.start(names, state["tried"] + 1, crashes)

    def keep(self, name, entry, error):
        if entry is None:
            self.data["without"][name] = scrubbed(error)
            return
        if entry.get("dtype") == "f32":
            del entry["dtype"]
        if entry.get("check") == "wide":
            del entry["check"]
        if not entry.get("kwargs"):
            entry.pop("kwargs", None)
        self.data["without"].pop(name, None)
        self.data["functions"][name] = entry

    def write(self):
        def line(value):
            return json.dumps(value, sort_keys=True, ensure_ascii=True)

        parts = ["{"]
        for key in ("format", "framework", "version"):
            parts.append('"%s": %s,' % (key, line(self.data[key])))
        for key in ("recipes", "functions", "without"):
            rows = [
                "%s: %s" % (line(name), line(self.data[key][name]))
                for name in sorted(self.data[key])
            ]
            parts.append(
                '"%s": {\n%s\n}%s' % (key, ",\n".join(rows), "," if key != "without" else "")
            )
        parts.append("}\n")
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path + ".new", "w", encoding="utf-8") as stream:
            stream.write("\n".join(parts))
        os.replace(self.path + ".new", self.path)


def refused(*args):
    raise PermissionError("a function under trial may end no process")


def scrubbed(text):
    """An error's text without the paths and addresses of this machine, and short."""
    text = re.sub(r"(/[^\s/'\":]+){2,}", "PATH", " ".join(str(text).split()))
    return re.sub(r"0x[0-9a-f]+", "ADDRESS", text)[:160]


def cpu_time(pid):
    """Seconds of CPU time that a process has used so far."""
    with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as stream:
        fields = stream.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def inspect_kind(cls, part):
    for base in cls.__mro__:
        if part in vars(base):
            raw = vars(base)[part]
            if isinstance(raw, staticmethod):
                return "static"
            return "class" if isinstance(raw, classmethod) else "method"
    return "method"


if __name__ == "__main__":
    main()
