import threading


class Reader:
    def __init__(self, name):
        self.name = name
        self.lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        del state["lock"]
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.lock = threading.Lock()

    def read(self, index):
        with self.lock:
            return f"{self.name}: {self.fetch(index)}"
