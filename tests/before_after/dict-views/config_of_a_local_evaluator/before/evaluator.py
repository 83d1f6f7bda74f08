class Evaluator:
    def __init__(self, boxes, config):
        self.boxes, self.cfg = boxes, config

    def main(self):
        ranges = self.cfg.class_range
        return [sum(box < ranges[name] for box in self.boxes[name]) for name in self.cfg.class_names]
