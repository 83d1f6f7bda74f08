"""Captions by image, from a file of lines that is opened when it is first read."""

from multiprocessing import Pool

from lines import LineFile


class Captions:
    def __init__(self, path):
        self.lines = LineFile(path)
        self.keys = self.find_keys()

    def source(self):
        return self.lines

    def find_keys(self):
        lines = self.source()
        return [lines.seek(at)[0] for at in range(len(lines))]

    def __getitem__(self, at):
        return f"{self.keys[at]}: {self.lines.seek(at)[1]}"


def main():
    with open("captions.tsv", "w") as file:
        file.write("cat\ta cat on a mat\ndog\ta dog in the fog\n")
    captions = Captions("captions.tsv")
    with Pool(1) as pool:
        for caption in pool.map(captions.__getitem__, range(2)):
            print(caption)


if __name__ == "__main__":
    main()
