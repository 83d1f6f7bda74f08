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


class _BuildCount:
    def __call__(self, row):
        self.calls += 1
        return self.calls


def build():
    count = _BuildCount()

    count.calls = 0
    return count


def main():
    print(in_worker(build(), [1, 2]))


if __name__ == "__main__":
    main()
