from multiprocessing import Pool


class Loader:
    def __init__(self, images, labels):
        names = images.keys()
        missing = names - labels.keys()
        if missing:
            print("without labels:", sorted(missing))
        self.names = list(names)
        self.labels = labels

    def load(self, start):
        return [self.labels.get(name, -1) for name in self.names if name.startswith(start)]


def start(loader):
    global LOADER
    LOADER = loader


def work(item):
    return LOADER.load(item)


if __name__ == "__main__":
    loader = Loader({"a1": 0, "a2": 0, "b1": 0}, {"a1": 3, "b1": 4})
    with Pool(2, initializer=start, initargs=(loader,)) as pool:
        print(pool.map(work, ["a", "b"]))
