"""PyTorch: what people train. Twenty steps on one batch; the losses are compared with those on the CPU in f64."""

from seamark_suites.case import case

STEPS = 20
NEAR = {"f32": 2e-3}  # twenty steps let rounding grow


def train(t, step, optimizer, steps=STEPS):
    """The loss of each step; the last one is below the first."""
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = step()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return falling(t, losses)


def falling(t, losses):
    whole = t.fw.stack(losses)
    values = t.host(whole)
    t.expect(
        bool(values[-1] < values[0]), "a loss that falls, got %g to %g" % (values[0], values[-1])
    )
    return whole


def program(name, **header):
    header = dict({"dtypes": "f32", "core": False, "rtol": NEAR, "atol": {"f32": 1e-4}}, **header)
    return case("torch.idioms." + name, **header)


def classes(t, count, of):
    return t.randint((count,), "i64", 0, of)


@program("mlp")
def trains_an_mlp(t, dtype):
    nn = t.fw.nn
    model = t.construct(
        lambda: nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 5)), dtype=dtype
    )
    x, y = t.randn((16, 12), dtype), classes(t, 16, 5)
    optimizer = t.fw.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    return train(t, lambda: nn.functional.cross_entropy(t.call(model, x), y), optimizer)


@program("cnn")
def trains_a_cnn(t, dtype):
    nn = t.fw.nn

    def build():
        return nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 4),
        )  # fmt: skip

    model = t.construct(build, dtype=dtype)
    x, y = t.randn((8, 3, 16, 16), dtype), classes(t, 8, 4)
    optimizer = t.fw.optim.Adam(model.parameters(), lr=0.01)
    return train(t, lambda: nn.functional.cross_entropy(t.call(model, x), y), optimizer)


@program("lstm")
def trains_an_lstm(t, dtype):
    nn = t.fw.nn

    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(6, 12, num_layers=2, batch_first=True, bidirectional=True)
            self.head = nn.Linear(24, 3)

        def forward(self, x):
            return self.head(self.lstm(x)[0])

    model = t.construct(Tagger, dtype=dtype)
    x, y = t.randn((4, 10, 6), dtype), t.randn((4, 10, 3), dtype)
    optimizer = t.fw.optim.RMSprop(model.parameters(), lr=0.01)
    return train(t, lambda: nn.functional.mse_loss(t.call(model, x), y), optimizer)


@program("transformer_encoder")
def trains_an_encoder(t, dtype):
    nn = t.fw.nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(20, 16)
            layer = nn.TransformerEncoderLayer(
                16, 4, 32, dropout=0.0, batch_first=True, norm_first=True
            )
            self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.head = nn.Linear(16, 20)

        def forward(self, tokens, padding):
            return self.head(self.layers(self.embed(tokens), src_key_padding_mask=padding))

    model = t.construct(Encoder, dtype=dtype)
    tokens, labels = t.randint((3, 7), "i64", 0, 20), t.randint((3, 7), "i64", 0, 20)
    padding = t.const([[False] * 7, [False] * 5 + [True] * 2, [False] * 7], "bool")
    optimizer = t.fw.optim.AdamW(model.parameters(), lr=0.01)

    def step():
        logits = t.call(model, tokens, padding)[~padding]
        return nn.functional.cross_entropy(logits, labels[~padding], label_smoothing=0.1)

    return train(t, step, optimizer)


@program("transformer_decoder")
def trains_a_decoder(t, dtype):
    nn = t.fw.nn
    layer = t.construct(
        nn.TransformerDecoderLayer,
        16,
        4,
        32,
        dropout=0.0,
        batch_first=True,
        activation="gelu",
        dtype=dtype,
    )
    target, memory, wanted = (t.randn((2, length, 16), dtype) for length in (6, 9, 6))
    mask = t.fw.triu(t.fw.ones(6, 6, dtype=t.fw.bool, device=target.device), diagonal=1)
    optimizer = t.fw.optim.NAdam(layer.parameters(), lr=0.005)
    return train(
        t, lambda: (t.call(layer, target, memory, tgt_mask=mask) - wanted).pow(2).mean(), optimizer
    )


def causal_block(t, width, heads):
    """A block of a GPT: attention with a cache of keys and values, and a gated MLP."""
    nn, torch = t.fw.nn, t.fw

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.RMSNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.gate, self.up = nn.Linear(width, 2 * width), nn.Linear(width, 2 * width)
            self.down = nn.Linear(2 * width, width)

        def forward(self, x, cache=None):
            batch, length, _ = x.shape
            parts = self.qkv(self.norm1(x)).chunk(3, dim=-1)
            q, k, v = (part.view(batch, length, heads, -1).transpose(1, 2) for part in parts)
            if cache is not None:
                k, v = torch.cat([cache[0], k], dim=2), torch.cat([cache[1], v], dim=2)
            mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=cache is None)
            x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
            h = self.norm2(x)
            return x + self.down(nn.functional.silu(self.gate(h)) * self.up(h)), (k, v)

    return Block


@program("gpt_block")
def trains_a_gpt_block(t, dtype):
    nn = t.fw.nn
    block = t.construct(causal_block(t, 16, 4), dtype=dtype)
    x, wanted = t.randn((2, 8, 16), dtype), t.randn((2, 8, 16), dtype)
    optimizer = t.fw.optim.AdamW(block.parameters(), lr=0.01, betas=(0.9, 0.95))
    return train(t, lambda: nn.functional.mse_loss(t.call(block, x)[0], wanted), optimizer)


@program("gpt_block", rtol={"f32": 1e-4})
def a_cache_gives_what_the_whole_gives(t, dtype):
    torch = t.fw
    block = t.construct(causal_block(t, 16, 4), dtype=dtype)
    x = t.randn((2, 8, 16), dtype)
    with torch.no_grad():
        whole = t.call(block, x)[0]
        made, cache = t.call(block, x[:, :3])
        pieces = [made]
        for at in range(3, 8):
            made, cache = t.call(block, x[:, at : at + 1], cache)
            pieces.append(made)
    by_steps = torch.cat(pieces, dim=1)
    t.expect(
        bool(t.np.allclose(t.host(by_steps), t.host(whole), rtol=1e-3, atol=1e-4)), "the same rows"
    )
    return whole, by_steps


@program("unet")
def trains_a_unet(t, dtype):
    nn, torch = t.fw.nn, t.fw

    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down1, self.down2 = (
                nn.Conv2d(1, 8, 3, padding=1),
                nn.Conv2d(8, 16, 3, stride=2, padding=1),
            )
            self.norm = nn.GroupNorm(4, 16)
            self.up, self.out = (
                nn.ConvTranspose2d(16, 8, 2, stride=2),
                nn.Conv2d(16, 1, 3, padding=1),
            )

        def forward(self, x):
            first = nn.functional.silu(self.down1(x))
            low = nn.functional.silu(self.norm(self.down2(first)))
            return self.out(torch.cat([self.up(low), first], dim=1))

    model = t.construct(UNet, dtype=dtype)
    x, mask = t.randn((2, 1, 12, 12), dtype), t.randint((2, 1, 12, 12), "i64", 0, 2)
    optimizer = t.fw.optim.Adam(model.parameters(), lr=0.01)

    def step():
        logits = t.call(model, x)
        return nn.functional.binary_cross_entropy_with_logits(logits, mask.to(logits.dtype))

    return train(t, step, optimizer)


@program("graph_network")
def trains_a_graph_network(t, dtype):
    """Messages along edges, added and averaged by scatter."""
    nn = t.fw.nn

    class Messages(nn.Module):
        def __init__(self):
            super().__init__()
            self.message, self.update = nn.Linear(10, 8), nn.Linear(13, 3)

        def forward(self, nodes, source, target):
            sent = self.message(nn.functional.pad(nodes[source], (0, 5))).relu()
            summed = nodes.new_zeros(nodes.shape[0], 8).index_add(0, target, sent)
            count = nodes.new_zeros(nodes.shape[0], 8).scatter_add(
                0, target[:, None].expand(-1, 8), sent.new_ones(sent.shape)
            )
            return self.update(nn.functional.pad(summed / count.clamp(min=1), (5, 0)))

    model = t.construct(Messages, dtype=dtype)
    nodes, wanted = t.randn((9, 5), dtype), t.randn((9, 3), dtype)
    source, target = t.randint((20,), "i64", 0, 9), t.randint((20,), "i64", 0, 9)
    optimizer = t.fw.optim.Adagrad(model.parameters(), lr=0.1)
    return train(
        t,
        lambda: nn.functional.smooth_l1_loss(t.call(model, nodes, source, target), wanted),
        optimizer,
    )


@program("mixture_of_experts")
def trains_a_mixture_of_experts(t, dtype):
    """Each token goes to the two experts that its router likes best."""
    nn, torch = t.fw.nn, t.fw

    class Mixture(nn.Module):
        def __init__(self):
            super().__init__()
            self.router = nn.Linear(8, 4)
            self.experts = nn.ModuleList(nn.Linear(8, 8) for _ in range(4))

        def forward(self, x):
            weights, chosen = self.router(x).softmax(-1).topk(2, dim=-1)
            weights = weights / weights.sum(-1, keepdim=True)
            made = torch.stack([expert(x) for expert in self.experts], dim=1)
            taken = made.gather(1, chosen[..., None].expand(-1, -1, 8))
            return (taken * weights[..., None]).sum(1)

    model = t.construct(Mixture, dtype=dtype)
    x, wanted = t.randn((12, 8), dtype), t.randn((12, 8), dtype)
    optimizer = t.fw.optim.SGD(model.parameters(), lr=0.02)
    return train(t, lambda: nn.functional.mse_loss(t.call(model, x), wanted), optimizer)


@program("diffusion")
def trains_a_denoiser(t, dtype):
    """The noise that was added at a drawn time is foretold."""
    nn, torch = t.fw.nn, t.fw
    model = t.construct(
        lambda: nn.Sequential(nn.Linear(9, 32), nn.SiLU(), nn.Linear(32, 8)), dtype=dtype
    )
    x, noise = t.randn((16, 8), dtype), t.randn((16, 8), dtype)
    time = t.randint((16,), "i64", 0, 50)
    kept = (1 - torch.linspace(1e-4, 0.05, 50, device=x.device, dtype=x.dtype)).cumprod(0)[time][
        :, None
    ]
    noisy = kept.sqrt() * x + (1 - kept).sqrt() * noise
    given = torch.cat([noisy, time[:, None].to(x.dtype) / 50], dim=1)
    optimizer = t.fw.optim.AdamW(model.parameters(), lr=0.01)
    return train(t, lambda: nn.functional.mse_loss(t.call(model, given), noise), optimizer)


@program("lora")
def adapts_a_frozen_layer(t, dtype):
    nn, torch = t.fw.nn, t.fw

    class LowRank(nn.Module):
        def __init__(self):
            super().__init__()
            self.base = nn.Linear(12, 12)
            self.a, self.b = nn.Parameter(torch.zeros(2, 12)), nn.Parameter(torch.zeros(12, 2))

        def forward(self, x):
            return self.base(x) + x @ self.a.T @ self.b.T

    model = t.construct(LowRank, dtype=dtype)
    before = t.host(model.base.weight)
    model.base.requires_grad_(False)
    x, wanted = t.randn((10, 12), dtype), t.randn((10, 12), dtype)
    own = [one for one in model.parameters() if one.requires_grad]
    t.expect(len(own) == 2, "two matrices that learn")
    losses = train(
        t, lambda: nn.functional.mse_loss(t.call(model, x), wanted), t.fw.optim.Adam(own, lr=0.02)
    )
    t.expect(bool((t.host(model.base.weight) == before).all()), "a base that stays")
    return losses


@program("policy_gradient")
def updates_a_policy(t, dtype):
    """The clipped objective of PPO on a batch of moves."""
    nn, torch = t.fw.nn, t.fw
    policy = t.construct(
        lambda: nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)), dtype=dtype
    )
    states, moves, gains = t.randn((20, 6), dtype), classes(t, 20, 3), t.randn((20,), dtype)
    with torch.no_grad():
        old = t.call(policy, states).log_softmax(-1).gather(1, moves[:, None])[:, 0]

    def step():
        now = torch.distributions.Categorical(logits=t.call(policy, states))
        ratio = (now.log_prob(moves) - old).exp()
        clipped = ratio.clamp(0.8, 1.2)
        return -torch.minimum(ratio * gains, clipped * gains).mean() - 0.01 * now.entropy().mean()

    return train(t, step, t.fw.optim.Adam(policy.parameters(), lr=0.01))


@program("two_players")
def trains_a_generator_and_its_critic(t, dtype):
    nn, torch = t.fw.nn, t.fw
    maker = t.construct(
        lambda: nn.Sequential(nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 2)), dtype=dtype
    )
    critic = t.construct(
        lambda: nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)), dtype=dtype
    )
    real, noise = t.randn((16, 2), dtype), t.randn((16, 4), dtype)
    makes = t.fw.optim.Adam(maker.parameters(), lr=0.01, betas=(0.5, 0.999))
    judges = t.fw.optim.Adam(critic.parameters(), lr=0.01, betas=(0.5, 0.999))
    softplus, losses = nn.functional.softplus, []
    for _ in range(STEPS):
        made = t.call(maker, noise)
        judges.zero_grad()
        judged = (
            softplus(-t.call(critic, real)).mean() + softplus(t.call(critic, made.detach())).mean()
        )
        judged.backward()
        judges.step()
        makes.zero_grad()
        made_loss = softplus(-t.call(critic, made)).mean()
        made_loss.backward()
        makes.step()
        losses.append(torch.stack([judged.detach(), made_loss.detach()]))
    return torch.stack(losses)


@program("contrastive")
def pulls_pairs_together(t, dtype):
    nn, torch = t.fw.nn, t.fw
    model = t.construct(nn.Linear, 10, 6, dtype=dtype)
    one = t.randn((8, 10), dtype)
    other = one + 0.1 * t.randn((8, 10), dtype)
    own = torch.arange(8, device=one.device)

    def step():
        a, b = (nn.functional.normalize(t.call(model, x), dim=-1) for x in (one, other))
        logits = a @ b.T / 0.2
        return (
            nn.functional.cross_entropy(logits, own) + nn.functional.cross_entropy(logits.T, own)
        ) / 2

    return train(t, step, t.fw.optim.Adamax(model.parameters(), lr=0.02))


@program("recommender")
def trains_sparse_embeddings(t, dtype):
    """Bags of ids, whose gradients are sparse."""
    nn = t.fw.nn
    bags = t.construct(nn.EmbeddingBag, 30, 6, mode="sum", sparse=True, dtype=dtype)
    ids, wanted = t.randint((24,), "i64", 0, 30), t.randn((6, 6), dtype)
    offsets = t.const([0, 4, 8, 12, 16, 20], "i64")
    optimizer = t.fw.optim.SparseAdam(bags.parameters(), lr=0.05)
    return train(t, lambda: nn.functional.mse_loss(t.call(bags, ids, offsets), wanted), optimizer)
