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


def main(scale=3):
    def enlarge(row):
        return row * scale

    step = enlarge
    print(step.__name__, in_worker(step, [1, 2]))


if __name__ == "__main__":
    main()
