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


class Scale:
    def __init__(self, scale):
        self.scale = scale

    def __call__(self, row):
        return row * self.scale


def build(scale):
    return Scale(scale)


def main():
    print(in_worker(build(3), [1, 2]))


if __name__ == "__main__":
    main()
