"""What the programs of this suite must give, in NumPy's float64."""


def softmax(np, x):
    raised = np.exp(x - x.max(-1, keepdims=True))
    return raised / raised.sum(-1, keepdims=True)


# --- early exit


def first_sure_layer(np, x, layers, head, threshold):
    """Logits of the first layer after which the whole batch is sure, and which one that was."""
    for depth, layer in enumerate(layers):
        x = np.tanh(x @ layer)
        logits = x @ head
        if softmax(np, logits).max(-1).min() > threshold or depth + 1 == len(layers):
            return logits, depth


def sure_examples_stop(np, x, layers, head, threshold):
    """Each example's logits are those of the first layer that is sure of it, else of the last."""
    done, answer = np.zeros(len(x), bool), None
    for layer in layers:
        x = np.tanh(x @ layer)
        logits = x @ head
        answer = logits if answer is None else np.where(done[:, None], answer, logits)
        done = done | (softmax(np, logits).max(-1) > threshold)
    return answer, done


def layer_until_sure(np, x, layer, head, threshold, limit):
    """One layer again and again, until the whole batch is sure."""
    steps = 0
    while steps < limit and softmax(np, x @ head).max(-1).min() <= threshold:
        x, steps = np.tanh(x @ layer) + x, steps + 1
    return x, np.asarray(steps)


# --- capsules


def squash(np, s):
    square = (s * s).sum(-1, keepdims=True)
    return s * np.sqrt(square) / (1 + square)


def routed(np, poses, weights, rounds=3):
    """Dynamic routing: poses [batch, in, d] by weights [in, out, d, e] to capsules [batch, out, e]."""
    votes = np.einsum("bid,iode->bioe", poses, weights)
    logits = np.zeros(votes.shape[:-1])
    for _ in range(rounds):
        capsules = squash(np, np.einsum("bio,bioe->boe", softmax(np, logits), votes))
        logits = logits + np.einsum("bioe,boe->bio", votes, capsules)
    return capsules


def routed_until_still(np, poses, weights, tolerance, limit):
    """The same until no capsule moves by more than the tolerance; and the number of rounds."""
    votes = np.einsum("bid,iode->bioe", poses, weights)
    logits = np.zeros(votes.shape[:-1])
    before, rounds, moved = np.zeros(votes[:, 0].shape), 0, 1.0
    while rounds < limit and moved > tolerance:
        capsules = squash(np, np.einsum("bio,bioe->boe", softmax(np, logits), votes))
        logits = logits + np.einsum("bioe,boe->bio", votes, capsules)
        moved, before, rounds = abs(capsules - before).max(), capsules, rounds + 1
    return before, np.asarray(rounds)


def convolved_capsules(np, poses, weights):
    """Capsules of matrices [batch, h, w, in, 4, 4] by kernels [k, k, in, out, 4, 4]."""
    k = weights.shape[0]
    patches = np.lib.stride_tricks.sliding_window_view(poses, (k, k), axis=(1, 2))
    return np.einsum("bhwcijkl,klcojm->bhwoim", patches, weights)


# --- data pruning


def losses(np, x, y, w):
    """Logistic loss of every example, labels 0 and 1."""
    score = x @ w
    return np.logaddexp(0, score) - y * score


def hard_examples(np, x, y, w):
    """The examples with more than the mean loss, and their mean loss."""
    loss = losses(np, x, y, w)
    hard = loss > loss.mean()
    return x[hard], loss[hard].mean()


def hardest(np, x, y, w, k):
    chosen = np.argsort(-losses(np, x, y, w))[:k]
    return x[chosen], losses(np, x, y, w)[chosen].mean()


# --- proximal steps


def soft(np, w, by):
    return np.sign(w) * np.maximum(abs(w) - by, 0)


def lasso_steps(np, x, y, w, rate, by, steps=3):
    for _ in range(steps):
        w = soft(np, w - rate * x.T @ (x @ w - y) / len(x), rate * by)
    return w


def shrunk_rows(np, w, by):
    """Group lasso: each row becomes shorter by `by`, or zero."""
    length = np.sqrt((w * w).sum(1, keepdims=True))
    return w * np.maximum(1 - by / length, 0)


def rows_left(np, x, w, by):
    """Only the rows that are not zero, which these are, and what they make of x."""
    w = shrunk_rows(np, w, by)
    left = np.flatnonzero((w != 0).any(1))
    return w[left], left, x @ w[left].T


def largest_weights(np, x, w, kept):
    """x by the `kept` largest weights, the others zero; and the mask."""
    limit = np.sort(abs(w).reshape(-1))[-kept]
    mask = abs(w) >= limit
    return x @ (w * mask).T, mask
