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


def main(scale=3):
    out = SimpleQueue()
    steps = [lambda value: value + 1, lambda value: value * scale]
    process = Process(target=chain, args=(out, *steps), kwargs={"last": lambda value: -value})
    process.start()
    print(out.get())
    process.join()


if __name__ == "__main__":
    main()
