import queue
from multiprocessing import Process


class Jobs:
    def __init__(self, files):
        self.todo = queue.Queue()
        for name in files:
            self.todo.put(name)

    def __getstate__(self):
        state = self.__dict__.copy()
        # what can't be pickled; __setstate__ makes it anew
        state["todo"] = list(self.todo.queue)
        return state

    def __setstate__(self, state):
        self.__dict__.update(state)
        self.todo = queue.Queue()
        for item in state["todo"]:
            self.todo.put(item)

    def run(self):
        while not self.todo.empty():
            print("done", self.todo.get())


def main():
    jobs = Jobs(["a.png", "b.png"])
    worker = Process(target=jobs.run)
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
