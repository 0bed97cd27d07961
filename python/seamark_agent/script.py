"""Standalone reproducers: the framework, NumPy and the case's own source; nothing of Seamark."""

import ast
import functools
import importlib
import inspect
import re

from . import inputs, made, straight

OUR_CLASSES = ("Inputs", "Draws", "Handle")  # nothing but the case's body calls their methods
CASES = "seamark_suites.case"  # what declares cases: no body calls it
_GRADIENTS = re.compile(r"(with_gradient\(.*\)\(\)|DIFFERENTIABLE) if grad else ")  # of run_call
_DEVICES = re.compile(r"\b(Mesh|sharding|devices|seamark_mesh_axis)\b")

_HANDLE = '''

class Skip(Exception):
    """The case is not for this device, or this version."""


class Handle(Draws):
    """What the case's body uses of Seamark, in short."""

    place, compiled = "target", False
    np = np

    def __init__(self):
        self._inputs = Inputs(np, CASE, SEED)
        self.device, self.fw, self.stage = DEVICE, lookup(ROOT), "setup"

    def dtype(self, name):
        return DTYPE(name)

    def get(self, name):
        return lookup(name)

    def _give(self, array, dtype, grad, noncontiguous):
        grad = (GRAD and kind_of(dtype) in ("float", "complex")) if grad is None else grad
        return from_numpy(array, dtype, grad, noncontiguous)

    def construct(self, name, *args, dtype="f32", **kwargs):
        factory = lookup(name) if isinstance(name, str) else name
        return construct(factory, args, kwargs, dtype, lambda shape: self._inputs.randn(shape, "f32") * 0.3)

    def call(self, function, *args, **kwargs):
        return run_call(lookup(function) if isinstance(function, str) else function, args, kwargs, GRAD)

    def host(self, array):
        return to_numpy(array) if hasattr(array, "dtype") and not isinstance(array, np.ndarray) else np.asarray(array)

    def expect(self, condition, message):
        assert condition, "expected " + message

    def raises(self, kinds, function, *args, **kwargs):
        try:
            function(*args, **kwargs)
        except kinds as error:
            return error
        raise AssertionError("expected %s, nothing was raised" % (kinds,))

    def refuses(self, function, *args, **kwargs):
        return self.raises(Exception, self.call, function, *args, **kwargs)

    def statistics(self, sample, **expected):
        values = self.host(sample)
        print("drawn: mean %g, deviation %g; expected %s" % (values.mean(), values.std(), expected))

    def tmpdir(self):
        import tempfile

        return tempfile.mkdtemp()


'''


class NoScript(Exception):
    """A case that cannot be printed as a script, and why."""


def standalone(case, adapter, seed):
    """The text of a script that makes the case's call with the framework alone and prints its result."""
    params = {key: value for key, value in case.params.items() if key in _named(case.body)}
    if callable(case.script):  # a body that makes one call, and nothing of its own of the result
        short = straight.recorded(case, adapter, seed)
    else:
        short = straight.script(case, adapter, seed, params)
    if short is not None:
        return short
    if callable(case.script):
        return case.script(case, adapter, seed)
    if case.script is not None:
        raise NoScript("%s has no standalone script: %s" % (case.name, case.script))
    setup, source = adapter.script_setup(), _helpers(case) + case.source.rstrip()
    plain = None if case.grad or _DEVICES.search(source) else adapter.plain_call()
    if plain:
        setup = setup[: setup.index("def run_call(")] + plain
    parts = [
        '"""%s on %s: the case as it stands, which a few lines cannot show."""\n\n'
        % (case.name, adapter.name),
        "import numpy as np\n\n",
        "CASE, SEED, GRAD, ROOT = %r, %r, %r, %r\n\n" % (case.name, seed, case.grad, adapter.root),
        setup,
        "\n\n",
        _strip_docstring(inspect.getsource(inputs)),
        _HANDLE,
        source,
        '\n\n\nif __name__ == "__main__":\n',
        "    print(%s(Handle()%s))\n"
        % (
            case.body.__name__,
            "".join(", %s=%s" % (key, _literal(one)) for key, one in params.items()),
        ),
    ]
    text = "".join(parts)
    if not case.grad:  # what makes gradients is then named nowhere, and goes
        text = _GRADIENTS.sub("", text)
    return used_alone(_entries_of(params, used_alone(text)))


def _entries_of(params, text):
    """The script without the entries that the case does not look up, of tables that it asks by its parameters alone."""
    lines, tree, gone = text.splitlines(keepends=True), ast.parse(text), set()
    *statements, body, _ = [one for one in tree.body if getattr(one, "name", "") not in OUR_CLASSES]
    nodes = [node for one in (*statements, body) for node in ast.walk(one)]
    helpers = [one for one in statements if isinstance(one, ast.FunctionDef)]
    known = {name: params[name] for name in params if _means_one_thing(name, nodes, helpers)}
    for statement in statements:
        table = getattr(statement, "value", None)
        if not isinstance(table, ast.Dict):
            continue
        name = _defined(statement)[0]
        asked = [known.get(_asks(node, name)) for node in nodes]
        wanted = [value for value in asked if isinstance(value, str)]
        places = [table.lineno] + [getattr(key, "lineno", 0) for key in table.keys]
        if wanted and len(wanted) == _mentions(name, nodes) - 1 and places == sorted(set(places)):
            for key, start, end in zip(table.keys, places[1:], places[2:] + [table.end_lineno]):
                # Of "torch.add", or of T + "add".
                last = getattr(getattr(key, "right", key), "value", "")
                if isinstance(last, str) and not any(one.endswith(last) for one in wanted):
                    gone.update(range(start, end))
    return "".join(line for number, line in enumerate(lines, 1) if number not in gone)


def _asks(node, table):
    """The name with which TABLE[name], `name in TABLE` or TABLE.get(name) asks."""
    if isinstance(node, ast.Subscript):
        asked, by = node.value, getattr(node.slice, "value", node.slice)  # Python 3.8 wraps it
    elif isinstance(node, ast.Compare):
        asked, by = node.comparators[0], node.left
    elif isinstance(node, ast.Call) and node.args:
        asked, by = getattr(node.func, "value", None), node.args[0]
    else:
        return None
    return getattr(by, "id", None) if getattr(asked, "id", None) == table else None


def _means_one_thing(name, nodes, helpers):
    """Whether a parameter of the case has its value wherever the name stands: no line sets it, no function gets another."""
    takers = [one for one in helpers if name in _parameters(one)]
    for taker in takers:
        at = _parameters(taker).index(name)
        calls = [
            one for one in nodes if getattr(getattr(one, "func", None), "id", None) == taker.name
        ]
        given = [getattr(one, "id", None) for call in calls for one in call.args[at : at + 1]]
        if given != [name] * _mentions(taker.name, nodes):
            return False
    taken = sum(isinstance(node, ast.arg) and node.arg == name for node in nodes)
    is_set = any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        for node in nodes
    )
    return taken == len(takers) + 1 and not is_set


def _parameters(function):
    return [one.arg for one in function.args.args]


def _mentions(name, nodes):
    return sum(isinstance(node, ast.Name) and node.id == name for node in nodes)


def used_alone(text):
    """The script without the functions, classes, methods, imports and constants that it never names. Names are all that is
    looked at: whatever has the name of something that is used stays."""
    lines = text.splitlines(keepends=True)
    tree = ast.parse(text)
    defined, always = [], []  # (node, names); nodes
    for node in tree.body:
        names = _defined(node)
        (defined.append((node, names)) if names else always.append(node))
        if isinstance(node, ast.ClassDef) and node.name in OUR_CLASSES:
            defined.extend((part, _defined(part)) for part in node.body if _may_go(part))
    used, kept, before = set(), [], -1
    while before != len(kept):
        before = len(kept)
        for node in always:
            used |= _named_in(node)
        always = [node for node, names in defined if node not in kept and used.intersection(names)]
        kept.extend(always)
    gone = set()
    for node, _ in defined:
        if node not in kept:
            first = min([node.lineno] + [one.lineno for one in getattr(node, "decorator_list", [])])
            gone.update(range(first - 1, node.end_lineno))
    text = "".join(line for number, line in enumerate(lines) if number not in gone)
    # What is gone leaves its blank lines: one is enough before a line that is indented, two before any other.
    return re.sub(r"\n{3,}(?= )", "\n\n", re.sub(r"\n{4,}", "\n\n\n", text))


def _may_go(part):
    names = _defined(part)
    return bool(names) and not any(name.startswith("__") for name in names)


def _named_in(node):
    """Names, attributes and texts that a node has (getattr takes them); of a class only what every object of it has."""
    if isinstance(node, ast.ClassDef) and node.name in OUR_CLASSES:
        parts = node.bases + node.decorator_list + [part for part in node.body if not _may_go(part)]
        return set().union(*(map(_named_in, parts)), set())
    found = _names_in(node)
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute):
            found.add(one.attr)
        elif isinstance(one, ast.Constant) and isinstance(one.value, str):
            found.add(one.value)
    return found


def _literal(value):
    """nan and inf are no literals."""
    try:
        return made.text(value)
    except made.NotStraight:
        return repr(value)


def _named(body):
    return body.__code__.co_varnames[: body.__code__.co_argcount]


def _strip_docstring(text):
    return text.split('"""', 2)[2].lstrip() if text.startswith('"""') else text


def _helpers(case):
    """Source of what the body names of its module: functions and constants, also of other files of the suite."""
    module = inspect.getmodule(case.body)
    if module is None:
        return ""
    found = {}  # (file, line): source; in the order in which they must stand
    tree = ast.parse(case.source)
    own = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for name in sorted(_names_in(tree) - own - {case.body.__name__}):
        _collect(module, name, found)
    return "".join(text + "\n\n" for text in found.values())


def _collect(module, name, found):
    """Adds the statement of a module that defines a name, behind what that names itself."""
    lines, nodes = _parsed(module)
    for node in nodes:
        if name not in _defined(node) or (module.__name__, node.lineno) in found:
            continue
        if isinstance(node, ast.ImportFrom) and (node.level or node.module.startswith("seamark")):
            origin = importlib.import_module(
                "." * node.level + (node.module or ""), module.__package__
            )
            for alias in node.names:
                if name != (alias.asname or alias.name) or origin.__name__ == CASES:
                    continue
                if inspect.ismodule(getattr(origin, alias.name)):
                    raise NoScript("it uses a whole file of the suite, %s" % alias.name)
                _collect(origin, alias.name, found)
                if name != alias.name:
                    found[module.__name__, node.lineno, name] = "%s = %s\n" % (name, alias.name)
            continue
        found[module.__name__, node.lineno] = ""  # it may name itself
        for other in sorted(_names_in(node)):
            _collect(module, other, found)
        text = found.pop((module.__name__, node.lineno))
        found[module.__name__, node.lineno] = text + "".join(
            lines[node.lineno - 1 : node.end_lineno]
        )


@functools.lru_cache(maxsize=None)
def _parsed(module):
    """The lines of a module's source, and its statements without decorators, which declare cases."""
    text = inspect.getsource(module)
    nodes = ast.parse(text).body
    for node in nodes:
        node.decorator_list = []
    return text.splitlines(keepends=True), nodes


def _names_in(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _defined(node):
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [
            one.id
            for target in node.targets
            for one in ast.walk(target)
            if isinstance(one, ast.Name)
        ]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    return []
