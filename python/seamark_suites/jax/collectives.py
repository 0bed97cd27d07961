"""Collectives: each of two devices has one half of an array."""

from seamark_suites.case import case


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


@case("jax.lax.all_gather", dtypes="f32 f64", core="f32", grad=True)
def all_gather_under_vmap(t, dtype):
    return t.call(gathered_batch, t.randn((3, 5), dtype))
