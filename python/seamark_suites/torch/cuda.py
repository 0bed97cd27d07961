"""torch.cuda: what it answers anywhere, and what only a CUDA device can do.

The latter has no CPU reference: on the CPU, the reference itself, such a case is skipped; on any other
device it runs, and where that is not a CUDA device it fails as a program that is moved there does.
"""

from seamark_agent.harness import Skip

from seamark_suites.case import case


def _work(t):
    """Something on the target's device that takes a while; checked in another way than by the CPU."""
    if t.device == "cpu":
        raise Skip("no CPU reference: only a CUDA device can do this")
    x = t.randn((256, 256), "f32")
    for _ in range(20):
        x = x @ x * 0.05
    return x


@case("torch.cuda", reference="none", host_only=True)
def available(t):
    there = t.call("torch.cuda.is_available")
    count = t.call("torch.cuda.device_count")
    t.expect(isinstance(there, bool) and isinstance(count, int), "a bool and a number")
    t.expect(there == (count > 0), "available where there are devices: %s, %d" % (there, count))
    built = t.fw.version.cuda is not None or t.fw.version.hip is not None
    t.expect(built or not there, "no device of a build without CUDA")


@case("torch.cuda", reference="none", host_only=True)
def asked_before_it_is_started(t):
    """Documented: initialized lazily, so that a program may always import it and ask."""
    before = t.fw.cuda.is_initialized()
    there = t.call("torch.cuda.is_available")
    t.expect(t.fw.cuda.is_initialized() == before, "asking starts nothing")
    t.expect(there == (t.fw.cuda.device_count() > 0), "the answer: %s" % there)
    t.expect(
        t.fw.version.cuda is None or isinstance(t.fw.version.cuda, str),
        "the version it was built for",
    )


@case("torch.cuda", reference="none", host_only=True, core=False)
def silent_without_devices(t):
    """Documented: seeds are ignored, nothing is allocated, no architectures are listed."""
    if t.fw.cuda.is_available():
        raise Skip("there is a CUDA device")
    t.call("torch.cuda.manual_seed_all", 3)
    t.expect(t.call("torch.cuda.memory_allocated") == 0, "no memory")
    t.call("torch.cuda.empty_cache")
    t.expect(t.call("torch.cuda.get_arch_list") == [], "no architectures")


@case("torch.cuda", reference="none", host_only=True, core=False)
def told_without_devices(t):
    """What needs a device says that there is none."""
    if t.fw.cuda.is_available():
        raise Skip("there is a CUDA device")
    for name in ("init", "current_device", "get_device_name"):
        told = str(t.raises((AssertionError, RuntimeError), t.call, "torch.cuda." + name))
        t.expect(
            "CUDA" in told or "NVIDIA" in told, "a message that names what is missing, got " + told
        )


@case("torch.cuda", reference="none", core=False)
def device_facts(t):
    x = _work(t)
    index = t.call("torch.cuda.current_device")
    t.expect(x.is_cuda and x.device.index == index, "tensors are made on the current device")
    facts = t.call("torch.cuda.get_device_properties", index)
    t.expect(
        facts.total_memory > 0 and facts.name == t.fw.cuda.get_device_name(index),
        "its name, its memory",
    )


@case("torch.cuda", reference="none", core=False)
def memory_is_counted(t):
    _work(t)
    before = t.call("torch.cuda.memory_allocated")
    block = t.fw.zeros(1 << 20, dtype=t.fw.uint8, device="cuda")
    t.expect(t.fw.cuda.memory_allocated() - before >= 1 << 20, "a MiB more")
    del block
    t.expect(t.fw.cuda.memory_allocated() == before, "given back")
    t.expect(t.fw.cuda.max_memory_allocated() >= before + (1 << 20), "the peak is kept")


@case("torch.cuda", reference="none", core=False)
def streams_and_events(t):
    x = _work(t)
    stream, done = t.call("torch.cuda.Stream"), t.fw.cuda.Event()
    stream.wait_stream(t.fw.cuda.current_stream())
    with t.fw.cuda.stream(stream):
        y = x + 1
        done.record()
    t.fw.cuda.current_stream().wait_event(done)
    t.expect(bool((t.host(y) == t.host(x + 1)).all()), "the result of the other stream")


@case("torch.cuda", reference="none", core=False)
def random_numbers_of_the_device(t):
    _work(t)
    drawn = []
    for seed in (3, 3):
        t.call("torch.cuda.manual_seed", seed)
        drawn.append(t.host(t.fw.rand(100, device="cuda")))
    t.expect(bool((drawn[0] == drawn[1]).all()), "the same numbers for the same seed")
    state = t.fw.cuda.get_rng_state()
    one = t.host(t.fw.rand(9, device="cuda"))
    t.fw.cuda.set_rng_state(state)
    t.expect(bool((t.host(t.fw.rand(9, device="cuda")) == one).all()), "again from a saved state")


@case("torch.cuda.synchronize", reference="none")
def waits(t):
    x = _work(t)
    t.expect(t.call("torch.cuda.synchronize") is None, "no result")
    t.expect(x.is_cuda, "the target's own work waited for, which is on %s" % x.device)
    t.expect(t.fw.cuda.current_stream().query(), "no work left in the stream")


@case("torch.cuda.synchronize", reference="none")
def of_one_device(t):
    """By number, by name, as a device."""
    x = _work(t)
    for device in (0, "cuda:0", t.fw.device("cuda", 0)):
        t.call("torch.cuda.synchronize", device)
    t.expect(x.is_cuda, "the target's own work waited for, which is on %s" % x.device)


@case("torch.cuda.synchronize", reference="none", core=False)
def waits_for_every_stream(t):
    x = _work(t)
    t.call("torch.cuda.synchronize")
    stream = t.fw.cuda.Stream()
    with t.fw.cuda.stream(stream):
        for _ in range(20):
            x = x @ x * 0.05
    t.call("torch.cuda.synchronize")
    t.expect(stream.query(), "no work left in the other stream")


@case("torch.cuda.synchronize", reference="none", core=False)
def ends_a_measurement(t):
    """The time between two events can be read after it."""
    x = _work(t)
    t.call("torch.cuda.synchronize")
    first, last = (t.fw.cuda.Event(enable_timing=True) for _ in "ab")
    first.record()
    x @ x
    last.record()
    t.call("torch.cuda.synchronize")
    t.expect(first.elapsed_time(last) > 0, "some milliseconds")


@case("torch.cuda.synchronize", reference="none", core=False)
def synchronize_refuses(t):
    _work(t)
    t.raises(ValueError, t.call, "torch.cuda.synchronize", "cpu")
    t.raises(RuntimeError, t.call, "torch.cuda.synchronize", 99)


@case("torch.cuda.synchronize", reference="none", host_only=True, core=False)
def without_cuda_it_says_so(t):
    if t.fw.cuda.is_available():
        raise Skip("there is a CUDA device")
    told = str(t.raises((AssertionError, RuntimeError), t.call, "torch.cuda.synchronize"))
    t.expect(
        "CUDA" in told or "NVIDIA" in told, "a message that names what is missing, got " + told
    )
