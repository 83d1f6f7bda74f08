class LineFile:
    def __init__(self, path):
        self.path = path
        self.file = None
        with open(path) as file:
            self.offsets = [0]
            for line in file:
                self.offsets.append(self.offsets[-1] + len(line))

    def __len__(self):
        return len(self.offsets) - 1

    def seek(self, at):
        self.open()
        self.file.seek(self.offsets[at])
        return self.file.readline().rstrip().split("\t")

    def open(self):
        if self.file is None:
            self.file = open(self.path)
