"""Where the executable is that this package carries."""

from __future__ import annotations

import sys
from pathlib import Path


def executable_path() -> Path:
    """The `seamark` executable of this installation.

    Raises FileNotFoundError when the package has none.
    """
    # An editable install has two folders: the sources, and the one that holds what was built.
    tried = [Path(folder) / "_bin" / "seamark" for folder in sys.modules["seamark"].__path__]
    clone = Path(__file__).parents[2]
    if (clone / "CMakePresets.json").is_file():
        tried.append(clone / "build" / "release" / "bin" / "seamark")
    for path in tried:
        if path.is_file():
            return path
    raise FileNotFoundError(
        "the seamark package has no executable; looked for "
        + ", ".join(str(path) for path in tried)
        + ". Install it again: pip install --force-reinstall seamark"
    )
