"""Arrays from arrays: choice, shapes, types and constants."""

from seamark_suites.case import case

from .reference import same, with_affine_gradient, with_gradient


def astype_of(x, dtype):
    """The method of an array: that of jax.Array itself is abstract."""
    return x.astype(dtype)


def reshape_of(x, *shape):
    return x.reshape(*shape)


def called(function):
    """What a case calls for the function of that name."""
    return reshape_of if function == "jax.Array.reshape" else function


@case(
    "jax.numpy.where",
    dtypes="f32 bf16 i32 bool f64 c64",
    core="f32 bf16 i32",
    reference=lambda np, m, x, y: np.where(m, x, y),
)
def where(t, dtype):
    return t.call(
        "jax.numpy.where",
        t.randn((64, 33), "bool"),
        t.randn((64, 33), dtype),
        t.randn((64, 33), dtype),
    )


@case(
    "jax.numpy.where", dtypes="f32 bf16", core=False, reference=lambda np, m, x: np.where(m, x, 0)
)
def where_broadcasts(t, dtype):
    return t.call(
        "jax.numpy.where", t.const([[True], [False], [True]], "bool"), t.randn((5,), dtype), 0
    )


@case("jax.numpy.where", core=False, reference=lambda np, x: np.where(x))
def where_of_condition_alone(t):
    return t.call("jax.numpy.where", t.const([[0, 3, 0], [1, 0, 2]], "i32"), size=3)


@case("jax.numpy.where", core=False, reference=lambda np, m, x, y: np.where(m, x, y))
def where_promotes(t):
    return t.call(
        "jax.numpy.where", t.randn((20,), "bool"), t.randn((20,), "i32"), t.randn((20,), "f32")
    )


@case(
    "jax.numpy.where",
    dtypes="f32 bf16",
    grad=True,
    reference=with_gradient(
        lambda np, m, x, y: np.where(m, x, y),
        lambda np, w, m, x, y: (w * m, w * (1 - m)),
        of=(1, 2),
    ),
)
def where_gradient(t, dtype):
    m = t.const([True, False, True, True, False, False], "bool")
    return t.call("jax.numpy.where", m, t.randn((6,), dtype), t.randn((6,), dtype))


@case("jax.numpy.where", dtypes="f32", core=False, reference=lambda np, m, x: np.where(m, x, 1))
def where_hides_nan(t, dtype):
    nan = float("nan")
    return t.call(
        "jax.numpy.where",
        t.const([True, False, True], "bool"),
        t.const([2.0, nan, nan], dtype),
        1.0,
    )


@case("jax.numpy.where", dtypes="f32", large=True, reference=lambda np, m, x, y: np.where(m, x, y))
def where_large(t, dtype):
    return t.call(
        "jax.numpy.where",
        t.randn((2000, 2000), "bool"),
        t.randn((2000, 2000), dtype),
        t.randn((2000, 2000), dtype),
    )


@case("jax.numpy.where", reference="none", core=False)
def where_shapes_that_do_not_fit(t):
    t.refuses("jax.numpy.where", t.randn((3,), "bool"), t.randn((4,), "f32"), 0)
    t.refuses("jax.numpy.where", t.randn((3,), "bool"), t.randn((3,), "f32"))


MOVES = {
    "jax.numpy.broadcast_to": lambda np, x: np.broadcast_to(x, (5, 1, 4, 6)),
    "jax.numpy.expand_dims": lambda np, x: x[None, :, :, :, None],
    "jax.numpy.transpose": lambda np, x: np.transpose(x, (2, 0, 1)),
    "jax.numpy.squeeze": lambda np, x: x.reshape(4, 6),
    "jax.Array.reshape": lambda np, x: x.reshape(3, 8),
}
EXTRA = {
    "jax.numpy.broadcast_to": ((5, 1, 4, 6),),
    "jax.numpy.expand_dims": ((0, -1),),
    "jax.numpy.transpose": ((2, 0, 1),),
    "jax.numpy.squeeze": (),
    "jax.Array.reshape": (3, -1),
}


@case(
    "jax.numpy.broadcast_to",
    dtypes="f32 bf16 i32 bool f64 c64",
    core="f32 bf16 i32",
    reference=MOVES["jax.numpy.broadcast_to"],
)
@case(
    "jax.numpy.expand_dims",
    dtypes="f32 bf16 i32 bool f64 c64",
    core="f32 bf16 i32",
    reference=MOVES["jax.numpy.expand_dims"],
)
@case(
    "jax.numpy.transpose",
    dtypes="f32 bf16 i32 bool f64 c64",
    core="f32 bf16 i32",
    reference=MOVES["jax.numpy.transpose"],
)
@case(
    "jax.numpy.squeeze",
    dtypes="f32 bf16 i32 bool f64 c64",
    core="f32 bf16 i32",
    reference=MOVES["jax.numpy.squeeze"],
)
@case(
    "jax.Array.reshape",
    dtypes="f32 bf16 i32 bool f64 c64",
    core="f32 bf16 i32",
    reference=MOVES["jax.Array.reshape"],
)
@case(
    "jax.numpy.broadcast_to",
    dtypes="f32 bf16",
    grad=True,
    name="gradient",
    reference=with_affine_gradient(MOVES["jax.numpy.broadcast_to"]),
)
@case(
    "jax.numpy.expand_dims",
    dtypes="f32 bf16",
    grad=True,
    name="gradient",
    reference=with_affine_gradient(MOVES["jax.numpy.expand_dims"]),
)
@case(
    "jax.numpy.transpose",
    dtypes="f32 bf16",
    grad=True,
    name="gradient",
    reference=with_affine_gradient(MOVES["jax.numpy.transpose"]),
)
@case(
    "jax.numpy.squeeze",
    dtypes="f32 bf16",
    grad=True,
    name="gradient",
    reference=with_affine_gradient(MOVES["jax.numpy.squeeze"]),
)
@case(
    "jax.Array.reshape",
    dtypes="f32 bf16",
    grad=True,
    name="gradient",
    reference=with_affine_gradient(MOVES["jax.Array.reshape"]),
)
def moved(t, function, dtype):
    return t.call(called(function), t.randn((1, 4, 6), dtype), *EXTRA[function])


@case("jax.numpy.broadcast_to", to=[(2, 3)], reference="none", core=False)
@case("jax.numpy.expand_dims", to=[5], reference="none", core=False)
@case("jax.numpy.transpose", to=[(0, 0)], reference="none", core=False)
@case("jax.numpy.squeeze", to=[1], reference="none", core=False)
@case("jax.Array.reshape", to=[(5, 5)], reference="none", core=False)
def shape_that_does_not_fit(t, function, to):
    t.refuses(called(function), t.randn((3, 4), "f32"), to)


@case("jax.numpy.transpose", dtypes="f32", large=True, reference=lambda np, x: x.T)
def transpose_large(t, dtype):
    return t.call("jax.numpy.transpose", t.randn((2500, 2000), dtype))


@case("jax.numpy.squeeze", dtypes="f32", core=False, reference=lambda np, x: x.reshape(3, 1, 4))
def squeeze_one_axis(t, dtype):
    return t.call("jax.numpy.squeeze", t.randn((1, 3, 1, 4), dtype), axis=0)


@case(
    "jax.numpy.concatenate",
    dtypes="f32 bf16 i32 bool f64 c64",
    axis=[0, -1],
    core="f32 bf16 i32",
    reference=lambda np, x, y, axis: np.concatenate([x, y], axis),
)
def concatenate(t, dtype, axis):
    return t.call(
        "jax.numpy.concatenate", [t.randn((4, 5), dtype), t.randn((4, 5), dtype)], axis=axis
    )


@case(
    "jax.numpy.concatenate",
    dtypes="f32 bf16",
    grad=True,
    reference=with_affine_gradient(lambda np, x, y: np.concatenate([x, y])),
)
def concatenate_gradient(t, dtype):
    return t.call("jax.numpy.concatenate", [t.randn((4, 2), dtype), t.randn((1, 2), dtype)])


@case(
    "jax.numpy.concatenate",
    core=False,
    reference=lambda np, x, y: np.concatenate([x.ravel(), y.ravel()]),
)
def concatenate_promotes_and_ravels(t):
    return t.call(
        "jax.numpy.concatenate", [t.randn((4, 2), "i32"), t.randn((3,), "f32")], axis=None
    )


@case("jax.numpy.concatenate", reference="none", core=False)
def concatenate_of_unequal(t):
    t.refuses("jax.numpy.concatenate", [t.randn((4, 2), "f32"), t.randn((4, 3), "f32")])
    t.refuses("jax.numpy.concatenate", [])


@case(
    "jax.numpy.concatenate",
    dtypes="f32",
    large=True,
    reference=lambda np, x, y: np.concatenate([x, y], 1),
)
def concatenate_large(t, dtype):
    return t.call("jax.numpy.concatenate", [t.randn((1500, 1500), dtype) for _ in range(2)], axis=1)


@case(
    "jax.numpy.atleast_2d",
    dtypes="f32 bf16 i32",
    shapes="5",
    core="f32 bf16 i32",
    reference="numpy",
)
@case(
    "jax.numpy.atleast_2d",
    dtypes="f32",
    shapes="scalar 2x3x4",
    core=False,
    name="other_ranks",
    reference="numpy",
)
@case(
    "jax.numpy.diag",
    dtypes="f32 bf16 i32 c64",
    shapes="5 4x6",
    core="f32 bf16 i32",
    reference="numpy",
)
def of_shape(t, function, dtype, shape):
    return t.call(function, t.randn(shape, dtype))


@case(
    "jax.numpy.atleast_2d",
    dtypes="f32",
    grad=True,
    reference=with_affine_gradient(lambda np, x: np.atleast_2d(x)),
)
@case(
    "jax.numpy.diag",
    dtypes="f32 bf16",
    grad=True,
    reference=with_affine_gradient(lambda np, x: np.diag(x)),
)
def vector_gradient(t, function, dtype):
    return t.call(function, t.randn((5,), dtype))


@case("jax.numpy.atleast_2d", core=False, reference=lambda np, x, y: (x[None], y))
def atleast_2d_of_two(t):
    return t.call("jax.numpy.atleast_2d", t.randn((5,), "f32"), t.randn((2, 3), "f32"))


@case(
    "jax.numpy.diag", dtypes="f32", k=[-1, 2], core=False, reference=lambda np, x, k: np.diag(x, k)
)
def other_diagonals(t, dtype, k):
    return t.call("jax.numpy.diag", t.randn((4, 6), dtype), k)


@case("jax.numpy.diag", reference="none", core=False)
def diag_of_three_axes(t):
    t.refuses("jax.numpy.diag", t.randn((2, 3, 4), "f32"))


@case("jax.numpy.asarray", dtypes="f32 bf16 i32 bool f64", core="f32 bf16 i32", reference=same)
def asarray(t, dtype):
    return t.call("jax.numpy.asarray", t.randn((6, 4), dtype))


@case(
    "jax.numpy.asarray",
    dtypes="f32 bf16 i32",
    core="f32",
    reference=lambda np: np.array([[1.0, 2], [3, 4]]),
)
def asarray_of_lists(t, dtype):
    return t.call("jax.numpy.asarray", [[1, 2], [3, 4]], dtype=t.dtype(dtype))


@case("jax.numpy.asarray", reference="none", core=False)
def asarray_of_what_is_ragged(t):
    t.refuses("jax.numpy.asarray", [[1, 2], [3]])


@case("jax.numpy.asarray", dtypes="f32", grad=True, reference=with_affine_gradient(same))
def asarray_gradient(t, dtype):
    return t.call("jax.numpy.asarray", t.randn((6,), dtype))


@case(
    "jax.Array.astype",
    dtypes="f32 bf16 i32",
    target=["f32", "bf16", "i32", "bool"],
    core="f32 bf16 i32",
    reference=lambda np, x, target: x != 0 if target == "bool" else x,
)
def astype(t, dtype, target):
    return t.call(astype_of, t.distinct((40,), dtype), t.dtype(target))


@case("jax.Array.astype", dtypes="f32 bf16", core=False, reference=lambda np, x: np.trunc(x))
def astype_truncates(t, dtype):
    return t.call(astype_of, t.const([-2.75, -0.5, 0.5, 1.75], dtype), t.dtype("i32"))


@case("jax.Array.astype", dtypes="f32 bf16", grad=True, reference=with_affine_gradient(same))
def astype_gradient(t, dtype):
    # Three numbers: the weights 0.5, 1 and 1.5 are exact in f16.
    return t.call(astype_of, t.distinct((3,), dtype), t.dtype("f16"))


@case("jax.Array.astype", dtypes="f32", large=True, reference=same)
def astype_large(t, dtype):
    return t.call(astype_of, t.randint((3000, 2000), dtype, -99, 99), t.dtype("i32"))


@case("jax.numpy.float32", to="f32", core=True, reference=lambda np, x, to: x)
@case("jax.numpy.int32", to="i32", core=True, reference=lambda np, x, to: x)
def scalar_type(t, function, to):
    made = t.call(function, t.distinct((12,), "i32" if to == "f32" else "f32"))
    t.expect(t.place == "wide" or made.dtype == t.dtype(to), "the dtype of the name")
    return made


@case("jax.numpy.float32", reference="none", core=False)
@case("jax.numpy.int32", reference="none", core=False)
def scalar_type_of_text(t, function):
    t.refuses(function, "text")


@case(
    "jax.numpy.full",
    dtypes="f32 bf16 i32",
    core="f32 bf16 i32",
    reference=lambda np, v: np.broadcast_to(v, (4, 3)),
)
def full_of_a_row(t, dtype):
    return t.call("jax.numpy.full", (4, 3), t.const([1, 2, 5], dtype))


@case(
    "jax.numpy.full",
    dtypes="f32 bool",
    core=False,
    trivial=True,
    reference=lambda np: np.full((4, 3), 1),
)
def full_of_a_number(t, dtype):
    return t.call("jax.numpy.full", (4, 3), 1, dtype=t.dtype(dtype))


@case("jax.numpy.full", reference="none", core=False)
def full_of_a_bad_shape(t):
    t.refuses("jax.numpy.full", (4, 3), t.const([1, 2], "f32"))


@case(
    "jax.numpy.ones_like",
    dtypes="f32 bf16 i32 bool f64",
    core="f32 bf16 i32",
    trivial=True,
    reference=lambda np, x: np.ones(x.shape),
)
@case(
    "jax.numpy.zeros_like",
    dtypes="f32 bf16 i32 bool f64",
    core="f32 bf16 i32",
    trivial=True,
    reference=lambda np, x: np.zeros(x.shape),
)
def filled_like(t, function, dtype):
    return t.call(function, t.randn((5, 4), dtype))


@case("jax.numpy.ones_like", core=False, trivial=True, reference=lambda np, x: np.ones((2, 3)))
@case("jax.numpy.zeros_like", core=False, trivial=True, reference=lambda np, x: np.zeros((2, 3)))
def filled_with_options(t, function):
    return t.call(function, t.randn((5,), "f32"), dtype=t.dtype("i32"), shape=(2, 3))


@case("jax.numpy.ones_like", reference="none", core=False)
@case("jax.numpy.zeros_like", reference="none", core=False)
def filled_like_text(t, function):
    t.refuses(function, "text")


@case(
    "jax.numpy.eye",
    dtypes="f32 bf16 i32",
    n=4,
    m=[None, 6],
    k=0,
    core="f32 bf16 i32",
    reference=lambda np, n, m, k: np.eye(n, m, k),
)
@case(
    "jax.numpy.eye",
    dtypes="f32",
    n=4,
    m=6,
    k=[-1, 2],
    name="shifted",
    core=False,
    reference=lambda np, n, m, k: np.eye(n, m, k),
)
def eye(t, dtype, n, m, k):
    return t.call("jax.numpy.eye", n, m, k, dtype=t.dtype(dtype))


@case("jax.numpy.eye", reference="none", core=False)
def eye_of_a_negative_size(t):
    t.refuses("jax.numpy.eye", -2)


@case("jax.numpy.shape", host_only=True, reference="none")
@case("jax.numpy.ndim", host_only=True, reference="none")
def of_arrays_and_lists(t, function):
    for x, shape in (t.randn((2, 3), "f32"), (2, 3)), (t.np.ones((3, 2)), (3, 2)), (7.0, ()):
        found, want = t.call(function, x), shape if function.endswith("shape") else len(shape)
        t.expect(found == want, "%s, got %s" % (want, found))


@case("jax.numpy.result_type", host_only=True, reference="none")
def promoted_types(t):
    rows = (
        ("i32", "f32", "f32"),
        ("bf16", "f32", "f32"),
        ("bf16", "f16", "f32"),
        ("i32", "bf16", "bf16"),
        ("bool", "u8", "u8"),
        ("u8", "i8", "i16"),
    )
    for x, y, want in rows:
        found = t.call("jax.numpy.result_type", t.fw.numpy.dtype(t.dtype(x)), t.dtype(y))
        t.expect(found == t.dtype(want), "%s of %s and %s, got %s" % (want, x, y, found))


@case("jax.numpy.issubdtype", host_only=True, reference="none")
def kinds_of_types(t):
    jnp = t.fw.numpy
    rows = (
        ("bf16", jnp.floating, True),
        ("f32", jnp.integer, False),
        ("u8", jnp.integer, True),
        ("u8", jnp.signedinteger, False),
        ("c64", jnp.inexact, True),
        ("bool", jnp.number, False),
    )
    for name, kind, want in rows:
        t.expect(
            t.call("jax.numpy.issubdtype", t.dtype(name), kind) is want, "%s: %s" % (name, want)
        )
