import torch
from torch.utils.data import DataLoader, Dataset


class CurveSampler(torch.nn.Module):
    def __init__(self, order, points):
        super().__init__()
        self.order = order
        self.coefficients = self.make_coefficients()
        self.matrix = torch.tensor(self.coefficients(torch.linspace(0, 1, points)))

    def make_coefficients(self):
        power = lambda t, k: float(t) ** k
        rows = lambda ts: [[power(t, k) for k in range(self.order)] for t in ts]
        return rows

    def forward(self, control):
        return self.matrix @ control


class Curves(Dataset):
    def __init__(self, count):
        self.count = count
        self.sampler = CurveSampler(3, 4)

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return self.sampler(torch.full((3,), float(index))), torch.tensor(self.sampler.coefficients([index]))


def main():
    for points, row in DataLoader(Curves(4), batch_size=2, num_workers=1):
        print(points.sum().item(), row.flatten().tolist())


if __name__ == "__main__":
    main()
