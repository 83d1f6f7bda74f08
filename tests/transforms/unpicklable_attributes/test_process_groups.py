"""Process groups on objects that are sent to workers: made by torch, or by a function of the repository."""

from __future__ import annotations

import pickle

import pytest

from codemods.engine.migrate import check
from codemods.finding import Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

CONTEXT = """\
from parallel import distributed as dist


class Context:
    def __init__(self, ranks):
        made = dist.new_group(ranks=ranks)
        self.group = made
"""
GROUPS = """\
from torch import distributed as dist
from torch.distributed import *


def new_group(ranks=None):
    if ranks is None:
        return None
    return dist.new_group(ranks=ranks)
"""
TRAIN = """\
import copy
from dataclasses import dataclass
from torch.utils.data import DataLoader
from parallel.context import Context


@dataclass
class Collate:
    length: int
    context: Context

    def __call__(self, rows):
        return rows[: self.length]


def main(rows, ranks):
    context = Context(ranks)
    {use}


if __name__ == "__main__":
    main([1, 2], [0])
"""


def found(use: str, context: str = CONTEXT) -> list[Finding]:
    files = {
        "parallel/__init__.py": "",
        "parallel/distributed.py": GROUPS,
        "parallel/context.py": context,
        "train.py": TRAIN.format(use=use),
    }
    contents = {path: text.encode() for path, text in files.items()}
    return list(check(MemoryFiles(contents), Settings(select=("unpicklable-attributes",))).findings)


def test_a_group_on_what_a_collate_function_keeps() -> None:
    (finding,) = found("DataLoader(rows, collate_fn=Collate(2, context=context), num_workers=2)")
    assert (finding.path, finding.span.line, finding.fix) == ("parallel/context.py", 7, None)
    assert "is a process group" in finding.message and "its size, the rank in it" in (finding.reason or "")


def test_groups_that_stay() -> None:
    assert found("DataLoader(rows, collate_fn=Collate(2, context=len(rows)), num_workers=2)") == []
    assert found("copy.deepcopy(context)") == []  # a matter of model-deepcopy
    other = CONTEXT.replace("dist.new_group(ranks=ranks)", "dist.get_world_size()")
    assert found("DataLoader(rows, collate_fn=Collate(2, context=context), num_workers=2)", other) == []


@pytest.mark.slow
def test_pickle_refuses_a_group() -> None:
    from torch import distributed

    distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
    try:
        with pytest.raises(TypeError, match=r"cannot pickle 'torch\._C\._distributed_c10d\.ProcessGroup' object"):
            pickle.dumps(distributed.new_group([0]))
    finally:
        distributed.destroy_process_group()
