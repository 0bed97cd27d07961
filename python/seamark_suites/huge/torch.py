"""PyTorch beyond 2^31 elements."""

from seamark_suites.case import case

from . import FAR, MARKS, SIZE, same


def marked(t):
    """Zeros, but for three places."""
    x = t.fw.zeros(SIZE, dtype=t.fw.uint8, device=t.device)
    for number, place in enumerate(MARKS):
        x[place] = number + 1
    return x


@case("torch.argmax", reference="none", core=False)
def largest(t):
    same(t, t.call("torch.argmax", marked(t)), [MARKS[-1]])


@case("torch.nonzero", reference="none", core=False)
def places(t):
    same(t, t.call("torch.nonzero", marked(t)), MARKS)


@case("torch.sum", reference="none", core=False)
def total(t):
    """In bytes: another dtype would be a copy of it."""
    same(t, t.call("torch.sum", marked(t), dtype=t.fw.uint8), [6])


@case("torch.index_select", reference="none", core=False)
@case("torch.take", reference="none", core=False)
@case("torch.gather", reference="none", core=False)
def picked(t, function):
    x, index = marked(t), t.const([MARKS[2], 0, MARKS[1], MARKS[0]], "i64")
    arguments = (index,) if function == "torch.take" else (0, index)
    same(t, t.call(function, x, *arguments), [3, 0, 2, 1])


@case("torch.Tensor.__getitem__", reference="none", core=False)
def part(t):
    same(t, t.call("torch.Tensor.__getitem__", marked(t), slice(FAR, None)), [0] * 7 + [3, 0])


@case("torch.Tensor.fill_", reference="none", core=False)
def filled(t):
    x = marked(t)
    t.call("torch.Tensor.fill_", x[FAR:], 9)
    same(t, x[FAR - 2 :], [0, 2] + [9] * 9)


@case("torch.Tensor.index_fill_", reference="none", core=False)
@case("torch.Tensor.scatter_", reference="none", core=False)
def written(t, function):
    x, index = marked(t), t.const([FAR + 1, FAR + 8], "i64")
    t.call(function, x, 0, index, 4)
    same(t, x[FAR:], [0, 4, 0, 0, 0, 0, 0, 3, 4])


@case("torch.max", reference="none", core=False)
def largest_of_rows(t):
    """As two rows: the second begins beyond the middle."""
    x = marked(t)[:-1].view(2, -1)
    values, at = t.call("torch.max", x, 1)
    same(t, values, [1, 3])
    same(t, at, [MARKS[0], MARKS[2] - (SIZE - 1) // 2])


@case("torch.searchsorted", reference="none", core=False)
def sought(t):
    x = t.fw.zeros(SIZE, dtype=t.fw.uint8, device=t.device)
    x[FAR + 3 :] = 6
    same(t, t.call("torch.searchsorted", x, t.const([0, 1, 7], "u8")), [0, FAR + 3, SIZE])


@case("torch.equal", reference="none", core=False)
def the_ends_differ(t):
    x = marked(t)
    t.expect(t.call("torch.equal", x[:4], x[FAR : FAR + 4]) is True, "equal parts")
    half = SIZE // 2
    t.expect(t.call("torch.equal", x[:half], x[-half:]) is False, "halves that differ at the ends")
