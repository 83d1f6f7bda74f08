import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset


class Mixed(Dataset):
    def __init__(self, size, other):
        self.size = size
        self.other = DataLoader(other, batch_size=1, shuffle=True)
        self.rest = iter(self.other)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        (extra,) = next(self.rest)
        return index + int(extra)


if __name__ == "__main__":
    torch.manual_seed(0)
    for batch in DataLoader(Mixed(2, TensorDataset(torch.zeros(3))), batch_size=2, num_workers=1):
        print(batch.tolist())
