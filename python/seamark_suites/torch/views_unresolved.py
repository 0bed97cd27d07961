"""Conjugates and negatives that are not computed before, for functions whose other cases have none: as inputs, as weights, and written through."""

from seamark_suites.case import case
from seamark_suites.transformed import plain

from .transformed import FORMS, called, each

T = "torch.Tensor."
NEGATED = [
    "torch.abs", "torch.where", "torch.max", "torch.min", "torch.clamp", "torch.matmul", "torch.nn.ReLU", "torch.nn.SiLU", "torch.nn.LayerNorm",
    "torch.nn.RMSNorm", "torch.nn.BatchNorm2d", "torch.nn.Conv1d", "torch.nn.Embedding", "torch.nn.CrossEntropyLoss",
    "torch.nn.functional.softmax", "torch.nn.functional.interpolate",
    *(T + name for name in ["add_", "mul_", "masked_fill_", "norm", "softmax", "sum", "t", "clamp", "float", "masked_fill"]),
]  # fmt: skip
CONJUGATED = ["torch.nn.Conv1d", "torch.nn.Embedding", T + "zero_", "torch.stack", "torch.gather", T + "unbind", T + "squeeze"]  # fmt: skip


def negative(t, x):
    """The numbers themselves, as a view that says that they are to be negated."""
    return t.fw.complex(t.fw.zeros_like(x), -x).conj().imag


def conjugate(x):
    """The numbers themselves, as a view that says that they are to be conjugated."""
    return x.conj().resolve_conj().conj()


@each(NEGATED, plain, dtypes="f32 f64")
def of_views_to_negate(t, dtype, function):
    """Every input, and the weights of a layer."""
    drawn = [t.uniform(shape, dtype, 0.5, 2) for shape in FORMS[function][2]]
    return t.call(called(t, function, dtype), *(negative(t, one) for one in drawn))


@each(CONJUGATED, plain, dtypes="c64 c128")
def of_views_to_conjugate(t, dtype, function):
    drawn = [t.uniform(shape, dtype, 0.5, 2) for shape in FORMS[function][2]]
    return t.call(called(t, function, dtype), *(conjugate(one) for one in drawn))


def _through(name):
    """Of x a negative is written, of y a conjugate; what lies in memory is given."""

    def reference(np, x, y, mask):
        left = np.arange(4) < 2
        if name == "masked_fill_":
            made = np.where(mask, 2.5, -x), np.where(mask, 2.5 - 1j, y.conj())
        elif name == "zero_":
            made = np.where(left, 0, -x), np.where(left, 0, y.conj())
        elif name == "add_":
            made = -x + 3 * x, y.conj() + (2 - 1j) * y
        else:
            made = -x * x[0], y.conj() * y[0]
        return [-made[0], made[0], made[1].conj(), made[1]]

    return reference


def written_through(t, dtype, function):
    """The view has what was written, and the memory below it its negative or conjugate."""
    fw, write = t.fw, t.get(function)
    x, y, mask = t.uniform((3, 4), dtype, 0.5, 2), t.uniform((3, 4), "c64", 0.5, 2), t.randn((3, 4), "bool")  # fmt: skip
    below, turned = fw.complex(fw.zeros_like(x), x), y.clone()
    found = []
    for view, memory, other, value in ((below.conj().imag, below.imag, x, 2.5), (turned.conj(), turned, y, 2.5 - 1j)):  # fmt: skip
        if function.endswith("masked_fill_"):
            made = t.call(write, view, mask, value)
        elif function.endswith("zero_"):
            t.call(write, view[:, :2])
            made = view
        elif function.endswith("add_"):
            made = t.call(write, view, other, alpha=2 - 1j if view.is_complex() else 3)
        else:
            made = t.call(write, view, other[0])
        t.expect(made is view, "the view itself")
        found += [memory.clone(), view.resolve_neg().resolve_conj().clone()]
    return found


for _name in ("masked_fill_", "zero_", "add_", "mul_"):
    case(T + _name, dtypes="f32", core=False, reference=_through(_name))(written_through)
