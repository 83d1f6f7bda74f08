import multiprocessing as mp

from table import Table


class Report:
    def __init__(self, table):
        self.names = table.keys()
        self.columns = table.values()

    def widths(self):
        return [(name, max(column)) for name, column in zip(self.names, self.columns)]


def render(report, out):
    out.put((report.widths(), report.columns))


if __name__ == "__main__":
    out = mp.Queue()
    worker = mp.Process(target=render, args=(Report(Table([("a", 1), ("b", 2)], ["name", "score"])), out))
    worker.start()
    print(out.get())
    worker.join()
