"""Options that several commands have, as Typer reads them from the signatures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from ..finding import Confidence
from .values import Launcher

# Optional[...] rather than `| None`: older Typer evaluates these at run time.
Target_ = Annotated[Path, typer.Argument(metavar="PATH", help="A repository, or a folder or file inside one.")]
Targets_ = Annotated[list[Path], typer.Argument(metavar="PATH", help="A repository, or folders and files of one.")]


def _completed(incomplete: str) -> list[str]:
    """The rules that `incomplete`, a list of rules as far as it is typed, may go on with."""
    from ..transforms import rules

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{rule}" for rule in rules() if rule.startswith(last)]


Select = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(metavar="RULE,..", help="Only these rules.", autocompletion=_completed),
]
Ignore = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option(metavar="RULE,..", help="All rules but these.", autocompletion=_completed),
]
Bar = Annotated[
    Optional[Confidence],  # noqa: UP045
    typer.Option(
        metavar="LEVEL",
        help="How sure to be that a value crosses a process boundary: proven, likely or possible.  [default: likely]",
    ),
]
Unsafe = Annotated[
    Optional[bool],  # noqa: UP045
    typer.Option("--unsafe-fixes/--no-unsafe-fixes", help="Also make changes that may change what the code does."),
]
Seconds = Annotated[
    float, typer.Option("--timeout", metavar="S", min=0, help="Stop after S seconds, and change nothing; 0: no limit.")
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", metavar="N", min=0, help="Use up to N processes; 0: as many as are useful for this repository."
    ),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Neither use nor fill the cache of analysed files.")]
LocalRules = Annotated[
    bool, typer.Option("--allow-local-rules", help="Run the files with rules that pyproject.toml lists.")
]
Launch = Annotated[
    Optional[Launcher],  # noqa: UP045
    typer.Option(metavar="NAME", help="What replaces PyTorch's old launcher: torchrun, python or auto."),
]
Since = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        metavar="REV",
        help="Only findings in files changed since REV (a commit, a branch), or with a trace there.",
    ),
]
Baseline = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(metavar="FILE", help="Leave out the findings that FILE lists."),
]
