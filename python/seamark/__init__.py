"""Seamark measures how portable the functions of PyTorch, TensorFlow and JAX are.

The work is done by an executable that this package carries; `seamark` on the command line,
`python -m seamark` and `seamark.executable_path()` all lead to it. `seamark.open("seamark.db")`
gives what a store holds as tables of pandas or Arrow (docs/python.md).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seamark.executable import executable_path

if TYPE_CHECKING:
    from seamark.charts import Chart
    from seamark.columns import Column
    from seamark.command import Error
    from seamark.store import Store

    __version__: str

__all__ = ["Chart", "Column", "Error", "Store", "__version__", "executable_path", "open"]

# Loaded when they are asked for: the command line passes through this file too.
_PARTS = {"Chart": "charts", "Column": "columns", "Error": "command", "Store": "store"}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name in _PARTS:
        from importlib import import_module

        return getattr(import_module(f"seamark.{_PARTS[name]}"), name)
    raise AttributeError(f"module 'seamark' has no attribute {name!r}")


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("seamark")
    except PackageNotFoundError:  # the sources, on a path
        text = (Path(__file__).parents[1] / "seamark_agent" / "__init__.py").read_text()
        return text.split('__version__ = "', 1)[1].split('"', 1)[0]


def open(
    path: str | os.PathLike[str] = "seamark.db",
    *,
    run: str = "latest",
    targets: str | Sequence[str] | None = None,
    baseline: str | None = None,
    slow_factor: float | None = None,
    executable: str | os.PathLike[str] | None = None,
) -> Store:
    """A store's results as tables; or what a study published, `seamark.open("grand-illusion")`.

    run: "latest", "all", or the beginning of a run's id.
    targets: only these, by name or glob.
    baseline: the target that ratios refer to (else each target's own).
    slow_factor: how many times the baseline's time is intolerable (10).
    executable: another `seamark` than the package's, as does SEAMARK_EXECUTABLE.

    Nothing is kept open. Raises seamark.Error when there is no such store.
    """
    from seamark.source import Source
    from seamark.store import Store

    source = Source(
        path,
        run=run,
        targets=targets,
        baseline=baseline,
        slow_factor=slow_factor,
        executable=executable,
    )
    return Store(source)
