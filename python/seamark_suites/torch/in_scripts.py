"""Functions within torch.jit.script and torch.jit.trace, as PyTorch's own tests run each operator: results and slopes, of one size
after another."""

from seamark_suites.case import case, each
from seamark_suites.reference import with_gradient

T, F = "torch.Tensor.", "torch.nn.functional."
# What a program says of x, n by 1 by 4, and what it gives.
PROGRAMS = {
    T + "expand": ("[x.expand(2, x.size(0), 3, 4), x.expand([-1, 5, -1])]",
                   lambda np, x: [np.broadcast_to(x, (2, len(x), 3, 4)), np.broadcast_to(x, (len(x), 5, 4))]),
    T + "masked_fill": ("[x.masked_fill(torch.abs(x) > 1.25, 0.5), x.masked_fill(torch.abs(x[0]) > 1.25, x.sum())]",
                        lambda np, x: [np.where(abs(x) > 1.25, 0.5, x), np.where(abs(x[0]) > 1.25, x.sum(), x)]),
    T + "norm": ("[x.norm(), x.norm(3, 2), x.norm(p=1.5, dim=[0, 1], keepdim=True), torch.norm(x[:, 0], p='fro')]",
                 lambda np, x: [np.sqrt((abs(x) ** 2).sum()), (abs(x) ** 3).sum(2) ** (1 / 3),
                                (abs(x) ** 1.5).sum((0, 1), keepdims=True) ** (2 / 3), np.sqrt((abs(x) ** 2).sum())]),
    T + "permute": ("[x.permute(2, 0, 1), x.permute([0, -1, 1])]",
                    lambda np, x: [x.transpose(2, 0, 1), x.transpose(0, 2, 1)]),
    T + "reshape": ("[x.reshape(-1), x.reshape(x.size(0), 2, -1), x.permute(2, 0, 1).reshape([4, -1])]",
                    lambda np, x: [x.reshape(-1), x.reshape(len(x), 2, 2), x.transpose(2, 0, 1).reshape(4, -1)]),
    T + "squeeze": ("[x.squeeze(), x.squeeze(1), x.squeeze(-1), x.squeeze([0, 1])]",
                    lambda np, x: [x[:, 0], x[:, 0], x, x[:, 0]]),
    T + "transpose": ("[x.transpose(0, 2), x.transpose(-1, 1)]",
                      lambda np, x: [x.swapaxes(0, 2), x.swapaxes(1, 2)]),
    T + "unflatten": ("[x.unflatten(-1, [2, 2]), x.unflatten(2, [1, -1])]",
                      lambda np, x: [x.reshape(len(x), 1, 2, 2), x.reshape(len(x), 1, 1, 4)]),
    "torch.abs": ("[torch.abs(x - 1.3), (2.6 - x * 2).abs()]", lambda np, x: [abs(x - 1.3), abs(x * 2 - 2.6)]),
    "torch.cos": ("[torch.cos(x), (x * 1).cos_()]", lambda np, x: [np.cos(x)] * 2),
    "torch.exp": ("[torch.exp(x), (x * 1).exp_()]", lambda np, x: [np.exp(x)] * 2),
    "torch.mean": ("[torch.mean(x), x.mean(0), torch.mean(x, [0, 2], True)]",
                   lambda np, x: [x.mean(), x.mean(0), x.mean((0, 2), keepdims=True)]),
    "torch.split": ("torch.split(x, 3, 2) + torch.split(x, [1, 3], -1) + torch.split(x[:3], 2)",
                    lambda np, x: [x[..., :3], x[..., 3:], x[..., :1], x[..., 1:], x[:2], x[2:3]]),
    F + "pad": ("[torch.nn.functional.pad(x, [1, 2], value=2.5), torch.nn.functional.pad(x, [1, 2], 'circular')]",
                lambda np, x: [np.pad(x, ((0, 0), (0, 0), (1, 2)), constant_values=2.5), np.pad(x, ((0, 0), (0, 0), (1, 2)), "wrap")]),
}  # fmt: skip
SIZES = 5, 3, 8


def programs(t, said, how):
    """The program as a script or a trace, and as Python runs it."""
    torch, text = t.fw, "def run(x):\n    return %s\n" % said
    names = {"torch": torch, "__name__": "program"}
    exec(text, names)
    if how == "script":
        return torch.jit.CompilationUnit(text).run, names["run"]
    example = torch.full((4, 1, 4), 1.5, dtype=t.dtype("f32"), device=t.device)
    return torch.jit.trace(names["run"], example, check_trace=False), names["run"]


def of_a_third_size(t, said, how, dtype, third=None):
    """What was compiled for two other sizes, with slopes and without, gives the result and the slope of the third."""
    run, _ = programs(t, said, how)
    for size in SIZES[:2]:
        x = t.fw.full((size, 1, 4), 1.5, dtype=t.dtype(dtype), device=t.device)
        run(x)
        sum(t.fw.abs(one).sum() for one in run(x.requires_grad_())).backward()
    return t.call(run, t.uniform((SIZES[2], 1, 4), dtype, 0.5, 2) if third is None else third)


@each(PROGRAMS, lambda name: with_gradient(lambda np, x, how: PROGRAMS[name][1](np, x)), prefix="", dtypes="f32 c64",
      how=["script", "trace"], grad=True, core=False)  # fmt: skip
def as_a_program(t, dtype, how, function):
    return of_a_third_size(t, PROGRAMS[function][0], how, dtype)


# What a program makes, by the sizes and on the device of x.
MAKERS = {
    T + "float": ("[x.float(), (x > 1).float(), (x * 10).int().float()]", lambda np, x: [x, (x > 1) * 1.0, np.trunc(x * 10)]),
    "torch.zeros_like": ("[torch.zeros_like(x), torch.zeros_like(x[0], dtype=torch.int64) + 2, torch.zeros_like(x, dtype=torch.float64) + x]",
                         lambda np, x: [x * 0, np.full((1, 4), 2), x]),
    "torch.empty": ("[torch.empty([x.size(0), 1, 4], device=x.device).copy_(x), torch.empty(2, 0, dtype=torch.int64, device=x.device)]",
                    lambda np, x: [x, np.zeros((2, 0), int)]),
    "torch.linspace": ("[torch.linspace(0., 3., 7, device=x.device), torch.linspace(-2, 5, x.size(0), dtype=torch.float64, device=x.device)]",
                       lambda np, x: [np.linspace(0, 3, 7), np.linspace(-2, 5, len(x))]),
    "torch.nn.init.zeros_": ("[torch.nn.init.zeros_(x[:2]), x]",
                             lambda np, x: [x[:2] * 0, np.concatenate([x[:2] * 0, x[2:]])]),
}  # fmt: skip


@each(MAKERS, lambda name: lambda np, x, how: MAKERS[name][1](np, x), prefix="", dtypes="f32", how=["script", "trace"],
      core=False)  # fmt: skip
def made_in_a_program(t, dtype, how, function):
    run, _ = programs(t, MAKERS[function][0], how)
    for size in SIZES[:2]:
        run(t.fw.full((size, 1, 4), 1.5, device=t.device))
    return t.call(run, t.uniform((SIZES[2], 1, 4), dtype, 0.5, 2))


@case("torch.randn", how=["script", "trace"], core=False, random=True, reference="none")
def drawn_in_a_program(t, how):
    """After one seed a program draws what Python draws, by any size."""
    said = "[torch.randn(x.size(0), 400, device=x.device), torch.randn([3], dtype=torch.float64, device=x.device)]"
    torch, (run, plain) = t.fw, programs(t, said, how)
    for size in SIZES:
        x, found = t.fw.ones((size, 1, 4), device=t.device), []
        for one in (run, plain):
            torch.manual_seed(7)
            found.append([t.host(made) for made in t.call(one, x)])
        for made, want in zip(*found):
            t.expect(made.shape == want.shape and (made == want).all(), "the same numbers")
        t.expect(found[0][0].shape == (size, 400) and str(found[0][1].dtype) == "float64", "sizes and dtypes")  # fmt: skip
        t.statistics(found[0][0], mean=0, std=1)


def _convolved(np, x, weight, bias):
    k = weight.shape[-1]
    return bias[:, None] + sum(np.einsum("bit,oi->bot", x[..., n : x.shape[-1] - k + 1 + n], weight[..., n]) for n in range(k))  # fmt: skip


# How a module is made, the shape of its input for a size, and what it gives.
MODULES = {
    "torch.nn.ReLU": ((), lambda n: (n, 4), lambda np, x: np.maximum(x, 0)),
    "torch.nn.Conv1d": ((4, 3, 2), lambda n: (2, 4, n), _convolved),
}


@each(MODULES, lambda name: with_gradient(lambda np, *given, how: MODULES[name][2](np, *given), of=(0,)), prefix="", dtypes="f32 f64",
      how=["script", "trace"], grad=True, core=False)  # fmt: skip
def module_as_a_program(t, dtype, how, function):
    """What was compiled for two other sizes gives the result and the slope of the third."""
    torch, (options, shape, _) = t.fw, MODULES[function]
    layer = t.construct(function, *options, **({"dtype": dtype} if options else {}))
    x, others = t.uniform(shape(8), dtype, -2, 2), [torch.full(shape(size), -1.5, dtype=t.dtype(dtype), device=t.device) for size in (5, 4)]  # fmt: skip
    run = torch.jit.script(layer) if how == "script" else torch.jit.trace(layer, others[0])
    for one in others:
        run(one)
        (run(one.requires_grad_()) ** 2).sum().backward()
    return t.call(run, x)


@case("torch.nn.Embedding", dtypes="f32 f64", how=["script", "trace"], core=False, reference=lambda
      np, numbers, w, weight, how: [weight[numbers], np.stack([w[numbers == n].sum(0) if n != 2 else w[0, 0] * 0 for n in range(7)])])  # fmt: skip
def rows_as_a_program(t, dtype, how):
    """The rows and the slope of the table, but for the one that pads, of another size than the program saw."""
    torch = t.fw
    numbers, w = t.randint((3, 5), "i64", 0, 7), t.uniform((3, 5, 4), dtype, 0.5, 2)
    layer = t.construct("torch.nn.Embedding", 7, 4, padding_idx=2, dtype=dtype)
    first = torch.tensor([0, 3], device=t.device)
    run = torch.jit.script(layer) if how == "script" else torch.jit.trace(layer, first)
    for _ in range(2):
        run(first)
    made = t.call(run, numbers)
    return [made.detach(), torch.autograd.grad((made * w).sum(), layer.weight)[0]]
