"""The primitives of a traced JAX program as calls of their own, each with the values that it had on the CPU."""

import jax

from .. import programs

# They move or mark values, or need what stands around them.
_PASSED_OVER = (
    "device_put",
    "shard_map",
    "sharding_constraint",
    "custom_lin",
    "xla_pmap",
    "copy",
    "copy_p",
)


def of_jaxpr(adapter, jaxpr, consts, args):
    """Computes it on the CPU, equation by equation. [programs.Part], in that order."""
    values = {}

    def read(variable):
        return variable.val if hasattr(variable, "val") else values[variable]

    def write(variables, given):
        for variable, value in zip(variables, given):
            values[variable] = value

    write(jaxpr.constvars, consts)
    write(jaxpr.invars, args)
    parts = []
    for equation in jaxpr.eqns:
        given = [read(variable) for variable in equation.invars]
        bind = _bound(equation)
        made = bind(*given)
        write(equation.outvars, made)
        if equation.primitive.name not in _PASSED_OVER:
            part = _part(adapter, equation, bind, given)
            if part is not None:
                parts.append(part)
    return parts


def _bound(equation):
    params = equation.primitive.get_bind_params(equation.params)
    functions, params = (
        params if isinstance(params, tuple) else ((), params)
    )  # the first: before 0.10

    def bind(*given):
        made = equation.primitive.bind(*functions, *given, **params)
        return list(made) if equation.primitive.multiple_results else [made]

    return bind


def _part(adapter, equation, bind, given):
    try:
        arrays = [jax.numpy.asarray(value) for value in given]
        args, _ = programs.record(adapter, arrays, {})
    except (TypeError, ValueError):
        return None  # a key, or of no values
    inside = _inside(equation, given)
    inner = None
    if inside is not None:
        inner = lambda: of_jaxpr(adapter, *inside)  # noqa: E731
    name = "jax.lax." + equation.primitive.name
    return programs.Part(name, bind, args, {}, inner, settings=str(equation.params))


def _inside(equation, given):
    """(jaxpr, constants, arguments) of what the equation calls: of a loop the first round, of a branch the one taken."""
    name, params = equation.primitive.name, equation.params
    if name == "scan":
        fixed = params["num_consts"] + params["num_carry"]
        closed = params["jaxpr"]
        if not params["length"]:
            return None
        arguments = given[:fixed] + [value[0] for value in given[fixed:]]
    elif name == "while":
        closed, first = params["body_jaxpr"], params["cond_nconsts"]
        arguments = given[first:]
    elif name == "cond":
        closed, arguments = params["branches"][int(given[0])], given[1:]
    else:
        closed = next(
            (params[key] for key in ("jaxpr", "call_jaxpr", "fun_jaxpr") if key in params), None
        )
        arguments = given
    if closed is None:
        return None
    return getattr(closed, "jaxpr", closed), getattr(closed, "consts", ()), arguments
