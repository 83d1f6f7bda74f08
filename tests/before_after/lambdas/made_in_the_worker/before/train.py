from torch.utils.data import DataLoader, Dataset, Sampler


class Order(Sampler):
    def __init__(self, size):
        self.key = lambda index: -index
        self.size = size

    def __iter__(self):
        return iter(sorted(range(self.size), key=self.key))

    def __len__(self):
        return self.size


class Rows(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, index):
        scale = lambda x: x * 10
        return scale(index)


if __name__ == "__main__":
    rows = Rows()
    for batch in DataLoader(rows, sampler=Order(3), num_workers=1):
        print(batch.tolist())
    for batch in DataLoader(rows, num_workers=0, collate_fn=lambda rows: rows):
        print(batch)
