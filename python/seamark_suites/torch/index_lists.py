"""Places of a tensor by lists: what is read there, what is written, whatever lies between the lists."""

import itertools

from seamark_suites.case import case
from seamark_suites.reference import affine_pull, with_gradient

ALL, HERE = slice(None), ...
# Lists of one place, of two, a row, a column and a square: each broadcasts with each, and no place comes twice.
KINDS = {
    "all": (ALL,) * 4,
    "one": ([1], [-1], [2], [0]),
    "two": ([0, 2], [3, -4], [1, 4], [2, -1]),
    "row": ([[3, 0]], [[1, 2]], [[-1, 0]], [[4, 1]]),
    "column": ([[1], [-1]], [[0], [2]], [[3], [1]], [[0], [5]]),
    "square": ([[0, 1], [3, 2]], [[2, -1], [0, 1]], [[4, 0], [2, 1]], [[1, 3], [-1, 2]]),
}  # fmt: skip
SIZES = {2: (4, 5), 3: (4, 4, 5), 4: (4, 4, 5, 6)}


def _lists(axes):
    """Each choice of a kind for each axis, without what is all; an ellipsis for one that is all, and for none."""
    kinds = list(KINDS) if axes < 4 else ["all", "one", "two", "square"]
    found = []
    for chosen in itertools.product(kinds, repeat=axes):
        index = tuple(KINDS[kind][axis] for axis, kind in enumerate(chosen))
        if set(chosen) == {"all"}:
            continue
        found.append(index)
        if axes < 4:
            found += [index[:i] + (HERE,) + index[i + 1 :] for i in range(axes) if chosen[i] == "all"]  # fmt: skip
            found += [(HERE, *index), (*index[:1], HERE, *index[1:])]
        if chosen[-1] == "all":
            found.append(index[:-1])
    return found


LISTS = {axes: _lists(axes) for axes in (2, 3, 4)}


def _read(np, x, axes=2):
    return [x[index] for index in LISTS[axes]]


@case("torch.Tensor", dtypes="f32 f16", axes=[2, 3, 4], core=False, reference=_read)
def read_by_each_list(t, dtype, axes):
    """Of rows in order; of three axes, too, with gaps between the numbers."""
    x = t.randn(SIZES[axes], dtype, noncontiguous=axes == 3)
    return t.call(lambda x: [x[index] for index in LISTS[axes]], x)


@case("torch.Tensor", dtypes="f32 f64", grad=True, core=False, reference=with_gradient(_read, affine_pull(_read)))  # fmt: skip
def gradient_of_each_list(t, dtype):
    run = lambda x: [x[index] for index in LISTS[2]]  # noqa: E731
    return t.call(run, t.randn(SIZES[2], dtype))


def _of_layouts(np, x, values):
    made = []
    for y in (x, x.T, x[:, 1::2]):
        for rows, columns in PAIRS:
            kept = y.copy()
            kept[rows, columns] = values[: kept[rows, columns].size].reshape(
                kept[rows, columns].shape
            )
            made += [y[rows, columns], kept]
    return made


PAIRS = [([0, 1, 2], [0]), ([2], [1]), ([0, 0], [0, 1]), ([0, 1, 3, 2], [1]), ([[0, 0], [1, 2]], [[1, 0]]), ([[0, 3], [1, 1]], [[0, 1], [1, 0]])]  # fmt: skip


@case("torch.Tensor", dtypes="f32 f16 i64", core=False, reference=_of_layouts)
def lists_in_other_layouts(t, dtype):
    """Of a transpose and of every other column; what is written lands in the memory of the whole."""

    def run(x, values):
        made = []
        for part in (lambda y: y, lambda y: y.T, lambda y: y[:, 1::2]):
            for rows, columns in PAIRS:
                whole = x.clone()
                y = part(whole)
                read = y[rows, columns]
                y[rows, columns] = values[: read.numel()].view(read.shape)
                made += [read, part(whole)]
        return made

    return t.call(run, t.randn((4, 5), dtype), t.randn((9,), dtype))


def _written(np, x, values, axes):
    made = []
    for index in LISTS[axes]:
        for number in (None, 2):
            kept = x.copy()
            size = kept[index].shape
            kept[index] = values[: kept[index].size].reshape(size) if number is None else number
            made.append(kept)
    return made


@case("torch.Tensor", dtypes="f32 f16", axes=[2, 3], core=False, reference=_written)
@case("torch.Tensor", dtypes="f32", axes=[4], core=False, reference=_written)
@case("torch.Tensor", dtypes="bf16 i64 bool c64", axes=[2], core=False, reference=_written)
def written_by_each_list(t, dtype, axes):
    """Other numbers for each place, and one number for all."""

    def run(x, values):
        made = []
        for index in LISTS[axes]:
            kept, same = x.clone(), x.clone()
            kept[index] = values[: kept[index].numel()].view(kept[index].shape)
            same[index] = 2
            made += [kept, same]
        return made

    size = SIZES[axes]
    x = t.randn(size, dtype)
    return t.call(run, x, t.randn((x.numel(),), dtype))


ROWS, REST, FALLING = [3, 0, 2], [1, 4], list(range(9, -1, -1))


def _broadcast(np, x, row, column, one):
    rows, made = np.array(ROWS), []
    for index, value in (
        ((rows[:, None], REST), row), ((rows,), column), ((ALL, REST), row), ((ALL, REST), one), ((rows,), row[:1]), ((HERE, rows), column.T),
        ((range(4), range(4)), row[None, :1] * np.ones((1, 4), x.dtype)), (([0, 2], [3, 4]), row), (([0, 2], [3, 4]), row[None, None]), ((rows, REST[0]), column[:, 0]),
    ):  # fmt: skip
        kept = x.copy()
        kept[index] = value.reshape(value.shape[-1:]) if isinstance(index[0], list) else value
        made.append(kept)
    wide = np.zeros((10, 6), x.dtype)
    wide[np.array(FALLING)] = np.arange(10)[:, None]
    return [*made, wide]


@case("torch.Tensor", dtypes="f32 f64 i64", core=False, reference=_broadcast)
def written_to_lists_from_less(t, dtype):
    """Values that broadcast to the places: a row, a column, one number of no axes, more leading axes of one."""
    rows, falling = (t.fw.tensor(one, device=t.device) for one in (ROWS, FALLING))

    def run(x, row, column, one):
        made = []
        for index, value in (
            ((rows[:, None], REST), row), ((rows,), column), ((ALL, REST), row), ((ALL, REST), one), ((rows,), row[:1]), ((HERE, rows), column.T),
            ((range(4), range(4)), row[None, :1].expand(1, 4)), (([0, 2], [3, 4]), row), (([0, 2], [3, 4]), row[None, None]), ((rows, REST[0]), column[:, 0]),
        ):  # fmt: skip
            kept = x.clone()
            kept[index] = value
            made.append(kept)
        wide = x.new_zeros(10, 6)
        wide[falling] = t.fw.arange(10, dtype=x.dtype, device=x.device)[:, None]
        return [*made, wide]

    x, row = t.randn((4, 5), dtype), t.randn((2,), dtype)
    return t.call(run, x, row, t.randn((3, 1), dtype), t.randn((), dtype))


def _kept(np, x, one, row, column):
    made = [x.copy() for _ in range(4)]
    made[0][:, 0] = one
    made[1][np.array(ROWS)[:, None], REST] = row
    made[2][np.array(ROWS)] = column
    made[3][x > 0] = 0 * x[x > 0] + one
    return made


@case("torch.Tensor", dtypes="f32 f64", grad=True, core=False, reference=with_gradient(
      _kept, lambda np, w, x, one, row, column: _pulled(np, w, x)))  # fmt: skip
def gradient_of_what_is_written(t, dtype):
    """A number of no axes gets the sum of its places, what broadcasts that along its axes, the tensor nothing where it was overwritten."""
    rows = t.fw.tensor(ROWS, device=t.device)

    def run(x, one, row, column):
        made = [x.clone() for _ in range(4)]
        made[0][:, 0] = one
        made[1][rows[:, None], REST] = row
        made[2][rows] = column
        made[3][x > 0] = one
        return made

    return t.call(run, t.randn((4, 5), dtype), t.randn((), dtype), t.randn((2,), dtype), t.randn((3, 1), dtype))  # fmt: skip


def _pulled(np, w, x):
    places, slope = np.ix_(ROWS, REST), sum(w)
    slope[:, 0] -= w[0][:, 0]
    slope[places] -= w[1][places]
    slope[ROWS] -= w[2][ROWS]
    slope = slope - w[3] * (x > 0)
    one = w[0][:, 0].sum() + w[3][x > 0].sum()
    return slope, one, w[1][places].sum(0), w[2][ROWS].sum(1, keepdims=True)


def _far(np, x):
    return [
        np.array([0, 123, 44488, 68807, 123343]),
        *(x[WINDOWS[:n]] for n in (190, 100, 32)),
        x[[5, 0]],
        x[[5, 0, 9]],
    ]


WINDOWS = [range(i, i + 10) for i in range(190)]


@case("torch.Tensor", dtypes="f32 i32", core=False, reference=_far)
def long_lists(t, dtype):
    """Places far in a long vector; a list of 32 ranges and more; places of 32 bits."""
    many = t.fw.arange(123344, dtype=t.fw.int32, device=t.device)
    places = t.fw.tensor([5, 0, 9], dtype=t.fw.int32, device=t.device)
    x = t.randn((200,), dtype)
    run = lambda x: [many[[0, 123, 44488, 68807, 123343]].long(), *(x[WINDOWS[:n]] for n in (190, 100, 32)), x[places[:2]], x[places]]  # noqa: E731 # fmt: skip
    return t.call(run, x)


@case("torch.Tensor", core=False, reference="none")
def writing_to_lists_refuses(t):
    """Too few or too many values, leading axes that are not one, another dtype, places that there are not or that are read meanwhile, too many axes."""
    fw, device = t.fw, t.device
    x, whole, places = t.randn((4, 5), "f32"), t.const([0, 1, 2, 3], "i64"), fw.tensor([2, 1, 0], device=device)  # fmt: skip
    kept, line = t.host(x).copy(), t.randn((6,), "f32")

    def write(x, index, value):
        x[index] = value

    ones = lambda *size: fw.ones(size, device=device)  # noqa: E731
    for index, value in (
        (whole > -1, fw.tensor([1, 2, 3], device=device)), (whole > -1, fw.tensor([], device=device)), (places, places[:2]),
    ):  # fmt: skip
        t.raises((RuntimeError, IndexError), t.call, write, whole, index, value)
    for index, value in (
        (([0, 2], [3, 4]), ones(3)), (places, ones(4, 5)), (([0, 2], [3, 4]), ones(2, 2)), ((ALL, [1]), ones(4, 1).int()), (places, ones(3, 5).double()),
    ):  # fmt: skip
        t.raises(RuntimeError, t.call, write, x, index, value)
    t.expect(bool((t.host(x) == kept).all()), "nothing was written")
    for index in (([0, 4],), ([0, -5],), (ALL, [0, 5]), ([0], [0], [0]), ([0, 1], [0, 1, 2]), (0, 0, 0, (1, 1))):  # fmt: skip
        t.raises(IndexError, t.call, write, x, index, 0)
    for y, index, value in ((line, places, line[:3]), (line, places, line[0]), (places, places, places.clone()), (places, places.clone(), places)):  # fmt: skip
        t.raises(RuntimeError, t.call, write, y, index, value)
    one = t.randn((1,), "f32")
    t.call(write, one.expand(6), places, ones(3) * 8)
    t.expect(float(t.host(one)[0]) == 8, "one number in six places is written, with a warning")
