"""Nested tensors whose examples lie one after the other: functions of them, their gradients, what they have not."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of, leaves, slopes

from . import reference_pointwise as right
from .pointwise import each as each_name

_SINCE = ("2.1", "nested tensors")
LENGTHS = 2, 4, 1


def softmax(np, x, axis):
    made = np.exp(x - x.max(axis, keepdims=True))
    return made / made.sum(axis, keepdims=True)


def _silu(np, x):
    return x / (1 + np.exp(-x))


def _normal(np, x, axes=-1):
    centered = x - x.mean(axes, keepdims=True)
    return centered / np.sqrt((centered**2).mean(axes, keepdims=True) + 1e-5)


def mirrored(nested):
    """Each example transposed, in memory: the same numbers from a tensor that lies otherwise."""
    return nested.transpose(-1, -2)


# What is called of examples of rows of six, and what each of them gives. With the layer's dtype.
ROWS = {
    **{"torch." + name: (lambda t, f, x, at: f(x), right.of("torch." + name.replace("Tensor.", ""))) for name in
       ("abs", "sin", "cos", "sqrt", "Tensor.sin", "Tensor.cos", "Tensor.sqrt")},
    "torch.nn.SiLU": (lambda t, f, x, at: f()(x - 1.125), lambda np, x: _silu(np, x - 1.125)),
    "torch.nn.ReLU": (lambda t, f, x, at: f()(x - 1.125), lambda np, x: np.maximum(x - 1.125, 0)),
    "torch.nn.Identity": (lambda t, f, x, at: f()(2 * x), lambda np, x: 2 * x),
    "torch.nn.LayerNorm": (lambda t, f, x, at: f(6, **at)(x), _normal),
    "torch.nn.Dropout": (lambda t, f, x, at: f(0.0)(x), lambda np, x: x),
    "torch.nn.functional.softmax": (lambda t, f, x, at: [f(x, -1), f(x, 1)], lambda np, x: [softmax(np, x, 1), softmax(np, x, 0)]),
    "torch.Tensor.softmax": (lambda t, f, x, at: [f(x, 2), f(x, -2)], lambda np, x: [softmax(np, x, 1), softmax(np, x, 0)]),
    "torch.matmul": (lambda t, f, x, at: [f(x, mirrored(x)), f(mirrored(x), x)], lambda np, x: [x @ x.T, x.T @ x]),
    "torch.Tensor.transpose": (lambda t, f, x, at: [f(x, 1, 2), f(f(x, -1, -2), 2, 1)], lambda np, x: [x.T, x]),
    "torch.Tensor.unsqueeze": (lambda t, f, x, at: [f(x, axis) for axis in (1, 2, 3, -1, -2)],
                               lambda np, x: [x[None], x[:, None], x[..., None], x[..., None], x[:, None]]),
    "torch.Tensor.squeeze": (lambda t, f, x, at: [f(x.unsqueeze(axis), axis) for axis in (1, 2, -1)], lambda np, x: [x] * 3),
    "torch.Tensor.reshape": (lambda t, f, x, at: [f(x, 3, -1, 2, 3), f(x, 3, -1, 6, 1)], lambda np, x: [x.reshape(-1, 2, 3), x[..., None]]),
    "torch.Tensor.view": (lambda t, f, x, at: [f(x, 3, -1, 3, 2), f(x, 3, -1, 6)], lambda np, x: [x.reshape(-1, 3, 2), x]),
    "torch.Tensor.masked_fill": (lambda t, f, x, at: f(x, x > 1.125, 7), lambda np, x: np.where(x > 1.125, 7, x)),
    "torch.Tensor.add_": (lambda t, f, x, at: [f(x * 1, x * x), f(x * 1, x, alpha=2)], lambda np, x: [x + x * x, 3 * x]),
    "torch.Tensor.mul_": (lambda t, f, x, at: [f(x * 1, x), f(x * 1, 2.5), f(x * 1, t.fw.tensor(2.5, **at))],
                          lambda np, x: [x * x, 2.5 * x, 2.5 * x]),
    "torch.Tensor.unbind": (lambda t, f, x, at: [2 * one.T for one in f(mirrored(x))], lambda np, x: 2 * x),
    "torch.split": (lambda t, f, x, at: f(x, [1, 5], -1), lambda np, x: np.split(x, [1], -1)),
    "torch.chunk": (lambda t, f, x, at: f(x, 3, -1), lambda np, x: np.split(x, 3, -1)),
    "torch.Tensor.float": (lambda t, f, x, at: f(x), lambda np, x: x),
}  # fmt: skip
NO_SLOPE = ["torch.split", "torch.chunk"]  # which this layout's parts have not
SMOOTH = [name for name in ROWS if name not in [*NO_SLOPE, "torch.Tensor.float"]]


def by_example(form):
    """The results of each example, in the order of results, as they are unbound."""

    def rows(np, *drawn):
        made = [leaves(np, form[1](np, x)) for x in drawn]
        return [part for each in zip(*made) for part in each]

    return rows


def unbound(made):
    """The examples of nested results, and results that are none."""
    made = made if isinstance(made, (tuple, list)) else [made]
    return [part for one in made for part in (one.unbind() if one.is_nested else [one])]


each = each_of(ROWS)


@each(ROWS, by_example, dtypes="f32 f64", since=_SINCE)
def of_examples_in_a_line(t, dtype, function):
    """Three of two, four and one row."""
    f, at = t.get(function), {"dtype": t.dtype(dtype), "device": t.device}
    rows = [t.uniform((n, 6), dtype, 0.5, 2) for n in LENGTHS]
    made = t.call(lambda x: ROWS[function][0](t, f, x, at), t.fw.nested.nested_tensor(rows))
    return [one.detach() for one in unbound(made)]


def _pulled(form):
    """Of the sum of the results' squares, each weighted by its place: differences along each number."""
    rows = by_example(form)

    def reference(np, *drawn):
        def total(np, *drawn):
            return sum(
                (np.linspace(0.5, 1.5, m.size).reshape(m.shape) * m**2).sum()
                for m in rows(np, *drawn)
            )

        found, wide = [], [x / 4 - 0.0625 for x in drawn]
        for number, x in enumerate(wide):
            slope, along = np.zeros(x.shape), [np.zeros(one.shape) for one in wide]
            for place in np.ndindex(*x.shape):
                along[number][...] = 0
                along[number][place] = 1
                slope[place] = slopes(np, total, wide, along)[0]
            found.append(slope)
        return found

    return reference


@each(SMOOTH, _pulled, dtypes="f64", since=_SINCE)
def gradient_of_examples_in_a_line(t, dtype, function):
    """Through the nested tensor into each example: of the squares of all results, each with its own weight."""
    f, at, fw = t.get(function), {"dtype": t.dtype(dtype), "device": t.device}, t.fw
    rows = [t.randint((n, 6), dtype, 1, 9) for n in LENGTHS]

    def run(*rows):
        rows = [(row / 4 - 0.0625).requires_grad_() for row in rows]
        made = unbound(ROWS[function][0](t, f, fw.nested.as_nested_tensor(rows), at))
        weighted = [
            fw.linspace(0.5, 1.5, m.numel(), dtype=m.dtype, device=m.device).reshape(m.shape) * m**2
            for m in made
        ]
        return fw.autograd.grad(sum(one.sum() for one in weighted), rows)

    return t.call(run, *rows)


# --- more axes


@case("torch.matmul", dtypes="f32 f64", core=False, since=_SINCE, reference=lambda np, a, b, c, d, e, f, g, h, x, y, w: [
      a @ b, c @ d, e @ f, g @ h, x @ w, y @ w])  # fmt: skip
def of_stacks_of_matrices(t, dtype):
    """Examples of other sizes each; of three and of four axes; of three by one matrix."""
    nested, matmul = t.fw.nested.nested_tensor, t.get("torch.matmul")
    sides = ((1, 2, 4), (1, 4, 6)), ((5, 3, 7), (5, 7, 5)), ((2, 3, 2, 4), (2, 3, 4, 6)), ((2, 3, 3, 7), (2, 3, 7, 5))  # fmt: skip
    a, b, c, d, e, f, g, h = (t.randn(shape, dtype) for pair in sides for shape in pair)
    x, y, w = t.randn((2, 3, 4), dtype), t.randn((5, 3, 4), dtype), t.randn((4, 6), dtype)
    pairs = ([a, c], nested([b, d])), ([e, g], nested([f, h])), ([x, y], w)
    return [part for left, right in pairs for part in t.call(matmul, nested(left), right).unbind()]


def _over_more(np, *rows):
    made = [[_normal(np, x, (1, 2, 3)), _normal(np, x, (2, 3)), _normal(np, x)] for x in rows]
    return [part for each in zip(*made) for part in each]


@case("torch.nn.LayerNorm", dtypes="f32 f64", core=False, since=_SINCE, reference=_over_more)
def over_axes_of_examples(t, dtype):
    """All axes of an example but the first, the last two, the last; not the one whose lengths differ, nor other sizes."""
    at = {"dtype": t.dtype(dtype), "device": t.device}
    layer, x = t.get("torch.nn.LayerNorm"), t.fw.nested.nested_tensor([t.randn((n, 5, 5, 4), dtype) for n in LENGTHS])  # fmt: skip
    for wrong in ((4, 5, 5, 4), (6, 5, 4)):
        t.raises(RuntimeError, t.call, layer(wrong, **at), x)
    return [part.detach() for axes in ((5, 5, 4), (5, 4), 4) for part in t.call(layer(axes, **at), x).unbind()]  # fmt: skip


# --- values and places


@case("torch.nn.Embedding", dtypes="f32 f64", core=False, since=_SINCE, reference=lambda np, a, b, c, weight: [weight[a], weight[b], weight[c]])  # fmt: skip
def of_numbers_in_a_line(t, dtype):
    """Sentences of several lengths, one behind the other in memory."""
    layer, words = t.construct("torch.nn.Embedding", 9, 4, dtype=dtype), [t.randint((n,), "i64", 0, 9) for n in (3, 5, 1)]  # fmt: skip
    return [one.detach() for one in t.call(layer, t.fw.nested.nested_tensor(words)).unbind()]


LIKE = {"torch.ones_like": 1, "torch.zeros_like": 0, "torch.empty_like": None}


@each_name("ones_like zeros_like empty_like", core=False, since=_SINCE)
def like_examples(t, function):
    """As many examples of the same sizes, of their dtype and of another; with a gradient; of transposed ones."""
    x, like, value = t.fw.nested.nested_tensor([t.randn((n, 6), "f32") for n in LENGTHS]), t.get(function), LIKE[function]  # fmt: skip
    for options in ({}, {"dtype": t.fw.float64}, {"requires_grad": True}):
        made = t.call(like, x, **options)
        t.expect(made.dtype is options.get("dtype", x.dtype), "the dtype")
        t.expect(made.requires_grad == ("requires_grad" in options), "the gradient")
        parts = made.detach().unbind()
        t.expect([tuple(one.shape) for one in parts] == [(n, 6) for n in LENGTHS], "sizes")
        t.expect(value is None or all(bool((t.host(one) == value).all()) for one in parts), "values")  # fmt: skip
    if value is None:
        for options in ({}, {"memory_format": t.fw.contiguous_format}):
            made = t.call(like, mirrored(x), **options)
            t.expect([tuple(one.shape) for one in made.unbind()] == [(6, n) for n in LENGTHS], "transposed")  # fmt: skip
        t.expect(made.is_contiguous(), "in a line")
        for wrong in (t.fw.channels_last, t.fw.channels_last_3d):
            t.raises(RuntimeError, t.call, like, x, memory_format=wrong)


@case("torch.Tensor.zero_", core=False, reference="none", since=_SINCE)
def zeros_in_examples(t):
    """Of each layout of examples: the tensor itself, all its numbers."""
    for layout in (t.fw.strided, t.fw.jagged):
        x = t.fw.nested.nested_tensor([t.randn((n, 6), "f32") for n in LENGTHS], layout=layout)
        made = t.call("torch.Tensor.zero_", x)
        t.expect(made is x, "itself")
        t.expect(all(not t.host(one).any() for one in x.unbind()), "zeros")


@case("torch.nn.Dropout", dtypes="f32 f64", random=True, core=False, reference="none", since=_SINCE)  # fmt: skip
def of_examples(t, dtype):
    """Of each layout: zeros, and the rest scaled; all of it at one; the gradient goes where numbers stay."""
    for layout in (t.fw.strided, t.fw.jagged):
        rows = [t.uniform((n, 200), dtype, 1, 2) for n in LENGTHS]
        x = t.fw.nested.nested_tensor(rows, layout=layout, requires_grad=True)
        made = t.call(t.get("torch.nn.Dropout")(0.2), x)
        made.backward(x.detach().clone())
        for before, after, slope in zip(rows, made.detach().unbind(), x.grad.unbind()):
            before, after, slope = t.host(before), t.host(after), t.host(slope)
            kept = after != 0
            t.expect(bool((abs(after - 1.25 * before * kept) < 1e-5).all()), "scaled")
            t.expect(bool((abs(slope - after) < 1e-6).all()), "its gradient")
            t.expect(0.6 < kept.mean() < 0.98, "a share of 0.8")
        none = t.call(t.get("torch.nn.Dropout")(1.0), x.detach())
        t.expect(all(not t.host(one).any() for one in none.unbind()), "nothing")


@each_name("nn.ReLU nn.SiLU", lambda function: lambda np, *rows: [
           np.maximum(x - 1, 0) if function.endswith("ReLU") else _silu(np, x - 1) for x in rows] * 2, dtypes="f32 f64", core=False, since=_SINCE)  # fmt: skip
def in_place_of_examples(t, dtype, function):
    """inplace=True, of each layout of examples: the tensor itself."""
    rows, made, layer = [t.uniform((n, 6), dtype, 0.5, 2) for n in LENGTHS], [], t.get(function)(inplace=True)  # fmt: skip
    for layout in (t.fw.strided, t.fw.jagged):
        x = t.fw.nested.nested_tensor([row - 1 for row in rows], layout=layout)
        t.expect(t.call(layer, x) is x, "itself")
        made += x.unbind()
    return made


# --- what this layout has not

WRONG = {
    "torch.chunk": [lambda f, x: f(x, 2, 0), lambda f, x: f(x, 2, 1), lambda f, x: f(x, 4, -1), lambda f, x: f(mirrored(x), 2, -1)],
    "torch.split": [lambda f, x: f(x, [1, 2], 0), lambda f, x: f(x, [1, 5], 1), lambda f, x: f(x, [1, 4], -1), lambda f, x: f(mirrored(x), [1, 5], -1)],
    "torch.Tensor.sum": [lambda f, x: f(x, 0, keepdim=True), lambda f, x: f(x, [0, 1], keepdim=True), lambda f, x: f(x, -1), lambda f, x: f(x, 1, keepdim=True)],
    **{name: [lambda f, x: f(x, 0), lambda f, x: f(x, -3), lambda f, x: f(x, 3), lambda f, x: f(x, -4)]
       for name in ("torch.nn.functional.softmax", "torch.Tensor.softmax")},
    "torch.Tensor.transpose": [lambda f, x: f(x, 0, 1), lambda f, x: f(x, 1, -3), lambda f, x: f(x, 1, 3), lambda f, x: f(x, -4, -1)],
    "torch.Tensor.squeeze": [lambda f, x: f(x), lambda f, x: f(x, 0), lambda f, x: f(x, 3)],
    "torch.Tensor.unsqueeze": [lambda f, x: f(x, 0), lambda f, x: f(x, -4), lambda f, x: f(x, 4)],
    **{name: [lambda f, x: f(x, ()), lambda f, x: f(x, -1, 2, 3), lambda f, x: f(x, 3, 2, 3), lambda f, x: f(mirrored(x), 18, -1), lambda f, x: f(x, 3, -1, -1, 3, 2)]
       for name in ("torch.Tensor.view", "torch.Tensor.reshape")},
    "torch.Tensor.unbind": [lambda f, x: f(x, 1), lambda f, x: f(x, -1)],
    "torch.Tensor.mul_": [lambda f, x: f(x, x.unbind()[0][0, :1]), lambda f, x: f(x.unbind()[0][0, :1], x), lambda f, x: f(x.unbind()[0].sum(), x)],
    "torch.matmul": [lambda f, x: f(x, x), lambda f, x: f(x, x.unbind()[0][0]), lambda f, x: f(x.unbind()[0], x), lambda f, x: f(x, x.unbind()[0].T)],
    **{name: [lambda f, x: f(mirrored(x))]
       for name in ("torch.sin", "torch.cos", "torch.abs", "torch.sqrt")},
}  # fmt: skip


each_wrong = each_of(WRONG)


@each_wrong(WRONG, lambda form: "none", since=_SINCE)
def not_of_examples_in_a_line(t, function):
    """Axes and sizes that this layout of examples does not take."""
    f = t.get(function)
    x = t.fw.nested.nested_tensor([t.uniform((n, 6), "f32", 0.5, 2) for n in LENGTHS])
    for wrong in WRONG[function]:
        t.raises((RuntimeError, IndexError), t.call, lambda x, wrong=wrong: wrong(f, x), x)


@case("torch.matmul", core=False, reference="none", since=_SINCE)
def matrices_that_do_not_meet(t):
    """Vectors, other numbers of examples, stacks of other sizes, inner axes that differ: of nested tensors."""
    matmul, nested = t.get("torch.matmul"), t.fw.nested.nested_tensor
    some = lambda *shapes: nested([t.randn(shape, "f32") for shape in shapes])  # noqa: E731
    vectors, pair, three = some((2,), (3,)), some((2, 4), (3, 4)), some((4, 6), (4, 5), (4, 7))
    for x, y in (
        (vectors, vectors), (vectors, pair), (pair, vectors), (pair, three), (three, pair), (pair, pair),
        (some((2, 2, 4), (2, 3, 4)), some((3, 4, 6), (3, 4, 5))), (some((2, 2, 4), (1, 3, 4)), some((1, 4, 6), (3, 4, 5))),
        (vectors, t.randn((4,), "f32")), (t.randn((4,), "f32"), vectors),
    ):  # fmt: skip
        t.raises(RuntimeError, t.call, matmul, x, y)
    made = t.call(matmul, pair, some((4, 6), (4, 5)))
    t.expect([tuple(one.shape) for one in made.unbind()] == [(2, 6), (3, 5)], "what meets")
