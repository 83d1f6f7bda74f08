import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Mixed(Dataset):
    """Every item with the next one of another dataset."""

    def __init__(self, size, other):
        self.size = size
        self.other = DataLoader(other, batch_size=1)
        self.rest = iter(self.other)

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["rest"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.rest = iter(self.other)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        try:
            (extra,) = next(self.rest)
        except StopIteration:
            self.rest = iter(self.other)
            (extra,) = next(self.rest)
        return index + int(extra)


def main():
    dataset = Mixed(6, TensorDataset(torch.arange(3) * 100))
    for batch in DataLoader(dataset, batch_size=2, num_workers=2):
        print(batch.tolist())


if __name__ == "__main__":
    main()
