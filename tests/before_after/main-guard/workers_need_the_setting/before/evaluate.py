import torch
from torch.utils.data import DataLoader, Dataset

import decoder

out = open("scores.txt", "a")
decoder.SCALE = 0.5


class Frames(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return torch.tensor(decoder.decode(float(index)))


def main():
    total = sum(batch.sum().item() for batch in DataLoader(Frames(), batch_size=2, num_workers=2))
    out.write(f"{total}\n")
    print(total)


if __name__ == "__main__":
    main()
