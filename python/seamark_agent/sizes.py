"""Whether another size compiles anew: of a case that makes one call with arrays of several sizes."""

import contextlib

from .attributes import COMPILED_BY_SIZE


class Sizes:
    """The calls of one body on the target: their arguments, and how many programs each compiled."""

    def __init__(self, adapter):
        self._adapter, self._calls = adapter, []

    def call(self, function, args, kwargs, run):
        """Makes the call, with `run`, and notes it."""
        before = self._counted()
        result = run()
        if before is not None:
            with contextlib.suppress(Exception):  # arguments of any kind
                shapes, rest = self._shapes((args, kwargs))
                made = self._counted() - before
                self._calls.append((function, args, kwargs, shapes, rest, made))
        return result

    def _counted(self):
        return self._adapter.counters().get("compilations")

    def _shapes(self, tree):
        """The sizes of the arrays, and all else that tells calls apart."""
        arrays = [
            (path, leaf)
            for path, leaf in self._adapter.flatten(tree)
            if self._adapter.is_array(leaf)
        ]
        shapes = [tuple(leaf.shape) for _, leaf in arrays]
        return shapes, [(path, self._adapter.dtype_name(leaf), leaf.ndim) for path, leaf in arrays]

    def attributes(self):
        """["compiled-by-size-1,1,0"]: what each size compiled in the order of the calls; [] where there is one size, or
        nothing counts it. A target that compiles whole calls makes them again by one program of the function."""
        with contextlib.suppress(Exception):  # the case has passed; this adds to it
            function, _, _, first, rest, _ = self._calls[0]
            alike = [call for call in self._calls if call[0] is function and call[4] == rest]
            if any(shapes != first for _, _, _, shapes, _, _ in alike):
                program = self._adapter.one_program(function, *alike[0][1:3])
                found = [self._compiled_by(program, *call) for call in alike]
                return [COMPILED_BY_SIZE + ",".join(map(str, found))]
        return []

    def _compiled_by(self, program, function, args, kwargs, shapes, rest, made):
        if program is None:
            return made
        before = self._counted()
        self._adapter.synchronize(program(*args, **kwargs))
        return self._counted() - before
