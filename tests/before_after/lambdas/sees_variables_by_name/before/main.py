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


def build(expression, factor):
    return lambda row: eval(expression, {}, {"row": row, "factor": factor, **locals()})


def main():
    print(in_worker(build("row * factor", 2), [1, 2]))


if __name__ == "__main__":
    main()
