import multiprocessing

from pipeline import provides, takes


class Rows:
    def __init__(self, rows, steps):
        self.rows = rows
        self.steps = steps

    def read(self, at):
        value = self.rows[at]
        for step in self.steps:
            value = step(value)
        return value


def prepare(scale, words):
    # Doubles the value of a row.
    @takes("row")  # as it is in the file
    @provides("signal")
    def signal_pipeline(row):
        return row * 2

    @takes("signal")
    @provides("scaled")
    def scale_pipeline(signal):
        return signal * scale

    @takes("scaled")
    @provides("word")
    def word_pipeline(scaled):
        return words[scaled % len(words)]

    return Rows([1, 2, 3], [signal_pipeline, scale_pipeline, word_pipeline])


def read_all(rows, queue):
    queue.put([rows.read(at) for at in range(3)])


if __name__ == "__main__":
    rows = prepare(3, ["a", "b", "c", "d"])
    print([item.takes + item.provides for item in rows.steps])
    queue = multiprocessing.Queue()
    worker = multiprocessing.Process(target=read_all, args=(rows, queue))
    worker.start()
    print(queue.get())
    worker.join()
