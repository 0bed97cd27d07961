"""Transformations, loops and placements, as JAX's own tests of them compose them."""

import collections

from seamark_suites.case import case

from .reference import with_gradient
from .updates import placed, placed_pull

NEAR = {"f32": 1e-5, "f64": 1e-13, "c64": 1e-5, "bf16": 2e-2, "f16": 4e-3}
INF, NAN = float("inf"), float("nan")
Point = collections.namedtuple("Point", "x y")

# --- grad


def of_parts(tree, flag):
    """Of a named tuple of several kinds, of which one part is not used."""
    z, (h, unused) = tree
    if not flag:
        return (z.real * 0).sum()
    return (abs(z) ** 2).sum() + (h.astype("float32") ** 3).sum() + 0 * unused.shape[0]


@case("jax.grad", core=False, rtol=NEAR, reference=lambda np, z, h, u: [
      2 * z.conj(), 3 * h**2, 0 * u, [2 * z.conj(), 3 * h**2, 0 * u], 0 * z])  # fmt: skip
def parts_of_several_kinds(t):
    """Each slope has the kind of its part, and the tree its own; what is not used has zeros; a flag that is static in a program."""
    jax = t.fw
    tree = Point(t.randn((4,), "c64"), [t.randint((3,), "bf16", 1, 4), t.randn((2, 3), "f32")])
    made = t.call(lambda tree: t.get("jax.grad")(of_parts)(tree, True), tree)
    kinds = [str(one.dtype) for one in jax.tree_util.tree_leaves(made)]
    t.expect(kinds == ["complex64", "bfloat16", "float32"], "their kinds, got %s" % kinds)
    t.expect(type(made) is Point and type(made.y) is list, "the tree it was, got %r" % (made,))
    program = jax.jit(t.get("jax.grad")(of_parts), static_argnames=["flag"])
    again = t.call(lambda tree: program(tree, flag=True), tree)
    return [made.x, *made.y, [again.x, *again.y], t.call(lambda tree: program(tree, flag=False), tree).x]  # fmt: skip


@case("jax.grad", dtypes="f32 f64", core=False, rtol=NEAR, atol={"f32": 1e-5, "f64": 1e-12}, reference=lambda np, x, y: [
      3 * x**2 * np.sin(x) + x**3 * np.cos(x)] * 3 + [6 * x, x * y, [y, x], [y], x, np.ones(5), 2 * x])  # fmt: skip
def slopes_within_slopes(t, dtype):
    """Through what comes beside a slope, in programs and out; forwards and backwards; positions in a list, alone in a tuple, at once."""
    jax, jnp, grad = t.fw, t.fw.numpy, t.get("jax.grad")

    def beside(x):
        return grad(lambda v: (v**3, [v**3]), has_aux=True)(x)[1][0] * jnp.sin(x)

    def run(x, y):
        nested = [jax.vmap(f)(x) for f in (grad(beside), jax.jit(grad(beside)), jax.jit(grad(jax.jit(beside))))]  # fmt: skip
        cubes = grad(lambda v: v**3)
        forwards = jax.vmap(lambda v: jax.jvp(cubes, (v,), (jnp.ones_like(v),))[1])(x)
        product = lambda a, b: (a * b).sum()  # noqa: E731
        mixed = jax.vmap(grad(grad(lambda a, b: a * a * b * b / 4, 1), 0))(x, y)
        conj = jax.vmap(grad(lambda v: jax.jit(lambda a, b: (a, b))(v, jax.lax.conj(v))[0]))(x)
        early = grad(lambda v: (v**2).sum() if v.sum() > -99 else v.sum())
        found = early(x) if not t.compiled else 2 * x
        return [*nested, forwards, mixed, list(grad(product, [0, 1])(x, y)), list(grad(product, (0,))(x, y)), grad(product, -1)(x, y), conj, found]  # fmt: skip

    return t.call(run, t.uniform((5,), dtype, 0.5, 1.5), t.uniform((5,), dtype, 0.5, 1.5))


@case("jax.grad", core=False, reference="none")
def slopes_without_numbers(t):
    """float0: of integers and truths, in programs, of any shape; nothing is computed with it. Keys have a slope in no way."""
    jax, np, grad, jnp = t.fw, t.np, t.get("jax.grad"), t.fw.numpy
    zero = jax.dtypes.float0
    by = lambda x, i: x[i] * 3  # noqa: E731
    x = t.uniform((4,), "f32", 1, 2)
    for f in (grad(by, (0, 1), allow_int=True), jax.jit(grad(by, (0, 1), allow_int=True))):
        of_x, of_i = f(x, 2)
        t.expect(of_i.dtype == zero and of_i.shape == (), "float0, got %r" % of_i)
        t.expect(t.host(of_x).tolist() == [0, 0, 3, 0], "three at its place, got %s" % of_x)
    found = t.call(lambda x: grad(by)(x, 2), x)
    t.expect(t.host(found).tolist() == [0, 0, 3, 0], "three at its place, got %s" % found)
    whole = grad(lambda v: (v + 0.0).sum(), allow_int=True)(np.ones((2, 4), "int32"))
    t.expect(whole.shape == (2, 4) and whole.reshape((4, 2)).dtype == zero, "2 x 4 of them")
    truth = grad(lambda p: jax.lax.cond(p, lambda: 1.0, lambda: 2.0), allow_int=True)(True)
    t.expect(truth.dtype == zero, "of a truth, got %r" % truth)
    for wrong in (lambda: whole + jnp.zeros((2, 4)), lambda: jax.lax.add(truth, jnp.zeros(()))):
        t.raises(TypeError, wrong)
    noise = lambda key, v: (jax.random.normal(key, v.shape) * v).sum()  # noqa: E731
    key = jax.random.key(1)
    t.raises(TypeError, grad(noise), key, x)
    right = jax.random.normal(key, (4,))
    t.expect(bool((t.call(lambda x: grad(noise, 1)(key, x), x) == right).all()), "by the number")


@case("jax.grad", core=False, reference="none")
def results_that_have_no_slope(t):
    """None, too many, vectors with a word of what to do; arguments by name alone; objects; a program is traced once."""
    jax, np, grad, jnp = t.fw, t.np, t.get("jax.grad"), t.fw.numpy
    x = t.uniform((3,), "f32", 1, 2)
    for wrong in (lambda v: (), lambda v: [v.sum()], lambda v: jnp.array([v.sum()]), lambda v: v > 0, lambda v: {"a": v.sum()}):  # fmt: skip
        t.raises(TypeError, t.call, lambda x, wrong=wrong: grad(wrong)(x), x)
    error = t.raises(TypeError, grad(lambda v: v), x)
    t.expect("(3,)" in str(error), "the shape in the message, got %s" % error)
    for wrong in (lambda v: (1, 2, 3), lambda v: (v,)):
        t.raises(TypeError, grad(wrong, has_aux=True), 1.0)
    t.raises(TypeError, grad(lambda a, b: a + b), a=1.0, b=2.0)
    t.raises(TypeError, grad(lambda v: v), np.array([1, 2], object))
    t.raises(TypeError, grad(lambda v: v**2 + 1j), 3.0)
    _, aside = grad(lambda v: (v**2, {"same": v, "more": v + 1}), has_aux=True)(3.0)
    kinds = [isinstance(one, jax.core.Tracer) for one in aside.values()]
    t.expect(kinds == [False] * 2 and float(aside["more"]) == 4, "numbers, got %r" % aside)
    seen = []
    once = grad(jax.jit(lambda v: seen.append(1) or v * v))
    t.expect([float(once(v)) for v in (1.0, 2.0, -3.0)] == [2, 4, -6], "twice the number")
    t.expect(len(seen) == 1, "one trace, got %d" % len(seen))


# --- vmap


def reduced_over_names(x):
    import jax
    from jax import lax

    def inner(v):
        total = lax.psum(v, ("i", "j")), lax.pmax(v, "j"), lax.pmin(v, "i"), lax.pmean(v, "j")
        turned = lax.ppermute(v, "j", [(0, 1), (1, 2), (2, 0)])
        return (*total, turned, lax.all_gather(v, "j"), lax.axis_index(("i", "j")))

    return jax.vmap(jax.vmap(inner, axis_name="j"), axis_name="i")(x)


def reduced_right(np, x):
    spread = lambda y: y + 0 * x  # noqa: E731
    gathered = np.broadcast_to(x[:, None], (2, 3, 3, 4))
    places = np.arange(6).reshape(2, 3)
    return (spread(x.sum((0, 1))), spread(x.max(1, keepdims=True)), spread(x.min(0)), spread(x.mean(1, keepdims=True)),
            np.roll(x, 1, 1), gathered, places)  # fmt: skip


@case("jax.vmap", dtypes="f32 bf16", core=False, rtol=NEAR, atol={"f32": 1e-5, "bf16": 6e-2}, reference=reduced_right)  # fmt: skip
def names_of_two_axes(t, dtype):
    """What all examples have in common, over one name and over both."""
    return t.call(reduced_over_names, t.randn((2, 3, 4), dtype))


def kernels_of_one(x, w, n):
    import jax
    import jax.numpy as jnp
    from jax import lax

    def one(v, m, k):
        best = lax.reduce_window(v, -jnp.inf, lax.max, (2, 2), (1, 2), "VALID")
        slope = jax.grad(lambda u: (lax.reduce_window(u, 0.0, lax.add, (2, 1), (1, 1), "VALID") ** 2).sum())(v)  # fmt: skip
        lower = jnp.tril(m) + 3 * jnp.eye(3)
        return (best, slope, lax.linalg.triangular_solve(lower, v[:3].T, left_side=False, lower=True, transpose_a=True), jnp.cumprod(v, 0),
                lax.pad(v, v[0, 0], ((1, 0, 0), (0, 1, 1))), lax.select_n(k > 1, v, -v), jnp.concatenate([v, m @ v[:3]]), lax.rev(v, (1,)),
                lax.dynamic_update_slice(v, m[:1, :2], (k, k)))  # fmt: skip

    return jax.vmap(one, in_axes=(2, 0, 0))(x, w, n)


def kernels_right(np, x, w, n):
    rows = []
    for v, m, k in zip(np.moveaxis(x, 2, 0), w, n.astype(int)):
        best = np.lib.stride_tricks.sliding_window_view(v, (2, 2))[:, ::2].max((-2, -1))
        sums, slope = v[:-1] + v[1:], np.zeros(v.shape)
        slope[:-1] += 2 * sums
        slope[1:] += 2 * sums
        lower = np.tril(m) + 3 * np.eye(3)
        wide = np.full((5, 8), v[0, 0])
        wide[1:, 0:7:2] = v
        rows.append((best, slope, np.linalg.solve(lower, v[:3]).T, np.cumprod(v, 0), wide, -v if k > 1 else v, np.concatenate([v, m @ v[:3]]),
                     v[:, ::-1], placed(np, v, m[:1, :2], min(k, 3), min(k, 2))))  # fmt: skip
    return tuple(np.stack(each) for each in zip(*rows))


@case("jax.vmap", dtypes="f32 f64", core=False, rtol={"f32": 1e-4, "f64": 1e-11}, atol={"f32": 1e-4, "f64": 1e-11}, reference=kernels_right)  # fmt: skip
def kernels_of_one_example(t, dtype):
    """Windows and their slope, triangles, products along an axis, a filler and a choice for each; examples along the last axis."""
    x, w = t.randn((4, 4, 3), dtype), t.uniform((3, 3, 3), dtype, -1, 1)
    return t.call(kernels_of_one, x, w, t.const([0, 2, 5], "i32"))


@case("jax.vmap", dtypes="f32 i32", core=False, rtol=NEAR, atol={"f32": 1e-4}, reference=lambda np, x, y, z: [
      np.einsum("kab,bkc,cdk->kad", x, y, z)] * 3 + [x + 1, np.zeros((2, 6)) + 2, np.full(1, 5), x[:, 0, 0] * 1, 3 * x])  # fmt: skip
def forms_of_axes(t, dtype):
    """Axes in a named tuple and in ordered names; functions pass through; results without a batch behind; a size alone; numbers stay weak."""
    jax, np, vmap = t.fw, t.np, t.get("jax.vmap")
    x, y, z = (t.randint(shape, dtype, -3, 4) for shape in ((6, 2, 3), (3, 6, 4), (4, 5, 6)))
    ordered = collections.OrderedDict

    def run(x, y, z):
        product = lambda a, b, c: a @ (b @ c)  # noqa: E731
        made = [
            vmap(lambda tree: product(tree[0], *tree[1]), in_axes=((0, Point(1, 2)),))((x, Point(y, z))),
            vmap(lambda tree: product(tree[0], tree[1]["a"], tree[1]["b"]), in_axes=((0, ordered([("a", 1), ("b", 2)])),))(
                (x, ordered([("a", y), ("b", z)]))),
            vmap(lambda tree: product(*tree), in_axes=([0, 1, -1],))([x, y, z]),
            vmap(lambda f, v: f(v), (None, 0))(lambda v: v + 1, x),
            vmap(lambda v: np.full(2, 2, "float32"), out_axes=-1)(x),
            vmap(lambda v: v, in_axes=None, axis_size=1)(5),
            vmap(lambda v: v[0, 0], axis_name="n")(x),
            vmap(lambda v, k: v * k, in_axes=(0, None))(x, 3),
        ]  # fmt: skip
        return made

    made = t.call(run, x, y, z)
    weak = jax.eval_shape(vmap(lambda v: v * 1, in_axes=None, axis_size=2), 2.5)
    t.expect(weak.weak_type and weak.shape == (2,), "a weak type, got %s" % weak)

    def told(v):
        """What it does."""
        return v

    t.expect("told" in vmap(told).__doc__ and "What it does." in vmap(told).__doc__, "its words")
    return made


@case("jax.vmap", core=False, reference="none")
def axes_that_do_not_fit(t):
    """Arrays as axes; a dictionary alone; trees that are no prefix; axes beside names; results that are no arrays."""
    vmap, x, y = t.get("jax.vmap"), t.randn((3,), "f32"), t.randn((2, 3), "f32")
    same = lambda a: a  # noqa: E731
    for kinds, options, given in (
        (TypeError, {"in_axes": (x,)}, (x,)),
        (TypeError, {"out_axes": (x,)}, (x,)),
        (TypeError, {"in_axes": {"a": 0}}, ({"a": x},)),
        (ValueError, {"in_axes": ([0],)}, (x,)),
        (ValueError, {"in_axes": (0, {"a": 0})}, ({"a": y},)),
        (ValueError, {"out_axes": (2, 3)}, (x,)),
        (ValueError, {}, ({},)),
        (ValueError, {"in_axes": 1, "axis_size": 1}, (1.0,)),
        (ValueError, {"axis_size": 1}, (1.0,)),
        (ValueError, {"out_axes": None, "axis_name": "n"}, (x,)),
    ):
        t.raises(kinds, t.call, lambda *given, options=options: vmap(same, **options)(*given), *given)  # fmt: skip
    both = lambda a, b: a @ b  # noqa: E731
    t.raises(ValueError, lambda: vmap(both, in_axes=(0, 0))(a=x, b=x))
    t.raises(ValueError, lambda: vmap(both, in_axes=(None, 0))(x, b=x))
    t.raises(ValueError, lambda: vmap(lambda a, *more: a - sum(more))(x, y, y))
    error = t.raises(ValueError, lambda: vmap(lambda a, b: a.sum() + b.sum(), in_axes=(0, 1))(y, y))
    t.expect("inconsistent sizes" in str(error), "what is inconsistent, got %s" % error)
    for wrong in (lambda a: object(), lambda a: {"a": "text"}, lambda a: (a, set())):
        t.raises(TypeError, vmap(wrong), x)


# --- while_loop


def states_that_move(x, y, z):
    import jax
    from jax import lax

    def grown(v):
        made = lax.while_loop(
            lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1], s[1] * s[1], s[2] * s[2]), (0, v, y, z)
        )
        return made[1:]

    many = lax.while_loop(
        lambda s: s[0] < 4, lambda s: tuple(one + i for i, one in enumerate(s, 1)), (0,) * 256
    )
    turned = lax.while_loop(
        lambda s: s[3] < 4, lambda s: (s[1], s[2], s[0], s[3] + 1), (x, y, z, 0)
    )
    passed = lax.while_loop(lambda s: s[1] == 0, lambda s: (0 * x, 1, s[0], y), (x, 0, z, z))
    nothing = lax.while_loop(lambda _: False, lambda _: (), ())
    small = lax.while_loop(lambda v: v < 2, lambda v: v + jax.numpy.uint8(1), 0)
    tangents = jax.jvp(grown, (x,), (z,))
    _, linear = jax.linearize(grown, x)
    return [*tangents[0], *tangents[1], *linear(z), many[0], many[255], *turned[:3], *passed, len(nothing), small]  # fmt: skip


def states_right(np, x, y, z):
    grown = [x, x**2, x**4]
    slopes = [z, 2 * x * z, 4 * x**3 * z]
    return [*grown, *slopes, *slopes, np.array(4), np.array(1024), y, z, x, 0 * x, np.array(1), x, y, np.array(0), np.array(2)]  # fmt: skip


@case("jax.lax.while_loop", dtypes="f32 f64", core=False, rtol={"f32": 2e-5, "f64": 1e-12}, reference=states_right)  # fmt: skip
def states_that_change_places(t, dtype):
    """Slopes that arise step by step, also linearized; 256 numbers; parts that change places or pass through; no state; few bits."""
    return t.call(states_that_move, *[t.uniform((3,), dtype, 0.5, 1.5) for _ in range(3)])


def batches_of_loops(x, n, w):
    import jax
    import jax.numpy as jnp
    from jax import lax

    def constant(v):
        return lax.while_loop(
            lambda _: jnp.logical_not(jnp.array(True)), lambda _: jnp.zeros_like(v), v
        )

    def powers(w, v, most):
        return lax.while_loop(
            lambda s: s[0] < most, lambda s: (s[0] + 1, s[1] @ s[2], s[2]), (0, v, w)
        )[1:]

    def counted(v, k):
        return lax.while_loop(lambda s: s[0] < k, lambda s: (s[0] + 1, s[1] + 1), (0, v))[1]

    moved, kept = jax.vmap(powers, (None, 0, 0), (0, None))(w, x, n)
    both = jax.vmap(jax.vmap(counted, (None, 0)), (0, None))(x[:, 0], n)
    fixed = jax.vmap(
        lambda i, v: lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + v), (i, 0 * v))[
            1
        ],
        (0, 1),
    )(n, x.T)
    turned = jax.checkpoint(
        lambda a, b: sum(lax.while_loop(lambda _: False, lambda s: (s[1], s[0]), (a, b)))
    )
    slope = jax.vmap(
        lambda v: jax.grad(lambda u: u * lax.while_loop(lambda i: i < 5, lambda i: i + 2, 0))(v)
    )(x[:, 0])
    held = jax.vmap(
        lambda v: jax.grad(
            lambda u: (
                u * lax.while_loop(lambda i: i < 5, lambda i: i * 2, lax.stop_gradient(abs(u) + 1))
            )
        )(v)
    )(x[:, 0])
    linear = jax.linearize(turned, x[0], x[1])[1](x[2], x[3])
    return [jax.vmap(constant)(x), moved, kept, both, fixed, slope, held, linear]  # fmt: skip


def batches_right(np, x, w, n):
    n = n.astype(int)
    moved = np.stack([v @ np.linalg.matrix_power(w, k) for v, k in zip(x, n)])
    held = abs(x[:, 0]) + 1
    while (held < 5).any():
        held = np.where(held < 5, 2 * held, held)
    counted = x[:, :1] + np.maximum(n, 0)
    fixed = x * np.maximum(3 - n, 0)[:, None]
    return [x, moved, w, counted, fixed, np.full(4, 6.0), held, x[2] + x[3]]


@case("jax.lax.while_loop", dtypes="f32 f64", core=False, rtol={"f32": 1e-5, "f64": 1e-12}, atol={"f32": 1e-5, "f64": 1e-12}, reference=batches_right)  # fmt: skip
def loops_of_batches(t, dtype):
    """A step that forgets, a matrix that stays without a batch, batches in batches; backwards beside a loop that has no slope."""
    x, w = t.uniform((4, 3), dtype, -2, 2), t.uniform((3, 3), dtype, -1, 1)
    return t.call(batches_of_loops, x, t.const([0, 3, 1, 2], "i32"), w)


@case(
    "jax.lax.while_loop",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [2.0 ** np.ceil(np.log2(11 / (x + 1))) * (x + 1) - 1, x + 9],
)
def loops_without_a_program(t, dtype):
    """jax.disable_jit: as Python's own, of a batch, too; what it changes in place is not the state given. Traced once in a program."""
    jax, np, f = t.fw, t.np, t.get("jax.lax.while_loop")
    x, seen = t.uniform((5,), dtype, 0.5, 4), []

    def steps(state):
        one, total = state
        one += 1
        return one, total + one

    for off in (False, True):
        with jax.disable_jit(off):
            value = np.array(1.0, "float32")
            made = f(lambda s: s[0] < 10, steps, (value, value))[1]
            t.expect(float(made) == 55 and float(value) == 1, "55, got %s" % made)
            doubled = jax.vmap(lambda v: f(lambda u: u < 10, lambda u: abs(u) * 2 + 1, v))(x)
            right = 2.0 ** np.ceil(np.log2(11 / (t.host(x) + 1))) * (t.host(x) + 1) - 1
            t.expect(bool(np.allclose(t.host(doubled), right)), "beyond 10, got %s" % doubled)
    program = jax.jit(lambda x, n: f(lambda s: s[1] < n, lambda s: seen.append(1) or (s[0] + 1, s[1] + 1), (x, 0))[0])  # fmt: skip
    first = [program(x, n) for n in (3, 4)]
    t.expect(len(set(map(id, first))) == 2 and 1 <= len(seen) <= 3, "one program, got %d traces" % len(seen))  # fmt: skip
    return [t.call(lambda x: jax.vmap(lambda v: f(lambda u: u < 10, lambda u: abs(u) * 2 + 1, v))(x), x), t.call(lambda x: program(x, 9), x)]  # fmt: skip


# --- dynamic_update_slice, broadcast_shapes

UPDATE = "jax.lax.dynamic_update_slice"


@case(UPDATE, dtypes="f32 c64", start=[(9, 1, -1), (-9, 0, 2), (2, -1, 0)], grad=True, core=False, reference=with_gradient(
      lambda np, x, part, start: placed(np, x, part, *start), lambda np, w, x, part, start: placed_pull(np, w, x, part, *start)))  # fmt: skip
def slope_where_a_part_is_moved(t, dtype, start):
    """Beyond the ends and before them: what is hidden has none, the part has that of where it came to lie."""
    x, part = t.randn((5, 3, 4), dtype), t.randn((2, 1, 3), dtype)
    f = t.get(UPDATE)
    return t.call(lambda x, part: f(x, part, start), x, part)


@case(UPDATE, dtypes="f32 c128 i16 bf16", core=False, reference=lambda np, x, part, starts: [
      placed(np, x, part, 4, 1, 0), x, placed(np, x, part, 4, 0, 2), np.stack([placed(np, x, part, s, 1, 1) for s in starts]),
      np.stack([placed(np, v, part, 1, 1, 1) for v in np.stack([x, 2 * x])])])  # fmt: skip
def blocks_of_three_axes(t, dtype):
    """One axis of nothing; places of a batch beyond the ends; starts of several kinds are refused."""
    jax, np, f = t.fw, t.np, t.get(UPDATE)
    x, part = t.randint((7, 5, 3), dtype, -9, 9), t.randint((2, 3, 1), dtype, -9, 9)
    for starts in ((np.int32(1), np.int16(2), np.int32(0)), (np.int32(1), np.uint8(1), 0), (1, True, 0.0)):  # fmt: skip
        t.raises(TypeError, f, x, part, starts)
    starts = t.const([0, 3, 5, 99], "i32")
    return [
        t.call(f, x, part, (4, 1, 0)), t.call(lambda x, part: f(x, part[:, :0], (4, 1, 0)), x, part),
        t.call(lambda x, part: f(x, part, np.array([4, 0, 2])), x, part),
        t.call(lambda x, part, s: jax.vmap(lambda at: f(x, part, (at, 0 * at + 1, 0 * at + 1)))(s), x, part, starts),
        t.call(lambda x, part: jax.vmap(lambda v: f(v, part, (1, 1, 1)))(jax.numpy.stack([x, 2 * x])), x, part),
    ]  # fmt: skip


@case("jax.lax.broadcast_shapes", host_only=True, core=False, reference="none")
def many_shapes_of_any_kind(t):
    """Four shapes, lists, sizes beyond 32 bits, NumPy's numbers; in any order; each wrong pair among good ones is refused."""
    import itertools

    np, name = t.np, "jax.lax.broadcast_shapes"
    rows = [
        (((6, 7), (5, 6, 1), (7,), (5, 1, 7)), (5, 6, 7)), (((1,), (0, 1), ()), (0, 1)), (((3, 1), (1, 3), (1, 1)), (3, 3)),
        (((2**40, 1), (1, 2**35)), (2**40, 2**35)), (((4, 1, 1), (1, 3, 1), (1, 1, 2)), (4, 3, 2)), (((1, 0), (5, 1), (0,)), (5, 0)),
    ]  # fmt: skip
    for shapes, want in rows:
        for order in itertools.permutations(shapes):
            found = t.call(name, *order)
            t.expect(found == want and type(found) is tuple, "%s, got %r" % (want, found))
            listed = t.call(name, *[[np.int64(n) for n in one] for one in order])
            t.expect(tuple(int(n) for n in listed) == want, "%s of lists, got %r" % (want, listed))
    for wrong in (((1,), (5, 3), (2,)), ((2, 1), (1, 3), (4, 1)), ((0,), (3,)), ((3, 0), (3, 2)), ((2, 3), (2, 3, 1), (4, 1, 1, 5))):  # fmt: skip
        t.raises((ValueError, TypeError), t.call, name, *wrong)
    for wrong in ((("a",), (1,)), ((None, 2), (2,)), ((1.5,), (1.5,)), (3, 3)):
        t.raises((ValueError, TypeError), t.call, name, *wrong)
