"""Parameters of PyTorch's functions that Python cannot inspect: from operator schemas, and from docstrings."""

import re

_HEAD = re.compile(r"^(?:\d+\. )?\w+\((.*?)\)\s*(?:->.*)?$")
MOST_OVERLOADS = 4


def guessed(name, thing):
    """[[(name, kind, annotation)]]: the parameters of each overload that must be given, the first first."""
    found = of_schemas(name.rsplit(".", 1)[1]) if in_operators(name) else []
    text = getattr(thing.__init__ if isinstance(thing, type) else thing, "__doc__", None)
    return found or of_doc(text or "")


def in_operators(name):
    parts = name.split(".")
    return len(parts) == 2 or parts[1] in ("Tensor", "special", "nn", "sparse", "linalg")


def of_schemas(name):
    import torch

    found = []
    for schema in torch._C._jit_get_schemas_for_operator("aten::" + name):
        if "out" in schema.overload_name or len(found) == MOST_OVERLOADS:
            continue
        params = [
            (one.name, "k" if one.kwarg_only else "p", "aten:" + str(one.type))
            for one in schema.arguments
            if not one.has_default_value()
        ]
        if params not in found:
            found.append(params)
    return found


def of_doc(text):
    """What pybind11 writes in the first lines of a docstring."""
    found = []
    for line in text.splitlines()[:40]:
        matched = _HEAD.match(line.strip())
        if not matched or ("->" not in line and found):
            continue
        params = [one for one in map(of_text, split(matched.group(1))) if one]
        if not any("*args" in one[0] for one in params) and params not in found:
            found.append(params)
    return found[:MOST_OVERLOADS]


def of_text(text):
    name, _, annotation = text.strip().partition(":")
    if not name or "=" in text or name in ("self", "*", "/"):
        return None
    annotation = re.sub(r"^(typing|collections\.abc)\.", "", annotation.strip())
    annotation = re.sub(r"^Supports(Int|Float)( \|.*)?$", lambda m: m.group(1).lower(), annotation)
    return name.strip(), "p", annotation


def split(text):
    parts, depth, last = [], 0, 0
    for place, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == "," and not depth:
            parts.append(text[last:place])
            last = place + 1
    return parts + [text[last:]]
