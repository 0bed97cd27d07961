"""Ragged, nested and sparse tensors: their sums and means, reshape, chunks of examples."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull
from seamark_suites.transformed import each_of

from . import pointwise
from .reference import with_gradient

# --- rows of several lengths

IN_A_ROW = {
    "torch.Tensor.sum": (lambda f, x: f(x, -1, keepdim=True), lambda np, x: x.sum(-1, keepdims=True)),
    "torch.Tensor.reshape": (lambda f, x: f(x, 3, -1, 2, 3), lambda np, x: x.reshape(-1, 2, 3)),
}  # fmt: skip


each = each_of(IN_A_ROW)


def _in_a_row(form):
    rows = lambda np, *rows: [form[1](np, x) for x in rows]  # noqa: E731
    return with_gradient(rows, affine_pull(rows))


@each(IN_A_ROW, _in_a_row, dtypes="f32 f64", grad=True, since=("2.1", "nested tensors"))  # fmt: skip
def gradient_of_strided_rows(t, dtype, function):
    """In the layout in which one example follows the other."""
    f, make = t.get(function), t.fw.nested.as_nested_tensor
    run = lambda *rows: list(IN_A_ROW[function][0](f, make(list(rows))).unbind())  # noqa: E731
    return t.call(run, *(t.randn((n, 6), dtype) for n in (2, 4, 1)))


def _over_ragged(function):
    name = function.rpartition(".")[2]

    def reference(np, *rows):
        over = lambda x, *axis: getattr(x, name)(*axis)  # noqa: E731
        joined, each = np.concatenate(rows), np.stack([over(x, 0) for x in rows])
        last = [over(x, 1) for x in rows]
        return [each, each[:, None], over(joined, 0), over(joined, 0)[None, None], over(joined), *last, *(x[:, None] for x in last)]  # fmt: skip

    return reference


@pointwise.each("mean Tensor.sum", _over_ragged, dtypes="f32 f64", core=False, since=("2.6", "functions of jagged tensors"))  # fmt: skip
def over_ragged_rows(t, dtype, function):
    """Over the axis whose lengths differ, over that and the examples, over all; along the last axis, which leaves a ragged result."""
    f, nested = t.get(function), t.fw.nested

    def run(*rows):
        x = nested.as_nested_tensor(list(rows), layout=t.fw.jagged)
        both = lambda axis: [f(x, axis), f(x, axis, keepdim=True)]  # noqa: E731
        ragged = [part for one in both(-1) for part in one.unbind()]
        return [*both(1), *both([0, 1]), f(x), *ragged]

    return t.call(run, *(t.uniform((n, 6), dtype, 0.5, 1.5) for n in (2, 4, 1)))


def _all_of_rows(function):
    name = function.rpartition(".")[2]
    whole = lambda np, *rows: getattr(np.concatenate(rows) ** 2, name)()  # noqa: E731
    share = lambda rows: 1 / sum(x.size for x in rows) if name == "mean" else 1  # noqa: E731
    pull = lambda np, w, *rows: [2 * w * share(rows) * x for x in rows]  # noqa: E731
    return with_gradient(whole, pull)


@pointwise.each("mean Tensor.sum", _all_of_rows, dtypes="f32 f64", grad=True, core=False, since=("2.6", "functions of jagged tensors"))  # fmt: skip
def gradient_of_all_ragged_rows(t, dtype, function):
    f, make = t.get(function), t.fw.nested.as_nested_tensor
    run = lambda *rows: f(make([x * x for x in rows], layout=t.fw.jagged))  # noqa: E731
    return t.call(run, *(t.uniform((n, 6), dtype, 0.5, 1.5) for n in (2, 4, 1)))


def _chunked(np, *rows):
    return [2 * x for x in rows]


@case("torch.Tensor.chunk", dtypes="f32", grad=True, core=False, since=("2.6", "functions of jagged tensors"),
      reference=with_gradient(_chunked, affine_pull(_chunked)))  # fmt: skip
def chunks_of_examples(t, dtype):
    """Two of three examples, and the third: along the batch."""
    chunk, make = t.get("torch.Tensor.chunk"), t.fw.nested.as_nested_tensor

    def run(*rows):
        parts = chunk(2 * make(list(rows), layout=t.fw.jagged), 2, 0)
        t.expect([len(one.unbind()) for one in parts] == [2, 1], "two examples and one")
        return [row for one in parts for row in one.unbind()]

    return t.call(run, *(t.randn((n, 6), dtype) for n in (2, 4, 1)))


# --- sums of numbers that are stored by their places


def _by_places(np, values, pairs):
    plain, rows = np.zeros((5, 6), values.dtype), np.zeros((5, 2), values.dtype)
    np.add.at(plain, ([0, 0, 2, 0, 4], [1, 1, 3, 0, 5]), values)
    np.add.at(rows, [0, 0, 2], pairs)
    made = [(x.sum(), x.sum(0), x.sum(1), x.sum(0, keepdims=True), x.sum(1, keepdims=True)) for x in (plain, rows)]  # fmt: skip
    return [*made[0], *made[1]]


@case("torch.Tensor.sum", dtypes="f32 f64 i64 c64", core=False, reference=_by_places)
def of_places_stored_twice(t, dtype):
    """What is stored twice counts twice; so it does where each place has a row of numbers."""
    fw, sums = t.fw, t.get("torch.Tensor.sum")
    values, pairs = t.randint((5,), dtype, 1, 9), t.randint((3, 2), dtype, 1, 9)
    both = fw.tensor([[0, 0, 2, 0, 4], [1, 1, 3, 0, 5]], device=t.device)
    first = fw.tensor([[0, 0, 2]], device=t.device)

    def run(values, pairs):
        made = []
        for x in (fw.sparse_coo_tensor(both, values, (5, 6)), fw.sparse_coo_tensor(first, pairs, (5, 2))):  # fmt: skip
            made += [sums(x), sums(x, 0), sums(x, 1), sums(x, 0, keepdim=True), sums(x, 1, keepdim=True)]  # fmt: skip
        return [one.to_dense() if one.is_sparse else one for one in made]

    return t.call(run, values, pairs)


@case("torch.Tensor.sum", dtypes="f32 f64 i64", core=False, reference=lambda np, x, kept: [
      (x * kept).sum(), (x * kept).sum(0, keepdims=True), (x * kept).sum(1, keepdims=True), (x * kept).sum(keepdims=True), *[(x * kept).sum()] * 3])  # fmt: skip
def of_compressed_numbers(t, dtype):
    """Of compressed rows along an axis, which stays; of columns, blocks of rows and of columns all together."""
    x, kept = t.randint((4, 6), dtype, 1, 9), t.randn((4, 6), "bool")
    sums, full = t.get("torch.Tensor.sum"), x * kept
    rows = full.to_sparse_csr()
    along = [t.call(sums, rows, axis, keepdim=True) for axis in (0, 1, (0, 1))]
    t.expect(all(one.layout is t.fw.sparse_csr for one in along), "compressed rows")
    others = full.to_sparse_csc(), full.to_sparse_bsr((2, 3)), full.to_sparse_bsc((2, 3))
    return [t.call(sums, rows), *(one.to_dense() for one in along), *(t.call(sums, one) for one in others)]  # fmt: skip
