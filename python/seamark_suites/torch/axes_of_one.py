"""Numbers beside vectors of one number, and tensors without numbers: of what size the results are."""

from seamark_suites.case import case, each

T = "torch.Tensor."


def _elementwise(name):
    """Of a number, of a vector of one."""
    own = {"sigmoid": lambda np, x: 1 / (1 + np.exp(-x))}.get(name) or (lambda np, x: getattr(np, name)(x))  # fmt: skip
    return lambda f, a, b: [f(a), f(b)], lambda np, a, b: [own(np, a), own(np, b)]


def _extreme(name):
    def run(f, a, b):
        two = [f(a, a), f(b, a), f(a, b)]
        return two + [part for x in (a, b) for kept in (True, False) for part in f(x, dim=0, keepdim=kept)]  # fmt: skip

    def reference(np, a, b):
        pick = getattr(np, name)
        lines = [(x, np.zeros_like(x, int)) for x in (a, a, b, b[0])]
        return [pick(a, a), pick(b, a), pick(a, b), *(part for pair in lines for part in pair)]

    return run, reference


def _along(f, a, b):
    """Along the only axis, which stays or goes."""
    return [f(a, 0, keepdim=True), f(a, 0), f(b, 0, keepdim=True), f(b, 0), f(b), f(a)]


LITTLE = {
    **{"torch." + name: _elementwise(name) for name in ["exp", "cos", "log", "sqrt", "sin", "sigmoid", "abs"]},
    "torch.clamp": (
        lambda f, a, b: [f(x, **bounds) for x in (a, b) for bounds in ({"min": 1, "max": 1.5}, {"min": 1.5}, {"max": 1.5})],
        lambda np, a, b: [y for x in (a, b) for y in (np.clip(x, 1, 1.5), np.maximum(x, 1.5), np.minimum(x, 1.5))],
    ),
    "torch.max": _extreme("maximum"), "torch.min": _extreme("minimum"),
    "torch.mean": (_along, lambda np, a, b: [a, a, b, b[0], b[0], a]), T + "sum": (_along, lambda np, a, b: [a, a, b, b[0], b[0], a]),
    T + "norm": (
        lambda f, a, b: [f(a, 2, 0, keepdim=True), f(a, 2, 0), f(b, 2, 0, keepdim=True), f(b, 2, 0), f(b), f(a)],
        lambda np, a, b: [a, a, b, b[0], b[0], a],
    ),
    "torch.where": (
        lambda f, a, b: [f(a > 0, a, b), f(b > 0, a, a), f(b > 9, b, a), f(a > 9, a, a), f(a > 0, b, b)],
        lambda np, a, b: [a[None], a[None], a[None], a, b],
    ),
    "torch.nn.functional.softmax": (lambda f, a, b: [f(a, 0) + a, f(b, 0) + b, f(b, -1) + b], lambda np, a, b: [1 + a, 1 + b, 1 + b]),
    "torch.stack": (lambda f, a, b: [f([a]), f([a, a], -1), f([b, b], 1), f([b])], lambda np, a, b: [a[None], np.stack([a, a]), np.stack([b, b], 1), b[None]]),
    T + "flip": (lambda f, a, b: [f(b, 0), f(b, -1), f(a, ())], lambda np, a, b: [b, b, a]),
    T + "squeeze": (lambda f, a, b: [f(a), f(a, 0), f(b), f(b, 0), f(b, -1)], lambda np, a, b: [a, a, b[0], b[0], b[0]]),
    T + "masked_fill": (
        lambda f, a, b: [f(a, a > 0, 5), f(b, a > 0, 5), f(b, b > 9, 5), f(a, b > 0, 5)],
        lambda np, a, b: [a * 0 + 5, b * 0 + 5, b, b * 0 + 5],
    ),
}  # fmt: skip


@each(LITTLE, lambda function: LITTLE[function][1], dtypes="f32 f64", core=False)
def numbers_and_vectors_of_one(t, dtype, function):
    """What has no axes gives what has none, beside a vector of one number a vector of one."""
    f, run = t.get(function), LITTLE[function][0]
    a, b = t.uniform((), dtype, 1.1, 1.9), t.uniform((1,), dtype, 1.1, 1.9)
    return t.call(lambda a, b: run(f, a, b), a, b)


def _picked(f, a, b, zero, zeros):
    return [f(a, 0, zero), f(a, 0, zeros), f(b, 0, zero), f(b, 0, zeros)]


# Which of the four stays a number: gather follows the index, index_select what it selects from.
PICKED = {
    "torch.gather": lambda np, a, b: [a, a[None], b[0], b],
    T + "index_select": lambda np, a, b: [a, a, b, b],
}


@each(PICKED, lambda function: PICKED[function], dtypes="f32 f64 i64", core=False)
def picked_by_numbers(t, dtype, function):
    """A number or a vector of one, by an index of no axes or of one."""
    f = t.get(function)
    zero, zeros = (t.fw.zeros(size, dtype=t.fw.int64, device=t.device) for size in ((), (1,)))
    a, b = t.uniform((), dtype, 2, 9), t.uniform((1,), dtype, 2, 9)
    return t.call(lambda a, b: _picked(f, a, b, zero, zeros), a, b)


@case("torch.Tensor", dtypes="i64 i32 u8", core=False, reference=lambda np, a, b: [
      y for u, v in ((a, a), (a, 1), (b, a), (a, b), (b, 1)) for y in (u >> v, u << v, u | v, u & v, u ^ v)])  # fmt: skip
def bits_of_numbers(t, dtype):
    """Shifts and what joins bits, of numbers, vectors of one and numbers of Python."""
    run = lambda a, b: [y for u, v in ((a, a), (a, 1), (b, a), (a, b), (b, 1)) for y in (u >> v, u << v, u | v, u & v, u ^ v)]  # noqa: E731 # fmt: skip
    return t.call(run, t.randint((), dtype, 1, 4), t.randint((1,), dtype, 1, 4))


# --- no numbers

NOTHING = {
    T + "flatten": (lambda f, x, y, z, none: [f(x, 0, 3), f(x, 0, 2), f(x, 1, 2), f(x)], [(0,), (0, 0), (0, 3, 0), (0,)]),
    T + "unsqueeze": (lambda f, x, y, z, none: [f(x, 1), f(x, -1), f(x, 4)], [(0, 1, 1, 3, 0), (0, 1, 3, 0, 1), (0, 1, 3, 0, 1)]),
    T + "squeeze": (lambda f, x, y, z, none: [f(x, 1), f(x), f(x, 0), f(x, (1, 3))], [(0, 3, 0), (0, 3, 0), (0, 1, 3, 0), (0, 3, 0)]),
    T + "transpose": (lambda f, x, y, z, none: [f(x, 1, 3), f(x, 0, -1)], [(0, 0, 3, 1), (0, 1, 3, 0)]),
    T + "t": (lambda f, x, y, z, none: [f(z[0, :, :0]), f(z[0, :0])], [(0, 3), (4, 0)]),
    T + "repeat": (lambda f, x, y, z, none: [f(x, 9, 7, 5, 2, 3), f(x, 1, 1, 0, 1)], [(9, 0, 5, 6, 0), (0, 1, 0, 0)]),
    T + "permute": (lambda f, x, y, z, none: [f(x, 2, 3, 0, 1), f(x, -1, 0, 2, 1)], [(3, 0, 0, 1), (0, 0, 3, 1)]),
    "torch.stack": (lambda f, x, y, z, none: [f((x,) * 4), f((x, x), 2), f((x, x), -1)], [(4, 0, 1, 3, 0), (0, 1, 2, 3, 0), (0, 1, 3, 0, 2)]),
    "torch.chunk": (lambda f, x, y, z, none: [*f(x, 1, 0), *f(x, 3, 0), *f(x, 3, 2)], [(0, 1, 3, 0)] * 4 + [(0, 1, 1, 0)] * 3),
    T + "chunk": (lambda f, x, y, z, none: [*f(x, 1, 0), *f(x, 3, 0), *f(x, 3, 2)], [(0, 1, 3, 0)] * 4 + [(0, 1, 1, 0)] * 3),
    "torch.split": (lambda f, x, y, z, none: [*f(x, (0, 1, 2), 2), *f(x, 1, 0), *f(x, 0, 0), *f(x, 2, -1)], [(0, 1, n, 0) for n in (0, 1, 2, 3, 3, 3)]),
    "torch.nn.functional.softmax": (lambda f, x, y, z, none: [f(y, 0), f(y, 2), f(y, 3)], [(0, 1, 2, 0)] * 3),
    T + "softmax": (lambda f, x, y, z, none: [f(y, 0), f(y, 2), f(y, 3)], [(0, 1, 2, 0)] * 3),
    T + "flip": (lambda f, x, y, z, none: [f(y, 0), f(y, 2), f(y, (0, 3))], [(0, 1, 2, 0)] * 3),
    T + "unbind": (lambda f, x, y, z, none: [*f(y, 0), *f(y, 2), *f(y, 1)], [(0, 1, 0)] * 2 + [(0, 2, 0)]),
    "torch.gather": (
        lambda f, x, y, z, none: [f(y, 0, none(0, 1, 2, 0)), f(y, 2, none(0, 1, 2, 0)), f(y, 2, none(0, 1, 3, 0)), f(y, 2, none(0, 1, 0, 0)), f(z, 0, none(0, 3, 4))],
        [(0, 1, 2, 0), (0, 1, 2, 0), (0, 1, 3, 0), (0, 1, 0, 0), (0, 3, 4)],
    ),
    T + "index_select": (
        lambda f, x, y, z, none: [f(y, 0, none(0)), f(y, 2, none(0)), f(y, 2, none(2)), f(z, 0, none(0)), f(y[..., 0:0, :], 0, none(0)), f(z[0, :0], 1, none(2)), f(z[0, :, :0], 0, none(2).int())],
        [(0, 1, 2, 0), (0, 1, 0, 0), (0, 1, 2, 0), (0, 3, 4), (0, 1, 0, 0), (0, 2), (2, 0)],
    ),
    T + "expand": (lambda f, x, y, z, none: [f(x, 0, 5, 3, 0), f(x, 2, 0, 1, 3, 0), f(x[:, 0], 4, -1, -1, -1)], [(0, 5, 3, 0), (2, 0, 1, 3, 0), (4, 0, 3, 0)]),
}  # fmt: skip


@each(NOTHING, lambda function: lambda np, *xs: [np.zeros(size) for size in NOTHING[function][1]],
      dtypes="f32 f64", trivial=True, core=False)  # fmt: skip
def sizes_of_nothing(t, dtype, function):
    """Of axes without numbers at both ends: the sizes of the result, and how many parts."""
    f, run = t.get(function), NOTHING[function][0]
    none = lambda *size: t.fw.zeros(size, dtype=t.fw.int64, device=t.device)  # noqa: E731
    x, y, z = t.randn((0, 1, 3, 0), dtype), t.randn((0, 1, 2, 0), dtype), t.randn((2, 3, 4), dtype)
    if function == "torch.split":
        t.raises(RuntimeError, t.call, f, x, 0, 1)
    if function == T + "index_select":
        one = t.fw.ones((), device=t.device)
        for args in ((z[0, :0], 0, none(2)), (z[0, :0], 1, none(2) + 5), (one, 0, none(0)), (one, 0, none(2).int())):  # fmt: skip
            t.raises((RuntimeError, IndexError), t.call, f, *args)
    return t.call(lambda x, y, z: run(f, x, y, z, none), x, y, z)
