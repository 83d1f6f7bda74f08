import multiprocessing
import os

import h5py
import numpy as np


class Features:
    def __init__(self, split, opt):
        self.opt = opt
        self.path = os.path.join(opt["dir"], split + "set.hdf5")
        self.file = h5py.File(self.path, "r")  # driver="mpio" on the cluster
        self.rows = self.file[self.opt["mode"]]
        self.means = self.file["mean_%s" % opt["mode"]]

    def __len__(self):
        return self.rows.shape[0]

    def centred(self, index):
        return (self.rows[index] - self.means[()]).tolist()


def work(features, out):
    out.put([features.centred(index) for index in range(len(features))])


if __name__ == "__main__":
    with h5py.File("valset.hdf5", "w") as made:
        made["att"] = np.arange(6.0).reshape(3, 2)
        made["mean_att"] = np.ones(2)
    features = Features("val", {"dir": ".", "mode": "att"})
    out = multiprocessing.Queue()
    process = multiprocessing.Process(target=work, args=(features, out))
    process.start()
    print(out.get(timeout=60))
    process.join()
