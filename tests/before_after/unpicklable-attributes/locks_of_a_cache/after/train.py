import queue
import threading
from multiprocessing import Pool


class FrameCache:
    def __init__(self, root, limit=8):
        self.root = root
        self.lock = threading.Lock()
        self.filled = threading.Condition(self.lock)
        self.stop = threading.Event()
        self.limit = limit
        self.requests = queue.Queue(maxsize=limit)
        self.frames = {}

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["lock"]
        del state["filled"]
        del state["stop"]
        state["requests"] = list(self.requests.queue)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()
        self.filled = threading.Condition(self.lock)
        self.stop = threading.Event()
        self.requests = queue.Queue(maxsize=self.limit)
        for item in state["requests"]:
            self.requests.put(item)

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
