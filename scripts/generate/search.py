"""Finds, for one function, arguments with which it runs, and what a case of it can check.

Runs in a forked child of a process that has imported the framework and run no op: a function may crash,
hang or change the state of the framework.
"""

import fnmatch
import heapq
import inspect

from seamark_agent.compare import Report
from seamark_agent.harness import Handle, Runner
from seamark_agent.trees import compare_trees
from seamark_suites.auto import generated

MOST_COMBINATIONS = 80
MOST_TRIVIAL = 4  # further combinations tried for a result that is not constant


def parameters(thing, is_method):
    """[(name, kind, annotation)] of what must be given; None where there is no signature."""
    try:
        signature = inspect.signature(thing)
    except (ValueError, TypeError):
        return None
    found = []
    for item in signature.parameters.values():
        if item.kind == item.VAR_POSITIONAL:
            found.append((item.name, "*", ""))
        elif item.default is item.empty and item.kind != item.VAR_KEYWORD:
            kind = "k" if item.kind == item.KEYWORD_ONLY else "p"
            found.append((item.name, kind, written(item)))
    if is_method and found and found[0][0] in ("self", "cls", "self_"):
        found = found[1:]
    return found


def written(parameter):
    """A parameter's annotation as text, or nothing."""
    if parameter.annotation is parameter.empty:
        return ""
    return inspect.formatannotation(parameter.annotation).strip("'")


class Candidates:
    """Which recipes are tried for a parameter, from the tables of arguments-FRAMEWORK.toml."""

    def __init__(self, tables):
        self.names = tables.get("names", {})
        self.patterns = list(tables.get("patterns", {}).items())
        self.functions = tables.get("functions", {})
        self.default = tables["default"]["recipes"]
        self.annotations = list(tables.get("annotations", {}).items())
        self.within = list(tables.get("within", {}).items())
        self.before = list(tables.get("before", {}).items())

    def of(self, name, annotation="", function=""):
        """By the function and the name, then by the annotation, then by the name alone."""
        first = []
        for pattern, names in self.within:
            if fnmatch.fnmatchcase(function, pattern) and name.lower() in names:
                first = names[name.lower()]
        if annotation.startswith("aten:") and name.lower() in self.names:
            first = first + self.names[name.lower()]
        for pattern, recipes in self.annotations if annotation else []:
            if fnmatch.fnmatchcase(annotation, pattern):
                return first + recipes + self.by_name(name)[:3]
        return first + self.by_name(name)

    def by_name(self, name):
        name = name.lower()
        if name in self.names:
            return self.names[name]
        for pattern, recipes in self.patterns:
            if fnmatch.fnmatchcase(name, pattern):
                return recipes
        return self.default

    def setup(self, function):
        """The recipe that is made before a call of this function, or None."""
        for pattern, recipe in self.before:
            if fnmatch.fnmatchcase(function, pattern):
                return recipe
        return None

    def overrides(self, function):
        """Whole argument lists written by hand, tried first."""
        found = self.functions.get(function, [])
        return found if isinstance(found, list) else [found]


def combinations(candidates, params, function="", most=MOST_COMBINATIONS):
    """Argument lists in the order of the sum of the candidates' places: (args, kwargs)."""
    if params is None:
        for recipe in ([], [candidates.default[0]], candidates.default[:1] * 2, ["@i1"]):
            yield list(recipe), {}
        for recipe in candidates.default[1:]:
            yield [recipe], {}
        return
    fixed = [item for item in params if item[1] != "*"]
    stars = any(item[1] == "*" for item in params)
    choices = [candidates.of(name, annotation, function) for name, _, annotation in fixed]
    for indices in in_order([len(choice) for choice in choices], most):
        args, kwargs = [], {}
        for (name, kind, _), choice, index in zip(fixed, choices, indices, strict=True):
            if kind == "k":
                kwargs[name] = choice[index]
            else:
                args.append(choice[index])
        yield args, kwargs
    if stars:
        for recipe in candidates.default[:6]:
            for count in (1, 2):
                yield [recipe] * count, {}


def in_order(sizes, most):
    """Index tuples, the least sum first."""
    heap, seen, given = [(0, (0,) * len(sizes))], set(), 0
    while heap and given < most:
        total, indices = heapq.heappop(heap)
        yield indices
        given += 1
        for place, size in enumerate(sizes):
            nxt = indices[:place] + (indices[place] + 1,) + indices[place + 1 :]
            if nxt[place] < size and nxt not in seen:
                seen.add(nxt)
                heapq.heappush(heap, (total + 1, nxt))


class Search:
    """One function, in this process. `tried` is told the number of each combination before it runs."""

    def __init__(self, adapter, framework, function, recipes, np, thens=()):
        self.adapter, self.framework, self.function = adapter, framework, function
        self.recipes, self.np = recipes, np
        self.thens, self.gives_function = thens, False
        self.runner = Runner(adapter, 0)

    def find(self, plans, start, tried):
        """(entry, None) or (None, last error), trying plans[start:]; plans are entries."""
        kept, error, trivial = None, "no arguments to try", 0
        for number, plan in enumerate(plans):
            if number < start:
                continue
            tried(number)
            try:
                entry = self.classify(plan)
            except Exception as raised:
                kept_words = " ".join(str(raised).split())[:200]
                error = "%s: %s" % (type(raised).__name__, kept_words)
                continue
            if self.gives_function:
                entry = self.with_then(entry)
            elif self.framework == "torch" and entry.get("check") == "runs":
                entry = self.shown(entry)
            if not entry.get("trivial"):
                return entry, None
            kept = kept or entry
            trivial += 1
            if trivial > MOST_TRIVIAL:
                break
        return (kept, None) if kept else (None, error)

    def attempt(self, entry):
        case = generated.case_of(self.framework, self.function, entry, self.recipes)
        return self.runner.run(case, "correctness")

    def classify(self, plan):
        """The entry with its strongest check that holds here. Raises what the call raises."""
        case = generated.case_of(
            self.framework, self.function, dict(plan, check="native"), self.recipes
        )
        first, arrays = self.result(case, 1)
        second, _ = self.result(case, 2)
        leaves = [leaf for _, leaf in self.adapter.flatten(first)]
        self.gives_function = "then" not in plan and self.is_function(leaves)
        entry = dict(plan)
        fetched = plan.get("setting") == "graph" and any(hasattr(leaf, "dtype") for leaf in leaves)
        if not arrays and not fetched and not any(self.adapter.is_array(leaf) for leaf in leaves):
            entry["host"] = True
        if not any(self.comparable(leaf) for leaf in leaves):
            return dict(entry, check="runs")
        if self.differ(case, first, second):
            entry["check"] = "shape"
            return entry if self.attempt(entry)["outcome"] == "pass" else dict(entry, check="runs")
        told = self.framework == "torch" and not any(self.adapter.is_array(one) for one in leaves)
        for check in ("native",) if told else ("wide", "native"):  # texts have no wider type
            for trivial in (False, True):
                one = dict(entry, check=check, **({"trivial": True} if trivial else {}))
                end = self.attempt(one)
                if end["outcome"] == "pass" and (check != "wide" or end["evidence"] == "verified"):
                    return one
                if "trivial" not in (end.get("reason") or ""):
                    break
        return dict(entry, check="runs")

    def shown(self, entry):
        """With what the objects that come back hold, where that is the same every time."""
        bare = {key: value for key, value in entry.items() if key not in ("check", "host")}
        try:
            better = self.classify(dict(bare, show=True))
        except Exception:
            return entry
        return entry if better["check"] == "runs" else better

    def with_then(self, entry):
        """What calls the returned function, where one of the usual arguments does for it."""
        for then in self.thens:
            try:
                better = self.classify(dict(entry, then=then))
            except Exception:
                continue
            if better["check"] != "runs":
                better.pop("host", None)
                return better
        return entry

    def result(self, case, seed):
        handle = Handle(case, self.adapter, self.np, "native", 0)
        try:
            with self.adapter.at("native"):
                self.adapter.seed(seed)
                return case.body(t=handle, **case.params), handle.recorded
        finally:
            handle.close()

    def is_function(self, leaves):
        named = ("<function>", "<PjitFunction>", "<partial>", "<method>", "<custom_jvp>", "<custom_vjp>",
                 "<Function>", "<builtin_function_or_method>", "<CompiledFunction>")  # fmt: skip
        return len(leaves) == 1 and isinstance(leaves[0], str) and leaves[0] in named

    def comparable(self, leaf):
        if leaf is None or (isinstance(leaf, str) and leaf.startswith("<")):
            return False
        return leaf != "..." if isinstance(leaf, str) else True

    def differ(self, case, first, second):
        try:
            compare_trees(self.np, self.adapter, case, first, second, None, Report())
        except Exception:
            return True
        return False
