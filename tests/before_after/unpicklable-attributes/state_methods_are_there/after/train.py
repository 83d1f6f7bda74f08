import os
import tempfile
import threading
from multiprocessing import Pool

import numpy as np


class Memory:
    def __init__(self, path):
        self.path = path
        self.lock = threading.RLock()
        self.arrays = np.load(os.path.join(path, "memory.npz"))
        self.cache = {}

    def __getstate__(self):
        """The cache is for this process only."""
        state = self.__dict__.copy()
        state["cache"] = {}
        del state["lock"]
        del state["arrays"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.RLock()
        self.arrays = np.load(os.path.join(self.path, "memory.npz"))

    def total(self, name):
        with self.lock:
            if name not in self.cache:
                self.cache[name] = int(self.arrays[name].sum())
            return self.cache[name]


def main():
    with tempfile.TemporaryDirectory() as folder:
        np.savez(os.path.join(folder, "memory.npz"), small=np.arange(4), large=np.arange(100))
        memory = Memory(folder)
        with Pool(2) as pool:
            print(pool.map(memory.total, ["small", "large", "small"]))


if __name__ == "__main__":
    main()
