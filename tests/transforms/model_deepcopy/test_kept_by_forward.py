"""Models that keep of a run what is part of a gradient's history, which `copy.deepcopy` refuses."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
import copy

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(3))
        self.fixed = nn.Parameter(torch.ones(3), requires_grad=False)
        self.layer = nn.Linear(3, 3)
        self.act = nn.ReLU()
        self.last = None

    def forward(self, x):
        {body}
        return (self.w * x).sum()


net = Net()
net(torch.ones(3)).backward()
twin = copy.deepcopy(net)
"""


METHODS = (
    ".relu().tanh().sigmoid().softmax(0).exp().log().abs().sqrt().pow(2).matmul(x).sum(0).mean(0).clone().view(1)"
    ".reshape(1).flatten().permute(0).transpose(0, 0).squeeze().unsqueeze(0).contiguous().float()"
)


@each_row(
    "body",
    [
        "self.last = self.layer(x)",
        "self.last = self.w * x",
        "self.last = x @ self.w",
        "self.last = -self.w",
        "y = self.w * x\n        self.last = y.sum()",
        "y = x * 2\n        self.last = self.act(y + self.w)",
        "self.last = F.relu(self.w * x)",
        "self.last = torch.cat([x, self.w])",
        "self.last = F.softmax(self.layer(x), dim=0).mean()",
        "y = self.layer(x)\n        y = F.relu(y)\n        self.last = y",
        f"self.last = self.layer(x){METHODS}",
    ],
)
def test_it_has_a_history(body: str) -> None:
    (found,) = reported({"run.py": PROGRAM.format(body=body)}, "model-deepcopy")
    assert "keeps a tensor on it that is part of a gradient's history" in found.message, found
    assert found.confidence.value == "proven"


@each_row(
    "body",
    [
        "self.last = x * 2",
        "self.last = self.w",
        "self.last = (self.w * x).detach()",
        "self.last = self.act(x)",
        "self.last = self.fixed * x",
        "self.last = (self.w * x).sum().item()",
        "with torch.no_grad():\n            self.last = self.w * x",
        "y = self.w * x\n        y = x\n        self.last = y",
        "self.last = F.one_hot(x.long())",
        "self.last = self.w.shape[0] * 2",
        "self.last = self.w * x\n        self.last = self.last.detach()",
        "if self.training:\n            self.last = self.w * x",
        "if not self.training:\n            return x\n        self.last = self.w * x",
        "self.last = self.w * x\n        del self.last",
    ],
)
def test_it_has_none(body: str) -> None:
    found = reported({"run.py": PROGRAM.format(body=body)}, "model-deepcopy")
    assert not [each for each in found if "history" in each.message]


@each_row(
    "at, line",
    [
        ("        self.last = None", "        self.w.requires_grad = False"),
        ("        self.last = None", "        for each in self.parameters():\n            each.requires_grad_(False)"),
        ("net = Net()", "net.requires_grad_(False)"),
        ("net = Net()", "for each in net.parameters():\n    each.requires_grad = False"),
    ],
)
def test_parameters_that_do_not_learn_leave_none(at: str, line: str) -> None:
    text = PROGRAM.format(body="self.last = self.w * x")
    found = reported({"run.py": text.replace(at, f"{at}\n{line}")}, "model-deepcopy")
    assert not [each for each in found if "history" in each.message]


def test_only_the_copy_does_not_learn() -> None:
    text = PROGRAM.format(body="self.last = self.w * x") + "twin.requires_grad_(False)\n"
    (found,) = reported({"run.py": text}, "model-deepcopy")
    assert "part of a gradient's history" in found.message
