import zipfile


class ZipReader:
    def __init__(self, path):
        self.path = path
        self.zip = zipfile.ZipFile(path)
        self.names = sorted(self.zip.namelist())

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        state["zip"] = self.zip.fp is not None
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.zip = zipfile.ZipFile(self.path)
        if not state["zip"]:
            self.zip.close()

    def read(self, index):
        return self.zip.read(self.names[index]).decode()

    def close(self):
        self.zip.close()
