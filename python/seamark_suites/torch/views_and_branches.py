"""flatten of a number and of lines that repeat, unsqueeze_ of a view, parts along the last axis of each example; what a branch leaves to Python."""

from seamark_suites.case import case

from .pointwise import each

FLATTEN = "torch.Tensor.flatten"


@case(FLATTEN, dtypes="f32 i64 c64", core=False, reference=lambda np, x, y: [x[None], *np.array([[7], [7], [3], [3]]), 2 * y[1:2]])  # fmt: skip
def a_number_and_its_line(t, dtype):
    """Documented: a number is flattened to a view of one, which shows what is written to the number and writes to it."""
    x, y = t.randn((), dtype), t.randn((3,), dtype)
    view = t.call(FLATTEN, x)
    t.expect(view._base is x and view.shape == (1,), "a view of one")
    made = [view.clone()]
    view[0] = 7
    made += [view.clone(), x.clone()[None]]
    x.fill_(3)
    part = t.call(FLATTEN, y[1], 0, -1)
    t.expect(part._base is y and part.shape == (1,), "a view of the whole")
    y.mul_(2)
    return [*made, x[None], view, part]


@case(FLATTEN, dtypes="f32 i64", core=False, reference=lambda np, row, x: [
      np.broadcast_to(-row, (4, 5, 6)).reshape(20, 6), np.broadcast_to(-row, (4, 5, 6)).reshape(4, 30),
      *(-x.transpose(4, 5, 2, 3, 0, 1).reshape(sizes) for sizes in ((30, 4, 5, 2, 3), (5, 6, 20, 2, 3), (5, 6, 4, 5, 6))),
      x.transpose(4, 5, 2, 3, 0, 1).reshape(5, 120, 2, 3), -x.transpose(2, 3, 4, 5, 0, 1).reshape(600, 2, 3)])  # fmt: skip
def lines_and_groups(t, dtype):
    """One row in many places stays a view of it by a stride of zero; of three pairs of axes in another order each is a view, what crosses two a copy."""
    row, x = t.randn((1, 1, 6), dtype), t.randn((2, 3, 4, 5, 5, 6), dtype)
    turned = x.permute(4, 5, 2, 3, 0, 1)
    asked = [(row.expand(4, 5, 6), 0, 1), (row.expand(4, 5, 6), 1, 2)]
    asked += [(turned, 0, 1), (turned, 2, 3), (turned, -2, -1), (turned, 1, 3), (x.permute(2, 3, 4, 5, 0, 1), 0, 3)]  # fmt: skip
    made = [t.call(FLATTEN, *one) for one in asked]
    bases = [one._base for one in made]
    for number, whole in ((0, row), (2, x), (3, x), (4, x), (6, x)):
        t.expect(bases[number] is whole, "of %d a view" % number)
    t.expect(made[0].stride() == (0, 1), "a stride of zero")
    row.neg_()
    x.neg_()
    made[1].neg_()
    return made


@case(FLATTEN, dtypes="f32", core=False, kind=["quint8", "qint8", "qint32"], reference=lambda np, x, kind: [
      (x / 2).reshape(sizes) for sizes in ((60,), (3, 20), (12, 5), (12, 5), (3, 4, 5), (60,))] + [
      (x / 2).transpose(2, 0, 1).reshape(5, 12), (x / 2).T.reshape(5, 12)])  # fmt: skip
def ranges_of_quantized_axes(t, dtype, kind):
    """Each range of axes, of what is turned, too, keeps the steps and is a view where it can be; wrong ranges raise."""
    x = t.fw.quantize_per_tensor(t.randint((3, 4, 5), dtype, -20, 20) / 2, 0.5, 60 if kind == "quint8" else 5, getattr(t.fw, kind))  # fmt: skip
    asked = [(x, *axes) for axes in ((), (1,), (0, 1), (-3, -2), (1, 1), (0, -1))]
    made = [t.call(FLATTEN, *one) for one in (*asked, (x.permute(2, 0, 1), 1), (x.permute(2, 1, 0), 1))]  # fmt: skip
    for one in made:
        t.expect(one.dtype is x.dtype and (one.q_scale(), one.q_zero_point()) == (0.5, x.q_zero_point()), "the same steps")  # fmt: skip
    t.expect(made[4] is x, "itself")
    t.expect(all(one._base is x for one in (*made[:4], *made[5:7])), "views")
    for wrong in ((0, 3), (-4,), (3,), (2, 1), (-1, 0)):
        t.raises((IndexError, RuntimeError), t.call, FLATTEN, x, *wrong)
    return [one.dequantize() for one in made]


@case("torch.Tensor.unsqueeze", dtypes="f32 i64", core=False, reference=lambda np, x: [x[1][None, None], -x[1][None] * [0, 1, 1, 1], np.stack([0 * x[:, 0], -x[:, 2]])])  # fmt: skip
def a_view_in_place(t, dtype):
    """unsqueeze_ of a view leaves it a view of the same base, which shows what is written on either side."""
    x = t.randn((3, 4), dtype)
    row, columns = x[1], x.mT[::2]
    changed = t.call("torch.Tensor.unsqueeze_", row, 0)
    t.expect(changed is row and row._base is x and row.shape == (1, 4), "a row of the base")
    made = [t.call("torch.Tensor.unsqueeze_", row, 0).clone()]
    again = row.squeeze_(0)
    t.call("torch.Tensor.unsqueeze_", columns, -1)
    t.expect(columns._base is x and columns.shape == (2, 3, 1), "columns of the base")
    x.neg_()
    columns[0] = 0
    return [*made, again.clone(), columns[..., 0]]


@each("chunk Tensor.chunk", lambda _: lambda np, x: [
      *np.array_split(x[:, :, :6], 3, -1), *(x[..., :2], x[..., 2:4], x[..., 4:6], x[..., 6:]), *(x[:, :, :4], x[:, :, 4:])],
      dtypes="f32 i64 c64", core=False, since=("2.0", "torch.vmap"))  # fmt: skip
def along_the_last_of_examples(t, dtype, function):
    """By vmap along -1, the batch first and last; the last part is smaller."""
    vmap, chunk = t.get("torch.vmap"), t.get(function)
    x = t.randn((2, 3, 7), dtype)
    made = t.call(vmap(lambda x: chunk(x, 3, -1)), x[..., :6])
    made += t.call(vmap(lambda x: chunk(x, 4, -1)), x)
    return [*made, *t.call(vmap(lambda x: chunk(x, 2, -1), in_dims=-1), x.movedim(0, -1))]


@case("torch.jit.is_scripting", dtypes="f32 i64", core=False, reference=lambda np, x: [2 * x, 3 * x, 2 * x, 3 * x])  # fmt: skip
def unused_in_the_other_branch(t, dtype):
    """Documented: behind else stands a function that no script can compile, marked as unused; of a function and of a module."""
    torch = t.fw

    @torch.jit.unused
    def unsupported(x):
        return eval("x * 3", {"x": x})

    def linear(x):
        if torch.jit.is_scripting():
            return x * 2
        else:
            return unsupported(x)

    class Linear(torch.nn.Module):
        def forward(self, x):
            if not torch.jit.is_scripting():
                return unsupported(x)
            else:
                return x * 2

    x, module = t.randn((5, 6), dtype), Linear()
    made = [t.call(torch.jit.script(linear), x), t.call(linear, x)]
    return [*made, t.call(torch.jit.script(module), x), t.call(module, x)]
