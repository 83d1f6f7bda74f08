import threading


class Reader:
    def __init__(self, name):
        self.name = name
        self.lock = threading.Lock()

    def read(self, index):
        with self.lock:
            return f"{self.name}: {self.fetch(index)}"
