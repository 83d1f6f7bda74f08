import os
import sqlite3
import tempfile
from multiprocessing import Process

from base import Reader


class Captions(Reader):
    def __init__(self, language, **options):
        super().__init__("captions", **options)
        self.language = language


def main():
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(os.path.join(folder, "captions.db"))
        connection.execute("CREATE TABLE captions (id INTEGER, text TEXT)")
        connection.execute("INSERT INTO captions VALUES (0, 'a cat')")
        connection.commit()
        options = dict(connection=connection)
        captions = Captions("en", **options)
        worker = Process(target=captions.show, args=(0,))
        worker.start()
        worker.join()


if __name__ == "__main__":
    main()
