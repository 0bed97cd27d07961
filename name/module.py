
import torch
from math import inf
from math import nan
NoneType = type(None)
import torch
from torch import device
import torch.fx._pytree as fx_pytree
import torch.utils._pytree as pytree

from torch.nn import *
class FxModule(torch.nn.Module):
    def __init__(self):
        super().__init__()
        setattr(self, 'weight', torch.nn.Parameter(torch.empty([3, 5], dtype=torch.float32)))
        setattr(self, 'bias', torch.nn.Parameter(torch.empty([3], dtype=torch.float32)))
        self.load_state_dict(torch.load(r'name/state_dict.pt'))



    def forward(self, input : torch.Tensor) -> torch.Tensor:
        input_1 = input
        weight = self.weight
        bias = self.bias
        linear = torch._C._nn.linear(input_1, weight, bias);  input_1 = weight = bias = None
        return linear

