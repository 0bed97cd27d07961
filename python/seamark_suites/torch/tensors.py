"""Making tensors, and what a tensor says of itself."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .reference import with_gradient


@case(
    "torch.zeros",
    dtypes="f32 bf16 f16 f64 i64 bool c64",
    shapes="64x33",
    trivial=True,
    core="f32 bf16 i64",
    reference=lambda np: np.zeros((64, 33)),
)
@case(
    "torch.zeros",
    dtypes="f32 bf16 f16 f64 i64 bool c64",
    shapes="scalar",
    trivial=True,
    core="f32 bf16 i64",
    reference=lambda np: np.zeros(()),
)
def zeros(t, dtype, shape):
    made = t.call("torch.zeros", shape, dtype=t.dtype(dtype), device=t.device)
    t.expect(not t.host(made).any(), "zeros")
    return made


@case(
    "torch.range",
    dtypes="f32 f64 f16",
    core="f32",
    reference=lambda np: np.arange(1, 20.5, 0.5),
)
@case("torch.range", dtypes="i64 bf16", core="i64", reference=lambda np: np.arange(1, 21, 3))
def closed_range(t, dtype):
    """The end belongs to torch.range (and not to arange)."""
    return t.call(
        "torch.range", 1, 20, 0.5 if dtype[0] == "f" else 3, dtype=t.dtype(dtype), device=t.device
    )


@case(
    "torch.tensor",
    dtypes="f32 bf16 i64 c64",
    core="f32 i64",
    reference=lambda np: np.array([[1, -2], [3, 4]]),
)
@case(
    "torch.tensor",
    dtypes="bool",
    core=False,
    reference=lambda np: np.array([[True, False], [False, False]]),
)
def from_data(t, dtype):
    data = [[True, False], [False, False]] if dtype == "bool" else [[1, -2], [3, 4]]
    return t.call("torch.tensor", data, dtype=t.dtype(dtype), device=t.device)


@case("torch.tensor", dtypes="f32", reference=lambda np: np.arange(6).reshape(2, 3))
def is_a_copy(t, dtype):
    data = t.np.arange(6, dtype="float32" if t.place != "wide" else "float64").reshape(2, 3)
    made = t.call("torch.tensor", data, device=t.device)
    data[:] = 9
    return made


@case(
    "torch.Tensor.to",
    dtypes="f32 bf16 i64",
    to=["f64", "f16", "i32", "bool"],
    core="f32 i64",
    reference=lambda np, x, to: x != 0 if to == "bool" else x,
)
def converts(t, dtype, to):
    x = t.distinct((40,), dtype)  # one of them is zero
    return t.call(lambda x: x.to(t.dtype(to)), x)


@case("torch.Tensor.to", dtypes="f32", reference=lambda np, x: x)
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


def address(t, x):
    found = t.call("torch.Tensor.data_ptr", x)
    if found == 0 and x.device.type != "cpu":
        raise Skip("tensors of this device have no address")
    t.expect(isinstance(found, int) and found != 0, "an address")
    return found


@case("torch.Tensor.data_ptr", dtypes="f32", reference="none")
def data_ptr(t, dtype):
    x = t.randn((16,), dtype)
    first = address(t, x)
    t.expect(
        x[4:].data_ptr() - first == 4 * x.element_size(), "the address of a slice four elements on"
    )


@case(
    "torch.zeros",
    dtypes="f32",
    trivial=True,
    shapes="0",
    core=False,
    reference=lambda np: np.zeros(0),
)
@case(
    "torch.zeros",
    dtypes="f32",
    trivial=True,
    shapes="3x0x2",
    core=False,
    reference=lambda np: np.zeros((3, 0, 2)),
)
@case(
    "torch.zeros",
    dtypes="f32",
    trivial=True,
    shapes="1024x1024",
    core=False,
    reference=lambda np: np.zeros((1024, 1024)),
)
def empty_or_large(t, dtype, shape):
    return t.call("torch.zeros", *shape, device=t.device, dtype=t.dtype(dtype))


@case("torch.zeros", reference="none", trivial=True, core=False)
def defaults(t):
    """The default dtype, no gradient, and memory in order."""
    made = t.call("torch.zeros", 3, 4, device=t.device)
    t.expect(made.dtype is t.fw.get_default_dtype(), "the default dtype")
    t.expect(not made.requires_grad and made.stride() == (4, 1), "a plain contiguous tensor")
    asked = t.call("torch.zeros", (2,), device=t.device, requires_grad=True)
    t.expect(asked.requires_grad and asked.is_leaf, "a leaf that asks for a gradient")


@case("torch.zeros", dtypes="f32 i64", reference="none", core=False)
def zeros_into_out(t, dtype):
    x = t.randn((3, 4), dtype)
    made = t.call("torch.zeros", 3, 4, out=x)
    t.expect(not t.host(x).any() and not t.host(made).any(), "zeros in the given tensor")


@case("torch.zeros", dtypes="f32", trivial=True, core=False, reference=lambda np: np.zeros((3, 4)))
def sparse(t, dtype):
    made = t.call(
        "torch.zeros", 3, 4, dtype=t.dtype(dtype), device=t.device, layout=t.fw.sparse_coo
    )
    t.expect(made.layout is t.fw.sparse_coo and made._nnz() == 0, "a sparse tensor without entries")
    return made


@case("torch.zeros", reference="none", core=False)
def wrong_sizes_raise(t):
    t.raises(RuntimeError, t.call, "torch.zeros", -1, 3, device=t.device)
    t.raises(TypeError, t.call, "torch.zeros", 2.5, device=t.device)


@case("torch.range", dtypes="f32 i64", core=False, reference=lambda np: np.arange(9, -4, -2))
def downwards(t, dtype):
    return t.call("torch.range", 9, -3, -2, dtype=t.dtype(dtype), device=t.device)


@case("torch.range", reference="none", core=False)
def range_defaults(t):
    made = t.call("torch.range", 2, 5, device=t.device)
    t.expect(made.dtype is t.fw.get_default_dtype(), "the default dtype, of integers too")
    t.expect(t.host(made).tolist() == [2, 3, 4, 5], "steps of one, the end included")


@case("torch.range", reference="none", core=False)
def range_wrong_steps_raise(t):
    t.raises(RuntimeError, t.call, "torch.range", 1, 5, 0, device=t.device)
    t.raises(RuntimeError, t.call, "torch.range", 1, 5, -1, device=t.device)
    t.raises(RuntimeError, t.call, "torch.range", 1, float("inf"), device=t.device)


@case("torch.range", reference="none", core=False)
def warns_that_it_goes(t):
    import warnings

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        t.fw.set_warn_always(True)
        try:
            made = t.call("torch.range", 1, 3, device=t.device)
        finally:
            t.fw.set_warn_always(False)
    t.expect(any("torch.arange" in str(one.message) for one in seen), "a warning that names arange")
    t.expect(t.host(made).tolist() == [1, 2, 3], "and the numbers all the same")


@case("torch.tensor", reference="none", core=False)
def infers_its_dtype(t):
    make, fw = (lambda data: t.call("torch.tensor", data, device=t.device)), t.fw
    two = make([1, 2])
    t.expect(two.dtype is fw.int64 and t.host(two).tolist() == [1, 2], "integers are int64")
    t.expect(make([1, 2.0]).dtype is fw.get_default_dtype(), "floats are of the default dtype")
    t.expect(make([True, False]).dtype is fw.bool, "booleans are bool")
    t.expect(make([1 + 2j]).dtype is fw.complex64, "complex numbers are complex64")
    t.expect(make(t.np.zeros(2, "int16")).dtype is fw.int16, "NumPy's dtype stays")


@case(
    "torch.tensor",
    dtypes="f32 i64",
    trivial=True,
    core=False,
    reference=lambda np: [np.array(3), np.zeros(0), np.zeros((2, 0))],
)
def scalar_and_nothing(t, dtype):
    make = [3, [], [[], []]]
    return [t.call("torch.tensor", x, dtype=t.dtype(dtype), device=t.device) for x in make]


@case("torch.tensor", dtypes="f32", reference="none", core=False)
def asks_for_a_gradient(t, dtype):
    x = t.call(
        "torch.tensor", [1.0, 3.0], dtype=t.dtype(dtype), device=t.device, requires_grad=True
    )
    (x * x).sum().backward()
    t.expect(t.host(x.grad).tolist() == [2.0, 6.0], "the gradient of the new leaf")
    t.raises(RuntimeError, t.call, "torch.tensor", [1, 2], device=t.device, requires_grad=True)


@case("torch.tensor", reference="none", core=False)
def ragged_lists_raise(t):
    t.raises(ValueError, t.call, "torch.tensor", [[1, 2], [3]], device=t.device)
    t.raises((TypeError, ValueError, RuntimeError), t.call, "torch.tensor", ["a"], device=t.device)


@case("torch.tensor", dtypes="f32 i64", core=False, reference=lambda np, *values: np.stack(values))
def of_tensors(t, dtype):
    """A list of scalar tensors."""
    return t.call(
        "torch.tensor", [t.uniform((), dtype, 9 * n, 9 * n + 9) for n in range(4)], device=t.device
    )


@case("torch.Tensor.to", dtypes="f32", reference="none", core=False)
def copies_when_asked(t, dtype):
    x = t.randn((4, 5), dtype)
    made = t.call(lambda x: x.to(x.device, copy=True), x)
    made.zero_()
    t.expect(bool(t.host(x).any()), "another tensor")
    t.expect(t.call("torch.Tensor.to", x, x.dtype) is x, "the same tensor where nothing changes")


@case("torch.Tensor.to", dtypes="f32", core=False, reference=lambda np, x, other: x)
def like_another(t, dtype):
    """to(other) takes the dtype and the device of the other tensor."""
    return t.call("torch.Tensor.to", t.randint((5,), dtype, -9, 9), t.randn((1,), "i64"))


@case("torch.Tensor.to", dtypes="f32", core=False, reference=lambda np, x: x)
def channels_last(t, dtype):
    x = t.randn((2, 3, 4, 5), dtype)
    made = t.call("torch.Tensor.to", x, memory_format=t.fw.channels_last)
    t.expect(made.is_contiguous(memory_format=t.fw.channels_last), "channels last in memory")
    return made


@case(
    "torch.Tensor.to",
    dtypes="f32 bf16",
    grad=True,
    core=False,
    reference=with_gradient(lambda np, x: x),
)
def gradient_returns_to_the_dtype(t, dtype):
    return t.call(lambda x: x.to(t.dtype("f64")), t.randn((6,), dtype, noncontiguous=True))


@case("torch.Tensor.to", dtypes="f32", core=False, reference=lambda np, x: x)
def without_blocking(t, dtype):
    x = t.randn((64, 64), dtype)
    return t.call(lambda x: x.to("cpu").to(t.device, non_blocking=True), x)


@case(
    "torch.Tensor.to",
    dtypes="c64 f32",
    shape=[(0, 3), ()],
    trivial=True,
    core=False,
    reference=lambda np, x: x,
)
def scalar_nothing_complex(t, dtype, shape):
    return t.call(lambda x: x.to(t.dtype("c128")), t.randn(shape, dtype))


@case("torch.Tensor.to", dtypes="f32", reference="none", core=False)
def no_such_device(t, dtype):
    x = t.randn((2,), dtype)
    t.raises(RuntimeError, t.call, "torch.Tensor.to", x, "nodevice")
    t.raises((RuntimeError, TypeError), t.call, "torch.Tensor.to", x, "f32")


@case("torch.Tensor.is_same_size", dtypes="f32", reference="none", core=False)
def only_the_size_counts(t, dtype):
    same = lambda x, y: t.call("torch.Tensor.is_same_size", x, y)  # noqa: E731
    x = t.randn((3, 4), dtype)
    t.expect(same(x, t.randn((3, 4), "i64")) is True, "another dtype, the same size")
    t.expect(same(x, t.randn((4, 3), dtype).mT) is True, "another layout, the same size")
    t.expect(same(x, t.randn((1, 4), dtype)) is False, "what broadcasts is not of the same size")
    t.expect(same(x, t.randn((3, 4, 1), dtype)) is False, "one axis more")


@case("torch.Tensor.is_same_size", dtypes="f32", reference="none", core=False)
def same_size_of_nothing(t, dtype):
    same = lambda x, y: t.call("torch.Tensor.is_same_size", x, y)  # noqa: E731
    t.expect(same(t.randn((), dtype), t.randn((), dtype)) is True, "two scalars")
    t.expect(same(t.randn((), dtype), t.randn((1,), dtype)) is False, "a scalar and a vector")
    t.expect(same(t.randn((0, 3), dtype), t.randn((3, 0), dtype)) is False, "two empty tensors")


@case("torch.Tensor.is_same_size", dtypes="f32", reference="none", core=False)
def same_size_as_no_tensor(t, dtype):
    t.raises(TypeError, t.call, "torch.Tensor.is_same_size", t.randn((2,), dtype), (2,))


@case("torch.Tensor.size", dtypes="f32", reference="none", core=False)
def of_one_axis(t, dtype):
    x = t.randn((3, 4, 5), dtype)
    sizes = [t.call("torch.Tensor.size", x, dim) for dim in (0, 1, -1)]
    t.expect(sizes == [3, 4, 5] and type(sizes[0]) is int, "the sizes of single axes")
    t.raises(IndexError, t.call, "torch.Tensor.size", x, 3)


@case("torch.Tensor.size", dtypes="f32", reference="none", core=False)
def is_a_tuple(t, dtype):
    size = t.call("torch.Tensor.size", t.randn((3, 4), dtype))
    t.expect(type(size) is t.fw.Size and isinstance(size, tuple), "a torch.Size")
    t.expect(size.numel() == 12 and size[1:] == (4,), "the number of elements, and slices")


@case("torch.Tensor.size", dtypes="f32", reference="none", core=False)
def of_views(t, dtype):
    x = t.randn((3, 1), dtype)
    sizes = [tuple(t.call("torch.Tensor.size", y)) for y in (x.mT, x.expand(3, 7), x[1:], x[None])]
    t.expect(sizes == [(1, 3), (3, 7), (2, 1), (1, 3, 1)], "the sizes of the views")


@case("torch.Tensor.data_ptr", dtypes="f32 bf16 i64", reference="none", core=False)
def views_share_it(t, dtype):
    x = t.randn((4, 4), dtype)
    first = address(t, x)
    t.expect(first % x.element_size() == 0, "an aligned address")
    t.expect(t.call("torch.Tensor.data_ptr", x.mT) == first, "the address of a transpose")
    t.expect(t.call("torch.Tensor.data_ptr", x.clone()) != first, "another address for a copy")


@case("torch.Tensor.data_ptr", dtypes="f32", reference="none", core=False)
def stays_in_place(t, dtype):
    x = t.randn((64,), dtype)
    first = address(t, x)
    t.expect(first % x.element_size() == 0, "an aligned address")
    x.add_(1)
    t.expect(t.call("torch.Tensor.data_ptr", x) == first, "the address from before the change")


@case("torch.Tensor.data_ptr", dtypes="f32", reference="none", core=False)
def of_nothing(t, dtype):
    t.expect(t.call("torch.Tensor.data_ptr", t.randn((0,), dtype)) == 0, "no address")


@case("torch.Tensor.data_ptr", dtypes="f32", reference="none", core=False)
def sparse_has_none(t, dtype):
    t.raises(RuntimeError, t.call, "torch.Tensor.data_ptr", t.randn((3, 3), dtype).to_sparse())


@case(
    "torch.Tensor.is_floating_point", core=False, since=("2.7", "float8_e8m0fnu"), reference="none"
)
def kinds_that_are_floats(t):
    """Every dtype that there is; a subclass; as a function, too; of a keyword it knows nothing."""
    fw, ask = t.fw, lambda x: t.call("torch.Tensor.is_floating_point", x)
    floats = "float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float16 bfloat16 float32 float64"
    others = "uint8 uint16 uint32 uint64 int8 int16 int32 int64 bool complex32 complex64 complex128"
    for names, want in ((floats, True), (others, False)):
        for name in names.split():
            kind = getattr(fw, name)
            x = fw.empty((2, 3), dtype=kind, device=t.device)
            t.expect(ask(x) is want and kind.is_floating_point is want, "%s of %s" % (want, name))
            t.expect(fw.is_floating_point(x) is want, "%s by the function of %s" % (want, name))
    x = t.randn((3, 4), "f32")
    own = x.as_subclass(type("Own", (fw.Tensor,), {}))
    t.expect(ask(own) is True, "a float of a subclass")
    t.raises(TypeError, lambda: x.is_floating_point(input=1))


@case("torch.Tensor.is_floating_point", core=False, reference="none")
def floats_in_other_layouts(t):
    """Sparse ones by places, by rows and without any; quantized numbers are none."""
    fw, ask = t.fw, lambda x: t.call("torch.Tensor.is_floating_point", x)
    x = t.randn((3, 4), "f32")
    for one in (x.to_sparse(), x.to_sparse_csr(), fw.sparse_coo_tensor((2, 3), device=t.device)):
        t.expect(ask(one) is True, "a float")
    for one in (x.int().to_sparse(), (x > 0).to_sparse_csr(), fw.quantize_per_tensor(x, 1.0, 0, fw.quint8)):  # fmt: skip
        t.expect(ask(one) is False, "no float")
