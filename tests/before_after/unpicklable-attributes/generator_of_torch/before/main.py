"""Noise with a generator of the dataset itself."""
import torch
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __init__(self, n):
        self.n = n
        self.generator = torch.Generator().manual_seed(3)

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.rand(1, generator=self.generator)


def main():
    for batch in DataLoader(Noise(2), num_workers=1):
        print(round(batch.item(), 4))


if __name__ == "__main__":
    main()
