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


def _build_clip(limit, row, /, *more, low=0, **rest):
    return [min(max(value, low), limit) for value in (row, *more)], rest


def build(limit):
    return functools.partial(_build_clip, limit)


def main():
    print(in_worker(build(3), [-1, 2, 9]))


if __name__ == "__main__":
    main()
