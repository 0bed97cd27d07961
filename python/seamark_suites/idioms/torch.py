"""PyTorch: early exit, capsule routing, data pruning, proximal steps.

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
    return logits.softmax(-1).amax(-1).amin()


def python_branch(x, layers, head, threshold):
    for depth, layer in enumerate(layers):
        x = (x @ layer).tanh()
        logits = x @ head
        if depth + 1 == len(layers) or least_sure(logits) > threshold:
            return logits, depth


@case(
    "torch.idioms.early_exit",
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
    import torch

    def deeper(x, layer):
        return (x @ layer).tanh()

    def done(x, layer):
        return x.clone()

    x = deeper(x, layers[0])
    for layer in layers[1:]:
        x = torch.cond(least_sure(x @ head) > threshold, done, deeper, (x, layer))
    return x @ head


@case(
    "torch.idioms.early_exit",
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
    import torch

    done = torch.zeros(x.shape[0], dtype=torch.bool, device=x.device)
    answer = None
    for layer in layers:
        x = (x @ layer).tanh()
        logits = x @ head
        answer = logits if answer is None else torch.where(done[:, None], answer, logits)
        done = done | (logits.softmax(-1).amax(-1) > threshold)
    return answer, done


@case(
    "torch.idioms.early_exit",
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


def python_loop(x, layer, head, threshold, limit):
    import torch

    steps = 0
    while steps < limit and least_sure(x @ head) <= threshold:
        x, steps = (x @ layer).tanh() + x, steps + 1
    return x, torch.tensor(steps, device=x.device)


@case(
    "torch.idioms.early_exit",
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
    return t.call(python_loop, x, layer, head, threshold, limit)


# --- capsules


def squash(s):
    square = (s * s).sum(-1, keepdim=True)
    return s * square.sqrt() / (1 + square)


def one_round(votes, logits):
    import torch

    capsules = squash(torch.einsum("bio,bioe->boe", logits.softmax(-1), votes))
    return capsules, logits + torch.einsum("bioe,boe->bio", votes, capsules)


def three_rounds(poses, weights):
    import torch

    votes = torch.einsum("bid,iode->bioe", poses, weights)
    logits = torch.zeros_like(votes[..., 0])
    for _ in range(3):
        capsules, logits = one_round(votes, logits)
    return capsules


@case(
    "torch.idioms.capsule_routing",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=ref.routed,
)
def three_rounds_of_agreement(t, dtype):
    return t.call(three_rounds, t.randn((2, 6, 4), dtype), t.randn((6, 3, 4, 5), dtype))


@case(
    "torch.idioms.capsule_routing",
    dtypes="f32",
    core=False,
    grad=True,
    rtol={"f32": 1e-4},
    atol={"f32": 1e-4},
)
def derivative_of_the_routing(t, dtype):
    return t.call(three_rounds, t.randn((2, 6, 4), dtype), t.randn((6, 3, 4, 5), dtype))


def rounds_until_still(poses, weights, tolerance, limit):
    import torch

    votes = torch.einsum("bid,iode->bioe", poses, weights)
    logits = torch.zeros_like(votes[..., 0])
    before, rounds, moved = torch.zeros_like(votes[:, 0]), 0, tolerance + 1
    while rounds < limit and moved > tolerance:
        capsules, logits = one_round(votes, logits)
        moved, before, rounds = (capsules - before).abs().max(), capsules, rounds + 1
    return before, torch.tensor(rounds, device=poses.device)


@case(
    "torch.idioms.capsule_routing",
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
    import torch

    size = weights.shape[0]
    patches = poses.unfold(1, size, 1).unfold(2, size, 1)
    return torch.einsum("bhwcijkl,klcojm->bhwoim", patches, weights)


@case(
    "torch.idioms.capsule_routing",
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
    import torch

    score = x @ w
    return torch.nn.functional.softplus(score) - y * score


def keep_hard(x, y, w):
    loss = losses(x, y, w)
    hard = loss > loss.mean()
    return x[hard], loss[hard].mean()


@case(
    "torch.idioms.data_pruning",
    dtypes="f32",
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=ref.hard_examples,
)
def hard_examples_by_a_mask(t, dtype):
    return t.call(keep_hard, *labelled(t, dtype))


def mean_loss(x, y, w):
    return losses(x, y, w).mean()


@case(
    "torch.idioms.data_pruning",
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
    loss, chosen = losses(x, y, w).topk(k)
    return x[chosen], loss.mean()


@case(
    "torch.idioms.data_pruning",
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
    loss = losses(x, y, w)
    hard = (loss > loss.mean()).to(loss.dtype)
    return (loss * hard).sum() / hard.sum()


@case(
    "torch.idioms.data_pruning",
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
    return w.sign() * (w.abs() - by).clamp(min=0)


def lasso_steps(x, y, w, rate, by):
    for _ in range(3):
        w = soft(w - rate * x.T @ (x @ w - y) / x.shape[0], rate * by)
    return w


@case(
    "torch.idioms.proximal_step",
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
    length = (w * w).sum(1, keepdim=True).sqrt()
    return w * (1 - by / length).clamp(min=0)


@case(
    "torch.idioms.proximal_step",
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
    w = shrink_rows(w, by)
    left = (w != 0).any(1).nonzero()[:, 0]
    return w[left], left, x @ w[left].T


@case(
    "torch.idioms.proximal_step",
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
    limit = w.abs().reshape(-1).sort(descending=True).values[kept - 1]
    mask = w.abs() >= limit
    return x @ (w * mask).T, mask


@case(
    "torch.idioms.proximal_step",
    dtypes="f32",
    kept=19,
    core=False,
    rtol=NEAR,
    atol=NEAR,
    reference=ref.largest_weights,
)
def mask_by_magnitude(t, dtype, kept):
    return t.call(keep_largest, t.randn((3, 4), dtype), t.randn((12, 4), dtype), kept)
