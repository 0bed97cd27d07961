"""A causal transformer block with tied weights, and the choice of attention as on CUDA."""

import math

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
device = "cuda" if torch.cuda.is_available() else "cpu"


class Block(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.qkv, self.out = nn.Linear(size, 3 * size, bias=False), nn.Linear(size, size)
        self.mlp = nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size))

    def forward(self, x):
        batch, length, size = x.shape
        q, k, v = (
            self.qkv(self.norm1(x)).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        )
        with torch.backends.cuda.sdp_kernel(
            enable_flash=False, enable_math=True, enable_mem_efficient=False
        ):
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, size))
        return x + self.mlp(self.norm2(x))


embed = nn.Embedding(40, 32).to(device)
block = Block(32, 4).to(device)
optimizer = torch.optim.AdamW([*embed.parameters(), *block.parameters()], lr=1e-3)
positions = torch.ger(
    torch.arange(10.0), torch.exp(torch.arange(0, 32, 2) * (-math.log(10000.0) / 32))
)
positions = torch.cat([positions.sin(), positions.cos()], dim=1).to(device)
tokens = torch.randint(0, 40, (4, 11)).to(device)
for _step in range(4):
    hidden = block(embed(tokens[:, :-1]) + positions)
    logits = hidden @ embed.weight.t()
    loss = F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    top = torch.topk(logits[:, -1].softmax(-1), 3).indices
    print("loss", loss.item().hex(), top.shape[1])
