"""model-deepcopy: every form of a training script, run with real process groups on one rank and on two.

Before, each fails with the real error; after, the copy is in every respect what `copy.deepcopy` makes of the same model
without groups, and it uses the same groups.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any, TypeAlias

import pytest

from codemods.engine.migrate import plan
from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

Outcome: TypeAlias = dict[str, Any]
ERROR = "cannot pickle 'torch._C._distributed_c10d.ProcessGroup' object"

MODELS = """\
import torch
import torch.distributed as dist
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, width, group=None):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.norm = nn.BatchNorm1d(width)
        self.register_buffer("rope", torch.arange(width).float(), persistent=False)
        self.group = group
        self.checkpointing = False

    def forward(self, x):
        x = self.norm(self.linear(x))
        if self.group is not None:
            dist.all_reduce(x.detach(), group=self.group)
        return x


class Net(nn.Module):
    def __init__(self, width=4, depth=2, group=None):
        super().__init__()
        self.embed = nn.Embedding(8, width)
        self.blocks = nn.ModuleList([Block(width, group) for _ in range(depth)])
        self.head = nn.Linear(width, 8, bias=False)
        self.head.weight = self.embed.weight
        self.groups = {"all": [group]}

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def Net_S(**kwargs):
    return Net(width=4, **kwargs)


def Net_B(**kwargs):
    return Net(width=6, **kwargs)


NETS = {"S": Net_S, "B": Net_B}
"""

HEAD = """\
import copy
import os
from copy import deepcopy

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

from compare import compare
from models import NETS, Block, Net

"""

TAIL = """

if __name__ == "__main__":
    dist.init_process_group(
        "gloo",
        init_method=os.environ["INIT_METHOD"],
        rank=int(os.environ["RANK"]),
        world_size=int(os.environ["WORLD_SIZE"]),
    )
    torch.manual_seed(0)
    group = None if "NO_GROUP" in os.environ else dist.new_group(list(range(dist.get_world_size())))
    main(group)
"""

COMPARE = """\
import torch


def compare(model, ema):
    \"\"\"Print all that a deep copy keeps; what is drawn at the end tells whether copying moved the random state.\"\"\"
    for (name, theirs), (other, ours) in zip(model.named_parameters(), ema.named_parameters(), strict=True):
        print(name == other, torch.equal(theirs.cpu(), ours.cpu()), ours.dtype, ours.device, ours.requires_grad)
    for (name, theirs), (other, ours) in zip(model.named_buffers(), ema.named_buffers(), strict=True):
        print(name == other, torch.equal(theirs, ours), ours.dtype, ours.device, other in ema.state_dict())
    for theirs, ours in zip(model.modules(), ema.modules(), strict=True):
        print(type(ours).__name__, ours.training, getattr(ours, "checkpointing", None), theirs is not ours)
        print("group", getattr(ours, "group", None) is getattr(theirs, "group", None), "group" in vars(ours))
        if hasattr(theirs, "groups"):
            print("groups", all(a is b for a, b in zip(theirs.groups["all"], ours.groups["all"])))
    theirs, ours = ([*m.parameters(), *m.buffers()] for m in (model, ema))
    print("own storage", {t.data_ptr() for t in ours}.isdisjoint(t.data_ptr() for t in theirs))
    print("tied", ema.head.weight is ema.embed.weight)
    print("random state", torch.rand(1).item())
    with torch.no_grad():
        ema(torch.tensor([0, 1]))  # the groups are there and work
    print("same keys", list(model.state_dict()) == list(ema.state_dict()))
"""

BUILT = "built anew, not deep-copied"
SHARED = "def deepcopy_sharing_groups(model):"
# name -> (what shows which way was taken, the program without head and tail, other files)
FORMS: dict[str, tuple[str, str, dict[str, str]]] = {
    "constructor": (BUILT, """
        def main(group):
            model = Net(4, group=group)
            ema = deepcopy(model)
            compare(model, ema)
    """, {}),
    "keyword arguments": (BUILT, """
        def main(group):
            model_kwargs = dict(width=3, depth=1, group=group)
            model = Net(**model_kwargs).double()
            ema = deepcopy(model).eval()
            compare(model, ema)
    """, {}),
    "table of models": (BUILT, """
        def requires_grad(model, flag=True):
            for p in model.parameters():
                p.requires_grad = flag


        def main(group):
            model = NETS["B"](depth=1, group=group)
            ema = deepcopy(model).to("cpu")  # averaged
            requires_grad(ema, False)
            model = DDP(model)
            compare(model.module, ema)
    """, {}),
    "registry": (BUILT, """
        from registry import MODELS, build_module


        def main(group):
            cfg = dict(model=dict(type="Net", depth=1, group=group))
            model = build_module(cfg["model"], MODELS).bfloat16().train()
            ema = deepcopy(model).cpu().eval().requires_grad_(False)
            ema.float()
            compare(model.float(), ema)
    """, {"registry.py": """
        from models import Net

        MODELS = {"Net": Net}


        def build_module(cfg, registry):
            cfg = dict(cfg)
            return registry[cfg.pop("type")](**cfg)
    """}),
    "helper in another file": (BUILT, """
        from builder import build


        def main(group):
            model = build(group)
            ema = copy.deepcopy(model)
            ema.requires_grad_(False)
            compare(model, ema)
    """, {"builder.py": """
        import models


        def build(group, depth=1):
            net = models.Net(depth=depth, group=group)
            for p in net.embed.parameters():
                p.requires_grad = False
            return net
    """}),
    "much to carry over": (BUILT, """
        def main(group):
            model = Net(group=group)
            model.blocks[0].double()
            model.blocks[1].eval()
            model.embed.requires_grad_(False)
            model.blocks[1].rope.add_(1)
            ema = deepcopy(model)
            model.blocks[0].float()
            ema.blocks[0].float()
            compare(model, ema)
    """, {}),
    "flags on layers": (BUILT, """
        def set_checkpointing(model):
            for block in model.blocks:
                block.checkpointing = True


        def main(group):
            model = Net(group=group).train()
            if os.environ.get("CHECKPOINT") != "no":
                set_checkpointing(model)
            ema = deepcopy(model).eval()
            compare(model, ema)
    """, {}),
    "one object": (BUILT, """
        class Trainer:
            def __init__(self, group):
                self.group = group
                self.model = Net(group=self.group)
                self.target = copy.deepcopy(self.model)
                self.target.eval()


        def main(group):
            trainer = Trainer(group)
            compare(trainer.model, trainer.target)
    """, {}),
    "wrapped by then": (BUILT, """
        def main(group):
            model = Net(group=group)
            model = DDP(model)
            ema = deepcopy(model.module).eval()
            compare(model.module, ema)
    """, {}),
    "perhaps wrapped": (BUILT, """
        def main(group):
            model = Net(group=group)
            if dist.get_world_size() > 1:
                model = DDP(model)
            ema = deepcopy(model.module if hasattr(model, "module") else model)
            compare(getattr(model, "module", model), ema)
    """, {}),
    "EMA class": (SHARED, """
        from ema import ModelEMA


        def main(group):
            model = Net(group=group)
            model.embed.requires_grad_(False)
            ema = ModelEMA(model)
            model = DDP(model)
            ema.update(model)
            compare(model.module, ema.ema)
    """, {"ema.py": """
        from copy import deepcopy

        import torch


        def de_parallel(model):
            return model.module if hasattr(model, "module") else model


        class ModelEMA:
            def __init__(self, model, decay=0.9):
                self.ema = deepcopy(de_parallel(model)).eval()
                self.decay = decay
                for p in self.ema.parameters():
                    p.requires_grad_(False)

            @torch.no_grad()
            def update(self, model):
                state = de_parallel(model).state_dict()
                for name, value in self.ema.state_dict().items():
                    if value.dtype.is_floating_point:
                        value.mul_(self.decay).add_(state[name], alpha=1 - self.decay)
    """}),
    "EMA module": (SHARED, """
        class ModelEma(nn.Module):
            def __init__(self, model, decay=0.9, device=None):
                super().__init__()
                self.module = deepcopy(model)
                self.module.eval()
                self.decay = decay
                if device is not None:
                    self.module.to(device=device)


        def main(group):
            model = Net(group=group)
            compare(model, ModelEma(model, device="cpu").module)
    """, {}),
    "built before, copied later": (SHARED, """
        class Trainer:
            def __init__(self, group):
                self.model = Net(group=group)

            def setup_ema(self):
                self.ema = deepcopy(self.model).eval().requires_grad_(False)

            def step(self):
                loss = self.model(torch.tensor([0, 1])).sum()
                loss.backward()


        def main(group):
            trainer = Trainer(group)
            trainer.step()
            trainer.setup_ema()
            compare(trainer.model, trainer.ema)
    """, {}),
    "target networks": (SHARED, """
        class Agent:
            def __init__(self, policy, critic):
                self.policy = policy
                self.critic = critic
                self.policy_target = copy.deepcopy(self.policy)
                self.critic_target = copy.deepcopy(self.critic)


        def main(group):
            agent = Agent(Net(group=group), Net(depth=1, group=group))
            compare(agent.policy, agent.policy_target)
            compare(agent.critic, agent.critic_target)
    """, {}),
    "returned by a function": (SHARED, """
        def make_ema(model):
            return deepcopy(model).eval().requires_grad_(False)


        def main(group):
            model = Net(group=group)
            compare(model, make_ema(model))
    """, {}),
    "averaged by torch": (SHARED, """
        from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


        def main(group):
            model = Net(group=group)
            model.blocks[0].eval()
            ema = AveragedModel(model, "cpu", multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)  # smooth
            compare(model, ema.module)
            print(list(ema.state_dict()), ema.training)
            for _ in range(2):
                with torch.no_grad():
                    model.embed.weight.add_(1)
                ema.update_parameters(model)
            print(ema.n_averaged, ema.module.embed.weight.sum().item())
    """, {}),
    "one of several results": (SHARED, """
        def build(group):
            model = Net(group=group)
            return model, list(model.parameters())


        def main(group):
            model, params = build(group)
            ema = deepcopy(model).eval()
            compare(model, ema)
    """, {}),
    "group put on layers": (SHARED, """
        def attach(model, group):
            for block in model.blocks:
                block.group = group


        def main(group):
            model = Net()
            attach(model, group)
            ema = deepcopy(model)
            compare(model, ema)
    """, {}),
    "group found by the layers": (SHARED, """
        import state


        class Parallel(Net):
            def __init__(self):
                super().__init__()
                for block in self.blocks:
                    block.group = state.current()


        def main(group):
            state.GROUP = group
            model = Parallel()
            model.hook = model.blocks[0].norm.register_forward_hook(print_nothing)
            ema = deepcopy(model)
            compare(model, ema)


        def print_nothing(*_):
            pass
    """, {"state.py": """
        GROUP = None


        def current():
            return GROUP
    """}),
    "function inside": (SHARED, """
        def main(group):
            def copied():
                return deepcopy(model)

            model = Net(4, group=group)
            ema = copied()
            again = (lambda: deepcopy(model).eval())()
            compare(model, ema)
            compare(model, again)
    """, {}),
    "several models": (SHARED, """
        class Ensemble:
            def __init__(self, group):
                self.critics = [Net(width, 1, group) for width in (4, 6)]
                self.targets = [deepcopy(critic) for critic in self.critics]


        def main(group):
            nets = {"actor": Net(4, group=group), "cfg": {"width": 4}}
            target = deepcopy(nets["actor"])
            kept = {name: deepcopy(net) for name, net in nets.items()}
            ensemble = Ensemble(group)
            for model, ema in [
                *zip(ensemble.critics, ensemble.targets), (nets["actor"], target), (nets["actor"], kept["actor"])
            ]:
                compare(model, ema)
    """, {}),
    "snapshot of the best": (SHARED, """
        def fit(model, losses):
            best, best_model = 9, None
            for loss in losses:
                if loss < best:
                    best, best_model = loss, deepcopy(model)
            return best_model


        def main(group):
            model = Net(4, group=group)
            compare(model, fit(model, [3, 2, 4]))
    """, {}),
}  # fmt: skip


def files_of(name: str) -> dict[str, str]:
    _, program, others = FORMS[name]
    rest = {path: dedent(text).lstrip("\n") for path, text in others.items()}
    return {
        "train.py": HEAD + dedent(program).rstrip() + "\n" + TAIL,
        "models.py": MODELS,
        "compare.py": COMPARE,
        **rest,
    }


def outcomes(folder: Path, ranks: int) -> dict[tuple[str, str], Outcome]:
    """What became of every form, by (form, "before" | "without" (groups) | "after")."""
    keys: list[tuple[str, str]] = []
    jobs: list[dict[str, Any]] = []
    for name in FORMS:
        files = files_of(name)
        for when, texts in (("before", files), ("without", files), ("after", migrated(files))):
            here = folder / f"{len(jobs)}"
            here.mkdir()
            for path, text in texts.items():
                (here / path).write_text(text)
            keys.append((name, when))
            env = {"NO_GROUP": "1"} if when == "without" else {}
            jobs.append({"folder": str(here), "script": "train.py", "ranks": ranks, "env": env})
    runner = Path(__file__).resolve().parents[3] / "tests" / "harness" / "forked_ranks.py"
    done = subprocess.run(
        [sys.executable, str(runner)], input=json.dumps(jobs), capture_output=True, text=True, timeout=900, check=True
    )
    return dict(zip(keys, json.loads(done.stdout), strict=True))


def migrated(files: dict[str, str]) -> dict[str, str]:
    """`files` after the rule; nothing of it may be left to report."""
    found = plan(
        MemoryFiles({path: text.encode() for path, text in files.items()}),
        Settings(select=("model-deepcopy",), confidence=Confidence.POSSIBLE),
    )
    assert not found.remaining, found.remaining
    return files | {path: data.decode() for path, data in found.contents.items()}


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2])
def test_every_form_runs(ranks: int, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    results = outcomes(tmp_path, ranks)
    for name in FORMS:
        before, reference, after = (results[name, when] for when in ("before", "without", "after"))
        assert before["codes"] == [1] * ranks and all(ERROR in text for text in before["outputs"]), (name, before)
        assert reference["codes"] == after["codes"] == [0] * ranks, (name, reference, after)
        assert after["outputs"] == reference["outputs"], name


@each_row("name", FORMS)
def test_way(name: str) -> None:
    files = files_of(name)
    changed = [text for path, text in migrated(files).items() if text != files[path]]
    assert any(FORMS[name][0] in text for text in changed)
