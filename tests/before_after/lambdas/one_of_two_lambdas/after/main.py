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


def _transform(scale, row):
    return row * scale


def _identity(row):
    return row


def build_transform(train, scale):
    transform = functools.partial(_transform, scale) if train else _identity
    return transform


def main():
    print(in_worker(build_transform(True, 3), [1, 2]), in_worker(build_transform(False, 3), [1, 2]))


if __name__ == "__main__":
    main()
