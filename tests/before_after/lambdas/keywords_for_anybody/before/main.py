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


class Renderer:
    def __init__(self, draw):
        self.draw = draw

    def __call__(self, row):
        return self.draw(row, width=1, style="dashed")


def build(width):
    return Renderer(lambda row, **options: (row * width, sorted(options.items())))


def main():
    print(in_worker(build(5), [1, 2]))


if __name__ == "__main__":
    main()
