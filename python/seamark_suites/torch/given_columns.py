"""Results into columns of larger tensors and into other dtypes; axes of one place, and twelve axes; equations that say nothing."""

import warnings

from seamark_suites.case import case
from seamark_suites.transformed import each_of

from . import reference_indexing, reference_pointwise
from .given_results import INTO
from .methods import free
from .pointwise import each as each_name

EXTREMES = "max min"


# --- into columns


def _into_columns(name):
    def reference(np, y):
        values, places = np.zeros((5, 3)), np.full((5, 3), -1)
        values[:, 1], places[:, 1] = getattr(y, name)(1), getattr(y, "arg" + name)(1)
        return [values, places, values[:, 1], places[:, 1]]

    return reference


@each_name(EXTREMES, lambda function: _into_columns(function[6:]), dtypes="f32 i64 f64", core=False)
def into_columns_of_both(t, dtype, function):
    """The values and the places, each in the middle column of a larger tensor; the others are not touched."""
    y = t.distinct((5, 3), dtype)
    values = t.fw.zeros((5, 3), dtype=y.dtype, device=t.device)
    places = t.fw.full((5, 3), -1, dtype=t.fw.int64, device=t.device)
    made = t.call(function, y, 1, out=(values[:, 1], places[:, 1]))
    return [values, places, *made]


FORMS = {
    **INTO,
    "torch.matmul": (lambda t, f, x, out: f(x, x.T, out=out), lambda np, x: x @ x.T),
    "torch.where": (lambda t, f, x, out: f(x > 1, x, 2 * x, out=out), lambda np, x: np.where(x > 1, x, 2 * x)),
    "torch.arange": (lambda t, f, x, out: f(2, 8, 1.5, out=out), lambda np, x: np.arange(2, 8, 1.5)),
    **{"torch." + name: (lambda t, f, x, out: f(x, out=out), reference_pointwise.of("torch." + name))
       for name in ("exp", "log", "sqrt", "sin", "cos", "sigmoid")},
}  # fmt: skip


def _columns(form):
    def reference(np, x):
        made = np.asarray(form[1](np, x))
        larger = np.full((*made.shape, 3), 7.0)
        larger[..., 1] = made
        return [larger, made]

    return reference


each = each_of(FORMS)


@each(FORMS, _columns, dtypes="f32")
def into_the_middle_of_three(t, dtype, function):
    """Each number beside two others, which are not touched."""
    x, run, f = t.uniform((4, 5), dtype, 0.5, 1.5), FORMS[function][0], t.get(function)
    shape = tuple(run(t, f, x, t.fw.zeros((0,), dtype=x.dtype, device=t.device)).shape)
    larger = t.fw.full((*shape, 3), 7.0, dtype=x.dtype, device=t.device)
    made = t.call(lambda x, out: run(t, f, x, out), x, larger[..., 1])
    return [larger, made]


@each([name for name in FORMS if name not in ("torch.linspace", "torch.eye", "torch.ones", "torch.full", "torch.arange")], lambda form: "none")  # fmt: skip
def warns_of_another_size(t, function):
    """What has numbers and another size grows, with a warning; what has the size, or nothing, without."""
    x, run, f = t.uniform((4, 5), "f32", 0.5, 1.5), FORMS[function][0], t.get(function)
    kept = run(t, f, x, x.new_zeros(0))
    for size, some in ((tuple(kept.shape), False), ((0,), False), ((2,), True)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            made = t.call(lambda x, out: run(t, f, x, out), x, x.new_zeros(size))
        t.expect(any("resized" in str(one.message) for one in seen) == some, "of %s" % (size,))
        t.expect(made.shape == kept.shape, "the size of the result")
        t.expect(bool((t.host(made) == t.host(kept)).all()), "the same values")


@each_name(EXTREMES, core=False)
def not_on_another_device(t, function):
    """Results along an axis go where the numbers are; values and places on meta are refused."""
    x = t.randn((10,), "f32")
    values, places = t.call(function, x, 0)
    best = getattr(t.host(x), function[6:])()
    t.expect(float(t.host(values)) == best == t.host(x)[int(t.host(places))], "the extreme")
    t.raises(RuntimeError, t.call, function, x, 0, out=(values.to("meta"), places.to("meta")))


# --- of two tensors: dtypes


@each_name(EXTREMES, core=False)
def no_extreme_of_complex_numbers(t, function):
    """Of any dtype beside complex ones, in either order."""
    for kind in ("c64", "c128"):
        for other in ("c64", "c128", "f16", "bf16", "f32", "f64", "u8", "i8", "i32", "i64", "bool"):
            x, y = t.randn((3,), kind), t.randn((3,), other)
            t.raises((RuntimeError, NotImplementedError), t.call, function, x, y)
            t.raises((RuntimeError, NotImplementedError), t.call, function, y, x)


# Two dtypes, that of the result, and which results may be given; 0: without an axis.
GIVEN = {
    "i32 i64": "i64 i32 i16 u8 f16 bf16 f32 f64 c64",
    "f32 f64": "f64 f32 f16 bf16 c64",
    "i64 f32": "f32 f64 f16 c128",
}


@each_name(EXTREMES, lambda function: lambda np, x, y, pair: [
           reference_indexing.of_two(function)(np, x, y)] * len(GIVEN[pair].split()), pair=list(GIVEN), core=False)  # fmt: skip
def extremes_into_other_dtypes(t, pair, function):
    """A narrower or wider one of the same kind, any float and complex ones; no truths, nor integers of fractions."""
    x, y = (t.randint((5,), kind, 0, 90) for kind in pair.split())
    made = []
    for kind in GIVEN[pair].split():
        given = t.fw.zeros((5,), dtype=t.dtype(kind), device=t.device)
        t.expect(t.call(function, x, y, out=given) is given, "the given tensor")
        made.append((given.real if given.is_complex() else given).to(t.fw.float64))
    for wrong in ("bool",) if pair == "i32 i64" else ("bool", "i64"):
        given = t.fw.zeros((5,), dtype=t.dtype(wrong), device=t.device)
        t.raises(RuntimeError, t.call, function, x, y, out=given)
    return made


@each_name(EXTREMES, core=False)
def beside_a_number_without_axes(t, function):
    """A number of the same kind keeps the dtype of the tensor; a fraction beside integers brings its own."""
    for tensor, number, wanted in (
        ("f32", "f64", "f32"), ("i64", "f32", "f32"), ("i64", "f64", "f64"), ("i32", "i64", "i32"), ("f16", "f32", "f16"),
        ("bool", "i64", "i64"), ("u8", "i64", "u8"), ("bf16", "f64", "bf16"),
    ):  # fmt: skip
        x, y = t.randint((5,), tensor, 0, 2), t.const(1, number)
        for pair in ((x, y), (y, x)):
            made = t.call(function, *pair)
            t.expect(made.dtype is t.dtype(wanted), "%s %s, got %s" % (tensor, number, made.dtype))
            best = t.np.maximum if function.endswith("max") else t.np.minimum
            values = t.host(x.double())
            t.expect(bool((t.host(made.double()) == best(values, 1.0)).all()), "values")


def _halves(function):
    sign = 1 if function.endswith("max") else -1
    share = lambda np, x, y: (sign * np.sign(x - y) + 1) / 2  # noqa: E731
    best = "maximum" if sign > 0 else "minimum"
    return lambda np, x, y, pair: [getattr(np, best)(x, y), share(np, x, y), share(np, y, x)]


@each_name(EXTREMES, _halves, pair=["f32 f64", "f16 f32", "bf16 f64"], core=False)
def equals_of_two_dtypes(t, pair, function):
    """Each of equals gets half of the gradient, in its own dtype."""
    x, y = (t.const(values, kind, grad=True) for values, kind in zip(([0.0, 1.0, 2.0], [1.0] * 3), pair.split()))  # fmt: skip
    made = t.call(function, x, y)
    slopes = t.fw.autograd.grad(made.sum(), (x, y))
    t.expect(all(one.dtype is t.dtype(kind) for one, kind in zip(slopes, pair.split())), "dtypes")
    return [made.detach().double(), *(one.double() for one in slopes)]


# --- axes of one place, and many axes

OVER = {
    **{"torch." + name: (lambda t, f, x, *at, **keep: list(f(x, *at, **keep)), None) for name in ("max", "min")},
    "torch.mean": (lambda t, f, x, *at, **keep: [f(x, *at, **keep)], lambda np, x: x),
    "torch.Tensor.sum": (lambda t, f, x, *at, **keep: [f(x, *at, **keep)], lambda np, x: x),
    "torch.Tensor.norm": (lambda t, f, x, axis, **keep: [f(x, 2, axis, **keep)], lambda np, x: abs(x)),
}  # fmt: skip


def _of_one_place(form):
    def reference(np, x, y):
        made = []
        for flat, kept in (
            (x[:, 0], x), (x[:, 0], x), (y[0], y), (y[0], y),
            (x[:, 0], x.transpose(0, 2, 1)),
        ):  # fmt: skip
            for value in (flat, kept):
                made += [form[1](np, value)] if form[1] else [value, 0 * value]
        return made

    return reference


each_over = each_of(OVER)


@each_over(OVER, _of_one_place, dtypes="f32 bf16 i64", trivial=True)
def along_an_axis_of_one_place(t, dtype, function):
    """In the middle, by its negative number, of a vector, behind a transpose; without the axis and with it."""
    if dtype == "i64" and function in ("torch.mean", "torch.Tensor.norm"):
        dtype = "f64"
    f, x, y = t.get(function), t.randn((3, 1, 5), dtype), t.randn((1,), dtype)
    made = []
    for one, axis in ((x, 1), (x, -2), (y, 0), (y, -1), (x.transpose(1, 2), 2)):
        for keep in (False, True):
            run = lambda one, axis=axis, keep=keep: OVER[function][0](t, f, one, axis, keepdim=keep)  # noqa: E731
            made += t.call(run, one)
    return made


@case("torch.Tensor.norm", core=False, reference="none")
def no_norm_of_65_axes(t):
    """Along one of them; of 64 there is one."""
    x = t.const(2.5, "f32")
    for axis in (64, -1):
        t.raises(RuntimeError, t.call, "torch.Tensor.norm", x.reshape([1] * 65), dim=axis)
    made = t.call("torch.Tensor.norm", x.reshape([1] * 64), dim=63)
    t.expect(made.dim() == 63 and t.host(made).reshape(-1).tolist() == [2.5], "of 64")


POINTS = "abs exp log cos clamp Tensor.exp Tensor.log Tensor.cos Tensor.sigmoid Tensor.clamp"


def _point(function):
    if function.endswith("clamp"):
        return lambda np, x: np.clip(x, 0.8, 1.5)
    return reference_pointwise.of(free(function)) if "Tensor" in function else reference_pointwise.of(function)  # fmt: skip


@each_name(POINTS, lambda function: lambda np, x, y: [
           _point(function)(np, one) for one in (x[:1], y[:1, :50], x.transpose(), y[:, 1::7])], dtypes="f32 f64 bf16", core=False)  # fmt: skip
def of_points_of_twelve_axes(t, dtype, function):
    """Some have one place; a row whose step is that of a longer one; every seventh number."""
    x = t.uniform((5, 2, 3, 1, 2, 1, 3, 2, 1, 2, 1, 2), dtype, 0.5, 2)
    y, more = t.uniform((5, 100), dtype, 0.5, 2), ((0.8, 1.5) if function.endswith("clamp") else ())
    views = x[:1], y[:1, :50], x.permute(*range(11, -1, -1)), y[:, 1::7]
    return [t.call(function, one, *more) for one in views]


TWO = {
    "torch.max": (lambda f, x, y: f(x, y), lambda np, x, y: np.maximum(x, y)),
    "torch.min": (lambda f, x, y: f(x, y), lambda np, x, y: np.minimum(x, y)),
    "torch.where": (lambda f, x, y: f(x > 1, x, y), lambda np, x, y: np.where(x > 1, x, y)),
    "torch.Tensor.add_": (lambda f, x, y: f(x.clone(), y), lambda np, x, y: x + y),
    "torch.Tensor.mul_": (lambda f, x, y: f(x.clone(), y), lambda np, x, y: x * y),
    "torch.Tensor.masked_fill": (lambda f, x, y: f(x, y > 1, 7), lambda np, x, y: np.where(y > 1, 7, x)),
}  # fmt: skip
each_two = each_of(TWO)


@each_two(TWO, lambda form: lambda np, x, y, v, w: [form[1](np, a, b) for a, b in (
          (x[:1], y[:1]), (v[:1, :50], w[:1, :50]), (x.transpose(), y.transpose()), (v[:, 1::7], w[:, :15]))], dtypes="f32 f64 i64")  # fmt: skip
def of_two_of_twelve_axes(t, dtype, function):
    """Some have one place; rows whose step is that of a longer one; every seventh number beside the first."""
    draw = lambda shape: t.randint(shape, dtype, 0, 9)  # noqa: E731
    x, y = (draw((5, 2, 3, 1, 2, 1, 3, 2, 1, 2, 1, 2)) for _ in range(2))
    v, w = (draw((5, 100)) for _ in range(2))
    turned = tuple(range(11, -1, -1))
    pairs = (x[:1], y[:1]), (v[:1, :50], w[:1, :50]), (x.permute(turned), y.permute(turned)), (v[:, 1::7], w[:, :15])  # fmt: skip
    f = t.get(function)
    return [t.call(lambda a, b: TWO[function][0](f, a, b), *pair) for pair in pairs]


# --- places of whole rows, equations, products


@case("torch.gather", dtypes="f32 f64 bf16 i64", core=False, reference=lambda np, *drawn: [
      np.take_along_axis(x, np.broadcast_to(i[:, None].T.reshape(1, -1, *[1] * (x.ndim - 2)), (1, *x.shape[1:])), 0)
      for x, i in zip(drawn[::2], drawn[1::2])])  # fmt: skip
def by_one_row_of_places(t, dtype):
    """An index of one row, whose steps are of one and none: for each column its own place, for all axes behind the same."""
    made = []
    for shape in ((50, 17), (50, 1), (50, 8, 7), (50, 3, 4, 5)):
        x, i = t.randn(shape, dtype), t.randint((shape[1],), "i64", 0, 50)
        index = i.unsqueeze(1).t()
        for _ in shape[2:]:
            index = index.unsqueeze(-1)
        made.append(t.call("torch.gather", x, 0, index.expand(1, *shape[1:])))
    return made


@case("torch.gather", dtypes="f32 i64 bf16", core=False, reference=lambda np, x, i: [x[np.arange(5), 0][:, None], x[i[:, 0], 0][:, None]])  # fmt: skip
def by_one_column_of_places(t, dtype):
    """An index of one column, whose step is one and none, is no line of whole rows."""
    x, i = t.randn((5, 5), dtype), t.randint((5, 1), "i64", 0, 5)
    along = t.fw.arange(5, device=t.device).view(5, 1)
    return [t.call("torch.gather", x, 0, along), t.call("torch.gather", x, 0, i)]


@case("torch.einsum", core=False, reference="none")
def points_that_are_no_ellipsis(t):
    """Points with blanks between them, a second ellipsis, more letters than axes, digits; in the operand and in the result."""
    x, y = t.randn((2,), "f32"), t.randn((2, 3), "f32")
    for equation in (
        ". . .", ". ..", "... ...", "..", "a->... .", "a->..", "a->.", "ai...", "...ai", "a->1", "1", "a->aa", "a->i", "", "ai", "a-", "a->a->a",
        "a>a", "->", "a,->", ",a",
    ):  # fmt: skip
        t.raises(RuntimeError, t.call, "torch.einsum", equation, x)
    for equation, operands in (("aa", (y,)), ("a, ba", (x, y)), (",", (x,)), ("", (x, x))):  # fmt: skip
        t.raises(RuntimeError, t.call, "torch.einsum", equation, *operands)
    for place in (-1, 52):
        t.raises(ValueError, t.call, "torch.einsum", x, [place])
    t.raises(ValueError, t.call, "torch.einsum", "", [])
    made = t.call("torch.einsum", "...a -> a ...", y)
    t.expect(bool((t.host(made) == t.host(y).T).all()), "an ellipsis")


@case("torch.einsum", dtypes="f32 f64", core=False, reference=lambda np, w, x, b: x @ w.T + b)
def in_the_order_of_the_result(t, dtype):
    """What is added to a product lies as the product does: rows one behind the other."""
    w, x, b = t.randn((5, 3), dtype), t.randn((2, 3), dtype), t.randn((5,), dtype)
    made = t.call("torch.einsum", "fd,bd->bf", w, x) + b
    t.expect(made.stride() == (5, 1), "in order")
    return made


@case(
    "torch.matmul",
    dtypes="f32",
    core=False,
    reference=lambda np, a, b: [a @ np.swapaxes(b, 1, 2)] * 2,
)
def into_moved_axes(t, dtype):
    """Into memory of another order; of what learns only where no gradient is kept."""
    a, b = t.randn((1, 25, 12), dtype, grad=True), t.randn((4, 8, 12), dtype, grad=True)
    flat, made = b.transpose(-1, -2), []
    c = t.fw.zeros((25, 4, 8), dtype=a.dtype, device=t.device).movedim(1, 0)
    t.raises(RuntimeError, t.call, "torch.matmul", a, flat, out=c)
    made.append(t.call("torch.matmul", a.detach(), flat.detach(), out=c).clone())
    with t.fw.no_grad():
        c.zero_()
        made.append(t.call("torch.matmul", a, flat, out=c))
    t.expect(made[1].stride() == c.stride() and c.stride() == (8, 32, 1), "its own order")
    return made
