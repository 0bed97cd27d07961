"""Functions as TorchScript compiles, optimizes and records them: results and gradients, sizes that are read from the input."""

from seamark_suites.reference import with_gradient
from seamark_suites.transformed import each_of, leaves

from .transformed import FORMS, MADE

# The calls of FORMS as a script writes them.
WRITTEN = {
    "torch.stack": "torch.stack([x, y], 1)",
    "torch.min": "torch.min(x, 1)[0]",
    "torch.log": "torch.log(x)",
    "torch.sigmoid": "torch.sigmoid(x)",
    "torch.chunk": "torch.chunk(x, 2, 1)",
    "torch.Tensor.view": "x.view(x.size(0) - 1, 6)",
    "torch.Tensor.expand_as": "x.expand_as(y) + y",
    "torch.Tensor.repeat": "x.repeat([x.dim(), 1])",
    "torch.Tensor.index_select": "x.index_select(1, torch.tensor([2, 0, 2], device=x.device))",
    "torch.Tensor.sum": "x.sum(1)",
    "torch.Tensor.sin": "x.sin()",
    "torch.Tensor.type_as": "x.type_as(y) * y[0]",
    "torch.Tensor.add_": "(x * 1).add_(y, alpha=2)",
    "torch.Tensor.masked_fill_": "(x * 1).masked_fill_(x > 1.375, 2.5)",
    "torch.nn.functional.softmax": "torch.nn.functional.softmax(x, -1)",
    "torch.nn.SiLU": None,
    "torch.nn.CrossEntropyLoss": None,
}
# What is made by the sizes, dtype and place of an input, added to what tells them apart.
MAKERS = {
    "torch.arange": ("torch.arange(x.size(0), device=x.device), torch.arange(1.0, x.size(1), 0.5, dtype=x.dtype, device=x.device)",
                     lambda np, x: [np.arange(len(x)), np.arange(1, x.shape[1], 0.5)]),
    "torch.eye": ("torch.eye(x.size(0), device=x.device), torch.eye(x.size(0), x.size(1), dtype=x.dtype, device=x.device)",
                  lambda np, x: [np.eye(len(x)), np.eye(*x.shape)]),
    "torch.full": ("torch.full([x.size(1), 2], 2.5, dtype=x.dtype, device=x.device), torch.full([x.size(0), 1], 3, device=x.device) + x",
                   lambda np, x: [np.full((x.shape[1], 2), 2.5), 3 + x]),
    "torch.ones": ("torch.ones([x.size(0), 1], device=x.device) + x, torch.ones(x.size(), dtype=x.dtype, device=x.device) * x",
                   lambda np, x: [1 + x, x]),
    "torch.empty_like": ("torch.empty_like(x).copy_(x), torch.empty_like(x, dtype=torch.float64).fill_(2.5)",
                         lambda np, x: [x, np.full(x.shape, 2.5)]),
    "torch.Tensor.normal_": ("torch.empty_like(x).normal_(2.5, 0.0) + x, torch.empty_like(x).normal_().sum() * 0",
                             lambda np, x: [2.5 + x, np.zeros(())]),
}  # fmt: skip
ARGUMENTS = {1: "x", 2: "x, y"}
each, each_maker = each_of({name: FORMS[name] for name in WRITTEN}), each_of(MAKERS)


def _thrice(form):
    """Of whole numbers, as they were drawn, by three ways."""
    return with_gradient(lambda np, *drawn: leaves(np, form[1](np, *drawn)) * 3)


def _listed(made):
    return list(made) if isinstance(made, (tuple, list)) else [made]


def _compiled(t, function, at):
    """By a script and by a record: the function of tensors, each."""
    torch = t.fw  # the name that a script's text is looked up by
    written = MAKERS[function][0] if function in MAKERS else WRITTEN[function]
    if written:
        names = "x" if function in MAKERS else ARGUMENTS[len(FORMS[function][2])]
        run = eval("lambda %s: (%s)" % (names, written), {"torch": torch, "__name__": __name__})
        source = "def run(%s):\n    return %s\n" % (names, written)
        return torch.jit.CompilationUnit(source).run, torch.jit.trace(run, tuple(at))
    module = MADE[function](t.get(function))
    places = [torch.tensor([0, 1, 2, 0], device=t.device)] if "Loss" in function else []
    script, record = torch.jit.script(module), torch.jit.trace(module, (*at, *places))
    return lambda *x: script(*x, *places), lambda *x: record(*x, *places)


@each(WRITTEN, _thrice, dtypes="f32 f64", grad=True)
def in_a_script_and_a_record(t, dtype, function):
    """Of a script the second run is the optimized one, with its own derivative; the record was made of other numbers."""
    at = [t.uniform(shape, dtype, 0.5, 2) for shape in FORMS[function][2]]
    script, record = _compiled(t, function, [x.detach() * 0.75 for x in at])

    def run(*at):
        return [*_listed(script(*at)), *_listed(script(*at)), *_listed(record(*at))]

    return t.call(run, *at)


@each_maker(MAKERS, lambda maker: lambda np, x: maker[1](np, x) * 2, dtypes="f32")
def made_in_a_script_and_a_record(t, dtype, function):
    """As large as an input that is larger than the one of which the record was made."""
    x = t.randn((5, 7), dtype)
    script, record = _compiled(t, function, [x[:3, :4].detach()])
    return t.call(lambda x: [*script(x), *record(x)], x)
