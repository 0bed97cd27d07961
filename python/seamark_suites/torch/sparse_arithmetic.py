"""Sparse numbers: into what is given, in place, beside dense ones; stored twice, with dense axes, and none at all; their slopes."""

from seamark_suites.case import case

from . import pointwise
from . import reference_pointwise as right
from .methods import free

T = "torch.Tensor."
ADD, MUL, ZERO, SUM, NORM, MATMUL = T + "add_", T + "mul_", T + "zero_", T + "sum", T + "norm", "torch.matmul"  # fmt: skip
LAYOUTS = ["sparse_coo", "sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"]
POINTS = "abs sin sqrt Tensor.sin Tensor.sqrt"


def kept(t, shape, dtype, axes=None):
    """Numbers of which half are zeros: whole rows of them where only the first axes are sparse."""
    axes = len(shape) if axes is None else axes
    some = t.randn(shape[:axes], "bool").reshape(shape[:axes] + (1,) * (len(shape) - axes))
    return t.uniform(shape, dtype, 0.5, 3) * some


def halved(np, x, some):
    """What kept() makes of the two draws, in their order."""
    return x * some.reshape(some.shape + (1,) * (x.ndim - some.ndim))


def halves(np, *drawn):
    """Of several of them."""
    return [halved(np, x, some) for some, x in zip(drawn[::2], drawn[1::2])]


def twice(t, x):
    """Each number of a dense tensor stored in two equal parts, which are not yet added."""
    once = x.to_sparse()
    places, half = once.indices(), once.values() / 2
    made = t.fw.sparse_coo_tensor(t.fw.cat([places, places], 1), t.fw.cat([half, half]), x.shape)
    t.expect(not made.is_coalesced() and made._nnz() == 2 * once._nnz(), "stored twice")
    return made


def stored(t, x, layout):
    blocks = {"blocksize": (2, 3)} if "bs" in layout else {}
    return x.to_sparse(layout=getattr(t.fw, layout), **blocks)


def dense(made):
    return [one if str(one.layout) == "torch.strided" else one.to_dense() for one in made]


def nothing(t, dtype, *shape):
    return t.fw.sparse_coo_tensor(shape, dtype=t.dtype(dtype), device=t.device)


# --- functions of one number


@pointwise.each("abs sin sqrt", lambda function: lambda np, *drawn: [right.of(function)(np, *halves(np, *drawn))] * 2,
                dtypes="f32 f64", core=False)  # fmt: skip
def into_what_is_sparse(t, dtype, function):
    """out=: an empty tensor of places takes them all; rows that hold as many numbers get these. A dense one and integers do not."""
    fw, x = t.fw, kept(t, (4, 6), dtype)
    places, rows = nothing(t, dtype, 4, 6), x.to_sparse_csr()
    given = fw.sparse_csr_tensor(rows.crow_indices(), rows.col_indices(), fw.zeros_like(rows.values()), (4, 6))  # fmt: skip
    made = t.call(function, x.to_sparse(), out=places), t.call(function, rows, out=given)
    t.expect(made[0] is places and made[1] is given, "what is given")
    t.expect([one.layout for one in made] == [fw.sparse_coo, fw.sparse_csr], "sparse results")
    t.expect(made[0]._nnz() == made[1]._nnz() == rows._nnz(), "as many numbers")
    t.raises(RuntimeError, t.call, function, x.to_sparse(), out=fw.zeros_like(x))
    t.raises(RuntimeError, t.call, function, rows, out=fw.ones_like(x).to_sparse_csr())
    if function != "torch.abs":
        t.raises(RuntimeError, t.call, function, x.to_sparse(), out=nothing(t, "i64", 4, 6))
    return dense(made)


NUMBERS = [2.25, 4.0, 0.0]


@pointwise.each(POINTS, lambda function: lambda np: [right.of(free(function))(np, np.array(NUMBERS[0])), right.of(free(function))(np, np.array(NUMBERS)), np.zeros((1, 3))],
                dtypes="f32 f64", core=False)  # fmt: skip
def of_hardly_any_sparse_numbers(t, dtype, function):
    """A matrix without rows, a number without axes, with its value and without; zeros that are stored stay stored."""
    fw, real = t.fw, t.dtype(dtype)
    for shape in ((0, 0), (), (3, 0)):
        made = t.call(function, nothing(t, dtype, *shape))
        t.expect(made.is_sparse and made.shape == shape and made._nnz() == 0, "none of them")
    none, places = fw.empty((0, 1), dtype=fw.int64), fw.tensor([[0, 1, 2]])
    one = fw.sparse_coo_tensor(none, fw.tensor(NUMBERS[:1], dtype=real), (), device=t.device)
    some = fw.sparse_coo_tensor(places, fw.tensor(NUMBERS, dtype=real), (3,), device=t.device)
    zero = fw.sparse_csr_tensor(fw.tensor([0, 1]), fw.tensor([1]), fw.zeros(1, dtype=real), (1, 3), device=t.device)  # fmt: skip
    made = [t.call(function, given) for given in (one, some, zero)]
    t.expect([given._nnz() for given in made] == [1, 3, 1], "as many stored")
    return dense(made)


@pointwise.each("abs sin sqrt", lambda function: lambda np, *drawn: [right.of(function)(np, right.floats(np, drawn[1] * drawn[0]) if function != "torch.abs" else drawn[1] * drawn[0])] * 2,
                dtypes="i32 u8 i64 c64 f16", core=False, rtol={"f16": 1e-3})  # fmt: skip
def of_sparse_kinds(t, dtype, function):
    """Integers give floats but for abs, complex numbers a real abs; half precision stays."""
    x = t.randn((4, 6), "bool")
    x = t.randint((4, 6), dtype, 1, 9) * x
    made = [t.call(function, x.to_sparse()), t.call(function, x.to_sparse_csr())]
    whole, fw = dtype[0] in "iu", t.fw
    want = fw.float32 if (whole if function != "torch.abs" else dtype == "c64") else x.dtype
    t.expect([one.dtype for one in made] == [want] * 2, "%s" % want)
    return dense(made)


@case("torch.abs", dtypes="f32 f64", core=False, reference=lambda np, some, x, w: [np.sign(x) * some * w] * 2)  # fmt: skip
@case("torch.nn.ReLU", dtypes="f32 f64", core=False, reference=lambda np, some, x, w: [(x > 0) * some * w] * 2)  # fmt: skip
def slope_is_sparse(t, dtype, function):
    """Of sparse numbers the gradient is sparse, by places and by rows."""
    some, x, w = t.randn((4, 6), "bool"), t.uniform((4, 6), dtype, -3, 3), t.randn((4, 6), dtype)
    run, found = (t.get(function) if function == "torch.abs" else t.get(function)()), []
    for store in (t.fw.Tensor.to_sparse, t.fw.Tensor.to_sparse_csr):
        leaf, pull = store(x * some).detach().requires_grad_(), store((1 + x.abs()) * some)
        made = t.call(run, leaf)
        pull.values().copy_(w[some])
        made.backward(pull)
        t.expect(leaf.grad.layout is leaf.layout, "a gradient of the layout")
        found.append(leaf.grad)
    return dense(found)


# --- mul_


def _beside(np, some, x, y):
    x = halved(np, x, some)
    return [x * y, x * y, x * y[0], x * y[:, :1], x * y, x * y, x * y[0], x * x]


@case(MUL, dtypes="f32 f64 c64", core=False, reference=_beside)
def sparse_by_dense(t, dtype):
    """What is multiplied keeps its layout: a dense matrix by a sparse one, and the other way round, by a row, by a column; of numbers stored twice, too."""
    x = kept(t, (4, 6), dtype)
    y, multiply, fw = t.uniform((4, 6), dtype, 0.5, 3), t.get(MUL), t.fw
    given = [
        (y.clone(), x.to_sparse()), (x.to_sparse(), y), (x.to_sparse(), y[0]), (x.to_sparse(), y[:, :1]),
        (y.clone(), twice(t, x)), (twice(t, x), y), (twice(t, x), y[0]), (twice(t, x), twice(t, x)),
    ]  # fmt: skip
    made = [t.call(multiply, *one) for one in given]
    t.expect(all(one is first for one, (first, _) in zip(made, given)), "the tensors themselves")
    sparse = [one.layout is fw.sparse_coo for one in made]
    t.expect(sparse == [False, True, True, True, False, True, True, True], "layouts stay")
    return dense(made)


def _of_dense_axes(np, some, x, y, fewer, row, some_more, more):
    x, row, more = halved(np, x, some), halved(np, row, fewer), halved(np, more, some_more)
    return [x * y, x * y[0, 0], x * y[0], x * y[:, :1], x * y[0, 0, 0], x * y, y * row, x * more, 2 * x]  # fmt: skip


@case(MUL, dtypes="f32 f64 c64", core=False, reference=_of_dense_axes)
def by_parts_of_dense_axes(t, dtype):
    """Of a tensor with sparse axes and dense ones: by all of it, by its last, its middle axes, a number; what has fewer axes broadcasts, as does a dense axis of one."""
    x, y = kept(t, (3, 4, 5, 2), dtype, 2), t.uniform((3, 4, 5, 2), dtype, 0.5, 3)
    row, more = kept(t, (5, 2), dtype, 1), kept(t, (3, 4, 1, 2), dtype, 2)
    once, many = x.to_sparse(2), (y, y[0, 0], y[0], y[:, :1], y[0, 0, 0])
    made = [t.call(MUL, once.clone(), one) for one in many]
    made += [t.call(MUL, once.clone().requires_grad_(False), y), t.call(MUL, y.clone(), row.to_sparse(1))]  # fmt: skip
    made.append(t.call(MUL, once.clone(), more.to_sparse(2)))
    made.append(t.call(MUL, once.clone(), t.fw.tensor(2, dtype=x.dtype, device=t.device).to_sparse()))  # fmt: skip
    t.expect([one.is_sparse for one in made] == [True] * 6 + [False] + [True] * 2, "layouts stay")
    t.expect(made[0].sparse_dim() == made[1].sparse_dim() == 2, "the same axes are sparse")
    return dense(made)


@case(MUL, dtypes="f32 i64", core=False, reference=lambda np, some, x, y: [2 * x * some, x * some, 6 * x * some, *[0 * x] * 2])  # fmt: skip
def sparse_by_little(t, dtype):
    """By a sparse number in two parts, by True, by a number; of none; what does not fit."""
    fw, x, y = t.fw, kept(t, (4, 6), dtype), t.randint((4, 6), dtype, 1, 9)
    once, none = x.to_sparse(), nothing(t, dtype, 4, 6)
    parts = fw.sparse_coo_tensor(fw.empty((0, 2), dtype=fw.int64), fw.ones(2, dtype=x.dtype), (), device=t.device)  # fmt: skip
    made = [t.call(MUL, once.clone(), one) for one in (parts, True, 6)]
    made += [t.call(MUL, none.clone(), y), t.call(MUL, y.clone(), none)]
    t.expect(made[3]._nnz() == 0, "no number")
    for empty in (t.call(MUL, nothing(t, dtype, 4, 0), y[:, :0]), t.call(MUL, y[:, :0].clone(), nothing(t, dtype, 4, 0))):  # fmt: skip
        t.expect(empty.shape == (4, 0), "no columns")
    t.raises(RuntimeError, t.call, MUL, once.clone(), y[:3])
    t.raises(RuntimeError, t.call, MUL, y[0].clone(), once)
    if dtype == "i64":
        t.raises(RuntimeError, t.call, MUL, once.clone(), 2.5)
    return dense(made)


@case(MUL, dtypes="bool", core=False, reference=lambda np, x, y: [x & y, x & y, x & y[0]])
def sparse_truths(t, dtype):
    """And: of sparse truths and dense ones, and a row of them."""
    x, y = t.randn((5, 7), dtype), t.randn((5, 7), dtype)
    made = t.call(MUL, y.clone(), x.to_sparse()), t.call(MUL, x.to_sparse(), y), t.call(MUL, x.to_sparse(), y[0])  # fmt: skip
    t.expect([one.is_sparse for one in made] == [False, True, True], "layouts stay")
    return dense(made)


@case(MUL, dtypes="f32 f64", core=False, reference=lambda np, some, x, more, y, z: [
      x * some * y * more, x * some * z, *[2.5 * x * some] * 4])  # fmt: skip
def compressed_by_others(t, dtype):
    """Rows by rows and by a dense matrix; a number of each compressed layout. A dense matrix is not multiplied by rows in place."""
    x, y, z = kept(t, (4, 6), dtype), kept(t, (4, 6), dtype), t.uniform((4, 6), dtype, 0.5, 3)
    rows = x.to_sparse_csr()
    made = [t.call(MUL, rows.clone(), y.to_sparse_csr()), t.call(MUL, rows.clone(), z)]
    made += [t.call(MUL, stored(t, x, layout), 2.5) for layout in LAYOUTS[1:]]
    t.expect([str(one.layout)[6:] for one in made] == ["sparse_csr"] * 2 + LAYOUTS[1:], "layouts")
    t.raises(RuntimeError, t.call, MUL, z.clone(), rows)
    return dense(made)


# --- add_


def _sums(np, some, x, y, more, z):
    x, y, z = halved(np, x, some), y[:4], halved(np, z, more)
    return [y + 3 * x, y.T[:4, :4] + 2 * x[:, :4], 3 * x, 4 * x, x, x, z - 0.5 * z[::-1], y + 2 * x, 3 * x]  # fmt: skip


@case(ADD, dtypes="f32 f64 c64", core=False, reference=_sums)
def sums_of_sparse_ones(t, dtype):
    """To a dense matrix and to the transpose of one; to a sparse one, itself twice over, none, and with dense axes; rows."""
    x, y = kept(t, (4, 6), dtype), t.uniform((6, 6), dtype, 0.5, 3)[:4]
    z = kept(t, (3, 4, 2), dtype, 2)
    once, rows = x.to_sparse(), x.to_sparse_csr()
    turned = y[:, :4].contiguous().T
    itself = x.to_sparse()
    for _ in range(2):
        t.call(ADD, itself, itself)
    t.expect(itself._nnz() <= once._nnz(), "no place twice")
    return dense([
        t.call(ADD, y.clone(), twice(t, x), alpha=3),
        t.call(ADD, turned.clone(memory_format=t.fw.preserve_format), x[:, :4].to_sparse(), alpha=2),
        t.call(ADD, once.clone(), twice(t, x), alpha=2),
        itself,
        t.call(ADD, once.clone(), nothing(t, dtype, 4, 6)),
        t.call(ADD, nothing(t, dtype, 4, 6), once),
        t.call(ADD, z.to_sparse(2), z.flip(0).to_sparse(2), alpha=-0.5),
        t.call(ADD, y.clone(), rows, alpha=2),
        t.call(ADD, rows.clone(), rows, alpha=2),
    ])  # fmt: skip


def _into_gaps(np, x, y, v):
    row = y[0, 0].copy()
    row[[4, 1, 2]] += v[::2]
    return [y + 2 * x, row]


@case(ADD, dtypes="f32 f64", core=False, reference=_into_gaps)
def sums_of_dense_axes_and_of_gaps(t, dtype):
    """Places and numbers that lie with gaps; sparse ones do not take dense ones, a number, other sizes and other sparse axes."""
    fw, x, y = t.fw, t.uniform((3, 4, 5), dtype, 0.5, 3), t.uniform((3, 4, 5), dtype, 0.5, 3)
    once, v = x.to_sparse(1), t.uniform((6,), dtype, 0.5, 3)
    for given, other in ((y[:, :, 0].clone(), once), (once.clone(), y), (once.clone(), 2), (once.clone(), x.to_sparse(2)), (once.clone(), x[:2].to_sparse(1))):  # fmt: skip
        t.raises(RuntimeError, t.call, ADD, given, other)
    places = fw.tensor([[4, 0, 1, 0, 2, 0]], device=t.device)[:, ::2]
    gaps = fw.sparse_coo_tensor(places, v[::2], (5,))
    return [t.call(ADD, y.clone(), once, alpha=2), t.call(ADD, y[0, 0].clone(), gaps)]


# --- zero_, norm


@case(ZERO, dtypes="f32 c64", core=False, trivial=True, reference=lambda np, *drawn: [0 * drawn[1]] * 6 + [0 * drawn[3]])  # fmt: skip
def zeros_of_each_sparse_layout(t, dtype):
    """Of numbers stored twice, by columns and in blocks; dense axes stay dense."""
    x, y = kept(t, (4, 6), dtype), kept(t, (3, 4, 2), dtype, 2)
    given = [twice(t, x), *(stored(t, x, layout) for layout in LAYOUTS), y.to_sparse(2)]
    for one in given:
        t.expect(t.call(ZERO, one) is one and one._nnz() == 0, "the tensor itself, without numbers")
    t.expect((given[-1].sparse_dim(), given[-1].dense_dim()) == (2, 1), "the axes as they were")
    return dense(given)


@case(NORM, dtypes="f32 f64 c64", core=False, reference=lambda np, *drawn: [
      np.sqrt((abs(x) ** 2).sum()) for x in (*halves(np, *drawn), halves(np, *drawn)[0])] + [abs(halves(np, *drawn)[0]).max()])  # fmt: skip
def norms_of_stored_numbers(t, dtype):
    """Of dense axes, of numbers stored twice, which are added before; of none. Along an axis, with axes kept, in another dtype it is refused."""
    x, y, fw = kept(t, (4, 6), dtype), kept(t, (3, 4, 2), dtype, 2), t.fw
    for shape in ((0, 4), (3, 0)):
        t.expect(float(t.call(NORM, nothing(t, dtype, *shape))) == 0, "nothing")
    once = x.to_sparse()
    for options in ({"keepdim": True}, {"dim": 0}, {"dtype": fw.float64, "p": 0}):
        t.raises(RuntimeError, t.call, NORM, once, **options)
    t.raises(ValueError, t.call, NORM, once, dtype=fw.float64, p="fro")
    return [t.call(NORM, once), t.call(NORM, y.to_sparse(2)), t.call(NORM, twice(t, x)), t.call(NORM, twice(t, x), float("inf"))]  # fmt: skip


# --- sum, matmul


AXES = [0, 1, 2, 3, (0, 1), (0, 2), (1, 3), (2, 3), (0, 1, 2), (0, 1, 2, 3)]


@case(SUM, dtypes="f32 i64 c64", core=False, reference=lambda np, *drawn: [halves(np, *drawn)[0].sum(axes) for axes in AXES])  # fmt: skip
def sums_along_sparse_and_dense_axes(t, dtype):
    """Sparse as long as an axis is; an axis twice and one that is none are refused; of small integers and truths the sum is wide."""
    x = kept(t, (3, 4, 5, 2), dtype, 2)
    once, fw = x.to_sparse(2), t.fw
    made = [t.call(SUM, once, axes) for axes in AXES]
    sparse = [one.is_sparse for one in made]
    t.expect(sparse == [True] * 4 + [False] + [True] * 3 + [False] * 2, "sparse: %s" % sparse)
    t.raises(RuntimeError, t.call, SUM, once, (0, 0))
    t.raises(IndexError, t.call, SUM, once, 5)
    bytes_ = fw.tensor([[0, 200], [100, 0]], dtype=fw.uint8, device=t.device)
    for small, want in ((bytes_, 300), (bytes_ > 0, 2)):
        total = t.call(SUM, small.to_sparse())
        t.expect(total.dtype is fw.int64 and int(total) == want, "%d" % want)
    t.expect(t.call(SUM, once, 0, dtype=fw.complex128).dtype is fw.complex128, "of that dtype")
    return dense(made)


@case(SUM, dtypes="f32 f64", core=False, reference=lambda np, some, x, y: [(x * some).sum()] * 6 + [3 * y] * 6)  # fmt: skip
def sums_of_each_sparse_layout_learn(t, dtype):
    """Each place has the slope, what is not stored, too; on meta the sum is a number without value."""
    x, y = kept(t, (4, 6), dtype), t.randn((4, 6), dtype)
    found, slopes = [], []
    for given in (twice(t, x), *(stored(t, x, layout) for layout in LAYOUTS)):
        t.expect(t.get(SUM)(given.to("meta")).is_meta, "on meta")
        leaf = given.detach().requires_grad_()
        found.append(t.call(SUM, leaf))
        slopes.append(y * t.fw.autograd.grad(3 * found[-1], leaf)[0].to_dense())
    return [one.detach() for one in found] + slopes


def _of_products(np, some, x, y, v):
    x = halved(np, x, some)
    forms = [x @ v, x @ y, y[:3, :4] @ x, v[:4] @ x]
    return forms * 4 + [np.ones((4, 6)) * y.sum(1), x.T @ np.ones((4, 7)) + 0 * y] * 4


@case(MATMUL, dtypes="f32 f64", core=False, reference=_of_products)
def products_of_each_sparse_layout(t, dtype):
    """By places, once and twice, by rows and by columns: by a vector and a matrix, from either side; both factors learn. Wrong lengths, none and no rows."""
    x = kept(t, (4, 6), dtype)
    y, v, multiply = t.uniform((6, 7), dtype, 0.5, 3), t.uniform((6,), dtype, 0.5, 3), t.get(MATMUL)
    made, slopes = [], []
    for given in (x.to_sparse(), twice(t, x), x.to_sparse_csr(), x.to_sparse_csc()):
        made += [t.call(multiply, given, v), t.call(multiply, given, y)]
        made += [t.call(multiply, y[:3, :4], given), t.call(multiply, v[:4], given)]
        t.raises(RuntimeError, t.call, MATMUL, given, y[0])
        t.raises(RuntimeError, t.call, MATMUL, given, y[:5])
        leaves = given.detach().requires_grad_(), y.clone().requires_grad_()
        slopes += t.fw.autograd.grad(multiply(*leaves).sum(), leaves)
    t.expect(not t.call(MATMUL, nothing(t, dtype, 4, 6), v).any(), "of no numbers")
    t.expect(t.call(MATMUL, nothing(t, dtype, 0, 6), v).shape == (0,), "of no rows")
    t.expect(not t.call(MATMUL, nothing(t, dtype, 4, 0), v[:0]).any(), "of no columns")
    return [*made, *(one.to_dense() if one.is_sparse else one for one in slopes)]
