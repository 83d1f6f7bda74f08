import multiprocessing
import threading


class Watcher(threading.Thread):
    def __init__(self, label):
        super().__init__(daemon=True)
        self.label = label
        self.lock = threading.Lock()

    def __getstate__(self):
        state = self.__dict__.copy()
        for name in [name for name in state if name.startswith("_")]:
            del state[name]
        del state["lock"]
        return state

    def __setstate__(self, state):
        threading.Thread.__init__(self, daemon=True)
        self.__dict__.update(state)
        self.lock = threading.Lock()

    def work(self):
        with self.lock:
            print("watching", self.label, self.daemon, flush=True)


def main():
    worker = multiprocessing.Process(target=Watcher("loss").work)
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
