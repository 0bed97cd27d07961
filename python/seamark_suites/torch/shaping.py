"""Making, joining, moving and ordering tensors."""

from seamark_suites.case import case, table

table("torch", "fliplr", dtypes="f32 bf16 i64 bool c64", shapes="64x33 5x4x3", core="f32 i64")


@case(
    "torch.argsort",
    dtypes="f32 bf16 f16 f64 i64 i32 u8",
    shapes="100 6x33",
    dim=[-1, 0],
    core="f32 bf16 i64",
)
def argsort(t, dtype, shape, dim):
    return t.call("torch.argsort", t.distinct(shape, dtype), dim=dim)


@case("torch.argsort", dtypes="f32 i64")
def descending_and_stable(t, dtype):
    x = t.randint((200,), dtype, 0, 8)  # many ties: only a stable sort has one answer
    return t.call("torch.argsort", x, stable=True), t.call(
        "torch.argsort", x, descending=True, stable=True
    )


@case("torch.argsort", dtypes="f32", trivial=True)
def empty(t, dtype):
    return t.call("torch.argsort", t.randn((0,), dtype))


@case("torch.argsort", dtypes="bool", core=False)
def booleans(t, dtype):
    return t.call("torch.argsort", t.randn((50,), dtype), stable=True)


@case("torch.broadcast_tensors", dtypes="f32 bf16 i64", grad=True)
def broadcast(t, dtype):
    return t.call(
        "torch.broadcast_tensors",
        t.randn((5, 1), dtype),
        t.randn((1, 7), dtype),
        t.randn((3, 1, 1), dtype),
    )


@case("torch.broadcast_tensors", dtypes="f32", reference="none")
def shapes_that_do_not_fit(t, dtype):
    x, y = t.randn((3, 4), dtype), t.randn((5, 4), dtype)
    t.raises(RuntimeError, t.call, "torch.broadcast_tensors", x, y)


@case(
    "torch.cat", dtypes="f32 bf16 f16 i64 bool c64", dim=[0, 1, -1], grad=True, core="f32 bf16 i64"
)
def cat(t, dtype, dim):
    return t.call("torch.cat", [t.randn((4, 4, 4), dtype) for _ in range(3)], dim=dim)


@case("torch.cat", dtypes="f32")
def with_an_empty_one(t, dtype):
    return t.call(
        "torch.cat", [t.randn((3, 5), dtype), t.randn((0, 5), dtype), t.randn((2, 5), dtype)]
    )


@case("torch.cat", dtypes="f32")
def promoted(t, dtype):
    """The result has the wider of the types."""
    return t.call("torch.cat", [t.randn((3,), dtype), t.randn((4,), "i64")])


@case("torch.moveaxis", dtypes="f32 bf16 i64", source=[0, -1], destination=[1, 2], grad=True)
def moveaxis(t, dtype, source, destination):
    return t.call("torch.moveaxis", t.randn((3, 4, 5), dtype), source, destination)


@case("torch.moveaxis", dtypes="f32")
def several_axes(t, dtype):
    return t.call("torch.moveaxis", t.randn((2, 3, 4, 5), dtype), (0, 1), (-1, 0))


@case("torch.unbind", dtypes="f32 bf16 i64", dim=[0, 1], grad=True)
def unbind(t, dtype, dim):
    return t.call("torch.unbind", t.randn((3, 4), dtype), dim=dim)


@case("torch.unsqueeze", dtypes="f32 bf16 i64 bool", dim=[0, 1, -1], grad=True)
def unsqueeze(t, dtype, dim):
    return t.call("torch.unsqueeze", t.randn((3, 4), dtype), dim)


@case("torch.unsqueeze", dtypes="f32", reference="none")
def no_such_axis(t, dtype):
    t.raises(IndexError, t.call, "torch.unsqueeze", t.randn((3,), dtype), 5)


@case(
    "torch.diag",
    dtypes="f32 bf16 i64 c64",
    shapes="5 5x7",
    offset=[0, 2, -1],
    grad=True,
    core="f32 i64",
)
def diag(t, dtype, shape, offset):
    return t.call("torch.diag", t.randn(shape, dtype), offset)


@case(
    "torch.zeros",
    dtypes="f32 bf16 f16 f64 i64 bool c64",
    shapes="64x33 scalar",
    trivial=True,
    core="f32 bf16 i64",
)
def zeros(t, dtype, shape):
    made = t.call("torch.zeros", shape, dtype=t.dtype(dtype), device=t.device)
    t.expect(not t.host(made).any(), "zeros")
    return made


@case("torch.range", dtypes="f32 f64 i64 f16", core="f32 i64")
def closed_range(t, dtype):
    """The end belongs to torch.range (and not to arange)."""
    return t.call(
        "torch.range", 1, 20, 0.5 if dtype[0] == "f" else 3, dtype=t.dtype(dtype), device=t.device
    )


@case("torch.tensor", dtypes="f32 bf16 i64 bool c64", core="f32 i64")
def from_data(t, dtype):
    data = [[True, False], [False, False]] if dtype == "bool" else [[1, -2], [3, 4]]
    return t.call("torch.tensor", data, dtype=t.dtype(dtype), device=t.device)


@case("torch.tensor", dtypes="f32")
def is_a_copy(t, dtype):
    data = t.np.arange(6, dtype="float32" if t.place != "wide" else "float64").reshape(2, 3)
    made = t.call("torch.tensor", data, device=t.device)
    data[:] = 9
    return made


@case("torch.Tensor.to", dtypes="f32 bf16 i64", to=["f64", "f16", "i32", "bool"], core="f32 i64")
def converts(t, dtype, to):
    x = t.randint((40,), dtype, -5, 6)
    return t.call(lambda x: x.to(t.dtype(to)), x)


@case("torch.Tensor.to", dtypes="f32")
def to_the_host_and_back(t, dtype):
    x = t.randn((8, 8), dtype)
    there = t.call(lambda x: x.to("cpu").to(t.device), x)
    t.expect(x.to(x.dtype) is x, "no copy where nothing changes")
    return there


@case("torch.Tensor.is_same_size", dtypes="f32", reference="none")
def is_same_size(t, dtype):
    x, y, z = t.randn((3, 4), dtype), t.randn((3, 4), dtype), t.randn((4, 3), dtype)
    t.expect(t.call("torch.Tensor.is_same_size", x, y) is True, "the same size")
    t.expect(t.call("torch.Tensor.is_same_size", x, z) is False, "another size")


@case("torch.Tensor.size", dtypes="f32 i64", shapes="64x33 scalar 0", reference="none")
def size(t, dtype, shape):
    x = t.randn(shape, dtype)
    t.expect(tuple(t.call("torch.Tensor.size", x)) == tuple(shape), "the shape")


@case("torch.Tensor.data_ptr", dtypes="f32", reference="none")
def data_ptr(t, dtype):
    x = t.randn((16,), dtype)
    first = t.call("torch.Tensor.data_ptr", x)
    t.expect(isinstance(first, int) and first != 0, "an address")
    t.expect(
        x[4:].data_ptr() - first == 4 * x.element_size(), "the address of a slice four elements on"
    )
