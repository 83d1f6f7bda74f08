from core.workers import Learner


class SharedAgent:
    def __init__(self, opt):
        self.opt = opt
        self.count = 2

    def fit_model(self):
        jobs = [Learner(self, rank) for rank in range(self.count)]
        for job in jobs:
            job.start()
            job.join()
            if job.exitcode:
                raise SystemExit("a learner failed")
        print("all learned")

    def test_model(self):
        print("tested", self.opt.steps)
