"""The script of one function `run`, made on the CPU, in a wider type too, and on the target, and what compares the results: with
the tolerances of the case, as far as lines can say it."""

import contextlib
import re

from .attempt import body_arguments, import_numpy
from .compare import cpu_bound, cpu_error, least_exact, tolerance
from .handle import Handle

NUMBERS = (bool, int, float, complex)
PLAIN = (*NUMBERS, str, bytes, type(None))
# How results are compared where a framework has no way of its own; of `compare` in straight().
BY_NUMPY = "np.testing.assert_allclose(np.asarray(%(got)s).astype(%(kind)s), np.asarray(%(want)s), rtol=%(rtol)r, atol=%(atol)r)"
EXACTLY = "np.testing.assert_array_equal(%(got)s, %(want)s)"


def run(code, space):
    """Executes lines; what reads a function's source finds it."""
    exec(compile(code, "<script>", "exec"), space)


@contextlib.contextmanager
def handle_on_cpu(case, adapter, seed):
    """A handle there, with the framework's draws as for the case; it does not wait for a device, which need not be there."""
    handle = Handle(case, adapter, import_numpy()[0], "native", seed)
    handle._run = lambda *given: given[-1]()
    with adapter.at("native"), contextlib.closing(handle):
        adapter.seed(case.framework_seed(seed))
        yield handle


class Program:
    """The lines of `run`, what it returns, its parameters [(name, text, wider text)], and whether the target compiles."""

    def __init__(self, lines, returned, wider, compiled):
        self.lines, self.returned, self.wider, self.compiled = lines, returned, wider, compiled
        self.setup, self.settings = [], []  # imports; what follows them

    def text(self, first=()):
        given = ["device", *("%s=%s" % one[:2] for one in self.wider)]
        given += ["compiled=lambda call: call"] if self.compiled else []
        lines, end = [*first, *self.lines], "return " + self.returned
        if self.lines and self.lines[-1].startswith(self.returned + " = "):
            end = lines.pop().replace(self.returned + " =", "return", 1)
        body = "".join("    %s\n" % line for line in [*lines, end])
        return "def run(%s):\n%s" % (", ".join(given), body)


class Seen:
    """What the CPU made of it: `native`, `wide` (each in a list, or None), `error`, whether numbers were drawn."""

    def __init__(self, case, adapter, seed, program, names):
        self.native = self.wide = self.error = None
        self.drew = self.drew_in_call = False
        with adapter.at("native"):
            self.space = space = names()
            run("\n".join([*program.setup, program.text()]), space)
            adapter.seed(seed)
            before = adapter.generator_state()
            try:
                self.native = [space["run"](adapter.device_of("native"))]
                str(self.native)  # it is printed
            except Exception as error:
                self.error = error
                return
            self.drew = before != adapter.generator_state()
        if not program.wider:
            return
        with adapter.at("wide"), contextlib.suppress(Exception):
            adapter.seed(seed)
            given = {name: eval(wide, space) for name, _, wide in program.wider}
            self.wide = [space["run"](adapter.device_of("wide"), **given)]


class Untrue(Exception):
    """The lines do not what the body does."""


def _check(case, adapter, seed, seen, is_whole):
    """Untrue where the CPU makes something else of the lines than of the body. `is_whole`: they return what it returns."""
    try:
        with handle_on_cpu(case, adapter, seed) as handle:
            result = case.body(**body_arguments(case, handle))
    except Exception as error:
        if type(error) is not type(seen.error):
            raise Untrue from error
        return
    if seen.error is not None:
        raise Untrue from seen.error
    seen.drew_in_call = handle.drew
    if not is_whole or seen.drew:
        return
    mine, its = ([leaf for _, leaf in adapter.flatten(one)] for one in (seen.native[0], result))
    if len(mine) != len(its):
        raise Untrue
    for one, other in zip(mine, its):
        if adapter.is_array(one) != adapter.is_array(other):
            raise Untrue
        if adapter.is_array(one) and not _same(adapter.to_numpy(one), adapter.to_numpy(other)):
            raise Untrue


def _same(one, other):
    return one.shape == other.shape and bool(
        ((one == other) | (one != one) & (other != other)).all()
    )


def script(case, adapter, seed, style, program, names, is_whole):
    """The text; an exception where the lines cannot say it. `is_whole`: they return what the body returns."""
    drawn, seed = seed, case.framework_seed(seed)
    seen = Seen(case, adapter, seed, program, names)
    _check(case, adapter, drawn, seen, is_whole)
    target = style["cpu"] if case.host_only else style["device"]
    given = [target] + (["compiled=" + style["compiled"]] if program.compiled else [])
    compared, said = [], "exit 1 where it raises"
    if seen.error is not None:
        said += "; the CPU raises %s, too" % type(seen.error).__name__
    elif not style.get("ahead") and _is_compared(case, adapter, seen):
        compared, what = _comparison(case, adapter, style, seen)
        said += what
    wide = [style["cpu"], *("%s=%s" % (name, wider) for name, _, wider in program.wider)]
    wanted = "want = run(%s)" % ", ".join(wide if seen.wide else wide[:1])
    if seen.wide and "wide_run" in style:
        wanted = "%s\n    %s" % (style["wide_run"], wanted)
    first = [style["seed"] % (seed & 0x7FFFFFFF)] if seen.drew and "seed" in style else []
    body = program.text(first + style.get("first", []))
    end = ["got = run(%s)" % ", ".join(given), *style.get("wait", ()), *compared]
    end += ['print("%s:", got)' % ("as on the CPU" if compared else "it ran")]
    end = ([wanted] if compared else []) + end
    every = "\n".join([body, *end])
    imports = [
        "import %s" % one
        for one in ("functools", "tempfile")
        if one + "." in every or (one == "tempfile" and "FOLDER" in every)
    ]
    imports += ["import numpy as np"] if "np." in every else []
    imports = [*imports, *style["setup"].split("\n"), *program.setup, *program.settings]
    imports += style.get("helpers", [])
    imports += ["", "FOLDER = tempfile.mkdtemp()"] if "FOLDER" in every else []
    return '"""%s on %s: %s."""\n\n%s\n\n\n%s\n\n%s\n' % (
        case.name, adapter.name, said, "\n".join(imports), body, "\n".join(end),
    )  # fmt: skip


def _is_compared(case, adapter, seen):
    if case.reference in ("none", "runs"):
        return False
    return seen.wide is not None or not adapter.cpu_is_reference


def _comparison(case, adapter, style, seen):
    """The lines that compare `got` with `want`, and what they show."""
    native = seen.native[0]
    leaves = [leaf for _, leaf in adapter.flatten(native)]
    if seen.wide and case.reference is not None and not _agrees(case, adapter, style, seen):
        seen.wide = None  # the case knows why, and has another reference
        if adapter.cpu_is_reference:
            return [], "; its result is not compared"
    with_dtype = [leaf for leaf in leaves if hasattr(leaf, "dtype")]
    others = [leaf for leaf in leaves if not hasattr(leaf, "dtype")]
    told = all(isinstance(leaf, PLAIN) or _is_told(leaf) for leaf in others)
    if not case.host_only and not told:
        raise Untrue  # what the object holds is the result
    single = len(leaves) == 1 and leaves[0] is native
    open_ = case.reference == "shapes" or (
        seen.drew_in_call if case.random == "detect" else case.random
    )
    if not with_dtype:
        if not leaves or open_ or not told:
            return [], "; its result is not compared"
        of = "%s" if all(isinstance(leaf, PLAIN) for leaf in others) else "str(%s)"
        return [
            "assert %s == %s, (got, want)" % (of % "got", of % "want")
        ], ", or differs from the CPU"
    listed = style["leaves"]
    if open_:
        shown = "[(one.shape, one.dtype) for one in %s if hasattr(one, 'dtype')]"
        pair = tuple(shown % (listed % one) for one in ("got", "want"))
        lines = ["assert %s == %s" % pair]
        return _tried(
            lines, native, seen
        ), ", or its shapes or dtypes differ from the CPU's: values are open"
    values = _tolerances(case, adapter, style, seen, leaves)
    dtypes = [_dtype_text(adapter, style, leaf) for leaf in with_dtype]
    close = values.pop("close")
    if single:
        lines = [
            "assert got.dtype == %s, got.dtype" % dtypes[0],
            close % dict(values, got="got", want="want"),
        ]
    else:
        names = (
            "[%s] * %d" % (dtypes[0], len(dtypes))
            if len(set(dtypes)) == 1
            else "[%s]" % ", ".join(dtypes)
        )
        every = close % dict(values, got="every[0]", want="every[1]")
        close = close % dict(values, got="one", want="other")
        lines = ["every = %s, %s" % (listed % "got", listed % "want")]
        lines += ["assert [one.dtype for one in every[0] if hasattr(one, 'dtype')] == %s" % names]
        loop = "for one, other in zip(*every):"
        if others:
            lines += [
                loop,
                "    if hasattr(other, 'dtype'):",
                "        " + close,
                "    else:",
                "        assert str(one) == str(other)",
            ]
        else:
            lines += [every] if style.get("takes_lists") else [loop, "    " + close]
    what = " in a wider type" if seen.wide else ""
    return _tried(lines, native, seen), ", or differs from the CPU%s" % what


def _dtype_text(adapter, style, leaf):
    name = adapter.dtype_name(leaf) if adapter.is_array(leaf) else None
    if name in style["names"]:
        return style["dtypes"] % style["names"][name]
    if adapter.is_array(leaf):
        return (
            str(leaf.dtype)
            if re.fullmatch(r"\w+\.\w+", str(leaf.dtype))
            else style["dtypes"] % str(leaf.dtype)
        )
    return "np.dtype(%r)" % str(leaf.dtype)


def _tolerances(case, adapter, style, seen, leaves):
    """rtol, atol, the type in which numbers are compared, and the line that does."""
    import numpy as np

    wanted = [leaf for _, leaf in adapter.flatten((seen.wide or seen.native)[0])]
    rtol = atol = 0.0
    kinds = set()
    for leaf, want in zip(leaves, wanted):
        if not adapter.is_array(leaf):
            kinds.add("f" if isinstance(leaf, float) else "c" if isinstance(leaf, complex) else "i")
            kinds.update([leaf.dtype.kind] if hasattr(leaf, "dtype") else [])
            continue
        plain = adapter.to_numpy(leaf)
        kinds.add(plain.dtype.kind)
        if plain.dtype.kind not in "fc":
            continue
        tested = least_exact(adapter.dtype_name(leaf), case.dtype)
        one, other = tolerance(adapter.framework, tested, case.rtol, case.atol)
        if case.slack == "cpu" and seen.wide:
            wide = adapter.to_numpy(want)
            spare = cpu_bound(np, wide, tested, adapter.framework) if adapter.cpu_is_reference else cpu_error(
                np, plain, wide, tested, adapter.framework)  # fmt: skip
            other = max(other, float("%.1e" % (spare * 1.05)))
        rtol, atol = max(rtol, one), max(atol, other)
    if kinds & {"f", "c"}:
        kind = "np.complex128" if "c" in kinds else "np.float64"
        return {"rtol": rtol, "atol": atol, "kind": kind, "close": style.get("close", BY_NUMPY)}
    return {"rtol": 0, "atol": 0, "kind": None, "close": style.get("close", EXACTLY)}


def _is_told(leaf):
    """Whether its text tells what an object is, on any device."""
    if isinstance(leaf, type):
        return True
    return not (
        hasattr(leaf, "state_dict") or re.search(r" at 0x|\b(tensor|cpu|device)\b", repr(leaf))
    )


def _agrees(case, adapter, style, seen):
    """Whether the CPU gives the same in the wider type."""
    leaves = [leaf for _, leaf in adapter.flatten(seen.native[0])]
    values = _tolerances(case, adapter, style, seen, leaves)
    close = values.pop("close")
    wide = [leaf for _, leaf in adapter.flatten(seen.wide[0])]
    try:
        for got, want in zip(leaves, wide):
            if hasattr(want, "dtype"):
                run(
                    close % dict(values, got="got", want="want"),
                    dict(seen.space, got=got, want=want),
                )
    except AssertionError:
        return False
    return len(leaves) == len(wide)


def _tried(lines, native, seen):
    """The lines, which must be able to compare what the CPU gave with itself."""
    names = dict(seen.space, got=native, want=native)
    run("\n".join(lines), names)
    return lines
