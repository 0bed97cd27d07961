"""Walks the public modules of a framework and tells every function, class and method in them.

What counts as public, and what is left out and why, is data (data/catalog/*.toml), given as JSON.
Rows go out one JSON object a line: `catalog`, then `function`s by name, `excluded` counts, `module`s
that could not be walked, and `end` (docs/catalog.md).
"""

import fnmatch
import importlib
import os
import pkgutil
import platform
import re
import sys

from . import catalog_declared
from . import catalog_objects as objects
from .catalog_exports import AllNames, Exports, names_of

EXAMPLES = 5


class Rules:
    """data/catalog/FRAMEWORK.toml. Unknown keys are for other readers of the file."""

    def __init__(self, data):
        self.framework = data["framework"]
        self.version = data["rule_version"]
        self.roots = [(root["module"], root["name"]) for root in data["root"]]
        self.owners = set(data["owners"])
        self.discover = data.get("discover", False)
        self.by_path = data.get("modules") == "by-path"
        self.prefixes = tuple(data.get("module_prefixes", ()))
        self.function_types = set(data.get("function_types", ()))
        self.ufunc_types = set(data.get("ufunc_types", ()))
        self.deprecated = [re.compile(text) for text in data.get("deprecated_docs", ())]
        self.deprecated_names = [
            (re.compile(fnmatch.translate(name)), item["reason"])
            for item in data.get("deprecated", ())
            for name in item["names"]
        ]
        self.prefer, self.avoid = data.get("prefer", ()), data.get("avoid", ())
        self.extra = data.get("extra", ())
        self.declared = data.get("declared")
        self.excluded = [
            (re.compile(fnmatch.translate(name)), item["reason"])
            for item in data.get("exclude", ())
            for name in item["names"]
        ]

    def why_excluded(self, name):
        return _first(self.excluded, name)

    def why_deprecated(self, name):
        return _first(self.deprecated_names, name)

    def order(self, name):
        """The best of an object's names has the smallest: what the rules prefer, then the shortest."""
        return (
            _position(self.prefer, name, len(self.prefer)),
            1 + _position(self.avoid, name, -1),
            name.count("."),
            len(name),
            name,
        )


def _first(rules, name):
    return next((reason for pattern, reason in rules if pattern.match(name)), None)


def _position(patterns, name, absent):
    for index, pattern in enumerate(patterns):
        if fnmatch.fnmatchcase(name, pattern):
            return index
    return absent


class Entry:
    """One object and all of its public names."""

    def __init__(self, obj):
        self.obj = obj  # kept: the identity of a collected object would be given away again
        self.names = {}  # name: why that name is deprecated, or None
        self.holder = None  # the canonical name of the class, for methods
        self.canonical = None
        self.kind = None
        self.note = None
        self.bases = []  # of classes: the canonical names of the public classes it inherits from

    def choose(self, rules):
        self.canonical = min(
            self.names, key=lambda name: (self.names[name] is not None, rules.order(name))
        )


class Walk:
    """Everything found, and everything left out with its reason."""

    def __init__(self, rules):
        self.rules = rules
        self.entries = {}  # identity: Entry
        self.left_out = {}  # reason: [count, examples]
        self.modules = 0
        self.broken = []  # (module, what its import raised)
        self.bare_all = set()  # last parts of every callable's names, other libraries' too
        self._seen = {}  # id of module: module
        self._public_classes = {}  # id of class: canonical name
        self._bases = set()  # (id of base, name) of what was counted already

    def run(self):
        for module, name in self.rules.roots:
            self._modules(importlib.import_module(module), name)
        for item in self.rules.extra:
            self._extra(item["name"], item["reason"])
        self._classes()
        for entry in self.entries.values():
            entry.choose(self.rules)

    def leave_out(self, reason, name, count=1):
        found = self.left_out.setdefault(reason, [0, []])
        found[0] += count
        if len(found[1]) < EXAMPLES:
            found[1].append(name)

    # --- modules

    def _modules(self, root, root_name):
        queue = [(root_name, root)]
        self._seen[id(root)] = root
        while queue:
            path, module = queue.pop(0)
            self.modules += 1
            found = self._names(path, module)
            if self.rules.discover:
                found.update(self._on_disk(path, module))
            for name in sorted(found):
                if id(found[name]) not in self._seen:
                    self._seen[id(found[name])] = found[name]
                    queue.append((name, found[name]))

    def _names(self, path, module):
        exports = AllNames(module) if self.rules.by_path else Exports(module)
        below = {}
        for name in names_of(module, exports):
            full = "%s.%s" % (path, name)
            if name.startswith("_"):
                self.leave_out("private name", full)
                continue
            value, error, warned = objects.warned_attribute(module, name)
            if error is not None:
                reason = "removed name" if name in exports.renamed else "its getattr raises"
                self.leave_out("%s: %s" % (reason, type(error).__name__), full)
            elif objects.is_module(value):
                if self._follows(full, value):
                    below[full] = value
            else:
                self._consider(full, value, exports, warned)
        return below

    def _follows(self, full, module):
        own_name = objects.attribute(module, "__name__", "")
        own_name = own_name if isinstance(own_name, str) else ""
        if own_name.split(".")[0] not in self.rules.owners:
            self.leave_out("module of %s" % (own_name.split(".")[0] or "unknown origin"), full)
        elif not self.rules.by_path and own_name != full:
            self.leave_out("module imported under another name", full)
        elif self.rules.by_path and not own_name.startswith(self.rules.prefixes):
            self.leave_out("module that is no part of the API", full)
        elif self.rules.why_excluded(full):
            self.leave_out(self.rules.why_excluded(full), full)
        else:
            return True
        return False

    def _on_disk(self, path, module):
        """Submodules that nothing has imported yet."""
        folders, error = objects.attempt(lambda: list(module.__path__))
        found = {}
        if error is not None:
            return found
        for info in sorted(pkgutil.iter_modules(folders), key=lambda info: info.name):
            full = "%s.%s" % (path, info.name)
            if info.name.startswith("_"):
                self.leave_out("private module", full)
                continue
            if self.rules.why_excluded(full):
                self.leave_out(self.rules.why_excluded(full), full)
                continue
            value, error = objects.attempt(importlib.import_module, full)
            if error is not None:
                self.leave_out("module fails to import: %s" % type(error).__name__, full)
                self.broken.append((full, objects.error_text(error)))
            elif objects.is_module(value):
                found[full] = value
        return found

    def _extra(self, name, reason):
        """A private name that is wanted all the same: its longest importable prefix, then attributes."""
        root = {shown: module for module, shown in self.rules.roots}
        parts = name.split(".")
        parts[0] = root.get(parts[0], parts[0])
        value, rest = None, parts
        for cut in range(len(parts), 0, -1):
            value, error = objects.attempt(importlib.import_module, ".".join(parts[:cut]))
            rest = parts[cut:]
            if error is None:
                break
        for part in rest:
            value = objects.attribute(value, part)
        if objects.is_module(value) or objects.is_callable(value):
            entry = self._add(name, value, None)
            entry.note = reason
            if objects.is_module(value):
                entry.kind = "module"
        else:
            self.leave_out("wanted by the rules, but not there", name)

    # --- objects

    def _consider(self, full, value, exports, warned):
        if not objects.is_callable(value):
            self.leave_out("not callable", full)
            return
        bare = full.rpartition(".")[2]
        self.bare_all.add(bare)
        defined_in = objects.module_of(value)
        owner = defined_in.split(".")[0]
        if owner and owner not in self.rules.owners:
            self.leave_out("re-export or import of %s" % owner, full)
        elif not exports.offers(bare, defined_in, bool(objects.docstring(value))):
            self.leave_out("imported there, not offered", full)
        elif self.rules.why_excluded(full):
            self.leave_out(self.rules.why_excluded(full), full)
        else:
            self._add(full, value, warned or self.rules.why_deprecated(full))

    def _add(self, full, value, deprecated):
        key = objects.identity(value)
        entry = self.entries.get(key)
        if entry is None:
            entry = self.entries[key] = Entry(value)
            entry.kind = objects.kind_of(value, self.rules.function_types, self.rules.ufunc_types)
        entry.names[full] = deprecated
        return entry

    # --- classes

    def _classes(self):
        """Methods, each at the class that defines it; what private bases define, at the public ones."""
        queue = [entry for entry in self.entries.values() if entry.kind == "class"]
        for entry in queue:
            entry.choose(self.rules)
            self._public_classes[id(entry.obj)] = entry.canonical
        queue.sort(key=lambda entry: self.rules.order(entry.canonical))
        while queue:
            nested = []
            for entry in queue:
                nested += self._members(entry)
            for entry in nested:
                entry.choose(self.rules)
                self._public_classes[id(entry.obj)] = entry.canonical
            queue = nested

    def _members(self, entry):
        bases, error = objects.attempt(type.mro, entry.obj)
        taken, nested = set(), []
        for base in (entry.obj,) if error is not None else bases:
            public = id(base) in self._public_classes and base is not entry.obj
            if public:
                entry.bases.append(self._public_classes[id(base)])
            owner = (objects.module_of(base) or "?").split(".")[0]
            members = objects.attempt(dict, objects.attempt(vars, base)[0])[0] or {}
            for name, raw in sorted(members.items()):
                if name in taken or base is object:
                    continue
                taken.add(name)
                if public:
                    continue
                full = "%s.%s" % (entry.canonical, name)
                found = self._member(full, base, name, raw, entry, owner)
                if found is not None:
                    nested.append(found)
        return nested

    def _member(self, full, base, name, raw, holder, owner):
        """The Entry of a class within the class, or None."""
        first = (id(base), name) not in self._bases
        self._bases.add((id(base), name))
        if name.startswith("_"):
            special = name.startswith("__") and name.endswith("__")
            if first:
                self.leave_out("special method" if special else "private name", full)
            return None
        value = objects.underlying(raw)
        if not objects.is_function(value) and not objects.is_class(value):
            # Properties and other descriptors: what the class answers with decides.
            value, error = objects.attempt(getattr, holder.obj, name)
            if error is not None or not objects.is_callable(value):
                if first:
                    self.leave_out("property or data of a class", full)
                return None
        if owner not in self.rules.owners:
            self.bare_all.add(name)
            if first:
                self.leave_out("inherited from %s" % owner, full)
            return None
        return self._method(full, value, holder, first)

    def _method(self, full, value, holder, first):
        self.bare_all.add(full.rpartition(".")[2])
        defined_in = objects.module_of(value).split(".")[0]
        if defined_in and defined_in not in self.rules.owners:
            if first:
                self.leave_out("re-export or import of %s" % defined_in, full)
            return None
        if self.rules.why_excluded(full):
            if first:
                self.leave_out(self.rules.why_excluded(full), full)
            return None
        known = objects.identity(value) in self.entries
        entry = self._add(full, value, self.rules.why_deprecated(full))
        if known:
            return None
        if entry.kind == "class":
            return entry
        entry.kind, entry.holder = "method", holder.canonical
        if holder.names[holder.canonical] is not None:
            entry.names[full] = holder.names[holder.canonical]
        return None


def rows(walk):
    """The function rows, by canonical name."""
    rules = walk.rules
    declared = catalog_declared.lookup(rules.declared)
    found = []
    taken = {}
    for entry in sorted(walk.entries.values(), key=lambda entry: entry.canonical):
        doc = objects.docstring(entry.obj)
        signature, source, reason = objects.signature(entry.obj, doc)
        if entry.kind == "module":
            reason = "a module"
        deprecated = entry.names[entry.canonical] or objects.deprecation(
            entry.obj, doc, rules.deprecated
        )
        if entry.holder is not None and deprecated is None:
            deprecated = taken.get(entry.holder)  # of a deprecated class
        if entry.kind == "class":
            taken[entry.canonical] = deprecated
        found.append(
            {
                "row": "function",
                "name": entry.canonical,
                "aliases": sorted(set(entry.names) - {entry.canonical}),
                "deprecated_aliases": sorted(
                    name
                    for name, why in entry.names.items()
                    if why is not None and name != entry.canonical
                ),
                "kind": entry.kind,
                "class": entry.holder,
                "bases": entry.bases,
                "module": objects.module_of(entry.obj) or None,
                "qualname": _qualname(entry.obj),
                "signature": signature,
                "signature_from": source,
                "signature_reason": reason,
                "deprecated": deprecated,
                "documented": bool(doc),
                "declared": declared(entry.canonical, entry.obj),
                "note": entry.note,
            }
        )
    return found


def _qualname(obj):
    for name in ("__qualname__", "__name__"):
        value = objects.attribute(obj, name)
        if type(value) is str and value and not (name == "__qualname__" and "<locals>" in value):
            return value
    return None


def flat(names):
    return {name.rpartition(".")[2] for name in names}


def start(data):
    """Imports the framework; raises whatever that raises."""
    for name, value in data.get("environment", {}).items():
        os.environ.setdefault(name, value)
    for root in data["root"]:
        importlib.import_module(root["module"])


def catalog(data):
    """All rows of a catalogue, in order. The framework is there: start()."""
    rules = Rules(data)
    walk = Walk(rules)
    walk.run()
    functions = rows(walk)
    root = sys.modules[rules.roots[0][0]]
    yield {
        "row": "catalog",
        "schema": 1,
        "framework": rules.framework,
        "version": str(objects.attribute(root, "__version__", "")) or None,
        "rule_version": rules.version,
        "python": platform.python_version(),
    }
    yield from functions
    for reason in sorted(walk.left_out):
        count, examples = walk.left_out[reason]
        yield {"row": "excluded", "reason": reason, "count": count, "examples": examples}
    for name, error in walk.broken:
        yield {"row": "module", "name": name, "error": error}
    names = [row["name"] for row in functions] + [n for row in functions for n in row["aliases"]]
    yield {
        "row": "end",
        "functions": len(functions),
        "modules": walk.modules,
        "flat": len(flat(names)),
        "flat_all": len(flat(names) | walk.bare_all),
    }
