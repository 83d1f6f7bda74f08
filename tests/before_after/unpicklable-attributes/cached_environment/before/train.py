import tempfile
from functools import cached_property

import lmdb
from torch.utils.data import DataLoader, Dataset


class Features(Dataset):
    def __init__(self, root):
        self.root = root
        self.size = self.env.stat()["entries"]

    @cached_property
    def env(self):
        return lmdb.open(self.root, readonly=True, lock=False)

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        with self.env.begin() as txn:
            return txn.get(b"%d" % index).decode()


def main():
    with tempfile.TemporaryDirectory() as root:
        env = lmdb.open(root)
        with env.begin(write=True) as txn:
            for index in range(4):
                txn.put(b"%d" % index, b"feature %d" % index)
        env.close()
        for batch in DataLoader(Features(root), batch_size=2, num_workers=2):
            print(batch)


if __name__ == "__main__":
    main()
