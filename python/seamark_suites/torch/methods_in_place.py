"""Methods that change a tensor in place, and what makes or asks for one: zero_, add_, normal_, new_zeros."""

from seamark_suites.case import case

from . import reference_methods as right
from .pointwise import each
from .reference import with_gradient

SUMS = "Tensor.add_ Tensor.mul_"
OF = {"torch.Tensor.add_": right.added, "torch.Tensor.mul_": right.multiplied}


def of(function):
    return OF[function]


# --- add_, mul_


@each(
    SUMS,
    lambda function: with_gradient(OF[function]),
    dtypes="f32 bf16",
    grad=True,
    name="gradient",
)
def changed_with_gradient(t, dtype, function):
    """A copy is changed: a leaf that asks for a gradient is not."""
    change = t.get(function)
    return t.call(
        lambda x, y: change(x.clone(), y),
        t.uniform((6, 9), dtype, 0.5, 1.5),
        t.uniform((9,), dtype, 0.5, 1.5),
    )


@each(
    SUMS,
    lambda function: lambda np, x, y: (OF[function](np, x, y),) * 2,
    dtypes="f32 bf16 i64 i32 bool",
    name="forward",
)
@each(
    SUMS,
    lambda function: lambda np, x, y: (OF[function](np, x, y),) * 2,
    dtypes="f16 f64 c64 i8 u8",
    core=False,
    name="forward",
)
def changed(t, dtype, function):
    """The tensor itself comes back, with another that broadcasts."""
    x, y = t.randn((16, 9), dtype), t.randn((9,), dtype)
    made = t.call(function, x, y)
    t.expect(made is x, "the tensor itself")
    return made, x


@each(
    SUMS,
    lambda function: lambda np, x: OF[function](np, x, np.asarray(3)),
    dtypes="f32 i64",
    core=False,
)
def changed_by_a_number(t, dtype, function):
    return t.call(function, t.randn((40,), dtype), 3)


@case("torch.Tensor.add_", dtypes="f32 i64", core=False, reference=lambda np, x, y: x - 2 * y)
def adds_a_multiple(t, dtype):
    return t.call("torch.Tensor.add_", t.randn((6, 9), dtype), t.randn((6, 9), dtype), alpha=-2)


@each(
    SUMS,
    lambda function: (
        lambda np, x, y: [
            OF[function](np, x[:, :4], y.T),
            np.concatenate([OF[function](np, x[:, :4], y.T), x[:, 4:]], 1),
        ]
    ),
    dtypes="f32",
    core=False,
)
def changes_a_part(t, dtype, function):
    """A slice of a larger tensor changes with a transpose, and nothing beside it; the version counts."""
    x, y = t.randn((6, 9), dtype), t.randn((4, 6), dtype)
    before = x._version
    made = t.call(function, x[:, :4], y.mT)
    t.expect(x._version > before, "a change that is known")
    return [made, x]


@each(
    SUMS,
    lambda function: lambda np, *xs: [OF[function](np, *xs[i : i + 2]) for i in (0, 2, 4)],
    dtypes="f32",
    core=False,
)
def changes_three_sizes(t, dtype, function):
    return [t.call(function, t.randn((n, 7), dtype), t.randn((7,), dtype)) for n in (5, 8, 13)]


@each(SUMS, of, dtypes="f32", large=True)
def changes_many(t, dtype, function):
    return t.call(function, t.randn((2048, 2048), dtype), t.uniform((2048, 2048), dtype, 0.9, 1.1))


@each(SUMS, core=False)
def change_refuses(t, function):
    """A leaf with a gradient, a larger other, fractions of whole numbers, a broadcast tensor."""
    x = t.randn((3,), "f32")
    t.raises(RuntimeError, t.call, function, t.randn((3,), "f32", grad=True), 2)
    t.raises(RuntimeError, t.call, function, x, t.randn((2, 3), "f32"))
    t.raises(RuntimeError, t.call, function, t.randn((3,), "i64"), 0.5)
    t.raises(RuntimeError, t.call, function, x[:1].expand(3), x)


# --- masked_fill, masked_fill_

MASKED = "Tensor.masked_fill Tensor.masked_fill_"


def masked(function):
    return right.filled


@each(
    MASKED,
    lambda function: with_gradient(right.filled, lambda np, w, x, mask: w * ~mask, of=[0]),
    dtypes="f32 bf16",
    grad=True,
    name="gradient",
)
@each(
    MASKED,
    lambda function: with_gradient(right.filled, lambda np, w, x, mask: w * ~mask, of=[0]),
    dtypes="f16 f64 c64 c128",
    grad=True,
    core=False,
    name="gradient",
)
def masked_gradient(t, dtype, function):
    """What is covered has no gradient."""
    fill = t.get(function)
    return t.call(
        lambda x, mask: fill(x.clone(), mask, 3), t.randn((6, 9), dtype), t.randn((6, 9), "bool")
    )


@each(MASKED, masked, dtypes="f32 bf16 i64 i32", name="forward")
@each(MASKED, masked, dtypes="f16 f64 c64 c128 i8 i16 u8 bool", core=False, name="forward")
def covered(t, dtype, function):
    value = True if dtype == "bool" else 3
    x, mask = t.randn((6, 9), dtype), t.randn((9,), "bool")
    made = t.call(function, x, mask, value)
    t.expect((made is x) == function.endswith("_"), "the tensor itself only in place")
    return made


@each(
    MASKED,
    lambda function: lambda np, x, mask: np.where(mask, -np.inf, x.swapaxes(-1, -2)),
    dtypes="f32 bf16",
    core=False,
)
def covered_with_infinity(t, dtype, function):
    """As attention masks do, broadcast over heads, of a strided tensor."""
    return t.call(
        function, t.randn((2, 3, 5, 6), dtype).mT, t.randn((1, 1, 6, 5), "bool"), float("-inf")
    )


@each(
    MASKED,
    lambda function: lambda np, x, mask, value: np.where(mask, value, x),
    dtypes="f32",
    core=False,
)
def covered_with_a_tensor(t, dtype, function):
    return t.call(function, t.randn((6, 9), dtype), t.randn((6, 9), "bool"), t.randn((), dtype))


@each(MASKED, masked, dtypes="f32", large=True)
def covers_many(t, dtype, function):
    return t.call(function, t.randn((2048, 2048), dtype), t.randn((2048, 2048), "bool"), 3)


@each(MASKED, core=False)
def masked_fill_refuses(t, function):
    """A mask that is none, a vector of values, a mask of another shape."""
    x, mask = t.randn((4, 3), "f32"), t.randn((4, 3), "bool")
    t.raises(RuntimeError, t.call, function, x, t.randn((4, 3), "i64"), 0)
    t.raises(RuntimeError, t.call, function, x, mask, t.randn((3,), "f32"))
    t.raises(RuntimeError, t.call, function, x, t.randn((4,), "bool"), 0)


# --- zero_, normal_


@case(
    "torch.Tensor.zero_",
    dtypes="f32 bf16 i64 bool",
    reference=lambda np, x: x * (np.arange(9) % 2 == 0),
)
@case(
    "torch.Tensor.zero_",
    dtypes="f16 f64 c64 u8",
    core=False,
    reference=lambda np, x: x * (np.arange(9) % 2 == 0),
)
def zeros_of_a_part(t, dtype):
    """Every other column of a larger tensor, and nothing between."""
    x = t.randn((6, 9), dtype)
    part = x[:, 1::2]
    t.expect(t.call("torch.Tensor.zero_", part) is part, "the tensor itself")
    return x


@case(
    "torch.Tensor.zero_",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=lambda np, x: np.zeros(4),
)
def zeros_of_nan(t, dtype):
    return t.call("torch.Tensor.zero_", t.const([float("nan"), float("inf"), -1.0, -0.0], dtype))


@case(
    "torch.Tensor.zero_",
    dtypes="f32",
    large=True,
    trivial=True,
    reference=lambda np, x: np.zeros((2048, 2048)),
)
def zeros_of_many(t, dtype):
    return t.call("torch.Tensor.zero_", t.randn((2048, 2048), dtype))


@case("torch.Tensor.zero_", core=False, reference="none")
def zero_refuses(t):
    t.raises(RuntimeError, t.call, "torch.Tensor.zero_", t.randn((3,), "f32", grad=True))


@case("torch.Tensor.normal_", dtypes="f32 bf16", random=True, reference="none")
@case("torch.Tensor.normal_", dtypes="f16 f64", random=True, core=False, reference="none")
def normal(t, dtype):
    x = t.randn((64, 64), dtype)
    t.expect(t.call("torch.Tensor.normal_", x, 2, 0.5) is x, "the tensor itself")
    t.statistics(x, mean=2, std=0.5)
    return x


@case("torch.Tensor.normal_", dtypes="f32", random=True, core=False, reference="none")
def normal_by_default(t, dtype):
    """Mean 0, deviation 1; other numbers the next time; every other column alone."""
    x = t.fw.zeros((64, 128), dtype=t.dtype(dtype), device=t.device)
    first = t.host(t.call("torch.Tensor.normal_", x[:, ::2])).copy()
    t.statistics(first, mean=0, std=1)
    t.expect(not t.host(x[:, 1::2]).any(), "nothing between")
    t.expect(bool((t.host(x[:, ::2].normal_()) != first).any()), "other numbers")


@case("torch.Tensor.normal_", core=False, reference="none", random=True)
def normal_refuses(t):
    t.raises(RuntimeError, t.call, "torch.Tensor.normal_", t.randn((3,), "f32"), 0, -1)
    t.raises(
        (RuntimeError, NotImplementedError), t.call, "torch.Tensor.normal_", t.randn((3,), "i64")
    )


# --- new_zeros, new_empty, type_as, is_floating_point, numpy


@case(
    "torch.Tensor.new_zeros",
    dtypes="f32 bf16 i64 bool",
    trivial=True,
    reference=lambda np, x: np.zeros((3, 4)),
)
@case(
    "torch.Tensor.new_zeros",
    dtypes="f64 c64 u8",
    core=False,
    trivial=True,
    reference=lambda np, x: np.zeros((3, 4)),
)
def new_zeros(t, dtype):
    """Dtype and device of the tensor, no gradient."""
    x = t.randn((5,), dtype)
    made = t.call("torch.Tensor.new_zeros", x, (3, 4))
    t.expect(
        made.dtype is x.dtype and made.device == x.device and not made.requires_grad,
        "as the tensor",
    )
    return made


@each("Tensor.new_zeros Tensor.new_empty", core=False)
def new_with_options(t, function):
    x = t.randn((5,), "f32")
    made = t.call(function, x, 2, 3, dtype=t.fw.int64)
    t.expect(
        tuple(made.shape) == (2, 3) and made.dtype is t.fw.int64, "the dtype that is asked for"
    )
    leaf = t.call(function, x, (2, 3), requires_grad=True)
    t.expect(leaf.requires_grad and leaf.is_leaf, "a leaf")
    t.raises(RuntimeError, t.call, function, x, (-1, 2))
    t.raises(TypeError, t.call, function, x, "2")


@case("torch.Tensor.new_empty", core=False, reference="none")
def new_sizes_and_places(t):
    """Numbers, a list, a torch.Size, no axis, nothing; in order whatever the tensor's order; on meta, on the CPU."""
    x, make, fw = t.randn((4, 3), "f32", grad=True), "torch.Tensor.new_empty", t.fw
    for of in (x, x.mT, x[:0], x[0, 0], x[:1].expand(5, 3)):
        for size in ((2, 3), ([2, 3],), (fw.Size([2, 3]),)):
            made = t.call(make, of, *size)
            t.expect(made.shape == (2, 3) and made.stride() == (3, 1), "2x3 in order")
            t.expect(made.dtype is x.dtype and not made.requires_grad, "the dtype, no gradient")
    for size in ((), (0,), (3, 0, 2)):
        t.expect(tuple(t.call(make, x, size).shape) == size, "the size %s" % (size,))
    meta = x.new_empty((2, 3), device="meta", dtype=fw.bool)
    t.expect(meta.is_meta and meta.dtype is fw.bool, "on meta")
    there = x.new_empty(2, device="cpu", layout=fw.strided)
    t.expect(there.device.type == "cpu" and there.layout is fw.strided, "on the CPU")
    asked = {"dtype": fw.int64, "requires_grad": True}
    t.raises(RuntimeError, t.call, make, x, 2, **asked)
    t.raises(TypeError, t.call, make, x)
    t.raises(TypeError, t.call, make, x, 2.5)


@case(
    "torch.Tensor.new_empty",
    dtypes="f32 f16",
    core=False,
    reference=lambda np, x, y: [x, y, 2 * x * y, x * y],
)
def new_ones_apart(t, dtype):
    """Two that live at once share nothing; filled without a graph one learns; a gradient goes through a copy into one."""
    fw, x, y = t.fw, t.uniform((50, 7), dtype, 0.5, 2), t.uniform((50, 7), dtype, 0.5, 2)

    def both(x, y):
        made = [x.new_empty(50, 7) for _ in range(2)]
        return made[0].copy_(x), made[1].copy_(y)

    leaf = t.call("torch.Tensor.new_empty", x, (50, 7), requires_grad=True)
    with fw.no_grad():
        leaf.copy_(x)
    (leaf * leaf * y).sum().backward()
    z = x.clone().requires_grad_()
    filled = t.call("torch.Tensor.new_empty", x, (50, 7)).copy_(z * y)
    (slope,) = fw.autograd.grad((filled * z.detach()).sum(), z)
    return [*t.call(both, x, y), leaf.grad, slope]


@case("torch.Tensor.new_empty", dtypes="f32", core=False, since=("2.0", "torch.vmap"), reference=lambda
      np, x, *rest: [x + 2.5, *rest])  # fmt: skip
def new_in_a_batch_and_of_three_sizes(t, dtype):
    """By vmap each example has its own; one size after another."""
    vmap, x = t.get("torch.vmap"), t.randn((3, 4), dtype)
    made = t.call(vmap(lambda x: x + x.new_empty(4).fill_(2.5)), x)
    drawn = [t.randn((n, 7), dtype) for n in (5, 8, 13)]
    return [made, *(t.call(lambda x: x.new_empty(x.shape).copy_(x), one) for one in drawn)]


@case("torch.Tensor.new_empty", dtypes="f32 i64", core=False, since=("2.2", "torch.utils.deterministic"), reference="none")  # fmt: skip
def new_when_deterministic(t, dtype):
    """Documented: under deterministic algorithms floats are NaN and integers the largest there is."""
    fw, x = t.fw, t.randn((3,), dtype)
    before = fw.are_deterministic_algorithms_enabled()
    fw.use_deterministic_algorithms(True)
    try:
        values = t.host(t.call("torch.Tensor.new_empty", x, (40, 5)))
    finally:
        fw.use_deterministic_algorithms(before)
    right = values == 2**63 - 1 if dtype == "i64" else t.np.isnan(values)
    t.expect(bool(right.all()), "NaN, or the largest integer")


@case("torch.Tensor.new_empty", dtypes="f32 bf16 i64 bool", reference=lambda np, x: x)
@case("torch.Tensor.new_empty", dtypes="f64 c64 u8", core=False, reference=lambda np, x: x)
def new_to_be_filled(t, dtype):
    x = t.randn((6, 9), dtype)
    made = t.call("torch.Tensor.new_empty", x, (6, 9))
    t.expect(made.dtype is x.dtype and made.device == x.device, "as the tensor")
    return made.copy_(x)


@case(
    "torch.Tensor.type_as",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(lambda np, x, y: x, lambda np, w, x, y: w, of=[0]),
    name="gradient",
)
@case("torch.Tensor.type_as", dtypes="f32 bf16 i64", reference=lambda np, x, y: x, name="forward")
def as_the_type_of_another(t, dtype):
    x, y = t.randn((40,), dtype), t.const([1.0], "f64")
    return t.call("torch.Tensor.type_as", x, y)


@case(
    "torch.Tensor.type_as",
    dtypes="i64 i32 bool",
    reference=lambda np, x, y: np.trunc(x) if y.dtype != bool else np.trunc(x) != 0,
)
def from_floats(t, dtype):
    """Fractions are cut off; the same tensor where nothing changes."""
    x, y = t.uniform((40,), "f32", 0, 4), t.randint((2,), dtype, 0, 2)
    t.expect(t.call("torch.Tensor.type_as", x, x) is x, "the same tensor")
    return t.call("torch.Tensor.type_as", x if dtype != "bool" else x.trunc(), y)


@case("torch.Tensor.is_floating_point", dtypes="f32 bf16 i64 bool", reference="none")
@case("torch.Tensor.is_floating_point", dtypes="f16 f64 c64 u8", core=False, reference="none")
def is_floating_point(t, dtype):
    made = t.call("torch.Tensor.is_floating_point", t.randn((3,), dtype))
    t.expect(made is (dtype in ("f32", "bf16", "f16", "f64")), "a boolean of the dtype")


@case("torch.Tensor.is_floating_point", core=False, reference="none")
def floating_or_not(t):
    """Of each dtype, whatever the shape; of a parameter and of what stands on meta; no argument."""
    fw, ask = t.fw, lambda x: t.call("torch.Tensor.is_floating_point", x)
    kinds = {"i8": False, "i16": False, "i32": False, "c128": False, "f8e4m3": True, "f8e5m2": True}
    for name, want in kinds.items():
        x = fw.zeros((3,), dtype=t.dtype(name), device=t.device)
        t.expect(ask(x) is want, "%s of %s" % (want, name))
    x = t.randn((3, 4), "f32", grad=True)
    for one in (x, x.mT, x[:0], x[0, 0], x[:1].expand(5, 4), fw.nn.Parameter(x), x.to("meta")):
        t.expect(ask(one) is True and ask(one > 0) is False, "a float and a truth")
    for one, want in ((x.half(), True), (x.int(), False), (fw.complex(x, x), False)):
        t.expect(ask(one) is want, "%s of what was made %s" % (want, one.dtype))
    t.expect(ask(fw.complex(x, x).real) is True, "the real part of a complex number")
    t.raises(TypeError, t.call, "torch.Tensor.is_floating_point", x, 1)


@case("torch.Tensor.is_floating_point", dtypes="f32 bf16 i64 bool", core=False, reference=lambda
      np, x: np.tanh(x) if x.dtype.kind == "f" else x * 2 + 1)  # fmt: skip
def asks_before_it_computes(t, dtype):
    """A function that takes whole numbers and truths another way."""

    def run(x):
        return x.tanh() if x.is_floating_point() else x.int() * 2 + 1

    return t.call(run, t.randn((30,), dtype))


@case("torch.Tensor.is_floating_point", dtypes="f32", core=False, since=("2.0", "torch.func"), reference=lambda
      np, x, v: [np.exp(x), np.exp(x), v * np.exp(x), np.exp(x)])  # fmt: skip
def floating_while_transformed(t, dtype):
    """Within vmap, along a direction and for a gradient."""
    func, x, v = t.fw.func, t.randn((3, 4), dtype), t.randn((3, 4), dtype)

    def run(x):
        return x.exp() if x.is_floating_point() and not (x > 0).is_floating_point() else x

    made = [t.call(func.vmap(run), x), *t.call(lambda x, v: func.jvp(run, (x,), (v,)), x, v)]
    return [*made, t.call(func.grad(lambda x: run(x).sum()), x)]


@case("torch.Tensor.numpy", dtypes="f32 i64 bool", host_only=True, reference=lambda np, x: [x, x.T])
@case(
    "torch.Tensor.numpy",
    dtypes="f64 f16 c64 u8",
    host_only=True,
    core=False,
    reference=lambda np, x: [x, x.T],
)
def to_numpy(t, dtype):
    """An array on the tensor's memory, with its strides."""
    x = t.randn((5, 6), dtype)
    made = [t.call("torch.Tensor.numpy", y) for y in (x, x.mT)]
    t.expect(
        made[0].ctypes.data == x.data_ptr() and made[1].strides == made[0].strides[::-1],
        "the same memory",
    )
    return [t.fw.from_numpy(one) for one in made]


@case("torch.Tensor.numpy", host_only=True, core=False, reference="none")
def numpy_refuses(t):
    """A gradient, bf16; force=True detaches."""
    x = t.randn((3,), "f32", grad=True)
    t.raises(RuntimeError, t.call, "torch.Tensor.numpy", x)
    t.raises(TypeError, t.call, "torch.Tensor.numpy", t.randn((3,), "bf16"))
    t.expect(t.call("torch.Tensor.numpy", x, force=True).shape == (3,), "an array")
