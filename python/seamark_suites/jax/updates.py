"""A part of an array replaced, a tree made one array, and the shape of a broadcast."""

from seamark_suites.case import case

from .reference import with_gradient

# --- dynamic_update_slice


def placed(np, x, part, *starts):
    """A part that would stand out is moved inside."""
    made = x.copy()
    starts = [int(s) + (n if s < 0 else 0) for s, n in zip(starts, x.shape)]
    starts = [min(max(s, 0), n - m) for s, n, m in zip(starts, x.shape, part.shape)]
    made[tuple(slice(s, s + m) for s, m in zip(starts, part.shape))] = part
    return made


def placed_pull(np, w, x, part, *starts):
    hidden = placed(np, np.ones(x.shape), np.zeros(part.shape), *starts)
    return w * hidden, w[hidden == 0].reshape(part.shape)


def update(x, part, *starts):
    import jax

    return jax.lax.dynamic_update_slice(x, part, starts)


def updated(t, x, part, *starts):
    return t.call(update, x, part, *starts)


@case("jax.lax.dynamic_update_slice", dtypes="f32 bf16 i32 bool f16 f64 c64 i8 u8 i64",
      core="f32 bf16 i32 bool", reference=placed)  # fmt: skip
def a_block(t, dtype):
    x, part = t.randn((7, 8), dtype), t.randn((3, 4), dtype)
    return updated(t, x, part, t.const(2, "i32"), t.const(3, "i32"))


@case("jax.lax.dynamic_update_slice", dtypes="f32 bf16 f64", grad=True, core="f32 bf16",
      reference=with_gradient(placed, placed_pull))  # fmt: skip
def update_gradient(t, dtype):
    """Of what is hidden it is zero."""
    x, part = t.randn((5, 6), dtype), t.randn((2, 3), dtype)
    return updated(t, x, part, t.const(1, "i32"), t.const(2, "i32"))


@case("jax.lax.dynamic_update_slice", dtypes="f32", start=[6, 99, -1, -3, -99],
      reference=lambda np, x, part, at, zero, start: placed(np, x, part, at, zero))  # fmt: skip
def starts_beyond_the_ends(t, dtype, start):
    """The part is moved inside; a negative start counts from the end."""
    x, part = t.randn((7, 5), dtype), t.randn((3, 2), dtype)
    return updated(t, x, part, t.const(start, "i32"), t.const(0, "i32"))


@case("jax.lax.dynamic_update_slice", kind=["i32", "i8", "u8", "u32", "i64"], core=False,
      reference=lambda np, x, part, a, b, kind: placed(np, x, part, a, b))  # fmt: skip
def dtypes_of_the_start(t, kind):
    x, part = t.randn((9, 7), "f32"), t.randn((2, 2), "f32")
    return updated(t, x, part, t.const(4, kind), t.const(5, kind))


@case("jax.lax.dynamic_update_slice", dtypes="f32", core=False,
      reference=lambda np, x, part: (placed(np, x, part, 1, 2), placed(np, x, part, 1, 2)))  # fmt: skip
def starts_that_are_known(t, dtype):
    """Python's numbers, and one array for all axes."""
    x, part = t.randn((5, 6), dtype), t.randn((2, 3), dtype)
    one = t.call("jax.lax.dynamic_update_slice", x, part, (1, 2))
    return one, t.call("jax.lax.dynamic_update_slice", x, part, t.np.array([1, 2], "int32"))


def filled(cache, tokens):
    """As a cache of keys and values is filled, token by token."""
    import jax

    def step(state, token):
        cache, n = state
        return (jax.lax.dynamic_update_slice(cache, token[:, None], (0, n, 0)), n + 1), None

    return jax.lax.scan(step, (cache, jax.numpy.int32(2)), tokens)[0]


@case("jax.lax.dynamic_update_slice", dtypes="f32 bf16", core="f32 bf16",
      reference=lambda np, cache, tokens: (
          np.concatenate([cache[:, :2], tokens.transpose(1, 0, 2), cache[:, 5:]], 1), 5
      ))  # fmt: skip
def a_cache_of_tokens(t, dtype):
    return t.call(t.fw.jit(filled), t.randn((2, 8, 4), dtype), t.randn((3, 2, 4), dtype))


def of_each(x, part, starts):
    import jax

    def one(v, p, s):
        return jax.lax.dynamic_update_slice(v, p, (s,))

    return jax.vmap(one)(x, part, starts), jax.vmap(one, (None, None, 0))(x[0], part[0], starts)


@case("jax.lax.dynamic_update_slice", dtypes="f32 i32", core="f32",
      reference=lambda np, x, part, starts: (
          np.stack([placed(np, *one) for one in zip(x, part, starts)]),
          np.stack([placed(np, x[0], part[0], start) for start in starts]),
      ))  # fmt: skip
def starts_of_each_of_a_batch(t, dtype):
    """Under vmap a scatter."""
    return t.call(
        of_each, t.randn((4, 9), dtype), t.randn((4, 3), dtype), t.const([0, 5, 8, 2], "i32")
    )


@case("jax.lax.dynamic_update_slice", dtypes="f32", core=False, reference=lambda np, x, whole, n: (
    whole, x, n))  # fmt: skip
def all_and_nothing(t, dtype):
    x, whole, number = t.randn((4, 5), dtype), t.randn((4, 5), dtype), t.randn((), dtype)
    zero = t.fw.numpy.int32(0)
    return (
        updated(t, x, whole, zero, zero),
        updated(t, x, x[:0], zero, zero),
        updated(t, -number, number),
    )


@case("jax.lax.dynamic_update_slice", dtypes="f32", core=False, reference=lambda np, *given: [
    placed(np, *given[i : i + 4]) for i in (0, 4, 8)])  # fmt: skip
def sizes_one_after_another(t, dtype):
    found = []
    for n, m in ((3, 2), (9, 4), (33, 7)):
        x, part = t.randn((n, 5), dtype), t.randn((m, 2), dtype)
        found.append(updated(t, x, part, t.const(1, "i32"), t.const(2, "i32")))
    return found


@case("jax.lax.dynamic_update_slice", dtypes="f32", core=False, reference=lambda np, x, p, i: (
    placed(np, x, p, i), placed(np, np.signbit(x), np.signbit(p), i)))  # fmt: skip
def special_values(t, dtype):
    """Copied as they are: NaN, infinity, the sign of zero."""
    inf = float("inf")
    x = t.const([-0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, inf], dtype)
    part = t.const([-0.0, float("nan"), inf, -inf, 0.0], dtype)

    def run(v, p, i):
        made = update(v, p, i)
        return made, t.fw.numpy.signbit(made)

    made, signs = t.call(run, x, part, t.const(2, "i32"))
    return made, signs


@case("jax.lax.dynamic_update_slice", dtypes="f32 bf16", large=True, reference=placed)
def large_update(t, dtype):
    x, part = t.randn((1024, 4099), dtype), t.randn((511, 2053), dtype)
    return updated(t, x, part, t.const(300, "i32"), t.const(1001, "i32"))


@case("jax.lax.dynamic_update_slice", core=False, reference="none")
def updates_that_do_not_fit(t):
    x, part = t.randn((3, 4), "f32"), t.randn((2, 2), "f32")

    def refused(x, part, starts):
        t.raises((TypeError, ValueError), t.call, "jax.lax.dynamic_update_slice", x, part, starts)

    refused(x, t.randn((4, 2), "f32"), (0, 0))
    refused(x, part, (0,))
    refused(x, part, (0, 0, 0))
    refused(x, t.randn((2,), "f32"), (0, 0))
    refused(x, part.astype("int32"), (0, 0))
    refused(x, part, (0.5, 0.5))


# --- ravel_pytree


def ravel_and_back(tree):
    import jax
    import jax.flatten_util

    flat, back = jax.flatten_util.ravel_pytree(tree)
    return flat, back(flat * 2)


def joined(np, *parts):
    return np.concatenate([part.ravel() for part in parts])


@case("jax.flatten_util.ravel_pytree", dtypes="f32 bf16 i32 bool f64 c64 u8",
      core="f32 bf16 i32",
      reference=lambda np, w, b, s: (
          joined(np, b, s, w), {"w": w, "b": [b, None, (s,)]}
      ) if w.dtype == bool else (joined(np, b, s, w), {"w": 2 * w, "b": [2 * b, None, (2 * s,)]}))  # fmt: skip
def a_tree_and_back(t, dtype):
    tree = {
        "w": t.randn((3, 4), dtype),
        "b": [t.randn((2, 1, 3), dtype), None, (t.randn((), dtype),)],
    }
    if dtype == "bool":
        return t.call(ravel_as_it_is, tree)
    return t.call(ravel_and_back, tree)


def ravel_as_it_is(tree):
    import jax
    import jax.flatten_util

    flat, back = jax.flatten_util.ravel_pytree(tree)
    return flat, back(flat)


def norm(x, y):
    import jax
    import jax.flatten_util

    flat, _ = jax.flatten_util.ravel_pytree({"x": x, "y": [y]})
    return flat * flat


@case("jax.flatten_util.ravel_pytree", dtypes="f32 bf16 f64", grad=True, core="f32 bf16",
      rtol={"f64": 1e-14},  # three roundings
      reference=with_gradient(
          lambda np, x, y: joined(np, x, y) ** 2,
          lambda np, w, x, y: (2 * x * w[: x.size].reshape(x.shape), 2 * y * w[x.size :]),
      ))  # fmt: skip
def ravel_gradient(t, dtype):
    return t.call(norm, t.randn((3, 4), dtype), t.randn((5,), dtype))


def by_the_flat_array(tree, x):
    """As optimizers of flat arrays call a model."""
    import jax
    import jax.flatten_util

    flat, back = jax.flatten_util.ravel_pytree(tree)

    def loss(values):
        p = back(values)
        return ((x @ p["w"] + p["b"]) ** 2).sum()

    return jax.jit(jax.grad(loss))(flat), jax.hessian(loss)(flat).diagonal()


def by_the_flat_array_right(np, b, w, x):
    off = x @ w + b
    slopes = 2 * joined(np, off.sum(0), x.T @ off)
    return slopes, 2 * joined(np, np.full(b.shape, float(len(x))), np.repeat((x**2).sum(0), len(b)))


@case("jax.flatten_util.ravel_pytree", dtypes="f32 f64", core="f32", rtol={"f32": 1e-4, "f64": 1e-12},
      atol={"f32": 1e-4, "f64": 1e-12},  # sums that may cancel
      reference=by_the_flat_array_right)  # fmt: skip
def derivatives_by_the_flat_array(t, dtype):
    tree = {"b": t.randn((3,), dtype), "w": t.randn((4, 3), dtype)}
    return t.call(by_the_flat_array, tree, t.randn((5, 4), dtype))


def mixed(tree):
    import jax
    import jax.flatten_util

    flat, back = jax.flatten_util.ravel_pytree(tree)
    return flat, back(flat + 1)


@case("jax.flatten_util.ravel_pytree", other=["i32", "bf16", "bool"], core="i32",
      reference=lambda np, x, n, other: (
          joined(np, n, x), [(n > -9) if other == "bool" else n + 1, x + 1]
      ))  # fmt: skip
def mixed_dtypes(t, other):
    """One dtype for all in the array; each leaf comes back in its own."""
    x, n = t.randint((3, 2), "f32", -9, 9), t.randint((4,), other, 0, 2)
    flat, (back_n, back_x) = t.call(mixed, [n, x])
    t.expect(back_n.dtype == n.dtype and back_x.dtype == x.dtype, "both dtypes")
    t.expect(flat.dtype == t.dtype("f32"), "f32 for all, got %s" % flat.dtype)
    return flat, [back_n, back_x]


def each_row(tree):
    import jax
    import jax.flatten_util

    return jax.vmap(lambda one: jax.flatten_util.ravel_pytree(one)[0])(tree)


@case("jax.flatten_util.ravel_pytree", dtypes="f32 i32", core=False,
      reference=lambda np, x, y: np.concatenate([x.reshape(5, -1), y], 1))  # fmt: skip
def ravel_under_vmap(t, dtype):
    return t.call(each_row, [t.randn((5, 2, 3), dtype), t.randn((5, 4), dtype)])


@case("jax.flatten_util.ravel_pytree", dtypes="f32", core=False,
      reference=lambda np, x, y, z: [(joined(np, v, v), [2 * v, {"k": 2 * v}]) for v in (x, y, z)])  # fmt: skip
def trees_one_after_another(t, dtype):
    arrays = [t.randn(shape, dtype) for shape in ((2, 3), (7,), (2, 2, 2))]
    return [t.call(ravel_and_back, [x, {"k": x}]) for x in arrays]


@case("jax.flatten_util.ravel_pytree", core=False, trivial=True, reference="none")
def nothing_and_numbers(t):
    flat, back = t.call("jax.flatten_util.ravel_pytree", {"a": None, "b": []})
    t.expect(flat.shape == (0,) and back(flat) == {"a": None, "b": []}, "no number and the tree")
    flat, back = t.call("jax.flatten_util.ravel_pytree", [1.5, (2.5,)])
    t.expect(t.host(flat).tolist() == [1.5, 2.5], "Python's numbers, got %s" % flat)
    t.expect([float(x) for x in t.fw.tree_util.tree_leaves(back(flat))] == [1.5, 2.5], "and back")
    flat, back = t.call("jax.flatten_util.ravel_pytree", {"e": t.randn((0, 3), "f32")})
    t.expect(flat.shape == (0,) and back(flat)["e"].shape == (0, 3), "an empty array")


@case("jax.flatten_util.ravel_pytree", dtypes="f32 bf16", large=True,
      reference=lambda np, x, y, z: (joined(np, x, y, z), [2 * x, 2 * y, 2 * z]))  # fmt: skip
def large_tree(t, dtype):
    return t.call(
        ravel_and_back,
        [t.randn((1024, 1025), dtype), t.randn((1000003,), dtype), t.randn((513, 2047), dtype)],
    )


@case("jax.flatten_util.ravel_pytree", core=False, reference="none")
def what_cannot_be_raveled(t):
    t.raises(TypeError, t.call, "jax.flatten_util.ravel_pytree", {"a": "text"})
    x, n = t.randn((3,), "f32"), t.randn((2,), "i32")
    flat, back = t.call("jax.flatten_util.ravel_pytree", {"a": x})
    t.expect(t.np.array_equal(t.host(flat), t.host(x)), "the numbers of the array")
    t.raises((TypeError, ValueError), back, t.randn((4,), "f32"))
    flat, back = t.call("jax.flatten_util.ravel_pytree", {"a": x, "b": n})
    t.expect(t.np.array_equal(t.host(flat)[3:], t.host(n)), "and the whole ones after them")
    t.raises(TypeError, back, t.randn((5,), "i32"))


# --- broadcast_shapes

PAIRS = [
    ((3, 1), (1, 4)),
    ((2, 3, 4), (4,)),
    ((5, 1, 3), (2, 1), (1,)),
    ((7,), (7,), (1,), (7,)),
    ((), (2, 3)),
    ((6, 1, 5), ()),
]
LITTLE = [((),), ((0,), (1,)), ((3, 0), (1, 1), (0,)), ((4, 2),), ((1,), (1, 1))]


@case("jax.lax.broadcast_shapes", given=PAIRS, host_only=True,
      reference=lambda np, given: np.broadcast_shapes(*given))  # fmt: skip
@case("jax.lax.broadcast_shapes", given=LITTLE, host_only=True, core=False, trivial=True,
      name="empty_and_alone",
      reference=lambda np, given: np.broadcast_shapes(*given))  # fmt: skip
def shapes(t, given):
    found = t.call("jax.lax.broadcast_shapes", *given)
    t.expect(type(found) is tuple, "a tuple, got %s" % type(found))
    return found


@case("jax.lax.broadcast_shapes", host_only=True, core=False, reference="none")
def shapes_of_lists_and_of_numpy(t):
    found = t.call("jax.lax.broadcast_shapes", [3, 1], t.np.array([1, 4]))
    t.expect(tuple(found) == (3, 4), "any sequence, got %r" % (found,))
    values = t.randn((3, 1), "f32") + t.randn((1, 4), "f32")
    t.expect(values.shape == tuple(found), "the shape of a sum")


@case("jax.lax.broadcast_shapes", host_only=True, core=False, reference="none")
def shapes_while_tracing(t):
    def run(x, y):
        shape = t.call("jax.lax.broadcast_shapes", x.shape, y.shape)
        return t.fw.numpy.broadcast_to(x, shape) * y

    x, y = t.randn((2, 1), "f32"), t.randn((3,), "f32")
    made = t.host(t.fw.jit(run)(x, y))
    t.expect(bool(t.np.allclose(made, t.host(x) * t.host(y), rtol=1e-6)), "a product of 2 x 3")


@case("jax.lax.broadcast_shapes", host_only=True, core=False, reference="none")
def shapes_that_do_not_fit(t):
    def refused(kinds, *given):
        t.raises(kinds, t.call, "jax.lax.broadcast_shapes", *given)

    refused(ValueError, (2,), (3,))
    refused(ValueError, (0,), (2,))
    refused(ValueError, (2, 3), (3, 2), (1,))
    refused(TypeError, (-1,), (2,))
    refused(TypeError, (2.5,), (1,))
    refused(TypeError, (2, 3), 3)
