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


def build(fast):
    if fast:
        def step(row):
            return row * 10
    else:
        def step(row):
            return row
    return step


def main():
    print(in_worker(build(True), [1, 2]), in_worker(build(False), [1, 2]))


if __name__ == "__main__":
    main()
