"""What PyTorch's tests ask of every module, of torch.nn.Conv1d, Embedding and ReLU: saved whole, emptied elsewhere, moved to a dtype, in training or not."""

from seamark_suites.case import each

from . import reference_nn as right

CONV, ROWS, RELU = "torch.nn.Conv1d", "torch.nn.Embedding", "torch.nn.ReLU"
# What a module is made of, and what it gives.
MODULES = {
    CONV: ((3, 4, 3), lambda np, x, weight, bias: right.conv(np, x, weight, bias)),
    ROWS: ((7, 4), lambda np, x, weight: weight[x]),
    RELU: ((), lambda np, x: np.maximum(x, 0)),
}
_SUMS = {"rtol": {"f32": 1e-4}, "atol": {"f32": 1e-4}}  # of products


def _given(t, function, dtype):
    if function == ROWS:
        return t.randint((2, 5), "i64", 0, 7)
    return t.randn((2, 3, 9), dtype)


@each(MODULES, lambda name: lambda np, *drawn: [MODULES[name][1](np, *drawn)] * 3, dtypes="f32 f64", core=False, **_SUMS)  # fmt: skip
def saved_whole(t, dtype, function):
    """Written to a file and read again; in training and not, it gives the same."""
    import io

    options, x = MODULES[function][0], _given(t, function, dtype)
    layer, file = (
        t.construct(function, *options, **({"dtype": dtype} if options else {})),
        io.BytesIO(),
    )
    t.fw.save(layer.cpu(), file)
    file.seek(0)
    again = t.fw.load(file, weights_only=False).to(t.device)
    t.expect(type(again) is type(layer) and again is not layer, "another of its kind")
    layer = layer.to(t.device)
    return [t.call(one, x) for one in (layer.train(), layer.eval(), again)]


@each(MODULES, lambda name: lambda np, *drawn: [MODULES[name][1](np, *drawn)], dtypes="f32", core=False, **_SUMS)  # fmt: skip
def emptied_and_filled(t, dtype, function):
    """Without memory on meta, emptied to the device, filled by a state; moved to f64 and back it keeps its numbers."""
    options, x = MODULES[function][0], _given(t, function, dtype)
    layer = t.construct(function, *options, **({"dtype": dtype} if options else {}))
    made = t.get(function)(
        *options, **({"device": "meta", "dtype": t.dtype(dtype)} if options else {})
    )
    t.expect(all(one.is_meta for one in made.parameters()), "no memory")
    if function != ROWS:
        elsewhere = made.to("meta")(x.to("meta"))
        t.expect(elsewhere.is_meta and elsewhere.dim() == 3, "sizes alone")
    made.to_empty(device=t.device)
    kind = t.fw.device(t.device).type
    t.expect(
        all(one.device.type == kind and one.requires_grad for one in made.parameters()),
        "on the device",
    )
    made.load_state_dict(layer.state_dict())
    wide = made.double()
    t.expect(wide is made and all(one.dtype is t.fw.float64 for one in made.parameters()), "f64")
    return [t.call(made.to(t.dtype(dtype)), x)]
