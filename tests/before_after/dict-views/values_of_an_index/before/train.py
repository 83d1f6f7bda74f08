import csv
import io
from multiprocessing import Process, Queue

INDEX = """\
name,frames
walk_0,120
run_3,64
jump_1,80
"""


class ClipReader(object):
    def __init__(self, text):
        lengths = {row['name']: int(row['frames']) for row in csv.DictReader(io.StringIO(text))}
        self.lengths = lengths.values()
        self.total = sum(lengths.values())

    def read(self, queue, stride):
        queue.put([length // stride for length in self.lengths])


def main():
    reader = ClipReader(INDEX)
    queue = Queue()
    process = Process(target=reader.read, args=(queue, 8))
    process.start()
    print(queue.get(timeout=30), reader.total)
    process.join()


if __name__ == '__main__':
    main()
