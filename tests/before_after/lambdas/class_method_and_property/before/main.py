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


class Scaler:
    factor = 3

    def __init__(self, offset):
        self.offset = offset

    @classmethod
    def of_class(cls):
        return lambda row: row * cls.factor

    @staticmethod
    def of_nothing(scale):
        return lambda row: row * scale

    @property
    def of_object(self):
        return lambda row: row + self.offset


def main():
    print(in_worker(Scaler.of_class(), [1]), in_worker(Scaler.of_nothing(5), [1]), in_worker(Scaler(7).of_object, [1]))


if __name__ == "__main__":
    main()
