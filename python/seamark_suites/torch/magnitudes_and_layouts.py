"""Numbers of every size, and tensors that are quantized, ragged or sparse, for the functions whose own tests try them."""

from seamark_suites.case import case
from seamark_suites.transformed import each_of, plain

from . import pointwise
from . import reference_pointwise as right
from .methods import free
from .reference import with_gradient

POINTS = "exp log Tensor.exp Tensor.sigmoid Tensor.sqrt"


# --- numbers of every size


@pointwise.each(POINTS, lambda function: right.of(free(function)), dtypes="f32 f64 bf16", core=False,
                rtol={"f32": 1e-5, "f64": 1e-12}, atol={"f32": 0, "f64": 0, "bf16": 0})  # fmt: skip
def of_every_size(t, dtype, function):
    """Right in relation to the result, from the least normal numbers to the greatest."""
    np, name = t.np, free(function)
    sizes = np.linspace(-85, 88, 3001) if name in ("torch.exp", "torch.sigmoid") else 2.0 ** np.linspace(-125, 126, 3001)  # fmt: skip
    return t.call(function, t.const(sizes.reshape(3001, 1), dtype))


COMPLEX = {
    "torch.exp": [(-80, 1), (-30, -3), (85, 0.5), (85, -2.5), (0, 1e-6), (3, 100), (1e-20, -1e-20)],
    "torch.sqrt": [(-1e20, -4988429.2), (0, -1e20), (1e37, 1e37), (-1e37, 1e37), (-1e37, -1e37), (1e-20, -1e-20), (-1e-20, 1e-26), (1e10, 1e-5)],
    "torch.sigmoid": [(-80, 1), (-30, -3), (80, 1), (30, 3), (0, 1e-6), (1, 3), (-1, -3), (0, 2.5)],
    "torch.log": [(1e-20, 1e-20), (-1e18, 1e-3), (1e18, 1e18), (-1e-18, -1e-20), (0, -1e-20), (3, -4e-8)],
}  # fmt: skip


def _parts(function):
    def reference(np, x):
        made = right.of(free(function))(np, x)
        return [made.real, made.imag]

    return reference


@pointwise.each(POINTS, _parts, dtypes="c64 c128", core=False, rtol={"f32": 1e-5, "f64": 1e-12}, atol={"f32": 1e-43, "f64": 1e-43})  # fmt: skip
def complex_of_every_size(t, dtype, function):
    """Each part in relation to its own size: neither drowns in the other."""
    made = t.call(function, t.const([complex(*one) for one in COMPLEX[free(function)]], dtype))
    return [made.real, made.imag]


def _beside(function):
    def reference(np, x):
        made = right.of(function)(np, x[:4])
        return [made, np.concatenate([x[:4], made, x[8:]])]

    return reference


@pointwise.each("exp log", _beside, dtypes="f32 f64", core=False)
def not_beside_itself(t, dtype, function):
    """out= that lies on a part of the input is refused; what lies beside it is not."""
    x = t.uniform((9,), dtype, 0.5, 2)
    t.raises(RuntimeError, t.call, function, x[:-1], out=x[1:])
    return [t.call(function, x[:4], out=x[4:8]).clone(), x]


ENDS = {
    "torch.exp": [709.75, 709.8, 1000, -708, -744.5, -800, 1e-300, -0.0],
    "torch.log": [1.7e308, 2.3e-308, 5e-324, 1e-310, 1 + 2**-52, 1 - 2**-53],
    "torch.sqrt": [1.7e308, 2.3e-308, 5e-324, 1e-310, 1 + 2**-51, 0.0],
    "torch.sigmoid": [-708, 708, -36.5, 36.5, 1e-300, -0.0],
}


@pointwise.each(POINTS, lambda function: right.of(free(function)), dtypes="f64", core=False, rtol={"f64": 1e-12}, atol={"f64": 5e-324})  # fmt: skip
def at_the_ends(t, dtype, function):
    """The greatest and the least results that are numbers, and what lies behind; of the least arguments, too."""
    return t.call(function, t.const(ENDS[free(function)], dtype))


# --- quantized tensors: steps of a half, of which 60 is zero

MASK = [True, False, False, True, False]
QUANTIZED = {  # how it is called, and what it gives of the numbers
    **dict.fromkeys(("torch.chunk", "torch.Tensor.chunk"), (
        lambda t, f, x: f(x, 2, 1), lambda np, x: np.split(x, [3], 1))),
    "torch.split": (lambda t, f, x: [*f(x, 3), *f(x, [1, 4], 1)],
                    lambda np, x: [*np.split(x, [3]), *np.split(x, [1], 1)]),
    "torch.Tensor.flatten": (lambda t, f, x: f(x), lambda np, x: x.reshape(-1)),
    "torch.Tensor.index_select": (lambda t, f, x: f(x, 1, t.fw.tensor([4, 0, 4], device=t.device)), lambda np, x: x[:, [4, 0, 4]]),
    "torch.Tensor.masked_fill": (lambda t, f, x: f(x, t.fw.tensor(MASK, device=t.device), 1.5), lambda np, x: np.where(MASK, 1.5, x)),
    "torch.Tensor.repeat": (lambda t, f, x: f(x, 2, 1, 3), lambda np, x: np.tile(x, (2, 1, 3))),
    "torch.Tensor.t": (lambda t, f, x: f(x), lambda np, x: x.T),
    "torch.Tensor.unbind": (lambda t, f, x: f(x, 1), lambda np, x: list(x.T)),
    "torch.Tensor.view": (lambda t, f, x: f(x, 2, -1), lambda np, x: x.reshape(2, 10)),
    "torch.Tensor.reshape": (lambda t, f, x: [f(x, [20]), f(x, [2, -1]), f(x.t(), (2, 10))],
                             lambda np, x: [x.reshape(20), x.reshape(2, 10), x.T.reshape(2, 10)]),
    "torch.Tensor.unflatten": (lambda t, f, x: f(x, 0, (2, -1)), lambda np, x: x.reshape(2, 2, 5)),
    "torch.mean": (lambda t, f, x: f(x, 1), lambda np, x: np.round(2 * x.mean(1)) / 2),
    "torch.nn.ReLU": (lambda t, f, x: f()(x), lambda np, x: np.maximum(x, 0)),
    "torch.nn.functional.pad": (lambda t, f, x: f(x, (1, 2)), lambda np, x: np.pad(x, ((0, 0), (1, 2)))),
}  # fmt: skip


each_quantized = each_of(QUANTIZED)


@each_quantized(QUANTIZED, plain, dtypes="f32")
def of_quantized_numbers(t, dtype, function):
    """The result is quantized by the same steps."""
    f, torch = t.get(function), t.fw
    x = torch.quantize_per_tensor(t.randint((4, 5), dtype, -20, 20), 0.5, 60, torch.quint8)
    made = t.call(lambda x: QUANTIZED[function][0](t, f, x), x)
    made = list(made) if isinstance(made, (tuple, list)) else [made]
    t.expect(all(one.dtype is torch.quint8 for one in made), "quantized results")
    t.expect(all((one.q_scale(), one.q_zero_point()) == (0.5, 60) for one in made), "by the same steps")  # fmt: skip
    return [one.dequantize() for one in made]


@case("torch.Tensor.sigmoid", dtypes="f32", core=False, reference=lambda np, x: np.minimum(np.round(256 * right.sigmoid(np, x)), 255) / 256)  # fmt: skip
def quantized_to_shares(t, dtype):
    """Between zero and one, whatever the steps of the input: by 256 steps from zero."""
    x = t.fw.quantize_per_tensor(t.randint((7, 40), dtype, -9, 9), 0.5, 60, t.fw.quint8)
    made = t.call("torch.Tensor.sigmoid", x)
    t.expect((made.q_scale(), made.q_zero_point()) == (1 / 256, 0), "256 steps from zero")
    return made.dequantize()


MOVED = [
    name for name in QUANTIZED if name.rpartition(".")[2] not in ("mean", "ReLU", "masked_fill")
]
RARE = ["uint16", "uint32", "uint64", "complex32", "float8_e4m3fn", "float8_e5m2"]


MOVES = {
    **{name: QUANTIZED[name] for name in MOVED},
    "torch.where": (lambda t, f, x: f(t.fw.tensor(MASK, device=t.device), x, x[:1]), lambda np, x: np.where(MASK, x, x[:1])),
}  # fmt: skip
each_moved = each_of(MOVES)


@each_moved(MOVES, lambda form: lambda np, x: plain(form)(np, x) * len(RARE), dtypes="f32", since=("2.6", "functions of these dtypes"))  # fmt: skip
def moves_rare_kinds(t, dtype, function):
    """Numbers of seldom used dtypes go where they must, and stay what they are."""
    f, torch, found = t.get(function), t.fw, []
    x = t.randint((4, 5), dtype, 0, 8)
    for name in RARE:
        rare = getattr(torch, name)
        made = t.call(lambda x: MOVES[function][0](t, f, x), x.to(rare))
        made = list(made) if isinstance(made, (tuple, list)) else [made]
        t.expect(all(one.dtype is rare for one in made), name)
        wide = torch.complex64 if rare.is_complex else t.dtype(dtype)
        found += [one.to(wide).real.clone() for one in made]
    return found


@pointwise.each(POINTS, lambda function: lambda np, x: [right.of(free(function))(np, x)] * 3, dtypes="f32", core=False, since=("2.3", "these dtypes"))  # fmt: skip
def of_unsigned_numbers(t, dtype, function):
    """Of 16, 32 and 64 bits: they give floats, as other whole numbers."""
    x = t.randint((70,), dtype, 1, 40)
    made = [t.call(function, x.to(getattr(t.fw, "uint%d" % bits))) for bits in (16, 32, 64)]
    t.expect(all(one.dtype is t.fw.get_default_dtype() for one in made), "the default dtype")
    return made


# --- rows of several lengths

QUARTERS = 4  # the numbers are whole quarters, off the places where something turns
NESTED = {
    **{"torch." + name: (lambda t, f, x: f(x), right.of(free("torch." + name))) for name in POINTS.split()},
    **dict.fromkeys(("torch.chunk", "torch.Tensor.chunk"), (lambda t, f, x: f(x, 3, -1), lambda np, x: np.split(x, 3, -1))),
    "torch.split": (lambda t, f, x: f(x, 4, -1), lambda np, x: np.split(x, [4], -1)),
    "torch.mean": (lambda t, f, x: f(x, -1, keepdim=True), lambda np, x: x.mean(-1, keepdims=True)),
    "torch.nn.ReLU": (lambda t, f, x: f()(x - 1.125), lambda np, x: np.maximum(x - 1.125, 0)),
    "torch.where": (lambda t, f, x: f(x > 1.125, x, 2 * x), lambda np, x: np.where(x > 1.125, x, 2 * x)),
    "torch.Tensor.masked_fill": (lambda t, f, x: f(x, x > 1.125, 7), lambda np, x: np.where(x > 1.125, 7, x)),
    **dict.fromkeys(("torch.Tensor.view", "torch.Tensor.reshape"), (lambda t, f, x: f(x, 3, -1, 2, 3), lambda np, x: x.reshape(-1, 2, 3))),
    "torch.Tensor.unflatten": (lambda t, f, x: [f(x, -1, (2, 3)), f(x, -1, [6, 1]), f(x, -1, [1, 6])],
                               lambda np, x: [x.reshape(-1, 2, 3), x[..., None], x[:, None]]),
}  # fmt: skip


def _of_rows(form):
    def rows(np, *drawn):
        made = [form[1](np, x / QUARTERS) for x in drawn]
        return [part for each in zip(*made) for part in each] if isinstance(made[0], list) else made

    return with_gradient(rows)


each_nested = each_of(NESTED)


@each_nested(
    NESTED, _of_rows, dtypes="f32", grad=True, since=("2.6", "functions of jagged tensors")
)
def of_ragged_rows(t, dtype, function):
    """Three examples of two, four and one row; each has its own result and gradient."""
    f, nested = t.get(function), t.fw.nested

    def run(*rows):
        x = nested.as_nested_tensor([row / QUARTERS for row in rows], layout=t.fw.jagged)
        made = NESTED[function][0](t, f, x)
        made = made if isinstance(made, (tuple, list)) else [made]
        return [part for one in made for part in one.unbind()]

    return t.call(run, *(t.randint((n, 6), dtype, 1, 9, grad=True) for n in (2, 4, 1)))


@case("torch.Tensor.unbind", dtypes="f32 f64", grad=True, core=False, since=("2.6", "functions of jagged tensors"), reference=with_gradient(
      lambda np, *rows: [2 * row for row in rows], lambda np, w, *rows: tuple(2 * one for one in w)))  # fmt: skip
def unbinds_ragged_rows(t, dtype):
    """An example each, of which the lengths differ; not along another axis."""
    unbind, nested, jagged = t.get("torch.Tensor.unbind"), t.fw.nested, t.fw.jagged
    rows = [t.randn((n, 3), dtype) for n in (2, 4, 1)]
    x = nested.nested_tensor([row.detach() for row in rows], layout=jagged)
    t.raises(RuntimeError, unbind, x, 1)
    return t.call(
        lambda *rows: list(unbind(2 * nested.as_nested_tensor(list(rows), layout=jagged))), *rows
    )


@case("torch.nn.Embedding", dtypes="f32 f64", core=False, since=("2.6", "functions of jagged tensors"), reference=lambda
      np, a, b, weight: [weight[a], weight[b]])  # fmt: skip
def of_ragged_numbers(t, dtype):
    """Sentences of several lengths."""
    layer = t.construct("torch.nn.Embedding", 9, 4, dtype=dtype)
    words = [t.randint((n,), "i64", 0, 9) for n in (3, 5)]

    def run(*words):
        return list(layer(t.fw.nested.nested_tensor(list(words), layout=t.fw.jagged)).unbind())

    return [one.detach() for one in t.call(run, *words)]


STRIDED = ["torch.Tensor.chunk", "torch.Tensor.masked_fill", "torch.Tensor.sqrt", "torch.Tensor.view", "torch.Tensor.reshape", "torch.nn.ReLU"]  # fmt: skip


@each_nested(STRIDED, lambda form: lambda np, *rows: _of_rows(form)(np, *rows), dtypes="i64", since=("2.1", "nested tensors"))  # fmt: skip
def of_strided_rows(t, dtype, function):
    """In the layout in which one example follows the other."""
    f, rows = t.get(function), [t.randint((n, 6), dtype, 1, 9) for n in (2, 4, 1)]
    x = t.fw.nested.nested_tensor([row / QUARTERS for row in rows])
    made = t.call(lambda x: NESTED[function][0](t, f, x), x)
    made = made if isinstance(made, (tuple, list)) else [made]
    t.expect(all(one.is_nested for one in made), "nested results")
    return [part for one in made for part in one.unbind()]


# --- means of many axes, and long ones


@case("torch.mean", dtypes="f32 f64", core=False, reference=lambda np, x, *one: [x.mean(0), x.mean(1), x.mean(), x.T.mean(0)])  # fmt: skip
def of_long_rows(t, dtype):
    """Long rows, long columns, both: no digits are lost on the way. Of 64 axes each may be asked for, of 65 all together alone."""
    x, one = t.uniform((7, 50001), dtype, 0.5, 1.5), t.const(2.5, dtype)
    for axes in (0, 63, -64, (0, 31, 63)):
        made = t.call("torch.mean", one.reshape([1] * 64), axes)
        t.expect(made.dim() == 64 - (3 if axes == (0, 31, 63) else 1), "the other axes")
        t.expect(t.host(made).reshape(-1).tolist() == [2.5], "the one number")
    for axes in (0, 64):
        t.raises(RuntimeError, t.call, "torch.mean", one.reshape([1] * 65), axes)
    t.expect(float(t.call("torch.mean", one.reshape([1] * 65))) == 2.5, "all together")
    return [t.call("torch.mean", x, 0), t.call("torch.mean", x, 1), t.call("torch.mean", x), t.call("torch.mean", x.mT, 0)]  # fmt: skip


@case("torch.mean", dtypes="f32 c64", core=False, reference=lambda np, x: [x.mean(), x.mean(), x.mean((0, 2)), x.mean(1)])  # fmt: skip
def mean_of_all_into_out(t, dtype):
    """Of all axes into a number; with a dtype; into a transpose; axes as NumPy's integers."""
    x, np = t.randn((3, 4, 5), dtype), t.np
    wide = t.fw.complex128 if dtype == "c64" else t.fw.float64
    one, more = t.fw.zeros((), dtype=x.dtype, device=t.device), t.fw.zeros((), dtype=wide, device=t.device)  # fmt: skip
    rows = t.fw.zeros((5, 3), dtype=x.dtype, device=t.device).mT
    t.expect(t.call("torch.mean", x, out=one) is one, "the given number")
    t.expect(
        t.call("torch.mean", x, dtype=wide, out=more) is more, "the given number of that dtype"
    )
    t.expect(t.call("torch.mean", x, np.int16(1), out=rows) is rows, "the given transpose")
    t.raises((RuntimeError, ValueError), t.call, "torch.mean", x, np.uint64(2**64 - 1))
    columns = t.call("torch.mean", x, (np.int64(0), np.int32(2)))
    return [one, more.to(x.dtype), columns, rows]


@case("torch.mean", dtypes="f32 f64 c64", core=False, reference=lambda np, x: [
      x.mean(tuple(i for i in range(4) if bits >> i & 1), keepdims=keep) for bits in range(1, 16) for keep in (False, True)])  # fmt: skip
def of_each_set_of_axes(t, dtype):
    """Of four axes in another order each set, with and without axes that stay."""
    x = t.randn((3, 4, 5, 6), dtype)
    turned = x.permute(2, 0, 3, 1).contiguous().permute(1, 3, 0, 2)
    sets = [tuple(i - 4 * (bits % 2) for i in range(4) if bits >> i & 1) for bits in range(1, 16)]
    return [
        t.call("torch.mean", turned, one, keepdim=keep) for one in sets for keep in (False, True)
    ]


# --- memory of rare kinds, and like that of other tensors


@case("torch.empty", dtypes="u16 u32 u64 c32 f8e5m2", core=False, since=("2.3", "these dtypes"), reference="none")  # fmt: skip
@case("torch.ones", dtypes="u16 u32 u64 c32 f8e5m2", core=False, since=("2.3", "these dtypes"), reference="none")  # fmt: skip
def of_rare_kinds(t, dtype, function):
    """Each number takes its bytes, and holds what is written there."""
    torch = t.fw
    names = {
        "u16": "uint16",
        "u32": "uint32",
        "u64": "uint64",
        "c32": "complex32",
        "f8e5m2": "float8_e5m2",
    }
    kind = getattr(torch, names[dtype])
    ones, make = torch.ones(5, 7, device=t.device), t.get(function)

    def run(ones):
        made = make((5, 7), dtype=kind, device=t.device)
        return made if function == "torch.ones" else made.copy_(ones)

    made = t.call(run, ones)
    t.expect(made.dtype is kind and made.nbytes == 35 * made.element_size(), "that dtype")
    wide = {"c32": torch.complex64, "f8e5m2": torch.float32}.get(dtype, torch.int64)
    t.expect(bool((t.host(made.to(wide)) == 1).all()), "ones")


@case(
    "torch.Tensor.new_empty",
    dtypes="f16 i8 i16 i32 c128",
    core=False,
    reference=lambda np, x: [x, x],
)
def new_of_other_kinds(t, dtype):
    """By a list and by a size that is named; of a part with gaps."""
    new, x = t.get("torch.Tensor.new_empty"), t.randn((6, 9), dtype)
    run = lambda x: [new(x, [6, 9]).copy_(x), new(x[::2, 1:], size=(6, 9)).copy_(x)]  # noqa: E731
    made = t.call(run, x)
    t.expect(all(one.dtype is x.dtype and one.stride() == (9, 1) for one in made), "in order")
    return made


@case("torch.Tensor.new_empty", core=False, reference="none")
def new_of_other_tensors(t):
    """Of a parameter a plain tensor; of a sparse tensor, or as one asks, a sparse one; on meta whatever the size; of a class of
    one's own one of that class."""
    fw, new, x = t.fw, "torch.Tensor.new_empty", t.randn((4, 3), "f32")
    made = t.call(new, fw.nn.Parameter(x), (2, 3))
    t.expect(type(made) is fw.Tensor and not made.requires_grad, "a plain tensor")
    sparse = t.call(new, x.to_sparse(), (2, 3)), t.call(new, x, (2, 3), layout=fw.sparse_coo)
    t.expect(all(one.is_sparse and one.shape == (2, 3) and one._nnz() == 0 for one in sparse), "sparse tensors")  # fmt: skip
    meta = t.call(new, x.to("meta"), (2**20, 2**20), dtype=fw.float16)
    t.expect(meta.is_meta and meta.shape == (2**20, 2**20) and meta.dtype is fw.float16, "on meta")
    own = type("Own", (fw.Tensor,), {})
    t.expect(type(t.call(new, x.as_subclass(own), 2)) is own, "of that class")
    with fw.no_grad():
        t.expect(
            t.call(new, x, 2, requires_grad=True).requires_grad, "a leaf, without a graph, too"
        )
    for wrong in ((2**62, 2**62), (-1,)):
        t.raises(RuntimeError, t.call, new, x, *wrong)


@pointwise.each("empty ones randn", core=False, since=("2.3", "these dtypes"))
def nothing_of_each_kind(t, function):
    """Of each dtype that the function has, whatever axes have no numbers."""
    names = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
    if function != "torch.randn":
        names += [
            "bool",
            "uint8",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint16",
            "uint32",
            "uint64",
            "complex32",
        ]
    for name in names:
        for shape in ((5, 0, 1), (0,), (0, 0, 1, 0, 2, 0, 0)):
            made = t.call(function, shape, dtype=getattr(t.fw, name), device=t.device)
            t.expect(
                made.shape == shape and made.dtype is getattr(t.fw, name),
                "%s of %s" % (shape, name),
            )


@pointwise.each("empty Tensor.new_empty", dtypes="bool u8 i8 i16 i32 f16 bf16 f64 c64", core=False, since=("2.2", "torch.utils.deterministic"))  # fmt: skip
def filled_by_kind_when_deterministic(t, dtype, function):
    """Documented: under deterministic algorithms floats and complex numbers are NaN, all others the greatest there is. What
    is written stays, also when fill_uninitialized_memory is off."""
    fw, x, kind = t.fw, t.randn((3,), "f32"), t.dtype(dtype)
    given = ((40, 5),) if function == "torch.empty" else (x, (40, 5))
    options = {"dtype": kind, "device": t.device}
    before, filled = (
        fw.are_deterministic_algorithms_enabled(),
        fw.utils.deterministic.fill_uninitialized_memory,
    )
    fw.use_deterministic_algorithms(True)
    try:
        values = t.host(t.call(function, *given, **options))
        fw.utils.deterministic.fill_uninitialized_memory = False
        plain = t.call(lambda: t.get(function)(*given, **options).fill_(1))
        t.expect(bool((t.host(plain) == 1).all()), "what is written")
    finally:
        fw.utils.deterministic.fill_uninitialized_memory = filled
        fw.use_deterministic_algorithms(before)
    if dtype[0] in "fbc" and dtype != "bool":
        right = t.np.isnan(values)
    else:
        right = values == (True if dtype == "bool" else fw.iinfo(kind).max)
    t.expect(bool(right.all()), "NaN, or the greatest")
