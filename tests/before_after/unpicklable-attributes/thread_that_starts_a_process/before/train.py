import multiprocessing
import threading


class Watcher(threading.Thread):
    def __init__(self, name):
        super().__init__(daemon=True)
        self.label = name

    def run(self):
        worker = multiprocessing.Process(target=self.work)
        worker.start()
        worker.join()

    def work(self):
        print("watching", self.label, flush=True)


def main():
    worker = multiprocessing.Process(target=Watcher("loss").work)
    worker.start()
    worker.join()


if __name__ == "__main__":
    main()
