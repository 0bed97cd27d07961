"""What optimizers must leave behind, by their published formulas in NumPy."""

from .reference_nn import mlp, mlp_gradients

# --- steps


def _numbers(np, x):
    """A complex number is two real ones."""
    x = np.array(x)
    return x.view("float64") if x.dtype.kind == "c" else x


class Adamax:
    """Algorithm 2 of Kingma and Ba, 2015; epsilon is added to the gradient, as PyTorch documents."""

    def __init__(self, np, rate, weight_decay=0.0, maximize=False, betas=(0.9, 0.999), eps=1e-8):
        self.np, self.rate, self.decay, self.eps = np, rate, weight_decay, eps
        self.sign, self.betas, self.steps = -1 if maximize else 1, betas, 0

    def step(self, parameters, gradients):
        np, (b1, b2) = self.np, self.betas
        given = [_numbers(np, x) for x in parameters]
        if not self.steps:
            self.means = [np.zeros_like(x) for x in given]
            self.largest = [np.zeros_like(x) for x in given]
        self.steps += 1
        made = []
        for i, (x, gradient) in enumerate(zip(given, gradients)):
            g = self.sign * _numbers(np, gradient) + self.decay * x
            self.means[i] = b1 * self.means[i] + (1 - b1) * g
            self.largest[i] = np.maximum(b2 * self.largest[i], abs(g) + self.eps)
            rate = self.rate / (1 - b1**self.steps)
            made.append((x - rate * self.means[i] / self.largest[i]).view(parameters[i].dtype))
        return made


class Rprop:
    """Riedmiller and Braun, 1993, without backtracking: after a change of sign the gradient counts as zero."""

    def __init__(self, np, rate, maximize=False, etas=(0.5, 1.2), sizes=(1e-6, 50)):
        self.np, self.rate, self.etas, self.sizes = np, rate, etas, sizes
        self.sign, self.before = -1 if maximize else 1, None

    def step(self, parameters, gradients):
        np, (less, more) = self.np, self.etas
        given = [_numbers(np, x) for x in parameters]
        if self.before is None:
            self.before = [np.zeros_like(x) for x in given]
            self.lengths = [np.full_like(x, self.rate) for x in given]
        made = []
        for i, (x, gradient) in enumerate(zip(given, gradients)):
            g = self.sign * _numbers(np, gradient)
            turned = g * self.before[i]
            factor = np.where(turned > 0, more, np.where(turned < 0, less, 1.0))
            self.lengths[i] = np.clip(self.lengths[i] * factor, *self.sizes)
            self.before[i] = g = np.where(turned < 0, 0.0, g)
            made.append((x - np.sign(g) * self.lengths[i]).view(parameters[i].dtype))
        return made


def stepped(np, optimizer, parameters, gradients, steps):
    """The parameters after some steps along gradients(*parameters)."""
    for _ in range(steps):
        parameters = optimizer.step(parameters, gradients(*parameters))
    return parameters


# --- L-BFGS


class LBFGS:
    """Nocedal and Wright, algorithms 7.4 and 7.5, on one vector. `function` gives a loss and its gradient.

    The step is `rate`, the first divided by the gradient's 1-norm where that is above one; with `wolfe` it is where the
    line search of minFunc begins, which PyTorch follows."""

    def __init__(self, function, rate=1.0, iterations=20, wolfe=False):
        self.function, self.rate, self.iterations = function, rate, iterations
        self.wolfe, self.pairs, self.before, self.scale = wolfe, [], None, 1.0

    def _direction(self, gradient):
        if self.before is None:
            return -gradient
        change = gradient - self.before
        if change @ self.moved > 1e-10:
            self.pairs.append((self.moved, change))
            self.scale = (change @ self.moved) / (change @ change)
        q, kept = -gradient, []
        for s, y in reversed(self.pairs):
            kept.append((s @ q) / (y @ s))
            q = q - kept[-1] * y
        q = q * self.scale
        for (s, y), a in zip(self.pairs, reversed(kept)):
            q = q + (a - (y @ q) / (y @ s)) * s
        return q

    def step(self, x):
        """(the new vector, the loss before)."""
        evaluations, most = 1, self.iterations * 5 // 4
        first, gradient = self.function(x)
        loss = first
        if abs(gradient).max() <= 1e-7:
            return x, first
        for iteration in range(self.iterations):
            fresh = self.before is None
            direction = self._direction(gradient)
            self.before, last = gradient, loss
            t = self.rate * (min(1.0, 1 / abs(gradient).sum()) if fresh else 1.0)
            slope = gradient @ direction
            if slope > -1e-9:
                break
            if self.wolfe:
                along = _Line(self.function, x, direction)
                t = line_search(along, loss, slope, t, abs(direction).max(), most - evaluations)
                evaluations += along.evaluations
            x, self.moved = x + t * direction, t * direction
            if self.wolfe:
                loss, gradient = along.seen.get(t, (loss, gradient))
            elif iteration + 1 < self.iterations:
                loss, gradient = self.function(x)
                evaluations += 1
            still = abs(self.moved).max() <= 1e-9 or abs(loss - last) < 1e-9
            if evaluations >= most or still or abs(gradient).max() <= 1e-7:
                break
        return x, first


class _Line:
    """A function along a direction: its value and its slope."""

    def __init__(self, function, x, direction):
        self.function, self.x, self.direction = function, x, direction
        self.evaluations, self.seen = 0, {}

    def __call__(self, t):
        self.evaluations += 1
        self.seen[t] = value, gradient = self.function(self.x + t * self.direction)
        return t, value, gradient @ self.direction


def _least_of_cubic(one, two, bounds=None):
    """Where the cubic through two points (place, value, slope) is least (Nocedal and Wright, 3.59)."""
    (a, fa, ga), (b, fb, gb) = sorted((one, two))
    low, high = bounds or (a, b)
    d1 = ga + gb - 3 * (fa - fb) / (a - b)
    square = d1**2 - ga * gb
    if square < 0:
        return (low + high) / 2
    d2 = square**0.5
    return min(max(b - (b - a) * (gb + d2 - d1) / (gb - ga + 2 * d2), low), high)


def line_search(along, value, slope, t, length, most, c1=1e-4, c2=0.9):
    """A step with the strong Wolfe conditions: algorithms 3.5 and 3.6, with the safeguards of minFunc."""
    zero = (0, value, slope)
    enough = lambda point: point[1] <= value + c1 * point[0] * slope  # noqa: E731
    flat = lambda point: abs(point[2]) <= -c2 * slope  # noqa: E731
    last, point = zero, along(t)
    for tries in range(most):
        if not enough(point) or (tries > 1 and point[1] >= last[1]):
            break
        if flat(point):
            return point[0]
        if point[2] >= 0:
            break
        bounds = (point[0] + 0.01 * (point[0] - last[0]), 10 * point[0])
        last, point = point, along(_least_of_cubic(last, point, bounds))
    else:
        tries, last = most, zero
    low, high = (last, point) if last[1] <= point[1] else (point, last)
    near_border = False
    while tries < most and abs(high[0] - low[0]) * length >= 1e-9:
        t = _least_of_cubic(low, high)
        least, largest = sorted((low[0], high[0]))
        margin = 0.1 * (largest - least)
        close = min(largest - t, t - least) < margin
        if close and (near_border or not least < t < largest):
            t = largest - margin if abs(t - largest) < abs(t - least) else least + margin
            close = False
        near_border = close
        point = along(t)
        tries += 1
        if not enough(point) or point[1] >= low[1]:
            low, high = (low, point) if low[1] <= point[1] else (point, low)
            continue
        if flat(point):
            return point[0]
        if point[2] * (high[0] - low[0]) >= 0:
            high = low
        low = point
    return low[0]


# --- the cases of optim.py


def trained(np, optimizer, x, y, *parameters, steps=4):
    """The parameters of an MLP after steps along the mean of its squared errors."""

    def gradients(*parameters):
        return mlp_gradients(np, 2 * (mlp(np, x, *parameters) - y) / len(x), x, *parameters)

    return stepped(np, optimizer, parameters, gradients, steps)


def lbfgs(np, x, y, *parameters, line_search):
    shapes, sizes = [p.shape for p in parameters], np.cumsum([p.size for p in parameters])

    def parts(vector):
        return [p.reshape(s) for p, s in zip(np.split(vector, sizes[:-1]), shapes)]

    def function(vector):
        error = mlp(np, x, *parts(vector)) - y
        gradients = mlp_gradients(np, 2 * error / len(x), x, *parts(vector))
        return (error**2).mean(), np.concatenate([g.reshape(-1) for g in gradients])

    made = LBFGS(function, rate=0.2, iterations=3, wolfe=line_search is not None)
    vector = np.concatenate([p.reshape(-1) for p in parameters])
    for _ in range(2):
        vector, _ = made.step(vector)
    return parts(vector)


def quadratic(np, matrix, b):
    """Where x A x / 2 - b x is least, as nearly as L-BFGS comes with its default tolerances."""
    function = lambda x: (x @ matrix @ x / 2 - b @ x, matrix @ x - b)  # noqa: E731
    return LBFGS(function, iterations=50, wolfe=True).step(np.zeros_like(b))[0]


def down_and_up(make):
    return lambda np, x, y: [
        make(np, 0.1, maximize=up).step([start], [2 * start])[0]
        for up, start in ((False, x), (True, y))
    ]


def twice(make):
    def reference(np, *draws):
        made = stepped(np, make(np, 0.05), draws, lambda *p: [2 * x for x in p], 3)
        return [made, made]

    return reference


def three_steps(make):
    return lambda np, x: stepped(np, make(np, 0.1), [x], lambda x: [2 * x], 3)[0]


def through_adamax(np, start):
    """From zero, the step is g / (|g| + eps) for the gradient g = start^3."""
    g, eps = start**3, 1e-8
    made = start - 0.1 * g / (abs(g) + eps)
    return made, 2 * made * (1 - 0.1 * 3 * start**2 * eps / (abs(g) + eps) ** 2)


def through_rprop(np, start):
    """The sign of a gradient has no slope."""
    made = start - 0.1 * np.sign(start)
    return made, 2 * made


def groups(np, x, y, z):
    ones = np.ones(3)
    return [Adamax(np, rate).step([p], [ones])[0] for rate, p in ((0.01, x), (0.5, y))]


def growing_and_shrinking(np, x, *gradients):
    made, seen = Rprop(np, 0.1, etas=(0.5, 2.0), sizes=(0.06, 0.3)), []
    for gradient in gradients:
        x = made.step([x], [gradient])[0]
        seen.append(x)
    return seen


def goes_on(make):
    """Four steps from start to the target, twice the same, and the losses before each."""

    def reference(np, start, target):
        loss = lambda x: ((x - target) ** 4).sum()  # noqa: E731
        slope = lambda x: 4 * (x - target) ** 3  # noqa: E731
        x, losses = start, []
        if make is LBFGS:
            made = LBFGS(lambda x: (loss(x), slope(x)), rate=0.1, iterations=2)
        else:
            made = make(np, 0.1)
        for _ in range(4):
            losses.append(np.asarray(loss(x)))
            x = made.step(x)[0] if make is LBFGS else made.step([x], [slope(x)])[0]
        return x, losses + losses

    return reference
