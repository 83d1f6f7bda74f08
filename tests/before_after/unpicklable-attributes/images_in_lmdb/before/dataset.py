import os

import lmdb
from torch.utils.data import Dataset


class LmdbDataset(Dataset):
    def __init__(self, opt):
        self.opt = opt
        self.env = lmdb.open(
            os.path.join(opt["dataroot"], "train.lmdb"),
            readonly=True,
            lock=False,
            readahead=False,
            meminit=False,
        )
        self.txn = self.env.begin(write=False)
        self.keys = [line.decode() for line in self.txn.get(b"__keys__").split()]

    def __len__(self):
        return len(self.keys)

    def __getitem__(self, index):
        key = self.keys[index]
        return key, self.txn.get(key.encode()).decode()
