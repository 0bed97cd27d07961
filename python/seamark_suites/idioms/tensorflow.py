"""TensorFlow: early exit, capsule routing, data pruning, proximal steps.

Each move is written as one would write it (a branch on a value, a batch that changes its size), and
in the forms that a compiler can take.
"""

from seamark_suites.case import case
from seamark_suites.idioms import reference as ref

NEAR = {"f32": 2e-5, "bf16": 6e-2}


def network(t, dtype):
    """A batch of 6, three layers of 8, and a head for 4 classes."""
    layers = [t.randn((8, 8), dtype) for _ in range(3)]
    return t.randn((6, 8), dtype), layers, t.randn((8, 4), dtype)


def least_sure(logits):
    import tensorflow as tf

    return tf.reduce_min(tf.reduce_max(tf.nn.softmax(logits), -1))


def python_branch(x, layers, head, threshold):
    import tensorflow as tf

    for depth, layer in enumerate(layers):
        x = tf.tanh(x @ layer)
        logits = x @ head
        if depth + 1 == len(layers) or least_sure(logits) > threshold:
            return logits, depth


@case(
    "tf.idioms.early_exit",
    dtypes="f32",
    threshold=[0.2, 0.999],
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=lambda np, a, b, c, x, head, threshold: ref.first_sure_layer(
        np, x, (a, b, c), head, threshold
    ),
)
def branch_on_a_value(t, dtype, threshold):
    x, layers, head = network(t, dtype)
    return t.call(python_branch, x, layers, head, threshold)


def device_branch(x, layers, head, threshold):
    import tensorflow as tf

    def deeper(x, layer):
        return tf.tanh(x @ layer)

    x = deeper(x, layers[0])
    for layer in layers[1:]:
        sure = least_sure(x @ head) > threshold
        x = tf.cond(sure, lambda x=x: x, lambda x=x, layer=layer: deeper(x, layer))
    return x @ head


@case(
    "tf.idioms.early_exit",
    dtypes="f32",
    threshold=[0.2, 0.999],
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=lambda np, a, b, c, x, head, threshold: ref.first_sure_layer(
        np, x, (a, b, c), head, threshold
    )[0],
)
def branch_on_the_device(t, dtype, threshold):
    x, layers, head = network(t, dtype)
    return t.call(device_branch, x, layers, head, threshold)


def masked_exit(x, layers, head, threshold):
    import tensorflow as tf

    done, answer = tf.zeros(x.shape[0], tf.bool), None
    for layer in layers:
        x = tf.tanh(x @ layer)
        logits = x @ head
        answer = logits if answer is None else tf.where(done[:, None], answer, logits)
        done = done | (tf.reduce_max(tf.nn.softmax(logits), -1) > threshold)
    return answer, done


@case(
    "tf.idioms.early_exit",
    dtypes="f32",
    threshold=0.6,
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=lambda np, a, b, c, x, head, threshold: ref.sure_examples_stop(
        np, x, (a, b, c), head, threshold
    ),
)
def each_example_by_itself(t, dtype, threshold):
    x, layers, head = network(t, dtype)
    return t.call(masked_exit, x, layers, head, threshold)


def device_loop(x, layer, head, threshold, limit):
    import tensorflow as tf

    def unsure(x, steps):
        return (steps < limit) & (least_sure(x @ head) <= threshold)

    def deeper(x, steps):
        return tf.tanh(x @ layer) + x, steps + 1

    return tf.while_loop(unsure, deeper, (x, tf.constant(0)))


@case(
    "tf.idioms.early_exit",
    dtypes="f32",
    threshold=0.7,
    limit=12,
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=ref.layer_until_sure,
)
def loop_until_sure(t, dtype, threshold, limit):
    x, layer, head = t.randn((6, 8), dtype), t.randn((8, 8), dtype), t.randn((8, 4), dtype)
    return t.call(device_loop, x, layer, head, threshold, limit)


# --- capsules


def squash(s):
    import tensorflow as tf

    square = tf.reduce_sum(s * s, -1, keepdims=True)
    return s * tf.sqrt(square) / (1 + square)


def one_round(votes, logits):
    import tensorflow as tf

    capsules = squash(tf.einsum("bio,bioe->boe", tf.nn.softmax(logits), votes))
    return capsules, logits + tf.einsum("bioe,boe->bio", votes, capsules)


def three_rounds(poses, weights):
    import tensorflow as tf

    votes = tf.einsum("bid,iode->bioe", poses, weights)
    logits = tf.zeros_like(votes[..., 0])
    for _ in range(3):
        capsules, logits = one_round(votes, logits)
    return capsules


@case(
    "tf.idioms.capsule_routing",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=ref.routed,
)
def three_rounds_of_agreement(t, dtype):
    return t.call(three_rounds, t.randn((2, 6, 4), dtype), t.randn((6, 3, 4, 5), dtype))


@case(
    "tf.idioms.capsule_routing",
    dtypes="f32",
    core=False,
    grad=True,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
)
def derivative_of_the_routing(t, dtype):
    return t.call(three_rounds, t.randn((2, 6, 4), dtype), t.randn((6, 3, 4, 5), dtype))


def rounds_until_still(poses, weights, tolerance, limit):
    import tensorflow as tf

    votes = tf.einsum("bid,iode->bioe", poses, weights)

    def moving(before, logits, rounds, moved):
        return (rounds < limit) & (moved > tolerance)

    def one_more(before, logits, rounds, moved):
        capsules, logits = one_round(votes, logits)
        return capsules, logits, rounds + 1, tf.reduce_max(abs(capsules - before))

    start = tf.zeros_like(votes[:, 0]), tf.zeros_like(votes[..., 0]), tf.constant(0)
    moved = tf.constant(tolerance + 1, votes.dtype)
    capsules, _, rounds, _ = tf.while_loop(moving, one_more, start + (moved,))
    return capsules, rounds


@case(
    "tf.idioms.capsule_routing",
    dtypes="f32",
    tolerance=0.02,
    limit=20,
    core=False,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
    reference=ref.routed_until_still,
)
def rounds_until_nothing_moves(t, dtype, tolerance, limit):
    poses, weights = t.randn((2, 6, 4), dtype), t.randn((6, 3, 4, 5), dtype)
    return t.call(rounds_until_still, poses, weights, tolerance, limit)


def matrix_capsules(poses, weights):
    import tensorflow as tf

    size = weights.shape[0]
    rows = tf.stack([poses[:, k : poses.shape[1] - size + 1 + k] for k in range(size)], -1)
    patches = tf.stack([rows[:, :, k : rows.shape[2] - size + 1 + k] for k in range(size)], -1)
    return tf.einsum("bhwcijkl,klcojm->bhwoim", patches, weights)


@case(
    "tf.idioms.capsule_routing",
    dtypes="f32 bf16",
    core=False,
    rtol=NEAR,
    atol={"f32": 1e-4, "bf16": 0.3},
    reference=ref.convolved_capsules,
)  # 288 products of normal numbers, with cancellation
def convolution_of_capsules(t, dtype):
    poses = t.randn((1, 5, 6, 2, 4, 4), dtype)
    return t.call(matrix_capsules, poses, t.randn((3, 3, 2, 3, 4, 4), dtype))


# --- data pruning


def labelled(t, dtype, count=12):
    x, y = t.randn((count, 5), dtype), t.randint((count,), dtype, 0, 2)
    return x, y, t.randn((5,), dtype)


def losses(x, y, w):
    import tensorflow as tf

    score = tf.linalg.matvec(x, w)
    return tf.nn.softplus(score) - y * score


def keep_hard(x, y, w):
    import tensorflow as tf

    loss = losses(x, y, w)
    hard = loss > tf.reduce_mean(loss)
    return tf.boolean_mask(x, hard), tf.reduce_mean(tf.boolean_mask(loss, hard))


@case(
    "tf.idioms.data_pruning",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=ref.hard_examples,
)
def hard_examples_by_a_mask(t, dtype):
    return t.call(keep_hard, *labelled(t, dtype))


def mean_loss(x, y, w):
    import tensorflow as tf

    return tf.reduce_mean(losses(x, y, w))


@case(
    "tf.idioms.data_pruning",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=lambda np, x, y, w: [ref.losses(np, x[:n], y[:n], w).mean() for n in (12, 9, 5, 1)],
)
def batches_that_shrink(t, dtype):
    """The same step on four sizes of a batch, each a call of its own."""
    x, y, w = labelled(t, dtype)
    return [t.call(mean_loss, x[:n], y[:n], w) for n in (12, 9, 5, 1)]


def keep_hardest(x, y, w, k):
    import tensorflow as tf

    loss, chosen = tf.math.top_k(losses(x, y, w), k)
    return tf.gather(x, chosen), tf.reduce_mean(loss)


@case(
    "tf.idioms.data_pruning",
    dtypes="f32",
    k=4,
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=ref.hardest,
)
def hardest_by_a_fixed_number(t, dtype, k):
    return t.call(keep_hardest, *labelled(t, dtype), k)


def weigh_hard(x, y, w):
    import tensorflow as tf

    loss = losses(x, y, w)
    hard = tf.cast(loss > tf.reduce_mean(loss), loss.dtype)
    return tf.reduce_sum(loss * hard) / tf.reduce_sum(hard)


@case(
    "tf.idioms.data_pruning",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=lambda np, x, y, w: ref.hard_examples(np, x, y, w)[1],
)
def easy_examples_weigh_nothing(t, dtype):
    return t.call(weigh_hard, *labelled(t, dtype))


# --- proximal steps


def soft(w, by):
    import tensorflow as tf

    return tf.sign(w) * tf.maximum(abs(w) - by, 0)


def lasso_steps(x, y, w, rate, by):
    import tensorflow as tf

    for _ in range(3):
        slope = tf.linalg.matvec(x, tf.linalg.matvec(x, w) - y, transpose_a=True)
        w = soft(w - rate * slope / x.shape[0], rate * by)
    return w


@case(
    "tf.idioms.proximal_step",
    dtypes="f32 bf16",
    rate=0.1,
    by=2.0,
    core=False,
    rtol=NEAR,
    atol={"f32": 2e-5, "bf16": 6e-2},
    reference=ref.lasso_steps,
)
def soft_thresholding(t, dtype, rate, by):
    x, y, w = t.randn((16, 9), dtype), t.randn((16,), dtype), t.randn((9,), dtype)
    return t.call(lasso_steps, x, y, w, rate, by)


def shrink_rows(w, by):
    import tensorflow as tf

    length = tf.sqrt(tf.reduce_sum(w * w, 1, keepdims=True))
    return w * tf.maximum(1 - by / length, 0)


@case(
    "tf.idioms.proximal_step",
    dtypes="f32",
    by=2.0,
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=ref.shrunk_rows,
)
def group_lasso(t, dtype, by):
    return t.call(shrink_rows, t.randn((12, 4), dtype), by)


def remove_rows(x, w, by):
    import tensorflow as tf

    w = shrink_rows(w, by)
    nonzero = tf.not_equal(w, 0)  # in a graph of TensorFlow 1, != compares the objects
    left = tf.where(tf.reduce_any(nonzero, 1))[:, 0]
    rows = tf.gather(w, left)
    return rows, left, tf.matmul(x, rows, transpose_b=True)


@case(
    "tf.idioms.proximal_step",
    dtypes="f32",
    by=2.0,
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=ref.rows_left,
)
def zero_rows_are_removed(t, dtype, by):
    return t.call(remove_rows, t.randn((3, 4), dtype), t.randn((12, 4), dtype), by)


def keep_largest(x, w, kept):
    import tensorflow as tf

    limit = tf.sort(tf.reshape(abs(w), [-1]), direction="DESCENDING")[kept - 1]
    mask = abs(w) >= limit
    return tf.matmul(x, w * tf.cast(mask, w.dtype), transpose_b=True), mask


@case(
    "tf.idioms.proximal_step",
    dtypes="f32",
    kept=19,
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=ref.largest_weights,
)
def mask_by_magnitude(t, dtype, kept):
    return t.call(keep_largest, t.randn((3, 4), dtype), t.randn((12, 4), dtype), kept)
