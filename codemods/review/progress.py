"""A progress bar on stderr, for people who wait at a terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from ..finding import Finding
from ..project import Project
from ..rule import Rule
from ..transforms import rules


def _watched(rule: Rule, tell: Callable[[str], None]) -> Rule:
    """`rule`, telling when it starts to work."""

    def find(project: Project) -> Iterable[Finding]:
        tell(rule.id)
        return rule.find(project)

    return replace(rule, find=find)


@contextlib.contextmanager
def watched(doing: str) -> Iterator[dict[str, Rule]]:
    """All rules, for a run with a bar that moves on with each of them and goes away at the end."""
    known = rules()
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{doing}: reading", total=len(known) + 1)
        begun: set[str] = set()

        def tell(rule: str) -> None:
            begun.add(rule)
            bar.update(task, description=f"{doing}: {rule}", completed=len(begun))

        yield {name: _watched(rule, tell) for name, rule in known.items()}
