import numpy
import torch
from torch.utils.data import DataLoader, Dataset

shades = numpy.loadtxt("shades.txt")


class Labels(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        return torch.tensor(index)


def paint(labels):
    return [int(shades[label.item()]) for label in labels]


def main():
    for labels in DataLoader(Labels(), batch_size=3, num_workers=2):
        print(paint(labels))


if __name__ == "__main__":
    main()
