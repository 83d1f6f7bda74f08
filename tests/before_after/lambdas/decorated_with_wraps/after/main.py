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


def logged(function):
    @functools.wraps(function)
    def inner(row):
        return "row", function(row)

    return inner


@logged
def double(row):
    return row * 2


def main():
    print(in_worker(double, [1, 2]))


if __name__ == "__main__":
    main()
