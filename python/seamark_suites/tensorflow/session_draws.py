"""Draws in a session: those of one run and of the next, with and without seeds, of each kind; whole numbers evenly; from one seed as documented; bounds that are rows."""

from seamark_suites.case import case

UNIFORM = "tf.random.uniform"


@case(UNIFORM, core=False, host_only=True, random=True, reference="none")
def uniform_again_in_a_session(t):
    """Ten runs of one operation give ten other rows, within the bounds; of one seed the same ten in another session."""
    tf, v1, np = t.fw, t.fw.compat.v1, t.np

    def runs(kind, low, high, overall=None, own=None):
        with tf.Graph().as_default(), v1.Session() as session:
            if overall is not None:
                v1.set_random_seed(overall)
            asked = t.call(UNIFORM, [100], low, high, kind, own)
            return np.stack([session.run(asked) for _ in range(10)])

    for kind in (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64):
        for low, high, seeds in ((-2, 8, {}), (0, 17, {}), (10, 20, {"own": 1345}), (20, 200, {"overall": 965})):  # fmt: skip
            made = runs(kind, low, high, **seeds)
            t.expect(made.dtype == kind.as_numpy_dtype, "%s, got %s" % (kind, made.dtype))
            inside = low <= made.min() and (made.max() < high or (kind == tf.float16 and low == 10 and made.max() <= high))  # fmt: skip
            t.expect(inside, "of %d to %d, got %s to %s" % (low, high, made.min(), made.max()))
            rows = {tuple(row) for row in made.tolist()}
            t.expect(len(rows) == 10, "ten rows of their own, got %d of %s" % (len(rows), kind))
            if seeds:
                same = (runs(kind, low, high, **seeds) == made).all()
                t.expect(same, "the same of %s, of %s" % (seeds, kind))


@case(UNIFORM, core=False, host_only=True, random=True, reference="none")
def uniform_integers_evenly(t):
    """Of seventeen numbers, which no power of two holds, each comes as often; of a great range few come twice."""
    tf, np, count = t.fw, t.np, 100000
    for kind in (tf.int32, tf.int64):
        tf.random.set_seed(3)
        made = t.call(UNIFORM, [count], -2, 15, kind, 17).numpy()
        seen = np.bincount(made + 2, minlength=17)
        share = count / 17
        most = 5 * (share * 16 / 17) ** 0.5
        t.expect(len(seen) == 17 and made.min() == -2 and made.max() == 14, "-2 to 14, got %s" % seen)  # fmt: skip
        t.expect(abs(seen - share).max() < most, "each about %d times, got %s" % (share, seen))
        one, other = (t.call(UNIFORM, [10000], 0, 2**30, kind).numpy() for _ in range(2))
        t.expect((one == other).sum() < 10, "others, got %d alike" % (one == other).sum())
        t.expect(len(set(one.tolist())) > 9990, "ten thousand numbers")


@case(UNIFORM, core=False, host_only=True, random=True, reference="none")
def uniform_distinct_without_a_seed(t):
    """Two graphs, each with a session of ten runs, have next to nothing in common: ten numbers, of halves fifty."""
    tf, v1, np = t.fw, t.fw.compat.v1, t.np

    def runs(kind):
        with tf.Graph().as_default(), v1.Session() as session:
            asked = t.call(UNIFORM, [1000], 0, 1.0 if kind.is_floating else 2**30, kind)
            return np.stack([session.run(asked) for _ in range(10)])

    for kind in (tf.float16, tf.float32, tf.float64, tf.int32, tf.int64):
        alike = (runs(kind) == runs(kind)).sum()
        most = 50 if kind == tf.float16 else 10
        t.expect(alike < most, "fewer than %d of %s alike, got %d" % (most, kind.name, alike))


@case(UNIFORM, core=False, host_only=True, reference="none")
def uniform_refuses_either_row_of_bounds(t):
    """A row as one bound of integers, beside a number as the other."""
    wrong = t.fw.errors.InvalidArgumentError
    for kind in (t.fw.int32, t.fw.int64):
        for low, high in (([1, 2], 3), (1, [2, 3])):
            for size in (2, 1000):
                t.raises(wrong, t.call, UNIFORM, [size], low, high, kind)


@case(UNIFORM, core=False, host_only=True, random=True, reference="none")
def uniform_as_documented(t):
    """The two numbers from a seed of the program and one of their own, and again behind that of the program: other devices may have others."""
    with t.fw.device("CPU:0"):
        for _ in range(2):
            t.fw.random.set_seed(5)
            made = [t.call(UNIFORM, [], maxval=3, dtype=t.fw.int32, seed=10) for _ in range(2)]
            got = [int(one) for one in made]
            t.expect(got == [2, 0], "2 and 0, got %s" % got)
