"""JAX: what people train. Twenty steps on one batch, one program by `lax.scan`; the losses are compared with those on the CPU
in f64."""

from seamark_suites.case import case

STEPS = 20
NEAR = {"f32": 2e-3}  # twenty steps let rounding grow


def program(name, **header):
    default = {"dtypes": "f32", "core": False, "rtol": NEAR, "atol": {"f32": 1e-4}}
    return case("jax.idioms." + name, **dict(default, **header))


def momentum(rate, keep=0.9):
    """(the state at first, a step) of gradient descent with momentum."""
    import jax

    def start(params):
        return jax.tree.map(jax.numpy.zeros_like, params)

    def step(params, state, grads):
        state = jax.tree.map(lambda s, g: keep * s + g, state, grads)
        return jax.tree.map(lambda p, s: p - rate * s, params, state), state

    return start, step


def adam(rate, decay=0.0):
    import jax
    import jax.numpy as jnp

    def start(params):
        zeros = jax.tree.map(jnp.zeros_like, params)
        return zeros, zeros, jnp.zeros((), "int32")

    def step(params, state, grads):
        first, second, count = state
        first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, grads)
        second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, grads)
        count = count + 1

        def moved(p, m, v):
            number = count.astype(p.dtype)
            m, v = m / (1 - 0.9**number), v / (1 - 0.999**number)
            return p - rate * (m / (jnp.sqrt(v) + 1e-8) + decay * p)

        return jax.tree.map(moved, params, first, second), (first, second, count)

    return start, step


def train(t, loss_of, params, batch, rule=None):
    """The loss of each step; the last one is below the first."""
    start, step = rule or momentum(0.05)

    def run(params, batch):
        import jax

        def one(carried, _):
            params, state = carried
            loss, grads = jax.value_and_grad(loss_of)(params, batch)
            return step(params, state, grads), loss

        return jax.lax.scan(one, (params, start(params)), None, length=STEPS)[1]

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
    import jax

    return (
        -(jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, logits.shape[-1], dtype=logits.dtype))
        .sum(-1)
        .mean()
    )


@program("mlp")
def trains_an_mlp(t, dtype):
    def loss_of(params, batch):
        import jax

        x, y = batch
        return cross_entropy(layered(params, x, jax.nn.relu), y)

    batch = t.randn((16, 12), dtype), t.randint((16,), "i32", 0, 5)
    return train(t, loss_of, dense(t, dtype, 12, 32, 5), batch)


def convolved(x, w, stride=1):
    import jax

    dimensions = ("NHWC", "HWIO", "NHWC")
    return jax.lax.conv_general_dilated(
        x, w, (stride, stride), "SAME", dimension_numbers=dimensions
    )


@program("cnn")
def trains_a_cnn(t, dtype):
    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        x, y = batch
        x = convolved(x, params["first"])
        x = (x - x.mean((0, 1, 2))) / jnp.sqrt(x.var((0, 1, 2)) + 1e-5) * params["scale"]
        x = jax.lax.reduce_window(
            jax.nn.relu(x), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"
        )
        x = jax.nn.relu(convolved(x, params["second"], 2)).mean((1, 2))
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
    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        x, wanted = batch

        def cell(state, x):
            h, c = state
            i, f, g, o = jnp.split(jnp.concatenate([x, h], -1) @ params["w"] + params["b"], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h

        zeros = jnp.zeros((x.shape[1], 12), x.dtype)
        made = jax.lax.scan(cell, (zeros, zeros), x)[1]
        return ((made @ params["head"] - wanted) ** 2).mean()

    params = {
        "w": t.randn((18, 48), dtype) / 4,
        "b": t.randn((48,), dtype),
        "head": t.randn((12, 3), dtype) / 3,
    }
    batch = t.randn((10, 4, 6), dtype), t.randn((10, 4, 3), dtype)
    return train(t, loss_of, params, batch, adam(0.01))


def normed(x, scale):
    import jax.numpy as jnp

    return (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale


def attended(params, x, memory, mask=None, causal=False):
    """Multi-head attention of x on memory."""
    import jax

    heads, of_head = 4, params["q"].shape[1] // 4
    q, k, v = x @ params["q"], memory @ params["k"], memory @ params["v"]
    q, k, v = (one.reshape(*one.shape[:-1], heads, of_head) for one in (q, k, v))
    made = jax.nn.dot_product_attention(q, k, v, mask=mask, is_causal=causal)
    return made.reshape(*x.shape[:-1], -1) @ params["o"]


def attention(t, dtype, width):
    return {name: t.randn((width, width), dtype) / width**0.5 for name in "qkvo"}


@program("transformer_encoder")
def trains_an_encoder(t, dtype):
    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        tokens, labels, real = batch
        x = params["embed"][tokens]
        for layer in params["layers"]:
            x = x + attended(
                layer["attention"], *[normed(x, layer["scale"])] * 2, mask=real[:, None, None, :]
            )
            x = x + layered(layer["mlp"], normed(x, layer["scale"]), jax.nn.relu)
        each = -jnp.take_along_axis(
            jax.nn.log_softmax(x @ params["embed"].T), labels[..., None], -1
        )[..., 0]
        return jnp.where(real, each, 0).sum() / real.sum()

    layers = [
        {
            "attention": attention(t, dtype, 16),
            "mlp": dense(t, dtype, 16, 32, 16),
            "scale": t.randn((16,), dtype),
        }
        for _ in range(2)
    ]
    params = {"embed": t.randn((20, 16), dtype) / 4, "layers": layers}
    real = t.const([[True] * 7, [True] * 5 + [False] * 2, [True] * 7], "bool")
    batch = t.randint((3, 7), "i32", 0, 20), t.randint((3, 7), "i32", 0, 20), real
    return train(t, loss_of, params, batch, adam(0.01, decay=0.01))


@program("transformer_decoder")
def trains_a_decoder(t, dtype):
    def loss_of(params, batch):
        import jax

        x, memory, wanted = batch
        x = x + attended(params["own"], *[normed(x, params["scale"])] * 2, causal=True)
        x = x + attended(params["cross"], normed(x, params["scale"]), memory)
        x = x + layered(params["mlp"], normed(x, params["scale"]), jax.nn.gelu)
        return ((x - wanted) ** 2).mean()

    params = {
        "own": attention(t, dtype, 16),
        "cross": attention(t, dtype, 16),
        "mlp": dense(t, dtype, 16, 32, 16),
        "scale": t.randn((16,), dtype),
    }
    batch = t.randn((2, 6, 16), dtype), t.randn((2, 9, 16), dtype), t.randn((2, 6, 16), dtype)
    return train(t, loss_of, params, batch, adam(0.01))


@program("gpt_block", rtol={"f32": 1e-4})
def a_cache_gives_what_the_whole_gives(t, dtype):
    """A cache of fixed size, written by dynamic_update_slice, token after token."""

    def run(params, x):
        import jax
        import jax.numpy as jnp

        length = x.shape[1]
        whole = attended(params, x, x, causal=True)

        def step(cache, at):
            token = jax.lax.dynamic_slice_in_dim(x, at, 1, axis=1)
            cache = jax.lax.dynamic_update_slice_in_dim(cache, token, at, axis=1)
            seen = (jnp.arange(length) <= at)[None, None, None, :]
            return cache, attended(params, token, cache, mask=seen)[:, 0]

        _, pieces = jax.lax.scan(step, jnp.zeros_like(x), jnp.arange(length))
        return whole, pieces.swapaxes(0, 1)

    whole, pieces = t.call(run, attention(t, dtype, 16), t.randn((2, 8, 16), dtype))
    t.expect(
        bool(t.np.allclose(t.host(whole), t.host(pieces), rtol=1e-3, atol=1e-4)), "the same rows"
    )
    return whole, pieces


@program("unet")
def trains_a_unet(t, dtype):
    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        x, mask = batch
        first = jax.nn.silu(convolved(x, params["in"]))
        low = jax.nn.silu(convolved(first, params["down"], 2))
        up = jax.lax.conv_transpose(
            low, params["up"], (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )
        logits = convolved(jnp.concatenate([up, first], -1), params["out"])
        mask = mask.astype(x.dtype)
        return (jax.nn.softplus(logits) - mask * logits).mean()

    params = {
        "in": t.randn((3, 3, 1, 8), dtype) / 3,
        "down": t.randn((3, 3, 8, 16), dtype) / 8,
        "up": t.randn((2, 2, 16, 8), dtype) / 8,
        "out": t.randn((3, 3, 16, 1), dtype) / 12,
    }
    batch = t.randn((2, 12, 12, 1), dtype), t.randint((2, 12, 12, 1), "i32", 0, 2)
    return train(t, loss_of, params, batch, adam(0.01))


@program("graph_network")
def trains_a_graph_network(t, dtype):
    """Messages along edges, added and averaged by segment."""

    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        nodes, source, target, wanted = batch
        sent = jax.nn.relu(nodes[source] @ params["message"])
        summed = jax.ops.segment_sum(sent, target, num_segments=9)
        count = jax.ops.segment_sum(jnp.ones_like(sent), target, num_segments=9)
        made = nodes @ params["own"] + (summed / jnp.maximum(count, 1)) @ params["update"]
        return ((made - wanted) ** 2).mean()

    params = {
        "message": t.randn((5, 8), dtype) / 2,
        "own": t.randn((5, 3), dtype) / 2,
        "update": t.randn((8, 3), dtype) / 3,
    }
    edges = t.randint((20,), "i32", 0, 9), t.randint((20,), "i32", 0, 9)
    return train(t, loss_of, params, (t.randn((9, 5), dtype), *edges, t.randn((9, 3), dtype)))


@program("mixture_of_experts")
def trains_a_mixture_of_experts(t, dtype):
    """Each token goes to the two experts that its router likes best."""

    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        x, wanted = batch
        weights, chosen = jax.lax.top_k(jax.nn.softmax(x @ params["router"]), 2)
        weights = weights / weights.sum(-1, keepdims=True)
        share = jnp.einsum("bk,bke->be", weights, jax.nn.one_hot(chosen, 4, dtype=x.dtype))
        made = jnp.einsum("be,bi,eio->bo", share, x, params["experts"])
        return ((made - wanted) ** 2).mean()

    params = {"router": t.randn((8, 4), dtype), "experts": t.randn((4, 8, 8), dtype) / 3}
    return train(
        t, loss_of, params, (t.randn((12, 8), dtype), t.randn((12, 8), dtype)), momentum(0.02)
    )


@program("diffusion")
def trains_a_denoiser(t, dtype):
    """The noise that was added at a drawn time is foretold."""

    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        x, noise, time = batch
        kept = jnp.cumprod(1 - jnp.linspace(1e-4, 0.05, 50, dtype=x.dtype))[time][:, None]
        noisy = jnp.sqrt(kept) * x + jnp.sqrt(1 - kept) * noise
        given = jnp.concatenate([noisy, time[:, None].astype(x.dtype) / 50], 1)
        return ((layered(params, given, jax.nn.silu) - noise) ** 2).mean()

    batch = t.randn((16, 8), dtype), t.randn((16, 8), dtype), t.randint((16,), "i32", 0, 50)
    return train(t, loss_of, dense(t, dtype, 9, 32, 8), batch, adam(0.01))


@program("lora")
def adapts_a_frozen_layer(t, dtype):
    base = t.randn((12, 12), dtype)

    def loss_of(params, batch):
        x, wanted, base = batch
        return ((x @ base + x @ params["a"] @ params["b"] - wanted) ** 2).mean()

    params = {"a": t.randn((12, 2), dtype) / 4, "b": t.randn((2, 12), dtype) / 4}
    return train(
        t, loss_of, params, (t.randn((10, 12), dtype), t.randn((10, 12), dtype), base), adam(0.02)
    )


@program("policy_gradient")
def updates_a_policy(t, dtype):
    """The clipped objective of PPO on a batch of moves."""

    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        states, moves, gains, old = batch
        logs = jax.nn.log_softmax(layered(params, states, jnp.tanh))
        now = jnp.take_along_axis(logs, moves[:, None], 1)[:, 0]
        ratio = jnp.exp(now - jax.nn.log_softmax(old)[:, 0])
        gain = jnp.minimum(ratio * gains, jnp.clip(ratio, 0.8, 1.2) * gains).mean()
        return -gain + 0.01 * (jnp.exp(logs) * logs).sum(-1).mean()

    moves = t.randint((20,), "i32", 0, 3)
    batch = t.randn((20, 6), dtype), moves, t.randn((20,), dtype), t.randn((20, 3), dtype)
    return train(t, loss_of, dense(t, dtype, 6, 16, 3), batch, adam(0.01))


@program("contrastive")
def pulls_pairs_together(t, dtype):
    def loss_of(params, batch):
        import jax.numpy as jnp

        a, b = (x @ params for x in batch)
        a, b = (x / jnp.linalg.norm(x, axis=-1, keepdims=True) for x in (a, b))
        logits, own = a @ b.T / 0.2, jnp.arange(8)
        return (cross_entropy(logits, own) + cross_entropy(logits.T, own)) / 2

    one = t.randn((8, 10), dtype)
    batch = one, one + 0.1 * t.randn((8, 10), dtype)
    return train(t, loss_of, t.randn((10, 6), dtype), batch, adam(0.02))


@program("autoencoder")
def trains_a_variational_autoencoder(t, dtype):
    """Noise by keys that are split; it is drawn in f32 at every place."""

    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        (x,) = batch
        mean, log_var = jnp.split(layered(params["in"], x, jnp.tanh), 2, -1)
        key = jax.random.split(jax.random.key(3))[0]
        noise = jax.random.normal(key, mean.shape, "float32").astype(x.dtype)
        made = layered(params["out"], mean + jnp.exp(log_var / 2) * noise, jnp.tanh)
        divergence = (jnp.exp(log_var) + mean**2 - 1 - log_var).sum(-1).mean() / 2
        return ((made - x) ** 2).sum(-1).mean() + 0.1 * divergence

    params = {"in": dense(t, dtype, 8, 16, 4), "out": dense(t, dtype, 2, 16, 8)}
    return train(t, loss_of, params, (t.randn((16, 8), dtype),), adam(0.01))
