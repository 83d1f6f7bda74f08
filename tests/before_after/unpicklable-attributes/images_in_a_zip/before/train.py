import os
import tempfile
import zipfile
from multiprocessing import Pool

from reader import ZipReader


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "images.zip")
        with zipfile.ZipFile(path, "w") as archive:
            for number in range(4):
                archive.writestr(f"{number}.png", f"image {number}")
        reader = ZipReader(path)
        with Pool(2) as pool:
            print(pool.map(reader.read, range(4)))
        reader.close()


if __name__ == "__main__":
    main()
