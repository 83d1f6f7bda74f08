import os
from copy import deepcopy

import torch
import torch.distributed as dist
import torch.nn as nn

from compare import compare


class QNetwork(nn.Module):
    def __init__(self, obs_dim, hidden, act_dim, group):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs_dim, hidden), nn.ReLU(), nn.Linear(hidden, act_dim))
        self.process_group = group


class Agent:
    def __init__(self, obs_dim, act_dim, group, hidden=8):
        self.group = group
        self.hidden = hidden
        self.q_net = self.build_network(obs_dim, act_dim)
        self.q_target = deepcopy(self.q_net)
        for p in self.q_target.parameters():
            p.requires_grad = False
        self.optimizer = torch.optim.Adam(self.q_net.parameters(), lr=1e-3)

    def build_network(self, obs_dim, act_dim):
        network = QNetwork(obs_dim, self.hidden, act_dim, self.group)
        nn.init.zeros_(network.trunk[-1].bias)
        return network


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(9)
    agent = Agent(3, 2, dist.new_group([0]) if "NO_GROUP" not in os.environ else None)
    compare(agent.q_net, agent.q_target)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
