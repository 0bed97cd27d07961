"""Reads a file's syntax tree in the order of its text: part of usage_oracle.py."""

import ast
import re
import sys

from oracle_names import ROOTS, UNKNOWN, Qualified, Vocabulary
from oracle_scopes import Scope, declared_names

EXACT_FSTRINGS = sys.version_info >= (3, 12)
BLANK = re.compile(rb"(?:[ \t\f\n]|\\\n|#[^\n]*)*")


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
        self.nodes: dict[int, ast.AST] = {}  # place -> what is used there

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

    def meaning(self, value, plain: bool, place: int):
        """What a name is bound to by `= value`; `plain`: no parenthesis stands around the value.

        `place`: where the value begins; what a call's arguments bind comes after the name that is called."""
        if not plain:
            return UNKNOWN
        chain = self.chain_of(value)
        if chain is not None:
            return ("chain", place, self.scope, *chain)
        if isinstance(value, ast.Call):
            called = self.called_chain(value)
            if called is not None:
                return ("call", place, self.scope, *called)
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
        self.nodes[self.place] = node
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
        place = self.place
        self.visit(node.value)
        scope = self.scope
        while scope.kind == "comprehension":
            scope = scope.parent
        self.bind(node.target.id, self.meaning(node.value, plain, place), scope)

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

    def assign(self, targets: list, value, plain: bool, place: int) -> None:
        """Binds after everything was read."""
        if isinstance(value, ast.Constant) and value.value in (None, True, False) and plain:
            keeps = isinstance(value.value, (bool, type(None)))
        else:
            keeps = False
        what = ("keep",) if keeps else self.meaning(value, plain, place)
        if all(isinstance(target, ast.Name) for target in targets):
            for target in targets:
                self.bind(target.id, what)
        else:
            for target in targets:
                self.bind_target(target)

    def visit_Assign(self, node):
        for target in node.targets:
            self.read_target(target)
        place = self.place
        self.visit(node.value)
        last = node.targets[-1]
        plain = self._value_stands_behind(
            self._offset(last.end_lineno, last.end_col_offset), b"=", node.value
        )
        self.assign(node.targets, node.value, plain, place)

    def visit_AnnAssign(self, node):
        self.read_target(node.target)
        self.visit(node.annotation)
        if node.value is None:
            return
        place = self.place
        self.visit(node.value)
        end = self._offset(node.annotation.end_lineno, node.annotation.end_col_offset)
        plain = self._value_stands_behind(end, b"=", node.value)
        self.assign([node.target], node.value, plain, place)

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
            place = self.place
            self.visit(item.context_expr)
            target = item.optional_vars
            if target is None:
                continue
            self.read_target(target)
            plain = self._followed_by(item.context_expr, b"as")
            if isinstance(target, ast.Name) and isinstance(item.context_expr, ast.Call):
                self.bind(target.id, self.meaning(item.context_expr, plain, place))
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
