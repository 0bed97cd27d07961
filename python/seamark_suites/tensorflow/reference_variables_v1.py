"""What the cases of variables_v1.py must give, in NumPy alone."""

SIX = [1, 2, 4, 7, 11, 16]


def drawn(np, x):
    return x


def assigned(np, before, value):
    return value, value


def assigned_large(np, before, value):
    return value


def assigned_in_session(np, before, value, **_):
    return before, value, value


def six(np):
    return np.array(SIX).reshape(2, 3)


def six_times(np, x):
    return six(np) * x


def _steps(np, x, slopes, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    """(x, m, v) after one step for each function of x in `slopes`; the rate is corrected, as in the paper's section 2."""
    m, v = np.zeros_like(x), np.zeros_like(x)
    for number, slope in enumerate(slopes, 1):
        g = slope(x)
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        now = rate * np.sqrt(1 - beta2**number) / (1 - beta1**number)
        x = x - now * m / (np.sqrt(v) + epsilon)
    return x, m, v


def adam(np, x, g):
    return _steps(np, x, [lambda _: g, lambda _: -g, lambda _: g], 0.25, 0.5, 0.75, 1e-3)[0]


def adam_minimized(np, x, scale):
    return list(_steps(np, x, [lambda x: 2 * x * scale] * 2, 0.5))


def adam_rows(np, x, rows):
    slopes = []
    for places in ([3, 0], [1, 0]):
        slope = np.zeros_like(x)
        slope[places] = rows
        slopes.append(lambda _, slope=slope: slope)
    return _steps(np, x, slopes, 0.5)[0]


def second_order(np, x):
    return 3 * x * x, 6 * x


def jacobians(np, x, w):
    """Of y = x w; of each row of y * y; of the sum of y."""
    eye = np.eye(len(x))
    full = np.einsum("ik,jm->imkj", eye, w)
    return full, 2 * np.einsum("im,jm->imj", x @ w, w), np.broadcast_to(w.sum(1), x.shape)


def tape_options(np, x, y, w):
    return 2 * x * w, w, 3 * x


def variables_watched(np, held, x):
    return 2 * held * x
