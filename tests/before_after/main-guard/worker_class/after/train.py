from multiprocessing import Process, Queue


class Sampler(Process):
    def __init__(self, queue, seed):
        super().__init__()
        self.queue = queue
        self.seed = seed

    def run(self):
        self.queue.put(self.seed ** 2)


if __name__ == "__main__":
    queue = Queue()
    samplers = [Sampler(queue, seed) for seed in (2, 3)]
    [sampler.start() for sampler in samplers]
    for sampler in samplers:
        sampler.join()
    if any(sampler.exitcode for sampler in samplers):
        raise RuntimeError("a sampler failed")
    print(sorted([queue.get(), queue.get()]))
