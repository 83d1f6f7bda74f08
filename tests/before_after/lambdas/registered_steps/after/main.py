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


STEPS = []


def register(function):
    STEPS.append(function)
    return function


def _build_double(row):
    return row * 2


def build():
    return register(_build_double)


def main():
    print(in_worker(build(), [1, 2]), len(STEPS))


if __name__ == "__main__":
    main()
