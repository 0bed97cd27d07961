"""Results with gradients, in NumPy alone: what cases of any framework with grad=True must give."""

_STEP = 1e-5  # of central differences: relative to the number, or absolute below one


def linear(np, array):
    """The weights by which PyTorch's and JAX's adapters add the outputs of a case with a gradient: from 0.5 to 1.5."""
    return np.linspace(0.5, 1.5, array.size).reshape(array.shape)


def with_gradient(function, pull=None, of=None, weights=linear, conjugate=False):
    """The reference of a case with grad=True: (result, [gradients]), as t.call returns it.

    function   (np, *inputs, **params): the result, an array or a tuple or list of arrays
    pull       (np, w, *inputs, **params): the gradients of the sum of w * result, one for each input of `of`, in a
               tuple; w has the result's structure, in lists. For a complex x that is dL/dRe(x) + i dL/dIm(x).
               None: central differences, for which `function` gets np.longdouble where it can
    of         the positions of the inputs that have a gradient; None: all floating ones
    weights    (np, array): what the framework's adapter weights that array of the result with
    conjugate  the framework gives dL/dRe(x) - i dL/dIm(x), as JAX does; PyTorch and TensorFlow do not

    Cases in dtypes without gradients have the plain result. For a case with t.call's result taken apart, wrap it.
    """

    def reference(np, *inputs, **params):
        result = _arrays(np, function(np, *inputs, **params))
        chosen = [i for i in (range(len(inputs)) if of is None else of) if floating(inputs[i])]
        if not chosen:
            return result
        if pull is None:
            found = [_by_differences(np, function, inputs, i, params, weights) for i in chosen]
        else:
            found = pull(np, _weighted(np, result, weights), *inputs, **params)
            found = found if isinstance(found, (tuple, list)) else (found,)
            # A real input that met complex numbers takes the real part alone.
            found = [g if inputs[i].dtype.kind == "c" else g.real for i, g in zip(chosen, found)]
            found = [np.broadcast_to(g, inputs[i].shape) for i, g in zip(chosen, found)]
        return result, [g.conj() for g in found] if conjugate else found

    return reference


def affine_pull(function):
    """The pull of a function that is affine in each of its inputs: no small differences, so exact up to rounding."""

    def pull(np, w, *inputs, **params):
        found = []
        for i, x in enumerate(inputs):
            if not floating(x):
                continue
            given, units = list(inputs), np.eye(x.size, dtype=x.dtype)
            given[i] = np.zeros_like(x)
            at_zero = _arrays(np, function(np, *given, **params))
            slopes = []
            for unit in units:
                given[i] = unit.reshape(x.shape)
                slopes.append(
                    _sum_of_steps(_arrays(np, function(np, *given, **params)), at_zero, w)
                )
            found.append(np.array(slopes).conj().reshape(x.shape))
        return found

    return pull


def _sum_of_steps(at, before, weights):
    """The weighted sum of what changed, over all arrays of a result."""
    if isinstance(at, list):
        return sum(_sum_of_steps(*each) for each in zip(at, before, weights))
    return (weights * (at - before)).sum()


def _arrays(np, result):
    """The result with arrays for NumPy's scalars."""
    if isinstance(result, (tuple, list)):
        return [_arrays(np, item) for item in result]
    return np.asarray(result)


def floating(array):
    return array.dtype.kind in "fc"


def _weighted(np, result, weights):
    if isinstance(result, list):
        return [_weighted(np, item, weights) for item in result]
    return weights(np, result)


def _leaves(np, result):
    """The floating arrays of a result."""
    if isinstance(result, list):
        return [leaf for item in result for leaf in _leaves(np, item)]
    return [result] if floating(result) else []


def _by_differences(np, function, inputs, index, params, weights):
    """The gradient of one input: two central differences for each number, and Richardson's of the two."""
    given = np, function, inputs, index, params, weights
    try:  # numpy.linalg has no longdouble
        return _differences(*given, np.longdouble, np.clongdouble)
    except TypeError:
        return _differences(*given, np.float64, np.complex128)


def _differences(np, function, inputs, index, params, weights, real, complex_):
    wide = [
        x.astype(complex_ if x.dtype.kind == "c" else real) if floating(x) else x for x in inputs
    ]
    x = wide[index] = wide[index].copy()
    found, flat = np.zeros(x.shape, x.dtype), x.reshape(-1)

    def outputs(number, value):
        flat[number] = value
        result = _arrays(np, function(np, *wide, **params))
        return [leaf.copy() for leaf in _leaves(np, result)]

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


def singular_values(np, x):
    return np.linalg.svd(x, compute_uv=False)


def singular_values_pull(np, w, x):
    """Each value s = u* x v changes by u* dx v."""
    u, _, vh = np.linalg.svd(x)
    return (u * w) @ vh
