"""Functions between the first eight and the first nine calls in ten: initial values, facts, checkpoints, compilation."""

import os

from seamark_suites.case import case

from .reference import with_gradient

# --- facts


@case("torch.get_default_dtype", host_only=True, reference="none")
def what_numbers_become(t):
    torch = t.fw
    t.expect(t.call("torch.get_default_dtype") is torch.float32, "float32 at first")
    try:
        for kind in (torch.float64, torch.bfloat16):
            torch.set_default_dtype(kind)
            t.expect(t.call("torch.get_default_dtype") is kind, "what was set, %s" % kind)
            t.expect(torch.tensor(1.5).dtype is kind, "and what a number becomes")
    finally:
        torch.set_default_dtype(torch.float32)


# NumPy has no bf16 and holds float32 beside int64 to be too narrow; so by torch's own rule: category, then width.
_PROMOTED = {
    ("i8", "u8"): "i16", ("i64", "f16"): "f16", ("bool", "u8"): "u8", ("f16", "bf16"): "f32",
    ("f32", "f64"): "f64", ("i32", "i64"): "i64", ("f32", "c64"): "c64", ("f64", "c64"): "c128",
    ("bool", "bool"): "bool", ("bf16", "i32"): "bf16",
}  # fmt: skip


@case("torch.promote_types", host_only=True, reference="none")
def of_two(t):
    for (a, b), want in _PROMOTED.items():
        for one, other in ((a, b), (b, a)):
            found = t.call("torch.promote_types", t.dtype(one), t.dtype(other))
            t.expect(found is t.dtype(want), "%s and %s: %s, got %s" % (one, other, want, found))


@case("torch.promote_types", dtypes="f32 f16 i32", core="f32", reference=lambda np, x, y: x + y)
def as_sums_do(t, dtype):
    x, y = t.randint((5,), dtype, 1, 9), t.randint((5,), "i64", 1, 9)
    made = t.call(lambda a, b: a + b, x, y)
    want = t.get("torch.promote_types")(t.dtype(dtype), t.dtype("i64"))
    t.expect(made.dtype is want, "a sum has the dtype, got %s" % made.dtype)
    return made


@case("torch.cuda.device_count", host_only=True, reference="none")
def of_cuda(t):
    found = t.call("torch.cuda.device_count")
    t.expect(type(found) is int and found >= 0, "a number, got %r" % (found,))
    t.expect((found > 0) == t.fw.cuda.is_available(), "some where CUDA is available")


@case("torch.backends.mps.is_available", host_only=True, reference="none")
def of_metal(t):
    found = t.call("torch.backends.mps.is_available")
    t.expect(type(found) is bool, "a bool, got %r" % (found,))
    t.expect(t.fw.backends.mps.is_built() or not found, "only where it was built for it")


@case("torch.distributed.is_available", host_only=True, reference="none")
def of_groups(t):
    found = t.call("torch.distributed.is_available")
    t.expect(type(found) is bool, "a bool, got %r" % (found,))
    t.expect(found == hasattr(t.fw.distributed, "init_process_group"), "as its functions are there")


# --- numbers that are none


def special(function, name, **header):
    """By NumPy's function of that name."""
    return case(function, name=name, reference="numpy", **header)


@special(
    "torch.isnan", "where_nan_is", dtypes="f32 bf16 c64 i32", core="f32 bf16 i32", trivial=True
)
@special("torch.isnan", "where_nan_is", dtypes="f16 f64", core=False)
@special(
    "torch.isinf", "where_infinity_is", dtypes="f32 bf16 c64 i32", core="f32 bf16 i32", trivial=True
)
@special("torch.isinf", "where_infinity_is", dtypes="f16 f64", core=False)
def of_special_numbers(t, function, dtype):
    return t.call(function, _special(t, dtype))


def _special(t, dtype):
    if dtype[0] == "i":
        return t.randint((6, 5), dtype, -9, 9)
    nan, inf = float("nan"), float("inf")
    values = [nan, inf, -inf, -0.0, 2.5, -nan]
    return t.const([values, values[::-1]], dtype)


@case(
    "torch.isnan",
    dtypes="f32",
    shapes="0 scalar 7x5",
    trivial=True,
    core=False,
    reference=lambda np, x: np.isnan(x),
)
@case(
    "torch.isinf",
    dtypes="f32",
    shapes="0 scalar 7x5",
    trivial=True,
    core=False,
    reference=lambda np, x: np.isinf(x),
)
def of_plain_numbers(t, function, dtype, shape):
    return t.call(function, t.randn(shape, dtype))


# --- initial values

INIT = "torch.nn.init."


@case(INIT + "uniform_", dtypes="f32 bf16", random=True, reference="none")
@case(INIT + "uniform_", dtypes="f16 f64", core=False, random=True, reference="none")
def evenly(t, dtype):
    x = t.const(t.np.full((100, 90), 9.0), dtype)
    made = t.call(INIT + "uniform_", x, -1.0, 3.0)
    t.expect(made is x, "the same tensor, filled in place")
    t.statistics(made, mean=1.0, std=4 / 12**0.5, low=-1.0, high=3.0)
    return made


@case("torch.Tensor.uniform_", dtypes="f32 bf16", random=True, reference="none")
@case("torch.Tensor.uniform_", dtypes="f16 f64", core=False, random=True, reference="none")
def evenly_in_place(t, dtype):
    x = t.const(t.np.full((100, 90), 9.0), dtype)
    made = t.call("torch.Tensor.uniform_", x, -2.0, 0.5)
    t.expect(made is x, "the same tensor, filled in place")
    t.statistics(made, mean=-0.75, std=2.5 / 12**0.5, low=-2.0, high=0.5)
    return made


@case("torch.Tensor.uniform_", dtypes="f32", core=False, reference="none")
def bounds_that_cannot_be(t, dtype):
    x = t.randn((3,), dtype)
    t.refuses("torch.Tensor.uniform_", x, 2.0, 1.0)


@case(INIT + "trunc_normal_", dtypes="f32 f64", core="f32", random=True, reference="none")
def cut_off(t, dtype):
    x = t.const(t.np.full((120, 100), 9.0), dtype)
    made = t.call(INIT + "trunc_normal_", x, mean=1.0, std=2.0, a=-1.0, b=3.0)
    # Of a normal draw within one deviation: its deviation is 0.5396 of the whole one's.
    t.expect(made is x, "the same tensor, filled in place")
    t.statistics(made, mean=1.0, std=2 * 0.5396, low=-1.0, high=3.0)
    return made


FANS = ["fan_in", "fan_out"]


def _needs_a_fan(t, function):
    fill = t.get(function)
    t.raises(ValueError, fill, t.randn((5,), "f32"))
    t.raises(ValueError, fill, t.randn((5, 4), "f32"), mode="fan_sideways")


@case(INIT + "kaiming_normal_", dtypes="f32", mode=FANS, random=True, reference="none")
@case(INIT + "kaiming_normal_", dtypes="f64", mode=FANS, core=False, random=True, reference="none")
def normal_by_the_fan(t, dtype, mode):
    x = t.const(t.np.full((60, 20, 3, 3), 9.0), dtype)
    made = t.call(INIT + "kaiming_normal_", x, mode=mode, nonlinearity="relu")
    t.expect(made is x, "the same tensor, filled in place")
    t.statistics(made, mean=0.0, std=(2 / ((20 if mode == "fan_in" else 60) * 9)) ** 0.5)
    _needs_a_fan(t, INIT + "kaiming_normal_")
    return made


@case(INIT + "kaiming_uniform_", dtypes="f32", mode=FANS, random=True, reference="none")
@case(INIT + "kaiming_uniform_", dtypes="f64", mode=FANS, core=False, random=True, reference="none")
def uniform_by_the_fan(t, dtype, mode):
    """As layers start: a = sqrt(5) gives bounds of 1 / sqrt(fan)."""
    x = t.const(t.np.full((80, 120), 9.0), dtype)
    made = t.call(INIT + "kaiming_uniform_", x, a=5**0.5, mode=mode)
    bound = (1 / (120 if mode == "fan_in" else 80)) ** 0.5
    t.expect(made is x, "the same tensor, filled in place")
    t.statistics(made, mean=0.0, std=bound / 3**0.5, low=-bound * 1.0001, high=bound * 1.0001)
    _needs_a_fan(t, INIT + "kaiming_uniform_")
    return made


# --- tensors by their old names, and generators


@case("torch.FloatTensor", host_only=True, reference="none")
@case("torch.LongTensor", host_only=True, reference="none")
def by_an_old_name(t, function):
    """On the host, whatever the default device."""
    kind = t.fw.float32 if function == "torch.FloatTensor" else t.fw.int64
    made = t.call(function, [[1, 2, 3], [4, 5, 6]])
    t.expect(made.dtype is kind and made.device.type == "cpu", "its dtype, on the host")
    t.expect(t.host(made).tolist() == [[1, 2, 3], [4, 5, 6]], "its numbers, got %s" % made)
    sized = t.call(function, 4, 2)
    t.expect(tuple(sized.shape) == (4, 2) and sized.dtype is kind, "by sizes, without values")
    t.expect(
        isinstance(made, t.get(function)) and not isinstance(made.to(t.fw.int8), t.get(function)),
        "a class of them",
    )


@case("torch.Generator", host_only=True, reference="none")
def draws_that_come_again(t):
    torch = t.fw
    first, second = (t.call("torch.Generator").manual_seed(7) for _ in "ab")
    a, b = torch.rand(50, generator=first), torch.rand(50, generator=second)
    t.expect(bool((a == b).all()), "the same numbers of the same seed")
    state = first.get_state()
    c = torch.randn(9, generator=first)
    first.set_state(state)
    t.expect(bool((torch.randn(9, generator=first) == c).all()), "and of the same state")
    t.expect(first.initial_seed() == 7 and first.device.type == "cpu", "its seed and device")
    torch.manual_seed(1)
    before = torch.get_rng_state()
    torch.rand(5, generator=first)
    t.expect(bool((torch.get_rng_state() == before).all()), "apart from the default one")


# --- containers, checkpoints, compilation


@case("torch.nn.ModuleDict", dtypes="f32 bf16", core="f32", rtol={"f32": 1e-5, "bf16": 3e-2},
      atol={"f32": 1e-5, "bf16": 3e-2}, reference=lambda np, x, w, b: np.maximum(x @ w.T + b, 0))  # fmt: skip
def layers_by_name(t, dtype):
    layers = {"first": t.fw.nn.Linear(4, 3), "last": t.fw.nn.ReLU()}
    made = t.construct("torch.nn.ModuleDict", layers, dtype=dtype)
    t.expect(list(made) == ["first", "last"] and len(made) == 2, "names in their order")
    t.expect(list(made.state_dict()) == ["first.weight", "first.bias"], "names of parameters")
    return t.call(lambda x: made["last"](made["first"](x)), t.randn((5, 4), dtype))


@case("torch.nn.ModuleDict", reference="none")
def names_come_and_go(t):
    nn = t.fw.nn
    made = t.call("torch.nn.ModuleDict", {"a": nn.ReLU()})
    made["b"] = nn.Tanh()
    made.update({"c": nn.Sigmoid(), "a": nn.GELU()})
    t.expect(list(made.keys()) == ["a", "b", "c"] and "b" in made, "added, and replaced in place")
    t.expect(isinstance(made.pop("b"), nn.Tanh) and list(made) == ["a", "c"], "taken out")
    t.raises(TypeError, made.update, {"d": 3})
    t.raises(KeyError, made.__getitem__, "b")
    made.clear()
    t.expect(len(made) == 0, "empty")


@case("torch.save", dtypes="f32 bf16 i64 bool", core="f32 i64", reference=lambda np, x: x)
def comes_back(t, dtype):
    x, path = t.randn((6, 5), dtype), os.path.join(t.tmpdir(), "saved.pt")
    t.expect(t.call("torch.save", {"x": x, "more": [1, "two"]}, path) is None, "nothing")
    made = t.fw.load(path, map_location="cpu")
    t.expect(made["more"] == [1, "two"] and made["x"].dtype is x.dtype, "what was beside it")
    return made["x"].to(t.device)


@case("torch.save", dtypes="f32", core=False, reference="none")
def into_a_stream(t, dtype):
    import io

    x, stream = t.randn((3, 3), dtype), io.BytesIO()
    t.call("torch.save", [x, x], stream)
    stream.seek(0)
    a, b = t.fw.load(stream, map_location="cpu")
    t.expect(a.data_ptr() == b.data_ptr(), "one memory of both")
    t.expect(bool((t.host(a) == t.host(x)).all()), "the same numbers")
    t.raises(Exception, t.call, "torch.save", x, os.path.join(t.tmpdir(), "no", "folder.pt"))


def _compiled(t, function, **options):
    """Without a compiler of C++: what Dynamo captures, run as it was captured."""
    return t.get("torch.compile")(function, backend="aot_eager", **options)


@case(
    "torch.compile",
    dtypes="f32",
    rtol={"f32": 1e-5},
    atol={"f32": 1e-5},
    timeout_s=120,
    reference=lambda np, x, w: np.tanh(x @ w) * 2,
)
@case(
    "torch.compile",
    dtypes="f32",
    grad=True,
    rtol={"f32": 1e-5},
    atol={"f32": 1e-5},
    timeout_s=120,
    name="captured_whole_gradient",
    reference=with_gradient(lambda np, x, w: np.tanh(x @ w) * 2),
)
def captured_whole(t, dtype):
    def layer(x, w):
        return (x @ w).tanh() * 2

    x, w = t.randn((5, 4), dtype), t.randn((4, 3), dtype)
    if str(t.device) == "cpu":  # outside of the call, where nothing watches operators
        t.fw._dynamo.reset()  # it remembers what it skipped in an attempt before
        whole = _compiled(t, layer, fullgraph=True)(x, w)
        t.expect(bool(t.np.allclose(t.host(whole), t.host(layer(x, w)), rtol=1e-5)), "one graph")
    return t.call(_compiled(t, layer), x, w)


@case(
    "torch.compile",
    dtypes="f32",
    core=False,
    timeout_s=120,
    reference=lambda np, *xs: [x * 2 + x.sum() for x in xs],
)
def captured_for_other_sizes(t, dtype):
    run = _compiled(t, lambda x: x * 2 + x.sum())
    return [t.call(run, t.randn((n, 3), dtype)) for n in (2, 5, 9)]


@case("torch.compile", core=False, timeout_s=120, reference="none")
def a_break_is_told(t):
    """Two graphs, or an error where one was asked for."""

    def broken(x):
        y = x + 1
        t.fw._dynamo.graph_break()
        return y * 2

    x = t.const([1.0, 2.0], "f32")
    whole = t.call(_compiled(t, lambda v: (v + 1) * 2), x)
    t.fw._dynamo.reset()
    for found in (whole, _compiled(t, broken)(x)):
        t.expect(t.host(found).tolist() == [4.0, 6.0], "the same numbers, got %s" % found)
    t.fw._dynamo.reset()  # else the graphs of before are taken
    try:
        _compiled(t, broken, fullgraph=True)(x)
    except t.fw._dynamo.exc.Unsupported:
        return
    t.expect(False, "an error where one graph is asked for")
