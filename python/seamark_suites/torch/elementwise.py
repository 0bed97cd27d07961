"""Element by element, comparisons, reductions."""

from seamark_suites.case import case, table

table("torch", "round", dtypes="f32 f64 bf16 f16", shapes="64x33 scalar", core="f32 bf16")
table("torch", "round", dtypes="f32", shapes="0", trivial=True, core=False)
table("torch", "lt", arity=2, dtypes="f32 bf16 i64 bool", shapes="64x33")
table("torch", "bitwise_not", dtypes="i64 i32 u8 bool", shapes="64x33", core="i64 bool")
table("torch", "bitwise_not", dtypes="i64", shapes="scalar")


@case("torch.log1p", dtypes="f32 f64 bf16 f16 c64", shapes="64x33", grad=True, core="f32 bf16 c64",
      rtol={"f16": 2e-3})  # the gradient rounds 1 + x to f16 first # fmt: skip
def log1p(t, dtype, shape):
    return t.call("torch.log1p", t.uniform(shape, dtype, -0.5, 4.0))


@case("torch.log1p", dtypes="f32 f64")
def small_arguments(t, dtype):
    """log1p is there for arguments that 1 + x would lose."""
    x = t.const([1e-12, -1e-12, 1e-9, 3e-8, 0.25], dtype)
    y = t.call("torch.log1p", x)
    values, arguments = t.host(y), t.host(x)
    t.expect(
        bool((abs(values[:3] - arguments[:3]) < 1e-6 * abs(arguments[:3])).all()),
        "log1p(x) close to x for tiny x",
    )
    return y


@case("torch.round", dtypes="f32 f64")
def half_to_even(t, dtype):
    return t.call("torch.round", t.const([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5], dtype))


@case("torch.round", dtypes="f32 f64", decimals=[2, -1], core="f32")
def decimals(t, dtype, decimals):
    return t.call("torch.round", t.uniform((64,), dtype, -100, 100), decimals=decimals)


@case("torch.lt", dtypes="f32")
def broadcast_and_nan(t, dtype):
    nan = float("nan")
    return t.call(
        "torch.lt", t.const([[1.0], [nan], [-3.0]], dtype), t.const([0.0, 2.0, nan, -5.0], dtype)
    )


@case("torch.sum", dtypes="f32 f64 bf16 f16 i32 bool c64", shapes="64x33", dim=[None, 0, (0, 1)], grad=True,
      core="f32 bf16 i32")  # fmt: skip
def reduce(t, dtype, shape, dim):
    x = t.randn(shape, dtype)
    return t.call("torch.sum", x) if dim is None else t.call("torch.sum", x, dim=dim)


@case("torch.sum", dtypes="f32", keepdim=[True, False])
def noncontiguous(t, dtype, keepdim):
    return t.call(
        "torch.sum", t.randn((8, 5, 6), dtype, noncontiguous=True), dim=(0, 2), keepdim=keepdim
    )


@case("torch.sum", dtypes="f32 i64", trivial=True)
def of_nothing(t, dtype):
    """The sum of no elements is zero."""
    return t.call("torch.sum", t.randn((0, 3), dtype), dim=0)


@case("torch.sum", dtypes="f32", core=False)
def many(t, dtype):
    return t.call("torch.sum", t.uniform((1 << 20,), dtype))


@case("torch.sum", dtypes="f32 bf16")
def widened(t, dtype):
    """dtype= accumulates in another type."""
    return t.call("torch.sum", t.randn((64, 33), dtype), dim=1, dtype=t.dtype("f64"))
