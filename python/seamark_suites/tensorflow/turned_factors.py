"""Products in which a factor comes turned: by letters, with axes of one, of ranks that are not known."""

from seamark_suites.case import case
from seamark_suites.reference import affine_pull

from .reference import with_gradient

EINSUM, MATMUL = "tf.einsum", "tf.matmul"
SIZES = {letter: number + 1 for number, letter in enumerate("abcdefghij")}


def _five(form):
    """Each letter its own size: a 1, b 2 and so on."""
    factors = form.replace(" ", "").split("->")[0].split(",")
    return tuple(tuple(SIZES[letter] for letter in one) for one in factors)


FORMS = {
    "ji,jk->ik": ((4, 3), (4, 5)),
    "ji,kj->ik": ((4, 3), (5, 4)),
    "ij,jk->ki": ((3, 4), (4, 5)),
    "ijk->kji": ((2, 3, 4),),
    "ijk,kji": ((2, 3, 4), (4, 3, 2)),
    "ab->": ((3, 4),),
    "ij,j->": ((3, 4), (4,)),
    "a,a->": ((5,), (5,)),
    "bij,bjk->bik": ((4, 2, 3), (4, 3, 5)),
    "...mk,kn->mn": ((2, 3), (3, 4)),
    "abce,badf->abcd": ((1, 2, 3, 4), (2, 1, 4, 3)),
    "ea,fb,gc,hd,abcd->efgh": _five("ea,fb,gc,hd,abcd"),
    "efc, dbc, acf, fd -> abe": _five("efc,dbc,acf,fd"),
    "abhe, hidj, jgba, hiab, gab": _five("abhe,hidj,jgba,hiab,gab"),
}
OF_ONE = {
    "...i,...j,...k->...ijk": ((1, 4, 1, 2), (5, 1, 1, 3), (1, 1, 1, 1, 4)),
    "...i,...j->...ij": ((1,), (1,)),
    "aab,b...c->a...c": ((1, 1, 3), (3, 1, 1, 4)),
    "aab,bc->ac": ((1, 1, 3), (3, 4)),
    "ij...,jk...->ik...": ((3, 2, 1), (2, 4)),
    "a...a->a...": ((2, 1, 2),),
    "...ijk->...ki": ((1, 3, 4, 5),),
}


def _by_forms(table):
    def products(np, *parts):
        left = list(parts)
        made = []
        for form, shapes in table.items():
            letters = form.replace(" ", "")
            made.append(np.einsum(letters, *(left.pop(0) for _ in shapes)))
        return made

    return products


def _run(t, dtype, table):
    f = t.get(EINSUM)
    drawn = [t.uniform(shape, dtype, 0.5, 1.5) for shapes in table.values() for shape in shapes]

    def products(*parts):
        left = list(parts)
        return [f(form, *(left.pop(0) for _ in shapes)) for form, shapes in table.items()]

    return t.call(products, *drawn)


@case(EINSUM, dtypes="f32 f64 c64 c128", core=False, reference=_by_forms(FORMS))  # fmt: skip
def einsum_of_turned_factors(t, dtype):
    """Either matrix turned, or the product; all summed, with an arrow and without one; four and five factors, with spaces."""
    return _run(t, dtype, FORMS)


@case(EINSUM, dtypes="f32 f64 c128", core=False, grad=True,
      reference=with_gradient(_by_forms(OF_ONE), affine_pull(_by_forms(OF_ONE))))  # fmt: skip
def einsum_slopes_of_axes_of_one(t, dtype):
    """Dots that stand for axes of one, which meet others; a letter that comes twice, of one."""
    return _run(t, dtype, OF_ONE)


def _phased(x, phase):
    """Whole numbers in both parts where there are two."""
    return x * phase if "complex" in str(x.dtype) else x


WAYS = ["", "transpose", "adjoint"]
PAIRS = ((3, 4), (4, 2)), ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 2), (5, 2, 4)), ((1, 3), (3, 1))


@case(MATMUL, dtypes="f32 c64 c128 i32 bf16", core=False, reference=lambda np, *xs: [
      _phased(x, 1 + 2j) @ _phased(y, 2 - 1j) for x, y in zip(xs[::2], xs[1::2]) for _ in range(9)])  # fmt: skip
def matmul_turned_of_unknown_rank(t, dtype):
    """Traced once for matrices and for batches: either one as it is, turned, or turned and conjugate. Whole numbers of both signs."""
    tf, f = t.fw, t.get(MATMUL)
    spec = tf.TensorSpec(None, t.dtype(dtype))

    def turned(x, way):
        axes = [*range(x.shape.rank - 2), x.shape.rank - 1, x.shape.rank - 2]
        return tf.transpose(x, axes, conjugate=way == "adjoint") if way else x

    programs = {}
    for a in WAYS:
        for b in WAYS:
            more = {way + side: True for way, side in ((a, "_a"), (b, "_b")) if way}
            run = lambda x, y, more=more: f(x, y, **more)  # noqa: E731
            programs[a, b] = tf.function(run, input_signature=[spec, spec], autograph=False)
    whole = lambda shape: t.randint(shape, dtype, -4, 5)  # noqa: E731
    made = []
    for pair in PAIRS:
        x, y = map(whole, pair)
        x, y = _phased(x, 1 + 2j), _phased(y, 2 - 1j)
        made += [t.call(run, turned(x, a), turned(y, b)) for (a, b), run in programs.items()]
    return made
