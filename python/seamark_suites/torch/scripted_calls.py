"""More of what runs within torch.jit.script and torch.jit.trace: methods, functions, devices, layers."""

from seamark_suites.case import case, each
from seamark_suites.reference import with_gradient

from .in_scripts import of_a_third_size, programs

T, RESIZE = "torch.Tensor.", "torch.nn.functional.interpolate"


def _softmax(np, x, axis):
    power = np.exp(x - x.max(axis, keepdims=True))
    return power / power.sum(axis, keepdims=True)


def _between(np, x):
    """A line of four numbers at twice as many places, the ends repeated."""
    left, right = (
        np.concatenate([x[..., :1], x, x[..., -1:]], -1)[..., at : at + 5] for at in (0, 1)
    )
    both = np.stack([0.75 * left + 0.25 * right, 0.25 * left + 0.75 * right], -1)
    return both.reshape(*x.shape[:-1], 10)[..., 1:-1]


# What a program says of x, n by 1 by 4, and what it gives.
PROGRAMS = {
    T + "exp": ("[x.exp(), (x * 1).exp_()]", lambda np, x: [np.exp(x)] * 2),
    T + "flip": ("[x.flip(0), x.flip([0, -1])]", lambda np, x: [x[::-1], x[::-1, :, ::-1]]),
    T + "new_zeros": ("[x + x.new_zeros([x.size(0), 2, 1]), torch.cat([x[:, 0], x.new_zeros([3, 4])])]",
                      lambda np, x: [np.repeat(x, 2, 1), np.concatenate([x[:, 0], np.zeros_like(x[:3, 0], shape=(3, 4))])]),
    T + "repeat_interleave": (
        "[x.repeat_interleave(2), x.repeat_interleave(3, dim=0), x.repeat_interleave(torch.tensor([1, 0, 2, 1], device=x.device), 2)]",
        lambda np, x: [np.repeat(x, 2), np.repeat(x, 3, 0), np.repeat(x, [1, 0, 2, 1], 2)]),
    T + "softmax": ("[x.softmax(-1), x.softmax(dim=0), x.softmax(2, dtype=torch.float64)]",
                    lambda np, x: [_softmax(np, x, axis) for axis in (-1, 0, 2)]),
    T + "t": ("[x[:, 0].t(), x[0, 0].t(), x[0, 0, 0].t()]", lambda np, x: [x[:, 0].T, x[0, 0], x[0, 0, 0]]),
    T + "unbind": ("x.unbind(2) + x[:3].unbind() + x.unbind(dim=-2)", lambda np, x: [*np.moveaxis(x, 2, 0), *x[:3], x[:, 0]]),
    T + "zero_": ("[(x * 2).zero_() + x]", lambda np, x: [x]),
    "torch.clamp": ("[torch.clamp(x, 0.8, 1.5), torch.clamp(x, max=1.2), torch.clamp(x, x * 0.5, x * 2)]",
                    lambda np, x: [np.clip(x, 0.8, 1.5), np.minimum(x, 1.2), x]),
    "torch.full_like": ("[torch.full_like(x, 2.5) * x, torch.full_like(x, 3, dtype=torch.float64) + x]", lambda np, x: [2.5 * x, 3 + x]),
    "torch.ones_like": ("[torch.ones_like(x) * x, torch.ones_like(x[0], dtype=torch.float64) + x]", lambda np, x: [x, 1 + x]),
    "torch.matmul": ("[torch.matmul(x, x.transpose(1, 2)), torch.matmul(x, x[0, 0]), x[:, 0] @ x[:, 0].t()]",
                     lambda np, x: [x @ x.swapaxes(1, 2), x @ x[0, 0], x[:, 0] @ x[:, 0].T]),
    "torch.sin": ("[torch.sin(x), (x * 1).sin_()]", lambda np, x: [np.sin(x)] * 2),
    "torch.where": ("[torch.where(x > 1.25, x, 2 * x), torch.where(x > 1.25, x, 0.5), torch.where(x > 1.25, 3.0, x)]",
                    lambda np, x: [np.where(x > 1.25, x, y) for y in (2 * x, 0.5)] + [np.where(x > 1.25, 3, x)]),
    RESIZE: ("[resize(x, scale_factor=2.0, mode='linear'), resize(x, size=[8]), resize(x[:, :, None], size=[3, 4], mode='area')]",
             lambda np, x: [_between(np, x), np.repeat(x, 2, 2), np.repeat(x[:, :, None], 3, 2)]),
}  # fmt: skip


@each(PROGRAMS, lambda name: with_gradient(lambda np, x, how: PROGRAMS[name][1](np, x)), dtypes="f32 f64",
      how=["script", "trace"], grad=True, core=False)  # fmt: skip
def in_a_program(t, dtype, how, function):
    """Away from where a bound or a condition bends the result, whose slope is taken."""
    steps = t.np.arange(32).reshape(8, 1, 4) * 7 % 32
    third = t.const(0.55 + 0.04 * steps, dtype, grad=True)
    said = PROGRAMS[function][0].replace("resize(", RESIZE + "(")
    return of_a_third_size(t, said, how, dtype, third)


# What a script says of F, which is torch.max or torch.min.
EXTREMES = "[F(x), F(x, 2).values, F(x, 2).indices, F(2 * x, x + 1.5)]"


def _extremes(name):
    """Of all, along an axis with the places, of two."""

    def function(np, x, how):
        find, two, place = (getattr(np, n) for n in {"max": ("max", "maximum", "argmax"), "min": ("min", "minimum", "argmin")}[name[6:]])  # fmt: skip
        return [find(x), find(x, 2), place(x, 2), two(2 * x, x + 1.5)]

    return with_gradient(function)


@each("torch.max torch.min", _extremes, dtypes="f32 f64", how=["script", "trace"], grad=True, core=False)  # fmt: skip
def extremes_in_a_program(t, dtype, how, function):
    """Numbers that differ by one, so that no step of a difference meets a tie."""
    said = EXTREMES.replace("F(", function + "(")
    return of_a_third_size(t, said, how, dtype, t.distinct((8, 1, 4), dtype))


def _holes(np, x):
    return np.arange(x.size).reshape(x.shape) % 5 == 3


def _beside_nan(name):
    """NaN comes through in each form, and is the first of its row."""

    def reference(np, x, how):
        x = np.where(_holes(np, x), np.nan, x)
        find, two, place = (getattr(np, n) for n in {"max": ("max", "maximum", "argmax"), "min": ("min", "minimum", "argmin")}[name[6:]])  # fmt: skip
        return [find(x), find(x, 2), place(x, 2), two(2 * x, x[::-1]), two(x[::-1], 2 * x)]

    return reference


@each("torch.max torch.min", _beside_nan, dtypes="f32 f64", how=["script", "trace"], core=False)
def nan_in_a_program(t, dtype, how, function):
    """Of all, along an axis, of two, whichever of them has it."""
    said = "[F(x), F(x, 2).values, F(x, 2).indices, F(2 * x, x.flip(0)), F(x.flip(0), 2 * x)]"
    run, _ = programs(t, said.replace("F(", function + "("), how)
    x = t.uniform((8, 1, 4), dtype, 0.5, 2)
    x = x.masked_fill(t.fw.tensor(_holes(t.np, t.np.zeros((8, 1, 4))), device=t.device), float("nan"))  # fmt: skip
    for _ in range(2):
        run(x[:5])
    return t.call(run, x)


CONVERTS = """
def run(x, y, whole):
    return (x > 0).type_as(x) * x, (x == y).unsqueeze(-1).type_as(x), x.type_as(whole), whole.type_as(x)
"""


@case(T + "type_as", dtypes="f32 f64", how=["script", "trace"], core=False, reference=lambda np, x, v, whole, same, how: [
      np.maximum(x, 0), same[..., None], np.trunc(x), whole, (x > 0) * v + whole])  # fmt: skip
def converts_in_a_program(t, dtype, how):
    """Truths and whole numbers to what x has, x to whole numbers; as often as the program is optimized, with the gradient."""
    torch, names = t.fw, {"__name__": "program"}
    x, v = t.uniform((4, 6), dtype, -3, 3, grad=True), t.randn((4, 6), dtype)
    whole, same = t.randint((4, 6), "i32", -9, 10), t.randn((4, 6), "bool")
    y = torch.where(same, x, x + 1).detach()
    if how == "script":
        run = torch.jit.CompilationUnit(CONVERTS).run
    else:
        exec(CONVERTS, names)
        run = torch.jit.trace(names["run"], [torch.ones_like(one) for one in (x.detach(), y, whole)])  # fmt: skip
    for _ in range(3):
        made = t.call(run, x, y, whole)
        (slope,) = torch.autograd.grad((made[0] * v).sum() + (made[3] * x).sum(), x)
    want = [x.dtype, x.dtype, torch.int32, x.dtype]
    t.expect([one.dtype for one in made] == want, "%s, got %s" % (want, [one.dtype for one in made]))  # fmt: skip
    return [*(one.detach() for one in made), slope]


# --- answers, devices, layers


def _asked(t, function):
    """A script of what is asked: `torch` is found where it is compiled."""
    torch, said = (
        t.fw,
        {
            "torch.equal": "torch.equal(x, x * 1), torch.equal(x, x + 1), torch.equal(x, x[:2])",
            T
            + "is_floating_point": "x.is_floating_point(), (x == 1).is_floating_point(), x.int().is_floating_point()",
        }[function],
    )
    return torch.jit.CompilationUnit("def run(x):\n    return %s\n" % said).run


@case("torch.equal", dtypes="f32 i64 c64", core=False, reference="none")
@case(T + "is_floating_point", dtypes="f32 i64 c64 bf16", core=False, reference="none")
def truths_of_a_script(t, dtype, function):
    """Python's own truths; in a branch, too."""
    run, x = _asked(t, function), t.randn((4, 5), dtype) if dtype == "f32" else t.randint((4, 5), dtype, 1, 9)  # fmt: skip
    want = (True, False, False) if function == "torch.equal" else (dtype in ("f32", "bf16"), False, False)  # fmt: skip
    found = t.call(run, x)
    t.expect(found == want and all(type(one) is bool for one in found), "%s, got %s" % (want, found))  # fmt: skip


DEVICES = """
def parts(x):
    host, second = torch.device("cpu"), torch.device("cuda:1")
    return (host.type, second.type, second.index, host.index is None, torch.device("cuda", 2).index,
            host == torch.device("cpu"), second == torch.device("cuda:0"), str(second), x.device == x.to("cpu").device)

def made(x):
    return torch.ones([3], device=x.device), torch.ones([2], device=torch.device("cpu")), x.to(torch.device("cpu")) + 1

def given(x, device: torch.device):
    return x.to(device), device

def hashes():
    return hash(torch.device("cpu")) == hash(torch.device("cpu")), hash(torch.device("cuda:0")) == hash(torch.device("cuda:1"))
"""


@case("torch.device", core=False, reference="none")
def devices_in_a_script(t):
    """Its parts, comparisons, text and hash; what is made there; as an argument and as a result."""
    torch, x = t.fw, t.randn((3, 4), "f32")
    unit = torch.jit.CompilationUnit(DEVICES)
    device = t.get("torch.device")
    here = x.device.type == "cpu"
    want = ("cpu", "cuda", 1, True, 2, True, False, "cuda:1", here)
    t.expect(t.call(unit.parts, x) == want, "its parts, got %s" % (unit.parts(x),))
    there, host, more = t.call(unit.made, x)
    t.expect(there.device == x.device and host.device == device("cpu") == more.device, "there")
    t.expect(bool((t.host(more) == t.host(x + 1)).all()), "the numbers")
    moved, back = t.call(unit.given, x, device("cpu"))
    t.expect(moved.device == device("cpu") == back and type(back) is device, "as an argument")
    t.expect(t.call(unit.hashes) == (True, False), "hashes")


LAYERS = {
    "torch.nn.BatchNorm2d": ((3,), {}),
    "torch.nn.LayerNorm": (([3, 5],), {"eps": 1e-3}),
    "torch.nn.RMSNorm": (([5],), {"eps": 1e-3}),
}


def _normal(np, x, name, axes, eps):
    mean = 0 if name.endswith("RMSNorm") else x.mean(axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axes, keepdims=True) + eps)


def _of_layer(name):
    axes, eps = {"torch.nn.BatchNorm2d": ((0, 2, 3), 1e-5), "torch.nn.LayerNorm": ((1, 2), 1e-3)}.get(name, (2, 1e-3))  # fmt: skip

    def reference(np, *given, how):
        if not name.endswith("2d"):
            return [_normal(np, x, name, axes, eps) for x in given]
        first, second, third = given
        mean, var = np.zeros(3), np.ones(3)
        for x in (first, second):
            mean, var = 0.9 * mean + 0.1 * x.mean(axes), 0.9 * var + 0.1 * x.var(axes, ddof=0) * x[:, 0].size / (x[:, 0].size - 1)  # fmt: skip
        kept = (third - mean[:, None, None]) / np.sqrt(var + eps)[:, None, None]
        return [_normal(np, first, name, axes, eps), _normal(np, second, name, axes, eps), kept, mean, var]  # fmt: skip

    return reference


@each(LAYERS, _of_layer, dtypes="f32 f64", how=["script", "trace"], core=False)
def compiled_layers(t, dtype, how, function):
    """Of three sizes; the statistics of images move in training, and serve out of it."""
    (args, options), jit = LAYERS[function], t.fw.jit
    layer = t.get(function)(*args, **options, device=t.device, dtype=t.dtype(dtype))
    given = [
        t.randn((n, 3, 4, 5) if function.endswith("2d") else (n, 3, 5), dtype) for n in (4, 2, 3)
    ]
    example = t.fw.ones_like(given[0][:2]) * 2

    kept = {name: one.clone() for name, one in layer.state_dict().items()}
    run = jit.script(layer) if how == "script" else jit.trace(layer, example, check_trace=False)
    layer.load_state_dict(kept)
    with t.fw.no_grad():
        made = [t.call(run, x) for x in given[:2]]
        if how == "trace" and function.endswith("2d"):
            run = jit.trace(layer.eval(), example, check_trace=False)
        made.append(t.call(run.eval() if function.endswith("2d") else run, given[2]))
    moved = [layer.running_mean, layer.running_var] if function.endswith("2d") else []
    return made + moved


@case("torch.nn.Dropout", dtypes="f32", core=False, random=True, reference="none")
def a_dropping_script(t, dtype):
    """Of a script the mode can be changed, of a trace it stays as it was."""
    layer, jit, x = t.get("torch.nn.Dropout")(0.25), t.fw.jit, t.uniform((64, 64), dtype, 1, 2)
    same = lambda run: bool((t.host(t.call(run, x)) == t.host(x)).all())  # noqa: E731
    run = jit.script(layer)

    def drops(run):
        made = t.host(t.call(run, x))
        kept = made != 0
        t.expect(abs(kept.mean() - 0.75) < 0.04, "a quarter, got %g" % (1 - kept.mean()))
        error = abs(made - t.host(x) / 0.75)[kept].max()
        t.expect(error < 1e-5, "scaled, got an error of %g" % error)

    drops(run)
    t.expect(same(run.eval()), "the input out of training")
    drops(run.train())
    traced = jit.trace(layer, x, check_trace=False)
    still = jit.trace(layer.eval(), x)
    drops(traced)
    t.expect(same(still), "as it was traced")
