def label(index):
    return index * 10


class Scale:
    def __call__(self, value):
        return value + 1
