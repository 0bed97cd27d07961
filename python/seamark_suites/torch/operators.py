"""A tensor in Python: written by index, compared, changed by operators, as a number, beside arrays."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from .pointwise import INF
from .reference import with_gradient


def _written(np, x, y):
    made = x.copy()
    made[0] = 5
    made[:, 1] = y[:, 0]
    made[made > 1] = -1
    made[[0, 2], [3, 4]] = 7
    made[1, ::2] += 2
    made[..., -1] *= 3
    return made


@case("torch.Tensor", dtypes="f32 i64", core=False, reference=_written)
def written_by_index(t, dtype):
    """Rows, columns, where a mask is true, by lists, by steps, in place of what stands there."""

    def run(x, y):
        made = x.clone()
        made[0] = 5
        made[:, 1] = y[:, 0]
        made[made > 1] = -1
        made[[0, 2], [3, 4]] = 7
        made[1, ::2] += 2
        made[..., -1] *= 3
        return made

    return t.call(run, t.randn((3, 5), dtype), t.randn((3, 5), dtype))


@case("torch.Tensor", dtypes="f32 i64", core=False, reference=lambda np, x, y: [
      x == y, x != y, x < y, x <= y, x > y, x >= 2, x > 2, (x > 0) & (y > 0), (x > 0) | (y > 0), (x > 0) ^ (y > 0), ~(x > 0)])  # fmt: skip
def comparisons(t, dtype):
    """And what joins their truths; two in a row have no one truth."""

    two = 2

    def run(x, y):
        return [x == y, x != y, x < y, x <= y, x > y, x >= 2, two < x, (x > 0) & (y > 0), (x > 0) | (y > 0), (x > 0) ^ (y > 0), ~(x > 0)]  # fmt: skip

    x, y = t.randint((200,), dtype, -4, 5), t.randint((200,), dtype, -4, 5)
    t.raises(RuntimeError, lambda: 1 < x < 3)
    return t.call(run, x, y)


@case("torch.Tensor", dtypes="f32", core=False, reference=lambda np, x, y: [
      (2 * ((x + y) * 3 - 1) / 4) ** 2, 2**x, 7 // y, 7 % y, 1 / y, y @ x, 5 - x])  # fmt: skip
def changed_by_operators(t, dtype):
    """In place the tensor stays itself; a number may stand on the left."""

    def run(x, y):
        made = same = x.clone()
        made += y
        made *= 3
        made -= 1
        made /= 4
        made *= 2
        made **= 2
        return [same, 2**x, 7 // y, 7 % y, 1 / y, y @ x, 5 - x]

    x, y = t.uniform((9,), dtype, 0.5, 2), t.uniform((9,), dtype, 2.25, 3)
    return t.call(run, x, y)


@case("torch.Tensor", core=False, reference="none")
def as_numbers_of_python(t):
    """int, float, complex, an index, a format, membership; what is no single number is none."""
    whole, part, turned = t.const([3], "i64"), t.const(2.75, "f32"), t.const(1 + 2j, "c64")

    def numbers(whole, part, turned):
        found = [int(part), float(whole), complex(turned), "abcde"[whole], "%d %.2f" % (whole, part)]  # fmt: skip
        return [*found, format(part, ".1f"), 3 in whole, 4 in whole, list(range(whole))]

    want = [2, 3.0, 1 + 2j, "d", "3 2.75", "2.8", True, False, [0, 1, 2]]
    found = t.call(numbers, whole, part, turned)
    t.expect(found == want, "%s, got %s" % (want, found))
    several = t.randn((2,), "f32")
    t.raises((RuntimeError, ValueError), int, several)
    t.raises(TypeError, lambda: "abcde"[part])
    t.raises((RuntimeError, TypeError), float, turned)


@case("torch.Tensor", dtypes="f32 c64", core=False, reference=lambda np, x: [
      x.T, x.T, x.conj().T, x.real, x.reshape(-1)[::-1], x.reshape(2, 6)])  # fmt: skip
def attributes(t, dtype):
    """What a tensor says of itself, and its views by name."""
    x = t.randn((3, 4), dtype)
    says = (x.ndim, x.dim(), x.numel(), x.nelement(), x.itemsize, x.element_size(), x.is_leaf)
    t.expect(
        says == (2, 2, 12, 12, x.itemsize, x.itemsize, True), "2 axes, 12 numbers, %s" % (says,)
    )
    t.expect(x.itemsize == (4 if dtype == "f32" else 8) and x.nbytes == 12 * x.itemsize, "bytes")
    t.expect(x.grad is None and x.grad_fn is None and not x.is_sparse, "no graph, not sparse")
    t.expect(x.layout is t.fw.strided and x.is_complex() == (dtype == "c64"), "its layout and kind")
    t.expect(hash(x) == hash(x) and len({x, x}) == 1 and x in {x: 1}, "a key of a dictionary")
    run = lambda x: [x.T, x.mT, x.H, x.real, x.flatten().flip(0), x.view(2, 6)]  # noqa: E731
    return [one.resolve_conj() for one in t.call(run, x)]


@case(
    "torch.Tensor", dtypes="f32", core=False, reference=lambda np, x: [x + 1, 2 * x, x, np.abs(x)]
)
def beside_arrays(t, dtype):
    """NumPy's numbers on either side, asarray and a function of NumPy on the CPU."""
    np, x = t.np, t.randn((5,), dtype)
    made = t.call(lambda x: [x + np.float32(1), x * np.float64(2)], x)
    t.expect(all(one.dtype is x.dtype for one in made), "the dtype of the tensor")
    there = x.cpu()
    return [*made, t.fw.from_numpy(np.asarray(there)), t.fw.from_numpy(np.abs(there.numpy()))]


@case(
    "torch.Tensor",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [x + 1, np.exp(x), 3 - x, x[0]],
)
def a_class_that_sees_its_calls(t, dtype):
    """__torch_function__ sees functions, methods, operators and indices."""
    seen = []

    def see(cls, func, types, args=(), kwargs=None):
        seen.append(getattr(func, "__name__", str(func)))
        return super(own, cls).__torch_function__(func, types, args, kwargs or {})

    own = type("Own", (t.fw.Tensor,), {"__torch_function__": classmethod(see)})
    x = t.uniform((4,), dtype, 0.5, 2).as_subclass(own)
    del seen[:]
    made = t.call(lambda x: [t.fw.add(x, 1), x.exp(), 3 - x, x[0]], x)
    names = [name.strip("_") for name in seen if name != "__get__"][:4]
    t.expect(names == ["add", "exp", "rsub", "getitem"], "each of them, got %s" % names)
    t.expect(all(type(one) is own for one in made), "the class of all results")
    return [one.as_subclass(t.fw.Tensor) for one in made]


def _read(np, x, chosen):
    rows, columns = np.array([2, 0, -1]), np.arange(4) > 1
    return [
        x[-1], x[None, :, 1], x[..., 2], x[1:-1, :, ::2], x[:, None, -1], x[chosen], x[chosen[:, 0, 0], 1], x[:, columns], x[rows], x[rows, :, [2, 0, 2]],
        x[:, rows], x[[0, 2], 1:3, [4, 0]], x[rows[:, None], [1, 3]], x[np.array(True)], x[np.array(False)], x[1, 2, 3], x[()], x[-1:0],
    ]  # fmt: skip


@case("torch.Tensor", dtypes="f32 bf16 f16 f64 c64 c128 i64 i8 u8", grad=True, core=False, reference=with_gradient(_read, affine_pull(_read)), rtol={"f16": 4e-3})  # several weights are added in half # fmt: skip
def read_by_index(t, dtype):
    """A number, None, an ellipsis, steps; masks of one axis and of three; lists, repeated and negative places, with slices between them; truths."""
    rows, columns, yes, no = (
        t.fw.tensor(data, device=t.device)
        for data in ([2, 0, -1], [False, False, True, True], True, False)
    )

    def run(x, chosen):
        return [
            x[-1], x[None, :, 1], x[..., 2], x[1:-1, :, ::2], x[:, None, -1], x[chosen], x[chosen[:, 0, 0], 1], x[:, columns], x[rows], x[rows, :, [2, 0, 2]],
            x[:, rows], x[[0, 2], 1:3, [4, 0]], x[rows[:, None], [1, 3]], x[yes], x[no], x[1, 2, 3], x[()], x[-1:0],
        ]  # fmt: skip

    return t.call(
        run,
        t.uniform((3, 4, 5), dtype, *((0, 99) if dtype == "u8" else (-9, 9))),
        t.randn((3, 4, 5), "bool"),
    )


def _written_through(np, x):
    made = x.copy()
    made[0, 0, :] = 7
    made[1, 1:3, 3] = 8
    made[..., 0] *= 2
    made[2, ::2, 1:] += 1
    return [made, x[np.array([[0, 0], [2, 2]]), np.array([[0, 1], [3, 3]])], x[x[:, 0, 0] > -99]]


@case("torch.Tensor", dtypes="f32 i64", core=False, reference=_written_through)
def parts_are_views_or_copies(t, dtype):
    """What is written to slices, to what None and an ellipsis give shows in the tensor; what lists, places and masks give is a copy."""

    def run(x, rows, columns):
        made = x.clone()
        copies = [made[rows, columns], made[made[:, 0, 0] > -99]]
        for one in copies:
            one.mul_(1)
        made[None, 0, :2][0, 0].fill_(7)
        made[1, 1:3][:, 3] = 8
        made[..., 0].mul_(2)
        made[-1, ::2, 1:].add_(1)
        kept = [one.clone() for one in copies]
        for one in copies:
            one.zero_()
        return [made, *kept]

    rows, columns = ([[0, 0], [2, 2]], [[0, 1], [3, 3]])
    places = (t.fw.tensor(one, device=t.device) for one in (rows, columns))
    return t.call(run, t.randn((3, 4, 5), dtype), *places)


@case("torch.Tensor", core=False, reference="none")
def index_refuses(t):
    """Places and axes that there are not, fractions, text, steps that go back, masks and lists that do not fit; when written, too."""
    x = t.randn((3, 4), "f32")
    at = lambda *index: t.call(lambda x: x[index], x)  # noqa: E731

    def write(value, *index):
        x[index] = value

    for wrong in (
        (3,),
        (-4,),
        (0, 0, 0),
        ("a",),
        (1.5,),
        ([0, 1], [0, 1, 2]),
        (t.randn((2,), "bool"),),
        (t.randn((3, 3), "bool"),),
    ):
        t.raises((IndexError, TypeError), at, *wrong)
        t.raises((IndexError, TypeError), write, 0, *wrong)
    t.raises(ValueError, at, slice(None, None, -1))
    t.raises(IndexError, at, t.const([0.5], "f32"))
    t.raises(IndexError, lambda: t.const(1, "f32")[0])
    t.raises(RuntimeError, write, t.randn((5,), "f32"), 0)
    t.raises((RuntimeError, ValueError, TypeError), write, "a", 0)


def _promoted(np, x, y, z, yes):
    whole = np.array([7, -7, 8, 0])
    return [
        whole / 2, whole // 2.0, whole + 1.5, whole * 2, yes + yes, yes + 1, yes * 2.5, x + whole, whole + z, x * 2j, 2 - yes, x == whole, x > yes, whole**2,
        2**yes, x**0.5, y + x[0], y // -2, y % -3, divmod(7, 2)[0] + y, -7 // (abs(y) + 1), whole & 6, yes ^ True, x + z,
    ]  # fmt: skip


KINDS = "f32 f32 f32 i64 bool i64 f32 f32 c64 c64 i64 bool bool i64 i64 f32 f32 i32 i32 i32 i32 i64 bool c64"


@case("torch.Tensor", core=False, reference=_promoted)
def operators_of_mixed_kinds(t):
    """What the result is of: true division of integers, numbers of Python, truths, half precision beside single; by remainders' signs."""
    x, y, z = t.uniform((4,), "f32", 1, 4), t.randint((4,), "i32", -9, 9), t.randn((4,), "c64")
    yes, whole = t.const([True, False, True, True], "bool"), t.fw.tensor([7, -7, 8, 0], device=t.device)  # fmt: skip

    def run(x, y, z, yes):
        return [
            whole / 2, whole // 2.0, whole + 1.5, whole * 2, yes + yes, yes + 1, yes * 2.5, x + whole, whole + z, x * 2j, 2 - yes.int().long(), x == whole, x > yes, whole**2,
            2 ** yes.long(), x**0.5, y + x[0], y // -2, y % -3, 3 + y, -7 // (abs(y) + 1), whole & 6, yes ^ True, x + z,
        ]  # fmt: skip

    made = t.call(run, x, y, z, yes)
    found = [one.dtype for one in made]
    want = [t.dtype(kind) for kind in KINDS.split()]
    t.expect(found == want, "the dtypes %s, got %s" % (want, found))
    return made


@case("torch.Tensor", core=False, reference="none")
def operators_refuse(t):
    """Bits of fractions, minus of truths, integers in place of fractions, negative powers of integers, shapes and things that do not fit."""
    x, whole, yes = t.randn((3,), "f32"), t.randint((3,), "i64", 1, 5), t.randn((3,), "bool")

    def divide(x):
        x /= 2

    for run in (
        lambda: ~x, lambda: x & x, lambda: -yes, lambda: yes - yes, lambda: divide(whole), lambda: whole**-1, lambda: x + t.randn((4,), "f32"),
        lambda: x @ t.randn((4,), "f32"), lambda: x + "a", lambda: x < t.randn((3,), "c64"), lambda: x + [1, 2, 3], lambda: x << 1,
    ):  # fmt: skip
        t.raises((RuntimeError, TypeError, NotImplementedError), t.call, run)
    t.expect((x == "a") is False and (x != None) is True, "unequal to what is no number")  # noqa: E711


@case("torch.Tensor", core=False, reference="none")
def prints(t):
    """Numbers of each kind in columns, exponents where they differ far, dtypes that are no defaults, sizes of nothing, gradients, an ellipsis of a thousand."""
    fw = t.fw
    for data, dtype, want in (
        ([1.0, -2.5, 1000.0], fw.float32, "tensor([   1.0000,   -2.5000, 1000.0000])"),
        ([1.0, 2.0], fw.float32, "tensor([1., 2.])"),
        ([1e-5, 1e5], fw.float32, "tensor([1.0000e-05, 1.0000e+05])"),
        ([float("nan"), INF, -INF], fw.float32, "tensor([nan, inf, -inf])"),
        ([[1, -20], [300, 4]], fw.int64, "tensor([[  1, -20],\n        [300,   4]])"),
        ([True, False], fw.bool, "tensor([ True, False])"),
        ([1 + 2j, -0.5j], fw.complex64, "tensor([1.+2.0000j, -0.-0.5000j])"),
        (2.5, fw.float64, "tensor(2.5000, dtype=torch.float64)"),
        ([], fw.float32, "tensor([])"),
        ([[], []], fw.int32, "tensor([], size=(2, 0), dtype=torch.int32)"),
    ):
        found = t.call(repr, fw.tensor(data, dtype=dtype))
        t.expect(found == want, "%s, got %s" % (want, found))
    x = t.call(lambda: fw.ones(2, requires_grad=True, device=t.device))
    t.expect("requires_grad=True" in repr(x) and "grad_fn=<MulBackward0>" in repr(x * 2), "a graph")
    t.expect(str(t.device) != "cpu" or "device" not in repr(x), "no device of the host")
    long = repr(fw.arange(1001, device=t.device))
    t.expect(long.startswith("tensor([   0,    1,    2,  ...,  998,  999, 1000]"), "got %s" % long)


@case("torch.Tensor", core=False, host_only=True, reference="none")
def of_a_tensor(t):
    """Of a tensor it is another on the same memory; device= of the host may be said beside a size alone, another device and None raise; the default dtype may be another."""
    x = t.fw.tensor([1.0, 2.0, 3.0])
    made = t.call("torch.Tensor", x)
    made[0] += 1
    t.expect(made is not x and made.tolist() == x.tolist() == [2, 2, 3], "the same memory")
    t.expect(t.call("torch.Tensor", 2, 0, device="cpu").shape == (2, 0), "a size on the host")
    for given in ((2,), (), (t.fw.Size([2, 3]),), ((2.0, 3.0),)):
        t.raises((RuntimeError, TypeError), t.call, "torch.Tensor", *given, device="cuda")
    for device in ("cpu", "cuda"):
        t.raises((RuntimeError, TypeError), t.call, "torch.Tensor", x, device=device)
    t.fw.set_default_dtype(t.fw.float64)
    try:
        for made in (t.call("torch.Tensor", [1, 2]), t.call("torch.Tensor", 2)):
            t.expect(made.dtype is t.fw.float64 and made.shape == (2,), "another default dtype")
    finally:
        t.fw.set_default_dtype(t.fw.float32)
    t.raises(TypeError, t.call, "torch.Tensor", None, 2)


@case("torch.Tensor", dtypes="f32 f64 c64", core=False, reference=lambda np, x, w, v: [
      2 * x, 2 * w, 2 * w + v, 2 * v, 3 * v, 2 * w + 2 * v])  # fmt: skip
def gradients_of_a_tensor(t, dtype):
    """They add up in the leaf; of what is computed where retain_grad asks; a hook changes one; a detached tensor has none."""

    def run(x, w, v):
        x = x.detach().requires_grad_()
        made = 2 * x
        made.backward(w)
        first = x.grad.clone()
        x.backward(v)
        both = x.grad.clone()
        other = x.detach().requires_grad_()
        double = 2 * other
        double.retain_grad()
        double.register_hook(lambda slope: 3 * slope)
        double.backward(v)
        x.grad.add_(v)
        return [made.detach(), first, both, other.grad / 3, double.grad, x.grad]

    x, w, v = t.randn((4,), dtype), t.randn((4,), dtype), t.randn((4,), dtype)
    leaf = x.clone().requires_grad_()
    made = leaf * 2
    t.expect(made.requires_grad and not made.is_leaf and made.grad_fn is not None, "computed")
    t.expect(not leaf.detach().requires_grad and leaf.grad is None, "detached")
    return t.call(run, x, w, v)


@case("torch.Tensor", core=False, reference="none")
def gradients_that_there_are_not(t):
    """A graph twice, of several numbers without weights, of none that asks, weights of another size, integers that ask, what is computed that shall not."""
    x = t.randn((3,), "f32", grad=True)
    squares = t.call(lambda x: (x * x).sum(), x)
    t.expect(abs(float(t.host(squares)) - (t.host(x) ** 2).sum()) < 1e-4, "the sum of squares")
    squares.backward()
    for run in (
        squares.backward, (x * 2).backward, x.detach().sum().backward, t.const([1], "i64").requires_grad_, lambda: (x * 2).backward(x[:2]),
        lambda: (x * 2).requires_grad_(False), lambda: t.call(lambda x: x.add_(1), x), lambda: x.detach().retain_grad(),
    ):  # fmt: skip
        t.raises(RuntimeError, run)
    t.expect(bool((t.host(x.grad) == 2 * t.host(x)).all()), "the gradient of the first pass alone")


@case("torch.Tensor", core=False, dtypes="f32", reference=lambda np, x, w: [w, x])
def copies_of_graphs(t, dtype):
    """A leaf is copied with its gradient; what was computed is not copied deeply."""
    import copy

    x, w = t.randn((4,), dtype, grad=True), t.randn((4,), dtype)
    (x * w).sum().backward()
    t.raises(RuntimeError, copy.deepcopy, x * 2)
    made = t.call(copy.deepcopy, x)
    t.expect(made.requires_grad and made.is_leaf and made.grad is not x.grad, "a leaf")
    return [made.grad, made.detach()]


@case("torch.Tensor", core=False, dtypes="f32", reference=lambda np, x: [x, x[:2]] * 2)
def copies_of_views(t, dtype):
    """Two views of one memory share theirs in a deep copy, and where they are loaded."""
    import copy
    import io

    x, file = t.randn((4,), dtype), io.BytesIO()
    t.fw.save([x, x[:2]], file)
    file.seek(0)
    made = [t.call(copy.deepcopy, [x, x[:2]]), t.fw.load(file, map_location=t.device)]
    for first, part in made:
        kept = first[0].clone()
        first[0] = 77
        t.expect(float(t.host(part)[0]) == 77, "one memory")
        first[0] = kept
    return [*made[0], *made[1]]
