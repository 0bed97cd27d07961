"""What matters at the edges of dot, square, norm, concatenate, diag and result_type: signs, axes, nothing, other kinds, refusals."""

from seamark_suites.case import case

from .reference import with_gradient

NEAR = {"rtol": {"f32": 1e-5}, "atol": {"f32": 1e-5}}  # sums of some ten products


# --- dot


@case(
    "jax.numpy.dot",
    dtypes="f32 c64 i32",
    core=False,
    reference=lambda np, x, y: [x @ y, x[0] @ y, x[0] @ y[:, 0]],
    **NEAR,
)
def of_any_sign_and_fewer_axes(t, dtype):
    import jax.numpy as jnp

    x, y = t.randn((3, 5), dtype), t.randn((5, 4), dtype)
    return [
        t.call("jax.numpy.dot", a, b) for a, b in ((x, y), (x[0], y), (x[0], jnp.array(y[:, 0])))
    ]


@case(
    "jax.numpy.dot",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: [np.dot(x, y), 3 * x, np.zeros((3, 4))],
    **NEAR,
)
def of_more_axes_numbers_and_nothing(t, dtype):
    x, y = t.randn((2, 3, 5), dtype), t.randn((4, 5, 6), dtype)
    zeros = t.fw.numpy.zeros((3, 0)), t.fw.numpy.zeros((0, 4))
    return [
        t.call("jax.numpy.dot", x, y),
        t.call("jax.numpy.dot", x, 3.0),
        t.call("jax.numpy.dot", *zeros),
    ]


@case("jax.numpy.dot", core=False, reference="none")
def dot_refuses(t):
    t.refuses("jax.numpy.dot", t.randn((3, 4), "f32"), t.randn((3, 4), "f32"))


# --- square


@case("jax.numpy.square", dtypes="f32 bf16", core=False, reference=lambda np, x: x * x)
def square_special(t, dtype):
    inf = float("inf")
    return t.call(
        "jax.numpy.square", t.const([0.0, -0.0, inf, -inf, float("nan"), -3.0, 2.5], dtype)
    )


@case("jax.numpy.square", dtypes="c64 i32 u8", core=False, reference=lambda np, x: x * x)
def square_of_other_kinds(t, dtype):
    return t.call("jax.numpy.square", t.randn((4, 5), dtype))


@case("jax.numpy.square", dtypes="f32", core=False, reference=lambda np, x, w: [2 * x * w, 2 * w])
def square_second_order(t, dtype):
    jax = t.fw

    def slopes(x, w):
        def first(x):
            return jax.grad(lambda x: (jax.numpy.square(x) * w).sum())(x)

        return first(x), jax.grad(lambda x: first(x).sum())(x)

    return t.call(slopes, t.randn((6,), dtype), t.randn((6,), dtype))


@case("jax.numpy.square", dtypes="f32", core=False, reference=lambda np, *xs: [x * x for x in xs])
def square_of_three_sizes(t, dtype):
    return [t.call("jax.numpy.square", t.randn((n, 3), dtype)) for n in (2, 7, 4)]


# --- linalg.norm


def _norms(np, x):
    one, two = x[0], x
    return [
        np.sqrt((abs(one) ** 2).sum()), abs(one).sum(), abs(one).max(), abs(one).min(),
        np.sqrt((abs(two) ** 2).sum()), abs(two).sum(0).max(), abs(two).sum(1).max(),
        np.linalg.svd(two, compute_uv=False).max(), np.linalg.svd(two, compute_uv=False).sum(),
    ]  # fmt: skip


@case(
    "jax.numpy.linalg.norm",
    dtypes="f32 c64",
    core=False,
    reference=_norms,
    rtol={"f32": 1e-4, "c64": 1e-4},
    atol={"f32": 1e-4, "c64": 1e-4},
)  # singular values
def of_any_sign_and_order(t, dtype):
    """Without an order, 1, inf and -inf of a vector; Frobenius, 1, inf, 2 and nuclear of a matrix."""
    x, inf = t.randn((4, 6), dtype), float("inf")
    name = "jax.numpy.linalg.norm"
    vector = [t.call(name, x[0], order) for order in (None, 1, inf, -inf)]
    return vector + [t.call(name, x, order) for order in ("fro", 1, inf, 2, "nuc")]


@case("jax.numpy.linalg.norm", dtypes="f32", core=False, reference=lambda np, x: [
    np.sqrt((x**2).sum((1, 2))), np.sqrt((x**2).sum(-1, keepdims=True)), (abs(x) ** 3).sum(1) ** (1 / 3), (x != 0).sum(0)], **NEAR)  # fmt: skip
def along_axes(t, dtype):
    name, x = "jax.numpy.linalg.norm", t.randn((3, 4, 5), dtype)
    return [
        t.call(name, x, axis=(1, 2)),
        t.call(name, x, axis=-1, keepdims=True),
        t.call(name, x, 3, axis=1),
        t.call(name, x, 0, axis=0),
    ]


@case("jax.numpy.linalg.norm", dtypes="f32", grad=True, core=False, reference=with_gradient(
    lambda np, x: np.sqrt((x**2).sum()), lambda np, w, x: w * x / np.sqrt((x**2).sum())), **NEAR)  # fmt: skip
def slope_of_any_sign(t, dtype):
    return t.call("jax.numpy.linalg.norm", t.randn((7,), dtype))


@case("jax.numpy.linalg.norm", core=False, reference="none")
def norm_refuses(t):
    t.refuses("jax.numpy.linalg.norm", t.randn((3,), "f32"), "fro", axis=0)
    t.refuses("jax.numpy.linalg.norm", t.randn((3, 4, 5), "f32"), 2)


# --- concatenate


@case(
    "jax.numpy.concatenate",
    dtypes="f32 bf16 i32",
    core=False,
    reference=lambda np, x, y, z: [
        np.concatenate([x, y, z], -1),
        x,
        np.concatenate([x, y[:, :0]], 1),
    ],
)
def three_one_and_an_empty_part(t, dtype):
    x, y, z = (t.randn((3, n), dtype) for n in (2, 5, 1))
    name = "jax.numpy.concatenate"
    return [
        t.call(name, [x, y, z], axis=-1),
        t.call(name, (x,)),
        t.call(name, [x, y[:, :0]], axis=1),
    ]


@case("jax.numpy.concatenate", dtypes="f32", grad=True, core=False, reference=with_gradient(
    lambda np, x, y: np.concatenate([x, y], -1), lambda np, w, x, y: (w[:, :2], w[:, 2:])))  # fmt: skip
def slope_along_the_last_axis(t, dtype):
    x, y = t.randn((3, 2), dtype), t.randn((3, 4), dtype)
    return t.call(lambda x, y: t.fw.numpy.concatenate([x, y], axis=-1), x, y)


@case(
    "jax.numpy.concatenate",
    dtypes="i32",
    core=False,
    reference=lambda np, x, y: np.concatenate([x, y]),
)
def into_another_dtype(t, dtype):
    made = t.call(
        "jax.numpy.concatenate", [t.randn((3,), dtype), t.randn((2,), dtype)], dtype="float32"
    )
    t.expect(made.dtype == t.dtype("f32"), "f32")
    return made


@case("jax.numpy.concatenate", core=False, reference="none")
def concatenate_refuses(t):
    name, x = "jax.numpy.concatenate", t.randn((3, 2), "f32")
    t.refuses(name, [x, x], axis=2)
    t.refuses(name, [x[0, 0], x[0, 0]])
    t.refuses(name, [x, t.randn((3, 2, 1), "f32")])
    t.refuses(name, [])


# --- diag


@case(
    "jax.numpy.diag",
    dtypes="f32 bool f64",
    core=False,
    reference=lambda np, x: [np.diag(x, 1), np.diag(x, -2), np.diag(x[0], 1), np.diag(x, 9)],
)
def off_the_diagonal(t, dtype):
    x = t.randn((4, 5), dtype)
    return [t.call("jax.numpy.diag", one, k) for one, k in ((x, 1), (x, -2), (x[0], 1), (x, 9))]


@case("jax.numpy.diag", dtypes="f32", grad=True, core=False, reference=with_gradient(
    lambda np, x: np.diag(x), lambda np, w, x: np.where(np.eye(4, 5), w[:, None], 0)))  # fmt: skip
def slope_of_a_matrix(t, dtype):
    return t.call("jax.numpy.diag", t.randn((4, 5), dtype))


@case("jax.numpy.diag", core=False, reference="none")
def diag_refuses(t):
    t.refuses("jax.numpy.diag", t.randn((2, 3, 4), "f32"))


# --- result_type


@case("jax.numpy.result_type", host_only=True, core=False, reference="none")
def weak_and_strong(t):
    """Python's numbers are weak: they follow the arrays."""
    jnp, name = t.fw.numpy, "jax.numpy.result_type"
    asked = [
        ((jnp.zeros(2, "bfloat16"), 1.0), "bfloat16"),
        ((jnp.zeros(2, "int8"), 3), "int8"),
        ((jnp.zeros(2, "int32"), 1.0), "float32"),
        ((jnp.zeros(2, "float16"), jnp.zeros(2, "bfloat16")), "float32"),
        ((jnp.zeros(2, "int32"), jnp.zeros(2, "float16")), "float16"),
        ((jnp.zeros(2, "uint8"), jnp.zeros(2, "int8")), "int16"),
        ((jnp.zeros(2, "bool"), 1j), "complex64"),
        (("float64",), "float32"),  # without 64-bit types
        ((jnp.zeros(2, "int8"), "uint8", "int16"), "int16"),
    ]
    for arguments, wanted in asked:
        found = t.call(name, *arguments)
        t.expect(str(found) == wanted, "%s, got %s" % (wanted, found))
    t.raises((ValueError, TypeError), t.call, name)
