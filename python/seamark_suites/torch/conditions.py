"""torch.where: conditions and branches of every kind, batches, other memory, what it refuses."""

from seamark_suites.case import case

from .pointwise import INF, NAN


@case("torch.where", dtypes="f32 c64", core=False, reference=lambda np, yes, no, x, y, some: [
      x, y, np.where(some, x[0], y), np.where(some, 2.5, 1), np.where(some, x[0].conj(), y.T)])  # fmt: skip
def by_one_truth(t, dtype):
    """A condition without axes, branches without axes, two numbers, a conjugate beside a transpose."""
    yes, no = t.const(True, "bool"), t.const(False, "bool")
    x, y = t.randn((3, 1), dtype), t.randn((4, 4), dtype)
    some = t.const([[True, False, True, False]] * 4, "bool")
    made = t.call("torch.where", some, 2.5, 1)
    t.expect(made.dtype is t.fw.get_default_dtype(), "the default dtype of two numbers")
    one = x[0].reshape(())
    return [
        t.call("torch.where", yes, x, one),
        t.call("torch.where", no, one, y),
        t.call("torch.where", some, one, y),
        made,
        t.call("torch.where", some, one.conj(), y.mT),
    ]


@case("torch.where", core=False, reference="none")
def where_refuses_to_write(t):
    """out= of another dtype, or with a gradient."""
    chosen, x = t.randn((3,), "bool"), t.randn((3,), "f32")
    learns = t.randn((3,), "f32", grad=True)
    t.raises(RuntimeError, t.call, "torch.where", chosen, x, x, out=t.randn((3,), "i64"))
    t.raises(RuntimeError, t.call, "torch.where", chosen, x, x, out=learns)
    t.raises(RuntimeError, t.call, "torch.where", chosen, learns, x, out=x.clone())


@case("torch.where", dtypes="f32 i64", core=False, since=("2.0", "torch.vmap"), reference=lambda np, x, y, chosen, some, numbers: [
      np.where(chosen, x, y), np.where(some, x, y), np.stack([np.where(some, x, n) for n in numbers]), np.where(chosen, x, y.T[:, 0, None])])  # fmt: skip
def batches_of_conditions(t, dtype):
    """By vmap: a condition of each example alone, one branch of each, a number of each, columns as examples."""
    vmap, where = t.get("torch.vmap"), t.get("torch.where")
    x, y = t.randn((4, 4), dtype), t.randn((4, 4), dtype)
    chosen, some = t.randn((4, 4), "bool"), t.randn((4,), "bool")
    numbers = t.randint((3,), dtype, 0, 9)
    return [
        t.call(vmap(where), chosen, x, y),
        t.call(vmap(where, in_dims=(None, 0, 0)), some, x, y),
        t.call(vmap(lambda n: where(some, x, n)), numbers),
        t.call(vmap(lambda c, a, b: where(c, a, b[0]), in_dims=(0, 0, 1)), chosen, x, y),
    ]


@case("torch.where", core=False, reference="none")
def kinds_of_numbers(t):
    """A number raises the dtype where its kind is higher, and then to the default of its kind; so do tensors without axes."""
    chosen = t.const([True, False], "bool")
    kinds = ["bool", "i32", "i64", "f16", "f32", "c64"]
    given = {True: kinds, 2: ["i64", *kinds[1:]], 2.5: ["f32"] * 3 + kinds[3:], 2j: ["c64"] * 3 + [None, "c64", "c64"]}  # fmt: skip
    for number, wanted in given.items():
        for kind, want in zip(kinds, wanted):
            x = t.const([1, 0], kind)
            if want is None:  # complex numbers of half precision
                continue
            for one in (number, t.fw.tensor(number, device=t.device)):
                made = t.call("torch.where", chosen, one, x), t.call("torch.where", chosen, x, one)
                found = [part.dtype for part in made]
                t.expect(
                    found == [t.dtype(want)] * 2, "%r beside %s: got %s" % (number, kind, found)
                )
                t.expect(t.host(made[0]).tolist() == [number, 0], "the number where it is chosen")
                t.expect(t.host(made[1]).tolist() == [1, number], "and where it is not")


@case("torch.where", dtypes="f32 i64 c64", core=False, since=("2.0", "the argument out"), reference=lambda np, chosen, x, y: [np.where(chosen, x, y)] * 2)  # fmt: skip
def where_into_other_memory(t, dtype):
    """Every other row; nothing, which grows. What lies on a part of an input is refused."""
    chosen, x, y = t.randn((5, 8), "bool"), t.randn((5, 8), dtype), t.randn((5, 8), dtype)
    rows, none = (t.fw.zeros(size, dtype=x.dtype, device=t.device) for size in ((10, 8), (0,)))
    for given in (rows[::2], none):
        t.expect(t.call("torch.where", chosen, x, y, out=given) is given, "the given tensor")
    t.expect(not t.host(rows[1::2]).any(), "nothing between the rows")
    t.raises(RuntimeError, t.call, "torch.where", chosen[1:], x[1:], y[1:], out=x[:-1])
    t.raises(RuntimeError, t.call, "torch.where", chosen[1:], y[1:], x[1:], out=x[:-1])
    return [rows[::2], none]


PLACES = [[0, 1, -0.0], [3, 0, 0]], [[0, 0, 0], [1, 0, 5]]


@case("torch.where", dtypes="f32 f16 c64 i64 i32 u8", core=False, reference=lambda np, x, one, *odd: [*np.nonzero(x), *np.nonzero(one)])  # fmt: skip
def places_of_numbers(t, dtype):
    """What is not zero is true: of three axes and of five, of which most have one place; NaN and small numbers, too."""
    x, one = t.const(PLACES, dtype), t.randint((1, 7, 1, 9, 1), dtype, 0, 2)
    if dtype in ("f32", "c64"):
        odd = t.const([NAN, 0, 1e-30, -0.0, INF], dtype)
        t.expect(t.host(t.call("torch.where", odd)[0]).tolist() == [0, 2, 4], "NaN and infinity")
    return [*t.call("torch.where", x), *t.call("torch.where", one)]


@case(
    "torch.where",
    dtypes="f32",
    core=False,
    reference=lambda np, yes, x, y: np.where(yes != 0, x, y),
)
def by_bytes(t, dtype):
    """Documented as deprecated: a condition of bytes, of which each that is not zero is true."""
    yes = t.const([0, 1, 2, 255, 0, 128] * 7, "u8")
    return t.call("torch.where", yes, t.randn((42,), dtype), t.randn((42,), dtype))
