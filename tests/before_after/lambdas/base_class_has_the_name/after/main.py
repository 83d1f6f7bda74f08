from base import Base
from multiprocessing import Process, SimpleQueue


def work(out, fn, rows):
    out.put([fn(row) for row in rows])


def in_worker(fn, rows):
    out = SimpleQueue()
    process = Process(target=work, args=(out, fn, rows))
    process.start()
    result = out.get()
    process.join()
    return result


class Counter(Base):
    def __init__(self, step):
        self.step = step

    def count(self, rows):
        return in_worker(self._counter_count_in_worker, rows)

    def _counter_count_in_worker(self, row):
        return row + self.step


def main():
    counter = Counter(2)
    print(counter.count([1, 2]), counter._count_in_worker())


if __name__ == "__main__":
    main()
