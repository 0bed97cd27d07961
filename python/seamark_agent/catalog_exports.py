"""Which names a module offers to its users, and which ones it merely imports for itself."""

import ast

from .catalog_objects import attempt, attribute


class Exports:
    """Which of a module's names are its own, by the rule of typed packages: what `__all__` lists, what
    its source defines, and what it imports as `X as X` or by `*`. An `__init__` also offers what it
    imports from below its own package, and what is documented and has no other public home. Where
    there is an `__all__`, what it lacks counts only when it is documented."""

    def __init__(self, module):
        self.listed = _listed(module)
        self.renamed = _lazy_names(module)
        self._package = attribute(module, "__path__") is not None
        self._name = attribute(module, "__name__", "")
        self._imported, self._other = set(), set()
        self._read_source(module)

    def offers(self, name, defined_in, documented):
        """Whether `name`, which the module `defined_in` defines, is one of the module's own."""
        if name in self.renamed or (self.listed is not None and name in self.listed):
            return True
        if self.listed is not None and not documented:
            return False
        if name in self._other:
            return True
        below = defined_in == self._name or defined_in.startswith(self._name + ".")
        homeless = documented and (not defined_in or "._" in defined_in)
        if name in self._imported:
            return self._package and (below or homeless)
        return below or homeless or not defined_in

    def _read_source(self, module):
        origin = attribute(attribute(module, "__spec__"), "origin") or ""
        if not isinstance(origin, str) or not origin.endswith(".py"):
            return
        tree, error = attempt(_parse, origin)
        if error is None:
            self._visit(tree.body)

    def _visit(self, statements):
        for node in statements:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for item in node.names:
                    name = item.asname or item.name.split(".")[0]
                    renamed = self._package and isinstance(node, ast.ImportFrom)
                    explicit = item.asname is not None and (renamed or item.asname == item.name)
                    (self._other if explicit else self._imported).add(name)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self._other.add(node.name)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    for leaf in ast.walk(target):
                        if isinstance(leaf, ast.Name):
                            self._other.add(leaf.id)
            else:
                for field in ("body", "orelse", "finalbody"):
                    self._visit(getattr(node, field, ()))
                for handler in getattr(node, "handlers", ()):
                    self._visit(handler.body)


class AllNames:
    """Every name counts: the modules were generated to hold the public ones and nothing else."""

    def __init__(self, module):
        self.listed = None
        self.renamed = _lazy_names(module)

    def offers(self, name, defined_in, documented):
        return True


def _listed(module):
    names = attribute(module, "__all__")
    listed, error = attempt(lambda: [name for name in names if type(name) is str])
    return set(listed) if error is None and names is not None else None


def _lazy_names(module):
    """Names that only a module's __getattr__ knows: JAX's table of deprecated ones."""
    table = attribute(module, "_deprecations")
    return {name for name in table if type(name) is str} if type(table) is dict else set()


def _parse(path):
    with open(path, "rb") as file:
        return ast.parse(file.read())


def names_of(module, exports):
    """Every name that can be asked of a module, sorted."""
    found = attempt(dir, module)[0] or []
    names = {name for name in found if type(name) is str}
    return sorted(names | (exports.listed or set()) | exports.renamed)
