"""torch.empty and its kin: strides of nothing, tensors made elsewhere."""

from seamark_suites.case import case

from .pointwise import each


@case("torch.empty", core=False, reference="none")
def strides_of_nothing(t):
    """An axis without numbers has the strides of one with one."""
    for shape in (
        (0,),
        (0, 3),
        (5, 0),
        (5, 0, 3, 0, 2),
        (0, 3, 0, 2),
        (0, 5, 0, 2, 0),
        (1, 0, 5, 1),
    ):
        made, full = (
            t.call(lambda size: t.fw.empty(size, device=t.device).fill_(3), size)
            for size in (shape, [max(n, 1) for n in shape])
        )
        t.expect(made.stride() == full.stride() and made.is_contiguous(), "those of %s" % (shape,))
        t.expect(made.shape == shape and bool((t.host(full) == 3).all()), "%s" % (shape,))


@each("empty ones", core=False, since=("2.0", "a device as a context"))
def made_elsewhere(t, function):
    """On meta, as large as one likes; by the context's device; in the order of channels-last volumes where there is one; what
    is given must have the dtype, device and layout that are asked for."""
    fw, made = t.fw, t.call(function, 2**20, 2**20, device="meta", dtype=t.fw.uint8)
    t.expect(made.is_meta and made.shape == (2**20, 2**20), "on meta")
    with fw.device("meta"):
        t.expect(t.call(function, 3).is_meta, "by the context")
        t.expect(t.call(function, 3, device="cpu").device.type == "cpu", "by the argument")
    given = fw.zeros((2, 3), device=t.device)
    for options in ({"dtype": fw.float64}, {"device": "meta"}, {"layout": fw.sparse_coo}):
        t.raises(RuntimeError, t.call, function, (2, 3), out=given, **options)
    t.expect(
        t.call(function, (4, 5, 6), out=given) is given and given.shape == (4, 5, 6), "another size"
    )
    t.raises(RuntimeError, t.call, function, (2, -1), out=given)
    for wrong in ((2.5,), ("2",), ([2, None],)):
        t.raises(TypeError, t.call, function, *wrong, device=t.device)
    if function == "torch.empty":
        asked = {"memory_format": fw.channels_last_3d, "device": t.device}
        t.expect(
            t.call(function, (1, 2, 3, 4, 5), **asked).stride() == (120, 1, 40, 10, 2), "volumes"
        )
        t.raises(RuntimeError, t.call, function, (1, 2, 3, 4), **asked)
