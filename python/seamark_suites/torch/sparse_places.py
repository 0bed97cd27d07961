"""Places of sparse numbers that move, are selected, or of which there are none: sparse axes beside dense ones, compressed layouts, batches."""

from seamark_suites.case import case

from .sparse_arithmetic import LAYOUTS, dense, halved, halves, kept, nothing, stored, twice

T = "torch.Tensor."
TURNED = {"sparse_csr": "sparse_csc", "sparse_csc": "sparse_csr", "sparse_bsr": "sparse_bsc", "sparse_bsc": "sparse_bsr"}  # fmt: skip


# --- axes that change places


@case(T + "transpose", dtypes="f32 c64", core=False, reference=lambda np, *drawn: [
      halves(np, *drawn)[0].swapaxes(0, 1), halves(np, *drawn)[0], halves(np, *drawn)[1].T, halves(np, *drawn)[0].swapaxes(0, 1)])  # fmt: skip
def turns_sparse_axes(t, dtype):
    """Sparse axes alone change places; what was in order is none behind that, but for an axis with itself; of no numbers; turned in place."""
    x, y, turn = kept(t, (3, 4, 5, 2), dtype, 2), kept(t, (4, 6), dtype), t.get(T + "transpose")
    once = x.to_sparse(2)
    made = [t.call(turn, once, 0, 1), t.call(turn, once, -4, 0), t.call(turn, twice(t, y), 1, 0)]
    t.expect([one.is_coalesced() for one in made] == [False, True, False], "in order or not")
    t.expect(all(one.sparse_dim() == 2 for one in made), "as many sparse axes")
    for axes in ((2, 3), (0, 2), (1, -1)):
        t.raises(RuntimeError, t.call, turn, once, *axes)
    t.expect(t.call(turn, nothing(t, dtype, 0, 0, 7, 3), 0, 3).shape == (3, 0, 7, 0), "of nothing")
    itself = once.clone()
    t.expect(itself.transpose_(0, 1) is itself, "in place")
    return dense([*made, t.call(turn, t.call(turn, itself, 1, 0), 0, 1)])


ORDERS = [(1, 0, 2, 3), (0, 1, 3, 2), (1, 0, 3, 2), (-3, -4, -1, -2), (0, 1, 2, 3)]


def _ordered(np, some, x, *weights):
    x = halved(np, x, some)
    back = [
        np.moveaxis(w, range(4), [axis % 4 for axis in order]) for w, order in zip(weights, ORDERS)
    ]
    return [x.transpose(order) for order in ORDERS] + [sum(back) * some[..., None, None]]  # fmt: skip


@case(T + "permute", dtypes="f32 f64", core=False, reference=_ordered)
def orders_of_sparse_axes_and_of_dense_ones(t, dtype):
    """Each kind among itself, in order where the first stays; from one to the other, twice, too few are refused. The slope goes back to the places."""
    x, permute = kept(t, (3, 4, 5, 2), dtype, 2), t.get(T + "permute")
    leaf = x.to_sparse(2).detach().requires_grad_()
    made = [t.call(permute, leaf, order) for order in ORDERS]
    in_order = [one.is_coalesced() for one in made]
    t.expect(in_order == [False, True, False, False, True], "in order: %s" % in_order)
    weights = [t.randn(tuple(one.shape), dtype) for one in made]
    for wrong in ((2, 1, 0, 3), (1, 0), (1, 1, 1, 1)):
        t.raises(RuntimeError, t.call, permute, leaf, wrong)
    one = t.call(permute, x[0, 0, 0, 0].to_sparse(), ())
    t.expect(one.shape == () and one.is_sparse, "a number")
    total = sum((one.to_dense(masked_grad=True) * w).sum() for one, w in zip(made, weights))
    slope = t.fw.autograd.grad(total, leaf)[0]
    t.expect(slope.is_sparse, "a sparse slope")
    some = (x != 0).any(-1).any(-1)[..., None, None]
    return [*(one.detach() for one in dense(made)), slope.to_dense() * some]


@case(T + "t", dtypes="f32 c64", core=False, reference=lambda np, *drawn: [halves(np, *drawn)[0].T, halves(np, *drawn)[0].T, halves(np, *drawn)[0][0]])  # fmt: skip
def turned_matrices_of_places(t, dtype):
    """Of numbers stored twice; of none, with columns and without; a vector stays; dense axes and a third axis are refused."""
    x, turn = kept(t, (4, 6), dtype), t.get(T + "t")
    made = [t.call(turn, x.to_sparse()), t.call(turn, twice(t, x)), t.call(turn, x[0].to_sparse())]
    t.expect(not made[0].is_coalesced(), "in another order")
    for columns in (3, 0):
        none = t.call(turn, nothing(t, dtype, 2, columns))
        t.expect(none.shape == (columns, 2) and none._nnz() == 0 and none.is_coalesced(), "none")
    for wrong in (x.to_sparse(1), x[None].to_sparse()):
        t.raises(RuntimeError, t.call, turn, wrong)
    return dense(made)


@case(T + "unsqueeze", dtypes="f32 i64", core=False, reference=lambda np, *drawn: [
      np.expand_dims(halves(np, *drawn)[0], axis) for axis in (0, 2, 3, 4, -1, -3, -5)])  # fmt: skip
def axes_between_sparse_and_dense_ones(t, dtype):
    """An axis before the dense ones is sparse, behind the first of them dense; behind the last and the first there is none."""
    x, widen = kept(t, (3, 4, 5, 2), dtype, 2), t.get(T + "unsqueeze")
    once = x.to_sparse(2)
    made = [t.call(widen, once, axis) for axis in (0, 2, 3, 4, -1, -3, -5)]
    sparse = [one.sparse_dim() for one in made]
    t.expect(sparse == [3, 3, 2, 2, 2, 3, 3], "sparse axes: %s" % sparse)
    for wrong in (5, -6):
        t.raises(IndexError, t.call, widen, once, wrong)
    return dense(made)


def _turned(np, some, x, more, batch):
    x = halved(np, x, some)
    batch = more * batch
    return [x.T] * 4 + [x] * 8 + [batch.swapaxes(0, 1), batch.swapaxes(2, 3), batch.swapaxes(-1, -2), batch]  # fmt: skip


@case(T + "transpose", dtypes="f32 i64 c64", core=False, reference=_turned)
def turns_compressed_numbers(t, dtype):
    """Rows become columns, blocks too, in a view; back again; an axis with itself. A batch of matrices turns among itself, and not with the matrices."""
    x, turn = kept(t, (4, 6), dtype), t.get(T + "transpose")
    given = [stored(t, x, layout) for layout in TURNED]
    once = [t.call(turn, one, 0, 1) for one in given]
    t.expect([str(one.layout)[6:] for one in once] == list(TURNED.values()), "the other layout")
    t.expect(all(one._is_view() and one._base is first for one, first in zip(once, given)), "views")
    back = [t.call(turn, one, -1, -2) for one in once] + [t.call(turn, one, 1, 1) for one in given]
    t.expect([str(one.layout)[6:] for one in back] == 2 * list(TURNED), "as it was")
    batch = t.randn((4, 6), "bool") * t.uniform((2, 3, 4, 6), dtype, 1, 9)
    rows = batch.to_sparse_csr()
    many = [t.call(turn, rows, *axes) for axes in ((0, 1), (2, 3), (-1, -2), (0, 0))]
    for wrong in ((0, 2), (1, -1)):
        t.raises(RuntimeError, t.call, turn, rows, *wrong)
    fw = t.fw
    both = fw.sparse_csr_tensor(fw.tensor([0, 1, 2]), fw.tensor([0, 1]), fw.ones(2, 3, dtype=x.dtype), (2, 2, 3), device=t.device)  # fmt: skip
    t.raises(RuntimeError, t.call, turn, both, 0, 1)
    return dense([*once, *back, *many])


# --- parts


def _selected(np, some, x, more, y, *places):
    x, y = halved(np, x, some), halved(np, y, more)
    return [x[[3, 0, 0]], x[:, [0, 5, 5]], x[:, [5, 0, 5]], y[..., [1, 0, 1]], y[:, [3, 0]], x[[], :], x[:, []]]  # fmt: skip


@case(T + "index_select", dtypes="f32 i64 c64", core=False, reference=_selected)
def selects_places_from_behind(t, dtype):
    """Negative places count from behind, where a dense tensor has none; places with gaps, no places; of numbers stored twice and of dense axes."""
    x, y, select = kept(t, (4, 6), dtype), kept(t, (3, 4, 2), dtype, 2), t.get(T + "index_select")
    once, gaps = x.to_sparse(), t.const([[0, 9], [5, 9], [5, 9]], "i64")[:, 0]
    none = t.const(t.np.zeros(0), "i64")
    asked = [(once, 0, t.const([-1, 0, -4], "i64")), (once, 1, gaps), (twice(t, x) if dtype != "i64" else once, 1, t.const([5, 0, -1], "i64")),
             (y.to_sparse(2), -1, t.const([1, 0, 1], "i64")), (y.to_sparse(2), 1, t.const([3, -4], "i64")), (once, 0, none), (once, 1, none)]  # fmt: skip
    made = [t.call(select, *one) for one in asked]
    t.expect(all(one.is_sparse for one in made), "sparse parts")
    for axis, places in ((0, [4]), (0, [-5]), (2, [0]), (0, [[0, 1]])):
        t.raises(IndexError, t.call, select, once, axis, t.const(places, "i64"))
    for kind in ("i32", "f32"):
        t.raises(IndexError, t.call, select, once, 0, t.const([0], kind))
    return dense(made)


def _of_many(np, values, places, *asked):
    x = np.zeros(70000, values.dtype)
    np.add.at(x, places.astype(int), values)
    return [x[one.astype(int)] for one in asked for _ in (0, 1)]


@case(T + "index_select", dtypes="f32", core=False, reference=_of_many)
def selects_many_sparse_places(t, dtype):
    """Of 70000 numbers, some stored twice, fewer places than numbers and more of them; in order and not."""
    values, places = t.randint((70000,), dtype, 1, 9), t.randint((70000,), "i64", 0, 70000)
    x, select = t.fw.sparse_coo_tensor(places[None], values, (70000,)), t.get(T + "index_select")
    asked = [t.randint((count,), "i64", 0, 70000) for count in (35000, 140000)]
    return [t.call(select, one, 0, places).to_dense() for places in asked for one in (x, x.coalesce())]  # fmt: skip


@case("torch.stack", dtypes="f32 c64", core=False, reference=lambda np, *drawn: [
      *(np.stack(halves(np, *drawn)[:1] * 2, axis) for axis in (0, 1, 2, 3, -1)), np.stack([halves(np, *drawn)[1]] * 2)])  # fmt: skip
def stacks_beside_dense_axes(t, dtype):
    """Along sparse axes, before dense ones and behind them; what is stored twice with what is stored once. Other sizes and dense ones beside are refused."""
    x, y, stack = kept(t, (3, 4, 2), dtype, 2), kept(t, (4, 6), dtype), t.get("torch.stack")
    once, other = x.to_sparse(2), y.to_sparse()
    made = [t.call(stack, [once, once], axis) for axis in (0, 1, 2, 3, -1)]
    made.append(t.call(stack, [twice(t, y), other]))
    t.expect(all(one.is_sparse for one in made), "sparse ones")
    for wrong in ([other, nothing(t, dtype, 4, 5)], [other, y]):
        t.raises(RuntimeError, t.call, stack, wrong)
    return dense(made)


@case(T + "unbind", dtypes="f32 c64", core=False, reference=lambda np, *drawn: [
      *halves(np, *drawn)[0], *np.moveaxis(halves(np, *drawn)[0], -1, 0), *halves(np, *drawn)[1].T])  # fmt: skip
def unbinds_beside_dense_axes(t, dtype):
    """Along a sparse axis, along a dense one, of numbers stored twice."""
    x, y, unbind = kept(t, (3, 4, 2), dtype, 2), kept(t, (4, 6), dtype), t.get(T + "unbind")
    made = [*t.call(unbind, x.to_sparse(2)), *t.call(unbind, x.to_sparse(2), -1), *t.call(unbind, twice(t, y), 1)]  # fmt: skip
    return dense(made)


# --- as others are made


@case("torch.zeros_like", core=False, reference="none")
@case("torch.empty_like", core=False, reference="none")
def like_each_sparse_layout(t, function):
    """Sparse and dense axes, layout, blocks and dtype of the other, on meta too; zeros are none that is stored. By request another dtype, dense, in channels last; without that there is no memory format."""
    fw, x = t.fw, t.randn((4, 6), "f32")
    given = [stored(t, x, layout) for layout in LAYOUTS] + [t.randn((2, 3, 5, 2), "f32").to_sparse(2), twice(t, x)]  # fmt: skip
    for one in given:
        made, whole = t.call(function, one), t.call(function, one, dtype=fw.int64)
        elsewhere = t.call(function, one, device="meta")
        t.expect(made.layout is one.layout and made.shape == one.shape and made.dtype is one.dtype, "like it")  # fmt: skip
        t.expect((made.sparse_dim(), made.dense_dim()) == (one.sparse_dim(), one.dense_dim()), "axes")  # fmt: skip
        t.expect(whole.dtype is fw.int64 and whole.layout is one.layout, "another dtype")
        t.expect(elsewhere.is_meta and elsewhere.layout is one.layout and elsewhere.shape == one.shape, "on meta")  # fmt: skip
        if "bs" in str(one.layout):
            t.expect(made.values().shape[1:] == one.values().shape[1:], "the blocks")
        if function == "torch.zeros_like" or one.is_sparse:
            t.expect(made._nnz() == 0, "no number")
        again = t.call(function, elsewhere)
        t.expect(again.is_meta and again.layout is one.layout and again.shape == one.shape, "of meta")  # fmt: skip
    places = given[5]
    for kind in (fw.channels_last, fw.contiguous_format, fw.preserve_format):
        t.raises(RuntimeError, t.call, function, places, memory_format=kind)
        made = t.call(function, places, layout=fw.strided, memory_format=kind)
        t.expect(made.layout is fw.strided and made.shape == places.shape, "dense")
    made = t.call(function, places, layout=fw.strided, memory_format=fw.channels_last)
    t.expect(made.stride() == (30, 1, 6, 3), "channels last")
    if function == "torch.zeros_like":
        made = t.call(function, x, layout=fw.sparse_coo)
        t.expect(made.is_sparse and made._nnz() == 0 and made.sparse_dim() == 2, "of a dense one")
        return
    for one in given[1:5]:
        for layout in LAYOUTS[1:]:
            if layout != str(one.layout)[6:]:
                t.raises(RuntimeError, t.call, function, one, layout=getattr(fw, layout))


@case(T + "new_empty", core=False, reference="none", more=["coo", "csr", "csc"])
@case(T + "new_zeros", core=False, reference="none", more=["coo", "csr", "csc"])
def made_beside_sparse_ones(t, more, function):
    """Of the other's layout, all axes sparse and without numbers; of another dtype, dense by request, on meta."""
    fw, x = t.fw, stored(t, t.randn((4, 6), "f64"), "sparse_" + more)
    for options, want in (({}, fw.float64), ({"dtype": fw.int64}, fw.int64)):
        made = t.call(function, x, (2, 3), **options)
        t.expect(made.layout is x.layout and made.shape == (2, 3) and made.dtype is want, "like it")
        t.expect((made._nnz(), made.sparse_dim(), made.dense_dim()) == (0, 2, 0), "no number")
    t.expect(t.call(function, x, (2, 3), layout=fw.strided).layout is fw.strided, "dense")
    t.expect(t.call(function, x, (2, 3), device="meta").is_meta, "on meta")
    both = t.randn((2, 3, 5), "f32").to_sparse(1)
    made = t.call(function, both, (4, 5))
    t.expect((made.sparse_dim(), made.dense_dim()) == (2, 0), "no dense axis")
    t.raises(RuntimeError, t.call, function, stored(t, t.randn((4, 6), "f32"), "sparse_bsr"), (2, 3))  # fmt: skip


@case("torch.empty", core=False, reference="none", dtypes="f32 bool c64")
def empty_in_compressed_layouts(t, dtype):
    """Rows and columns of no number, of matrices and of batches of them, on meta too; blocks and vectors have no such form."""
    fw, options = t.fw, {"dtype": t.dtype(dtype), "device": t.device}
    for layout, axis in ((fw.sparse_csr, -2), (fw.sparse_csc, -1)):
        for size in ((5, 2), (2, 5), (0, 0), (5, 0), (2, 3, 4, 5)):
            made = t.call("torch.empty", size, layout=layout, **options)
            t.expect(made.layout is layout and made.shape == size and made.dtype is t.dtype(dtype), "as asked")  # fmt: skip
            ends, places = (made.crow_indices(), made.col_indices()) if axis == -2 else (made.ccol_indices(), made.row_indices())  # fmt: skip
            t.expect(ends.shape == (*size[:-2], size[axis] + 1), "an end for each")  # fmt: skip
            t.expect(made._nnz() == 0 and places.shape == made.values().shape == (*size[:-2], 0), "none")  # fmt: skip
            t.expect(ends.dtype is places.dtype is fw.int64, "places of 64 bits")
        t.raises(RuntimeError, t.call, "torch.empty", (5,), layout=layout, **options)
        t.expect(t.call("torch.empty", (2, 4, 6), layout=layout, device="meta").is_meta, "on meta")
    for layout in (fw.sparse_bsr, fw.sparse_bsc):
        t.raises(RuntimeError, t.call, "torch.empty", (4, 6), layout=layout, **options)
    made = t.call("torch.empty", (4, 4), layout=fw.sparse_coo, device="meta")
    t.expect(made.is_meta and made.is_sparse and made.is_coalesced() and made._nnz() == 0, "places on meta")  # fmt: skip


@case(T + "float", dtypes="f64 i64 bool f16", core=False, reference=lambda np, x: [x] * 5)
def floats_of_each_sparse_layout(t, dtype):
    """By columns and in blocks; what is a float is itself; numbers stored twice stay so."""
    fw, x = t.fw, t.randn((4, 6), dtype)
    given = [stored(t, x, layout) for layout in LAYOUTS]
    made = [t.call(T + "float", one) for one in given]
    t.expect([one.layout for one in made] == [one.layout for one in given], "layouts stay")
    t.expect(all(one.dtype is fw.float32 for one in made), "floats")
    t.expect(all(t.call(T + "float", one) is one for one in made), "itself")
    if dtype == "f64":
        t.expect(not t.call(T + "float", twice(t, x)).is_coalesced(), "stored twice")
    return dense(made)


@case(T + "numpy", core=False, reference="none")
def no_array_of_sparse_layouts(t):
    """With numbers and without."""
    for layout in LAYOUTS:
        t.raises(TypeError, t.call, T + "numpy", stored(t, t.randn((4, 6), "f32"), layout))
    t.raises(TypeError, t.call, T + "numpy", nothing(t, "f32", 2, 3))
