"""torch.matmul of factors whose axes are turned, beside more batches."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from .reference import with_gradient


def _products(np, x, y):
    return [x.swapaxes(-1, -2) @ y, y.swapaxes(-1, -2) @ x, x.transpose(1, 0, 3, 2)[:, None] @ y[0]]


@case("torch.matmul", dtypes="f32 f64 c64", grad=True, core=False, reference=with_gradient(_products, affine_pull(_products)))  # fmt: skip
def turned_beside_more_batches(t, dtype):
    """Two batches by three, as its own test has it; turned from either side; batches in another order."""
    f = t.get("torch.matmul")

    def run(x, y):
        return [f(x.permute(0, 1, 3, 2), y), f(y.mT, x), f(x.permute(1, 0, 3, 2)[:, None], y[0])]

    return t.call(run, t.uniform((2, 2, 4, 3), dtype, 0.5, 1.5), t.uniform((3, 2, 2, 4, 2), dtype, 0.5, 1.5))  # fmt: skip
