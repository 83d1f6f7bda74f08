from multiprocessing import Pool


class Clips:
    def __init__(self, names, stride):
        self.windows = [(name, start) for name in names for start in range(0, 6, stride)]

    def count(self, name):
        return sum(1 for each, _ in self.windows if each == name)


def main():
    clips = Clips(["a", "b"], 2)
    with Pool(1) as pool:
        print(pool.apply(clips.count, ("b",)))


if __name__ == "__main__":
    main()
