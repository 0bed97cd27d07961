"""Plain numbers, mixed dtypes, matmul of little; structs of weak types and on meshes, and what eval_shape says of them."""

import warnings

from seamark_suites.case import case
from seamark_suites.transformed import leaves

from .placed_results import EXPLICIT
from .transformed import ALL, NP, called

INF, NAN = float("inf"), float("nan")

# How a function is called with Python's numbers, what comes of it, whether the dtype is a weak one.
NUMBERS = {
    NP + "expand_dims": (lambda f: f(2.5, 0), [2.5], True),
    NP + "squeeze": (lambda f: f(2.5), 2.5, True),
    NP + "atleast_2d": (lambda f: f(2), [[2]], True),
    NP + "reshape": (lambda f: f(2.5, (1, 1)), [[2.5]], True),
    NP + "transpose": (lambda f: f(2.5), 2.5, True),
    NP + "sum": (lambda f: f(2), 2, False),
    NP + "mean": (lambda f: f(2), 2.0, False),
    NP + "max": (lambda f: f(2.5), 2.5, False),
    NP + "clip": (lambda f: f(2.0, 0, 1.5), 1.5, True),
    NP + "isfinite": (lambda f: f(INF), False, True),
    NP + "all": (lambda f: f(True), True, False),
    NP + "stack": (lambda f: f([1, 2.5]), [1.0, 2.5], True),
    NP + "where": (lambda f: f(True, 1, 2.5), 1.0, True),
    NP + "maximum": (lambda f: f(1, 2.5), 2.5, True),
    NP + "minimum": (lambda f: f(True, 2), 1, True),
    NP + "power": (lambda f: f(2, 3.0), 8.0, True),
    NP + "dot": (lambda f: f(2, 3.5), 7.0, True),
    NP + "abs": (lambda f: f(-2), 2, True),
    NP + "zeros_like": (lambda f: f(2), 0, True),
    NP + "ones_like": (lambda f: f(2.5), 1.0, True),
    NP + "logical_and": (lambda f: f(1, 0.0), False, True),
}


def _of_numbers(body):
    for name, (_, right, _) in NUMBERS.items():
        made = lambda np, right=right: np.asarray(right)  # noqa: E731
        case(name, core=False, trivial=True, reference=made)(body)
    return body


@_of_numbers
def of_plain_numbers(t, function):
    """Numbers of Python: their kind, and whether another dtype decides where the two meet."""
    call, right, weak = NUMBERS[function]
    made = call(lambda *given: t.call(function, *given))
    t.expect(made.dtype.kind == t.np.asarray(right).dtype.kind, "the kind of the numbers")
    t.expect(bool(made.weak_type) is weak, "%s weak type" % ("a" if weak else "no"))
    return made


MIXED = [NP + name for name in ("where", "maximum", "minimum", "power", "dot", "matmul", "einsum", "concatenate", "stack")]  # fmt: skip


def _of_mixed(body):
    for name in MIXED:
        right = lambda np, x, y, of=ALL[name][1], **_: leaves(np, of(np, x.astype(float), y))  # noqa: E731
        case(name, dtypes="i8 i32 bf16 u8", core=False, rtol={"f32": 1e-5}, reference=right)(body)
    return body


@_of_mixed
def meets_f32(t, dtype, function):
    """Integers and halves become f32 beside it."""
    left, right = ALL[function][2]
    x, y = t.randint(left, dtype, 1, 5), t.uniform(right, "f32", 0.5, 6)
    made = t.call(called(t, function), x, y)
    t.expect(t.place == "wide" or all(m.dtype == t.dtype("f32") for m in made), "f32")
    return made


# --- maximum, abs


@case(NP + "maximum", dtypes="c64", core=False, reference=lambda np, x, y: [
      np.where((x.real > y.real) | ((x.real == y.real) & (x.imag > y.imag)), x, y)])  # fmt: skip
def of_complex_numbers(t, dtype):
    """By the real part, then by the imaginary one."""
    x, y = [1 + 2j, 3 - 1j, 2 + 5j, -1j], [1 + 3j, 2 + 9j, 2 - 5j, -2j]
    return [t.call(NP + "maximum", t.const(x, dtype), t.const(y, dtype))]


@case(NP + "abs", core=False, reference=lambda np, x, z: [
      np.array([0, 128 - 256, 127, 5]), np.array([INF, INF, NAN, 0.0, 5.0])])  # fmt: skip
def of_what_has_no_opposite(t):
    """The least integer stays what it is; the size of a complex number with an infinite part is infinite."""
    x = t.const([0, -128, -127, 5], "i8")
    z = t.const([complex(INF, 2), complex(-INF, 1), complex(NAN, 1), 0j, 3 - 4j], "c64")
    wide = t.place == "wide"  # where it has one
    return [
        t.const([0, -128, 127, 5], "i8") if wide else t.call(NP + "abs", x),
        t.call(NP + "abs", z),
    ]


# --- atleast_2d, ndim


@case(
    NP + "atleast_2d",
    core=False,
    reference=lambda np, x: [np.array([[1]]), np.zeros((1, 0)), x[None]],
)
def one_of_several(t):
    """Of a number, of nothing and of a vector at once; a list is refused."""
    x, name = t.randn((3,), "f32"), NP + "atleast_2d"
    made = t.call(name, 1, t.fw.numpy.zeros((0,)), x)
    t.refuses(name, [1.0, 2.0])
    return list(made)


@case(NP + "ndim", core=False, host_only=True, reference="none")
@case(NP + "shape", core=False, host_only=True, reference="none")
def of_what_has_a_shape(t, function):
    """Numbers, NumPy's arrays, what stands for an array; plain numbers while a program is traced."""
    jax, struct = t.fw, t.fw.ShapeDtypeStruct((4, 5), "float32")
    given = [2, 2.5, t.np.zeros((2, 0, 3)), struct, jax.random.key(0), True, t.np.float32(2)]
    shapes = [(), (), (2, 0, 3), (4, 5), (), (), ()]
    found = [t.call(function, one) for one in given]
    t.expect(
        found == (shapes if function.endswith("shape") else list(map(len, shapes))),
        "got %s" % found,
    )
    seen = []
    jax.eval_shape(jax.vmap(lambda x: seen.append(t.get(function)(x))), struct)
    t.expect(seen == [(5,) if function.endswith("shape") else 1], "of an example, got %s" % seen)


class Shaped:
    shape, ndim = (4, 0, 5), 3


class BecomesAnArray:
    def __init__(self, made):
        self._made = made

    def __jax_array__(self):
        return self._made


@case(NP + "ndim", core=False, host_only=True, reference="none")
@case(NP + "shape", core=False, host_only=True, reference="none")
def of_objects_and_of_tracers(t, function):
    """A class that has it, one that becomes an array; a tracer's shape is one of plain numbers, as an attribute, too."""
    jax, name = t.fw, function.rpartition(".")[2]
    x = t.randn((2, 3), "f32")
    found = [t.call(function, one) for one in (Shaped(), BecomesAnArray(x))]
    want = [(4, 0, 5), (2, 3)] if name == "shape" else [3, 2]
    t.expect(found == want, "%s, got %s" % (want, found))
    seen = []
    jax.jit(lambda v: seen.extend([getattr(v, name), t.get(function)(v)]) or v)(x)
    t.expect(seen == want[1:] * 2, "of a tracer, got %s" % seen)
    numbers = [n for one in seen for n in (one if name == "shape" else (one,))]
    t.expect(all(type(n) is int for n in numbers), "plain numbers, got %s" % seen)


@case(
    NP + "ndim", core=False, host_only=True, reference="none", since=("0.5.1", "lists deprecated")
)
@case(
    NP + "shape", core=False, host_only=True, reference="none", since=("0.5.1", "lists deprecated")
)
@case(
    NP + "size", core=False, host_only=True, reference="none", since=("0.5.1", "lists deprecated")
)
def lists_are_no_arrays(t, function):
    """Documented to raise TypeError; until then the right answer, with a DeprecationWarning."""
    for given, shape in ([[1, 2], [3, 4], [5, 6]], (3, 2)), ((1, 2), (2,)), ([], (0,)):
        want = {"shape": shape, "ndim": len(shape), "size": t.np.prod(shape)}[function[10:]]
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                found = t.call(function, given)
            except TypeError:
                continue
        kinds = [one.category for one in seen]
        t.expect(found == want, "%s of %s, got %s" % (want, given, found))
        t.expect(
            DeprecationWarning in kinds, "a DeprecationWarning for %s, got %s" % (given, kinds)
        )


# --- cross of two numbers each


@case(NP + "cross", dtypes="f32", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5}, reference=lambda np, x, y, z: [
      x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0],
      np.stack([x[..., 1] * z[..., 2], -x[..., 0] * z[..., 2], x[..., 0] * z[..., 1] - x[..., 1] * z[..., 0]], -1)])  # fmt: skip
def in_a_plane(t, dtype):
    """Two vectors of a plane give a number; beside one of space the third is zero."""
    x, y, z = t.randn((6, 1, 2), dtype), t.randn((6, 1, 2), dtype), t.randn((5, 3), dtype)
    return [t.call(NP + "cross", x, y), t.call(NP + "cross", x, z)]


# --- matmul


@case(NP + "matmul", dtypes="f32", core=False, reference=lambda np, x, n: [
      x @ x.T, np.zeros((3, 2)), np.zeros((0, 3, 3)), n @ x.T])  # fmt: skip
def of_little_and_no_numbers(t, dtype):
    """Beside a product: an inner axis of nothing, no matrices, NaN and infinities in rows of their own."""
    name, jnp, x = NP + "matmul", t.fw.numpy, t.uniform((3, 4), dtype, 0.5, 2)
    n = t.const([[NAN, 1, 1, 1], [INF, 1, 1, 1], [INF, -INF, 1, 1], [1, 2, 3, 4]], dtype)
    return [
        t.call(name, x, x.T),
        t.call(name, jnp.zeros((3, 0)), jnp.zeros((0, 2))),
        t.call(name, jnp.zeros((0, 3, 4)), x.T),
        t.call(name, n, x.T),
    ]


@case(NP + "matmul", dtypes="bool i8", core=False, reference=lambda np, x, y: x @ y)
def of_truths_and_small_integers(t, dtype):
    """Truths: whether any pair is true; small integers stay small."""
    x, y = t.randint((12, 3), dtype, 0, 2), t.randint((3, 10), dtype, 0, 2)  # true and false
    made = t.call(NP + "matmul", x, y)
    t.expect(t.place == "wide" or made.dtype == t.dtype(dtype), "the dtype of the input")
    return made


@case(NP + "matmul", dtypes="f32", core=False, reference=lambda np, x, y: x @ y)
def at_the_highest_precision(t, dtype):
    """precision= and preferred_element_type= as arguments."""
    x, y = t.uniform((8, 16), dtype, 0.5, 2), t.uniform((16, 4), dtype, 0.5, 2)
    return t.call(NP + "matmul", x, y, precision="highest", preferred_element_type=t.dtype(dtype))


# --- ShapeDtypeStruct

STRUCT = "jax.ShapeDtypeStruct"


@case(STRUCT, core=False, host_only=True, reference="none", since=("0.6.0", "weak_type and update"))
def weak_types_and_changes(t):
    """A weak type gives way; update gives another one with the rest as it was."""
    jax, f32 = t.fw, t.fw.numpy.float32
    weak = t.call(STRUCT, (), f32, weak_type=True)
    t.expect(weak.weak_type and weak != t.call(STRUCT, (), f32), "another than without")
    half = jax.eval_shape(lambda x: x + jax.numpy.ones((), "bfloat16"), weak)
    t.expect(half.dtype == "bfloat16" and not half.weak_type, "it gives way to bf16, got %s" % half)
    t.expect(jax.eval_shape(lambda x: x * 2, weak).weak_type, "and stays beside numbers of Python")
    made = t.call(STRUCT, (2, 3), f32, weak_type=True).update(shape=(4, 3))
    t.expect(
        made.shape == (4, 3) and made.dtype == f32 and made.weak_type,
        "another shape, got %s" % made,
    )
    t.expect((made.ndim, made.size, len(made)) == (2, 12, 4), "axes, elements, rows")
    t.raises(TypeError, len, weak)


@case(STRUCT, core=False, host_only=True, reference="none", since=("0.6.0", "sharding by a mesh"))
def on_a_mesh(t):
    """A sharding by a mesh, which arrays of a program have."""
    jax = t.fw
    mesh = jax.sharding.Mesh(t.np.array(jax.devices("cpu")[:1]), ("rows",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("rows"))
    made = t.call(STRUCT, (4, 3), jax.numpy.float32, sharding=sharding)
    t.expect(made.sharding == sharding, "its sharding")
    t.expect(made.update(sharding=None).sharding is None, "none where it is taken away")
    compiled = jax.jit(lambda x: x * 2, out_shardings=sharding).lower(made).compile()
    t.expect(
        compiled.input_shardings[0][0].is_equivalent_to(sharding, 2), "that of a program's input"
    )


@case(STRUCT, core=False, host_only=True, reference="none", since=("0.6.0", "weak_type and update"))
def one_thing_changed(t):
    """The dtype, a weak type, a sharding: the rest stays, and the first is as it was."""
    jax, P = t.fw, t.fw.sharding.PartitionSpec
    mesh = jax.sharding.Mesh(t.np.array(jax.devices("cpu")[:1]), ("rows",))
    rows, columns = (jax.sharding.NamedSharding(mesh, P(*one)) for one in (("rows",), (None, "rows")))  # fmt: skip
    first = t.call(STRUCT, (4, 3), "float32", sharding=rows)
    changes = [
        ({"dtype": "int8"}, ((4, 3), "int8", False, rows)),
        ({"weak_type": True}, ((4, 3), "float32", True, rows)),
        ({"sharding": columns}, ((4, 3), "float32", False, columns)),
        ({"shape": (5,), "dtype": "bfloat16"}, ((5,), "bfloat16", False, rows)),
        ({}, ((4, 3), "float32", False, rows)),
    ]
    for options, want in changes:
        made = t.call(first.update, **options)
        found = (made.shape, str(made.dtype), made.weak_type, made.sharding)
        t.expect(found == want, "%s, got %s" % (want, found))
        right = t.get(STRUCT)(*want[:2], weak_type=want[2], sharding=want[3])
        t.expect(made == right and (made == first) is (not options), "equal, got %r" % made)
    kinds = [
        str(jax.eval_shape(lambda v: v * jax.numpy.ones((), "bfloat16"), first.update(weak_type=weak)).dtype)
        for weak in (False, True)
    ]  # fmt: skip
    t.expect(kinds == ["float32", "bfloat16"], "a weak one gives way, got %s" % kinds)


@case(STRUCT, core=False, host_only=True, reference="none", since=EXPLICIT)
def on_a_mesh_without_devices(t):
    """A program of two parts is lowered for a platform that is named, and exported for as many devices; else it is refused."""
    jax, P = t.fw, t.fw.sharding.PartitionSpec
    where = jax.sharding.NamedSharding(jax.sharding.AbstractMesh((2, 1), ("x", "y")), P("x"))
    made = t.call(STRUCT, (8, 6), "float32", sharding=where)
    t.expect(made.sharding == where and made.sharding.shard_shape((8, 6)) == (4, 6), "got %r" % made)  # fmt: skip
    program = jax.jit(lambda v: v.T * 2)
    t.raises(ValueError, program.lower, made)
    for platform in ("cpu", "tpu"):
        lowered = program.trace(made).lower(lowering_platforms=(platform,))
        text = lowered.as_text()
        for part in ("num_partitions = 2", '"x"=2', "tensor<8x6xf32>"):
            t.expect(part in text, "%s in the program, got %s" % (part, text))
        found = jax.tree_util.tree_leaves(lowered.out_info)[0]
        t.expect((found.shape, str(found.dtype)) == ((6, 8), "float32"), "got %s" % (found,))
        exported = jax.export.export(program, platforms=[platform])(made)
        t.expect(exported.nr_devices == 2, "two devices, got %s" % exported.nr_devices)


# --- eval_shape


@case("jax.eval_shape", core=False, host_only=True, reference="none", since=EXPLICIT)
def structs_within_and_explicit_axes(t):
    """A struct given to a program within; where results lie on a mesh whose axes are explicit, of arrays and of structs."""
    jax, jnp, name, struct = t.fw, t.fw.numpy, "jax.eval_shape", t.get(STRUCT)
    turned = jax.jit(lambda v: {"turned": v.T, "sum": v.sum(0) + 1j})
    given = struct((4, 3), "float32")
    for found in (t.call(name, lambda: turned(given)), t.call(name, lambda v: turned(given), 2.0)):
        said = {key: (one.shape, str(one.dtype)) for key, one in found.items()}
        want = {"turned": ((3, 4), "float32"), "sum": ((3,), "complex64")}
        t.expect(said == want, "%s, got %s" % (want, said))
    P, kinds = jax.sharding.PartitionSpec, jax.sharding.AxisType
    devices = t.np.array(jax.devices(t.device.platform)[:1])
    mesh = jax.sharding.Mesh(devices, ("x",), axis_types=(kinds.Explicit,))
    where = jax.sharding.NamedSharding(mesh, P("x", None))

    def run(v):
        return [2 * v, v.T, v.sum(1), v.sum(0), v[:, :2], jnp.dot(v.T, v, out_sharding=P(None, "x"))]  # fmt: skip

    specs = [P("x", None), P(None, "x"), P("x"), P(None), P("x", None), P(None, "x")]
    with jax.set_mesh(mesh):
        x = jax.device_put(t.np.ones((8, 6), "float32"), where)
        for one in (x, struct((8, 6), "float32", sharding=where), struct((8, 6), "int8", sharding=P("x"))):  # fmt: skip
            found = t.call(name, run, one)
            got = [made.sharding.spec for made in found]
            t.expect(got == specs, "%s, got %s" % (specs, got))
            meshes = {made.sharding.mesh for made in found}
            t.expect(meshes == {mesh.abstract_mesh}, "of its axes alone, got %s" % meshes)
