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
        return in_worker(self._run_in_worker, rows)

    def _run_in_worker(self, row):
        return row * self.__scale


def main():
    print(Scaler(3).run([1, 2]))


if __name__ == "__main__":
    main()
