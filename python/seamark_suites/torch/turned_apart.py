"""Jagged examples whose ragged axis lies behind another, and examples with gaps between them: results and slopes of each."""

from seamark_suites.transformed import each_of

T, LAYER, RMS = "torch.Tensor.", "torch.nn.LayerNorm", "torch.nn.RMSNorm"
_SINCE = ("2.6", "such jagged tensors")
FROM, LONG = (0, 8, 12, 13, 16), (6, 2, 1, 2)
W = [[1.0, -2.0], [0.5, 3.0], [2.0, 0.25]]


def _standard(np, x, mean):
    x = x - mean * x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 0.25)


# What is called of examples that are turned, of those with gaps, what it gives of each example of n by 3, and its slope; None: it
# takes no such examples, or has no slope there.
FORMS = {
    T + "exp": (lambda t, f, x: f(x), lambda np, x: np.exp(x), lambda np, x: np.exp(x)),
    "torch.sin": (lambda t, f, x: f(x), lambda np, x: np.sin(x), lambda np, x: np.cos(x)),
    "torch.clamp": (lambda t, f, x: f(x, -0.5, 0.75), lambda np, x: np.clip(x, -0.5, 0.75), lambda np, x: 1.0 * ((x > -0.5) & (x < 0.75))),
    "torch.where": (lambda t, f, x: f(x > 0.25, x, 3 * x), lambda np, x: np.where(x > 0.25, x, 3 * x), lambda np, x: np.where(x > 0.25, 1.0, 3)),
    T + "zero_": (lambda t, f, x: f(x * 1) + 2 * x, lambda np, x: 2 * x, lambda np, x: 2 + 0 * x),
    "torch.ones_like": (lambda t, f, x: f(x) + x, lambda np, x: 1 + x, lambda np, x: 1 + 0 * x),
    "torch.matmul": (lambda t, f, x: f(t.fw.tensor(W, dtype=x.dtype, device=x.device).T, x) if x.shape[1] == 3 else
                     f(x, t.fw.tensor(W, dtype=x.dtype, device=x.device)), lambda np, x: x @ np.array(W), lambda np, x: 0 * x + np.array(W).sum(1)),
    LAYER: (lambda t, f, x: f(3, eps=0.25, dtype=x.dtype, device=x.device)(x), lambda np, x: _standard(np, x, 1), None),
    RMS: (lambda t, f, x: f(3, eps=0.25, dtype=x.dtype, device=x.device)(x), lambda np, x: _standard(np, x, 0), None),
}  # fmt: skip
TURNED = [name for name in FORMS if FORMS[name][2]]
each = each_of(FORMS)


def _examples(apart):
    return list(zip(FROM, LONG if apart else [after - n for n, after in zip(FROM, FROM[1:])]))


def _of_each(form, apart):
    def reference(np, x):
        made, slope = [], np.zeros_like(x)
        for first, n in _examples(apart):
            part = x[first : first + n]
            made.append(form[1](np, part) if apart else form[1](np, part).T)
            if form[2]:
                slope[first : first + n] = form[2](np, part)
        return (made, slope) if form[2] else made

    return reference


def _run(t, function, x, apart):
    fw, f, at = t.fw, t.get(function), {"device": t.device}
    lengths = (fw.tensor(LONG, **at),) if apart else ()
    x = x.detach().requires_grad_(FORMS[function][2] is not None)
    given = fw.nested.nested_tensor_from_jagged(x * 1, fw.tensor(FROM, **at), *lengths)
    made = FORMS[function][0](t, f, given if apart else given.transpose(1, 2)).unbind()
    kept = [one.detach() for one in made]
    return (kept, fw.autograd.grad(sum(one.sum() for one in made), x)[0]) if x.requires_grad else kept  # fmt: skip


@each(FORMS, lambda form: _of_each(form, True), dtypes="f32 f64", since=_SINCE)
def of_examples_apart(t, dtype, function):
    """What lies between them counts for nothing, and has no slope."""
    return t.call(lambda x: _run(t, function, x, True), t.randn((16, 3), dtype))


@each(TURNED, lambda form: _of_each(form, False), dtypes="f32 f64", since=_SINCE)
def of_examples_turned(t, dtype, function):
    return t.call(lambda x: _run(t, function, x, False), t.randn((16, 3), dtype))
