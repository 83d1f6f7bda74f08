from multiprocessing import Process


class Options:
    """None for what is not set."""

    def __init__(self, **options):
        self.__dict__.update(options)

    def __getattr__(self, name):
        return self.__dict__.get(name)


class Strict:
    def __init__(self, **options):
        self.__dict__.update(options)

    def __getattr__(self, name):
        if name == "verbose":
            return False
        return self.__dict__[name]


class Guarded:
    def __init__(self, rows):
        self.rows = rows

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return self.rows[name]


class Careful:
    def __init__(self, rows):
        self.rows = rows

    def __getattr__(self, name):
        if "rows" not in self.__dict__:
            raise AttributeError(name)
        return self.rows[name]


def work(options, strict, *others):
    print(options.size, options.depth, strict.size, strict.verbose, [other.size for other in others], flush=True)


def main():
    options, strict = Options(size=3), Strict(size=4)
    process = Process(target=work, args=(options, strict, Guarded({"size": 5}), Careful({"size": 6})))
    process.start()
    process.join()
    print(process.exitcode)


if __name__ == "__main__":
    main()
