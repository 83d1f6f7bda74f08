"""Shell: an assignment in front of a command is for that command alone."""

from __future__ import annotations

import pytest

from codemods.launch.bash import read
from codemods.launch.lines import launch_lines


@pytest.mark.parametrize(
    "before", ["F='--nnodes 2'\n", "true; F='--nnodes 2'\n", "F='--nnodes 2'\nF='--nnodes 3' true\n"]
)
def test_a_variable_after_it_was_set(before: str) -> None:
    (line,) = launch_lines(read("run.sh", f"{before}torchrun $F a.py\n"))
    assert line.nodes == "2"


def test_a_variable_that_only_another_command_has() -> None:
    (line,) = launch_lines(read("run.sh", "F='--nnodes 2' true\ntorchrun $F a.py\n"))
    assert line.nodes != "2"
