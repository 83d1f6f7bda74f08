from multiprocessing import Pool


class Cache:
    def __init__(self, files):
        self.sizes = {name: len(name) for name in files}
        self.files = self.sizes.keys()

    def grow(self, name):
        self.sizes[name] = 0

    def size(self, start):
        return sum(self.sizes[name] for name in self.files if name.startswith(start))


def start(cache):
    global CACHE
    CACHE = cache


def work(item):
    return CACHE.size(item)


def main():
    with Pool(2, initializer=start, initargs=(Cache(["a.png", "ab.png", "c.jpeg"]),)) as pool:
        print(pool.map(work, ["a", "c"]))


if __name__ == "__main__":
    main()
