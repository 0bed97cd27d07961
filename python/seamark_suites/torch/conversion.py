"""Tensors from NumPy and Python, and back: from_numpy, as_tensor, torch.Tensor."""

from seamark_suites.case import case

from .reference import with_gradient

NAMES = {
    "f32": "float32", "f64": "float64", "f16": "float16", "c64": "complex64", "c128": "complex128", "i64": "int64",
    "i32": "int32", "i16": "int16", "i8": "int8", "u8": "uint8", "bool": "bool",
}  # fmt: skip


def array_of(t, shape, dtype):
    """A NumPy array of that dtype, of seeded numbers."""
    return t.host(t.randn(shape, dtype)).astype(NAMES[dtype])


# --- from_numpy: a CPU tensor on an array's memory


@case("torch.from_numpy", dtypes="f32 i64 i32 bool", reference=lambda np, x: x)
@case(
    "torch.from_numpy", dtypes="f64 f16 c64 c128 i16 i8 u8", core=False, reference=lambda np, x: x
)
def to_the_device(t, dtype):
    """The way data take to a device."""
    fw, device, array = t.fw, t.device, array_of(t, (64, 33), dtype)
    made = t.call(lambda: fw.from_numpy(array).to(device))
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the array")
    return made


@case("torch.from_numpy", dtypes="f32 i64", host_only=True, core=False, reference=lambda
      np, x: (np.concatenate([0 * x[:1] + 7, 0 * x[:1] + 8, x[2:]]),) * 2)  # fmt: skip
def shares_the_array(t, dtype):
    """Documented: what is written to one shows in the other."""
    array = array_of(t, (5, 3), dtype)
    made = t.call("torch.from_numpy", array)
    array[0] = 7
    made[1] = 8
    return made, t.fw.tensor(array)


@case("torch.from_numpy", dtypes="f32", host_only=True, core=False, reference=lambda
      np, x: [x.T, x[:, ::2], x[1:3], x[2, 1], np.broadcast_to(x[:1], (4, 6))])  # fmt: skip
def views_of_arrays(t, dtype):
    """Transposes, gaps, offsets, a scalar, a broadcast row: the strides are the array's."""
    x = array_of(t, (5, 6), dtype)
    row = t.np.lib.stride_tricks.as_strided(x[:1], (4, 6), (0, x.strides[1]))
    views = [x.T, x[:, ::2], x[1:3], x[2:3, 1].reshape(()), row]
    made = [t.call("torch.from_numpy", view) for view in views]
    for view, one in zip(views, made):
        size = view.itemsize
        t.expect(one.stride() == tuple(n // size for n in view.strides), "the array's strides")
    return made


@case("torch.from_numpy", dtypes="f32", host_only=True, core=False, reference=lambda np, x: x)
def keeps_the_array_alive(t, dtype):
    made = t.call("torch.from_numpy", array_of(t, (100, 100), dtype))
    for _ in range(5):
        t.np.zeros((100, 100), NAMES[dtype])
    return made


@case("torch.from_numpy", dtypes="f32", shapes="scalar 0 3x0x2", trivial=True, host_only=True, core=False,
      reference=lambda np, x: x)  # fmt: skip
def from_few_numbers(t, dtype, shape):
    return t.call("torch.from_numpy", t.np.asarray(array_of(t, shape, dtype)))


@case(
    "torch.from_numpy",
    dtypes="f32",
    host_only=True,
    core=False,
    reference=lambda np, x: (x, 3 * x**2),
)
def array_that_learns(t, dtype):
    x = t.call("torch.from_numpy", array_of(t, (6,), dtype)).requires_grad_()
    (x**3).sum().backward()
    return x.detach(), x.grad


@case("torch.from_numpy", host_only=True, core=False, reference="none")
def read_only_arrays_warn(t):
    import warnings

    array = t.np.arange(4.0)
    array.flags.writeable = False
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        t.fw.set_warn_always(True)
        try:
            made = t.call("torch.from_numpy", array)
        finally:
            t.fw.set_warn_always(False)
    t.expect(any("writable" in str(one.message) for one in seen), "a warning")
    t.expect(t.host(made).tolist() == [0, 1, 2, 3], "and the numbers all the same")


@case(
    "torch.from_numpy", host_only=True, core=False, reference="none", since=("2.3", "these dtypes")
)
def unsigned_arrays(t):
    """Of 16, 32 and 64 bits, to their ends; written on either side."""
    for bits in (16, 32, 64):
        array = t.np.array([0, 1, 2**bits - 1, 2 ** (bits - 1)], "uint%d" % bits)
        made = t.call("torch.from_numpy", array)
        t.expect(made.dtype is getattr(t.fw, "uint%d" % bits), "uint%d" % bits)
        t.expect(made.tolist() == [0, 1, 2**bits - 1, 2 ** (bits - 1)], "all digits")
        made[0] = 7
        array[1] = 9
        t.expect(array[0] == 7 and made[1].item() == 9, "the array's memory")


@case(
    "torch.from_numpy",
    dtypes="f32",
    host_only=True,
    core=False,
    reference=lambda np, x: [x, x[1:, 2:], x],
)
def arrays_in_files_and_of_classes(t, dtype):
    """A mapped file, a part of what other bytes stand before, a class of arrays of one's own."""
    import os

    np, x = t.np, array_of(t, (4, 5), dtype)
    path = os.path.join(t.tmpdir(), "numbers")
    mapped = np.memmap(path, NAMES[dtype], "w+", 8, x.shape)
    mapped[:] = x
    made = t.call("torch.from_numpy", mapped)
    part = t.call("torch.from_numpy", mapped[1:, 2:])
    t.expect(part.data_ptr() == made.data_ptr() + 4 * 7, "the memory of the part")
    own = type("Own", (np.ndarray,), {})
    return [made.clone(), part.clone(), t.call("torch.from_numpy", x.view(own))]


@case("torch.from_numpy", host_only=True, core=False, reference="none")
def from_numpy_refuses_other_kinds(t):
    """A number of NumPy, records, a part of records whose steps are no whole numbers, a tensor, nothing."""
    np = t.np
    records = np.zeros(3, [("a", "i1"), ("b", "f4")])
    for wrong in (np.float32(3), records, t.fw.ones(2), None):
        t.raises(TypeError, t.call, "torch.from_numpy", wrong)
    t.raises(ValueError, t.call, "torch.from_numpy", records["b"])
    t.raises(TypeError, t.call, "torch.from_numpy")


@case("torch.from_numpy", host_only=True, core=False, reference="none")
def from_numpy_refuses(t):
    """Negative strides, foreign byte order, text, objects, lists; the tensor is not resizable."""
    np = t.np
    t.raises(ValueError, t.call, "torch.from_numpy", np.arange(3)[::-1])
    t.raises(ValueError, t.call, "torch.from_numpy", np.zeros(2, ">f4"))
    for array in (np.array(["a"]), np.array([object()]), np.zeros(2, "datetime64[s]"), [1.0]):
        t.raises(TypeError, t.call, "torch.from_numpy", array)
    array = np.arange(3.0)
    t.raises(RuntimeError, t.call, lambda: t.fw.from_numpy(array).resize_(100))


@case(
    "torch.from_numpy",
    host_only=True,
    core=False,
    reference="none",
    cpu_fails="resize_ changes the shape before it finds that the memory cannot grow",
)
def keeps_its_size(t):
    """Documented: the tensor is not resizable. What was refused has changed nothing."""
    made = t.call("torch.from_numpy", t.np.arange(3.0))
    t.raises(RuntimeError, made.resize_, 100)
    t.expect(tuple(made.shape) == (3,), "the size of the array")


# --- as_tensor: no copy where none is needed


@case("torch.as_tensor", dtypes="f32 bf16 i64", reference=lambda np: np.array([[1, -2], [3, 4]]))
@case(
    "torch.as_tensor",
    dtypes="f64 f16 i32 c64",
    core=False,
    reference=lambda np: np.array([[1, -2], [3, 4]]),
)
@case(
    "torch.as_tensor", dtypes="bool", reference=lambda np: np.array([[True, False], [False, False]])
)
def as_tensor_of_lists(t, dtype):
    data = [[True, False], [False, False]] if dtype == "bool" else [[1, -2], [3, 4]]
    made = t.call("torch.as_tensor", data, dtype=t.dtype(dtype), device=t.device)
    t.expect(made.dtype is t.dtype(dtype), "the asked dtype")
    return made


@case("torch.as_tensor", dtypes="f32 i64", reference=lambda np, x: x)
@case("torch.as_tensor", dtypes="f64 u8 bool c64", core=False, reference=lambda np, x: x)
def as_tensor_of_arrays(t, dtype):
    made = t.call("torch.as_tensor", array_of(t, (20, 9), dtype), device=t.device)
    t.expect(made.dtype is t.dtype(dtype), "the dtype of the array")
    return made


@case("torch.as_tensor", dtypes="f32 i64", core=False, reference=lambda np, x: x)
def as_tensor_of_a_tensor(t, dtype):
    """Documented: the same tensor where nothing changes."""
    x = t.randn((4, 5), dtype)
    made = t.call("torch.as_tensor", x)
    t.expect(made is x, "the same tensor")
    t.expect(t.call("torch.as_tensor", x, dtype=x.dtype, device=x.device) is x, "here, too")
    return made


@case(
    "torch.as_tensor",
    dtypes="f32 bf16",
    grad=True,
    core=False,
    reference=with_gradient(lambda np, x: x),
)
def keeps_the_graph(t, dtype):
    """Documented: the graph goes on through a change of the dtype."""
    to = t.fw.float64
    return t.call("torch.as_tensor", t.randn((6,), dtype), dtype=to)


@case("torch.as_tensor", dtypes="f32", to=["f64", "f16", "i64", "bool"], core=False, reference=lambda
      np, x, to: x != 0 if to == "bool" else x)  # fmt: skip
def in_an_asked_dtype(t, dtype, to):
    """Of a tensor and of an array."""
    x = t.distinct((40,), dtype)
    made = t.call("torch.as_tensor", x, dtype=t.dtype(to))
    array = t.host(x).astype("float32")
    other = t.call("torch.as_tensor", array, dtype=t.dtype(to), device=t.device)
    t.expect(made.dtype is other.dtype is t.dtype(to), "the asked dtype")
    t.expect(bool((t.host(made) == t.host(other)).all()), "the same of both")
    return made


@case("torch.as_tensor", dtypes="f32", host_only=True, core=False, reference=lambda
      np, x: (np.concatenate([0 * x[:1] + 7, x[1:]]), x))  # fmt: skip
def as_tensor_shares_the_array(t, dtype):
    """On the CPU, in the array's dtype, it shares the array's memory; in another it is a copy."""
    array = array_of(t, (5, 3), dtype)
    made = t.call("torch.as_tensor", array)
    other = t.call("torch.as_tensor", array, dtype=t.fw.float64)
    array[0] = 7
    return made, other


@case("torch.as_tensor", core=False, reference="none")
def as_tensor_infers(t):
    make, fw = (lambda data: t.call("torch.as_tensor", data, device=t.device)), t.fw
    for data, dtype in (
        ([1, 2], fw.int64),
        ([1, 2.0], fw.float32),
        ([True, False], fw.bool),
        ([1 + 2j], fw.complex64),
        (3.5, fw.float32),
        (t.np.float64(3.5), fw.float64),
        (t.np.zeros(2, "int16") + 4, fw.int16),
    ):
        made = make(data)
        t.expect(made.dtype is dtype, "%s of %r" % (dtype, data))
        t.expect(bool((t.host(made) == t.np.asarray(data)).all()), "the numbers of %r" % (data,))


@case("torch.as_tensor", dtypes="f32 i64", trivial=True, core=False, reference=lambda
      np: [np.array(3), np.zeros(0), np.zeros((2, 0))])  # fmt: skip
def as_tensor_of_little(t, dtype):
    """One number, nothing, rows of nothing."""
    asked = {"dtype": t.dtype(dtype), "device": t.device}
    return [t.call("torch.as_tensor", data, **asked) for data in (3, [], [[], []])]


@case("torch.as_tensor", core=False, reference="none")
def as_tensor_refuses(t):
    """Ragged lists, reversed arrays."""
    t.raises(ValueError, t.call, "torch.as_tensor", [[1], [2, 3]], device=t.device)
    t.raises(ValueError, t.call, "torch.as_tensor", t.np.arange(3)[::-1], device=t.device)


# --- torch.Tensor: the class, and the old way to make one


@case("torch.Tensor", reference=lambda np, x: x)
def of_numbers(t):
    """A list of numbers gives the default dtype, of integers too."""
    fw, device, data = t.fw, t.device, t.host(t.randn((6, 5), "i64")).tolist()
    made = t.call(lambda: fw.Tensor(data).to(device))
    t.expect(made.dtype is fw.get_default_dtype(), "the default dtype")
    return made


@case(
    "torch.Tensor",
    dtypes="f32 f64 i64 bool",
    host_only=True,
    core=False,
    reference=lambda np, x: x * 1.0,
)
def of_an_array(t, dtype):
    made = t.call("torch.Tensor", array_of(t, (6, 5), dtype))
    t.expect(made.dtype is t.fw.float32, "the default dtype")
    return made


@case("torch.Tensor", host_only=True, core=False, reference="none")
def of_a_size(t):
    """Integers are a size, and the numbers are still to be written."""
    fw = t.fw
    for size in ((2, 3), (fw.Size([2, 3]),)):
        made = t.call(lambda size: fw.Tensor(*size).fill_(3), size)
        t.expect(tuple(made.shape) == (2, 3) and made.dtype is fw.float32, "a 2x3 tensor")
        t.expect(bool((t.host(made) == 3).all()), "what was written")
    t.expect(tuple(t.call("torch.Tensor").shape) == (0,), "an empty tensor of no arguments")


@case("torch.Tensor", dtypes="f32 i64 bool", core=False, reference=lambda np, x: x)
def is_the_class_of_all(t, dtype):
    """Of what a call gives, of parameters, of no array."""
    made = t.call(lambda x: x.clone(), t.randn((9,), dtype))
    t.expect(type(made) is t.fw.Tensor and isinstance(made, t.get("torch.Tensor")), "a tensor")
    weight = t.fw.nn.Parameter(t.fw.ones(2, device=t.device))
    t.expect(isinstance(weight, t.fw.Tensor) and type(weight) is not t.fw.Tensor, "a parameter")
    t.expect(not isinstance(t.host(made), t.fw.Tensor), "an array is none")
    return made


@case(
    "torch.Tensor",
    dtypes="f32",
    reference=lambda np, x, y: [
        x + y,
        x - 2,
        3 * x,
        x / 4,
        -x,
        abs(x),
        x**2,
        x @ y.T,
        x[1],
        x[:, 1:3],
        x[-1, ::2],
        y.T,
        x // 1,
        x % 1,
        1 - x,
    ],
)
def operators(t, dtype):
    """Python's operators and its slices."""
    return t.call(
        lambda x, y: [
            x + y, x - 2, 3 * x, x / 4, -x, abs(x), x**2, x @ y.T, x[1], x[:, 1:3], x[-1, ::2], y.T, x // 1, x % 1, 1 - x
        ],
        t.randn((3, 5), dtype),
        t.randn((3, 5), dtype),
    )  # fmt: skip


@case(
    "torch.Tensor",
    dtypes="i64",
    core=False,
    reference=lambda np, x, y: [
        x & y,
        x | y,
        x ^ y,
        ~x,
        x << 2,
        x >> 1,
        x == y,
        x < y,
        x >= 3,
        x // (abs(y) + 1),
        x % (abs(y) + 1),
    ],
)
def integer_operators(t, dtype):
    """Division and remainder go down, as Python's do."""
    return t.call(
        lambda x, y: [
            x & y, x | y, x ^ y, ~x, x << 2, x >> 1, x == y, x < y, x >= 3, x // (abs(y) + 1), x % (abs(y) + 1)
        ],
        t.randn((40,), dtype),
        t.randn((40,), dtype),
    )  # fmt: skip


@case(
    "torch.Tensor",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [row * (i + 1) for i, row in enumerate(x)],
)
def iterates(t, dtype):
    """Over its first axis; len is its size."""
    x = t.randn((3, 4), dtype)
    t.expect(len(x) == 3, "a length of 3")
    return t.call(lambda x: [row * (i + 1) for i, row in enumerate(x)], x)


@case("torch.Tensor", dtypes="f32", core=False, reference=lambda np, x: x)
def copies_and_pickles(t, dtype):
    import copy
    import pickle

    x = t.randn((3, 4), dtype)
    deep = t.call(copy.deepcopy, x)
    again = t.call(lambda x: pickle.loads(pickle.dumps(x)), x)
    t.expect(bool((t.host(again) == t.host(deep)).all()), "the same numbers of both")
    kept = again.clone()
    again.zero_()
    t.expect(bool(t.host(deep).any()), "another memory")
    return kept


@case("torch.Tensor", dtypes="f32", core=False, reference=lambda np, x: np.exp(x) + 1)
def subclass(t, dtype):
    """A subclass stays one through functions and operators."""
    own = type("Own", (t.fw.Tensor,), {})
    x = t.randn((5,), dtype).as_subclass(own)
    made = t.call(lambda x: x.exp() + 1, x)
    t.expect(type(made) is own, "the subclass")
    return made.as_subclass(t.fw.Tensor)


@case("torch.Tensor", core=False, reference="none")
def truth(t):
    """One number is true or false; of several or none that is left open."""
    yes, no = t.const([2.0], "f32"), t.const(0, "i64")
    true = lambda x: bool(x)  # noqa: E731
    t.expect(t.call(true, yes) is True and t.call(true, no) is False, "true and false")
    t.raises(RuntimeError, t.call, true, t.randn((3,), "f32"))
    t.raises(TypeError, len, no)
    t.raises(TypeError, iter, no)


@case("torch.Tensor", host_only=True, core=False, reference="none")
def tensor_refuses(t):
    """Ragged lists, a fraction as a size, a negative size, text, complex numbers, a dtype."""
    make = "torch.Tensor"
    t.raises(ValueError, t.call, make, [[1], [2, 3]])
    t.raises(TypeError, t.call, make, 3.5)
    t.raises(RuntimeError, t.call, make, -1)
    t.raises(TypeError, t.call, make, [1j])
    t.raises(TypeError, t.call, make, [1.0], dtype=t.fw.float64)


@case("torch.from_numpy", host_only=True, core=False, reference="none")
def leaves_nothing_behind(t):
    """The array lives as long as the tensor, and no longer; one that is refused is not held. The dtype is looked at first."""
    import sys

    np, make = t.np, "torch.from_numpy"
    array = np.arange(12.0).reshape(3, 4)
    before = sys.getrefcount(array)
    made = t.get(make)(array)
    t.expect(sys.getrefcount(array) > before, "an array that is held")
    part = made[1:, 2]
    del made
    array[1, 2] = 90
    t.expect(part.tolist() == [90, 10], "held by a part, too")
    del part
    t.expect(sys.getrefcount(array) == before, "an array that is let go")
    t.expect(t.call(make, array).tolist() == array.tolist(), "held once more")
    for wrong in (np.array(["a", "b"]), np.zeros(3, "datetime64[s]"), np.ndarray((3, 3), "V0")):
        count = sys.getrefcount(wrong)
        t.raises(TypeError, t.call, make, wrong)
        t.expect(sys.getrefcount(wrong) == count, "not held")


@case("torch.from_numpy", dtypes="f64 i16 c64 bool", host_only=True, core=False, reference=lambda np, x: [
      x, x.T, x[:, 1:, ::3], x[1:1], x.swapaxes(0, 1)[:, :, 2]])  # fmt: skip
def other_orders_of_arrays(t, dtype):
    """Column by column, axes in another order, parts with gaps, nothing; what is written through a part shows in the array."""
    np, x = t.np, array_of(t, (4, 5, 6), dtype)
    views = [np.asfortranarray(x), x.T, x[:, 1:, ::3], x[1:1], np.swapaxes(x, 0, 1)[:, :, 2]]
    made = [t.call("torch.from_numpy", view) for view in views]
    for view, one in zip(views, made):
        t.expect(one.data_ptr() == view.ctypes.data or not view.size, "the memory of the array")
        t.expect(np.shares_memory(one.numpy(), view) or not view.size, "and back again")
    kept = [one.clone() for one in made]
    made[2].zero_()
    t.expect(not x[:, 1:, ::3].any() and x.any(), "zeros in the part alone")
    return kept
