"""Changes in place and views under inference_mode and no_grad: what is allowed there, and what is told afterwards."""

from seamark_suites.transformed import each_of

_SINCE = ("1.9", "torch.inference_mode")


def _second_line(np, x):
    return x.reshape(4, 3)[1]


# What changes its argument in place, and what that is; the second time, of a change by what is now there.
CHANGES = {
    "torch.Tensor.add_": (lambda f, x: f(x, 2.5), lambda np, x: x + 2.5),
    "torch.Tensor.masked_fill_": (lambda f, x: f(x, x > 0, 2.5), lambda np, x: np.where(x > 0, 2.5, x)),
    "torch.Tensor.normal_": (lambda f, x: f(x, 2.5, 0.0), lambda np, x: 0 * x + 2.5),
}  # fmt: skip
VIEWS = {
    "torch.Tensor.view": (lambda f, x: f(x, 4, 3)[1], _second_line),
    "torch.chunk": (lambda f, x: f(x, 2)[1], lambda np, x: x[2:]),
}  # fmt: skip
# New tensors, whose memory is their own.
COPIES = {
    "torch.Tensor.index_select": (lambda f, x: f(x, 0, (x[:2, 0] > 9).long()), lambda np, x: x[[0, 0]]),
    "torch.Tensor.repeat": (lambda f, x: f(x, 2, 1), lambda np, x: np.tile(x, (2, 1))),
    "torch.stack": (lambda f, x: f([x, x]), lambda np, x: np.stack([x, x])),
    "torch.Tensor.sin": (lambda f, x: f(x), lambda np, x: np.sin(x)),
    "torch.sigmoid": (lambda f, x: f(x), lambda np, x: 1 / (1 + np.exp(-x))),
    "torch.Tensor.sum": (lambda f, x: f(x, 1), lambda np, x: x.sum(1)),
    "torch.nn.functional.softmax": (
        lambda f, x: f(x, 1), lambda np, x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
}  # fmt: skip
each_change, each_view, each_copy = each_of(CHANGES), each_of(VIEWS), each_of(COPIES)


@each_change(CHANGES, lambda form: lambda np, x: [form[1](np, x)] * 4, dtypes="f32 f64", trivial=True, since=_SINCE)  # fmt: skip
def changed_in_inference(t, dtype, function):
    """There what was made there, what was not, a result of a graph and a leaf are changed. Behind it what was made there is not."""
    change, f, fw, x = CHANGES[function][0], t.get(function), t.fw, t.randn((3, 4), dtype)
    plain, leaf = x.clone(), x.clone().requires_grad_()
    result, version = leaf * 1, plain._version
    square = result * result
    with fw.inference_mode():
        made = t.call(lambda x: x * 1, x)
        for one, inside in ((made, True), (plain, False), (result, False), (leaf, False)):
            t.expect(t.call(change, f, one) is one, "the given tensor")
            t.expect(one.is_inference() is inside, "of inference: %s" % inside)
    t.expect(plain._version > version, "a change that is known")
    t.expect(result.requires_grad and leaf.is_leaf and leaf.requires_grad, "the graph as it was")
    results = [one.detach().clone() for one in (made, plain, result, leaf)]
    for mode in (fw.enable_grad, fw.no_grad):  # the numbers may be written by then
        with mode():
            t.raises(RuntimeError, t.call, change, f, made)
    t.raises(RuntimeError, square.sum().backward)
    return results


@each_change(
    CHANGES,
    lambda form: lambda np, x: [form[1](np, x), np.ones_like(x)],
    dtypes="f32",
    trivial=True,
)
def known_to_the_graph(t, dtype, function):
    """What a slope needs and is changed is told as it is asked for; without a record of it the slope is as it was before."""
    change, f, fw = CHANGES[function][0], t.get(function), t.fw
    leaf = t.randn((3, 4), dtype, grad=True)
    result = leaf * 1
    square = result * result
    t.call(change, f, result)
    t.raises(RuntimeError, square.sum().backward)
    other = leaf * 1
    with fw.no_grad():
        t.call(change, f, other)
    t.expect(other.requires_grad, "of the graph still")
    return [other.detach(), fw.autograd.grad(other.sum(), leaf)[0]]


@each_view(VIEWS, lambda form: lambda np, x: [form[1](np, x)] * 4, dtypes="f32 f64", since=_SINCE)
def viewed_in_inference(t, dtype, function):
    """There a view of what was made there is of inference, one of another is not. Neither view nor what was made there goes into a graph."""
    view, f, fw, x = VIEWS[function][0], t.get(function), t.fw, t.randn((3, 4), dtype)
    leaf = x.clone().requires_grad_()
    result = leaf * 1
    with fw.inference_mode():
        inside = x * 1
        made = [t.call(view, f, one) for one in (inside, x, result)]
    found = [(one.is_inference(), one.requires_grad) for one in made]
    t.expect(found == [(True, False), (False, False), (False, True)], "got %s" % found)
    later = t.call(view, f, inside)
    t.expect(later.is_inference(), "of inference, behind it too")
    results = [one.detach().clone() for one in (*made, later)]
    t.raises(RuntimeError, lambda: leaf.sum() * later)
    t.raises(RuntimeError, made[2].mul_, 2)
    with fw.no_grad():
        hidden = t.call(view, f, result)
    t.raises(RuntimeError, hidden.mul_, 2)
    return results


@each_copy(COPIES, lambda form: lambda np, x: [form[1](np, x)] * 4, dtypes="f32", since=_SINCE)
def made_in_inference(t, dtype, function):
    """There the result is of inference, whatever the input; behind it that of what was made there is a plain tensor."""
    run, f, fw, x = COPIES[function][0], t.get(function), t.fw, t.randn((3, 4), dtype)
    learns = x.clone().requires_grad_()
    with fw.inference_mode():
        inside = x * 1
        made = [t.call(run, f, one) for one in (inside, x, learns)]
    t.expect(all(one.is_inference() and not one.requires_grad for one in made), "of inference")
    later = t.call(run, f, inside)
    t.expect(not later.is_inference(), "a plain tensor")
    results = [one.clone() for one in (*made, later.mul_(1))]
    t.raises(RuntimeError, made[0].mul_, 2)
    return results
