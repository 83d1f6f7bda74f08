import functools
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


def _build_collect(row, seen=None):
    seen.append(row)
    return list(seen)


def build():
    return functools.partial(_build_collect, seen=[])


def main():
    print(in_worker(build(), [1, 2]), build()(5))


if __name__ == "__main__":
    main()
