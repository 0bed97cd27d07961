"""JAX: how people train. Mixed precision, small batches, activations made again, transformations of functions, several devices,
state that goes on elsewhere."""

from .jax_training import STEPS, adam, dense, falling, layered, momentum, program, train


def squares(params, batch):
    import jax.numpy as jnp

    x, wanted = batch
    return ((layered(params, x, jnp.tanh) - wanted) ** 2).mean()


def pairs(t, dtype, count=12, wide=6, out=3):
    return t.randn((count, wide), dtype), t.randn((count, out), dtype)


@program("mixed_precision", rtol={"f32": 5e-2}, atol={"f32": 2e-2})
def trains_in_bf16(t, dtype):
    """Products in bf16, weights in f32, the loss scaled."""
    wide = t.place == "wide"

    def loss_of(params, batch):
        import jax

        def narrow(tree):
            return tree if wide else jax.tree.map(lambda x: x.astype("bfloat16"), tree)

        x, wanted = batch
        made = layered(narrow(params), narrow(x), jax.nn.gelu).astype(wanted.dtype)
        return ((made - wanted) ** 2).mean()

    def step(params, state, grads):
        import jax

        return start_and_step[1](params, state, jax.tree.map(lambda g: g / 64, grads))

    def scaled(params, batch):
        return 64 * loss_of(params, batch)

    start_and_step = momentum(0.05)
    return (
        train(t, scaled, dense(t, dtype, 6, 16, 3), pairs(t, dtype), (start_and_step[0], step)) / 64
    )


@program("gradient_accumulation")
def adds_up_the_gradients_of_small_batches(t, dtype):
    def run(params, batch):
        import jax

        small = jax.tree.map(lambda x: x.reshape(4, 3, *x.shape[1:]), batch)

        def of_small(total, one):
            loss, grads = jax.value_and_grad(squares)(params, one)
            return jax.tree.map(lambda a, g: a + g / 4, total, grads), loss

        zeros = jax.tree.map(jax.numpy.zeros_like, params)
        return jax.lax.scan(of_small, zeros, small)[0], jax.grad(squares)(params, batch)

    added, whole = t.call(run, dense(t, dtype, 6, 8, 3), pairs(t, dtype))
    for one, other in zip(added, whole):
        near = t.np.allclose(t.host(one["w"]), t.host(other["w"]), rtol=1e-4, atol=1e-5)
        t.expect(bool(near), "the gradient of the whole batch")
    return added, whole


@program("checkpointing")
def computes_activations_again(t, dtype):
    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        x, wanted = batch
        policy = jax.checkpoint_policies.dots_with_no_batch_dims_saveable
        layer = jax.checkpoint(lambda x, p: jnp.tanh(x @ p["w"] + p["b"]), policy=policy)
        for one in params:
            x = layer(x, one)
        return ((x - wanted) ** 2).mean()

    return train(t, loss_of, dense(t, dtype, 6, 8, 8, 3), pairs(t, dtype))


@program("stacked_layers")
def scans_over_layers(t, dtype):
    """Layers of one shape, their weights in one array, as deep models are compiled."""

    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        x, wanted = batch
        made, _ = jax.lax.scan(lambda x, w: (x + jnp.tanh(x @ w), None), x, params)
        return ((made - wanted) ** 2).mean()

    return train(
        t, loss_of, t.randn((6, 8, 8), dtype) / 8, pairs(t, dtype, wide=8, out=8), momentum(0.02)
    )


@program("per_sample_gradients")
def takes_the_gradient_of_each_sample(t, dtype):
    """vmap over grad: the norms of single samples' gradients are clipped, as for privacy."""

    def run(params, batch):
        import jax
        import jax.numpy as jnp

        def of_one(params, x, wanted):
            return ((x @ params - wanted) ** 2).sum()

        def one(params, _):
            each = jax.vmap(jax.grad(of_one), in_axes=(None, 0, 0))(params, *batch)
            norms = jnp.sqrt((each**2).sum((1, 2)))
            clipped = (each * jnp.minimum(1 / norms, 1)[:, None, None]).mean(0)
            return params - 0.1 * clipped, jax.vmap(of_one, in_axes=(None, 0, 0))(
                params, *batch
            ).mean()

        return jax.lax.scan(one, params, None, length=STEPS)[1]

    return falling(t, t.call(run, t.randn((6, 3), dtype), pairs(t, dtype)))


@program("own_gradient")
def trains_through_a_gradient_of_its_own(t, dtype):
    """A rounding whose gradient passes straight through (custom_vjp)."""

    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        @jax.custom_vjp
        def rounded(x):
            return jnp.round(x * 4) / 4

        rounded.defvjp(lambda x: (rounded(x), x), lambda x, given: (given * (jnp.abs(x) <= 2),))
        x, wanted = batch
        # Halves and wholes alone: no rounding error moves one over the edge.
        return (
            (rounded(x / 2 + params["shift"] * 0) @ params["w"] + params["shift"] - wanted) ** 2
        ).mean()

    params = {"w": t.randn((6, 3), dtype), "shift": t.randn((), dtype)}
    batch = t.randint((12, 6), "i32", -1, 2).astype(params["w"].dtype), t.randn((12, 3), dtype)
    return train(t, loss_of, params, batch, momentum(0.02))


@program("second_order")
def takes_newton_steps(t, dtype):
    """The Hessian by forward over reverse, and a solve."""

    def run(params, batch):
        import jax
        import jax.numpy as jnp

        x, wanted = batch

        def loss_of(w):
            return jnp.log1p(jnp.exp(-wanted * (x @ w))).mean() + 0.05 * (w**2).sum()

        def one(w, _):
            step = jnp.linalg.solve(jax.hessian(loss_of)(w), jax.grad(loss_of)(w))
            return w - 0.5 * step, loss_of(w)

        return jax.lax.scan(one, params, None, length=STEPS)[1]

    x = t.randn((20, 5), dtype)
    wanted = t.randint((20,), "i32", 0, 2) * 2.0 - 1
    return falling(t, t.call(run, t.randn((5,), dtype), (x, wanted.astype(x.dtype))))


@program("meta_learning")
def learns_to_learn(t, dtype):
    """The gradient through three inner steps of gradient descent (MAML)."""

    def loss_of(params, batch):
        import jax

        for _ in range(3):
            grads = jax.grad(squares)(params, batch)
            params = jax.tree.map(lambda p, g: p - 0.05 * g, params, grads)
        return squares(params, batch)

    return train(t, loss_of, dense(t, dtype, 6, 8, 3), pairs(t, dtype))


@program("differential_equation")
def trains_through_a_solver(t, dtype):
    """Runge and Kutta's steps in a fori_loop, and the gradient through them."""

    def loss_of(params, batch):
        import jax
        import jax.numpy as jnp

        def slope(y):
            return jnp.tanh(y @ params)

        def step(_, y):
            a = slope(y)
            b = slope(y + 0.05 * a)
            c = slope(y + 0.05 * b)
            return y + 0.1 / 6 * (a + 2 * b + 2 * c + slope(y + 0.1 * c))

        x, wanted = batch
        return ((jax.lax.fori_loop(0, 10, step, x) - wanted) ** 2).mean()

    return train(
        t, loss_of, t.randn((4, 4), dtype) / 2, pairs(t, dtype, wide=4, out=4), momentum(0.1)
    )


@program("data_parallel")
def averages_over_a_mesh(t, dtype):
    """shard_map over all devices of the target that divide the batch; gradients are averaged between them."""
    import math

    def loss_of(params, batch):
        import jax
        from jax.sharding import PartitionSpec

        count = math.gcd(12, len(t.device.client.devices()) if hasattr(t.device, "client") else 1)
        devices = (
            [t.device]
            if count == 1 or not hasattr(t.device, "client")
            else t.device.client.devices()[:count]
        )
        mesh = jax.sharding.Mesh(devices, ("batch",))

        def of_part(params, part):
            return jax.lax.pmean(squares(params, part), "batch")

        specs = (PartitionSpec(), PartitionSpec("batch"))
        mapped = jax.shard_map(of_part, mesh=mesh, in_specs=specs, out_specs=PartitionSpec())
        return mapped(params, batch)

    return train(t, loss_of, dense(t, dtype, 6, 8, 3), pairs(t, dtype))


@program("saved_and_loaded")
def goes_on_elsewhere(t, dtype):
    """Ten steps, all state into a file, ten more on the CPU: as twenty in one go."""
    import os

    start, step = adam(0.02)

    def run(params, state, batch):
        import jax

        def one(carried, _):
            params, state = carried
            loss, grads = jax.value_and_grad(squares)(params, batch)
            return step(params, state, grads), loss

        return jax.lax.scan(one, (params, state), None, length=STEPS // 2)

    import jax

    params, batch = dense(t, dtype, 6, 8, 3), pairs(t, dtype)
    state, first = t.call(run, params, start(params), batch)
    leaves, structure = jax.tree.flatten(state)
    path = os.path.join(t.tmpdir(), "state.npz")
    t.np.savez(path, *[t.np.asarray(leaf) for leaf in leaves])
    with t.np.load(path) as file:
        again = jax.tree.unflatten(structure, [file[name] for name in file.files])
    with jax.default_device(jax.devices("cpu")[0]):
        given = tuple(t.np.asarray(one) for one in batch)
        second = jax.jit(run)(*again, given)[1]
    t.expect(bool(t.host(second)[-1] < t.host(first)[0]), "a loss that goes on falling")
    return first, t.np.asarray(second)
