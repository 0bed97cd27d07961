"""How a case is written.

    @case("torch.argsort", dtypes="f32 bf16 i64", shapes="100 64x33 0", dim=[-1, 0])
    def argsort(t, dtype, shape, dim):
        return t.call("torch.argsort", t.distinct(shape, dtype), dim=dim)

    table("torch.nn.functional", "relu gelu silu", dtypes="f32 bf16", shapes="64x33", grad=True)

The header is literal: listing needs no framework. Every combination of the listed parameters is one
case, named `FUNCTION/BODY[dtype,shape,name=value,...]`. The body takes the harness handle `t` and the
parameters it names; what it returns is compared with the reference (see `seamark_agent.harness`).
"""

import hashlib
import itertools
from typing import Any, Callable, Dict, Iterable, List, Sequence, Tuple

from seamark_agent import frameworks
from seamark_agent.inputs import GENERATOR_VERSION

FRAMEWORKS = (*(one["name"] for one in frameworks.KNOWN), "selftest")
_ROOTS = {**{one["root"]: one["name"] for one in frameworks.KNOWN}, "selftest": "selftest"}


class SuiteError(Exception):
    """A suite or case header that cannot be used: says where and what was expected."""


class Case:
    """One runnable check of one function, before it is run."""

    __slots__ = (
        "atol",
        "body",
        "core",
        "cpu_fails",
        "dtype",
        "exists",
        "framework",
        "function",
        "grad",
        "hash",
        "host_only",
        "large",
        "name",
        "params",
        "program",
        "quick",
        "random",
        "reference",
        "remarks",
        "removed",
        "rtol",
        "script",
        "shape",
        "since",
        "slack",
        "source",
        "suite",
        "timeout_s",
        "trivial",
    )  # fmt: skip
    # exists, remarks, script and slack are None but for cases of automatic suites (see automatic.generated).

    def framework_seed(self, seed: int) -> int:
        """Of the framework's generators, in a run with this seed: each case has its own."""
        return int(self.hash[:8], 16) ^ seed

    def listing(self) -> Dict[str, Any]:
        """What `list` prints: the keys of CaseInfo."""
        return {
            "name": self.name,
            "function": self.function,
            "framework": self.framework,
            "suite": self.suite,
            "hash": self.hash,
            "dtype": self.dtype or "",
            "shape": "" if self.shape is None else shape_name(self.shape),
            "core": self.core,
            "quick": self.quick,
            "host_only": self.host_only,
            "grad": self.grad,
            "large": self.large,
            "timeout_s": self.timeout_s,
            "params": {key: _plain(value) for key, value in self.params.items()},
        }


class _Block:
    """A header and its body, still unexpanded."""

    __slots__ = ("body", "extra", "function", "header", "order")

    def __init__(self, function, body, header, extra):
        self.function, self.body, self.header, self.extra = function, body, header, extra


_HEADER_KEYS = {
    "dtypes", "shapes", "core", "host_only", "grad", "timeout_s", "reference", "rtol", "atol",
    "trivial", "random", "removed", "since", "cpu_fails", "name", "large", "program",
}  # fmt: skip
blocks: List[_Block] = []  # filled while one suite module is imported


def case(function: str, **header: Any) -> Callable[[Callable], Callable]:
    """Declares cases of `function` (its name as users write it today: torch.x, tf.x, jax.x).

    Header keys:
      dtypes, shapes  names separated by spaces: "f32 bf16", "64x33 100 0 scalar"
      core            which of these are core cases: True (all), False, or a string of dtypes
      large           True: some 10 to 100 MB of work, so that a time is the device's; never a core case
      grad            True: the gradient of the floating inputs is part of the call and the result
      name            what the case is named instead of its body, which several headers may share
      reference       None: the same body on CPU in the widest type; "numpy": numpy's function of the
                      same name; a callable(np, *inputs, **params) on float64 or complex128 arrays: what was
                      drawn, as it was before the call, then the parameters of what was constructed;
                      "none": nothing to compare (the body checks with t.expect)
      rtol, atol      {"f32": 1e-4}: this function's tolerance, the same on every target
      trivial         True: a constant, zero or empty output is right here
      random          True: the function draws; compare statistics (t.statistics), not values
      host_only       True: the function touches no device
      removed         (version, what to use instead): newer frameworks lack the function
      since           (version, what it brought): older frameworks lack the function or what the case asks of it
      cpu_fails       why the framework's own CPU fails here, or {"f16 bf16": why} for some dtypes
      program         True: it calls many functions; where it fails, the smallest call that fails alone is told
      timeout_s       deadline of one attempt; 0: the run's default
    Any other key is a parameter: a list means one case per value. A body with several headers may name
    the parameter `function`: the function of the header it runs for.
    """

    def declare(body: Callable) -> Callable:
        blocks.append(_Block(function, body, header, {}))
        return body

    return declare


def each(names: Any, reference: Any = "none", prefix: str = "", **header: Any) -> Callable:
    """case() for several functions: a list of names, or a text of them, each behind `prefix`. A `reference` that can be
    called makes each one's of its function's name."""

    def declare(body: Callable) -> Callable:
        for name in names.split() if isinstance(names, str) else names:
            made = reference(prefix + name) if callable(reference) else reference
            case(prefix + name, reference=made, **header)(body)
        return body

    return declare


def table(prefix: str, names: str, arity: int = 1, draw: str = "randn", **header: Any) -> None:
    """Cases for many functions of one shape: PREFIX.NAME(x) or PREFIX.NAME(x, y), inputs by t.DRAW."""
    for name in names.split():
        function = prefix + "." + name
        blocks.append(
            _Block(function, _TABLE_BODIES[arity], header, {"fn": function, "draw": draw})
        )


def unary(t, dtype, shape, fn, draw):
    return t.call(fn, getattr(t, draw)(shape, dtype))


def binary(t, dtype, shape, fn, draw):
    make = getattr(t, draw)
    return t.call(fn, make(shape, dtype), make(shape, dtype))


_TABLE_BODIES = {1: unary, 2: binary}


def parse_shape(text: str) -> Tuple[int, ...]:
    """ "64x33" -> (64, 33); "0" -> (0,); "scalar" -> ()."""
    if text == "scalar":
        return ()
    try:
        return tuple(int(part) for part in text.split("x"))
    except ValueError:
        raise SuiteError("not a shape: %r (expected 64x33, 100, 0 or scalar)" % text) from None


def shape_name(shape: Sequence[int]) -> str:
    return "x".join(str(n) for n in shape) if len(shape) else "scalar"


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return repr(value)


def _value_name(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "(" + " ".join(_value_name(item) for item in value) + ")"
    return str(value)


def expand(block: _Block, suite: str, source: str) -> Iterable[Case]:
    header = block.header
    root = block.function.split(".", 1)[0]
    if root not in _ROOTS:
        raise SuiteError(
            "case of %r: a function's name starts with %s"
            % (block.function, ", ".join(one["root"] + "." for one in frameworks.KNOWN))
        )
    axes: List[Tuple[str, List[Any]]] = []
    if "dtypes" in header:
        axes.append(("dtype", header["dtypes"].split()))
    if "shapes" in header:
        axes.append(("shape", [parse_shape(text) for text in header["shapes"].split()]))
    for key, value in header.items():
        if key not in _HEADER_KEYS:
            axes.append((key, list(value) if isinstance(value, list) else [value]))
    for combination in itertools.product(*(values for _, values in axes)):
        yield _make_case(
            block, suite, source, root, dict(zip((key for key, _ in axes), combination))
        )


def _make_case(block, suite, source, root, params) -> Case:
    header = block.header
    made = Case()
    made.function, made.framework, made.suite = block.function, _ROOTS[root], suite
    made.body, made.source = block.body, source
    made.dtype, made.shape = params.get("dtype"), params.get("shape")
    labels = []
    for key, value in params.items():
        if key == "dtype":
            labels.append(value)
        elif key == "shape":
            labels.append(shape_name(value))
        else:
            labels.append("%s=%s" % (key, _value_name(value)))
    made.name = "%s/%s%s" % (
        block.function,
        header.get("name", block.body.__name__),
        "[" + ",".join(labels) + "]" if labels else "",
    )
    made.params = dict(params, **block.extra)
    if "function" in block.body.__code__.co_varnames[: block.body.__code__.co_argcount]:
        made.params["function"] = block.function
    made.large = bool(header.get("large", False))
    core = header.get("core", not made.large)
    made.core = core if isinstance(core, bool) else made.dtype in core.split()
    made.quick = False
    made.grad = (
        bool(header.get("grad", False))
        and (made.dtype or "f32")[0] in "fbc"
        and made.dtype != "bool"
    )
    made.host_only = bool(header.get("host_only", False))
    made.program = bool(header.get("program", suite == "idioms"))
    made.timeout_s = float(header.get("timeout_s", 0))
    made.reference = header.get("reference")
    made.removed, made.since = header.get("removed"), header.get("since")
    made.cpu_fails = _of_dtype(header.get("cpu_fails"), made.dtype)
    made.rtol, made.atol = dict(header.get("rtol", {})), dict(header.get("atol", {}))
    made.trivial, made.random = (
        bool(header.get("trivial", False)),
        bool(header.get("random", False)),
    )
    made.exists = made.remarks = made.script = made.slack = None
    identity = [source, repr(sorted(made.params.items())), repr(GENERATOR_VERSION), repr(made.grad),
                repr(made.rtol), repr(made.atol), str(header.get("reference") if isinstance(
                    header.get("reference"), (str, type(None))) else "callable")]  # fmt: skip
    made.hash = hashlib.sha256("\0".join(identity).encode("utf-8")).hexdigest()[:16]
    return made


def _of_dtype(said, dtype):
    """The entry of {"f16 bf16": x} for one dtype; what is no dictionary holds for all."""
    if not isinstance(said, dict):
        return said
    return next((value for names, value in said.items() if dtype in names.split()), None)
