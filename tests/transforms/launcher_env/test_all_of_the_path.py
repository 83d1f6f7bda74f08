"""launcher-env: variables that belong together are all given a second choice, or none is."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "launcher-env"
SIZED = """\
import os
import torch.distributed as dist

local = int(os.environ["LOCAL_RANK"])
rank = int(os.environ["RANK"])
size = int(os.environ["WORLD_SIZE"])
if {}:
    dist.init_process_group("gloo")
print(local, rank, size)
"""


@pytest.mark.parametrize("test", ["size > 1", "size >= 2", "size != 1"])
def test_one_process_where_the_size_is_tested(test: str) -> None:
    after = migrated({"a.py": SIZED.format(test)}, RULE)["a.py"]
    for line in ('get("LOCAL_RANK", 0))', 'get("RANK", 0))', 'get("WORLD_SIZE", 1))'):
        assert line in after
    assert not reported({"a.py": after}, RULE)


def test_no_default_where_every_run_joins() -> None:
    unconditional = SIZED.replace("if {}:\n    dist", "dist")
    assert not migrated({"a.py": unconditional}, RULE)
    assert not migrated({"a.py": SIZED.format("rank > 0")}, RULE)
    later = SIZED.format("size > 1") + "dist.init_process_group('gloo')\n"
    assert not migrated({"a.py": later}, RULE)


MAIN = """\
import os
import torch
import torch.distributed as dist

def main(model):
    rank = int(os.environ["LOCAL_RANK"])
    size = int(os.environ["WORLD_SIZE"])
    if size > 1:
        dist.init_process_group("nccl")
        model = torch.nn.parallel.DistributedDataParallel(model)
    return model(rank)

if __name__ == "__main__":
    main(abs)
"""
RUN = {"run.sh": "torchrun --nproc_per_node=2 a.py\n"}


def test_one_process_where_a_function_tests_the_size() -> None:
    after = migrated({"a.py": MAIN, **RUN}, RULE)["a.py"]
    expected = MAIN.replace('environ["LOCAL_RANK"]', 'environ.get("LOCAL_RANK", 0)')
    assert after == expected.replace('environ["WORLD_SIZE"]', 'environ.get("WORLD_SIZE", 1)')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("    return model(rank)", "    dist.barrier()", id="every run waits for others"),
        pytest.param("    if size > 1:\n    ", "    if rank >= 0:\n    ", id="the size is not tested"),
        pytest.param(
            "    main(abs)", "    main(abs)\n    print(os.environ['RANK'])", id="another function needs a rank"
        ),
    ],
)
def test_a_function_that_goes_on_as_a_rank(before: str, after: str) -> None:
    assert before in MAIN
    assert not migrated({"a.py": MAIN.replace(before, after), **RUN}, RULE)


SLURM = """\
import os
import torch.distributed as dist

def setup(single):
    if not single:
        local = int(os.environ.get("SLURM_LOCALID"))
        rank = int(os.environ.get("SLURM_PROCID"))
        size = int({})
        dist.init_process_group("gloo", rank=rank, world_size=size)

setup(False)
"""


def test_all_of_slurm() -> None:
    after = migrated({"a.py": SLURM.format('os.environ.get("SLURM_NTASKS")')}, RULE)["a.py"]
    assert 'get("SLURM_LOCALID", os.environ.get("LOCAL_RANK", 0))' in after
    assert 'get("SLURM_PROCID", os.environ.get("RANK"))' in after
    assert 'get("SLURM_NTASKS", os.environ.get("WORLD_SIZE"))' in after


@each_row(
    "size",
    [
        'os.environ["SLURM_NTASKS"]',
        'os.environ.get("PMI_SIZE")',
        'os.environ.get("SLURM_" "NTASKS")',
        'os.environ.get("SLURM_NTASKS", None)',
        'os.environ.get("SLURM_NTASKS", default=None)',
    ],
)
def test_none_of_slurm(size: str) -> None:
    [said] = reasons({"a.py": SLURM.format(size)}, RULE)
    assert said.startswith("line 8 also needs ")


ENTRY = """\
import os
{imports}
if __name__ == "__main__":
    if int(os.environ["LOCAL_RANK"]) == 0:
        print("first")
    os.system("python {started}.py")
"""
SETS = 'import os\n\ndef prepare():\n    os.environ["LOCAL_RANK"] = "0"\n'


@each_row(
    ("files", "fixed"),
    [
        pytest.param({"run.py": ENTRY.format(imports="", started="train")}, True, id="only the other program sets it"),
        pytest.param({"run.py": ENTRY.format(imports="import train", started="x")}, False, id="imported"),
        pytest.param(
            {"run.py": ENTRY.format(imports="import other", started="x"), "other.py": "from ranks import *\n"},
            False,
            id="imported by what it imports",
        ),
        pytest.param(
            {
                "run.py": ENTRY.format(imports="import importlib", started="x")
                + "    importlib.import_module(input())\n"
            },
            False,
            id="it imports what it is told",
        ),
        pytest.param(
            {"run.py": ENTRY.format(imports="", started="x"), "go.py": SETS + "os.system('python run.py')\n"},
            False,
            id="what starts it sets it",
        ),
    ],
)
def test_who_sets_the_variable_counts_where_the_program_runs_it(files: dict[str, str], fixed: bool) -> None:
    files = {"ranks.py": SETS, "train.py": "import ranks\nranks.prepare()\n", **files}
    assert bool(migrated(files, RULE)) is fixed
