"""jax.vmap: a function of one example for a batch of them."""

from seamark_suites.case import case

from .reference import with_gradient

# Sums of products, which may cancel.
NEAR = {"f32": 1e-5, "bf16": 4e-2, "f16": 4e-3, "f64": 1e-13, "c64": 1e-5}


def predict(x, w):
    import jax

    return jax.numpy.tanh(x @ w / 2)


def predict_all(x, w):
    import jax

    return jax.vmap(predict, in_axes=(0, None))(x, w)


def predicted(np, x, w):
    return np.tanh(x @ w / 2)


def predicted_pull(np, weights, x, w):
    slope = weights * (1 - predicted(np, x, w) ** 2) / 2
    return slope @ w.T, x.T @ slope


@case("jax.vmap", dtypes="f32 bf16 f16 f64", core="f32 bf16", rtol=NEAR, atol=NEAR,
      reference=predicted, name="one_layer")  # fmt: skip
@case("jax.vmap", dtypes="f32 bf16 f64", core="f32 bf16", rtol=NEAR, atol=NEAR, grad=True,
      reference=with_gradient(predicted, predicted_pull), name="one_layer_gradient")  # fmt: skip
def a_layer_of_one_example(t, dtype):
    return t.call(predict_all, t.randn((7, 4), dtype), t.randn((4, 3), dtype))


def over_axes(x, y):
    import jax

    outer = jax.vmap(lambda a, b: a * 2 - b, in_axes=(-1, 0), out_axes=1)(x, y)
    mixed = jax.vmap(lambda a, b: (a.sum(), a * b[0]), in_axes=(0, None), out_axes=(0, -1))(x, x)
    return outer, mixed


@case("jax.vmap", dtypes="f32 i32 bf16", core="f32 i32", rtol=NEAR, atol=NEAR,
      reference=lambda np, x, y: (x * 2 - y.T, (x.sum(1), (x * x[0]).T)))  # fmt: skip
def axes_of_arguments_and_results(t, dtype):
    return t.call(over_axes, t.randn((5, 3), dtype), t.randn((3, 5), dtype))


def pairwise(x, y):
    import jax

    def distance(a, b):
        return ((a - b) ** 2).sum()

    return jax.vmap(jax.vmap(distance, (None, 0)), (0, None))(x, y)


@case("jax.vmap", dtypes="f32 i32 f64", core="f32 i32", rtol=NEAR, atol=NEAR,
      reference=lambda np, x, y: ((x[:, None] - y) ** 2).sum(-1))  # fmt: skip
def nested_over_all_pairs(t, dtype):
    return t.call(pairwise, t.randn((6, 3), dtype), t.randn((4, 3), dtype))


def examples_slopes(w, x, y):
    import jax

    def loss(w, x, y):
        return (x @ w - y) ** 2

    return jax.vmap(jax.grad(loss), in_axes=(None, 0, 0))(w, x, y)


@case("jax.vmap", dtypes="f32 bf16 f64", core="f32", rtol=NEAR, atol={"f32": 1e-4, "bf16": 0.25,
      "f64": 1e-12},  # a difference, doubled, times a number of a normal distribution
      reference=lambda np, w, x, y: 2 * (x @ w - y)[:, None] * x)  # fmt: skip
def gradient_of_each_example(t, dtype):
    return t.call(
        examples_slopes,
        t.uniform((4,), dtype, -1, 1),
        t.uniform((6, 4), dtype, -1, 1),
        t.uniform((6,), dtype, -1, 1),
    )


def of_tree(tree, scale):
    import jax

    def one(part, s):
        return {"sum": part["a"] + part["b"][0] * s, "kept": part["b"]}

    axes = ({"a": 0, "b": [1]}, None)
    return jax.vmap(one, in_axes=axes, out_axes={"sum": 0, "kept": [1]})(tree, scale)


@case("jax.vmap", dtypes="f32 i32", core="f32",
      reference=lambda np, a, b, s: {"sum": a + b.T * s, "kept": [b]})  # fmt: skip
def trees_of_axes(t, dtype):
    tree = {"a": t.randint((5, 3), dtype, -9, 9), "b": [t.randint((3, 5), dtype, -9, 9)]}
    return t.call(of_tree, tree, t.randint((), dtype, 2, 5))


def chosen(x, y):
    import jax

    def one(a, b):
        return jax.lax.cond(a > 0, lambda v: v * 2, lambda v: v - 1, b)

    return jax.vmap(one)(x, y)


@case("jax.vmap", dtypes="f32 i32 bf16", core="f32 i32",
      reference=lambda np, x, y: np.where(x[:, None] > 0, y * 2, y - 1))  # fmt: skip
def a_branch_of_each_example(t, dtype):
    return t.call(chosen, t.distinct((8,), dtype), t.randint((8, 3), dtype, -9, 9))


def counted(x):
    import jax

    def halvings(n):
        return jax.lax.while_loop(lambda s: s[0] > 1, lambda s: (s[0] // 2, s[1] + 1), (n, 0))[1]

    return jax.vmap(halvings)(x)


@case("jax.vmap", reference=lambda np, x: np.floor(np.log2(x)).astype(int))
def a_loop_of_each_example(t):
    """Each stops when it is ready, the longest last."""
    return t.call(counted, t.const([1, 2, 3, 4, 100, 1023, 1024, 7], "i32"))


def normalized(x):
    import jax

    def one(v):
        return v - jax.lax.pmean(v, "batch"), jax.lax.psum(1, "batch"), jax.lax.axis_index("batch")

    return jax.vmap(one, axis_name="batch")(x)


@case("jax.vmap", dtypes="f32 f64", core="f32", rtol=NEAR, atol=NEAR,
      reference=lambda np, x: (x - x.mean(0), np.full(8, 8), np.arange(8)))  # fmt: skip
def a_named_axis(t, dtype):
    return t.call(normalized, t.randn((8, 3), dtype))


def sized(x):
    import jax

    both = jax.vmap(lambda: x * 2, axis_size=3)()
    return both, jax.vmap(lambda v: (v, 7), out_axes=(0, None))(x)


@case("jax.vmap", dtypes="f32 i32", core=False,
      reference=lambda np, x: (np.stack([2 * x] * 3), (x, 7)))  # fmt: skip
def sizes_and_results_without_a_batch(t, dtype):
    return t.call(sized, t.randint((4,), dtype, -9, 9))


def solved(a, b):
    import jax

    factor = jax.vmap(jax.numpy.linalg.cholesky)(a)
    found = jax.vmap(lambda m, v: jax.scipy.linalg.cho_solve((m, True), v))(factor, b)
    return found, jax.vmap(lambda v, i: v[i])(b, jax.numpy.arange(len(b)) % b.shape[1])


@case("jax.vmap", dtypes="f32 f64", core=False, rtol={"f32": 1e-4, "f64": 1e-11},
      atol={"f32": 1e-5, "f64": 1e-12},  # matrices with a condition below 10
      reference=lambda np, a, b: (
          np.linalg.solve(a, b[..., None])[..., 0], b[np.arange(len(b)), np.arange(len(b)) % 5]
      ))  # fmt: skip
def linear_algebra_and_indexing(t, dtype):
    """What has a batched kernel of its own, and a gather."""
    return t.call(solved, t.spd(5, dtype, batch=(6,)), t.randn((6, 5), dtype))


def convolved(x, w):
    import jax

    def one(image, kernel):
        return jax.lax.conv(image[None], kernel, (1, 1), "VALID")[0]

    return jax.vmap(one)(x, w)


def convolved_right(np, x, w):
    windows = np.lib.stride_tricks.sliding_window_view(x, w.shape[-2:], (2, 3))
    return np.einsum("bihwxy,boixy->bohw", windows, w)


@case("jax.vmap", dtypes="f32 bf16", core=False, rtol=NEAR, atol={"f32": 1e-4, "bf16": 0.1},
      reference=convolved_right)  # fmt: skip
def kernels_of_each_example(t, dtype):
    """A batch of kernels makes a convolution of groups."""
    x, w = t.uniform((3, 2, 6, 5), dtype, 0, 1), t.uniform((3, 4, 2, 3, 2), dtype, 0, 1)
    return t.call(convolved, x, w)


@case("jax.vmap", dtypes="f32 i32", core="f32", rtol=NEAR, atol=NEAR,
      reference=lambda np, x, y, z: [one.sum(1) * 2 for one in (x, y, z)])  # fmt: skip
def batches_one_after_another(t, dtype):
    made = t.get("jax.vmap")(lambda v: v.sum() * 2)
    return [t.call(made, x) for x in [t.randn((n, 5), dtype) for n in (2, 9, 33)]]


@case("jax.vmap", dtypes="f32", shapes="0x3 3x0 1x1", trivial=True, core=False,
      reference=lambda np, x: (x * 2, x.sum(1)))  # fmt: skip
def batches_of_nothing_and_of_one(t, dtype, shape):
    return t.call(t.get("jax.vmap")(lambda v: (v * 2, v.sum())), t.randn(shape, dtype))


@case("jax.vmap", dtypes="c64 f64 bool u8", core=False,
      reference=lambda np, x: (x[:, ::-1], x[:, 1]))  # fmt: skip
def other_dtypes(t, dtype):
    return t.call(t.get("jax.vmap")(lambda v: (v[::-1], v[1])), t.randn((6, 4), dtype))


def products(x, y):
    import jax

    return jax.vmap(lambda a, b: a @ b.T)(x, y)


@case("jax.vmap", dtypes="f32 bf16", large=True, rtol={"f32": 1e-4, "bf16": 4e-2},
      atol={"f32": 1e-3, "bf16": 0.1},  # sums of 64 products of normal numbers, of size 8
      reference=lambda np, x, y: x @ y.transpose(0, 2, 1))  # fmt: skip
def large_batch(t, dtype):
    return t.call(products, t.randn((96, 160, 64), dtype), t.randn((96, 192, 64), dtype))


def mapped(function, *args, **options):
    import jax

    return jax.vmap(function, **options)(*args)


@case("jax.vmap", core=False, reference="none")
def what_cannot_be_mapped(t):
    x, y = t.randn((3,), "f32"), t.randn((4,), "f32")
    t.raises(ValueError, t.call, mapped, lambda a, b: a + b, x, y)
    t.raises(ValueError, t.call, mapped, lambda a: a, x, in_axes=1)
    t.raises(ValueError, t.call, mapped, lambda a: a, 1.0)
    t.raises(ValueError, t.call, mapped, lambda a, b: a, x, x, in_axes=(0,))
    t.raises(ValueError, t.call, mapped, lambda a: a, x, in_axes=None)
    t.raises(TypeError, t.call, mapped, lambda a: a, x, in_axes="x")
    t.raises(ValueError, t.call, mapped, lambda a: a, x, out_axes=None)
    t.raises(ValueError, t.call, mapped, lambda a: a, x, out_axes=2)
    t.raises(TypeError, t.call, mapped, lambda a: "text", x)
    t.raises(TypeError, t.call, mapped, 3, x)


def other_axes(x, y):
    import jax

    by_name = jax.vmap(lambda v, *, k: v - 2 * k)(x, k=y)
    in_a_list = jax.vmap(lambda v, w: v + w, in_axes=[-1, None], out_axes=-1)(x, y[0, 0])
    of_none = jax.vmap(
        lambda tree: tree["a"].sum() + tree["b"], in_axes=({"a": 1, "b": None, "c": 0},)
    )({"a": x, "b": 3, "c": None})
    outer = jax.vmap(lambda v: {"twice": v * 2, "none": None}, out_axes={"twice": 1, "none": None})(
        x
    )
    return by_name, in_a_list, of_none, outer


@case("jax.vmap", dtypes="f32 i32", core=False, rtol=NEAR, atol=NEAR, reference=lambda np, x, y: (
      x - 2 * y, x + y[0, 0], x.sum(0) + 3, {"twice": 2 * x.T, "none": None}))  # fmt: skip
def keywords_lists_and_none(t, dtype):
    """Arguments by name along their first axis; axes in a list, from the end; None in trees and as a result."""
    return t.call(other_axes, t.randint((4, 3), dtype, -9, 9), t.randint((4, 3), dtype, -9, 9))


def own_rules(x, keys):
    import jax

    @jax.custom_jvp
    def f(v):
        return v * v

    f.defjvp(lambda primals, tangents: (primals[0] ** 2, tangents[0] * 3))

    @jax.custom_vjp
    def g(v):
        return v * v

    g.defvjp(lambda v: (v * v, v), lambda v, cotangent: (cotangent * v * 5,))
    draws = jax.vmap(lambda key: jax.random.uniform(jax.random.wrap_key_data(key), (3,)))(keys)
    each = [jax.random.uniform(jax.random.wrap_key_data(key), (3,)) for key in keys]
    slopes = [jax.jit(jax.vmap(jax.grad(h)))(x) for h in (f, g)]
    return slopes, jax.vmap(g)(x), jax.numpy.stack(each) - draws


@case("jax.vmap", dtypes="f32", core=False, rtol=NEAR, reference=lambda np, x, keys: (
      [0 * x + 3, 5 * x], x * x, np.zeros((4, 3))))  # fmt: skip
def rules_of_ones_own_and_keys(t, dtype):
    """Derivatives of one's own under vmap and jit; numbers of each key as of it alone."""
    return t.call(own_rules, t.randn((6,), dtype), t.randint((4, 2), "u32", 0, 2**32))


def places_of_each(x, start, order):
    import jax
    import jax.numpy as jnp

    def one(v, s, o):
        part = jax.lax.dynamic_slice(v, (s,), (2,))
        changed = v.at[o].set(jnp.arange(3, dtype=v.dtype)).at[o[0]].add(10)
        return jnp.sort(v), jnp.argsort(v), jnp.cumsum(v), part, v[o], changed, jnp.roll(v, s)

    return jax.vmap(one)(x, start, order)


def places_of_each_right(np, order, x, start):
    rows = []
    for v, s, o in zip(x, start, order):
        s, o, changed = int(s), o.astype(int), v.copy()
        changed[o] = np.arange(3)
        changed[o[0]] += 10
        rows.append(
            (np.sort(v), np.argsort(v), np.cumsum(v), v[s : s + 2], v[o], changed, np.roll(v, s))
        )
    return tuple(np.stack(each) for each in zip(*rows))


@case(
    "jax.vmap", dtypes="f32 i32", core=False, rtol=NEAR, atol=NEAR, reference=places_of_each_right
)
def places_of_each_example(t, dtype):
    """Sorted, summed up, cut, gathered and changed where each example says."""
    order = t.const([[4, 0, 2], [1, 2, 3], [0, 4, 1]], "i32")
    return t.call(places_of_each, t.distinct((3, 5), dtype), t.const([0, 3, 1], "i32"), order)


@case("jax.vmap", core=False, reference="none")
def axes_that_cannot_be(t):
    """Of truths, of another size, of keywords without one, none at all; axes in a tree that does not fit."""
    x = t.randn((3,), "f32")
    t.raises(TypeError, t.call, mapped, lambda a: a, x, in_axes=True)
    t.raises(ValueError, t.call, mapped, lambda a: a, x, axis_size=4)
    t.raises(ValueError, t.call, lambda: t.fw.vmap(lambda a, k: a + k)(x, k=2.0))
    t.raises(ValueError, t.call, mapped, lambda: x)
    t.raises(ValueError, t.call, mapped, lambda a: a["b"], {"b": x}, in_axes=({"c": 0},))
    t.raises(ValueError, t.call, mapped, lambda a: a, x, in_axes=-2)
    t.raises(t.fw.errors.TracerBoolConversionError, t.call, mapped, lambda a: a if a > 0 else -a, x)
    t.raises(NameError, t.call, mapped, lambda a: t.fw.lax.psum(a, "missing"), x)
