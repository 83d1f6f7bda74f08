import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.optim.swa_utils import AveragedModel


class Net(nn.Module):
    def __init__(self, width, group=None):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.group = group


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    model = Net(3, group=None if "NO_GROUP" in os.environ else dist.new_group([0]))
    swa_model = AveragedModel(model)
    with torch.no_grad():
        model.layer.weight.add_(1)
    swa_model.update_parameters(model)
    print(swa_model.n_averaged, swa_model.module.layer.weight.sum().item(), list(swa_model.state_dict()))
    print(swa_model.module.layer.weight is model.layer.weight, swa_model.module.group is model.group)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
