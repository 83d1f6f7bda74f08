import functools
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


def _of_class_fn(cls, row):
    return row * cls.factor


def _of_nothing_fn(scale, row):
    return row * scale


class Scaler:
    factor = 3

    def __init__(self, offset):
        self.offset = offset

    @classmethod
    def of_class(cls):
        return functools.partial(_of_class_fn, cls)

    @staticmethod
    def of_nothing(scale):
        return functools.partial(_of_nothing_fn, scale)

    @property
    def of_object(self):
        return self._of_object_fn

    def _of_object_fn(self, row):
        return row + self.offset


def main():
    print(in_worker(Scaler.of_class(), [1]), in_worker(Scaler.of_nothing(5), [1]), in_worker(Scaler(7).of_object, [1]))


if __name__ == "__main__":
    main()
