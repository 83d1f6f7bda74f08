import threading
from multiprocessing import Pool


class Table:
    def __init__(self, rows):
        self.rows = rows

    def row(self, number):
        with self.lock:
            return self.rows[number]


if __name__ == "__main__":
    table = Table(["a", "b"])
    table.lock = threading.Lock()
    with Pool(2) as pool:
        print(pool.map(table.row, [0, 1]))
