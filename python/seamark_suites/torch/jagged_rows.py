"""Jagged tensors, whose examples differ in one length: functions along each axis, of views and of gaps, what they refuse."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of

from .pointwise import each as each_name
from .reference import with_gradient
from .strided_rows import LENGTHS, by_example, softmax, unbound

_SINCE = ("2.6", "functions of jagged tensors")


def ragged(t, rows):
    return t.fw.nested.as_nested_tensor(list(rows), layout=t.fw.jagged)


def _layer(np, x, axes):
    centered = x - x.mean(axes, keepdims=True)
    return centered / np.sqrt((centered**2).mean(axes, keepdims=True) + 0.5)


def _rms(np, x, axes):
    return x / np.sqrt((x**2).mean(axes, keepdims=True) + 1e-5)


# What is called of examples of rows of 2x3, and what each of them gives. With the layer's dtype.
ROWS = {
    **dict.fromkeys(("torch.nn.functional.softmax", "torch.Tensor.softmax"), (
        lambda t, f, x, at: [f(x, -1), f(x, 2), f(x, 1)], lambda np, x: [softmax(np, x, 2), softmax(np, x, 1), softmax(np, x, 0)])),
    "torch.nn.LayerNorm": (lambda t, f, x, at: [f(3, eps=0.5, **at)(x), f((2, 3), eps=0.5, **at)(x)], lambda np, x: [_layer(np, x, 2), _layer(np, x, (1, 2))]),
    "torch.nn.RMSNorm": (lambda t, f, x, at: [f(3, eps=1e-5, **at)(x), f((2, 3), eps=1e-5, **at)(x)],
                         lambda np, x: [_rms(np, x, 2), _rms(np, x, (1, 2))]),
    "torch.Tensor.chunk": (lambda t, f, x, at: [*f(x, 3, -1), *f(x, 2, 2)], lambda np, x: [*np.split(x, 3, -1), *np.split(x, 2, 1)]),
    "torch.Tensor.squeeze": (lambda t, f, x, at: [f(x.unsqueeze(2), 2), f(x.unsqueeze(-1), -1), f(x, -1)], lambda np, x: [x] * 3),
    "torch.Tensor.unsqueeze": (lambda t, f, x, at: [f(x, axis) for axis in (1, 2, 3, -1)],
                               lambda np, x: [x[None], x[:, None], x[:, :, None], x[..., None]]),
    "torch.Tensor.transpose": (lambda t, f, x, at: [f(x, 2, 3), f(x, 1, 2), f(x, -1, 1)],
                               lambda np, x: [x.transpose(0, 2, 1), x.transpose(1, 0, 2), x.transpose(2, 1, 0)]),
    "torch.Tensor.permute": (lambda t, f, x, at: [f(x, 0, 2, 1, -1), f(x, 0, 3, 2, 1), f(f(x, 0, 2, 1, 3), 0, 2, 1, 3)],
                             lambda np, x: [x.transpose(1, 0, 2), x.transpose(2, 1, 0), x]),
    "torch.Tensor.flatten": (lambda t, f, x, at: [f(x, -2, -1), f(x.unsqueeze(-1), 2, 3)], lambda np, x: [x.reshape(-1, 6), x.reshape(-1, 6, 1)]),
    "torch.Tensor.view": (lambda t, f, x, at: [f(x, 3, -1, 6), f(x, -1, -1, 6), f(x, -1, -1, 3, 2)],
                          lambda np, x: [x.reshape(-1, 6)] * 2 + [x.reshape(-1, 3, 2)]),
    "torch.Tensor.reshape": (lambda t, f, x, at: [f(x, -1, -1, 6), f(x.transpose(2, 3), -1, -1, 6)],
                             lambda np, x: [x.reshape(-1, 6), x.transpose(0, 2, 1).reshape(-1, 6)]),
    "torch.Tensor.expand": (lambda t, f, x, at: [f(x.unsqueeze(-1), -1, -1, 2, 3, 4), f(x.unsqueeze(2), -1, -1, 5, 2, 3)],
                            lambda np, x: [np.repeat(x[..., None], 4, -1), np.repeat(x[:, None], 5, 1)]),
    "torch.Tensor.repeat_interleave": (lambda t, f, x, at: f(x, 2, 3), lambda np, x: x.repeat(2, 2)),
    "torch.Tensor.unbind": (lambda t, f, x, at: [2 * one for one in f(x.transpose(1, 3))], lambda np, x: 2 * x.transpose(2, 1, 0)),
    "torch.Tensor.add_": (lambda t, f, x, at: [f(x * 1, x, alpha=2), f(x * 1, 2.5)] + [f(x * 1, one) for one in _spread(t, at)],
                          lambda np, x: [3 * x, x + 2.5] + [x + one for one in _spread_too(np)]),
    "torch.Tensor.mul_": (lambda t, f, x, at: [f(x * 1, x), f(x * 1, 2.5)] + [f(x * 1, one) for one in _spread(t, at)],
                          lambda np, x: [x * x, 2.5 * x] + [x * one for one in _spread_too(np)]),
    **dict.fromkeys(("torch.clamp", "torch.Tensor.clamp"), (lambda t, f, x, at: [f(x, 0.8, 1.5), f(x, max=1.2)],
                                                            lambda np, x: [np.clip(x, 0.8, 1.5), np.minimum(x, 1.2)])),
}  # fmt: skip
for _name in ("max", "min"):
    ROWS["torch." + _name] = (
        lambda t, f, x, at: f(x, 2.5 - x),
        lambda np, x, of=_name + "imum": getattr(np, of)(x, 2.5 - x),
    )


def _spread_too(np):
    return [np.arange(1.0, 4), np.arange(1.0, 3)[:, None], np.arange(1.0, 3)[None, :, None], np.arange(1.0, 4)[None, None]]  # fmt: skip


def _spread(t, at):
    """What is broadcast to each example: a row, a column, with axes in front."""
    return [t.fw.tensor(one.tolist(), **at) for one in _spread_too(t.np)]


each = each_of(ROWS)
# Whose gradient, or that of an axis that they take, this layout has not.
FORWARD = ["torch.Tensor.squeeze", "torch.Tensor.unsqueeze", "torch.max", "torch.min", "torch.nn.functional.softmax", "torch.Tensor.softmax"]  # fmt: skip


@each([name for name in ROWS if name not in FORWARD], lambda form: with_gradient(by_example(form)), dtypes="f32 f64", grad=True, since=_SINCE)  # fmt: skip
def of_jagged_examples(t, dtype, function):
    """Three of two, four and one matrix, with the gradient of each."""
    f, at = t.get(function), {"dtype": t.dtype(dtype), "device": t.device}
    run = lambda *rows: unbound(ROWS[function][0](t, f, ragged(t, rows), at))  # noqa: E731
    return t.call(run, *(t.uniform((n, 2, 3), dtype, 0.5, 2) for n in LENGTHS))


@each(FORWARD, by_example, dtypes="f32 f64", since=_SINCE)
def values_of_jagged_examples(t, dtype, function):
    """Three of two, four and one matrix."""
    f = t.get(function)
    run = lambda *rows: unbound(ROWS[function][0](t, f, ragged(t, rows), {}))  # noqa: E731
    return t.call(run, *(t.uniform((n, 2, 3), dtype, 0.5, 2) for n in LENGTHS))


def _last(np, *rows):
    return [softmax(np, x, 1) for x in rows]


@each_name("nn.functional.softmax Tensor.softmax", lambda _: with_gradient(_last), dtypes="f32 f64", grad=True, core=False, since=_SINCE)  # fmt: skip
def shares_of_jagged_rows(t, dtype, function):
    """Along the last axis, with the gradient."""
    f = t.get(function)
    run = lambda *rows: list(f(ragged(t, rows), -1).unbind())  # noqa: E731
    return t.call(run, *(t.randn((n, 6), dtype) for n in LENGTHS))


def _products(np, a, b, c, w, ws, y):
    rows = a, b, c
    parts = (
        [x @ w for x in rows],
        [x @ one for x, one in zip(rows, ws)],
        [one @ x.T for x, one in zip(rows, y)],
    )
    return [*parts[0], *parts[1], *parts[2], np.stack([x.T @ x for x in rows])]


@case("torch.matmul", dtypes="f32 f64", grad=True, core=False, since=_SINCE, reference=with_gradient(_products))  # fmt: skip
def of_jagged_matrices(t, dtype):
    """By one matrix, by one for each example, of one for each by their transposes; of their transposes by themselves."""
    matmul = t.get("torch.matmul")

    def run(a, b, c, w, ws, y):
        x = ragged(t, (a, b, c))
        flat = x.transpose(1, 2)
        nested = matmul(x, w), matmul(x, ws), matmul(y, flat)
        return [*(part for one in nested for part in one.unbind()), matmul(flat, x)]

    rows = [t.randn((n, 6), dtype) for n in LENGTHS]
    return t.call(run, *rows, t.randn((6, 2), dtype), t.randn((3, 6, 2), dtype), t.randn((3, 5, 6), dtype))  # fmt: skip


@case("torch.split", dtypes="f32 i64", core=False, since=_SINCE, reference=lambda np, *rows: [part for make in (
      lambda x: x[..., :2], lambda x: x[..., 2:], lambda x: x[..., :1], lambda x: x[..., 1:], lambda x: x[:, :1], lambda x: x[:, 1:]) for part in map(make, rows)])  # fmt: skip
def parts_of_jagged_examples(t, dtype):
    """By a size and by sizes, along the last axis and the one before."""
    x, split = ragged(t, [t.randn((n, 2, 3), dtype) for n in LENGTHS]), t.get("torch.split")
    return t.call(lambda x: unbound([*split(x, 2, -1), *split(x, [1, 2], -1), *split(x, 1, 2)]), x)


# --- along the axis whose lengths differ


def _over(name):
    def reference(np, *rows):
        over = lambda x, axis: getattr(x, name)(axis)  # noqa: E731
        whole = np.concatenate(rows)
        parts = [over(x, axis) for axis in (1, 2, (1, 2)) for x in rows]
        return [np.stack([over(x, 0) for x in rows]), np.stack([over(x.transpose(1, 0, 2), 1) for x in rows]), over(whole, 0),
                over(whole, (0, 2)), over(whole, (0, 1, 2)), *parts]  # fmt: skip

    return reference


@each_name("mean Tensor.sum", lambda function: _over(function.rpartition(".")[2]), dtypes="f32 f64", core=False, since=_SINCE)  # fmt: skip
def over_axes_of_matrices(t, dtype, function):
    """Over the ragged axis, also where it lies behind; with the examples, and with others too; over those of each alone."""
    f = t.get(function)

    def run(*rows):
        x = ragged(t, rows)
        kept = [part for axes in (2, 3, (2, 3)) for part in f(x, axes).unbind()]
        return [f(x, 1), f(x.transpose(1, 2), 2), f(x, (0, 1)), f(x, (0, 1, 3)), f(x, (0, 1, 2, 3)), *kept]  # fmt: skip

    return t.call(run, *(t.uniform((n, 2, 3), dtype, 0.5, 2) for n in LENGTHS))


def _extremes(name):
    def reference(np, *rows):
        best, at = (lambda x, axis: getattr(x, name)(axis)), (lambda x, axis: getattr(x, "arg" + name)(axis))  # fmt: skip
        along = [made(x, 1) for made in (best, at) for x in rows]
        return [*along, np.stack([best(x, 0) for x in rows]), np.stack([at(x, 0) for x in rows]), best(np.concatenate(rows), None)]  # fmt: skip

    return reference


@each_name("max min", lambda function: _extremes(function[6:]), dtypes="f32 i64", core=False, since=_SINCE)  # fmt: skip
def extremes_of_jagged_rows(t, dtype, function):
    """Along the last axis, along the ragged one, of all, with their places; not along the examples."""
    f = t.get(function)
    rows = [t.distinct((n, 6), dtype) for n in LENGTHS]
    x = ragged(t, rows)
    t.raises(RuntimeError, t.call, function, x, 0)

    def run(x):
        last, first = f(x, -1), f(x, 1)
        return [*last[0].unbind(), *last[1].unbind(), *first, f(x)]

    return t.call(run, x)


# --- examples with gaps between them

_FROM, _LONG = (0, 8, 12, 13, 16), (6, 2, 1, 2)


def _with_gaps(t, values):
    at = {"device": t.device}
    return t.fw.nested.nested_tensor_from_jagged(values, t.fw.tensor(_FROM, **at), t.fw.tensor(_LONG, **at))  # fmt: skip


@case("torch.Tensor.unbind", dtypes="f32 i64", core=False, since=_SINCE, reference=lambda np, x: [
      x[first : first + n] for first, n in zip(_FROM, _LONG)])  # fmt: skip
def examples_with_gaps(t, dtype):
    """Of the lengths that are said, as views of the values."""
    return list(
        t.call(lambda x: t.get("torch.Tensor.unbind")(_with_gaps(t, x)), t.randn((16, 3), dtype))
    )


GAPS = {
    "torch.nn.functional.softmax": lambda f, x, axis: f(x, axis),
    "torch.Tensor.softmax": lambda f, x, axis: f(x, axis),
    "torch.Tensor.sum": lambda f, x, axis: f(x, axis),
    "torch.mean": lambda f, x, axis: f(x, axis, keepdim=True),
}
each_gap = each_of(GAPS)


@each_gap(GAPS, lambda form: "none", since=_SINCE)
def not_across_gaps(t, function):
    """Along the last axis, not along the one with gaps."""
    f, x = t.get(function), _with_gaps(t, t.uniform((16, 5), "f32", 0.5, 2))
    t.raises(RuntimeError, t.call, lambda x: GAPS[function](f, x, 1), x)
    for made, row in zip(t.call(lambda x: GAPS[function](f, x, 2), x).unbind(), x.unbind()):
        want = GAPS[function](f, row, 1)
        t.expect(bool((abs(t.host(made) - t.host(want)) < 1e-5).all()), "of each example")


# --- values alone


@each_name("ones_like zeros_like empty_like full_like", core=False, since=_SINCE)
def like_jagged_examples(t, function):
    """Of the same sizes and the same raggedness, so that both go together; of another dtype; where the ragged axis lies behind."""
    value = {"torch.ones_like": 1, "torch.zeros_like": 0, "torch.full_like": 2.5}.get(function)
    more, like = ((2.5,) if value == 2.5 else ()), t.get(function)
    x = ragged(t, [t.randn((n, 6), "f32") for n in LENGTHS])
    for given in (x, x.transpose(1, 2)):
        for options in ({}, {"dtype": t.fw.float64}):
            made = t.call(like, given, *more, **options)
            t.expect(made.dtype is options.get("dtype", x.dtype), "the dtype")
            pairs = list(zip(made.unbind(), (given + made).unbind(), given.unbind()))
            t.expect(all(a.shape == b.shape == c.shape for a, b, c in pairs), "sizes")
            t.expect(value is None or all(bool((t.host(one) == value).all()) for one, _, _ in pairs), "values")  # fmt: skip


@case("torch.Tensor.float", dtypes="f64 i64", core=False, since=_SINCE, reference=lambda np, *rows: [*rows, *(x.T for x in rows)])  # fmt: skip
def of_jagged_numbers(t, dtype):
    """The values alone are converted; also where the ragged axis lies behind."""
    x = ragged(t, [t.randint((n, 6), dtype, -9, 9) for n in LENGTHS])
    made = [t.call("torch.Tensor.float", one) for one in (x, x.transpose(1, 2))]
    t.expect(all(one.dtype is t.fw.float32 for one in made), "f32")
    t.expect(all(one.offsets().dtype is t.fw.int64 for one in made), "the lengths stay i64")
    return [part for one in made for part in one.unbind()]


# --- what this layout has not

WRONG = {
    **{name: [lambda f, x: f(x, 0), lambda f, x: f(x, 4), lambda f, x: f(x.transpose(1, 2), 2), lambda f, x: f(x.transpose(1, 3), 3)]
       for name in ("torch.nn.functional.softmax", "torch.Tensor.softmax")},
    "torch.split": [lambda f, x: f(x, 2, 1), lambda f, x: f(x, [1, 2], 1), lambda f, x: f(x, 2, 0), lambda f, x: f(x, [1, 1], -1)],
    **{name: [lambda f, x: f(x, 2, 1)]
       for name in ("torch.chunk", "torch.Tensor.chunk")},
    "torch.Tensor.squeeze": [lambda f, x: f(x, 0), lambda f, x: f(x, 1), lambda f, x: f(x, 4)],
    "torch.Tensor.unsqueeze": [lambda f, x: f(x, 0), lambda f, x: f(x, 5)],
    "torch.Tensor.permute": [lambda f, x: f(x, 0, 2, 1), lambda f, x: f(x, 0, 2, -2, 3), lambda f, x: f(x, 1, 0, 2, 3)],
    "torch.Tensor.transpose": [lambda f, x: f(x, 0, 1), lambda f, x: f(x, -4, 2), lambda f, x: f(x, 1, 4)],
    "torch.Tensor.flatten": [lambda f, x: f(x), lambda f, x: f(x, 0, 1)],
    "torch.Tensor.view": [lambda f, x: f(x, ()), lambda f, x: f(x, -1, 6), lambda f, x: f(x, 3, 2, 6)],
    "torch.Tensor.sum": [lambda f, x: f(x, 0), lambda f, x: f(x, (1, 2)), lambda f, x: f(x, (1, 3)), lambda f, x: f(x, (0, 2)), lambda f, x: f(x, (0, 3))],
    "torch.mean": [lambda f, x: f(x, 0, keepdim=True), lambda f, x: f(x, (0, 2), keepdim=True)],
    "torch.Tensor.add_": [lambda f, x: f(x * 1, x.transpose(2, 3)), lambda f, x: f(x * 1, x.clone().detach().values()), lambda f, x: f(x * 1, x.size(1))],
    "torch.Tensor.mul_": [lambda f, x: f(x * 1, x.transpose(2, 3)), lambda f, x: f(x * 1, x.size(1)), lambda f, x: f(x.values().sum(), x)],
    "torch.nn.LayerNorm": [lambda f, x: f((4, 2, 3))(x), lambda f, x: f((2, 4))(x)],
}  # fmt: skip


each_wrong = each_of(WRONG)


@each_wrong(WRONG, lambda form: "none", since=_SINCE)
def not_of_jagged_examples(t, function):
    """Axes and sizes that this layout of examples does not take."""
    f = t.get(function)
    x = ragged(t, [t.uniform((n, 2, 3), "f32", 0.5, 2) for n in LENGTHS])
    for wrong in WRONG[function]:
        kinds = (RuntimeError, IndexError, ValueError, TypeError)
        t.raises(kinds, t.call, lambda x, wrong=wrong: wrong(f, x), x)


@each_name("Tensor.add_ Tensor.mul_", core=False, since=_SINCE)
def of_the_same_raggedness(t, function):
    """Two that were made apart do not go together, though their lengths are equal; by the same offsets they do."""
    rows = [t.uniform((n, 2), "f32", 0.5, 2) for n in LENGTHS]
    x, other = ragged(t, rows), ragged(t, rows)
    t.raises(RuntimeError, t.call, function, x.clone(), other)
    same = t.fw.nested.nested_tensor_from_jagged(other.values(), x.offsets())
    made = t.call(function, x.clone(), same)
    for one, row in zip(made.unbind(), rows):
        row = t.host(row)
        want = row + row if function.endswith("add_") else row * row
        t.expect(bool((abs(t.host(one) - want) < 1e-6).all()), "by the same offsets")
