"""The first line of a diagnosis: how many problems, and where they are."""

from __future__ import annotations

import io

from rich.console import Console

from codemods.diagnose.report import Diagnosis, Obstacle
from codemods.diagnose.show import show_diagnosis
from harness.each_row import each_row


@each_row(
    ("count", "exit_code", "words"),
    [
        (1, None, "t: 1 problem that keeps it from reaching a spawned worker"),
        (2, None, "t: 2 problems that keep it from reaching a spawned worker"),
        (1, 1, "t: 1 problem at process boundaries"),
        (2, 0, "t: 2 problems at process boundaries"),
    ],
)
def test_the_verdict(count: int, exit_code: int | None, words: str) -> None:
    found = tuple(Obstacle(f"t.a{number}", "function", "can't pickle it") for number in range(count))
    out = io.StringIO()
    show_diagnosis(Diagnosis("t", found, exit_code=exit_code), console=Console(file=out, width=100))
    assert out.getvalue().splitlines()[0] == words
