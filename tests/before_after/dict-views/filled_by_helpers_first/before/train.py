from multiprocessing import Pool


class Annotations:
    def __init__(self, rows):
        self.table = {}
        self._load(rows)
        self._clean()
        self.names = self.table.keys() if self.table else []

    def _load(self, rows):
        for name, boxes in rows:
            self.table[name] = boxes

    def _clean(self):
        for name in [name for name, boxes in self.table.items() if not boxes]:
            del self.table[name]

    def boxes(self, least):
        return [name for name in self.names if self.table[name] >= least]


class Split:
    def __init__(self, names):
        self.names = set(names)

    def common(self, names):
        return sorted(self.names & set(names))


def start(annotations):
    global ANNOTATIONS
    ANNOTATIONS = annotations


def work(item):
    return ANNOTATIONS.boxes(item)


if __name__ == "__main__":
    annotations = Annotations([("a.jpg", 3), ("b.jpg", 0), ("c.jpg", 1)])
    with Pool(2, initializer=start, initargs=(annotations,)) as pool:
        print(pool.map(work, [1, 2]))
    print(Split(["a", "b"]).common(["b", "c"]))
