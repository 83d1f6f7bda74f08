import torch
import torch.distributed as dist
import torch.nn as nn

from sora.parallel import get_sequence_parallel_group
from sora.registry import MODELS


class Block(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.norm = nn.LayerNorm(hidden_size)
        self.mlp = nn.Linear(hidden_size, hidden_size)
        self.group = get_sequence_parallel_group()

    def forward(self, x):
        x = x + self.mlp(self.norm(x))
        if self.group is not None:
            out = x.detach().float()
            dist.all_reduce(out, group=self.group)
            return (out / dist.get_world_size(self.group)).to(x.dtype)
        return x


class MMDiTModel(nn.Module):
    def __init__(self, hidden_size, depth):
        super().__init__()
        self.blocks = nn.ModuleList([Block(hidden_size) for _ in range(depth)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


@MODELS.register
def MMDiT(hidden_size, depth, torch_dtype=torch.float32):
    model = MMDiTModel(hidden_size, depth)
    return model.to(torch_dtype)
