#!/usr/bin/env python3
"""What `seamark usage` has to count, by CPython's own syntax tree: the rules of docs/usage.md, "How names are
resolved", applied to `ast`. It knows nothing of the scanner, which reads the text by itself.

    find src -name '*.py' -print0 | tests/oracle/usage_oracle.py [--catalogue FILE.jsonl]... [--factories FILE]

One JSON line for each file: {"path", "frameworks", "names": [[name, tier, calls, references], ...]}, or
{"path", "unparsed": why} where `ast` does not read it. Inside f-strings CPython before 3.12 gives no usable positions:
there it is taken that no chain is in parentheses of its own.
"""

import argparse
import ast
import collections
import json
import math
import pathlib
import re
import sys
import tomllib
import warnings

ROOTS = {"torch": "torch", "tensorflow": "tf", "jax": "jax"}
FACTORIES = pathlib.Path(__file__).resolve().parents[2] / "data" / "usage" / "factories.toml"
LONGEST_NAME = 200  # bytes of a qualified name; a longer chain is not counted
EVER = math.inf
EXACT_FSTRINGS = sys.version_info >= (3, 12)
BLANK = re.compile(rb"(?:[ \t\f\n]|\\\n|#[^\n]*)*")


# --- what names stand for


class Qualified:
    """A framework, or something below it."""

    def __init__(self, name: str, imported_module: bool = False):
        self.name = name
        self.imported_module = imported_module  # by an `import` statement: alone it does not count


class Instance:
    def __init__(self, of: str):
        self.of = of


UNKNOWN = None


def below(root: Qualified, attributes: list[str]) -> str:
    return ".".join([root.name, *attributes])


class Vocabulary:
    """Names of the catalogues, and what factories give. Without a catalogue a name is what it is written as."""

    def __init__(self, catalogues=(), factories=None):
        self.factories = dict(factories or {})
        self.canonical: dict[str, str] = {}
        self.classes: dict[str, list[str]] = {}  # canonical name -> bases
        self.modules: set[str] = set()
        self.children: dict[str, set[str]] = collections.defaultdict(set)
        self.frameworks: set[str] = set()  # roots that a catalogue is about
        for path in catalogues:
            self._read(path)
        for name in list(self.canonical):
            while "." in name:
                parent, _, last = name.rpartition(".")
                if not last.startswith("_"):
                    self.children[parent].add(last)
                if parent not in self.canonical:
                    self.modules.add(parent)
                name = parent

    def _read(self, path) -> None:
        with open(path, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines if line.strip()]
        for row in rows:
            if row["row"] == "catalog":
                self.frameworks.add(ROOTS[row["framework"]])
            if row["row"] != "function":
                continue
            name = row["name"]
            if row["kind"] == "module":
                self.modules.add(name)
                continue
            for spelling in (name, *row["aliases"], *row["deprecated_aliases"]):
                self.canonical.setdefault(spelling, name)
            self.canonical[name] = name
            if row["kind"] == "class":
                self.classes[name] = row["bases"]

    def has_catalogue(self, name: str) -> bool:
        return name.partition(".")[0] in self.frameworks

    def known(self, name: str) -> str | None:
        """The canonical name, methods found in the classes that they are inherited from."""
        if name in self.canonical:
            return self.canonical[name]
        holder, _, last = name.rpartition(".")
        if not holder or holder in self.modules:
            return None
        owner = self.known(holder)
        return self._method(owner, last) if owner in self.classes else None

    def _method(self, owner: str, last: str) -> str | None:
        for holder in (owner, *self.classes[owner]):
            found = self.canonical.get(f"{self.canonical.get(holder, holder)}.{last}")
            if found is not None:
                return found
        return None

    def counted(self, name: str, tier: str) -> tuple[str, str] | None:
        """(name, tier) under which it counts, or None: a module, or what an instance has besides its class's methods."""
        if not self.has_catalogue(name):
            return name, tier
        known = self.known(name)
        if known is not None:
            return known, tier
        module = name in self.modules or name in ROOTS.values()
        return None if module or tier == "inferred" else (name, "unknown")

    def type_of_call(self, name: str) -> str | None:
        """The class of what a call of this name gives."""
        known = self.known(name) or name
        for spelling in (name, known):
            if spelling in self.factories:
                return self.factories[spelling]
        if self.has_catalogue(name):
            return known if known in self.classes else None
        last = name.rpartition(".")[2]
        return name if "A" <= last[:1] <= "Z" and any("a" <= c <= "z" for c in last) else None

    def star(self, module: str) -> set[str]:
        return (
            self.children.get(module, set())
            if module in self.modules or module in ROOTS.values()
            else set()
        )


# --- scopes


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


class Reader(ast.NodeVisitor):
    """Walks a file in the order of its text: binds names, and notes every chain with its place and scope.

    What a name is bound to is worked out afterwards: a function sees the end of the scopes around it."""

    def __init__(self, text: str, vocabulary: Vocabulary):
        self.source = text.encode("utf-8", "surrogatepass")
        self.lines = [0]
        for found in re.finditer(rb"\n", self.source):
            self.lines.append(found.end())
        self.vocabulary = vocabulary
        self.scope = Scope("module")
        self.scopes = [self.scope]
        self.place = 0
        self.in_fstring = 0
        self.uses: list[tuple] = []  # (place, scope, root, attributes, called)
        self.used_results: list[
            tuple
        ] = []  # (place, scope, root, attributes, attribute of the result, called)
        self.imported: set[str] = set()
        self.counts: dict[tuple[str, str], list[int]] = {}

    # places in the text

    def _offset(self, line: int, column: int) -> int:
        return self.lines[line - 1] + column

    def _start(self, node) -> int:
        return self._offset(node.lineno, node.col_offset)

    def _after(self, node) -> int:
        """Where the next token after the node begins."""
        return self._skip(self._offset(node.end_lineno, node.end_col_offset))

    def _skip(self, offset: int) -> int:
        return BLANK.match(self.source, offset).end()

    def _followed_by(self, node, token: bytes) -> bool:
        if self.in_fstring and not EXACT_FSTRINGS:
            return True
        return self.source.startswith(token, self._after(node))

    def _value_stands_behind(self, offset: int, token: bytes, value) -> bool:
        """After closing parentheses and the token, the value itself begins, and no parenthesis."""
        if self.in_fstring and not EXACT_FSTRINGS:
            return True
        offset = self._skip(offset)
        while self.source.startswith(b")", offset):
            offset = self._skip(offset + 1)
        if not self.source.startswith(token, offset):
            return False
        return self._skip(offset + len(token)) == self._start(value)

    # binding

    def bind(self, name: str, what=UNKNOWN, scope=None) -> None:
        scope = scope or self.scope
        self.place += 1
        if name in scope.globals or name in scope.nonlocals:
            if not (what is UNKNOWN or isinstance(what, Qualified) or what == ("keep",)):
                what = UNKNOWN  # chains are followed within one scope
        if name in scope.globals:
            scope = scope.module()
        scope.bindings[name].append((self.place, what))

    def bind_target(self, target) -> None:
        """The names of a target, to something unknown. What is below attributes and indices is read instead."""
        if isinstance(target, ast.Name):
            self.bind(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts:
                self.bind_target(item)
        elif isinstance(target, ast.Starred):
            self.bind_target(target.value)

    def read_target(self, target) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts:
                self.read_target(item)
        elif isinstance(target, ast.Starred):
            self.read_target(target.value)
        elif not isinstance(target, ast.Name):
            self.visit(target)

    def meaning(self, value, plain: bool):
        """What a name is bound to by `= value`; `plain`: no parenthesis stands around the value."""
        if not plain:
            return UNKNOWN
        chain = self.chain_of(value)
        if chain is not None:
            return ("chain", self.place, self.scope, *chain)
        if isinstance(value, ast.Call):
            called = self.called_chain(value)
            if called is not None:
                return ("call", self.place, self.scope, *called)
        return UNKNOWN

    # chains

    def chain_of(self, node):
        """(name, attributes) of a name with attributes directly behind, else None."""
        attributes = []
        while isinstance(node, ast.Attribute):
            if not self._followed_by(node.value, b"."):
                return None
            attributes.append(node.attr)
            node = node.value
        return (node.id, attributes[::-1]) if isinstance(node, ast.Name) else None

    def called_chain(self, call: ast.Call):
        """The chain that is called, where the parenthesis follows it directly."""
        return self.chain_of(call.func) if self._followed_by(call.func, b"(") else None

    def use(self, node, called: bool) -> None:
        self.place += 1
        chain = self.chain_of(node)
        if chain is not None:
            self.uses.append((self.place, self.scope, *chain, called))
        elif isinstance(node, ast.Attribute):
            self.use_of_result(node, called)
        else:
            self.visit(node)

    def use_of_result(self, node: ast.Attribute, called: bool) -> None:
        """Attributes of something that is no chain: exactly one directly on a call may be a method."""
        attributes = 1
        while isinstance(node.value, ast.Attribute) and self._followed_by(node.value, b"."):
            node, attributes = node.value, attributes + 1
        call = node.value
        if attributes == 1 and isinstance(call, ast.Call) and self._followed_by(call, b"."):
            inner = self.called_chain(call)
            if inner is not None:
                self.used_results.append((self.place, self.scope, *inner, node.attr, called))
        self.visit(call)

    def visit_Name(self, node):
        self.use(node, False)

    def visit_Attribute(self, node):
        self.use(node, False)

    def visit_Call(self, node):
        if isinstance(node.func, (ast.Name, ast.Attribute)):
            self.use(node.func, self._followed_by(node.func, b"("))
        else:
            self.visit(node.func)
        arguments = [*node.args, *node.keywords]
        for argument in sorted(arguments, key=lambda item: (item.lineno, item.col_offset)):
            self.visit(argument)

    # expressions whose parts are not in the order of the text, or that bind

    def visit_IfExp(self, node):
        for part in (node.body, node.test, node.orelse):
            self.visit(part)

    def visit_Dict(self, node):
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                self.visit(key)
            self.visit(value)

    def visit_JoinedStr(self, node):
        self.in_fstring += 1
        self.generic_visit(node)
        self.in_fstring -= 1

    def visit_NamedExpr(self, node):
        plain = self._value_stands_behind(
            self._offset(node.target.end_lineno, node.target.end_col_offset), b":=", node.value
        )
        self.visit(node.value)
        scope = self.scope
        while scope.kind == "comprehension":
            scope = scope.parent
        self.bind(node.target.id, self.meaning(node.value, plain), scope)

    def visit_Lambda(self, node):
        self.read_parameters(node.args)
        self.enter(Scope("lambda", self.scope))
        self.bind_parameters(node.args)
        self.visit(node.body)
        self.leave()

    def comprehension(self, node, *elements):
        first = node.generators[0].iter
        self.enter(Scope("comprehension", self.scope))
        for element in elements:
            self.visit(element)
        for part in node.generators:
            self.read_target(part.target)
            if part.iter is first:
                inner, self.scope = self.scope, self.scope.parent
                self.visit(first)
                self.scope = inner
            else:
                self.visit(part.iter)
            self.bind_target(part.target)
            for condition in part.ifs:
                self.visit(condition)
        self.leave()

    def visit_ListComp(self, node):
        self.comprehension(node, node.elt)

    visit_SetComp = visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node):
        self.comprehension(node, node.key, node.value)

    def enter(self, scope: Scope) -> None:
        self.scope = scope
        self.scopes.append(scope)

    def leave(self) -> None:
        self.scope = self.scope.parent

    # statements

    def visit_Import(self, node):
        for alias in node.names:
            parts = alias.name.split(".")
            root = ROOTS.get(parts[0])
            if root is not None:
                self.imported.add(parts[0])
                whole = ".".join([root, *parts[1:]])
                what = Qualified(whole if alias.asname else root, imported_module=True)
            else:
                what = UNKNOWN
            self.bind(alias.asname or parts[0], what)

    def visit_ImportFrom(self, node):
        parts = (node.module or "").split(".")
        root = ROOTS.get(parts[0]) if node.level == 0 else None
        if root is None:
            for alias in node.names:
                if alias.name != "*":
                    self.bind(alias.asname or alias.name)
            return
        self.imported.add(parts[0])
        module = ".".join([root, *parts[1:]])
        for alias in node.names:
            if alias.name == "*":
                for name in sorted(self.vocabulary.star(module)):
                    self.bind(name, Qualified(f"{module}.{name}"))
            else:
                self.bind(alias.asname or alias.name, Qualified(f"{module}.{alias.name}"))

    def assign(self, targets: list, value, plain: bool) -> None:
        """Binds after everything was read."""
        if isinstance(value, ast.Constant) and value.value in (None, True, False) and plain:
            keeps = isinstance(value.value, (bool, type(None)))
        else:
            keeps = False
        what = ("keep",) if keeps else self.meaning(value, plain)
        if all(isinstance(target, ast.Name) for target in targets):
            for target in targets:
                self.bind(target.id, what)
        else:
            for target in targets:
                self.bind_target(target)

    def visit_Assign(self, node):
        for target in node.targets:
            self.read_target(target)
        self.visit(node.value)
        last = node.targets[-1]
        plain = self._value_stands_behind(
            self._offset(last.end_lineno, last.end_col_offset), b"=", node.value
        )
        self.assign(node.targets, node.value, plain)

    def visit_AnnAssign(self, node):
        self.read_target(node.target)
        self.visit(node.annotation)
        if node.value is None:
            return
        self.visit(node.value)
        end = self._offset(node.annotation.end_lineno, node.annotation.end_col_offset)
        self.assign([node.target], node.value, self._value_stands_behind(end, b"=", node.value))

    def visit_AugAssign(self, node):
        self.read_target(node.target)
        self.visit(node.value)
        self.bind_target(node.target)

    def visit_Delete(self, node):
        for target in node.targets:
            self.read_target(target)
        for target in node.targets:
            self.bind_target(target)

    def visit_For(self, node):
        self.read_target(node.target)
        self.visit(node.iter)
        self.bind_target(node.target)
        self.visit_body(node.body)
        self.visit_body(node.orelse)

    visit_AsyncFor = visit_For

    def visit_With(self, node):
        for item in node.items:
            self.visit(item.context_expr)
            target = item.optional_vars
            if target is None:
                continue
            self.read_target(target)
            plain = self._followed_by(item.context_expr, b"as")
            if isinstance(target, ast.Name) and isinstance(item.context_expr, ast.Call):
                self.bind(target.id, self.meaning(item.context_expr, plain))
            else:
                self.bind_target(target)
        self.visit_body(node.body)

    visit_AsyncWith = visit_With

    def visit_ExceptHandler(self, node):
        if node.type is not None:
            self.visit(node.type)
        if node.name is not None:
            self.bind(node.name)
        self.visit_body(node.body)

    def visit_body(self, body: list) -> None:
        for statement in body:
            self.visit(statement)

    def read_parameters(self, args: ast.arguments) -> None:
        """Annotations and defaults, which belong to the scope around."""
        plain = [*args.posonlyargs, *args.args]
        parts = [
            arg.annotation
            for arg in [*plain, args.vararg, *args.kwonlyargs, args.kwarg]
            if arg is not None
        ]
        parts += [*args.defaults, *args.kw_defaults]
        parts = [part for part in parts if part is not None]
        for part in sorted(parts, key=lambda item: (item.lineno, item.col_offset)):
            self.visit(part)

    def bind_parameters(self, args: ast.arguments) -> None:
        for arg in [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]:
            if arg is not None:
                self.bind(arg.arg)

    def read_type_parameters(self, node) -> None:
        for parameter in getattr(node, "type_params", ()):
            for part in (
                getattr(parameter, "bound", None),
                getattr(parameter, "default_value", None),
            ):
                if part is not None:
                    self.visit(part)

    def bind_type_parameters(self, node) -> None:
        for parameter in getattr(node, "type_params", ()):
            self.bind(parameter.name)

    def visit_FunctionDef(self, node):
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.read_type_parameters(node)
        self.read_parameters(node.args)
        if node.returns is not None:
            self.visit(node.returns)
        self.bind(node.name)
        self.enter(Scope("function", self.scope, *declared_names(node.body)))
        self.bind_type_parameters(node)
        self.bind_parameters(node.args)
        self.visit_body(node.body)
        self.leave()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.read_type_parameters(node)
        for part in sorted(
            [*node.bases, *node.keywords], key=lambda item: (item.lineno, item.col_offset)
        ):
            self.visit(part)
        self.enter(Scope("class", self.scope, *declared_names(node.body)))
        self.bind_type_parameters(node)
        self.visit_body(node.body)
        self.leave()
        self.bind(node.name)

    def visit_TypeAlias(self, node):
        self.read_type_parameters(node)
        self.visit(node.value)
        self.bind_target(node.name)

    # patterns

    def visit_match_case(self, node):
        self.visit(node.pattern)
        for part in ast.walk(node.pattern):
            name = getattr(part, "rest" if isinstance(part, ast.MatchMapping) else "name", None)
            if name is not None and isinstance(part, ast.pattern):
                self.bind(name)
        if node.guard is not None:
            self.visit(node.guard)
        self.visit_body(node.body)

    def visit_MatchClass(self, node):
        self.use(node.cls, False)
        for part in [*node.patterns, *node.kwd_patterns]:
            self.visit(part)

    # what names meant

    def settle_nonlocals(self) -> None:
        for scope in self.scopes:
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
        for scope in self.scopes:
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

    # counting

    def count(self, name: str, tier: str, called: bool) -> None:
        if len(name.encode("utf-8", "surrogatepass")) > LONGEST_NAME:
            return
        counted = self.vocabulary.counted(name, tier)
        if counted is not None:
            self.counts.setdefault(counted, [0, 0])[0 if called else 1] += 1

    def count_all(self) -> None:
        self.settle_nonlocals()
        for place, scope, root, attributes, called in self.uses:
            found = self.lookup(root, scope, place)
            if isinstance(found, Qualified) and (attributes or not found.imported_module):
                self.count(below(found, attributes), "resolved", called)
            elif isinstance(found, Instance) and len(attributes) == 1:
                self.count(f"{found.of}.{attributes[0]}", "inferred", called)
        for place, scope, root, attributes, attribute, called in self.used_results:
            found = self.lookup(root, scope, place)
            if isinstance(found, Qualified):
                of = self.vocabulary.type_of_call(below(found, attributes))
                if of is not None:
                    self.count(f"{of}.{attribute}", "inferred", called)


def count(text: str, vocabulary: Vocabulary) -> dict:
    """{"frameworks": [...], "names": [[name, tier, calls, references], ...]}, or {"unparsed": why}."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not any(module in text for module in ROOTS):
        return {"frameworks": [], "names": []}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
        reader = Reader(text, vocabulary)
        reader.visit(tree)
        reader.count_all()
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return {"unparsed": f"{type(error).__name__}: {error}"}
    names = [[name, tier, *counts] for (name, tier), counts in sorted(reader.counts.items())]
    return {"frameworks": [name for name in ROOTS if name in reader.imported], "names": names}


def read_factories(path=FACTORIES) -> dict[str, str]:
    """{factory: class} of data/usage/factories.toml."""
    data = tomllib.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    return {name: row["type"] for row in data.get("factory", ()) for name in row["names"]}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--catalogue", action="append", default=[], metavar="FILE.jsonl")
    parser.add_argument("--factories", default=FACTORIES, metavar="FILE")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    options = parser.parse_args()
    sys.setrecursionlimit(20_000)
    vocabulary = Vocabulary(options.catalogue, read_factories(options.factories))
    for path in sys.stdin.buffer.read().split(b"\0"):
        if path:
            name = path.decode("utf-8", "surrogateescape")
            text = pathlib.Path(name).read_bytes().decode("utf-8", "replace")
            print(json.dumps({"path": name, **count(text, vocabulary)}))


if __name__ == "__main__":
    main()
