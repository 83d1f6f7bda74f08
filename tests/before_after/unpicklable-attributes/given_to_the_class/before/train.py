import sqlite3
import tempfile
from multiprocessing import Pool


class Captions:
    def __init__(self, connection):
        self.connection = connection

    def text(self, number):
        return self.connection.execute("SELECT text FROM captions WHERE id = ?", (number,)).fetchone()[0]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as root:
        connection = sqlite3.connect(f"{root}/captions.db")
        connection.execute("CREATE TABLE captions (id INTEGER, text TEXT)")
        connection.executemany("INSERT INTO captions VALUES (?, ?)", [(0, "a cat"), (1, "a dog")])
        connection.commit()
        captions = Captions(connection)
        with Pool(2) as pool:
            print(pool.map(captions.text, [0, 1]))
