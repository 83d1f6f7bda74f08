import queue
import threading
from multiprocessing import Pool


class FrameCache:
    def __init__(self, root, limit=8):
        self.root = root
        self.lock = threading.Lock()
        self.filled = threading.Condition(self.lock)
        self.stop = threading.Event()
        self.requests = queue.Queue(maxsize=limit)
        self.frames = {}

    def load(self, name):
        with self.lock:
            self.frames[name] = f"{self.root}/{name}"
        if self.stop.is_set():
            return None
        self.requests.put(name)
        return self.frames[self.requests.get()]


def main():
    cache = FrameCache("data/frames")
    with Pool(2) as pool:
        print(pool.map(cache.load, ["0001.png", "0002.png", "0003.png"]))


if __name__ == "__main__":
    main()
