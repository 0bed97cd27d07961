"""Slopes by their weights, of slopes with variables, of one part of a split, of rows that a function gave."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

TAPE = "tf.GradientTape"


@case(TAPE, dtypes="f32 f64", core=False, reference=lambda np, x, w: [
      3 * x * x * w, 6 * x * w, 3 * x * x, 2.5 * x * w, 7 * x * w, 9 * w])  # fmt: skip
def tape_by_its_weights(t, dtype):
    """A slope is itself a function of its weights, and has a slope by them: of a cube, and of slopes of their own of two."""
    make, tf = t.get(TAPE), t.fw

    @tf.custom_gradient
    def first(x, weight):
        return 2.5 * x * weight, lambda more: (7 * more * x * weight, 9 * more * weight)

    @tf.custom_gradient
    def own(x):
        return 2 * x, lambda weight: first(x, weight)

    def slopes(x, w):
        found = []
        for f in (lambda x: x**3, own):
            with make(persistent=True) as outer:
                outer.watch([x, w])
                with make() as inner:
                    inner.watch(x)
                    made = f(x)
                slope = inner.gradient(made, x, output_gradients=w)
            found += [slope, outer.gradient(slope, x), outer.gradient(slope, w)]
        return found

    return t.call(slopes, t.uniform((4,), dtype, 0.5, 2), t.uniform((4,), dtype, 0.5, 2))


@case(TAPE, dtypes="f32 f64", core=False, reference=lambda np, x, w: [
      2 * (w * x * x).sum(), 2 * (w * x).sum(), 2 * w.sum()])  # fmt: skip
def tape_of_slopes_with_variables(t, dtype):
    """A traced function tells the slopes by the variables that it used, twice as great, by Jacobians within; by x, which is not watched, none."""
    make, tf, kind = t.get(TAPE), t.fw, t.dtype(dtype)
    held = [tf.Variable(tf.constant(n, kind)) for n in (1, 3, 5)]
    square = lambda x: held[0] * x * x + held[1] * x + held[2]  # noqa: E731
    none = []

    @tf.function(autograph=False)
    def call(x):
        @tf.custom_gradient
        def within():
            def slope(weight, variables=None):
                with make(persistent=True) as tape:
                    tape.watch(variables)
                    made = square(x)
                return (), [2 * tf.reduce_sum(weight * tape.jacobian(made, v)) for v in variables]

            return square(x), slope

        return within()

    def slopes(x, w):
        with make(persistent=True) as tape:
            tape.watch(held)
            made = call(x)
        none.append(tape.gradient(made, x))
        return tape.gradient(made, held, w)

    made = t.call(slopes, t.uniform((3,), dtype, 1, 2), t.uniform((3,), dtype, 1, 2))
    t.expect(none[0] is None, "none by x, got %s" % none)
    return made


@case(TAPE, dtypes="f32 f64", core=False, reference=lambda np, x: [
      np.concatenate([2 * x[:, :2], 0 * x[:, 2:]], 1)] * 3)  # fmt: skip
def tape_of_one_part(t, dtype):
    """Of a split in two one part counts, beside a constant: the other has zeros; eagerly, and in two graphs within a graph."""
    make, tf, kind = t.get(TAPE), t.fw, t.dtype(dtype)

    def slope(x):
        with make() as tape:
            tape.watch(x)
            part, _ = tf.split(x, 2, axis=1)
            made = tf.concat([part**2, tf.ones((5, 4), x.dtype)], 1)
        return tape.gradient(made, x)

    x = t.randint((5, 4), dtype, 1, 9)
    if t.compiled:
        raise Skip("a session is no part of a compiled function")
    found = [t.call(slope, x)]
    with tf.Graph().as_default():
        for _ in range(2):
            with tf.Graph().as_default(), tf.device(t.device):
                made = slope(tf.constant(t.host(x), kind))
                with tf.compat.v1.Session() as session:
                    found.append(session.run(made))
    return found


@case(TAPE, dtypes="f32 f64", core=False, reference=lambda np, x: [
      np.array([0, 2, 1, 0])[:, None] * np.ones((4, 3)), np.array([0, 2, 1, 0])[:, None] * 3 * x**2])  # fmt: skip
def tape_of_rows_of_a_function(t, dtype):
    """Rows of what a traced function gave: their slopes go back through it, twice where they were taken twice."""
    make, tf = t.get(TAPE), t.fw
    ways = [tf.function(one, autograph=False) for one in (lambda x: x + 1, lambda x: x * x * x)]

    def slopes(x):
        found = []
        for way in ways:
            with make() as tape:
                tape.watch(x)
                made = tf.gather(way(x), [1, 2, 1])
            found.append(tape.gradient(made, x))
        return found

    return t.call(slopes, t.randint((4, 3), dtype, 1, 9))


@case(TAPE, dtypes="f32 f64", core=False, reference=lambda np, x, w: [
      np.diag(2 * x[0] * w[0]), np.diag(x[0] ** 2), np.zeros((3, 3)), np.stack([np.diag(2 * row) for row in x]), np.zeros((2, 3, 3))])  # fmt: skip
def tape_jacobians_of_structures(t, dtype):
    """Sources in a dictionary of a pair: so are the Jacobians; of what has no part none, or zeros; of a batch, too. No target is no zero."""
    make, tf, none = t.get(TAPE), t.fw, []

    def jacobians(x, w):
        one, two, free = x[0], w[0], tf.ones((3,), x.dtype)
        with make(persistent=True) as tape:
            tape.watch([one, two, free])
            made = one * one * two
        sources = {"a": [one, two], "b": (free,)}
        both, zero = (tape.jacobian(made, sources, **more) for more in ({}, {"unconnected_gradients": "zero"}))  # fmt: skip
        with make(persistent=True) as tape:
            tape.watch([x, w])
            square = x * x
        none.append(both["b"][0])
        whole = tape.batch_jacobian(square, w, unconnected_gradients="zero")
        t.raises(TypeError, tape.gradient, None, x)
        return [*both["a"], zero["b"][0], tape.batch_jacobian(square, x), whole]

    made = t.call(jacobians, t.uniform((2, 3), dtype, 1, 2), t.uniform((2, 3), dtype, 1, 2))
    t.expect(none[0] is None, "none of what has no part, got %s" % none)
    return made


@case(TAPE, dtypes="f32 f64", core=False, reference=lambda np, x, v: [
      6 * x * v, 3 * x * x * v, 6 * x * v, 3 * x * x] * 2)  # fmt: skip
def tape_beside_forward_mode(t, dtype):
    """Forward over a tape and a tape over forward mode: a Hessian by a vector either way; eagerly and traced.
    Which is within counts, not which was made first: what moves outside has no slope within."""
    make, tf, none = t.get(TAPE), t.fw, []
    moving = tf.autodiff.ForwardAccumulator

    def products(x, v):
        with moving(x, v) as forward:
            with make() as tape:
                tape.watch(x)
                made = tf.reduce_sum(x**3)
            slope = tape.gradient(made, x)
        over = forward.jvp(slope)
        inner, outer = make(), moving(x, v)
        with outer, inner:
            inner.watch(x)
            cube = x**3
        none.append(inner.gradient(outer.jvp(cube), x))
        forward = moving(x, v)
        with make(persistent=True) as tape:
            tape.watch([x, v])
            with forward:
                cube = x**3
            along = forward.jvp(cube)
        return [over, along, tape.gradient(along, x), tape.gradient(along, v)]

    program = tf.function(products, autograph=False)
    x, v = t.uniform((4,), dtype, 0.5, 2), t.uniform((4,), dtype, 0.5, 2)
    made = t.call(lambda x, v: [*products(x, v), *program(x, v)], x, v)
    t.expect(none == [None] * len(none), "none of what moves outside, got %s" % none)
    return made
