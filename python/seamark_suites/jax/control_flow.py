"""jax.lax.cond and jax.lax.while_loop: branches and loops that values decide, inside one program."""

from seamark_suites.case import case

from .reference import with_gradient

# Several roundings.
NEAR = {"f32": 1e-5, "bf16": 4e-2, "f16": 4e-3, "f64": 1e-13, "c64": 1e-5}


# --- cond


def branches(which, x, y):
    import jax

    return jax.lax.cond(which, lambda a, b: a * 2 + b, lambda a, b: a - b * 3, x, y)


def branched(np, which, x, y, taken=None):
    return x * 2 + y if (which if taken is None else taken) else x - y * 3


@case("jax.lax.cond", dtypes="f32 bf16 i32 f16 f64 c64 u8", taken=[True, False],
      core="f32 bf16 i32", rtol=NEAR, atol=NEAR, reference=branched)  # fmt: skip
def a_branch(t, dtype, taken):
    which = t.const(taken, "bool")
    x, y = t.uniform((4, 5), dtype, 30, 40), t.uniform((4, 5), dtype, 1, 9)
    return t.call(branches, which, x, y)


def branched_pull(np, w, which, x, y, taken):
    return (2 * w, w) if taken else (w, -3 * w)


@case("jax.lax.cond", dtypes="f32 bf16 f64", taken=[True, False], grad=True, core="f32 bf16",
      rtol=NEAR, atol=NEAR,
      reference=with_gradient(branched, branched_pull))  # fmt: skip
def cond_gradient(t, dtype, taken):
    which = t.const(taken, "bool")
    return t.call(branches, which, t.randn((4, 5), dtype), t.randn((4, 5), dtype))


def by_value(x):
    """As a step is skipped that would not be finite."""
    import jax
    import jax.numpy as jnp

    good = jnp.isfinite(x).all()
    return jax.jit(lambda v: jax.lax.cond(good, lambda z: z * 0.5, jnp.zeros_like, v))(x)


@case("jax.lax.cond", dtypes="f32 bf16", bad=[False, True], trivial=True, core="f32",
      reference=lambda np, x, bad: 0 * np.ones(6) if bad else x * 0.5)  # fmt: skip
def by_a_value_of_the_program(t, dtype, bad):
    values = [1.0, -2.0, float("nan") if bad else 3.0, 4.0, 0.5, 7.0]
    return t.call(by_value, t.const(values, dtype))


def of_trees(which, tree):
    import jax

    return jax.lax.cond(
        which,
        lambda p: {"a": p["a"] + 1, "b": (p["b"][0], None)},
        lambda p: {"a": p["a"] * 0, "b": (p["b"][0][::-1], None)},
        tree,
    )


@case("jax.lax.cond", dtypes="f32 i32", taken=[True, False], core="f32",
      reference=lambda np, which, a, b, taken: {
          "a": a + 1 if taken else 0 * a, "b": (b if taken else b[::-1], None)
      })  # fmt: skip
def trees_of_operands(t, dtype, taken):
    which = t.const(taken, "bool")
    tree = {"a": t.randint((3,), dtype, -9, 9), "b": [t.randint((4, 2), dtype, -9, 9)]}
    return t.call(of_trees, which, tree)


def kinds_of_predicates(x, number, fraction):
    import jax

    def chosen(which):
        return jax.lax.cond(which, lambda: x, lambda: -x)

    return [chosen(one) for one in (number, fraction, True, False, 0, 2)]


@case("jax.lax.cond", core=False, reference=lambda np, x, n, f: [x, -x, x, -x, -x, x])
def numbers_as_predicates(t):
    """Any number: 0 is false. Branches without operands close over what they need."""
    x = t.randn((4,), "f32")
    return t.call(kinds_of_predicates, x, t.const(3, "i32"), t.const(0.0, "f32"))


def of_each(which, x):
    import jax

    def one(w, v):
        return jax.lax.cond(w, lambda z: jax.lax.cond(z[0] > 0, f1, f2, z), lambda z: z * 100, v)

    def f1(z):
        return z + 1

    def f2(z):
        return z - 1

    return jax.vmap(one)(which, x)


@case("jax.lax.cond", dtypes="f32 i32", core="f32",
      reference=lambda np, which, x: np.where(
          which[:, None], np.where(x[:, :1] > 0, x + 1, x - 1), x * 100
      ))  # fmt: skip
def nested_and_mapped(t, dtype):
    which = t.const([True, False, True, True, False, True], "bool")
    return t.call(of_each, which, t.distinct((6, 3), dtype))


def safe_root(x):
    """The branch that is not taken has no part in the derivative, even where its own is infinite."""
    import jax
    import jax.numpy as jnp

    return jax.grad(lambda v: jax.lax.cond(v > 0, jnp.sqrt, lambda z: z * 3, v))(x)


@case("jax.lax.cond", dtypes="f32", core=False, rtol=NEAR,
      reference=lambda np, x, y: (3.0, 0.5 / np.sqrt(y)))  # fmt: skip
def the_other_branch_has_no_derivative(t, dtype):
    zero, some = t.const(0.0, dtype), t.uniform((), dtype, 1, 2)
    return t.call(safe_root, zero), t.call(safe_root, some)


@case("jax.lax.cond", dtypes="f32", shapes="0 3x0 scalar", trivial=True, core=False,
      reference=lambda np, which, x, y: branched(np, which, x, y))  # fmt: skip
def little_and_nothing(t, dtype, shape):
    which = t.const(True, "bool")
    return t.call(branches, which, t.randn(shape, dtype), t.randn(shape, dtype))


@case("jax.lax.cond", dtypes="f32", core=False, rtol=NEAR, atol=NEAR, reference=lambda np, *given: [
    branched(np, *given[i : i + 3]) for i in (0, 3, 6)])  # fmt: skip
def sizes_one_after_another(t, dtype):
    found = []
    for n, which in ((2, True), (9, False), (33, True)):
        chosen = t.const(which, "bool")
        found.append(t.call(branches, chosen, t.randn((n,), dtype), t.randn((n,), dtype)))
    return found


def heavy(which, x):
    import jax

    return jax.lax.cond(which, lambda v: jax.numpy.tanh(v) + v, lambda v: v @ v.T @ v, x)


@case("jax.lax.cond", dtypes="f32", shapes="1600x1603", large=True, rtol=NEAR,
      reference=lambda np, which, x: np.tanh(x) + x)  # fmt: skip
def large_branch(t, dtype, shape):
    """The light one of two branches: the other one's products would take seconds."""
    return t.call(heavy, t.const(True, "bool"), t.randn(shape, dtype))


@case("jax.lax.cond", core=False, reference="none")
def branches_that_do_not_fit(t):
    x = t.randn((3,), "f32")

    def refused(which, one, other):
        t.raises(TypeError, t.call, "jax.lax.cond", which, one, other, x)

    refused(x > 0, lambda v: v, lambda v: -v)
    refused(True, lambda v: v, lambda v: (v, v))
    refused(True, lambda v: v, lambda v: v[:2])
    refused(True, lambda v: v, lambda v: v.astype("int32"))
    refused(True, lambda v: v, 3)
    refused("text", lambda v: v, lambda v: -v)
    refused(True, lambda v: v, lambda: x)


# --- while_loop


def root_of(x):
    """Newton's, until it no longer moves."""
    import jax
    import jax.numpy as jnp

    def moves(state):
        guess, before, count = state
        return (jnp.abs(guess - before) > 1e-3 * jnp.abs(guess)).any() & (count < 50)

    def step(state):
        guess, _, count = state
        return (guess + x / guess) * 0.5, guess, count + 1

    start = x * 0.5 + 0.5, x * 0, 0
    return jax.lax.while_loop(moves, step, start)[0]


@case("jax.lax.while_loop", dtypes="f32 bf16 f64", core="f32 bf16", rtol={"f32": 1e-5, "bf16": 2e-2,
      "f64": 1e-6}, atol={"bf16": 1e-2},  # it stops at a thousandth, which is a millionth after it
      reference=lambda np, x: np.sqrt(x))  # fmt: skip
def until_nothing_moves(t, dtype):
    return t.call(root_of, t.uniform((4, 5), dtype, 0.5, 9))


def collatz(n):
    import jax

    def step(state):
        value, count, most = state
        value = jax.numpy.where(value % 2 == 0, value // 2, 3 * value + 1)
        return value, count + 1, jax.numpy.maximum(most, value)

    return jax.lax.while_loop(lambda s: s[0] != 1, step, (n, n * 0, n))


def collatz_right(np, *numbers):
    found = []
    for n in numbers:
        value, count, most = int(n), 0, int(n)
        while value != 1:
            value = value // 2 if value % 2 == 0 else 3 * value + 1
            count, most = count + 1, max(most, value)
        found.append((value, count, most))
    return found


@case("jax.lax.while_loop", dtypes="i32 i64 u32", core="i32", reference=collatz_right)
def as_often_as_a_value_says(t, dtype):
    """One program for many lengths: 111 steps, 0, 16."""
    made = t.fw.jit(collatz)
    return [t.call(made, t.const(n, dtype)) for n in (27, 1, 7)]


def of_a_tree(state):
    import jax

    def step(s):
        turned = (s["xs"][0] * 0.5, s["xs"][1][::-1])
        return {"xs": turned, "go": s["xs"][0].max() > 4, "n": s["n"] + 1}

    return jax.lax.while_loop(lambda s: s["go"], step, state)


def of_a_tree_right(np, x, y, go, n):
    while go:
        go, x, y, n = x.max() > 4, x * 0.5, y[::-1], n + 1
    return {"go": go, "n": n, "xs": (x, y)}


@case("jax.lax.while_loop", dtypes="f32 bf16", core="f32", reference=of_a_tree_right)
def trees_of_several_dtypes(t, dtype):
    """A bool, whole numbers and two shapes are carried; five halvings are exact."""
    state = {"xs": (t.const([3.0, 64.0, -8.0], dtype), t.randn((4,), "i32"))}
    state.update(go=t.const(True, "bool"), n=t.const(0, "i32"))
    return t.call(of_a_tree, state)


def never(x):
    import jax

    return jax.lax.while_loop(lambda v: v.sum() < -1, lambda v: v * 0 - 7, x)


@case("jax.lax.while_loop", dtypes="f32 i32", core="f32", reference=lambda np, x: x)
def not_even_once(t, dtype):
    return t.call(never, t.uniform((5,), dtype, 1, 9) + 0)


def doublings(limits, x):
    import jax

    def one(limit, v):
        return jax.lax.while_loop(
            lambda s: s[0].sum() < limit, lambda s: (s[0] * 2, s[1] + 1), (v, 0)
        )

    return jax.vmap(one)(limits, x)


def doublings_right(np, limits, x):
    counts = [int(np.ceil(np.log2(limit / row.sum()))) for limit, row in zip(limits, x)]
    counts = np.maximum(counts, 0)
    return x * 2.0 ** counts[:, None], counts


@case("jax.lax.while_loop", dtypes="f32 bf16", core="f32", reference=doublings_right)
def each_of_a_batch_for_itself(t, dtype):
    """Under vmap those that are ready wait, unchanged, for the others."""
    limits = t.const([5.0, 100.0, 0.5, 1000.0], dtype)
    return t.call(doublings, limits, t.const([[1, 2], [2, 1], [4, 1], [1, 1]], dtype))


def inner_loops(x, n):
    import jax

    def outer(state):
        total, i = state
        inner = jax.lax.while_loop(
            lambda s: s[1] < i, lambda s: (s[0] + x * s[1], s[1] + 1), (total, 0)
        )
        return inner[0], i + 1

    return jax.lax.while_loop(lambda s: s[1] < n, outer, (x * 0, 0))[0]


@case("jax.lax.while_loop", dtypes="f32 i32", core=False, rtol=NEAR,
      reference=lambda np, x, n: x * sum(j for i in range(6) for j in range(i)))  # fmt: skip
def loops_within_loops(t, dtype):
    return t.call(inner_loops, t.randint((4,), dtype, 1, 9), t.const(6, "i32"))


def forwards(x, direction):
    import jax

    def powers(v):
        return jax.lax.while_loop(lambda s: s[1] < 3, lambda s: (s[0] * v, s[1] + 1), (v, 0))[0]

    return jax.jvp(powers, (x,), (direction,))


@case("jax.lax.while_loop", dtypes="f32 bf16", core="f32", rtol=NEAR, atol=NEAR,
      reference=lambda np, x, d: (x**4, 4 * x**3 * d))  # fmt: skip
def derivative_forwards(t, dtype):
    return t.call(forwards, t.uniform((5,), dtype, 0.5, 1.5), t.uniform((5,), dtype, 0.5, 1.5))


@case("jax.lax.while_loop", dtypes="f32", core=False, reference="none")
def derivative_backwards_is_refused(t, dtype):
    """Nobody knows how many values would be kept."""
    x = t.uniform((3,), dtype, 1, 2)
    error = t.raises(ValueError, t.call, t.fw.grad(lambda v: root_of(v).sum()), x)
    t.expect("everse-mode" in str(error), "a word about the mode, got %s" % error)


@case("jax.lax.while_loop", dtypes="f32", shapes="0 3x0 scalar", trivial=True, core=False,
      reference=lambda np, x: (x, 3))  # fmt: skip
def loops_over_little(t, dtype, shape):
    def counted(v):
        import jax

        return jax.lax.while_loop(lambda s: s[1] < 3, lambda s: (s[0] * 1, s[1] + 1), (v, 0))

    return t.call(counted, t.randn(shape, dtype))


@case("jax.lax.while_loop", dtypes="f32", core=False, reference=lambda np, x, y, z: [
    v * 2.0 ** max(0, int(np.ceil(np.log2(50 / v.max())))) for v in (x, y, z)])  # fmt: skip
def loops_of_several_sizes(t, dtype):
    def doubled(v):
        import jax

        return jax.lax.while_loop(lambda s: s.max() < 50, lambda s: s * 2, v)

    return [t.call(doubled, t.const(t.np.arange(1, n), dtype)) for n in (4, 11, 40)]


def relaxed(x):
    import jax

    def step(state):
        v, i = state
        return (v + jax.numpy.roll(v, 1, 0) + jax.numpy.roll(v, 1, 1)) / 3, i + 1

    return jax.lax.while_loop(lambda s: s[1] < 10, step, (x, 0))[0]


def relaxed_right(np, x):
    for _ in range(10):
        x = (x + np.roll(x, 1, 0) + np.roll(x, 1, 1)) / 3
    return x


@case("jax.lax.while_loop", dtypes="f32", shapes="1024x1027", large=True, rtol=NEAR, atol=NEAR,
      reference=relaxed_right)  # fmt: skip
def large_loop(t, dtype, shape):
    return t.call(relaxed, t.randn(shape, dtype))


@case("jax.lax.while_loop", core=False, reference="none")
def loops_that_do_not_fit(t):
    x = t.randn((3,), "f32")

    def refused(goes_on, step, start=x):
        t.raises(TypeError, t.call, "jax.lax.while_loop", goes_on, step, start)

    refused(lambda v: v.sum(), lambda v: v)
    refused(lambda v: v > 0, lambda v: v)
    refused(lambda v: v.sum() > 0, lambda v: v.astype("int32"))
    refused(lambda v: v.sum() > 0, lambda v: v[:2])
    refused(lambda v: v.sum() > 0, lambda v: (v, v))
    refused(3, lambda v: v)
    refused(lambda v: True, lambda v: v, "text")
