import math

import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, dim, group):
        super().__init__()
        self.qkv = nn.Linear(dim, dim)
        self.group = group


class DiT(nn.Module):
    def __init__(self, depth, dim, num_classes, group=None):
        super().__init__()
        self.pos_embed = nn.Parameter(torch.zeros(1, 4, dim), requires_grad=False)
        self.y_embedder = nn.Embedding(num_classes + 1, dim)
        self.blocks = nn.ModuleList([Attention(dim, group) for _ in range(depth)])
        self.head = nn.Linear(dim, num_classes + 1, bias=False)
        self.head.weight = self.y_embedder.weight
        self.initialize_weights()

    def initialize_weights(self):
        self.pos_embed.data.fill_(1 / math.pi)
        for block in self.blocks:
            nn.init.xavier_uniform_(block.qkv.weight)


def DiT_S(**kwargs):
    return DiT(depth=2, dim=4, **kwargs)


def DiT_B(**kwargs):
    return DiT(depth=3, dim=8, **kwargs)


DiT_models = {"DiT-S": DiT_S, "DiT-B": DiT_B}
