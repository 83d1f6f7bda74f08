from multiprocessing import Pool
from typing import Dict, List


class Skeleton:
    def __init__(self, joints: Dict[str, int]):
        self.joints = joints
        self.names: List[str] = (
            list(self.joints  # from the file
            .keys())  # in its order
        )

    def find(self, start: str) -> List[int]:
        return [self.joints[name] for name in self.names if name.startswith(start)]


def start(skeleton):
    global SKELETON
    SKELETON = skeleton


def work(item):
    return SKELETON.find(item)


if __name__ == "__main__":
    skeleton = Skeleton({"left hand": 3, "right hand": 4, "left foot": 7})
    with Pool(2, initializer=start, initargs=(skeleton,)) as pool:
        print(pool.map(work, ["left", "right"]))
