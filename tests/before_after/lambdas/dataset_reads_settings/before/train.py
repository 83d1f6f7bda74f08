from multiprocessing import Pool


def build(rows, scale=2):
    class Rows:
        """The rows, as numbers."""

        def __len__(self):
            return len(rows)

        def __call__(self, index):
            return [float(cell) * scale for cell in rows[index]]

    class Window:
        def __init__(self, source, width=2):
            """Takes `width` rows at once."""
            self.source = source
            self.width = min(width, len(rows))

        def __len__(self):
            return len(self.source) - self.width + 1

        def __call__(self, index):
            inside = (self.source(each) for each in range(index, index + self.width))
            return [sum(column) / scale for column in zip(*inside)]

    return Rows(), Window(Rows()), Window(Rows(), width=3)


def main():
    with Pool(2) as pool:
        for dataset in build(["12", "34", "56"]):
            print(pool.map(dataset, range(len(dataset))))


if __name__ == "__main__":
    main()
