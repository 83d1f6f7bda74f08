import tempfile

import lmdb
from torch.utils.data import DataLoader, Dataset


class Features(Dataset):
    def __init__(self, root):
        self.root = root
        self.env = None
        self.txn = None
        self.size = self.count()

    def __getstate__(self):
        state = self.__dict__.copy()
        # can't be pickled; opened again where it is needed
        state["env"] = None
        state["txn"] = None
        return state

    def _open(self):
        self.env = lmdb.open(self.root, readonly=True, lock=False)
        self.txn = self.env.begin()

    def count(self):
        if self.env is None:
            self._open()
        return self.env.stat()["entries"]

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        if self.env is None:
            self._open()
        return self.txn.get(b"%d" % index).decode()


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
