import os
import tempfile
import zipfile
from multiprocessing import Pool


class Scenes:
    def __init__(self, root, names):
        self.archives = {}
        self.parts = []
        self.lengths = []
        for name in names:
            path = os.path.join(root, f"{name}.zip")
            archive = zipfile.ZipFile(path)
            self.archives[name] = archive
            self.lengths.append(len(archive.namelist()))
        for number in range(2):
            self.parts.append(open(os.path.join(root, f"part{number}.txt"), "rb"))

    def frame(self, key):
        name, index = key
        part = self.parts[index % 2]
        part.seek(index)
        return self.archives[name].read(f"{index}.txt") + part.read(2)


def write(root):
    for name in ("kitchen", "office"):
        with zipfile.ZipFile(os.path.join(root, f"{name}.zip"), "w") as archive:
            for index in range(3):
                archive.writestr(f"{index}.txt", f"{name} {index} ")
    for number in range(2):
        with open(os.path.join(root, f"part{number}.txt"), "w") as part:
            part.write("abcdef"[number:])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as root:
        write(root)
        scenes = Scenes(root, ["kitchen", "office"])
        with Pool(2) as pool:
            print(scenes.lengths, pool.map(scenes.frame, [("kitchen", 0), ("office", 1), ("office", 2)]))
