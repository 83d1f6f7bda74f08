import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self, first):
        self.first = first

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.tensor(self.first + index)


class Loaders:
    def __init__(self, batch_size):
        self.loaders, self.iterators = {}, {}
        for at, split in enumerate(["train", "val"]):
            self.loaders[split] = DataLoader(Numbers(10 * at), batch_size=batch_size, num_workers=1)
            self.iterators[split] = iter(self.loaders[split])

    def batch(self, split):
        return next(self.iterators[split])
