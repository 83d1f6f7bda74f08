import functools
from multiprocessing import Pool


class _BuildRows:
    """The rows, as numbers."""

    def __init__(self, rows, scale):
        self.rows = rows
        self.scale = scale

    def __len__(self):
        return len(self.rows)

    def __call__(self, index):
        return [float(cell) * self.scale for cell in self.rows[index]]


class _BuildWindow:
    def __init__(self, rows, scale, source, width=2):
        """Takes `width` rows at once."""
        self.scale = scale
        self.source = source
        self.width = min(width, len(rows))

    def __len__(self):
        return len(self.source) - self.width + 1

    def __call__(self, index):
        inside = (self.source(each) for each in range(index, index + self.width))
        return [sum(column) / self.scale for column in zip(*inside)]


def build(rows, scale=2):
    Rows = functools.partial(_BuildRows, rows, scale)

    Window = functools.partial(_BuildWindow, rows, scale)

    return Rows(), Window(Rows()), Window(Rows(), width=3)


def main():
    with Pool(2) as pool:
        for dataset in build(["12", "34", "56"]):
            print(pool.map(dataset, range(len(dataset))))


if __name__ == "__main__":
    main()
