"""Random tensors: randn, rand, randint."""

from seamark_suites.case import case

from .pointwise import each

FLOATS = "randn rand"
ALL = "randn rand randint"


def many(function):
    """The arguments before the shape: randint draws from 0 to 9."""
    return (10,) if function == "torch.randint" else ()


def check(t, function, values):
    """Mean, deviation and range of what is drawn."""
    if function == "torch.randn":
        t.statistics(values, mean=0, std=1)
    elif function == "torch.rand":
        t.statistics(values, mean=0.5, std=12**-0.5, low=0)
        t.expect(bool((t.host(values) < 1).all()), "numbers below one")
    else:
        t.statistics(values, mean=4.5, std=8.25**0.5, low=0, high=9)


@each(FLOATS, dtypes="f32 bf16", shapes="100x120", random=True)
@each(FLOATS, dtypes="f16 f64", shapes="100x120", random=True, core=False)
@case("torch.randint", dtypes="f32 i64 i32", shapes="100x120", random=True, reference="none")
@case(
    "torch.randint",
    dtypes="u8 i8 bf16",
    shapes="100x120",
    random=True,
    core=False,
    reference="none",
)
def draws(t, dtype, shape, function):
    made = t.call(function, *many(function), shape, dtype=t.dtype(dtype), device=t.device)
    t.expect(made.dtype is t.dtype(dtype) and tuple(made.shape) == shape, "the asked tensor")
    check(t, function, made)
    return made


@case("torch.randn", dtypes="c64 c128", random=True, core=False, reference="none")
def complex_normal(t, dtype):
    """Documented: variance one in all, a half in each part."""
    made = t.call("torch.randn", 10000, dtype=t.dtype(dtype), device=t.device)
    values = t.host(made)
    t.statistics(values.real, mean=0, std=0.5**0.5)
    t.statistics(values.imag, mean=0, std=0.5**0.5)
    t.expect(abs(t.np.corrcoef(values.real, values.imag)[0, 1]) < 0.05, "independent parts")
    return made


@case("torch.randn", dtypes="f32", random=True, core=False, reference="none")
def bell(t, dtype):
    """As many within one, two and three deviations as of a normal distribution."""
    values = abs(t.host(t.call("torch.randn", 100000, dtype=t.dtype(dtype), device=t.device)))
    for far, share in ((1, 0.6826895), (2, 0.9544997), (3, 0.9973002)):
        error = 5 * (share * (1 - share) / 100000) ** 0.5
        t.expect(abs((values < far).mean() - share) < error, "%g within %d" % (share, far))
    t.expect(values.max() > 3.5, "tails")


@case("torch.rand", dtypes="f32", random=True, core=False, reference="none")
def flat(t, dtype):
    """A tenth of them in each tenth."""
    values = t.host(t.call("torch.rand", 100000, dtype=t.dtype(dtype), device=t.device))
    counts = t.np.bincount((values * 10).astype(int), minlength=10)
    t.expect(bool((abs(counts - 10000) < 5 * 9000**0.5).all()), "10000 each, got %s" % counts)
    t.expect(len(set(values.tolist())) > 99000, "almost no number twice")


@case("torch.randint", random=True, core=False, reference="none")
def each_integer_alike(t):
    """From low to high, which does not belong to it."""
    made = t.call("torch.randint", -3, 4, (7000,), device=t.device)
    counts = t.np.bincount(t.host(made) + 3, minlength=7)
    t.expect(made.dtype is t.fw.int64, "int64 by default")
    t.expect(len(counts) == 7, "numbers from -3 to 3")
    error = 5 * (7000 * (1 / 7) * (6 / 7)) ** 0.5
    t.expect(bool((abs(counts - 1000) < error).all()), "1000 each, got %s" % counts)


@case("torch.randint", random=True, core=False, reference="none")
def wide_range(t):
    """More than 32 bits."""
    made = t.host(t.call("torch.randint", -(2**40), 2**40, (5000,), device=t.device))
    t.statistics(made, mean=0, std=2**40 / 3**0.5, low=-(2**40), high=2**40 - 1)
    t.expect(len(set((made % 4096).tolist())) > 1000, "low bits that vary")


@case("torch.randint", random=True, core=False, reference="none")
def one_choice(t):
    made = t.host(t.call("torch.randint", 7, 8, (50,), device=t.device))
    t.expect(bool((made == 7).all()), "the only number")
    coins = t.call("torch.randint", 2, (4000,), dtype=t.fw.bool, device=t.device)
    share = float(t.host(coins).mean())
    t.expect(abs(share - 0.5) < 5 * 0.25**0.5 / 4000**0.5, "half of the coins, got %g" % share)


@each(ALL, random=True, core=False)
def a_generator_repeats_it(t, function):
    drawn = []
    for seed in (3, 3, 4):
        generator = t.fw.Generator(device=t.device).manual_seed(seed)
        made = t.call(function, *many(function), (40,), generator=generator, device=t.device)
        drawn.append(t.host(made))
        again = t.call(function, *many(function), (40,), generator=generator, device=t.device)
        t.expect(bool((t.host(again) != drawn[-1]).any()), "other numbers in the next draw")
    t.expect(bool((drawn[0] == drawn[1]).all()), "the same numbers of the same seed")
    t.expect(bool((drawn[0] != drawn[2]).any()), "others of another")


@each(ALL, random=True, core=False)
def manual_seed_repeats_it(t, function):
    drawn = []
    for seed in (5, 5, 6):
        t.fw.manual_seed(seed)
        drawn.append(t.host(t.call(function, *many(function), (40,), device=t.device)))
    t.expect(bool((drawn[0] == drawn[1]).all()), "the same numbers of the same seed")
    t.expect(bool((drawn[0] != drawn[2]).any()), "others of another")


@each(ALL, random=True, core=False)
def draws_are_independent(t, function):
    """Two draws, and neighbours in one, are not correlated."""
    one, two = (
        t.host(t.call(function, *many(function), (10000,), device=t.device)) for _ in range(2)
    )
    for x, y in ((one, two), (one[1:], one[:-1])):
        t.expect(abs(t.np.corrcoef(x, y)[0, 1]) < 0.05, "no correlation")


@each(ALL, random=True, core=False)
def sizes_of_draws(t, function):
    """A list, a torch.Size; for floats numbers, too; nothing and a scalar."""
    given = [([20, 6],), (t.fw.Size([20, 6]),), ((20, 6),)]
    if function != "torch.randint":
        given.append((20, 6))
    for size in given:
        made = t.call(function, *many(function), *size, device=t.device)
        t.expect(tuple(made.shape) == (20, 6) and made.is_contiguous(), "20x6 in order")
        check(t, function, made)
    for size in ((), (0,), (3, 0, 2)):
        made = t.call(function, *many(function), size, device=t.device)
        t.expect(tuple(made.shape) == size, "the size %s" % (size,))


@each(ALL, random=True, core=False)
def default_dtypes(t, function):
    made = t.call(function, *many(function), (200,), device=t.device)
    whole = function == "torch.randint"
    t.expect(made.dtype is (t.fw.int64 if whole else t.fw.get_default_dtype()), "the default")
    t.expect(not made.requires_grad, "no gradient")
    check(t, function, made)


@each(ALL, random=True, core=False)
def draws_into_out(t, function):
    dtype = t.fw.int64 if function == "torch.randint" else t.fw.float32
    given = t.fw.full((40, 30), -100, dtype=dtype, device=t.device)
    made = t.call(function, *many(function), (40, 30), out=given)
    t.expect(bool((t.host(made) == t.host(given)).all()), "the given tensor as the result")
    check(t, function, given)


@each(ALL, random=True, core=False)
def draws_into_gaps(t, function):
    """Every other row of a tensor is drawn, no more."""
    dtype = t.fw.int64 if function == "torch.randint" else t.fw.float32
    rows = t.fw.full((80, 30), -100, dtype=dtype, device=t.device)
    made = t.call(function, *many(function), (40, 30), out=rows[::2])
    t.expect(bool((t.host(rows[1::2]) == -100).all()), "nothing between the rows")
    t.expect(bool((t.host(made) == t.host(rows[::2])).all()), "the given tensor as the result")
    check(t, function, made)


@each(FLOATS, dtypes="f32", random=True, core=False)
def draws_that_learn(t, dtype, function):
    asked = {"dtype": t.dtype(dtype), "device": t.device, "requires_grad": True}
    made = t.call(function, 200, **asked)
    (made * made).sum().backward()
    t.expect(made.is_leaf, "a leaf")
    t.expect(bool((t.host(made.grad) == 2 * t.host(made)).all()), "the gradient of the leaf")
    check(t, function, made)


@each(ALL, random=True, core=False)
def draws_of_three_sizes(t, function):
    made = [t.call(function, *many(function), (n, 7), device=t.device) for n in (50, 80, 130)]
    for one in made:
        check(t, function, one)
    return made


@each(ALL, dtypes="f32", random=True, large=True)
def draws_millions(t, dtype, function):
    asked = {"dtype": t.dtype(dtype), "device": t.device}
    made = t.call(function, *many(function), (2048, 2048), **asked)
    check(t, function, made)
    return made


@case("torch.rand", dtypes="c64 c128", random=True, core=False, reference="none")
def complex_flat(t, dtype):
    """Both parts from zero to one, independent of one another."""
    made = t.call("torch.rand", 100, 100, dtype=t.dtype(dtype), device=t.device)
    t.expect(made.dtype is t.dtype(dtype), "the asked dtype")
    values = t.host(made)
    for part in (values.real, values.imag):
        check(t, "torch.rand", part)
    t.expect(
        abs(t.np.corrcoef(values.real.reshape(-1), values.imag.reshape(-1))[0, 1]) < 0.05,
        "independent parts",
    )


@case("torch.rand", dtypes="f32 f64", random=True, core=False, reference="none")
def as_fine_as_the_dtype(t, dtype):
    """Digits down to 2^-23, of f64 to 2^-52: no coarse numbers in a fine dtype."""
    values = t.host(t.call("torch.rand", 20000, dtype=t.dtype(dtype), device=t.device))
    step = 2.0 ** (23 if dtype == "f32" else 52)
    last = (values * step) % 16
    t.expect(len(set(t.np.floor(last).tolist())) == 16, "each of the last digits")
    t.expect(len(set(values.tolist())) > 19900, "almost no number twice")
    check(t, "torch.rand", values)


@each(FLOATS, random=True, core=False)
def same_with_another_call(t, function):
    """out=, a size by keyword and a leaf draw what the plain call draws of the same seed."""
    fw, drawn = t.fw, []
    given = fw.full((300,), 7.0, device=t.device)
    asked = {"device": t.device}
    for options in (asked, {"out": given}, {"requires_grad": True, **asked}):
        fw.manual_seed(5)
        drawn.append(t.host(t.call(function, size=(300,), **options)).copy())
    for other in drawn[1:]:
        t.expect(bool((other == drawn[0]).all()), "the same numbers")
    check(t, function, drawn[0])


@each(FLOATS, random=True, core=False)
def a_saved_state_repeats_it(t, function):
    generator = t.fw.Generator(device=t.device).manual_seed(3)
    state = generator.get_state()
    first = t.host(t.call(function, 300, generator=generator, device=t.device)).copy()
    generator.set_state(state)
    again = t.host(t.call(function, 300, generator=generator, device=t.device))
    t.expect(bool((first == again).all()), "the same numbers of the same state")
    check(t, function, first)


@each(FLOATS, random=True, core=False, since=("2.0", "torch.vmap"))
def draws_over_a_batch(t, function):
    """Within vmap: for each example others, or for all the same, as asked; without a word it is refused."""
    vmap, draw, x = t.get("torch.vmap"), t.get(function), t.const(t.np.zeros((3, 200)), "f32")
    every = lambda x: x + draw(200, device=t.device)  # noqa: E731
    other = t.host(t.call(vmap(every, randomness="different"), x))
    same = t.host(t.call(vmap(every, randomness="same"), x))
    t.expect(bool((other[0] != other[1]).any() and (other[1] != other[2]).any()), "others for each")
    t.expect(bool((same[0] == same[1]).all() and (same[0] == same[2]).all()), "the same for all")
    check(t, function, other)
    t.raises(RuntimeError, t.call, vmap(every), x)


@each(FLOATS, random=True, core=False)
def draws_of_another_default(t, function):
    before = t.fw.get_default_dtype()
    t.fw.set_default_dtype(t.fw.float16)
    try:
        made = t.call(function, 400, device=t.device)
    finally:
        t.fw.set_default_dtype(before)
    t.expect(made.dtype is t.fw.float16, "the default dtype")
    check(t, function, made)


@each(FLOATS, core=False)
def draws_refuse_other_kinds(t, function):
    """Booleans, integers to be filled, a number for a generator, text for a dtype."""
    kinds = (RuntimeError, NotImplementedError)
    t.raises(kinds, t.call, function, 3, dtype=t.fw.bool, device=t.device)
    t.raises(kinds, t.call, function, 3, out=t.randn((3,), "i64"))
    t.raises(TypeError, t.call, function, 3, generator=3, device=t.device)
    t.raises(TypeError, t.call, function, 3, dtype="float32", device=t.device)


@each(FLOATS, core=False)
def draws_refuse(t, function):
    """Negative sizes, integers."""
    t.raises(RuntimeError, t.call, function, -1, 3, device=t.device)
    kinds = (RuntimeError, NotImplementedError)
    t.raises(kinds, t.call, function, 3, dtype=t.fw.int64, device=t.device)


@case("torch.randint", core=False, reference="none")
def randint_refuses(t):
    """An empty range, what the dtype cannot hold, a negative size."""
    make = "torch.randint"
    t.raises(RuntimeError, t.call, make, 5, 5, (3,), device=t.device)
    t.raises(RuntimeError, t.call, make, 5, 2, (3,), device=t.device)
    t.raises(RuntimeError, t.call, make, 0, 300, (3,), dtype=t.fw.uint8, device=t.device)
    t.raises(RuntimeError, t.call, make, -3, 3, (3,), dtype=t.fw.uint8, device=t.device)
    t.raises(RuntimeError, t.call, make, 5, (-3,), device=t.device)


@case("torch.randn", dtypes="f32", core=False, random=True, reference="none", since=("2.0", "torch.vmap"))  # fmt: skip
def draws_in_a_batch(t, dtype):
    """Documented: by vmap other numbers for each example, the same, or an error, as one asks."""
    vmap, x = t.get("torch.vmap"), t.const(t.np.zeros((3, 200)), dtype)

    def run(x):
        return x + t.fw.randn(200, dtype=x.dtype, device=x.device)

    other, same = (t.host(t.call(vmap(run, randomness=one), x)) for one in ("different", "same"))
    t.statistics(other, mean=0, std=1)
    t.expect(bool((other[0] != other[1]).any() and (other[1] != other[2]).any()), "others")
    t.expect(bool((same[0] == same[1]).all() and (same[0] == same[2]).all()), "the same")
    t.statistics(same[0], mean=0, std=1)
    t.raises(RuntimeError, t.call, vmap(run), x)


@case("torch.rand", dtypes="bf16 f16 f32", random=True, core=False, reference="none")
def never_one(t, dtype):
    """Of two million none is rounded up to one, and each part of the line has as many."""
    made = t.call("torch.rand", 1 << 21, dtype=t.dtype(dtype), device=t.device)
    values = t.host(made)
    steps = {"bf16": 2**8, "f16": 2**11, "f32": 2**24}[dtype]
    t.statistics(values, std=12**-0.5, low=0)
    far = abs(float(values.mean()) - 0.5)
    t.expect(far < 0.5 / steps + 1e-3, "a mean of a half, or a step below, got %g" % far)
    t.expect(float(values.max()) <= 1 - 1 / steps, "below one, got %.9g" % values.max())
    cells = 16 if dtype == "bf16" else 128  # of many steps each
    found = t.np.bincount((values * cells).astype(int), minlength=cells) * cells / values.size
    t.expect(bool((abs(found - 1) < 0.06).all()), "as many in each of %d, got %s" % (cells, found))


@case("torch.rand", random=True, core=False, reference="none")
def draws_where_asked(t):
    """On meta sizes alone; layout= of what is dense; as many axes as asked, with none of a number; other numbers of other lines."""
    fw, draw = t.fw, "torch.rand"
    meta = t.get(draw)(2, 3, device="meta", dtype=fw.float16)
    t.expect(meta.is_meta and tuple(meta.shape) == (2, 3) and meta.dtype is fw.float16, "on meta")
    made = t.call(draw, 50, 4, 25, layout=fw.strided, device=t.device)
    t.expect(made.layout is fw.strided and made.stride() == (100, 25, 1), "dense and in order")
    check(t, "torch.rand", made)
    rows = t.host(made).reshape(50, -1)
    t.expect(len({tuple(row.tolist()) for row in rows}) == 50, "other numbers in each row")
    t.expect(tuple(t.call(draw, 2, 0, 3, device=t.device).shape) == (2, 0, 3), "nothing")
    t.expect(t.call(draw, (), device=t.device).ndim == 0, "a number")
    kinds = (RuntimeError, NotImplementedError, TypeError)
    t.raises(kinds, t.call, draw, 3, out=fw.zeros(3, device=t.device), dtype=fw.float64)


@case("torch.randn", dtypes="f32 f64 bf16 c64", core=False, random=True, reference="none")
def draws_each_number(t, dtype):
    """Of each length around a vector's no number is left, and none drawn twice; into what is given, too."""
    for n in (*range(1, 35), 63, 64, 65, 257):
        given = t.const(t.np.full(n, 90.0), dtype)
        for options in ({"out": given}, {"dtype": t.dtype(dtype), "device": t.device}):
            values = t.host(t.call("torch.randn", n, **options))
            t.expect(bool((abs(values) < 9).all() and (values != 0).all()), "each of %d" % n)
            if dtype != "bf16":
                t.expect(len(set(values.tolist())) == n, "no number twice of %d" % n)


@case("torch.randn", core=False, random=True, reference="none")
def draws_elsewhere(t):
    """On meta, by a context, into a tensor of complex numbers, of complex numbers that learn; sparse draws and other dtypes of
    what is given are refused."""
    randn, fw = "torch.randn", t.fw
    t.expect(t.call(randn, 2**20, 2**20, device="meta").is_meta, "on meta")
    with fw.device("meta"):
        t.expect(t.call(randn, 3).is_meta, "by the context")
    given = fw.zeros((60, 50), dtype=fw.complex64, device=t.device)
    t.expect(t.call(randn, (60, 50), out=given) is given, "the given tensor")
    for part in (given.real, given.imag):
        t.statistics(part, mean=0, std=0.5**0.5)
    asked = {"dtype": fw.complex64, "device": t.device, "requires_grad": True}
    made = t.call(randn, 300, **asked)
    (made.real * 2).sum().backward()
    t.expect(bool((t.host(made.grad) == 2).all()), "the gradient of the leaf")
    small = fw.zeros((0,), device=t.device)
    t.raises(RuntimeError, t.call, randn, 3, out=small, dtype=fw.float64)
    t.raises(TypeError, t.call, randn, 2.5)
    t.raises(TypeError, t.call, randn)


@case("torch.randn", dtypes="f16 bf16 f64 c64 c128", core=False, random=True, reference="none")
def same_into_what_grows(t, dtype):
    """Of the same seed a given tensor of nothing takes the size and the numbers of a plain draw; also nothing of nothing."""
    for size in (0, 100):
        drawn = []
        for options in (
            {"dtype": t.dtype(dtype), "device": t.device},
            {"out": t.const(t.np.zeros(0), dtype)},
        ):
            t.fw.manual_seed(123456)
            drawn.append(t.call("torch.randn", size, size, **options))
        t.expect(drawn[0].shape == drawn[1].shape == (size, size), "that size")
        t.expect(t.fw.equal(*drawn), "the same numbers")
    values = t.host(drawn[1])
    t.statistics(values.real, mean=0, std=0.5**0.5 if dtype[0] == "c" else 1)


@each("empty ones randn", core=False, random=True)
def pinned_where_it_can_be(t, function):
    """pin_memory= is for the CPU beside an accelerator; without one it is refused."""
    if t.fw.cuda.is_available():
        made = t.call(function, 3, pin_memory=True)
        t.expect(made.is_pinned() and made.device.type == "cpu", "pinned, on the host")
    else:
        t.raises(RuntimeError, t.call, function, 3, pin_memory=True)
    make, options = t.get(function), {"pin_memory": False, "device": t.device}
    fill = lambda made: made.fill_(1) if function == "torch.empty" else made  # noqa: E731
    made = t.call(lambda: fill(make(300, **options)))
    t.expect(made.shape == (300,) and not made.is_pinned(), "not pinned without a word")
    if function == "torch.randn":
        t.statistics(made, mean=0, std=1)
    else:
        t.expect(bool((t.host(made) == 1).all()), "ones")
