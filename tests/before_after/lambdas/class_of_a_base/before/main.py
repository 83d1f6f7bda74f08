from collections import UserDict
from multiprocessing import Process


def show(table, keys):
    print([table[key] for key in keys])


def make_table(default):
    class Table(UserDict):
        def __missing__(self, key):
            return default

    return Table(a=1)


def main():
    process = Process(target=show, args=(make_table(7), ["a", "b"]))
    process.start()
    process.join()
    raise SystemExit(process.exitcode)


if __name__ == "__main__":
    main()
