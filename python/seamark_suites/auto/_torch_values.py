"""Objects of PyTorch that arguments of the generated suite need: `["value", NAME, ...]` in its data.

Each builder gets the handle, the tested dtype and the rest of the recipe. What it makes is the same every time:
weights are filled from the case's seed, and a group of processes is one process, without a network.
"""


def build(t, dtype, name, rest):
    """The value of that name; an unknown one is an error of the data."""
    maker = VALUES.get(name)
    if maker is None:
        raise ValueError("there is no value %r of PyTorch" % name)
    return maker(t, dtype, *rest)


# --- programs ------------------------------------------------------------------------------------


def _filled(t, dtype, name, *args, **kwargs):
    return t.construct(name, *args, dtype=dtype, **kwargs)


def _network(t, dtype):
    """Two layers with what fusing and quantizing look for: nn.Sequential(Linear, ReLU, Linear)."""
    torch = t.get("torch")
    first = _filled(t, dtype, "torch.nn.Linear", 5, 3)
    last = _filled(t, dtype, "torch.nn.Linear", 3, 2)
    return torch.nn.Sequential(first, torch.nn.ReLU(), last)


def _conv_network(t, dtype):
    torch = t.get("torch")
    conv = _filled(t, dtype, "torch.nn.Conv2d", 3, 4, 3)
    norm = _filled(t, dtype, "torch.nn.BatchNorm2d", 4)
    return torch.nn.Sequential(conv, norm, torch.nn.ReLU()).eval()


def _batch(t, dtype):
    return t.uniform((4, 5), dtype, 0.1, 0.9)


def _graph_module(t, dtype, kind="linear"):
    """A traced network whose nodes know the shapes of their results."""
    shapes = t.get("torch.fx.passes.shape_prop")
    made = t.get("torch.fx.symbolic_trace")(_network(t, dtype))
    shapes.ShapeProp(made).propagate(_batch(t, dtype))
    return made


def _function_graph_module(t, dtype):
    """relu(x + x) * 2, of functions alone."""
    torch = t.get("torch")
    shapes = t.get("torch.fx.passes.shape_prop")

    def program(x):
        return torch.relu(torch.add(x, x)) * 2

    made = t.get("torch.fx.symbolic_trace")(program)
    shapes.ShapeProp(made).propagate(_batch(t, dtype))
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
    made.trace(_network(t, dtype))
    return made


def _exported(t, dtype):
    return t.get("torch.export.export")(_network(t, dtype), (_batch(t, dtype),))


def _scripted(t, dtype):
    return t.get("torch.jit.trace")(_network(t, dtype).eval(), (_batch(t, dtype),))


def _function_scripted(t, dtype):
    def program(x):
        return x * 2 + 1

    return t.get("torch.jit.trace")(program, (_batch(t, dtype),))


def _script_text(t, dtype):
    return t.get("torch.jit.CompilationUnit")("def double(x):\n  return x * 2\n")


# --- numbers without a value ---------------------------------------------------------------------


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
    return mode.from_tensor(_batch(t, dtype))


# --- one process as a group ----------------------------------------------------------------------


def _group(t, dtype):
    """The default group of processes: this one alone, that meets nobody over a network."""
    distributed = t.get("torch.distributed")
    if not distributed.is_initialized():
        distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    return distributed.group.WORLD


def _mesh(t, dtype):
    _group(t, dtype)
    return t.get("torch.distributed.device_mesh.init_device_mesh")("cpu", (1,))


def _dtensor(t, dtype):
    tensor = t.get("torch.distributed.tensor")
    return tensor.distribute_tensor(_batch(t, dtype), _mesh(t, dtype), [tensor.Replicate()])


def _store(t, dtype):
    made = t.get("torch.distributed.HashStore")()
    made.set("key", "1")
    return made


def _sharded(t, dtype):
    _group(t, dtype)
    return t.get("torch.distributed.fsdp.fully_shard")(_network(t, dtype), mesh=_mesh(t, dtype))


def _parallel(t, dtype):
    _group(t, dtype)
    return t.get("torch.nn.parallel.DistributedDataParallel")(_network(t, dtype))


def _checkpoint(t, dtype):
    """A folder that holds a saved state."""
    import os

    path = os.path.join(t.tmpdir(), "checkpoint")
    t.get("torch.distributed.checkpoint.save")(
        {"weight": _batch(t, dtype)}, checkpoint_id=path, no_dist=True
    )
    return path


def _checkpoint_metadata(t, dtype):
    reader = t.get("torch.distributed.checkpoint.FileSystemReader")(_checkpoint(t, dtype))
    return reader.read_metadata()


def _save_planner(t, dtype):
    made = t.get("torch.distributed.checkpoint.DefaultSavePlanner")()
    made.set_up_planner({"weight": _batch(t, dtype)}, None, True)
    return made


def _save_plan(t, dtype):
    return _save_planner(t, dtype).create_local_plan()


def _load_planner(t, dtype):
    made = t.get("torch.distributed.checkpoint.DefaultLoadPlanner")()
    made.set_up_planner({"weight": _batch(t, dtype)}, _checkpoint_metadata(t, dtype), True)
    return made


def _load_plan(t, dtype):
    return _load_planner(t, dtype).create_local_plan()


# --- quantization --------------------------------------------------------------------------------


def _quantized(t, dtype, *shape):
    torch = t.get("torch")
    plain = t.uniform(tuple(shape) or (4, 5), "f32", 0.1, 0.9)
    return torch.quantize_per_tensor(plain.float(), 0.01, 10, torch.quint8)


def _qweight(t, dtype, *shape):
    torch = t.get("torch")
    return torch.quantize_per_tensor(t.randn(shape, "f32").float(), 0.05, 0, torch.qint8)


def _qembedding(t, dtype):
    """Rows with a scale each, as packed embeddings want them."""
    torch = t.get("torch")
    scales, points = torch.full((6,), 0.05), torch.zeros(6)
    rows = t.randn((6, 4), "f32").float()
    return torch.quantize_per_channel(rows, scales, points, 0, torch.quint8)


def _qconfig(t, dtype, kind="qconfig"):
    return t.get("torch.ao.quantization.default_" + kind)


def _calibrated(t, dtype, name="default_observer"):
    observer = t.get("torch.ao.quantization." + name)()
    observer(t.uniform((4, 5), "f32", 0.1, 0.9).float())
    return observer


def _prepared(t, dtype):
    """A network with observers that have seen a batch."""
    fx = t.get("torch.ao.quantization.quantize_fx")
    mapping = t.get("torch.ao.quantization.get_default_qconfig_mapping")("x86")
    batch = t.uniform((4, 5), "f32", 0.1, 0.9).float()
    made = fx.prepare_fx(_network(t, "f32").float().eval(), mapping, (batch,))
    made(batch)
    return made


def _converted(t, dtype):
    return t.get("torch.ao.quantization.quantize_fx.convert_fx")(_prepared(t, dtype))


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


def _plain_layer(t, name):
    if name == "LinearBatchNorm":
        name = "BatchNorm1d"
    for start, sizes in _SIZES:
        if name.startswith(start):
            return _filled(t, "f32", "torch.nn." + name, *sizes)
    return t.get("torch.nn." + name)()


def _fused(t, name):
    """The parts of an intrinsic module such as ConvBnReLU2d."""
    torch = t.get("torch")
    parts, dims = [], name[-2:] if name[-1] == "d" else ""
    if name.startswith("Conv"):
        parts.append(_plain_layer(t, "Conv" + dims))
    if name.startswith("Linear"):
        parts.append(_plain_layer(t, "Linear"))
    if "Bn" in name or name.startswith("BN"):
        width = 3 if name.startswith("Linear") else 4
        norm = _filled(t, "f32", "torch.nn.BatchNorm" + (dims or "1d"), width)
        parts.append(norm)
    if "LeakyReLU" in name:
        parts.append(torch.nn.LeakyReLU())
    elif "ReLU" in name:
        parts.append(torch.nn.ReLU())
    if "Tanh" in name:
        parts.append(torch.nn.Tanh())
    if name.startswith("ConvAdd"):
        return t.get("torch.ao.nn.intrinsic." + name)(parts[0], torch.add, *parts[1:])
    return t.get("torch.ao.nn.intrinsic." + name)(*parts)


def _float_of(t, dtype, name):
    """The observed float module that torch.ao's class of that name is made from."""
    quantization = t.get("torch.ao.quantization")
    short = name.rsplit(".", 1)[1]
    if ".intrinsic." in name:
        made = _fused(t, short)
    else:
        made = _plain_layer(t, "Linear" if short == "LinearReLU" else short)
    kind = "qconfig"
    if ".qat." in name:
        kind = "qat_qconfig"
    elif ".dynamic." in name:
        kind = "dynamic_qconfig"
    config = getattr(quantization, "default_" + kind)
    if short.startswith("Embedding"):
        config = quantization.float_qparams_weight_only_qconfig
        if ".qat." in name:
            config = quantization.default_embedding_qat_qconfig
    parts = [made] + list(made.children())
    for part in parts:
        part.qconfig = config
    if kind == "qconfig":
        made.activation_post_process = _calibrated(t, dtype)
        for part in parts[1:]:
            part.activation_post_process = made.activation_post_process
    return made.train() if ".qat." in name else made.eval()


def _trained_of(t, dtype, name):
    """The module with fake quantization of that class, as qat makes it from a float one."""
    return t.get(name).from_float(_float_of(t, dtype, name))


def _reference_of(t, dtype, name):
    """The reference module that a quantized class is made from."""
    short = name.rsplit(".", 1)[1]
    made = _float_of(t, dtype, name)
    plain = made[0] if ".intrinsic." in name else made
    kind = type(plain).__name__
    reference = getattr(t.get("torch.ao.nn.quantized.reference"), kind, None)
    if reference is None:
        return made
    torch = t.get("torch")
    weight = {"qscheme": torch.per_tensor_affine, "dtype": torch.qint8, "scale": 0.05,
              "zero_point": 0, "axis": 0, "is_decomposed": False}  # fmt: skip
    if kind in ("LSTM", "GRU", "LSTMCell", "GRUCell", "RNNCell"):
        keys = [key for key, _ in plain.named_parameters() if "weight" in key]
        return reference.from_float(
            plain, dict({key: dict(weight) for key in keys}, is_decomposed=False)
        )
    made = reference.from_float(plain, weight)
    if "ReLU" in short and ".intrinsic." in name:
        dims = short[-2:] if short[-1] == "d" else ""
        start = "Linear" if short.startswith("Linear") else "Conv"
        return t.get("torch.ao.nn.intrinsic." + start + "ReLU" + dims)(made, torch.nn.ReLU())
    return made


def _return_type(t, dtype, name):
    """A result of torch.return_types.X with as many tensors as it has fields."""
    kind = t.get(name)
    return [t.randn((3,), dtype) for _ in range(kind.n_sequence_fields)]


def _gloo(t, dtype):
    """A group of this process alone, as the class that does the work."""
    distributed = t.get("torch.distributed")
    return distributed.ProcessGroupGloo(distributed.HashStore(), 0, 1, _second(t, dtype))


def _saved(t, dtype):
    import os

    path = os.path.join(t.tmpdir(), "saved.pt")
    t.get("torch").save(_batch(t, dtype), path)
    return path


def _sgd(t, dtype):
    parameter = t.get("torch.nn.Parameter")(_batch(t, dtype))
    return t.get("torch.optim.SGD")([parameter], lr=0.1)


def _sequential_lr(t, dtype):
    """A schedule of two, on one optimizer."""
    rates, optimizer = t.get("torch.optim.lr_scheduler"), _sgd(t, dtype)
    parts = [rates.ConstantLR(optimizer, 0.5, 2), rates.ExponentialLR(optimizer, 0.9)]
    return rates.SequentialLR(optimizer, parts, [2])


def _second(t, dtype):
    import datetime

    return datetime.timedelta(seconds=1)


VALUES = {
    "second": _second,
    "gloo": _gloo,
    "saved": _saved,
    "sequential_lr": _sequential_lr,
    "network": _network,
    "conv_network": _conv_network,
    "graph_module": _graph_module,
    "function_graph_module": _function_graph_module,
    "named_modules": lambda t, dtype: dict(_graph_module(t, dtype).named_modules()),
    "graph": lambda t, dtype: _function_graph_module(t, dtype).graph,
    "node": _node,
    "module_node": _module_node,
    "nodes": _nodes,
    "proxy": _proxy,
    "tracer": _tracer,
    "exported": _exported,
    "scripted": _scripted,
    "function_scripted": _function_scripted,
    "script_text": _script_text,
    "shape_env": _shape_env,
    "symint": _symint,
    "symnode": _symnode,
    "symfloat": _symfloat,
    "symbool": _symbool,
    "symbol": _symbol,
    "source": _source,
    "fake": _fake,
    "group": _group,
    "mesh": _mesh,
    "dtensor": _dtensor,
    "store": _store,
    "sharded": _sharded,
    "parallel": _parallel,
    "checkpoint": _checkpoint,
    "checkpoint_metadata": _checkpoint_metadata,
    "save_planner": _save_planner,
    "save_plan": _save_plan,
    "load_planner": _load_planner,
    "load_plan": _load_plan,
    "quantized": _quantized,
    "qweight": _qweight,
    "qembedding": _qembedding,
    "qconfig": _qconfig,
    "calibrated": _calibrated,
    "prepared": _prepared,
    "converted": _converted,
    "float_of": _float_of,
    "trained_of": _trained_of,
    "reference_of": _reference_of,
    "return_type": _return_type,
}
