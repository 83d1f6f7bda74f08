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


import types


class Step:
    def __init__(self, fn):
        self.fn = fn
        self.is_plain = isinstance(fn, types.FunctionType)

    def __call__(self, row):
        return self.is_plain, self.fn(row)


def main(scale=2):
    print(in_worker(Step(lambda row: row * scale), [1, 2]))


if __name__ == "__main__":
    main()
