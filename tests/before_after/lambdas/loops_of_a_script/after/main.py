import functools
import multiprocessing as mp

from table import METRICS


class Env:
    def __init__(self, seed):
        self.state = seed

    def step(self, action):
        self.state += action
        return self.state


def rollout(make_env, metrics, out):
    env = make_env()
    states = [env.step(action) for action in (1, 0, 1)]
    out.put([metric(states) for metric in metrics])


def _env(seed=None):
    return Env(seed)


if __name__ == "__main__":
    makers = []
    for seed in range(2):
        makers.append(functools.partial(_env, seed=seed))
    for maker in makers:
        out = mp.Queue()
        process = mp.Process(target=rollout, args=(maker, list(METRICS.values()), out))
        process.start()
        print(out.get())
        process.join()
