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


def build_transform(train, scale):
    transform = (lambda row: row * scale) if train else (lambda row: row)
    return transform


def main():
    print(in_worker(build_transform(True, 3), [1, 2]), in_worker(build_transform(False, 3), [1, 2]))


if __name__ == "__main__":
    main()
