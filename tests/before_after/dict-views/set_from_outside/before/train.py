from multiprocessing import Pool

from configs import build_config


class Boxes:
    def __init__(self, cfg, boxes):
        self.cfg = cfg
        self.boxes = boxes

    def __getitem__(self, index):
        return [(name, self.boxes[index].count(name)) for name in self.cfg.class_names]


def start(boxes):
    global BOXES
    BOXES = boxes


def work(item):
    return BOXES.__getitem__(item)


def main():
    boxes = Boxes(build_config({"car": 50, "bus": 40}), [["car", "car"], ["bus"]])
    with Pool(2, initializer=start, initargs=(boxes,)) as pool:
        print(pool.map(work, [0, 1]))


if __name__ == "__main__":
    main()
