"""Tensors in the layout of oneDNN, which only the CPU has: sigmoid, softmax and sums there; no views."""

from seamark_agent.harness import Skip

from seamark_suites.case import case

from .reference_pointwise import sigmoid
from .strided_rows import softmax


def packed_by(t):
    """Skips where there is no such layout; else what takes a tensor there."""
    if t.fw.device(t.device).type != "cpu" or not t.fw.backends.mkldnn.is_available():
        raise Skip("the layout of oneDNN is the CPU's")
    return lambda x: x.to_mkldnn()


def dense(t, made):
    t.expect(all(one.is_mkldnn for one in made), "in that layout")
    return [one.to_dense() for one in made]


@case("torch.sigmoid", dtypes="f32", core=False, reference=lambda np, x: [sigmoid(np, x)] * 2)
def of_the_layout_of_onednn(t, dtype):
    """The layout stays; in place, too."""
    packed, x = packed_by(t), t.uniform((4, 5), dtype, -10, 10)

    def run(x):
        made, changed = t.get("torch.sigmoid")(packed(x)), packed(x.clone())
        t.expect(t.get("torch.sigmoid_")(changed) is changed, "the given tensor")
        return dense(t, [made, changed])

    return t.call(run, x)


@case("torch.nn.functional.softmax", dtypes="f32", core=False, reference=lambda np, x: [softmax(np, x, axis) for axis in (0, 1, 2, 2)])  # fmt: skip
def shares_in_the_layout_of_onednn(t, dtype):
    """Along each axis, and the last by its negative number."""
    packed, f = packed_by(t), t.get("torch.nn.functional.softmax")
    run = lambda x: dense(t, [f(packed(x), dim=axis) for axis in (0, 1, 2, -1)])  # noqa: E731
    return t.call(run, t.uniform((3, 4, 5), dtype, -5, 5))


@case("torch.Tensor.add_", dtypes="f32", core=False, reference=lambda np, x, y, none: [x + y, x - 0.5 * y, 2 * y, none])  # fmt: skip
def adds_in_the_layout_of_onednn(t, dtype):
    """The tensor itself, by a multiple, by itself, without numbers; sizes that differ and dense ones are refused."""
    packed, f = packed_by(t), t.get("torch.Tensor.add_")
    x, y, none = t.randn((2, 3, 5, 4), dtype), t.randn((2, 3, 5, 4), dtype), t.randn((2, 0, 1, 1), dtype)  # fmt: skip

    def run(x, y, none):
        given = [packed(one.clone()) for one in (x, x, y, none)]
        made = [f(given[0], packed(y)), f(given[1], packed(y), alpha=-0.5), f(given[2], given[2]), f(given[3], packed(none))]  # fmt: skip
        t.expect(all(one is other for one, other in zip(given, made)), "the given tensors")
        return dense(t, made)

    made = t.call(run, x, y, none)
    t.raises(RuntimeError, t.call, f, packed(x[0, 0]), packed(x[0, 0, :2]))
    return made


@case("torch.Tensor.view", core=False, reference="none")
def no_view_in_the_layout_of_onednn(t):
    """reshape does it."""
    packed, x = packed_by(t), t.randn((3, 4, 5), "f32")
    t.raises(RuntimeError, t.call, "torch.Tensor.view", packed(x), 3, -1)
    t.expect(bool((t.host(packed(x).reshape(3, -1).to_dense()) == t.host(x).reshape(3, -1)).all()), "by reshape")  # fmt: skip
