"""Every row of the tables in rows/: a script and the lines that start it, and what is found and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.transforms.dist_launcher import RULE
from harness.rows import Row, agrees, answer, rows

ROWS = rows(Path(__file__).parent)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_answer(row: Row) -> None:
    found = answer(RULE, row.files)
    assert agrees(found, row.answer), "\n".join(found)


HELD = """\
import argparse, torch
class Trainer:
    def __init__(self, {holder}):
        self.{holder} = {holder}
        torch.cuda.set_device(self.{holder}.local_rank)
parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
torch.distributed.init_process_group("nccl")
{values} = parser.parse_args()
Trainer({values})
"""


@pytest.mark.parametrize("values", ["args", "options"])
@pytest.mark.parametrize("holder", ["args", "opt", "opts", "hparams", "config", "cfg"])
def test_options_that_an_object_keeps_are_read(holder: str, values: str) -> None:
    script = HELD.format(holder=holder, values=values)
    found = answer(
        RULE, {"main.py": script, "run.sh": "python -m torch.distributed.launch --nproc_per_node=2 main.py\n"}
    )
    assert any("LOCAL_RANK" in line for line in found if line.startswith("+ parser.add_argument"))


@pytest.mark.parametrize("holder", ["state", "model", "trainer"])
def test_other_attributes_of_the_name_are_none_of_them(holder: str) -> None:
    script = HELD.format(holder=holder, values="args").replace("Trainer(args)", "Trainer(None)")
    found = answer(
        RULE, {"main.py": script, "run.sh": "python -m torch.distributed.launch --nproc_per_node=2 main.py\n"}
    )
    assert not any("LOCAL_RANK" in line for line in found)
