"""More of a method's reshape and of einsum."""

from seamark_suites.case import case

from .transformed import NP

RESHAPE, EINSUM = "jax.Array.reshape", NP + "einsum"


@case(RESHAPE, dtypes="f32 i32", core=False, reference=lambda np, x, one: [
      x.reshape(4, 6), x.reshape(24), x.reshape(2, 3, 4), x.reshape(-1, 8), x.reshape(4, 6, order="F"), one.reshape(()),
      one.reshape(1, 1, 1)])  # fmt: skip
def by_sizes_and_order(t, dtype):
    """Sizes in a tuple, one alone, several, an open one; column by column; one number to no axes and back."""
    x, one = t.randn((3, 8), dtype), t.randn((1,), dtype)

    def reshaped(x, *sizes, **options):
        return x.reshape(*sizes, **options)

    ways = [(x, (4, 6)), (x, 24), (x, 2, 3, 4), (x, -1, 8)]
    made = [t.call(reshaped, *way) for way in ways]
    return [
        *made,
        t.call(reshaped, x, 4, 6, order="F"),
        t.call(reshaped, one, ()),
        t.call(reshaped, one, 1, 1, 1),
    ]


@case(RESHAPE, core=False, reference="none")
def reshape_refuses(t):
    """Two open sizes, sizes that do not divide, a fraction, an order that is not there."""
    x = t.randn((3, 8), "f32")
    for sizes in ((-1, -1), (5, -1), (2.5, 4)):
        t.refuses(lambda x, sizes=sizes: x.reshape(sizes), x)
    t.raises((NotImplementedError, ValueError), t.call, lambda x: x.reshape(24, order="A"), x)


@case(EINSUM, dtypes="f32", core=False, rtol={"f32": 1e-5}, reference=lambda np, x, y, z: [
      np.einsum("ij,jk", x, y), x.T, np.einsum("ij,jk,kl->il", x, y, z), np.einsum("ij,jk,kl->il", x, y, z)])  # fmt: skip
def by_numbered_axes(t, dtype):
    """Axes as numbers in lists; an order that is found in one way or another."""
    x, y, z = (t.uniform(size, dtype, 0.5, 1.5) for size in ((3, 4), (4, 5), (5, 2)))
    return [
        t.call(EINSUM, x, [0, 1], y, [1, 2]),
        t.call(EINSUM, x, [0, 1], [1, 0]),
        t.call(EINSUM, "ij,jk,kl->il", x, y, z, optimize="greedy"),
        t.call(EINSUM, x, [0, 1], y, [1, 2], z, [2, 3], [0, 3], optimize=False),
    ]


@case(EINSUM, dtypes="bf16", core=False, rtol={"f32": 1e-4}, reference=lambda np, x, y: x @ y)
def einsum_in_f32(t, dtype):
    """preferred_element_type: what halves add up to is f32."""
    x, y = t.uniform((4, 300), dtype, 0.5, 1.5), t.uniform((300, 3), dtype, 0.5, 1.5)
    made = t.call(
        EINSUM, "ij,jk->ik", x, y, preferred_element_type=t.dtype("f32"), precision="highest"
    )
    t.expect(t.place == "wide" or made.dtype == t.dtype("f32"), "f32")
    return made


@case(
    EINSUM,
    dtypes="f32",
    core=False,
    reference=lambda np, x: [np.zeros((3, 2)), np.zeros((0, 2)), x.sum(0)],
)
def einsum_of_nothing(t, dtype):
    """An inner axis of nothing, no rows, beside a sum of rows."""
    jnp, x = t.fw.numpy, t.uniform((4, 2), dtype, 0.5, 1.5)
    return [
        t.call(EINSUM, "ij,jk->ik", jnp.zeros((3, 0)), jnp.zeros((0, 2))),
        t.call(EINSUM, "ij,jk->ik", jnp.zeros((0, 4)), x),
        t.call(EINSUM, "ij->j", x),
    ]
