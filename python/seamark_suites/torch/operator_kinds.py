"""A tensor's operators between each two dtypes, beside numbers and tensors without axes; what each dtype says of itself."""

import operator

from seamark_suites.case import case

KINDS = ["bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "c64", "c128"]
RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def bits(kind):
    return 1 if kind == "bool" else int(kind.lstrip("biufc"))


def rank(kind):
    return 0 if kind == "bool" else RANK[kind.replace("bf", "f")[0]]


def joined(a, b):
    """By torch's own rule: the higher category, then the wider; of two that differ in kind alone the next wider."""
    low, high = sorted((a, b), key=lambda kind: (rank(kind), bits(kind)))
    if rank(high) == 3:
        return "c128" if ("64" in low and low[0] == "f") or high == "c128" else high
    if rank(low) != rank(high):
        return high
    if {a, b} == {"u8", "i8"}:
        return "i16"
    return "f32" if {a, b} == {"f16", "bf16"} else high


def _values(np, x, kind):
    """Powers of two, which each dtype has; truths."""
    return (x > 0) if kind == "bool" else 2**x + 0j


PAIRS = [(a, b) for a in KINDS for b in KINDS]


def _of_pairs(np, x, y):
    found = [[], [], [], []]
    for a, b in PAIRS:
        u, v = _values(np, x, a), _values(np, y.T, b)
        both = a == b == "bool"
        found[0].append((u | v) if both else u + v)
        found[1].append((u & v) if both else u * v)
        found[2].append(u == v)
        found[3].append(u / (v + (v == 0)))
    return [np.array(one).astype(np.complex128) for one in found]


@case("torch.Tensor", core=False, reference=_of_pairs)
def operators_of_each_two_kinds(t):
    """Sums, products, comparisons and quotients of transposes and gaps: in the dtype of both, quotients of integers in floats."""

    def run(x, y):
        found = [[], [], [], []]
        for a, b in PAIRS:
            u, v = ((one > 0) if kind == "bool" else (2**one).to(t.dtype(kind)) for one, kind in ((x, a), (y, b)))  # fmt: skip
            v = v.mT
            both, whole = t.dtype(joined(a, b)), rank(joined(a, b)) < 2
            made = [u + v, u * v, u == v, u / (v + (v == 0).to(v.dtype))]
            want = [both, both, t.fw.bool, t.fw.float32 if whole else both]
            got = [one.dtype for one in made]
            t.expect(got == want, "%s and %s: %s, got %s" % (a, b, want, got))
            for kept, one in zip(found, made):
                kept.append(one.to(t.fw.complex128))
        return [t.fw.stack(kept) for kept in found]

    return t.call(run, t.randint((3, 4), "i64", 0, 3), t.randint((4, 3), "i64", 0, 3))


ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "!=": operator.ne}  # fmt: skip
REAL = [kind for kind in KINDS if rank(kind) < 3]


def _ordered(np, x, y):
    found = []
    for a in REAL:
        for b in REAL:
            u, v = (_values(np, one, kind).real.astype(float) for one, kind in ((x, a), (y, b)))
            found.append([compare(u, v) for compare in ORDER.values()])
    beside = [[_values(np, x, a).real.astype(float) < 1.5 for _ in range(3)] for a in REAL]
    return [np.array(found).astype(float), np.array(beside).astype(float)]


@case("torch.Tensor", core=False, reference=_ordered)
def comparisons_of_each_two_kinds(t):
    """Of vectors and of numbers, in truths; beside a fraction, a tensor of one, another dtype's."""

    def run(x, y):
        found, beside = [], []
        fraction, wide = t.fw.tensor(1.5, device=x.device), t.fw.tensor(1.5, device=x.device, dtype=t.fw.float64)  # fmt: skip
        for a in REAL:
            u = (x > 0) if a == "bool" else (2**x).to(t.dtype(a))
            for b in REAL:
                v = (y > 0) if b == "bool" else (2**y).to(t.dtype(b))
                made = [compare(u, v) for compare in ORDER.values()]
                single = [compare(u[0], v[0]) for compare in ORDER.values()]
                t.expect({one.dtype for one in made + single} == {t.fw.bool}, "truths")
                t.expect([bool(one) for one in single] == [bool(one[0]) for one in made], "of numbers, %s %s" % (a, b))  # fmt: skip
                found.append(t.fw.stack(made).to(t.fw.float64))
            beside.append(t.fw.stack([u < 1.5, u < fraction, u < wide]).to(t.fw.float64))
        return [t.fw.stack(found), t.fw.stack(beside)]

    return t.call(run, t.randint((9,), "i64", 0, 3), t.randint((9,), "i64", 0, 3))


# --- numbers and tensors without axes

# What a number of Python makes of a tensor: by category alone.
NUMBERS = [("u8", 5, "u8"), ("u8", 1000, "u8"), ("u8", 5.5, None), ("i32", 1, "i32"), ("i32", True, "i32"), ("bool", 1, "i64"), ("bool", 0.5, None), ("bool", True, "bool"), ("f16", 2.25, "f16"), ("f16", 100000, "f16"), ("bf16", 2, "bf16"), ("f32", 5, "f32"), ("f64", 1.5, "f64"), ("f32", 1j, "c64"), ("f64", 1j, "c128"), ("c64", 5, "c64"), ("c64", 1.5, "c64"), ("i64", 1j, "complex")]  # fmt: skip
# A tensor with axes, one without, what both give: the other counts only where its kind is higher.
WITHOUT = [("f32", "f64", "f32"), ("u8", "f64", "f64"), ("u8", "i64", "u8"), ("i32", "f16", "f16"), ("i8", "u8", "i8"), ("c64", "f64", "c64"), ("c64", "c128", "c64"), ("f32", "c128", "c64"), ("f16", "f64", "f16"), ("bf16", "f16", "bf16"), ("bool", "u8", "u8"), ("i64", "bool", "i64"), ("f64", "i64", "f64"), ("i16", "bf16", "bf16")]  # fmt: skip


def _beside(np, x):
    found = []
    for a, number, want in NUMBERS:
        u = _values(np, x, a)
        sums = (u | number) if a == want == "bool" else u + number
        if number == 1000:
            sums = sums.real.astype(int) % 256
        found.append(np.full(x.shape, np.inf) if number == 100000 else sums)
    for a, b, _ in WITHOUT:
        found.append(
            _values(np, x, a) + (_values(np, x, b)[0] + 0 if b != "bool" else x[0] > 0) + 0j
        )
    return found


@case("torch.Tensor", core=False, reference=_beside)
def sums_with_numbers(t):
    """Of Python, and tensors of no axes: only a higher kind counts; what is beyond wraps around or is infinite; by another default dtype; between two without axes by width."""

    def of(x, kind):
        return (x > 0) if kind == "bool" else (2**x).to(t.dtype(kind))

    def run(x):
        plain = t.fw.get_default_dtype()
        wants = {None: plain, "complex": t.fw.complex128 if plain is t.fw.float64 else t.fw.complex64}  # fmt: skip
        made = []
        for a, number, want in NUMBERS:
            for one in (of(x, a) + number, number + of(x, a)):
                right = wants[want] if want in wants else t.dtype(want)
                t.expect(
                    one.dtype is right, "%s and %r: %s, got %s" % (a, number, right, one.dtype)
                )
            made.append(one)
        for a, b, want in WITHOUT:
            one = of(x, a) + of(x, b)[0]
            t.expect(
                one.dtype is t.dtype(want), "%s and a %s: %s, got %s" % (a, b, want, one.dtype)
            )
            both = of(x, a)[0] + of(x, b)[0]
            t.expect(both.dtype is t.dtype(joined(a, b)), "two without axes, got %s" % both.dtype)
            made.append(one)
        return made

    x = t.randint((7,), "i64", 0, 3)
    t.fw.set_default_dtype(t.fw.float64)
    try:
        wide = t.call(run, x)
    finally:
        t.fw.set_default_dtype(t.fw.float32)
    made = t.call(run, x)
    t.expect(all((t.host(a.double() if not a.is_complex() else a) == t.host(b.double() if not b.is_complex() else b)).all() for a, b in zip(made, wide)), "the same numbers")  # fmt: skip
    return made


def _slopes(np, x, y, n, h):
    one = np.ones_like(x)
    return [
        x + y, y - x, x * y, x / y, y / x, x * n, n / x, x - n, h * x,
        one, -one, y, 1 / y, -y / x**2, n + 0 * x, -n / x**2, one, h + 0 * x,
    ]  # fmt: skip


@case("torch.Tensor", dtypes="f32 f64", core=False, reference=_slopes)
def gradients_of_mixed_kinds(t, dtype):
    """Beside wider and narrower floats and integers the gradient has the dtype of the leaf."""

    def run(x, y, n, h):
        made = [x + y, y - x, x * y, x / y, y / x, x * n, n / x, x - n, h * x]
        slopes = [t.fw.autograd.grad(one.sum(), x)[0] for one in made]
        t.expect({one.dtype for one in slopes} == {x.dtype}, "the dtype of the leaf")
        t.expect(made[0].dtype is t.fw.float64 and made[5].dtype is x.dtype, "those of the results")
        return [*(one.detach() for one in made), *slopes]

    x = t.uniform((5,), dtype, 0.5, 2, grad=True)
    return t.call(run, x, t.uniform((5,), "f64", 1, 2), t.randint((5,), "i64", 1, 9), t.const([1, 2, 0.5, 4, -1], "f16"))  # fmt: skip


@case("torch.Tensor", core=False, reference="none")
def operators_on_what_is_read(t):
    """A part is not shifted in place by one that it overlaps; sums of nothing with a number, of sizes that broadcast to nothing."""
    x, fraction = t.fw.arange(4, device=t.device), t.uniform((3,), "f32", 1, 2)

    def shift(x, back):
        if back:
            x[:-1] >>= x[1:]
        else:
            x[:-1] <<= x[1:]

    for one in (x, fraction):
        for back in (True, False):
            t.raises(RuntimeError, t.call, shift, one, back)
    t.expect(t.host(x).tolist() == [0, 1, 2, 3], "nothing was written")
    size = lambda *sizes: t.fw.ones(sizes, device=t.device)  # noqa: E731
    for a, b, want in (
        ((0,), (5, 0), (5, 0)), ((0,), (5, 0, 1), (5, 0, 0)), ((), (5, 0, 6), (5, 0, 6)), ((0,), (1,), (0,)), ((0, 7, 0, 6, 5, 0, 1), (1, 1, 5, 1, 7), (0, 7, 0, 6, 5, 0, 7)),
    ):  # fmt: skip
        for run in (operator.add, operator.mul, operator.lt, operator.truediv):
            t.expect(
                tuple(t.call(run, size(*a), size(*b)).shape) == want, "of nothing, %s" % (want,)
            )
    half = t.fw.ones((), dtype=t.fw.float16, device=t.device)
    t.expect(
        (half / t.fw.ones(0, dtype=t.fw.float16, device=t.device)).shape == (0,), "halves, too"
    )
    for a, b in (((5, 0), (0, 5)), ((7, 0), (2, 1))):
        t.raises(RuntimeError, t.call, operator.add, size(*a), size(*b))
    square = t.fw.tensor([[True, True], [False, True]], device=t.device)
    t.expect(t.host((square.t() == 0) ^ (square.t() == False)).any() == False, "zero is false")  # noqa: E712


@case("torch.Tensor", core=False, reference="none")
def what_each_kind_says(t):
    """Bytes of a number and of all, axes, numbers; its truth, as a number of Python; of no numbers and of several that is none."""
    fw, bytes_of = t.fw, {"bool": 1, "bf16": 2}
    for kind in KINDS:
        made = t.call(fw.ones, 2, 3, dtype=t.dtype(kind), device=t.device)
        t.expect(complex(made[1, 2]) == 1, "ones of " + kind)
        width = bytes_of.get(kind) or bits(kind) // 8
        t.expect(made.element_size() == made.itemsize == made.dtype.itemsize == width, "bytes of " + kind)  # fmt: skip
        t.expect(made.nbytes == 6 * width and made.numel() == made.nelement() == 6, "of all")
        for size, axes in (((), 0), ((1, 0), 2), ((0,), 1), ((1, 2, 3), 3)):
            one = fw.ones(size, dtype=t.dtype(kind), device=t.device)
            t.expect(one.ndim == one.dim() == axes and one.nbytes == one.numel() * width, "axes")
        for size in ((), (1,), (1, 1)):
            yes = fw.ones(size, dtype=t.dtype(kind), device=t.device)
            t.expect(t.call(bool, yes) is True and bool(yes - yes if kind != "bool" else yes ^ yes) is False, "truth")  # fmt: skip
            t.expect(
                complex(yes) == 1 and (rank(kind) == 3 or int(yes) == float(yes) == 1), "a number"
            )
        for wrong in (made, one[:0], fw.ones(2, dtype=t.dtype(kind), device=t.device)):
            t.raises(RuntimeError, bool, wrong)
            for cast in (int, float, complex):
                t.raises((ValueError, RuntimeError), cast, wrong)
    for value in (0.1, -0.1, 0.1j, float("nan")):
        t.expect(bool(fw.tensor(value, device=t.device)) is True, "%s is true" % value)
    for cast in (int, float):
        t.raises(RuntimeError, cast, fw.tensor(1.5j, device=t.device))
    part = fw.tensor([1.0, 2.0, 3.0], device=t.device)[2:]
    t.expect(int(part) == 3 and int(fw.tensor([1.5])) == 1 and complex(fw.tensor(1.5j)) == 1.5j, "of a part")  # fmt: skip


@case("torch.Tensor", dtypes="f32", core=False, reference=lambda np, x: [0 * x, 2 * x, 3 * x, 0 * x])  # fmt: skip
def hooks_that_go(t, dtype):
    """A hook changes each gradient while it is there; it may take itself away, also while it runs."""
    x, handles = t.randn((5,), dtype), []

    def once(slope):
        handles[0].remove()
        return slope * 0

    leaf, other = x.clone().requires_grad_(), x.clone().requires_grad_()
    handles.append(leaf.register_hook(once))
    kept = other.register_hook(lambda slope: slope * 0)

    def step(one, weight):
        ((one * one).sum() * weight).backward()
        return one.grad.clone() / 2

    found = [t.call(step, *given) for given in ((leaf, 1), (leaf, 2), (leaf, 1), (other, 4))]
    kept.remove()
    (other * other).sum().backward()
    t.expect(bool((t.host(other.grad) == 2 * t.host(x)).all()), "without its hook")
    return found
