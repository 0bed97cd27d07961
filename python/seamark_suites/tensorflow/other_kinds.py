"""Half precision, complex numbers, truth values, single numbers and nothing, for operations whose other cases lack them."""

from seamark_suites.transformed import plain

from .transformed import ALL, EACH, MORE, PLAIN, V1, called, each

NEAR = {"f16": 4e-3, "c64": 1e-5}
EXACT = dict.fromkeys(("f64", "c128"), 0.0)
# Ordered, cut or compared by size, or that change the kind.
ORDERED = {
    "tf.where", V1 + "where", "tf.abs", "tf.maximum", "tf.minimum", "tf.clip_by_value", "tf.reduce_max", V1 + "to_float", "tf.floor",
    "tf.equal", "tf.not_equal", "tf.greater", "tf.less", "tf.logical_and", V1 + "to_int32", "tf.argmax", "tf.reduce_any", "tf.reduce_all",
}  # fmt: skip
# Of truth values, or whose result is a whole number.
TRUTHS = {V1 + "to_float", V1 + "to_int32", "tf.floor", "tf.reduce_any", "tf.reduce_all"}
HALVES = [name for name in ALL if name not in TRUTHS]
COMPLEX = [name for name in ALL if name not in ORDERED]
MOVES = [name for name in MORE if name.rpartition(".")[2] in (
    "concat", "stack", "expand_dims", "squeeze", "transpose", "reshape", "tile", "broadcast_to", "split", "unstack", "gather", "gather_nd",
    "slice", "pad")]  # fmt: skip
ONE = [name for name in ALL if ALL[name][2] == [(3, 4)]]
# Whose call takes parts that rows of nothing do not have.
PARTS = {
    "tf.gather_nd",
    "tf.slice",
    "tf.broadcast_to",
    "tf.fill",
    "tf.one_hot",
    "tf.reduce_any",
    "tf.reduce_all",
}


@each(HALVES, plain, dtypes="f16", rtol=NEAR, atol={"f16": 6e-3})
@each(COMPLEX, plain, dtypes="c64", rtol=NEAR, atol={"c64": 1e-5})
def of_other_kinds(t, dtype, function):
    """Numbers of half precision, and complex ones; of comparisons more, so that not all come out alike."""
    more = (9,) if function in PLAIN else ()
    drawn = [t.uniform((*more, *shape), dtype, 0.5, 2) for shape in ALL[function][2]]
    return t.call(called(t, function), *drawn)


@each(MOVES, plain, dtypes="bool i8 u8", trivial=True)
def moves_any_kind(t, dtype, function):
    """Truth values and small integers go where they must, and stay what they are."""
    made = t.call(called(t, function), *(t.randn(shape, dtype) for shape in ALL[function][2]))
    t.expect(all(one.dtype == t.dtype(dtype) for one in made), "the dtype of the input")
    return made


@each([*MOVES, "tf.abs"], plain, dtypes="f64", rtol=EXACT, atol=EXACT)
@each(MOVES, plain, dtypes="c128 i64", rtol=EXACT, atol=EXACT)
def moves_wide_numbers(t, dtype, function):
    """Odd numbers that a float of 32 bits does not have, and that differ in their last bits. They come out exact."""
    drawn = []
    for n, shape in enumerate(ALL[function][2]):
        x = 2**52 + 1 + 2 * (t.np.arange(t.np.prod(shape)) * (11, 7)[n] % 29).reshape(shape)
        x = x * (-1) ** t.np.arange(shape[-1])
        drawn.append(t.const(x + 1j * x[::-1] if dtype == "c128" else x, dtype))
    return t.call(called(t, function), *drawn)


@each([name for name in ONE if name not in PARTS], plain, dtypes="f32", trivial=True)
def of_no_rows(t, dtype, function):
    return t.call(called(t, function), t.randn((0, 4), dtype))


@each({**EACH, **PLAIN}, plain, dtypes="f32", rtol={"f32": 1e-5}, trivial=True)
def of_single_numbers(t, dtype, function):
    """Without axes."""
    made = t.call(called(t, function), *(t.uniform((), dtype, 0.5, 2) for _ in ALL[function][2]))
    t.expect(all(one.shape.rank == 0 for one in made), "no axes")
    return made


@each([name for name in EACH if name != "tf.cast"], plain, dtypes="f32", rtol={"f32": 1e-5})
def of_arrays_of_numpy(t, dtype, function):
    """Arrays of NumPy are taken as tensors."""
    drawn = [
        t.host(t.uniform(shape, dtype, 0.5, 2)).astype("float32") for shape in ALL[function][2]
    ]
    made = t.call(called(t, function), *drawn)
    t.expect(all(t.fw.is_tensor(one) for one in made), "tensors")
    return made
