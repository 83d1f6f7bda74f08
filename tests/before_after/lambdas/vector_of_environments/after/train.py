import functools
from multiprocessing import Pipe, Process


class Env:
    def __init__(self, name, seed):
        self.name, self.seed = name, seed

    def step(self, action):
        return f"{self.name}:{self.seed * action}"


def _serve(remote, env_fn):
    env = env_fn()
    while (action := remote.recv()) is not None:
        remote.send(env.step(action))
    remote.close()


class VecEnv:
    def __init__(self, env_fns):
        self.remotes, work_remotes = zip(*[Pipe() for _ in env_fns])
        self.processes = [
            Process(target=_serve, args=(remote, env_fn)) for remote, env_fn in zip(work_remotes, env_fns)
        ]
        for process in self.processes:
            process.start()

    def step(self, actions):
        for remote, action in zip(self.remotes, actions):
            remote.send(action)
        return [remote.recv() for remote in self.remotes]

    def close(self):
        for remote in self.remotes:
            remote.send(None)
        for process in self.processes:
            process.join()


def _make_env_thunk(name, rank):
    return Env(name, 100 + rank)


def make_env(name, rank):
    return functools.partial(_make_env_thunk, name, rank)


def _main_env(i=None):
    return Env("late", i)


def main(name="pong"):
    envs = VecEnv([make_env(name, i) for i in range(2)])
    print(envs.step([1, 2]))
    envs.close()
    env_fns = []
    for i in range(2):
        env_fns.append(functools.partial(_main_env, i=i))
    envs = VecEnv(env_fns)
    print(envs.step([3, 4]))
    envs.close()


if __name__ == "__main__":
    main()
