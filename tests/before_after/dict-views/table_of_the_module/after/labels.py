PALETTE = {"road": (128, 64, 128), "car": (0, 0, 142), "sky": (70, 130, 180)}
CLASSES = PALETTE.keys()
DYNAMIC = CLASSES - {"road", "sky"}


class Painter:
    def __init__(self, scale):
        self.scale = scale
        self.classes = list(CLASSES)

    def paint(self, name):
        rows = [PALETTE[other] for other in self.classes if other == name]
        return [tuple(int(value * self.scale) for value in row) for row in rows]
