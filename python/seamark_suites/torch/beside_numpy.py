"""A tensor beside NumPy's arrays and numbers: as operands on either side, as indices, through its functions; what it prints."""

import warnings

from seamark_suites.case import case

NAMES = ["float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8"]
NUMBERS = ["float32", "float64", "float16", "int32", "int64", "int16", "int8", "uint8"]


@case("torch.Tensor", dtypes="f32 f64", core=False, reference=lambda np, x: [
      *[one for _ in NUMBERS for one in (2 * x, 2 * x, x + 2, 2 - x, x / 2)], *[2 + 0 * x] * len(NUMBERS[3:])])  # fmt: skip
def numbers_of_numpy(t, dtype):
    """On either side the dtype of the tensor stays, and its graph; integers beside it of its own kind; written to a place."""
    numbers = [getattr(t.np, name)(2) for name in NUMBERS]

    def run(x):
        made = [one for n in numbers for one in (x * n, n * x, x + n, n - x, x / n)]
        for one in made:
            t.expect(
                type(one) is t.fw.Tensor and one.dtype is x.dtype, "a tensor of the same dtype"
            )
            t.expect(one.requires_grad, "its graph goes on")
        for n in numbers[3:]:
            kept = x.detach().clone()
            kept[:] = n
            made.append(kept)
        return [one.detach() for one in made]

    for name in NUMBERS[3:]:
        whole, n = t.fw.ones(2, dtype=getattr(t.fw, name), device=t.device), getattr(t.np, name)(3)
        for one in (whole + n, n + whole):
            t.expect(one.dtype is whole.dtype and t.host(one).tolist() == [4, 4], "of its kind")
    axis = t.np.int16(1)
    t.expect(tuple(t.fw.ones(2, 3, device=t.device).mean(axis).shape) == (2,), "an axis of NumPy's")
    return t.call(run, t.randn((5,), dtype, grad=True))


@case("torch.Tensor", host_only=True, core=False, reference="none")
def arrays_and_tensors(t):
    """Equal to an array on either side, of each dtype; asarray with a dtype; functions of NumPy give a tensor."""
    np, fw = t.np, t.fw
    for name in NAMES + ["bool_", "complex64", "complex128"]:
        array = np.array([[1, 0, 3], [1, 1, 0]]).astype(name)
        x, other = t.call(fw.from_numpy, array.copy()), array.copy()
        other[1, 1] = 0
        for made, want in ((x == array, True), (array == x, True), (x == other, array == other), (other == x, array == other)):  # fmt: skip
            t.expect(type(made) is fw.Tensor and made.dtype is fw.bool, "truths in a tensor")
            t.expect(bool((made.numpy() == want).all()), "right, of " + name)
        if name in NAMES:
            t.expect(np.asarray(x).dtype == array.dtype and np.asarray(x).tolist() == array.tolist(), "an array")  # fmt: skip
            for wide in NAMES:
                t.expect(np.asarray(x, dtype=wide).dtype == wide, "another dtype")
        for value in (x[0, 2], x[0, 2].item()):
            t.expect(bool(value == array[0, 2]) and bool(value == array[0, 2].item()), "one number")
    wrapped = np.asarray(t.fw.tensor([1, -2, 3], dtype=fw.int32), dtype="uint8")
    t.expect(wrapped.tolist() == [1, 254, 3], "bytes wrap around")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("float64", "float32"):
            x = t.fw.from_numpy(np.array([-1.0, 2.0, 0.5], name))
            for function in (np.abs, np.sin, np.ceil, np.exp):
                made = t.call(function, x)
                t.expect(type(made) is fw.Tensor and made.dtype is x.dtype, "a tensor of its dtype")
                t.expect(
                    bool((made.numpy() == function(x.numpy())).all()), "the function's numbers"
                )
        truths = np.greater_equal(t.fw.tensor([1, 2, 3]), 2)
        t.expect(
            type(truths) is fw.Tensor and truths.tolist() == [0, 1, 1], "truths of a comparison"
        )


@case("torch.Tensor", dtypes="f32 i64", core=False, reference=lambda np, x: [
      *x[:3], x[[2, 0]], x[x > 0], x[[True, False, True, False], 1], x[[1, 3], [0, 2]], x[1, 2], _put(np, x)])  # fmt: skip
def arrays_as_indices(t, dtype):
    """NumPy's integers, arrays of places and of truths, also to write."""
    np, x = t.np, t.randn((4, 3), dtype)
    there = t.host(x) > 0

    def run(x):
        kept = x.clone()
        kept[np.array([0, 2])] = 7
        kept[np.int32(1), np.array([True, False, True])] = 8
        kept[3][np.int64(0)] = 9
        return [
            *(x[i] for i in np.array([0, 1, 2], "int32")), x[np.array([2, 0])], x[there], x[np.array([True, False, True, False]), 1], x[np.array([1, 3]), np.array([0, 2])],
            x[np.int8(1), np.uint8(2)], kept,
        ]  # fmt: skip

    return t.call(run, x)


def _put(np, x):
    kept = x.copy()
    kept[[0, 2]], kept[1, [0, 2]], kept[3, 0] = 7, 8, 9
    return kept


NAN, INF = float("nan"), float("inf")
TEXTS = [
    ([2.3 + 4j, 7 + 6j], "complex64", "tensor([2.3000+4.j, 7.0000+6.j])"),
    ([1.25 + 4j, -7 + 6j], "complex32", "tensor([ 1.2500+4.j, -7.0000+6.j], dtype=torch.complex32)"),
    ([3e20 + 5j, -4e-20j], "complex64", "tensor([3.0000e+20+5.0000e+00j, -0.0000e+00-4.0000e-20j])"),
    (7654321076543210, "int64", "tensor(7654321076543210)"),
    ([3e20, 4e-20], "float32", "tensor([3.0000e+20, 4.0000e-20])"),
    ([4, INF, 1.5, -INF, 0, NAN, 1], "float32", "tensor([4.0000,    inf, 1.5000,   -inf, 0.0000,    nan, 1.0000])"),
    ([complex(1.5, INF), complex(-INF, 4), complex(NAN, 0)], "complex64", "tensor([1.5000+infj,   -inf+4.j,    nan+0.j])"),
    (0.00003, "float32", "tensor(3.0000e-05)"), ([0.00003], "float32", "tensor([3.0000e-05])"), ([987654321.0], "float32", "tensor([9.8765e+08])"),
    ([0.02, 25], "float32", "tensor([2.0000e-02, 2.5000e+01])"), ([1, 2020], "int64", "tensor([   1, 2020])"), ([3000000000], "int64", "tensor([3000000000])"),
    ([1.0, 2020.0], "float32", "tensor([1.0000e+00, 2.0200e+03])"), ([1.0, 1000.0], "float32", "tensor([   1., 1000.])"), (True, "bool", "tensor(True)"),
    ([1e-323, 1e307, 1e309], "float64", "tensor([9.8813e-324, 1.0000e+307,         inf], dtype=torch.float64)"), ([[[1, 2]], [[3, -4]]], "int8", "tensor([[[ 1,  2]],\n\n        [[ 3, -4]]], dtype=torch.int8)"),
    ([0.5, 2], "bfloat16", "tensor([0.5000, 2.0000], dtype=torch.bfloat16)"), ([0, 255], "uint8", "tensor([  0, 255], dtype=torch.uint8)"),
]  # fmt: skip


@case("torch.Tensor", host_only=True, core=False, reference="none")
def prints_each_kind(t):
    """Complex parts, tiny and huge numbers, halves; by options of printing and another default dtype; long ones of three axes in short; of meta; a named tuple of two."""
    fw = t.fw
    for data, kind, want in TEXTS:
        x = fw.tensor(data, dtype=getattr(fw, kind))
        found = t.call(repr, x)
        t.expect(found == want == str(x), "%s, got %s" % (want, found))
    x, wide = fw.tensor([300.0, 0.02]), fw.tensor([0.5, 1e300], dtype=fw.float64)
    try:
        for mode, want in ((True, "tensor([3.0000e+02, 2.0000e-02])"), (False, "tensor([300.0000,   0.0200])")):  # fmt: skip
            fw.set_printoptions(sci_mode=mode)
            t.expect(t.call(repr, x) == want, "by an option, got %r" % x)
        fw.set_printoptions(sci_mode=None, precision=2)
        t.expect(t.call(repr, fw.tensor([1.2345])) == "tensor([1.23])", "two digits")
        fw.set_printoptions(profile="default")
        fw.set_default_dtype(fw.float64)
        t.expect(t.call(repr, wide) == "tensor([ 5.0000e-01, 1.0000e+300])", "the default dtype")
    finally:
        fw.set_printoptions(profile="default", sci_mode=None)
        fw.set_default_dtype(fw.float32)
    row, first = "[1., 1., 1.,  ..., 1., 1., 1.]", "[[1., 1., 1.,  ..., 1., 1., 1.],\n         "
    part = first + row + "]"
    want = "tensor([%s,\n\n        %s,\n\n        %s,\n\n        ...,\n\n        %s,\n\n        %s,\n\n        %s])" % ((part,) * 6)  # fmt: skip
    for gaps in (
        fw.ones(100, 2, 10),
        fw.ones(100, 2, 2, 10)[:, 1],
        fw.ones(10, 2, 100).permute(2, 1, 0),
    ):
        t.expect(t.call(repr, gaps) == want, "short, got %s" % repr(gaps))
    nowhere = fw.empty((), device="meta")
    t.expect(format(nowhere) == repr(nowhere) and "meta" in repr(nowhere), "of meta")
    pair = repr(fw.tensor([[1, 9], [7, 2]]).max(1))
    t.expect(
        pair == "torch.return_types.max(\nvalues=tensor([9, 7]),\nindices=tensor([1, 0]))", pair
    )
