"""Tensors beside their own conjugates, and what those do not take; sparse lines turned; axes and sizes that are named twice."""

from seamark_suites.case import case

from .pointwise import each as each_name
from .reference import with_gradient

T = "torch.Tensor."


def _beside(function):
    both = (lambda np, x, y: x + y) if function.endswith("add_") else (lambda np, x, y: x * y)
    return lambda np, x, y: [both(np, x, x.conj()), both(np, y.conj(), y.conj()), both(np, y.conj(), y.conj()).conj()]  # fmt: skip


@each_name("Tensor.add_ Tensor.mul_", _beside, dtypes="c64 c128", core=False)
def changed_by_its_own_conjugate(t, dtype, function):
    """Which has the same memory; a conjugate by another one of the same numbers, which are read as they were."""
    x, y = t.randn((4, 5), dtype), t.randn((4, 5), dtype)
    first, second = y.conj(), y.conj()
    made = t.call(function, x, x.conj())
    t.expect(made is x, "itself")
    t.call(function, first, second)
    t.expect(first.is_conj(), "still a conjugate")
    return [made, first.resolve_conj(), y]


@each_name("Tensor.view", core=False)
def no_bits_of_a_conjugate(t, function):
    """The bits of a conjugate, and of its imaginary part, are not those that are stored; of a copy they are."""
    x = t.randn((3,), "c64").conj()
    t.raises(RuntimeError, t.call, function, x, t.fw.float64)
    t.raises(RuntimeError, t.call, function, x.imag, t.fw.int32)
    made = t.call(function, x.resolve_conj(), t.fw.float32)
    t.expect(t.host(made)[1::2].tolist() == t.host(x.resolve_conj()).imag.tolist(), "of a copy")


@case(T + "mul_", dtypes="f16", core=False, reference=lambda np, x, y: [x * 1e5, y * 1e5, y[:3] * 1e5])  # fmt: skip
def by_more_than_half_has(t, dtype):
    """A number that is no f16, whose product is one: of no axes, of vectors that are longer or shorter than a register."""
    x, y = t.uniform((), dtype, 1e-5, 2e-5), t.uniform((70,), dtype, 1e-5, 2e-5)
    return [t.call(T + "mul_", one.clone(), 1e5) for one in (x, y, y[:3])]


@case(T + "t", dtypes="f32 i64", core=False, reference=lambda np, x, y, z: [x, y, z.T])
def of_sparse_lines(t, dtype):
    """A sparse number and a sparse vector stay; a matrix is turned; three axes raise."""
    x, y, z = t.randint((), dtype, 1, 9), t.randint((4,), dtype, 1, 9), t.randint((2, 3), dtype, 1, 9)  # fmt: skip
    made = [t.call(T + "t", one.to_sparse()) for one in (x, y, z)]
    t.expect(all(one.is_sparse for one in made), "sparse")
    t.raises(RuntimeError, t.call, T + "t", t.fw.ones((2, 2, 2), device=t.device).to_sparse())
    return [one.to_dense() for one in made]


@each_name("mean Tensor.sum Tensor.norm", core=False)
def an_axis_by_both_its_numbers(t, function):
    """The first by zero and by minus four, or twice by one of them."""
    x, f = t.randn((3, 3, 3, 3), "f32"), t.get(function)
    for wrong in ((0, 0), (0, -4), (-4, -4), (1, 0, -3)):
        t.raises(RuntimeError, t.call, lambda x, wrong=wrong: f(x, dim=wrong), x)
    made, each = t.call(lambda x: f(x, dim=(0, -3)), x), t.host(x)
    over = {"torch.mean": each.mean((0, 1)), "torch.Tensor.sum": each.sum((0, 1))}
    want = over.get(function, t.np.sqrt((each**2).sum((0, 1))))
    t.expect(made.shape == (3, 3) and bool((abs(t.host(made) - want) < 1e-5).all()), "two axes")


@each_name("Tensor.view Tensor.reshape", core=False)
def sizes_of_nothing(t, function):
    """Of no numbers: what is left open where it can be told, and where it could be any; of fifteen none, two open ones."""
    none, x, one = t.randn((0,), "f32"), t.randn((15,), "f32"), t.randn((), "f32")
    for args, wanted in (
        ((0, 3, 0, 1), (0, 3, 0, 1)), ((-1,), (0,)), ((10, 3, -1), (10, 3, 0)), ((1, -1), (1, 0)), ((0, 1), (0, 1)),
    ):  # fmt: skip
        made = t.call(function, none, args)
        t.expect(made.shape == wanted, "%s" % (args,))
        t.expect(t.call(function, made, (0,)).shape == (0,), "and back")
    for given, args in (
        (none, (-1, 0)), (none, (3, 0, -1, 0)), (none, (1,)), (x, (15, 0)), (x, (7, -1)), (x, (15, -1, -1)), (one, (2,)), (one, (0,)),
    ):  # fmt: skip
        t.raises(RuntimeError, t.call, function, given, args)


@each_name("chunk Tensor.chunk", core=False)
def fewer_parts_than_none(t, function):
    x = t.randn((4, 7), "f32")
    for count in (0, -1, -2):
        t.raises(RuntimeError, t.call, function, x, count)
        t.raises(RuntimeError, t.call, function, x, count, 1)
    made = t.call(function, x, 3, 1)
    t.expect([one.shape[1] for one in made] == [3, 3, 1], "three parts")
    joined = t.np.concatenate([t.host(one) for one in made], 1)
    t.expect(bool((joined == t.host(x)).all()), "the parts in order")


def _one_of(np, x):
    return [x[0], x[2]]


@case(T + "unbind", dtypes="f32 f64", grad=True, core=False, reference=with_gradient(_one_of, lambda np, w, x: (np.stack([w[0], 0 * w[0], w[1]]),)))  # fmt: skip
def gradient_of_some_parts(t, dtype):
    """What is not used has no gradient."""
    f = t.get(T + "unbind")
    return t.call(lambda x: [f(x)[0], f(x)[2]], t.randn((3, 10, 4), dtype))


@each_name("arange ones full randn rand empty eye linspace", core=False)
def dtypes_by_python_s_own(t, function):
    """float is f64, int i64, bool truths."""
    f = t.get(function)
    args = {"torch.arange": (1, 2), "torch.full": ((2,), 1), "torch.eye": (1,), "torch.linspace": (1, 1, 2)}.get(function, (2,))  # fmt: skip
    known = {float: t.fw.float64, int: t.fw.int64, bool: t.fw.bool}
    asked = {"torch.rand": [float], "torch.randn": [float], "torch.linspace": [float, int], "torch.arange": [float, int]}  # fmt: skip
    for kind in asked.get(function, known):
        made = t.call(lambda kind=kind: f(*args, dtype=kind, device=t.device))
        t.expect(made.dtype is known[kind], "%s" % kind)
        t.expect(function in ("torch.rand", "torch.randn", "torch.empty") or bool((t.host(made) == 1).all()), "ones")  # fmt: skip
