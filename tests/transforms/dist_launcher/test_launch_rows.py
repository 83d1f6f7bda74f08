"""Every row of the tables in rows/: a script and the lines that start it, and what is found and written."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods.transforms.dist_launcher import RULE
from harness.rows import answer, check_table, tables


@pytest.mark.parametrize("table", tables(Path(__file__).parent), ids=lambda table: table.stem)
def test_answers(table: Path, pytestconfig: pytest.Config) -> None:
    check_table(RULE, table, pytestconfig.getoption("--row"))


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
