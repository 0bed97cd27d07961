"""Half precision, complex numbers (of two halves, too), truth values and nothing, for functions whose other cases lack them."""

from seamark_suites.reference import affine_pull, with_gradient
from seamark_suites.transformed import plain

from .transformed import FORMS, MADE, called, each

NEAR = {"f16": 4e-3, "c64": 1e-5}
# Ordered, cut or compared by size, or without complex kernels on the CPU.
ORDERED = {
    "torch.where", "torch.max", "torch.min", "torch.clamp", "torch.abs", "torch.Tensor.clamp", "torch.Tensor.masked_fill",
    "torch.Tensor.masked_fill_", "torch.Tensor.float", "torch.Tensor.norm", "torch.Tensor.softmax", "torch.nn.functional.softmax",
    "torch.nn.functional.interpolate", *(set(MADE) - {"torch.nn.Linear", "torch.nn.Conv1d", "torch.nn.Conv2d", "torch.nn.Embedding"}),
}  # fmt: skip
HALVES = [name for name in FORMS if name != "torch.Tensor.float"]
COMPLEX = [name for name in FORMS if name not in ORDERED]
MOVES = [name for name in FORMS if name.rpartition(".")[2] in (
    "cat", "stack", "gather", "pad", "chunk", "split", "unsqueeze", "permute", "transpose", "t", "view", "reshape", "flatten", "unflatten",
    "squeeze", "expand", "repeat", "repeat_interleave", "flip", "unbind", "index_select")]  # fmt: skip
# One input of rows, and a result that rows of nothing have.
ROWS = [name for name in FORMS if FORMS[name][2] == [(3, 4)] and name.rpartition(".")[2] not in (
    "gather", "view", "reshape", "unflatten", "expand")]  # fmt: skip


@each(HALVES, plain, dtypes="f16", rtol=NEAR, atol={"f16": 6e-3})
@each(COMPLEX, plain, dtypes="c64", rtol=NEAR, atol={"c64": 1e-5})
def of_other_kinds(t, dtype, function):
    """Numbers of half precision, and complex ones."""
    drawn = [t.uniform(shape, dtype, 0.5, 2) for shape in FORMS[function][2]]
    return t.call(called(t, function, dtype), *drawn)


@each(MOVES, plain, dtypes="bool u8 i16", trivial=True)
def moves_any_kind(t, dtype, function):
    """Truth values and small integers go where they must, and stay what they are."""
    made = t.call(called(t, function, dtype), *(t.randn(shape, dtype) for shape in FORMS[function][2]))  # fmt: skip
    t.expect(all(one.dtype is t.dtype(dtype) for one in made), "the dtype of the input")
    return made


@each(ROWS, plain, dtypes="f32", trivial=True)
def of_no_rows(t, dtype, function):
    return t.call(called(t, function, dtype), t.randn((0, 4), dtype))


# What moves numbers, whose other cases have no conjugates.
LAZY = [
    "torch.nn.functional.pad", "torch.chunk", "torch.split", "torch.Tensor.permute", "torch.Tensor.unflatten", "torch.Tensor.expand_as",
    "torch.Tensor.repeat_interleave", "torch.Tensor.flip", "torch.Tensor.index_select", "torch.Tensor.masked_fill", "torch.Tensor.type_as",
]  # fmt: skip


def _of_lazy(form):
    """Of the conjugate of the first input, and of its imaginary part with the others' real ones."""
    made = plain(form)
    if (
        form is FORMS["torch.Tensor.masked_fill"]
    ):  # its mask compares numbers, and there is no order of complex ones
        return lambda np, *drawn: [made(np, drawn[0].imag)]
    return lambda np, *drawn: [
        made(np, drawn[0].conj(), *drawn[1:]),
        made(np, drawn[0].imag, *(one.real for one in drawn[1:])),
    ]


@each(LAZY, _of_lazy, dtypes="c64")
def of_lazy_views(t, dtype, function):
    """A conjugate and a negative that are not computed before: views that the function must see through."""
    first, *rest = (t.uniform(shape, dtype, 0.5, 2) for shape in FORMS[function][2])
    run = called(t, function, dtype)
    negative = t.call(run, (-first).conj().imag, *(one.real for one in rest))
    if function.endswith("masked_fill"):
        return [negative]
    return [t.call(run, first.conj(), *rest), negative]


@each(["torch.Tensor.flip", "torch.Tensor.repeat_interleave", "torch.nn.functional.pad"],
      lambda form: with_gradient(plain(form), affine_pull(plain(form))), dtypes="c64 f64 f16", grad=True)  # fmt: skip
def gradient_of_other_kinds(t, dtype, function):
    return t.call(called(t, function, dtype), t.randn(FORMS[function][2][0], dtype))


# What the framework's own samples have of complex numbers of two halves.
HALF_COMPLEX = [
    "torch.stack", "torch.Tensor.add_", "torch.Tensor.mul_", "torch.Tensor.permute", "torch.Tensor.reshape", "torch.Tensor.unsqueeze",
    "torch.Tensor.unflatten", "torch.Tensor.expand_as", "torch.Tensor.type_as",
]  # fmt: skip


@each(HALF_COMPLEX, lambda form: lambda np, *drawn: plain(form)(np, *((x + 1j * y) / 8 for x, y in zip(drawn[: len(drawn) // 2], drawn[len(drawn) // 2 :]))), dtypes="c64")  # fmt: skip
def of_complex_halves(t, dtype, function):
    """Eighths up to two, whose sums and products are exact."""
    half = t.dtype("c32")
    parts = [[t.randint(shape, dtype, 1, 17) for shape in FORMS[function][2]] for _ in "ri"]
    drawn = [((one + 1j * other) / 8) for one, other in zip(*parts)]
    made = t.call(called(t, function, dtype), *(one.to(half) for one in drawn))
    t.expect(all(one.dtype is half for one in made), "complex numbers of two halves")
    return [one.to(drawn[0].dtype) for one in made]


# What moves numbers, in the dtypes in which its other gradients are not.
MOVED = ["torch.Tensor." + name for name in ["expand", "squeeze", "transpose", "unflatten", "flip", "repeat_interleave", "chunk"]]  # fmt: skip


@each(MOVED, lambda form: with_gradient(plain(form), affine_pull(plain(form))), dtypes="f16 c128", grad=True)  # fmt: skip
def gradient_in_half_and_of_wide_complex(t, dtype, function):
    return t.call(called(t, function, dtype), t.randn(FORMS[function][2][0], dtype))
