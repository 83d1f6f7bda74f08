import argparse
from multiprocessing import Pipe, Process


class Environment(Process):
    def __init__(self, index, pipe):
        super(Environment, self).__init__()
        self.scale = scale
        self.daemon = True
        self.index = index
        self.pipe = pipe
        self.lives = 3

    def run(self):
        super(Environment, self).run()
        while True:
            action = self.pipe.recv()
            if action is None:
                break
            if life_done:
                self.lives -= 1
            self.pipe.send((self.lives, self.reward(action)))

    def reward(self, action):
        return action * self.scale


life_done = True

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=int, default=2)
    args = parser.parse_args()
    scale = args.scale + 1

    pipes, environments = [], []
    for index in range(2):
        ours, theirs = Pipe()
        environment = Environment(index, theirs)
        environment.start()
        theirs.close()
        environments.append(environment)
        pipes.append(ours)

    for step in range(2):
        for pipe in pipes:
            pipe.send(step)
        print([pipe.recv() for pipe in pipes])
    for pipe in pipes:
        pipe.send(None)
