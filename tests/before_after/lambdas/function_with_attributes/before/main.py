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


def make_numbering(prefix):
    # numbers from where the caller says
    def number(row, sep="-"):
        """A name for the row."""
        number.last += 1
        return sep.join([prefix, str(number.last), row])

    number.last = 0
    return number


def main():
    number = make_numbering("img")
    number.last = 41
    print(in_worker(number, ["a", "b"]), number.last)
    print(number("c"), number("d", sep="_"))


if __name__ == "__main__":
    main()
