"""Whether gradients are recorded: no_grad, is_grad_enabled. Programs call both around what they compute."""

from seamark_suites.case import case
from seamark_suites.reference import with_gradient


def _without(t, function):
    """The function within no_grad, as a program writes it."""

    def run(*given):
        with t.fw.no_grad():
            return function(*given)

    return run


def _threads_answer(function):
    """What another thread gets."""
    import threading

    found = []
    thread = threading.Thread(target=lambda: found.append(function()))
    thread.start()
    thread.join()
    return found[0]


# --- no_grad


@case(
    "torch.no_grad",
    dtypes="f32 bf16",
    shapes="64x33",
    reference=lambda np, x, y: (x * y, x + 2),
)
@case(
    "torch.no_grad",
    dtypes="f16 f64 c64",
    shapes="64x33",
    core=False,
    reference=lambda np, x, y: (x * y, x + 2),
)
def leaves_no_graph(t, dtype, shape):
    x, y = t.uniform(shape, dtype, 1, 3, grad=True), t.uniform(shape, dtype, 1, 3)
    product, total = t.call(_without(t, lambda x, y: (x * y, x + 2)), x, y)
    for made in (product, total):
        t.expect(not made.requires_grad and made.grad_fn is None, "no graph")
        t.expect(made.is_leaf, "a leaf")
    t.expect(x.requires_grad and x.grad is None, "the input as it was")
    return product, total


def _constant_factor(np, x):
    return x * (x * x + 1)


@case(
    "torch.no_grad",
    dtypes="f32 bf16",
    shapes="6x5",
    grad=True,
    reference=with_gradient(_constant_factor, lambda np, w, x: w * (x * x + 1)),
)
@case(
    "torch.no_grad",
    dtypes="f64 c64",
    shapes="6x5",
    grad=True,
    core=False,
    reference=with_gradient(_constant_factor, lambda np, w, x: w * (x * x + 1).conj()),
)
def is_a_constant_for_the_gradient(t, dtype, shape):
    """What was computed within it takes no part in the gradient."""

    def run(x):
        with t.fw.no_grad():
            factor = x * x + 1
        return x * factor

    return t.call(run, t.uniform(shape, dtype, 1, 2))


@case("torch.no_grad", dtypes="f32 bf16", reference=lambda np, w, g: w - 0.25 * g)
@case("torch.no_grad", dtypes="f64", core=False, reference=lambda np, w, g: w - 0.25 * g)
def changes_a_leaf(t, dtype):
    """A step of gradient descent: a leaf that requires a gradient may be changed in place."""
    w, g = t.uniform((8, 5), dtype, 2, 3, grad=True), t.uniform((8, 5), dtype, 1, 2)

    def step(w, g):
        with t.fw.no_grad():
            w.sub_(0.25 * g)

    t.call(step, w, g)
    t.expect(w.is_leaf and w.requires_grad and w.grad_fn is None, "still a leaf with a gradient")
    return w


@case(
    "torch.no_grad",
    dtypes="f32",
    braces=[True, False],
    reference=lambda np, x, braces: np.exp(x) + 1,
)
def decorates(t, dtype, braces):
    """@torch.no_grad() and @torch.no_grad."""
    x = t.randn((7, 4), dtype, grad=True)
    run = lambda x: x.exp() + 1  # noqa: E731
    made = t.call(t.fw.no_grad()(run) if braces else t.fw.no_grad(run), x)
    t.expect(not made.requires_grad, "no graph")
    t.expect(t.fw.is_grad_enabled() and run(x).requires_grad, "a graph without the decorator")
    return made


@case(
    "torch.no_grad",
    dtypes="f32",
    reference=lambda np, x: [x * 2, x * 3, x * 4, x * 5, 3 * np.ones(x.shape)],
)
def nests(t, dtype):
    """enable_grad within it records again; at each end the mode before it is back."""
    x = t.randn((4, 6), dtype, grad=True)

    def run(x):
        with t.fw.no_grad():
            first = x * 2
            with t.fw.enable_grad():
                second = x * 3
            with t.fw.no_grad():
                third = x * 4
        return [first, second, third, x * 5]

    made = t.call(run, x)
    t.expect([one.requires_grad for one in made] == [False, True, False, True], "of two the graph")
    made[1].sum().backward()
    return [*(one.detach() for one in made), x.grad]


@case("torch.no_grad", dtypes="f32", reference=lambda np, x, *p: np.tanh(x @ p[0].T + p[1]))
def evaluates_a_layer(t, dtype):
    """Of a layer whose parameters require gradients."""
    layer = t.construct("torch.nn.Linear", 6, 4, dtype=dtype)
    made = t.call(_without(t, lambda x: layer(x).tanh()), t.randn((5, 6), dtype))
    t.expect(not made.requires_grad, "no graph")
    t.expect(all(one.requires_grad for one in layer.parameters()), "the parameters as they were")
    return made


@case("torch.no_grad", dtypes="f32", core=False, reference=lambda np, x: x + x)
def backward_raises(t, dtype):
    """Nothing can be differentiated behind it."""
    x = t.randn((5,), dtype, grad=True)
    made = t.call(_without(t, lambda x: x + x), x)
    t.raises(RuntimeError, made.sum().backward)
    t.expect(x.grad is None, "no gradient")
    return made


@case("torch.no_grad", dtypes="f32", core=False, reference=lambda np, x: 2 * x)
def ends_by_an_exception(t, dtype):
    x = t.randn((5,), dtype, grad=True)

    def run():
        with t.fw.no_grad():
            raise KeyError("x")

    t.raises(KeyError, run)
    t.expect(t.fw.is_grad_enabled(), "recording again")
    made = t.call(lambda x: x + x, x)
    t.expect(made.requires_grad, "a graph")
    return made.detach()


@case("torch.no_grad", dtypes="f32", core=False, reference=lambda np, x: x[1:] * 1.0)
def views_of_a_leaf(t, dtype):
    """A view that was taken within it is not changed in place outside."""
    x = t.randn((5, 3), dtype, grad=True)
    made = t.call(_without(t, lambda x: x[1:]), x)
    t.raises(RuntimeError, made.mul_, 2)
    return made


@case("torch.no_grad", dtypes="f32", core=False, reference=lambda np, x: 3 * x)
def asked_for_within(t, dtype):
    """requires_grad_ and Parameter still ask for a gradient there."""

    def run(x):
        with t.fw.no_grad():
            made = (3 * x).requires_grad_()
            return made

    made = t.call(run, t.randn((4,), dtype))
    t.expect(made.requires_grad and made.is_leaf, "a leaf that asks for a gradient")
    with t.fw.no_grad():
        t.expect(t.fw.nn.Parameter(made.detach()).requires_grad, "a parameter, too")
    return made


@case(
    "torch.no_grad", dtypes="f32", core=False, reference=lambda np, x, v: (x * x * x, 3 * x * x * v)
)
def forward_mode_goes_on(t, dtype):
    """Documented: forward-mode differentiation is not switched off."""
    x, v = t.uniform((6,), dtype, 1, 2), t.uniform((6,), dtype, 1, 2)
    ad = t.fw.autograd.forward_ad
    with ad.dual_level():
        made = t.call(_without(t, lambda x: x * x * x), ad.make_dual(x, v))
        value, slope = ad.unpack_dual(made)
        t.expect(slope is not None, "a tangent")
        return value * 1, slope * 1


@case("torch.no_grad", core=False, host_only=True, reference="none")
def of_generators(t):
    """A decorated generator runs without recording, and its caller records between the steps."""

    def steps():
        for _ in range(2):
            yield t.fw.is_grad_enabled()

    found = []
    for recorded in t.call(t.fw.no_grad()(steps)):
        found.append((recorded, t.fw.is_grad_enabled()))
    t.expect(found == [(False, True)] * 2, "False within, True outside, got %s" % found)


@case("torch.no_grad", core=False, host_only=True, reference="none")
def of_this_thread_alone(t):
    with t.call("torch.no_grad"):
        t.expect(not t.fw.is_grad_enabled(), "not recorded here")
        t.expect(_threads_answer(t.fw.is_grad_enabled), "recorded in another thread")


@case("torch.no_grad", core=False, host_only=True, reference="none")
def used_again(t):
    """One object serves many times."""
    mode = t.call("torch.no_grad")
    t.expect(t.fw.is_grad_enabled(), "nothing switched off before it is entered")
    for _ in range(3):
        with mode:
            t.expect(not t.fw.is_grad_enabled(), "not recorded within")
        t.expect(t.fw.is_grad_enabled(), "recorded behind")
    t.raises(TypeError, t.call, "torch.no_grad", 1, 2)


@case("torch.no_grad", dtypes="f32", core=False, reference=lambda np, *xs: [2 * x for x in xs])
def of_three_sizes(t, dtype):
    run = _without(t, lambda x: x * 2)
    made = [t.call(run, t.randn((n, 7), dtype, grad=True)) for n in (5, 8, 13)]
    t.expect(not any(one.requires_grad for one in made), "no graph")
    return made


def _two_layers(np, x, w):
    return np.maximum(x @ w, 0) @ w


@case(
    "torch.no_grad",
    dtypes="f32 bf16",
    shapes="512x512",
    large=True,
    reference=_two_layers,
    rtol={"f32": 1e-4},  # sums of 512 products, twice
)
def large_evaluation(t, dtype, shape):
    x, w = t.uniform(shape, dtype, 0, 1), t.uniform(shape, dtype, 0, 0.01, grad=True)
    return t.call(_without(t, lambda x, w: (x @ w).relu() @ w), x, w)


# --- is_grad_enabled


@case(
    "torch.is_grad_enabled", host_only=True, reference=lambda np: [True, False, True, False, True]
)
def follows_the_modes(t):
    """On by default; off in no_grad and inference_mode, on in enable_grad."""
    found = [t.call("torch.is_grad_enabled")]
    with t.fw.no_grad():
        found.append(t.call("torch.is_grad_enabled"))
        with t.fw.enable_grad():
            found.append(t.call("torch.is_grad_enabled"))
    with t.fw.inference_mode():
        found.append(t.call("torch.is_grad_enabled"))
    found.append(t.call("torch.is_grad_enabled"))
    t.expect(all(type(one) is bool for one in found), "bools")
    return found


@case("torch.is_grad_enabled", host_only=True, reference=lambda np: [False, True, False, True])
def follows_set_grad_enabled(t):
    """As a function and as a context."""
    found = []
    try:
        t.fw.set_grad_enabled(False)
        found.append(t.call("torch.is_grad_enabled"))
        with t.fw.set_grad_enabled(True):
            found.append(t.call("torch.is_grad_enabled"))
        found.append(t.call("torch.is_grad_enabled"))
    finally:
        t.fw.set_grad_enabled(True)
    return [*found, t.call("torch.is_grad_enabled")]


@case("torch.is_grad_enabled", dtypes="f32 bf16", reference=lambda np, x: (x * 2, x + 1))
@case("torch.is_grad_enabled", dtypes="f64", core=False, reference=lambda np, x: (x * 2, x + 1))
def chooses_a_branch(t, dtype):
    """One function, called while gradients are recorded and while not."""

    def run(x):
        return x * 2 if t.fw.is_grad_enabled() else x + 1

    x = t.uniform((6, 5), dtype, 2, 3, grad=True)
    recorded = t.call(run, x)
    with t.fw.no_grad():
        plain = t.call(run, x)
    t.expect(recorded.requires_grad and not plain.requires_grad, "a graph of the first alone")
    return recorded.detach(), plain


@case(
    "torch.is_grad_enabled",
    dtypes="f32",
    grad=True,
    reference=with_gradient(lambda np, x: x * x * x, lambda np, w, x: w * x * x),
)
def within_the_call(t, dtype):
    """The mode changes within the function itself."""

    def run(x):
        with t.fw.no_grad():
            factor = x if t.fw.is_grad_enabled() else x * x
        return x * factor if t.fw.is_grad_enabled() else x

    return t.call(run, t.uniform((6, 5), dtype, 1, 2))


@case("torch.is_grad_enabled", dtypes="f32", core=False, reference=lambda np, x: 2 * x)
def in_a_function_of_ones_own(t, dtype):
    """Off in forward; in backward on where the gradient is recorded alone."""
    seen = []

    class Square(t.fw.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append(t.fw.is_grad_enabled())
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, w):
            seen.append(t.fw.is_grad_enabled())
            return 2 * ctx.saved_tensors[0] * w

    x = t.uniform((4,), dtype, 1, 2, grad=True)
    first = t.fw.autograd.grad(Square.apply(x).sum(), x)[0]
    t.fw.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    t.expect(t.call("torch.is_grad_enabled") is True, "on outside")
    t.expect(seen == [False, False, False, True], "off but for create_graph, got %s" % seen)
    return first


@case("torch.is_grad_enabled", core=False, host_only=True, reference="none")
def in_hooks_and_decorated(t):
    """In a gradient's hook as in backward: on with create_graph alone; in functions that set_grad_enabled and no_grad decorate."""
    fw, seen = t.fw, []
    x = fw.ones(3, requires_grad=True)
    for create in (False, True):
        made = x * 2
        made.register_hook(lambda _: seen.append(t.call("torch.is_grad_enabled")))
        fw.autograd.grad((made * made).sum(), x, create_graph=create)
    t.expect(seen == [False, True], "on with create_graph alone, got %s" % seen)
    asked = lambda: t.call("torch.is_grad_enabled")  # noqa: E731
    decorated = [fw.no_grad()(asked), fw.enable_grad()(asked), fw.inference_mode()(asked)]
    with fw.no_grad():
        found = [one() for one in decorated]
    t.expect(found == [False, True, False], "False, True, False, got %s" % found)
    slope = fw.func.grad(lambda x: (x * x if asked() else x).sum())(fw.full((2,), 3.0))
    t.expect(slope.tolist() == [6, 6] and asked() is True, "on within a derivative, and behind it")


@case("torch.is_grad_enabled", core=False, host_only=True, reference="none")
def is_each_threads_own(t):
    with t.fw.no_grad():
        t.expect(t.call("torch.is_grad_enabled") is False, "off here")
        t.expect(_threads_answer(t.get("torch.is_grad_enabled")) is True, "on in another thread")


@case("torch.is_grad_enabled", core=False, host_only=True, reference="none")
def after_an_exception(t):
    for mode in (t.fw.no_grad, t.fw.inference_mode):
        try:
            with mode():
                raise KeyError("x")
        except KeyError:
            t.expect(t.call("torch.is_grad_enabled") is True, "on again")
    t.raises(TypeError, t.call, "torch.is_grad_enabled", 1)


def _is_even(np, xs):
    return [x * 2 if i % 2 else x + 1 for i, x in enumerate(xs)]


@case("torch.is_grad_enabled", dtypes="f32", core=False, reference=lambda np, *xs: _is_even(np, xs))
def modes_of_three_sizes(t, dtype):
    """What was made for one mode and size is not used for the next."""
    run = lambda x: x * 2 if t.fw.is_grad_enabled() else x + 1  # noqa: E731
    made = []
    for number, size in enumerate((5, 8, 13)):
        with t.fw.set_grad_enabled(bool(number % 2)):
            made.append(t.call(run, t.uniform((size, 7), dtype, 2, 3)))
    return made


@case("torch.is_grad_enabled", core=False, host_only=True, reference="none")
def between_the_steps_of_a_generator(t):
    """A decorated generator has its mode while it runs, and the caller has its own between; modes within each other, by set_grad_enabled and without brackets."""
    fw, asked, seen = t.fw, t.get("torch.is_grad_enabled"), []

    def steps():
        for _ in range(2):
            seen.append(asked())
            try:
                yield asked()
            except ValueError:
                seen.append(asked())

    for mode, want in ((fw.no_grad(), False), (fw.set_grad_enabled(False), False), (fw.enable_grad(), True), (fw.inference_mode(), False)):  # fmt: skip
        for outside in (True, False):
            fw.set_grad_enabled(True)
            del seen[:]
            try:
                made = mode(steps)
                with fw.set_grad_enabled(outside):
                    run = made()
                    t.expect(next(run) is want and t.call("torch.is_grad_enabled") is outside, "its own, then the caller's")  # fmt: skip
                    t.expect(run.throw(ValueError()) is want and asked() is outside, "thrown into")
                    run.close()
                    t.expect(asked() is outside, "closed")
            finally:
                fw.set_grad_enabled(True)
            t.expect(seen == [want] * 3, "%s within, got %s" % (want, seen))
    bare = fw.no_grad(asked)
    with fw.inference_mode(), fw.enable_grad():
        t.expect(
            t.call("torch.is_grad_enabled") is True, "on in enable_grad, in inference mode, too"
        )
    with fw.inference_mode(False):
        t.expect(asked() is True, "on without inference mode")
    t.expect(bare() is False and asked() is True, "without brackets")
