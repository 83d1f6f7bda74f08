import copy
from copy import deepcopy

import torch
import torch.distributed as dist
import torch.nn as nn


def _get_clones(module, n):
    return nn.ModuleList([copy.deepcopy(module) for _ in range(n)])


class Decoder(nn.Module):
    def __init__(self, layer, depth):
        super().__init__()
        self.layers = _get_clones(layer, depth)
        self.extra = nn.ModuleList()
        for _ in range(depth):
            self.extra.append(deepcopy(layer))

    def forward(self, x):
        for layer in [*self.layers, *self.extra]:
            x = layer(x)
        return x


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    cfg = {"depth": 2, "width": 3}
    model_cfg = deepcopy(cfg)
    model_cfg["depth"] = 1
    model = Decoder(nn.Linear(cfg["width"], cfg["width"]), model_cfg["depth"])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(2, 3)
    target = deepcopy(x)
    best, best_model, best_state = float("inf"), None, None
    for _ in range(3):
        loss = (model(x) - target).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < best:
            best = loss.item()
            best_model = deepcopy(model)
            best_state = deepcopy(model.state_dict())
    print(round(best, 5), len(best_state), len(list(best_model.parameters())), cfg)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
