"""The one file that is started by path. It loads the agent and the suites from their own files.

Nothing of ours may shadow the user's modules and nothing of theirs may shadow ours, so the folder of
this file leaves sys.path and both packages are loaded by explicit location.
"""

import importlib.util
import os
import sys


def _load_package(name: str, folder: str) -> None:
    spec = importlib.util.spec_from_file_location(
        name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder]
    )
    if spec is None or spec.loader is None:
        raise ImportError("cannot load %s from %s" % (name, folder))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)


def main() -> int:
    here = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0] or ".") == here:
        del sys.path[0]
    _load_package("seamark_agent", here)
    _load_package("seamark_suites", os.path.join(os.path.dirname(here), "seamark_suites"))
    from seamark_agent import commands

    return commands.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
