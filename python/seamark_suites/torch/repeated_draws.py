"""Draws: again from a state of the default generator, into what grows, where a default device says; memory that is pinned."""

from seamark_suites.case import case

from .pointwise import each


@case("torch.rand", dtypes="f32 f64 c64 c128 f16 bf16", core=False, random=True, reference="none")
def into_what_grows(t, dtype):
    """Of the same seed a given tensor of nothing takes the size and the numbers of a plain draw; also nothing of nothing."""
    for size in (0, 100):
        given, drawn = t.const(t.np.zeros(0), dtype), []
        for options in ({"dtype": t.dtype(dtype), "device": t.device}, {"out": given}):
            t.fw.manual_seed(123456)
            drawn.append(t.call("torch.rand", size, size, **options))
        t.expect(drawn[0].shape == drawn[1].shape == given.shape == (size, size), "that size")
        t.expect(t.fw.equal(*drawn), "the same numbers")
        t.expect(given.data_ptr() == drawn[1].data_ptr(), "the given tensor")
    values = t.host(given)
    parts = (values.real, values.imag) if dtype[0] == "c" else (values,)
    for part in parts:
        t.statistics(part, mean=0.5, std=12**-0.5, low=0, high=1)


@each("rand randn Tensor.normal_", core=False, random=True, host_only=True)
def by_the_state_of_the_default(t, function):
    """A generator that takes the default's state draws what the default drew, however far that has gone; put back it draws it again."""
    fw = t.fw

    def draw(n, **options):
        return t.call(function, *([fw.zeros(n)] if ".Tensor." in function else [n]), **options)

    fw.manual_seed(17)
    draw(33)
    before = fw.get_rng_state()
    generator = fw.Generator()
    generator.set_state(before)
    first = draw(1000)
    later = draw(100000)
    t.expect(not fw.equal(later[:1000], first), "others afterwards")
    t.expect(fw.equal(draw(1000, generator=generator), first), "by the other one")
    t.expect(fw.equal(generator.get_state(), before) is False, "a state that went on")
    fw.set_rng_state(before)
    t.expect(fw.equal(draw(1000), first), "from the state that was put back")
    t.expect(fw.equal(draw(100000), later), "and what came behind")
    t.expect(draw(100, generator=generator).shape == (100,), "the other one goes on")
    t.statistics(later, mean=0.5 if function == "torch.rand" else 0, std=12**-0.5 if function == "torch.rand" else 1)  # fmt: skip


@each("rand randn", core=False, host_only=True, since=("2.0", "set_default_device"))
def where_a_default_says(t, function):
    """By the context and by set_default_device; a device in the call counts more, and behind both it is as before."""
    fw = t.fw
    before = t.call(function, 3).device
    with fw.device("meta"):
        made = t.call(function, 3, 4, dtype=fw.float64)
        t.expect(made.is_meta and made.shape == (3, 4) and made.dtype is fw.float64, "by a context")
        t.expect(t.call(function, 3, device="cpu").device.type == "cpu", "the call's own")
    t.expect(t.call(function, 3).device == before, "as before")
    fw.set_default_device("meta")
    try:
        t.expect(t.call(function, 3).is_meta, "by the default")
        t.expect(t.call(function, 3, device="cpu").device.type == "cpu", "the call's own")
    finally:
        fw.set_default_device(None)
    made = t.call(function, 300)
    t.expect(made.device == before, "as before")
    t.expect(float(made.std()) > 0.1, "numbers")


@each("rand zeros Tensor.new_empty Tensor.new_zeros", core=False)
def pinned_as_asked(t, function):
    """pin_memory= is for the CPU beside an accelerator and is refused without one; False is as if it were not said."""
    make = t.get(function)
    of = (t.fw.ones(2),) if ".Tensor." in function else ()
    if t.fw.cuda.is_available():
        made = t.call(function, *of, (3,), pin_memory=True)
        t.expect(made.is_pinned() and made.device.type == "cpu", "pinned, on the host")
    else:
        t.raises(RuntimeError, t.call, function, *of, (3,), pin_memory=True)
    of = (t.const([1, 2], "f32"),) if of else ()
    where = {"device": t.device}
    fill = lambda made: made.fill_(2) if function.endswith("empty") else made  # noqa: E731
    t.fw.manual_seed(9)
    plain = t.host(fill(make(*of, (300,), **where))).copy()
    t.fw.manual_seed(9)
    made = t.call(lambda: fill(make(*of, (300,), pin_memory=False, **where)))
    t.expect(made.shape == (300,) and not made.is_pinned(), "not pinned")
    if function == "torch.rand":
        t.expect(bool((t.host(made) == plain).all()), "the numbers of a plain draw")
        t.statistics(made, mean=0.5, std=12**-0.5, low=0)
    else:
        value = 2 if function.endswith("empty") else 0
        t.expect(bool((t.host(made) == value).all()), "%d" % value)
