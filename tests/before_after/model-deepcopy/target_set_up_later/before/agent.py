import copy
import os

import torch
import torch.distributed as dist
import torch.nn as nn

from compare import compare


class Critic(nn.Module):
    def __init__(self, width, group=None):
        super().__init__()
        self.layer = nn.Linear(width, width)
        self.group = group

    def forward(self, x):
        return self.layer(x)


class Agent:
    def __init__(self, width, group=None):
        self.critic = Critic(width, group).train()
        self.optimizer = torch.optim.SGD(self.critic.parameters(), lr=0.1)

    def step(self, x):
        loss = self.critic(x).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def setup_target(self):
        """Called once the warm-up is over."""
        self.critic_target = copy.deepcopy(self.critic)
        self.critic_target.requires_grad_(False)


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(1)
    agent = Agent(3, None if "NO_GROUP" in os.environ else dist.new_group([0]))
    agent.step(torch.ones(2, 3))
    agent.setup_target()
    compare(agent.critic, agent.critic_target)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
