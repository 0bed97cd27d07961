"""Suites that are a trace: the calls that a program made, as `seamark audit --trace` recorded them (docs/audit.md).

A call has the program's function, constants, dtypes, shapes and strides; the values of its tensors are drawn. An argument is a
constant as it stands, or a list that starts with its kind:

    ["tensor", DTYPE, SHAPE, STRIDES, NEEDS_GRADIENT]   ["same", N]: the Nth tensor of the call once more
    ["data", DTYPE, SHAPE]     what was numbers of the user's in Python or NumPy
    ["list", ...], ["tuple", ...], ["size", ...], ["dict", {}], ["slice", START, STOP, STEP], ["ellipsis"]
    ["dtype", NAME], ["device"], ["constant", "torch.preserve_format"], ["float", "inf"], ["complex", RE, IM]

Of TensorFlow a call is an operation of `tf.raw_ops`. Of JAX it is an equation of a compiled program: `primitive` names what is bound, with `kwargs` as its parameters. Besides:

    ["key", SHAPE]   ["enum", CLASS, NAME]   ["struct", CLASS, {FIELD: VALUE}]
"""

import functools
import json
from typing import List, Optional

from seamark_agent import frameworks
from seamark_agent.compare import Skip

from .auto._opinfo_samples import NAMES
from .automatic import generated
from .case import Case, SuiteError, parse_shape, shape_name

SCHEMA = "seamark-trace/1"
VERSION = 2  # of how values are drawn, and what is compared
_ROOTS = {one["name"]: one["root"] for one in frameworks.KNOWN}
_SHORT = {long: short for short, long in NAMES.items()}


def _words(text):
    return frozenset(text.split())


# Values that were never written, and factors that are free up to a sign or a basis: structure, shape and dtype are compared.
_OPEN = _words(
    """empty empty_like new_empty empty_strided new_empty_strided resize_ svd eig eigh qr geqrf lobpcg svd_lowrank
    pca_lowrank"""
)
# Operations whose result is made of the bits of its argument.
_OF_BITS = _words(
    "Bitcast bitcast_convert_type nextafter reduce_precision random_bits random_split"
)
# What depends on which of equal values comes first.
_ORDERED = _words(
    "sort msort argsort topk argmax argmin max min median nanmedian mode kthvalue cummax cummin unique_consecutive"
)


def is_trace(path: str) -> bool:
    return path.endswith(".json")


def load(path: str, suite: str, framework: Optional[str]) -> List[Case]:
    """The cases of a trace. SuiteError where the file is none."""
    try:
        with open(path, encoding="utf-8") as stream:
            found = json.load(stream)
        if found.get("schema") != SCHEMA:
            raise ValueError("its schema is %r, expected %s" % (found.get("schema"), SCHEMA))
        if framework not in (None, found["framework"]):
            return []
        made = [_case(call, found["framework"]) for call in found["calls"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise SuiteError(
            "suite %s is no trace: %s: %s" % (path, type(error).__name__, error)
        ) from None
    for one in made:
        one.suite = suite
    return made


def _case(call, framework):
    function, args, kwargs = call["function"], call["args"], call["kwargs"]
    primitive = call.get("primitive", "")
    if function.split(".")[0] != _ROOTS[framework]:
        raise ValueError("%r is no function of %s" % (function, framework))
    tensors = _tensors([args, kwargs], [])
    floats = [one for one in tensors if _kind(one[1]) == "float"]
    first = (floats or tensors or [None])[0]
    dtype = None if first is None else _SHORT[first[1]]
    params = {"function": function, "args": args, "kwargs": kwargs, "dtype": dtype,
              "primitive": primitive, "fresh": bool(call.get("inner"))}  # fmt: skip
    made = generated(
        function, traced, params, [str(label) for label in call["labels"]], [VERSION, json.dumps(call, sort_keys=True)],
        dtype=dtype, shape=None if first is None else parse_shape(shape_name(first[2])),
        grad=bool(call.get("grad")), host_only=bool(call.get("host")),
        reference=_reference(function, primitive), trivial="weak", random="detect",
        slack="cpu", exists=lambda: True, script="the values of its tensors are drawn to suit the call",
    )  # fmt: skip
    made.framework = framework
    return made


def _reference(function, primitive):
    """What a result is compared with: its shapes alone, the same dtype on the CPU, a wider one."""
    last = primitive or function.rsplit(".", 1)[1]
    if last in _OPEN or "Random" in last:
        return "shapes"
    return "native" if last in _OF_BITS else None


def traced(t, function, args, kwargs, dtype, primitive, fresh):
    """The call, with the first way of drawing that the plain CPU takes and that leaves its result finite.

    Gives its result and the tensors that it changes beside it, such as running statistics."""
    call = (function, args, kwargs, dtype, primitive, fresh)
    style, changed = _style(t, call)
    callee, given, named, made = _made(t, style, *call)
    try:
        result = t.call(callee, *given, **named)
    except Exception as error:
        if t.place != "wide":
            raise
        raise Skip("it does not run in a wider type: %s" % error) from error
    return (result, [made[at] for at in changed]) if changed else result


def _style(t, call):
    """(the way of drawing, which of the tensors that are made change)."""
    runs, said = None, ""
    for style in STYLES:
        try:
            result, changed = t.on_cpu(lambda cpu, style=style: _called(cpu, style, *call))
        except Exception as error:
            said = said or "%s: %s" % (type(error).__name__, error)
            continue
        if all(bool(t.np.isfinite(one).all()) for one in result):
            return style, changed
        runs = runs or (style, changed)
    if runs is None:
        raise Skip("with drawn values it does not run on the CPU either: " + said[:300])
    return runs


def _called(t, *call):
    callee, given, named, made = _made(t, *call)
    before = [t.host(one).tobytes() for one in made]
    result = t.call(callee, *given, **named)
    leaves = [leaf for _, leaf in t._adapter.flatten(result) if t._adapter.is_array(leaf)]
    changed = [
        at for at, one in enumerate(made)
        if t.host(one).tobytes() != before[at] and not any(leaf is one for leaf in leaves)
    ]  # fmt: skip
    return [t.host(leaf) for leaf in leaves], changed


def _made(t, style, function, args, kwargs, dtype, primitive, fresh):
    maker = _Maker(t, style, function, args, kwargs, dtype)
    given = [maker.make(one) for one in args]
    named = {key: maker.make(kwargs[key]) for key in kwargs}
    if primitive:
        return _bound_primitive(t, primitive, function, named), given, {}, maker.made
    called, changes = t.get(function), _changes(function) or kwargs.get("inplace") is True
    copies = fresh and changes and any(one[4] for one in maker.tensors)

    def call(*given, **named):
        if (
            copies
        ):  # what needs a gradient is changed as the program did it, where it was a result itself
            given = (given[0].clone(),) + given[1:]
        result = called(*given, **named)
        return given[0] if result is None and given else result

    call.__name__ = function.rsplit(".", 1)[1]
    return call, given, named, maker.made


def _bound_primitive(t, primitive, function, params):
    if primitive.startswith("scatter"):  # the function makes the program that joins two values
        bound = functools.partial(t.get(function), **params)
    else:
        bound = functools.partial(_primitives()[primitive].bind, **params)

    def call(*arrays):
        return bound(*arrays)

    call.__name__ = function.rsplit(".", 1)[1]
    return call


@functools.lru_cache(maxsize=None)
def _primitives():
    """JAX's primitives by name."""
    from jax._src.interpreters import mlir
    from jax.extend.core import Primitive, primitives

    platforms = getattr(mlir, "_platform_specific_lowerings", {}).values()
    tables = [getattr(mlir, "_lowerings", {}), *platforms]
    found = {one.name: one for table in tables for one in table}
    found.update({one.name: one for one in vars(primitives).values() if isinstance(one, Primitive)})
    return found


def _changes(function):
    last = function.rsplit(".", 1)[1]
    return last == "__setitem__" or (last.startswith("__i") and last != "__invert__") or (
        last.endswith("_") and not last.endswith("__")
    )  # fmt: skip


# -- values ---------------------------------------------------------------------------------------

# Functions that take the sizes of the batches of a PackedSequence.
_PACKED = _words("lstm gru rnn_tanh rnn_relu")

# Ways to draw, in the order in which they are tried.
STYLES = ("normal", "unit", "positive", "definite", "zero")

# Functions of numbers from 0 to 1, of positive ones, of matrices that are definite: tried so first.
_FIRST = {
    "unit": """binary_cross_entropy bernoulli bernoulli_ logit erfinv asin acos arcsin arccos atanh arctanh poisson""",
    "positive": """log log2 log10 log1p sqrt rsqrt pow __pow__ __rpow__ float_power lgamma digamma xlogy acosh arccosh multinomial
        standard_gamma addcdiv addcdiv_ sqrt_ rsqrt_ log_ poisson_nll_loss gaussian_nll_loss div div_ true_divide __truediv__
        __rtruediv__ reciprocal reciprocal_ batch_norm instance_norm""",
    "definite": """cholesky cholesky_ex cholesky_solve cholesky_inverse inv inverse inv_ex solve logdet slogdet det""",
}
_STYLE_OF = {name: style for style, names in _FIRST.items() for name in names.split()}


class _Maker:
    """Makes the arguments of one call."""

    def __init__(self, t, style, function, args, kwargs, dtype):
        self.t, self.dtype, self.made = t, dtype, []
        self.tensors = _tensors([args, kwargs], [])
        self.last = function.rsplit(".", 1)[1]
        own = _STYLE_OF.get(self.last)
        order = ([own] if own else []) + [one for one in STYLES if one != own]
        self.style = order[STYLES.index(style)]
        self.main = next(
            (one[1] for one in self.tensors if dtype and _kind(one[1]) == "float"), None
        )
        self.bound = _bound(self.last, args, kwargs, self.tensors)

    def make(self, spec):
        if isinstance(spec, dict):
            return {key: self.make(value) for key, value in spec.items()}
        if not isinstance(spec, list):
            return spec
        kind, rest = spec[0], spec[1:]
        if kind == "tensor" and rest[0] == "int64" and self.last in _PACKED:
            self.made.append(self.batch_sizes(rest[1][0]))
            return self.made[-1]
        if kind == "tensor":
            self.made.append(self.tensor(*rest))
            return self.made[-1]
        if kind == "same":
            return self.made[rest[0]]
        if kind in ("list", "tuple"):
            items = [self.make(one) for one in rest]
            return tuple(items) if kind == "tuple" else items
        if kind == "dict":
            return self.make(rest[0])
        if kind == "key":
            return self.key(*rest)
        if kind == "struct":
            return self.t.get(rest[0])(**self.make(rest[1]))
        if kind == "slice":
            return slice(*[self.make(one) for one in rest])
        if kind == "data":
            return self.data(*rest)
        return self.plain(kind, rest)

    def plain(self, kind, rest):
        if kind == "ellipsis":
            return Ellipsis
        if kind == "size":
            return self.t.fw.Size(rest)
        if kind == "dtype":
            return self.t.dtype(self.of(rest[0]))
        if kind == "device":
            return self.t.fw.device(self.t.device)
        if kind == "float":
            return float(rest[0])
        if kind == "complex":
            return complex(*rest)
        if kind == "constant":
            return self.t.get(rest[0])
        if kind == "enum":
            return getattr(self.t.get(rest[0]), rest[1])
        raise ValueError("no argument is of kind %r" % kind)

    def key(self, shape):
        random = self.t.get("jax.random")
        return random.split(random.key(0), tuple(shape)) if shape else random.key(0)

    def of(self, long):
        """A dtype's name here; that of the case may have been widened."""
        return self.dtype if long == self.main else _SHORT[long]

    def tensor(self, long, shape, strides, grad):
        dtype = self.of(long)
        order = sorted(range(len(shape)), key=lambda axis: (-strides[axis], axis))
        spread = [axis for axis in range(len(shape)) if strides[axis] == 0 and shape[axis] > 1]
        stored = [1 if axis in spread else shape[axis] for axis in order]
        made = self.draw(tuple(stored), dtype, grad, self.has_gaps(shape, strides))
        if order != list(range(len(shape))):
            made = made.permute([order.index(axis) for axis in range(len(shape))])
        return made.expand(shape) if spread else made

    def batch_sizes(self, steps):
        """Of a PackedSequence: they fall, add up to its rows, begin with the batch's size, and are on the host."""
        rows, batch = self.tensors[0][2][0], self.tensors[2][2][-2]
        sizes, left = [1] * steps, rows - steps
        for step in range(steps):
            more = min(left, batch - 1)
            sizes[step], left = 1 + more, left - more
        return self.t.fw.tensor(sizes)

    @staticmethod
    def has_gaps(shape, strides):
        expected = 1
        for stride, size in sorted((s, n) for s, n in zip(strides, shape) if n > 1 and s):
            if stride != expected:
                return True
            expected = stride * size
        return False

    def draw(self, shape, dtype, grad, gaps):
        t, style = self.t, self.style
        if _kind(dtype) == "bool":
            return t.randint(shape, dtype, 0, 2, noncontiguous=gaps)
        if self.last in _ORDERED and style == "normal":
            return t.distinct(shape, dtype, grad=grad, noncontiguous=gaps)
        if _kind(dtype) == "int":
            low, high = (1, max(2, self.bound)) if style == "positive" else (0, self.bound)
            return t.randint(shape, dtype, low, 1 if style == "zero" else high, noncontiguous=gaps)
        if style == "definite" and len(shape) > 1 and shape[-1] == shape[-2]:
            return t.spd(shape[-1], dtype, batch=shape[:-2], grad=grad, noncontiguous=gaps)
        if style == "normal" or style == "definite":
            return t.randn(shape, dtype, grad=grad, noncontiguous=gaps)
        low, high = {"unit": (0.05, 0.95), "positive": (0.5, 2.0)}.get(style, (0.0, 0.0))
        return t.uniform(shape, dtype, low, high, grad=grad, noncontiguous=gaps)

    def data(self, long, shape):
        """Numbers in lists; as indices they are none beyond the second."""
        np = self.t.np
        count = int(np.prod(shape)) if shape else 1
        values = np.arange(count).reshape(shape) % (1 if self.style == "zero" else 2)
        kind = _kind(_SHORT.get(long, "f32"))
        if kind == "float":
            return (values + 0.5).tolist()
        return values.astype("bool" if kind == "bool" else "int64").tolist()


def _kind(name):
    """float (complex too), int or bool, of f32 or float32."""
    if name == "bool":
        return "bool"
    return "int" if name.lstrip("u")[:1] == "i" or name[0] == "u" else "float"


def _tensors(spec, found):
    if isinstance(spec, dict):
        spec = list(spec.values())
    if isinstance(spec, list):
        if spec[:1] == ["tensor"]:
            found.append(spec)
        else:
            for one in spec:
                _tensors(one, found)
    return found


def _bound(last, args, kwargs, tensors):
    """What integers stay below: they may be indices into any of the tensors."""
    shapes = [one[2] for one in tensors if one[2]]
    given = [one for one in args if isinstance(one, list) and one[:1] == ["tensor"]]
    if last in ("embedding", "embedding_bag") and len(given) > 1:
        return max(1, given[1][2][0])
    if last in ("cross_entropy", "nll_loss") and given and len(given[0][2]) > 1:
        return max(1, given[0][2][1])
    if last == "one_hot":
        classes = kwargs.get("num_classes", args[1] if len(args) > 1 else -1)
        return classes if isinstance(classes, int) and classes > 0 else 8
    floats = [one[2] for one in tensors if one[2] and _kind(one[1]) == "float"]
    sizes = [size for shape in floats or shapes for size in shape if size > 0]
    return max(1, min(sizes)) if sizes else 8
