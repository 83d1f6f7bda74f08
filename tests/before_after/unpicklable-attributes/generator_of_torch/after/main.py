"""Noise with a generator of the dataset itself."""
import torch
from torch.utils.data import DataLoader, Dataset


class Noise(Dataset):
    def __init__(self, n):
        self.n = n
        self.generator = torch.Generator().manual_seed(3)

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        state["generator"] = self.generator.get_state().numpy()
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.generator = torch.Generator()
        self.generator.set_state(torch.from_numpy(state["generator"]))

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.rand(1, generator=self.generator)


def main():
    for batch in DataLoader(Noise(2), num_workers=1):
        print(round(batch.item(), 4))


if __name__ == "__main__":
    main()
