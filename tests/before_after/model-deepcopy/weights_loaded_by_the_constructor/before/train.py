import os
import tempfile
from copy import deepcopy

import torch
import torch.distributed as dist
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, weights, group):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.fc.load_state_dict(torch.load(weights))
        self.group = group


def main(folder):
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    weights_path = os.path.join(folder, "net.pt")
    torch.save(nn.Linear(2, 2).state_dict(), weights_path)
    group = dist.new_group([0])
    model = Net(weights_path, group)
    ema = deepcopy(model).eval()
    print(torch.equal(ema.fc.weight, model.fc.weight))
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(folder)
