"""Tensors of sizes alone, on the device meta: results and gradients have the sizes, dtypes and strides that numbers give. They
are on no device."""

import types

from seamark_suites.case import each as each_name

from .transformed import FORMS, MADE

T = "torch.Tensor."
NAMES = [
    "torch.stack", "torch.min", "torch.log", "torch.sigmoid", "torch.chunk", "torch.Tensor.view", "torch.Tensor.expand_as",
    "torch.Tensor.repeat", "torch.Tensor.index_select", "torch.Tensor.sum", "torch.Tensor.sin", "torch.Tensor.type_as",
    "torch.Tensor.add_", "torch.Tensor.masked_fill_", "torch.nn.functional.softmax", "torch.nn.SiLU", "torch.nn.CrossEntropyLoss",
]  # fmt: skip
# More calls, whose results differ in kind or in strides: of inputs x and y of 4x6, whose axes may lie in another order.
CALLS = {
    "torch.stack": lambda f, x, y: [f([x, y.half()], -1), f([x.mT, y.mT])],
    "torch.min": lambda f, x, y: [f(x), *f(x, 0), *f(x, 1, keepdim=True), f(x, y[:1])],
    "torch.log": lambda f, x, y: [f(x.mT), f(x.long()), f(x[:, ::2])],
    "torch.sigmoid": lambda f, x, y: [f(x.mT), f(x.long()), f(x[:, ::2])],
    "torch.Tensor.sin": lambda f, x, y: [f(x.mT), f(x.long()), f(x[:, ::2])],
    "torch.chunk": lambda f, x, y: [*f(x.mT, 4), *f(x, 5, -1)],
    "torch.Tensor.view": lambda f, x, y: [f(x, -1), f(x, 2, 2, 6), f(x, x.new_empty(0, dtype=_half(x)).dtype)],
    "torch.Tensor.expand_as": lambda f, x, y: [f(x[:, :1], y), f(x[0], y[:, None]), f(x, y)],
    "torch.Tensor.repeat": lambda f, x, y: [f(x, 2, 1, 3), f(x.mT, 1, 2), f(x, 0, 1)],
    "torch.Tensor.index_select": lambda f, x, y: [f(x, 0, y[0, :3].long()), f(x.mT, 1, y[0, :2].int()), f(x, 1, y[0, :0].long())],
    "torch.Tensor.sum": lambda f, x, y: [f(x), f(x, 0, keepdim=True), f(x.int(), -1), f(x, (0, 1), dtype=_half(x))],
    "torch.Tensor.type_as": lambda f, x, y: [f(x, y.long()), f(x.mT, y.double()), f(x, y)],
    "torch.Tensor.add_": lambda f, x, y: [f(x, y), f(x.mT, y.mT, alpha=2), f(x[:, ::2], 3)],
    "torch.Tensor.masked_fill_": lambda f, x, y: [f(x, y > 1, 2), f(x.mT, y.mT > 1, y[0, 0])],
    "torch.Tensor.normal_": lambda f, x, y: [f(x), f(x.mT, 1, 2), f(x[:, ::2])],
    "torch.nn.functional.softmax": lambda f, x, y: [f(x, 0), f(x.mT, -1), f(x.half(), 1, dtype=x.dtype)],
    "torch.nn.SiLU": lambda f, x, y: [f()(x.mT), f()(x[:, ::2]), f(True)(x)],
    "torch.nn.CrossEntropyLoss": lambda f, x, y: [f()(x, y[:, 0].long()), f(reduction="none")(x, y[:, 0].long()), f(y[0])(x, y)],
    "torch.nn.Parameter": lambda f, x, y: [f(x.detach()), f(x.detach().mT, requires_grad=False)],
    "torch.nn.Identity": lambda f, x, y: [f()(x), f()(x.mT)],
}  # fmt: skip


# What is called of a matrix and of images, in order and turned.
MORE_CALLS = {
    T + "exp": lambda f, x, y: [f(x.mT), f(x.long()), f(y[:, ::2])],
    T + "flip": lambda f, x, y: [f(x, 0), f(x.mT, (0, 1)), f(y, -1)],
    T + "new_zeros": lambda f, x, y: [f(x, 2, 3), f(x, (), dtype=y.long().dtype), f(x.mT, [0, 4])],
    T + "repeat_interleave": lambda f, x, y: [f(x, 3), f(x.mT, 2, 1), f(y, 2, dim=-2)],
    T + "softmax": lambda f, x, y: [f(x, 0), f(x.mT, -1), f(x.half(), 1, dtype=x.dtype)],
    T + "t": lambda f, x, y: [f(x), f(x[0]), f(x[:, ::2])],
    T + "unbind": lambda f, x, y: [*f(x), *f(x.mT, -1), *f(y, 1)],
    T + "zero_": lambda f, x, y: [f(x), f(y.mT), f(x[:, ::2])],
    "torch.as_tensor": lambda f, x, y: [f(x), f(x, dtype=x.half().dtype), f(x.mT, device=x.device)],
    "torch.clamp": lambda f, x, y: [f(x, 0, 1), f(x.long(), 0.5), f(x.mT, max=x.mT[:1])],
    "torch.full_like": lambda f, x, y: [f(x.mT, 2), f(y, 1, dtype=x.long().dtype), f(x[:, ::2], 3)],
    "torch.ones_like": lambda f, x, y: [f(x.mT), f(y, dtype=x.long().dtype), f(x[:, ::2])],
    "torch.matmul": lambda f, x, y: [f(x, x.mT), f(x, x[0]), f(x[0], x.mT), f(y, y.mT), f(y[0], y.mT)],
    "torch.sin": lambda f, x, y: [f(x.mT), f(x.long()), f(y[:, ::2])],
    "torch.where": lambda f, x, y: [f(x > 1, x, x[:1]), f(x.mT > 1, 1, x.mT.half()), f(x > 1, x.long(), 2.5)],
    "torch.nn.BatchNorm2d": lambda f, x, y: [f(3, device=y.device, dtype=y.dtype)(y)],
    "torch.nn.Dropout": lambda f, x, y: [f(0.5)(x), f(0.5).eval()(y.mT)],
    "torch.nn.LayerNorm": lambda f, x, y: [f(6, device=y.device, dtype=y.dtype)(x), f((4, 5), device=y.device, dtype=y.dtype)(y)],
    "torch.nn.RMSNorm": lambda f, x, y: [f(6, device=y.device, dtype=y.dtype)(x), f((4, 5), device=y.device, dtype=y.dtype)(y)],
    "torch.nn.functional.interpolate": lambda f, x, y: [f(y, scale_factor=2), f(y, (3, 7), mode="bilinear"), f(y, 2, mode="area")],
    "torch.nn.init.constant_": lambda f, x, y: [f(x, 2), f(y.mT, 1.5)],
}  # fmt: skip


def _half(x):
    return x.half().dtype


def _facts(made):
    return [(tuple(one.shape), one.dtype, one.stride(), one.requires_grad) for one in made]


@each_name(CALLS, dtypes="f32 f64", core=False, host_only=True)
def of_sizes_alone(t, dtype, function):
    """Nothing is computed; what is changed in place is the given tensor."""
    run, f = CALLS[function], t.get(function)
    at = [t.uniform((4, 6), dtype, 0.5, 2) for _ in range(2)]
    made = t.call(lambda x, y: list(run(f, x, y)), *(x.to("meta") for x in at))
    t.expect(all(one.is_meta for one in made), "on meta")
    want = _facts(run(f, *(x.cpu().clone() for x in at)))
    t.expect(_facts(made) == want, "%s, got %s" % (want, _facts(made)))


@each_name(MORE_CALLS, dtypes="f32 f64", core=False, host_only=True)
def sizes_as_numbers_have_them(t, dtype, function):
    """On meta nothing is computed: sizes, dtypes and strides are those of numbers; of channels last, too."""
    run, f = MORE_CALLS[function], t.get(function)
    x, y = t.uniform((4, 6), dtype, 0.5, 2).cpu(), t.uniform((2, 3, 4, 5), dtype, 0.5, 2).cpu()
    for images in (y, y.contiguous(memory_format=t.fw.channels_last)):
        made = t.call(lambda x, y: list(run(f, x, y)), x.to("meta"), images.to("meta"))
        t.expect(all(one.is_meta for one in made), "on meta")
        want = _facts(run(f, x.clone(), images.clone()))
        t.expect(_facts(made) == want, "%s, got %s" % (want, _facts(made)))


@each_name(NAMES, dtypes="f32", core=False, host_only=True)
def gradient_of_sizes_alone(t, dtype, function):
    """Each input that learns gets a gradient of its own size and dtype."""
    call, f, at = FORMS[function][0], t.get(function), types.SimpleNamespace(fw=t.fw, device="meta")
    f = MADE[function](f) if function in MADE else f
    given = [t.fw.empty(shape, dtype=t.dtype(dtype), device="meta", requires_grad=True) for shape in FORMS[function][2]]  # fmt: skip

    def run(*given):
        made = call(at, f, *given)
        total = sum(one.sum() for one in made) if isinstance(made, (tuple, list)) else made.sum()
        return t.fw.autograd.grad(total, given)

    slopes = t.call(run, *given)
    want = [(x.shape, x.dtype, True) for x in given]
    found = [(x.shape, x.dtype, x.is_meta) for x in slopes]
    t.expect(found == want, "%s, got %s" % (want, found))
