"""Edges of what touches no device: torch.Size, torch.is_grad_enabled, torch.from_numpy, torch.nn.ModuleList."""

from seamark_suites.case import case
from seamark_suites.reference import with_gradient

SIZE, ASKED, FROM, LIST = (
    "torch.Size",
    "torch.is_grad_enabled",
    "torch.from_numpy",
    "torch.nn.ModuleList",
)


@case(SIZE, host_only=True, core=False, reference="none")
def sizes_of_every_operation(t):
    """Of none and of three numbers: parts, sums in either order and multiples are sizes, the numbers are integers."""
    kind = t.get(SIZE)
    for size in (t.call(SIZE, []), t.call(SIZE, [1, 2, 3])):
        plain = tuple(size)
        t.expect(all(type(one) is int for one in size), "integers")
        found = [
            (size[:], plain), (size[:-1], plain[:-1]), (size[0:0], ()), (size + (), plain), (size + (4, 5), (*plain, 4, 5)),
            (size + size, plain * 2), (() + size, plain), ((4, 5) + size, (4, 5, *plain)), (size * 0, ()), (size * 1, plain),
            (size * 2, plain * 2), (0 * size, ()), (1 * size, plain), (2 * size, plain * 2),
        ]  # fmt: skip
        for made, want in found:
            t.expect(type(made) is kind and made == want, "a size %s, got %r" % (want, made))
    t.expect(kind([1, 2, 1]).index(1, 1) == 2 and kind([1, 2, 1]).count(1) == 2, "as of a tuple")
    x = t.fw.ones(10, 10)
    t.expect(x.numel() == x.size().numel() == kind([10, 10]).numel() == 100, "as many numbers")


@case(SIZE, host_only=True, core=False, reference="none")
def sizes_beside_other_classes(t):
    """What adds itself to anything is asked, on either side; a sequence that is no tuple is none."""
    from collections.abc import Sequence

    class Any:
        def __add__(self, other):
            return 42

        __radd__ = __add__

    class Few(Sequence):
        def __len__(self):
            return 5

        def __getitem__(self, at):
            return range(5)[at]

    size = t.call(SIZE, [1, 2, 3])
    t.expect(Any() + size == 42 and size + Any() == 42, "the other class decides")
    for wrong in (lambda: size + Few(), lambda: Few() + size, lambda: [4] + size):
        t.raises(TypeError, wrong)


@case(ASKED, host_only=True, core=False, reference="none")
def modes_of_coroutines(t):
    """A decorated generator has its mode in whatever it is sent, as it ends, fails and is closed; its caller has the own one."""
    fw, asked, seen = t.fw, t.get(ASKED), []

    def talk():
        for number in range(3):
            seen.append(asked())
            try:
                t.expect((yield number) == 10 * number, "what is sent")
            except KeyError:
                seen.append(asked())
                raise ValueError from None
            except GeneratorExit:
                seen.append(asked())
                raise
        seen.append(asked())

    for mode, want in ((fw.no_grad(), False), (fw.enable_grad(), True)):
        outside = not want
        with fw.set_grad_enabled(outside):
            del seen[:]
            run = mode(talk)()
            found = [run.send(None)]
            for number in range(3):
                t.expect(t.call(ASKED) is outside, "the caller's between")
                try:
                    found.append(run.send(10 * number))
                except StopIteration:
                    found.append(None)
            t.expect(found == [0, 1, 2, None] and asked() is outside, "to its end")
            failing, closed = mode(talk)(), mode(talk)()
            next(failing)
            t.raises(ValueError, failing.throw, KeyError)
            t.expect(asked() is outside, "after what failed")
            next(closed)
            closed.close()
            t.expect(asked() is outside, "after what was closed")
        t.expect(seen == [want] * 8, "%s within, got %s" % (want, seen))


@case(ASKED, host_only=True, core=False, reference="none")
def modes_that_are_set_and_used_up(t):
    """A bare set_grad_enabled holds until it decorates a function; as a decorator it changes nothing; set within a context, it ends with that."""
    fw, asked = t.fw, t.get(ASKED)
    x = fw.ones(1, requires_grad=True)
    try:
        bare = fw.set_grad_enabled(False)
        t.expect(t.call(ASKED) is False, "off at once")
        sine = bare(fw.sin)
        t.expect(asked() is True, "on again")
        t.expect(not sine(x).requires_grad and asked() is True, "off within alone")

        @fw.set_grad_enabled(False)
        def other(x):
            return asked(), x.sin()

        t.expect(asked() is True, "still on")
        t.expect(other(x)[0] is False and not other(x)[1].requires_grad, "off within")
        with fw.set_grad_enabled(False):
            fw.set_grad_enabled(True)
            t.expect(asked() is True and (x * 2).requires_grad, "on within")
        t.expect(asked() is True, "as before")
    finally:
        fw.set_grad_enabled(True)

    class Own:
        @fw.no_grad()
        def __init__(self):
            self.seen = [asked()]

        @fw.no_grad()
        def look(self):
            return [*self.seen, asked()]

    t.expect(Own().look() == [False, False] and asked() is True, "methods")


@case(ASKED, dtypes="f64", core=False, reference=lambda np, x, w: [3 * w, 3 * w])
def within_a_backward_that_differentiates(t, dtype):
    """enable_grad within backward, around another gradient, gives back the mode that was, on and off."""
    fw, asked, seen = t.fw, t.get(ASKED), []

    class Cubed(fw.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, w):
            before = asked()
            with fw.enable_grad():
                one = fw.ones_like(w).requires_grad_()
                made = fw.autograd.grad(one**3, one, w)[0]
                seen.append((before, asked()))
            t.expect(asked() is before, "the mode that was")
            return made

    x, w, made = t.uniform((4,), dtype, 1, 2, grad=True), t.uniform((4,), dtype, 1, 2), []
    for create in (False, True):
        made.append(fw.autograd.grad(t.call(Cubed.apply, x), x, w, create_graph=create)[0].detach())
    t.expect(t.call(ASKED) is True, "on outside")
    t.expect(seen == [(False, True), (True, True)], "off, then on, got %s" % seen)
    return made


@case(FROM, host_only=True, core=False, reference="none")
def arrays_that_stay_as_they_are(t):
    """An array that a tensor holds is not resized; a warning comes as often as it is asked for; bytes are refused a thousand times, and never held."""
    import sys
    import warnings

    np = t.np
    array = np.zeros((2, 2))
    made = t.call(FROM, array)
    t.raises(ValueError, array.resize, (5, 5))
    t.expect(made.shape == (2, 2), "its size")
    still = np.arange(10)
    still.flags.writeable = False
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        t.fw.set_warn_always(True)
        try:
            for number in range(3):
                t.call(FROM, still)
                heard = sum("writable" in str(one.message) for one in seen)
                t.expect(heard == number + 1, "a warning each time, got %d" % heard)
        finally:
            t.fw.set_warn_always(False)
    text = np.array(b"value")
    before = sys.getrefcount(text)
    for _ in range(1000):
        t.raises(TypeError, t.get(FROM), text)
    t.expect(sys.getrefcount(text) == before, "not held")


@case(FROM, host_only=True, core=False, reference="none")
def writes_to_no_numbers(t):
    """Parts of an array without rows are written, and have no memory to be made larger for."""
    made = t.call(FROM, t.np.empty((0, 4)))
    made[:, 1::2] *= 1
    made[:, 0] += 2
    made.zero_()
    t.expect(made.shape == (0, 4) and made[:, 1::2].shape == (0, 2), "their sizes")
    t.expect(made.sum().item() == 0, "no numbers")


@case(LIST, host_only=True, core=False, reference="none")
def modules_of_a_tree(t):
    """extend takes all that modules() yields, the root and what lies within; equal parts of two lists; called with an input it raises."""
    from collections import OrderedDict

    nn, kind = t.fw.nn, t.get(LIST)
    parts = [("layer%d" % n, nn.Linear(n, n + 1)) for n in range(1, 4)]
    root = nn.Sequential(OrderedDict([*parts, ("within", nn.Sequential(nn.Linear(3, 2), nn.ReLU()))]))  # fmt: skip
    held = t.call(LIST)
    held.extend(root.modules())
    want = list(root.modules())
    t.expect(len(held) == 7 and all(a is b for a, b in zip(held, want)), "each, in order")
    t.expect(len(list(held.parameters())) == 8, "each parameter once")
    one, two = [nn.ReLU(), nn.Linear(5, 5), nn.Tanh()], kind()
    two.extend(one)
    t.expect(two.pop(1) is one.pop(1) and list(two) == one, "the same is taken out")
    t.raises(IndexError, two.pop, 2)
    t.raises(NotImplementedError, two, t.fw.ones(1, 3))


def _documented(np, x, *given):
    pairs = list(zip(given[::2], given[1::2]))
    for number, (weight, bias) in enumerate(pairs):
        w, b = pairs[number // 2]
        x = (x @ w.T + b + x @ weight.T + bias) / 2
    return x


@case(LIST, dtypes="f32 f64", grad=True, core=False, rtol={"f32": 1e-4}, atol={"f32": 1e-4},
      reference=with_gradient(_documented, of=(0,)))  # of products # fmt: skip
def read_by_number_and_in_turn(t, dtype):
    """The example of the documentation: each layer, and that at half its place."""
    layers = t.construct(LIST, [t.fw.nn.Linear(4, 4) for _ in range(5)], dtype=dtype)

    def run(x):
        for number, layer in enumerate(layers):
            x = (layers[number // 2](x) + layer(x)) / 2
        return x

    return t.call(run, t.randn((3, 4), dtype))


@case(LIST, dtypes="f32", core=False, reference=lambda np, x: [
      (x * 2 - 1) * 2 - 1, 2 * x - 1, x * 4 + 2, x * 8 - 2, x * 4 + 2, x * 0 + 5, x * 2, x - 1, 2 * x, x - 1, 2 * x])  # fmt: skip
def lists_within_a_script(t, dtype):
    """A script runs lists within a list, parts by steps, from the end, in pairs and with numbers, a class of one's own; a list of nothing gives none."""
    torch, nn, x = t.fw, t.fw.nn, t.randn((3, 4), dtype)

    class Double(nn.Module):
        def forward(self, x):
            return x * 2

    class Less(nn.Module):
        def forward(self, x):
            return x - 1

    class Own(nn.ModuleList):
        def forward(self, x):
            for one in self:
                x = one(x)
            return x + 3

    class All(nn.Module):
        def __init__(self):
            super().__init__()
            self.nested = nn.ModuleList([nn.ModuleList([Double()]), nn.Sequential(Less()), nn.ModuleList([Double(), Less()])])  # fmt: skip
            self.few = nn.ModuleList([Double(), Less(), Double()])
            self.two = nn.ModuleList([Double(), Double()])
            self.own = Own([Double(), Double(), Less()])
            self.none = nn.ModuleList([])

        def forward(self, x):
            nested = x
            for outer in self.nested:
                for one in outer:
                    nested = one(nested)
            paired = x
            for one, other in zip(self.few, self.two):
                paired = other(one(paired))
            numbered = x
            for number, one in enumerate(self.few):
                numbered = one(numbered) + number
            count = len(self.few) + len(self.none) + 2
            ends = [self.few[-3](x), self.few[-2].forward(x)]
            return (
                nested,
                (self.few[::-1], self.few[1:]),
                self.own(x),
                paired,
                numbered,
                ends,
                [each(x) for each in self.few],
                [never(x) for never in self.none],
                count,
            )

    script = torch.jit.script(All())
    nested, part, own, paired, numbered, ends, each, none, count = t.call(script, x)
    t.expect(none == [] and count == 5, "a list of nothing; as many as there are")
    t.expect([len(one) for one in part] == [3, 2], "parts")
    part = part[0][1].forward(part[1][1].forward(x))
    return [nested, part, own, paired, numbered, x * 0 + count, *ends, *each]
