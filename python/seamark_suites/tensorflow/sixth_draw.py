"""What a sixth drawing of functions found missing: of argmax and assert_equal."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

ARGMAX, EQUAL = "tf.argmax", "tf.assert_equal"


# --- argmax


@case(ARGMAX, dtypes="bool i16 u16 u32 u64", core=False, trivial=True,
      reference=lambda np, x: [x.argmax(1), x.argmax(0)])  # fmt: skip
def of_any_kind(t, dtype):
    x = t.const([[0, 1, 1], [1, 0, 1], [0, 0, 1]], dtype)
    return [t.call(ARGMAX, x, 1), t.call(ARGMAX, x, t.fw.constant(0, t.fw.int64))]


@case(ARGMAX, dtypes="f32 f64", core=False, reference=lambda np, x: x.argmax(1))
def of_infinities_and_the_least(t, dtype):
    inf = float("inf")
    return t.call(ARGMAX, t.const([[0, -inf, inf], [-inf, -1, -2], [1, inf, inf]], dtype), axis=1)


@case(ARGMAX, dtypes="i32 i64", core=False, reference=lambda np, x: x.argmax(1))
def of_the_least_integers(t, dtype):
    least = -(2 ** (31 if dtype == "i32" else 63))
    return t.call(ARGMAX, t.const([[least, least + 1], [least + 1, least], [0, -1]], dtype), 1)


@case(ARGMAX, dtypes="f32", core=False, reference=lambda np, x: x.argmax(1))
def it_has_no_gradient(t, dtype):
    x = t.distinct((9, 4), dtype)
    with t.fw.GradientTape() as tape:
        tape.watch(x)
        place = t.call(ARGMAX, x, axis=1)
        chosen = t.fw.cast(place, t.dtype(dtype))
    t.expect(tape.gradient(chosen, x) is None, "none")
    return place


# --- assert_equal


@case(EQUAL, dtypes="f16 f64 i32 u8 c64", core=False, reference=lambda np, x: x)
def equal_of_other_kinds_goes_on(t, dtype):
    tf = t.fw

    def checked(x):
        tf.assert_equal(x, tf.identity(x))
        return tf.identity(x)

    return t.call(checked, t.randn((4, 5), dtype))


@case(EQUAL, dtypes="f32", core=False, reference="none")
def differs_within_a_function(t, dtype):
    """In a traced function it raises when it runs, though nothing takes its result."""
    if t.compiled:
        raise Skip("a compiled program leaves assertions out")
    tf = t.fw

    @tf.function(autograph=False)
    def step(x, y):
        t.get(EQUAL)(x, y, message="not so", summarize=1)
        return x

    x = t.const([1.0, 2.0, 3.0], dtype)
    t.call(step, x, x)
    error = t.raises(tf.errors.InvalidArgumentError, t.call, step, x, x + 1)
    t.expect("not so" in str(error), "the message, got %s" % error)


@case(EQUAL, dtypes="f32", core=False, reference="none")
def differs_while_it_is_traced(t, dtype):
    """What is known while a function is traced raises then; dtypes that differ are refused."""
    if t.compiled:
        raise Skip("a compiled program leaves assertions out")
    tf = t.fw

    @tf.function(autograph=False)
    def known():
        t.get(EQUAL)(tf.constant([1, 2]), tf.constant([1, 3]), message="not so")
        return tf.zeros(())

    error = t.raises(tf.errors.InvalidArgumentError, known.get_concrete_function)
    t.expect("not so" in str(error), "the message, got %s" % error)
    t.refuses(EQUAL, t.const([1.0], dtype), t.const([1], "i64"))
