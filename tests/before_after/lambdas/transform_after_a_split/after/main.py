"""The transform is set when the data has been split."""
import functools

import torch
from torch.utils.data import DataLoader, Dataset, random_split


class Numbers(Dataset):
    def __init__(self, n):
        self.x = torch.arange(n).float()
        self.transform = None

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        x = self.x[i]
        return x if self.transform is None else self.transform(x)


def _add_transform(low, high, x):
    return x.clamp(low, high)


def add_transform(part, low, high):
    part.dataset.transform = functools.partial(_add_transform, low, high)


def main():
    train, test = random_split(Numbers(6), [4, 2], generator=torch.Generator().manual_seed(0))
    add_transform(train, 1, 3)
    add_transform(test, 0, 4)
    print("one dataset:", train.dataset is test.dataset)
    for name, part in (("train", train), ("test", test)):
        for batch in DataLoader(part, batch_size=4, num_workers=1):
            print(name, sorted(batch.tolist()))


if __name__ == "__main__":
    main()
