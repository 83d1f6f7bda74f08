"""A snapshot of a net is summed up in a process."""
import multiprocessing as mp

from torch import nn


class Snapshot:
    def __init__(self, model):
        self.parameters = model.parameters()
        self.names = [name for name, _ in model.named_parameters()]

    def first(self):
        return next(self.parameters)


def total(snapshot, queue):
    queue.put(snapshot.names)


def main():
    model = nn.Linear(2, 1)
    queue = mp.SimpleQueue()
    snapshot = Snapshot(model)
    process = mp.Process(target=total, args=(snapshot, queue))
    process.start()
    print(queue.get(), snapshot.first() is model.weight)
    process.join()


if __name__ == "__main__":
    main()
