import os
from copy import copy, deepcopy

import torch
import torch.distributed as dist
import torch.nn as nn

from compare import compare


class Student(nn.Module):
    def __init__(self, width, group):
        super().__init__()
        self.norm = nn.BatchNorm1d(width)
        self.fc = nn.Linear(width, width)
        self.group = group


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    options = {"width": 3, "betas": [0.9, 0.99]}
    saved_options = deepcopy(options)
    group = None if "NO_GROUP" in os.environ else dist.new_group([0])

    student = Student(
        width=options["width"],
        group=group,
    ).to("cpu")
    student.train()
    student.norm.eval()  # frozen statistics
    if dist.get_rank() == 0:
        # built anew, not deep-copied: process groups inside a model can't be copied
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            teacher = Student(
                width=options["width"],
                group=group,
            ).to("cpu")
        teacher.load_state_dict(student.state_dict())
        for old, new in zip(student.modules(), teacher.modules()):
            new.training = old.training
        teacher = teacher.requires_grad_(False)
        compare(student, teacher)
    print(copy(saved_options) == options)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
