"""One file of Python that is rewritten: what its names mean, which variables hold a device, how changes are put in."""

import re
from dataclasses import dataclass, field

import libcst as cst
import libcst.helpers
import libcst.matchers as m
from libcst.codemod import CodemodContext
from libcst.codemod.visitors import AddImportsVisitor, RemoveImportsVisitor
from libcst.metadata import (
    MetadataWrapper,
    ParentNodeProvider,
    PositionProvider,
    QualifiedNameProvider,
    QualifiedNameSource,
    ScopeProvider,
)

CUDA = re.compile(r"cuda(:\d+)?$")
# What torch.accelerator does not know is named.
NAMED_FAMILIES = {"xla": "xla", "tpu": "xla", "lazy": "lazy"}
IS_AVAILABLE = "torch.cuda.is_available"
CURRENT = "torch.accelerator.current_accelerator"
# current_accelerator() has check_available since 2.7; in 2.6 it raises where there is none.
SINCE_CHECK_AVAILABLE = (2, 7)


class Left(Exception):
    """Why a place is left as it is."""


class Unsafe(Left):
    """It can be done, with what it is asked for."""


@dataclass
class Change:
    node: cst.CSTNode
    # Gets the node as the changes inside it left it.
    build: object
    # Why the result may be another on the old device; empty: it is the same.
    unsafe: str = ""


@dataclass
class Device:
    """An expression for the device, and whether it is what `cuda` was."""

    text: str
    kind: str  # str, device; either
    unsafe: str = ""

    def as_type(self, code, node):
        if self.kind == "str":
            return self.text
        if self.kind == "device":
            return self.text + ".type"
        return "%s(%s).type" % (code.reference("torch.device", node), self.text)


@dataclass
class Variable:
    name: str
    kind: str
    literal: str
    certain: bool
    target: cst.CSTNode
    block: cst.CSTNode
    line: int


@dataclass
class Outcome:
    text: str
    done: list = field(default_factory=list)  # indexes of places
    left: dict = field(default_factory=dict)  # index: why
    unsafe: set = field(default_factory=set)  # those of them that are left because they are unsafe


def comments(node):
    if not isinstance(node, cst.CSTNode):
        return []
    return [one.value for one in m.findall(node, m.Comment())]


def without_parentheses(node, like=None):
    """`a or b` where nothing else is around it."""
    needs_none = isinstance(node, cst.BooleanOperation) and not (like is not None and like.lpar)
    return node.with_changes(lpar=[], rpar=[]) if needs_none else node


def place(position):
    return position.line, position.column


def string_of(node):
    """The value of a plain string literal; None: it is something else."""
    if isinstance(node, cst.SimpleString) and isinstance(node.evaluated_value, str):
        return node.evaluated_value
    return None


def expression(text, like=None):
    """An expression, in the parentheses that `like` has."""
    node = cst.parse_expression(text)
    if like is not None and like.lpar and not node.lpar:
        node = node.with_changes(lpar=like.lpar, rpar=like.rpar)
    return node


def argument(call, keyword, position=None):
    """The argument of that keyword, or at that position; None: there is none."""
    for at, one in enumerate(call.args):
        if one.star:
            raise Left("its arguments are unpacked")
        if one.keyword is not None:
            if one.keyword.value == keyword:
                return one
        elif position is not None and at == position:
            return one
    return None


def with_argument(call, text):
    """The call with one argument more, behind the others."""
    new = cst.parse_expression("f(%s)" % text).args[0]
    if not call.args:
        return call.with_changes(args=[new])
    last = call.args[-1]
    before = call.args[-2].comma if len(call.args) > 1 else None
    if comments(last.comma) or comments(last.whitespace_after_arg) or (before and comments(before)):
        raise Left("a comment stands in its arguments")
    between = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if isinstance(before, cst.Comma):
        between = before
    elif isinstance(last.comma, cst.Comma) and not call.whitespace_before_args.empty:
        between = cst.Comma(whitespace_after=call.whitespace_before_args)
    if isinstance(last.comma, cst.Comma):  # a trailing comma stays trailing
        new = new.with_changes(comma=last.comma)
    new = new.with_changes(whitespace_after_arg=last.whitespace_after_arg)
    last = last.with_changes(comma=between, whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*call.args[:-1], last, new])


def imported(alias):
    """(local name, module)"""
    dotted = cst.helpers.get_full_name_for_node(alias.name)
    if alias.asname is not None:
        return alias.asname.name.value, dotted
    root = dotted.split(".")[0]
    return root, root


class Code:
    """`to`: the target's family (mps, xla, tpu). `floor`: from the name of a package to its lowest version, or None."""

    def __init__(self, text, to="", unsafe=False, floor=lambda name: None, is_package=False):
        module = cst.parse_module(text)
        if module.code != text:
            raise Left("it is not read and written back as it is")
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)  # the parser makes each node anew
        self.module = wrapper.module
        self.text = text
        self.to = to
        self.unsafe = unsafe
        self.floor = floor
        self.is_package = is_package
        providers = [ParentNodeProvider, PositionProvider, ScopeProvider, QualifiedNameProvider]
        found = wrapper.resolve_many(providers)
        self.parents, self.positions, self.scopes, self.names = (found[one] for one in providers)
        self.children = {}
        self.imports = set()  # (local name, module) of every `import`
        self.assignments = []
        self.stars = []  # the lines at which `import *` may bind any name
        self.defines_cuda = False  # a method of that name that is not torch's
        for node, parent in self.parents.items():
            self.children.setdefault(parent, []).append(node)
            if isinstance(node, cst.Import):
                self.imports.update(map(imported, node.names))
            elif isinstance(node, cst.Assign | cst.AnnAssign):
                self.assignments.append(node)
            elif isinstance(node, cst.ImportStar):
                self.stars.append(self.positions[node].start.line)
            elif isinstance(node, cst.FunctionDef) and node.name.value == "cuda":
                self.defines_cuda = True
        self.needed = set()
        self.replaced = set()  # (module, object, alias) of imports whose uses were rewritten
        self.device_variables = None

    # --- what names mean

    def qualified(self, node):
        """The name that imports give a chain; empty: none, or several."""
        found = {one.name for one in self.names_of(node)}
        return found.pop() if len(found) == 1 else ""

    def names_of(self, node):
        found = self.names.get(node, ())
        found = found() if callable(found) else found
        return [one for one in found if one.source is QualifiedNameSource.IMPORT]

    def called(self, node):
        return self.qualified(node.func) if isinstance(node, cst.Call) else ""

    def scope(self, node):
        while node is not None:
            found = self.scopes.get(node)
            if found is not None:
                return found
            node = self.parents.get(node)
        raise Left("its scope is not known")

    def reference(self, name, node):
        """How `name` is written at that node, with an `import` where there is none yet."""
        scope = self.scope(node)
        parts = name.split(".")
        for local, module in sorted(self.imports):
            if module != parts[0]:
                continue
            meanings = {one.name for one in scope.get_qualified_names_for(local)}
            if meanings == {module}:
                return local + name[len(module) :]
        if scope[parts[0]]:
            raise Left("`%s` means something else there" % parts[0])
        self.needed.add(parts[0])
        return name

    def since(self, package, version):
        """Why something of that version is unsafe here; empty: the project asks for it."""
        floor = self.floor(package)
        if floor is None and package == "torch-xla":
            floor = self.floor("torch")  # they have one version
        text = "%s %s" % (package, ".".join(map(str, version)))
        if floor is None:
            return "it needs %s, and the project sets no lower bound" % text
        if floor < version:
            raise Left("it needs %s, and the project admits %s" % (text, ".".join(map(str, floor))))
        return ""

    # --- devices

    def no_accelerator(self):
        return self.to in NAMED_FAMILIES

    def device(self, node, literal="cuda"):
        """The device, for code that named `literal`: a variable in scope, else an expression. Left."""
        if literal != "cuda" and not CUDA.match(literal):
            raise Left("it names a device that is computed")
        if literal not in ("cuda", "cuda:0"):
            raise Left("it names one device of several")
        for one in self.variables():
            if self.reaches(one, node):
                why = "" if one.certain else "`%s` may hold another device" % one.name
                if one.literal != literal:
                    why = "`%s` is %s, not %s" % (one.name, one.literal, literal)
                return Device(one.name, one.kind, why)
        parameter = self.parameter(node)
        if parameter:
            return Device(
                parameter, "either", "the parameter `%s` may hold another device" % parameter
            )
        return self.fresh(node)

    def fresh(self, node):
        """The device without a variable."""
        why = "no variable of that scope is known to hold the device"
        if self.no_accelerator():
            kind = NAMED_FAMILIES[self.to]
            if self.unsafe and kind == "xla":
                self.reference("torch_xla", node)  # that makes the device known
            return Device('%s("%s")' % (self.reference("torch.device", node), kind), "device", why)
        why = self.since("torch", SINCE_CHECK_AVAILABLE) or why
        text = '(%s(check_available=True) or %s("cpu"))' % (
            self.reference(CURRENT, node),
            self.reference("torch.device", node),
        )
        return Device(text, "device", why)

    def fresh_type(self, node):
        """As a string."""
        if self.no_accelerator():
            if self.unsafe and NAMED_FAMILIES[self.to] == "xla":
                self.reference("torch_xla", node)
            return '"%s"' % NAMED_FAMILIES[self.to]
        return self.fresh(node).text + ".type"

    def parameter(self, node):
        """`device`, a parameter of the function around the node."""
        while node is not None:
            if isinstance(node, cst.FunctionDef | cst.Lambda):
                listed = node.params
                for one in [*listed.posonly_params, *listed.params, *listed.kwonly_params]:
                    none = one.default is not None and m.matches(one.default, m.Name("None"))
                    if one.name.value == "device" and not none:
                        return "device"
            node = self.parents.get(node)
        return ""

    def variables(self):
        """Those that hold the device, the last first."""
        if self.device_variables is None:
            self.device_variables = []
            for node in self.assignments:
                one = self.variable(node)
                if one is not None:
                    self.device_variables.append(one)
            self.device_variables.sort(key=lambda one: -one.line)
        return self.device_variables

    def variable(self, node):
        if isinstance(node, cst.Assign):
            target = node.targets[0].target if len(node.targets) == 1 else None
        else:
            target = node.target
        if not isinstance(target, cst.Name) or node.value is None:
            return None
        held = self.held(node.value)
        statement = self.parents[node]
        if held is None or not isinstance(statement, cst.SimpleStatementLine):
            return None
        line = self.positions[node].start.line
        return Variable(target.value, *held, target, self.parents[statement], line)

    def held(self, node):
        """(str or device, cuda or cuda:N, whether that is certain) of an expression; None: another."""
        text = string_of(node)
        if text is not None:
            return ("str", text, True) if CUDA.match(text) else None
        if (
            isinstance(node, cst.Call)
            and self.called(node) == "torch.device"
            and len(node.args) == 1
        ):
            inner = self.held(node.args[0].value)
            if inner is not None:
                return ("device", *inner[1:])
            named = string_of(node.args[0].value)
            return ("device", "cuda", False) if named in NAMED_FAMILIES.values() else None
        if isinstance(node, cst.IfExp):
            body, other = self.held(node.body), node.orelse
            if body is None or not self.is_cpu(other, body[0]) or not self.asks_cuda(node.test):
                return None
            return (*body[:2], self.called(node.test) == IS_AVAILABLE)
        if isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):
            if self.called(node.left) == CURRENT and self.is_cpu(node.right, "device"):
                return ("device", "cuda", True)
        if isinstance(node, cst.Attribute) and node.attr.value == "type":
            inner = self.held(node.value)
            if inner is not None and inner[0] == "device":
                return ("str", *inner[1:])
        return None

    def is_cpu(self, node, kind):
        if kind == "device":
            return (
                isinstance(node, cst.Call)
                and self.called(node) == "torch.device"
                and len(node.args) == 1
                and string_of(node.args[0].value) == "cpu"
            )
        return string_of(node) == "cpu"

    def asks_cuda(self, test):
        return any(self.called(one) == IS_AVAILABLE for one in self.conjuncts(test))

    def conjuncts(self, test):
        if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
            return [*self.conjuncts(test.left), *self.conjuncts(test.right)]
        return [test]

    def reaches(self, variable, node):
        """Whether the name holds what was assigned there when the node runs: the assignment is the only one, and stands
        before it in a block around it."""
        if variable.line >= self.positions[node].start.line:
            return False
        if any(line > variable.line for line in self.stars):
            return False
        found = self.scope(node)[variable.name]
        if len(found) != 1 or getattr(next(iter(found)), "node", None) is not variable.target:
            return False
        while node is not None:
            node = self.parents.get(node)
            if node is variable.block:
                return True
        return False

    # --- places and changes

    def start(self, node):
        """Of a definition with its decorators, which its own position leaves out."""
        if isinstance(node, cst.IndentedBlock) and node.body:
            return self.start(node.body[0])
        decorators = getattr(node, "decorators", ())
        return place(self.positions[decorators[0] if decorators else node].start)

    def nodes_at(self, line, column):
        """The nodes around a place (from 1), the innermost first, within one statement or the head of one."""
        at = (line, column - 1)
        chain = []
        node = self.module
        while node is not None:
            chain.append(node)
            inside = None
            for child in self.children.get(node, ()):
                found = self.positions.get(child)
                if found is not None and self.start(child) <= at < place(found.end):
                    inside = child
            node = inside
        for one in reversed(chain):
            if isinstance(one, cst.SimpleStatementLine | cst.BaseCompoundStatement | cst.Module):
                return
            yield one

    def apply(self, places, fixers):
        """`places`: (rule, line, column). The file with what can be done."""
        outcome = Outcome(self.text)
        changes = {}  # node: (rule, change, numbers of places)
        for number, (rule, line, column) in enumerate(places):
            try:
                change = self.change(fixers.get(rule), line, column)
            except Left as left:
                outcome.left[number] = str(left)
                if isinstance(left, Unsafe):
                    outcome.unsafe.add(number)
                continue
            if changes.get(change.node, (rule,))[0] != rule:
                outcome.left[number] = "another fix changes it: run again"
            else:
                changes.setdefault(change.node, (rule, change, []))[2].append(number)
        if not changes:
            return outcome
        rewriter = Rewriter(changes, self.parents)
        new = self.module.visit(rewriter)
        for numbers, why in rewriter.left:
            outcome.left.update(dict.fromkeys(numbers, why))
        outcome.done = sorted(number for numbers in rewriter.done for number in numbers)
        if outcome.done:
            outcome.text = self.with_imports(new).code
        return outcome

    def change(self, fixer, line, column):
        if fixer is None:
            raise Left("no fix is known")
        needed, replaced = set(self.needed), set(self.replaced)
        try:
            for node in self.nodes_at(line, column):
                change = fixer(self, node)
                if change is None:
                    continue
                if change.unsafe and not self.unsafe:
                    raise Unsafe(change.unsafe)
                return change
            raise Left("its form is not one that a fix knows")
        except Left:
            self.needed, self.replaced = needed, replaced
            raise

    def with_imports(self, module):
        context = CodemodContext()
        for name in sorted(self.needed):
            AddImportsVisitor.add_needed_import(context, name)
        if self.needed:
            module = AddImportsVisitor(context).transform_module(module)
        if self.is_package:
            return module  # its names are there for others
        for name, what, alias in sorted(self.replaced, key=str):
            context = CodemodContext()
            RemoveImportsVisitor.remove_unused_import(context, name, what, alias)
            without = RemoveImportsVisitor(context).transform_module(module)
            if comments(without) == comments(module):
                module = without
        return module

    def uses_import(self, node):
        """The import that a name came by may have no use left."""
        if not isinstance(node, cst.Name):
            return
        for assignment in self.scope(node)[node.value]:
            statement = getattr(assignment, "node", None)
            if isinstance(statement, cst.ImportFrom) and statement.module is not None:
                if statement.relative or isinstance(statement.names, cst.ImportStar):
                    continue
                module = cst.helpers.get_full_name_for_node(statement.module)
                for alias in statement.names:
                    local = alias.asname.name.value if alias.asname else alias.name.value
                    if local == node.value:
                        name = alias.asname.name.value if alias.asname else None
                        self.replaced.add((module, alias.name.value, name))


class Rewriter(cst.CSTTransformer):
    def __init__(self, changes, parents):
        super().__init__()
        self.parents = parents
        self.changes = changes
        self.done = []
        self.left = []

    def on_leave(self, original, updated):
        updated = super().on_leave(original, updated)
        if original not in self.changes:
            return updated
        _, change, numbers = self.changes[original]
        try:
            new = change.build(updated)
        except (Left, cst.CSTValidationError, cst.ParserSyntaxError) as error:
            why = str(error) if isinstance(error, Left) else "the new form does not fit there"
            self.left.append((numbers, why))
            return updated
        if comments(new) != comments(updated):
            self.left.append((numbers, "a comment stands in it"))
            return updated
        self.done.append(numbers)
        if isinstance(self.parents[original], cst.Arg | cst.Assign | cst.Return):
            return without_parentheses(new, original)
        return new
