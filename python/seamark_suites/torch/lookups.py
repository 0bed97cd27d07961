"""torch.nn.Embedding: rows by number, their gradients and the options."""

from seamark_suites.case import case

from .reference import with_gradient

_REPEATED = [[1, 3, 1], [0, 3, 3]]


def _rows(np, number, weight, **params):
    return weight[number]


@case(
    "torch.nn.Embedding",
    reference=_rows,
    dtypes="f32 bf16 f16 f64",
    index="i64",
    core="f32 bf16",
)
@case("torch.nn.Embedding", reference=_rows, dtypes="f32", index="i32")
def forward(t, dtype, index):
    layer = t.construct("torch.nn.Embedding", 10, 6, dtype=dtype)
    return t.call(layer, t.randint((4, 5), index, 0, 10))


def _of_rows(np, weight, index, *unused, **params):
    return weight[index]


def _added_by_row(np, w, weight, index, *unused, **params):
    found = np.zeros_like(weight)
    np.add.at(found, index, w)
    return found


def _with_weight(t, layer):
    def run(weight, index):
        return t.fw.func.functional_call(layer, {"weight": weight}, (index,))

    return run


@case(
    "torch.nn.Embedding",
    reference=with_gradient(_of_rows, _added_by_row, of=(0,)),
    dtypes="f32 bf16 f16 f64",
    grad=True,
    core="f32 bf16",
)
def gradient(t, dtype):
    """A row that is taken several times adds up; one that is never taken has none."""
    layer = t.construct("torch.nn.Embedding", 5, 4, dtype=dtype)
    weight = t.randn((5, 4), dtype)
    return t.call(_with_weight(t, layer), weight, t.const(_REPEATED, "i64"))


def _not_of(row):
    def pull(np, w, *given, **params):
        found = _added_by_row(np, w, *given)
        found[row] = 0
        return found

    return pull


@case(
    "torch.nn.Embedding",
    reference=with_gradient(_of_rows, _not_of(3), of=(0,)),
    dtypes="f32 bf16",
    padding=[3, -2],
    grad=True,
    core="f32",
)
def padding_has_no_gradient(t, dtype, padding):
    layer = t.construct("torch.nn.Embedding", 5, 4, padding_idx=padding, dtype=dtype)
    weight = t.randn((5, 4), dtype)
    return t.call(_with_weight(t, layer), weight, t.const(_REPEATED, "i64"))


def _shares(np, w, weight, index, *unused):
    counts = np.bincount(index.reshape(-1), minlength=len(weight))
    return _added_by_row(np, w, weight, index) / np.maximum(counts, 1)[:, None]


@case(
    "torch.nn.Embedding",
    reference=with_gradient(_of_rows, _shares, of=(0,)),
    dtypes="f32",
    grad=True,
    core=False,
)
def scaled_by_frequency(t, dtype):
    layer = t.construct("torch.nn.Embedding", 5, 4, scale_grad_by_freq=True, dtype=dtype)
    weight = t.randn((5, 4), dtype)
    return t.call(_with_weight(t, layer), weight, t.const(_REPEATED, "i64"))


def _summed_gradient(np, index, weight):
    return weight[index], _added_by_row(np, np.ones(index.shape + (4,)), weight, index)


@case("torch.nn.Embedding", reference=_summed_gradient, dtypes="f32", core=False)
def sparse_gradient(t, dtype):
    layer = t.construct("torch.nn.Embedding", 5, 4, sparse=True, dtype=dtype)
    made = t.call(layer, t.const(_REPEATED, "i64"))
    made.sum().backward()
    t.expect(layer.weight.grad.is_sparse, "a sparse gradient")
    return made.detach(), layer.weight.grad.to_dense()


def _one_step(np, index, weight):
    made, slope = _summed_gradient(np, index, weight)
    return made, weight - slope / 2


@case("torch.nn.Embedding", reference=_one_step, dtypes="f32 bf16")
def trained(t, dtype):
    """A step of SGD moves the rows that were taken."""
    layer = t.construct("torch.nn.Embedding", 5, 4, dtype=dtype)
    optimizer = t.fw.optim.SGD(layer.parameters(), lr=0.5)
    made = t.call(layer, t.const(_REPEATED, "i64"))
    made.sum().backward()
    optimizer.step()
    return made.detach(), layer.weight.detach()


def _within(np, index, weight, norm_type):
    """The rows that are taken have a norm of at most a half, and stay so; all others are left."""
    norms = (abs(weight) ** norm_type).sum(-1) ** (1 / norm_type)
    scale = np.where(norms > 0.5, 0.5 / (norms + 1e-7), 1.0)
    taken = np.isin(np.arange(len(weight)), index)
    moved = weight * np.where(taken, scale, 1.0)[:, None]
    return moved[index], moved


@case(
    "torch.nn.Embedding",
    reference=_within,
    dtypes="f32",
    norm_type=[1.0, 2.0],
    core=False,
)
def norms_at_most(t, dtype, norm_type):
    layer = t.construct("torch.nn.Embedding", 5, 16, max_norm=0.5, norm_type=norm_type, dtype=dtype)
    made = t.call(layer, t.const(_REPEATED, "i64"))
    return made.detach(), layer.weight.detach()


@case("torch.nn.Embedding", reference=lambda np, w, i: w[i], dtypes="f32 bf16", core=False)
def from_pretrained(t, dtype):
    """It is frozen unless asked otherwise, and has the memory of what it is given."""
    weight, make = t.randn((7, 3), dtype), t.get("torch.nn.Embedding").from_pretrained
    layer, free = make(weight), make(weight, freeze=False, padding_idx=1)
    t.expect(not layer.weight.requires_grad and free.weight.requires_grad, "frozen or free")
    t.expect(layer.weight.data_ptr() == weight.data_ptr(), "no copy")
    t.expect((free.num_embeddings, free.embedding_dim, free.padding_idx) == (7, 3, 1), "its sizes")
    return t.call(layer, t.const([[6, 0, 2], [2, 1, 5]], "i64"))


@case(
    "torch.nn.Embedding",
    reference=_rows,
    dtypes="f32",
    shape=[(), (7,), (2, 3, 4)],
    core=False,
)
def other_shapes(t, dtype, shape):
    layer = t.construct("torch.nn.Embedding", 9, 3, dtype=dtype)
    return t.call(layer, t.randint(shape, "i64", 0, 9))


@case(
    "torch.nn.Embedding",
    reference=lambda np, index, weight: weight[index.T[::2]],
    dtypes="f32",
    core=False,
)
def strided_numbers(t, dtype):
    layer = t.construct("torch.nn.Embedding", 9, 3, dtype=dtype)
    index = t.randint((4, 6), "i64", 0, 9, noncontiguous=True)
    return t.call(layer, index.T[::2])


@case("torch.nn.Embedding", reference=_rows, dtypes="f32", trivial=True, core=False)
def of_nothing(t, dtype):
    layer = t.construct("torch.nn.Embedding", 9, 3, dtype=dtype)
    return t.call(layer, t.randint((2, 0), "i64", 0, 9))


def _tied(np, index, weight):
    """Scores of all rows for each taken one, and the gradient of their sum."""
    taken = weight[index]
    slope = _added_by_row(np, np.broadcast_to(weight.sum(0), taken.shape), weight, index)
    return taken @ weight.T, slope + taken.reshape(-1, 4).sum(0)


@case(
    "torch.nn.Embedding",
    reference=_tied,
    dtypes="f32",
    core=False,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
)  # matrix products
def tied_to_the_output(t, dtype):
    """A language model's head has the same weight: both gradients add up."""
    layer = t.construct("torch.nn.Embedding", 6, 4, dtype=dtype)
    made = t.call(lambda index: layer(index) @ layer.weight.T, t.const(_REPEATED, "i64"))
    made.sum().backward()
    return made.detach(), layer.weight.grad


@case(
    "torch.nn.Embedding",
    reference=lambda np, a, b, c, weight: [weight[index] for index in (a, b, c)],
    dtypes="f32",
    core=False,
)
def three_lengths(t, dtype):
    """One size after another: what a compiler made for one must not be used for the next."""
    layer = t.construct("torch.nn.Embedding", 20, 6, dtype=dtype)
    return [t.call(layer, t.randint((2, n), "i64", 0, 20)) for n in (5, 8, 13)]


@case("torch.nn.Embedding", reference=_rows, dtypes="f32 bf16", large=True)
def large(t, dtype):
    layer = t.construct("torch.nn.Embedding", 20000, 256, dtype=dtype)
    return t.call(layer, t.randint((64, 512), "i64", 0, 20000))


@case("torch.nn.Embedding", dtypes="f32", reference="none", core=False)
def made_where_asked(t, dtype):
    """device= and dtype=; standard normal numbers, and zeros for the padding."""
    make = "torch.nn.Embedding"
    layer = t.call(make, 64, 32, padding_idx=-1, device=t.device, dtype=t.dtype(dtype))
    t.expect(layer.weight.dtype is t.dtype(dtype), "a weight of that dtype")
    t.expect(layer.weight.device.type == t.fw.device(t.device).type, "a weight on that device")
    t.expect(layer.padding_idx == 63, "the padding counted from the start")
    t.expect(not t.host(layer.weight)[63].any(), "zeros for the padding")
    t.statistics(layer.weight[:63], mean=0.0, std=1.0)


@case("torch.nn.Embedding", dtypes="f32", reference="none", core=False)
def embedding_wrong_calls_raise(t, dtype):
    layer, make = t.construct("torch.nn.Embedding", 5, 4, dtype=dtype), "torch.nn.Embedding"
    t.refuses(layer, t.uniform((3,), dtype, 0, 4))
    t.raises((AssertionError, ValueError), t.call, make, 5, 4, padding_idx=5)
    t.raises((AssertionError, ValueError), t.call, make, 5, 4, _weight=t.randn((4, 5), dtype))


EMBEDDING, GATHER = "torch.nn.Embedding", "torch.gather"


def _learned_twice(np, index, weight, padding, how):
    """The rows, and twice the gradient of their squares: none of the padding, or each by how often it is taken."""
    made = weight[index]
    slope = _added_by_row(np, 4 * made, weight, index)
    if how == "by frequency":
        slope /= np.maximum(np.bincount(index.reshape(-1), minlength=len(weight)), 1)[:, None]
    if padding is not None:
        slope[padding] = 0
    return [made, slope]


@case(EMBEDDING, dtypes="f32 f64", padding=[None, 1, -2], how=["sparse", "by frequency"], core=False, reference=_learned_twice)  # fmt: skip
def padding_beside_options(t, dtype, padding, how):
    """Two backward passes add up; a sparse gradient holds the rows that learn alone, not the padding."""
    options = {"sparse": how == "sparse", "scale_grad_by_freq": how == "by frequency"}
    layer = t.construct(EMBEDDING, 5, 4, padding_idx=padding, dtype=dtype, **options)
    index = t.const(_REPEATED, "i64")
    for _ in range(2):
        made = t.call(layer, index)
        (made**2).sum().backward()
    slope = layer.weight.grad
    t.expect(slope.is_sparse == (how == "sparse"), "as it was asked for")
    if slope.is_sparse:
        rows = {0, 1, 3} - {None if padding is None else padding % 5}
        t.expect(slope.coalesce().indices().tolist() == [sorted(rows)], "the rows that learn alone")
    return [made.detach(), slope.to_dense()]


@case(EMBEDDING, dtypes="f32", norm_type=[2.0, 3.0, float("inf")], core=False, reference=lambda np, index, weight, norm_type: _bounded(np, index, weight, norm_type))  # fmt: skip
def gradient_of_bounded_rows(t, dtype, norm_type):
    """Documented: max_norm changes the weight in place; the gradient is that of the changed rows."""
    layer = t.construct(EMBEDDING, 5, 8, max_norm=0.4, norm_type=norm_type, dtype=dtype)
    made = t.call(layer, t.const(_REPEATED, "i32"))
    (made**2).sum().backward()
    return [made.detach(), layer.weight.detach(), layer.weight.grad]


def _bounded(np, index, weight, norm_type):
    norms = np.linalg.norm(weight, norm_type, -1)
    scale = np.where((norms > 0.4) & np.isin(np.arange(5), index), 0.4 / (norms + 1e-7), 1)
    moved = weight * scale[:, None]
    return [moved[index], moved, _added_by_row(np, 2 * moved[index], weight, index)]


@case(
    EMBEDDING, dtypes="i64 i32 i16 i8 u8 f64", core=False, reference=lambda np, w, *i: [w[i[-1]], w]
)
def from_pretrained_numbers(t, dtype):
    """Whole numbers, too; options reach the layer; what is no matrix is refused."""
    weight, make = t.randint((7, 3), dtype, 0, 90), t.get(EMBEDDING).from_pretrained
    layer = make(weight)
    options = {"max_norm": 2.0, "norm_type": 0.5, "scale_grad_by_freq": True, "sparse": True}
    if dtype == "f64":
        told = make(weight.clone(), freeze=False, padding_idx=-1, **options)
        t.expect({key: getattr(told, key) for key in options} == options, "the options")
        t.expect(told.padding_idx == 6 and told.weight.requires_grad, "the padding, and free")
        rows = t.call(told, t.const([0, 4], "i64"))
        t.expect(bool(((abs(t.host(rows)) ** 0.5).sum(1) ** 2 <= 2.001).all()), "rows of that norm")
    t.raises((AssertionError, ValueError), make, weight[0])
    return [t.call(layer, t.const([[6, 0, 2], [2, 1, 5]], "i64")), layer.weight.detach()]


@case(EMBEDDING, dtypes="f32", core=False, reference="none")
def no_rows_and_no_columns(t, dtype):
    """Sparse gradients of nothing; half precision after a move; initial numbers drawn anew; paddings and indices that are none."""
    make, none = t.get(EMBEDDING), t.const(t.np.zeros(0), "i64")
    for sizes, index in (((0, 0), none), ((10, 0), t.const(_REPEATED, "i64")), ((10, 3), none)):
        layer = make(*sizes, sparse=True, device=t.device)
        t.call(layer, index).sum().backward()
        slope = layer.weight.grad
        t.expect(slope.is_sparse and slope.shape == sizes, "nothing, of that size")
    half = make(10, 3, padding_idx=2, device=t.device).to(t.dtype("f16"))
    rows = t.call(half, t.const([2, 1], "i64"))
    t.expect(rows.dtype is t.dtype("f16"), "the moved dtype")
    t.expect(t.host(rows).tolist() == t.host(half.weight)[[2, 1]].tolist(), "its rows")
    before = t.host(half.weight).copy()
    half.reset_parameters()
    t.expect(not t.host(half.weight[2]).any() and bool((t.host(half.weight) != before).any()), "drawn anew, but for the padding")  # fmt: skip
    for padding in (10, -11):
        t.raises((AssertionError, ValueError), t.call, EMBEDDING, 10, 3, padding_idx=padding)
    for kind in ("i16", "u8", "bool", "f32"):
        t.raises(RuntimeError, t.call, half, t.const([1, 0], kind))
    flat = {"weight": t.randn((10,), "f16")}
    t.raises(RuntimeError, t.call, t.fw.func.functional_call, half, flat, t.const([1], "i64"))


@case(GATHER, dtypes="f32 i64 c64 bool", core=False, trivial=True, reference=lambda np, one, line, *index: [
      np.full(1, one), np.full(3, one), line[2], np.zeros((2, 0)), line[[4, 4]]])  # fmt: skip
def of_numbers_and_by_numbers(t, dtype):
    """From a number by a line, from a line by a number, by nothing of more axes than there are."""
    one, line = t.const(1, dtype), t.randint((5,), dtype, 0, 9)
    index = [t.const(i, "i64") for i in ([0], [0, 0, 0], 2)]
    none = t.const(t.np.zeros((2, 0)), "u8")
    given = (one, index[0]), (one, index[1]), (line, index[2]), (line, none), (line, t.const([4, 4], "i32"))  # fmt: skip
    return [t.call(GATHER, x, 0, i) for x, i in given]


@case(GATHER, dtypes="f32 f64 c64", shapes="50x17 50x1 50x8x7 50x3x4x5", grad=True, core=False, reference=with_gradient(
      lambda np, x, i: x[i], lambda np, w, x, i: _added_by_row(np, w, x, i), of=[0]))  # fmt: skip
def by_a_broadcast_line(t, dtype, shape):
    """Whole rows by an index with a stride of zero along each other axis; and the gradient, in which each row has some sums."""
    x, line = t.randn(shape, dtype), t.randint((100,), "i64", 0, 50)
    index = line.reshape(100, *[1] * (len(shape) - 1)).expand(100, *shape[1:])
    return t.call(GATHER, x, 0, index)


@case(GATHER, dtypes="f32 f64", core=False, reference=lambda np, x, i, w: [
      x[i], np.bincount(i, w, 11), x[i], np.bincount(i, w, 11)])  # fmt: skip
def deterministic_gradient(t, dtype):
    """Of three thousand numbers of eleven; under deterministic algorithms, too."""
    x, i = t.randn((11,), dtype, grad=True), t.randint((3000,), "i64", 0, 11)
    w, made = t.uniform((3000,), dtype, 0.5, 1), []
    before = t.fw.are_deterministic_algorithms_enabled()
    for asked in (False, True):
        t.fw.use_deterministic_algorithms(asked)
        try:
            one = t.call(GATHER, x, 0, i)
            made += [one.detach(), t.fw.autograd.grad((one * w).sum(), x)[0]]
        finally:
            t.fw.use_deterministic_algorithms(before)
    return made


@case(GATHER, dtypes="f32 bf16 i8", core=False, reference=lambda np, x, along, trap, place: [
      x[along[:300] % 96], x[:, along], x[:, ::2][:, along[::2]], x[1:][along[::7] % 95], trap[np.arange(16), place][:, None]])  # fmt: skip
def by_expanded_lines(t, dtype):
    """Whole rows and whole columns, from numbers with gaps and off their places in memory, by an index with gaps; one place of
    each row, which is no line."""
    x, along = t.randn((96, 1030), dtype), t.randint((700,), "i64", 0, 515)
    trap, place = t.randn((16, 2, 16), dtype), t.randint((16,), "i64", 0, 2)
    rows = lambda index, n: index[:, None].expand(-1, n)  # noqa: E731
    columns = lambda index, n: index[None].expand(n, -1)  # noqa: E731
    return [
        t.call(GATHER, x, 0, rows(along[:300] % 96, 1030)),
        t.call(GATHER, x, 1, columns(along, 96)),
        t.call(GATHER, x[:, ::2], 1, columns(along[::2], 96)),
        t.call(GATHER, x[1:], 0, rows(along[::7] % 95, 1030)),
        t.call(GATHER, trap, 1, place.reshape(16, 1, 1).expand(16, 1, 16)),
    ]


@case(GATHER, dtypes="f32 f64", sparse=[False, True], core=False, trivial=True, reference=lambda np, x, none, sparse: 0 * x)  # fmt: skip
def gradient_without_places(t, dtype, sparse):
    """By an index without places the gradient is zero, of the size of the input."""
    x = t.randn((10, 5), dtype, grad=True)
    made = t.call(GATHER, x, -1, t.const(t.np.zeros((3, 0)), "i64"), sparse_grad=sparse)
    t.expect(made.shape == (3, 0), "nothing")
    made.sum().backward()
    t.expect((x.grad.layout is t.fw.sparse_coo) == sparse, "sparse where it was asked for")
    return x.grad.to_dense()


@case(EMBEDDING, dtypes="f32 f64", count=[1, 2, 1000], core=False, reference=lambda np, index, w, weight, count: _much_padding(np, index, weight, w))  # fmt: skip
def much_padding(t, dtype, count):
    """The padding among others, up to a thousand times: no gradient, and none of the gradient's gradient."""
    layer = t.construct(EMBEDDING, 5, 3, padding_idx=1, dtype=dtype)
    index = t.const([3, 4, 3] + [1] * count, "i64")
    w = t.randn((3 + count, 3), dtype)
    made = t.call(layer, index)
    (first,) = t.fw.autograd.grad((made**2 * w).sum(), layer.weight, create_graph=True)
    (second,) = t.fw.autograd.grad((first**2).sum(), layer.weight)
    return [made.detach(), first.detach(), second]


def _much_padding(np, index, weight, w):
    w = w * (index != 1)[:, None]
    first = _added_by_row(np, 2 * weight[index] * w, weight, index)
    return [weight[index], first, 4 * first * _added_by_row(np, w, weight, index)]


@case(EMBEDDING, dtypes="f32", core=False, since=("2.0", "torch.func"), reference=lambda np, weight, along, index: [
      _bounded(np, index, weight, 2)[0], along[index]])  # fmt: skip
def bounded_rows_in_forward_mode(t, dtype):
    """Rows that max_norm makes shorter: the derivative is that of taking them."""
    layer = t.get(EMBEDDING)(5, 8, max_norm=0.4, device=t.device, dtype=t.dtype(dtype))
    weight, along = t.uniform((5, 8), dtype, 0.5, 1), t.randn((5, 8), dtype)
    index, ad = t.const(_REPEATED, "i64"), t.fw.autograd.forward_ad

    def run(weight, along):
        with ad.dual_level():
            dual = ad.make_dual(weight.clone(), along)
            made = t.fw.nn.functional.embedding(index, dual, max_norm=layer.max_norm)
            return list(ad.unpack_dual(made))

    return t.call(run, weight, along)


@case(GATHER, dtypes="f32 i64", core=False, since=("2.0", "torch.vmap"), reference=lambda np, x, line, index: [
      np.stack([np.take_along_axis(a, i, 0) for a, i in zip(x, index)]), np.stack([line[i] for i in index]),
      np.stack([np.take_along_axis(x[0], i, 0) for i in index]), np.stack([a[2] for a in line.reshape(2, 4)])])  # fmt: skip
def batches_of_indices(t, dtype):
    """By vmap: numbers and an index of each example, an index of each alone; a number from a line of each."""
    vmap, gather = t.get("torch.vmap"), t.get(GATHER)
    x, line, index = (
        t.randn((3, 4, 5), dtype),
        t.randn((8,), dtype),
        t.randint((3, 6, 5), "i64", 0, 4),
    )
    two = t.fw.tensor(2, device=t.device)
    return [
        t.call(vmap(lambda x, i: gather(x, 0, i)), x, index),
        t.call(vmap(lambda i: gather(line, 0, i.reshape(-1)).reshape(6, 5)), index),
        t.call(vmap(lambda i: gather(x[0], 0, i)), index),
        t.call(vmap(lambda a: gather(a, 0, two)), line.reshape(2, 4)),
    ]


@case(EMBEDDING, dtypes="f32", core=False, reference=lambda np, index, weight: [weight[index]] * 3)
def told_and_kept(t, dtype):
    """Its text has the options that are not usual; a copy, a pickle and a state give the same rows."""
    import copy
    import pickle

    layer = t.construct(EMBEDDING, 5, 4, padding_idx=1, scale_grad_by_freq=True, dtype=dtype)
    told = "Embedding(5, 4, padding_idx=1, max_norm=2.0, norm_type=1.0, scale_grad_by_freq=True, sparse=True)"  # fmt: skip
    full = t.get(EMBEDDING)(5, 4, 1, 2.0, 1.0, True, True)
    t.expect(repr(full) == told and repr(t.get(EMBEDDING)(5, 4)) == "Embedding(5, 4)", "its text, got %r" % full)  # fmt: skip
    other = t.get(EMBEDDING)(5, 4, device=t.device, dtype=t.dtype(dtype))
    other.load_state_dict(layer.state_dict())
    kept = copy.deepcopy(layer), pickle.loads(pickle.dumps(layer.cpu())).to(t.device), other
    t.expect([one.padding_idx for one in kept] == [1, 1, None], "its options")
    index = t.const(_REPEATED, "i64")
    return [t.call(one, index).detach() for one in kept]
