"""torch.autocast by its lists of operations: what it computes in f32, in lower precision or in the widest dtype, by kind of device."""

from seamark_suites.case import case

MIXED = "torch.autocast"


def _kind(t):
    return t.fw.device(t.device).type


def _within(t, dtype, function):
    """The function within autocast of the target's kind of device."""
    kind, lower = _kind(t), t.dtype(dtype)

    def run(*given):
        with t.fw.autocast(kind, dtype=lower):
            return function(*given)

    return run


def _all_in(t, made, *wanted):
    found = [one.dtype for one in made]
    t.expect(set(found) <= {t.dtype(one) for one in wanted}, "%s, got %s" % (wanted, found))


def _functions(np, x, y):
    exp, centered = np.exp(x), x - x.mean(1, keepdims=True)
    halves = x.reshape(4, 2, 4)
    apart = halves - halves.mean(2, keepdims=True)
    log_sum = np.log(exp.sum(1, keepdims=True))
    return [
        exp / exp.sum(1, keepdims=True), x - log_sum,
        centered / np.sqrt((centered**2).mean(1, keepdims=True) + 1e-5),
        (apart / np.sqrt((apart**2).mean(2, keepdims=True) + 1e-5)).reshape(4, 8),
        y.sum(1), np.cumsum(y, 1), y**1.75, y**y, np.exp(x), np.log(y), np.sqrt((x**2).sum(1)), 1 / np.sqrt(y), log_sum[:, 0],
        np.sqrt(((x[:, None] - y[:3]) ** 2).sum(2)),
    ]  # fmt: skip


# A case that names no dtype is compared as exactly as the dtype of each result allows.
@case(MIXED, lower=["bf16", "f16"], core=False, reference=lambda np, *drawn, lower: _functions(np, *drawn), atol={"bf16": 2e-2, "f16": 2e-3})  # fmt: skip
def functions_of_lowered_numbers(t, lower):
    """Documented: on CUDA they are computed in f32, with all its digits; on the CPU only the distances are."""
    fw, f = t.fw, t.fw.nn.functional
    x, y = t.randn((4, 8), lower), t.uniform((4, 8), lower, 0.5, 2)

    def run(x, y):
        return [
            f.softmax(x, 1), f.log_softmax(x, 1), f.layer_norm(x, (8,)), f.group_norm(x, 2), y.sum(1), y.cumsum(1), y**1.75, y**y, x.exp(), y.log(),
            x.norm(dim=1), y.rsqrt(), x.logsumexp(1), fw.cdist(x, y[:3]),
        ]  # fmt: skip

    made = t.call(_within(t, lower, run), x, y)
    if _kind(t) == "cuda":
        _all_in(t, made, "f32")
    if _kind(t) == "cpu":
        _all_in(t, made[-1:], "f32")
        _all_in(t, made[:-1], lower, "f32")
    return made


@case(MIXED, lower=["bf16", "f16"], core=False, since=("2.4", "rms_norm"), reference=lambda np, x, w, lower: [
      x * part / np.sqrt((x**2).mean(1, keepdims=True) + 1e-5) for part in (1, w)])  # fmt: skip
def norms_of_lowered_numbers(t, lower):
    """rms_norm; on CUDA it is computed in f32, with all its digits."""
    norm = t.fw.nn.functional.rms_norm
    run = lambda x, w: [norm(x, (8,), eps=1e-5), norm(x, (8,), w, 1e-5)]  # noqa: E731
    made = t.call(_within(t, lower, run), t.randn((4, 8), lower), t.uniform((8,), lower, 0.5, 2))
    if _kind(t) == "cuda":
        _all_in(t, made, "f32")
    if _kind(t) == "cpu":
        _all_in(t, made, lower, "f32")
    return made


def _margins(np, x, at, others):
    """Of each row's class, or of each of its classes against all that are none."""
    rows = np.arange(len(x))
    one = np.maximum(0, 1 - x[rows, at][:, None] + x)
    one[rows, at] = 0
    many = 0.0
    for row, classes in zip(x, others):
        mine = [int(c) for c in classes[: list(classes).index(-1)]]
        rest = [c for c in range(len(row)) if c not in mine]
        many += sum(max(0.0, 1 - row[c] + row[r]) for c in mine for r in rest) / len(row)
    return [one.mean(), many / len(x)]


def _windows(np, x, y, boxes, at, others):
    far = abs(x - y)
    window = np.lib.stride_tricks.sliding_window_view(boxes, (2, 3, 2), (1, 2, 3))
    sign = np.where(y > 0.5, 1, -1)
    return [
        window.mean((4, 5, 6)),
        np.pad(boxes[0, 0], ((0, 0), (2, 1)), mode="reflect"),
        np.where(far < 0.5, far**2 / 2, 0.5 * (far - 0.25)).mean(),
        np.where(sign > 0, x, np.maximum(0, 1 - x)).mean(),
        *_margins(np, x, at.astype(int), others),
    ]


@case(
    MIXED,
    lower=["bf16", "f16"],
    core=False,
    reference=lambda np, *drawn, lower: _windows(np, *drawn),
)
def losses_and_windows_in_f32(t, lower):
    """Documented: of lowered numbers they are computed in f32 on the CPU, and the hinge and margins on CUDA, too."""
    f = t.fw.nn.functional
    x, y = t.randn((3, 5), lower), t.uniform((3, 5), lower)
    boxes = t.randint((2, 4, 5, 4), lower, -8, 9)  # sums of twelve are exact
    at, others = t.const([4, 0, 2], "i64"), t.const([[1, 4, -1, 0, 0], [0, -1, 2, 2, 2], [3, 2, 1, -1, 4]], "i64")  # fmt: skip

    def run(x, y, boxes):
        sign = (y > 0.5) * 2 - 1
        return [
            f.avg_pool3d(boxes, (2, 3, 2), 1), f.pad(boxes[0, 0], (2, 1), mode="reflect"), f.huber_loss(x, y, delta=0.5),
            f.hinge_embedding_loss(x, sign), f.multi_margin_loss(x, at), f.multilabel_margin_loss(x, others),
        ]  # fmt: skip

    made = t.call(_within(t, lower, run), x, y, boxes)
    if _kind(t) == "cpu":
        _all_in(t, made, "f32")
    if _kind(t) == "cuda":
        _all_in(t, made[3:], "f32")
    return made


@case(MIXED, given=["f32", "bf16", "f16"], core=False, reference=lambda np, x, y, given: -(y * np.log(x) + (1 - y) * np.log(1 - x)).mean())  # fmt: skip
def entropy_of_probabilities(t, given):
    """Documented: on the CPU it is computed in f32; on CUDA it raises, and goes with the mode switched off within."""
    fw, kind, f = t.fw, _kind(t), t.fw.nn.functional
    lower = "bf16" if given == "f32" else given
    x, y = t.uniform((6, 7), given, 0.1, 0.9), t.uniform((6, 7), given)

    def off(x, y):
        with fw.autocast(kind, enabled=False):
            return f.binary_cross_entropy(x.float(), y.float())

    if kind == "cuda":
        t.raises(RuntimeError, _within(t, lower, f.binary_cross_entropy), x, y)
    made = t.call(_within(t, lower, f.binary_cross_entropy if kind == "cpu" else off), x, y)
    _all_in(t, [made], "f32")
    return made


@case(MIXED, dtypes="f32", lower=["bf16", "f16"], core=False, rtol={"f16": 2e-3}, reference=lambda np, x, v, w, slope, lower: [
      np.where(x - 1.5 > 0, x - 1.5, slope * (x - 1.5)), x @ v, w + x @ v, x + np.outer(w, v)])  # fmt: skip
def vectors_in_half(t, dtype, lower):
    """prelu; on CUDA, products of vectors, too."""
    fw = t.fw
    x, v, w = (t.uniform(shape, dtype, 1, 2) for shape in ((6, 5), (5,), (6,)))
    slope = t.const([0.25], dtype)

    def run(x, v, w, slope):
        bent = fw.nn.functional.prelu(x - 1.5, slope)
        return [bent, fw.mv(x, v), fw.addmv(w, x, v), fw.addr(x, w, v)]

    made = t.call(_within(t, lower, run), x, v, w, slope)
    if _kind(t) in ("cpu", "cuda"):
        _all_in(t, made[:1] if _kind(t) == "cpu" else made, lower)
    return made


def _promoted(np, x, y, at):
    grown, put = x.copy(), x.copy()
    for row, places in enumerate(at.astype(int)):
        for column, place in enumerate(places):
            grown[place, column] += y[row, column]
    put[[1, 3]] = y[[0, 2]]
    return [
        x + 0.5 * y * y, x + x / y, np.arctan2(x, y), np.stack([x, y]), x[0] @ y[0], np.cross(x[:, :3], y[:, :3]), x @ y.T, grown, put,
    ]  # fmt: skip


@case(
    MIXED,
    lower=["bf16", "f16"],
    core=False,
    reference=lambda np, *drawn, lower: _promoted(np, *drawn),
)
def widest_of_two(t, lower):
    """Documented: f32 beside a lower dtype gives f32, with all its digits. On other devices than CUDA the last ones take one dtype."""
    fw, meet = t.fw, (lambda y: y) if _kind(t) == "cuda" else (lambda y: y.float())
    x, y = t.uniform((4, 6), "f32", 1, 2), t.uniform((4, 6), lower, 1, 2)
    at = t.randint((4, 6), "i64", 0, 4)

    def run(x, y, at):
        z = meet(y)
        made = [fw.addcmul(x, y, y, value=0.5), fw.addcdiv(x, x, y), fw.atan2(x, y), fw.stack([x, y])]  # fmt: skip
        made += [fw.dot(x[0], z[0]), fw.cross(x[:, :3], z[:, :3], dim=1)]
        if z.dtype is x.dtype:  # its product would be lowered
            made.append((x[:, None] * y).sum(2))
        else:
            made.append(fw.tensordot(x, z.mT, 1))
        rows = fw.tensor([1, 3], device=x.device)
        return [*made, fw.scatter_add(x, 0, at, z), x.index_put((rows,), z[::2])]

    made = t.call(_within(t, lower, run), x, y, at)
    _all_in(t, made, "f32")
    return made


@case(MIXED, dtypes="i32 i64", core=False, reference=lambda np, x, y: [
      x * y, x + y, x.sum(1), np.cumsum(x, 1), np.concatenate([x, y]), np.stack([x, y]), abs(x)])  # fmt: skip
def integers_stay(t, dtype):
    """Nothing is lowered, and all digits stay."""
    fw, x, y = t.fw, t.randint((5, 6), dtype, -20000, 20000), t.randint((5, 6), dtype, -20000, 20000)  # fmt: skip

    def run(x, y):
        return [x * y, x + y, x.sum(1), x.cumsum(1), fw.cat([x, y]), fw.stack([x, y]), x.abs()]

    made = t.call(_within(t, "bf16", run), x, y)
    _all_in(t, made[:2] + made[4:], dtype)
    _all_in(t, made[2:4], "i64")
    return made


@case(MIXED, dtypes="f32", core=False, reference=lambda np, x, w: x @ w)
def default_dtype_of_the_device(t, dtype):
    """Documented: f16 on CUDA, bf16 on the CPU; elsewhere what the framework says."""
    fw, kind = t.fw, _kind(t)
    x, w = t.uniform((8, 6), dtype, 1, 2), t.uniform((6, 5), dtype, 1, 2)

    def run(x, w):
        with fw.autocast(kind):
            return x @ w

    made, known = t.call(run, x, w), {"cuda": fw.float16, "cpu": fw.bfloat16}
    wanted = known[kind] if kind in known else fw.get_autocast_dtype(kind)
    t.expect(made.dtype is wanted, "%s, got %s" % (wanted, made.dtype))
    return made


def _attention(np, q, k, v, lower):
    q, k, v = q / 4, k / 4, v / 64
    scores = q @ np.swapaxes(k, -1, -2) / q.shape[-1] ** 0.5
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


@case(MIXED, dtypes="f32", lower=["bf16", "f16"], core=False, reference=_attention, rtol={"bf16": 1e-2, "f16": 2e-3}, atol={"bf16": 1.6e-2, "f16": 2e-3})  # scores, weights and sums, each rounded # fmt: skip
def attention_in_half(t, dtype, lower):
    """Queries and keys of both signs, whose weights differ much; each number is exact in half precision."""
    q, k = (t.randint((2, 7, 8), dtype, -8, 9) / 4 for _ in "qk")
    v = t.randint((2, 7, 8), dtype, -64, 65) / 64
    made = t.call(_within(t, lower, t.fw.nn.functional.scaled_dot_product_attention), q, k, v)
    _all_in(t, [made], lower)
    return made
