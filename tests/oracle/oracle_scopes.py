"""Scopes, and what a name means at a place of one: part of usage_oracle.py."""

import ast
import collections
import math

from oracle_names import UNKNOWN, Instance, Qualified, Vocabulary, below

LONGEST_NAME = 200  # bytes of a qualified name; a longer chain is not counted
EVER = math.inf


class Scope:
    def __init__(self, kind: str, parent=None, outer_names=(), enclosing_names=()):
        self.kind = kind  # module, class, function, lambda, comprehension
        self.parent = parent
        self.bindings: dict[str, list] = collections.defaultdict(
            list
        )  # name -> [(place, what)], in order
        self.globals = set(outer_names)
        self.nonlocals = set(enclosing_names)

    def module(self):
        return self if self.parent is None else self.parent.module()


def declared_names(body: list) -> tuple[set[str], set[str]]:
    """What `global` and `nonlocal` name in this scope, wherever they stand in it."""
    outer, enclosing, todo = set(), set(), list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Global):
            outer.update(node.names)
        elif isinstance(node, ast.Nonlocal):
            enclosing.update(node.names)
        elif not isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.expr)
        ):
            todo.extend(ast.iter_child_nodes(node))
    return outer, enclosing


class Meanings:
    """What was read of a file, looked up and counted."""

    def __init__(self, vocabulary: Vocabulary):
        self.vocabulary = vocabulary
        self.counts: dict[tuple[str, str], list[int]] = {}

    def settle_nonlocals(self, scopes: list) -> None:
        for scope in scopes:
            for name in scope.nonlocals & set(scope.bindings):
                holder = scope.parent
                while holder is not None and not (
                    holder.kind in ("function", "lambda")
                    and name in holder.bindings
                    and name not in holder.nonlocals
                ):
                    holder = holder.parent
                moved = scope.bindings.pop(name)
                if holder is not None:
                    holder.bindings[name] = sorted(
                        holder.bindings[name] + moved, key=lambda item: item[0]
                    )
        for scope in scopes:
            for bindings in scope.bindings.values():
                bindings.sort(key=lambda item: item[0])

    def lookup(self, name: str, scope: Scope, place: float, busy=frozenset()):
        """What the name stands for at that place: Qualified, Instance or UNKNOWN."""
        here = scope  # instances are seen in this scope, and from comprehensions
        while scope is not None:
            if name in scope.globals and scope.parent is not None:
                return self._without_instances(self._held(scope.module(), name, EVER, busy))
            visible = scope.kind != "class" or scope is here
            if visible and name not in scope.nonlocals and name in scope.bindings:
                local_to_all = scope.kind != "class"
                if local_to_all or any(at < place for at, _ in scope.bindings[name]):
                    found = self._held(scope, name, place, busy)
                    return found if scope is here else self._without_instances(found)
            if scope.kind == "comprehension" and scope is here and scope.parent.kind != "class":
                here = scope.parent
            if scope.kind == "function" or name in scope.nonlocals:
                place = EVER
            scope = scope.parent
        return UNKNOWN

    @staticmethod
    def _without_instances(found):
        return UNKNOWN if isinstance(found, Instance) else found

    def _held(self, scope: Scope, name: str, place: float, busy):
        for at, what in reversed(scope.bindings[name]):
            if at < place and what != ("keep",):
                return self._value(what, at, busy)
        return UNKNOWN

    def _value(self, what, at: int, busy):
        if what is UNKNOWN or isinstance(what, Qualified):
            return what
        if at in busy:  # a name that is bound to itself, by way of `global`
            return UNKNOWN
        kind, place, scope, root, attributes = what
        found = self.lookup(root, scope, place + 1, busy | {at})
        if not isinstance(found, Qualified):
            return UNKNOWN
        name = below(found, attributes)
        if kind == "chain":
            return Qualified(name)
        of = self.vocabulary.type_of_call(name)
        return Instance(of) if of is not None else UNKNOWN

    def count(self, name: str, tier: str, called: bool) -> None:
        if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
            return
        counted = self.vocabulary.counted(name, tier)
        if counted is not None:
            self.counts.setdefault(counted, [0, 0])[0 if called else 1] += 1

    def count_all(self, reader) -> set[ast.AST]:
        """Gives the attributes and names whose object is known."""
        self.settle_nonlocals(reader.scopes)
        known = set()
        for place, scope, root, attributes, called in reader.uses:
            found = self.lookup(root, scope, place)
            if isinstance(found, Qualified) or (
                isinstance(found, Instance) and len(attributes) == 1
            ):
                known.add(reader.nodes[place])
            if isinstance(found, Qualified) and (attributes or not found.imported_module):
                self.count(below(found, attributes), "resolved", called)
            elif isinstance(found, Instance) and len(attributes) == 1:
                self.count(f"{found.of}.{attributes[0]}", "inferred", called)
        for place, scope, root, attributes, attribute, called in reader.used_results:
            found = self.lookup(root, scope, place)
            if isinstance(found, Qualified):
                of = self.vocabulary.type_of_call(below(found, attributes))
                if of is not None:
                    known.add(reader.nodes[place])
                    self.count(f"{of}.{attribute}", "inferred", called)
        return known
