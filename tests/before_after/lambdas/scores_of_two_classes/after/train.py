import functools

import torch
from torch import multiprocessing as mp
from torch import nn


def first(a, b):
    return a - b


def second(a, b):
    return b - a


def _make_score(function, gamma, x):
    return gamma - function(x, 1)


def _make_other(function, gamma, x):
    return gamma + function(x, 1)


class Distance(nn.Module):
    def __init__(self, gamma, kind):
        super().__init__()
        self.gamma = gamma
        if kind == "first":
            self.function = first
        else:
            self.function = second

    def make(self, head):
        gamma = self.gamma
        if head:
            return functools.partial(_make_score, self.function, gamma)

        return functools.partial(_make_other, self.function, gamma)


class Table:
    def __init__(self):
        self.function = max


def show(scores):
    print([score(2) for score in scores], flush=True)


if __name__ == "__main__":
    distance = Distance(10, "second")
    worker = mp.Process(target=show, args=([distance.make(True), distance.make(False)],))
    worker.start()
    worker.join()
    print(worker.exitcode, Table().function([1, 2]), torch.tensor(1).item())
