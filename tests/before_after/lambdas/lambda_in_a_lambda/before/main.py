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


def build(center):
    return lambda rows: sorted(rows, key=lambda value: abs(value - center))


def main():
    print(in_worker(build(5), [[1, 6, 4, 9]]))


if __name__ == "__main__":
    main()
