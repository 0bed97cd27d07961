"""Half precision, complex numbers, truth values and nothing, for functions whose other cases lack them."""

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
