"""Collectives: each of two devices has one half of an array."""

from seamark_suites.case import case

from .reference import with_affine_gradient


def on_two_devices(function):
    """Arrays are split along their first axis, results joined along it (adapters/jax.py)."""
    function.seamark_mesh_axis = "device"
    return function


def largest(x):
    import jax

    return jax.lax.pmax(x, "device")


def gathered(x):
    import jax

    return jax.lax.all_gather(x, "device")


def gathered_in_place(x):
    import jax

    return jax.lax.all_gather(x, "device", axis=1, tiled=True)


def halves(np, x):
    return np.stack(np.split(x, 2))


@case(
    "jax.lax.pmax",
    dtypes="f32 bf16 i32 f64",
    core="f32 bf16 i32",
    reference=lambda np, x: np.concatenate([halves(np, x).max(0)] * 2),
)
def pmax(t, dtype):
    return t.call(on_two_devices(largest), t.distinct((6, 5), dtype))


def largest_of_batch(x):
    import jax

    return jax.vmap(lambda row: jax.lax.pmax(row, "rows"), axis_name="rows")(x)


@case(
    "jax.lax.pmax",
    dtypes="f32 bf16 i32 f64",
    core="f32",
    reference=lambda np, x: np.tile(x.max(0), (len(x), 1)),
)
def pmax_under_vmap(t, dtype):
    return t.call(largest_of_batch, t.distinct((6, 5), dtype))


@case("jax.lax.pmax", reference="none", core=False)
def axis_without_a_name(t):
    t.raises(NameError, t.call, "jax.lax.pmax", t.randn((3,), "f32"), "nowhere")


@case(
    "jax.lax.all_gather",
    dtypes="f32 bf16 i32 f64",
    core="f32 bf16 i32",
    reference=lambda np, x: np.concatenate([halves(np, x)] * 2),
)
def all_gather(t, dtype):
    return t.call(on_two_devices(gathered), t.randn((6, 5), dtype))


@case(
    "jax.lax.all_gather",
    dtypes="f32 i32",
    core="f32",
    reference=lambda np, x: np.concatenate([np.concatenate(np.split(x, 2), 1)] * 2),
)
def all_gather_tiled(t, dtype):
    return t.call(on_two_devices(gathered_in_place), t.randn((6, 5), dtype))


def gathered_batch(x):
    import jax

    return jax.vmap(lambda row: jax.lax.all_gather(row, "rows"), axis_name="rows")(x)


@case("jax.lax.all_gather", dtypes="f32 f64", core="f32", grad=True,
      reference=with_affine_gradient(lambda np, x: np.stack([x] * 3)))  # fmt: skip
def all_gather_under_vmap(t, dtype):
    return t.call(gathered_batch, t.randn((3, 5), dtype))


def gathered_as_new_axis(x):
    import jax

    return jax.lax.all_gather(x, "device", axis=1)


@case(
    "jax.lax.all_gather",
    dtypes="f32",
    core=False,
    reference=lambda np, x: np.concatenate([np.stack(np.split(x, 2), 1)] * 2),
)
def all_gather_along_another_axis(t, dtype):
    return t.call(on_two_devices(gathered_as_new_axis), t.randn((6, 5), dtype))


@case(
    "jax.lax.all_gather",
    dtypes="bool c64 i8",
    core=False,
    reference=lambda np, x: np.concatenate([halves(np, x)] * 2),
)
def all_gather_of_other_types(t, dtype):
    return t.call(on_two_devices(gathered), t.randn((6, 5), dtype))


def gathered_tree(x, y):
    import jax

    return jax.vmap(lambda a, b: jax.lax.all_gather({"a": a, "b": [b]}, "rows"), axis_name="rows")(
        x, y
    )


@case(
    "jax.lax.all_gather",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: {"a": np.stack([x] * 3), "b": [np.stack([y] * 3)]},
)
def all_gather_of_a_tree(t, dtype):
    return t.call(gathered_tree, t.randn((3, 5), dtype), t.randn((3,), dtype))


@case("jax.lax.all_gather", reference="none", core=False)
def all_gather_without_a_name(t):
    t.raises(NameError, t.call, "jax.lax.all_gather", t.randn((3,), "f32"), "nowhere")


def largest_of_tree(x, y):
    import jax

    return jax.vmap(lambda a, b: jax.lax.pmax({"a": a, "b": [b]}, "rows"), axis_name="rows")(x, y)


@case(
    "jax.lax.pmax",
    dtypes="f32 u8",
    core=False,
    reference=lambda np, x, y: {"a": np.stack([x.max(0)] * 3), "b": [np.full(3, y.max())]},
)
def pmax_of_a_tree(t, dtype):
    return t.call(largest_of_tree, t.distinct((3, 5), dtype), t.distinct((3,), dtype))


def largest_of_two_axes(x):
    import jax

    inner = jax.vmap(lambda value: jax.lax.pmax(value, ("rows", "columns")), axis_name="columns")
    return jax.vmap(inner, axis_name="rows")(x)


@case(
    "jax.lax.pmax",
    dtypes="f32",
    core=False,
    trivial=True,
    reference=lambda np, x: np.full(x.shape, x.max()),
)
def pmax_over_two_axes(t, dtype):
    return t.call(largest_of_two_axes, t.distinct((3, 4), dtype))


@case("jax.lax.pmax", dtypes="f32", core=False, reference="none")
def pmax_with_nan_and_inf(t, dtype):
    nan, inf = float("nan"), float("inf")
    found = t.host(t.call(largest_of_batch, t.const([[nan, -inf, 1.0], [0.0, 2.0, inf]], dtype)))
    t.expect(bool(t.np.isnan(found[:, 0]).all()), "NaN wins")
    t.expect(found[:, 1:].tolist() == [[2.0, inf]] * 2, "2 and infinity, got %s" % found)


@case("jax.lax.pmax", reference="none", core=False)
def pmax_has_no_derivative(t):
    jax, values = t.fw, t.randn((3,), "f32")
    slope = jax.grad(lambda x: jax.vmap(lambda a: jax.lax.pmax(a, "i"), axis_name="i")(x).sum())
    t.raises(NotImplementedError, t.call, slope, values)


def largest_of_its_group(x):
    import jax

    return jax.lax.pmax(x, "device", axis_index_groups=[[0], [1]])


@case("jax.lax.pmax", dtypes="f32", core=False, reference=lambda np, x: x)
def pmax_in_groups(t, dtype):
    """Two groups of one device each: what is not exchanged stays."""
    return t.call(on_two_devices(largest_of_its_group), t.distinct((6, 5), dtype))


def gathered_of_its_group(x):
    import jax

    return jax.lax.all_gather(x, "device", axis_index_groups=[[0], [1]], tiled=True)


@case("jax.lax.all_gather", dtypes="f32", core=False, reference=lambda np, x: x)
def all_gather_in_groups(t, dtype):
    return t.call(on_two_devices(gathered_of_its_group), t.randn((6, 5), dtype))
