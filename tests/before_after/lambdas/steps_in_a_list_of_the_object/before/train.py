import multiprocessing as mp


class Steps:
    """The steps that a worker takes with one row."""

    def __init__(self, dataset, scale):
        self.dataset = dataset
        self.scale = scale
        self.steps = []
        self.named = {}

    def add_row(self):
        def row(index):
            return self.dataset[index] * self.scale

        self.steps.append(row)

    def add_named(self):
        def last(index):
            return self.dataset[-1] + index

        self.named["last"] = last

    def run(self, queue):
        queue.put([step(1) for step in self.steps] + [self.named["last"](2)])


def main():
    steps = Steps([3, 5, 7], 2)
    steps.add_row()
    steps.add_named()
    steps.scale = 10
    print(steps.steps[0](0), steps.named["last"](1))
    queue = mp.SimpleQueue()
    worker = mp.Process(target=steps.run, args=(queue,))
    worker.start()
    print(queue.get())
    worker.join()


if __name__ == "__main__":
    main()
