"""Edges of what makes tensors, of arrays too: eye, full, as_tensor, new_zeros, zeros_like and its kin; of numpy, zero_, masked_fill_ and devices."""

import warnings

from seamark_suites.case import case

from .creation_like import NUMBERS, made_by
from .pointwise import INF, NAN, each

EYE, FULL, AS_TENSOR = "torch.eye", "torch.full", "torch.as_tensor"
NEW, NUMPY, ZERO = "torch.Tensor.new_zeros", "torch.Tensor.numpy", "torch.Tensor.zero_"
FILL, DEVICE = "torch.Tensor.masked_fill_", "torch.device"

# --- eye

SIDES = 0, 1, 2, 3, 4, 7, 20


@case(EYE, dtypes="f32 bf16 i8 bool c128", core=False, reference=lambda np: [
      *(np.eye(n) for n in SIDES), *(np.eye(n, m) for n in SIDES for m in SIDES), np.eye(257, 300)])  # fmt: skip
def eye_of_each_pair_of_sides(t, dtype):
    """Square, wide, tall, without rows or columns; larger than a block."""
    given = {"dtype": t.dtype(dtype), "device": t.device}
    made = [t.call(EYE, n, **given) for n in SIDES]
    made += [t.call(EYE, n, m, **given) for n in SIDES for m in SIDES]
    return [*made, t.call(EYE, 257, 300, **given)]


@case(EYE, dtypes="f32 i64", core=False, reference=lambda np: [
      np.eye(3, 4), np.where(np.arange(6) % 2 == 0, np.eye(4, 6)[:, [0, 0, 1, 1, 2, 2]], 5)])  # fmt: skip
def eye_into_a_transpose_with_gaps(t, dtype):
    """Every other column, turned around: what stood there is gone, and what lies between stays."""
    whole = t.fw.full((4, 6), 5, dtype=t.dtype(dtype), device=t.device)
    return [t.call(EYE, 3, 4, out=whole[:, ::2].mT), whole]


@case(EYE, core=False, reference="none")
def eye_refuses_these(t):
    """Negative sides beside others, a gradient of integers, another dtype than that of out=, text; meta has the size alone."""
    for sides in ((-7, 42), (0, -3), (-1,), (-1, -1)):
        t.raises(RuntimeError, t.call, EYE, *sides, device=t.device)
    t.raises(RuntimeError, t.call, EYE, 3, dtype=t.fw.int64, requires_grad=True, device=t.device)
    out = t.fw.zeros((2, 2), device=t.device)
    t.raises(RuntimeError, t.call, EYE, 2, dtype=t.fw.float64, out=out)
    for wrong in (("3",), (3, 2.5), (3, "2"), ((3, 2),)):
        t.raises(TypeError, t.call, EYE, *wrong, device=t.device)
    made = t.get(EYE)(3, 2, device="meta")
    t.expect(made.is_meta and made.shape == (3, 2), "the size alone")


# --- full


def _full(t, value, dtype, want):
    made = t.call(FULL, (2, 3), value, **({"dtype": dtype} if dtype else {}), device=t.device)
    found = t.host(made.double() if made.dtype.itemsize == 1 and made.is_floating_point() else made)
    same = (found == want) | (found != found if want != want else False)
    t.expect(made.shape == (2, 3) and bool(same.all()), "%s, got %s" % (want, made))
    return made.dtype


@case(FULL, core=False, since=("2.3", "unsigned integers of 16 bits"), reference="none")
def full_of_the_ends_of_each_kind(t):
    """The least and the largest integers, floats of eight bits, what is not a number as a truth; a negative number counts from the end of what is unsigned."""
    fw = t.fw
    for bits, kind in ((8, fw.int8), (16, fw.int16), (32, fw.int32), (64, fw.int64)):
        for value in (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1):
            t.expect(_full(t, value, kind, value) is kind, "%s" % kind)
    for value, kind, want in (
        (255, fw.uint8, 255), (-1, fw.uint8, 255), (-100, fw.uint8, 156), (65504, fw.float16, 65504),
        (NAN, fw.bool, True), (INF, fw.bool, True), (-0.0, fw.bool, False), (NAN, fw.float32, NAN), (-INF, fw.float64, -INF), (True, fw.float32, 1), (2.75, fw.int16, 2),
        (-2.75, fw.int8, -2), (5e-324, fw.float64, 5e-324), (1e-45, fw.float32, 2**-149), (complex(INF, -2), fw.complex64, complex(INF, -2)),
        (1.3, fw.float8_e4m3fn, 1.25), (1.3, fw.float8_e5m2, 1.25),
    ):  # fmt: skip
        t.expect(_full(t, value, kind, want) is kind, "%s" % kind)


@case(FULL, core=False, reference="none")
def full_of_numbers_of_numpy(t):
    """Their kind decides, not their width; out= of integers cuts; meta has the size alone; no gradient unless asked."""
    np, fw = t.np, t.fw
    for value, kind in (
        (np.float64(2.5), fw.float32), (np.float32(1.5), fw.float32), (np.int32(3), fw.int64), (np.int8(-3), fw.int64),
    ):  # fmt: skip
        found = _full(t, value, None, value)
        t.expect(found is kind, "%s of %r, got %s" % (kind, value, found))
    out = fw.zeros(2, dtype=fw.int64, device=t.device)
    t.expect(t.host(t.call(FULL, (2,), 2.5, out=out)).tolist() == [2, 2], "cut, got %s" % out)
    made = t.get(FULL)((2, 3), 1.5, device="meta")
    t.expect(made.is_meta and made.shape == (2, 3) and not made.requires_grad, "the size alone")


@case(FULL, core=False, reference="none")
def full_refuses_these(t):
    """Numbers beyond each kind, fractions of bytes that are negative, infinities of integers, vectors and text as values, a sparse layout, a number as a size."""
    fw, asked = t.fw, {"device": t.device}
    for value, kind in (
        (2**63, fw.int64), (INF, fw.int64), (NAN, fw.int32), (128, fw.int8), (-129, fw.int8), (256, fw.uint8), (-1.5, fw.uint8),
        (65520.0, fw.float16), (1e39, fw.float32), (1j, fw.int64), (1j, fw.float64),
    ):  # fmt: skip
        t.raises(RuntimeError, t.call, FULL, (2,), value, dtype=kind, **asked)
    t.raises(TypeError, t.call, FULL, (2,), fw.ones(2), **asked)
    t.raises(TypeError, t.call, FULL, 2, 1, **asked)
    t.raises(TypeError, t.call, FULL, (2,), None, **asked)
    t.raises(RuntimeError, t.call, FULL, (2,), 1.0, layout=fw.sparse_coo, **asked)


# --- as_tensor


@case(AS_TENSOR, core=False, reference="none")
def of_things_of_python(t):
    """Numbers and tensors in one list, numbers of NumPy, arrays without axes, what has a length and items, memory of bytes; complex numbers win; a list in itself raises."""
    np, fw = t.np, t.fw
    own = type("Own", (), {"__len__": lambda _: 2, "__getitem__": lambda _, i: [4, 5][i]})
    for data, kind, want in (
        ([0, fw.tensor(1), np.float64(2.5)], fw.float64, [0, 1, 2.5]),
        ([fw.ones(1), fw.ones(1) * 2], fw.float32, [1, 2]),
        (np.array(3.5), fw.float64, 3.5),
        (np.bool_(True), fw.bool, True),
        (np.int8(-3), fw.int8, -3),
        ([np.float32(1.5)], fw.float32, [1.5]),
        (np.array([1.5, 2], "float16"), fw.float16, [1.5, 2]),
        (own(), fw.int64, [4, 5]),
        (memoryview(b"ab"), fw.int64, [97, 98]),
        ([1, 2.5, 1j, True], fw.complex64, [1, 2.5, 1j, 1]),
        ([[[[7]]]], fw.int64, [[[[7]]]]),
        ([False, 2], fw.int64, [0, 2]),
        (((7, np.array(5)), (np.array(9), 5.0)), fw.float32, [[7, 5], [9, 5]]),
        (((7, 5), (9, np.array(5.0))), fw.float64, [[7, 5], [9, 5]]),
        (((5, np.array(3)), (np.array(3), 5)), fw.int64, [[5, 3], [3, 5]]),
    ):
        made = t.call(AS_TENSOR, data, device=t.device)
        t.expect(made.dtype is kind, "%s of %r, got %s" % (kind, data, made.dtype))
        t.expect(t.host(made).tolist() == want, "%r, got %r" % (want, made))
    endless = [0]
    endless.append(endless)
    for wrong in (endless, [[1, 2], endless], [0, "torch"], [[1], 2], [1, [2]]):
        t.raises((TypeError, ValueError), t.call, AS_TENSOR, wrong, device=t.device)


@case(AS_TENSOR, core=False, reference="none")
def in_other_dtypes_to_the_last_digit(t):
    """Integers beyond 53 bits, rounded to even; bytes that count from the end, halves that overflow, NaN as a truth; positions and other orders of bytes raise."""
    fw, np = t.fw, t.np
    for data, kind, want in (
        ([2**53 + 1, 2**53 + 3], fw.float64, [2**53, 2**53 + 4]), ([2**24 + 1], fw.float32, [2**24]), ([-1], fw.uint8, [255]), ([1e6, -1e6], fw.float16, [INF, -INF]),
        ([NAN, 0.0, -0.0, 2**63 - 1, -0.1, 1e-323], fw.bool, [True, False, False, True, True, True]), ([2**63 - 1, -(2**63)], fw.int64, [2**63 - 1, -(2**63)]), ([0.1], fw.float32, [float(np.float32(0.1))]),
        ([1 + 2**-8, 1 + 3 * 2**-8], fw.bfloat16, [1, 1 + 2**-6]), ([True, False], fw.complex64, [1, 0]), (np.array([2.75, -2.75]), fw.int32, [2, -2]),
        (np.array([2**40 + 7]), fw.int32, [7]), (np.array([1e-45]), fw.float32, [2**-149]),
    ):  # fmt: skip
        made = t.call(AS_TENSOR, data, dtype=kind, device=t.device)
        t.expect(made.dtype is kind, "%s of %r" % (kind, data))
        t.expect(t.host(made).tolist() == want, "%r of %r, got %r" % (want, data, made))
    for wrong in (np.arange(3, dtype=">i4"), np.array(["a"]), np.array(["2020-01-01"], "M8[D]"), b"ab", {1}, [fw.ones(2), fw.ones(2)], object()):  # fmt: skip
        t.raises((ValueError, TypeError, RuntimeError), t.call, AS_TENSOR, wrong, device=t.device)
    for data, kind in (([2.5, -1.5], fw.uint8), ([1e30], fw.int64), ([NAN], fw.int64), ([1j], fw.float32)):  # fmt: skip
        t.raises((RuntimeError, TypeError, ValueError), t.call, AS_TENSOR, data, dtype=kind, device=t.device)  # fmt: skip
    t.raises(TypeError, t.call, AS_TENSOR, [1], fw.float64)


@case(AS_TENSOR, core=False, host_only=True, reference="none")
def keeps_what_it_is_given(t):
    """A parameter stays itself; the array's memory is shared in every dtype that both have, whatever its strides; one that may not be written gives a warning."""
    np, fw = t.np, t.fw
    held = fw.nn.Parameter(fw.ones(2))
    t.expect(t.call(AS_TENSOR, held) is held and t.call(AS_TENSOR, held, dtype=fw.float32) is held, "itself")  # fmt: skip
    other = t.call(AS_TENSOR, held, dtype=fw.float64)
    t.expect(other.requires_grad and not other.is_leaf, "a graph in another dtype")
    for kind in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "?", "c8", "c16"):
        array = np.arange(24).reshape(4, 6).astype(kind)
        for view in (array, array.T[1:, ::2]):
            made = t.call(AS_TENSOR, view)
            t.expect(made.numpy().dtype == array.dtype and made.tolist() == view.tolist(), kind)
            view[0, 0] = 1
            t.expect(made[0, 0].item() == 1, "what is written to the array, of %s" % kind)
            made[-1, -1] = 0
            t.expect(view[-1, -1] == 0, "what is written to the tensor, of %s" % kind)
    array.setflags(write=False)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        t.expect(t.call(AS_TENSOR, array).shape == (4, 6), "a tensor")
    t.expect(all("not writable" in str(one.message) for one in seen), "no other warning")


# --- new_zeros


@case(NEW, core=False, since=("2.3", "unsigned integers of 16 bits"), reference="none")
def new_zeros_of_other_tensors(t):
    """Of a conjugate it has no mark, of a parameter it is plain, of a subclass one; size=, numbers in tensors."""
    fw, x = t.fw, t.randn((3, 4), "f32")
    turned = t.call(NEW, fw.complex(x, x).conj(), 3)
    t.expect(not turned.is_conj() and turned.is_complex() and not t.host(turned).any(), "no mark")
    made = t.call(NEW, fw.nn.Parameter(x), 2)
    t.expect(type(made) is fw.Tensor and not made.requires_grad, "plain")
    own = type("Own", (fw.Tensor,), {})
    t.expect(type(t.call(NEW, x.as_subclass(own), 2)) is own, "the subclass")
    for size in ({"size": (2, 3)}, {"size": [2, 3]}):
        t.expect(t.call(NEW, x, **size).shape == (2, 3), "2x3 of %s" % size)
    t.expect(t.call(NEW, x, fw.tensor(2), 3).shape == (2, 3), "2x3 of a tensor")
    t.expect(t.get(NEW)(x.to("meta"), 2, 3).is_meta, "on meta")
    for kind in (fw.float8_e5m2, fw.uint16, fw.float16, fw.complex128):
        made = t.call(NEW, x, 5, dtype=kind)
        t.expect(made.dtype is kind and made.shape == (5,), "%s" % kind)
    for wrong in ((None,), ((2, None),), ("2",), (2.5,)):
        t.raises(TypeError, t.call, NEW, x, *wrong)
    for wrong in ((-1,), (2, -3)):
        t.raises(RuntimeError, t.call, NEW, x, *wrong)


@case(NEW, core=False, reference="none")
def new_zeros_of_sparse_numbers(t):
    """Of sparse ones it has their layout, by places and by rows; layout= of a dense one, and back."""
    fw, x = t.fw, t.randn((3, 4), "f32")
    for like, layout in ((x.to_sparse(), fw.sparse_coo), (x.to_sparse_csr(), fw.sparse_csr)):
        made = t.call(NEW, like, (2, 5))
        t.expect(made.layout is layout and made.shape == (2, 5), "as it is, got %s" % made.layout)
        t.expect(made.dtype is x.dtype and made._nnz() == 0, "no number")
        dense = t.call(NEW, like, (2, 5), layout=fw.strided)
        t.expect(dense.layout is fw.strided and dense.shape == (2, 5), "dense, by request")
        t.expect(not t.host(dense).any(), "zeros")
    made = t.call(NEW, x, (2, 5), layout=fw.sparse_coo)
    t.expect(made.is_sparse and made._nnz() == 0 and made.shape == (2, 5), "sparse, by request")


# --- zeros_like, ones_like, empty_like

TURNS = [(2, 0, 3, 1), (3, 2, 1, 0), (1, 0, 2, 3), (0, 2, 3, 1), (3, 0, 1, 2)]


def _made(t, function):
    """The function, and what its result must be of its input: empty_like takes the input's numbers."""
    value = NUMBERS.get(function)
    return made_by(t, function), lambda one: t.host(one) if value is None else value


@each("zeros_like ones_like empty_like", core=False)
def strides_of_permutations(t, function):
    """Documented: what is dense keeps the order of its axes; what is broadcast gets the usual one; by each way to ask for it."""
    x, fw, (make, numbers) = t.randn((3, 4, 5, 6), "f32"), t.fw, _made(t, function)

    def check(one, want, **options):
        made = t.call(make, one, **options)
        t.expect(made.shape == one.shape and made.stride() == want, "strides %s, got %s" % (want, made.stride()))  # fmt: skip
        t.expect(made.dtype is one.dtype and bool((t.host(made) == numbers(one)).all()), "its numbers")  # fmt: skip

    for turn in TURNS:
        one = x.permute(turn)
        usual, kept = fw.zeros(one.shape).stride(), tuple((120, 30, 6, 1)[axis] for axis in turn)
        check(one, kept)
        check(one, kept, memory_format=fw.preserve_format)
        check(one, usual, memory_format=fw.contiguous_format)
        check(one, kept, dtype=one.dtype, device=one.device)
    check(x[:, :, :1].expand(3, 4, 5, 6), (120, 30, 6, 1))
    thin = t.randn((3, 4, 5), "f32")
    check(thin.transpose(0, -1), (1, 5, 20))
    check(t.randn((1, 4, 3, 1, 1), "f32").transpose(1, 2), (12, 1, 3, 1, 1))
    check(thin[0, 0, 0], ())
    volume = t.randn((2, 3, 2, 4, 5), "f32").contiguous(memory_format=fw.channels_last_3d)
    check(volume, (120, 1, 60, 15, 3))


@each("zeros_like ones_like empty_like", core=False)
def like_other_tensors(t, function):
    """Of a conjugate no mark, of a parameter a plain tensor, of a subclass one; an order of axes that does not fit and a dtype as a text raise."""
    fw, x, (make, numbers) = t.fw, t.randn((3, 4), "f32"), _made(t, function)
    turned = fw.complex(x, x).conj()
    made = t.call(make, turned)
    t.expect(not made.is_conj() and made.dtype is fw.complex64, "no mark")
    t.expect(bool((t.host(made) == numbers(turned)).all()), "its numbers")
    made = t.call(function, fw.nn.Parameter(x))
    t.expect(type(made) is fw.Tensor and not made.requires_grad, "plain")
    own = type("Own", (fw.Tensor,), {})
    t.expect(type(t.call(function, x.as_subclass(own))) is own, "the subclass")
    for size in (fw.channels_last, fw.channels_last_3d):
        t.raises(RuntimeError, t.call, function, x, memory_format=size)
    t.raises(TypeError, t.call, function, x, fw.float64, 3)
    t.raises((TypeError, RuntimeError), t.call, function, x, dtype="float32")


@each("zeros_like ones_like empty_like", core=False, since=("2.3", "unsigned integers of 16 bits"))
def like_in_rare_dtypes(t, function):
    """Floats of eight bits, unsigned integers, truths; of them, too."""
    fw, x, (make, _) = t.fw, t.randint((3, 4), "f32", 0, 2), _made(t, function)
    value = NUMBERS.get(function)
    for kind in (fw.bool, fw.int8, fw.complex128, fw.uint16, fw.uint32, fw.float8_e4m3fn, fw.float8_e5m2):  # fmt: skip
        made = t.call(make, x, dtype=kind)
        again = t.call(make, made)
        t.expect(made.dtype is again.dtype is kind and again.shape == (3, 4), "%s" % kind)
        for one in (made, again):
            t.expect(bool((t.host(one.to(fw.float32)) == (t.host(x) if value is None else value)).all()), "the numbers of %s" % kind)  # fmt: skip


# --- numpy


@case(NUMPY, host_only=True, core=False, reference="none")
def arrays_on_the_memory_of_the_tensor(t):
    """An offset and permuted axes with gaps; it may be written, is not made larger, and outlives the tensor; by force, too, where there is nothing to compute."""
    np, x = t.np, t.fw.arange(24.0).reshape(2, 3, 4)
    made = t.call(NUMPY, x.permute(2, 0, 1)[1:, :, 1:])
    t.expect(made.strides == (4, 48, 16) and made.flags.writeable, "strides in bytes, got %s" % (made.strides,))  # fmt: skip
    t.expect(made.tolist() == np.arange(24.0).reshape(2, 3, 4).transpose(2, 0, 1)[1:, :, 1:].tolist(), "its numbers")  # fmt: skip
    made[0, 1, 0] = -1
    t.expect(x[1, 1, 1] == -1, "what is written")
    t.raises(ValueError, t.call(NUMPY, x).resize, (3,))
    held = t.call(NUMPY, t.fw.full((1000,), 7.0))
    others = [t.fw.zeros(1000) for _ in range(9)]
    t.expect(bool((held == 7).all()) and len(others) == 9, "outlives the tensor")
    leaf = t.fw.ones(3, requires_grad=True)
    with t.fw.no_grad():
        t.expect(t.call(NUMPY, leaf).tolist() == [1, 1, 1], "no gradient is recorded")
    t.call(NUMPY, leaf, force=True)[0] = 5
    t.expect(leaf.detach().tolist() == [5, 1, 1], "the memory of the leaf")
    t.expect(t.call(NUMPY, t.fw.nn.Parameter(t.fw.ones(2), requires_grad=False)).tolist() == [1, 1], "a parameter")  # fmt: skip
    bits = t.call(NUMPY, t.fw.tensor([NAN, -0.0, INF, 1e-45])).view("uint32").tolist()
    t.expect(
        bits[1:] == [1 << 31, 0x7F800000, 1] and bits[0] & 0x7FFFFFFF > 0x7F800000, "every bit"
    )


@case(
    NUMPY,
    host_only=True,
    core=False,
    since=("2.3", "unsigned integers of 16 bits"),
    reference="none",
)
def kinds_of_arrays(t):
    """Each dtype that NumPy has, its ends; not floats of eight bits, quantized numbers, nor within vmap; in functions of NumPy."""
    np, fw = t.np, t.fw
    for name in ["uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"]:
        ends = np.array([np.iinfo(name).min, np.iinfo(name).max], name)
        made = t.call(NUMPY, fw.from_numpy(ends.copy()))
        t.expect(made.dtype == name and made.tolist() == ends.tolist(), name)
    for name in ["float16", "float32", "float64", "complex64", "complex128", "bool"]:
        made = t.call(NUMPY, fw.tensor([[1, 0], [1, 1]], dtype=getattr(fw, name)))
        t.expect(made.dtype == name and made.tolist() == [[1, 0], [1, 1]], name)
    x = fw.ones(3)
    steps = fw.quantize_per_tensor(x, 0.5, 1, fw.quint8)
    for wrong in (x.to(fw.float8_e5m2), x.to(fw.bfloat16), steps):
        t.raises(TypeError, t.call, NUMPY, wrong)
    t.raises(RuntimeError, t.call, fw.vmap(lambda x: x.numpy()), x)
    t.expect(t.call(NUMPY, x, force=False).tolist() == [1] * 3, "without force")
    made = np.array([x, 2 * x])
    t.expect(made.tolist() == [[1] * 3, [2] * 3], "an array of a list of tensors")
    t.expect(np.asarray(x, "i4").dtype == "int32" and type(np.sin(x)) is fw.Tensor, "in NumPy's functions")  # fmt: skip


# --- zero_


@case(ZERO, dtypes="f32 c64", core=False, reference=lambda np, x, y: [
      np.where(np.arange(5)[:, None] == 1, 0, x), y.real if y.dtype.kind == "c" else 0 * y])  # fmt: skip
def zeros_of_views(t, dtype):
    """Through a conjugate and its imaginary part; on meta."""
    x, y = t.randn((5, 4), dtype), t.randn((6,), dtype)
    row = x[1].conj()
    t.expect(t.call(ZERO, row) is row, "the tensor itself")
    t.call(ZERO, y.conj().imag if dtype == "c64" else y)
    t.expect(t.get(ZERO)(x.to("meta")).shape == (5, 4), "a size")
    return [x, y.real if dtype == "c64" else y]


@case(ZERO, dtypes="f32", core=False, trivial=True, reference=lambda np, x: [0 * x] * 2)
def zeros_of_sparse_numbers(t, dtype):
    """None is stored any more, by places and by rows."""
    x = t.randn((4, 5), dtype)
    sparse = x.to_sparse(), x.to_sparse_csr()
    for one in sparse:
        t.expect(t.call(ZERO, one) is one and one._nnz() == 0 and one.shape == (4, 5), "no number")
    return [one.to_dense() for one in sparse]


@case(ZERO, core=False, reference="none")
def what_zero_refuses(t):
    """What a gradient needs, a view of a leaf, what was made in inference mode; an argument."""
    fw = t.fw
    leaf = t.randn((3,), "f32", grad=True)
    double = leaf * 2
    total = (double * double).sum()
    t.call(ZERO, double)
    t.raises(RuntimeError, total.backward)
    t.raises(RuntimeError, t.call, ZERO, leaf[:2])
    with fw.inference_mode():
        made = fw.ones(3, device=t.device)
        t.expect(not t.host(t.call(ZERO, made)).any(), "zeros within")
    t.raises(RuntimeError, t.call, ZERO, made)
    t.raises(TypeError, t.call, ZERO, t.randn((3,), "f32"), 1)


# --- masked_fill_


@case(FILL, dtypes="f32 bf16 i64 u8 bool c128", core=False, reference=lambda np, x, mask, row, long, holes: [
      np.where(mask.transpose(1, 2, 0), 1, x.transpose(2, 0, 1)), np.where(row[:, None, None], 1, x), np.where(np.broadcast_to(row[:, None, None], x.shape), 0, x),
      np.where(holes, 1, long)])  # fmt: skip
def masks_that_lie_otherwise(t, dtype):
    """Permuted axes of both, a mask that is broadcast by itself or by its strides, a thousand and three numbers."""
    x, mask = t.randn((4, 5, 6), dtype), t.randn((5, 6, 4), "bool")
    row, long, holes = t.randn((4,), "bool"), t.randn((1003,), dtype), t.randn((1003,), "bool")
    turned, column = x.clone().permute(2, 0, 1), row[:, None, None]
    return [
        t.call(FILL, turned, mask.permute(1, 2, 0), 1),
        t.call(FILL, x.clone(), column, 1),
        t.call(FILL, x.clone(), column.expand(4, 5, 6), 0),
        t.call(FILL, long.clone(), holes, 1),
    ]


@case(FILL, dtypes="f32 f16", core=False, reference=lambda np, x, mask: [
      *(np.where(mask, value, x) for value in (NAN, -INF, -0.0, 1, 7, 2.5, 1))])  # fmt: skip
def values_of_each_kind(t, dtype):
    """NaN, minus infinity, minus zero; a truth of Python; numbers in tensors of another kind: integers, f64, truths."""
    x, mask = t.randn((6, 9), dtype), t.randn((6, 9), "bool")
    made = [t.call(FILL, x.clone(), mask, value) for value in (NAN, -INF, -0.0, True)]
    minus = t.np.signbit(t.host(made[2]))[t.host(mask)]
    t.expect(bool(minus.all()), "the sign of zero")
    values = (t.fw.tensor(value, dtype=kind, device=t.device) for value, kind in (
        (7, t.fw.int32), (2.5, t.fw.float64), (True, t.fw.bool)))  # fmt: skip
    return [*made, *(t.call(FILL, x.clone(), mask, value) for value in values)]


# --- devices


@case(DEVICE, host_only=True, core=False, since=("2.1", "mtia"), reference="none")
def texts_that_name_no_device(t):
    """Spaces, signs, fractions, leading zeros, too large an index, two of them, capitals; the index of a device that has one."""
    for wrong in (
        "cpu:-1", "cuda:2 ", "cuda: 2", "cuda:2 2", "cuda:2.", "cuda:2?", "cuda:?2", "cuda:", "cuda:2.232", "cuda:2 cuda:3", "cuda:2+cuda:3", "cuda:2cuda:3", " ",
        "other", "cuda:01", "cuda:100000000000", "CPU", "cpu:0:1", ":0", "cuda::1",
    ):  # fmt: skip
        t.raises(RuntimeError, t.call, DEVICE, wrong)
    device = t.get(DEVICE)
    for wrong in ((device("cuda"), 0), ("cuda", 0.5), ("cuda", None, 1), (["cuda"],)):
        t.raises((TypeError, RuntimeError), t.call, DEVICE, *wrong)
    t.raises(TypeError, lambda: device("cpu") < device("cuda"))
    t.raises(TypeError, type, "Own", (device,), {})
    for name in [
        "cpu",
        "cuda",
        "xpu",
        "xla",
        "lazy",
        "mps",
        "meta",
        "hpu",
        "mtia",
        "privateuseone",
        "vulkan",
        "ipu",
    ]:
        made = t.call(DEVICE, name, 1)
        t.expect((made.type, made.index) == (name, 1) and made == device(name + ":1"), name)
        t.expect(
            repr(made) == "device(type='%s', index=1)" % name and str(made) == name + ":1", name
        )
        t.expect(hash(made) == hash(device(name + ":1")) and made != device(name), "with an index")


@case(DEVICE, core=False, since=("2.0", "contexts of devices"), reference="none")
def what_is_made_within_a_context(t):
    """Everything that takes device= is made there, drawn numbers too; what is like another, is computed or is asked for elsewhere is not."""
    fw, x, meta = t.fw, t.randn((3,), "f32"), t.get(DEVICE)("meta")
    make = {
        "empty": (2,), "zeros": (2,), "ones": (2,), "full": ((2,), 1), "tensor": ([1],), "as_tensor": ([1],), "asarray": ([1],), "scalar_tensor": (1,), "arange": (3,),
        "linspace": (0, 1, 3), "logspace": (0, 1, 3), "eye": (2,), "rand": (2,), "randn": (2,), "randint": (3, (2,)), "randperm": (3,), "tril_indices": (2, 2),
        "hann_window": (4,), "empty_strided": ((2,), (1,)),
    }  # fmt: skip
    with meta:
        for name, args in make.items():
            t.expect(t.call(getattr(fw, name), *args).is_meta, "%s on meta" % name)
        kept = [fw.zeros_like(x), x.new_zeros(2), x + 1, x.clone(), fw.ones(2, device=x.device)]
        moved = x.to(meta)
    t.expect(all(one.device == x.device for one in kept), "where the tensor is")
    t.expect(moved.is_meta and x.device == kept[0].device, "moved by request")
    with t.get(DEVICE)(t.device):
        made = t.call(fw.arange, 3)
    t.expect(made.device == x.device and t.host(made).tolist() == [0, 1, 2], "made here")
    t.expect(fw.ones(1).device.type == "cpu", "the default device outside")
