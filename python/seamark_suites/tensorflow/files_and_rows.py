"""Places in files, rows of a dataset by their number, steps of Adam that share their state, of complex numbers, by tensors and functions, assignments of other shapes."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .reference_variables_v1 import _steps

GFILE, SLICES, ADAM, ASSIGN = "tf.io.gfile.GFile", "tf.data.Dataset.from_tensor_slices", "tf.compat.v1.train.AdamOptimizer", "tf.compat.v1.assign"  # fmt: skip


@case(GFILE, host_only=True, core=False, reference="none")
def gfile_places_refused(t):
    """A place from nowhere, before the start, none; fewer than no characters; a file without a name; a name that is no ASCII."""
    tf = t.fw
    bad, path = tf.errors.InvalidArgumentError, "%s/%s" % (t.tmpdir(), "größe测试")
    with t.call(GFILE, path, "w") as file:
        file.write("one\ntwo\n\nfour")
    with t.call(GFILE, path, "r") as file:
        t.expect((file.readline(), file.tell()) == ("one\n", 4), "behind the first line")
        for wrong in ((0, 3), (-1, 0)):
            t.raises(bad, file.seek, *wrong)
        t.raises(TypeError, file.seek)
        t.raises(bad, file.read, -2)
        file.seek(-file.size(), 2)
        got = [(line, file.tell()) for line in iter(file.readline, "")]
        want = [("one\n", 4), ("two\n", 8), ("\n", 9), ("four", 13)]
        t.expect(got == want, "%s, got %s" % (want, got))
        t.expect(file.readline() == "" and file.tell() == 13 and file.read(9) == "", "the end")
    t.raises(tf.errors.NotFoundError, t.call(GFILE, "", "r").read)


@case(SLICES, host_only=True, core=False, reference="none")
def slices_by_number_and_name(t):
    """By their place, in tuples and dictionaries; none before the first. With a name."""
    tf = t.fw
    at = tf.data.experimental.at
    pairs = t.call(SLICES, ([1, 2], [3, 4], [5, 6]))
    named = t.call(SLICES, {"a": [1, 2], "b": [3, 4]}, name="rows")
    got = [[int(one) for one in at(pairs, n)] for n in (0, 1)]
    t.expect(got == [[1, 3, 5], [2, 4, 6]], "got %s" % got)
    got = [{key: int(one) for key, one in at(named, n).items()} for n in (1, 0)]
    t.expect(got == [{"a": 2, "b": 4}, {"a": 1, "b": 3}], "got %s" % got)
    for n in (-1, 2):
        t.raises(tf.errors.OutOfRangeError, at, pairs, n)


def _adam(np, x, y, g, h, *_):
    """After three steps of each, by section 2 of the paper, with numbers that every dtype holds."""
    made = []
    for value, slope in ((x, g), (y, h)):
        m, v = np.zeros_like(value), np.zeros_like(value)
        for n in (1, 2, 3):
            m, v = 0.5 * m + 0.5 * slope, 0.75 * v + 0.25 * slope * slope
            value = value - 0.25 * np.sqrt(1 - 0.75**n) / (1 - 0.5**n) * m / (np.sqrt(v) + 1e-8)
        made.append(value)
    return [*made, 0.5**4, 0.75**4]


@case(ADAM, dtypes="f32 f64 f16", resource=[False, True], core=False,
      reference=lambda np, *drawn, resource: _adam(np, *drawn))  # fmt: skip
def adam_steps_by_turns(t, dtype, resource):
    """Two steps of one optimizer for the same two variables, run by turns, count as one; its powers."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, tf, kind = t.fw.compat.v1, t.fw, t.dtype(dtype)
    drawn = [t.host(t.uniform((3,), dtype, *ends)) for ends in ((1, 2), (3, 4), (0.5, 1), (0.5, 2))]
    with tf.Graph().as_default(), tf.device(t.device):
        x, y, g, h = (tf.constant(one, kind) for one in drawn)
        held = [v1.get_variable(name, initializer=one, use_resource=resource) for name, one in (("x", x), ("y", y))]  # fmt: skip
        made = t.get(ADAM)(tf.constant(0.25, kind), 0.5, 0.75)
        steps = [made.apply_gradients([(g, held[0]), (h, held[1])]) for _ in range(2)]
        powers = sorted((one for one in made.variables() if "power" in one.name), key=lambda one: one.name)  # fmt: skip
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for n in (1, 0, 1):
                t.call(session.run, steps[n])
            return session.run([*held, *powers])


def _stepped(t, kind, resource, given, steps, *numbers):
    """The variable, its two means and both powers after steps of Adam in a session. A tensor among the numbers is a (value, kind)."""
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    v1, tf = t.fw.compat.v1, t.fw
    with tf.Graph().as_default(), tf.device(t.device):
        start, slope = (tf.constant(one, kind) for one in given)
        held = v1.get_variable("w", initializer=start, use_resource=resource)
        made = t.get(ADAM)(*[tf.constant(*one) if isinstance(one, tuple) else one for one in numbers])  # fmt: skip
        step = made.apply_gradients([(slope, held)])
        powers = sorted((one for one in made.variables() if "power" in one.name), key=lambda one: one.name)  # fmt: skip
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            for _ in range(steps):
                t.call(session.run, step)
            return session.run([held, made.get_slot(held, "m"), made.get_slot(held, "v"), *powers])


# Its numbers are taken in 32 bits, of which 1 - 0.999 keeps five digits.
@case(ADAM, dtypes="c64 c128", resource=[True, False], core=False, rtol={"c64": 1e-6, "c128": 1e-7}, atol={"c64": 0, "c128": 0},
      reference=lambda np, **_: _steps(np, np.array([1.0, 2.0]), [lambda _: 0.1] * 3, 0.001)[0] + 0j)  # fmt: skip
def adam_of_complex(t, dtype, resource):
    """Three steps with the numbers it has by default."""
    return _stepped(t, t.dtype(dtype), resource, ([1, 2], [0.1, 0.1]), 3)[0]


@case(ADAM, dtypes="f16 f32 f64", resource=[True, False], core=False, reference=lambda np, x, g, resource: [
      *_steps(np, x, [lambda _: g] * 3, 0.25, 0.5, 0.75, 2.0**-10), 0.5**4, 0.75**4])  # fmt: skip
def adam_by_tensors(t, dtype, resource):
    """Each of its numbers a constant tensor of 32 bits, whatever the kind of the variable; means and powers."""
    given = [t.host(t.uniform((5,), dtype, *ends)) for ends in ((1, 2), (0.5, 1))]
    numbers = [(one, t.fw.float32) for one in (0.25, 0.5, 0.75, 2.0**-10)]
    return _stepped(t, t.dtype(dtype), resource, given, 3, *numbers)


@case(ADAM, dtypes="f64", resource=[True, False], core=False, rtol={"f64": 1e-5}, reference=lambda np, **_: (
      _steps(np, np.ones(2), [lambda _: np.array([1e-7, 1e-8])], 0.5)[0]))  # fmt: skip
def adam_of_least_slopes(t, dtype, resource):
    """Beside slopes as small as it the epsilon that it has by default counts."""
    return _stepped(t, t.dtype(dtype), resource, ([1, 1], [1e-7, 1e-8]), 1, 0.5)[0]


@case(ADAM, dtypes="f32 f64 f16", core=False, reference=lambda np, *_: [
      np.array([0.75, 1.75]), np.array([0.25, 1.25])])  # fmt: skip
def adam_by_functions_that_change(t, dtype):
    """Eagerly its rate is asked for at each step. Of a slope that stays, each step has the size of the rate."""
    if t.compiled:
        raise Skip("the optimizer makes its slots at the first step")
    held, slope, rates = t.fw.Variable(t.const([1, 2], dtype)), t.const([4, 4], dtype), [0.25, 0.5]
    made = t.get(ADAM)(lambda: rates[0], 0.5, 0.75)
    found = []
    for _ in range(2):
        t.call(made.apply_gradients, [(slope, held)])
        found.append(t.fw.identity(held))
        rates.reverse()
    return found


@case(ADAM, host_only=True, core=False, reference="none")
def adam_names_of_powers(t):
    """Its powers are named within the scope that is open, or within one of its own at the root."""
    v1, tf = t.fw.compat.v1, t.fw
    for own, want in ((False, "outer"), (True, "Adam")):
        with tf.Graph().as_default(), tf.name_scope("outer"):
            held = v1.get_variable("w", initializer=[1.0, 2.0])
            made = t.call(ADAM, 0.5, use_own_namescope_for_non_slot_vars=own)
            made.apply_gradients([(tf.constant([1.0, 1.0]), held)])
            got = [one.name for one in made.variables() if "power" in one.name]
            want = [want + "/beta1_power:0", want + "/beta2_power:0"]
            t.expect(got == want, "%s, got %s" % (want, got))
