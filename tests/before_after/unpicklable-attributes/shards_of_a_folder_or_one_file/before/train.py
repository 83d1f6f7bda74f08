from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from shards import Shards
from torch.utils.data import DataLoader


def main():
    with TemporaryDirectory() as folder:
        for name, rows in (("a.zip", range(3)), ("b.zip", range(3, 7))):
            with ZipFile(Path(folder, name), "w") as shard:
                for row in rows:
                    shard.writestr(f"{row}.txt", str(row))
        for src in (folder, f"{folder}/b.zip"):
            loader = DataLoader(Shards({"src": src}), batch_size=4, num_workers=1)
            print([batch.tolist() for batch in loader])


if __name__ == "__main__":
    main()
