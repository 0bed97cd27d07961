"""The public callables of an installed framework, each object once, by its shortest public name."""

import inspect
import types

ROOTS = {"tensorflow": "tf", "jax": "jax", "torch": "torch"}
# Modules that are another library's, that only tests or tools use, or that hold no API of their own.
LEFT_OUT = {
    "tensorflow": ("tf.keras", "tf.compat", "tf.initializers", "tf.losses", "tf.metrics",
                   "tf.optimizers", "tf.estimator"),
    "jax": ("jax.interpreters", "jax.extend", "jax.tools", "jax.version", "jax.collect_profile"),
    "torch": ("torch.testing", "torch.utils.benchmark", "torch.utils.bottleneck", "torch.utils.hipify"),
}  # fmt: skip


def is_ours(framework, module, full):
    """Whether a submodule is public API of the framework."""
    if any(full == name or full.startswith(name + ".") for name in LEFT_OUT[framework]):
        return False
    name = getattr(module, "__name__", "")
    if framework == "tensorflow":
        return name.startswith("tensorflow._api.v2.") or full == "tf.experimental"
    return name == full or name.startswith(framework + ".")


def defined_here(framework, thing):
    module = getattr(thing, "__module__", None) or ""
    if framework == "jax":
        return module.startswith(("jax", "jaxlib")) or module == ""
    if framework == "torch":
        return module.startswith("torch") or module in ("", "builtins") or module.startswith("_")
    return not module.startswith(("numpy", "keras", "typing", "builtins", "collections"))


def callables(framework):
    """{canonical name: object} of functions and classes, and of methods as CLASS.NAME."""
    root = __import__(framework)
    found = {}
    _walk(framework, root, ROOTS[framework], set(), found)
    names = {}
    for thing, aliases in found.values():
        names[min(aliases, key=lambda name: (name.count("."), len(name), name))] = thing
    methods = {}
    for name in sorted(names, key=lambda name: (name.count("."), name)):
        if inspect.isclass(names[name]):
            _methods(framework, name, names[name], methods)
    taken = set()
    for name, thing in sorted(methods.items(), key=lambda item: (item[0].count("."), item[0])):
        if id(thing) not in taken and id(thing) not in found:
            taken.add(id(thing))
            names[name] = thing
    return names


def _walk(framework, module, name, visited, found):
    if id(module) in visited:
        return
    visited.add(id(module))
    public = getattr(module, "__all__", None) if framework == "torch" else None
    for part in sorted(public or dir(module)):
        if part.startswith("_"):
            continue
        try:
            thing = getattr(module, part)
        except Exception:  # lazy modules may raise anything
            continue
        full = name + "." + part
        if isinstance(thing, types.ModuleType):
            if is_ours(framework, thing, full):
                _walk(framework, thing, full, visited, found)
        elif callable(thing) and defined_here(framework, thing):
            found.setdefault(id(thing), (thing, []))[1].append(full)


def _methods(framework, name, cls, methods):
    if issubclass(cls, BaseException) or issubclass(cls, type):
        return
    for base in reversed(cls.__mro__):
        if base is object or not defined_here(framework, base):
            continue
        for part, raw in vars(base).items():
            if part.startswith("_") or isinstance(raw, property):
                continue
            thing = raw.__func__ if isinstance(raw, (staticmethod, classmethod)) else raw
            if callable(thing) and not inspect.isclass(thing):
                methods[name + "." + part] = thing
