"""Functions between the first eight and the first nine calls in ten: what is asked of devices, draws, transforms."""

from seamark_suites.case import case

from . import reference as right

# --- facts of the process and of its devices


@case("jax.default_backend", host_only=True, reference="none")
def where_work_goes(t):
    found = t.call("jax.default_backend")
    t.expect(found in ("cpu", "gpu", "tpu") or found.islower(), "a platform, got %r" % (found,))
    t.expect(found == t.fw.devices()[0].platform, "of the first device")


@case("jax.device_count", host_only=True, reference="none")
def devices_counted(t):
    t.expect(t.call("jax.device_count") == len(t.fw.devices()), "as many as are listed")
    t.expect(t.call("jax.device_count", "cpu") == len(t.fw.devices("cpu")), "of one platform")
    t.raises(RuntimeError, t.call, "jax.device_count", "nonsense")


@case("jax.local_device_count", host_only=True, reference="none")
def own_devices_counted(t):
    found = t.call("jax.local_device_count")
    t.expect(found == len(t.fw.local_devices()) >= 1, "as many as are listed")
    t.expect(found <= t.fw.device_count(), "no more than of all processes")


@case("jax.local_devices", host_only=True, reference="none")
def own_devices(t):
    found = t.call("jax.local_devices")
    t.expect(type(found) is list and set(found) <= set(t.fw.devices()), "some of all devices")
    t.expect({one.process_index for one in found} == {t.fw.process_index()}, "of this process")
    t.expect(t.call("jax.local_devices", backend="cpu") == t.fw.devices("cpu"), "of one platform")


@case("jax.process_count", host_only=True, reference="none")
def one_process(t):
    t.expect(t.call("jax.process_count") == 1, "one where none were joined")


@case("jax.process_index", host_only=True, reference="none")
def number_of_the_process(t):
    t.expect(t.call("jax.process_index") == 0, "the first of one")
    t.expect({one.process_index for one in t.fw.local_devices()} == {0}, "as its devices say")


# --- draws

BERNOULLI, CHOICE, RANDINT = ("jax.random." + name for name in ("bernoulli", "choice", "randint"))


@case(BERNOULLI, p=[0.5, 0.1], random=True, reference="none")
@case(BERNOULLI, p=[0.9], core=False, random=True, reference="none")
def shares_of_true(t, p):
    made = t.call(BERNOULLI, t.fw.random.PRNGKey(3), p, (100, 200))
    t.expect(made.dtype == bool and made.shape == (100, 200), "a mask, got %s" % made.dtype)
    share = float(t.host(made).mean())
    t.expect(
        abs(share - p) < 5 * (p * (1 - p) / 20000) ** 0.5, "a share of %g, got %g" % (p, share)
    )
    again = t.call(BERNOULLI, t.fw.random.PRNGKey(3), p, (100, 200))
    t.expect(bool((t.host(again) == t.host(made)).all()), "the same of the same key")
    return made


@case(BERNOULLI, dtypes="f32 bf16", core="f32", random=True, reference="none")
def a_probability_of_each(t, dtype):
    p = t.const([0.0, 1.0, 0.25], dtype)
    values = t.host(t.call(BERNOULLI, t.fw.random.PRNGKey(8), p, (4000, 3))).mean(0)
    t.expect(values[0] == 0 and values[1] == 1, "never and always, got %s" % values)
    t.expect(abs(values[2] - 0.25) < 0.04, "a quarter, got %g" % values[2])


@case(CHOICE, replace=[True, False], random=True, reference="none")
def some_of_them(t, replace):
    x = t.const(t.np.arange(50.0) * 2 + 1, "f32")
    made = t.call(CHOICE, t.fw.random.PRNGKey(5), x, (40,), replace=replace)
    values = t.host(made)
    t.expect(set(values.tolist()) <= set(t.np.arange(50) * 2.0 + 1), "numbers of the array")
    if not replace:
        t.expect(len(set(values.tolist())) == 40, "none of them twice")
    return made


@case(CHOICE, dtypes="f32", random=True, reference="none")
def by_weights(t, dtype):
    weights = t.const([0.0, 0.7, 0.3], dtype)
    values = t.host(t.call(CHOICE, t.fw.random.PRNGKey(2), 3, (20000,), p=weights))
    shares = [float((values == i).mean()) for i in range(3)]
    t.expect(shares[0] == 0 and abs(shares[1] - 0.7) < 0.02, "0, 0.7 and 0.3, got %s" % shares)


@case(CHOICE, dtypes="f32", core=False, reference="none")
def rows_of_a_matrix(t, dtype):
    x = t.randn((6, 3), dtype)
    values, rows = t.host(t.call(CHOICE, t.fw.random.PRNGKey(1), x, (4,), axis=0)), t.host(x)
    t.expect(all((rows == row).all(1).any() for row in values), "whole rows")
    t.raises(ValueError, t.call, CHOICE, t.fw.random.PRNGKey(1), 3, (4,), replace=False)


@case(RANDINT, dtypes="i32 u8 i8", core="i32 u8", random=True, reference="none")
@case(RANDINT, dtypes="i16 i64 u32", core=False, random=True, reference="none")
def evenly_between(t, dtype):
    low = 0 if dtype[0] == "u" else -3
    made = t.call(RANDINT, t.fw.random.PRNGKey(4), (100, 200), low, 7, t.dtype(dtype))
    values = t.host(made)
    t.expect(made.dtype == t.dtype(dtype), "its dtype, got %s" % made.dtype)
    t.expect(values.min() == low and values.max() == 6, "the bounds, the upper one left out")
    shares = t.np.bincount((values - low).ravel().astype(int)) / values.size
    p = 1 / (7 - low)
    error = 5 * (p * (1 - p) / values.size) ** 0.5
    t.expect(float(abs(shares - p).max()) < error, "each as often, got %s" % shares)
    return made


@case(RANDINT, core=False, random=True, reference="none")
def bounds_of_each(t):
    low, high = t.const([0, 10, -5], "i32"), t.const([1, 12, -4], "i32")
    values = t.host(t.call(RANDINT, t.fw.random.PRNGKey(6), (500, 3), low, high))
    t.expect(set(values[:, 0]) == {0} and set(values[:, 2]) == {-5}, "one number each")
    t.expect(set(values[:, 1]) == {10, 11}, "two numbers")


@case("jax.random.fold_in", data=[0, 1, 123456789], reference=lambda np, key, data: np.array(
      right.threefry([int(word) for word in key], (0, data))))  # fmt: skip
def another_key(t, data):
    """The key of its seed, encrypted with the number."""
    key = t.const([7, 11], "u32")
    return t.call("jax.random.fold_in", key, data)


@case("jax.random.fold_in", reference="none")
def keys_of_steps(t):
    key = t.fw.random.PRNGKey(0)
    found = {tuple(t.host(t.call("jax.random.fold_in", key, step)).tolist()) for step in range(20)}
    t.expect(len(found) == 20 and tuple(t.host(key).tolist()) not in found, "a key for each step")


@case("jax.random.key_data", seed=[0, 42, 2147483647], since=("0.4.16", "keys of their own dtype"),
      trivial=True, reference=lambda np, seed: np.array([0, seed], "uint32"))  # fmt: skip
def words_of_a_key(t, seed):
    return t.call("jax.random.key_data", t.fw.random.key(seed))


@case("jax.random.key_data", dtypes="u32", core=False, reference=lambda np, x: x)
def of_old_keys(t, dtype):
    """Words stay what they are."""
    return t.call("jax.random.key_data", t.randint((3, 2), dtype, 0, 1000))


SCALES = [
    ("fan_in", 2.0, "normal"),
    ("fan_out", 1.0, "uniform"),
    ("fan_avg", 3.0, "truncated_normal"),
]


@case("jax.nn.initializers.variance_scaling", dtypes="f32 bf16", scales=SCALES, core="f32",
      random=True, reference="none")  # fmt: skip
def variance_by_the_fan(t, dtype, scales):
    mode, scale, kind = scales
    make = t.get("jax.nn.initializers.variance_scaling")(scale, mode, kind)
    made = t.call(make, t.fw.random.PRNGKey(9), (80, 120), t.dtype(dtype))
    t.expect(made.dtype == t.dtype(dtype) and made.shape == (80, 120), "dtype and shape")
    want = (scale / {"fan_in": 80, "fan_out": 120, "fan_avg": 100}[mode]) ** 0.5
    values = t.host(made).astype("float64")
    t.expect(
        abs(values.std() / want - 1) < 0.05, "a deviation of %g, got %g" % (want, values.std())
    )
    t.expect(abs(values.mean()) < 0.06 * want, "a mean of 0, got %g" % values.mean())
    if kind == "uniform":
        t.expect(abs(values).max() <= want * 3**0.5 * 1.01, "within the bounds")
    return made


# --- arrays


@case("jax.lax.convert_element_type", dtypes="f32 bf16 i32", to=["f32", "i32", "bf16", "bool"],
      trivial=True, reference=lambda np, x, to: x.astype(bool) if to == "bool" else np.trunc(x) if
      to == "i32" else x)  # fmt: skip
@case("jax.lax.convert_element_type", dtypes="f16 f64 i8 u8", to=["f32", "i32"], core=False,
      reference=lambda np, x, to: np.trunc(x) if to == "i32" else x)  # fmt: skip
def as_another(t, dtype, to):
    x = t.const([-3.0, -1.5, 0.0, 0.5, 2.75, 100.0], dtype) if dtype[0] != "u" else t.const(
        [0, 1, 2, 3, 200], dtype)  # fmt: skip
    made = t.call("jax.lax.convert_element_type", x, t.dtype(to))
    t.expect(made.dtype == t.dtype(to), "the dtype asked for, got %s" % made.dtype)
    return made


@case("jax.lax.convert_element_type", dtypes="f32", core=False, reference=lambda np, x: np.where(
      x > 1e4, np.inf, x))  # fmt: skip
def too_large_for_it(t, dtype):
    """What f16 cannot hold is infinite."""
    return t.call("jax.lax.convert_element_type", t.const([1.0, 7e4, 1e30], dtype), t.dtype("f16"))


@case(
    "jax.numpy.logical_not",
    dtypes="bool i32 f32 bf16",
    shapes="64x33",
    reference=lambda np, x: x == 0,
)
@case("jax.numpy.logical_not", dtypes="f16 f64 c64 i8 u8", shapes="64x33", core=False,
      reference=lambda np, x: x == 0)  # fmt: skip
@case("jax.numpy.logical_not", dtypes="f32 bool", shapes="0 scalar", trivial=True, core=False,
      reference=lambda np, x: x == 0)  # fmt: skip
def not_of_each(t, dtype, shape):
    low, high = (0, 2) if dtype[0] in "ub" and dtype != "bf16" else (-1, 2)
    return t.call("jax.numpy.logical_not", t.randint(shape, dtype, low, high))


@case("jax.numpy.logical_not", dtypes="f32 bf16", core=False, reference=lambda np, x: x == 0)
def signs_and_nan(t, dtype):
    return t.call("jax.numpy.logical_not", t.const([-0.0, 0.0, float("nan"), float("inf")], dtype))


@case("jax.numpy.broadcast_shapes", host_only=True, reference="none")
def shape_of_all(t):
    for given in (((2, 1), (3,)), ((), (4, 5)), ((1, 0), (7, 1)), ((3,),), (2, (1,))):
        found = t.call("jax.numpy.broadcast_shapes", *given)
        t.expect(
            found == t.np.broadcast_shapes(*given), "as NumPy's of %s, got %s" % (given, found)
        )
    t.raises(ValueError, t.call, "jax.numpy.broadcast_shapes", (2,), (3,))


# --- transforms


@case("jax.jacfwd", dtypes="f32", rtol={"f32": 1e-5}, atol={"f32": 1e-5}, reference=lambda np, w, x:
      (1 - np.tanh(w @ x) ** 2)[:, None] * w)  # fmt: skip
@case("jax.jacfwd", dtypes="bf16 f64", core=False, rtol={"bf16": 4e-2, "f64": 1e-12}, atol={"bf16":
      4e-2, "f64": 1e-12}, reference=lambda np, w, x: (1 - np.tanh(w @ x) ** 2)[:, None] * w)  # fmt: skip
def of_a_layer(t, dtype):
    w, x = t.randn((4, 3), dtype), t.randn((3,), dtype)
    numpy = t.fw.numpy
    return t.call(t.get("jax.jacfwd")(lambda w, x: numpy.tanh(w @ x), argnums=1), w, x)


@case("jax.jacfwd", dtypes="f32", rtol={"f32": 1e-4}, atol={"f32": 1e-5}, reference=lambda np, x:
      np.diag(-np.sin(x)))  # fmt: skip
def a_hessian_of_sums(t, dtype):
    jax = t.fw
    second = t.get("jax.jacfwd")(jax.grad(lambda v: jax.numpy.sin(v).sum()))
    return t.call(second, t.randn((5,), dtype))


@case(
    "jax.jacfwd",
    dtypes="f32",
    core=False,
    reference=lambda np, x, y: ([np.diag(y), np.diag(x)], x + y),
)
def of_two_with_more(t, dtype):
    x, y = t.randn((3,), dtype), t.randn((3,), dtype)
    both = t.get("jax.jacfwd")(lambda a, b: (a * b, a + b), argnums=(0, 1), has_aux=True)
    found, more = t.call(both, x, y)
    return list(found), more


@case("jax.jacfwd", core=False, reference="none")
def not_of_whole_numbers(t):
    t.raises(TypeError, t.call, t.get("jax.jacfwd")(lambda x: x * 2), t.const([1, 2], "i32"))


@case("jax.numpy.vectorize", dtypes="f32 bf16", core="f32", rtol={"f32": 1e-5, "bf16": 3e-2},
      atol={"f32": 1e-5, "bf16": 3e-2}, reference=lambda np, a, x: np.einsum("bij,cbj->cbi", a, x))  # fmt: skip
def over_matrices(t, dtype):
    """By its signature: the axes in front broadcast."""
    product = t.get("jax.numpy.vectorize")(lambda a, x: a @ x, signature="(m,n),(n)->(m)")
    return t.call(product, t.randn((2, 3, 4), dtype), t.randn((5, 2, 4), dtype))


@case("jax.numpy.vectorize", dtypes="f32 i32", reference=lambda np, x, y: np.maximum(x, y) * 2)
def of_numbers(t, dtype):
    """Without a signature, a function of single numbers."""
    numpy = t.fw.numpy
    both = t.get("jax.numpy.vectorize")(lambda a, b: numpy.maximum(a, b) * 2)
    return t.call(both, t.randn((4, 1), dtype), t.randn((3,), dtype))


@case("jax.numpy.vectorize", dtypes="f32", core=False, reference=lambda np, x: [x + 3, x.T])
def what_stays_out(t, dtype):
    """Arguments that are left out, and shapes that do not fit."""
    x = t.randn((3, 2), dtype)
    add = t.get("jax.numpy.vectorize")(lambda a, n: a + n, excluded={1})
    turn = t.get("jax.numpy.vectorize")(lambda a: a.T, signature="(a,b)->(b,a)")
    t.raises(ValueError, turn, x[0])
    return [t.call(lambda a: add(a, 3), x), t.call(turn, x)]


@case("jax.pmap", dtypes="f32 i32", core="f32", reference=lambda np, x: x * 2 + 1)
def on_each_device(t, dtype):
    """One row for each device that there is; one is enough."""

    def run(x, devices):
        return t.get("jax.pmap")(lambda v: v * 2 + 1, devices=devices)(x)

    return t.call(run, t.randn((1, 6), dtype), devices=[t.device])


@case(
    "jax.pmap", dtypes="f32", rtol={"f32": 1e-5}, reference=lambda np, x: x.mean(0, keepdims=True)
)
def a_mean_over_devices(t, dtype):
    def mean(x, devices):
        return t.get("jax.pmap")(lambda v: t.fw.lax.pmean(v, "i"), axis_name="i", devices=devices)(
            x
        )

    return t.call(mean, t.randn((1, 7), dtype), devices=[t.device])


@case("jax.pmap", core=False, reference="none")
def more_rows_than_devices(t):
    rows = t.fw.device_count() + 1
    t.raises(
        ValueError, t.call, t.get("jax.pmap")(lambda v: v), t.const(t.np.zeros((rows, 2)), "f32")
    )


@case("jax.tree_util.keystr", host_only=True, reference="none")
def paths_in_words(t):
    tree = {"a": [1, (2, 3)], "b": None, 4: 5}
    tree.pop(4)  # keys of two kinds have no order
    paths, _ = t.fw.tree_util.tree_flatten_with_path(tree)
    found = [t.call("jax.tree_util.keystr", path) for path, _ in paths]
    t.expect(
        found == ["['a'][0]", "['a'][1][0]", "['a'][1][1]"], "as Python writes them, got %s" % found
    )
    t.expect(t.call("jax.tree_util.keystr", ()) == "", "nothing for the root")


@case("jax.tree_util.keystr", host_only=True, core=False, reference="none",
      since=("0.4.37", "the arguments simple and separator"))  # fmt: skip
def short_paths(t):
    paths, _ = t.fw.tree_util.tree_flatten_with_path({"a": [1, {"b": 2}]})
    found = [t.call("jax.tree_util.keystr", path, simple=True, separator="/") for path, _ in paths]
    t.expect(found == ["a/0", "a/1/b"], "names and numbers, got %s" % found)
