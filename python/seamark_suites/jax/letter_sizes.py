"""Programs for sizes that are letters: exported once, called with whatever sizes there are."""

from seamark_suites.case import case

from . import reference_draws as right
from .clip_concatenate import EVERYWHERE
from .draws import some_key
from .values_and_kinds import NP, own_dtype

SINCE = ("0.4.30", "jax.export")
SIZES = [{"a": 3, "b": 4}, {"a": 1, "b": 2}, {"a": 5, "b": 3}]
LAX = "jax.lax."


def structs_of(t, shapes, dtype="float32", **options):
    """Shapes as texts, of letters and numbers, in one scope."""
    a, b = t.fw.export.symbolic_shape("a, b", **options)
    sizes = {"a": a, "b": b, "2a": 2 * a}
    axes = [tuple(sizes.get(one) or int(one) for one in shape.split()) for shape in shapes]
    return [t.fw.ShapeDtypeStruct(one, dtype) for one in axes]


def exported(t, run, structs):
    return t.fw.export.export(t.fw.jit(run), **EVERYWHERE)(*structs)


def numbers_of(shape, sizes):
    return tuple(sizes.get(one) or int(one) for one in shape.split())


def _shifted(np, x, part, i, j):
    """`part` in a copy of `x`, where it has room."""
    made, i, j = x.copy(), int(i), int(j)
    i, j = (n + size if n < 0 else n for n, size in zip((i, j), x.shape))
    i, j = (min(max(n, 0), size - less) for n, size, less in zip((i, j), x.shape, part.shape))
    made[i : i + len(part), j : j + part.shape[1]] = part
    return made


def _updates(np, x, i):
    at = [int(one) for one in i]
    return [x, _shifted(np, x, 2 * x, at[0], 0), _shifted(np, x, -x, *at), _shifted(np, x, 2 * x[:1], *at),
            _shifted(np, x, 3 * x[-1:, 1:], -1, at[1])]  # fmt: skip


def _in_two_ways(np, x):
    return [x @ x.T, x.T @ x]


def _contractions(f, x, y, z, two, four):
    jnp = _jnp()
    return [
        f("...i->...", x), f(x, (..., 1), [...]), f("...ij,...jk->...ik", two, four), f(two, [..., 0, 1], four, (..., 1, 2), [..., 0, 2]),
        f("...ij,jk->...ik", two, z), f(two, [..., 0, 1], z, [1, 2], [..., 0, 2]), f("ij,jk->ik", x, y), f(x, [0, 1], y, [1, 2], [0, 2]),
        f("ij,jk->ik", jnp.concatenate([x, x], 1), jnp.concatenate([y, y])),
        f(jnp.concatenate([x, x], 1), [0, 1], jnp.concatenate([y, y]), [1, 2], [0, 2]), f("ab,bc,cd->ad", x, y, z),
    ]  # fmt: skip


def _contracted(np, x, y, z, two, four):
    return [x.sum(1)] * 2 + [two @ four] * 2 + [two @ z] * 2 + [x @ y] * 2 + [2 * x @ y] * 2 + [x @ y @ z]  # fmt: skip


def _jnp():
    import jax

    return jax.numpy


def _each(f):
    """Of a whole array, and of each of its rows."""
    import jax

    return lambda x: [f(x), jax.vmap(f)(x)]


# FUNCTION: (shapes, the call, what is right).
OF_LETTERS = {
    NP + "abs": (["a b"], lambda f, x: _each(f)(x), lambda np, x: [abs(x)] * 2),
    NP + "square": (["a b"], lambda f, x: _each(f)(x), lambda np, x: [x * x] * 2),
    NP + "log1p": (["a b"], lambda f, x: _each(f)(abs(x)), lambda np, x: [np.log1p(abs(x))] * 2),
    NP + "isfinite": (["a b"], lambda f, x: _each(f)(2 / x), lambda np, x: [x != 0] * 2),
    NP + "isnan": (["a b"], lambda f, x: _each(f)(x / x), lambda np, x: [x == 0] * 2),
    NP + "maximum": (["a b", "b"], lambda f, x, y: [f(x, y), f(0, x), _jax().vmap(f, (0, None))(x, y)],
                     lambda np, x, y: [np.maximum(x, y), np.maximum(x, 0), np.maximum(x, y)]),
    NP + "minimum": (["a b", "b"], lambda f, x, y: [f(x, y), f(0, x), _jax().vmap(f, (0, None))(x, y)],
                     lambda np, x, y: [np.minimum(x, y), np.minimum(x, 0), np.minimum(x, y)]),
    NP + "logical_and": (["a b", "b"], lambda f, x, y: [f(x, y), _jax().vmap(f, (0, None))(x, y)],
                         lambda np, x, y: [(x != 0) & (y != 0)] * 2),
    NP + "clip": (["a b", "b"], lambda f, x, y: [f(x, -1, 1), f(x, y, y + 2), f(x, max=y)],
                  lambda np, x, y: [np.clip(x, -1, 1), np.clip(x, y, y + 2), np.minimum(x, y)]),
    NP + "where": (["a b", "b", ""], lambda f, x, y, n: [f(x > 0, n, x), f(y > 0, y, n), _jax().vmap(lambda v: f(v > 1, v, y))(x)],
                   lambda np, x, y, n: [np.where(x > 0, n, x), np.where(y > 0, y, n), np.where(x > 1, x, y)]),
    NP + "transpose": (["a b 2"], lambda f, x: [f(x), f(x, (1, 0, 2)), _jax().vmap(f)(x)],
                       lambda np, x: [x.T, x.transpose(1, 0, 2), x.transpose(0, 2, 1)]),
    NP + "expand_dims": (["a b"], lambda f, x: [f(x, 0), f(x, (1, -1)), _jax().vmap(lambda v: f(v, 1))(x)],
                         lambda np, x: [x[None], x[:, None, :, None], x[:, :, None]]),
    NP + "full": (["a 1", "a", ""], lambda f, x, y, n: [f((x.shape[0], 2), 3.0) + x, f((2, y.shape[0]), y), f(x.shape[0], n), f((2 * x.shape[0], 2), n)],
                  lambda np, x, y, n: [x + np.full(2, 3), np.stack([y, y]), n + 0 * y, np.full((2 * len(y), 2), n)]),
    NP + "zeros_like": (["a b"], lambda f, x: [f(x) - x, f(x[:, :1], shape=x.shape) + x], lambda np, x: [-x, x]),
    NP + "ones_like": (["a b"], lambda f, x: [f(x) - x, f(x[0], "int8")], lambda np, x: [1 - x, np.ones(x.shape[1])]),
    NP + "asarray": (["a b"], lambda f, x: [f(2 * x.shape[0]), f(x.shape), x.sum() + f(x.shape[1]), f([x[0, 0], x.shape[1]])],
                     lambda np, x: [2 * len(x), np.array(x.shape), x.sum() + x.shape[1], np.array([x[0, 0], x.shape[1]])]),
    NP + "dot": (["a b", "b 5"], lambda f, x, y: [f(x, y), f(x, x.T), f(y[:, 0], y)], lambda np, x, y: [x @ y, x @ x.T, y[:, 0] @ y]),
    NP + "matmul": (["a 4 b", "a b 5", "b 3"], lambda f, x, y, z: [f(x, y), f(x, z), _jax().vmap(f)(x, y)],
                    lambda np, x, y, z: [x @ y, x @ z, x @ y]),
    NP + "einsum": (["a b", "b 5", "5 2", "a b 5", "a 5 4"], _contractions, _contracted),
    "jax.Array.sum": (["a b 5"], lambda f, x: [x.sum(-1, keepdims=True), x.sum(0), x.sum(), x.sum((0, 2)), x.sum(1, where=x > 0), x.sum(0) * x.shape[0]],
                      lambda np, x: [x.sum(-1, keepdims=True), x.sum(0), x.sum(), x.sum((0, 2)), np.maximum(x, 0).sum(1), len(x) * x.sum(0)]),
    "jax.Array.astype": (["a b"], lambda f, x: [x.astype("int32"), _jax().vmap(lambda v: v.astype(bool))(x)], lambda np, x: [x, x != 0]),
    LAX + "dynamic_update_slice": (["a b", "2"], lambda f, x, i: _updated(f, x, i.astype("int32")), _updates),
    LAX + "cond": (["a b", "b"], lambda f, x, y: [f(x.sum() > 0, lambda: x + y[None], lambda: 0 * x), f(y[0] > x[0, 0], lambda v: v.T, lambda v: 2 * v.T, x)],
                   lambda np, x, y: [(x + y) * (x.sum() > 0), x.T * (1 if y[0] > x[0, 0] else 2)]),
    LAX + "while_loop": (["a b"], lambda f, x: _loops(f, x), lambda np, x: [x + 5 * np.arange(x.shape[1]), 5, _below(np, x)]),
    "jax.grad": (["a b"], lambda f, x: [f(lambda x: (x.sum(0) * x.shape[0]).sum())(x), _jax().vmap(f(lambda v: (v**2).sum()))(x)],
                 lambda np, x: [0 * x + len(x), 2 * x]),
    "jax.value_and_grad": (["a b"], lambda f, x: f(lambda x: ((x**2).sum(0) * x.shape[0]).sum())(x),
                           lambda np, x: [len(x) * (x * x).sum(), 2 * len(x) * x]),
    "jax.vmap": (["a b 3"], lambda f, x: [f(lambda v: v.sum(0) * v.shape[0], in_axes=1)(x), f(f(lambda v: v[::-1]))(x), f(lambda v: v.shape[0] * v, 0, 2)(x)],
                 lambda np, x: [len(x) * x.sum(0), x[:, :, ::-1], x.shape[1] * x.transpose(1, 2, 0)]),
    "jax.jit": (["a b", "a"], lambda f, x, y: [x + f(lambda x: x * x.shape[1] + _jnp().arange(x.size).reshape(x.shape))(x),
                                               f(lambda x, *, y: x.T + y)(x, y=y)],
                lambda np, x, y: [x * (1 + x.shape[1]) + np.arange(x.size).reshape(x.shape), x.T + y]),
}  # fmt: skip


def _jax():
    import jax

    return jax


def _updated(f, x, i):
    part = 3 * x[-1:, 1:]
    return [f(x, x, (0, 0)), f(x, 2 * x, (i[0], 0)), f(x, -x, i), f(x, 2 * x[:1], i), f(x, part, (-1, i[1]))]  # fmt: skip


def _loops(f, x):
    grown = f(lambda s: s[1] < 5, lambda s: (s[0] + _jnp().arange(s[0].shape[1]), s[1] + 1), (x, 0))
    each = _jax().vmap(lambda v: f(lambda v: v.sum() >= 0, lambda v: v - 1, v))(x)
    return [*grown, each]


def _below(np, x):
    """Less by one for all of a row, until their sum is negative."""
    steps = np.maximum(np.floor(x.sum(1, keepdims=True) / x.shape[1]) + 1, 0)
    return x - steps


def of_letters(body):
    for name, (shapes, _, right_of) in OF_LETTERS.items():

        def all_of_them(np, *given, f=right_of, n=len(shapes)):  # noqa: B008
            return [f(np, *given[i : i + n]) for i in range(0, len(given), n)]

        body = case(name, core=False, since=SINCE, trivial=True, reference=all_of_them)(body)
    return body


@of_letters
def for_any_sizes_of_letters(t, function):
    """One program for whatever a and b are."""
    shapes, run, _ = OF_LETTERS[function]
    f = None if function.startswith("jax.Array.") else t.get(function)
    made = exported(t, lambda *given: run(f, *given), structs_of(t, shapes))
    found = []
    for sizes in SIZES:
        given = [t.randint(numbers_of(one, sizes), "f32", -5, 5) for one in shapes]
        found.append(t.call(lambda *given: made.call(*given), *given))
    return found


# --- squeeze


@case(NP + "squeeze", core=False, since=SINCE, reference=lambda np, *given: [
      [x[:, 0, 0], x[:, :, 0], x[:, 0, 0], x[:, 0], x] for x in given])  # fmt: skip
def axes_of_one_beside_letters(t):
    """No axis, one, two of them; of each row. Which axes are of one must be said, and a letter is not."""
    jax, f = t.fw, t.get(NP + "squeeze")
    (struct,) = structs_of(t, ["a 1 1"])

    def run(x):
        return [f(x, (1, 2)), f(x, 2), jax.vmap(lambda v: f(v, (0, 1)))(x), x.squeeze(1), f(x, ())]

    made = exported(t, run, [struct])
    for shape, axis in ("a", None), ("a b", -1), ("a 1", None), ("a b", (0, 1)):
        (wrong,) = structs_of(t, [shape])
        t.raises(ValueError, exported, t, lambda x, axis=axis: f(x, axis), [wrong])
    return [t.call(lambda x: made.call(x), t.randn((n, 1, 1), "f32")) for n in (3, 2, 5)]


# --- what is not known is refused


@case("jax.Array.reshape", host_only=True, core=False, since=SINCE, reference="none")
def sizes_that_need_not_divide(t):
    """8 b numbers by 3 b, letters that need not be equal; what divides for each b has its size."""
    (struct,) = structs_of(t, ["a 2 4"])
    b, wrong = struct.shape[0], t.fw.errors.InconclusiveDimensionOperation
    for sizes in ([b, -1, 3], (3, -1), (b + 1, -1)):
        t.raises(wrong, exported, t, lambda x, sizes=sizes: x.reshape(sizes), [struct])
    made = t.call("jax.eval_shape", lambda x: x.reshape(-1, 2 * b), struct)
    t.expect(made.shape == (4, 2 * b), "4 x 2a, got %s" % (made.shape,))


@case(NP + "einsum", host_only=True, core=False, since=SINCE, reference="none")
@case(NP + "matmul", host_only=True, core=False, since=SINCE, reference="none")
@case(NP + "dot", host_only=True, core=False, since=SINCE, reference="none")
def letters_that_need_not_be_equal(t, function):
    """Where they are multiplied away; the same letter may be."""
    f = t.get(function)
    run = (lambda x, y: f("ij,kj->ik", x, y)) if function.endswith("einsum") else (lambda x, y: f(x, y.T))  # fmt: skip
    t.raises(Exception, exported, t, run, structs_of(t, ["2 a", "2 b"]))
    made = t.call(exported, t, run, structs_of(t, ["2 a", "3 a"]))
    t.expect(made.out_avals[0].shape == (2, 3), "2 x 3, got %s" % (made.out_avals,))


@case("jax.vmap", host_only=True, core=False, since=SINCE, reference="none")
def batches_of_other_letters(t):
    """Beside a number, or another letter: as of two numbers. With none for one of them it is no batch."""
    vmap = t.get("jax.vmap")
    for shapes in (["a 5", "3 5"], ["a 5", "b 5"], ["a b", "b a"]):
        run = vmap(lambda x, y: x.sum() + y.sum())
        t.raises(ValueError, exported, t, run, structs_of(t, shapes))
    made = t.call(exported, t, vmap(lambda x, y: x + y, (0, None)), structs_of(t, ["a 5", "3 5"]))
    (first,) = structs_of(t, ["a 3 5"])
    t.expect(
        str(made.out_avals[0].shape) == str(first.shape), "a x 3 x 5, got %s" % (made.out_avals,)
    )


@case("jax.numpy.asarray", host_only=True, core=False, since=SINCE, reference="none")
def kinds_of_sizes(t):
    """A size is weak, as a number of Python is, several are not; beside halves it is one."""
    f, jax, seen = t.get(NP + "asarray"), t.fw, []

    def run(x):
        made = [f(x.shape[0]), f(x.shape), f(x.shape[0], "float32"), x.sum() + f(x.shape[0])]
        made.append(x.shape[0] + f(4))
        seen.extend((str(one.dtype), one.weak_type) for one in made)
        return made

    t.call(exported, t, run, structs_of(t, ["a b"], "bfloat16"))
    want = [("int32", True), ("int32", False), ("float32", False), ("bfloat16", False), ("int32", True)]  # fmt: skip
    t.expect(seen == want, "%s, got %s" % (want, seen))
    t.expect(isinstance(jax.eval_shape(lambda: f(3)), jax.ShapeDtypeStruct), "of a plain number")


# --- ShapeDtypeStruct


@case("jax.ShapeDtypeStruct", core=False, since=SINCE, reference=lambda np, *given: [
      [(2 * x.shape[0] + 3 * x.shape[1] + x.shape[2]) + x.sum(), x.shape[0] ** 3, 2 ** x.shape[0]] for x in given])  # fmt: skip
def shapes_that_are_sums_of_letters(t):
    """Each letter is told from the sizes; sizes that no letters give are refused, and so are letters of two origins."""
    jax, make = t.fw, t.get("jax.ShapeDtypeStruct")
    shape = jax.export.symbolic_shape("2*b, 4*c, b+c+1")

    def run(x):
        a, b, c = x.shape
        return [2 * a + 3 * b + c + x.sum(), a**3, 2**a]

    made = exported(t, run, [make(shape, "float32")])
    for wrong in (lambda x: x.shape[0] ** -2, lambda x: x.shape[0] ** 1.5):
        t.raises(ValueError, exported, t, wrong, [make(shape, "float32")])
    for sizes in ((3, 4, 3), (4, 4, 3), (4, 3, 3), (0, 4, 2), (4, 4, 4, 1)):
        t.raises(ValueError, made.call, t.np.ones(sizes, "float32"))
    t.raises(ValueError, made.call, t.np.ones((4, 4, 4), "int32"))
    first, other = (jax.export.symbolic_shape("b") for _ in range(2))
    two = make(first, "float32"), make(other, "float32")
    t.raises(ValueError, exported, t, lambda x, y: (x, y), two)
    t.expect(two[0] != two[1] and two[0] == make(first, "float32"), "letters of two origins differ")
    return [
        t.call(lambda x: made.call(x), t.randint(shape, "f32", -9, 9))
        for shape in ((4, 8, 5), (2, 4, 3))
    ]


@case(
    "jax.ShapeDtypeStruct",
    core=False,
    since=SINCE,
    reference=lambda np, *given: [x[1:3] for x in given],
)
def letters_with_bounds(t):
    """What is said of a letter holds in the program, and sizes beyond are refused."""
    jax, make = t.fw, t.get("jax.ShapeDtypeStruct")
    symbolic, call = jax.export.symbolic_shape, lambda made: lambda x: made.call(x)
    shape = symbolic("a", constraints=["a >= 3", "a <= 5"])
    made = exported(t, lambda x: x[1:3], [make(shape, "float32")])
    free = exported(t, lambda x: x[1:3], [make(symbolic("a"), "float32")])
    t.expect(made.out_avals[0].shape == (2,), "two, got %s" % (made.out_avals,))
    t.expect(free.out_avals[0].shape != (2,), "not known without, got %s" % (free.out_avals,))
    for size in (0, 2, 6):
        t.raises(ValueError, made.call, t.np.ones(size, "float32"))
    for said, sizes in ("max(a, b) == b", (3, 2)), ("a == b", (2, 3)), ("mod(a, 4) == 0", (6, 1)):
        two = exported(t, lambda x: x * 2, [make(symbolic("a, b", constraints=[said]), "float32")])
        t.raises(ValueError, two.call, t.np.ones(sizes, "float32"))
        right = two.call(t.np.ones((4, 4), "float32"))
        t.expect(right.shape == (4, 4), "what is allowed, got %s" % (right.shape,))
    return [t.call(call(made), t.randn((n,), "f32")) for n in (3, 5)]


# --- jit


@case("jax.jit", host_only=True, core=False, since=SINCE, reference="none")
def once_for_the_letters_of_a_scope(t):
    """Traced once for a letter; anew for one of another origin, and for one with bounds."""
    jax, seen = t.fw, []
    symbolic, make = jax.export.symbolic_shape, jax.ShapeDtypeStruct
    program = t.get("jax.jit")(lambda x: seen.append(x.shape) or x * 2)
    first = make(symbolic("a"), "float32")
    for struct, count in (
        (first, 1), (first, 1), (make(symbolic("a", scope=first.shape[0].scope), "float32"), 1), (make(symbolic("a"), "float32"), 2),
        (make(symbolic("a", constraints=["a >= 2"]), "float32"), 3),
    ):  # fmt: skip
        t.call(lambda struct=struct: jax.export.export(program)(struct))
        t.expect(len(seen) == count, "%s times, got %s" % (count, seen))


# --- random


RANDOM = {
    "jax.random.split": (
        lambda f, key, x: f(key, 2 * x.shape[0]),
        lambda np, plan, key, x: right.split(np, plan, key, 2 * len(x)),
    ),
    "jax.random.uniform": (lambda f, key, x: f(key, x.shape), right.uniform),
    "jax.random.normal": (lambda f, key, x: f(key, x.shape), right.normal),
}


def _random(np, function, given):
    draw = RANDOM[function][1]
    parts = [given[i : i + 3] for i in range(0, len(given), 3)]
    return [draw(np, *(one if function.endswith("split") else one[:2])) for one in parts]


def random(body):
    for name in RANDOM:
        body = case(name, core=False, since=("0.5.0", "each number counted for itself"), rtol={"f32": 1e-5},
                    reference=lambda np, *given, name=name: _random(np, name, given))(body)  # fmt: skip
    return body


@random
def drawn_in_sizes_of_letters(t, function):
    """The numbers of that size, however they are counted."""
    jax, found, f = t.fw, [], t.get(function)
    for each, shapes in (True, ["3 5", "2 7"]), (False, ["3 4", "2 6"]):
        with jax.threefry_partitionable(each):
            sizes = ["2", "a b"] if each or function.endswith("split") else ["2", "a 4"]
            key, x = structs_of(t, sizes)
            key = jax.ShapeDtypeStruct((2,), "uint32")
            made = exported(t, lambda key, x: RANDOM[function][0](f, key, x), [key, x])
            for text in shapes if sizes[1] == "a b" else ["3 4", "2 4"]:
                shape = tuple(map(int, text.split()))
                given = some_key(t, "f32", shape), t.randn(shape, "f32")
                found.append(t.call(lambda key, x, made=made: made.call(key, x), *given))
    if function.endswith("split"):
        t.expect(all(str(one.dtype) == "uint32" for one in found), "keys as words, got %s" % found)
    else:
        own_dtype(t, found, "f32")
    return found
