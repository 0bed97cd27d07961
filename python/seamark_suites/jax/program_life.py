"""jax.jit: what a program holds, passes on and refuses; when settings and names of axes make another one."""

import gc
import weakref

from seamark_suites.case import case, each

from .values_and_kinds import own_dtype

JIT, COND = "jax.jit", "jax.lax.cond"


@case(JIT, host_only=True, core=False, reference="none")
def what_a_program_holds(t):
    """Words, types and marks of its function; what that closes over until both are gone; no circle through a method. Some functions cannot be held."""
    jax, jit = t.fw, t.get(JIT)

    def told(x: int) -> int:
        """Words about it."""
        return x + 1

    told.mark = 4
    program = jit(told)
    for name in ("doc", "name", "module", "qualname", "annotations"):
        found, want = (getattr(one, "__%s__" % name) for one in (program, told))
        t.expect(found == want, "its %s: %r, got %r" % (name, want, found))
    t.expect(int(t.call(program, 3)) == 4 and program.mark == 4 and repr(told) in repr(program), "its mark, and it in print, got %r" % program)  # fmt: skip
    held = jax.numpy.ones(10)
    inner = (lambda held: lambda: held)(held)
    program, held = jit(inner), weakref.ref(held)
    found = [one().sum() for one in (inner, program, program)]
    del inner
    t.expect(found == [10] * 3 and held() is not None and program().sum() == 10, "held by the program")  # fmt: skip
    del program
    gc.collect()
    t.expect(held() is None, "gone with the last who holds it")

    class Owner:
        def __init__(self):
            self.program = jit(self.run)

        def run(self):
            return None

    owner = weakref.ref(Owner())
    gc.collect()
    t.expect(owner() is None, "gone, though its method is a program")

    class Bare:
        __slots__ = ()

        def __call__(self, x):
            return x + 1

    bare = jit(Bare())
    t.raises(TypeError, bare, 3)


@case(JIT, core=False, host_only=True, reference="none")
def tokens_go_through(t):
    """Made in a program, taken and given back by one, closed over."""
    jax, jit, make = t.fw, t.get(JIT), t.get("jax.lax.create_token")
    first = make()
    made = [t.call(jit(make), 1.0), *jit(lambda x, token: (x, token))(t.np.ones(3), first)[1:]]
    made.append(jit(lambda x: (x + 2, first))(7)[1])
    jax.block_until_ready(made)
    t.expect(all(type(one) is type(first) and one is not first for one in made), "tokens, got %r" % made)  # fmt: skip


@case(JIT, core=False, reference="none")
def refused_while_it_runs(t):
    """A compiled one within vmap, grad, jit; deleted arrays; structs without numbers; options within; numbers asked of tracers; traces and runs that are forbidden."""
    jax, jit, errors, ones = t.fw, t.get(JIT), t.fw.errors, t.fw.numpy.ones
    compiled = jit(lambda x: x + 4).lower(1.0).compile()
    for way, given in ((jax.vmap, ones(3)), (jax.grad, 1.0), (jit, 1.0)):
        t.raises(TypeError, way(lambda x: compiled(x) * 2), given)
    plus, gone = jit(lambda x: x + 1), ones(3)
    other = ones(3)
    found = t.host(t.call(plus, gone)).tolist()
    for one in (gone, other):
        one.delete()
        t.raises((RuntimeError, ValueError), plus, one)
    t.raises((RuntimeError, ValueError), jit(lambda x: x + 2), gone)  # at its first call
    t.expect(found == [2, 2, 2] == t.host(t.call(plus, ones(3))).tolist(), "the next call, got %s" % found)  # fmt: skip
    struct = jax.ShapeDtypeStruct((4,), "int32")
    t.raises(TypeError, jit(lambda tree: tree), {"a": ones(2), "b": {"c": struct}})
    t.raises(Exception, jit(lambda x: (x, struct)), ones(2))
    unused = jit(lambda x, y: x + 1 if y.shape[0] > 2 else x + 2)
    ahead = unused.lower(ones(4), ones(4)).compile()
    t.expect(t.host(ahead(ones(4), ones(4))).tolist() == [2] * 4, "compiled ahead")
    t.raises(TypeError, ahead, ones(4), ones(1))
    inner = jit(lambda x: x * 2, compiler_options={"no_such_option": "1"})
    t.raises(ValueError, jit(lambda x: inner(x + 2)), ones(2))
    t.raises(errors.ConcretizationTypeError, jit(lambda x: x.item()), 1.0)
    sine = jit(lambda: jax.numpy.sin(1.0), inline=True)
    t.raises(errors.TracerBoolConversionError, jit(lambda: 1.0 if sine() > 0 else 0.0))
    kept = []
    jit(lambda x: kept.append(x) or x)(0.0)
    t.raises(errors.UnexpectedTracerError, jit(lambda x: kept[0]), 0.0)
    with jax.checking_leaks():
        t.raises(Exception, jit(lambda x: kept.append(x) or x), 3)
    once = jit(lambda x: x * 3)
    once(ones(3))
    with jax.no_tracing():
        t.raises(RuntimeError, once, ones(4))
        again = t.host(once(ones(3)))
    made = jit(lambda: ones(3))
    made()
    with jax.no_execution():
        t.raises(RuntimeError, made)
    t.expect(again.tolist() == [3] * 3 and t.host(made()).tolist() == [1] * 3, "what is traced runs, and afterwards all")  # fmt: skip


def _counted(t, function):
    """A program, or a branch of two, of a product; the list grows with each trace."""
    seen, f = [], t.get(function)

    def traced(x):
        seen.append(1)
        return t.fw.numpy.dot(x, x)

    return f(traced) if function == JIT else lambda x: f(True, traced, traced, x), seen


@each([JIT, COND], core=False, reference="none")
def traced_again_by_settings(t, function):
    """Of products and of ranks, once for each; never for what was traced already."""
    jax, x = t.fw, t.fw.numpy.full((2, 2), 3.0)
    run, seen = _counted(t, function)
    settings = [None, jax.default_matmul_precision("tensorfloat32"), jax.numpy_rank_promotion("raise"),
                jax.default_matmul_precision("float32"), None]  # fmt: skip
    counts = []
    for setting in settings:
        for _ in range(2):
            if setting is None:
                made = run(x)
            else:
                with setting:
                    made = run(x)
            counts.append(len(seen))
            t.expect(t.host(made).tolist() == [[18, 18]] * 2, "the same product, got %s" % made)
    t.expect(counts == [1, 1, 2, 2, 3, 3, 4, 4, 4, 4], "once for each, got %s" % counts)
    t.expect(t.host(t.call(lambda x: run(x), x)).tolist() == [[18, 18]] * 2, "within another, too")


@each([JIT, COND], core=False, reference="none")
def traced_once_within_others(t, function):
    """Ten times within one program and once outside; of branches that are chosen by each of ten numbers."""
    jax, f, seen = t.fw, t.get(function), []

    def doubled(x):
        seen.append(1)
        return 2 * x

    def shifted(x):
        return x - 3

    if function == JIT:
        inner = f(doubled)

        def ten_times(x):
            first = x
            for _ in range(10):
                x = inner(x)
            return x + first

        x, outer = jax.numpy.arange(5), f(ten_times)
        made = [t.call(outer, x), outer(x)]
        inner(x)
        want = [[1025 * n for n in range(5)]] * 2
    else:
        made = [
            t.call(lambda: f(True, doubled, shifted, 3)),
            *(f(n, doubled, shifted, n) for n in range(10)),
        ]
        want = [6, -3, *range(2, 20, 2)]
    found = [t.host(one).tolist() for one in made]
    t.expect(found == want, "%s, got %s" % (want, found))
    t.expect(len(seen) <= 1 + (function == COND) or t.compiled, "traced once, got %d" % len(seen))


@case(JIT, core=False, trivial=True, reference=lambda np: [2, 3, 2, 1, np.array([1, 1]), 7])
def programs_within_named_axes(t):
    """Another for each size of an axis of vmap; one that gives nothing back, within others; the same result twice, inlined or not."""
    jax, jit = t.fw, t.get(JIT)
    size = jit(lambda: jax.lax.axis_size("n"))
    made = [t.call(lambda count=count: jax.vmap(size, axis_name="n", axis_size=count, out_axes=None)()) for count in (2, 3, 2)]  # fmt: skip
    plain = jit(lambda: jax.numpy.cos(0))
    made.append(t.call(lambda: jax.vmap(plain, axis_size=2, out_axes=None)()))
    add = jit(lambda x: x + 1)
    twice = lambda x: (lambda y: (y, y))(add(x))  # noqa: E731
    for inline in (False, True):
        program = jit(twice, inline=inline)
        t.expect(len(jax.eval_shape(program, 0)) == 2, "twice")
        text = str(jax.make_jaxpr(program)(3))
        names = [one.primitive.name for one in jax.make_jaxpr(program)(3).eqns]
        t.expect(len(names) == 1, "one equation, got %s" % text)
        body = jax.make_jaxpr(jit(lambda x: x * 2, inline=inline))(3)
        t.expect([one.primitive.name for one in body.eqns] == (["mul"] if inline else ["jit"]), "got %s" % body)  # fmt: skip
    made.append(t.call(lambda: jax.numpy.stack(program(0))))
    empty, pair = jit(lambda x: ()), jit(lambda x: (x, x))
    t.expect(jit(lambda x: empty(x))(8) == (), "nothing")
    return [*made, t.call(lambda x: jit(lambda y: pair(y))(x)[1], 7)]


# (Orders of arguments and of results; how many come out as they went in; how many of the rest are exponentials.)
WAYS = [((0, 1, 2), (2, 0, 1), 0, 2), ((2, 1, 0), (0, 2, 1), 1, 0), ((1, 2, 0), (1, 0, 2), 1, 2), ((0, 2, 1), (2, 1, 0), 2, 0),
        ((2, 0, 1), (1, 2, 0), 2, 2), ((1, 0, 2), (0, 1, 2), 3, 0)]  # fmt: skip


def _passed_on(np, x):
    made = []
    for before, after, same, exps in WAYS:
        given = x[list(before)]
        rest = [np.exp(given[i]) if i < exps else np.sin(given[i]) for i in range(3 - same)]
        slopes = [np.exp(given[i]) if i < exps else np.cos(given[i]) for i in range(3 - same)]
        slope = np.zeros_like(x)
        for at, n in enumerate(after):
            slope[before[n if n < same else n - same]] += (at + 1) * (1 if n < same else slopes[n - same])  # fmt: skip
        made.append([np.stack([*given[:same], *rest])[list(after)], slope])
    return [made, made]


@case(JIT, dtypes="f32 f64", core=False, reference=_passed_on)
def arguments_that_come_out_again(t, dtype):
    """Some as they are, in any order, beside what is computed of them: values and slopes, with jax.remat, too."""
    jax, jit, jnp = t.fw, t.get(JIT), t.fw.numpy

    def run(x, wrapped):
        made = []
        for before, after, same, exps in WAYS:

            def some(given, before=before, after=after, same=same, exps=exps):
                given = [given[i] for i in before]
                out = given[:same] + [(jnp.exp if i < exps else jnp.sin)(given[i]) for i in range(3 - same)]  # fmt: skip
                return [out[i] for i in after]

            f = wrapped(jit(some))
            total = lambda x, f=f: (jnp.stack(f(list(x))) @ jnp.arange(1, 4, dtype=x.dtype)).sum()  # noqa: E731
            made.append([jnp.stack(f(list(x))), jax.grad(total)(x)])
        return made

    x = t.uniform((3,), dtype, 0.25, 1.5)
    return t.call(lambda x: [run(x, lambda f: f), run(x, jax.remat)], x)


SCALARS = [
    "int8",
    "int16",
    "int32",
    "uint8",
    "uint16",
    "uint32",
    "float16",
    "float32",
    "complex64",
    "bool",
]
FEW = ["float4_e2m1fn", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"]  # fmt: skip


@case(JIT, core=False, reference=lambda np, x: [np.exp(np.zeros(14)), np.full(9, 2), [np.arange(n) % 3 != 0 for n in (1, 8, 32, 33, 1000)], [sum(1 for i in range(n) if i % 3) for n in (1, 8, 32, 33, 1000)], x * 2])  # fmt: skip
def constants_of_every_kind(t):
    """Numbers of NumPy's and Python's kinds, those of few bits, truths that are closed over and summed."""
    jnp, np, jit = t.fw.numpy, t.np, t.get(JIT)
    kinds = [*(getattr(np, "bool_" if name == "bool" else name) for name in SCALARS), jnp.bfloat16, int, float, bool]  # fmt: skip
    ones = [t.call(jit(lambda kind=kind: jnp.exp(kind(0)))) for kind in kinds]
    few = [t.call(jit(lambda x: x + 1), jnp.ones((), getattr(jnp, name))) for name in FEW]
    t.expect([str(one.dtype) for one in few] == FEW, "their own kinds, got %s" % few)
    masks = [jnp.asarray(np.arange(n) % 3 != 0) for n in (1, 8, 32, 33, 1000)]
    own_dtype(t, masks, "bool")
    sums = [t.call(jit(lambda mask=mask: jnp.sum(mask))) for mask in masks]
    x = t.randint((5,), "i32", -9, 9)
    return [jnp.stack([one.real.astype("float32") for one in ones]), jnp.stack([one.astype("float32") for one in few]),
            [t.call(jit(lambda mask=mask: mask)) for mask in masks], sums, t.call(jit(lambda: x + x))]  # fmt: skip


@case(JIT, core=False, reference=lambda np, x: [x, x, x, x + 7, np.full(4, 4), np.full(4, 6)])
def given_away_of_another_kind(t):
    """A weak array becomes a strong one; within another program nothing is given away; by name beside static ones."""
    jax, jit, x = t.fw, t.get(JIT), t.randint((3,), "i32", -9, 9)
    put = lambda x: jax.device_put(x, t.device)  # noqa: E731
    strong = jit(lambda x: x.astype(int), donate_argnums=0)
    weak = jax.numpy.broadcast_to(2, (3,))
    t.expect(weak.weak_type and t.host(strong(weak)).tolist() == [2] * 3, "twos")
    kept = put(x + 0)
    made = [t.call(lambda x: strong(x * 1), x), t.call(jit(lambda x: jit(lambda y: y + 0, donate_argnums=0)(x)), kept), kept]  # fmt: skip
    several = jit(lambda a, b, c, d, e: (a + b + c, a + b + d, a + b + e), static_argnums=(0, 1), donate_argnames=("d", "e"))  # fmt: skip
    d, e = put(t.np.full(4, 1, "float32")), put(t.np.full(4, 3, "float32"))
    made += t.call(lambda c, d, e: several(3, 4, c, d=d - 4, e=e - 4), x, d, e)
    found = several(1, 2, kept, d=d, e=e)
    t.expect([t.host(one).tolist() for one in found[1:]] == [[4] * 4, [6] * 4], "got %s" % (found,))
    t.expect(not kept.is_deleted() and d.is_deleted() == e.is_deleted(), "both by name, or neither")
    return made
