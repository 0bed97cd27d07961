"""What matters at the edges of dot, square, norm, concatenate, diag and result_type: signs, axes, nothing, other kinds, refusals."""

from seamark_suites.case import case

from .reference import with_affine_gradient, with_gradient
from .values_and_kinds import NEAR as HALVES
from .values_and_kinds import own_dtype

NORM, INF = "jax.numpy.linalg.norm", float("inf")
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


def precision_in_program(t, precision, *given):
    made = t.fw.make_jaxpr(lambda x, y: t.fw.numpy.dot(x, y, precision=precision))(*given)
    return [one.params["precision"] for one in made.eqns if one.primitive.name == "dot_general"]


@case("jax.numpy.dot", core=False, reference=lambda np, x, y: [x @ y] * 5)
def precisions_of_each_side(t):
    """Numbers of a few bits have the same product in each; the program has the one that is asked for."""
    p = t.fw.lax.Precision
    x, y = t.randint((4, 50), "f32", -9, 9), t.randint((50, 3), "f32", -9, 9)
    asked = [
        (p.DEFAULT, (p.DEFAULT,) * 2),
        (p.HIGH, (p.HIGH,) * 2),
        ("high", (p.HIGH,) * 2),
        ((p.HIGH, p.DEFAULT), (p.HIGH, p.DEFAULT)),
        (("default", "highest"), (p.DEFAULT, p.HIGHEST)),
    ]
    for precision, want in asked:
        found = precision_in_program(t, precision, x, y)
        t.expect(found == [want], "%s, got %s" % (want, found))
    return [t.call("jax.numpy.dot", x, y, precision=precision) for precision, _ in asked]


@case(
    "jax.numpy.dot",
    core=False,
    reference=lambda np, x, y: [x @ y] * 2,
    since=("0.4.36", "algorithms as a precision"),
)
def algorithms_by_name(t):
    x, y = t.randint((4, 50), "f32", -9, 9), t.randint((50, 3), "f32", -9, 9)
    names = "F32_F32_F32", "BF16_BF16_F32"
    for name in names:
        found = precision_in_program(t, name, x, y)
        want = getattr(t.fw.lax.DotAlgorithmPreset, name)
        t.expect(found == [want], "%s, got %s" % (want, found))
    t.refuses("jax.numpy.dot", x, y, precision="F32_F32_F99")
    return [t.call("jax.numpy.dot", x, y, precision=name) for name in names]


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


VECTORS, MATRICES = [1, 3, -2, INF], [1, INF, 2, "nuc", "fro"]


def _each_norm(np, x, v):
    return [np.linalg.norm(v, order, axis=1) for order in VECTORS] + [
        np.linalg.norm(x, order) for order in MATRICES
    ]


def _norm_slopes(np, x):
    """Of each order of a matrix."""
    u, _, v = np.linalg.svd(x, full_matrices=False)
    columns, rows, signs = abs(x).sum(0), abs(x).sum(1), np.sign(x)
    by = {1: signs * (columns == columns.max()), INF: signs * (rows == rows.max())[:, None], 2: np.outer(u[:, 0], v[0]),
          "nuc": u @ v, "fro": x / np.sqrt((x * x).sum())}  # fmt: skip
    return [by[order] for order in MATRICES]


def _vector_slope(np, v, order):
    size = abs(v)
    if order == INF:
        return np.sign(v) * (size == size.max(1)[:, None])
    length = (size**order).sum(1) ** (1 / order)
    return np.sign(v) * size ** (order - 1) * length[:, None] ** (1 - order)


def _each_norm_pull(np, w, x, v):
    count = len(VECTORS)
    by_v = sum(w[i][:, None] * _vector_slope(np, v, order) for i, order in enumerate(VECTORS))
    return sum(one * slope for one, slope in zip(w[count:], _norm_slopes(np, x))), by_v


@case(NORM, dtypes="f32 f64", grad=True, core=False, rtol={"f32": 1e-4, "f64": 1e-10}, atol={"f32": 2e-4, "f64": 1e-10},
      reference=with_gradient(_each_norm, _each_norm_pull))  # fmt: skip
def slope_of_each_order(t, dtype):
    """Of vectors along an axis, and of a matrix."""
    norm = t.get(NORM)
    x = t.const([[1, -2.5, 4, 0.25], [3, 5, -0.5, -1.75], [-2, 0.75, 1.25, 6]], dtype, grad=True)
    v = t.const([[1, -2.5, 4], [0.5, 3, -1.25]], dtype, grad=True)
    return t.call(
        lambda x, v: (
            [norm(v, order, axis=1) for order in VECTORS] + [norm(x, order) for order in MATRICES]
        ),
        x,
        v,
    )


@case(NORM, dtypes="bf16 f16 f64 c128", core=False, rtol=HALVES, reference=lambda np, x: [
      np.linalg.norm(x[0, 0], order) for order in (None, 0, 1, 2, 3, -1, -2, INF, -INF)] + [
      np.linalg.norm(x[0], order) for order in ("fro", 1, -1, INF, -INF)] + [np.linalg.norm(x), np.linalg.norm(x, 1, (2, 0), True)])  # fmt: skip
def halves_and_wide_kinds(t, dtype):
    """Each order of a vector and those of a matrix that need no decomposition; all numbers of three axes; the dtype stays."""
    x, norm = t.uniform((3, 4, 5), dtype, -3, -1), t.get(NORM)
    made = [
        t.call(lambda x, o=order: norm(x[0, 0], o), x)
        for order in (None, 0, 1, 2, 3, -1, -2, INF, -INF)
    ]
    made += [t.call(lambda x, o=order: norm(x[0], o), x) for order in ("fro", 1, -1, INF, -INF)]
    made += [t.call(NORM, x), t.call(NORM, x, 1, (2, 0), True)]
    own_dtype(t, made, "f64" if dtype == "c128" else dtype)
    return made


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


AXES = (1, -1, -2, None, 0)


def rows_of_one_array(np, x):
    whole = [np.concatenate(list(x), axis=axis) for axis in AXES]
    turned = np.stack([np.concatenate(list(x[:, i]), axis=-1) for i in range(x.shape[1])])
    return [*whole, whole[0], whole[0], turned]


@case(
    "jax.numpy.concatenate", dtypes="f32 bf16 i32 c64 bool", core=False, reference=rows_of_one_array
)
def one_array_in_place_of_a_list(t, dtype):
    """Its first axis is the list: along each axis, into another dtype, in a program, under vmap."""
    jax, name = t.fw, "jax.numpy.concatenate"
    x, f = t.randn((4, 5, 6), dtype), t.get(name)
    wide = {"f32": "c64", "c64": "c64"}.get(dtype, "f32")
    made = [t.call(name, x, axis=axis) for axis in AXES]
    cast = t.call(name, x, axis=1, dtype=t.dtype(wide))
    t.expect(t.place == "wide" or cast.dtype == t.dtype(wide), "%s, got %s" % (wide, cast.dtype))
    joined = t.call(jax.jit(lambda v: f(v, axis=1)), x)
    return [*made, cast, joined, t.call(jax.vmap(lambda v: f(v, axis=-1), 1), x)]


@case("jax.numpy.concatenate", dtypes="f32 f64", grad=True, core=False, reference=with_affine_gradient(
    lambda np, x: np.concatenate(list(x), axis=1)))  # fmt: skip
def slope_of_one_array(t, dtype):
    return t.call("jax.numpy.concatenate", t.randn((4, 5, 6), dtype), axis=1)


@case("jax.numpy.concatenate", core=False, reference="none")
def one_array_that_is_no_list(t):
    """Of numbers alone, of no rows, along an axis that its rows have not."""
    name, x = "jax.numpy.concatenate", t.randn((4, 5, 6), "f32")
    t.refuses(name, x[0, 0])
    t.refuses(name, x[:0])
    t.refuses(name, x, axis=2)
    t.refuses(name, x[0, 0, 0])


# --- diag


@case(
    "jax.numpy.diag",
    dtypes="f32 bool f64",
    core=False,
    reference=lambda np, x: [np.diag(x, 1), np.diag(x, -2), np.diag(x[0], 1), np.diag(x, 20)],
)
def off_the_diagonal(t, dtype):
    x = t.randn((12, 14), dtype)
    return [t.call("jax.numpy.diag", one, k) for one, k in ((x, 1), (x, -2), (x[0], 1), (x, 20))]


@case("jax.numpy.diag", dtypes="f32", grad=True, core=False, reference=with_gradient(
    lambda np, x: np.diag(x), lambda np, w, x: np.where(np.eye(4, 5), w[:, None], 0)))  # fmt: skip
def slope_of_a_matrix(t, dtype):
    return t.call("jax.numpy.diag", t.randn((4, 5), dtype))


@case(
    "jax.numpy.diag",
    dtypes="f32 bf16",
    core=False,
    reference=lambda np, x: [np.diag(x, k) for k in (0, 1, -2)],
)
def no_numbers_beside_zeros(t, dtype):
    """NaN and the infinities on a diagonal leave zeros beside them."""
    inf = float("inf")
    x = t.const([float("nan"), inf, -inf, 2.5, 0.0], dtype)
    return [t.call("jax.numpy.diag", x, k) for k in (0, 1, -2)]


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


@case("jax.numpy.result_type", host_only=True, core=False, reference="none")
def of_many_and_of_tracers(t):
    """In any order; of structs; a program's weak numbers are weak there; what arithmetic gives; the kinds of 64 bits where there are any."""
    import itertools

    jax, jnp, name = t.fw, t.fw.numpy, "jax.numpy.result_type"
    for kinds, want in ((("int8", "uint8", "bfloat16"), "bfloat16"), (("bool", "uint16", "int16"), "int32"), (("float16", "bfloat16", "int32"), "float32"),
                        (("complex64", "float16", "uint32"), "complex64"), (("bool", "bool", "int8"), "int8")):  # fmt: skip
        found = {str(t.call(name, *order)) for order in itertools.permutations(kinds)}
        t.expect(found == {want}, "%s of %s, got %s" % (want, kinds, found))
    structs = jax.ShapeDtypeStruct((2,), jnp.bfloat16), jax.ShapeDtypeStruct((), jnp.int8)
    t.expect(str(t.call(name, *structs, 2.5)) == "bfloat16", "of structs")
    seen = []
    jax.jit(lambda x, n: seen.append(str(t.get(name)(x, n, 1.0))) or x)(jnp.ones(2, "float16"), 2.5)
    jax.vmap(lambda x: seen.append(str(t.get(name)(x, jnp.int32(1)))) or x)(jnp.ones(2, "uint8"))
    t.expect(seen == ["float16", "int32"], "of tracers, got %s" % seen)
    values = [
        True,
        1,
        2.5,
        1j,
        jnp.int8(1),
        jnp.uint16(1),
        jnp.bfloat16(1),
        jnp.float32(1),
        jnp.complex64(1),
        jnp.array(3),
        t.np.int16(1),
    ]
    for one, other in itertools.product(values, values):
        found = t.call(name, one, other)
        made = jax.eval_shape(lambda a=one, b=other: jnp.asarray(a) + jnp.asarray(b))
        t.expect(found == made.dtype, "%s of %r and %r, got %s" % (made.dtype, one, other, found))
    for kind, want in ((int, "int32"), (float, "float32"), (complex, "complex64"), (bool, "bool")):
        t.expect(str(t.call(name, kind)) == want, "%s, got %s" % (want, t.call(name, kind)))
    t.dtype("f64")
    wide = [
        str(t.call(name, *kinds))
        for kinds in (("float64",), (int,), ("uint32", "int32"), ("float32", "int64"), (1.0,))
    ]
    t.expect(
        wide == ["float64", "int64", "int64", "float32", "float64"], "of 64 bits, got %s" % wide
    )


@case("jax.numpy.ndim", core=False, reference=lambda np, *given: [x.ndim for x in given] * 2 + [0])
def of_every_rank(t):
    """Of none to five axes and of nothing, on an array and as a program's result, where it is an integer."""
    ndim, program = t.get("jax.numpy.ndim"), t.fw.jit(t.get("jax.numpy.ndim"))
    given = [t.randn(shape, kind) for shape, kind in (((), "f32"), ((3,), "i8"), ((0,), "bf16"), ((2, 0, 3), "c64"), ((1, 2, 1, 2), "bool"),
                                                      ((1,) * 5, "f16"))]  # fmt: skip
    own = [t.call("jax.numpy.ndim", t.np.asarray(t.host(x))) for x in given]
    t.expect(
        own == [ndim(x) for x in given] and all(type(n) is int for n in own),
        "plain numbers, got %s" % own,
    )
    made = [t.call(lambda x: t.fw.numpy.asarray(ndim(x)), x) for x in given] + [
        t.call(program, x) for x in given
    ]
    kinds = {one.dtype.kind for one in made}
    t.expect(kinds == {"i"}, "integers, got %s" % kinds)
    t.raises(TypeError, ndim)
    return [*made, t.call(program, 2.5)]
