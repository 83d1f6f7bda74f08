import multiprocessing


class Task:
    def __init__(self, number):
        self.number = number
        self.lock = multiprocessing.get_context("fork").Lock()

    def run(self):
        with self.lock:
            print("task", self.number)


if __name__ == "__main__":
    task = Task(3)
    process = multiprocessing.Process(target=task.run)
    process.start()
    process.join()
