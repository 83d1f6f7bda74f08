import multiprocessing as mp


class AgentProcess(mp.Process):
    def __init__(self, master, rank):
        super().__init__(name="Process-%d" % rank)
        self.master, self.rank = master, rank
        self.experience = []


class Learner(AgentProcess):
    def run(self):
        for step in range(self.master.opt.steps):
            self.experience.append(step * self.rank)
        print("learned", self.rank, sum(self.experience), flush=True)
