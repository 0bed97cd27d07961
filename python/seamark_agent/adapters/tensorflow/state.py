"""What TensorFlow keeps for the whole process, or for a thread, and a case may leave changed (see poison.py)."""

import sys

from ...poison import Fact


def facts(tf):
    from tensorflow.python.eager import context
    from tensorflow.python.framework import ops

    yield Fact("eager execution", tf.executing_eagerly)
    yield Fact(
        "eager execution by default", lambda: getattr(context, "default_execution_mode", None)
    )
    yield Fact("a graph that was not left", lambda: list(ops._default_graph_stack.stack))
    yield Fact("a session that was not left", tf.compat.v1.get_default_session)
    yield Fact("a device that was not left", lambda: context.context().device_name)
    yield Fact("a name scope that was not left", lambda: context.context().scope_name)
    yield Fact(
        "a variable creator that was not left",
        lambda: ops.get_default_graph()._variable_creator_stack,
    )
    yield Fact("a tf.distribute strategy that was not left", tf.distribute.has_strategy)
    yield Fact("callbacks of operations", lambda: list(context.context().op_callbacks))
    yield Fact(
        "tf.config.run_functions_eagerly",
        tf.config.functions_run_eagerly,
        tf.config.run_functions_eagerly,
    )
    yield Fact(
        "tf.config.set_soft_device_placement",
        tf.config.get_soft_device_placement,
        tf.config.set_soft_device_placement,
    )
    yield Fact(
        "tf.config.optimizer.set_jit", tf.config.optimizer.get_jit, tf.config.optimizer.set_jit
    )
    yield Fact(
        "tf.config.optimizer.set_experimental_options",
        tf.config.optimizer.get_experimental_options,
        tf.config.optimizer.set_experimental_options,
    )
    experimental = tf.config.experimental
    yield Fact(
        "tf.config.experimental.enable_tensor_float_32_execution",
        experimental.tensor_float_32_execution_enabled,
        experimental.enable_tensor_float_32_execution,
    )
    from tensorflow.python.framework import config

    if hasattr(config, "is_op_determinism_enabled"):
        yield Fact(
            "tf.config.experimental.enable_op_determinism",
            config.is_op_determinism_enabled,
            lambda value: None if value else config.disable_op_determinism(),
        )
    yield Fact("tf.compat.v1.enable_tensor_equality", lambda: tf.Tensor._USE_EQUALITY)
    for name in ("resource_variables_enabled", "control_flow_v2_enabled"):
        yield Fact("tf.compat.v1." + name, getattr(tf.compat.v1, name))
    for name in ("is_numpy_style_type_promotion", "is_auto_dtype_conversion_enabled"):
        if hasattr(ops, name):
            yield Fact(name, getattr(ops, name))
    keras = sys.modules.get("keras")
    settings = getattr(keras, "config", None)
    for name in ("floatx", "epsilon", "image_data_format", "dtype_policy"):
        if hasattr(settings, "set_" + name):
            yield Fact("keras.config." + name, getattr(settings, name), getattr(settings, "set_" + name))  # fmt: skip
