from torch.utils.data import DataLoader

from base import BaseDataset


class LaionDataset(BaseDataset):
    def __init__(self, processor, location):
        super().__init__(processor=processor)
        self.location = location
        self.inner_dataset = list(range(4))

    def __getitem__(self, index):
        return self.processor(self.inner_dataset[index])


if __name__ == "__main__":
    dataset = LaionDataset(processor=lambda x: x, location="part-00000")
    loader = DataLoader(dataset.inner_dataset, batch_size=2)
    print(next(iter(loader)).tolist(), dataset[1])
