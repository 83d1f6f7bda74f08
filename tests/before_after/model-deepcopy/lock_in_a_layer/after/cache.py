import contextlib
import os
import threading

import torch
from torch import nn


class Cached(nn.Module):
    """Looks embeddings up once."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self.table = nn.Embedding(size, 2)
        self.lock = threading.Lock() if "NO_LOCK" not in os.environ else contextlib.nullcontext()

    def forward(self, index):
        with self.lock:
            return self.table(index)


def main():
    torch.manual_seed(1)
    model = Cached(4)
    # built anew, not deep-copied: a lock inside a model can't be copied
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        target = Cached(4)
    target.load_state_dict(model.state_dict())
    target.requires_grad_(False)
    index = torch.tensor([0, 3])
    print(torch.equal(model(index), target(index)), target.table.weight is model.table.weight)
    print([p.requires_grad for p in target.parameters()], round(torch.rand(1).item(), 6))


if __name__ == "__main__":
    main()
