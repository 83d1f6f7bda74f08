from multiprocessing import Pool

from labels import DYNAMIC, Painter

def start(painter):
    global PAINTER
    PAINTER = painter


def work(item):
    return PAINTER.paint(item)


if __name__ == "__main__":
    with Pool(2, initializer=start, initargs=(Painter(0.5),)) as pool:
        print(pool.map(work, ["car", "tree", "sky"]), DYNAMIC)
