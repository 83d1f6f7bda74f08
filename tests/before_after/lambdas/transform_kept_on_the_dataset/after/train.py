import torch
from torch.utils.data import DataLoader, Dataset


class Scaled(Dataset):
    """Rows, scaled."""

    def __init__(self, rows, scale, transform=None):
        self.rows = rows
        self.scale = scale
        if transform is None:
            transform = self._transform
        self.transform = transform

    def _transform(self, row):
        return torch.tensor(row) * self.scale

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.transform(self.rows[index])


if __name__ == "__main__":
    loader = DataLoader(Scaled([[1, 2], [3, 4]], 10), num_workers=1)
    for batch in loader:
        print(batch.tolist())
