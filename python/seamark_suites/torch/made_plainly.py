"""torch.empty and torch.randn in seldom used dtypes and formats: what deterministic algorithms fill, formats that need more axes, complex halves."""

from seamark_suites.case import case

EMPTY, RANDN = "torch.empty", "torch.randn"


@case(EMPTY, core=False, reference="none", since=("2.3", "unsigned integers of 16 bits"))
def filled_kinds_when_deterministic(t):
    """Unsigned integers are the largest there is, complex parts NaN; also in a tensor that is given and grows."""
    fw, before = t.fw, t.fw.are_deterministic_algorithms_enabled()
    fw.use_deterministic_algorithms(True)
    try:
        kinds = (fw.uint16, fw.uint32, fw.uint64, fw.complex128, fw.float32, fw.int64, fw.bool)
        made = [[t.call(EMPTY, 10, 9, dtype=kind, device=t.device),
                 t.call(EMPTY, 10, 9, out=fw.zeros(1, dtype=kind, device=t.device))] for kind in kinds]  # fmt: skip
    finally:
        fw.use_deterministic_algorithms(before)
    for kind, both in zip(kinds, made):
        for one in both:
            t.expect(one.dtype is kind and one.shape == (10, 9), "%s" % kind)
            if kind.is_floating_point or kind.is_complex:
                t.expect(bool(t.np.isnan(t.host(one)).all()), "NaN of %s" % kind)
            else:
                most = True if kind is fw.bool else fw.iinfo(kind).max
                t.expect(one.tolist() == [[most] * 9] * 10, "the largest of %s" % kind)


@case(EMPTY, core=False, reference="none")
def formats_by_axes(t):
    """Channels last of four axes, of five by another name; of fewer it is refused; of none and of one place it is both."""
    fw = t.fw
    for kind, few, many, order in ((fw.channels_last, (3, 3), (2, 3, 4, 5), (60, 1, 15, 3)),
                                   (fw.channels_last_3d, (3, 3, 3), (2, 3, 4, 5, 6), (360, 1, 90, 18, 3))):  # fmt: skip
        t.raises(RuntimeError, t.call, EMPTY, few, memory_format=kind, device=t.device)
        made = t.call(EMPTY, many, memory_format=kind, device=t.device)
        t.expect(made.stride() == order and made.is_contiguous(memory_format=kind), "%s" % kind)
    for size in ((0,), (0, 3), (5, 0), (5, 0, 3, 0, 2), (0, 3, 0, 2), (0, 5, 0, 2, 0)):
        made, whole = (t.call(EMPTY, one, device=t.device) for one in (size, tuple(n or 1 for n in size)))  # fmt: skip
        t.expect(made.shape == size and made.is_contiguous(), "nothing, in order")
        t.expect(made.stride() == whole.stride(), "steps as of one place")


@case(RANDN, core=False, random=True, reference="none")
def complex_halves_again(t):
    """Of one seed the same numbers, given out and into what grows: a variance of a half in each part."""
    fw, kind = t.fw, t.dtype("c32")
    for size in (0, 100):
        drawn = []
        for options in ({"dtype": kind, "device": t.device}, {"out": fw.zeros(0, dtype=kind, device=t.device)}):  # fmt: skip
            fw.manual_seed(123456)
            drawn.append(t.call(RANDN, size, size, **options))
        values = [t.host(one.to(t.dtype("c64"))) for one in drawn]
        t.expect(values[0].shape == values[1].shape == (size, size), "that size")
        t.expect(bool((values[0] == values[1]).all()), "the same numbers")
        t.expect(all(one.dtype is kind for one in drawn), "complex halves")
    for part in (values[0].real, values[0].imag):
        t.statistics(part, mean=0, std=0.5**0.5)
