"""Truths, masks and None as indices of a tensor: what is read, what is written, and what of that raises."""

from seamark_suites.case import case

ALL, HERE, EACH = slice(None), ..., slice(None, None, 2)
# A mask of two axes, as a tuple of tuples: with what stands behind it.
MASK = ((True, False, True), (False, False, True))
BEHIND = [(), (EACH,), (None,), (0,), (-1, None), (True,), (True, True, True), (None, EACH), ([1],), (True, [3])]  # fmt: skip
# A mask with one truth: a False beside it leaves none.
ALONE = ((True, False, False), (False, False, False))
BESIDE = [(False,), (True, False, True), (False, EACH), (True,), ([1, 0],)]


def _masked(np, x, y):
    mask, alone = np.array(MASK), np.array(ALONE)
    made = [x[(mask, *rest)] for rest in BEHIND]
    few = [x[(alone, *rest)] for rest in BESIDE]
    return [*made, *few, *made, *few, *(y[(*first, mask, *rest)] for first, rest in _around())]


def _around():
    """What stands before and behind a mask of two of four axes, where it fits."""
    two = [(ALL,), (ALL, EACH), (HERE, EACH), (EACH,), (0,), ()]
    return [(first, rest) for first in ((0,), (ALL,), (None, ALL), (EACH,), (None, 1)) for rest in two if rest != (ALL, EACH)]  # fmt: skip


@case("torch.Tensor", dtypes="f32 i64 bool", core=False, reference=_masked)
def read_by_masks_of_two_axes(t, dtype):
    """By a tuple of tuples and by a tensor, with numbers, steps, None, truths and lists behind and before."""
    mask, alone = (t.fw.tensor(one, device=t.device) for one in (MASK, ALONE))

    def run(x, y):
        made = []
        for one, few in ((MASK, ALONE), (mask, alone)):
            made += [x[(one, *rest)] for rest in BEHIND] + [x[(few, *rest)] for rest in BESIDE]
        return [*made, *(y[(*first, mask, *rest)] for first, rest in _around())]

    return t.call(run, t.randn((2, 3, 5), dtype), t.randn((3, 2, 3, 5), dtype))


TRUTHS = [(True,), (False,), (True, True), (False, True, HERE), (None, True), (True, None), (None, False, HERE), (True, [0, 1], True, True, [1], [[2]]), (True, 1), (True, ALL, EACH)]  # fmt: skip


def _true(np, x, one):
    read = [x[index] for index in TRUTHS]
    two = np.array([True, False, True, False, True])
    return [
        *read, *(one[index] for index in ((True,), (False,), (None,), (), (HERE,), (True, True), (None, False))), *(x[np.array(yes)] for yes in (True, False)),
        x[:, [True, False, True]], x[[False, True]], x[[True, True], [True, False, True]], x[[True, False]][:, :, two], x[[True, False], :, two],
    ]  # fmt: skip


@case("torch.Tensor", dtypes="f32 i64 bool", core=False, reference=_true)
def read_by_truths(t, dtype):
    """True is a new axis of one, False one of none; lists of truths; masks with an axis between them; of a number, too."""
    yes, no = (t.fw.tensor(one, device=t.device) for one in (True, False))
    two = t.fw.tensor([True, False, True, False, True], device=t.device)
    t.raises(
        IndexError, t.call, lambda x: x[False, [0, 1], ...], t.fw.ones(2, 3, 4, device=t.device)
    )
    t.raises(IndexError, t.call, lambda x: x[no, [0, 1], ...], t.fw.ones(2, 3, 4, device=t.device))

    def run(x, one):
        read = [x[index] for index in TRUTHS]
        return [
            *read, *(one[index] for index in ((True,), (False,), (None,), (), (HERE,), (True, True), (None, False))), x[yes], x[no],
            x[:, [True, False, True]], x[[False, True]], x[[True, True], [True, False, True]], x[[True, False]][:, :, two], x[[True, False], :, two],
        ]  # fmt: skip

    return t.call(run, t.randn((2, 3, 5), dtype), t.randn((), dtype))


def _wrote(np, x, one, v):
    made = []
    for start in (x, one):
        for index in (
            (True,),
            (False,),
            (None,),
            (HERE,),
            (True, True),
            (None, False),
            (None, HERE, None),
        ):
            kept = start.copy()
            kept[index] = 5
            made.append(kept)
        made += [(2 * start + 1).astype(start.dtype)] * 4
    for index, value in WRITTEN:
        kept = x.copy()
        kept[_given(np.array, index)] = value if value is not None else v
        made.append(kept)
    return made


def _given(make, index):
    """Masks that are named, in place."""
    return tuple(make(MASKS[one]) if isinstance(one, str) else one for one in index)


MASKS = {"rows": [True, False], "columns": [True, False, True], "last": [False, True, True, False, True], "two": MASK, "none": [[False] * 3] * 2, "yes": True, "no": False}  # fmt: skip
WRITTEN = [
    (("rows", ALL), 7), ((ALL, "columns"), 7), (("two",), 7), ((ALL, ALL, "last"), 7), (("two", EACH), 7), (("none",), 7), (("rows",), None), (("two",), None),
    ((ALL, "columns", EACH), 7), (("yes",), 7), (("no",), 7), (("yes",), None), (("two", 1), 7), (("rows", ALL, "last"), 7), ((HERE, "last"), 7), (("two", [0, 2, 4]), 7),
]  # fmt: skip


@case("torch.Tensor", dtypes="f32 i64 bool", core=False, reference=_wrote)
def written_by_truths_and_masks(t, dtype):
    """True, None and an ellipsis write all, False nothing; values with more leading axes of one; masks of one axis and of two."""
    yes = t.fw.tensor(True, device=t.device)
    place = lambda data: t.fw.tensor(data, device=t.device)  # noqa: E731

    def run(x, one, v):
        made = []
        for start in (x, one):
            for index in ((True,), (False,), (None,), (HERE,), (True, True), (None, False), (None, HERE, None)):  # fmt: skip
                kept = start.clone()
                kept[index] = 5
                made.append(kept)
            for index in (True, None, HERE, yes):
                kept = start.clone()
                kept[index] = (2 * start + 1)[None, None].to(start.dtype)
                made.append(kept)
        for index, value in WRITTEN:
            kept = x.clone()
            kept[_given(place, index)] = value if value is not None else v
            made.append(kept)
        return made

    return t.call(run, t.randn((2, 3, 5), dtype), t.randn((), dtype), t.randn((5,), dtype))


@case("torch.Tensor", core=False, reference="none")
def truths_and_masks_refuse(t):
    """Masks that are shorter, longer or of too many axes, of no places beside an axis; values with leading axes that are not one; a slice of a number."""
    x, one = t.randn((5, 4, 3), "f32"), t.randn((), "f32")
    yes, tensor = t.fw.tensor(True, device=t.device), lambda *size: t.fw.zeros(size, dtype=t.fw.bool, device=t.device)  # fmt: skip

    def write(x, index, value):
        x[index] = value

    for index in ((tensor(1),), (tensor(6),), (tensor(4, 4),), (ALL, tensor(4, 4)), (tensor(0, 2),), (tensor(5, 4, 3, 1),), ([True] * 4,), (tensor(5), tensor(4), tensor(3), True, 0)):  # fmt: skip
        t.raises(IndexError, t.call, lambda x, index=index: x[index], x)
        t.raises(IndexError, t.call, write, x, index, 0)
    for index in (True, yes, None, HERE):
        t.raises(RuntimeError, t.call, write, x, index, x.expand(2, 1, 5, 4, 3) + 1)
    for index in ((ALL,), (0,), (t.fw.tensor(0, device=t.device),), (HERE, 0), ([0],), ("0",)):
        t.raises((IndexError, TypeError), t.call, lambda one, index=index: one[index], one)
        t.raises((IndexError, TypeError), t.call, write, one, index, 8.8)
    t.call(write, one, HERE, 9.5)
    t.expect(float(t.host(one)) == 9.5, "a number is written by an ellipsis")
