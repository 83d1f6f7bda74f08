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


def run(fn):
    return in_worker(fn, [1, 2])


if __name__ == "__main__":
    def double(row):
        return row * 2

    print(run(lambda row: double(row) + 1))
