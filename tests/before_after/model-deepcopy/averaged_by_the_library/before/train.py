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
    model = Net(3, group=dist.new_group([0]))
    swa_model = AveragedModel(model)
    swa_model.update_parameters(model)
    print("averaged")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
