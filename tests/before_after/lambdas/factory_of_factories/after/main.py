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


def _with_high_clip(low, high, row):
    return min(max(row, low), high)


def noise(low):
    def with_high(high):
        return functools.partial(_with_high_clip, low, high)

    return with_high


def main():
    print(in_worker(noise(2)(4), [1, 3, 5]))


if __name__ == "__main__":
    main()
