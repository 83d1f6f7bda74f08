import functools
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


# Doubles the value of a row.
# as it is in the file
def _signal_pipeline(row):
    return row * 2


def _scale_pipeline(scale, signal):
    return signal * scale


def _word_pipeline(words, scaled):
    return words[scaled % len(words)]


def prepare(scale, words):
    signal_pipeline = takes("row")(provides("signal")(_signal_pipeline))

    scale_pipeline = takes("signal")(
        provides("scaled")(functools.partial(_scale_pipeline, scale)),
    )

    word_pipeline = takes("scaled")(
        provides("word")(functools.partial(_word_pipeline, words)),
    )

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
