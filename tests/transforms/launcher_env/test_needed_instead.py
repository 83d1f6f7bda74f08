"""launcher-env: no defaults where another line needs some launcher's variable all the same."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated

PROGRAM = """\
import os

WORLD_SIZE = int(os.environ["WORLD_SIZE"])
{}


def rank():
    if WORLD_SIZE > 1:
        return int(os.environ["RANK"])
    return 0


print(rank())
"""


@each_row(
    ("line", "alone"),
    [
        ('LOCAL = int(os.environ.get("LOCAL_RANK") or os.environ["SLURM_LOCALID"])', False),
        ('LOCAL = os.environ["LOCAL_RANK"] if "LOCAL_RANK" in os.environ else os.environ["SLURM_LOCALID"]', False),
        ('LOCAL = os.environ["SLURM_LOCALID"] if "LOCAL_RANK" not in os.environ else 0', False),
        ('if "LOCAL_RANK" in os.environ:\n    LOCAL = 0\nelse:\n    LOCAL = os.environ["SLURM_LOCALID"]', False),
        ('LOCAL = int(os.environ.get("LOCAL_RANK") or os.getenv("SLURM_LOCALID"))', False),
        ('LOCAL = int(os.environ.get("LOCAL_RANK") or os.getenv("SLURM_LOCALID") or 0)', True),
        ('LOCAL = os.environ.get("LOCAL_RANK") or os.getenv("SLURM_LOCALID")', True),
        ('LOCAL = os.environ.get("LOCAL_RANK") and os.environ["LOCAL_RANK"]', True),
        ('LOCAL = os.environ["SLURM_LOCALID"] if "SLURM_LOCALID" in os.environ else 0', True),
        ('LOCAL = os.environ.get("LOCAL_RANK", "0") or os.environ["SLURM_LOCALID"]', True),
        ('LOCAL = int(os.environ["LOCAL_RANK"]) if WORLD_SIZE > 1 else 0', True),
        ('if "SLURM_JOB_ID" in os.environ:\n    LOCAL = os.environ["SLURM_LOCALID"]', True),
        ('LOCAL = lambda: os.environ.get("LOCAL_RANK") or os.environ["SLURM_LOCALID"]', True),
        ('LOCAL = int(os.environ["LOCAL_RANK"])', True),
    ],
)
def test_rank_0_of_1(line: str, alone: bool) -> None:
    after = migrated({"a.py": PROGRAM.format(line)}, "launcher-env").get("a.py", "")
    assert ('os.environ.get("WORLD_SIZE", 1)' in after) is alone
