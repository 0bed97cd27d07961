"""Steps by rows that come again; draws from seeds; files by their URI; texts that are no numbers."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .reference_variables_v1 import _steps
from .summaries import need_tensorboard

ADAM, NORMAL, GFILE, SCALAR = "tf.compat.v1.train.AdamOptimizer", "tf.random.normal", "tf.io.gfile.GFile", "tf.summary.scalar"  # fmt: skip


def _repeated(np, x, g, **_):
    slope = np.zeros_like(x)
    for row, place in enumerate((1, 3, 1)):
        slope[place] += g[row]
    made = _steps(np, x, [lambda _: slope] * 3, 0.25, 0.5, 0.75, 2.0**-10)
    return [*made, *made]


@case(ADAM, dtypes="f32 f64 f16", resource=[True, False], places=["i32", "i64"], core=False, reference=_repeated)  # fmt: skip
def adam_of_repeated_places(t, dtype, resource, places):
    """Three steps: a row that comes twice has the sum of both, as one that comes once with it. The powers are of the variables' kind."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, tf, kind = t.fw.compat.v1, t.fw, t.dtype(dtype)
    x, g = t.uniform((4, 3), dtype, 1, 2), t.uniform((3, 3), dtype, 0.5, 1)
    start, slope = t.host(x), t.host(g)
    with tf.Graph().as_default(), tf.device(t.device):
        held = [v1.get_variable(name, initializer=tf.constant(start, kind), use_resource=resource) for name in "ab"]  # fmt: skip
        twice, whole = tf.constant(slope, kind), tf.constant([4, 3], t.dtype(places))
        once = tf.stack([twice[1], twice[0] + twice[2]])
        rows = [tf.IndexedSlices(part, tf.constant(at, t.dtype(places)), whole) for part, at in ((twice, [1, 3, 1]), (once, [3, 1]))]  # fmt: skip
        made = t.get(ADAM)(0.25, 0.5, 0.75, 2.0**-10)
        step = made.apply_gradients(zip(rows, held))
        powers = [one for one in made.variables() if "power" in one.name]
        kinds = {one.op.type for one in (*powers, *held)}
        t.expect(len(powers) == 2 and kinds == {"VarHandleOp" if resource else "VariableV2"}, "got %s" % kinds)  # fmt: skip
        slots = [one for v in held for one in (v, made.get_slot(v, "m"), made.get_slot(v, "v"))]
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(3):
                t.call(session.run, step)
            return session.run(slots)


@case(NORMAL, core=False, random=True)
def normal_as_documented(t):
    """From the seeds 5 and 1 the four numbers of its documentation come, again and again."""
    if t.compiled:
        raise Skip("a compiled program draws by a generator of its own")
    want = [[-1.3768897, -0.01258316], [-0.169515, 1.0824056]]
    for _ in range(2):
        t.fw.random.set_seed(5)
        made = t.call(NORMAL, [2, 2], 0, 1, t.fw.float32, seed=1)
        t.expect(t.np.allclose(t.host(made), want, 1e-5, 1e-6), "%s, got %s" % (want, made))
    return made


@case(NORMAL, dtypes="f16 f32 f64", core=False, random=True)
def normal_alike_on_each_device(t, dtype):
    """From one seed the device draws what the CPU draws."""
    if t.compiled:
        raise Skip("a compiled program draws by a generator of its own")
    tf, near = t.fw, 1e-3 if dtype == "f16" else 1e-6

    def drawn():
        tf.random.set_seed(7)
        return t.call(NORMAL, [100000], dtype=t.dtype(dtype), seed=12345)

    made = drawn()
    with tf.device("/cpu:0"):
        other = drawn()
    one, two = (t.host(x).astype("float64") for x in (made, other))
    t.expect(t.np.allclose(one, two, near, near), "the same, off by %g" % abs(one - two).max())
    t.statistics(one, mean=0.0, std=1.0)
    return made


@case(NORMAL, dtypes="f16 f64 bf16", core=False, random=True)
def normal_from_each_seed_in_a_session(t, dtype):
    """With none, its own, or the graph's seed: two alike in one graph differ, and each run from the one before; with a seed it
    comes again in another session."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    tf, v1, f = t.fw, t.fw.compat.v1, t.get(NORMAL)

    def runs(overall, own):
        with tf.Graph().as_default(), tf.device(t.device):
            if overall is not None:
                v1.set_random_seed(overall)
            both = [f([1000], dtype=t.dtype(dtype), seed=own) for _ in range(2)]
            with v1.Session() as session:
                return [x for _ in range(3) for x in t.call(session.run, both)]

    few = 10 if dtype == "f64" else 60
    for overall, own in ((None, None), (None, 1345), (965, None)):
        made, again = runs(overall, own), runs(overall, own)
        for one, two in ((made[0], made[2]), (made[2], made[4]), (made[0], made[4])):
            t.expect((one == two).sum() < few, "others in each run, got %d" % (one == two).sum())
        if own is None:
            t.expect((made[0] == made[1]).sum() < few, "others from the second of two")
        alike = all((one == two).all() for one, two in zip(made, again))
        t.expect(alike == ((overall, own) != (None, None)), "again from a seed, got %s" % alike)
    t.statistics(t.np.concatenate(made).astype("float64"), mean=0.0, std=1.0)
    return made


@case(GFILE, host_only=True, core=False, reference="none")
def gfile_by_its_uri(t):
    """file:// is the path behind it; lines, places; writing alone makes the file, the first time it writes."""
    import os

    path, tf = os.path.join(t.tmpdir(), "x"), t.fw
    file = t.call(GFILE, "file://" + path, "w")
    t.expect(not os.path.exists(path), "not before it writes")
    with file:
        file.write("qwert\n")
        file.write("asdf")
    t.expect(t.call(GFILE, path).readlines() == ["qwert\n", "asdf"], "both lines")
    t.expect(list(t.call(GFILE, "file://" + path)) == ["qwert\n", "asdf"], "by its URI, too")
    file = t.call(GFILE, "file://" + path)
    got = file.read(3), file.seek(6), file.tell(), file.read(2), file.tell()
    t.expect(got == ("qwe", None, 6, "as", 8), "places, got %s" % (got,))
    file.close()
    t.raises(tf.errors.UnimplementedError, t.call(GFILE, "nowhere://x").read)
    ram = "ram://%s/one" % os.path.basename(os.path.dirname(path))
    with t.call(GFILE, ram, "w") as file:
        file.write("kept")
    t.expect(t.call(GFILE, ram).read() == "kept", "in memory")
    tf.io.gfile.remove(ram)


@case(SCALAR, host_only=True, core=False, reference="none")
def texts_are_no_numbers(t):
    """Refused at once, in an array and as a tensor, and within a program."""
    need_tensorboard()
    tf, kinds = t.fw, (ValueError, TypeError, t.fw.errors.UnimplementedError)
    with tf.summary.create_file_writer(t.tmpdir()).as_default():
        for wrong in (t.np.array("113"), "113", tf.constant("113")):
            t.raises(kinds, t.call, SCALAR, "a", wrong, step=1)
            program = tf.function(lambda wrong=wrong: t.get(SCALAR)("a", wrong, step=1), autograph=False)  # fmt: skip
            t.raises(kinds, t.call, program)
