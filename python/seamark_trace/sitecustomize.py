"""Starts the recorder in the interpreter of a user's program, which finds this file by PYTHONPATH.

The interpreter imports one sitecustomize alone: the one that this hides is imported after it.
"""

import importlib.machinery
import importlib.util
import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _start():
    import _seamark_trace

    _seamark_trace.start(_FOLDER)


def _leave_path():
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or ".") != _FOLDER]


def _import_hidden():
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = sys.modules["sitecustomize"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


if os.environ.get("SEAMARK_TRACE"):
    _start()
_leave_path()
_import_hidden()
