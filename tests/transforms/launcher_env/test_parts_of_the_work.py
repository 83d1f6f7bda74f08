"""A rank that chooses a part of the work has no default, and what is refused says nothing of ranks that wait."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "launcher-env"
PROGRAM = """\
import itertools
import os

import numpy as np

gpu = int(os.environ["LOCAL_RANK"])
files = sorted(os.listdir("."))
print({use})
"""


@each_row("use, is_part", [
    ("files[gpu::8]", True),
    ("files[gpu * 8 : (gpu + 1) * 8]", True),
    ("[name for at, name in enumerate(files) if at % 8 == gpu]", True),
    ("list(itertools.islice(files, gpu, None, 8))", True),
    ("np.array_split(files, 8)[gpu]", True),
    ("files[gpu]", False),
    ("files[gpu:]", False),
    ("gpu % 2 == 0", False),
    ("files[::8], gpu", False),
])  # fmt: skip
def test_a_rank_that_takes_a_part(use: str, is_part: bool) -> None:
    files = {"main.py": PROGRAM.format(use=use)}
    if is_part:
        assert reasons(files, RULE)[0].startswith("line 8 takes this process's part of the work by LOCAL_RANK")
    else:
        assert 'get("LOCAL_RANK", 0)' in migrated(files, RULE)["main.py"]


def test_a_rank_that_a_function_gives() -> None:
    text = "import os\n\n\ndef part():\n    return int(os.environ['LOCAL_RANK'])\n\n\nprint([1, 2][{}])\n"
    assert reasons({"main.py": text.format("part()::8")}, RULE)[0].startswith("line 8 takes")
    assert migrated({"main.py": text.format("part()")}, RULE)


def test_a_number_of_parts_alone() -> None:
    text = "import os\nimport sys\n\nprint([1, 2][int(sys.argv[1]) :: int(os.environ['WORLD_SIZE'])])\n"
    (reason,) = reasons({"main.py": text}, RULE)
    assert reason.startswith("WORLD_SIZE may say into how many parts the work is split") and "wait" not in reason
    assert "wait for each other" in reasons({"main.py": text, "ddp.py": "import torch.distributed\n"}, RULE)[0]


@each_row("world, use, is_part", [
    ('int(os.environ.get("WORLD_SIZE", 1))', "files[gpu::world]", False),
    ('int(os.getenv("WORLD_SIZE", "1"))', "[x for at, x in enumerate(files) if at % world == gpu]", False),
    ('int(os.environ.get("WORLD_SIZE", 1))', "np.array_split(files, world)[gpu]", False),
    ('int(os.environ.get("WORLD_SIZE", 1))', "list(itertools.islice(files, gpu, None, world))", False),
    ("1", 'files[gpu::int(os.environ.get("WORLD_SIZE", 1))]', False),
    ('int(os.environ.get("WORLD_SIZE", 2))', "files[gpu::world]", True),
    ('int(os.environ.get("MY_PARTS", 1))', "files[gpu::world]", True),
    ('int(os.environ.get("WORLD_SIZE", 1)) * 2', "files[gpu::world]", True),
])  # fmt: skip
def test_without_a_launcher_one_process_has_all_parts(world: str, use: str, is_part: bool) -> None:
    files = {"main.py": PROGRAM.replace("files =", f"world = {world}\nfiles =").format(use=use)}
    if is_part:
        assert reasons(files, RULE)[0].startswith("line 9 takes this process's part of the work by LOCAL_RANK")
    else:
        assert 'get("LOCAL_RANK", 0)' in migrated(files, RULE)["main.py"]


FUNCTIONS = """\
import os


def device():
    return int(os.environ["SLURM_LOCALID"])


def shard():
    return int(os.environ["SLURM_PROCID"]), {size}


def is_first():
    return os.environ["SLURM_PROCID"] == "0"


rank, size = shard()
print(device(), list(range(10))[rank::size], is_first())
"""


def test_a_rank_that_other_functions_read_as_well() -> None:
    after = migrated({"main.py": FUNCTIONS.format(size='int(os.environ["SLURM_NTASKS"])')}, RULE)["main.py"]
    for default in ('get("SLURM_PROCID", 0)', 'get("SLURM_NTASKS", 1)', 'get("SLURM_PROCID", "0") == "0"'):
        assert default in after
    assert not reported({"main.py": after}, RULE)


def test_a_size_of_another_launcher() -> None:
    assert not migrated({"main.py": FUNCTIONS.format(size='int(os.environ["WORLD_SIZE"])')}, RULE)


@each_row("count, fixed", [("size", True), ("8", False), ("int(os.environ['WORLD_SIZE'])", True), ("parts", False)])
def test_parts_that_are_more_than_there_are_ranks(count: str, fixed: bool) -> None:
    text = (
        "import os\nfrom settings import parts\n\n"
        "rank = int(os.environ['RANK'])\nsize = int(os.environ['WORLD_SIZE'])\n"
        f"print(size, sorted(os.listdir('.'))[rank::{count}])\n"
    )
    files = {"main.py": text, "settings.py": "parts = 8\n"}
    assert bool(migrated(files, RULE)) is fixed
    if not fixed:
        told = "line 6 takes this process's part of the work by RANK"
        assert all(reason.startswith(told) for reason in reasons(files, RULE))
