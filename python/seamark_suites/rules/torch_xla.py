"""PyTorch through torch_xla: what is otherwise on its devices. Elsewhere these cases say nothing."""

import os

from seamark_suites.rules import called
from seamark_suites.rules.torch import expect_there, kind, rule, strict
from seamark_suites.rules.torch_steps import end_of_step, one_program


def on_xla(t):
    from seamark_agent.harness import Skip

    if t.place == "target" and kind(t) != "xla":
        raise Skip("it is of torch_xla's devices")


@rule("DEV15")
def saved_from_the_device(t, way):
    import torch

    on_xla(t)
    model = torch.nn.Linear(3, 2).to(t.device)
    path = os.path.join(t.tmpdir(), "model.pt")

    def habit():
        torch.save(model.state_dict(), path)
        return torch.load(path)["weight"]

    def fix():
        torch.save({name: value.cpu() for name, value in model.state_dict().items()}, path)
        return torch.load(path)["weight"]

    loaded = called(t, way, habit, fix)
    t.expect(loaded.device.type == "cpu", "a file for any device, got %s in it" % loaded.device)


@rule("DTY04")
def complex_numbers(t, way):
    import torch

    on_xla(t)
    x, angle = t.randn((3, 2), "f32"), t.randn((3,), "f32")

    def habit():
        turned = torch.view_as_complex(x) * torch.polar(torch.ones_like(angle), angle)
        return torch.view_as_real(turned)

    def fix():
        a, b = x[:, 0], x[:, 1]
        c, s = torch.cos(angle), torch.sin(angle)
        return torch.stack([a * c - b * s, a * s + b * c], -1)

    made = called(t, way, without_the_host(t, habit), without_the_host(t, fix))
    return made


def without_the_host(t, program):
    """The program; an operation of it that torch_xla gives to the host is a failure."""

    def run():
        made = program()
        if kind(t) == "xla":
            from torch_xla.debug import metrics

            host = [name for name in metrics.counter_names() if name.startswith("aten::")]
            t.expect(not host, "all on the device, got %s on the host" % ", ".join(host))
        return made

    return run


@rule("DTY08")
def autocast_is_named(t, way):
    import torch

    on_xla(t)
    x = t.randn((4, 4), "f32")

    def habit():
        with torch.autocast("cuda"):
            return x @ x

    def fix():
        with torch.autocast(x.device.type):
            return x @ x

    made = called(t, way, habit, fix)
    t.expect(made.dtype != torch.float32, "a product in 16 bits, got %s" % made.dtype)


@rule("DTY15")
def compared_to_the_last_digits(t, way):
    import torch

    on_xla(t)
    x, w = t.randn((64, 300), "f32"), t.randn((300, 50), "f32")

    def result():
        return torch.softmax(torch.tanh(x @ w) @ w.T, -1).cpu()

    wanted = torch.softmax(torch.tanh(x.cpu() @ w.cpu()) @ w.cpu().T, -1)
    called(
        t,
        way,
        lambda: torch.testing.assert_close(result(), wanted, rtol=1e-9, atol=1e-9),
        lambda: torch.testing.assert_close(result(), wanted, rtol=1e-4, atol=1e-5),
    )


@rule("RNG03")
def numbers_of_one_stream(t, way):
    """What the CPU draws from this seed, times two."""
    import torch

    on_xla(t)

    def habit(device):
        torch.manual_seed(7)
        x = torch.rand(3, device=device)
        torch.testing.assert_close((x * 2).cpu(), torch.tensor([1.0698, 0.3976, 1.3184]), **near)

    def fix(device):
        torch.manual_seed(7)
        x = torch.rand(3).to(device)
        torch.testing.assert_close((x * 2).cpu(), torch.tensor([1.0698, 0.3976, 1.3184]), **near)

    near = {"rtol": 1e-3, "atol": 1e-3}
    called(t, way, habit, fix, t.device)


@rule("SYN03")
def old_name_of_torch_xla(t, way):
    import torch

    on_xla(t)

    def habit():
        from torch_xla.core import xla_model

        return torch.ones(3, device=xla_model.xla_device())

    def fix():
        import torch_xla

        return torch.ones(3, device=torch_xla.device())

    expect_there(t, called(t, way, strict(habit), strict(fix)))


@rule("SYN04")
def graph_never_ends(t, way):
    """Epochs of two, three and four steps are one program each, or all steps are the same."""
    on_xla(t)
    x, weights = t.randn((3, 3), "f32"), [t.randn((3, 3), "f32")]
    end_of_step(t)

    def epoch(after_each):
        def run(steps):
            for _ in range(steps):
                weights[0] = weights[0] - 0.1 * (x @ weights[0])
                after_each()

        return run

    one_program(t, way, epoch(lambda: None), epoch(lambda: end_of_step(t)), [2, 3, 4])


@rule("SYN08")
def memory_is_pinned(t, way):
    import torch
    from torch.utils.data import DataLoader

    on_xla(t)
    data = torch.ones(4, 2)

    def habit():
        return next(iter(DataLoader(data, pin_memory=True))).to(t.device)

    def fix():
        return next(iter(DataLoader(data, pin_memory=kind(t) == "cuda"))).to(t.device)

    return called(t, way, strict(habit), strict(fix))


@rule("SYN10")
def weights_are_tied_before_the_move(t, way):
    import torch

    on_xla(t)

    class Tied(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = torch.nn.Embedding(5, 3), torch.nn.Linear(3, 5, bias=False)
            self.tie()

        def tie(self):
            self.head.weight = self.embed.weight

        def forward(self, x):
            return self.head(self.embed(x))

    def trained(model):
        model.to(t.device)
        if way == "fix":
            model.tie()
        rule = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.tensor([0, 1], device=t.device)).square().sum().backward()
        rule.step()
        return model

    model = t.call(trained, Tied())
    t.expect(bool((t.host(model.embed.weight) == t.host(model.head.weight)).all()), "one weight")


@rule("EXT03")
def kernel_in_triton(t, way):
    on_xla(t)
    x = t.randn((8,), "f32")

    def habit():
        import torch
        import triton
        import triton.language as tl

        @triton.jit
        def double(x, y, N: tl.constexpr):
            at = tl.arange(0, N)
            tl.store(y + at, tl.load(x + at) * 2)

        y = torch.empty_like(x)
        double[(1,)](x, y, N=8)
        return y

    return called(t, way, habit, lambda: x * 2)
