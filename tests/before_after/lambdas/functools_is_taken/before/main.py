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


def apply(scale, functools=None):
    return in_worker(lambda row: (row * scale, functools), [1, 2])


def main():
    print(apply(3))


if __name__ == "__main__":
    main()
