from multiprocessing import Manager

import torch
from torch.utils.data import DataLoader, Dataset


class Cached(Dataset):
    def __init__(self, length, cache=True):
        self.length = length
        self.cache = cache
        if cache:
            self.manager = Manager()
            self.seen = self.manager.list()
            self.seen += [0] * length

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        if self.cache:
            self.seen[index] += 1
        return torch.tensor(index)


def main():
    rows = Cached(4)
    for _ in range(2):
        print([batch.tolist() for batch in DataLoader(rows, batch_size=2, num_workers=1)])
    print(list(rows.seen))


if __name__ == "__main__":
    main()
