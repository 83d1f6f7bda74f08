import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, width, group=None):
        super().__init__()
        self.embed = nn.Embedding(10, width)
        self.register_buffer("rope", torch.randn(width), persistent=False)
        self.body = nn.Sequential(nn.Linear(width, width), nn.Dropout(0.1))
        self.tail = nn.Sequential(nn.Linear(width, width), nn.Dropout(0.1), nn.BatchNorm1d(width))
        self.group = group
