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
