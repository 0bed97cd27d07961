"""Products of matrices: matmul, bmm, einsum."""

from seamark_suites.case import case

from .reference import with_gradient

# Sums of a thousand terms in f32, in an order of the device's choosing.
_LONG = {"rtol": {"f32": 1e-4}, "atol": {"f32": 1e-4}}


def product(np, x, y):
    return np.matmul(x, y)


def product_pull(np, w, x, y):
    return w @ y.conj().swapaxes(-1, -2), x.conj().swapaxes(-1, -2) @ w


def contracted(np, x, y):
    """einsum of bij,bjk->bik as a sum over j of outer products."""
    return (x[:, :, :, None] * y[:, None]).sum(2)


_GRADIENT = with_gradient(product, product_pull)
_CONTRACTED = with_gradient(contracted, product_pull)


def _arguments(function, x, y):
    return ("bij,bjk->bik", x, y) if function.endswith("einsum") else (x, y)


@case("torch.matmul", dtypes="f32 bf16", reference=product, name="forward")
@case("torch.bmm", dtypes="f32 bf16", reference=product, name="forward")
@case("torch.einsum", dtypes="f32 bf16", reference=contracted, name="forward")
@case("torch.matmul", dtypes="f32 bf16", grad=True, reference=_GRADIENT, name="gradient")
@case("torch.bmm", dtypes="f32 bf16", grad=True, reference=_GRADIENT, name="gradient")
@case("torch.einsum", dtypes="f32 bf16", grad=True, reference=_CONTRACTED, name="gradient")
@case("torch.matmul", dtypes="f64", grad=True, core=False, reference=_GRADIENT, name="gradient")
@case("torch.bmm", dtypes="f64", grad=True, core=False, reference=_GRADIENT, name="gradient")
@case("torch.einsum", dtypes="f64", grad=True, core=False, reference=_CONTRACTED, name="gradient")
@case("torch.matmul", dtypes="i64 c64 f16", core=False, reference=product, name="other_dtypes")
@case("torch.bmm", dtypes="i64 c64 f16", core=False, reference=product, name="other_dtypes")
@case("torch.einsum", dtypes="i64 c64 f16", core=False, reference=contracted, name="other_dtypes")
def batches(t, dtype, function):
    """Positive numbers, so that no sum cancels."""
    low, high = (1, 9) if dtype == "i64" else (0.5, 1.5)
    x, y = t.uniform((3, 7, 9), dtype, low, high), t.uniform((3, 9, 5), dtype, low, high)
    return t.call(function, *_arguments(function, x, y))


@case("torch.matmul", dtypes="f32", core=False, reference=lambda np, x, y, shape_of: product(np, x, y),
      shape_of=[((9,), (9,)), ((4, 9), (9,)), ((9,), (9, 5)), ((2, 1, 4, 9), (3, 9, 5))])  # fmt: skip
def vectors_and_broadcasting(t, dtype, shape_of):
    """A vector has an axis added, and taken off again; the axes before the last two are broadcast."""
    return t.call("torch.matmul", *(t.uniform(s, dtype, 0.5, 1.5) for s in shape_of))


@case("torch.matmul", dtypes="f32", core=False, reference=lambda np, x, y: x.swapaxes(1, 2) @ y)
@case("torch.bmm", dtypes="f32", core=False, reference=lambda np, x, y: x.swapaxes(1, 2) @ y)
@case("torch.einsum", dtypes="f32", core=False, reference=lambda np, x, y: x.swapaxes(1, 2) @ y)
def of_views(t, dtype, function):
    """A transpose, and every other column."""
    x = t.uniform((3, 9, 7), dtype, 0.5, 1.5)
    y = t.uniform((3, 9, 5), dtype, 0.5, 1.5, noncontiguous=True)
    return t.call(function, *_arguments(function, x.mT, y))


@case("torch.matmul", dtypes="f32", trivial=True, core=False, reference=product)
@case("torch.bmm", dtypes="f32", trivial=True, core=False, reference=product)
@case("torch.einsum", dtypes="f32", trivial=True, core=False, reference=contracted)
def sum_of_nothing(t, dtype, function):
    """An inner axis of length zero gives zeros."""
    x, y = t.randn((3, 4, 0), dtype), t.randn((3, 0, 5), dtype)
    return t.call(function, *_arguments(function, x, y))


@case("torch.einsum", dtypes="f32", core=False,
      reference=lambda np, x, y: [x.T, np.diag(x), x.sum(0), np.multiply.outer(x[0], y[0]), x @ y])  # fmt: skip
def equations(t, dtype):
    """A transpose, a diagonal, a sum, an outer product, an equation without an arrow."""
    x, y = t.uniform((5, 5), dtype, 0.5, 1.5), t.uniform((5, 4), dtype, 0.5, 1.5)
    return [
        t.call("torch.einsum", "ij->ji", x),
        t.call("torch.einsum", "ii->i", x),
        t.call("torch.einsum", "ij->j", x),
        t.call("torch.einsum", "i,j->ij", x[0], y[0]),
        t.call("torch.einsum", "ij,jk", x, y),
    ]


@case("torch.einsum", dtypes="f32", core=False, reference=lambda np, x, y, z: x @ y @ z)
def ellipsis_and_three(t, dtype):
    x, y, z = (t.uniform(s, dtype, 0.5, 1.5) for s in ((2, 3, 4, 5), (3, 5, 6), (6, 2)))
    return t.call("torch.einsum", "...ij,...jk,kl->...il", x, y, z)


@case("torch.matmul", dtypes="f32", large=True, reference=product, **_LONG)
@case("torch.bmm", dtypes="f32", large=True, reference=product, **_LONG)
@case("torch.einsum", dtypes="f32", large=True, reference=product, **_LONG)
def large(t, dtype, function):
    x, y = (t.uniform((2, 1024, 1024), dtype, 0.5, 1.5) for _ in range(2))
    return t.call(function, *_arguments(function, x, y))


@case("torch.matmul", core=False, reference="none")
@case("torch.bmm", core=False, reference="none")
@case("torch.einsum", core=False, reference="none")
def wrong_shapes_raise(t, function):
    """Inner axes that differ, batches that differ, another dtype."""
    x = t.randn((3, 4, 5), "f32")
    for shape in ((3, 4, 5), (2, 5, 4)):
        t.raises(RuntimeError, t.call, function, *_arguments(function, x, t.randn(shape, "f32")))
    y = t.randn((3, 5, 4), "i64")
    t.raises(RuntimeError, t.call, function, *_arguments(function, x, y))
