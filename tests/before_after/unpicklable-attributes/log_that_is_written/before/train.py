import tempfile
import os
from multiprocessing import Pool


class Writer:
    def __init__(self, folder):
        self.log = open(os.path.join(folder, "log.txt"), "a")

    def square(self, number):
        self.log.write(f"{number}\n")
        return number * number


def main():
    with tempfile.TemporaryDirectory() as folder:
        writer = Writer(folder)
        with Pool(2) as pool:
            print(pool.map(writer.square, range(3)))


if __name__ == "__main__":
    main()
