class Table:
    def __init__(self, rows, header):
        self.rows = rows
        self.header = header

    def keys(self):
        return list(self.header)

    def values(self):
        return tuple(zip(*self.rows))
