"""What a document starts by plain `python`, though it needs a launcher: reported, and what to do is said."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

TOOLS = """
import os
import torch
import torch.distributed as dist

def setup_distributed():
    {test}
        {first}
    else:
        rank = int(os.environ["{variable}"])
    dist.init_process_group("nccl", rank=rank)
"""
TRAIN = "from tools import setup_distributed\n\ndef main():\n    setup_distributed()\n\nmain()\n"
SLURM = 'if "SLURM_PROCID" in os.environ:'
RANK = 'rank = int(os.environ["SLURM_PROCID"])'
RUN = {"README.md": "Train:\n\n```\nCUDA_VISIBLE_DEVICES=0 \\\npython train.py --size 3\n```\n"}


@each_row(
    ("test", "variable", "more", "found"),
    [
        (SLURM, "RANK", RUN, "README.md:4 starts this by plain `python`"),
        (SLURM, "RANK", {"run.sh": "python ./train.py\n"}, "run.sh:1 starts"),
        (SLURM, "RANK", {}, ""),
        (SLURM, "RANK", {"run.sh": "torchrun --nproc_per_node=2 train.py\n"}, ""),
        (SLURM, "RANK", {"run.sh": "#SBATCH -n 2\npython train.py\n"}, ""),
        (SLURM, "RANK", {"run.sh": "# python train.py\npython other.py\n"}, ""),
        (SLURM, "RANK", {"README.md": "srun \\\npython train.py\n"}, ""),
        ('if "RANK" not in os.environ:', "RANK", RUN, ""),
        ('if "SLURM_PROCID" in os.environ:\n        pass\n    elif "RANK" not in os.environ:', "RANK", RUN, ""),
    ],
)
def test_a_run_that_a_document_starts(test: str, variable: str, more: dict[str, str], found: str) -> None:
    files = {"tools.py": TOOLS.format(test=test, variable=variable, first=RANK), "train.py": TRAIN, **more}
    reasons = [each.reason or "" for each in reported(files, "launcher-env")]
    assert [found in reason for reason in reasons] == [True] * bool(found)


GPUS = """
import os
import torch
import torch.distributed as dist

class Base:
    def __init__(self):
        self.setup()

    def setup(self):
        count = torch.cuda.device_count()
        if count > 1{and_more}:
            rank = int(os.environ["LOCAL_RANK"])
            dist.init_process_group("nccl")

class Sampler(Base):
    pass

Sampler()
"""


@pytest.mark.parametrize(("and_more", "found"), [("", True), (" and args.distributed", False)])
def test_several_gpus(and_more: str, found: bool) -> None:
    files = {"train.py": GPUS.format(and_more=and_more), "README.md": "    python train.py\n"}
    assert bool(reported(files, "launcher-env")) is found


def test_the_branch_of_slurm_may_set_it_for_itself() -> None:
    first = f'{RANK}\n        os.environ["RANK"] = str(rank)'
    files = {"tools.py": TOOLS.format(test=SLURM, variable="RANK", first=first), "train.py": TRAIN, **RUN}
    assert len(reported(files, "launcher-env")) == 1
    other = {"tools.py": files["tools.py"].replace("import torch\n", "import torch\nos.environ['OMP'] = '1'\n", 1)}
    assert len(reported(files | other, "launcher-env")) == 1  # what is set elsewhere is another variable
    default = {
        "tools.py": files["tools.py"].replace('os.environ["RANK"] = str(rank)', 'os.environ.setdefault("RANK", "0")')
    }
    assert not reported(files | default, "launcher-env")
    files["train.py"] = f'import os\n\nos.environ["RANK"] = "0"\n{TRAIN}'
    assert not reported(files, "launcher-env")
