from torch.utils.data import DataLoader, Dataset


class Fields(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]["text"]

    def __getattr__(self, name):
        for row in self.rows:
            yield row[name]


if __name__ == "__main__":
    data = Fields([{"text": 1}, {"text": 2}])
    print(list(data.text))
    for batch in DataLoader(data, num_workers=1):
        print(batch)
