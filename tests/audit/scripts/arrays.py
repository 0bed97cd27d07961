"""An autoencoder fed by NumPy, with statistics that go back to it in every step."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
np.random.seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Signals(Dataset):
    def __init__(self):
        times = np.linspace(0, 1, 32)
        self.rows = np.stack([np.sin(2 * np.pi * (k % 5 + 1) * times + k) for k in range(24)])

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index].astype(np.float32)


model = nn.Sequential(nn.Linear(32, 6), nn.Softplus(), nn.Linear(6, 32)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, betas=(0.9, 0.99))
loader = DataLoader(Signals(), batch_size=10, pin_memory=True)
mean = np.zeros(32)
for _epoch in range(2):
    for batch in loader:
        batch = batch.to(device)
        spectrum = torch.fft.rfft(batch).abs()
        output = model(batch)
        loss = (
            nn.functional.mse_loss(output, batch)
            + 1e-3 * (torch.fft.rfft(output).abs() - spectrum).pow(2).mean()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean = 0.9 * mean + 0.1 * output.detach().cpu().numpy().mean(0)
        weights = torch.from_numpy(mean).to(device).float()
        if output.is_cuda:
            torch.cuda.empty_cache()
    print("loss", loss.item().hex(), float(weights.sum()) == float(weights.sum()))
