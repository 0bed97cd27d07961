"""dynamic_update_slice and ravel_pytree, beyond: starts of few bits, programs, batches of a part, kinds that meet."""

import collections

from seamark_suites.case import case

from .reference import with_gradient
from .updates import joined, placed, placed_pull, ravel_as_it_is, update, updated

UPDATE, RAVEL = "jax.lax.dynamic_update_slice", "jax.flatten_util.ravel_pytree"


@case(UPDATE, dtypes="i32 i8 u8", core=False, reference=lambda np, x, part, near, far: [
      placed(np, x, part, near), placed(np, x, part, far)],
      cpu_fails={"i8 u8": "jax 0.10.2: a start of 8 bits is clamped in 8 bits, where the axis is longer than these can say"})  # fmt: skip
def starts_of_few_bits_in_a_long_axis(t, dtype):
    x, part = t.randn((300,), "f32"), t.randn((2,), "f32")
    near, far = t.const(100, dtype), t.const(250 if dtype == "u8" else 120, dtype)
    return [t.call(update, x, part, near), t.call(update, x, part, far)]


def places_in_one_array(x, part, starts, v):
    import jax

    lax = jax.lax
    mixed = lax.dynamic_update_slice(x, part, (1, starts[1]))
    plain = lax.dynamic_update_slice(x, part, starts, allow_negative_indices=False)
    value, slope = jax.jvp(
        lambda x, p: lax.dynamic_update_slice(x, p, starts) ** 2, (x, part), (v, part)
    )
    return mixed, plain, value, slope


def places_right(np, x, part, starts, v):
    whole, slope = placed(np, x, part, *starts), placed(np, v, part, *starts)
    return placed(np, x, part, 1, starts[1]), whole, whole**2, 2 * whole * slope


@case(
    UPDATE,
    dtypes="f32 c64",
    core=False,
    since=("0.5.3", "allow_negative_indices"),
    reference=places_right,
)
def starts_in_one_array_and_forwards(t, dtype):
    """All starts in one array that is traced, one of them known; forward mode; a start that is not negative."""
    x, part = t.randn((5, 6), dtype), t.randn((2, 3), dtype)
    return t.call(
        t.fw.jit(places_in_one_array), x, part, t.const([2, 1], "i32"), t.randn((5, 6), dtype)
    )


def a_part_of_a_batch(x, part):
    import jax

    def one(v, p):
        return jax.lax.dynamic_update_slice(v, p, (2,))

    return jax.vmap(one, (1, None), 1)(x, part[0]), jax.vmap(one, (None, 0))(x[:, 0], part)


@case(UPDATE, dtypes="f32 i32", core=False, reference=lambda np, x, part: (
      np.stack([placed(np, v, part[0], 2) for v in x.T], 1), np.stack([placed(np, x[:, 0], p, 2) for p in part])))  # fmt: skip
def arrays_or_parts_of_a_batch(t, dtype):
    return t.call(a_part_of_a_batch, t.randn((7, 4), dtype), t.randn((5, 3), dtype))


@case(UPDATE, dtypes="c64", grad=True, core=False, reference=with_gradient(placed, placed_pull))
def slope_of_complex_numbers(t, dtype):
    x, part = t.randn((5, 6), dtype), t.randn((2, 3), dtype)
    return updated(t, x, part, t.const(1, "i32"), t.const(2, "i32"))


@case(UPDATE, core=False, reference="none")
def starts_that_are_none(t):
    """A number alone, an array of two axes, text; a negative one where none is allowed."""
    x, part = t.randn((5,), "f32"), t.randn((2,), "f32")
    for wrong in (1, t.np.ones((1, 1), int), ("a",), None):
        t.refuses(UPDATE, x, part, wrong)
    t.refuses(UPDATE, x, 2.0, (1,))


KINDS = [("f32", "c64", "c64"), ("bool", "i32", "i32"), ("bf16", "f16", "f32"), ("i8", "u8", "i16")]


@case(
    RAVEL,
    number=[0, 1, 2, 3],
    core=False,
    reference=lambda np, x, y, number: (joined(np, x, y), [x, (y,)]),
)
def kinds_that_meet(t, number):
    """What holds both; each leaf comes back as it was."""
    one, other, want = KINDS[number]
    x, y = (
        t.randint((3,), one, 0, 2) if one == "bool" else t.randint((3,), one, 0, 9),
        t.randint((2, 2), other, 0, 9),
    )
    flat, back = t.call(ravel_as_it_is, [x, (y,)])
    t.expect(flat.dtype == t.dtype(want), "%s, got %s" % (want, flat.dtype))
    t.expect(back[0].dtype == x.dtype and back[1][0].dtype == y.dtype, "both dtypes")
    return flat, back


def back_in_programs(tree):
    import jax
    import jax.flatten_util

    flat, back = jax.flatten_util.ravel_pytree(tree)
    batch = jax.numpy.stack([flat, flat * 2])
    return (
        jax.vmap(back)(batch),
        jax.jvp(back, (flat,), (flat * 3,))[1],
        back(flat.astype("bfloat16")),
    )


@case(RAVEL, dtypes="f32", core=False, reference=lambda np, x, y: tuple(
      {"k": [v(y)], "w": v(x)} for v in (lambda z: np.stack([z, 2 * z]), lambda z: 3 * z, lambda z: z)))  # fmt: skip
def trees_back_in_programs(t, dtype):
    """What gives the tree back, under vmap and forwards; where all are of one dtype it takes another."""
    tree = {"w": t.randint((2, 3), dtype, -9, 9), "k": [t.randint((4,), dtype, -9, 9)]}
    rows, forwards, half = t.call(back_in_programs, tree)
    t.expect(half["w"].dtype == t.dtype("bf16"), "bf16, got %s" % half["w"].dtype)
    return rows, forwards, half


@case(RAVEL, core=False, reference="none")
def the_same_way_back(t):
    """Of trees of one form it is equal: a program that has it is not made again. f32 of nothing."""
    jax, seen = t.fw, []
    first, back = t.call(RAVEL, (t.const([1, 2], "i32"), t.const([3], "i32")))
    second, again = t.call(RAVEL, (t.const([4, 5], "i32"), t.const([6], "i32")))
    program = jax.jit(lambda flat, back: seen.append(1) or back(flat + 1), static_argnums=1)
    found = [t.host(part).tolist() for part in (*program(first, back), *program(second, again))]
    t.expect(
        found == [[2, 3], [4], [5, 6], [7]] and len(seen) == 1,
        "one program, got %s, %s" % (found, seen),
    )
    flat, _ = t.call(RAVEL, [])
    t.expect(str(flat.dtype) == "float32" and flat.shape == (0,), "no f32 number")
    t.raises((TypeError, ValueError), back, first.reshape(1, 3))


@case(
    "jax.lax.broadcast_shapes",
    host_only=True,
    core=False,
    reference="none",
    since=("0.4.30", "sizes with names"),
)
def sizes_with_names(t):
    """Sizes that are not known while a program is exported, beside others; many shapes; no number of axes."""
    name = "jax.lax.broadcast_shapes"
    a, b = t.fw.export.symbolic_shape("a, b")
    t.expect(t.call(name, (a, 1, 3), (1, b, 1)) == (a, b, 3), "both names and a number")
    t.expect(t.call(name, (a, 4), (a, 1), (4,)) == (a, 4), "a name beside itself")
    t.expect(t.call(name, *[(1,) * n for n in range(9)], (5, 1)) == (1,) * 6 + (5, 1), "ten shapes")
    t.raises((TypeError, ValueError), t.call, name, (a,), (b,))
    t.raises(TypeError, t.call, name, None)


def by_axis(x, part, starts):
    import jax

    update = jax.lax.dynamic_update_slice
    first = update(x, part, (-3, starts[1]), allow_negative_indices=(True, False))
    both = update(x, part, starts, allow_negative_indices=[False, True])
    slope = jax.grad(lambda p: (update(x, p * p, starts) ** 2).sum())(part)
    twice = jax.vmap(jax.vmap(update, (None, 0, None)), (None, 0, None))(
        x, part[None, None], starts
    )
    hessian = jax.hessian(lambda p: (update(x, p, starts) ** 3).sum())(part)
    n = part.size
    return first, both, slope, twice[0, 0], hessian.reshape(n, n).diagonal()


@case(UPDATE, dtypes="f32", core=False, since=("0.5.3", "allow_negative_indices"), rtol={"f32": 1e-5},
      reference=lambda np, x, part, starts: (
      placed(np, x, part, 2, starts[1]), placed(np, x, part, *starts), 4 * part**3, placed(np, x, part, *starts),
      6 * part.ravel()))  # fmt: skip
def negative_starts_of_some_axes(t, dtype):
    """Counted from the end in one axis alone; a second derivative; a batch of batches."""
    x, part = t.randn((5, 6), dtype), t.uniform((2, 3), dtype, 1, 2)
    return t.call(by_axis, x, part, t.const([1, 2], "i32"))


@case(UPDATE, kind=["float8_e4m3fn", "float8_e5m2", "int4", "uint16", "complex64"], core=False,
      reference=lambda np, x, part, kind: [placed(np, x, part, 1, 2)] * 2)  # fmt: skip
def blocks_of_other_kinds(t, kind):
    """Few bits and others, by their names; NumPy's array and part are taken, too."""
    x, part = t.randint((5, 6), "f32", 0, 8), t.randint((2, 3), "f32", 0, 8)
    made = t.call(lambda x, part: update(x.astype(kind), part.astype(kind), 1, 2), x, part)
    t.expect(str(made.dtype) == kind, "%s, got %s" % (kind, made.dtype))
    own = t.host(x).astype("float32"), t.host(part).astype("float32")
    plain = t.call(lambda one: update(own[0], own[1], one, 2), t.fw.numpy.int32(1))
    return [made.astype("complex64").real, plain]


Named = collections.namedtuple("Named", "z a")


@case(RAVEL, dtypes="f32 i32", core=False, reference=lambda np, x, y: (
      np.concatenate([2 * x.ravel(), 2 * y, 2 * x[0], [6]]), joined(np, y, x), 3 * x, 2 * y))  # fmt: skip
def trees_of_other_containers(t, dtype):
    """Named tuples and ordered dictionaries in their order, NumPy's arrays, numbers; in a program; wrong lengths there."""
    x, y, jax = t.randint((2, 3), dtype, -9, 9), t.randint((4,), dtype, -9, 9), t.fw
    ravel, own = t.get(RAVEL), t.host(x).astype({"f32": "float32", "i32": "int32"}[dtype])
    tree = Named(x, collections.OrderedDict([("q", y), ("b", [own[0], t.dtype(dtype).type(3)])]))
    flat = t.call(jax.jit(lambda tree: ravel(tree)[0] * 2), tree)
    _, back = ravel({"x": x, "a": y})
    made = t.call(jax.jit(lambda x, y: back(ravel({"b": 3 * x, "a": 2 * y})[0])), x, y)
    again = back(flat[: x.size + y.size])
    t.expect(list(again) == ["a", "x"] and again["x"].shape == x.shape, "the tree of the first")
    for wrong in (flat, flat[None, :3], flat[:0]):
        t.raises((TypeError, ValueError), jax.jit(back), wrong)
    t.raises((TypeError, ValueError), back, 3.0)
    whole, _ = t.call(ravel, {"x": x, "a": y})
    return flat, whole, made["x"], made["a"]
