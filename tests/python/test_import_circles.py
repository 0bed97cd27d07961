"""No module of Seamark's packages imports itself by way of others, imports inside functions included."""

import ast
from pathlib import Path

PYTHON = Path(__file__).parents[2] / "python"
PACKAGES = ("seamark", "seamark_agent", "seamark_suites")


def modules():
    found = {}
    for path in (path for package in PACKAGES for path in (PYTHON / package).rglob("*.py")):
        parts = path.relative_to(PYTHON).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name, path, known):
    """The modules of ours that a module imports: a name of a package, not of a module in it, is the package's."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) + 1 - node.level]
            source = ".".join(
                (parts if node.level else []) + ([node.module] if node.module else [])
            )
            for alias in node.names:
                inside = "%s.%s" % (source, alias.name)
                yield from (one for one in [inside if inside in known else source] if one in known)


def circles(graph):
    """The sets of modules that reach each other."""
    reach = {}
    for start in graph:
        seen, todo = set(), list(graph[start])
        while todo:
            one = todo.pop()
            if one not in seen:
                seen.add(one)
                todo.extend(graph[one])
        reach[start] = seen
    return sorted(
        {tuple(sorted(b for b in reach[a] if a in reach[b])) for a in graph if a in reach[a]}
    )


def test_no_circles():
    known = modules()
    assert len(known) > 80
    assert circles({name: set(imports(name, path, known)) for name, path in known.items()}) == []


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"d"}}) == [("b", "c"), ("d",)]
