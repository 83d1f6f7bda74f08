def score(row, weights):
    return sum(x * w for x, w in zip(row, weights)) - 2
