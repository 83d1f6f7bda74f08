"""Which calls that get a model and a process group leave the group on a layer of that model."""

from __future__ import annotations

from codemods.finding import Confidence, Finding
from codemods.project import Project
from codemods.transforms.model_deepcopy import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

HEAD = """\
import copy

import torch.distributed as dist
from other import shard
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)


class Trainer:
    def __init__(self, model, group):
        self.model, self.group = model, group


class Puts:
    def __init__(self, model, group):
        for layer in model.modules():
            layer.group = group


def sync(model, group):
    for parameter in model.parameters():
        dist.all_reduce(parameter.data, group=group)


def mark(model, group):
    _mark_layers(model, group)


def _mark_layers(model, group):
    for layer in model.modules():
        setattr(layer, "group", group)


def synced(model, group):
    model.norm = nn.SyncBatchNorm(4, process_group=group)


def deep(model, group):
    deeper(model, group)


def deeper(model, group):
    deepest(model, group)


def deepest(model, group):
    mark(model, group)


def synced_by_place(model, group):
    model.norm = nn.SyncBatchNorm(4, 1e-5, 0.1, True, True, group)


def main():
    group = dist.new_group([0])
    model = Net()
    CALL
    return copy.deepcopy(model)
"""


def found(call: str) -> list[Finding]:
    return list(RULE.find(Project(MemoryFiles({"main.py": HEAD.replace("CALL", call).encode()}))))


@each_row(
    "call, holds",
    [
        ("ddp = DDP(model, process_group=group)", False),
        ("ddp = nn.parallel.DistributedDataParallel(model, process_group=group)", False),
        ("dist.broadcast_object_list(model, group=group)", False),
        ("trainer = Trainer(model, group)", False),
        ("sync(model, group)", False),
        ("Puts(model, group)", True),
        ("mark(model, group)", True),
        ("synced(model, group)", True),
        ("deep(model, group)", True),
        ("model = nn.SyncBatchNorm.convert_sync_batchnorm(model, group)", True),
        ("model = nn.SyncBatchNorm.convert_sync_batchnorm(model, process_group=group)", True),
        ("model = nn.SyncBatchNorm.convert_sync_batchnorm(model, None)", False),
        ("model = nn.SyncBatchNorm.convert_sync_batchnorm(model)", False),
        ("synced_by_place(model, group)", True),
        ("shard(model, group)", True),  # nobody knows what it does
    ],
)
def test_who_leaves_a_group_on_a_layer(call: str, holds: bool) -> None:
    assert any(each.confidence is Confidence.PROVEN for each in found(call)) is holds


def test_the_model_inside_of_ddp_is_copied_as_it_is() -> None:
    text = HEAD.replace("CALL", "ddp = DDP(model, process_group=group)").replace("copy(model)", "copy(ddp.module)")
    findings = RULE.find(Project(MemoryFiles({"main.py": text.encode()})))
    assert all(each.confidence is Confidence.POSSIBLE for each in findings)


def test_a_file_that_does_not_name_torch_copies_models_too() -> None:
    ema = "import copy\n\n\ndef make_ema(model):\n    ema = copy.deepcopy(model)\n    return ema.eval()\n"
    main = (
        "import torch.distributed as dist\nfrom torch import nn\nfrom ema import make_ema\n\n\n"
        "class Net(nn.Module):\n    def __init__(self, group):\n        super().__init__()\n"
        "        self.group = group\n\n\n"
        "def main():\n    model = Net(dist.new_group([0]))\n    return make_ema(model)\n"
    )
    (finding,) = RULE.find(Project(MemoryFiles({"main.py": main.encode(), "ema.py": ema.encode()})))
    assert (finding.path, finding.confidence) == ("ema.py", Confidence.PROVEN)
