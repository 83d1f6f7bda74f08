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


def _build_step(factor, row):
    match row:
        case [first, *_]:
            return first * factor
        case _:
            return 0


def build(kind):
    match kind:
        case ("scale", factor):
            return functools.partial(_build_step, factor)
    return None


def main():
    print(in_worker(build(("scale", 3)), [[1, 2], 5]))


if __name__ == "__main__":
    main()
