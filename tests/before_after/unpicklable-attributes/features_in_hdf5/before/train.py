import os
import tempfile

import h5py
import numpy as np
from torch.utils.data import DataLoader

from dataset import FeatureDataset


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "features.h5")
        with h5py.File(path, "w") as f:
            f["train/features"] = np.arange(24, dtype="float32").reshape(6, 4)
            f["train/labels"] = np.arange(6) % 3
        loader = DataLoader(FeatureDataset(path), batch_size=2, num_workers=2)
        for features, labels in loader:
            print(features.sum(dim=1).tolist(), labels.tolist())


if __name__ == "__main__":
    main()
