#!/usr/bin/env python3
"""Writes python/seamark_suites/auto/data/generated-FRAMEWORK.json.

    PYTHON scripts/generate/main.py tensorflow [--only 'tf.math.*'] [--again] [--jobs 2]

PYTHON has the framework and tomllib (3.11). Every public function that the file does not have yet is
called with arguments from arguments-FRAMEWORK.toml, the likeliest first, in a child process; the first
that work are kept, with the strongest check that they pass on the CPU. --again forgets what the file
has of the functions that match --only. What found no arguments is listed with its last error.
"""

import argparse
import fnmatch
import importlib
import importlib.util
import json
import os
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
import walk  # noqa: E402
from seamark_agent import adapters  # noqa: E402
from seamark_suites.auto import generated  # noqa: E402

TARGETS = {
    "tensorflow": {"adapter": "tensorflow", "device": "cpu"},
    "jax": {"adapter": "jax", "device": "cpu"},
    "torch": {"adapter": "torch_eager", "device": "cpu"},
}
SECONDS = 25  # for one function
CRASHES = 4


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("framework", choices=sorted(TARGETS))
    parser.add_argument("--only", default="*")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=10**9)
    options = parser.parse_args()
    Author(options).run()


class Author:
    def __init__(self, options):
        self.options, self.framework = options, options.framework
        with open(os.path.join(HERE, "arguments-%s.toml" % self.framework), "rb") as stream:
            self.tables = tomllib.load(stream)
        self.candidates = search.Candidates(self.tables)
        self.recipes = self.tables["recipes"]
        self.path = generated.data_path(self.framework)
        self.data = generated.read(self.framework) or {"functions": {}, "without": {}}
        self.adapter = adapters.load(dict(TARGETS[self.framework], name=self.framework + "/cpu"))
        self.running = {}  # fd -> what a child does

    def run(self):
        version = self.adapter.import_framework()
        for name in self.tables.get("import", {}).get("modules", []):
            importlib.import_module(name)
        self.objects = walk.callables(self.framework)
        self.objects.update((name, None) for name in self.tables.get("functions", {}))
        self.data.update(format=generated.FORMAT, framework=self.framework, version=version)
        self.data["recipes"] = self.recipes
        todo = [name for name in sorted(self.objects) if self.wanted(name)][: self.options.limit]
        begin, done = time.time(), 0
        os.chdir(tempfile.mkdtemp(prefix="seamark-generate-"))
        while todo or self.running:
            while todo and len(self.running) < self.options.jobs:
                self.start(todo.pop(0), 0, 0)
            self.wait()
            done += 1
            if done % 200 == 0:
                self.write()
                print("%d left, %.0f s, %d with arguments" % (
                    len(todo), time.time() - begin, len(self.data["functions"])), flush=True)  # fmt: skip
        self.write()
        print("%d functions with arguments, %d without" % (
            len(self.data["functions"]), len(self.data["without"])))  # fmt: skip

    def wanted(self, name):
        if not fnmatch.fnmatchcase(name, self.options.only):
            return False
        for pattern, reason in self.tables.get("leave_out", {}).items():
            if fnmatch.fnmatchcase(name, pattern) and name not in self.candidates.functions:
                self.data["functions"].pop(name, None)
                self.data["without"][name] = "left out: " + reason
                return False
        if self.options.again:
            self.data["functions"].pop(name, None)
            self.data["without"].pop(name, None)
        known = name in self.data["functions"] or name in self.data["without"]
        return not known

    def plans(self, name):
        """Entries to try, in order."""
        for written in self.candidates.overrides(name):
            yield dict(written)
        thing = self.objects.get(name)
        if thing is None:
            return
        if name.startswith("tf.raw_ops."):
            import raw_ops

            yield from raw_ops.plans(name, self.tables)
            return
        owner = name.rsplit(".", 1)[0]
        is_method = owner in self.objects and isinstance(self.objects[owner], type)
        params = search.parameters(thing, is_method)
        for instance in self.instances(owner, name) if is_method else [None]:
            for args, kwargs in search.combinations(self.candidates, params):
                first = [] if instance is None else [instance]
                for dtype in ("f32",):
                    yield {"args": first + args, "kwargs": kwargs, "dtype": dtype}

    def instances(self, owner, name):
        """What a method is called on: recipes of its class, or how a case of the class makes it."""
        kind = inspect_kind(self.objects[owner], name.rsplit(".", 1)[1])
        if kind in ("static", "class"):
            return [None]
        written = self.tables.get("instances", {}).get(owner)
        if written:
            return written
        known = self.data["functions"].get(owner)
        if known and not known.get("method"):
            return [["make", owner, known.get("args", []), known.get("kwargs", {})]]
        return []

    def start(self, name, first, crashes):
        reader, writer = os.pipe()
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.close(reader)
            os.setpgid(0, 0)
            quiet = os.open(os.devnull, os.O_RDWR)
            for fd in (0, 1, 2):
                os.dup2(quiet, fd)
            self.child(name, first, writer)
            os._exit(0)
        os.close(writer)
        self.running[reader] = {"name": name, "pid": child, "text": b"", "crashes": crashes,
                                "until": time.time() + SECONDS, "first": first}  # fmt: skip

    def child(self, name, first, out):
        def say(value):
            os.write(out, json.dumps(value).encode() + b"\n")

        try:
            import numpy

            self.adapter.start()
            found = search.Search(self.adapter, self.framework, name, self.recipes, numpy)
            entry, error = found.find(self.plans(name), first, lambda number: say(number))
            say({"entry": entry, "error": error})
        except BaseException as error:
            say({"entry": None, "error": "%s: %s" % (type(error).__name__, str(error)[:300])})

    def wait(self):
        """Until one child has ended."""
        while True:
            ready = select.select(list(self.running), [], [], 0.5)[0]
            for fd in ready:
                text = os.read(fd, 65536)
                self.running[fd]["text"] += text
                if not text:
                    return self.ended(fd)
            for fd, state in list(self.running.items()):
                if time.time() > state["until"]:
                    os.killpg(state["pid"], signal.SIGKILL)
                    return self.ended(fd)

    def ended(self, fd):
        state = self.running.pop(fd)
        os.close(fd)
        try:
            os.killpg(state["pid"], signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.waitpid(state["pid"], 0)
        lines = state["text"].decode("utf-8", "replace").splitlines()
        try:
            last = json.loads(lines[-1]) if lines else state["first"]
        except ValueError:
            last = state["first"]
        name = state["name"]
        if isinstance(last, dict):
            self.keep(name, last["entry"], last["error"])
        elif state["crashes"] < CRASHES:  # crashed or hung with combination `last`: try the next
            self.start(name, int(last) + 1, state["crashes"] + 1)
        else:
            self.keep(name, None, "crashes or hangs with what was tried")

    def keep(self, name, entry, error):
        if entry is None:
            self.data["without"][name] = error
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
            rows = ["%s: %s" % (line(name), line(self.data[key][name])) for name in sorted(self.data[key])]
            parts.append('"%s": {\n%s\n}%s' % (key, ",\n".join(rows), "," if key != "without" else ""))
        parts.append("}\n")
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path + ".new", "w", encoding="utf-8") as stream:
            stream.write("\n".join(parts))
        os.replace(self.path + ".new", self.path)


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
