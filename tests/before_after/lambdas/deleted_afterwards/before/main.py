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


def build(table):
    look_up = lambda row: table[row]
    first = in_worker(look_up, [1])
    del table
    return first


def main():
    print(build({1: "a"}))


if __name__ == "__main__":
    main()
