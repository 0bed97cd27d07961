"""The frameworks that are known: data/frameworks.toml, in the order of tables."""

import os
import re
from typing import Dict, List

_LINE = re.compile(r'(\w+) = "([^"]*)"')  # all that the file has besides heads and what others read


def read() -> List[Dict[str, str]]:
    """The texts of each: name, module, root and the rest."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    found: List[Dict[str, str]] = []
    with open(os.path.join(home, "data", "frameworks.toml"), encoding="utf-8") as text:
        for line in text:
            said = _LINE.match(line)
            if line.strip() == "[[framework]]":
                found.append({})
            elif said and found:
                found[-1][said.group(1)] = said.group(2)
    return found
