"""TensorFlow: what people train. Twenty steps on one batch, one program by `tf.while_loop`; the losses are compared with those on
the CPU in f64."""

from seamark_suites.case import case

STEPS = 20
NEAR = {"f32": 2e-3}  # twenty steps let rounding grow


def program(name, **header):
    default = {"dtypes": "f32", "core": False, "rtol": NEAR, "atol": {"f32": 1e-4}}
    return case("tf.idioms." + name, **dict(default, **header))


def momentum(rate, keep=0.9):
    """(the state at first, a step) of gradient descent with momentum."""
    import tensorflow as tf

    def start(params):
        return [tf.zeros_like(p) for p in params]

    def step(params, state, grads):
        state = [keep * s + g for s, g in zip(state, grads)]
        return [p - rate * s for p, s in zip(params, state)], state

    return start, step


def adam(rate, decay=0.0):
    import tensorflow as tf

    def start(params):
        zeros = [tf.zeros_like(p) for p in params]
        return [zeros, zeros, tf.zeros((), params[0].dtype)]

    def step(params, state, grads):
        first = [0.9 * m + 0.1 * g for m, g in zip(state[0], grads)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(state[1], grads)]
        count = state[2] + 1
        by, over = 1 - 0.9**count, 1 - 0.999**count
        moved = [
            p - rate * (m / by / (tf.sqrt(v / over) + 1e-8) + decay * p)
            for p, m, v in zip(params, first, second)
        ]
        return moved, [first, second, count]

    return start, step


def train(t, loss_of, params, batch, rule=None):
    """The loss of each step; the last one is below the first."""
    start, step = rule or momentum(0.05)

    def run(params, batch):
        import tensorflow as tf

        def one(number, values, state, losses):
            with tf.GradientTape() as tape:
                tape.watch(values)
                loss = loss_of(tf.nest.pack_sequence_as(params, values), batch)
            grads = tape.gradient(loss, values)
            values, state = step(values, state, grads)
            losses = tf.tensor_scatter_nd_update(losses, [[number]], [loss])
            return number + 1, values, state, losses

        values = tf.nest.flatten(params)
        losses = tf.zeros((STEPS,), values[0].dtype)
        carried = [tf.constant(0), values, start(values), losses]
        return tf.while_loop(lambda number, *_: number < STEPS, one, carried)[-1]

    return falling(t, t.call(run, params, batch))


def falling(t, losses):
    values = t.host(losses)
    t.expect(
        bool(values[-1] < values[0]), "a loss that falls, got %g to %g" % (values[0], values[-1])
    )
    return losses


def dense(t, dtype, *sizes):
    """Weights and offsets of layers."""
    return [
        {"w": t.randn((m, n), dtype) / m**0.5, "b": t.randn((n,), dtype) / 10}
        for m, n in zip(sizes, sizes[1:])
    ]


def layered(layers, x, activation):
    for layer in layers[:-1]:
        x = activation(x @ layer["w"] + layer["b"])
    return x @ layers[-1]["w"] + layers[-1]["b"]


def cross_entropy(logits, labels):
    import tensorflow as tf

    return tf.reduce_mean(
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    )


@program("mlp")
def trains_an_mlp(t, dtype):
    def loss_of(params, batch):
        x, y = batch
        return cross_entropy(layered(params, x, t.fw.nn.relu), y)

    batch = t.randn((16, 12), dtype), t.randint((16,), "i32", 0, 5)
    return train(t, loss_of, dense(t, dtype, 12, 32, 5), batch)


@program("cnn")
def trains_a_cnn(t, dtype):
    tf = t.fw

    def loss_of(params, batch):
        x, y = batch
        x = tf.nn.conv2d(x, params["first"], 1, "SAME")
        mean, variance = tf.nn.moments(x, (0, 1, 2))
        x = tf.nn.batch_normalization(x, mean, variance, None, params["scale"], 1e-5)
        x = tf.nn.max_pool2d(tf.nn.relu(x), 2, 2, "VALID")
        x = tf.reduce_mean(tf.nn.relu(tf.nn.conv2d(x, params["second"], 2, "SAME")), (1, 2))
        return cross_entropy(layered(params["head"], x, None), y)

    params = {
        "first": t.randn((3, 3, 3, 8), dtype) / 5,
        "scale": t.randn((8,), dtype),
        "second": t.randn((3, 3, 8, 16), dtype) / 8,
        "head": dense(t, dtype, 16, 4),
    }
    batch = t.randn((8, 16, 16, 3), dtype), t.randint((8,), "i32", 0, 4)
    return train(t, loss_of, params, batch, adam(0.01))


@program("lstm")
def trains_an_lstm(t, dtype):
    tf = t.fw

    def loss_of(params, batch):
        x, wanted = batch

        def cell(state, x):
            h, c = state
            i, f, g, o = tf.split(tf.concat([x, h], -1) @ params["w"] + params["b"], 4, -1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            return tf.sigmoid(o) * tf.tanh(c), c

        zeros = tf.zeros((4, 12), x.dtype)
        made = tf.scan(cell, x, (zeros, zeros))[0]
        return tf.reduce_mean((tf.einsum("tbh,ho->tbo", made, params["head"]) - wanted) ** 2)

    params = {
        "w": t.randn((18, 48), dtype) / 4,
        "b": t.randn((48,), dtype),
        "head": t.randn((12, 3), dtype) / 3,
    }
    batch = t.randn((10, 4, 6), dtype), t.randn((10, 4, 3), dtype)
    return train(t, loss_of, params, batch, adam(0.01))


def normed(x, scale):
    import tensorflow as tf

    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-5) * scale


def attended(params, x, memory, allowed=None):
    """Multi-head attention of x on memory. `allowed`: true where a query may look."""
    import tensorflow as tf

    width = params["q"].shape[1]

    def heads(x, name):
        made = tf.einsum("bsw,wv->bsv", x, params[name])
        return tf.reshape(made, (x.shape[0], x.shape[1], 4, width // 4))

    q, k, v = heads(x, "q"), heads(memory, "k"), heads(memory, "v")
    scores = tf.einsum("bqhd,bkhd->bhqk", q, k) / (width / 4) ** 0.5
    if allowed is not None:
        scores = tf.where(allowed, scores, tf.constant(-1e9, scores.dtype))
    made = tf.einsum("bhqk,bkhd->bqhd", tf.nn.softmax(scores), v)
    return tf.einsum("bsw,wv->bsv", tf.reshape(made, x.shape), params["o"])


def attention(t, dtype, width):
    return {name: t.randn((width, width), dtype) / width**0.5 for name in "qkvo"}


def block(t, dtype, width=16):
    """The weights of a layer of a transformer."""
    return {
        "attention": attention(t, dtype, width),
        "mlp": dense(t, dtype, width, 2 * width, width),
        "scale": t.uniform((width,), dtype, 0.5, 1.5),
    }


def layered_last(layers, x, activation):
    """The layers over the last of three axes."""
    import tensorflow as tf

    return tf.reshape(
        layered(layers, tf.reshape(x, (-1, x.shape[-1])), activation),
        (*x.shape[:-1], layers[-1]["w"].shape[1]),
    )


@program("transformer_encoder")
def trains_an_encoder(t, dtype):
    tf = t.fw

    def loss_of(params, batch):
        tokens, labels, real = batch
        x = tf.gather(params["embed"], tokens)
        for layer in params["layers"]:
            inside = normed(x, layer["scale"])
            x = x + attended(layer["attention"], inside, inside, real[:, None, None, :])
            x = x + layered_last(layer["mlp"], normed(x, layer["scale"]), tf.nn.gelu)
        logits = tf.einsum("bsw,tw->bst", x, params["embed"])
        each = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
        counted = tf.cast(real, each.dtype)
        return tf.reduce_sum(each * counted) / tf.reduce_sum(counted)

    params = {
        "embed": t.randn((20, 16), dtype) / 4,
        "layers": [block(t, dtype), block(t, dtype)],
    }
    real = t.const([[True] * 7, [True] * 5 + [False] * 2, [True] * 7], "bool")
    batch = t.randint((3, 7), "i32", 0, 20), t.randint((3, 7), "i32", 0, 20), real
    return train(t, loss_of, params, batch, adam(0.01, 0.01))


@program("transformer_decoder")
def trains_a_decoder(t, dtype):
    tf = t.fw

    def loss_of(params, batch):
        x, memory, wanted = batch
        past = tf.linalg.band_part(tf.ones((6, 6), tf.bool), -1, 0)
        inside = normed(x, params["scale"])
        x = x + attended(params["attention"], inside, inside, past)
        x = x + attended(params["cross"], normed(x, params["scale"]), memory)
        x = x + layered_last(params["mlp"], normed(x, params["scale"]), tf.nn.relu)
        return tf.reduce_mean((x - wanted) ** 2)

    params = dict(block(t, dtype), cross=attention(t, dtype, 16))
    batch = tuple(t.randn((2, length, 16), dtype) for length in (6, 9, 6))
    return train(t, loss_of, params, batch, adam(0.005))


@program("gpt_block", rtol={"f32": 1e-4})
def a_cache_gives_what_the_whole_gives(t, dtype):
    """Keys and values of earlier tokens are kept in a buffer of fixed size, token by token."""
    tf, length = t.fw, 6
    params, x = block(t, dtype), t.randn((2, length, 16), dtype)

    def whole(params, x):
        past = tf.linalg.band_part(tf.ones((length, length), tf.bool), -1, 0)
        inside = normed(x, params["scale"])
        return x + attended(params["attention"], inside, inside, past)

    def token_by_token(params, x):
        weights = params["attention"]

        def one(at, keys, made):
            token = tf.slice(x, [0, at, 0], [2, 1, 16])
            now = normed(token, params["scale"])
            slot = tf.reshape(tf.range(length) == at, (1, length, 1))
            keys = tf.where(slot, tf.broadcast_to(now, keys.shape), keys)
            allowed = tf.reshape(tf.range(length) <= at, (1, 1, 1, length))
            out = token + attended(weights, now, keys, allowed)
            return at + 1, keys, tf.where(slot, tf.broadcast_to(out, made.shape), made)

        zeros = tf.zeros_like(x)
        return tf.while_loop(lambda at, *_: at < length, one, [tf.constant(0), zeros, zeros])[-1]

    wanted, made = t.call(whole, params, x), t.call(token_by_token, params, x)
    t.expect(
        bool(t.np.allclose(t.host(made), t.host(wanted), rtol=1e-3, atol=1e-4)), "the same tokens"
    )
    return made


@program("unet")
def trains_a_unet(t, dtype):
    tf = t.fw

    def loss_of(params, batch):
        x, wanted = batch
        down = tf.nn.relu(tf.nn.conv2d(x, params["down"], 1, "SAME"))
        deep = tf.nn.avg_pool2d(down, 2, 2, "VALID")
        deep = tf.nn.relu(tf.nn.conv2d(deep, params["deep"], 1, "SAME"))
        up = tf.nn.conv2d_transpose(deep, params["up"], (2, 8, 8, 4), 2, "SAME")
        made = tf.nn.conv2d(tf.concat([down, up], -1), params["out"], 1, "SAME")
        return tf.reduce_mean((made - wanted) ** 2)

    params = {
        "down": t.randn((3, 3, 2, 4), dtype) / 4,
        "deep": t.randn((3, 3, 4, 8), dtype) / 6,
        "up": t.randn((2, 2, 4, 8), dtype) / 5,
        "out": t.randn((3, 3, 8, 2), dtype) / 8,
    }
    batch = t.randn((2, 8, 8, 2), dtype), t.randn((2, 8, 8, 2), dtype)
    return train(t, loss_of, params, batch)


@program("graph_network")
def trains_a_graph_network(t, dtype):
    """Messages along edges, added up at their ends."""
    tf = t.fw

    def loss_of(params, batch):
        x, sources, ends, wanted = batch
        for layer in params:
            messages = tf.nn.relu(tf.gather(x, sources) @ layer["w"])
            sums = tf.math.unsorted_segment_sum(messages, ends, 9)
            x = x + sums + layer["b"]
        return tf.reduce_mean((x - wanted) ** 2)

    params = dense(t, dtype, 5, 5, 5)
    batch = (t.randn((9, 5), dtype), t.randint((24,), "i32", 0, 9), t.randint((24,), "i32", 0, 9),
             t.randn((9, 5), dtype))  # fmt: skip
    return train(t, loss_of, params, batch, momentum(0.01))


@program("mixture_of_experts")
def trains_a_mixture_of_experts(t, dtype):
    """Each token goes to the best two of four experts."""
    tf = t.fw

    def loss_of(params, batch):
        x, wanted = batch
        weights, chosen = tf.math.top_k(tf.nn.softmax(x @ params["router"]), 2)
        weights = weights / tf.reduce_sum(weights, -1, keepdims=True)
        gates = tf.reduce_sum(tf.one_hot(chosen, 4, dtype=x.dtype) * weights[..., None], 1)
        made = tf.einsum("te,tw,ewv->tv", gates, x, params["experts"])
        return tf.reduce_mean((made - wanted) ** 2)

    # Scores far apart: rounding chooses no other expert.
    params = {"router": t.distinct((6, 4), dtype) / 4, "experts": t.randn((4, 6, 3), dtype) / 3}
    batch = t.distinct((10, 6), dtype) / 20, t.randn((10, 3), dtype)
    return train(t, loss_of, params, batch, momentum(0.02))


@program("diffusion")
def trains_a_denoiser(t, dtype):
    tf = t.fw

    def loss_of(params, batch):
        clean, noise, times = batch
        kept = tf.cos(times * 1.5)[:, None]
        noisy = kept * clean + tf.sqrt(1 - kept**2) * noise
        waves = times[:, None] * tf.cast(2.0 ** tf.range(0, 3, 1.0), times.dtype)
        features = tf.concat([noisy, tf.sin(waves), tf.cos(waves)], -1)
        return tf.reduce_mean((layered(params, features, tf.nn.silu) - noise) ** 2)

    batch = t.randn((12, 6), dtype), t.randn((12, 6), dtype), t.uniform((12,), dtype, 0.1, 0.9)
    return train(t, loss_of, dense(t, dtype, 12, 24, 6), batch, adam(0.01))


@program("lora")
def adapts_a_frozen_layer(t, dtype):
    """The layer's own weights get no gradient; two thin matrices beside them do."""
    tf = t.fw

    def loss_of(params, batch):
        frozen, x, wanted = batch
        made = x @ (tf.stop_gradient(frozen) + params["down"] @ params["up"])
        return tf.reduce_mean((made - wanted) ** 2)

    params = {"down": t.randn((8, 2), dtype) / 3, "up": t.randn((2, 6), dtype) / 3}
    batch = t.randn((8, 6), dtype), t.randn((12, 8), dtype), t.randn((12, 6), dtype)
    return train(t, loss_of, params, batch)


@program("policy_gradient")
def updates_a_policy(t, dtype):
    """A clipped objective of actions that were taken, with the policy's entropy."""
    tf = t.fw

    def loss_of(params, batch):
        states, actions, before, gains = batch
        logits = tf.nn.log_softmax(layered(params, states, tf.tanh))
        taken = tf.gather(logits, actions, axis=1, batch_dims=1)
        ratio = tf.exp(taken - before)
        clipped = tf.clip_by_value(ratio, 0.5, 1.5)
        entropy = -tf.reduce_mean(tf.reduce_sum(tf.exp(logits) * logits, -1))
        return -tf.reduce_mean(tf.minimum(ratio * gains, clipped * gains)) - 0.01 * entropy

    batch = (t.randn((14, 5), dtype), t.randint((14,), "i32", 0, 3), t.uniform((14,), dtype, -1.4, -0.8),
             t.randn((14,), dtype))  # fmt: skip
    return train(t, loss_of, dense(t, dtype, 5, 16, 3), batch, momentum(0.02))


@program("contrastive")
def pulls_pairs_together(t, dtype):
    tf = t.fw

    def loss_of(params, batch):
        left, right = (tf.math.l2_normalize(layered(params, x, tf.nn.relu), -1) for x in batch)
        scores = tf.matmul(left, right, transpose_b=True) / 0.2
        numbers = tf.range(8)
        return (cross_entropy(scores, numbers) + cross_entropy(tf.transpose(scores), numbers)) / 2

    batch = t.randn((8, 6), dtype), t.randn((8, 6), dtype)
    return train(t, loss_of, dense(t, dtype, 6, 16, 5), batch)


@program("autoencoder")
def trains_a_variational_autoencoder(t, dtype):
    tf = t.fw

    def loss_of(params, batch):
        x, noise = batch
        mean, spread = tf.split(layered(params["encoder"], x, tf.nn.elu), 2, -1)
        made = layered(params["decoder"], mean + tf.exp(spread / 2) * noise, tf.nn.elu)
        apart = tf.reduce_mean(mean**2 + tf.exp(spread) - spread - 1) / 2
        return tf.reduce_mean((made - x) ** 2) + 0.1 * apart

    params = {"encoder": dense(t, dtype, 8, 12, 6), "decoder": dense(t, dtype, 3, 12, 8)}
    return train(t, loss_of, params, (t.randn((10, 8), dtype), t.randn((10, 3), dtype)))
