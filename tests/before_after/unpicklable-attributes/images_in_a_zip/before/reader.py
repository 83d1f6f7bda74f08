import zipfile


class ZipReader:
    def __init__(self, path):
        self.path = path
        self.zip = zipfile.ZipFile(path)
        self.names = sorted(self.zip.namelist())

    def read(self, index):
        return self.zip.read(self.names[index]).decode()

    def close(self):
        self.zip.close()
