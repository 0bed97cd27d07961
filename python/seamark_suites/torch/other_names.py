"""Functions by their other names: aliases, methods, functions and changes in place that give the same; orders of seven axes."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of

T = "torch.Tensor."


def _in_place(name, *args):
    """x, which is changed and returned itself."""

    def run(t, x):
        x = x.clone()
        made = getattr(x, name)(*args)
        t.expect(made is x, "the tensor itself")
        return made

    return run


# How each name is called of x of 3x1x4, the function itself first, and what all of them give.
NAMES = {
    "torch.abs": (
        [lambda t, x: t.fw.absolute(x), lambda t, x: x.abs(), lambda t, x: x.absolute(), lambda t, x: abs(x), _in_place("abs_"), _in_place("absolute_")],
        lambda t, f, x: f(x), lambda np, x: abs(x)),
    T + "transpose": (
        [lambda t, x: t.fw.transpose(x, 0, 2), lambda t, x: t.fw.swapdims(x, 0, 2), lambda t, x: t.fw.swapaxes(x, 0, -1), lambda t, x: x.swapdims(-3, 2),
         lambda t, x: x.swapaxes(0, 2), _in_place("transpose_", 0, 2), _in_place("swapdims_", 0, 2), _in_place("swapaxes_", -1, 0)],
        lambda t, f, x: f(x, 0, 2), lambda np, x: x.swapaxes(0, 2)),
    T + "permute": (
        [lambda t, x: t.fw.permute(x, (2, 0, 1)), lambda t, x: x.permute(dims=(2, 0, 1))],
        lambda t, f, x: f(x, 2, 0, 1), lambda np, x: x.transpose(2, 0, 1)),
    T + "reshape": (
        [lambda t, x: t.fw.reshape(x, (4, -1)), lambda t, x: x.reshape_as(t.fw.empty((4, 3), device=x.device))],
        lambda t, f, x: f(x, 4, 3), lambda np, x: x.reshape(4, 3)),
    T + "squeeze": (
        [lambda t, x: t.fw.squeeze(x, 1), lambda t, x: t.fw.squeeze(x), lambda t, x: x.squeeze((1, 2)), _in_place("squeeze_", 1)],
        lambda t, f, x: f(x, 1), lambda np, x: x[:, 0]),
    T + "unflatten": (
        [lambda t, x: t.fw.unflatten(x, 2, (2, 2)), lambda t, x: t.fw.nn.Unflatten(2, (2, 2))(x)],
        lambda t, f, x: f(x, 2, (2, 2)), lambda np, x: x.reshape(3, 1, 2, 2)),
    T + "expand": (
        [lambda t, x: t.fw.broadcast_to(x, (3, 5, 4)), lambda t, x: x.broadcast_to((3, 5, 4)), lambda t, x: x.expand_as(t.fw.empty((3, 5, 4), device=x.device))],
        lambda t, f, x: f(x, 3, 5, 4), lambda np, x: np.broadcast_to(x, (3, 5, 4))),
    T + "masked_fill": (
        [lambda t, x: t.fw.masked_fill(x, x == x[0], 2), lambda t, x: x.clone().masked_fill_(x == x[0], 2)],
        lambda t, f, x: f(x, x == x[0], 2), lambda np, x: np.where(x == x[0], 2, x)),
}  # fmt: skip


each = each_of(NAMES)
REAL = [name for name in NAMES if name != "torch.abs"]


def _each_name(t, function, x):
    names, own, _ = NAMES[function]
    f = t.get(function)
    return t.call(lambda x: [own(t, f, x), *(one(t, x) for one in names)], x)


@each(REAL, lambda form: lambda np, x: [form[2](np, x)] * (len(form[0]) + 1), dtypes="f32 i64 c64")
def by_its_other_names(t, dtype, function):
    """The function, the method and aliases give the same, in place the tensor itself."""
    return _each_name(t, function, t.randn((3, 1, 4), dtype))


@each(["torch.abs"], lambda form: lambda np, x: [form[2](np, x)] * (len(form[0]) + 1), dtypes="f32 i64")  # fmt: skip
def sizes_by_other_names(t, dtype, function):
    """absolute, the methods, Python's own abs, in place."""
    return _each_name(t, function, t.randint((3, 1, 4), dtype, -9, 9))


@case(T + "permute", dtypes="f32 i64", core=False, reference=lambda np, order, x, y, z: [
      x.transpose(np.argsort(order)), y, z, y.transpose(0, 2, 3, 1), z.transpose(0, 2, 3, 4, 1)])  # fmt: skip
def orders_of_seven(t, dtype):
    """Any order of seven axes; what lies channels-last does so again when two axes were turned twice."""
    fw = t.fw
    order = t.distinct((7,), "i64").argsort()
    x, y, z = t.randn((1, 2, 3, 4, 3, 2, 1), dtype), t.randn((2, 3, 4, 4), dtype), t.randn((2, 3, 4, 4, 4), dtype)  # fmt: skip
    axes = [int(one) for one in t.host(order)]
    made = [t.call(T + "permute", x, fw.Size(axes))]
    t.expect(fw.equal(made[0], t.call(T + "permute", x, *axes)), "by a size or one by one")
    t.expect(made[0].shape == tuple(x.shape[n] for n in axes), "sizes in that order")
    for one, kind, turn in ((y, fw.channels_last, (0, 1, 3, 2)), (z, fw.channels_last_3d, (0, 1, 4, 3, 2))):  # fmt: skip
        last = one.contiguous(memory_format=kind)
        again = t.call(T + "permute", t.call(T + "permute", last, *turn), *turn)
        t.expect(again.is_contiguous(memory_format=kind), "channels last")
        made.append(again)
    made.append(t.call(T + "permute", made[1], 0, 2, 3, 1))
    made.append(t.call(T + "permute", made[2], 0, 2, 3, 4, 1))
    t.expect(made[3].is_contiguous() and made[4].is_contiguous(), "in order")
    return made


@case("torch.zeros_like", core=False, reference="none")
def into_nothing_given(t):
    """It takes no out=, which torch.zeros has."""
    x, given = t.randn((2, 3), "f32"), t.randn((2, 3), "f32")
    t.raises(TypeError, t.call, "torch.zeros_like", x, out=given)
    t.expect(bool(t.host(given).any()), "nothing was written")
    made = t.call("torch.zeros_like", x)
    right = t.fw.zeros(x.size(), dtype=x.dtype, layout=x.layout, device=x.device)
    t.expect(t.fw.equal(made, right) and made.layout is x.layout, "as zeros of its size makes it")
    t.expect(t.fw.zeros(x.size(), out=given) is given and not t.host(given).any(), "zeros into it")


@case(T + "transpose", dtypes="f32 f64", core=False, reference=lambda np, x, y: [x.T, y.T] * 3)
def ragged_in_inference_mode(t, dtype):
    """Examples of two lengths, made within inference mode or before it: turned there they are what they are outside."""
    fw, turn = t.fw, t.get(T + "transpose")
    x, y = t.randn((2, 4), dtype), t.randn((3, 4), dtype)

    def run(x, y):
        return [one.contiguous() for one in turn(fw.nested.nested_tensor([x, y]), -1, -2).unbind()]

    before = fw.nested.nested_tensor([x, y])
    with fw.inference_mode():
        made = [*t.call(run, x, y), *turn(before, -1, -2).unbind()]
        made = [one.clone() for one in made]
    return [*made, *t.call(run, x, y)]
