"""Records TensorFlow's operations that a program runs, each with the values of its inputs, as calls of tf.raw_ops."""

import contextlib

from ... import programs
from ..base import unrecorded_ramp
from . import ops, trees


@contextlib.contextmanager
def record(adapter, parts):
    """Appends a programs.Part for each operation. Functions run op by op meanwhile. What works on a handle (a variable, a
    dataset) is left out: its state is no argument."""
    tf = adapter.tf
    from tensorflow.python.framework import op_callbacks

    def callback(op_type, inputs, attrs, outputs, op_name=None, graph=None):
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        if ours or graph is not None or name in ops.PASSIVE + ops.CALLS:
            return
        with contextlib.suppress(Exception):
            args, _ = programs.record(adapter, inputs, {})
            if not any(getattr(one, "dtype", "") in ("resource", "variant") for one in args):
                raw = getattr(tf.raw_ops, name)
                parts.append(
                    programs.Part("tf.raw_ops." + name, raw, [], _arguments(name, args, attrs))
                )

    eagerly = tf.config.functions_run_eagerly()
    with unrecorded_ramp(trees) as ours:
        tf.config.run_functions_eagerly(True)
        op_callbacks.add_op_callback(callback)
        try:
            yield
        finally:
            op_callbacks.remove_op_callback(callback)
            tf.config.run_functions_eagerly(eagerly)


def _arguments(name, inputs, attrs):
    """The keywords of tf.raw_ops.NAME. What inputs say by themselves (their dtypes, their number) is none of them."""
    from tensorflow.python.framework import dtypes, op_def_registry

    definition = op_def_registry.get(name)
    settings = dict(zip(attrs[::2], attrs[1::2]))
    said, made, rest = set(), {}, list(inputs)
    for one in definition.input_arg:
        count = None
        if one.number_attr:
            count = int(settings[one.number_attr])
        elif one.type_list_attr:
            count = len(settings[one.type_list_attr])
        said.update((one.type_attr, one.number_attr, one.type_list_attr))
        taken = rest[: 1 if count is None else count]
        del rest[: len(taken)]
        made[one.name] = taken[0] if count is None else taken
    for one in definition.attr:
        if one.name in settings and one.name not in said:
            value = settings[one.name]
            made[one.name] = dtypes.as_dtype(value) if one.type == "type" else value
    return made
