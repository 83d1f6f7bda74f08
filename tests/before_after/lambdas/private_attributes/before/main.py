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
    def __init__(self, scale):
        self.__scale = scale

    def run(self, rows):
        return in_worker(lambda row: row * self.__scale, rows)


def main():
    print(Scaler(3).run([1, 2]))


if __name__ == "__main__":
    main()
