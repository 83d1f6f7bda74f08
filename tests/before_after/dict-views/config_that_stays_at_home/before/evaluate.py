from multiprocessing import Process

from nuscenes.eval.detection.config import config_factory


class Metric:
    """Counts boxes in range; never leaves this process."""

    def __init__(self, eval_version):
        self.eval_detection_configs = config_factory(eval_version)

    def count(self, boxes):
        ranges = self.eval_detection_configs.class_range
        return [sum(box < ranges[name] for box in boxes[name]) for name in self.eval_detection_configs.class_names]


def show(boxes):
    print(sorted(boxes), flush=True)


def main():
    config = config_factory('detection_cvpr_2019')
    boxes = {name: [10, 35, 45, 60] for name in config.class_names}
    worker = Process(target=show, args=(boxes,))
    worker.start()
    worker.join()
    print(Metric('detection_cvpr_2019').count(boxes))


if __name__ == '__main__':
    main()
