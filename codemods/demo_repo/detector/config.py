"""What the evaluation is made of."""


class EvalConfig:
    """How far away, in metres, a detection of each class still counts."""

    def __init__(self, class_range):
        self.class_range = class_range
        self.class_names = self.class_range.keys()

    def serialize(self):
        return {"class_range": self.class_range, "classes": list(self.class_names)}
