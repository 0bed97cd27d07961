"""Work of 10 to 100 MB for functions whose other cases are small: a time is then the device's, not the overhead's."""

from seamark_suites.case import case

# Of 2048x2048 numbers: the mean and the deviation that are asked for.
DRAWN = {
    "torch.Tensor.normal_": (0.0, 1.0),
    "torch.Tensor.uniform_": (0.5, 12**-0.5),
    "torch.nn.init.uniform_": (0.5, 12**-0.5),
    "torch.nn.init.xavier_uniform_": (0.0, 2048**-0.5),
    "torch.nn.init.kaiming_uniform_": (0.0, 1024**-0.5),
    "torch.nn.init.kaiming_normal_": (0.0, 1024**-0.5),
    "torch.nn.init.trunc_normal_": (0.0, 0.87963),  # cut at two deviations
}


@case("torch.round", dtypes="f32", large=True, reference=lambda np, x: np.round(x))
@case("torch.Tensor.unsqueeze", dtypes="f32", large=True, reference=lambda np, x: 2 * x[:, None])
def large_of_one(t, dtype, function):
    x = t.uniform((2048, 2048), dtype, -100, 100)
    return t.call(function, x, 1) * 2 if function.endswith("unsqueeze") else t.call(function, x)


@case("torch.isnan", dtypes="f32", large=True, reference=lambda np, x: np.isnan(x))
@case("torch.isinf", dtypes="f32", large=True, reference=lambda np, x: np.isinf(x))
def large_with_holes(t, dtype, function):
    values = t.np.arange(4194304.0)
    values[::7], values[::11] = float("nan"), float("inf")
    return t.call(function, t.const(values, dtype))


@case("torch.sum", dtypes="f32", large=True, reference=lambda np, x: x.sum(1))
def large_sum_of_rows(t, dtype):
    return t.call("torch.sum", t.uniform((2048, 2048), dtype, 1, 2), 1)


@case("torch.cat", dtypes="f32", large=True, reference=lambda np, x, y: np.concatenate([x, y], 1))
def large_joined(t, dtype):
    return t.call("torch.cat", [t.randn((2048, 1024), dtype), t.randn((2048, 512), dtype)], 1)


@case("torch.argsort", dtypes="f32", large=True, reference=lambda np, x: np.argsort(x, -1))
def large_sorted_rows(t, dtype):
    return t.call("torch.argsort", t.distinct((256, 4096), dtype))


@case("torch.Tensor.to", dtypes="f32", large=True, reference=lambda np, x: np.trunc(x))
@case("torch.Tensor.type_as", dtypes="f32", large=True, reference=lambda np, x, y: np.trunc(x))
def large_to_whole_numbers(t, dtype, function):
    x = t.uniform((2048, 2048), dtype, -100, 100)
    to = t.const([1], "i32") if function.endswith("type_as") else t.dtype("i32")
    return t.call(function, x, to)


@case(
    "torch.zeros",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np: np.zeros((2048, 2048)),
)
def large_zeros(t, dtype):
    return t.call("torch.zeros", 2048, 2048, dtype=t.dtype(dtype), device=t.device)


@case("torch.Tensor.new_zeros", dtypes="f32", large=True, trivial=True,
      reference=lambda np, x: np.zeros((2048, 2048)))  # fmt: skip
def large_new_zeros(t, dtype):
    return t.call("torch.Tensor.new_zeros", t.randn((3,), dtype), (2048, 2048))


@case(
    "torch.nn.Linear",
    dtypes="f32",
    sizes=[(1024, 1024)],
    size=[(2048, 1024)],
    large=True,
    atol={"f32": 1e-4},  # sums of a thousand products of either sign
)
@case("torch.nn.Conv2d", dtypes="f32", sizes=[(16, 32, 3)], size=[(16, 16, 64, 64)], large=True)
@case("torch.nn.Conv3d", dtypes="f32", sizes=[(8, 16, 3)], size=[(4, 8, 24, 32, 32)], large=True)
def large_layer(t, dtype, function, sizes, size):
    return t.call(t.construct(function, *sizes, dtype=dtype), t.randn(size, dtype))


@case("torch.nn.GELU", dtypes="f32", large=True)
def large_activation(t, dtype):
    return t.call(t.get("torch.nn.GELU")(), t.randn((2048, 2048), dtype))


@case("torch.nn.BCEWithLogitsLoss", dtypes="f32", large=True, reference=lambda np, x, y: (
      np.logaddexp(0, x) - x * y).mean())  # fmt: skip
def large_loss(t, dtype):
    x, y = t.randn((2048, 2048), dtype), t.uniform((2048, 2048), dtype)
    return t.call(t.get("torch.nn.BCEWithLogitsLoss")(), x, y)


@case("torch.nn.functional.dropout", dtypes="f32", large=True, random=True, reference="none")
def large_dropped(t, dtype):
    values = t.host(
        t.call("torch.nn.functional.dropout", t.const(t.np.ones((2048, 2048)), dtype), 0.25)
    )
    t.expect(abs(float((values == 0).mean()) - 0.25) < 0.002, "a quarter is dropped")
    t.expect(bool((abs(values[values != 0] - 4 / 3) < 1e-6).all()), "the others are scaled")


@case("torch.Tensor.normal_", dtypes="f32", large=True, random=True, reference="none")
@case("torch.Tensor.uniform_", dtypes="f32", large=True, random=True, reference="none")
@case("torch.nn.init.uniform_", dtypes="f32", large=True, random=True, reference="none")
@case("torch.nn.init.xavier_uniform_", dtypes="f32", large=True, random=True, reference="none")
@case("torch.nn.init.kaiming_uniform_", dtypes="f32", large=True, random=True, reference="none")
@case("torch.nn.init.kaiming_normal_", dtypes="f32", large=True, random=True, reference="none")
@case("torch.nn.init.trunc_normal_", dtypes="f32", large=True, random=True, reference="none")
def large_drawn(t, dtype, function):
    mean, std = DRAWN[function]
    t.statistics(t.call(function, t.const(t.np.zeros((2048, 2048)), dtype)), mean=mean, std=std)


@case("torch.randperm", large=True, random=True, reference="none")
def large_shuffled(t):
    values = t.host(t.call("torch.randperm", 1 << 21, device=t.device))
    t.expect(bool((t.np.sort(values) == t.np.arange(1 << 21)).all()), "each number once")
    t.expect(bool((values[:-1] < values[1:]).mean() < 0.51), "a shuffled order")
