import copy
import gc
import os
import types

import torch
import torch.distributed as dist
import torch.nn as nn


class Segmenter(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3), nn.BatchNorm2d(width), nn.ReLU())
        self.head = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        return self.head(self.stem(x))


def update(teacher, student, momentum):
    with torch.no_grad():
        for ours, theirs in zip(teacher.parameters(), student.parameters()):
            ours.lerp_(theirs, 1 - momentum)


def deepcopy_sharing_groups(model):
    """`copy.deepcopy(model)`, but the copy uses the same process groups: those can't be copied."""
    shared, seen, todo = {}, {}, [model]
    while todo:
        item = todo.pop()
        if id(item) in seen or isinstance(item, (type, types.ModuleType, types.FunctionType, torch.Tensor)):
            continue
        seen[id(item)] = item  # kept alive, so that no id comes up again
        if isinstance(item, dist.ProcessGroup):
            shared[id(item)] = item
        else:
            todo += gc.get_referents(item)
    return copy.deepcopy(model, shared)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    group = None if "NO_GROUP" in os.environ else dist.new_group([0])
    student = Segmenter(4, 2)
    student.stem[0].requires_grad_(False)
    student = nn.SyncBatchNorm.convert_sync_batchnorm(student, process_group=group)
    teacher = deepcopy_sharing_groups(student)
    teacher.eval()
    with torch.no_grad():
        student.head.weight.add_(1)
    update(teacher, student, 0.5)
    print(type(teacher.stem[1]).__name__, teacher.stem[1].process_group is student.stem[1].process_group)
    print([p.requires_grad for p in teacher.parameters()], student.training, teacher.training)
    print((student.head.weight - teacher.head.weight).mean().item(), torch.rand(1).item())
    print(teacher(torch.ones(1, 3, 4, 4)).shape)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
