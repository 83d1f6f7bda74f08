from multiprocessing import Pool


class Base:
    def __init__(self, rows):
        self.rows = rows

    def load(self, index):
        return self.rows[index]


def build_dataset(rows):
    class Clean:
        """Strips."""

        def __call__(self, row):
            return row.strip()

    class TextDataset(Base):
        sep = ","

        def __init__(self, rows):
            super().__init__(rows)
            self.clean = Clean()

        def load(self, index):
            return self.clean(super().load(index)).split(self.sep)

    return TextDataset(rows)


if __name__ == "__main__":
    dataset = build_dataset([" a,b ", "c"])
    with Pool(1) as pool:
        print(pool.map(dataset.load, range(2)))
