"""Arguments of a wrong type: each function refuses them with TypeError."""

from .pointwise import each


def of_one(t):
    """What a function of one tensor does not take: a list, a number, nothing."""
    return [([1.0, 2.0],), (1.0,), ()]


def of_a_size(t):
    """What is no size: a fraction, text."""
    return [(2.5,), ((2.5,),), ("2",)]


def with_tensor(*argument_lists):
    """A 3x4 tensor, and these arguments behind it."""
    return lambda t: [(t.randn((3, 4), "f32"), *args) for args in argument_lists]


OF_ONE = "exp log sqrt sin cos sigmoid abs isfinite zeros_like ones_like empty_like"
OF_A_SIZE = "ones empty randn rand"

WRONG = {
    **dict.fromkeys(OF_ONE.split(), of_one),
    **dict.fromkeys(OF_A_SIZE.split(), of_a_size),
    "full": lambda t: [((2.5,), 1), (2, 3), ((2,), t.randn((1,), "f32")), ((2,), "a")],
    "full_like": lambda t: [([1.0], 3), (t.randn((2,), "f32"),), (t.randn((2,), "f32"), "a")],
    "randint": lambda t: [(5, 3), (2.5, (3,)), (5,), ("5", (3,))],
    "arange": lambda t: [("5",), (), (1, 5, "1")],
    "linspace": lambda t: [(0, 1), (0, 1, 2.5), ("0", 1, 3)],
    "eye": lambda t: [(2.5,), ((2, 2),), ()],
    "as_tensor": lambda t: [("a",), ()],
    "clamp": with_tensor(("0", "1"), (0, 1, 2)),
    "pow": lambda t: [(2, 3), (t.randn((3,), "f32"), "2"), (t.randn((3,), "f32"),)],
    "mean": with_tensor(("0",), (0.5,)),
    "Tensor.sum": with_tensor(("0",), (0.5,)),
    "max": with_tensor(("0",), (0.5,)),
    "min": with_tensor(("0",), (0.5,)),
    "cumsum": with_tensor((), ((0, 1),), (0.5,)),
    "stack": with_tensor((), (0,)),
    "concat": with_tensor((), (0,)),
    "split": with_tensor((), ("2",), (2, 0.5)),
    "chunk": with_tensor((), ([3, 7],), (2.5,)),
    "where": lambda t: [
        (t.randn((3,), "bool"), t.randn((3,), "f32")),
        ([True, False, True], t.randn((3,), "f32"), t.randn((3,), "f32")),
    ],
    "gather": with_tensor((1,), (1, [[0]]), (0.5, [[0]])),
    "topk": with_tensor((), (2.5,), (2, "0")),
    "equal": with_tensor((3,), ([1.0],), ()),
    "Tensor.view": with_tensor((2.5,), ("12",)),
    "Tensor.reshape": with_tensor((2.5,), ("12",)),
    "Tensor.transpose": with_tensor((0,), (), (0, 0.5)),
    "Tensor.permute": with_tensor((0.5, 1), ("01",)),
    "Tensor.squeeze": with_tensor((1.5,), ("0",)),
    "Tensor.unsqueeze": with_tensor((1.5,), ()),
    "Tensor.expand": with_tensor((3, 4.5), ("34",)),
    "Tensor.flatten": with_tensor((0.5,), (0, 1, 2)),
    "Tensor.repeat": with_tensor((2.5, 1), ("2",)),
    "Tensor.float": with_tensor((3,)),
    "Tensor.item": with_tensor((0,)),
}  # fmt: skip


@each(" ".join(WRONG), core=False)
def wrong_types(t, function):
    for args in WRONG[function.split(".", 1)[1]](t):
        t.raises(TypeError, t.call, function, *args)
