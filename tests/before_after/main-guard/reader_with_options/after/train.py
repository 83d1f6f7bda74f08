import argparse

import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __init__(self):
        self.first = args.first

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.tensor(self.first + index)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=3)
    args = parser.parse_args()

    loader = DataLoader(Numbers(), batch_size=2, num_workers=1)
    print([batch.tolist() for batch in loader])
