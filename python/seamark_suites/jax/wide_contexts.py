"""What is wide in a context and narrow outside, and what a NaN or an infinity stops where that is asked for."""

import concurrent.futures
import contextlib
import warnings

from seamark_suites.case import case

from .arranging import astype_of

NP = "jax.numpy."
WIDE = ("0.8.0", "jax.enable_x64 as a context")


# --- 64 bits in a context


def kinds(t, made, want):
    found = [str(one.dtype) for one in made]
    t.expect(found == want.split(), "%s, got %s" % (want, found))


@case("jax.jit", core=False, since=WIDE, reference="none")
def another_program_where_wide_numbers_are(t):
    """One for each mode, whichever it was made in; a context within a program widens what it computes."""
    jax, np, jnp, jit = t.fw, t.np, t.fw.numpy, t.get("jax.jit")
    for first in (True, False):
        program = jit(lambda: jnp.asarray(np.float64(0.1)))
        with jax.enable_x64(first):
            program()
        made = [t.call(program)]
        for wide in (True, False):
            with jax.enable_x64(wide):
                made.append(t.call(program))
        kinds(t, [*made, program()], "float32 float64 float32 float32")
        t.expect(float(made[1]) == 0.1, "all digits, got %r" % float(made[1]))

    @jit
    def within(a):
        with jax.enable_x64(True):
            return 2**40 + a

    made = within(1)
    t.expect(str(made.dtype) == "int64" and int(made) == 2**40 + 1, "64 bits, got %r" % made)
    struct = jax.ShapeDtypeStruct((), np.int64)
    t.expect(str(struct.dtype) == "int64", "a struct keeps its dtype, got %s" % struct.dtype)


@case("jax.lax.while_loop", core=False, since=WIDE, reference="none")
def loops_in_either_width(t):
    """One function, jitted once: in 64 bits where that is asked for, and in 32 after it."""
    jax, np, loop = t.fw, t.np, t.get("jax.lax.while_loop")
    third = lambda n: loop(lambda s: s[0] < n, lambda s: (s[0] + 1.0, s[1] + 1 / 3), (0.0, 0.0))  # noqa: E731
    for count in (third, jax.jit(third)):
        made = []
        for wide in (True, False, True):
            with jax.enable_x64(wide):
                made += t.call(count, 9)
        kinds(t, made, "float64 float64 float32 float32 float64 float64")
        t.expect([float(one) for one in made[::2]] == [9.0] * 3, "nine steps, got %s" % made)
        t.expect(abs(float(made[1]) - 3) < 1e-15 and abs(float(made[3]) - 3) < 1e-5, "thirds, got %s" % made)  # fmt: skip
        t.expect(np.asarray(made[5]) == np.asarray(made[1]), "the same again")


@case("jax.lax.scan", core=False, since=WIDE, reference="none")
def wide_numbers_of_each_step(t):
    """A context in the step: what it puts out is wide, what is carried is not; without jit, too."""
    jax, scan, jnp = t.fw, t.get("jax.lax.scan"), t.fw.numpy

    def run(a):
        def step(c, x):
            with jax.enable_x64(True):
                y = (c + a).astype("int64") * 2**33
                z = y.astype("int32")
            return c + x, (z, y)

        return scan(step, jnp.int32(2), jnp.arange(4, dtype="int32"))

    for without in (False, True):
        with jax.disable_jit(without):
            last, (low, whole) = run(3) if without else t.call(run, 3)
        kinds(t, (last, low, whole), "int32 int32 int64")
        want = [(2 + n + 3) * 2**33 for n in (0, 0, 1, 3)]
        found = [int(one) for one in whole]
        t.expect(found == want and int(last) == 8, "%s, got %s, %s" % (want, found, last))
        t.expect([int(one) for one in low] == [0] * 4, "low bits, got %s" % low)


@case("jax.Array.astype", core=False, since=WIDE, reference="none")
def from_wide_numbers_of_a_context(t):
    """Outside, in a program, too: the low bits, the nearest fraction."""
    jax, jnp = t.fw, t.fw.numpy
    with jax.enable_x64(True):
        n, x = jnp.int64(2**40 + 5), jnp.float64(0.1)
    made = [t.call(astype_of, n, "int32"), jax.jit(lambda n: n.astype("int32"))(n)]
    made += [t.call(astype_of, x, "float32"), jax.jit(lambda x: x.astype("float32"))(x)]
    kinds(t, (n, x, *made), "int64 float64 int32 int32 float32 float32")
    t.expect([int(one) for one in made[:2]] == [5, 5], "low bits, got %s" % made)
    t.expect([float(one) for one in made[2:]] == [float(t.np.float32(0.1))] * 2, "got %s" % made)


@case(NP + "asarray", core=False, since=WIDE, reference="none")
def wide_in_a_context_and_in_a_thread(t):
    """In 64 bits there, also where it is used outside; each thread has its own context."""
    jax, np, jnp, f = t.fw, t.np, t.fw.numpy, t.get(NP + "asarray")

    def sine(x):
        with jax.enable_x64(True):
            x = f(x, dtype="float64")
        return jax.lax.sin(x)

    for run in (sine, jax.jit(sine)):
        made = t.call(run, 0.5)
        t.expect(str(made.dtype) == "float64" and abs(float(made) - np.sin(0.5)) < 1e-15, "got %r" % made)  # fmt: skip

    def kind(wide):
        with jax.enable_x64(wide):
            return [str(f(np.int64(n)).dtype) for n in range(3)] + [str(jnp.result_type(float))]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(kind, [False, True] * 4))
    t.expect(found == [["int32"] * 3 + ["float32"], ["int64"] * 3 + ["float64"]] * 4, "got %s" % found)  # fmt: skip
    with jax.enable_x64(True):
        wide = [f(one) for one in (2**40, 0.1, [2**40], np.uint64(2**63), -(2**63), 1j)]
        t.raises(OverflowError, f, 2**63)
        t.expect(int(f(2**63, dtype="uint64")) == 2**63, "unsigned")
    kinds(t, wide, "int64 float64 int64 uint64 int64 complex128")
    t.expect([int(np.asarray(wide[n]).sum()) for n in (0, 2, 3, 4)] == [2**40, 2**40, 2**63, -(2**63)], "got %s" % wide)  # fmt: skip


@case("jax.random.uniform", core=False, since=WIDE, reference="none")
def wide_draws_of_a_context(t):
    """One bound call, inside and outside in turn: f64 there, f32 else."""
    jax, f = t.fw, t.get("jax.random.uniform")
    draw = lambda: f(jax.random.key(0), (40,), "float64", -1, 1)  # noqa: E731
    made = []
    for wide in (False, True, False, True):
        with jax.enable_x64(wide), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made += [draw(), t.call(draw)]
    kinds(t, made, " ".join(["float32 float32 float64 float64"] * 2))
    values = [t.np.asarray(one) for one in made]
    pairs = [*zip(values[:4], values[4:]), *zip(values[::2], values[1::2])]
    t.expect(all(abs(a - b).max() < 1e-6 for a, b in pairs), "the same again")
    t.expect(all(one.min() >= -1 and one.max() < 1 and len(set(one.tolist())) == 40 for one in values), "between")  # fmt: skip


@case("jax.random.uniform", core=False, since=WIDE, reference="none")
@case("jax.random.normal", core=False, since=WIDE, reference="none")
def wide_draws_where_nothing_is_said(t, function):
    """Without a dtype they are f64 in the context, with the numbers of the one that is named, and f32 outside; in a program, too."""
    jax, f, key = t.fw, t.get(function), t.fw.random.key(0)
    ways = (lambda: f(key, (40,)), jax.jit(lambda: f(key, (40,))))
    for wide in (False, True, False):
        want = "float64" if wide else "float32"
        with jax.enable_x64(wide):
            named = t.host(f(key, (40,), want))
            made = [t.call(way) for way in ways]
        kinds(t, made, " ".join([want] * 2))
        near = 1e-14 if wide else 1e-6
        found = [t.host(one) for one in made]
        close = [t.np.allclose(one, named, rtol=near, atol=near) for one in found]
        t.expect(all(close) and len(set(named.tolist())) == 40, "%s, got %s" % (named, found))


@case("jax.grad", core=False, since=WIDE, reference="none")
def slopes_through_a_wide_context(t):
    """The slope has the kind of what it is by: in 32 bits outside, with rules of one's own, three times, too."""
    jax, jnp, grad = t.fw, t.fw.numpy, t.get("jax.grad")

    @jax.custom_jvp
    def forwards(x):
        return x**2.0

    forwards.defjvp(lambda given, along: (forwards(given[0]), along[0] * jnp.sin(given[0])))

    @jax.custom_vjp
    def backwards(x):
        return x**2.0

    backwards.defvjp(lambda x: (backwards(x), jnp.sin(x)), lambda kept, c: (kept * c,))

    def plain(x):
        return jnp.sin(x)

    sin, cos = t.np.sin(5.0), t.np.cos(5.0)
    for f, want in ((plain, (cos, -sin, -cos)), (forwards, (sin, cos, -sin)), (backwards, (sin, cos, -sin))):  # fmt: skip

        def widened(x, f=f):
            with jax.enable_x64(True):
                return f(jnp.asarray(x, dtype="float64"))

        for wide in (False, True):
            with jax.enable_x64(wide):
                made = [t.call(grad(widened), 5.0), grad(grad(widened))(5.0), grad(grad(grad(widened)))(5.0)]  # fmt: skip
                kinds(t, [widened(5.0), *made], "float64 " + " ".join(["float64" if wide else "float32"] * 3))  # fmt: skip
                far = max(abs(float(one) - right) for one, right in zip(made, want))
                t.expect(far < (1e-12 if wide else 1e-6), "%s, got %s" % (want, made))
        if f is not backwards:
            kinds(t, jax.jvp(widened, (5.0,), (1.0,)), "float64 float64")


# --- wide kinds where they are asked for by name

WAYS = {
    NP + "full": lambda f, jnp: [f(2, 2**40, dtype="int64"), f(2, 0.1, dtype="float64")],
    NP + "ones_like": lambda f, jnp: [f(jnp.zeros(2, "int32"), dtype="int64"), f(jnp.zeros(2), dtype="float64")],
    NP + "zeros_like": lambda f, jnp: [f(jnp.ones(2, "int32"), dtype="int64"), f(jnp.ones(2), dtype="float64")],
    NP + "eye": lambda f, jnp: [f(2, dtype="int64"), f(2, dtype="float64")],
    "jax.Array.astype": lambda f, jnp: [jnp.ones(2, "int32").astype("int64"), (jnp.ones(2) / 4).astype("float64")],
}  # fmt: skip
WANT = {
    NP + "full": [[2**40] * 2, [0.1] * 2], NP + "ones_like": [[1, 1]] * 2, NP + "zeros_like": [[0, 0]] * 2, NP + "eye": [[[1, 0], [0, 1]]] * 2,
    "jax.Array.astype": [[1, 1], [0.25, 0.25]],
}  # fmt: skip


def wide_kinds_by_name(t, function):
    """jax_explicit_x64_dtypes: allowed without 64-bit types, refused, or narrowed with a warning."""
    jax = t.fw
    f = None if function.startswith("jax.Array.") else t.get(function)
    run = lambda: WAYS[function](f, jax.numpy)  # noqa: E731
    with explicit(jax, "allow"):
        made = t.call(run)
        kinds(t, made, "int64 float64")
        found = [t.np.asarray(one).tolist() for one in made]
        t.expect(found == WANT[function], "%s, got %s" % (WANT[function], found))
    with explicit(jax, "error"):
        t.raises(ValueError, run)
    with explicit(jax, "warn"), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            kinds(t, run(), "int32 float32")
        except OverflowError:
            t.expect(function == NP + "full", "a number beyond 32 bits")
    t.expect(any("float64" in str(one.message) or "int64" in str(one.message) for one in told), "a warning, got %s" % told)  # fmt: skip


@contextlib.contextmanager
def explicit(jax, mode):
    before = jax.config.jax_explicit_x64_dtypes
    jax.config.update("jax_explicit_x64_dtypes", mode)
    try:
        yield
    finally:
        jax.config.update("jax_explicit_x64_dtypes", getattr(before, "name", before).lower())


for _name in WAYS:
    case(_name, core=False, since=("0.10.0", "jax_explicit_x64_dtypes"), reference="none")(wide_kinds_by_name)  # fmt: skip


@case(NP + "asarray", core=False, since=("0.10.0", "jax_explicit_x64_dtypes"), reference="none",
      cpu_fails="jax 0.10.2: whole numbers that need 64 bits become what their low 32 bits are")  # fmt: skip
def wide_whole_numbers_by_name(t):
    """With jax_explicit_x64_dtypes integers of Python and of NumPy keep all of their bits."""
    jax, np, f = t.fw, t.np, t.get(NP + "asarray")
    with explicit(jax, "allow"):  # in a shape that no other context has made
        given = [2**40 + n for n in range(13)]
        made = [t.call(f, one, dtype="int64") for one in (given, np.array(given, "int64"))]
    kinds(t, made, "int64 int64")
    t.expect([[int(n) for n in one] for one in made] == [given] * 2, "all bits, got %s" % made)


@case(NP + "result_type", host_only=True, core=False, since=("0.10.0", "jax_explicit_x64_dtypes"), reference="none")  # fmt: skip
def wide_kinds_among_narrow_ones(t):
    """Where 64 bits are allowed by name: wide beside narrow is wide, but i32 and u32 are i32; Python's numbers stay narrow."""
    jax, name = t.fw, NP + "result_type"
    rows = [
        ("int64", "int32", "int64"), ("float64", "float32", "float64"), ("uint32", "int32", "int32"), ("uint32", "int8", "int32"),
        ("int64", "uint32", "int64"), ("float64", "complex64", "complex128"), ("float64", "bfloat16", "float64"), ("uint64", "uint8", "uint64"),
        ("int64", "float16", "float16"), ("complex128", "float32", "complex128"), ("bool", "int64", "int64"),
    ]  # fmt: skip
    with explicit(jax, "allow"):
        for one, other, want in rows:
            for given in ((one, other), (other, one)):
                found = str(t.call(name, *given))
                t.expect(found == want, "%s of %s, got %s" % (want, given, found))


# --- stopped by a NaN or an infinity


def stopped(t, run, *given):
    error = t.raises(FloatingPointError, lambda: t.fw.block_until_ready(run(*given)))
    return str(error)


@case("jax.jit", core=False, reference="none")
def programs_that_nan_stops(t):
    """jax.debug_nans: of a program, one that gives its memory away, an argument, a constant; outside they run on. Never else."""
    jax, jnp, jit = t.fw, t.fw.numpy, t.get("jax.jit")
    zero, matrix = t.const(0.0, "f32"), t.const([[1.0, 2.0], [2.0, 3.0]], "f32")
    divide, both = jit(lambda x: 0.0 / x), jit(lambda x, y: x / y)
    t.expect(t.host(t.call(divide, matrix)).tolist() == [[0, 0], [0, 0]], "no NaN")
    t.expect(bool(jnp.isnan(divide(zero))), "NaN outside")
    with jax.debug_nans(True):
        t.expect("div" in stopped(t, divide, zero), "where it came up")
        stopped(t, both, zero, zero)
        stopped(t, jit(lambda x: x * 3.0), t.np.float32("nan"))
        stopped(t, jit(lambda x: (jnp.nan, x + 2)), 3)
        stopped(t, lambda x: 0.0 / x, zero)
        stopped(t, jit(lambda x: 0.0 / x, donate_argnums=0), zero + 0)
        made = [jit(jnp.tanh)(matrix), jit(jnp.linalg.eigh)(matrix)[0], 1.0 / zero]
        with jax.debug_nans(False):
            t.expect(bool(jnp.isnan(divide(zero))), "NaN in the inner context")
    t.expect(bool(jnp.isfinite(made[0]).all()) and float(made[2]) == float("inf"), "no NaN, got %s" % made)  # fmt: skip
    t.expect(bool(jnp.isnan(divide(zero))), "NaN afterwards")
    inverse = jit(lambda x: 1.0 / x)
    with jax.debug_infs(True):
        stopped(t, inverse, zero)
        stopped(t, lambda x: 1.0 / x, zero)
        t.expect(bool((jit(jnp.tanh)(matrix) < 1).all()), "no infinity")
    t.expect(float(inverse(zero)) == float("inf"), "infinity afterwards")


@case("jax.lax.cond", core=False, reference="none")
def branches_that_nan_stops(t):
    """The one that is taken alone; by its NaN or its infinity; a program that has run before, too."""
    jax, cond = t.fw, t.get("jax.lax.cond")
    for context, bad in ((jax.debug_nans, float("nan")), (jax.debug_infs, float("inf"))):
        program = jax.jit(lambda x, bad=bad: cond(x == 1, lambda _: bad, lambda _: 2.0, operand=None))  # fmt: skip
        with context(True):
            t.expect(float(t.call(program, 2)) == 2, "the other branch")
            t.expect("cond" in stopped(t, program, 1), "the branch is named")
            t.expect(float(program(3)) == 2, "and it runs on")
        t.expect(not t.np.isfinite(float(program(1))), "outside it is given")


@case("jax.grad", core=False, reference="none")
def slopes_that_nan_stops(t):
    """Again and again: what it kept for the next call is right; outside the slope is NaN."""
    jax, jnp, grad = t.fw, t.fw.numpy, t.get("jax.grad")
    slope = grad(jax.jit(lambda x: jnp.divide(x, x)))
    for _ in range(2):
        with jax.debug_nans(True):
            stopped(t, slope, 0.0)
            t.expect(float(t.call(slope, 2.0)) == 0, "of a constant none")
    t.expect(bool(jnp.isnan(slope(0.0))), "NaN outside")


@case("jax.sharding.Mesh", core=False, since=("0.8.0", "jax.shard_map"), reference="none")
def mapped_programs_that_nan_stops(t):
    """Over a mesh, forwards and backwards; a mapped program that has run before, too."""
    jax, jnp = t.fw, t.fw.numpy
    mesh, where = t.get("jax.sharding.Mesh")(t.np.array([t.device]), ("x",)), jax.P("x")
    over = lambda f: jax.shard_map(f, mesh=mesh, in_specs=where, out_specs=where)  # noqa: E731
    divide, logs = over(lambda x: 0.0 / x), over(jax.jit(lambda x: jnp.log(x**2)))
    with jax.debug_nans(True):
        t.expect(float(t.call(divide, jnp.ones(1))[0]) == 0, "no NaN")
        stopped(t, divide, jnp.zeros(1))
        t.expect(float(divide(jnp.full(1, 2.0))[0]) == 0, "and it runs on")
        stopped(t, lambda x: jax.vjp(logs, x)[1](jnp.ones(1)), jnp.zeros(1))
