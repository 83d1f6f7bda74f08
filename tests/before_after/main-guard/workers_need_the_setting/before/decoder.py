SCALE = 1.0


def decode(index):
    return index * SCALE
