"""Gradients of small batches are added up; the batches are prefetched to the device as on CUDA."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.cuda.manual_seed_all(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

data = TensorDataset(torch.randn(30, 6), torch.randn(30, 2))
loader = DataLoader(data, batch_size=8, shuffle=False, pin_memory=torch.cuda.is_available())
model = nn.Sequential(nn.Linear(6, 16), nn.LeakyReLU(), nn.Linear(16, 2)).to(device)
ema = {name: value.detach().clone() for name, value in model.named_parameters()}
optimizer = torch.optim.NAdam(model.parameters(), lr=1e-2)
total = 0.0
for _epoch in range(3):
    for number, (x, y) in enumerate(loader):
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        with torch.cuda.amp.autocast(enabled=False):
            output = model(x)
        loss = nn.functional.huber_loss(output, y) / 2
        loss.backward()
        total += loss.item()
        if (number + 1) % 2 == 0:
            optimizer.step()
            optimizer.zero_grad()
            with torch.no_grad():
                for name, value in model.named_parameters():
                    ema[name].mul_(0.9).add_(value, alpha=0.1)
    used = torch.cuda.max_memory_allocated() if torch.cuda.is_available() else 0
    print(
        "loss",
        float(total).hex(),
        used,
        torch.stack([one.norm() for one in ema.values()]).sum().item(),
    )
