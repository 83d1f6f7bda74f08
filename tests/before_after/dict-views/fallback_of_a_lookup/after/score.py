import multiprocessing
from types import SimpleNamespace


class Scorer:
    def __init__(self, config, options):
        self.heads = config.get("heads", {})
        self.tasks = config.get("tasks", list(self.heads.keys()))
        if isinstance(self.tasks, str):
            self.tasks = self.tasks.split(",")
        self.reported = getattr(options, "reported", list(self.heads.keys()))

    def run(self, samples):
        for sample in samples:
            scores = {task: sample * self.heads[task] for task in self.tasks}
            print([scores[name] for name in self.reported if name in scores])


if __name__ == "__main__":
    heads = {"vqa": 2, "mlm": 3}
    for config in ({"heads": heads}, {"heads": heads, "tasks": "mlm"}):
        worker = multiprocessing.Process(target=Scorer(config, SimpleNamespace()).run, args=(range(3),))
        worker.start()
        worker.join()
        if worker.exitcode:
            raise SystemExit(worker.exitcode)
