import torch.distributed as dist
import torch.nn as nn


class Embedding(nn.Module):
    def __init__(self, entries, width):
        super().__init__()
        self.table = nn.Embedding(entries, width)
        self.tp_group = None

    def parallelize(self):
        self.tp_group = dist.new_group([0])

    def forward(self, ids):
        out = self.table(ids)
        if self.tp_group is not None:
            out = out.detach()
            dist.all_reduce(out, group=self.tp_group)
        return out
