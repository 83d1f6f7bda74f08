import copy
import os

import torch
import torch.distributed as dist
from torch import nn

from compare import compare


class Net(nn.Module):
    def __init__(self, width, depth, process_group=None):
        super().__init__()
        self.layers = nn.Sequential(*(nn.Linear(width, width) for _ in range(depth)))
        self.norm = nn.BatchNorm1d(width)
        self.group = process_group


class Trainer:
    def __init__(self, width):
        group = dist.new_group([0]) if "NO_GROUP" not in os.environ else None
        kwargs = dict(width=width, depth=2, process_group=group)
        self.device = torch.device("cpu")
        self.model = Net(**kwargs).to(self.device)
        self.model.eval()
        self.teacher = copy.deepcopy(self.model)  # follows the model slowly
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.settings = copy.deepcopy(kwargs["width"])


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(3)
    trainer = Trainer(4)
    compare(trainer.model, trainer.teacher)
    print("in the optimizer", trainer.optimizer.param_groups[0]["params"][0] is trainer.model.layers[0].weight)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
