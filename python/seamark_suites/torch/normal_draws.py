"""normal_, as a method and as an initializer: any mean and deviation, batches, what it refuses."""

from seamark_suites.case import case

NORMAL, ZEROS, CONSTANT = ("torch.nn.init." + name for name in ("normal_", "zeros_", "constant_"))
INF, NAN = float("inf"), float("nan")


def _farthest(t, values, mean, std):
    """Of Kolmogorov and Smirnov: how far the shares of what is drawn are from those of a normal distribution."""
    import math

    np = t.np
    values = np.sort((t.host(values).astype("float64").reshape(-1) - mean) / std)
    shares = np.array([0.5 + 0.5 * math.erf(value / 2**0.5) for value in values])
    steps = np.arange(values.size + 1) / values.size
    return max(abs(shares - steps[1:]).max(), abs(shares - steps[:-1]).max())


@case("torch.Tensor.normal_", dtypes="f32 f64 f16 bf16", core=False, random=True, reference="none")
@case(NORMAL, dtypes="f32 f64 f16 bf16", core=False, random=True, reference="none")
def of_each_mean_and_deviation(t, dtype, function):
    """By the shares of 4000 numbers, of one axis to five: no right draw in a hundred million lies farther away."""
    for mean, std in ((-10, 1), (0, 5), (50, 10), (0.25, 0.125), (-1e-3, 1e-2)):
        for shape in ((4000,), (50, 80), (5, 8, 20, 1, 5)):
            made = t.call(function, t.const(t.np.full(shape, 99.0), dtype), mean, std)
            far = _farthest(t, made, mean, std)
            t.expect(
                far < 0.05, "the shares of a normal draw of %g and %g, %g away" % (mean, std, far)
            )


@case("torch.Tensor.normal_", core=False, random=True, reference="none", since=("2.0", "torch.vmap"))  # fmt: skip
@case(NORMAL, core=False, random=True, reference="none", since=("2.0", "torch.vmap"))
def draws_within_a_batch(t, function):
    """By vmap: others for each example, the same for all, or an error, as one asks."""
    vmap, draw, x = t.get("torch.vmap"), t.get(function), t.const(t.np.zeros((3, 200)), "f32")
    run = lambda x: draw(x * 1, 2.0, 3.0)  # noqa: E731
    other, same = (t.host(t.call(vmap(run, randomness=one), x)) for one in ("different", "same"))
    t.expect(bool((other[0] != other[1]).any() and (other[1] != other[2]).any()), "others for each")
    t.expect(bool((same[0] == same[1]).all() and (same[0] == same[2]).all()), "the same for all")
    for drawn in (other, same[0]):
        t.statistics(drawn, mean=2, std=3)
    t.raises(RuntimeError, t.call, vmap(run), x)


@case("torch.Tensor.normal_", core=False, reference="none")
def normal_refuses_other_kinds(t):
    """Memory that several places share, truths, a deviation that is none, text; on meta there is nothing to draw."""
    normal, x = "torch.Tensor.normal_", t.randn((4,), "f32")
    t.raises(RuntimeError, t.call, normal, x[:1].expand(4))
    t.raises((RuntimeError, NotImplementedError), t.call, normal, t.randn((4,), "bool"))
    for wrong in (-1e-9, NAN):
        t.raises(RuntimeError, t.call, normal, x, 0, wrong)
    t.raises(TypeError, t.call, normal, x, "0")
    t.raises((TypeError, RuntimeError), t.call, normal, x, 0, 1, generator=3)
    t.expect(t.call(normal, x.to("meta")).is_meta, "on meta")


@case(NORMAL, core=False, random=True, reference="none")
def of_other_tensors(t):
    """A class of one's own stays and may answer itself; a buffer, a part of a weight; on meta nothing is drawn."""
    fw, seen = t.fw, []

    class Own(fw.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(getattr(function, "__name__", ""))
            return super().__torch_function__(function, types, args, kwargs or {})

    made = t.call(NORMAL, t.const(t.np.full((40, 50), 9.0), "f32").as_subclass(Own), 2.0, 3.0)
    t.expect(type(made) is Own and "normal_" in seen, "its own class, which was asked")
    t.statistics(made.as_subclass(fw.Tensor), mean=2, std=3)
    layer = t.construct("torch.nn.Linear", 40, 60)
    rest = t.host(layer.weight)[30:].copy()
    part = t.call(NORMAL, layer.weight[:30], 5.0, 0.5)
    t.statistics(part.detach(), mean=5, std=0.5)
    t.expect(bool((t.host(layer.weight)[30:] == rest).all()), "the rest as it was")
    t.expect(bool((t.host(layer.weight)[:30] > 1).all()), "the part within the weight")
    t.expect(t.call(NORMAL, fw.empty(3, device="meta")).is_meta, "on meta")
