from multiprocessing import Pool


class Tracker:
    def __init__(self):
        self.tracks = {}
        self.names = self.tracks.keys()

    def add(self, name, length):
        self.tracks[name] = length

    def longest(self, least):
        return [name for name in self.names if self.tracks[name] >= least]


def start(tracker):
    global TRACKER
    TRACKER = tracker


def work(item):
    return TRACKER.longest(item)


def main():
    tracker = Tracker()
    tracker.add("a", 3)
    tracker.add("b", 8)
    with Pool(2, initializer=start, initargs=(tracker,)) as pool:
        print(pool.map(work, [1, 5]))


if __name__ == "__main__":
    main()
