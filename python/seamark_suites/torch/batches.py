"""Batches by vmap: a batch of batches, of one input alone, of numbers, of views, of gradients; what leaves a batch."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of, leaves, placed, slopes, stacked

from .pointwise import each as each_name
from .reference_pointwise import sigmoid
from .transformed import FORMS, called, each, numbers

_SINCE = ("2.0", "torch.vmap")


def _moved(function):
    """The examples of the outer batch lie last in its results."""
    inner = stacked(function, (-1, 0))
    both = stacked(inner, (1, 1))
    return lambda np, *drawn: [np.moveaxis(x, 0, -1) for x in both(np, *drawn)]


@each([name for name in FORMS if name != "torch.Tensor.view"], lambda form: _moved(form[1]), dtypes="f32", since=_SINCE)  # fmt: skip
def over_two_batches(t, dtype, function):
    """The examples of the outer batch lie along the second axis, and last in the results; of the inner one last and first."""
    vmap, shapes = t.get("torch.vmap"), FORMS[function][2]
    grown = [
        (shape[0], 3, *shape[1:], 2) if first else (2, 3, *shape)
        for shape, first in zip(shapes, (1, 0))
    ]
    drawn = [t.uniform(shape, dtype, 0.5, 2) for shape in grown]
    inner = vmap(called(t, function, dtype), in_dims=(-1, 0)[: len(drawn)])
    return t.call(vmap(inner, in_dims=1, out_dims=-1), *drawn)


PAIRS = [name for name in FORMS if len(FORMS[name][2]) == 2]
IN_PLACE = "torch.Tensor.add_", "torch.Tensor.mul_"


def _alone(form):
    first, second = (lambda np, x, y: stacked(lambda np, x: form[1](np, x, y), (0,))(np, x),
                     lambda np, x, y: stacked(lambda np, y: form[1](np, x, y), (0,))(np, y))  # fmt: skip
    kept = form in [FORMS[name] for name in IN_PLACE]
    return lambda np, x, xs, y, ys: first(np, xs, y) + ([] if kept else second(np, x, ys))


@each(PAIRS, _alone, dtypes="f32", since=_SINCE)
def of_one_input_alone(t, dtype, function):
    """A batch of the first input, one second for all; the reverse, which nothing that writes in place has."""
    vmap, run, drawn = t.get("torch.vmap"), called(t, function, dtype), []
    for shape in FORMS[function][2]:
        drawn += [t.uniform(shape, dtype, 0.5, 2), t.uniform((3, *shape), dtype, 0.5, 2)]
    x, xs, y, ys = drawn
    made, other = t.call(vmap(run, in_dims=(0, None)), xs, y), vmap(run, in_dims=(None, 0))
    if function in IN_PLACE:
        t.raises(RuntimeError, t.call, other, x, ys)
        return made
    return made + t.call(other, x, ys)


@case("torch.Tensor.masked_fill_", core=False, reference="none", since=_SINCE)
def fills_no_one_by_a_batch(t):
    """A mask of each example does not go into numbers that all share."""
    fill, x, masks = t.get("torch.Tensor.masked_fill_"), t.randn((4,), "f32"), t.randn((3, 4), "bool")  # fmt: skip
    t.raises(RuntimeError, t.call, t.get("torch.vmap")(lambda m: fill(x, m, 2.5)), masks)
    made = t.call(
        t.get("torch.vmap")(lambda x, m: fill(x * 1, m, 2.5)), x.expand(3, 4).clone(), masks
    )
    want = t.np.where(t.host(masks), t.np.float32(2.5), t.host(x))
    t.expect(bool((t.host(made) == want).all()), "each its own")


@case("torch.Tensor.index_select", dtypes="f32 i64", core=False, since=_SINCE, reference=lambda np, x, index: [
      np.stack([one[:, i] for one, i in zip(x, index)]), np.stack([x[0][:, i] for i in index]),
      np.stack([one[0][i] for one, i in zip(x, index)])])  # fmt: skip
def batches_of_places(t, dtype):
    """An index of each example: of its own numbers, of numbers that all share, of a vector."""
    vmap, select = t.get("torch.vmap"), t.get("torch.Tensor.index_select")
    x, index = t.randn((3, 4, 5), dtype), t.randint((3, 2), "i64", 0, 4)
    return [
        t.call(vmap(lambda x, i: select(x, -1, i)), x, index),
        t.call(vmap(lambda i: select(x[0], 1, i)), index),
        t.call(vmap(lambda x, i: select(x[0], 0, i)), x, index),
    ]


# --- each example is a number

_SAME = lambda np, x: x  # noqa: E731
NUMBERS = {
    **{name: (lambda t, f, x: f(x), FORMS[name][1]) for name in FORMS
       if name.split(".")[-1] in ("exp", "log", "sqrt", "sin", "cos", "sigmoid", "float", "t", "flatten")},
    "torch.abs": (lambda t, f, x: f(-x), _SAME),
    **dict.fromkeys(("torch.clamp", "torch.Tensor.clamp"), (lambda t, f, x: f(x, 0.8, 1.5), lambda np, x: np.clip(x, 0.8, 1.5))),
    **dict.fromkeys(("torch.mean", "torch.Tensor.sum"), (lambda t, f, x: [f(x), f(x, 0), f(x, -1)], lambda np, x: [x] * 3)),
    **dict.fromkeys(("torch.max", "torch.min"), (lambda t, f, x: [f(x), *f(x, 0), *f(x, -1)], lambda np, x: [x, x, 0, x, 0])),
    "torch.Tensor.transpose": (lambda t, f, x: [f(x, 0, 0), f(x, -1, 0), f(x, 0, -1)], lambda np, x: [x] * 3),
    "torch.Tensor.squeeze": (lambda t, f, x: [f(x), f(x, 0), f(x[None, :, None] if x.dim() else x[None, None], -1)],
                             lambda np, x: [x, x, x[None]]),
    "torch.Tensor.unsqueeze": (lambda t, f, x: [f(x, 0), f(x, -1)], lambda np, x: [x[None]] * 2),
    "torch.Tensor.expand": (lambda t, f, x: f(x, 2, 3), lambda np, x: np.broadcast_to(x, (2, 3))),
    "torch.Tensor.repeat": (lambda t, f, x: f(x, 2, 3), lambda np, x: np.tile(x, (2, 3))),
    "torch.Tensor.reshape": (lambda t, f, x: [f(x, (-1,)), f(x, ()), f(x, 1, 1)], lambda np, x: [x[None], x, x[None, None]]),
    "torch.Tensor.view": (lambda t, f, x: [f(x, (-1,)), f(x, ()), f(x, 1, 1)], lambda np, x: [x[None], x, x[None, None]]),
    "torch.Tensor.permute": (lambda t, f, x: f(x, ()), _SAME),
    "torch.stack": (lambda t, f, x: f([x, 2 * x]), lambda np, x: np.stack([x, 2 * x])),
    "torch.where": (lambda t, f, x: f(x > 1, x, 7.0), lambda np, x: np.where(x > 1, x, 7)),
    "torch.Tensor.masked_fill": (lambda t, f, x: f(x, x > 1, 7), lambda np, x: np.where(x > 1, 7, x)),
    "torch.nn.functional.softmax": (lambda t, f, x: f(x, 0), lambda np, x: 1 + 0 * x),
    "torch.Tensor.t": (lambda t, f, x: f(x), _SAME),
    "torch.Tensor.flatten": (lambda t, f, x: f(x), lambda np, x: x[None]),
}  # fmt: skip


def _numbers(form):
    each = lambda np, x: [np.asarray(one) for one in leaves(np, form[1](np, x))]  # noqa: E731
    many = stacked(each, (0,))
    return lambda np, x, one: many(np, x) + many(np, one)


each_number = each_of(NUMBERS)


@each_number(NUMBERS, _numbers, dtypes="f32", trivial=True, since=_SINCE)
def of_a_batch_of_numbers(t, dtype, function):
    """Five examples without an axis of their own; one alone, whose batch is no axis that may go."""
    vmap, f, form = t.get("torch.vmap"), t.get(function), NUMBERS[function][0]

    def run(x):
        made = form(t, f, x)
        return list(made) if isinstance(made, (tuple, list)) else [made]

    drawn = t.uniform((5,), dtype, 0.5, 2), t.uniform((1,), dtype, 0.5, 2)
    return [one for x in drawn for one in t.call(vmap(run), x)]


@case("torch.Tensor.squeeze", core=False, reference="none", since=_SINCE)
def axes_of_a_batch_stay(t):
    """A batch of one stays, of examples with axes of one, without numbers; an axis that no example has raises."""
    vmap, squeeze = t.get("torch.vmap"), t.get("torch.Tensor.squeeze")
    for shape, axis, wanted in (
        ((1, 3, 5), (), (1, 3, 5)), ((1, 1, 5), (), (1, 5)), ((2, 0, 1, 5, 1), (), (2, 0, 5)), ((2, 1, 1, 1, 1), (), (2,)),
        ((1, 1, 3, 4), (0,), (1, 3, 4)), ((2, 3, 1), (-1,), (2, 3)), ((2, 1, 3), (-2,), (2, 3)), ((1, 5), (0,), (1, 5)),
    ):  # fmt: skip
        x = t.randn(shape, "f32")
        made = t.call(vmap(lambda x, axis=axis: squeeze(x, *axis)), x)
        t.expect(made.shape == wanted, "%s %s" % (shape, axis))
        t.expect(bool((t.host(made) == t.host(x).reshape(wanted)).all()), "the numbers")
    both = t.call(vmap(vmap(squeeze), in_dims=2), t.randn((4, 1, 1), "f32"))
    t.expect(both.shape == (1, 4), "two batches")
    t.raises((RuntimeError, IndexError), t.call, vmap(lambda x: squeeze(x, 1)), t.randn((10,), "f32"))  # fmt: skip


# --- views


VIEWS = ["torch.chunk", "torch.split", "torch.Tensor.unsqueeze", "torch.Tensor.squeeze", "torch.Tensor.permute", "torch.Tensor.transpose",
         "torch.Tensor.t", "torch.Tensor.view", "torch.Tensor.reshape", "torch.Tensor.flatten", "torch.Tensor.unflatten",
         "torch.Tensor.expand", "torch.Tensor.chunk", "torch.Tensor.unbind"]  # fmt: skip


@each(VIEWS, lambda form: lambda np, x: [3 * one for one in stacked(form[1], (0,))(np, x)], dtypes="f32", since=_SINCE)  # fmt: skip
def views_of_a_batch(t, dtype, function):
    """What is written to the batch afterwards shows in the parts of each example."""
    run = t.get("torch.vmap")(called(t, function, dtype))

    def changed(x):
        x = x * 1
        made = run(x)
        x.mul_(3)
        return made

    return t.call(changed, t.randn((3, *FORMS[function][2][0]), dtype))


@case("torch.Tensor.expand_as", dtypes="f32", core=False, since=_SINCE, reference=lambda np, x, y: [
      np.broadcast_to(3 * x[:, None], (3, 2, 4, 5)), np.broadcast_to(3 * x[0], (3, 2, 4, 5)), np.broadcast_to(3 * x[:, None], (3, 2, 4, 5))])  # fmt: skip
def as_large_as_a_batch(t, dtype):
    """As each example, one for all as each, each as one: views of what is written afterwards."""
    vmap, as_large = t.get("torch.vmap"), t.get("torch.Tensor.expand_as")
    x, y = t.randn((3, 1, 5), dtype), t.randn((3, 2, 4, 5), dtype)

    def changed(x, y, in_dims):
        x = x * 1
        made = vmap(as_large, in_dims=in_dims)(x, y)
        x.mul_(3)
        return made

    return [t.call(changed, *at) for at in ((x, y, 0), (x[0], y, (None, 0)), (x, y[0], (0, None)))]


@case("torch.Tensor.view", core=False, reference="none", since=_SINCE)
def no_view_across_a_batch(t):
    """The two axes of an example between which its batch lies are no axis; as one lies first they are."""
    view, vmap, x = t.get("torch.Tensor.view"), t.get("torch.vmap"), t.randn((2, 7, 5), "f32")
    t.raises(RuntimeError, t.call, vmap(lambda x: view(x, 10), in_dims=1), x)
    made = t.call(vmap(lambda x: view(x, 1, 2, 1, 5)), x.reshape(7, 2, 5))
    t.expect(made.shape == (7, 1, 2, 1, 5), "more axes")
    t.expect(bool((t.host(made).reshape(-1) == t.host(x).reshape(-1)).all()), "the numbers")
    made = t.call(vmap(vmap(lambda x: view(x, -1))), x[None].expand(3, 2, 7, 5))
    t.expect(made.shape == (3, 2, 35), "of two batches")


@each_name("Tensor.new_empty Tensor.new_zeros", core=False, since=_SINCE)
def made_of_a_batch(t, function):
    """Of the size that is asked for each example: two axes, by a list and one by one, none; of two batches."""
    vmap, new, made = t.get("torch.vmap"), t.get(function), []
    one, two = t.randn((7,), "f32"), t.randn((7, 4), "f32")
    runs = (lambda x: new(x, [2, 3]), (2, 3)), (lambda x: new(x, 2, 3), (2, 3)), (lambda x: new(x, []), ())  # fmt: skip
    for run, shape in runs:
        for batch, x, many in (((7,), one, vmap(run)), ((7, 4), two, vmap(vmap(run)))):
            made.append(t.call(many, x))
            t.expect(made[-1].shape == (*batch, *shape), "%s of %s" % (shape, batch))
    if function.endswith("zeros"):
        t.expect(all(bool((t.host(one) == 0).all()) for one in made), "zeros")


# --- gradients of many directions at once


def _pulled(form):
    def reference(np, *drawn):
        at = [placed(number, x) for number, x in enumerate(drawn[: len(form[2])])]
        x, still = at[0], [np.zeros(x.shape) for x in at[1:]]
        units = np.eye(x.size).reshape(x.size, *x.shape)
        columns = [slopes(np, form[1], at, [unit, *still]) for unit in units]
        first = [sum((v[b] * s).sum() for v, s in zip(drawn[len(at) :], column)) for b in range(3) for column in columns]  # fmt: skip
        return [np.array(first, float).reshape(3, *x.shape)] * 3

    return reference


@each([name for name in FORMS if name != "torch.Tensor.float"], _pulled, dtypes="f64", trivial=True, since=_SINCE)  # fmt: skip
def gradients_in_a_batch(t, dtype, function):
    """Of three incoming gradients at once, which lie first or last; by is_grads_batched, too."""
    x, *rest = numbers(t, function, dtype)
    run, slope, vmap = called(t, function, dtype), t.fw.autograd.grad, t.get("torch.vmap")
    along = [t.randn((3, *one.shape), dtype) for one in run(x, *rest)]

    def pulled(x, rest, along):
        x = x.detach().requires_grad_()
        made = run(x, *rest)
        pull = lambda *v: slope(made, x, v, retain_graph=True)[0]  # noqa: E731
        last = [v.movedim(0, -1).contiguous() for v in along]
        at_once = slope(made, x, along, is_grads_batched=True, retain_graph=True)[0]
        return [vmap(pull)(*along), vmap(pull, in_dims=-1)(*last), at_once]

    return t.call(pulled, x, rest, along)


TWICE = {
    "exp": lambda np, x: np.exp(x),
    "log": lambda np, x: -1 / x**2,
    "sqrt": lambda np, x: -(x**-1.5) / 4,
    "sin": lambda np, x: -np.sin(x),
    "cos": lambda np, x: -np.cos(x),
    "sigmoid": lambda np, x: sigmoid(np, x) * (1 - sigmoid(np, x)) * (1 - 2 * sigmoid(np, x)),
}


@each_name(" ".join([*TWICE, *("Tensor." + name for name in TWICE)]), lambda function: lambda np, x, along: [
           along * TWICE[function.split(".")[-1]](np, x)] * 2, dtypes="f32 f64", core=False, since=_SINCE)  # fmt: skip
def second_gradients_in_a_batch(t, dtype, function):
    """The gradient of the gradient along four directions at once, which lie first or last."""
    f, slope, vmap = t.get(function), t.fw.autograd.grad, t.get("torch.vmap")

    def pulled(x, along):
        x = x.detach().requires_grad_()
        first = slope(f(x).sum(), x, create_graph=True)[0]
        pull = lambda v: slope(first, x, v, retain_graph=True)[0]  # noqa: E731
        return [vmap(pull)(along), vmap(pull, in_dims=-1)(along.movedim(0, -1).contiguous())]

    return t.call(pulled, t.uniform((2, 3), dtype, 0.5, 2), t.randn((4, 2, 3), dtype))


# --- what does not belong into a batch


@each_name("sin exp log sqrt cos sigmoid abs Tensor.sin Tensor.exp Tensor.sqrt Tensor.mul_ Tensor.add_ Tensor.sum mean max", core=False, since=_SINCE)  # fmt: skip
def what_has_left_its_batch(t, function):
    """An example that outlives its batch is refused."""
    f, kept = t.get(function), []
    run = lambda x: kept.append(x) or x * 2  # noqa: E731
    t.get("torch.vmap")(run)(t.uniform((3, 4), "f32", 0.5, 2))
    other = (1,) if function.endswith("_") else ()
    t.raises(RuntimeError, t.call, lambda: f(kept[0], *other))


@case("torch.where", core=False, reference="none", since=_SINCE)
def places_within_a_batch(t):
    """The condition alone: each example would have its own number of places."""
    t.raises(RuntimeError, t.call, t.get("torch.vmap")(t.get("torch.where")), t.randn((4, 3), "bool"))  # fmt: skip


@each_name("sqrt Tensor.sqrt", core=False, since=_SINCE)
def anomalies_within_a_batch(t, function):
    """detect_anomaly names the root of a negative number, whose slope is none, within a batch of gradients."""
    f, func = t.get(function), t.fw.func
    slopes = func.vmap(func.grad(lambda x: f(x).sum()))
    with t.fw.autograd.set_detect_anomaly(True):
        t.raises(RuntimeError, t.call, slopes, t.const([-1.0, -1.0], "f32"))
        made = t.call(slopes, t.const([4.0, 1.0], "f32"))
    t.expect(t.host(made).tolist() == [0.25, 0.5], "of positive ones")


@each_name("max min", core=False, since=_SINCE)
def named_within_a_batch(t, function):
    """The results along an axis keep their names."""
    x = t.distinct((3, 2, 4), "f32")
    made = t.call(t.get("torch.vmap")(t.get(function), in_dims=(0, None)), x, 0)
    t.expect(type(made) is getattr(t.fw.return_types, function[6:]), "its own type")
    best, at = getattr(t.host(x), function[6:])(1), getattr(t.host(x), "arg" + function[6:])(1)
    t.expect(bool((t.host(made.values) == best).all()), "values by name")
    t.expect(bool((t.host(made.indices) == at).all()), "places by name")


@case("torch.stack", dtypes="f32", core=False, since=_SINCE, reference=lambda np, x, y: [
      np.stack([np.stack([x[0], one], axis) for one in np.moveaxis(y, 2, 0)]) for axis in (0, -1)])  # fmt: skip
def beside_each_of_a_batch(t, dtype):
    """One for all beside each example, whose batch lies last."""
    x, y = t.randn((2, 3, 4), dtype), t.randn((3, 4, 5), dtype)
    stack, vmap = t.get("torch.stack"), t.get("torch.vmap")
    return [
        t.call(vmap(lambda y, axis=axis: stack([x[0], y], axis), in_dims=2), y) for axis in (0, -1)
    ]
