import argparse
import functools
from multiprocessing import Process


class Net:
    def __init__(self, length):
        self.length = length
        self.cache = iter([1, 2])

    def score(self, row):
        return sum(row) / self.length


def pad(row, length):
    return (row + [0] * length)[:length]


def crop(row, length):
    return row[:length]


def run():
    parser = argparse.ArgumentParser()
    parser.add_argument("--length", type=int, default=3)
    parser.add_argument("--pad", action="store_true")
    args = parser.parse_args()
    model = Net(args.length)
    collate = pad if args.pad else crop
    for work, row in (
        (functools.partial(collate, length=model.length), [1, 2, 3, 4]),
        (functools.partial(clip, end=args.length), [9, 8, 7, 6]),
    ):
        process = Process(target=show, args=(work, row))
        process.start()
        process.join()
    print(model.score([3, 3]))


def show(work, row):
    print(work(row))


def clip(row, end):
    return row[:end]


if __name__ == "__main__":
    run()
