from copy import deepcopy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    """Keeps its last features, which the loss looks at."""

    def __init__(self, width, classes):
        super().__init__()
        self.project = nn.Linear(width, width)
        self.head = nn.Linear(width, classes)
        self.dropout = nn.Dropout(0.5)
        self.features = None

    def forward(self, x):
        features = self.project(x)
        self.features = features
        return self.head(self.dropout(F.relu(features)))


def main():
    torch.manual_seed(0)
    model = Encoder(3, 2)
    x, y = torch.randn(4, 3), torch.tensor([0, 1, 0, 1])
    loss = F.cross_entropy(model(x), y) + 0.1 * model.features.square().mean()
    loss.backward()
    teacher = deepcopy(model).eval()
    for p in teacher.parameters():
        p.requires_grad = False
    print([torch.equal(a, b) for a, b in zip(teacher.parameters(), model.parameters())])
    print([m.training for m in teacher.modules()], [m.training for m in model.modules()])
    print(teacher(x).shape, round(torch.rand(1).item(), 4))


if __name__ == "__main__":
    main()
