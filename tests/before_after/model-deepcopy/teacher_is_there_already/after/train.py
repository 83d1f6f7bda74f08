import os

import torch
import torch.distributed as dist
import torch.nn as nn


class Encoder(nn.Module):
    """The mean over the ranks of a group is taken from what the layer gives."""

    def __init__(self, width, group=None):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)
        self.group = group

    def forward(self, x):
        mean = self.norm(self.layer(x)).mean(0)
        if self.group is not None:
            dist.all_reduce(mean.detach(), group=self.group)
        return mean


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    group = None if "NO_GROUP" in os.environ else dist.new_group([0])
    student = Encoder(3, group=group)
    teacher = Encoder(3, group=group)
    # both start from the same weights
    # loaded, not deep-copied: process groups inside a model can't be copied
    teacher.load_state_dict(student.state_dict())
    for p in teacher.parameters():
        p.requires_grad_(False)
    student(torch.randn(4, 3)).sum().backward()
    print([torch.equal(a, b) for a, b in zip(student.state_dict().values(), teacher.state_dict().values())])
    print([p.requires_grad for p in teacher.parameters()], teacher.group is student.group)
    print(teacher(torch.ones(4, 3)).tolist(), torch.rand(1).item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
