import os
import sqlite3
import tempfile
import threading
from multiprocessing import Process


class Captions:
    def __init__(self, path):
        self.path = path
        self.local = threading.local()
        self.size = self.connection().execute("SELECT COUNT(*) FROM captions").fetchone()[0]

    def connection(self):
        if not hasattr(self.local, "connection"):
            self.local.connection = sqlite3.connect(self.path)
        return self.local.connection

    def show(self, number):
        print(self.connection().execute("SELECT text FROM captions WHERE id = ?", (number,)).fetchone()[0], flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "captions.db")
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE captions (id INTEGER, text TEXT)")
        connection.executemany("INSERT INTO captions VALUES (?, ?)", [(0, "a cat"), (1, "a dog")])
        connection.commit()
        connection.close()
        captions = Captions(path)
        for number in range(captions.size):
            worker = Process(target=captions.show, args=(number,))
            worker.start()
            worker.join()


if __name__ == "__main__":
    main()
