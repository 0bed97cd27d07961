"""Messages on a graph, gathered and scattered; nodes are chosen by a mask."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
torch.cuda.manual_seed_all(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

nodes, edges = 24, 80
source = torch.randint(0, nodes, (edges,)).to(device)
target = torch.randint(0, nodes, (edges,)).to(device)
features = torch.randn(nodes, 8).to(device)
labels = torch.randint(0, 3, (nodes,)).to(device)
train = torch.rand(nodes).to(device) < 0.6


class Layer(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.own, self.other = nn.Linear(inputs, outputs), nn.Linear(inputs, outputs, bias=False)

    def forward(self, x):
        messages = self.other(x)[source]
        summed = torch.zeros(nodes, messages.shape[1], device=x.device).index_add_(
            0, target, messages
        )
        degree = torch.zeros(nodes, device=x.device).scatter_add_(
            0, target, torch.ones(edges, device=x.device)
        )
        return self.own(x) + summed / degree.clamp(min=1).unsqueeze(1)


first, second = Layer(8, 16).to(device), Layer(16, 3).to(device)
optimizer = torch.optim.Adagrad([*first.parameters(), *second.parameters()], lr=0.05)
for _step in range(4):
    optimizer.zero_grad()
    scores = F.log_softmax(second(F.elu(first(features))), dim=1)
    loss = F.nll_loss(scores[train], labels[train])
    loss.backward()
    optimizer.step()
    wrong = (scores.argmax(1) != labels).nonzero()
    assert len(torch.unique(wrong)) <= nodes
    print("loss", loss.item().hex())
