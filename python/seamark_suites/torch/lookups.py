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
