import sqlite3

from torch.utils.data import Dataset


class CaptionDataset(Dataset):
    def __init__(self, database, min_length=0):
        self.conn = sqlite3.connect(database)  # read only by convention
        self.conn.row_factory = sqlite3.Row
        self.conn.execute("PRAGMA cache_size = 500")
        self.cursor = self.conn.cursor()
        rows = self.cursor.execute("SELECT id FROM captions WHERE length(text) >= ?", (min_length,)).fetchall()
        self.ids = [row["id"] for row in rows]

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        row = self.cursor.execute("SELECT id, text FROM captions WHERE id = ?", (self.ids[index],)).fetchone()
        return row["id"], row["text"]

    def close(self):
        self.conn.close()
