"""A framework on disk with every nastiness that a walk may meet, for tests of the catalogue."""

import textwrap

FILES = {
    "toyfw/__init__.py": '''
        """A framework."""
        import math
        import os as os
        from functools import partial
        from fractions import Fraction
        from toyfw._core import add, Base, hidden_helper, only_here
        from toyfw._core import add as plus
        from toyfw._core import renamed_old as renamed_old
        __version__ = "1.2.3"
        __all__ = ["add", "Base", "Thing", "Old", "gone", "CONSTANT", "half", "Tuple", "bound",
                   "calls", "print_now"]
        CONSTANT = 3

        def half(x):
            """Half of it."""
            return x / 2

        def unlisted_but_documented(x, *, y=1):
            """Not in __all__."""

        def unlisted_helper(x):
            return x

        from typing import Tuple

        class Thing(Base):
            """A thing."""
            size = property(lambda self: 3)
            limit = 7

            def run(self, x):
                """Runs."""

            def _private(self):
                pass

            @classmethod
            def make(cls, n=1):
                """Makes."""

            @staticmethod
            def still():
                """Static."""

            class Inner:
                """Nested."""

                def go(self):
                    """Goes."""

        class Old:
            """Deprecated: use Thing."""

            def work(self):
                """Works."""

        class Evil:
            """Hostile."""

            def __getattribute__(self, name):
                raise SystemExit("no attribute for you")

            def __call__(self):
                pass

        class Calls:
            def __call__(self, x):
                return x

        calls = Calls()
        bound = Thing().run
        evil = Evil()

        def print_now():
            """Prints when it is looked at?"""

        def __getattr__(name):
            import warnings
            if name in _deprecations:
                message, value = _deprecations[name]
                if value is None:
                    raise AttributeError(message)
                warnings.warn(message, DeprecationWarning, stacklevel=2)
                return value
            if name == "explosive":
                raise RuntimeError("boom")
            raise AttributeError(name)

        _deprecations = {
            "old_add": ("toyfw.old_add is deprecated", add),
            "really_old": ("toyfw.really_old is deprecated", renamed_old),
            "vanished": ("toyfw.vanished was removed", None),
        }
        del renamed_old

        def __dir__():
            return sorted(list(globals()) + ["explosive"])

        from toyfw import nn as nn
    ''',
    "toyfw/_core.py": '''
        class _Root:
            def inherited(self):
                """From a private base."""

        class Base(_Root, dict):
            """Public base."""

            def shared(self):
                """Counted here once."""

        def add(a, b=object()):
            """Adds."""

        def hidden_helper(a):
            return a

        def only_here(a):
            """Documented, with no public home."""

        def renamed_old(a):
            """Only under a deprecated name."""
    ''',
    "toyfw/nn.py": '''
        from toyfw._core import add
        import toyfw._core as core
        from toyfw import half as half

        def relu(x):
            """ReLU."""

        def dated(x):
            """ReLU.

            .. deprecated:: 1.0
               Use relu.
            """
    ''',
    "toyfw/broken.py": "raise SystemExit('needs a licence')\n",
    "toyfw/missing.py": "import a_package_that_is_not_there\n",
    "toyfw/_secret.py": "def secret():\n    pass\n",
    "toyfw/tools/__init__.py": "def tool():\n    'Tool.'\n",
    "toyfw/sub/__init__.py": "from toyfw.sub.inner import work\nfrom toyfw.sub.inner import *\n",
    "toyfw/sub/inner.py": "def work():\n    'Works.'\n\ndef star():\n    'Starred.'\n",
}

RULES = {
    "framework": "toy",
    "rule_version": 7,
    "root": [{"module": "toyfw", "name": "toyfw"}],
    "owners": ["toyfw"],
    "discover": True,
    "deprecated_docs": [r"\A\s*Deprecated", r"(?m)^\s*\.\. deprecated::"],
    "exclude": [{"names": ["toyfw.tools", "toyfw.print_now"], "reason": "no library"}],
    "extra": [
        {"name": "toyfw._secret.secret", "reason": "sampled"},
        {"name": "toyfw._secret.nothing", "reason": "sampled"},
        {"name": "toyfw.nn", "reason": "a module"},
    ],
}


def write(folder):
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
