"""Classes with __torch_function__: what is like a tensor is asked instead, of a subclass results are of it, too."""

from seamark_suites.case import each as each_name
from seamark_suites.transformed import each_of, leaves, placed

from .transformed import FORMS, called, numbers

T, RESIZE = "torch.Tensor.", "torch.nn.functional.interpolate"
NAMES = [
    T + "exp", T + "flip", T + "repeat_interleave", T + "softmax", T + "t", T + "unbind", "torch.clamp", "torch.matmul", "torch.sin",
    "torch.where", "torch.nn.BatchNorm2d", "torch.nn.LayerNorm", "torch.nn.RMSNorm", RESIZE,
]  # fmt: skip
# Each way in which one of the arguments is such an object; x is a tensor of 3x4.
ASKED = {
    T + "exp": lambda f, own, x: [f(own)],
    T + "flip": lambda f, own, x: [f(own, 0), f(own, dims=(0, 1))],
    T + "is_floating_point": lambda f, own, x: [f(own)],
    T + "numpy": lambda f, own, x: [f(own), f(own, force=True)],
    T + "repeat_interleave": lambda f, own, x: [f(own, 2), f(x, own, 0)],
    T + "softmax": lambda f, own, x: [f(own, -1), f(own, dim=0)],
    T + "t": lambda f, own, x: [f(own)],
    T + "unbind": lambda f, own, x: [f(own), f(own, 1)],
    T + "zero_": lambda f, own, x: [f(own)],
    "torch.clamp": lambda f, own, x: [f(own, 0, 1), f(x, own), f(x, max=own), f(x, 0, 1, out=own)],
    "torch.equal": lambda f, own, x: [f(own, x), f(x, own), f(own, own)],
    "torch.full_like": lambda f, own, x: [f(own, 2), f(x, own)],
    "torch.ones_like": lambda f, own, x: [f(own), f(own, dtype=x.dtype)],
    "torch.matmul": lambda f, own, x: [f(own, x), f(x, own), f(x, x, out=own)],
    "torch.sin": lambda f, own, x: [f(own), f(x, out=own)],
    "torch.where": lambda f, own, x: [f(own, x, x), f(x > 1, own, x), f(x > 1, x, own), f(x > 1, 2, own)],
    RESIZE: lambda f, own, x: [f(own, 2), f(own, scale_factor=2.0, mode="bilinear")],
}  # fmt: skip


@each_name(ASKED, core=False)
def asks_what_is_like_a_tensor(t, function):
    """In the place of each tensor: it is asked with the function itself, and what it says is the result. Of methods it is a subclass
    with attributes as they are."""
    fw, seen, x, f = t.fw, [], t.randn((3, 4), "f32"), t.get(function)

    def see(cls, function, types, args=(), kwargs=None):
        if function.__name__ == "__get__":
            return super(like, cls).__torch_function__(function, types, args, kwargs or {})
        seen.append((function, types))
        return "asked"

    bases = (fw.Tensor,) if function.startswith(T) else ()
    like = type("Like", bases, {"__torch_function__": classmethod(see)})
    made = t.call(lambda x: ASKED[function](f, x.as_subclass(like) if bases else like(), x), x)
    t.expect(made == ["asked"] * len(made), "what it says, got %r" % (made,))
    t.expect([one for one, _ in seen] == [f] * len(made), "the function itself, got %r" % (seen,))
    t.expect(all(like in types for _, types in seen), "its class")


each = each_of(FORMS)


def _of_plain_ones(form):
    def reference(np, *drawn):
        return leaves(np, form[1](np, *(placed(number, x) for number, x in enumerate(drawn))))

    return reference


@each([*NAMES, T + "zero_"], _of_plain_ones, dtypes="f32 f64")
def results_of_a_subclass(t, dtype, function):
    """The result is of the subclass, which sees the function; as of a plain one beside it."""
    fw, seen = t.fw, []

    def see(cls, function, types, args=(), kwargs=None):
        seen.append(getattr(function, "__name__", ""))
        return super(own, cls).__torch_function__(function, types, args, kwargs or {})

    own = type("Own", (fw.Tensor,), {"__torch_function__": classmethod(see)})
    run, at = called(t, function, dtype), numbers(t, function, dtype)
    made = t.call(lambda x, *rest: run(x.as_subclass(own), *rest), *at)
    t.expect(all(type(one) is own for one in made), "of the subclass")
    name = function.rpartition(".")[2]
    name = {"BatchNorm2d": "batch_norm", "LayerNorm": "layer_norm", "RMSNorm": "rms_norm"}.get(name, name)  # fmt: skip
    t.expect(name in seen, "seen, got %s" % seen)
    return [one.as_subclass(fw.Tensor) for one in made]
