"""Views that are written: under torch.func.functionalize as without it; views made in inference mode; complex numbers of two halves."""

from seamark_suites.transformed import each_of

T = "torch.Tensor."


VIEWS = {
    T + "permute": (lambda f, x: [f(x, 2, 0, 1)], lambda np, x: [x.transpose(2, 0, 1)]),
    T + "reshape": (lambda f, x: [f(x, 2, -1)], lambda np, x: [x.reshape(2, -1)]),
    T + "squeeze": (lambda f, x: [f(x[:, None], 1), f(x[None, :, None])], lambda np, x: [x, x]),
    T + "transpose": (lambda f, x: [f(x, 0, 2)], lambda np, x: [x.swapaxes(0, 2)]),
    T + "unflatten": (lambda f, x: [f(x, 1, (3, 2))], lambda np, x: [x.reshape(2, 3, 2, 4)]),
    T + "expand": (lambda f, x: [f(x[:, :1], -1, 5, -1)[:, 2]], lambda np, x: [x[:, 0]]),
    "torch.split": (lambda f, x: [*f(x, 4, 1), *f(x, [1, 3], 2)], lambda np, x: [x[:, :4], x[:, 4:], x[..., :1], x[..., 1:]]),
}  # fmt: skip
each = each_of(VIEWS)


def _written(form):
    """Each view is doubled in turn, and a second view of the first grows by one."""

    def reference(np, x):
        made = x.copy()
        for view in form[1](np, made):
            view *= 2
        form[1](np, made)[0][...] += 1
        return [*form[1](np, made), made, x] * 3

    return reference


@each(VIEWS, _written, dtypes="f32 i64", since=("2.0", "torch.func.functionalize"))
def written_as_without_writes(t, dtype, function):
    """With changes taken out, and with views taken out, too: the views, the whole and what was given are as they are when it is run plainly."""
    f, functionalize = t.get(function), t.get("torch.func.functionalize")

    def run(given):
        x = given.clone()
        for view in VIEWS[function][0](f, x):
            view.mul_(2)
        VIEWS[function][0](f, x)[0].add_(1)
        return [*VIEWS[function][0](f, x), x, given]

    x = t.randint((2, 6, 4), dtype, 1, 50)
    ways = run, functionalize(run), functionalize(run, remove="mutations_and_views")
    return [one for way in ways for one in t.call(way, x)]


def _then(form):
    def reference(np, x):
        return [3 * one for one in form[1](np, x)] * 2 + list(form[1](np, x))

    return reference


@each(VIEWS, _then, dtypes="f32")
def made_in_inference_mode(t, dtype, function):
    """Of a plain tensor there and of one that was made there: used there and outside, never with a graph; a plain view stays plain outside."""
    fw, f, call = t.fw, t.get(function), VIEWS[function][0]
    x = t.uniform((2, 6, 4), dtype, 1, 2)
    with fw.inference_mode():
        own = x * 1
        both = [[3 * one for one in t.call(call, f, given)] for given in (x, own)]
        t.expect(all(one.is_inference() for made in both for one in made), "made there")
        t.expect(not any(one.requires_grad for made in both for one in made), "no graph")
        kept = t.call(call, f, own)
    outside = t.call(call, f, own)
    t.expect(all(one.is_inference() for one in (*kept, *outside)), "of what was made there")
    leaf = x.clone().requires_grad_()
    learns = t.call(call, f, leaf)
    t.expect(not any(one.is_inference() for one in learns), "plain")
    t.expect(all(one.requires_grad for one in learns), "a graph outside")
    return [one.clone() for made in both for one in made] + [one.clone() for one in kept]


HALVES = {
    **VIEWS,
    "torch.abs": (lambda f, x: [f(x)], lambda np, x: [abs(x)]),
    T + "masked_fill": (lambda f, x: [f(x, x.real > 4, 0.5 - 2j)], lambda np, x: [np.where(x.real > 4, 0.5 - 2j, x)]),
    "torch.zeros_like": (lambda f, x: [f(x), x], lambda np, x: [x * 0, x]),
}  # fmt: skip
# Whose complex halves other cases have.
del HALVES[T + "permute"], HALVES[T + "reshape"], HALVES[T + "unflatten"]
each_half = each_of(HALVES)


@each_half(HALVES, lambda form: lambda np, x, y: form[1](np, (x + 1j * y) / 8), dtypes="f32")
def of_two_halves(t, dtype, function):
    """Eighths, which two halves have exactly."""
    x, y = t.randint((2, 6, 4), dtype, 0, 64), t.randint((2, 6, 4), dtype, -64, 64)
    z = ((x + 1j * y) / 8).to(t.dtype("c32"))
    made = t.call(HALVES[function][0], t.get(function), z)
    real = function == "torch.abs"
    want = t.dtype("f16") if real else z.dtype
    t.expect(all(one.dtype is want for one in made), "halves, too")
    return made if real else [one.to(t.dtype("c64")) for one in made]
