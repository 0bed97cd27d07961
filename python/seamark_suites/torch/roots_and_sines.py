"""sin, sqrt, sigmoid, and their methods: kinds, places and layouts that PyTorch's own tests try."""

from . import reference_pointwise as right
from .methods import free
from .pointwise import drawn, each

MINE = "sin sqrt sigmoid Tensor.sin Tensor.sqrt Tensor.sigmoid"
WHOLE = {
    "i8": [*range(-128, 128, 5), 127], "i16": [-(2**15), -3, 0, 7, 2**15 - 1], "u8": [0, 1, 2, 127, 128, 254, 255], "i32": [-(2**31), -(2**24), -5, 3, 2**24],
    "i64": [-(2**40), -(2**24), -1, 0, 9, 2**24, 2**50],
}  # fmt: skip


@each(MINE, lambda function: right.of(free(function)), dtypes="i8 i16 u8 i32 i64", core=False)
def of_integers_below_zero_too(t, dtype, function):
    """The ends of each kind, as floats; of negative ones there is no root."""
    made = t.call(function, t.const(WHOLE[dtype], dtype))
    t.expect(made.dtype is t.fw.float32, "f32")
    return made


def _of_places(function):
    own = right.of(function)
    return lambda np, x, y: [own(np, x[:1]), own(np, y[:1, :50]), own(np, x.transpose(*range(11, -1, -1))), own(np, y[:, 1::7])]  # fmt: skip


@each(MINE, lambda function: _of_places(free(function)), dtypes="f32 f64 c64", core=False)
def of_twelve_axes(t, dtype, function):
    """Some have one place; a row whose step is that of a longer one; every seventh number."""
    x = drawn(t, free(function), (2, 2, 3, 1, 2, 1, 3, 2, 1, 2, 1, 2), dtype)
    y = drawn(t, free(function), (5, 100), dtype)
    views = x[:1], y[:1, :50], x.permute(*range(11, -1, -1)), y[:, 1::7]
    return [t.call(function, one) for one in views]


SMALL = {
    "f32": [2**-149, 2**-126, 1e-40, 1e-30], "f64": [5e-324, 2**-1022, 1e-310, 1e-300], "f16": [2**-24, 2**-14, 3e-6, 1e-4, 65504.0, 2049.0], "bf16": [2**-126, 1e-30, 3e38, 257.0],
}  # fmt: skip


@each("sqrt sin Tensor.sqrt Tensor.sin", lambda function: right.of(free(function)), dtypes="f32 f64 f16 bf16", core=False)  # fmt: skip
def of_the_smallest(t, dtype, function):
    """Numbers below the normal ones are not zero; of halves the ends of the range."""
    x = t.const(SMALL[dtype], dtype)
    made = t.call(function, x)
    want, bits = right.of(free(function))(t.np, t.host(x)), {"f32": 20, "f64": 48, "f16": 9, "bf16": 6}[dtype]  # fmt: skip
    least = {"f32": 2.0**-149, "f64": 5e-324, "f16": 2.0**-24, "bf16": 2.0**-133}[dtype]
    error = abs(t.host(made) - want)
    t.expect(bool((error <= abs(want) * 2.0**-bits + least).all()), "%s, got %s" % (want, made))
    return made


@each("sqrt Tensor.sqrt", lambda _: lambda np, x: np.sqrt(x), dtypes="f32 f64", core=False)
def roots_of_squares(t, dtype, function):
    """Of four thousand squares and of others, to the last digits."""
    x = t.const([float(n) ** 2 for n in range(4000)] + [2.0, 3.0, 1e30, 0.1], dtype)
    made = t.call(function, x)
    error = abs(t.host(made) - t.np.sqrt(t.host(x)))
    least = t.host(made) * 2.0 ** (-20 if dtype == "f32" else -48)
    t.expect(bool((error <= least).all()), "the last digits")
    return made


LEFT = [-30 + 1j, 30 + 1j, -5 + 3j, 0.5j, 100 + 2j, -20 - 2j, -12 + 0j, 3 - 3j]


def _relative(t, made, want, what):
    error = abs(t.host(made) / want - 1)
    t.expect(bool((error < 1e-4).all()), "a relative error below 1e-4 of %s, got %s" % (what, error))  # fmt: skip


@each("sigmoid Tensor.sigmoid", lambda function: right.of(free(function)), dtypes="c64 c128", core=False)  # fmt: skip
def of_the_left_half_plane(t, dtype, function):
    """Far from zero; on the left in relation to its size."""
    x = t.const(LEFT, dtype)
    made = t.call(function, x)
    _relative(t, made, right.sigmoid(t.np, t.host(x)), "sigmoid")
    return made


FAR = [3e37 + 3e37j, 1e-36 + 1e-36j, -1e-30 + 0j, 1e30 - 1e-30j, -1e30 + 1e20j, 1e20j, -1e-20j]


@each("sqrt Tensor.sqrt", lambda function: right.of(free(function)), dtypes="c64 c128", core=False)
def of_great_and_small_complex_numbers(t, dtype, function):
    """No overflow and no zero, where the square of the size has one."""
    x = t.const(FAR, dtype)
    made = t.call(function, x)
    _relative(t, made, t.np.sqrt(t.host(x)), "sqrt")
    return made


@each("sin sqrt Tensor.sin Tensor.sqrt", lambda function: lambda np, x, kept: [right.of(free(function))(np, x * kept)] * 3 + [right.of(free(function))(np, np.array([9.0, 0, 2.25]))],
      dtypes="f32 f64", core=False, since=("2.0", "blocks"))  # fmt: skip
def of_sparse_columns_and_blocks(t, dtype, function):
    """Stored by columns and by blocks of either order, the layout stays; numbers of the same place are added before."""
    x = t.uniform((4, 6), dtype, 0.5, 3) * t.randn((4, 6), "bool")
    sparse = x.to_sparse_csc(), x.to_sparse_bsr((2, 3)), x.to_sparse_bsc((2, 3))
    made = [t.call(function, one) for one in sparse]
    t.expect([one.layout for one in made] == [one.layout for one in sparse], "the layouts")
    places, values = t.fw.tensor([[0, 2, 0]], device=t.device), t.fw.tensor([4, 2.25, 5], dtype=x.dtype, device=t.device)  # fmt: skip
    twice = t.fw.sparse_coo_tensor(places, values, (3,))
    return [*(one.to_dense() for one in made), t.call(function, twice).to_dense()]
