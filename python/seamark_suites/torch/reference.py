"""What the cases of this folder must give, in NumPy alone: no kernel of PyTorch is called."""

_STEP = 1e-5  # of central differences: relative to the number, or absolute below one


def weights(np, array):
    """The weights by which the harness adds the outputs of a case with a gradient: from 0.5 to 1.5."""
    return np.linspace(0.5, 1.5, array.size).reshape(array.shape)


def with_gradient(function, pull=None, of=None):
    """The reference of a case with grad=True: (result, [gradients]), as t.call returns it.

    function  (np, *inputs, **params): the result, an array or a tuple or list of arrays
    pull      (np, w, *inputs, **params): the gradients of the sum of w * result, one for each input of `of`, in a
              tuple; w has the result's structure. For a complex x that is dL/dRe(x) + i dL/dIm(x), as PyTorch has it.
              None: central differences of `function`, good to about 1e-9; `function` may get np.longdouble
    of        the positions of the inputs that have a gradient; None: all floating ones

    Cases in dtypes without gradients have the plain result. For a case with t.call's result taken apart, wrap it.
    """

    def reference(np, *inputs, **params):
        result = function(np, *inputs, **params)
        chosen = [i for i in (range(len(inputs)) if of is None else of) if _floating(inputs[i])]
        if not chosen:
            return result
        if pull is None:
            return result, [_by_differences(np, function, inputs, i, params) for i in chosen]
        found = pull(np, _like(np, result), *inputs, **params)
        found = found if isinstance(found, (tuple, list)) else (found,)
        # A real input that met complex numbers takes the real part alone.
        found = [g if inputs[i].dtype.kind == "c" else g.real for i, g in zip(chosen, found)]
        return result, [np.broadcast_to(g, inputs[i].shape) for i, g in zip(chosen, found)]

    return reference


def _floating(array):
    return array.dtype.kind in "fc"


def _like(np, result):
    if isinstance(result, (tuple, list)):
        return type(result)(_like(np, item) for item in result)
    return weights(np, result)


def _leaves(np, result):
    """The floating arrays of a result."""
    if isinstance(result, (tuple, list)):
        return [leaf for item in result for leaf in _leaves(np, item)]
    return [result] if _floating(np.asarray(result)) else []


def _by_differences(np, function, inputs, index, params):
    """The gradient of one input: two central differences for each number, and Richardson's of the two."""
    try:  # numpy.linalg has no longdouble
        return _differences(np, function, inputs, index, params, np.longdouble, np.clongdouble)
    except TypeError:
        return _differences(np, function, inputs, index, params, np.float64, np.complex128)


def _differences(np, function, inputs, index, params, real, complex_):
    wide = [
        x.astype(complex_ if x.dtype.kind == "c" else real) if _floating(x) else x for x in inputs
    ]
    x = wide[index] = wide[index].copy()
    found, flat = np.zeros(x.shape, x.dtype), x.reshape(-1)

    def outputs(number, value):
        flat[number] = value
        return [np.array(leaf) for leaf in _leaves(np, function(np, *wide, **params))]

    def slope(number, at, step):
        """Of the weighted sum; summed last, so that large outputs which do not move add no error."""
        pairs = zip(outputs(number, at + step), outputs(number, at - step))
        size = 2 * abs(step)
        return sum((weights(np, up) * (up - down).real).sum() for up, down in pairs) / size

    for number in range(flat.size):
        at = flat[number]
        step = real(_STEP) * max(real(1), abs(at))
        for direction in (1, 1j) if x.dtype.kind == "c" else (1,):
            near, far = (slope(number, at, step * scale * direction) for scale in (1, 2))
            found.reshape(-1)[number] += direction * (4 * near - far) / 3
        flat[number] = at
    return found.astype(inputs[index].dtype)
