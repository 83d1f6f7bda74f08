from torch.utils.data import DataLoader

from base import BaseDataset


class CaptionDataset(BaseDataset):
    def __init__(self, processor=None, captions=()):
        super().__init__(processor)
        self.captions = captions

    def __getitem__(self, index):
        return index if self.processor is None else self.processor(index)


def main():
    for batch in DataLoader(CaptionDataset(abs), batch_size=2, num_workers=1):
        print(batch.tolist())


if __name__ == "__main__":
    main()
