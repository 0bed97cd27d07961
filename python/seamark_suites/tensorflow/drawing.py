"""tf.random.uniform and tf.random.normal: what is drawn, from which seeds."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .views import each

UNIFORM = "tf.random.uniform"
NORMAL = "tf.random.normal"
BOTH = UNIFORM + " " + NORMAL
_THIRD = 12**-0.5  # the deviation of what is uniform from 0 to 1
_MOMENTS = {UNIFORM: (0.5, _THIRD), NORMAL: (0.0, 1.0)}


def _open(function):
    """Draws have no values to compare."""
    return None


def _draw(t, function, shape, dtype, **options):
    made = t.call(function, shape, dtype=t.dtype(dtype), **options)
    t.expect(made.dtype == t.dtype(dtype), "the dtype asked for, got %s" % made.dtype.name)
    return made


def _draws(t, function, shapes, dtype):
    """Several draws of one program: programs of their own may begin with the same numbers."""

    def drawn():
        return [t.get(function)(shape, dtype=t.dtype(dtype)) for shape in shapes]

    made = t.call(drawn)
    t.expect(all(one.dtype == t.dtype(dtype) for one in made), "the dtype asked for")
    return made


@case(UNIFORM, dtypes="f32 bf16 f16 f64", core="f32 bf16", random=True)
def uniform(t, dtype):
    """From 0 to 1, without 1. In bf16 and f16 the numbers lie so far apart that the mean is a little lower."""
    made = _draw(t, UNIFORM, [40, 100], dtype)
    values = t.host(made)
    step = {"bf16": 2.0**-7, "f16": 2.0**-10}.get(dtype, 0.0)
    t.statistics(made, mean=0.5 - step / 2, std=_THIRD, low=0.0)
    t.expect(values.max() < 1, "numbers below 1, got %g" % values.max())
    t.expect(len(t.np.unique(values)) > 100, "more than a hundred numbers")
    return made


@case(UNIFORM, dtypes="f32 f64 bf16", core="f32", bounds=[(-3.0, 5.0), (2.0, 2.5)], random=True)
def uniform_between(t, dtype, bounds):
    """In bf16 the numbers lie so far apart that only their bounds, and the mean to a tenth, are told."""
    (low, high), width = bounds, bounds[1] - bounds[0]
    made = _draw(t, UNIFORM, [4000], dtype, minval=low, maxval=high)
    if dtype == "bf16":
        t.statistics(made, low=low, high=high)
        off = abs(t.host(made).mean() - (low + high) / 2) / width
        t.expect(off < 0.1, "a mean in the middle, off by %g of the width" % off)
    else:
        t.statistics(made, mean=(low + high) / 2, std=width * _THIRD, low=low, high=high)
    return made


@case(UNIFORM, dtypes="i64 i32", bounds=[(-3, 4), (0, 1000003)], random=True, core="i64")
def uniform_integers(t, dtype, bounds):
    """From the lower bound, which may come, up to the upper one, which may not."""
    low, high = bounds
    made = _draw(t, UNIFORM, [4000], dtype, minval=low, maxval=high)
    std = (((high - low) ** 2 - 1) / 12) ** 0.5
    t.statistics(made, mean=(low + high - 1) / 2, std=std, low=low, high=high - 1)
    if high - low < 10:
        seen = set(t.host(made).tolist())
        t.expect(seen == set(range(low, high)), "each of the numbers, got %s" % sorted(seen))
    return made


@case(UNIFORM, dtypes="i32 i64", random=True, core=False)
def uniform_all_bits(t, dtype):
    """Nearly the whole range: both signs, and even and odd numbers in equal parts."""
    bits = 31 if dtype == "i32" else 63
    made = _draw(t, UNIFORM, [4000], dtype, minval=-(2**bits), maxval=2**bits - 1)
    values = t.host(made)
    t.statistics(values % 2, mean=0.5)
    t.statistics(values > 0, mean=0.5)
    t.statistics(values >> (bits // 2) & 1, mean=0.5)
    return made


@case(UNIFORM, dtypes="f32", core=False, random=True)
def uniform_bounds_by_tensor(t, dtype):
    """Bounds that are data; those of floats broadcast."""
    low, high = t.const([0.0, 10.0, -4.0], dtype), t.const([1.0, 20.0, -3.0], dtype)
    made = _draw(t, UNIFORM, [2000, 3], dtype, minval=low, maxval=high)
    for column, (one, other) in enumerate(((0, 1), (10, 20), (-4, -3))):
        mean, std = (one + other) / 2, (other - one) * _THIRD
        t.statistics(made[:, column], mean=mean, std=std, low=one, high=other)
    return made


@case(UNIFORM, dtypes="i64 i32", core=False, random=True)
def uniform_integer_bounds_by_tensor(t, dtype):
    low, high = t.const(5, dtype), t.const(9, dtype)
    made = _draw(t, UNIFORM, [2000], dtype, minval=low, maxval=high)
    t.statistics(made, mean=6.5, std=1.25**0.5, low=5, high=8)
    return made


@case(UNIFORM, dtypes="f32 f64", core=False, random=True)
def uniform_slopes(t, dtype):
    """A draw is low + u * (high - low): its slopes by the bounds are 1 - u and u."""

    def slopes(low, high):
        with t.fw.GradientTape() as tape:
            tape.watch([low, high])
            drawn = t.get(UNIFORM)([500], low, high, dtype=low.dtype)
            total = t.fw.reduce_sum(drawn)
        return (drawn, *tape.gradient(total, [low, high]))

    made = t.call(slopes, t.const(-1.0, dtype), t.const(3.0, dtype))
    drawn, by_low, by_high = (t.host(one) for one in made)
    share = ((drawn + 1) / 4).sum()
    t.expect(abs(by_high - share) < 1e-2, "the sum of u, got %g for %g" % (by_high, share))
    t.expect(abs(by_low + by_high - 500) < 1e-2, "500 together, got %g" % (by_low + by_high))
    return made


@case(NORMAL, dtypes="f32 bf16 f16 f64", core="f32 bf16", random=True)
def normal(t, dtype):
    """Mean 0 and deviation 1; as many beyond the deviation, and on each side, as the bell has."""
    made = _draw(t, NORMAL, [40, 100], dtype)
    values = t.host(made)
    t.statistics(made, mean=0.0, std=1.0, low=-7.0, high=7.0)
    t.statistics(abs(values) > 1.0, mean=0.3173)
    t.statistics(values > 0, mean=0.5)
    t.statistics(values**3, mean=0.0)
    return made


@case(NORMAL, dtypes="f32 f64 bf16", core="f32", random=True)
def normal_of_mean(t, dtype):
    made = _draw(t, NORMAL, [4000], dtype, mean=-3.0, stddev=0.5)
    t.statistics(made, mean=-3.0, std=0.5, low=-7.0, high=1.0)
    return made


@case(NORMAL, dtypes="f32", core=False, random=True)
def normal_by_tensor(t, dtype):
    """Means and deviations broadcast against the shape."""
    mean, std = t.const([[0.0], [50.0]], dtype), t.const([1.0, 0.25, 4.0], dtype)
    made = _draw(t, NORMAL, [2000, 2, 3], dtype, mean=mean, stddev=std)
    for row, center in enumerate((0.0, 50.0)):
        for column, spread in enumerate((1.0, 0.25, 4.0)):
            t.statistics(made[:, row, column], mean=center, std=spread)
    return made


@case(
    NORMAL,
    dtypes="f32 bf16 f64",
    core=False,
    reference=lambda np, mean: np.broadcast_to(mean, (4, 3)),
)
def normal_without_deviation(t, dtype):
    """A deviation of 0 leaves the mean."""
    mean = t.randn((3,), dtype)
    return _draw(t, NORMAL, [4, 3], dtype, mean=mean, stddev=0.0)


@case(NORMAL, dtypes="f32 f64", core=False, random=True)
def normal_slopes(t, dtype):
    """A draw is mean + z * deviation: its slopes are 1 and z."""

    def slopes(mean, std):
        with t.fw.GradientTape() as tape:
            tape.watch([mean, std])
            drawn = t.get(NORMAL)([500], mean, std, dtype=mean.dtype)
            total = t.fw.reduce_sum(drawn)
        return (drawn, *tape.gradient(total, [mean, std]))

    made = t.call(slopes, t.const(2.0, dtype), t.const(0.5, dtype))
    drawn, by_mean, by_std = (t.host(one) for one in made)
    z = ((drawn - 2) / 0.5).sum()
    t.expect(by_mean == 500, "500, got %g" % by_mean)
    t.expect(abs(by_std - z) < 1e-2, "the sum of z, got %g for %g" % (by_std, z))
    return made


@each(BOTH, _open, dtypes="f32 bf16", random=True, core=False)
def seeded(t, dtype, function):
    """The same seeds give the same numbers again; another seed of either kind gives others."""

    def drawn(overall, own):
        t.fw.random.set_seed(overall)
        return _draw(t, function, [64], dtype, seed=own)

    made = [drawn(*seeds) for seeds in ((5, 9), (5, 9), (5, 10), (6, 9))]
    first, again, own, overall = (t.host(one) for one in made)
    t.expect((first == again).all() and first.std() > 0, "the same numbers from the same seeds")
    t.expect((first != own).any(), "others from another seed of the call")
    t.expect((first != overall).any(), "others from another seed of the program")
    return made


@each(BOTH, _open, dtypes="f32", random=True, core=False)
def differs(t, dtype, function):
    """Two calls, two rows and two columns have nothing in common; a number comes once."""
    made = _draws(t, function, [[50, 60]] * 2, dtype)
    one, two = (t.host(draw) for draw in made)
    t.expect(len(t.np.unique(one)) > 2990, "numbers that differ, got %d" % len(t.np.unique(one)))
    t.expect((one != two).mean() > 0.99, "other numbers from a second call")
    for a, b in ((one[:-1], one[1:]), (one[:, :-1], one[:, 1:]), (one, two)):
        alike = t.np.corrcoef(a.ravel(), b.ravel())[0, 1]
        t.expect(abs(alike) < 0.11, "no correlation, got %g" % alike)
    return made


@each(
    BOTH,
    lambda function: lambda np: [np.zeros((0, 3)), np.zeros((2, 0))],
    dtypes="f32",
    trivial=True,
    core=False,
)
def draws_nothing(t, dtype, function):
    return [_draw(t, function, shape, dtype) for shape in ([0, 3], (2, 0))]


@each(BOTH, _open, dtypes="f32 bf16", random=True, core=False)
def draws_of_shapes(t, dtype, function):
    """One size after another; a scalar, a tuple, a TensorShape."""
    shapes = [3, 2], [5, 2], (8, 2, 1), [], t.fw.TensorShape([4])
    made = _draws(t, function, shapes, dtype)
    got = [tuple(one.shape) for one in made]
    t.expect(got == [(3, 2), (5, 2), (8, 2, 1), (), (4,)], "the shapes asked for, got %s" % got)
    drawn = t.np.concatenate([t.host(one).ravel() for one in made])
    t.expect(bool(t.np.isfinite(drawn).all()), "finite numbers")
    t.expect(len(t.np.unique(drawn)) > 20, "numbers that differ, got %s" % drawn)
    return made


@each(BOTH, _open, dtypes="i32 i64", random=True, core=False)
def draws_by_tensor(t, dtype, function):
    """A shape that is data."""
    made = t.call(function, t.const([40, 5], dtype))
    t.expect(tuple(made.shape) == (40, 5) and made.dtype == t.fw.float32, "40 rows of 5 in f32")
    mean, std = _MOMENTS[function]
    t.statistics(made, mean=mean, std=std)
    return made


@each(BOTH, _open, dtypes="f32", core=False, random=True)
def draws_like_batch(t, dtype, function):
    """Noise of the shape of a batch whose size is not known when it is traced."""

    def noise(x):
        return t.get(function)(t.fw.shape(x), dtype=x.dtype)

    spec = t.fw.TensorSpec([None, 50], t.dtype(dtype))
    traced = t.fw.function(noise, input_signature=[spec], autograph=False)
    made = [t.call(traced, t.randn((n, 50), dtype)) for n in (20, 60)]
    mean, std = _MOMENTS[function]
    for one in made:
        t.statistics(one, mean=mean, std=std)
    return made


@each(BOTH, core=False)
def draw_refuses(t, function):
    """Negative sizes, a shape of fractions, a dtype that is not drawn."""
    t.refuses(function, [-3])
    t.refuses(function, [2.5])
    t.refuses(function, [3], dtype=t.fw.complex64)
    t.refuses(function, [3], dtype=t.fw.string)


@case(UNIFORM, core=False, reference="none")
def uniform_refuses(t):
    """Integers without an upper bound, bounds of integers that are no scalars."""
    i32 = t.fw.int32
    t.refuses(UNIFORM, [3], dtype=i32)
    t.refuses(UNIFORM, [2, 2], t.const([0, 1], "i32"), t.const([5, 6], "i32"), dtype=i32)


@case(UNIFORM, core=False, reference="none")
def uniform_refuses_empty_range(t):
    """There is no whole number from 5 up to 5, and none from 5 up to 2."""
    t.refuses(UNIFORM, [3], 5, 5, dtype=t.fw.int32)
    t.refuses(UNIFORM, [3], 5, 2, dtype=t.fw.int32)


@each(BOTH, _open, dtypes="f32 bf16", random=True, large=True)
def draws_many(t, dtype, function):
    made = t.call(function, [2048, 4096], dtype=t.dtype(dtype))
    mean, std = _MOMENTS[function]
    if function == UNIFORM and dtype == "bf16":
        mean -= 2.0**-8  # the numbers lie 1/128 apart
    t.statistics(made[::64, ::64], mean=mean, std=std)
    return made


# --- what a reading found missing


@each(BOTH, _open, dtypes="f32", random=True, core=False)
def drawn_again_in_a_program(t, dtype, function):
    """Two draws of one program and of its next run have nothing in common, nor have rounds of a loop and examples of a batch."""
    tf, f = t.fw, t.get(function)

    def drawn():
        twice = [f([60], dtype=t.dtype(dtype)) for _ in range(2)]
        rounds = tf.map_fn(lambda _: f([60], dtype=t.dtype(dtype)), tf.zeros((3,)), t.dtype(dtype))
        batch = tf.vectorized_map(lambda _: f([60], dtype=t.dtype(dtype)), tf.zeros((3,)))
        return [*twice, rounds, batch]

    program, (mean, std) = tf.function(drawn, autograph=False), _MOMENTS[function]

    def runs():  # eagerly twice: within a program the second would begin like the first
        return [program() for _ in range(1 + tf.executing_eagerly())]

    made = [one for run in t.call(runs) for one in run]
    groups = [0, 1, 4, 5], [2, 6], [3, 7]  # a loop's body begins like another program
    for group in ([i for i in one if i < len(made)] for one in groups):
        rows = t.np.concatenate([t.host(made[i]).reshape(-1, 60) for i in group])
        t.expect(len({tuple(row) for row in rows.tolist()}) == len(rows), "rows of their own")
        alike = abs(t.np.corrcoef(rows)[t.np.triu_indices(len(rows), 1)]).max()
        t.expect(alike < 0.75, "no two alike, got %g" % alike)
        t.statistics(rows, mean=mean, std=std)
    return made[:4]


@each(BOTH, _open, dtypes="f32", random=True, core=False)
def seeded_in_a_session(t, dtype, function):
    """Of one graph's seed and one's own: the same in another session and graph, others in the next run."""
    v1, f = t.fw.compat.v1, t.get(function)
    if t.compiled:
        raise Skip("a session is no part of a compiled function")

    def runs(overall, own):
        with t.fw.Graph().as_default(), t.fw.device(t.device):
            v1.set_random_seed(overall)
            asked = f([64], dtype=t.dtype(dtype), seed=own)
            with v1.Session() as session:
                return [t.call(session.run, asked) for _ in range(2)]

    first, second = runs(5, 9)
    again, last = runs(5, 9)
    other, own = runs(6, 9)[0], runs(5, 10)[0]
    t.expect((first == again).all() and (second == last).all(), "the same from the same seeds")
    t.expect((first != second).mean() > 0.9, "others in the next run")
    t.expect((first != other).mean() > 0.9 and (first != own).mean() > 0.9, "others from others")
    return [first, second]


@case(NORMAL, dtypes="f32 f64 bf16 f16", core=False, random=True)
def normal_tails(t, dtype):
    """As many beyond one, two and three deviations on each side as the bell has, and the fourth moment."""
    made = _draw(t, NORMAL, [200, 200], dtype)
    values = t.host(made).astype("float64")
    for far, share in ((1, 0.158655), (2, 0.022750), (3, 0.001350)):
        for side in (values > far, values < -far):
            wide = 1.5 if dtype in ("bf16", "f16") else 1  # the bound itself is drawn, too
            off = abs(side.mean() - share)
            allowed = wide * 5 * (share / values.size) ** 0.5 + (0.004 if dtype == "bf16" else 0)
            t.expect(off < allowed, "%g of %g +- %g" % (side.mean(), share, allowed))
    fourth = (values**4).mean()
    t.expect(abs(fourth - 3) < 0.25, "a fourth moment of 3, got %g" % fourth)
    return made


@case(NORMAL, dtypes="f32", core=False, random=True)
def normal_of_negative_deviation(t, dtype):
    """The bell is turned; numbers of Python and a mean in a row."""
    made = _draw(t, NORMAL, (3000, 2), dtype, mean=t.const([5.0, -5.0], dtype), stddev=-2)
    for column, mean in enumerate((5.0, -5.0)):
        t.statistics(made[:, column], mean=mean, std=2.0)
    return made


@case(NORMAL, core=False, reference="none")
def normal_refuses(t):
    """Whole numbers, means and deviations that do not fit the shape, of another dtype, a shape with an open size."""
    t.refuses(NORMAL, [3], dtype=t.fw.int32)
    t.refuses(NORMAL, [3], t.const([1.0, 2.0], "f32"))
    t.refuses(NORMAL, [3], 0.0, t.const([1.0, 2.0], "f32"))
    t.refuses(NORMAL, [2], t.const([1.0, 2.0], "f64"))
    t.refuses(NORMAL, [None, 2])


@case(UNIFORM, dtypes="f32 f64 i32 i64", core=False, random=True)
def uniform_evenly(t, dtype):
    """Sixteen parts of the range have as many each; so have pairs of neighbours."""
    bounds = {"minval": -8, "maxval": 8}
    made = _draw(t, UNIFORM, [20000], dtype, **bounds)
    parts = t.np.floor(t.host(made)).astype(int) + 8
    for places, count in ((parts, 16), (parts[::2] * 16 + parts[1::2], 256)):
        seen = t.np.bincount(places, minlength=count)
        share = len(places) / count
        chi = ((seen - share) ** 2 / share).sum()
        most = count - 1 + 6 * (2 * (count - 1)) ** 0.5
        t.expect(len(seen) == count and chi < most, "chi square below %g, got %g" % (most, chi))
    return made


@case(UNIFORM, core=False, reference="none")
def uniform_refuses_more(t):
    """Small and unsigned integers, complex numbers, bounds that do not fit the shape, bounds of another dtype."""
    for name in ("int8", "int16", "uint32", "complex64", "bool"):
        t.refuses(UNIFORM, [3], maxval=4, dtype=t.fw.dtypes.as_dtype(name))
    t.refuses(UNIFORM, [3], t.const([1.0, 2.0], "f32"), 3.0)
    t.refuses(UNIFORM, [3], t.const(0.0, "f64"), t.const(1.0, "f64"))
    t.refuses(UNIFORM, [2], 0, 2.5, t.fw.int32)


@case(NORMAL, dtypes="f16 f32 f64", core=False, random=True)
def normal_again_from_a_seed(t, dtype):
    """After one seed of the program the same numbers come, one call after another; each call has its own; a seed beyond 64 bits."""
    tf = t.fw

    def drawn(overall, own=None):
        tf.random.set_seed(overall)
        return [t.host(_draw(t, NORMAL, [1000], dtype, seed=own)) for _ in range(3)]

    first, again, other = drawn(42), drawn(42), drawn(43)
    same = [bool((one == two).all()) for one, two in zip(first, again)]
    t.expect(same == [True] * 3, "the same from one seed, got %s" % same)
    for one, two in ((first[0], first[1]), (first[1], first[2]), (first[0], other[0])):
        t.expect((one == two).sum() < 10, "others, got %d alike" % (one == two).sum())
    own = drawn(42, 345)
    t.expect((own[0] == own[1]).sum() < 10, "others from the next call with a seed of its own")
    t.statistics(t.np.concatenate(first).astype("float64"), mean=0.0, std=1.0)
    return _draw(t, NORMAL, [5], dtype)


@case(NORMAL, core=False, random=True)
def normal_of_shapes_not_known(t):
    """What is known of the result while a function is traced; sizes among numbers; f32 where no dtype is asked for."""
    f, tf, seen = t.get(NORMAL), t.fw, []

    def drawn(sizes, n):
        made = f(tf.stack([n, 40, 3]))
        seen.extend([f([1, 2, 3]).shape.as_list(), f(sizes).shape.as_list(), made.shape.as_list(), made.dtype])  # fmt: skip
        return [made, f(sizes, mean=5.0, stddev=tf.constant([1.0, 4.0]))]

    specs = tf.TensorSpec([2], tf.int32), tf.TensorSpec([], tf.int32)
    program = tf.function(drawn, input_signature=specs, autograph=False)
    one, two = t.call(program, tf.constant([4000, 2]), tf.constant(50))
    want = [[1, 2, 3], [None, None], [None, 40, 3], tf.float32]
    t.expect(seen == want, "%s, got %s" % (want, seen))
    t.statistics(one, mean=0.0, std=1.0)
    for column, spread in enumerate((1.0, 4.0)):
        t.statistics(two[:, column], mean=5.0, std=spread)
    return [one, two]
