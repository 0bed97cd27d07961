"""Convolutions on images, with a checkpoint that is written and read again."""

import os
import tempfile

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
torch.backends.cudnn.benchmark = True
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.second = nn.Conv2d(8, 16, 3, stride=2)
        self.norm = nn.GroupNorm(4, 16)
        self.last = nn.Linear(16, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.first(x)), 2)
        x = checkpoint(self.block, x)
        return self.last(F.adaptive_avg_pool2d(x, 1).flatten(1))

    def block(self, x):
        return F.silu(self.norm(self.second(x)))


model = Net().to(device)
path = os.path.join(tempfile.mkdtemp(), "model.pt")
torch.save(model.state_dict(), path)
model.load_state_dict(torch.load(path))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
images = torch.rand(8, 3, 16, 16).to(device)
labels = torch.arange(8).to(device) % 4
for _step in range(4):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images), labels, label_smoothing=0.1)
    loss.backward()
    optimizer.step()
    print("loss", loss.item().hex())
