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


def build(scale):
    offset = 1; shift = lambda row: row * scale + offset
    if scale: return shift


def main():
    def same(row): return row
    print(in_worker(build(2), [1, 2]), in_worker(same, [3]))


if __name__ == "__main__":
    main()
