"""What names stand for, and what catalogues and data/usage say of them: part of usage_oracle.py."""

import collections
import json
import pathlib
import tomllib

ROOTS = {"torch": "torch", "tensorflow": "tf", "jax": "jax"}
SAME = {"tf.compat.v2": "tf"}  # the same API under another name
FACTORIES = pathlib.Path(__file__).resolve().parents[2] / "data" / "usage" / "factories.toml"


def plain(name: str) -> str:
    """Without what SAME says is another name for something else."""
    for other, usual in SAME.items():
        while name == other or name.startswith(other + "."):
            name = usual + name[len(other) :]
    return name


class Qualified:
    """A framework, or something below it."""

    def __init__(self, name: str, imported_module: bool = False):
        self.name = plain(name)
        self.imported_module = imported_module  # by an `import` statement: alone it does not count


class Instance:
    def __init__(self, of: str):
        self.of = of


UNKNOWN = None


def below(root: Qualified, attributes: list[str]) -> str:
    return plain(".".join([root.name, *attributes]))


class Vocabulary:
    """Names of the catalogues, and what factories give. Without a catalogue a name is what it is written as."""

    def __init__(self, catalogues=(), factories=None):
        self.factories = dict(factories or {})
        self.canonical: dict[str, str] = {}
        self.classes: dict[str, list[str]] = {}  # canonical name -> bases
        self.modules: set[str] = set()
        self.children: dict[str, set[str]] = collections.defaultdict(set)
        self.frameworks: set[str] = set()  # roots that a catalogue is about
        self.methods: dict[str, list[str]] = collections.defaultdict(list)  # by their last part
        self.common = read_common()
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
            if row["kind"] == "method":
                self.methods[name.rpartition(".")[2]].append(name)
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
        module = plain(module)
        return (
            self.children.get(module, set())
            if module in self.modules or module in ROOTS.values()
            else set()
        )


def read_factories(path=FACTORIES) -> dict[str, str]:
    """{factory: class} of data/usage/factories.toml."""
    data = tomllib.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    return {name: row["type"] for row in data.get("factory", ()) for name in row["names"]}


def read_common() -> set[str]:
    """The names of data/usage/common_methods.toml."""
    data = tomllib.loads(FACTORIES.with_name("common_methods.toml").read_text(encoding="utf-8"))
    return {name for row in data["types"] for name in row["names"]}
