"""Numbers of seldom used dtypes, and memory that two objects share: zeros, limits, comparisons, arrays, DLPack, ragged parts."""

from seamark_suites.case import case

from .turned_apart import FROM, LONG

T = "torch.Tensor."
RARE = ["uint16", "uint32", "uint64", "complex32", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz"]  # fmt: skip


@case(T + "zero_", core=False, reference="none", since=("2.3", "these dtypes"))
@case(T + "new_zeros", core=False, reference="none", since=("2.3", "these dtypes"))
@case("torch.ones_like", core=False, reference="none", since=("2.3", "these dtypes"))
@case("torch.full_like", core=False, reference="none", since=("2.3", "these dtypes"))
def filled_in_rare_dtypes(t, function):
    """Of them, every other column alone where it is written."""
    fw, name = t.fw, function.rpartition(".")[2]
    value = {"ones_like": 1, "full_like": 2}.get(name, 0)
    for rare in RARE:
        x = fw.ones((3, 6), device=t.device).mul(4).to(getattr(fw, rare))
        part = x[:, ::2]
        args = {"new_zeros": ((3, 3),), "full_like": (2,)}.get(name, ())
        made = t.call(function, part, *args)
        t.expect(made.dtype is x.dtype and made.shape == (3, 3), "3x3 of %s" % rare)
        wide = fw.complex64 if x.is_complex() else fw.float32
        t.expect(bool((t.host(made.to(wide)) == value).all()), "%d of %s" % (value, rare))
        t.expect(bool((t.host(x[:, 1::2].to(wide)) == 4).all()), "the rest as it was")
        t.expect((made is part) == (name == "zero_"), "the tensor itself where it is written")


LIMITS = {  # bits, eps, the largest, the smallest normal
    "complex32": (16, 2.0**-10, 65504.0, 2.0**-14),
    "float8_e8m0fnu": (8, 1.0, 2.0**127, 2.0**-127),
}


@case("torch.finfo", numbers=["complex32"], core=False, reference="none")
@case("torch.finfo", numbers="float8_e8m0fnu", core=False, reference="none", since=("2.7", "this dtype"))  # fmt: skip
def limits_of_rare_numbers(t, numbers):
    """Those of the parts of complex numbers; of powers of two alone, without a sign."""
    found = t.call("torch.finfo", getattr(t.fw, numbers))
    made = found.bits, found.eps, found.max, found.smallest_normal
    t.expect(made == LIMITS[numbers] and found.tiny == made[3], "%s, got %s" % (LIMITS[numbers], made))  # fmt: skip
    least = -made[2] if numbers == "complex32" else made[3]
    t.expect(found.min == least, "the least %g, got %g" % (least, found.min))
    t.expect(found.dtype == ("float16" if numbers == "complex32" else numbers), "the name")


@case("torch.equal", core=False, reference="none")
def one_memory_of_two_kinds(t):
    """The same bytes as other numbers are not equal; as the same numbers they are. Halves of one memory, and one of NaN alone."""
    x, fw = t.uniform((4, 6), "f32", 1, 2), t.fw
    same = lambda x, y: t.call("torch.equal", x, y)  # noqa: E731
    for kind in (fw.int32, fw.complex64):
        t.expect(same(x, x.view(kind)) is False and same(x.view(kind), x) is False, "other numbers")
        t.expect(same(x.view(kind), x.view(kind)) is True, "the same")
    zeros = fw.zeros_like(x)
    t.expect(same(zeros, zeros.view(fw.int32)) is True, "zeros of both kinds")
    square = x[:, :4]
    t.expect(same(square, square.T) is False and same(x[:2], x[2:]) is False, "another part")
    nan = fw.full_like(x, float("nan"))
    t.expect(same(nan, nan) is False and same(nan, nan.view_as(nan)) is False, "NaN of one memory")


@case(T + "numpy", core=False, reference="none")
def holds_its_memory(t):
    """What an array lies on does not grow."""
    x = t.fw.arange(6.0)
    made = t.call(T + "numpy", x)
    t.raises(RuntimeError, x.resize_, 10, 10)
    t.expect(made.tolist() == [0, 1, 2, 3, 4, 5], "the array as before")


class _Lends:
    """What has no more than DLPack's two methods."""

    def __init__(self, one):
        self.one = one

    def __dlpack__(self, **options):
        return self.one.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.one.__dlpack_device__()


@case("torch.as_tensor", core=False, reference="none", since=("2.6", "DLPack in as_tensor"))
def of_what_lends_its_memory(t):
    """By DLPack: of a tensor and of an array, turned and with gaps, of its dtype; in another, too."""
    np, fw = t.np, t.fw
    array = np.arange(24, dtype="int16").reshape(4, 6).T[1:, ::2]
    for one, want in ((t.fw.arange(12.0).reshape(3, 4).T, fw.float32), (array, fw.int16)):
        made = t.call("torch.as_tensor", _Lends(one))
        t.expect(made.dtype is want and made.tolist() == one.tolist(), "its numbers")
        wide = t.call("torch.as_tensor", _Lends(one), dtype=fw.float64, device=t.device)
        t.expect(wide.dtype is fw.float64 and t.host(wide).tolist() == one.tolist(), "in f64")


def _turned(np, x):
    w = np.zeros_like(x)
    for number, (first, n) in enumerate(zip(FROM, LONG), 1):
        w[first : first + n] = 2 * number * x[first : first + n]
    return [x[first : first + n].T for first, n in zip(FROM, LONG)], w


@case(T + "unbind", dtypes="f32 f64", core=False, since=("2.5", "lengths of jagged examples"), reference=_turned)  # fmt: skip
def turned_examples_with_gaps(t, dtype):
    """The axis of other lengths lies last: each example is turned, what lies between them has no slope; along other axes it is refused."""
    fw, unbind, at = t.fw, t.get(T + "unbind"), {"device": t.device}

    def run(x):
        x = x.detach().requires_grad_()
        rows = fw.nested.nested_tensor_from_jagged(x * 1, fw.tensor(FROM, **at), fw.tensor(LONG, **at))  # fmt: skip
        turned = rows.transpose(1, 2)
        for axis in (1, 2, -1):
            t.raises(RuntimeError, unbind, turned, axis)
        made = unbind(turned)
        sum(number * (one**2).sum() for number, one in enumerate(made, 1)).backward()
        return [one.detach() for one in made], x.grad

    return t.call(run, t.randn((16, 3), dtype))


@case(T + "unbind", dtypes="f32 i64", core=False, since=("2.0", "torch.nested"), reference=lambda np, *xs: [*xs, *xs[:3]])  # fmt: skip
def vectors_of_each_length(t, dtype):
    """Vectors, of one number and of none among them, in inference mode, too."""
    nested, rows = t.fw.nested.nested_tensor, [t.randint((n,), dtype, 1, 9) for n in (2, 1, 0, 3)]

    def run(*rows):
        made = [*t.get(T + "unbind")(nested(list(rows)))]
        with t.fw.inference_mode():
            return made + [one.clone() for one in nested(list(rows[:3])).unbind(0)]

    return t.call(run, *rows)


@case(T + "new_zeros", core=False, reference="none", since=("2.0", "torch.device as a context"))
@case("torch.empty_like", core=False, reference="none", since=("2.0", "torch.device as a context"))
@case("torch.ones_like", core=False, reference="none", since=("2.0", "torch.device as a context"))
@case("torch.full_like", core=False, reference="none", since=("2.0", "torch.device as a context"))
def stays_beside_its_like(t, function):
    """No context takes it away from the device of its like, nor does the default device; device= does."""
    fw, x = t.fw, t.randn((2, 3), "f32")
    more = {"new_zeros": ((2, 3),), "full_like": (2.5,)}.get(function.rpartition(".")[2], ())
    found = []
    with fw.device("meta"):
        found.append(t.call(function, x, *more))
    fw.set_default_device("meta")
    try:
        found.append(t.call(function, x, *more))
        there = t.call(function, x, *more, device="cpu")
    finally:
        fw.set_default_device(None)
    t.expect(all(one.device == x.device for one in found), "where its like is")
    t.expect(there.device.type == "cpu", "where it is asked for")
    with fw.device("cpu"):
        t.expect(t.call(function, x, *more, device="meta").is_meta, "on meta by request")
