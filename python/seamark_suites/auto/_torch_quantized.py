"""Quantized tensors, observers and modules for the generated suite."""

from seamark_suites.auto._torch_programs import filled, network, plain_layer


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
    made = fx.prepare_fx(network(t, "f32").float().eval(), mapping, (batch,))
    made(batch)
    return made


def _converted(t, dtype):
    return t.get("torch.ao.quantization.quantize_fx.convert_fx")(_prepared(t, dtype))


def _fused(t, name):
    """The parts of an intrinsic module such as ConvBnReLU2d."""
    torch = t.get("torch")
    parts, dims = [], name[-2:] if name[-1] == "d" else ""
    if name.startswith("Conv"):
        parts.append(plain_layer(t, "Conv" + dims))
    if name.startswith("Linear"):
        parts.append(plain_layer(t, "Linear"))
    if "Bn" in name or name.startswith("BN"):
        width = 3 if name.startswith("Linear") else 4
        norm = filled(t, "f32", "torch.nn.BatchNorm" + (dims or "1d"), width)
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
        made = plain_layer(t, "Linear" if short == "LinearReLU" else short)
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
    if ".intrinsic." in name:
        whole = _float_of(t, dtype, name)
        whole[0] = made
        return whole
    return made


VALUES = {
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
}
