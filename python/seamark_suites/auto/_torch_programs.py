"""Programs, files and numbers without a value for the generated suite's cases of PyTorch."""


def filled(t, dtype, name, *args, **kwargs):
    return t.construct(name, *args, dtype=dtype, **kwargs)


def network(t, dtype):
    """Two layers with what fusing and quantizing look for: nn.Sequential(Linear, ReLU, Linear)."""
    torch = t.get("torch")
    first = filled(t, dtype, "torch.nn.Linear", 5, 3)
    last = filled(t, dtype, "torch.nn.Linear", 3, 2)
    return torch.nn.Sequential(first, torch.nn.ReLU(), last)


def _conv_network(t, dtype):
    torch = t.get("torch")
    conv = filled(t, dtype, "torch.nn.Conv2d", 3, 4, 3)
    norm = filled(t, dtype, "torch.nn.BatchNorm2d", 4)
    return torch.nn.Sequential(conv, norm, torch.nn.ReLU()).eval()


def batch(t, dtype):
    return t.uniform((4, 5), dtype, 0.1, 0.9)


def _graph_module(t, dtype, kind="linear"):
    """A traced network whose nodes know the shapes of their results."""
    shapes = t.get("torch.fx.passes.shape_prop")
    made = t.get("torch.fx.symbolic_trace")(network(t, dtype))
    shapes.ShapeProp(made).propagate(batch(t, dtype))
    return made


def _function_graph_module(t, dtype):
    """relu(x + x) * 2, of functions alone: one object in a case, so that its nodes belong to its graph."""
    torch = t.get("torch")
    shapes = t.get("torch.fx.passes.shape_prop")
    if "_graph_module" in vars(t):
        return t._graph_module

    def program(x):
        return torch.relu(torch.add(x, x)) * 2

    made = t.get("torch.fx.symbolic_trace")(program)
    shapes.ShapeProp(made).propagate(batch(t, dtype))
    t._graph_module = made
    return made


def _typed_node(t, dtype, which=1):
    """A node whose type, and that of its inputs, is a shape."""
    made = _function_graph_module(t, dtype)
    for node in made.graph.nodes:
        node.type = t.get("torch.fx.tensor_type.TensorType")((4, 5))
    return list(made.graph.nodes)[which]


_SIZES = (
    ("ConvTranspose", (3, 4, 3)),
    ("Conv", (3, 4, 3)),
    ("Linear", (5, 3)),
    ("BatchNorm", (4,)),
    ("InstanceNorm", (3,)),
    ("LayerNorm", (5,)),
    ("GroupNorm", (3, 3)),
    ("EmbeddingBag", (6, 4)),
    ("Embedding", (6, 4)),
    ("MultiheadAttention", (8, 2)),
    ("LSTM", (5, 3)),
    ("GRU", (5, 3)),
    ("RNN", (5, 3)),
)


def plain_layer(t, name):
    if name == "LinearBatchNorm":
        name = "BatchNorm1d"
    for start, sizes in _SIZES:
        if name.startswith(start):
            return filled(t, "f32", "torch.nn." + name, *sizes)
    return t.get("torch.nn." + name)()


def _image_node(t, dtype, layer="Conv2d"):
    """The node of a layer of images, with a typed input."""
    module = plain_layer(t, layer) if layer != "MaxPool2d" else t.get("torch.nn.MaxPool2d")(2)
    made = t.get("torch.fx.symbolic_trace")(t.get("torch").nn.Sequential(module))
    for node in made.graph.nodes:
        node.type = t.get("torch.fx.tensor_type.TensorType")((2, 3, 8, 8))
    return list(made.graph.nodes)[1]


def _node_symbols(t, dtype):
    """A type variable for each node."""
    variable = t.get("torch.fx.experimental.migrate_gradual_types.constraint.TVar")
    nodes = _function_graph_module(t, dtype).graph.nodes
    return {node: variable(number) for number, node in enumerate(nodes, 1)}


def _partition(t, dtype):
    made = t.get("torch.fx.experimental.partitioner_utils.Partition")(0)
    t.get("torch.fx.passes.graph_manipulation").get_size_of_all_nodes(
        _function_graph_module(t, dtype), [batch(t, dtype)]
    )
    for node in _nodes(t, dtype):
        made.add_node(node)
    return made


def _node(t, dtype, which=1):
    return list(_function_graph_module(t, dtype).graph.nodes)[which]


def _module_node(t, dtype):
    return list(_graph_module(t, dtype).graph.nodes)[1]


def _nodes(t, dtype):
    return list(_function_graph_module(t, dtype).graph.nodes)[1:3]


def _proxy(t, dtype):
    graph = t.get("torch.fx.Graph")()
    return t.get("torch.fx.Proxy")(graph.placeholder("x"))


def _tracer(t, dtype):
    made = t.get("torch.fx.Tracer")()
    made.trace(network(t, dtype))
    return made


def _exported(t, dtype):
    return t.get("torch.export.export")(network(t, dtype), (batch(t, dtype),))


def _scripted_source(t, dtype):
    return t.get("torch.jit.script")(network(t, "f32").float().eval())


def _scripted(t, dtype):
    return t.get("torch.jit.trace")(network(t, dtype).eval(), (batch(t, dtype),))


def _function_scripted(t, dtype):
    def program(x):
        return x * 2 + 1

    return t.get("torch.jit.trace")(program, (batch(t, dtype),))


def _script_text(t, dtype):
    return t.get("torch.jit.CompilationUnit")("def double(x):\n  return x * 2\n")


_TEXTS = {
    "Attribute": "a.b", "BinOp": "a + b", "BoolOp": "a and b", "Call": "f(a)", "Compare": "a < b",
    "Constant": "1", "Dict": "{1: a}", "DictComp": "{a: b for a in c}", "Ellipsis": "...",
    "GeneratorExp": "(a for a in b)", "IfExp": "a if b else c", "JoinedStr": "f'{a}'", "List": "[a, b]",
    "ListComp": "[a for a in b]", "Name": "a", "NameConstant": "True", "Num": "1", "Starred": "f(*a)",
    "Str": "'a'", "Subscript": "a[0]", "Tuple": "(a, b)", "UnaryOp": "-a", "AnnAssign": "a: int = 1",
    "Assert": "assert a", "Assign": "a = b", "AugAssign": "a += b", "Break": "break",
    "Continue": "continue", "Delete": "del a", "Expr": "f(a)", "For": "for a in b:\n    pass",
    "If": "if a:\n    pass", "Pass": "pass", "Print": "print(a)", "Raise": "raise a",
    "Return": "return a", "While": "while a:\n    pass", "With": "with a as b:\n    pass",
    "withitem": "with a as b:\n    pass", "def": "def f(a):\n    return a",
}  # fmt: skip


def _syntax(t, dtype, name="BinOp"):
    """The syntax tree of a text of the kind that torch.jit.frontend's build_NAME takes."""
    import ast

    kind = name.rsplit("build_", 1)[-1]
    text = _TEXTS.get(kind, "a + b")
    tree = ast.parse(text).body[0]
    if kind == "withitem":
        return tree.items[0]
    if kind == "Starred":
        return tree.value.args[0]
    inner = ".ExprBuilder." in name or kind == "expr"
    return tree.value if inner else tree


def _source_context(t, dtype):
    text = "def f(a, b, c):\n    return a + b" + " " * 80
    return t.get("torch._sources").SourceContext(text, "text", 1, 0, True, "f")


def _profile(t, dtype):
    """What a profiler recorded of one operation."""
    torch = t.get("torch")
    values = batch(t, dtype)
    with t.get("torch.autograd.profiler.profile")() as made:
        torch.relu(values)
    return made


def _package(t, dtype):
    """A file that a PackageExporter wrote."""
    import os

    path = os.path.join(t.tmpdir(), "made.pt")
    with t.get("torch.package.PackageExporter")(path) as out:
        out.save_text("things", "text.txt", "hello")
        out.save_pickle("things", "numbers.pkl", [1, 2])
        out.save_source_string("code", "x = 1\n")
    return path


def _exporter(t, dtype):
    import os

    return t.get("torch.package.PackageExporter")(os.path.join(t.tmpdir(), "open.pt"))


def _grad_node(t, dtype):
    parameter = t.get("torch.nn.Parameter")(batch(t, dtype))
    return (parameter * 2).grad_fn


def _shape_env(t, dtype):
    return t.get("torch.fx.experimental.symbolic_shapes.ShapeEnv")()


def _symint(t, dtype, hint=4):
    shapes = t.get("torch.fx.experimental.symbolic_shapes")
    source = t.get("torch._dynamo.source").ConstantSource("size")
    env = shapes.ShapeEnv()
    symbol = env.create_symbol(hint, source, shapes.DimDynamic.DYNAMIC)
    return env.create_symintnode(symbol, hint=hint, source=source)


def _symnode(t, dtype, hint=4):
    return _symint(t, dtype, hint).node


def _symfloat(t, dtype):
    return t.get("torch.sym_float")(_symint(t, dtype))


def _symbool(t, dtype):
    return _symint(t, dtype) > 2


def _symbol(t, dtype):
    return t.get("torch.utils._sympy.symbol").make_symbol(
        t.get("torch.utils._sympy.symbol").SymT.SIZE, 0, integer=True, positive=True
    )


def _source(t, dtype):
    return t.get("torch._dynamo.source").ConstantSource("size")


def _fake(t, dtype):
    mode = t.get("torch._subclasses.fake_tensor").FakeTensorMode()
    return mode.from_tensor(batch(t, dtype))


def _return_type(t, dtype, name):
    """A result of torch.return_types.X with as many tensors as it has fields."""
    kind = t.get(name)
    return [t.randn((3,), dtype) for _ in range(kind.n_sequence_fields)]


def _saved(t, dtype):
    import os

    path = os.path.join(t.tmpdir(), "saved.pt")
    t.get("torch").save(batch(t, dtype), path)
    return path


def _saved_dict(t, dtype):
    import os

    path = os.path.join(t.tmpdir(), "saved.pt")
    t.get("torch").save({"weight": batch(t, dtype)}, path)
    return path


def _saved_program(t, dtype):
    import os

    path = os.path.join(t.tmpdir(), "program.pt2")
    t.get("torch.export.save")(_exported(t, dtype), path)
    return path


def _saved_script(t, dtype):
    import os

    path = os.path.join(t.tmpdir(), "script.pt")
    t.get("torch.jit.save")(_scripted(t, dtype), path)
    return path


def _with_grad(t, dtype):
    parameter = t.get("torch.nn.Parameter")(batch(t, dtype))
    parameter.grad = t.randn((4, 5), dtype)
    return parameter


def sgd(t, dtype):
    parameter = t.get("torch.nn.Parameter")(batch(t, dtype))
    return t.get("torch.optim.SGD")([parameter], lr=0.1)


def _sequential_lr(t, dtype):
    """A schedule of two, on one optimizer."""
    rates, optimizer = t.get("torch.optim.lr_scheduler"), sgd(t, dtype)
    parts = [rates.ConstantLR(optimizer, 0.5, 2), rates.ExponentialLR(optimizer, 0.9)]
    return rates.SequentialLR(optimizer, parts, [2])


VALUES = {
    "saved": _saved,
    "saved_program": _saved_program,
    "saved_dict": _saved_dict,
    "saved_script": _saved_script,
    "with_grad": _with_grad,
    "sequential_lr": _sequential_lr,
    "network": network,
    "conv_network": _conv_network,
    "graph_module": _graph_module,
    "function_graph_module": _function_graph_module,
    "named_modules": lambda t, dtype: dict(_graph_module(t, dtype).named_modules()),
    "graph": lambda t, dtype: _function_graph_module(t, dtype).graph,
    "node": _node,
    "typed_node": _typed_node,
    "image_node": _image_node,
    "node_symbols": _node_symbols,
    "partition": _partition,
    "module_node": _module_node,
    "nodes": _nodes,
    "proxy": _proxy,
    "tracer": _tracer,
    "exported": _exported,
    "scripted": _scripted,
    "scripted_source": _scripted_source,
    "function_scripted": _function_scripted,
    "script_text": _script_text,
    "shape_env": _shape_env,
    "syntax": _syntax,
    "source_context": _source_context,
    "profile": _profile,
    "events": lambda t, dtype: _profile(t, dtype).function_events,
    "event": lambda t, dtype: _profile(t, dtype).function_events[0],
    "package": _package,
    "exporter": _exporter,
    "grad_node": _grad_node,
    "symint": _symint,
    "symnode": _symnode,
    "symfloat": _symfloat,
    "symbool": _symbool,
    "symbol": _symbol,
    "source": _source,
    "fake": _fake,
    "return_type": _return_type,
}
