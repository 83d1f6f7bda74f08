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


class Windows:
    def __init__(self, split):
        self.split = split

    def __call__(self, row):
        return list(self.split(row))


def main(size=2):
    def split(row):
        for start in range(0, len(row), size):
            yield row[start:start + size]

    print(in_worker(Windows(split), [[1, 2, 3], [4]]))


if __name__ == "__main__":
    main()
