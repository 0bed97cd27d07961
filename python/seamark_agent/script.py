"""Standalone reproducers: the framework, NumPy and the case's own source; nothing of Seamark."""

import inspect

from . import inputs

_HANDLE = '''

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
    if callable(case.script):
        return case.script(case, adapter, seed)
    if case.script is not None:
        raise NoScript("%s has no standalone script: %s" % (case.name, case.script))
    params = {key: value for key, value in case.params.items() if key in _named(case.body)}
    parts = [
        '"""%s on %s"""\n\n' % (case.name, adapter.name),
        "import numpy as np\n\n",
        "CASE, SEED, GRAD, ROOT = %r, %r, %r, %r\n\n" % (case.name, seed, case.grad, adapter.root),
        adapter.script_setup(),
        "\n\n",
        _strip_docstring(inspect.getsource(inputs)),
        _HANDLE,
        _helpers(case),
        case.source.rstrip(),
        '\n\n\nif __name__ == "__main__":\n',
        "    print(%s(Handle()%s))\n"
        % (case.body.__name__, "".join(", %s=%r" % kv for kv in params.items())),
    ]
    return "".join(parts)


def _named(body):
    return body.__code__.co_varnames[: body.__code__.co_argcount]


def _strip_docstring(text):
    return text.split('"""', 2)[2].lstrip() if text.startswith('"""') else text


def _helpers(case):
    """Source of module-level functions and constants that the body names."""
    module = inspect.getmodule(case.body)
    if module is None:
        return ""
    import ast

    text = inspect.getsource(module)
    lines = text.splitlines(keepends=True)
    nodes = {}
    for node in ast.parse(text).body:
        for name in _defined(node):
            nodes[name] = node
    wanted, todo = [], sorted(_names_in(ast.parse(case.source)))
    while todo:
        name = todo.pop()
        node = nodes.get(name)
        if node is None or node in wanted or name == case.body.__name__:
            continue
        source = "".join(lines[node.lineno - 1 : node.end_lineno])
        if "seamark" in source.split("\n", 1)[0]:
            continue
        wanted.append(node)
        todo.extend(_names_in(node))
    wanted.sort(key=lambda node: node.lineno)
    return "".join("".join(lines[n.lineno - 1 : n.end_lineno]) + "\n\n" for n in wanted)


def _names_in(tree):
    import ast

    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _defined(node):
    import ast

    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [(alias.asname or alias.name).split(".")[0] for alias in node.names]
    return []
