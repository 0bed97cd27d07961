"""More of repeat_interleave, pad and masked_fill_."""

import warnings

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from .pointwise import each
from .reference import with_gradient
from .resizing import _MODES

REPEAT, PAD, FILL = (
    "torch.Tensor.repeat_interleave",
    "torch.nn.functional.pad",
    "torch.Tensor.masked_fill_",
)


# --- repeat_interleave


@case(REPEAT, dtypes="f32 i64", core=False, reference=lambda np, one, x, counts, few: [
      np.repeat(one, 3), np.repeat(x, counts, 0), np.repeat(x, few, -1)])  # fmt: skip
def of_one_and_of_a_known_size(t, dtype):
    """One number; a size of the result that is said beforehand; counts of i32 along the last axis."""
    one, x = t.const(7, dtype), t.randn((4, 3), dtype)
    return [
        t.call(REPEAT, one, 3),
        t.call(REPEAT, x, t.const([0, 1, 2, 3], "i64"), dim=0, output_size=6),
        t.call(REPEAT, x, t.const([2, 0, 1], "i32"), -1),
    ]


def by_these(np, x, counts):
    return np.repeat(x, counts, 1)


@case(REPEAT, dtypes="f32 f64", grad=True, core=False,
      reference=with_gradient(by_these, affine_pull(by_these)))  # fmt: skip
def gradient_by_counts(t, dtype):
    """What is repeated gets the sum, what is left out zero."""
    return t.call(REPEAT, t.randn((3, 4), dtype), t.const([2, 0, 3, 1], "i64"), 1)


# --- pad


def padded(np, x, mode, *pairs):
    return np.pad(x, [(0, 0)] * (x.ndim - len(pairs)) + [*pairs], mode=_MODES[mode])


def _lines_and_volumes(np, line, volume, mode):
    return [
        padded(np, line, mode, (1, 2)),
        padded(np, line[0], mode, (2, 1)),
        padded(np, volume, mode, (1, 1), (2, 1), (1, 2)),
    ]


@case(PAD, dtypes="f32", mode=sorted(_MODES), core=False, reference=_lines_and_volumes)
def lines_and_volumes(t, dtype, mode):
    """One axis, with and without a batch, and three."""
    line, volume = t.randn((2, 3, 5), dtype), t.randn((1, 2, 3, 4, 5), dtype)
    return [
        t.call(PAD, line, (1, 2), mode=mode),
        t.call(PAD, line[0], (2, 1), mode=mode),
        t.call(PAD, volume, (1, 2, 2, 1, 1, 1), mode=mode),
    ]


def _planes(np, x, mode):
    return padded(np, x, mode, (1, 0), (2, 1))


@case(PAD, dtypes="f32 bf16", mode=["constant", "circular"], grad=True, core=False,
      reference=with_gradient(_planes, affine_pull(_planes)))  # fmt: skip
def gradient_of_what_is_filled_or_wrapped(t, dtype, mode):
    return t.call(PAD, t.uniform((2, 3, 4, 5), dtype, 0.5, 1.5), (2, 1, 1, 0), mode=mode)


@case(PAD, dtypes="f32", mode=["constant", "reflect", "replicate"], core=False,
      reference=lambda np, x, mode: [padded(np, x[:, :, 2:, 1:], mode, (0, 1), (0, 1)), np.zeros((0, 3, 8))])  # fmt: skip
def cut_and_padded(t, dtype, mode):
    """Cut at the beginning of two axes and padded at the end; an empty batch."""
    x = t.randn((1, 3, 5, 4), dtype)
    return [t.call(PAD, x, (-1, 1, -2, 1), mode=mode), t.call(PAD, x[:0, :, 0], (1, 3), mode=mode)]


# --- masked_fill_


@case(FILL, dtypes="f32 i64", core=False, reference=lambda np, x, row, one, yes, value: [
      np.where(row, 10, x), np.where(yes, 10, one), np.where(yes, value, x), np.where(~yes, 10, x)])  # fmt: skip
def by_a_row_or_one_truth(t, dtype):
    """A mask of one row, of one truth; one number; a value that stands in a tensor."""
    x, row = t.randn((4, 3), dtype), t.const([True, False, True], "bool")
    one, yes, value = t.const(3, dtype), t.const(True, "bool"), t.const(-2, dtype)
    return [
        t.call(FILL, x * 1, row, 10),
        t.call(FILL, one * 1, yes, 10),
        t.call(FILL, x * 1, yes, value),
        t.call(FILL, x * 1, ~yes, 10),
    ]


def filled(np, x, mask, value):
    return np.where(mask, value, 2 * x)


@case(FILL, dtypes="f32 f64", grad=True, core=False,
      reference=with_gradient(filled, affine_pull(filled)))  # fmt: skip
def gradient_of_the_value(t, dtype):
    """The value gets the sum of what it covers."""
    fill, x = t.get(FILL), t.randn((4, 5), dtype)
    mask, value = t.randn((4, 5), "bool"), t.randn((), dtype)
    return t.call(lambda x, mask, value: fill(2 * x, mask, value), x, mask, value)


@case(FILL, core=False, reference="none")
def fill_refuses_what_it_cannot_hold(t):
    """A complex value of real numbers, of integers."""
    mask = t.const([True, False, True], "bool")
    t.raises(RuntimeError, t.call, FILL, t.randn((2, 3), "f32"), mask, 1j)
    t.raises(RuntimeError, t.call, FILL, t.randn((2, 3), "i64"), mask, t.const(1j, "c64"))


@case(FILL, dtypes="f32", core=False, reference=lambda np, x, mask, none: [
      *[np.where(x > 0, x[0, 1], x), np.where(mask, 10, x.T).T, np.where(mask[::2, :1].T, 10, x[:, ::2])] * 2, none])  # fmt: skip
def covers_views_and_itself(t, dtype):
    """A number of the tensor itself as the value; a transpose, gaps and what has no rows."""
    x, mask, none = t.randn((4, 6), dtype), t.randn((6, 4), "bool"), t.randn((0, 6), dtype)
    own, turned, gaps = x.clone(), x.clone(), x.clone()
    made = [
        t.call(FILL, own, own > 0, own[0, 1]),
        t.call(FILL, turned.mT, mask, 10).mT,
        t.call(FILL, gaps[:, ::2], mask[::2, :1].mT, 10),
    ]
    return [*made, own, turned, gaps[:, ::2], t.call(FILL, none, mask[:, 0], 10)]


@case(FILL, core=False, reference="none")
def kinds_of_what_covers(t):
    """The dtype of the tensor stays: a fraction of integers is cut, f64 rounded; a leaf, 300 for bytes, a mask of bytes raise."""
    mask, x = t.const([True, False, True], "bool"), t.const([1, 1, 1], "i64")
    for value in (2.75, t.const(2.75, "f32")):
        made = t.call(FILL, x.clone(), mask, value)
        t.expect(made.dtype is x.dtype and t.host(made).tolist() == [2, 1, 2], "got %s" % made)
    made = t.call(FILL, t.const([1, 1, 1], "f32"), mask, t.const(0.1, "f64"))
    t.expect(abs(float(t.host(made)[0]) - 0.1) < 1e-8 and made.dtype is t.fw.float32, "f32")
    t.raises(RuntimeError, t.call, FILL, t.randn((3,), "f32", grad=True), mask, 0)
    t.raises(RuntimeError, t.call, FILL, t.const([1, 1, 1], "u8"), mask, 300)
    t.raises(RuntimeError, t.call, FILL, x, t.const([1, 0, 1], "u8"), 0)


@each("Tensor.masked_fill Tensor.masked_fill_", lambda _: lambda np, x, mask: [
      np.where(mask, 2.5, x), np.where(mask, 7, x)], dtypes="f32 bf16", core=False)  # fmt: skip
def covered_with_a_number_of_the_host(t, dtype, function):
    """A value without axes may lie in the host's memory: a fraction, a whole one."""
    x, mask = t.randn((6, 9), dtype), t.randn((6, 9), "bool")
    return [t.call(function, x.clone(), mask, t.fw.tensor(value)) for value in (2.5, 7)]


@case(FILL, core=False, reference="none")
def memory_that_overlaps(t):
    """A mask that is written while it is read raises; of one number that is seen four times the CPU only warns."""
    mask, all_of_them = t.const([True, False, True, True], "bool"), t.const([True] * 4, "bool")
    t.raises(RuntimeError, t.call, FILL, mask[1:], mask[:-1], False)
    for value in (3, t.fw.tensor(3.0)):
        x = t.const([1.0], "f32")
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            made = t.call(FILL, x.expand(4), all_of_them, value)
        t.expect(t.host(made).tolist() == [3] * 4 and t.host(x).tolist() == [3], "3, in one place")
        heard = any("expanded" in str(one.message) for one in seen)
        t.expect(heard or str(t.device) != "cpu" or t.compiled, "a warning")
