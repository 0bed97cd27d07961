"""Objects of one's own that say how they become an array: what functions make of them, and what they leave alone."""

import functools

from seamark_suites.case import case

from .values_and_kinds import NP

EINSUM = NP + "einsum"


@functools.cache
def wrapper():
    """A node of trees that becomes the array that it holds; NumPy must not ask for it."""
    import dataclasses

    import jax

    @jax.tree_util.register_dataclass
    @dataclasses.dataclass
    class Held:
        made: object

        def __jax_array__(self):
            return jax.numpy.asarray(self.made)

        def __array__(self, dtype=None, copy=None):
            raise RuntimeError("NumPy's way is not asked for")

    return Held


def _pairs(np, x, y):
    return np.stack([x[:, 1] * y[:, 2] - x[:, 2] * y[:, 1], x[:, 2] * y[:, 0] - x[:, 0] * y[:, 2],
                     x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0]], 1)  # fmt: skip


# Of arrays x and y of 5 x 3, and a class o that holds one: (the call, what is right).
ALONE = {
    "abs": (lambda f, o, x, y: f(o(x)), lambda np, x, y: abs(x)),
    "asarray": (lambda f, o, x, y: [f(o(x)), f(o(y), "float32")], lambda np, x, y: [x, y]),
    "atleast_2d": (lambda f, o, x, y: [f(o(x[0])), *f(o(x), o(y[0]))], lambda np, x, y: [x[:1], x, y[:1]]),
    "broadcast_to": (lambda f, o, x, y: f(o(x), (2, 5, 3)), lambda np, x, y: np.stack([x, x])),
    "clip": (lambda f, o, x, y: [f(o(x)), f(o(x), -2, 3), f(o(x), o(y))],
             lambda np, x, y: [x, np.clip(x, -2, 3), np.maximum(x, y)]),
    "concatenate": (lambda f, o, x, y: [f([o(x), o(y)]), f((o(y), o(x)), axis=1)],
                    lambda np, x, y: [np.concatenate([x, y]), np.concatenate([y, x], 1)]),
    "cross": (lambda f, o, x, y: f(o(x), o(y)), _pairs),
    "diag": (lambda f, o, x, y: [f(o(x)), f(o(y[0]))], lambda np, x, y: [np.diag(x), np.diag(y[0])]),
    "dot": (lambda f, o, x, y: f(o(x), o(y.T)), lambda np, x, y: x @ y.T),
    "expand_dims": (lambda f, o, x, y: f(o(x), axis=0), lambda np, x, y: x[None]),
    "isfinite": (lambda f, o, x, y: f(o(x)), lambda np, x, y: np.isfinite(x)),
    "isnan": (lambda f, o, x, y: f(o(x)), lambda np, x, y: np.isnan(x)),
    "log1p": (lambda f, o, x, y: f(o(abs(x))), lambda np, x, y: np.log1p(abs(x))),
    "logical_and": (lambda f, o, x, y: f(o(x), o(y)), lambda np, x, y: (x != 0) & (y != 0)),
    "matmul": (lambda f, o, x, y: f(o(x), o(y[0])), lambda np, x, y: x @ y[0]),
    "maximum": (lambda f, o, x, y: [f(o(x), o(y)), f(o(x), 1), f(-1, o(y))],
                lambda np, x, y: [np.maximum(x, y), np.maximum(x, 1), np.maximum(-1, y)]),
    "minimum": (lambda f, o, x, y: [f(o(x), o(y)), f(o(x), 1), f(-1, o(y))],
                lambda np, x, y: [np.minimum(x, y), np.minimum(x, 1), np.minimum(-1, y)]),
    "ones_like": (lambda f, o, x, y: f(o(x)), lambda np, x, y: 1 + 0 * x),
    "square": (lambda f, o, x, y: f(o(x)), lambda np, x, y: x * x),
    "squeeze": (lambda f, o, x, y: [f(o(x[:, :1])), f(o(x))], lambda np, x, y: [x[:, 0], x]),
    "transpose": (lambda f, o, x, y: [f(o(x)), f(o(x), (0, 1))], lambda np, x, y: [x.T, x]),
    "where": (lambda f, o, x, y: f(o(y > 0), o(x), o(y)), lambda np, x, y: np.where(y > 0, x, y)),
    "zeros_like": (lambda f, o, x, y: f(o(x)), lambda np, x, y: 0 * x),
}  # fmt: skip


def alone(body):
    for name, (_, right) in ALONE.items():
        twice = lambda np, x, y, right=right: [right(np, x, y)] * 2  # noqa: E731
        body = case(NP + name, dtypes="f32 i32", core=False, trivial=True, reference=twice)(body)
    return body


@alone
def given_as_objects_of_ones_own(t, function, dtype):
    """Nodes of a tree that become an array when asked: taken for it, in a program and where programs are off."""
    jax, f, run = t.fw, t.get(function), ALONE[function[len(NP) :]][0]
    x, y = (t.randint((5, 3), dtype, -5, 5) for _ in range(2))

    def called(x, y):
        return run(f, wrapper(), x, y)

    def one_by_one(x, y):
        with jax.disable_jit():
            return called(x, y)

    return [t.call(called, x, y), t.call(one_by_one, x, y)]


@case(EINSUM, dtypes="f32 i32", core=False, reference=lambda np, x, y: [x @ y, x @ y, x.T])
def of_objects_of_ones_own(t, dtype):
    """With letters, and with axes as numbers."""
    f, one = t.get(EINSUM), wrapper()
    x, y = t.randint((5, 3), dtype, -5, 5), t.randint((3,), dtype, -5, 5)
    calls = (
        lambda x, y: f("jk,k->j", one(x), one(y)),
        lambda x, y: f(one(x), (0, 1), one(y), (1,), (0,)),
        lambda x, y: f("jk->kj", one(x)),
    )
    return [t.call(call, x, y) for call in calls]


class Like:
    """Has a shape and a dtype, and no numbers."""

    shape = (2, 3)

    def __init__(self, dtype):
        self.dtype = dtype

    def __jax_array__(self):
        raise ValueError("it has no numbers")


@case(NP + "zeros_like", core=False, trivial=True, reference=lambda np, x: [np.zeros((2, 3)), x])
@case(NP + "ones_like", core=False, reference=lambda np, x: [np.ones((2, 3)), x + 1])
def like_what_has_a_shape_and_a_dtype(t, function):
    """They are asked for first: the object, which cannot become an array, need not."""
    f, x = t.get(function), t.randint((2, 3), "f32", -9, 9)
    t.raises(ValueError, t.fw.numpy.asarray, Like(t.np.dtype("float32")))
    made = t.call(lambda: f(Like(t.np.dtype("int8"))))
    t.expect(str(made.dtype) == "int8" and made.shape == (2, 3), "as it says, got %r" % made)
    return [made, t.call(lambda x: x + f(Like(t.np.dtype("float32"))), x)]


@case("jax.numpy.shape", core=False, host_only=True, reference="none")
@case("jax.numpy.ndim", core=False, host_only=True, reference="none")
def of_nodes_that_become_arrays(t, function):
    """Of the array that a node of a tree holds, in a program, too; a tree of such nodes in vmap has their examples."""
    f, one, jax = t.get(function), wrapper(), t.fw
    want = {"shape": [(5, 3), (), (3,)], "ndim": [2, 0, 1]}[function[len(NP) :]]
    seen = [t.call(function, one(t.randn((5, 3), "f32"))), t.call(function, one(2.5))]
    jax.vmap(lambda node: seen.append(f(node)) or node)(one(t.randn((5, 3), "f32")))
    t.expect(seen == want, "%s, got %s" % (want, seen))
