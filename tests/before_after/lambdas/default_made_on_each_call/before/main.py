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


def build():
    def collect(row, seen=[]):
        seen.append(row)
        return list(seen)

    return collect


def main():
    print(in_worker(build(), [1, 2]), build()(5))


if __name__ == "__main__":
    main()
