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


def build(path):
    lines = open(path)
    return lambda row: (row, lines.readline().strip())


def main():
    print(in_worker(build(__file__), [1]))


if __name__ == "__main__":
    main()
