"""The frameworks that are known: data/frameworks.toml, in the order of tables."""

import os
import re

_LINE = re.compile(r'(\w+) = "([^"]*)"')  # all that the file has besides heads and what others read


def _read():
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    found = []
    with open(os.path.join(home, "data", "frameworks.toml"), encoding="utf-8") as text:
        for line in text:
            said = _LINE.match(line)
            if line.strip() == "[[framework]]":
                found.append({})
            elif said and found:
                found[-1][said.group(1)] = said.group(2)
    return found


KNOWN = _read()  # the texts of each: name, module, root and the rest


def root_of(name):
    """What the names of its functions start with; the name itself where the framework is unknown."""
    return next((one["root"] for one in KNOWN if one["name"] == name), name)
