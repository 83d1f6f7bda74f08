import itertools
from multiprocessing import Process


class Order:
    def __init__(self, size):
        self.size = size
        self.numbers = self._every_second(1)

    def _forever(self):
        yield from itertools.cycle(range(self.size))

    def _every_second(self, start):
        yield from itertools.islice(self._forever(), start, None, 2)

    def show(self):
        for number, _ in zip(self.numbers, range(4)):
            print(number, flush=True)


def main():
    worker = Process(target=Order(5).show)
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
