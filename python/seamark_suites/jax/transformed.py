"""What JAX's own tests ask of every function: derivatives in forward mode and of gradients, batches, sizes, NaN, nothing."""

from seamark_suites.transformed import each_of, forward, leaves, placed, plain, second, stacked

INF, NAN = float("inf"), float("nan")


def softmax(np, x):
    made = np.exp(x - x.max(-1, keepdims=True))
    return made / made.sum(-1, keepdims=True)


def choose(f, x, y):
    return f(x > y, x, y)


WIDE, PAIR = [(3, 4)], [(3, 4), (3, 4)]
NP, A = "jax.numpy.", "jax.Array."
# How a function is called, what it gives, and the shapes of its inputs.
FORMS = {
    NP + "where": (choose, lambda np, x, y: np.where(x > y, x, y), PAIR),
    NP + "concatenate": (lambda f, x, y: f([x, y], 1), lambda np, x, y: np.concatenate([x, y], 1), PAIR),
    NP + "stack": (lambda f, x, y: f([x, y], 1), lambda np, x, y: np.stack([x, y], 1), PAIR),
    NP + "maximum": (lambda f, x, y: f(x, y), lambda np, x, y: np.maximum(x, y), PAIR),
    NP + "minimum": (lambda f, x, y: f(x, y), lambda np, x, y: np.minimum(x, y), PAIR),
    NP + "power": (lambda f, x, y: f(x, y), lambda np, x, y: np.power(x, y), PAIR),
    NP + "dot": (lambda f, x, y: f(x, y), lambda np, x, y: x @ y, [(3, 4), (4, 2)]),
    NP + "matmul": (lambda f, x, y: f(x, y), lambda np, x, y: x @ y, [(3, 4), (4, 2)]),
    NP + "einsum": (lambda f, x, y: f("ij,kj->ik", x, y), lambda np, x, y: x @ y.T, [(3, 4), (2, 4)]),
    NP + "cross": (lambda f, x, y: f(x, y), lambda np, x, y: np.cross(x, y), [(4, 3), (4, 3)]),
    NP + "broadcast_to": (lambda f, x: f(x, (2, *x.shape)), lambda np, x: np.broadcast_to(x, (2, *x.shape)), WIDE),
    NP + "sum": (lambda f, x: f(x, axis=1), lambda np, x: x.sum(1), WIDE),
    NP + "mean": (lambda f, x: f(x, axis=1), lambda np, x: x.mean(1), WIDE),
    NP + "max": (lambda f, x: f(x, axis=1), lambda np, x: x.max(1), WIDE),
    NP + "linalg.norm": (lambda f, x: f(x, axis=1), lambda np, x: np.sqrt((x**2).sum(1)), WIDE),
    NP + "log": (lambda f, x: f(x), lambda np, x: np.log(x), WIDE),
    NP + "log1p": (lambda f, x: f(x), lambda np, x: np.log1p(x), WIDE),
    NP + "sqrt": (lambda f, x: f(x), lambda np, x: np.sqrt(x), WIDE),
    NP + "exp": (lambda f, x: f(x), lambda np, x: np.exp(x), WIDE),
    NP + "abs": (lambda f, x: f(x - 1), lambda np, x: abs(x - 1), WIDE),
    NP + "square": (lambda f, x: f(x), lambda np, x: x * x, WIDE),
    NP + "clip": (lambda f, x: f(x, 0.8, 1.5), lambda np, x: np.clip(x, 0.8, 1.5), WIDE),
    NP + "array": (lambda f, x: f([x, x]), lambda np, x: np.stack([x, x]), WIDE),
    NP + "asarray": (lambda f, x: f(x), lambda np, x: x, WIDE),
    NP + "expand_dims": (lambda f, x: f(x, 1), lambda np, x: x[:, None], WIDE),
    NP + "squeeze": (lambda f, x: f(x[:, None], 1), lambda np, x: x, WIDE),
    NP + "atleast_2d": (lambda f, x: f(x[0]) if len(x) else f(x), lambda np, x: x[:1], WIDE),
    NP + "reshape": (lambda f, x: f(x, (2, -1)), lambda np, x: x.reshape(2, x.size // 2), WIDE),
    NP + "transpose": (lambda f, x: f(x), lambda np, x: x.T, WIDE),
    NP + "split": (lambda f, x: f(x, 2, axis=1), lambda np, x: np.split(x, 2, 1), WIDE),
    NP + "diag": (lambda f, x: f(x), lambda np, x: np.diag(x), WIDE),
    "jax.nn.softmax": (lambda f, x: f(x), softmax, WIDE),
    "jax.nn.softplus": (lambda f, x: f(x), lambda np, x: np.logaddexp(x, 0), WIDE),
    A + "astype": (lambda f, x: f(x, x.dtype) * 2, lambda np, x: 2 * x, WIDE),
    A + "reshape": (lambda f, x: f(x, 2, -1), lambda np, x: x.reshape(2, x.size // 2), WIDE),
    A + "sum": (lambda f, x: f(x, axis=1), lambda np, x: x.sum(1), WIDE),
}  # fmt: skip
# Of numbers, without a derivative.
PLAIN = {
    NP + "isnan": (lambda f, x: f((x - x) / (x > x.min())), lambda np, x: x <= x.min(), WIDE),
    NP + "isfinite": (lambda f, x: f(x / (x > x.min())), lambda np, x: x > x.min(), WIDE),
    NP + "all": (lambda f, x: f(x > x.min(), axis=1), lambda np, x: (x > x.min()).all(1), WIDE),
    NP + "logical_and": (lambda f, x, y: f(x > x.min(), y), lambda np, x, y: np.logical_and(x > x.min(), y), PAIR),
    NP + "ones_like": (lambda f, x: f(x) + x, lambda np, x: 1 + x, WIDE),
    NP + "zeros_like": (lambda f, x: f(x) + x, lambda np, x: x, WIDE),
    NP + "full": (lambda f, x: f((4,), x[0, 0]) + x, lambda np, x: x[0, 0] + x, WIDE),
    "jax.nn.one_hot": (lambda f, x: f((x > 1) * 1, 2), lambda np, x: np.eye(2)[(x > 1).astype(int)], WIDE),
    "jax.lax.stop_gradient": (lambda f, x: f(x) * 2, lambda np, x: 2 * x, WIDE),
}  # fmt: skip
ALL = {**FORMS, **PLAIN}
ONE = [name for name in ALL if ALL[name][2] is WIDE]
AXES = -1, 0  # where the inputs of a batch have their examples
TWICE = {NP + "linalg.norm"}  # has its own second derivative
NUMBERS = [[1.5, NAN, 0.25, 2.0], [INF, 3.0, -0.0, 1.0], [-INF, 4.0, 0.5, -2.0]]
# Functions whose result of NaN or of infinities is not defined, or which have no such result.
UNDEFINED = {NP + name for name in ("full", "diag", "atleast_2d", "isnan", "isfinite", "all")}
EMPTY = {
    "jax.nn.softmax",
    "jax.nn.one_hot",
    *(NP + name for name in ("full", "max", "all", "diag", "atleast_2d", "isnan", "isfinite")),
}
SUMS = {"f32": 1e-4}  # differences of sums of squares


each = each_of(ALL)


def called(t, function):
    """The function of arrays alone; its results in a list."""
    call, name = ALL[function][0], function.rpartition(".")[2]

    def method(x, *more, **options):
        return getattr(x, name)(*more, **options)

    f = method if function.startswith(A) else t.get(function)

    def run(*arrays):
        made = call(f, *arrays)
        return list(made) if isinstance(made, (tuple, list)) else [made]

    return run


def numbers(t, function, dtype):
    drawn = [t.distinct(shape, dtype) for shape in ALL[function][2]]
    return [placed(number, whole) for number, whole in enumerate(drawn)]


@each(FORMS, lambda form: forward(form[1]), dtypes="f32", rtol={"f32": 1e-5})
def in_forward_mode(t, dtype, function):
    """Within a program: the results, and by how much they change along a direction."""
    at, run, jvp = numbers(t, function, dtype), called(t, function), t.fw.jvp
    along = [t.randn(x.shape, dtype) for x in at]
    program = t.fw.jit(lambda at, along: jvp(run, tuple(at), tuple(along)))
    return t.call(program, at, along)


@each([name for name in FORMS if name not in TWICE], lambda form: second(form[1]), dtypes="f32", rtol=SUMS, atol=SUMS)  # fmt: skip
def gradient_of_a_gradient(t, dtype, function):
    """Of the weighted squares of the results: the gradient, and by forward mode its own along a direction."""
    x, *rest = numbers(t, function, dtype)
    direction, run, jnp = t.randn(x.shape, dtype), called(t, function), t.fw.numpy

    def total(x):
        squares = ((jnp.linspace(0.5, 1.5, m.size).reshape(m.shape), m**2) for m in run(x, *rest))
        return sum((weights * square).sum() for weights, square in squares)

    return t.call(lambda x, v: t.fw.jvp(t.fw.grad(total), (x,), (v,)), x, direction)


@each(ALL, lambda form: stacked(form[1], AXES), dtypes="f32", rtol={"f32": 1e-5})
def over_a_batch(t, dtype, function):
    """vmap: the examples of the first input lie along its last axis, those of the second along its first."""
    drawn = [
        t.uniform((*shape, 3) if axis else (3, *shape), dtype, 0.5, 2)
        for shape, axis in zip(ALL[function][2], AXES)
    ]
    return t.call(t.fw.vmap(called(t, function), in_axes=AXES[: len(drawn)]), *drawn)


@each([name for name in ONE if name not in UNDEFINED], plain,
      dtypes="f32 bf16", rtol={"f32": 1e-5})  # fmt: skip
def not_a_number(t, dtype, function):
    """NaN, infinities and zeros of either sign, as an overflow leaves them."""
    return t.call(called(t, function), t.const(NUMBERS, dtype))


@each([name for name in ONE if name not in EMPTY], plain,
      dtypes="f32", trivial=True)  # fmt: skip
def of_no_rows(t, dtype, function):
    return t.call(called(t, function), t.randn((0, 4), dtype))


@each(ONE, lambda form: lambda np, *given: [leaves(np, form[1](np, x)) for x in given], dtypes="f32",
      rtol={"f32": 1e-5})  # fmt: skip
def sizes_of_one_program(t, dtype, function):
    """One program of `jit`, three sizes in turn, the first once more."""
    program = t.fw.jit(called(t, function))
    given = [t.uniform((n, 4), dtype, 0.5, 2) for n in (2, 5, 3, 2)]
    return [t.call(program, x) for x in given]


TWO = [name for name in ALL if len(ALL[name][2]) == 2]


def _pairs(form):
    def right(np, *given):
        return [leaves(np, form[1](np, *pair)) for pair in zip(given[::2], given[1::2])]

    return right


@each(TWO, _pairs, dtypes="f32", rtol={"f32": 1e-5})
def sizes_of_two(t, dtype, function):
    """One program of `jit` with two inputs, three sizes in turn, the first once more."""
    program, (left, right) = t.fw.jit(called(t, function)), ALL[function][2]
    found = []
    for n in (2, 5, 3, 2):
        x = t.uniform((n, *left[1:]), dtype, 0.5, 2)
        y = t.uniform((n, *right[1:]) if left == right else right, dtype, 0.5, 2)
        found.append(t.call(program, x, y))
    return found
