SIZE = {"items": 3}


def label(index):
    return index * 10


def count():
    return 3
