def score(metric, rows, out):
    out.put((metric.__name__, [metric(row) for row in rows]))
