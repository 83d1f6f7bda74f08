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


def chain(out, *steps, last=None):
    value = 1
    for step in (*steps, last):
        value = step(value)
    out.put(value)


def _main_shift(value):
    return value + 1


def _main_steps(scale, value):
    return value * scale


def _main_last(value):
    return -value


def main(scale=3):
    out = SimpleQueue()
    steps = [_main_shift, functools.partial(_main_steps, scale)]
    process = Process(target=chain, args=(out, *steps), kwargs={"last": _main_last})
    process.start()
    print(out.get())
    process.join()


if __name__ == "__main__":
    main()
