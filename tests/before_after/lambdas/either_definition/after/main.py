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


def _build_fast_step(row):
    return row * 10


def _build_step(row):
    return row


def build(fast):
    if fast:
        step = _build_fast_step
    else:
        step = _build_step
    return step


def main():
    print(in_worker(build(True), [1, 2]), in_worker(build(False), [1, 2]))


if __name__ == "__main__":
    main()
