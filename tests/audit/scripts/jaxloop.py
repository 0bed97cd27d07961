"""A perceptron in JAX: jit, grad, a scan over steps, keys that are split."""

import jax
import jax.numpy as jnp


def init(key, sizes):
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"w": jax.random.normal(k, (m, n)) / jnp.sqrt(m), "b": jnp.zeros(n)}
        for k, m, n in zip(keys, sizes[:-1], sizes[1:], strict=False)
    ]


def forward(params, x):
    for layer in params[:-1]:
        x = jax.nn.gelu(jnp.dot(x, layer["w"]) + layer["b"])
    return jnp.matmul(x, params[-1]["w"]) + params[-1]["b"]


def loss_of(params, x, labels):
    logits = forward(params, x)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1)
    return -chosen.mean()


@jax.jit
def train(params, x, labels):
    def step(params, _):
        loss, grads = jax.value_and_grad(loss_of)(params, x, labels)
        return jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads), loss

    return jax.lax.scan(step, params, None, length=3)


on_gpu = any(device.platform == "gpu" for device in jax.devices())
key = jax.random.PRNGKey(0)
params = init(key, (12, 32, 4))
x = jax.random.uniform(key, (16, 12))
labels = jnp.argsort(x[:, 0]) % 4
for _epoch in range(4):
    params, losses = train(params, x, labels)
    singular = jnp.linalg.svd(params[0]["w"], compute_uv=False)
    print("loss", float(losses[-1]).hex(), bool(singular[0] > 0), on_gpu)
