"""More of expand_dims, minimum, logical_and, result_type, jit and shardings."""

import io
import itertools
import pickle
import warnings

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .placing import mapped, mesh_of, some_devices, spread
from .reference import with_gradient
from .values_and_kinds import own_dtype

EXPAND, MINIMUM, AND = ("jax.numpy." + name for name in ("expand_dims", "minimum", "logical_and"))
TYPE, MESH, NAMED = "jax.numpy.result_type", "jax.sharding.Mesh", "jax.NamedSharding"
SPEC = "jax.sharding.PartitionSpec"
SINCE = ("0.7.0", "the name jax.NamedSharding")


# --- expand_dims


@case(EXPAND, dtypes="f32 i32", axis=[0, 1, -1, -2, (1,), (2, 0), (-1, -3)], core=False,
      reference=lambda np, x, axis: np.expand_dims(x, axis))  # fmt: skip
def by_number(t, dtype, axis):
    """One axis, or several in any order, counted from either end of the result."""
    return t.call(EXPAND, t.randn((3, 4), dtype), axis)


@case(EXPAND, dtypes="f32", grad=True, core=False, reference=with_gradient(
      lambda np, x: x.T[:, None, :, None], lambda np, w, x: w[:, 0, :, 0].T))  # fmt: skip
def of_each_column(t, dtype):
    """Under vmap the axes are those of one example."""
    each = t.fw.vmap(lambda v: t.get(EXPAND)(v, (0, -1)), in_axes=1)
    return t.call(t.fw.jit(each), t.randn((3, 4), dtype))


@case(EXPAND, core=False, reference="none")
def the_same_axis_twice(t):
    for axis in ((0, 0), (0, -3), -3):
        t.raises(ValueError, t.call, EXPAND, t.const([1.0, 2.0], "f32"), axis)


# --- minimum and logical_and


@case(MINIMUM, dtypes="f32 bf16 f16 i32 u8", core=False,
      reference=lambda np, x: (np.minimum(x, 2), np.minimum(3, x)))  # fmt: skip
def bounded_by_a_number(t, dtype):
    x = t.distinct((24,), dtype)
    made = t.call(MINIMUM, x, 2), t.call(MINIMUM, 3, x)
    t.expect(all(one.dtype == x.dtype for one in made), "the array's dtype, got %s" % made[0].dtype)
    return made


def _shares(np, w, x, y):
    return w * ((x < y) + (x == y) / 2), (w * ((y < x) + (x == y) / 2)).sum(0)


@case(MINIMUM, dtypes="f32 bf16", grad=True, core=False,
      reference=with_gradient(lambda np, x, y: np.minimum(x, y), _shares))  # fmt: skip
def slope_of_equal_numbers(t, dtype):
    """A half of it for each; and that of a row that is broadcast."""
    x = t.const([[1, 2, 3, 0], [-1, 5, 3, -0.5]], dtype, grad=True)
    return t.call(MINIMUM, x, t.const([1, 3, 3, 0], dtype, grad=True))


KINDS = {"i32+f32": "f32", "bf16+f32": "f32", "u8+i32": "i32", "bool+bf16": "bf16"}


@case(MINIMUM, kinds=list(KINDS), core=False,
      reference=lambda np, x, y, kinds: np.minimum(x, y))  # fmt: skip
@case(AND, kinds=list(KINDS), core=False,
      reference=lambda np, x, y, kinds: np.logical_and(x, y))  # fmt: skip
def of_two_dtypes(t, function, kinds):
    one, other = kinds.split("+")
    made = t.call(function, t.randint((6, 7), one, 0, 2), t.randint((6, 7), other, 0, 3))
    want = t.dtype("bool" if function == AND else KINDS[kinds])
    t.expect(made.dtype == want, "%s of %s, got %s" % (want, kinds, made.dtype))
    return made


@case(AND, dtypes="bool i8 bf16 f32 c64", core=False,
      reference=lambda np, x: (x != 0, x != 0, 0 * x != 0))  # fmt: skip
def and_with_a_number(t, dtype):
    """Whatever is not zero is true; the result is bool."""
    small = {"bf16": 0.25, "f32": 0.25, "c64": 1j}.get(dtype, 1)
    x = t.const([0, 1, -1, -0.0, small], dtype)
    made = t.call(AND, x, True), t.call(AND, 2.5, x), t.call(AND, x, 0)
    t.expect(all(one.dtype == bool for one in made), "bool, got %s" % made[0].dtype)
    return made


# --- result_type

# JAX's lattice of promotion: what stands right above each; int, float and complex are Python's numbers.
_ABOVE = {
    "bool": "int", "int": "uint8 int8", "uint8": "uint16 int16", "uint16": "uint32 int32",
    "uint32": "uint64 int64", "uint64": "float", "int8": "int16", "int16": "int32",
    "int32": "int64", "int64": "float", "float": "bfloat16 float16 complex",
    "bfloat16": "float32", "float16": "float32", "float32": "float64 complex64",
    "float64": "complex128", "complex": "complex64", "complex64": "complex128", "complex128": "",
}  # fmt: skip
_NUMBERS = {"int": 3, "float": 2.5, "complex": 1j}
_WIDE = {"int": "int64", "float": "float64", "complex": "complex128"}
_NARROW = {"int64": "int32", "uint64": "uint32", "float64": "float32", "complex128": "complex64"}


def _over(kind):
    return {kind}.union(*map(_over, _ABOVE[kind].split()))


def _join(one, other, wide):
    both = _over(one) & _over(other)
    found = next(kind for kind in both if _over(kind) == both)  # the least of those above both
    found = _WIDE.get(found, found)
    return found if wide else _NARROW.get(found, found)


@case(TYPE, host_only=True, core=False, reference="none")
def all_pairs(t):
    """Without 64-bit types, then with them."""
    for wide in (False, True):
        if wide:
            t.dtype("f64")
        kinds = [kind for kind in _ABOVE if wide or kind not in _NARROW]
        for one, other in itertools.product(kinds, kinds):
            found = str(t.call(TYPE, *(_NUMBERS.get(kind, kind) for kind in (one, other))))
            want = _join(one, other, wide)
            t.expect(found == want, "%s of %s and %s, got %s" % (want, one, other, found))


@case(TYPE, host_only=True, core=False, reference="none")
def numbers_of_several_origins(t):
    """NumPy's have a dtype; Python's, and arrays made of them, follow the others."""
    asarray, half = t.fw.numpy.asarray, t.const([1.0], "bf16")
    for given, want in (
        ((float, half), "bfloat16"),
        ((t.np.float32(2), half), "float32"),
        ((t.np.zeros(2, "int8"), 300), "int8"),
        ((asarray(1.0), half), "bfloat16"),
        ((asarray(1.0, "float32"), half), "float32"),
    ):
        found = str(t.call(TYPE, *given))
        t.expect(found == want, "%s of %s, got %s" % (want, given, found))


# --- jit


def by_keywords(x, y, z):
    import jax

    made = jax.jit(lambda a, b=2, *, scale=3: a * scale - b)
    return made(x), made(x, b=y), made(scale=z, b=y, a=x), made(x, scale=z)


@case("jax.jit", dtypes="f32 i32", core=False,
      reference=lambda np, x, y, z: (3 * x - 2, 3 * x - y, z * x - y, z * x - 2))  # fmt: skip
def keywords_and_defaults(t, dtype):
    x, y = t.randint((5,), dtype, -9, 9), t.randint((5,), dtype, -9, 9)
    return t.call(by_keywords, x, y, t.randint((), dtype, 4, 9))


# --- Mesh


def sums(x, mesh):
    import jax

    def one(part):
        rows, columns = jax.lax.psum(part.sum(1), "columns"), jax.lax.psum(part.sum(0), "rows")
        return rows, columns, jax.lax.psum(part.sum(), ("rows", "columns"))

    P = jax.sharding.PartitionSpec
    return mapped(one, mesh, P("rows", "columns"), (P("rows"), P("columns"), P()))(x)


@case(MESH, dtypes="f32 i32", split=[(-1, 1), (1, -1)], core=False, rtol={"f32": 1e-5},
      atol={"f32": 1e-5}, reference=lambda np, x, split: (x.sum(1), x.sum(0), x.sum()))  # fmt: skip
def sums_along_each_axis(t, dtype, split):
    devices = t.np.array(some_devices(t)).reshape(split)
    return t.call(sums, t.randn((4, 6), dtype), mesh=t.get(MESH)(devices, ("rows", "columns")))


@case(MESH, host_only=True, core=False, reference="none", since=("0.7.0", "kinds of axes"))
def kinds_of_axes(t):
    """Left to the compiler unless asked; jax.set_mesh makes the mesh the one of a context."""
    kinds, devices = t.fw.sharding.AxisType, t.np.array(some_devices(t)).reshape(-1, 1)
    plain = t.call(MESH, devices, ("x", "y"))
    mixed = t.call(MESH, devices, ("x", "y"), axis_types=(kinds.Explicit, kinds.Auto))
    t.expect(plain.axis_types == (kinds.Auto,) * 2, "Auto, got %s" % (plain.axis_types,))
    t.expect(mixed.axis_types == (kinds.Explicit, kinds.Auto), "got %s" % (mixed.axis_types,))
    t.expect(plain != mixed, "two meshes")
    t.raises(ValueError, t.call, MESH, devices, ("x", "y"), axis_types=(kinds.Auto,))
    with t.fw.set_mesh(mixed):
        t.expect(t.fw.sharding.get_abstract_mesh() == mixed.abstract_mesh, "that of the context")
    t.expect(t.fw.sharding.get_abstract_mesh().empty, "none after it")


@case(MESH, host_only=True, core=False, reference="none", since=("0.7.1", "Mesh.update"))
def renamed_but_never_written_to(t):
    """update makes another mesh, of other names, devices or kinds; its devices are for reading, whatever becomes of the array they came from."""
    kinds, devices = t.fw.sharding.AxisType, t.np.array(some_devices(t)).reshape(-1, 1)
    mesh = t.call(MESH, devices, ("x", "y"), axis_types=(kinds.Explicit, kinds.Auto))
    for write in (lambda: mesh.devices.__setitem__((0, 0), None), lambda: mesh.devices.fill(None)):
        t.raises(ValueError, write)
    t.expect(not mesh.devices.flags.writeable, "for reading alone")
    kept = mesh.devices.tolist()
    devices[:] = None
    t.expect(mesh.devices.tolist() == kept and None not in kept[0], "as before, got %s" % mesh)
    named = mesh.update(axis_names=("a", "b"))
    t.expect(named.axis_names == ("a", "b") and named.devices.tolist() == kept, "got %s" % named)
    t.expect(named.axis_types == mesh.axis_types, "the same kinds, got %s" % (named.axis_types,))
    t.expect(mesh.axis_names == ("x", "y") and named != mesh, "another mesh")
    t.expect(named.update(axis_names=("x", "y")) == mesh, "and back")
    one = mesh.update(mesh.devices[:1], ("z", "x"), axis_types=(kinds.Auto,) * 2)
    want = t.call(MESH, mesh.devices[:1], ("z", "x"))
    t.expect(one == want and mesh.update() == mesh, "devices, too, got %s" % one)
    t.raises(ValueError, mesh.update, axis_names=("a",))


# --- jit


class Equal:
    """Equal to others of the same number."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        return isinstance(other, Equal) and self.number == other.number

    def __hash__(self):
        return hash(self.number)


def with_equal_objects(x):
    import jax

    seen, counts, found = [], [], []
    by_number = jax.jit(lambda v, one: seen.append(1) or v * one.number, static_argnums=1)
    by_name = jax.jit(lambda v, one: seen.append(1) or v + one.number, static_argnames="one")
    for number in (2, 2, 5, 2):
        found += [by_number(x, Equal(number)), by_name(x, one=Equal(number))]
        counts.append(len(seen))
    return found, counts


@case("jax.jit", dtypes="f32 i32", core=False, reference=lambda np, x: (
      [x * 2, x + 2, x * 2, x + 2, x * 5, x + 5, x * 2, x + 2], [2, 2, 4, 4]))  # fmt: skip
def one_program_for_equal_objects(t, dtype):
    """Static ones of the same value share it, though they are distinct."""
    return t.call(with_equal_objects, t.randint((9,), dtype, -9, 9))


def given_in_vain(x, n):
    import jax

    f = jax.jit(lambda a, b: (a.sum() + b.sum(), a[:2] + b[0]), donate_argnums=(0, 1))
    return f(x * 2, n * 2), jax.jit(lambda a, b: a - b.sum(), donate_argnums=0)(x + 1, n)


@case("jax.jit", core=False, reference=lambda np, x, n: (
      (2 * x.sum() + 2 * n.sum(), 2 * x[:2] + 2 * n[0]), x + 1 - n.sum()))  # fmt: skip
def what_cannot_be_taken_is_told(t):
    """A warning where no result has the size of what is given away; the numbers all the same."""
    x, n = t.randint((4, 3), "f32", -9, 9), t.randint((5, 3), "i32", -9, 9)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = t.call(given_in_vain, x, n)
    told = [str(one.message) for one in seen if issubclass(one.category, UserWarning)]
    if not t.compiled:
        t.expect(any("onat" in one for one in told), "a warning of what is donated, got %s" % told)
    return made


def of_complex(a, b, x, n):
    import jax

    made = jax.jit(
        lambda z, x, n: (z * n + 1, x + n, abs(z), z.conj() @ z, jax.numpy.exp(z), n + 1)
    )
    slope = jax.jit(jax.grad(lambda z: (z**3).sum(), holomorphic=True))
    z = a + 1j * b
    return [*made(z, x, n), slope(z)]


def _of_complex(np, a, b, x):
    z, n = a + 1j * b, 1 + 1j
    return [z * n + 1, x + n, np.hypot(a, b), (a**2 + b**2).sum(), np.exp(z), n + 1, 3 * z**2]


@case("jax.jit", dtypes="c64 c128", core=False, reference=_of_complex,
      rtol={"c64": 1e-5, "c128": 1e-12, "f32": 1e-5, "f64": 1e-12})  # fmt: skip
def complex_numbers(t, dtype):
    """Arrays, and a number of Python, which is weak: it makes f32 complex."""
    parts = {"c64": "f32", "c128": "f64"}[dtype]
    a, b = t.uniform((9,), parts, 0.25, 1.5), t.uniform((9,), parts, -1.5, -0.25)
    made = t.call(of_complex, a, b, t.randint((4,), "f32", -9, 9), 1 + 1j)
    own_dtype(t, [made[0], *made[3:5], made[6]], dtype)
    own_dtype(t, made[1:2], "c64")
    return made


# --- NamedSharding


@case(NAMED, dtypes="f32 i32", axis=[0, 1, None], core=False, since=SINCE,
      reference=lambda np, x, axis: x)  # fmt: skip
def what_each_device_holds(t, dtype, axis):
    """The parts of an array, in the order of the mesh."""
    devices, x = some_devices(t), t.randn((8, 6), dtype)
    entries = () if axis is None else (None,) * axis + ("x",)
    where = t.get(NAMED)(mesh_of(t), t.get(SPEC)(*entries))
    made = t.call(spread, x, sharding=where)
    if not t.compiled:
        n, all_of_it = len(devices), t.host(x)
        parts = [all_of_it] * n if axis is None else t.np.split(all_of_it, n, axis)
        held = {part.device: t.host(part.data) for part in made.addressable_shards}
        right = [t.np.array_equal(held.get(one), part) for one, part in zip(devices, parts)]
        t.expect(len(held) == n and all(right), "its part on each, got %s" % held)
    return made


def trained(params, x, where, rows, whole):
    import jax

    def step(p, v):
        value, slope = jax.value_and_grad(lambda q: ((v @ q["w"] + q["b"]) ** 2).mean())(p)
        return jax.tree_util.tree_map(lambda a, b: a - 0.1 * b, p, slope), value

    step = jax.jit(step, in_shardings=(where, rows), out_shardings=(where, whole))
    params, x = jax.device_put(params, where), jax.device_put(x, rows)
    for _ in range(2):
        params, value = step(params, x)
    return params, value


def _trained(np, w, b, x):
    for _ in range(2):
        off = x @ w + b
        w, b = w - 0.2 * x.T @ off / off.size, b - 0.2 * off.sum(0) / off.size
    return {"w": w, "b": b}, (off**2).mean()


@case(NAMED, dtypes="f32", core=False, rtol={"f32": 1e-5}, atol={"f32": 1e-5}, since=SINCE,
      reference=_trained)  # fmt: skip
def steps_of_training(t, dtype):
    """A tree of shardings for a tree of parameters, and the batch by rows."""
    params = {"w": t.randn((5, 4), dtype), "b": t.randn((4,), dtype)}
    specs = (t.get(SPEC)(*entries) for entries in ((None, "x"), (), ("x",)))
    columns, whole, rows = (t.get(NAMED)(mesh_of(t), one) for one in specs)
    x, where = t.randn((8, 5), dtype), {"w": columns, "b": whole}
    made = t.call(trained, params, x, where=where, rows=rows, whole=whole)
    for name, one in () if t.compiled else made[0].items():
        t.expect(one.sharding.is_equivalent_to(where[name], one.ndim), "%s as it was" % name)
    return made


@case(NAMED, dtypes="f32 i32", memory=["device", "pinned_host", "unpinned_host"], core=False, since=SINCE,
      reference=lambda np, x, memory: [x, 2 * x, x, [(3 * x + 1).sum(0), x @ x.T]])  # fmt: skip
def kept_in_a_memory(t, dtype, memory):
    """Put there, made there by a program, back again, and computed with."""
    jax, devices, x = t.fw, some_devices(t), t.randint((8, 6), dtype, -9, 9)
    if memory not in [one.kind for one in devices[0].addressable_memories()]:
        raise Skip("a device without the memory %s" % memory)
    where = t.get(NAMED)(mesh_of(t), t.get(SPEC)("x"), memory_kind=memory)
    usual = devices[0].default_memory().kind
    own = where.with_memory_kind(usual)

    def put(x, where, kind):
        return jax.device_put(x, where.with_memory_kind(kind))

    def doubled(x, where, kind):
        return jax.jit(lambda v: 2 * v, out_shardings=where.with_memory_kind(kind))(x)

    def computed(x, where, kind):
        def program(v):
            v = put(v, where, kind)
            return [(3 * v + 1).sum(0), v @ v.T]

        return jax.jit(program)(x)

    kept = t.call(put, x, where=where, kind=memory)
    made = t.call(doubled, x, where=where, kind=memory)
    back = t.call(put, kept, where=where, kind=usual)
    if not t.compiled:
        for one, right in ((kept, x), (made, 2 * x)):
            parts = dict(zip(devices, t.np.split(t.host(right), len(devices))))
            t.expect(one.sharding == where, "%s, got %s" % (where, one.sharding))
            held = {part.device: part.data for part in one.addressable_shards}
            t.expect(set(held) == set(devices), "a part on each device, got %s" % held)
            for device, part in held.items():
                kind = part.sharding.memory_kind
                t.expect(kind == memory, "in %s, got %s" % (memory, kind))
                t.expect(t.np.array_equal(t.host(part), parts[device]), "its part, got %s" % part)
        t.expect(back.sharding == own, "%s, got %s" % (own, back.sharding))
    return [kept, made, back, t.call(computed, kept, where=where, kind=usual)]


@case(NAMED, host_only=True, core=False, reference="none", since=SINCE)
def out_of_a_pickle(t):
    """With a mesh without devices, and with one whose devices are written as their ids. A spec of None is refused."""
    devices, spec = some_devices(t), t.get(SPEC)("x", None)

    class Writer(pickle.Pickler):
        def persistent_id(self, one):
            return one.id if isinstance(one, t.fw.Device) else None

    class Reader(pickle.Unpickler):
        def persistent_load(self, number):
            return next(one for one in devices if one.id == number)

    mesh = mesh_of(t, ("x", "y"))
    memory = devices[0].addressable_memories()[-1].kind
    bare = t.fw.sharding.AbstractMesh((2, 3), ("x", "y"))
    for given, options in ((bare, {}), (mesh, {}), (mesh, {"memory_kind": memory})):
        first, file = t.call(NAMED, given, spec, **options), io.BytesIO()
        Writer(file).dump(first)
        made = Reader(io.BytesIO(file.getvalue())).load()
        t.expect(made == first and hash(made) == hash(first), "%r, got %r" % (first, made))
        t.expect(made.spec == spec and made.mesh == given, "its spec and mesh, got %r" % made)
        t.expect(made.memory_kind == first.memory_kind, "its memory, got %s" % made.memory_kind)
        t.expect(made.shard_shape((8, 3)) == (8 // given.shape["x"], 3), "the shape of a part")
    t.raises(TypeError, t.call, NAMED, mesh, None)
