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


def _main_is_new(seen, row):
    return row not in seen


def main():
    seen = []

    is_new = functools.partial(_main_is_new, seen)

    seen.append(2)
    print(in_worker(is_new, [1, 2]))


if __name__ == "__main__":
    main()
