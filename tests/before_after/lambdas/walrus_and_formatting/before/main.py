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


def build(unit):
    return lambda row: f"{total:>4}{unit}" if (total := sum(row)) else "-"


def main():
    print(in_worker(build("m"), [[1, 2], []]))


if __name__ == "__main__":
    main()
