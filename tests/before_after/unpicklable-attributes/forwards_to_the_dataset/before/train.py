import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    classes = ("even", "odd")

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return index * 10


class Subset(torch.utils.data.Subset):
    """Has what the whole dataset has as well."""

    def __getattr__(self, name):
        """Only what is not found here."""
        return getattr(self.dataset, name)


class Cached(Dataset):
    def __init__(self, dataset):
        self.rows = [row for row in dataset]
        self.dataset = dataset

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]

    def __getattr__(self, name):
        return getattr(self.dataset, name)


def main():
    for data in (Subset(Numbers(), [1, 3]), Cached(Subset(Numbers(), [0, 2]))):
        print(data.classes, hasattr(data, "targets"))
        for batch in DataLoader(data, batch_size=2, num_workers=1):
            print(batch.tolist())


if __name__ == "__main__":
    main()
