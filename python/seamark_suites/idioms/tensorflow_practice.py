"""TensorFlow: how people train. Mixed precision, small batches, activations made again, gradients of one's own, solvers,
pipelines of data, variables and optimizers of Keras, state that goes on elsewhere."""

from .tensorflow_training import (
    STEPS,
    cross_entropy,
    dense,
    falling,
    layered,
    momentum,
    program,
    train,
)


def squares(params, batch):
    import tensorflow as tf

    x, wanted = batch
    return tf.reduce_mean((layered(params, x, tf.tanh) - wanted) ** 2)


def pairs(t, dtype, count=12, wide=6, out=3):
    return t.randn((count, wide), dtype), t.randn((count, out), dtype)


@program("mixed_precision", rtol={"f32": 5e-2}, atol={"f32": 2e-2})
def trains_in_bf16(t, dtype):
    """Products in bf16, weights in f32."""
    tf, exact = t.fw, t.place == "wide"

    def loss_of(params, batch):
        x, y = batch
        narrow = x.dtype if exact else tf.bfloat16
        low = tf.nest.map_structure(lambda p: tf.cast(p, narrow), params)
        logits = layered(low, tf.cast(x, narrow), tf.nn.relu)
        return cross_entropy(tf.cast(logits, x.dtype), y)

    batch = t.randn((16, 12), dtype), t.randint((16,), "i32", 0, 5)
    return train(t, loss_of, dense(t, dtype, 12, 32, 5), batch)


@program("gradient_accumulation")
def adds_up_the_gradients_of_small_batches(t, dtype):
    tf = t.fw

    def loss_of(params, batch):
        x, wanted = batch
        return (
            tf.add_n([squares(params, (x[at : at + 4], wanted[at : at + 4])) for at in (0, 4, 8)])
            / 3
        )

    return train(t, loss_of, dense(t, dtype, 6, 8, 3), pairs(t, dtype))


@program("checkpointing")
def computes_activations_again(t, dtype):
    tf = t.fw

    def loss_of(params, batch):
        x, wanted = batch

        def middle(x, w, b):
            return tf.tanh(x @ w + b)

        again = tf.recompute_grad(middle)
        x = again(x, params[0]["w"], params[0]["b"])
        return tf.reduce_mean((layered(params[1:], x, None) - wanted) ** 2)

    return train(t, loss_of, dense(t, dtype, 6, 8, 3), pairs(t, dtype))


@program("per_sample_gradients")
def clips_the_gradient_of_each_sample(t, dtype):
    """One gradient for each sample at once, cut to a length, and added up."""
    tf = t.fw

    def run(w, batch):
        x, wanted = batch
        start, step = momentum(0.1)

        def one(number, values, state, losses):
            def of_sample(sample):
                x, wanted = sample
                with tf.GradientTape() as tape:
                    tape.watch(values[0])
                    loss = tf.reduce_mean(
                        (tf.linalg.matvec(values[0], x, transpose_a=True) - wanted) ** 2
                    )
                return tape.gradient(loss, values[0]), loss

            grads, each = tf.vectorized_map(of_sample, (x, wanted))
            length = tf.sqrt(tf.reduce_sum(grads**2, (1, 2), keepdims=True))
            grad = tf.reduce_mean(grads * tf.minimum(tf.cast(1, x.dtype), 0.5 / length), 0)
            values, state = step(values, state, [grad])
            losses = tf.tensor_scatter_nd_update(losses, [[number]], [tf.reduce_mean(each)])
            return number + 1, values, state, losses

        carried = [tf.constant(0), [w], start([w]), tf.zeros((STEPS,), x.dtype)]
        return tf.while_loop(lambda number, *_: number < STEPS, one, carried)[-1]

    return falling(t, t.call(run, t.randn((6, 3), dtype), pairs(t, dtype)))


@program("own_gradient")
def trains_through_a_gradient_of_its_own(t, dtype):
    """Rounding has no slope; its gradient passes straight through."""
    tf = t.fw

    @tf.custom_gradient
    def rounded(x):
        return tf.round(x * 4) / 4, lambda upstream: upstream

    def loss_of(params, batch):
        x, wanted = batch
        hidden = tf.tanh(x @ params[0]["w"] + params[0]["b"])
        smooth = hidden + tf.stop_gradient(tf.round(hidden)) * 0
        made = smooth @ rounded(params[1]["w"] * 0) + smooth @ params[1]["w"] + params[1]["b"]
        return tf.reduce_mean((made - wanted) ** 2)

    return train(t, loss_of, dense(t, dtype, 6, 8, 3), pairs(t, dtype))


@program("second_order")
def takes_newton_steps(t, dtype):
    tf = t.fw

    def run(w, batch):
        x, y = batch
        losses = []
        for _ in range(4):
            with tf.GradientTape() as outer:
                outer.watch(w)
                with tf.GradientTape() as inner:
                    inner.watch(w)
                    loss = tf.reduce_mean(tf.math.softplus(-y * tf.linalg.matvec(x, w)))
                    loss += 0.1 * tf.reduce_sum(w**2)
                grad = inner.gradient(loss, w)
            hessian = outer.jacobian(grad, w)
            w = w - tf.linalg.solve(hessian, grad[:, None])[:, 0]
            losses.append(loss)
        return tf.stack(losses)

    y = t.randint((12,), dtype, 0, 2) * 2 - 1
    return falling(t, t.call(run, t.randn((5,), dtype), (t.randn((12, 5), dtype), y)))


@program("differential_equation")
def trains_through_a_solver(t, dtype):
    """Gradients through the rounds of a tf.while_loop."""
    tf = t.fw

    def loss_of(params, batch):
        x, wanted = batch

        def step(number, x):
            def slope(x):
                return tf.tanh(x @ params["w"])

            middle = x + 0.05 * slope(x)
            return [number + 1, x + 0.1 * slope(middle)]

        made = tf.while_loop(lambda n, _: n < 10, step, [tf.constant(0), x], maximum_iterations=10)[
            1
        ]
        return tf.reduce_mean((made - wanted) ** 2)

    return train(t, loss_of, {"w": t.randn((4, 4), dtype)}, pairs(t, dtype, 8, 4, 4))


@program("data_pipeline")
def trains_from_a_dataset(t, dtype):
    """Batches of a tf.data pipeline, made and mapped on the host, go into one function."""
    tf = t.fw
    x, wanted = t.host(t.randn((16, 6), dtype)), t.host(t.randn((16, 3), dtype))
    layers = dense(t, dtype, 6, 8, 3)
    data = tf.data.Dataset.from_tensor_slices((x, wanted)).map(lambda x, y: (x * 2, y))
    data = data.shuffle(16, seed=3, reshuffle_each_iteration=True).batch(8).repeat(STEPS // 2)

    def step(params, x, wanted):
        values = tf.nest.flatten(params)
        with tf.GradientTape() as tape:
            tape.watch(values)
            loss = squares(tf.nest.pack_sequence_as(params, values), (x, wanted))
        grads = tape.gradient(loss, values)
        return [v - 0.1 * g for v, g in zip(values, grads)], loss

    values, losses = tf.nest.flatten(layers), []
    for x, wanted in data.prefetch(2).as_numpy_iterator():
        batch = t.const(x, dtype), t.const(wanted, dtype)
        values, loss = t.call(step, tf.nest.pack_sequence_as(layers, values), *batch)
        losses.append(loss)
    losses = tf.stack(losses)
    values = t.host(losses)
    t.expect(bool(values[-2:].sum() < values[:2].sum()), "losses that fall")
    return losses


@program("keras_optimizer")
def steps_with_keras(t, dtype):
    """Variables of a layer, and the optimizer's own, changed in place."""
    tf = t.fw
    w, b = (tf.Variable(one) for one in (t.randn((6, 3), dtype), t.randn((3,), dtype)))
    optimizer = tf.keras.optimizers.AdamW(0.02, weight_decay=0.01)
    optimizer.build([w, b])
    x, wanted = pairs(t, dtype)

    def step(x, wanted):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b - wanted) ** 2)
        grads, _ = tf.clip_by_global_norm(tape.gradient(loss, [w, b]), 5.0)
        optimizer.apply_gradients(zip(grads, [w, b]))
        return loss

    compiled = tf.function(step) if t.place != "target" or not t.compiled else step
    return falling(t, tf.stack([t.call(compiled, x, wanted) for _ in range(STEPS)]))


@program("saved_and_loaded")
def goes_on_elsewhere(t, dtype):
    """Ten steps, a checkpoint, ten more on the host and on the target from it: the same losses."""
    import os

    tf = t.fw
    w = tf.Variable(t.randn((6, 3), dtype))
    velocity = tf.Variable(tf.zeros_like(w))
    batch = pairs(t, dtype)

    def step(w, velocity, x, wanted):
        with tf.GradientTape() as tape:
            tape.watch(w)
            loss = tf.reduce_mean((x @ w - wanted) ** 2)
        velocity = 0.9 * velocity + tape.gradient(loss, w)
        return w - 0.05 * velocity, velocity, loss

    def ten(w, velocity, call):
        losses = []
        for _ in range(STEPS // 2):
            moved, faster, loss = call(step, tf.identity(w), tf.identity(velocity), *batch)
            w.assign(moved)
            velocity.assign(faster)
            losses.append(loss)
        return losses

    first = ten(w, velocity, t.call)
    saved = tf.train.Checkpoint(w=w, velocity=velocity)
    path = saved.write(os.path.join(t.tmpdir(), "state"))
    second = ten(w, velocity, t.call)
    with tf.device("/device:CPU:0"):
        other = tf.Variable(tf.zeros_like(w)), tf.Variable(tf.zeros_like(w))
        tf.train.Checkpoint(w=other[0], velocity=other[1]).read(path).assert_consumed()
        again = ten(*other, lambda function, *args: function(*args))
    t.expect(
        bool(t.np.allclose(t.host(tf.stack(again)), t.host(tf.stack(second)), rtol=1e-3)),
        "the same losses on the host",
    )
    return falling(t, tf.stack(first + second))
