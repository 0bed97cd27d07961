"""Methods by the lines of memory: views, flatten, unbind, index_select, repeat, masked_fill, t."""

from seamark_suites.case import case

T = "torch.Tensor."


# By lines of memory: those of 4x2, 3, 9, 6x2 and 1x5 are whole.
LINES = [(8, 1, 3, 3, 3, 4, 1, 3, 5), (2, 4, 3, 1, 9, 2, 2, 3, 5, 1), (1, 1, 2, 1, 4, 3, 1, 1, 9, 1, 2, 1, 2, 3, 1, 5, 1, 1)]  # fmt: skip
FLAT = [(-1,), (1, -1, 1), (-1, 1), (6, 2, 1), (1, 6, 2, 1)]


@case(T + "view", dtypes="f32 i64", core=False, reference=lambda np, x, one: [
      *(x.swapaxes(-1, 2).swapaxes(-2, 3).reshape(sizes) for sizes in LINES),
      *(np.broadcast_to(one, (3, 4)).reshape(sizes) for sizes in FLAT)])  # fmt: skip
def along_lines_of_memory(t, dtype):
    """Of axes in another order, where each line stays whole; of one number that is everywhere. Across lines there is none."""
    x, one = t.randn((4, 2, 5, 1, 6, 2, 9, 3), dtype), t.randn((1, 1), dtype).expand(3, 4)
    x = x.transpose(-1, 2).transpose(-2, 3)
    for across in ((-1,), (24, 9, 6, 2, 1, 5), (8, 3, 9, 6, 10), (8, 3, 54, 2, 1, 5)):
        t.raises(RuntimeError, t.call, T + "view", x, *across)
    made = [t.call(T + "view", x, *sizes) for sizes in LINES]
    return made + [t.call(T + "view", one, *sizes) for sizes in FLAT]


def _bits(np, x, row, to):
    """What has its last axis in one piece, in a dtype of any size."""
    x, row = x.astype("float32"), row.astype("float32")
    whole = [
        x,
        x.swapaxes(0, 1),
        x[1::2, 1:],
        x[:0],
        np.broadcast_to(row, (3, 6, 64)),
        x[..., 8:40],
    ]
    return [np.ascontiguousarray(one).view(to) for one in whole]


@case(T + "view", dtypes="f32", to=["int16", "uint8", "int32", "int64", "complex64"], core=False, reference=_bits)  # fmt: skip
def bits_of_other_strides(t, dtype, to):
    """The same bits of axes in another order, rows with gaps, nothing, what is broadcast, a part of each row; and back."""
    x, row = t.randn((4, 6, 64), dtype), t.randn((1, 64), dtype)
    given = x, x.transpose(0, 1), x[1::2, 1:], x[:0], row.expand(3, 6, 64), x[..., 8:40]
    made = [t.call(T + "view", one, getattr(t.fw, to)) for one in given]
    for one, bits in zip(given, made):
        again = t.call(T + "view", bits, one.dtype)
        t.expect(again.stride() == one.stride() and t.fw.equal(again, one), "the same tensor back")
    return made


@case(T + "view", core=False, reference="none")
def bits_that_do_not_fit(t):
    """Wider or narrower numbers of no axis, of a last axis with gaps or in another order; wider ones off their places in memory."""
    x, fw = t.randn((4, 6, 64), "f32"), t.fw
    for wrong in (x[0, 0, 0], x[..., ::2], x.mT, x[..., :1].expand(4, 6, 64)):
        for to in (fw.float64, fw.int16):
            t.raises(RuntimeError, t.call, T + "view", wrong, to)
        t.expect(t.call(T + "view", wrong, fw.int32).stride() == wrong.stride(), "of the same size")
    for wrong in (x[..., 1:63], x[:, :5, :63], t.randn((4, 65), "f32")[:, :64]):
        t.raises(RuntimeError, t.call, T + "view", wrong, fw.float64)


@case(T + "flatten", dtypes="f32 i64 bool", core=False, reference=lambda np, x, row: [
      np.broadcast_to(row, (3, 4, 5)).reshape(-1), x.transpose(2, 0, 1).reshape(5, 12)])  # fmt: skip
def joins_what_it_can(t, dtype):
    """An axis with itself is the tensor itself; one row in three places is copied; axes that lie in one line are a view."""
    x, row = t.randn((3, 4, 5), dtype), t.randn((1, 1, 5), dtype)
    t.expect(t.call(T + "flatten", x, 1, 1) is x, "the tensor itself")
    made = t.call(T + "flatten", row.expand(3, 4, 5))
    turned = x.permute(2, 0, 1)
    view = t.call(T + "flatten", turned, 1)
    t.expect(view._base is x and view.stride() == (1, 5), "a view of the turned one")
    return [made, view]


@case(T + "unbind", core=False, trivial=True, reference="none")
def unbinds_nothing(t):
    """Along an axis without numbers there are no parts."""
    x = t.randn((3, 0, 4), "f32")
    t.expect(t.call(T + "unbind", x[:0]) == () and t.call(T + "unbind", x, 1) == (), "no parts")
    t.expect([one.shape for one in t.call(T + "unbind", x)] == [(0, 4)] * 3, "three of nothing")


@case(T + "t", dtypes="f32 c64", core=False, reference=lambda np, x, kept: [(x * kept).T] * 4)
def of_compressed_matrices(t, dtype):
    """What is stored by rows is stored by columns, and the other way round; in blocks, too."""
    fw, x = t.fw, t.randn((4, 6), dtype) * t.randn((4, 6), "bool")
    given = x.to_sparse_csr(), x.to_sparse_csc(), x.to_sparse_bsr((2, 3)), x.to_sparse_bsc((2, 3))
    made = [t.call(T + "t", one) for one in given]
    want = [fw.sparse_csc, fw.sparse_csr, fw.sparse_bsc, fw.sparse_bsr]
    t.expect([one.layout for one in made] == want, "the other layout")
    return [one.to_dense() for one in made]


@case(T + "index_select", dtypes="f32 i64 c64", core=False, reference=lambda np, x, kept, i, j: [
      (x * kept)[i], (x * kept)[:, j], 2 * (x * kept)[i], (x * kept)[i], (x * kept)[:, j]])  # fmt: skip
def selects_of_sparse_numbers(t, dtype):
    """Stored once, stored in two parts, and with axes that are not sparse: out of order, twice, or never taken."""
    x = t.randn((5, 6), dtype) * t.randn((5, 6), "bool")
    i, j = t.const([4, 0, 4, 2], "i64"), t.const([5, 5, 1], "i64")
    once, select = x.to_sparse(), T + "index_select"
    index, values = once.indices(), once.values()
    twice = t.fw.sparse_coo_tensor(t.fw.cat([index, index], 1), t.fw.cat([values, values]), (5, 6))
    asked = (
        (once, 0, i),
        (once, 1, j),
        (twice, 0, i),
        (x.to_sparse(1), 0, i),
        (x.to_sparse(1), 1, j),
    )
    made = [t.call(select, *one) for one in asked]
    t.expect(all(one.is_sparse for one in made), "sparse results")
    t.raises((RuntimeError, IndexError), t.call, select, once, 0, i + 1)
    return [one.to_dense() for one in made]


@case(T + "index_select", dtypes="f32 u8", core=False, reference=lambda np, x, i: [x[:, i.astype(int)], x.swapaxes(0, 2)[:, i.astype(int)]])  # fmt: skip
def selects_many_in_the_middle(t, dtype):
    """Some megabytes, by more indices than there are places, of either order in memory."""
    x, i = t.randn((40, 300, 50), dtype), t.randint((700,), "i32", 0, 300)
    return [t.call(T + "index_select", one, 1, i) for one in (x, x.transpose(0, 2))]


@case(T + "repeat", dtypes="f32 i64 c64", core=False, reference=lambda np, x, y: [
      np.tile(x, (3, 1, 1)), np.tile(x, (2, 3)), np.tile(x, (2, 3)), np.tile(x.T, (2, 1, 3)), np.tile(np.broadcast_to(x[:1], (4, 4)), (2, 1)),
      np.tile(y.transpose(2, 0, 1), (1, 2, 1, 3)), np.tile(x[:, 1:3], (1, 2, 1, 1, 2, 2))])  # fmt: skip
def repeats_by_other_sizes(t, dtype):
    """A torch.Size, a list, NumPy's integers and tensors of one; transposes, what is broadcast, parts; more new axes."""
    x, y, repeat = t.randn((3, 4), dtype), t.randn((2, 3, 4), dtype), T + "repeat"
    asked = [
        (x, t.fw.Size([3, 1, 1])), (x, [2, 3]), (x, (t.np.int64(2), t.fw.tensor(3))), (x.mT, (2, 1, 3)), (x[:1].expand(4, 4), (2, 1)),
        (y.permute(2, 0, 1), (1, 2, 1, 3)), (x[:, 1:3], (1, 2, 1, 1, 2, 2)),
    ]  # fmt: skip
    made = [t.call(repeat, one, sizes) for one, sizes in asked]
    t.expect(all(one.is_contiguous() for one in made), "in order")
    for wrong in ((), ([1],), (1, 1, -1), (3, -2)):
        t.raises((RuntimeError, TypeError), t.call, repeat, y, *wrong)
    t.raises(TypeError, t.call, repeat, x, 2.0, 1)
    return made


WIDTHS = {
    "f64": ("float64", ["int64", "int32", "uint8", "complex128"]), "c64": ("complex64", ["float32", "int64", "int16", "complex128"]),
    "i16": ("int16", ["int8", "uint8", "int32", "int64"]), "u8": ("uint8", ["int8", "int16", "int32", "int64"]),
}  # fmt: skip


def _bits_of(dtype):
    name, others = WIDTHS[dtype]

    def reference(np, x):
        given = x.astype(name), x.astype(name).swapaxes(0, 1)[1:]
        return [np.ascontiguousarray(one).view(to) for to in others for one in given]

    return reference


@case(T + "view", dtypes="f64", core=False, reference=_bits_of("f64"))
@case(T + "view", dtypes="c64", core=False, reference=_bits_of("c64"))
@case(T + "view", dtypes="i16", core=False, reference=_bits_of("i16"))
@case(T + "view", dtypes="u8", core=False, reference=_bits_of("u8"))
def bits_of_other_kinds(t, dtype):
    """As wide, wider and narrower numbers; the bits of what asks for a gradient ask for none."""
    x = t.randint((4, 3, 16), dtype, 1, 99)
    others = [getattr(t.fw, to) for to in WIDTHS[dtype][1]]
    if dtype in ("f64", "c64"):
        leaf = x.clone().requires_grad_()
        for to in others:
            t.expect(not t.call(T + "view", leaf, to).requires_grad, "no gradient of bits")
    given = x, x.transpose(0, 1)[1:]
    return [t.call(T + "view", one, to) for to in others for one in given]


FILL = T + "masked_fill"


@case(FILL, dtypes="f32 i64", core=False, since=("2.0", "torch.vmap"), reference=lambda np, x, mask, values: [
      np.stack([np.where(m, 2, x) for m in mask]), np.stack([np.where(mask[0], v, x) for v in values]), np.where(mask, values[:, None], x[:3])])  # fmt: skip
def batches_of_masks_and_values(t, dtype):
    """By vmap: a mask of each example, a value of each, and both with its own numbers."""
    vmap, fill = t.get("torch.vmap"), t.get(FILL)
    x, mask, values = t.randn((4, 5), dtype), t.randn((3, 5), "bool"), t.randint((3,), dtype, 0, 9)
    return [
        t.call(vmap(lambda m: fill(x, m, 2)), mask),
        t.call(vmap(lambda v: fill(x, mask[0], v)), values),
        t.call(vmap(fill), x[:3], mask, values),
    ]


@case(FILL, dtypes="f32 c64", core=False, since=("2.0", "torch.func"), reference=lambda np, x, value, mask, along, by: [
      np.where(mask, value, x), np.where(mask, by, along)])  # fmt: skip
def values_in_forward_mode(t, dtype):
    """The slope of the value goes where the mask is, that of the tensor elsewhere."""
    fill, jvp = t.get(FILL), t.get("torch.func.jvp")
    x, value, mask = t.randn((4, 5), dtype), t.randn((), dtype), t.randn((5,), "bool")
    along, by = t.randn((4, 5), dtype), t.randn((), dtype)
    run = lambda x, value: fill(x, mask, value)  # noqa: E731
    return list(
        t.call(lambda x, value, along, by: jvp(run, (x, value), (along, by)), x, value, along, by)
    )


@case(
    T + "unbind",
    dtypes="f32 c64",
    core=False,
    reference=lambda np, x, kept: [*(x * kept), *(x * kept).T],
)
def unbinds_sparse_numbers(t, dtype):
    """Each part is sparse, too."""
    x = (t.randn((3, 4), dtype) * t.randn((3, 4), "bool")).to_sparse()
    made = [*t.call(T + "unbind", x), *t.call(T + "unbind", x, 1)]
    t.expect(all(one.is_sparse for one in made), "sparse parts")
    return [one.to_dense() for one in made]


@case(
    T + "sqrt", dtypes="f32 f64", core=False, reference=lambda np, x, kept: [np.sqrt(x * kept)] * 3
)
@case("torch.nn.ReLU", dtypes="f32 f64", core=False, reference=lambda np, x, kept: [x * kept] * 3)
def of_columns_and_blocks(t, dtype, function):
    """What is stored by columns, or in blocks by rows or columns, stays so."""
    x = t.uniform((4, 6), dtype, 0.5, 3) * t.randn((4, 6), "bool")
    given = x.to_sparse_csc(), x.to_sparse_bsr((2, 3)), x.to_sparse_bsc((2, 3))
    f = t.get(function)() if function == "torch.nn.ReLU" else function
    made = [t.call(f, one) for one in given]
    t.expect([one.layout for one in made] == [one.layout for one in given], "the same layouts")
    return [one.to_dense() for one in made]
