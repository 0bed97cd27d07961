"""What NumPy has for arguments: their names, letters of einsum, axes in arrays, orders, dtypes of every form; what is no dtype."""

import copy
import inspect

from seamark_suites.case import case

from .adding_up import _by_form
from .arranging import astype_of
from .products import sum_of
from .values_and_kinds import own_dtype

NP = "jax.numpy."
INF = float("inf")
EXACT = dict.fromkeys(("f32", "c64", "bf16", "f16"), 0.0)
SUMS = {"f32": 1e-5, "c64": 1e-5}


# --- einsum

LETTERS = {
    "i,j,k->ijk": ((3,), (4,), (5,)), "ij,j->i": ((3, 4), (4,)), "ijk,j->i": ((3, 4, 5), (4,)), "iji,i->j": ((3, 4, 3), (3,)), "nij,jk->nik": ((10, 2, 3), (3, 4)),
    "ijk->j": ((3, 4, 5),), "ijk->kij": ((3, 4, 5),), "ijk->ki": ((3, 4, 5),), "...ijk->...ki": ((2, 3, 4, 5),), "...ijk->ki": ((3, 4, 5),), "iij->i": ((3, 3, 4),),
    "iii->i": ((3, 3, 3),), "iijkk->i": ((3, 3, 2, 4, 4),), "iijkl->il": ((3, 3, 2, 4, 4),), "ij->ij": ((3, 3),), "ijj,k->ik": ((2, 3, 3), (4,)), "ij,ij,jk->ik": ((2, 3), (2, 3), (3, 4)),
    "ab,b": ((3, 4), (4,)), "a,a->": ((5,), (5,)), "a,a": ((5,), (5,)), "a,b": ((2,), (3,)), "a": ((5,),), "ba,b": ((3, 4), (3,)), "ab...,bc...->ac...": ((2, 3, 4), (3, 2, 4)),
    "aa->a": ((4, 4),), "aab,bc->ac": ((3, 3, 2), (2, 4)), "ijkl,ijml->ijkm": ((1, 2, 5, 4), (1, 2, 5, 4)), "ntk,kd,dc->nc": ((2, 6, 5), (5, 4), (4, 3)),
}  # fmt: skip


@case(NP + "einsum", dtypes="f32 i32 bool", core=False, rtol=EXACT, atol=EXACT, reference=_by_form(LETTERS))  # fmt: skip
def letters_of_one_to_three(t, dtype):
    """Every form of one to three arrays that is left. Of whole numbers, exactly; of truths whether any pair is true."""
    f, made = t.get(NP + "einsum"), []
    for spec, shapes in LETTERS.items():
        given = [t.randn(shape, dtype) if dtype == "bool" else t.randint(shape, dtype, -2, 3) for shape in shapes]  # fmt: skip
        made.append(t.call(lambda *xs, spec=spec: f(spec, *xs, precision="highest"), *given))
    own_dtype(t, made, dtype)
    return made


LITTLE = {"i->": ((3,),), "ii->i": ((4, 4),), "ij,jk": ((3, 4), (4, 3))}
WAYS = [True, False, "optimal", "auto", "greedy"]


@case(NP + "einsum", dtypes="f32", core=False, rtol=EXACT, atol=EXACT, reference=lambda np, *given: [
      one for made in [_by_form(LITTLE)(np, *given)] for one in made for _ in range(2 * len(WAYS))])  # fmt: skip
def orders_of_one_and_of_two(t, dtype):
    """Each way to find an order, and the path that it finds; two arrays are one product, without a turn before or after it."""
    jax, jnp, f = t.fw, t.fw.numpy, t.get(NP + "einsum")
    made = []
    for spec, shapes in LITTLE.items():
        given = [t.randint(shape, dtype, -9, 9) for shape in shapes]
        for way in WAYS:
            path = jnp.einsum_path(spec, *given, optimize=way)[0]
            for one in (way, path):
                made.append(t.call(lambda *xs, spec=spec, one=one: f(spec, *xs, optimize=one), *given))  # fmt: skip
    program = jax.make_jaxpr(lambda x, y: f("ijk,kl->ijl", x, y))(jnp.ones((2, 2, 2)), jnp.ones((2, 2)))  # fmt: skip
    names = [one.primitive.name for one in program.eqns]
    t.expect(names == ["dot_general"], "one product, got %s" % names)
    mixed = jax.make_jaxpr(lambda x, y: f("a,a->a", x, y))(jnp.ones(9, "bfloat16"), jnp.ones(9, "int8"))  # fmt: skip
    names = [one.primitive.name for one in mixed.eqns]
    t.expect(names[0] == "dot_general" and set(names[1:]) <= {"convert_element_type"}, "nothing before it, got %s" % names)  # fmt: skip
    return made


# --- products


@case(NP + "matmul", core=False, reference="none")
@case(NP + "dot", core=False, reference="none")
def what_the_product_is_asked_for(t, function):
    """Its program has the precision and the dtype that are asked for, a narrower one, too; else what the two promote to."""
    jax, f, lax = t.fw, t.get(function), t.fw.lax
    ones = {kind: jax.numpy.ones((2, 2), kind) for kind in ("int32", "float32", "bfloat16")}

    def product(one, other, **options):
        made = jax.make_jaxpr(lambda x, y: f(x, y, **options))(ones[one], ones[other])
        found = [eqn for eqn in made.eqns if eqn.primitive.name == "dot_general"]
        t.expect(len(found) == 1, "one product, got %s" % made)
        return found[0].params, str(made.out_avals[0].dtype)

    high = lax.Precision.HIGHEST
    t.expect(product("float32", "float32")[0]["precision"] is None, "no precision unless asked")
    for given in (high, "highest", (high, high)):
        found = product("float32", "float32", precision=given)[0]["precision"]
        t.expect(found in (high, (high, high)), "%s, got %s" % (given, found))
    rows = [(("int32", "int32"), {}, "int32"), (("float32", "float32"), {}, "float32"), (("float32", "float32"), {"preferred_element_type": "bfloat16"}, "bfloat16"),
            (("int32", "float32"), {}, "float32"), (("bfloat16", "bfloat16"), {"preferred_element_type": "float32"}, "float32")]  # fmt: skip
    for given, options, want in rows:
        with jax.numpy_dtype_promotion("strict" if given[0] == given[1] else "standard"):
            params, kind = product(*given, **options)
        t.expect((kind, str(params["preferred_element_type"])) == (want, want), "%s of %s, got %s" % (want, given, kind))  # fmt: skip
    made = t.call(lambda x, y: f(x, y, preferred_element_type="bfloat16"), 3 * ones["float32"], ones["float32"])  # fmt: skip
    t.expect(str(made.dtype) == "bfloat16" and t.host(made).astype(float).tolist() == [[6, 6]] * 2, "sixes, got %s" % made)  # fmt: skip


@case(NP + "linalg.norm", dtypes="f32 c64", core=False, trivial=True, reference=lambda np, a, b, c, d, x: [
      np.zeros(()) for _ in range(19)] + [np.zeros(3), np.zeros((1, 1)), abs(x).sum(1).max()])  # fmt: skip
def orders_of_no_rows_and_no_columns(t, dtype):
    """Zero, whichever is asked for, in a program, too; infinity is no text."""
    jax, f = t.fw, t.get(NP + "linalg.norm")
    none = [t.randn(shape, dtype) for shape in ((0, 2), (2, 0), (0, 0))]
    made = [t.call(f, x, ord=ord) for ord in (1, 2, INF, "fro", "nuc") for x in none]
    made += [t.call(f, none[1][0], ord=ord) for ord in (1, 2, INF)]
    made.append(t.call(jax.jit(f), none[0]))
    made += [t.call(f, t.randn((3, 0), dtype), axis=1), t.call(f, none[2], keepdims=True)]
    t.raises(ValueError, t.call, f, t.fw.numpy.ones(3), ord="inf")
    return [*made, t.call(f, t.randint((3, 4), dtype, 1, 9), ord=INF)]


CROSSES = [
    ((10, 5, 2, 8), (1, 5, 1, 3), (-2, -1, -3, None)), ((4, 5, 2), (4, 5, 2), (-1, -1, 0, None)), ((4, 5, 2), (4, 5, 2), (-1, -1, -1, None)), ((2, 4), (2, 4), (-1, -1, -1, 0)),
    ((6, 1, 2), (5, 3), (-1, -1, -1, None)), ((2,), (2,), (-1, -1, -1, None)), ((3, 5), (3, 4, 5), (-1, -1, -1, 0)), ((3, 4), (3, 4), (0, 0, 0, None)),
]  # fmt: skip


def _crossed(np, *given):
    made = []
    for (_, _, (a, b, c, axis)), x, y in zip(CROSSES, given[::2], given[1::2]):
        a, b, c = (a, b, c) if axis is None else (axis,) * 3
        x, y = np.moveaxis(x, a, -1), np.moveaxis(y, b, -1)
        flat = x.shape[-1] == y.shape[-1] == 2
        x, y = (np.concatenate([v, np.zeros((*v.shape[:-1], 3 - v.shape[-1]))], -1) for v in (x, y))
        x, y = np.broadcast_arrays(x, y)
        parts = [x[..., i - 2] * y[..., i - 1] - x[..., i - 1] * y[..., i - 2] for i in range(3)]
        made.append(parts[2] if flat else np.moveaxis(np.stack(parts, -1), -1, c))
    return made


@case(NP + "cross", dtypes="f32 i32", core=False, rtol=EXACT, atol=EXACT, reference=_crossed)
def planes_along_axes_that_broadcast(t, dtype):
    """Two of a plane give numbers, wherever the axis of the result were; a plane beside space; along the first axis of fewer axes."""
    given = [(t.randint(x, dtype, -9, 9), t.randint(y, dtype, -9, 9), axes) for x, y, axes in CROSSES]  # fmt: skip
    return [t.call(NP + "cross", x, y, *axes) for x, y, axes in given]


KINDS = [("i32", "f32", "float32"), ("bf16", "f32", "float32"), ("i8", "f16", "float16"), ("u8", "i8", "int16"), ("f32", "c64", "complex64"), ("bf16", "i32", "bfloat16")]  # fmt: skip


def _areas(np, *given):
    made = []
    for x, y, z in zip(*(given[n::3] for n in range(3))):
        made += [x[:, 0] * y[1] - x[:, 1] * y[0], z[0] * x[:, 1] - z[1] * x[:, 0]]
    return made


@case(NP + "cross", core=False, reference=_areas)
def planes_of_two_kinds(t):
    """Numbers of the kind that holds both, of many beside one, too."""
    f, made = t.get(NP + "cross"), []
    for one, other, want in KINDS:
        x, y, z = (t.randint(shape, kind, 0, 9) for shape, kind in (((5, 2), one), ((2,), other), ((2, 5), other)))  # fmt: skip
        made += [t.call(f, x, y), t.call(lambda z, x: f(z, x, axisa=0), z, x)]
        kinds = [str(found.dtype) for found in made[-2:]]
        t.expect(kinds == [want] * 2 or t.place == "wide", "%s, got %s" % (want, kinds))
    return made


# --- sum


@case("jax.Array.sum", dtypes="f32 i32", core=False, rtol=SUMS, reference=lambda np, x: [
      x.sum((0, 2)), x.sum(1), x.sum((0, 2), keepdims=True), x.sum((0, 1)), x.sum(1, keepdims=True), x.sum(2), x.sum((2, 0)), x])  # fmt: skip
def axes_in_arrays_and_lists(t, dtype):
    """As jax.numpy.sum says: NumPy's arrays of axes, of one without axes, of none; JAX's, lists, NumPy's numbers."""
    np, x = t.np, t.uniform((2, 3, 4), dtype, 1, 9)
    axes = [np.array([0, 2]), np.array(1), (np.array([0, 2]), {"keepdims": True}), [0, 1], (np.array(-2), {"keepdims": True}),
            t.fw.numpy.array(2), (np.int64(2), np.int8(0)), np.array([], int)]  # fmt: skip
    made = []
    for one in axes:
        axis, options = one if isinstance(one, tuple) and isinstance(one[1], dict) else (one, {})
        made.append(t.call(lambda x, axis=axis, options=options: sum_of(x, axis=axis, **options), x))  # fmt: skip
    for wrong in (np.array([0, 0]), np.array([0.5]), np.array([3])):
        t.raises((TypeError, ValueError), sum_of, x, axis=wrong)
    return made


@case("jax.Array.sum", core=False, reference="none",
      cpu_fails="jax 0.10.2: the method ignores initial, which jax.numpy.sum refuses where it is no number")  # fmt: skip
def a_first_number_with_axes(t):
    x = t.fw.numpy.ones((2, 3, 4))
    t.raises((TypeError, ValueError), t.call, sum_of, x, axis=-1, initial=t.fw.numpy.zeros((1, 2, 3)))  # fmt: skip


@case("jax.Array.sum", dtypes="f16 bf16", core=False, rtol={"f16": 0.0, "bf16": 0.0}, reference=lambda np, x: [x.sum(), x.sum(0)])  # fmt: skip
def halves_are_added_in_f32(t, dtype):
    """Unless the own dtype is asked for: then nothing is converted."""
    jax, x = t.fw, t.randint((4, 8), dtype, -4, 5)
    names = lambda f: [one.primitive.name for one in jax.make_jaxpr(f)(x).eqns]  # noqa: E731
    found = names(lambda x: x.sum())
    t.expect(found == ["convert_element_type", "reduce_sum", "convert_element_type"], "there and back, got %s" % found)  # fmt: skip
    found = names(lambda x: x.sum(dtype=x.dtype))
    t.expect(found == ["reduce_sum"], "a sum alone, got %s" % found)
    made = [t.call(sum_of, x), t.call(sum_of, x, axis=0, dtype=x.dtype)]
    own_dtype(t, made, dtype)
    return made


# --- orders and arrays of little


@case("jax.Array.reshape", dtypes="f32 bool", core=False, reference=lambda np, x: [
      x.reshape(shape, order=order) for shape in ((2, 8), 16, (-1,), (4, 2, 2)) for order in "CF"] + [np.zeros((0, 42, 101)), x[0, 0, 0].reshape(1, 1, 1)] * 2)  # fmt: skip
def orders_that_are_given(t, dtype):
    """C said explicitly, and F, for each form of the sizes; of nothing to more; of a number alone."""
    x = t.randn((2, 2, 4), dtype)
    none = t.fw.numpy.zeros((7, 0), x.dtype)
    made = [t.call(lambda x, shape=shape, order=order: x.reshape(shape, order=order), x)
            for shape in ((2, 8), 16, (-1,), (4, 2, 2)) for order in "CF"]  # fmt: skip
    for order in "CF":
        made.append(t.call(lambda v, order=order: v.reshape((0, 42, 101), order=order), none))
        made.append(t.call(lambda v, order=order: v.reshape(1, 1, 1, order=order), x[0, 0, 0]))
    return made


# --- dtypes


class Bears:
    """Has a dtype, and cannot be hashed."""

    __hash__ = None

    def __init__(self, dtype):
        self.dtype = dtype


MAKES = {
    "jax.Array.astype": lambda f, x, kind: astype_of(x, kind), NP + "asarray": lambda f, x, kind: f(x, dtype=kind),
    NP + "full": lambda f, x, kind: f(x.shape, x, dtype=kind), NP + "ones_like": lambda f, x, kind: f(x, dtype=kind) * x.astype(kind),
    NP + "zeros_like": lambda f, x, kind: f(x, dtype=kind) + x.astype(kind), NP + "eye": lambda f, x, kind: f(3, dtype=kind) * x.astype(kind),
    NP + "concatenate": lambda f, x, kind: f([x], dtype=kind),
}  # fmt: skip


def forms_of_a_dtype(t, function):
    """Python's type, NumPy's, its text, its dtype, an object that has one and no hash; an array is none."""
    jax, np, jnp = t.fw, t.np, t.fw.numpy
    f = None if function.startswith("jax.Array.") else t.get(function)
    run = MAKES[function]
    x = t.const([3, 1, 2], "i32")
    kinds = [float, np.float32, "float32", np.dtype("float32"), jnp.float32, Bears(np.dtype("float32")), "f4"]  # fmt: skip
    made = [t.call(lambda x, kind=kind: run(f, x, kind), x) for kind in kinds]
    own_dtype(t, made, "f32")
    for wrong in (jnp.arange(4), np.arange(4.0)):
        t.raises((TypeError, ValueError), run, f, x, wrong)
        t.raises((TypeError, ValueError), jax.jit(lambda x, wrong=wrong: run(f, x, wrong)), x)
    return made


for _name in MAKES:
    case(_name, core=False, reference=lambda np, x, of=_name: [np.diag(x) if of.endswith("eye") else x] * 7)(forms_of_a_dtype)  # fmt: skip


@case(NP + "float32", core=False, reference=lambda np, x: [x, 3.0, np.array([1.0, 2.0])])
@case(NP + "int32", core=False, reference=lambda np, x: [np.trunc(x), 3, np.array([1, 2])])
def numbers_of_numpy_are_of_it(t, function):
    """isinstance of NumPy's scalars, not of arrays; of a number its program converts, and no more."""
    jax, np, kind = t.fw, t.np, t.get(function)
    own = np.dtype(kind).type
    t.expect(isinstance(own(1), kind) and not isinstance(np.int8(1), kind), "NumPy's scalar is one")
    t.expect(not isinstance(kind(1), kind) and isinstance(kind(1), jax.Array), "an array is none")
    names = [one.primitive.name for one in jax.make_jaxpr(kind)(0).eqns]
    t.expect(names == ["convert_element_type"], "a conversion alone, got %s" % names)
    made = t.call(kind, t.uniform((5,), "f32", -9, 9)), t.call(kind, 3), t.call(kind, [1, 2])
    t.expect({str(one.dtype) for one in made} == {np.dtype(kind).name}, "its dtype")
    return list(made)


@case(NP + "zeros_like", core=False, trivial=True, reference=lambda np: [np.zeros(s) for s in ((3,), (), (10,)) for _ in "ab"] * 3)  # fmt: skip
@case(NP + "ones_like", core=False, reference=lambda np: [np.ones(s) for s in ((3,), (), (10,)) for _ in "ab"] * 3)  # fmt: skip
def weak_in_any_shape(t, function):
    """A weak type stays, in a program and in another shape, too, unless a dtype is asked for."""
    jax, f, made = t.fw, t.get(function), []
    for kind in (1, 1.0, 1j):
        weak = jax.numpy.broadcast_to(jax.numpy.asarray(kind), (3,))
        for shape in (None, (), (10,)):
            for run in (lambda x, s=shape: f(x, shape=s), jax.jit(lambda x, s=shape: f(x, shape=s))):  # fmt: skip
                made.append(t.call(run, weak))
            strong = [jax.jit(lambda x, s=shape: f(x, shape=s, dtype=complex))(weak), f(weak.astype(weak.dtype), shape=shape)]  # fmt: skip
            t.expect([made[-1].weak_type, *(one.weak_type for one in strong)] == [True, False, False], "weak without a dtype alone")  # fmt: skip
    return made


# --- asarray


@case(NP + "asarray", core=False, reference=lambda np, x: [x, x, x, x, x, np.array([42, 243]), np.array(1)])  # fmt: skip
def the_same_memory_and_copies(t):
    """Deleted with what it is the same as; a program's and a copy are others, forwards, backwards, mapped; bytes; masks and None."""
    jax, np, f = t.fw, t.np, t.get(NP + "asarray")
    x = t.uniform((10,), "f32", 1, 9)
    copied = lambda x: f(x, copy=True)  # noqa: E731
    value, along = jax.jvp(copied, (x,), (x,))
    again, pull = jax.vjp(copied, x)
    (back,) = pull(x)
    mapped = jax.vmap(copied)(x)
    t.expect(all(one is not x for one in (value, along, again, back, mapped)), "none of them is it")
    if not t.compiled:
        first = x + 0
        view, program, other = f(first), jax.jit(f)(first), f(first, copy=True)
        first.delete()
        found = [one.is_deleted() for one in (view, program, other)]
        t.expect(found == [True, False, False], "deleted with it, got %s" % found)
    masked = np.ma.array([1, 2], mask=[True, False])
    t.raises(ValueError, jax.jit(f), masked)
    for wrong in ([0.0, None], [[None]]):
        t.raises((TypeError, ValueError), f, wrong)
    t.raises(TypeError, f, 3, dtype=[("a", "<i4"), ("b", "<i4")])
    t.raises(TypeError, f, list[tuple[float, bool]])
    twin = copy.deepcopy(x)
    return [value, along, back, mapped, twin, t.call(f, bytearray(b"\x2a\xf3")), t.call(f, np.longlong(1))]  # fmt: skip


# --- names of arguments

NAMED = {
    "broadcast_to": ("array shape", lambda x: [x, (2, 3)]), "concatenate": ("arrays axis dtype", lambda x: [[x, x], 0, "float32"]), "cross": ("a b axisa axisb axisc axis", lambda x: [x, x[::-1], 0, 0, 0, 0]),
    "diag": ("v k", lambda x: [x, 1]), "dot": ("a b", lambda x: [x, x]), "expand_dims": ("a axis", lambda x: [x, 0]), "eye": ("N M k dtype", lambda x: [3, 4, 1, "float32"]),
    "full": ("shape fill_value dtype", lambda x: [(2, 3), x, "float32"]), "ndim": ("a", lambda x: [x]), "shape": ("a", lambda x: [x]), "ones_like": ("a dtype shape", lambda x: [x, "float32", (2,)]),
    "zeros_like": ("a dtype shape", lambda x: [x, "float32", (2,)]), "squeeze": ("a axis", lambda x: [x[None], 0]), "transpose": ("a axes", lambda x: [x[None], (1, 0)]),
    "linalg.norm": ("x ord axis keepdims", lambda x: [x, 1, 0, True]), "issubdtype": ("arg1 arg2", lambda x: ["float32", "float32"]), "asarray": ("a dtype", lambda x: [x, "float32"]),
}  # fmt: skip


def named_as_numpys(t, function):
    """Each argument by NumPy's name for it, in its order; a name that neither has is refused."""
    np, f, name = t.np, t.get(function), function[len(NP) :]
    words, given = NAMED[name]
    own = np
    for part in name.split("."):
        own = getattr(own, part)
    names = [one for one in inspect.signature(f).parameters if one in words.split()]
    t.expect(names == words.split(), "in this order, got %s" % names)
    theirs = inspect.signature(own).parameters
    t.expect(set(words.split()) <= set(theirs), "NumPy's names, got %s" % list(theirs))
    values = given(t.const([1.0, 2.0, 4.0], "f32"))
    one, other = t.call(f, *values), t.call(f, **dict(zip(words.split(), values)))
    host = lambda v: np.asarray(v) if hasattr(v, "devices") else v  # noqa: E731
    plain = [[host(one) for one in v] if isinstance(v, list) else host(v) for v in values]
    want = own(plain[0], **dict(zip(words.split()[1:], plain[1:])))
    for made in (one, other):
        t.expect(np.array_equal(np.asarray(made), np.asarray(want)), "%s, got %s" % (want, made))
    t.raises(TypeError, f, *values, nonsense=1)


for _name in NAMED:
    case(NP + _name, host_only=_name in ("issubdtype", "ndim", "shape"), core=False, reference="none")(named_as_numpys)  # fmt: skip


@case(NP + "where", dtypes="f32", core=False, reference=lambda np, x: [np.sign(x), np.array(1.0)])
def slope_without_constants(t, dtype):
    """The program of a slope has no truth of its own: it chooses by the condition alone."""
    jax, f = t.fw, t.get(NP + "where")
    slope = jax.grad(lambda x: f(x > 0, x, -x))
    text = str(jax.make_jaxpr(slope)(3.0))
    t.expect("False" not in text and "True" not in text, "no truths in %s" % text)
    return [t.call(jax.vmap(slope), t.uniform((6,), dtype, -9, 9) + 0), t.call(slope, 3.0)]


@case("jax.random.uniform", kind=["float16", "bfloat16", "float32", "float64"], core=False, reference="none")  # fmt: skip
def bounds_of_halves(t, kind):
    """The dtype is the one asked for, whatever the bounds' is; in a program, too; numbers between them, of their own places."""
    jax, np, f = t.fw, t.np, t.get("jax.random.uniform")
    low, high = np.float16(0.25), np.float16(0.75)
    run = lambda key, kind=kind: f(key, (400,), minval=low, maxval=high, dtype=kind)  # noqa: E731
    if kind == "float64" and not jax.config.jax_enable_x64:
        kind = "float32"
    made = [t.call(run, jax.random.key(3)), jax.jit(run)(jax.random.key(3))]
    for one in made:
        x = np.asarray(one).astype("float64")
        t.expect(str(one.dtype) == kind and x.min() >= 0.25 and x.max() <= 0.75, "between, got %s" % one.dtype)  # fmt: skip
        t.expect(abs(x.mean() - 0.5) < 0.06 and len(set(x.tolist())) > 90, "spread, got %s" % x.mean())  # fmt: skip
    one, other = (np.asarray(one).astype("float64") for one in made)
    t.expect(
        abs(one - other).max() <= {"float16": 6e-4, "bfloat16": 4e-3}.get(kind, 1e-6),
        "the same in a program",
    )


@case("jax.nn.initializers.normal", core=False, reference="none")
def a_wide_deviation_of_narrow_weights(t):
    """A deviation that is an array of f32 does not widen them."""
    jax, f = t.fw, t.get("jax.nn.initializers.normal")
    for kind in ("bfloat16", "float16"):
        made = t.call(lambda key, kind=kind: f(jax.numpy.float32(1.0), kind)(key, (40, 40)), jax.random.key(1))  # fmt: skip
        x = t.np.asarray(made).astype("float64")
        t.expect(str(made.dtype) == kind, "%s, got %s" % (kind, made.dtype))
        plain = t.np.asarray(f(1.0, kind)(jax.random.key(1), (40, 40))).astype("float64")
        t.expect(abs(x - plain).max() <= 0.03, "as of a deviation of Python's")
        t.expect(abs(x.mean()) < 0.15 and abs(x.std() - 1) < 0.1, "of deviation 1, got %s" % x.std())  # fmt: skip


@case("jax.devices", host_only=True, core=False, reference="none")
def counted_by_backend(t):
    """As many as are counted, of each kind that is there; what is known but not there is refused."""
    jax, name = t.fw, "jax.devices"
    there = {one.platform for one in t.call(name)} | {"cpu"}
    for kind in there:
        found = t.call(name, kind)
        t.expect(len(found) == jax.device_count(kind) and {one.platform for one in found} == {kind}, "those of %s, got %s" % (kind, found))  # fmt: skip
        t.expect(jax.local_devices(backend=kind) == found and t.call(name, backend=kind) == found, "by name")  # fmt: skip
    for kind in ("cuda", "rocm", "tpu"):
        if kind not in there and not (kind in ("cuda", "rocm") and "gpu" in there):
            t.raises(RuntimeError, t.call, name, kind)
            t.raises(RuntimeError, jax.device_count, kind)
