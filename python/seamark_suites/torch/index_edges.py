"""A tensor's slices, axes of one, numbers as tensors and nothing as an index; what is in it, and its reverse; within a script."""

import itertools
import textwrap

from seamark_suites.case import case

ALL, HERE = slice(None), ...


def _forms():
    """Every order of a place, None and an ellipsis, for one axis and for two."""
    found = set()
    for places in ((2,), (1, -1), (0,)):
        for count in range(3):
            for dots in ((), (HERE,)):
                found |= set(itertools.permutations((*places, *(None,) * count, *dots)))
    return sorted(found, key=str)


FORMS = _forms()
ENDS = (None, -9, -2, 0, 1, 3, 9)
SLICES = [slice(*ends) for ends in itertools.product(ENDS, ENDS, (None, 2, 3, 11))]


@case("torch.Tensor", dtypes="f32 i64", core=False, reference=lambda np, x, y: [
      *(x[form] for form in FORMS if len([one for one in form if type(one) is int]) < 2), *(y[form] for form in FORMS)])  # fmt: skip
def new_axes_at_each_place(t, dtype):
    """None beside numbers and an ellipsis in each order, of one axis and of two."""

    def run(x, y):
        one = [form for form in FORMS if len([part for part in form if type(part) is int]) < 2]
        return [*(x[form] for form in one), *(y[form] for form in FORMS)]

    return t.call(run, t.randn((4,), dtype), t.randn((3, 4), dtype))


def _sliced(np, x):
    made = [x[one] for one in SLICES] + [x[1:3, one] for one in SLICES]
    for one in SLICES:
        kept = x.copy()
        kept[:, one] = 7
        made.append(kept)
    kept = x.copy()
    kept[0, 1::2] = [3, 4]
    return [*made, kept, x[2, 1:1], x[2:1, ..., 1], x[None, 2:9, None]]


@case("torch.Tensor", dtypes="f32 bool", core=False, reference=_sliced)
def each_slice(t, dtype):
    """Ends beyond the tensor are its ends, a start behind its end leaves nothing; steps beyond the size; what is written to them."""

    def run(x):
        made = [x[one] for one in SLICES] + [x[1:3, one] for one in SLICES]
        for one in SLICES:
            kept = x.clone()
            kept[:, one] = 7
            made.append(kept)
        kept = x.clone()
        kept[0, 1::2] = t.fw.tensor([3, 4], device=x.device, dtype=x.dtype)
        return [*made, kept, x[2, 1:1], x[2:1, ..., 1], x[None, 2:9, None]]

    return t.call(run, t.randn((4, 5), dtype))


@case("torch.Tensor", dtypes="f32 c64", core=False, reference=lambda np, x, row: [
      x[1], x[1, 2], x[1, 2], x[0], x[0], x[0, 1:3], x[1:3], x[0:1], x[:, 1:3], x[1], *_by_numbers(np, x, row)])  # fmt: skip
def tensors_of_no_axes_as_indices(t, dtype):
    """Integers of each kind give views, as numbers do; as the ends of slices; a row and a number are written through them."""
    fw, device = t.fw, t.device
    kinds = [getattr(fw, name) for name in ["int64", "int32", "int16", "int8"]]
    zero, one, two, three = ([fw.tensor(n, dtype=kind, device=device) for kind in kinds] for n in range(4))  # fmt: skip

    def run(x, row):
        first, second = x.clone(), x.clone()
        first[zero[0]] = row
        second[1, zero[2]] = 7.5
        second[one[1], 1:] = row[1:]
        second[two[3], three[0]] *= 2
        for start, place in ((x[one[0]], x[1]), (x[one[1], two[2]], x[1, 2]), (x[zero[3]], x[0])):
            shared = start.storage_offset() == place.storage_offset() and start.stride() == place.stride()  # fmt: skip
            t.expect(shared, "a view of the same place")
        return [
            x[one[0]], x[one[1], two[2]], x[1][two[0]], x[zero[3]], x[zero[0], ...], x[0, one[0] : three[1]], x[one[2] : three[3]], x[zero[0] : one[0]],
            x[:, one[1] : three[1]], x[[1]][zero[0]], first, second,
        ]  # fmt: skip

    return t.call(run, t.randn((3, 4), dtype), t.randn((4,), dtype))


def _by_numbers(np, x, row):
    first, second = x.copy(), x.copy()
    first[0], second[1, 0], second[1, 1:] = row, 7.5, row[1:]
    second[2, 3] *= 2
    return first, second


@case("torch.Tensor", dtypes="f32 i64", core=False, trivial=True, reference=lambda np, y, x: [
      x[:0], x[[]], np.zeros((0, 2) + x.shape[1:]), np.zeros((2, 0, 6, 4, 5)), np.zeros((2, 0)), np.zeros(0), x, x, x, x, np.zeros((0, 4)), np.zeros((3, 0)), np.zeros((2, 0, 4))])  # fmt: skip
def indices_without_places(t, dtype):
    """They read nothing, of each number of axes, and write nothing; parts of a tensor without rows are changed in place."""
    fw = t.fw
    none = lambda *size: fw.empty(size, dtype=fw.int64, device=t.device)  # noqa: E731

    def run(x, y):
        kept = [x.clone() for _ in range(4)]
        kept[0][none(0)] = -1
        kept[1][x != x] = -1
        kept[2][[]] = -1
        kept[3][2:2] = -1
        rows, wide = x.new_zeros(0, 4), x.new_zeros(10, 0)
        rows[:, 1::2] *= 1
        return [
            x[none(0)], x[[]], x[none(0, 2)], y[:, none(0, 6)], wide[[1, 2]], wide[[], []], *kept, rows, wide[2:5], y[:, :, :, 1][:, 1:1, :],
        ]  # fmt: skip

    y = t.randn((2, 3, 4, 5), dtype)
    part = y[:, :, :, 1][:, 1:1, :]
    t.expect(part.stride() == (60, 20, 5) and part.is_contiguous(), "the strides of its whole")
    t.raises(IndexError, t.call, lambda x: x[:, [0, 1]], fw.empty(10, 0, device=t.device))
    t.raises(IndexError, t.call, lambda x: x[fw.tensor([], device=t.device)], y)
    t.expect(list(fw.tensor([], device=t.device)) == [], "nothing to iterate over")
    return t.call(run, t.randn((4, 3), dtype), y)


@case("torch.Tensor", core=False, reference="none")
def places_beyond_each_end(t):
    """One behind the last and before the first of each axis, the greatest integers, steps of zero and back, ends that are no integers; nothing is deleted."""
    x, nothing = t.randn((2, 3, 4), "f32"), t.fw.tensor([], device=t.device)
    at = lambda x, *index: t.call(lambda x: x[index], x)  # noqa: E731

    def write(*index):
        x[index] = 1

    def delete():
        del x[0]

    far = t.fw.tensor([1] * 20 + [10], device=t.device)
    for index in (
        (2,), (-3,), (0, 3), (4, 3), (0, 1, 4), (ALL, ALL, 4), (0, 0, -5), ([2],), ([-3],), (far,), (far.flip(0),), (HERE, [4]), (1, 1, 1, 1), (1, 1, 1, slice(1, 1)),
        (3,) * 8, (0.0,), (0, 0.0), (ALL, 0.0), (-1.4,), (0.0, ALL, 0.0), (0, HERE, -1.4), (0.0, slice(0.0, 2.0)), (0.0, HERE, slice(0.0, 2.0)), (1 << 30,),
    ):  # fmt: skip
        t.raises(IndexError, at, x, *index)
        t.raises(IndexError, write, *index)
    for end in (-(2**63), 2**63 - 1, 0, -1):
        t.raises(IndexError, at, nothing, end)
    t.raises((ValueError, RuntimeError, OverflowError), at, x, 1 << 64)
    for wrong in (slice(1, 9, 0), slice(1, 9, -1), slice(None, None, -1)):
        t.raises(ValueError, at, x, wrong)
        t.raises(ValueError, write, wrong)
    for wrong in (slice(0.0, 2.0), slice("0", "1")):
        t.raises(TypeError, at, x, wrong)
        t.raises(TypeError, write, wrong)
    t.raises(TypeError, delete)
    t.raises(IndexError, lambda: t.fw.tensor(10, device=t.device)[0])
    whole = t.call(lambda x: [x[()], x[...], x[:]], x)
    t.expect(
        all(one is not x and one.data_ptr() == x.data_ptr() for one in whole), "views, not itself"
    )


@case("torch.Tensor", core=False, reference="none")
def what_is_in_it(t):
    """A number, a tensor that broadcasts to it; what is neither raises."""
    fw = t.fw
    x, y = fw.arange(10, device=t.device), fw.arange(1, 10, device=t.device).view(3, 3)
    row = fw.arange(1, 4, device=t.device)
    run = lambda x, y, row: [4 in x, 12 in x, row in y, row + 10 in y, 2.5 in x, x[3] in x, True in (x > 8), fw.tensor(77, device=x.device) in y, 1j in x]  # noqa: E731 # fmt: skip
    found = t.call(run, x, y, row)
    want = [True, False, True, False, False, True, True, False, False]
    t.expect(
        found == want and all(type(one) is bool for one in found), "%s, got %s" % (want, found)
    )
    for wrong in ("foo", [1, 2], None, (1,), t.np.array(4)):
        t.raises((RuntimeError, TypeError), lambda wrong=wrong: wrong in x)


@case("torch.Tensor", dtypes="f32 i64 bool c64", core=False, reference=lambda np, *xs: [
      np.flip(x) if x.ndim == 1 else x[::-1] if x.ndim else x for x in xs])  # fmt: skip
def reversed_rows(t, dtype):
    """reversed turns the first axis; a number stays, nothing too."""
    run = lambda *xs: [reversed(x) for x in xs]  # noqa: E731
    return t.call(run, *(t.randn(size, dtype) for size in ((7,), (3, 4), (), (2, 3, 2), (0, 2))))


SCRIPTED = """
    def places(x, value: float):
        a, b, c, d, e = x.clone(), x.clone(), x.clone(), x.clone(), x.clone()
        a[a < 0] = value
        b[0:2] = value
        c[1, ::2] = value
        d[:, [0, 2]] = d[:, [1, 3]]
        e[-1] += x[0]
        return [a, b, c, d, e, x[x > 0], x[1:, -2], x[..., None, 1], x[[2, 0]]]
"""


def _scripted(np, x):
    a, b, c, d, e = (x.copy() for _ in range(5))
    a[a < 0] = b[0:2] = c[1, ::2] = 1.5
    d[:, [0, 2]] = d[:, [1, 3]]
    e[-1] += x[0]
    return [a, b, c, d, e, x[x > 0], x[1:, -2], x[..., None, 1], x[[2, 0]]]


@case("torch.Tensor", dtypes="f32 f64", core=False, reference=_scripted)
def indices_within_a_script(t, dtype):
    """Masks, slices, steps and lists: read and written by a compiled function."""
    unit = t.fw.jit.CompilationUnit(textwrap.dedent(SCRIPTED))
    return t.call(lambda x: unit.places(x, 1.5), t.randn((3, 4), dtype))
