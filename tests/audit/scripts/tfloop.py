"""A small network in TensorFlow: variables, a tape, a tf.function; the GPU is named where there is one."""

import tensorflow as tf

tf.random.set_seed(0)
gpus = tf.config.list_physical_devices("GPU")
where = "/GPU:0" if gpus else "/CPU:0"

with tf.device(where):
    kernel = tf.Variable(tf.random.stateless_normal((3, 3, 1, 4), seed=(0, 1)) * 0.3)
    dense = tf.Variable(tf.random.stateless_normal((64, 3), seed=(0, 2)) * 0.1)
    images = tf.random.stateless_uniform((6, 8, 8, 1), seed=(0, 3))
    labels = tf.range(6) % 3


@tf.function
def step(images, labels):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.nn.conv2d(images, kernel, 2, "SAME"))
        logits = tf.matmul(tf.reshape(hidden, (-1, 64)), dense)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
    grads = tape.gradient(loss, (kernel, dense))
    norm = tf.linalg.global_norm(grads)
    for variable, grad in zip((kernel, dense), grads, strict=False):
        variable.assign_sub(0.1 * grad / tf.maximum(norm, 1.0))
    wrong = tf.where(tf.argmax(logits, 1, tf.int32) != labels)
    return loss, tf.shape(wrong)[0]


for _number in range(5):
    loss, wrong = step(images, labels)
    parts = tf.math.bincount(labels, minlength=3)
    print("loss", float(loss).hex(), int(wrong) >= 0, parts.numpy().tolist())
