import json
import os
import tempfile
import threading
from multiprocessing import Pool

import numpy as np


class Clips:
    lock = threading.Lock()  # of the class: not pickled with its objects

    def __init__(self, folder):
        self.folder = folder
        self.names = json.load(open(os.path.join(folder, "names.json")))
        self.mean = np.load(os.path.join(folder, "mean.npz"))["mean"]
        with open(os.path.join(folder, "names.json")) as f:
            self.text = f.read()
        self.archive = None

    def _load(self):
        if self.archive is None:
            self.archive = np.load(os.path.join(self.folder, "mean.npz"))
        return self.archive["mean"]

    def __getitem__(self, index):
        with self.lock:
            return self.names[index], float(self._load().sum() - self.mean.sum())


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "names.json"), "w") as f:
            json.dump(["a", "b"], f)
        np.savez(os.path.join(folder, "mean.npz"), mean=np.ones(3))
        clips = Clips(folder)
        with Pool(2) as pool:
            print(pool.map(clips.__getitem__, range(2)))


if __name__ == "__main__":
    main()
