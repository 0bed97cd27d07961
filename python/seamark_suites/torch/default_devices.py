"""Where and as what a tensor is made that is asked for without a device or a dtype: by contexts, by defaults, pinned."""

from .pointwise import each

# What is called with sizes or ends alone.
MADE = {
    "torch.arange": (1, 7, 2),
    "torch.eye": (2, 3),
    "torch.full": ((2, 3), 2.5),
    "torch.ones": (2, 3),
}


@each(" ".join(name[6:] for name in MADE), core=False, since=("2.0", "torch.device as a context"))
def made_where_the_context_says(t, function):
    """The innermost context counts, behind it the outer one; the default device where there is none; device= before all of them, out= with them."""
    fw, args = t.fw, MADE[function]
    kind = lambda made: made.device.type  # noqa: E731
    want = t.host(t.call(function, *args, device=t.device))
    before = fw.get_default_device()
    with fw.device("meta"):
        t.expect(t.call(function, *args).is_meta, "by the context")
        with fw.device("cpu"):
            inner = t.call(function, *args)
        t.expect(kind(inner) == "cpu" and bool((t.host(inner) == want).all()), "by the inner one")
        t.expect(t.call(function, *args).is_meta, "by the outer one again")
        t.expect(t.host(t.call(function, *args, device=t.device)).tolist() == want.tolist(), "by the argument")  # fmt: skip
        t.raises(RuntimeError, t.call, function, *args, out=fw.zeros(want.shape, device="cpu"))
    try:
        fw.set_default_device("meta")
        t.expect(t.call(function, *args).is_meta, "by the default")
        t.expect(t.call(function, *args, dtype=fw.int32).dtype is fw.int32, "in the asked dtype")
        with fw.device("cpu"):
            t.expect(kind(t.call(function, *args)) == "cpu", "a context before the default")
    finally:
        fw.set_default_device(before)
    t.expect(kind(t.call(function, *args)) == before.type, "as before")
    t.raises(RuntimeError, t.call, function, *args, device="nowhere")


@each("full eye ones arange", core=False)
def in_a_half_default(t, function):
    """A default of f16 or bf16 counts for fractions; whole numbers and truths keep their kind, complex ones are of f32."""
    fw, made = t.fw, []
    before = fw.get_default_dtype()
    for half in (fw.float16, fw.bfloat16):
        fw.set_default_dtype(half)
        try:
            asked = {
                "torch.full": [(((2,), 2.5), half), (((2,), 3), fw.int64), (((2,), True), fw.bool), (((2,), 1 + 2j), fw.complex64)],
                "torch.eye": [((2, 3), half)],
                "torch.ones": [((2, 3), half)],
                "torch.arange": [((1.5, 4), half), ((1, 4, 0.5), half), ((4,), fw.int64)],
            }[function]  # fmt: skip
            made = [(t.call(function, *args, device=t.device), args, kind) for args, kind in asked]
        finally:
            fw.set_default_dtype(before)
        for one, args, kind in made:
            t.expect(one.dtype is kind, "%s of %s, got %s" % (kind, args, one.dtype))
            want = t.get(function)(*args, dtype=kind, device="cpu")
            t.expect(fw.equal(one.cpu(), want) and bool(want.any()), "%s" % want)


@each("arange eye full empty_like", core=False)
def pinned_beside_an_accelerator(t, function):
    """pin_memory=True without one is refused; False is a word for what is usual."""
    fw = t.fw
    args = (fw.ones(2, 3, device="cpu"),) if function == "torch.empty_like" else MADE[function]
    if fw.cuda.is_available():
        t.expect(t.call(function, *args, pin_memory=True).is_pinned(), "pinned")
    else:
        t.raises(RuntimeError, t.call, function, *args, pin_memory=True)
    make, like = t.get(function), function == "torch.empty_like"
    fill = lambda made: made.fill_(2.5) if like else made  # noqa: E731
    made = t.call(lambda: fill(make(*args, pin_memory=False, device=t.device)))
    t.expect(not made.is_pinned() and made.device.type == fw.device(t.device).type, "not pinned")
    t.expect(fw.equal(made.cpu(), fill(make(*args, device="cpu"))), "the same numbers")
