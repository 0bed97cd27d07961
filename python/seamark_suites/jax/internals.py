"""What JAX's own tracing takes, by the version at hand. No cases."""


def wrapped(t, function, args):
    """A function as JAX's own tracing takes it. What messages call it must be said since JAX 0.5."""
    import inspect  # here, as listing the cases needs none of it

    wrap = t.get("jax._src.linear_util").wrap_init
    if "debug_info" not in inspect.signature(wrap).parameters:
        return wrap(function)
    debug = t.get("jax._src.api_util").debug_info("seamark", function, args, {})
    return wrap(function, debug_info=debug)
