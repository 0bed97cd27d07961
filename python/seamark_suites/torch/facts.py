"""What describes tensors: sizes and devices; and what tells a tensor from other values."""

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


@case("torch.Size", host_only=True, core=False, reference="none")
def made_of_what_counts(t):
    """Iterators, ranges, tensors of one integer each; a tuple and a size make one in either order, a list none."""
    kind, one = t.get("torch.Size"), t.fw.tensor
    for given in (iter([2, 3]), range(2, 4), (one(2), 3), [2, 3]):
        t.expect(t.call("torch.Size", given) == (2, 3), "2, 3 of %r" % (given,))
    size = t.call("torch.Size", (2, 3))
    t.expect(size + (4,) == (2, 3, 4) and type(size + (4,)) is kind, "a size and a tuple")
    t.expect((4,) + size == (4, 2, 3), "a tuple and a size")
    t.expect(size < kind([2, 4]) and not size < kind([2]), "in the order of tuples")
    t.expect(size.count(3) == 1 and max(size) == 3 and list(reversed(size)) == [3, 2], "a tuple's")
    t.raises(TypeError, lambda: size + [4])
    for wrong in ([one(2.5)], t.fw.ones(3), [1, "2"]):
        t.raises(TypeError, t.call, "torch.Size", wrong)
    t.expect(type(t.fw.broadcast_shapes((2, 1), (3,))) is kind, "of shapes that broadcast")


@case("torch.Size", dtypes="f32", core=False, since=("2.0", "torch.vmap"), reference=lambda
      np, x: (12 * x, np.ones((5, 3, 4)) * x.sum(1, keepdims=True)))  # fmt: skip
def of_an_example(t, dtype):
    """Within vmap a shape has no axis of the batch."""
    vmap, x = t.get("torch.vmap"), t.randn((5, 3, 4), dtype)

    def run(x):
        return x * x.shape.numel(), t.fw.ones(x.size(), dtype=x.dtype, device=x.device) * x.sum(0)

    return t.call(vmap(run), x)


@case("torch.Size", host_only=True, core=False, reference="none")
def made_of_other_integers(t):
    """NumPy's integers, an array of them, a generator; great numbers; twice a size; what NumPy and a file take; it never changes."""
    import io

    np, kind = t.np, t.get("torch.Size")
    for given in ([np.int64(2), np.int32(3)], np.array([2, 3]), (n for n in (2, 3))):
        size = t.call("torch.Size", given)
        t.expect(type(size) is kind and size == (2, 3), "2, 3 of %r" % (given,))
    t.expect(2 * size == (2, 3, 2, 3) and size * 0 == (), "twice, and not at all")
    t.expect(t.call("torch.Size", [2**40, 2**10]).numel() == 2**50, "more than 32 bits")
    t.expect(t.call("torch.Size", []).numel() == 1 and kind((4,)) + () == (4,), "no axis")
    t.expect(np.zeros(size).shape == size and [*map(kind, [size])] == [size], "a shape of NumPy")
    file = io.BytesIO()
    t.fw.save({"size": size}, file)
    file.seek(0)
    t.expect(type(t.fw.load(file)["size"]) is kind, "a size of a file")
    for wrong in (lambda: size + None, lambda: size * 1.5, lambda: kind(sizes=[2])):
        t.raises(TypeError, wrong)
    t.raises((TypeError, AttributeError), lambda: size.__setitem__(0, 1))
    t.raises(ValueError, lambda: size.index(7))


@case("torch.Size", dtypes="f32", core=False, reference=lambda np, x, y: [
      made for one in (x, y, y) for made in (one.reshape(one.shape[1], -1) * one.shape[0] + one.shape[-1], one.sum() + np.zeros(one.shape[1]) + one.size)][:5])  # fmt: skip
def sizes_in_a_trace(t, dtype):
    """A trace and a script follow the sizes of what they are given, not those of the example."""
    torch = t.fw

    def run(x):
        size = x.size()
        return x.reshape(size[1], -1) * size[0] + x.shape[-1], x.sum() + torch.zeros(size[1], device=x.device) + x.numel()  # fmt: skip

    def in_a_script(x):
        size = x.size()
        return x.reshape(size[1], -1) * size[0] + x.shape[-1]

    x, y = t.randn((3, 4), dtype), t.randn((5, 6), dtype)
    trace = torch.jit.trace(run, (x,))
    return [*t.call(trace, x), *t.call(trace, y), t.call(torch.jit.script(in_a_script), y)]


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


@case("torch.is_tensor", dtypes="f32", core=False, since=("2.0", "torch.func"), reference=lambda
      np, x, v: [np.exp(x), np.exp(x), v * np.exp(x), np.exp(x)])  # fmt: skip
def tells_them_while_transformed(t, dtype):
    """What stands for a tensor within vmap, along a direction and for a gradient is one."""
    func, x, v = t.fw.func, t.randn((3, 4), dtype), t.randn((3, 4), dtype)

    def run(x):
        return x.exp() if t.fw.is_tensor(x) and not t.fw.is_tensor(x.shape) else x

    made = [t.call(func.vmap(run), x), *t.call(lambda x, v: func.jvp(run, (x,), (v,)), x, v)]
    return [*made, t.call(func.grad(lambda x: run(x).sum()), x)]


@case("torch.is_tensor", core=False, reference="none")
def tells_what_is_like_tensors(t):
    """Compressed, nested, quantized and lazy parameters and wrappers are; storages, sizes, dtypes and what acts like one are not."""
    import warnings

    fw, x = t.fw, t.fw.eye(3)

    class Acts:
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return True

    class Wraps(fw.Tensor):
        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            raise NotImplementedError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensors = [
            x.to_sparse_csr(),
            fw.nested.nested_tensor([x, x]),
            fw.quantize_per_tensor(x, 0.5, 0, fw.qint8),
            fw.nn.UninitializedParameter(),
            fw.Tensor._make_wrapper_subclass(Wraps, (2,)),
            fw.empty(0),
            x.conj(),
        ]
    for one in tensors:
        t.expect(t.call("torch.is_tensor", one) is True, "%s is one" % type(one))
    none = x.untyped_storage(), x.shape, x.dtype, x.device, x.stride(), t.np.float32(1), Acts(), x.tolist(), fw.Generator(), iter(x), Wraps  # fmt: skip
    for one in none:
        t.expect(t.call("torch.is_tensor", one) is False, "%s is none" % type(one))
