import copy

import torch
import torch.nn as nn


class QNetwork(nn.Module):
    def __init__(self, observations, actions):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(observations, 8), nn.ReLU(), nn.Linear(8, actions))

    def forward(self, x):
        return self.net(x)


class Agent:
    def __init__(self, observations=3, actions=2):
        self.online = QNetwork(observations, actions)
        self.target = copy.deepcopy(self.online)
        self.target.eval()

    def sync(self):
        self.target = copy.deepcopy(self.online)


if __name__ == "__main__":
    torch.manual_seed(0)
    agent = Agent()
    agent.sync()
    x = torch.ones(1, 3)
    print(torch.equal(agent.online(x), agent.target(x)))
