import os
import tempfile

import lmdb
from torch.utils.data import DataLoader

from dataset import LmdbDataset


def main():
    with tempfile.TemporaryDirectory() as folder:
        env = lmdb.open(os.path.join(folder, "train.lmdb"))
        with env.begin(write=True) as txn:
            for number in range(6):
                txn.put(b"img%d" % number, b"pixels of %d" % number)
            txn.put(b"__keys__", b" ".join(b"img%d" % number for number in range(6)))
        env.close()
        loader = DataLoader(LmdbDataset({"dataroot": folder}), batch_size=3, num_workers=2)
        for keys, images in loader:
            print(list(keys), list(images))


if __name__ == "__main__":
    main()
