from torch.utils.data import DataLoader


class Metric:
    def __init__(self, ranges):
        self.ranges = ranges
        self.names = self.ranges.keys()

    def count(self, boxes):
        return [sum(box < self.ranges[name] for box in boxes) for name in self.names]


def main():
    metric = Metric({"car": 50, "bus": 30})
    for batch in DataLoader([20, 40, 60], batch_size=3, num_workers=1):
        print(metric.count(batch.tolist()))


if __name__ == "__main__":
    main()
