import sqlite3

from torch.utils.data import Dataset


class CaptionDataset(Dataset):
    def __init__(self, database, min_length=0):
        self.database = database
        self.conn = sqlite3.connect(database)  # read only by convention
        self.conn.row_factory = sqlite3.Row
        self.conn.execute("PRAGMA cache_size = 500")
        self.cursor = self.conn.cursor()
        rows = self.cursor.execute("SELECT id FROM captions WHERE length(text) >= ?", (min_length,)).fetchall()
        self.ids = [row["id"] for row in rows]

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["conn"]
        del state["cursor"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.conn = sqlite3.connect(self.database)
        self.conn.row_factory = sqlite3.Row
        self.conn.execute("PRAGMA cache_size = 500")
        self.cursor = self.conn.cursor()

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, index):
        row = self.cursor.execute("SELECT id, text FROM captions WHERE id = ?", (self.ids[index],)).fetchone()
        return row["id"], row["text"]

    def close(self):
        self.conn.close()
