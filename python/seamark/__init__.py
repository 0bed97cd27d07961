"""Seamark measures how portable the functions of PyTorch, TensorFlow and JAX are.

The work is done by an executable that this package carries; `seamark` on the command line,
`python -m seamark` and `seamark.executable_path()` all lead to it.
"""

from importlib.metadata import version
from pathlib import Path

__all__ = ["__version__", "executable_path"]

__version__ = version("seamark")


def executable_path() -> Path:
    """The `seamark` executable of this installation.

    Raises FileNotFoundError when the package has none.
    """
    # An editable install has two folders: the sources, and the one that holds what was built.
    tried = [Path(folder) / "_bin" / "seamark" for folder in __path__]
    for path in tried:
        if path.is_file():
            return path
    raise FileNotFoundError(
        "the seamark package has no executable; looked for "
        + ", ".join(str(path) for path in tried)
        + ". Install it again: pip install --force-reinstall seamark"
    )
