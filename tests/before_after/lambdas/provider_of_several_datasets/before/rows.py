class Rows:
    def __init__(self, provider, indexes):
        self.provider = provider
        self.indexes = indexes

    def __len__(self):
        return len(self.indexes)


class TrainRows(Rows):
    def __init__(self, provider, indexes, repeat=1):
        super(TrainRows, self).__init__(provider, indexes)
        self.repeat = repeat

    def __getitem__(self, index):
        return self.provider[self.indexes[index]]["masks"] * self.repeat


class SequentialRows(Rows):
    def __init__(self, provider, indexes):
        super(SequentialRows, self).__init__(provider, indexes)
        self.tiles = [(index, 0) for index in indexes]

    def __getitem__(self, index):
        return self.provider[self.tiles[index][0]]["labels"]


class ValRows(SequentialRows):
    def __init__(self, provider, indexes):
        super(ValRows, self).__init__(provider, indexes)
        self.masks = True

    def __getitem__(self, index):
        return self.provider[self.indexes[index]]["masks"]
