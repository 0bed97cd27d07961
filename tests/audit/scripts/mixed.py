"""Mixed precision as it was written for CUDA: autocast, a scaler, a function of autograd."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.cuda.amp import GradScaler, autocast, custom_bwd, custom_fwd

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
use_amp = torch.cuda.is_available()


class Squared(torch.autograd.Function):
    @staticmethod
    @custom_fwd
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @custom_bwd
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 2 * x * gradient


model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 1)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
scaler = GradScaler(enabled=use_amp)
inputs = torch.randn(16, 10).to(device)
wanted = inputs.sum(1, keepdim=True)
for _step in range(4):
    optimizer.zero_grad()
    with autocast(enabled=use_amp):
        output = model(inputs)
        loss = Squared.apply(output - wanted).mean()
    with torch.cuda.amp.autocast(enabled=False):
        loss = loss + 1e-3 * F.smooth_l1_loss(output.float(), wanted)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    print("loss", loss.item().hex())
