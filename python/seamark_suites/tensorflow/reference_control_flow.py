"""What the cases of control_flow.py and functions.py must give, in NumPy alone."""

from . import reference

with_gradient = reference.with_gradient


def product_or_difference(np, x, y, picked, sign=None):
    return x * y + x if picked > 0 else x - y


def chosen_structure(np, x, y, picked):
    """The second branch."""
    return {"a": -x, "b": (y * y, 3 * x)}


def nested(np, x, a, b):
    return 2 * x


def shapes_by_branch(np, x, y, *_):
    return [x, 2 * y]


def looped(np, x, y):
    """Three times x * y + x."""
    return x * (y + 1) ** 3


def looped_matmul(np, h, w):
    for _ in range(3):
        h = np.tanh(h @ w)
    return h


def counted(np, *starts):
    """(doubled until the sum is 1000, the number of steps), for each start."""
    found = []
    for x in starts:
        steps = 0
        while x.sum() < 1000:
            x, steps = x * 2, steps + 1
        found.append((x, np.asarray(steps)))
    return found


def at_most(np, x, most):
    steps = min(most, 5)
    return x * 2**steps, np.asarray(steps)


def grown(np, first, row):
    return np.concatenate([first, *(row * i for i in range(4))])


def rows_summed(np, x):
    return np.cumsum(x, 0)


def structured(np, x, y):
    return {"a": [8 * x], "b": y - 3}


def nested_loops(np, x):
    for i in range(4):
        x = (x + i) * 2
    return x


def halved(np, x, y):
    for _ in range(8):
        x = (x + y) / 2
    return x


def session_counted(np, start, step):
    """What was fed, and the variable after two runs."""
    return step, start + 2 * step
