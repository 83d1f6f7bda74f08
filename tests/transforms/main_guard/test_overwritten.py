"""A worker that makes a model and loads the weights of another does not depend on the seed of its parent."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
import multiprocessing as mp
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)
        {more}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        return {forward}

def evaluate(state, out):
    {body}
    out.put(model(torch.ones(1, 3)))

def main():
    torch.manual_seed(0)
    out = mp.Queue()
    p = mp.Process(target=evaluate, args=(Block().state_dict(), out))
    p.start()
    print(out.get())
    p.join()

if __name__ == "__main__":
    main()
"""


@each_row(
    "body, more, depends",
    [
        ("model = Block()\n    model.load_state_dict(state)", "pass", False),
        ("model = Block().eval()\n    print(1)\n    model.load_state_dict(state)", "pass", False),
        ("model = Net()\n    model.load_state_dict(state)", "pass", False),
        ("model = nn.Linear(3, 3)\n    model.load_state_dict(state)", "pass", False),
        ("model = Block()\n    model.load_state_dict(state)", "nn.init.zeros_(self.fc.bias)", False),
        ("model = Block()\n    model.load_state_dict(state, strict=True)\n    model.eval()", "nn.Dropout(0.5)", False),
        ("model = Block()\n    model.load_state_dict(state)", "self.drop = nn.Dropout(0.5)", True),
        ("model = Block()\n    model.load_state_dict(state, strict=False)", "pass", True),
        ("model = Block()\n    model.load_state_dict(state, False)", "pass", True),
        ("model = Block()", "pass", True),
        ("model = Block()\n    if state:\n        model.load_state_dict(state)", "pass", True),
        ("model = Block()\n    model.load_state_dict(state)\n    other = Block()", "pass", True),
        ("model = Block()\n    model.load_state_dict(state)", "self.noise = torch.randn(3)", True),
        ("model = Block()\n    model.load_state_dict(state)", "self.skip = [nn.Linear(3, 3)]", True),
        ("model = Block()\n    model.load_state_dict(state)", 'self.skip = {"a": nn.Linear(3, 3)}', True),
        ("model = Block()\n    model.load_state_dict(state)", "self.skip = [nn.Linear(3, 3) for _ in range(2)]", True),
        (
            "model = Block()\n    model.load_state_dict(state)",
            "self.skip = []\n        self.skip.append(nn.Linear(3, 3))",
            True,
        ),
        (
            "model = Block()\n    model.load_state_dict(state)",
            'self.skip = {}\n        self.skip["a"] = nn.Linear(3, 3)',
            True,
        ),
        (
            "model = Block()\n    model.load_state_dict(state)",
            "skip = [nn.Linear(3, 3)]\n        self.skip = skip",
            True,
        ),
        ("model = Block()\n    model.load_state_dict(state)", "self.skip = nn.ModuleList([nn.Linear(3, 3)])", False),
        (
            "model = Block()\n    model.load_state_dict(state)",
            "self.skip = nn.ModuleList()\n        self.skip.append(nn.Linear(3, 3))",
            False,
        ),
        (
            "model = Block()\n    model.load_state_dict(state)",
            "layers = []\n        layers.append(nn.Linear(3, 3))\n        self.skip = nn.Sequential(*layers)",
            False,
        ),
    ],
)
def test_weights_that_are_loaded(body: str, more: str, depends: bool) -> None:
    found = reported({"a.py": PROGRAM.format(body=body, more=more, forward="self.block(x)")}, "main-guard")
    assert any("seed of torch's default generator" in each.message for each in found) is depends


@each_row("forward, depends", [
    ("self.block(x)", False),
    ("self.block(x) * torch.bernoulli(x)", True),
    ("torch.cat([self.block(x), nn.Identity()(x)])", False),
])  # fmt: skip
def test_a_model_that_draws_when_it_runs(forward: str, depends: bool) -> None:
    body = "model = Net()\n    model.load_state_dict(state)"
    found = reported({"a.py": PROGRAM.format(body=body, more="pass", forward=forward)}, "main-guard")
    assert any("seed of torch's default generator" in each.message for each in found) is depends
