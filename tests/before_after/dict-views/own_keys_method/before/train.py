from multiprocessing import Pool


class Sheet:
    def __init__(self, rows):
        self.rows = rows

    def keys(self):
        return [row[0] for row in self.rows]

    def values(self, column=1):
        return tuple(row[column] for row in self.rows)


class Report:
    def __init__(self, sheet: Sheet):
        self.names = sheet.keys()
        self.scores = sheet.values()
        self.times = sheet.values(2)

    def line(self, at):
        return self.names[at], self.scores[at], self.times[at]


if __name__ == "__main__":
    report = Report(Sheet([("a", 1, 0.5), ("b", 2, 0.25)]))
    with Pool(2) as pool:
        print(pool.map(report.line, [0, 1]))
