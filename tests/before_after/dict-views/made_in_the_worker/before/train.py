from multiprocessing import Pool


class Frames:
    def __init__(self, count):
        self.count = count

    def __getitem__(self, index):
        self.fields = {"rgb": index, "depth": index * 2}.keys()
        return [f"{name}{index}" for name in self.fields]

    def __iter__(self):
        self.order = {index: None for index in range(self.count)}.keys()
        return iter(self.order)


if __name__ == "__main__":
    frames = Frames(3)
    with Pool(2) as pool:
        print(pool.map(frames.__getitem__, [0, 1]))
    print(list(frames))
