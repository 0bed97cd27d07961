"""Layouts that results keep, whatever the strides; complex parts that are written; sizes, lists and wishes that cannot be."""

import itertools

from seamark_suites.case import case

from .pointwise import each

SMOOTH = "exp log sqrt sin cos sigmoid abs"


def _of(function):
    name = function[len("torch.") :]
    return (lambda np, x: 1 / (1 + np.exp(-x))) if name == "sigmoid" else (lambda np, x: getattr(np, name)(x))  # fmt: skip


def _turned(axes):
    return list(itertools.permutations(range(axes)))


@each(SMOOTH, lambda function: lambda np, x, y, z: [
       _of(function)(np, part.transpose(order)) for part in (x, y[..., ::2], z[..., ::2]) for order in _turned(part.ndim) for _ in "ab"],
       dtypes="f32 f64", core=False)  # fmt: skip
def strides_in_each_order(t, dtype, function):
    """The result lies in memory as its input does, without its gaps; so does an out= that grows."""

    def run(x, y, z):
        made = []
        for part in (x, y[..., ::2], z[..., ::2]):
            step = part.stride(-1)
            for order in _turned(part.dim()):
                turned = part.permute(order)
                want = tuple(n // step for n in turned.stride())
                grown = t.fw.empty(0, dtype=x.dtype, device=x.device)
                found = [f(turned), f(turned, out=grown)]
                for one in found:
                    t.expect(one.stride() == want, "strides %s, got %s" % (want, one.stride()))
                made += found
        return made

    f, sizes = t.get(function), ((2, 3, 4), (2, 3, 8), (1, 1, 4, 12))
    return t.call(run, *(t.uniform(size, dtype, 0.5, 1.5) for size in sizes))


# Sizes, strides and a step of the last axis: dense, with gaps, repeated, overlapping.
ODD = [((4, 3, 2), (6, 2, 1), 1), ((4, 3, 4), (12, 4, 1), 2), ((4, 3, 2), (10, 3, 1), 1), ((4, 3, 2), (10, 0, 3), 1), ((4, 3, 2), (10, 1, 2), 1), ((4, 3, 2), (4, 2, 1), 2), ((4, 3, 2), (10, 1, 1), 1), ((4, 1, 1, 2), (10, 0, 0, 2), 1), ((4, 2, 3), (10, 3, 3), 1)]  # fmt: skip


@each("zeros_like ones_like full_like empty_like", core=False)
def strides_as_functions_give_them(t, function):
    """Gaps, repeated and overlapping memory, in each order of axes: the strides that exp of the same gives."""
    more = (7,) if function == "torch.full_like" else ()
    for size, strides, step in ODD:
        x = t.fw.empty_strided(size, strides, device=t.device).fill_(1.0)[..., ::step]
        for order in _turned(x.dim()):
            turned = x.permute(order)
            made, want = t.call(function, turned, *more), turned.exp()
            same = made.stride() == want.stride() and made.shape == want.shape
            t.expect(same, "%s in order %s: %s, got %s" % (strides, order, want.stride(), made.stride()))  # fmt: skip
            t.expect(made.shape == turned.shape, "the size")


@case("torch.Tensor", dtypes="f32 f64", core=False, reference=lambda np, x, y, b: [
      x + y, y + x, x * 5, abs(x), x + b, b + x, x[:, :2] + x[:, 2:], x[:1] + 3, x.transpose(0, 1, 3, 2) + 1])  # fmt: skip
def formats_of_operators(t, dtype):
    """Channels last stay so beside numbers, rows in order, one image of a batch, half of the channels; the left one says where both are possible."""
    fw, last = t.fw, t.fw.channels_last

    def run(x, y, b):
        x, b = x.contiguous(memory_format=last), b.contiguous(memory_format=last)
        one, two = x.chunk(2, dim=1)
        made = [x + y, y + x, x * 5, abs(x), x + b, b + x, one + two, x[0].unsqueeze(0) + 3]
        for i in (0, 2, 3, 4, 5, 6, 7):
            t.expect(
                made[i].is_contiguous(memory_format=last), "channels last of the result %d" % i
            )
        t.expect(made[1].is_contiguous(), "rows in order, of the left one")
        twice = x.permute(0, 1, 3, 2).permute(0, 1, 3, 2)
        t.expect(twice.is_contiguous(memory_format=last), "turned twice")
        return [*made, x.permute(0, 1, 3, 2) + 1]

    both = fw.ones(4, 4, 1, 1, device=t.device, dtype=t.dtype(dtype)).contiguous(memory_format=last)
    first = t.call(lambda x: [both + x, x + both], fw.ones(4, 4, 5, 5, device=t.device, dtype=t.dtype(dtype)))  # fmt: skip
    t.expect(all(one.is_contiguous() for one in first), "of two the one whose strides say it")
    t.expect(all((t.host(one) == 2).all() for one in first), "sums of ones")
    return t.call(run, t.randn((4, 4, 5, 6), dtype), t.randn((4, 4, 5, 6), dtype), t.randn((1, 4, 1, 1), dtype))  # fmt: skip


@case("torch.Tensor", dtypes="c64 c128", core=False, reference=lambda np, x, y: [
      1j * x.imag, x.real + 0j, 0 * x, x.real + 1j * y.imag, 2.5 + 1j * x.imag, np.where(np.arange(5) == 2, x.real + 9j, x)])  # fmt: skip
def parts_that_are_written(t, dtype):
    """.real and .imag take a number, a tensor, and one place of a part."""

    def run(x, y):
        made = [x.clone() for _ in range(6)]
        made[0].real = 0
        made[1].imag = 0
        made[2].real = made[2].imag = 0
        made[3].imag = y.imag
        made[4].real = 2.5
        made[5].imag[2] = 9
        return made

    def write(x):
        x.imag = 1

    t.raises(RuntimeError, write, t.fw.ones(2, device=t.device))
    return t.call(run, t.randn((5,), dtype), t.randn((5,), dtype))


@case("torch.as_tensor", core=False, reference="none")
def lists_within_themselves(t):
    """A list that has itself raises, alone and beside another; text beside a number; three lists of nothing are three axes."""
    within = [0]
    within += [within]
    for wrong in (within, [[1, 2], within], [0, "torch"], [[1], ["a"]]):
        t.raises((TypeError, ValueError), t.call, "torch.as_tensor", wrong, device=t.device)
    t.expect(t.call("torch.as_tensor", [[[]]], device=t.device).shape == (1, 1, 0), "three axes")


@case("torch.empty", core=False, reference="none")
@case("torch.Tensor.new_empty", core=False, reference="none")
def sizes_that_overflow(t, function):
    """More bytes than 64 bits count, strides that are too long beside an axis of nothing."""
    first = () if function == "torch.empty" else (t.fw.ones(2, device=t.device),)
    for size in ([2, 4, 2**29, 2**29], [8, 8, 2**29, 2**29], [0, 4, 2**61]):
        t.raises((RuntimeError, OverflowError), t.call, function, *first, size, dtype=t.fw.float64)
    made = t.call(function, *first, [0, 4, 2**20], dtype=t.fw.float64)
    t.expect(made.shape == (0, 4, 2**20) and made.numel() == 0, "what fits")


@case("torch.Tensor.new_empty", core=False, reference="none")
@case("torch.Tensor.new_zeros", core=False, reference="none")
def gradients_of_whole_numbers(t, function):
    """Only floats and complex numbers learn; arguments behind the size are none."""
    for kind, learns in (
        ("f32", True),
        ("c64", True),
        ("f16", True),
        ("i64", False),
        ("bool", False),
        ("u8", False),
    ):
        x = t.fw.ones(3, dtype=t.dtype(kind), device=t.device)
        if learns:
            made = t.call(function, x, (4,), requires_grad=True)
            t.expect(made.requires_grad and made.is_leaf and made.dtype is x.dtype, "a leaf")
        else:
            t.raises(RuntimeError, t.call, function, x, (4,), requires_grad=True)
        t.expect(not t.call(function, x, (4,), requires_grad=False).requires_grad, "none")
        t.raises(TypeError, t.call, function, x, (5, 5), 0)


MODES = [("nearest", (6,)), ("linear", (4,)), ("bilinear", (4, 5)), ("bicubic", (4, 4)), ("trilinear", (2, 3, 3)), ("area", (4, 4))]  # fmt: skip
INTERPOLATE = "torch.nn.functional.interpolate"


@case(INTERPOLATE, core=False, reference="none")
def the_same_when_deterministic(t):
    """Under deterministic algorithms the numbers and the gradient are those without, each time the same. Documented: on other devices
    than the CPU the gradient of all modes but the nearest may raise instead."""
    fw, host = t.fw, t.fw.device(t.device).type == "cpu"
    before = fw.are_deterministic_algorithms_enabled()
    for mode, size in MODES:
        found, x = [], t.randn((1, 2, *size), "f32", grad=True)
        weight = t.randn((1, 2, *(12 for _ in size)), "f32")
        for asked in (False, True, True, True):
            fw.use_deterministic_algorithms(asked)
            try:
                made = t.call(INTERPOLATE, x, size=(12,) * len(size), mode=mode)
                try:
                    (slope,) = fw.autograd.grad((made * weight).sum(), x)
                except RuntimeError:
                    if host or not asked or mode == "nearest":
                        raise
                    slope = None
            finally:
                fw.use_deterministic_algorithms(before)
            found.append((t.host(made.detach()), slope if slope is None else t.host(slope)))
        for made, _ in found if mode in ("nearest", "area") else ():
            want = t.host(x.detach())
            for axis, n in enumerate(size):
                want = want.repeat(12 // n, axis + 2)
            t.expect(t.np.allclose(made, want, 1e-6, 0), "each number several times, " + mode)
        for made, slope in found[1:]:
            t.expect(t.np.allclose(made, found[0][0], 1e-5, 1e-5), "the numbers, " + mode)
            t.expect((made == found[1][0]).all(), "each time the same numbers")
            t.expect((slope is None) == (found[1][1] is None), "each time a gradient, or none")
            if slope is not None:
                t.expect(t.np.allclose(slope, found[0][1], 1e-5, 1e-5), "the gradient, " + mode)
                t.expect((slope == found[1][1]).all(), "each time the same gradient")


@case(INTERPOLATE, host_only=True, core=False, reference="none")
@case("torch.empty", host_only=True, core=False, reference="none")
def sizes_without_memory(t, function):
    """On meta what no memory holds has its sizes, sums of it broadcast, and no number is to be had."""
    fw = t.fw
    if function == INTERPOLATE:
        x = fw.empty(2 * 10**8, 3, 2 * 10**8, device="meta")
        made, want = t.call(function, x, scale_factor=2), (2 * 10**8, 3, 4 * 10**8)
    else:
        x, y = (t.call(function, *size, device="meta") for size in ((2**20, 2**20), (2**20,)))
        made, want = x + y + 2, (2**20, 2**20)
    t.expect(tuple(made.shape) == want and made.device.type == "meta", "sizes alone")
    t.raises((RuntimeError, NotImplementedError), lambda: made.flatten()[0].item() if len(want) == 2 else made[0][0][0].item())  # fmt: skip
