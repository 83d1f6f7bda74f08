import os
import sqlite3
import tempfile

from torch.utils.data import DataLoader

from dataset import CaptionDataset


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "captions.db")
        conn = sqlite3.connect(path)
        conn.execute("CREATE TABLE captions (id INTEGER PRIMARY KEY, text TEXT)")
        conn.executemany("INSERT INTO captions VALUES (?, ?)", [(n, "a cat " * n) for n in range(1, 7)])
        conn.commit()
        conn.close()
        dataset = CaptionDataset(path, min_length=8)
        for ids, texts in DataLoader(dataset, batch_size=2, num_workers=2):
            print(ids.tolist(), [len(text) for text in texts])
        dataset.close()


if __name__ == "__main__":
    main()
