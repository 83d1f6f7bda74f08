"""A local rank that a class of options declares, where torchrun passes none and nobody reads LOCAL_RANK."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
import torch
import torch.distributed as dist
{imports}


{declared}


def join(local_rank):
    if local_rank == -1:
        return
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")


def main():
    settings = {made}
    join(settings.local_rank)


if __name__ == "__main__":
    main()
"""
OPTIONS = """\
@options.configuration
class Settings:
    local_rank = options.attribute(default={default}, type=int)"""
PLAIN = """\
@dataclass
class Settings:
    local_rank: int = {default}"""


def lines(declared: str, made: str, imports: str = "", **others: str) -> list[int]:
    """Where something is said."""
    text = PROGRAM.format(imports=imports, declared=declared, made=made)
    files = {"train.py": text, **{f"{name}.py": other for name, other in others.items()}}
    found = reported(files, "dist-launcher")
    assert all(finding.fix is None and "LOCAL_RANK" in str(finding.reason) for finding in found)
    return [finding.span.line for finding in found]


def test_an_option_of_another_library() -> None:
    assert lines(OPTIONS.format(default=-1), "Settings.parse()", "import options") == [8]


def test_a_dataclass_that_a_parser_is_given() -> None:
    made = "HfArgumentParser(Settings).parse_args_into_dataclasses()[0]"
    assert lines(PLAIN.format(default=-1), made, "from dataclasses import dataclass") == [8]


@each_row(
    ("declared", "made"),
    [
        (OPTIONS.format(default=2), "Settings.parse()"),
        (PLAIN.format(default=-1), "Settings()"),
        (PLAIN.format(default='field(default=-1, metadata={"help": "rank"})'), "Settings()"),
        (OPTIONS.format(default=-1).replace("local_rank", "rank"), "Settings.parse()"),
    ],
)
def test_what_is_no_option_or_has_another_default(declared: str, made: str) -> None:
    assert lines(declared, made) == []


@pytest.mark.parametrize(
    "other",
    ["import os\nrank = os.environ['LOCAL_RANK']\n", "def work(rank, settings):\n    settings.local_rank = rank\n"],
)
def test_a_repository_that_gives_it_a_value_itself(other: str) -> None:
    assert lines(OPTIONS.format(default=-1), "Settings.parse()", "import options", other=other) == []
