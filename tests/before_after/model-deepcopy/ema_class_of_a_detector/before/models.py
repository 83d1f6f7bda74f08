import torch.distributed as dist
import torch.nn as nn


class SyncedConv(nn.Module):
    """A convolution whose output is averaged over the ranks of a group."""

    def __init__(self, c1, c2, group=None):
        super().__init__()
        self.conv = nn.Conv2d(c1, c2, 3, padding=1)
        self.bn = nn.BatchNorm2d(c2)
        self.group = group

    def forward(self, x):
        x = self.bn(self.conv(x))
        if self.group is not None:
            dist.all_reduce(x.detach(), group=self.group)
        return x


class Detector(nn.Module):
    def __init__(self, width, group=None):
        super().__init__()
        self.backbone = nn.Sequential(SyncedConv(3, width, group), SyncedConv(width, width, group))
        self.head = nn.Linear(width, 5)
