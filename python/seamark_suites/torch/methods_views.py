"""Methods that give views: in place, of sparse tensors, and what several views of one tensor must not do."""

from seamark_suites.case import case

from . import reference_views
from .pointwise import each
from .reference import with_gradient

# --- views: in place, sparse, and what several of one tensor must not do

T = "torch.Tensor."


@case(
    T + "transpose",
    dtypes="f32 i64",
    core=False,
    reference=lambda np, x, y: [x.T, x.T, y.swapaxes(0, 2), y[0, 0]],
)
def transposed_in_place_and_little(t, dtype):
    """transpose_ turns the tensor itself; by names of arguments; a vector's one axis."""
    x, y = t.randn((3, 4), dtype), t.randn((2, 3, 4), dtype)
    made = t.call(T + "transpose_", x, 0, 1)
    t.expect(made is x and x.shape == (4, 3), "the tensor itself, turned")
    return [
        made,
        x,
        t.call(T + "transpose", y, dim0=2, dim1=0),
        t.call(T + "transpose", y[0, 0], 0, -1),
    ]


@case(T + "transpose", dtypes="f32", core=False, reference=lambda np, x, kept: (x * kept).T)
@case(T + "unsqueeze", dtypes="f32", core=False, reference=lambda np, x, kept: (x * kept)[:, None])
def of_what_is_sparse(t, dtype, function):
    """The places move, and no zero is stored."""
    x = (t.randn((4, 5), dtype) * t.randn((4, 5), "bool")).to_sparse()
    made = t.call(function, x, *((0, 1) if function.endswith("transpose") else (1,)))
    t.expect(made.is_sparse and made._nnz() == x._nnz(), "as many numbers")
    return made.to_dense()


@case(T + "unsqueeze", dtypes="f32 c64", grad=True, core=False, reference=with_gradient(
      lambda np, x, y: x[:, None, :] * y[None, :, :]))  # fmt: skip
def against_each_other(t, dtype):
    """By keyword; two unsqueezed tensors broadcast against each other, and the gradients are summed."""
    unsqueeze = t.get(T + "unsqueeze")
    run = lambda x, y: unsqueeze(x, dim=-2) * unsqueeze(y, dim=0)  # noqa: E731
    return t.call(run, t.randn((3, 4), dtype), t.randn((5, 4), dtype))


@case(
    T + "unsqueeze",
    dtypes="f32",
    core=False,
    reference=lambda np, x: [x[..., None], x[None], x[:, None]],
)
def strides_of_a_new_axis(t, dtype):
    """The new axis has the stride of a step over what follows; channels last stay so."""
    x = t.randn((3, 4), dtype)
    made = [t.call(T + "unsqueeze", x, dim) for dim in (2, 0, 1)]
    t.expect([one.stride() for one in made] == [(4, 1, 1), (12, 4, 1), (4, 4, 1)], "the strides")
    return made


RANGES = [(first, last) for first in range(4) for last in range(first - 4, 0)]


@case(T + "flatten", dtypes="f32", core=False, reference=lambda np, x, y: [
      reference_views.flattened(np, (x, y.T)[sum(ends) % 2], *ends) for ends in RANGES])  # fmt: skip
def each_range_of_axes(t, dtype):
    """Of four axes, in order or turned around."""
    x, y = t.randn((2, 3, 4, 5), dtype), t.randn((5, 4, 3, 2), dtype)
    given = x, y.permute(3, 2, 1, 0)
    return [t.call(T + "flatten", given[sum(ends) % 2], *ends) for ends in RANGES]


@case(T + "flatten", dtypes="f32 bf16", grad=True, core=False, reference=with_gradient(
      lambda np, x, one: [x.swapaxes(1, 2).reshape(2, -1) * one, one.reshape(1) * 2]))  # fmt: skip
def flat_copies_with_a_gradient(t, dtype):
    """Of a transpose, which is copied, and of one number."""
    flatten = t.get(T + "flatten")
    run = lambda x, one: [flatten(x.transpose(1, 2), 1) * one, flatten(one) * 2]  # noqa: E731
    return t.call(run, t.uniform((2, 3, 4), dtype, 0.5, 1.5), t.uniform((), dtype, 0.5, 1.5))


@case(T + "flatten", dtypes="f32", core=False, reference=lambda np, x, y: [x.reshape(1)] * 3)
def axes_of_a_number(t, dtype):
    """It has the axes 0 and -1 alone; an end lies behind its start."""
    x, y = t.uniform((), dtype, 1, 9), t.randn((2, 3, 4), dtype)
    t.raises(IndexError, t.call, T + "flatten", x, 1)
    t.raises(IndexError, t.call, T + "flatten", x, 0, -2)
    t.raises(RuntimeError, t.call, T + "flatten", y, -1, -2)
    return [t.call(T + "flatten", x, *ends) for ends in ((0, 0), (-1, -1), (0, -1))]


def _first_doubled(function):
    """The parts, and the whole in which the first is doubled."""
    rows = 2 if function.endswith("chunk") else 1

    def reference(np, x):
        parts = [x[:2], x[2:]] if rows == 2 else list(x)
        return [*parts, np.concatenate([2 * x[:rows], x[rows:]])]

    return reference


@each("Tensor.chunk Tensor.unbind", _first_doubled, dtypes="f32", core=False)
def parts_changed_in_place(t, dtype, function):
    """Documented: of several views of one call none is changed in place within a graph; without one it may be."""
    x = t.randn((4, 3), dtype, grad=True)
    args = (2,) if function.endswith("chunk") else (0,)
    parts = t.call(function, x * 1, *args)
    t.raises(RuntimeError, parts[0].mul_, 2)
    y = x.detach().clone()
    t.call(function, y, *args)[0].mul_(2)
    return [*(part.detach() for part in parts), y]


@case(T + "expand", dtypes="f32", core=False, reference=lambda np, x, y, z: [
      x, np.broadcast_to(x, (1, 3, 2)), np.broadcast_to(y, (1, 1, 5)), np.broadcast_to(z, (3, 4, 2))])  # fmt: skip
def expanded_little(t, dtype):
    """A number to a number and to three axes; new axes of one; a column by a size alone."""
    x, y, z = t.randn((), dtype), t.randn((1, 5), dtype), t.randn((4, 1), dtype)
    asked = (x, ()), (x, (1, 3, 2)), (y, (1, 1, 5)), (z, t.fw.Size([3, 4, 2]))
    return [t.call(T + "expand", one, size) for one, size in asked]


@case(
    T + "view", dtypes="f16", core=False, reference=lambda np, x: x.astype("float16").view("int16")
)
@case(
    T + "view",
    dtypes="bf16",
    core=False,
    reference=lambda np, x: x.astype("float32").view("int16")[:, 1::2],
)
def halves_as_integers(t, dtype):
    """Their bits, and back; as one of half the size the last axis is twice as long."""
    x = t.randint((5, 6), dtype, -90, 90)
    made = t.call(T + "view", x, t.fw.int16)
    t.expect(bool((t.host(made.view(x.dtype)) == t.host(x)).all()), "back again")
    t.expect(t.call(T + "view", x, t.fw.uint8).shape == (5, 12), "two bytes of each")
    return made


# --- unsqueeze


def _in_other_orders(x, row):
    return [x.swapaxes(0, 2), x[:, ::2], x[1:, 2:3], row[None, None], x.swapaxes(0, 1)[:0]]


@case(T + "unsqueeze", dtypes="f32 i64 c64", core=False, reference=lambda np, x, row: [
      np.expand_dims(one, axis) for one in _in_other_orders(x, row) for axis in range(-4, 4)])  # fmt: skip
def each_place_of_other_orders(t, dtype):
    """Of transposes, gaps, a part, nothing: a view, whose new axis steps over what follows it."""
    x, row = t.randn((3, 4, 5), dtype), t.randn((5,), dtype)
    made = []
    for one in _in_other_orders(x, row):
        for axis in range(-4, 4):
            found = t.call(T + "unsqueeze", one, axis)
            place = axis % 4
            step = one.stride(place) * one.shape[place] if place < 3 else 1
            want = (*one.stride()[:place], step, *one.stride()[place:])
            t.expect(found.stride() == want, "strides %s, got %s" % (want, found.stride()))
            t.expect(found._is_view(), "a view")
            made.append(found)
    return made


# --- flip


def _subsets(n):
    return [
        tuple(axis for axis in range(n) if bits >> axis & 1) for bits in range(1, 2**n)
    ]  # which axes


@case(T + "flip", dtypes="f32 bf16 c128 i8 bool", core=False, reference=lambda np, x, y: [
      np.flip(one, axes) for one in (x, y.T) for axes in _subsets(4)])  # fmt: skip
def flips_along_each_choice_of_axes(t, dtype):
    """Of four axes, in order and turned around; the axes in another order, some from behind."""
    x, y = t.randn((3, 5, 2, 4), dtype), t.randn((4, 3, 2, 5), dtype)
    asked = [tuple(axis - 4 * (axis % 2) for axis in axes[::-1]) for axes in _subsets(4)]
    return [t.call(T + "flip", one, axes) for one in (x, y.permute(3, 2, 1, 0)) for axes in asked]


CHANNELS = 2, 3, 8, 16


def _images(np, *images):
    made = []
    for x in images:
        made += [x[..., ::-1], x[:, :, ::-1], x[:, :, ::2, ::-1], x[..., ::2][..., ::-1]] * 2
    return made


@case(T + "flip", dtypes="f32 u8 i64 f16", core=False, reference=_images)
def flips_images(t, dtype):
    """Left and right, up and down, every other row and column, for each number of channels; channels first and last, which stay so."""
    made, last = [], t.fw.channels_last
    for channels in CHANNELS:
        x = t.randn((2, channels, 32, 32), dtype)
        for image in (x, x.contiguous(memory_format=last)):
            flipped = [t.call(T + "flip", image, 3), t.call(T + "flip", image, 2)]
            made += [*flipped, t.call(T + "flip", image[..., ::2, :], 3), t.call(T + "flip", image[..., ::2], 3)]  # fmt: skip
        t.expect(made[-3].stride() == image.stride(), "channels last")
    return made


@case(T + "flip", core=False, reference="none")
def flip_refuses(t):
    """An axis twice, by either of its names; none at all, four of three; text, fractions; the second axis of a number."""
    x = t.randn((2, 3, 4), "f32")
    for wrong in ((0, 1, 1), ((0, -3),)):
        t.raises(RuntimeError, t.call, T + "flip", x, *wrong)
    for wrong in ((), ("0",), (0.5,), ((0.5,),)):
        t.raises(TypeError, t.call, T + "flip", x, *wrong)
    for wrong in ((0, 1, 2, 3), (3,), (-4,)):
        t.raises(IndexError, t.call, T + "flip", x, *wrong)
    t.raises(IndexError, t.call, T + "flip", x[0, 0, 0], 1)


@case(T + "flip", dtypes="f32", core=False, reference=lambda np, x: [x[::-1], x[:, ::-1], x.T[::-1, ::-1]])  # fmt: skip
def flips_what_is_quantized(t, dtype):
    """The steps stay, with their size and their zero: of eight bits with and without a sign, of 32."""
    fw, x, made = t.fw, t.randint((4, 6), dtype, -9, 9), []
    for kind, axes in ((fw.quint8, (0,)), (fw.qint8, (1,)), (fw.qint32, (0, 1))):
        steps = fw.quantize_per_tensor(x.mT if len(axes) == 2 else x, 0.5, 20, kind)
        found = steps.flip(axes)
        same = found.q_scale() == 0.5 and found.q_zero_point() == 20
        t.expect(found.dtype is kind and same, "as before")
        made.append(t.call(lambda steps, axes=axes: steps.flip(axes).dequantize(), steps))
    return made


# --- repeat_interleave

REPEAT = T + "repeat_interleave"


@case(REPEAT, dtypes="f32 i64", core=False, reference=lambda np, x, few, image, *more: [
      np.repeat(x, few, 0), x, x.reshape(-1), np.repeat(np.broadcast_to(x[:1], (5, 3)), 2, 0), np.repeat(image, 3, 1)])  # fmt: skip
def of_known_sizes_and_once(t, dtype):
    """The size of the result in a tensor; once is a copy; of what is broadcast, of channels last."""
    x, few = t.randn((4, 3), dtype), t.const([1, 3, 0, 2], "i32")
    image, size = t.randn((2, 3, 4, 2), dtype), t.fw.tensor(6)
    once = [t.call(REPEAT, x, 1, 0), t.call(REPEAT, x, 1)]
    kept = [one.clone() for one in once]
    for one in once:
        one.zero_()
    made = [t.call(REPEAT, x, few, 0, output_size=size), *kept, t.call(REPEAT, x[:1].expand(5, 3), 2, 0)]  # fmt: skip
    return [*made, t.call(REPEAT, image.contiguous(memory_format=t.fw.channels_last), 3, 1)]


@case(REPEAT, dtypes="f32 i64", core=False, reference=lambda np, x, counts: [np.repeat(x, counts, 0), np.repeat(counts, counts)])  # fmt: skip
def many_by_counts(t, dtype):
    """Of twenty thousand rows each has its own count, some none."""
    x, counts = t.randn((20000, 3), dtype), t.randint((20000,), "i64", 0, 5)
    return [t.call(REPEAT, x, counts, 0), t.call(REPEAT, counts, counts)]


@case(REPEAT, core=False, reference="none")
def counts_of_another_kind(t):
    """Lists, truths and integers of 16 bits as counts, a size of the result that one number does not give."""
    x, kinds = t.randn((2, 3), "f32"), (RuntimeError, NotImplementedError)
    t.raises(TypeError, t.call, REPEAT, x, [1, 2], 0)
    for wrong in (t.const([True, False], "bool"), t.const([1, 2], "i16")):
        t.raises(kinds, t.call, REPEAT, x, wrong, 0)
    t.raises(kinds, t.call, REPEAT, x, 2, 0, output_size=3)
    t.raises(kinds, t.call, REPEAT, x, t.const([1, 2], "i64"), 1)


# --- transpose

PAIRS = [(a, b) for a in range(-4, 4) for b in range(4)]


@case(T + "transpose", dtypes="f32 i64 c128", core=False, reference=lambda np, x, y: [
      *(x.swapaxes(*pair) for pair in PAIRS), y.swapaxes(0, -2)])  # fmt: skip
def each_pair_of_axes(t, dtype):
    """Of four axes by either name; the same axis twice; of five."""
    x, y = t.randn((2, 3, 4, 5), dtype), t.randn((2, 3, 1, 4, 2), dtype)
    return [*(t.call(T + "transpose", x, *pair) for pair in PAIRS), t.call(T + "transpose", y, 0, -2)]  # fmt: skip


@case(T + "transpose", dtypes="f32 f64 bf16 i64 u8 c64", core=False, reference=lambda np, x, y: [x.T, x.T, y.swapaxes(1, 2), x.T[::2]])  # fmt: skip
def copied_in_order(t, dtype):
    """Large matrices by blocks, whose sides are no multiple of one: a copy, one into another matrix, a batch, every other row."""
    x, y = t.randn((456, 789), dtype), t.randn((3, 61, 130), dtype)
    turn, into = t.get(T + "transpose"), t.fw.zeros((789, 456), dtype=x.dtype, device=t.device)
    made = [t.call(lambda x: turn(x, 0, 1).contiguous(), x), into.copy_(t.call(turn, x, 0, 1))]
    return [*made, t.call(lambda y: turn(y, -1, 1).contiguous(), y), t.call(turn, x, 0, 1)[::2].contiguous()]  # fmt: skip


@case(T + "transpose", dtypes="f32 i64", core=False, reference=lambda np, x: [
      np.where(np.arange(12).reshape(4, 3) == 1, 7, x.T), np.where(np.arange(12).reshape(4, 3) == 1, 7, x.T).T])  # fmt: skip
def turned_in_place_of_a_view(t, dtype):
    """transpose_ of a view turns the view alone, which still writes to what it is of."""
    x = t.randn((3, 4), dtype)
    view = x.view_as(x)
    t.expect(
        t.call(T + "transpose_", view, 0, 1) is view and view.shape == (4, 3), "the view itself"
    )
    view[0, 1] = 7
    t.expect(x.shape == (3, 4), "what it is of has its size")
    return [view, x]


@case(
    T + "transpose",
    dtypes="f32 i64",
    core=False,
    since=("2.0", "columns"),
    reference=lambda np, x: [x.T, x],
)
def rows_become_columns(t, dtype):
    """What is stored by rows is then stored by columns; not in place."""
    x = t.randn((3, 5), dtype)
    rows = x.to_sparse_csr()
    columns = t.call(T + "transpose", rows, 0, 1)
    t.expect(columns.layout is t.fw.sparse_csc and columns.shape == (5, 3), "by columns")
    t.raises(RuntimeError, t.call, T + "transpose_", rows, 0, 1)
    return [columns.to_dense(), rows.to_dense()]


@case(T + "transpose", core=False, reference="none")
def axes_that_a_tensor_has_not(t):
    """A number has two names of no axis; five axes have ten; by a wrong name of an argument."""
    x = t.randn((2, 1, 3, 1, 2), "f32")
    for wrong in ((5, 0), (0, 5), (-6, 0), (0, -6)):
        t.raises(IndexError, t.call, T + "transpose", x, *wrong)
    for wrong in ((0, 1), (-2, 0)):
        t.raises(IndexError, t.call, T + "transpose", x[0, 0, 0, 0, 0], *wrong)
    t.raises(TypeError, t.call, T + "transpose", x, 0, 1, 2)
    t.raises((TypeError, RuntimeError), t.call, T + "transpose", x, dim0=0, dim2=1)


# --- squeeze

SQUEEZE = T + "squeeze"


def _seven(np, x):
    """In the third place of the first row."""
    return np.where(np.arange(18).reshape(3, 3, 2) == 4, 7, x)


@case(SQUEEZE, dtypes="f32 i64", core=False, since=("2.0", "several axes"), reference=lambda np, x: [
      _seven(np, x[0, :, 0]), _seven(np, x[0, :, 0]), _seven(np, x[0, :, 0]).swapaxes(0, 1)])  # fmt: skip
def squeezed_in_place_by_axes(t, dtype):
    """squeeze_ by one axis and several: the view itself, which still writes to what it is of; of a transpose."""
    x = t.randn((1, 3, 1, 3, 2), dtype)
    view, same = x.view_as(x), x.clone()
    t.expect(t.call(SQUEEZE + "_", view, (0, -3)) is view and view.shape == (3, 3, 2), "the view")
    t.expect(t.call(SQUEEZE + "_", same, 0).shape == (3, 1, 3, 2), "one axis less")
    t.expect(t.call(SQUEEZE + "_", same, 0) is same and same.shape == (3, 1, 3, 2), "nothing to do")
    view[0, 2, 0] = 7
    t.expect(x.shape == (1, 3, 1, 3, 2), "what it is of has its size")
    return [view, t.call(SQUEEZE, x), t.call(SQUEEZE, x.transpose(1, 3))]


@case(SQUEEZE, core=False, since=("2.0", "several axes"), reference="none")
def squeeze_refuses(t):
    """An axis twice, by either name; one that there is not, among others, too; the second of a number."""
    x = t.randn((1, 3, 1), "f32")
    for wrong in ((0, 0), (0, -3)):
        t.raises(RuntimeError, t.call, SQUEEZE, x, wrong)
    for wrong in ((0, 3), 3, -4, (-4,)):
        t.raises(IndexError, t.call, SQUEEZE, x, wrong)
        t.raises(IndexError, t.call, SQUEEZE + "_", x.clone(), wrong)
    for wrong in (1, -2):
        t.raises(IndexError, t.call, SQUEEZE, x[0, 0, 0], wrong)
    t.raises(TypeError, t.call, SQUEEZE, x, (0.5,))


# --- unflatten and expand

UNFLATTEN = T + "unflatten"


@case(UNFLATTEN, dtypes="f32 c128 i8", core=False, reference=lambda np, x, y, none: [
      x.reshape(2, 3, 4, 5, 6), x, y.T.reshape(2, 2, 4, 3), np.zeros((2, 3, 0, 4, 5, 2)), x[:, :60].reshape(2, 1, 1, 60)])  # fmt: skip
def one_size_of_many_is_left_open(t, dtype):
    """The third of four, the only one, the first of a transpose's, one beside nothing; ones before it."""
    x, y, none = t.randn((2, 360), dtype), t.randn((3, 8, 2), dtype), t.randn((2, 0, 2), dtype)
    asked = (x, 1, (3, 4, -1, 6)), (x, 1, (-1,)), (y.permute(2, 1, 0), 1, (-1, 4)), (none, 1, (3, -1, 4, 5)), (x[:, :60], -1, (1, 1, -1))  # fmt: skip
    return [t.call(UNFLATTEN, *given) for given in asked]


@case(UNFLATTEN, core=False, reference="none")
def sizes_that_unflatten_refuses(t):
    """An axis by text, two sizes that are open, one that does not fit, one that may be any; fractions, none; axes that there are not."""
    x, none = t.randn((5, 10, 3), "f32"), t.randn((2, 0), "f32")
    for wrong in ((-1, -1), (-1, 4), (2, 4), (-1, 0), (2, 5, 2), (-5, -2)):
        t.raises(RuntimeError, t.call, UNFLATTEN, x, 1, wrong)
    t.raises(RuntimeError, t.call, UNFLATTEN, none, 1, (2, -1, 0))
    for wrong in (("A", (2, 5)), (1.0, (2, 5)), (1, (2.0, 5)), (1,), (), (1, "25"), (1, None)):
        t.raises((TypeError, RuntimeError), t.call, UNFLATTEN, x, *wrong)
    for wrong in (3, -4):
        t.raises(IndexError, t.call, UNFLATTEN, x, wrong, (2, 5))


@case(T + "expand", dtypes="f32 i64 bool", core=False, reference=lambda np, x: [
      np.concatenate([np.broadcast_to(x[:2], (2, 5)), np.ones((1, 5)), np.broadcast_to(x[3:], (1, 5))]), np.concatenate([x[:2], np.ones((1, 1)), x[3:]]),
      np.concatenate([np.broadcast_to(x[:2], (2, 5)), np.ones((1, 5)), np.broadcast_to(x[3:], (1, 5))])])  # fmt: skip
def written_through_one_of_many_places(t, dtype):
    """One element that is written shows in its whole row, and in the column that was expanded; a copy is no view any more."""
    x = t.randn((4, 1), dtype)
    made = t.call(T + "expand", x, 4, 5)
    made[2, 3] = 1
    copy = made.contiguous()
    t.expect(copy.stride() == (5, 1), "a copy in order")
    kept = copy.clone()
    copy.fill_(0)
    return [made, x, kept]


@case(T + "expand", dtypes="f32 f64 c64", grad=True, core=False, reference=with_gradient(
      lambda np, x, y, z: [np.broadcast_to(x, (3, 4, 2)) * y, np.broadcast_to(z, (3, 4, 2)) + 0 * y, np.zeros((0, 4, 1))]))  # fmt: skip
def gradients_of_what_is_expanded(t, dtype):
    """Each number has the sum of its places': of a middle and a first axis, of a number; of no place it is zero."""
    expand = t.get(T + "expand")
    return t.call(
        lambda x, y, z: [expand(x, 3, -1, 2) * y, expand(z, (3, 4, 2)) + 0 * y, expand(x, 0, 4, -1)],
        t.randn((1, 4, 1), dtype),
        t.randn((3, 4, 2), dtype),
        t.randn((), dtype),
    )  # fmt: skip


@case(T + "expand", core=False, reference="none")
def sizes_that_expand_refuses(t):
    """Fewer axes, another length, nothing to something, a new axis whose length is open, lengths below -1."""
    x, none = t.randn((2, 3, 1), "f32"), t.randn((0, 0), "f32")
    for wrong in ((3, 1), (2, 4, 1), (-1, 2, 3, 1), (2, -3, 1), (3, 3, 5)):
        t.raises(RuntimeError, t.call, T + "expand", x, wrong)
    t.raises(RuntimeError, t.call, T + "expand", none, 2, 3)
    t.raises(TypeError, t.call, T + "expand", x)
    t.raises(TypeError, t.call, T + "expand", x, None)


@case(T + "expand", dtypes="f32 i64 c64", core=False, reference=lambda np, x, y, z: [
      np.broadcast_to(x, (2, 2, 5)), np.broadcast_to(y[:, 0], (2, 5, 4, 3)), np.broadcast_to(z, (4, 8, 5)), np.broadcast_to(y[:, 1, 0, 0], (2, 6, 5))])  # fmt: skip
def expanded_again(t, dtype):
    """What was expanded before; what has gaps, a turned column, along old axes and new ones; as unsqueeze does it where they have one place."""
    x, y, z = t.randn((5,), dtype), t.randn((5, 2, 1, 3), dtype), t.randn((1, 8, 1), dtype)
    expand = T + "expand"
    once, column = t.call(expand, x, 1, 5), y[:, 1, :, ::2].permute(2, 1, 0)[0]
    t.expect(t.call(expand, x, 1, 1, 5).shape == x[None, None].shape, "the shape of unsqueeze")
    return [t.call(expand, once, 2, 2, 5), t.call(expand, y[:, 0], 2, 5, 4, 3), t.call(expand, z, (4, -1, 5)), t.call(expand, column, 2, 6, 5)]  # fmt: skip
