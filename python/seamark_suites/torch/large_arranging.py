"""Work of 10 to 100 MB for what arranges, holds or makes tensors: what comes of a view is computed, so that there is something to do."""

import os

from seamark_suites.case import case
from seamark_suites.transformed import each_of

T = "torch.Tensor."
# The arguments, and what NumPy makes of 2048x2048 numbers; the result is doubled.
ARRANGED = {
    T + "permute": (((1, 0),), lambda np, x: x.T),
    T + "transpose": ((0, 1), lambda np, x: x.T),
    T + "view": ((1024, 4096), lambda np, x: x.reshape(1024, 4096)),
    T + "squeeze": ((), lambda np, x: x),
    T + "expand": ((2, 2048, 2048), lambda np, x: np.broadcast_to(x, (2, 2048, 2048))),
    "torch.unsqueeze": ((1,), lambda np, x: x[:, None]),
}
SUMS = {"rtol": {"f32": 1e-4}, "atol": {"f32": 1e-4}}  # of a thousand products of either sign


each = each_of(ARRANGED)


@each(ARRANGED, lambda form: lambda np, x: 2 * form[1](np, x), dtypes="f32", large=True)
def large_arranged(t, dtype, function):
    arrange, arguments = t.get(function), ARRANGED[function][0]
    return t.call(lambda x: arrange(x, *arguments) * 2, t.randn((2048, 2048), dtype))


@case(T + "expand_as", dtypes="f32", large=True, reference=lambda np, x, y: x + y)
def large_widened(t, dtype):
    widen = t.get(T + "expand_as")
    return t.call(
        lambda x, y: widen(x, y) + y, t.randn((2048, 1), dtype), t.randn((2048, 2048), dtype)
    )


@case("torch.nn.Identity", dtypes="f32", large=True, reference=lambda np, x: 2 * x)
def large_through(t, dtype):
    layer = t.get("torch.nn.Identity")()
    return t.call(lambda x: layer(x) * 2, t.randn((2048, 2048), dtype))


def _two_layers(np, x, first, second):
    return np.maximum(x @ first.T, 0) @ second.T


def _layers(t, dtype):
    return [t.construct("torch.nn.Linear", 1024, 1024, bias=False, dtype=dtype) for _ in "ab"]


@case(
    "torch.nn.Sequential",
    dtypes="f32",
    large=True,
    reference=_two_layers,
    rtol={"f32": 1e-3},
    atol={"f32": 1e-2},
)
@case(
    "torch.nn.ModuleList",
    dtypes="f32",
    large=True,
    reference=_two_layers,
    rtol={"f32": 1e-3},
    atol={"f32": 1e-2},
)
@case(
    "torch.nn.ModuleDict",
    dtypes="f32",
    large=True,
    reference=_two_layers,
    rtol={"f32": 1e-3},
    atol={"f32": 1e-2},
)
def large_layers(t, dtype, function):
    """Sums of a thousand products, twice."""
    relu, made = t.fw.relu, _layers(t, dtype)
    x = t.randn((2048, 1024), dtype)
    if function.endswith("Sequential"):
        return t.call(t.get(function)(made[0], t.fw.nn.ReLU(), made[1]), x)
    held = t.get(function)(made if function.endswith("List") else {"0": made[0], "1": made[1]})
    first, second = (held[0], held[1]) if function.endswith("List") else (held["0"], held["1"])
    return t.call(lambda x: second(relu(first(x))), x)


@case("torch.nn.Parameter", dtypes="f32", large=True, reference=lambda np, x, w: [x * w, x])
def large_parameter(t, dtype):
    """Its gradient is the factor."""
    x, held = (
        t.randn((2048, 2048), dtype),
        t.get("torch.nn.Parameter")(t.randn((2048, 2048), dtype)),
    )

    def run(x):
        made = x * held
        return made.detach(), t.fw.autograd.grad(made.sum(), held)[0]

    return t.call(run, x)


@case("torch.tensor", dtypes="f32", large=True, reference=lambda np: np.arange(4194304.0) / 8)
@case("torch.as_tensor", dtypes="f32", large=True, reference=lambda np: np.arange(4194304.0) / 8)
@case("torch.from_numpy", dtypes="f32", large=True, reference=lambda np: np.arange(4194304.0) / 8)
@case("torch.Tensor", dtypes="f32", large=True, reference=lambda np: np.arange(4194304.0) / 8)
def large_of_an_array(t, dtype, function):
    """An array of NumPy, 16 MB, to the device."""
    values = (t.np.arange(4194304.0) / 8).astype("float32")
    if function in ("torch.tensor", "torch.as_tensor"):
        return t.call(function, values, dtype=t.dtype(dtype), device=t.device)
    make = t.get(function)
    return t.call(lambda: make(values).to(t.device))


@case("torch.empty", dtypes="f32", large=True, reference=lambda np, x: x)
@case("torch.empty_like", dtypes="f32", large=True, reference=lambda np, x: x)
@case(T + "new_empty", dtypes="f32", large=True, reference=lambda np, x: x)
def large_filled(t, dtype, function):
    """Memory that is filled with a copy."""
    make = t.get(function)

    def run(x):
        if function == "torch.empty":
            made = make(2048, 2048, dtype=x.dtype, device=x.device)
        else:
            made = make(x) if function.endswith("like") else make(x, (2048, 2048))
        return made.copy_(x)

    return t.call(run, t.randn((2048, 2048), dtype))


@case("torch.save", dtypes="f32", large=True, reference=lambda np, x: x)
def large_saved(t, dtype):
    x, path = t.randn((2048, 2048), dtype), os.path.join(t.tmpdir(), "saved.pt")
    t.call("torch.save", x, path)
    return t.fw.load(path, map_location="cpu").to(t.device)


@case("torch.compile", dtypes="f32", large=True, timeout_s=300, reference=lambda np, x: np.tanh(x) * 2 + x, rtol={"f32": 1e-5})  # fmt: skip
def large_captured(t, dtype):
    """Without a compiler of C++: what Dynamo captures, run as it was captured."""
    x = t.randn((2048, 2048), dtype)
    return t.call(t.get("torch.compile")(lambda x: x.tanh() * 2 + x, backend="aot_eager"), x)
