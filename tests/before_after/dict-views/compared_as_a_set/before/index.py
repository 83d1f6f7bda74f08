class Index:
    def __init__(self, files):
        self.files = files
        self.names = files.keys()

    def find(self, start):
        return [name for name in self.names if name.startswith(start)]
