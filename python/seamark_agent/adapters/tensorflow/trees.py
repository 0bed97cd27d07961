"""A TensorFlow call and its tensors, as reproducers carry them: tensors taken out of the arguments, so that they
can be arguments of a traced function, and gradients."""


def lift(tf, tree, arrays):
    """The tree with each tensor replaced by its position in `arrays`."""
    if isinstance(tree, dict):
        return {key: lift(tf, item, arrays) for key, item in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[lift(tf, item, arrays) for item in tree])
    if isinstance(tree, (list, tuple)):
        return type(tree)(lift(tf, item, arrays) for item in tree)
    if isinstance(tree, (tf.Tensor, tf.RaggedTensor, tf.SparseTensor, tf.IndexedSlices)):
        arrays.append(tree)
        return _Slot(len(arrays) - 1)
    return tree


class _Slot:
    """Where a tensor stood among the arguments."""

    def __init__(self, index):
        self.index = index


def put_back(tf, tree, tensors):
    if isinstance(tree, _Slot):
        return tensors[tree.index]
    if isinstance(tree, dict):
        return {key: put_back(tf, item, tensors) for key, item in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*[put_back(tf, item, tensors) for item in tree])
    if isinstance(tree, (list, tuple)):
        return type(tree)(put_back(tf, item, tensors) for item in tree)
    return tree


def without_operations(tf, tree):
    """In a graph tf.print and assertions give an Operation, which no tf.function may return."""
    if isinstance(tree, tf.Operation):
        return None
    if isinstance(tree, dict):
        return {key: without_operations(tf, item) for key, item in tree.items()}
    if isinstance(tree, tuple) and not hasattr(tree, "_fields"):
        return tuple(without_operations(tf, item) for item in tree)
    if isinstance(tree, list):
        return [without_operations(tf, item) for item in tree]
    return tree


def differentiate(tf, function, args, kwargs, inputs, arrays_of, weights=None):
    """(result, gradients of its floating tensors in the inputs: None where there is none). `arrays_of` gives the
    tensors of a result. `weights`: an empty list that keeps the ramps for the next call, so that a warm one makes
    none."""
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        for one in inputs:
            tape.watch(one)
        result = function(*args, **kwargs)
        leaves = arrays_of(result)
    outputs = [leaf for leaf in leaves if leaf.dtype.is_floating or leaf.dtype.is_complex]
    if not outputs:
        return result, [None] * len(inputs)
    weights = [] if weights is None else weights
    if not weights:
        weights.extend(ramp(tf, leaf) for leaf in outputs)
    found = tape.gradient(outputs, inputs, output_gradients=weights)
    return result, dense(tf, found)


def dense(tf, gradients):
    """Gradients as tensors; None stays."""
    return [None if one is None else tf.convert_to_tensor(one) for one in gradients]


def ramp(tf, leaf):
    """Weights of the leaf's shape, from 0.5 to 1.5, exact in every dtype: with ones alone the
    gradient of softmax would be zero."""
    import numpy

    if leaf.shape.is_fully_defined():
        count = leaf.shape.num_elements()
        flat = tf.constant(0.5 + (numpy.arange(count) % 9) / 8.0, tf.float32)
        return tf.cast(tf.reshape(flat, leaf.shape), leaf.dtype)
    flat = 0.5 + tf.cast(tf.range(tf.size(leaf)) % 9, tf.float32) / 8.0
    return tf.cast(tf.reshape(flat, tf.shape(leaf)), leaf.dtype)
