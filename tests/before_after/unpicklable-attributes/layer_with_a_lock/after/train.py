import threading
from concurrent.futures import ThreadPoolExecutor

import torch
import torch.multiprocessing as mp
from torch import nn


class Cached(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, 1)
        nn.init.constant_(self.linear.weight, 0.5)
        nn.init.zeros_(self.linear.bias)
        self.cache_lock = threading.Lock()
        self._threads_width = width
        self.threads = ThreadPoolExecutor(max_workers=width)

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["cache_lock"]
        del state["threads"]
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        self.cache_lock = threading.Lock()
        self.threads = ThreadPoolExecutor(max_workers=self._threads_width)

    def forward(self, x):
        with self.cache_lock:
            return self.threads.submit(self.linear, x).result()


def work(model):
    with torch.no_grad():
        print(model(torch.ones(2, 4)).flatten().tolist())


def main():
    worker = mp.Process(target=work, args=(Cached(4),))
    worker.start()
    worker.join()
    print("exit code", worker.exitcode)


if __name__ == "__main__":
    main()
