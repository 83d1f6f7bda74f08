import queue
from multiprocessing import Process


class Jobs:
    def __init__(self, files):
        self.todo = queue.Queue()
        for name in files:
            self.todo.put(name)

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
