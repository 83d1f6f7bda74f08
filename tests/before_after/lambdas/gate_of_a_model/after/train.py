import torch
import torch.multiprocessing as mp
from torch import nn


class Gated(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        nn.init.constant_(self.inner.weight, 0.5)
        nn.init.zeros_(self.inner.bias)
        self.scale = scale
        self.gate = self._gated_gate

    def _gated_gate(self, x):
        return self.inner(x).sigmoid() * self.scale

    def forward(self, x):
        return x * self.gate(x)


def evaluate(rank, model):
    print(rank, [round(value, 4) for value in model(torch.ones(1, 2))[0].tolist()], flush=True)


def main():
    mp.spawn(evaluate, args=(Gated(2),), nprocs=1)


if __name__ == "__main__":
    main()
