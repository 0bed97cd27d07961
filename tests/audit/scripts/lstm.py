"""A language model of one LSTM, with packed sequences and clipped gradients."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

torch.manual_seed(0)
torch.cuda.manual_seed(0)
use_cuda = torch.cuda.is_available()
device = torch.device("cuda:0" if use_cuda else "cpu")


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 12, padding_idx=0)
        self.lstm = nn.LSTM(12, 16, batch_first=True)
        self.head = nn.Linear(16, 30)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(
            self.embed(tokens), lengths.cpu(), batch_first=True, enforce_sorted=False
        )
        hidden, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        return self.head(hidden)


model = Model().to(device)
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-2)
lengths = torch.tensor([9, 7, 5, 9])
tokens = torch.randint(1, 30, (4, 9))
tokens[torch.arange(9)[None, :] >= lengths[:, None]] = 0
tokens = tokens.to(device)
for _step in range(4):
    model.zero_grad()
    with torch.autocast("cuda", enabled=use_cuda):
        logits = model(tokens[:, :-1], lengths - 1)
    loss = nn.functional.cross_entropy(
        logits.reshape(-1, 30), tokens[:, 1:].reshape(-1), ignore_index=0
    )
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    torch.cuda.empty_cache()
    print("loss", loss.item().hex(), float(norm) > 0)
