"""What lives on as a copy, a pickle or a state: losses with weights, layers without any; parameters in other memory."""

from seamark_suites.case import case
from seamark_suites.reference import with_gradient

LOSS, IDENTITY, PARAMETER = "torch.nn.CrossEntropyLoss", "torch.nn.Identity", "torch.nn.Parameter"


def _copies(fw, module):
    """A deep copy, one that was pickled, one that was saved and loaded."""
    import copy
    import io
    import pickle

    file = io.BytesIO()
    fw.save(module.cpu(), file)
    file.seek(0)
    return [copy.deepcopy(module), pickle.loads(pickle.dumps(module)), fw.load(file, weights_only=False)]  # fmt: skip


def _log_shares(np, x):
    x = x - x.max(1, keepdims=True)
    return x - np.log(np.exp(x).sum(1, keepdims=True))


def _smoothed(np, x, target, weight, reduction):
    """With weights, 0.25 of smoothing, and class 1 ignored."""
    logs, target = _log_shares(np, x), target.astype(int)
    counts = target != 1
    exact = -weight[target] * logs[np.arange(len(x)), target]
    spread = -(weight * logs).sum(1) / x.shape[1]
    made = np.where(counts, 0.75 * exact + 0.25 * spread, 0)
    if reduction == "none":
        return made
    return made.sum() / (weight[target][counts].sum() if reduction == "mean" else 1)


@case(LOSS, dtypes="f32 f64", reduction=["mean", "sum", "none"], core=False, reference=lambda np, x, y, weight, reduction: [
      _smoothed(np, x, y, weight, reduction)] * 4)  # fmt: skip
def options_of_copies(t, dtype, reduction):
    """A copy, a pickle and a file have the weights and all options; a state has the weights alone; neither input is changed."""
    x, y, weight = t.randn((6, 4), dtype), t.const([0, 3, 1, 2, 2, 0], "i64"), t.uniform((4,), dtype, 0.5, 2)  # fmt: skip
    options = {"ignore_index": 1, "label_smoothing": 0.25, "reduction": reduction}
    make, kept = t.get(LOSS), t.host(x).copy()
    module = make(weight=weight, **options)
    other = make(weight=t.fw.ones_like(weight), **options)
    t.expect(list(module.state_dict()) == ["weight"], "its state")
    t.expect(not list(module.parameters()) and list(make().state_dict()) == [], "no parameters")
    other.load_state_dict(module.state_dict())
    made = [t.call(one.to(t.device).eval(), x, y) for one in (*_copies(t.fw, module), other)]
    t.expect(bool((t.host(x) == kept).all()), "the input as it was")
    return made


@case(LOSS, dtypes="f32 f64", grad=True, core=False, reference=with_gradient(lambda np, x, y: [
      -(y * _log_shares(np, x)).sum(1).mean(), -(y * _log_shares(np, x)).sum(1)]))  # fmt: skip
def targets_that_are_no_probabilities(t, dtype):
    """Documented: negative ones and rows that do not add up to one are taken as they are."""
    make = t.get(LOSS)
    run = lambda x, y: [make()(x, y), make(reduction="none")(x, y)]  # noqa: E731
    return t.call(run, t.randn((3, 5), dtype), t.randn((3, 5), dtype))


@case(IDENTITY, dtypes="f32 i64", core=False, reference=lambda np, x: [x, x, x, x])
def copies_give_it_back(t, dtype):
    """A copy, a pickle, a file, and one that is moved to another dtype; a hook sees what comes and goes."""
    module, seen = t.get(IDENTITY)(54, unused=0.5), []
    t.expect(str(module) == "Identity()", "its text")
    x = t.randn((3, 4), dtype)
    hook = module.register_forward_hook(lambda module, given, made: seen.append((given[0] is x, made is x)))  # fmt: skip
    made = t.call(module.to(t.fw.float64), x)
    hook.remove()
    t.expect(seen == [(True, True)] and module(x) is x, "seen once")
    copies = _copies(t.fw, module)
    t.expect(all(one.training and not one.state_dict() for one in copies), "no state")
    return [made, *(t.call(one, x) for one in copies)]


@case(PARAMETER, dtypes="f32 f64", core=False, reference=lambda np, x: [x[1:], 2 * x[1:], x[2:], 2 * x[2:], 2 * x[2:].sum() * 2])  # fmt: skip
def in_the_rest_of_its_memory(t, dtype):
    """Set to a part of itself, twice, it is shorter and learns: the gradients have the new size."""
    fw, x = t.fw, t.randn((8,), dtype)
    held, made = t.call(PARAMETER, x.clone()), []
    for _ in range(2):
        with fw.no_grad():
            held.set_(held[1:])
            held.grad = None
        twice = fw.cat((held, held))
        (twice * held.detach().repeat(2)).sum().backward()
        made += [held.detach().clone(), held.grad]
    return [*made, (2 * fw.cat((held, held)).sum()).detach()]


@case(
    PARAMETER,
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: [y @ x.T, np.broadcast_to(y.sum(0), x.shape)],
)
def asks_as_it_is_told(t, dtype):
    """requires_grad= counts before the tensor's own wish; the tensor is none; of a subclass what is computed is of it, too."""
    fw, make, x, y = t.fw, t.get(PARAMETER), t.randn((2, 3), dtype), t.randn((4, 3), dtype)
    own = type("Own", (fw.Tensor,), {})
    for wish in (True, False):
        for kind in (fw.Tensor, own):
            given = x.clone().as_subclass(kind).requires_grad_(wish)
            for asked in (True, False):
                made = t.call(PARAMETER, given, requires_grad=asked)
                t.expect(made.requires_grad is asked and made.is_leaf, "%s, not %s" % (asked, wish))
                t.expect(isinstance(made, fw.nn.Parameter) and isinstance(made, kind), "both")
                t.expect(not isinstance(made, fw.nn.UninitializedParameter), "not without memory")
                t.expect(made.data_ptr() == given.data_ptr(), "the same memory")
            t.expect(type(given) is kind and given.requires_grad is wish, "as it was")
            t.expect(make(given).requires_grad, "it learns unless told otherwise")
    layer = fw.nn.Linear(3, 2, bias=False)
    layer.weight = make(x.as_subclass(own))
    made = t.call(layer, y)
    made.sum().backward()
    t.expect(type(made) is own and list(layer.parameters()) == [layer.weight], "of its class")
    return [made.detach().as_subclass(fw.Tensor), layer.weight.grad.as_subclass(fw.Tensor)]
