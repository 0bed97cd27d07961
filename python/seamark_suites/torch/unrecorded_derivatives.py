"""no_grad and is_grad_enabled within the derivatives of torch.func, around them, and in scripts."""

from seamark_suites.case import case

FUNC = ("2.0", "torch.func")


@case("torch.no_grad", dtypes="f32 f64", core=False, since=FUNC, reference=lambda np, x: [2 * x, 2 + 0 * x, 2 * x, 2 + 0 * x])  # fmt: skip
def a_constant_of_a_derivative(t, dtype):
    """What is computed within it is no part of the function's slope, nor of the slope's, by torch.func and by autograd."""
    fw, grad, x = t.fw, t.get("torch.func.grad"), t.uniform((6,), dtype, 1, 2)

    def run(x):
        with fw.no_grad():
            shift = x**2
        return (x**2 - shift).sum()

    made = [t.call(grad(run), x), t.call(grad(lambda x: grad(run)(x).sum()), x)]
    leaf = x.clone().requires_grad_()
    slope = t.call(grad(run), leaf)
    return [*made, slope.detach(), fw.autograd.grad(slope.sum(), leaf)[0]]


@case("torch.no_grad", dtypes="f32 f64", core=False, since=FUNC, reference=lambda np, x: [
      3 * x**2, 6 * x, 3 * x**2, 6 * x, 6 * x, 6 + 0 * x, 6 * x])  # fmt: skip
def derivatives_within_a_function(t, dtype):
    """A derivative that is taken within it is a constant of the function around; so is the value beside it; one that is recorded is not."""
    fw, x = t.fw, t.uniform((6,), dtype, 1, 2)
    grad, both = t.get("torch.func.grad"), t.get("torch.func.grad_and_value")

    def of_slope(x):
        with fw.no_grad():
            shift = grad(lambda x: (x**4 / 4).sum())(x)
        return (x**3 - shift).sum()

    def of_value(x):
        with fw.no_grad():
            _, shift = both(lambda x: (x**3).sum())(x)
        return (x**3).sum() - shift

    def less_itself(x):
        with fw.no_grad():
            shift = x**3
        return (x**3 - shift).sum()

    def of_slopes(x):
        recorded = grad(less_itself)(x)
        with fw.no_grad():
            shift = grad(less_itself)(x)
        return (recorded - shift).sum()

    twice = lambda run: grad(lambda x: grad(run)(x).sum())  # noqa: E731
    made = [t.call(one(run), x) for run in (of_slope, of_value) for one in (grad, twice)]
    made += [t.call(grad(of_slopes), x), t.call(twice(of_slopes), x)]
    leaf = x.clone().requires_grad_()
    return [*made, fw.autograd.grad(t.call(grad(less_itself), leaf).sum(), leaf)[0]]


@case("torch.no_grad", dtypes="f32 f64", core=False, since=FUNC, reference=lambda np, x: [np.cos(x), 2 * x, np.cos(x), 2 * x])  # fmt: skip
def derivatives_within_it(t, dtype):
    """A derivative that is taken within it is right, and has no graph of what lies around."""
    fw, grad, x = t.fw, t.get("torch.func.grad"), t.uniform((6,), dtype, 1, 2)

    def less(x):
        with fw.no_grad():
            shift = x**2
        return (x**2 - shift).sum()

    def run(x):
        with fw.no_grad():
            return grad(lambda x: x.sin().sum())(x), grad(less)(x)

    made = [*t.call(run, x), *t.call(run, x.clone().requires_grad_())]
    t.expect(not any(one.requires_grad for one in made), "no graph")
    return made


@case("torch.no_grad", dtypes="f32 f64", core=False, since=FUNC, reference=lambda np, x, ones: [*(x**2, 2 * x) * 3, 2 * ones])  # fmt: skip
def made_and_pulled(t, dtype):
    """torch.func.vjp: what is made within it has no graph of what lies around, nor what is pulled within it; the other has one."""
    fw, vjp, x = t.fw, t.get("torch.func.vjp"), t.uniform((6,), dtype, 1, 2, grad=True)
    ones, found = t.const(t.np.ones(6), dtype), []

    def mode(within):
        return fw.no_grad() if within else fw.enable_grad()

    def run(x, made_within, pulled_within):
        with mode(made_within):
            value, pull = vjp(lambda x: x**2, x)
        with mode(pulled_within):
            return value, pull(ones)[0]

    for within in ((True, True), (False, True), (True, False)):
        found.append(t.call(run, x, *within))
    learn = [tuple(one.requires_grad for one in both) for both in found]
    want = [(False, False), (True, False), (False, True)]
    t.expect(learn == want, "of value and slope a graph as %s, got %s" % (want, learn))
    slope = fw.autograd.grad(found[-1][1].sum(), x)[0]
    return [*(one.detach() for both in found for one in both), slope]


@case("torch.no_grad", dtypes="f32 f64", core=False, reference=lambda np, x, y: [x + y, y, x[1:], x + y, x * y, y])  # fmt: skip
def within_scripts(t, dtype):
    """A sum without a graph; a leaf that is changed in place and stays one; a method that the script leaves to Python; the product behind it has a graph."""
    torch = t.fw

    def adds(x, y):
        with torch.no_grad():
            w = x + y
        return w

    def writes(x, y):
        with torch.no_grad():
            x[0] = y
            return x

    def behind(x, y):
        with torch.no_grad():
            w = x + y
        return w, x * y

    class Adds(torch.nn.Module):
        def forward(self, x, y):
            with torch.no_grad():
                w = self.left(x, y)
            return w

        @torch.jit.ignore
        def left(self, x, y):
            return x + y

    x, y = t.randn((4, 6), dtype), t.randn((6,), dtype)
    leaf, changed = (x.clone().requires_grad_() for _ in range(2))
    made = t.call(torch.jit.script(adds), leaf, y)
    left = t.call(torch.jit.script(Adds()), leaf, y)
    for one in (made, left):
        t.expect(not one.requires_grad and one.grad_fn is None, "no graph")
        t.raises(RuntimeError, one.sum().backward)
    written = t.call(torch.jit.script(writes), changed, y)
    t.expect(written.requires_grad and written.grad_fn is None, "the leaf, which still learns")
    without, product = t.call(torch.jit.script(behind), leaf, y)
    t.expect(product.requires_grad and not without.requires_grad, "a graph behind it alone")
    product.sum().backward()
    slope = leaf.grad[2]
    return [made, written[0].detach(), written[1:].detach(), left, product.detach(), slope]


@case("torch.is_grad_enabled", dtypes="f32 f64", core=False, since=FUNC, reference=lambda np, x: [2 * x, x**2, x * 3] * 2)  # fmt: skip
def in_derivatives_and_scripts(t, dtype):
    """On in the function that is differentiated, whatever is around; in a script as its own no_grad says, behind it as its caller."""
    torch, asked, seen, made = t.fw, t.get("torch.is_grad_enabled"), [], []

    def run(x):
        seen.append(asked())
        with torch.no_grad():
            seen.append(asked())
        return x**2 if asked() else x

    def script(x):
        before = torch.is_grad_enabled()
        with torch.no_grad():
            within = torch.is_grad_enabled()
            with torch.no_grad():
                deeper = torch.is_grad_enabled()
            still = torch.is_grad_enabled()
            made = x if torch.is_grad_enabled() else x * 3
        return made, [before, within, deeper, still, torch.is_grad_enabled()]

    grad, vjp = t.get("torch.func.grad"), t.get("torch.func.vjp")
    x, script = t.uniform((6,), dtype, 1, 2), torch.jit.script(script)
    for mode in (True, False):
        with torch.set_grad_enabled(mode):
            made.append(t.call(grad(lambda x: run(x).sum()), x))
            made.append(t.call(lambda x: vjp(run, x)[0], x))
            t.expect(t.call("torch.is_grad_enabled") is mode, "the mode around")
            tripled, found = t.call(script, x)
            made.append(tripled)
            t.expect(found == [mode, False, False, False, mode], "in a script, got %s" % found)
    t.expect(seen == [True, False] * 4, "on, but in no_grad, got %s" % seen)
    return made
