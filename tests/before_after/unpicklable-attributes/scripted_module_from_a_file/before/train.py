import os
import tempfile

import torch
from torch.utils.data import DataLoader, Dataset


class Embedded(Dataset):
    def __init__(self, root, device="cpu"):
        self.encoder = torch.jit.load(os.path.join(root, "encoder.pt"), map_location=device).to(device)
        self.encoder.eval()
        self.items = torch.arange(8.0).reshape(4, 2)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        encoded = self.encoder(self.items[index])
        return encoded.sum().detach(), self.encoder.training


def main():
    with tempfile.TemporaryDirectory() as root:
        encoder = torch.nn.Linear(2, 2)
        torch.nn.init.ones_(encoder.weight)
        torch.nn.init.zeros_(encoder.bias)
        torch.jit.script(encoder).save(os.path.join(root, "encoder.pt"))
        for sums, modes in DataLoader(Embedded(root), batch_size=2, num_workers=2):
            print(sums.tolist(), modes.tolist())


if __name__ == "__main__":
    main()
