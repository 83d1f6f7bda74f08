import torch
import torch.distributed as dist
import torch.nn as nn

from embedding import Embedding
from pipeline import split

LAYERS = {"embedding": lambda width: Embedding(8, width), "head": lambda width: nn.Linear(width, 2)}


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embedding = LAYERS["embedding"](width)
        self.head = LAYERS["head"](width)

    def forward(self, x):
        return self.head(self.embedding(x))


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    first, second = split(Model(4), 2)
    first.embedding.parallelize()
    hidden = first(torch.tensor([0, 3]))
    print(second(hidden).sum().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
