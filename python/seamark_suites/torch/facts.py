"""What describes tensors: sizes, devices, the limits of dtypes; and what tells a tensor from other values."""

from seamark_suites.case import case
from seamark_suites.reference import with_gradient

INF = float("inf")


# --- torch.Size


@case("torch.Size", host_only=True, reference=lambda np: [(2, 3, 4), 24, 3, (3, 4), 4])
def a_tuple_of_numbers(t):
    """Its numbers, their product, its length, a part, the last."""
    size = t.call("torch.Size", [2, 3, 4])
    t.expect(type(size) is t.get("torch.Size") and isinstance(size, tuple), "a tuple")
    t.expect(size == (2, 3, 4) and hash(size) == hash((2, 3, 4)), "equal to a tuple")
    t.expect(size != (2, 3) and size != [2, 3, 4], "not equal to a shorter one, to a list")
    t.expect(t.call("torch.Size") == () and t.call("torch.Size").numel() == 1, "of a scalar")
    return [tuple(size), size.numel(), len(size), tuple(size[1:]), size[-1]]


@case("torch.Size", host_only=True, core=False, reference="none")
def operations_give_sizes(t):
    """Parts, sums and multiples of sizes are sizes."""
    size, kind = t.call("torch.Size", (2, 3)), t.get("torch.Size")
    found = [size[:1], size[::-1], size + (4,), size + size, size * 2]
    t.expect(all(type(one) is kind for one in found), "sizes, got %s" % found)
    t.expect(found == [(2,), (3, 2), (2, 3, 4), (2, 3, 2, 3), (2, 3, 2, 3)], "the numbers")
    t.expect(t.call("torch.Size", [0, 3]).numel() == 0, "no element")
    t.expect(repr(size) == "torch.Size([2, 3])", "what it prints, got %r" % (size,))


@case("torch.Size", host_only=True, core=False, reference="none")
def size_survives_pickling(t):
    import copy
    import pickle

    size = t.call("torch.Size", (2, 3))
    for again in (pickle.loads(pickle.dumps(size)), copy.deepcopy(size)):
        t.expect(type(again) is type(size) and again == size, "the same size, got %r" % (again,))
    t.expect({size: 1}[2, 3] == 1, "a key of a dictionary")
    rows, columns = size
    t.expect((rows, columns) == (2, 3) and 3 in size and size.index(3) == 1, "taken apart")


@case("torch.Size", host_only=True, core=False, reference="none")
def size_refuses(t):
    for wrong in ([2.5], "23", 3, [None], [[2]]):
        t.raises(TypeError, t.call, "torch.Size", wrong)


@case("torch.Size", dtypes="f32 bf16 i64", reference=lambda np, x: (x.reshape(4, 2, 3), x * 1))
@case("torch.Size", dtypes="f64 bool", core=False, reference=lambda np, x: (x.reshape(4, 2, 3), x & x if x.dtype == bool else x))  # fmt: skip
def reshapes(t, dtype):
    """A size is made, put together and given to view and reshape."""

    def run(x):
        size = t.fw.Size([4, 2, 3])
        made = x.view(size)
        return made, made.reshape(size[:0] + x.shape)

    return t.call(run, t.randn((6, 4), dtype))


@case(
    "torch.Size",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(
        lambda np, x: np.broadcast_to(x, (2, 5, 4)) / 4, lambda np, w, x: w.sum((0, 1)) / 4
    ),
    rtol={"bf16": 2e-2},  # ten terms are added
)
def expands(t, dtype):
    """The size of a result is computed from that of the input."""

    def run(x):
        size = t.fw.Size((2, 5)) + x.shape
        return x.expand(size) / x.shape.numel()

    return t.call(run, t.uniform((4,), dtype, 1, 2))


@case("torch.Size", dtypes="f32", core=False, reference=lambda np, *xs: [x.T * x.size for x in xs])
def follows_each_size(t, dtype):
    """One size after another, read within the call."""

    def run(x):
        size = t.fw.Size(reversed(x.shape))
        return x.mT.contiguous().view(size) * size.numel()

    return [t.call(run, t.randn((n, 7), dtype)) for n in (5, 8, 13)]


@case("torch.Size", dtypes="f32", core=False, reference="none")
def of_tensors(t, dtype):
    """shape and size() of results, views and empty tensors."""
    x = t.randn((6, 4, 5), dtype)

    def run(x):
        views = x, x.mT, x[:, 1:3], x.sum(), x[:0], x[None].expand(3, -1, -1, -1)
        sizes = [one.shape for one in views]
        sames = [
            one.size() == size and one.numel() == size.numel() for one, size in zip(views, sizes)
        ]
        return sizes, sames

    sizes, sames = t.call(run, x)
    t.expect(all(sames), "what size() and numel() say, too")
    t.expect(all(type(one) is t.get("torch.Size") for one in sizes), "sizes")
    want = [(6, 4, 5), (6, 5, 4), (6, 2, 5), (), (0, 4, 5), (3, 6, 4, 5)]
    t.expect(sizes == want, "%s, got %s" % (want, sizes))


# --- torch.device


@case("torch.device", host_only=True, reference="none")
def parts_of_a_device(t):
    """Type and index, from one text or from two arguments."""
    for args, kind, index in (
        (("cpu",), "cpu", None),
        (("cuda",), "cuda", None),
        (("cuda:1",), "cuda", 1),
        (("cuda", 1), "cuda", 1),
        (("xpu:0",), "xpu", 0),
        (("meta",), "meta", None),
        (("mps",), "mps", None),
    ):
        made = t.call("torch.device", *args)
        t.expect(
            made.type == kind and made.index == index, "%s and %s, got %r" % (kind, index, made)
        )
        t.expect(t.call("torch.device", made) == made, "the same of a device")
        t.expect(t.call("torch.device", str(made)) == made, "the same of its text %s" % made)


@case("torch.device", host_only=True, core=False, reference="none")
def devices_compare(t):
    device = t.get("torch.device")
    one = t.call("torch.device", "cuda:1")
    t.expect(one == device("cuda", 1) and hash(one) == hash(device("cuda", 1)), "equal")
    t.expect(one != device("cuda:0") and one != device("cuda") and one != device("cpu"), "others")
    t.expect(device("cpu") != "cpu", "not equal to a text")
    t.expect({one: 1}[device("cuda:1")] == 1, "a key of a dictionary")
    t.expect(str(one) == "cuda:1" and repr(one) == "device(type='cuda', index=1)", "what it prints")


@case("torch.device", host_only=True, core=False, reference="none")
def device_survives_pickling(t):
    import copy
    import pickle

    for name in ("cpu", "cuda:1", "meta"):
        one = t.call("torch.device", name)
        t.expect(pickle.loads(pickle.dumps(one)) == one, "pickled")
        t.expect(copy.deepcopy(one) == one, "copied")


@case("torch.device", host_only=True, core=False, reference="none")
def device_refuses(t):
    for wrong in ("nonsense", "cuda:-1", "cuda:x", "", "cpu:"):
        t.raises(RuntimeError, t.call, "torch.device", wrong)
    t.raises((RuntimeError, ValueError), t.call, "torch.device", "cuda", -1)
    t.raises((RuntimeError, ValueError), t.call, "torch.device", "cuda:1", 2)
    t.raises(TypeError, t.call, "torch.device", 3.5)
    t.raises(TypeError, t.call, "torch.device", None)


@case("torch.device", dtypes="f32 bf16 i64", reference=lambda np: np.arange(12).reshape(3, 4) + 1)
@case("torch.device", dtypes="f16 f64", core=False, reference=lambda np: np.arange(12).reshape(3, 4) + 1)  # fmt: skip
def where_a_tensor_is_made(t, dtype):
    """Given as device= to what makes a tensor."""
    kind, numbers = t.device, t.dtype(dtype)

    def run():
        device = t.fw.device(kind)
        return t.fw.arange(12, dtype=numbers, device=device).view(3, 4) + t.fw.ones(
            (), dtype=numbers, device=device
        )

    return t.call(run)


@case("torch.device", dtypes="f32 bf16", reference=lambda np, *given: np.eye(3) * 2 + given[0])
def as_a_context(t, dtype):
    """What is made within `with torch.device(...)` is made there; what is given is not moved."""
    x, kind, numbers = t.uniform((3, 3), dtype, 1, 2), t.device, t.dtype(dtype)

    def run(x):
        with t.fw.device(kind):
            made = t.fw.eye(3, dtype=numbers)
        return made * 2 + x

    made = t.call(run, x)
    t.expect(t.fw.ones(1).device.type == "cpu", "the default device outside")
    return made


@case("torch.device", dtypes="f32", core=False, reference="none")
def contexts_nest(t, dtype):
    """The innermost counts; an exception ends it; device= goes before it."""
    x = t.call(lambda device: t.fw.ones(2, device=device), t.fw.device(t.device))
    t.expect(x.device.type == t.fw.device(t.device).type, "on the device")
    t.expect(t.host(x).tolist() == [1, 1], "ones")
    with t.fw.device(t.device):
        with t.fw.device("meta"):
            t.expect(t.fw.ones(1).device.type == "meta", "the innermost")
            t.expect(t.fw.ones(1, device="cpu").device.type == "cpu", "the asked one")
        t.expect(t.fw.ones(1).device == x.device, "the outer one again")
        layer = t.fw.nn.Linear(2, 2)
        t.expect(layer.weight.device == x.device, "parameters, too")
    try:
        with t.fw.device("meta"):
            raise KeyError("x")
    except KeyError:
        t.expect(t.fw.ones(1).device.type == "cpu", "ended by an exception")


@case("torch.device", dtypes="f32 i64", core=False, reference=lambda np, x: x * 2)
def there_and_back(t, dtype):
    """To the host and to a tensor's own device."""
    x = t.randn((5, 6), dtype)
    there = x.device
    host = x.to(t.fw.device("cpu"))
    t.expect(host.device == t.fw.device("cpu"), "on the host")
    made = t.call(lambda x: x.to(there) * 2, x)
    t.expect(bool((t.host(made) == 2 * host.to(t.fw.float64).numpy()).all()), "the same numbers")
    t.expect(made.device == there and t.fw.device(t.device).type == there.type, "there")
    return made


@case("torch.device", host_only=True, core=False, reference="none")
def meta_has_no_numbers(t):
    """On the device meta sizes and dtypes are computed alone."""
    meta = t.call("torch.device", "meta")
    x = t.fw.empty((3, 4), device=meta)
    made = (x @ x.mT).to(t.fw.bfloat16)
    t.expect(made.device == meta and made.is_meta, "on meta")
    t.expect(made.shape == (3, 3) and made.dtype is t.fw.bfloat16, "size and dtype")
    t.raises((RuntimeError, NotImplementedError), made.cpu)


# --- torch.finfo

# Bits of the whole number and of the significand behind the point, the largest exponent, the smallest normal one.
FORMATS = {
    "f32": (32, 23, 127, -126),
    "bf16": (16, 7, 127, -126),
    "f16": (16, 10, 15, -14),
    "f64": (64, 52, 1023, -1022),
    "c64": (32, 23, 127, -126),
    "f8e4m3": (8, 3, 8, -6),
    "f8e5m2": (8, 2, 15, -14),
}


def _limits(np, numbers):
    """Bits, eps, the largest number, the smallest normal one."""
    bits, digits, top, bottom = FORMATS[numbers]
    # The pattern of all ones is NaN in f8e4m3.
    largest = 448.0 if numbers == "f8e4m3" else (2 - 2.0**-digits) * 2.0**top
    return [bits, 2.0**-digits, largest, -largest, 2.0**bottom, 2.0**bottom]


@case("torch.finfo", numbers=["f32", "bf16", "f16", "f64"], host_only=True, reference=_limits)
@case("torch.finfo", numbers=["c64", "f8e4m3", "f8e5m2"], core=False, host_only=True, reference=_limits)  # fmt: skip
def limits_of(t, numbers):
    """As the formats have them, exactly; a complex number has those of its parts."""
    found = t.call("torch.finfo", t.dtype(numbers))
    want = _limits(t.np, numbers)
    made = [found.bits, found.eps, found.max, found.min, found.smallest_normal, found.tiny]
    t.expect(made == want, "exactly %s, got %s" % (want, made))
    t.expect(type(found.max) is float and type(found.bits) is int, "numbers of Python")
    return made


@case("torch.finfo", host_only=True, core=False, reference="none")
def of_the_default_dtype(t):
    """Without an argument; its name; the decimal digits."""
    fw = t.fw
    t.expect(t.call("torch.finfo").dtype == "float32", "the default dtype")
    t.expect(t.call("torch.finfo").eps == t.call("torch.finfo", fw.float32).eps, "its limits")
    for dtype, resolution in ((fw.float32, 1e-6), (fw.float64, 1e-15), (fw.float16, 1e-3)):
        found = t.call("torch.finfo", dtype)
        t.expect(abs(found.resolution / resolution - 1) < 1e-6, "%g" % resolution)
        t.expect("torch." + found.dtype == str(dtype), "the name %s" % found.dtype)
    t.expect(t.call("torch.finfo", fw.float16) == t.call("torch.finfo", fw.float16), "equal")
    t.expect(t.call("torch.finfo", fw.float16) != t.call("torch.finfo", fw.bfloat16), "others")


@case("torch.finfo", host_only=True, core=False, reference="none")
def finfo_refuses(t):
    """Integers have iinfo."""
    for wrong in (t.fw.int64, t.fw.uint8, t.fw.bool, "float32", 3, None):
        t.raises(TypeError, t.call, "torch.finfo", wrong)


@case("torch.finfo", dtypes="f32 bf16", reference="none")
@case("torch.finfo", dtypes="f16 f64", core=False, reference="none")
def hold_on_the_device(t, dtype):
    """The device computes with these limits: one more step overflows, half a step is lost."""
    one, two = t.const([1.0, -1.0, 1.0, 1.0], dtype), t.const([2.0, 2.0, 2.0, 2.0], dtype)

    def run(one, two):
        found = t.fw.finfo(one.dtype)
        large, step = one * found.max, one + found.eps
        return large, large * two, step - one, (one + found.eps / 4) - one, one * found.tiny

    large, over, step, lost, tiny = map(t.host, t.call(run, one, two))
    _, eps, largest, _, smallest, _ = _limits(t.np, dtype)
    signs = t.np.array([1.0, -1, 1, 1])
    t.expect(bool((large == signs * largest).all()), "the largest number, got %s" % large)
    t.expect(bool((over == signs * INF).all()), "infinity beyond it, got %s" % over)
    t.expect(bool((step == [eps] * 4).all()), "a step of eps, got %s" % step)
    t.expect(bool((lost[[0, 2, 3]] == 0).all()), "a quarter of a step is lost, got %s" % lost)
    t.expect(bool((tiny == signs * smallest).all()), "the smallest normal number, got %s" % tiny)


def _masked(np, x, mask):
    weights = np.where(mask, 0, np.exp(x))
    return weights / weights.sum(-1, keepdims=True)


def _masked_pull(np, w, x, mask):
    p = _masked(np, x, mask)
    return p * (w - (w * p).sum(-1, keepdims=True))


@case("torch.finfo", dtypes="f32 bf16", shapes="8x9", reference=_masked)
@case(
    "torch.finfo",
    dtypes="f32",
    shapes="8x9",
    grad=True,
    name="masks_scores_with_a_gradient",
    reference=with_gradient(_masked, _masked_pull),
)
@case("torch.finfo", dtypes="f16 f64", shapes="8x9", core=False, reference=_masked)
def masks_scores(t, dtype, shape):
    """The lowest number stands where attention must not look; the weights there are zero."""
    x = t.randn(shape, dtype)
    mask = t.const(t.np.triu(t.np.ones(shape), 1), "bool")

    def run(x, mask):
        return x.masked_fill(mask, t.fw.finfo(x.dtype).min).softmax(-1)

    return t.call(run, x, mask)


def _unit(np, x, zero):
    norms = [np.sqrt((one * one).sum(-1, keepdims=True)) for one in (x, zero)]
    return [one / np.maximum(norm, 1e-38) for one, norm in zip((x, zero), norms)]


@case("torch.finfo", dtypes="f32 bf16", core=False, reference=_unit)
def keeps_from_zero(t, dtype):
    """tiny below a division: zero by its own norm is zero, not NaN."""
    x, zero = t.uniform((4, 6), dtype, 1, 2), t.const(t.np.zeros((2, 6)), dtype)

    def run(x):
        norm = (x * x).sum(-1, keepdim=True).sqrt()
        return x / norm.clamp(min=t.fw.finfo(x.dtype).tiny)

    return [t.call(run, one) for one in (x, zero)]


# --- is_tensor


@case("torch.is_tensor", dtypes="f32 bf16 i64 bool", shapes="3x4", reference=lambda np, x: [True, True, True, False])  # fmt: skip
@case("torch.is_tensor", dtypes="f16 f64 c64 u8", shapes="scalar 0", core=False, reference=lambda np, x: [True, True, True, False])  # fmt: skip
def tells_tensors(t, dtype, shape):
    """A tensor, a result and a view of it are; its shape is not."""
    x = t.randn(shape, dtype)
    return [t.call("torch.is_tensor", one) for one in (x, x.clone(), x.reshape(-1), x.shape)]


@case("torch.is_tensor", host_only=True, reference="none")
def tells_other_values(t):
    """Numbers, lists, arrays, modules and what holds tensors are none."""
    x, nn = t.randn((3,), "f32"), t.fw.nn
    others = (
        3,
        2.5,
        "x",
        None,
        [1.0],
        (x,),
        [x],
        {"x": x},
        t.np.ones(3),
        nn.Linear(2, 2),
        t.fw.Tensor,
    )
    for other in others:
        t.expect(t.call("torch.is_tensor", other) is False, "%s is none" % type(other))
    t.expect(t.call("torch.is_tensor", x) is True, "a tensor is one")
    t.raises(TypeError, t.call, "torch.is_tensor")


@case("torch.is_tensor", dtypes="f32", core=False, reference="none")
def tells_kinds_of_tensors(t, dtype):
    """Parameters, gradients, tensors of classes of one's own, of meta, sparse ones."""

    class Own(t.fw.Tensor):
        pass

    x = t.randn((3, 3), dtype, grad=True)
    (x * x).sum().backward()
    for one in (
        t.fw.nn.Parameter(x.detach()),
        x.grad,
        x.detach().as_subclass(Own),
        t.fw.ones(2, device="meta"),
        t.fw.eye(2).to_sparse(),
        x.detach().cpu(),
    ):
        t.expect(t.call("torch.is_tensor", one) is True, "%s is one" % type(one))


@case(
    "torch.is_tensor", dtypes="f32 bf16", reference=lambda np, x, y: [x * y, x * 2.5, x + y, x + y]
)
@case("torch.is_tensor", dtypes="f64 i64", core=False, reference=lambda np, x, y: [x * y, x * 2.5, x + y, x + y])  # fmt: skip
def chooses_what_to_do(t, dtype):
    """A function of tensors and numbers, and of one tensor or several."""

    def scaled(x, y):
        return x * y if t.fw.is_tensor(y) else x * float(y)

    def total(given):
        return given if t.fw.is_tensor(given) else given[0] + given[1]

    x, y = t.uniform((4, 5), dtype, 2, 5), t.uniform((4, 5), dtype, 2, 5)
    found = [t.call(scaled, x, y), t.call(scaled, x, 2.5), t.call(total, [x, y])]
    return [*found, t.call(total, found[2])]
