"""jax.vmap of what moves, sums and sorts a window, a line or bits; rules of one's own for a batch."""

from seamark_suites.case import case

VMAP = "jax.vmap"
INF = float("inf")


def _added(a, b):
    import jax

    return a[0] + b[0], jax.numpy.maximum(a[1], b[1])


def lines(x, axis):
    """Of examples of 3 x 4 along an axis."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    fs = [
        lambda v: lax.reduce_precision(v, 5, 10), lambda v: lax.bitcast_convert_type(v, jnp.int32), lambda v: lax.bitcast_convert_type(v, jnp.uint16),
        lambda v: lax.clamp(v[0, 0], v, v[0, 0] + 2), lambda v: [lax.argmax(v, 1, jnp.int32), lax.argmin(v, 0, jnp.int32)],
        lambda v: lax.reduce(v, jnp.float32(1), lax.mul, (1,)), lambda v: list(lax.reduce((v, v), (jnp.float32(0), jnp.float32(-INF)), _added, (0,))),
        lambda v: list(lax.reduce_window((v, v), (jnp.float32(0), jnp.float32(-INF)), _added, (2, 2), (1, 2), "VALID")),
        lambda v: [lax.cummax(v, 0), lax.cummin(v, 1, reverse=True), lax.cumprod(v, 1), lax.cumlogsumexp(v, 1)],
        lambda v: [lax.fft(v.astype("complex64"), "FFT", (4,)), lax.fft(v, "RFFT", (3, 4))],
        lambda v: [*lax.top_k(v, 2), *lax.top_k(v.T, 2)], lambda v: list(lax.optimization_barrier((v, 2 * v))),
        lambda v: list(lax.split(v, (1, 3), 1)), lambda v: jnp.tile(v, (2, 1)), lambda v: [lax.squeeze(v[None], (0,)), jnp.stack([v, -v], 1)],
    ]  # fmt: skip
    moved = jnp.moveaxis(x, 0, axis)
    return [jax.vmap(f, in_axes=axis)(moved) for f in fs]


def lines_right(np, x):
    window = np.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(1, 2))[:, :, ::2]
    bits = np.asarray(x, "float32")
    turned = x.swapaxes(1, 2)
    best = [np.flip(np.argsort(v, 2), 2)[..., :2] for v in (x, turned)]
    top = [one for v, places in zip((x, turned), best) for one in (np.take_along_axis(v, places, 2), places)]  # fmt: skip
    made = [
        np.asarray(x, "float16"), bits.view("int32"), bits.view("uint16").reshape(*x.shape, 2), np.clip(x, x[:, :1, :1], x[:, :1, :1] + 2),
        [x.argmax(2), x.argmin(1)], x.prod(2), [x.sum(1), x.max(1)], [window.sum((3, 4)), window.max((3, 4))],
        [np.maximum.accumulate(x, 1), np.flip(np.minimum.accumulate(np.flip(x, 2), 2), 2), x.cumprod(2), np.logaddexp.accumulate(x, 2)],
        [np.fft.fft(x), np.fft.rfft2(x)], top, [x, 2 * x], [x[..., :1], x[..., 1:]], np.tile(x, (1, 2, 1)), [x, np.stack([x, -x], 2)],
    ]  # fmt: skip
    return [made, made]


@case(VMAP, core=False, reference=lines_right)  # fmt: skip
def lines_and_windows_of_each(t):
    """Rounded, read as other bits, held between, reduced by any rule, summed so far, transformed, the greatest, kept apart, cut, repeated; examples along either end."""
    x = t.uniform((2, 3, 4), "f32", 0.25, 3)
    return t.call(lambda x: [lines(x, 0), lines(x, -1)], x)


@case(VMAP, dtypes="f32 i32", core=False, since=("0.4.36", "jax.custom_batching"), reference=lambda np, x, y: [
      x[0] * y[0], x * y[0] + 100, x * y + 200, y[0] * y + 300, np.sort(x.reshape(2, -1), 1) + np.where(x.reshape(2, -1)[:, :1] > 0, 1, 2),
      (x.reshape(2, 3) * y.reshape(2, 3)) + 200])  # fmt: skip
def rules_of_ones_own_for_a_batch(t, dtype):
    """jax.custom_batching: told of the size and of what has a batch, within jit and twice; one example after another by sequential_vmap."""
    jax, vmap, told = t.fw, t.get(VMAP), []
    own = jax.custom_batching.custom_vmap(lambda x, y: x * y)

    @own.def_vmap
    def rule(size, batched, x, y):
        told.append((size, list(batched)))
        return x * y + {(True, False): 100, (True, True): 200, (False, True): 300}[
            tuple(batched)
        ], True

    def one(v):
        return jax.numpy.sort(v) + jax.lax.cond(v[0] > 0, lambda: 1, lambda: 2)

    def run(x, y):
        each = jax.custom_batching.sequential_vmap(one)
        rows = x.reshape(2, 3), y.reshape(2, 3)
        return [own(x[0], y[0]), vmap(own, (0, None))(x, y[0]), vmap(jax.jit(own))(x, y), vmap(own, (None, 0))(y[0], y),
                vmap(each)(rows[0]), jax.jit(vmap(own, axis_size=2))(*rows)]  # fmt: skip

    made = t.call(run, t.randint((6,), dtype, -9, 9), t.randint((6,), dtype, -9, 9))
    want = [(6, [True, False]), (6, [True, True]), (6, [False, True]), (2, [True, True])]
    t.expect(told[:4] == want, "%s, got %s" % (want, told))
    wrong = jax.custom_batching.custom_vmap(lambda x: x)
    wrong.def_vmap(lambda size, batched, x: ((x, x), (True, True)))
    t.raises(ValueError, vmap(wrong), t.np.ones(3))
    return made
