"""A perceptron with batch norm and a schedule, seeded for CUDA."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.cuda.manual_seed_all(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
use_cuda = device.type == "cuda"

model = nn.Sequential(
    nn.Linear(20, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 5)
).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.5)
inputs = torch.randn(32, 20).to(device)
labels = torch.randint(0, 5, (32,)).to(device)

for _step in range(6):
    optimizer.zero_grad()
    logits = model(inputs)
    loss = F.cross_entropy(logits, labels)
    loss.backward()
    optimizer.step()
    scheduler.step()
    hits = (logits.argmax(1) == labels).float().mean()
    if loss.is_cuda:
        torch.cuda.synchronize()
    print("loss", loss.item().hex(), hits.item())
