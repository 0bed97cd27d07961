"""What forward mode and second derivatives must give, in NumPy alone: by differences along a direction.

Inputs are given as whole numbers: `placed` makes of them numbers from a half to two that are exact in f32, lie off the places
where a maximum, a bound or a comparison turns, and differ between two inputs.
"""

from .case import each as each_name

_STEP = 1e-3  # of 64 bits of mantissa; Richardson's error is some 1e-11


def placed(number, whole):
    """The numbers of an input, by its position and of whole numbers: of arrays of NumPy and of any framework."""
    return whole / 8 + (1.28125 - number / 16)


def leaves(np, made):
    """The arrays of a result, in a list."""
    if isinstance(made, (tuple, list)):
        return [leaf for part in made for leaf in leaves(np, part)]
    return [np.asarray(made)]


def each_of(forms):
    """each(names, reference): declares a case of a body for each function. `forms`: by function what is called, and with which
    NumPy; `reference` makes the case's of that."""

    def each(names, reference, **header):
        return each_name(names, lambda name: reference(forms[name]), core=False, **header)

    return each


def plain(form):
    """The reference of the call itself: the arrays of its result."""
    return lambda np, *drawn: leaves(np, form[1](np, *drawn))


def slopes(np, function, at, along):
    """By how much the arrays of function(np, *at) change along a direction: two central differences, and Richardson's."""
    at = [x.astype(np.longdouble) for x in at]

    def made(step):
        return leaves(np, function(np, *(x + step * v for x, v in zip(at, along))))

    def slope(step):
        return [(up - down) / (2 * step) for up, down in zip(made(step), made(-step))]

    step = np.longdouble(_STEP)
    return [(4 * near - far) / 3 for near, far in zip(slope(step), slope(2 * step))]


def forward(function):
    """The reference of a derivative in forward mode: the arrays of a result, and by how much they change."""

    def reference(np, *drawn):
        at, along = drawn[: len(drawn) // 2], drawn[len(drawn) // 2 :]
        at = [placed(number, x) for number, x in enumerate(at)]
        return leaves(np, function(np, *at)), slopes(np, function, at, along)

    return reference


def second(function):
    """The reference of the gradient by the first input of the sum of the squares of a result, each with a weight from 0.5 to 1.5,
    and of the gradient's derivative along a direction, which was drawn last."""

    def reference(np, *drawn):
        first, *rest = (placed(number, x) for number, x in enumerate(drawn[:-1]))
        still = [np.zeros(x.shape) for x in rest]

        def total(np, x, *rest):
            made = leaves(np, function(np, x, *rest))
            return sum((np.linspace(0.5, 1.5, m.size).reshape(m.shape) * m**2).sum() for m in made)

        def gradient(np, x, *rest):
            units = np.eye(x.size).reshape(x.size, *x.shape)
            found = [slopes(np, total, [x, *rest], [unit, *still])[0] for unit in units]
            return np.array(found).reshape(x.shape)

        given = [first, *rest]
        return gradient(np, *given), slopes(np, gradient, given, [drawn[-1], *still])[0]

    return reference


def stacked(function, axes):
    """The reference of a batch: the results of each example, one upon another. `axes`: where each input has its examples."""

    def reference(np, *drawn):
        rows = zip(*(np.moveaxis(x, axis, 0) for x, axis in zip(drawn, axes)))
        made = [leaves(np, function(np, *row)) for row in rows]
        return [np.stack(each) for each in zip(*made)]

    return reference
