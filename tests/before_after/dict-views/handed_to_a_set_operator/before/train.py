from concurrent.futures import ProcessPoolExecutor


def shared(names, others):
    return names & others


class Task:
    def __init__(self, labels):
        self.labels = labels.keys()

    def run(self, wanted):
        return sorted(shared(self.labels, {wanted, "sky"}))


def start(task):
    global TASK
    TASK = task


def work(item):
    return TASK.run(item)


if __name__ == "__main__":
    task = Task({"car": 1, "sky": 2})
    with ProcessPoolExecutor(2, initializer=start, initargs=(task,)) as executor:
        print(list(executor.map(work, ["car", "bus"])))
